//! Arrow, as `save_to_disk` of `datasets` and other programs write it. The files of `tests/data/arrow` are made by `make.py` there.

use std::path::Path;

use crate::support::Scratch;

/// A folder with the files as `a`.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/arrow");
    scratch.sh(&format!("cp -r {} a", folder.display())).succeeds();
    scratch
}

fn file(scratch: &Scratch, name: &str) -> String {
    String::from_utf8(scratch.read(name)).unwrap()
}

#[test]
fn folders_of_save_to_disk_become_data_directories() {
    let scratch = scratch();
    scratch.sh("make-data-dir --split=train --extra=age,scores a/saved d").succeeds().stderr_has(
        "1 utterances have no text, and were left out; the first is a/saved/train/data-00001-of-00002.arrow: row 0",
    );
    for (name, expected) in [
        ("text", "spk_0-train_0 words of 0\nspk_1-train_1 words of 1\nspk_1-train_3 words of 3\n"),
        ("utt2spk", "spk_0-train_0 spk_0\nspk_1-train_1 spk_1\nspk_1-train_3 spk_1\n"),
        ("spk2gender", "spk_0 f\nspk_1 m\n"),
        ("utt2age", "spk_1-train_1 21\nspk_1-train_3 23\n"),
        ("utt2scores", "spk_0-train_0 0.5 1.25\nspk_1-train_1 0.5 1.25\nspk_1-train_3 0.5 1.25\n"),
        ("utt2dur", "spk_0-train_0 0.05\nspk_1-train_1 0.05\nspk_1-train_3 0.05\n"),
        (
            "wav.scp",
            "spk_0-train_0 d/wav/spk_0-train_0.wav\nspk_1-train_1 d/wav/spk_1-train_1.wav\nspk_1-train_3 d/wav/spk_1-train_3.wav\n",
        ),
    ] {
        assert_eq!(file(&scratch, &format!("d/{name}")), expected, "{name}");
    }
    // A data set alone needs no split; its files, a pattern and a list are sources, too.
    scratch
        .sh("make-data-dir a/one one && make-data-dir --format=arrow 'a/one/*.arrow' f && diff one/text f/text")
        .succeeds();
    scratch.write("some.list", "a/one/data-00000-of-00001.arrow\n");
    scratch
        .sh("make-data-dir some.list l && diff one/text l/text && cmp one/wav/spk_0-test_0.wav l/wav/spk_0-test_0.wav")
        .succeeds();
    assert_eq!(file(&scratch, "one/utt2spk"), "spk_0-test_0 spk_0\nspk_1-test_1 spk_1\n");
}

#[test]
fn every_codec_and_both_kinds_of_files_are_read() {
    let scratch = scratch();
    for name in ["types", "file", "lz4", "zstd"] {
        scratch.sh(&format!("make-data-dir --extra=tokens,pair,is_good,half,last a/{name}.arrow {name}")).succeeds();
        scratch.sh(&format!("make-data-dir --audio=wav a/{name}.arrow {name}-ark")).succeeds();
        scratch.sh(&format!("diff -x wav.scp -r types {name} && cmp types-ark/wav.ark {name}-ark/wav.ark")).succeeds();
    }
    for (table, expected) in [
        ("text", "1 v\n3 u\n4 u\n9 w\n"),
        ("utt2tokens", "3 1 2\n4 3\n9 4\n"),
        ("utt2pair", "1 3 4\n3 1 2\n9 7 8\n"),
        ("utt2is_good", "1 false\n3 true\n9 true\n"),
        ("utt2half", "1 1.5\n3 0.5\n4 2.5\n"),
        ("utt2last", "1 q\n3 p\n4 r\n9 t\n"),
    ] {
        assert_eq!(file(&scratch, &format!("types/{table}")), expected, "{table}");
    }
    scratch
        .sh("make-data-dir --extra=view a/types.arrow v")
        .succeeds()
        .stderr_has("column(s) view are of a type that no table has");
    scratch
        .sh("make-data-dir --text-field=view a/types.arrow v")
        .fails_with(255)
        .stderr_has("view: expected a text, got a views of strings");
}

#[test]
fn what_makes_no_sense_is_an_error_and_nothing_is_written() {
    let scratch = scratch();
    scratch.sh("cp -r a/one bare && rm bare/*.arrow && mkdir out list broken old none").succeeds();
    scratch
        .write("out/state.json", "{\"_data_files\": [{\"filename\": \"../a/types.arrow\"}]}")
        .write("list/dataset_dict.json", "{\"splits\": []}")
        .write("broken/state.json", "{\"_data_files\": [")
        .write("none/state.json", "{}")
        .write(
            "old/state.json",
            "{\"_data_files\": [{\"filename\": \"x.arrow\"}], \"_indices_data_files\": [{\"filename\": \"i.arrow\"}]}",
        )
        .write("cut.arrow", &scratch.read("a/types.arrow")[..9000])
        .write("more.arrow", [&scratch.read("a/one/data-00000-of-00001.arrow")[..], b"\n"].concat())
        .write("half.arrow", &scratch.read("a/file.arrow")[..9000]);
    for (arguments, said) in [
        ("a/saved", "a/saved: expected --split with one of train, test"),
        ("--split=dev a/saved", "a/saved: expected a split dev, got train, test"),
        ("--split=dev a/one", "a/one/state.json: expected a split dev, got none"),
        ("bare", "cannot open bare/data-00000-of-00001.arrow"),
        ("out", "out/state.json: expected names in _data_files, got \"../a/types.arrow\""),
        ("list", "list/dataset_dict.json: expected a list of names in splits, got none"),
        ("broken", "broken/state.json: expected an object in JSON, got something else"),
        ("none", "none/state.json: expected a list of names in _data_files, got none"),
        ("old", "old/state.json: expected rows as they are, got indices of rows"),
        ("a/samples.arrow", "audio: expected a struct with bytes or path, got one of array, sampling_rate"),
        ("a/empty.arrow", "a/empty.arrow: expected utterances, got none"),
        ("cut.arrow", "cut.arrow: byte "),
        (
            "more.arrow",
            "more.arrow: byte 3408: expected the end of the file after that of the stream, got 1 bytes more",
        ),
        (
            "half.arrow",
            "half.arrow: expected a whole file of Arrow, which ends with its directory, its size and ARROW1",
        ),
        ("a/one a/types.arrow", "a/types.arrow: expected a column client_id, as the first file has"),
        ("--text-field=no a/one", "expected a column no, got audio.bytes, audio.path, transcription"),
    ] {
        scratch.sh(&format!("make-data-dir {arguments} d")).fails_with(255).stderr_has(said);
        scratch.sh("test ! -e d/wav.scp -a ! -e d/wav").succeeds();
    }
    scratch
        .sh("cat a/types.arrow | make-data-dir --format=arrow - d")
        .fails_with(255)
        .stderr_has("expected a regular file");
}

#[test]
fn looking_says_what_is_there_and_the_command_that_reads_it() {
    let scratch = scratch();
    let commands = [
        ("a/saved", "make-data-dir --split=train a/saved data"),
        ("a/one", "make-data-dir a/one data"),
        ("a/types.arrow", "make-data-dir a/types.arrow data"),
        ("a/file.arrow", "make-data-dir a/file.arrow data"),
        ("a/numbers.arrow", "table-import a/numbers.arrow ark:-"),
    ];
    for (name, command) in commands {
        scratch.sh(&format!("table-info {name}")).succeeds().stdout_has(command);
        scratch.sh(&format!("table-head {name}")).succeeds().stderr_has(command);
        scratch.sh(&format!("{command} > out; rm -rf data")).succeeds();
    }
    let mut ran = scratch.sh("table-info a/types.arrow").succeeds();
    for line in ["kind         arrow", "audio.bytes  bytes 5", "tokens       list of int16 5", "half         float16 5"]
    {
        ran = ran.stdout_has(line);
    }
    scratch.sh("table-head --n=1 a/numbers.arrow").succeeds().stdout_is("key\tstring 2\n");
    let ran = scratch.sh("table-check a/types.arrow a/zstd.arrow a/saved").succeeds().stdout_is("");
    ran.stderr_has("of 5 tables, found 0 faults")
        .stderr_has("a/types.arrow has sound; this makes a data directory of it: make-data-dir");
    scratch
        .sh("table-info a/saved")
        .succeeds()
        .stdout_has("  files        3\n  train/data-00000-of-00002.arrow arrow\n");
    let mut bad = scratch.read("a/zstd.arrow");
    let at = bad.windows(4).rposition(|bytes| bytes == b"\x28\xb5\x2f\xfd").unwrap();
    bad[at] ^= 1;
    scratch.write("bad.arrow", bad).write("cut.arrow", &scratch.read("a/types.arrow")[..9000]);
    scratch.sh("table-check bad.arrow").fails_with(1).stdout_has("a buffer compressed by zstd: ");
    scratch.sh("table-check cut.arrow").fails_with(1).stdout_has("cut.arrow: byte ");
    scratch
        .sh("cp -r a/saved lost && rm lost/test/*.arrow && table-check lost")
        .fails_with(255)
        .stderr_has("lost/test/data-00000-of-00001.arrow");
    scratch
        .sh("echo x > lost/test/state.json; table-check lost")
        .fails_with(255)
        .stderr_has("expected an object in JSON");
    // A tool that expects a table says what it is instead.
    scratch
        .sh("copy-feats ark:a/file.arrow ark:-")
        .fails_with(255)
        .stderr_has("this is an Arrow file; table-info says");
    scratch
        .sh("copy-feats ark:a/types.arrow ark:-")
        .fails_with(255)
        .stderr_has("this is a stream of Arrow; table-info says");
}

#[test]
fn columns_are_imported() {
    let scratch = scratch();
    let import = |arguments: &str| scratch.sh(&format!("table-import {arguments}"));
    import("a/numbers.arrow ark,t:-").succeeds().stdout_is("a 1 2 \nb 3 \n");
    import("a/delta.arrow ark,t:-").succeeds().stdout_is("a x y \nb z \nc w \nd x y \n");
    import("a/replaced.arrow ark,t:-").succeeds().stdout_is("a x y \nb z \nc v \nd other \n");
    import("a/matrices.feather ark,t:-").succeeds().stdout_is("a  [\n  1 2 \n  3 4 \n  5 6 ]\nb  [\n  7 8 ]\n");
    import("--key=last --value=audio.bytes --type=wave a/lz4.arrow ark:w.ark").succeeds();
    scratch.sh("wav-to-duration ark:w.ark ark,t:- | head -n 1").succeeds().stdout_is("p 0.05 \n");
    import("--key=id --value=last --type=token a/types.arrow ark,t:-")
        .succeeds()
        .stdout_is("3 p\n1 q\n4 r\n15 s\n9 t\n");
    for (arguments, said) in [
        (
            "--key=id --value=pair a/types.arrow ark:-",
            "a/types.arrow: row 2: pair: expected a value everywhere, got nothing (null)",
        ),
        (
            "--key=id --value=view a/types.arrow ark:-",
            "a/types.arrow: row 0: view: a column of the type views of strings is not read",
        ),
        ("--key=id --value=no a/types.arrow ark:-", "expected a column \"no\", got id, audio.path, audio.bytes, text"),
        ("--key=id --value=audio.bytes a/types.arrow ark:-", "got bytes; --type=wave reads sound"),
        ("--key=id --value=fixed a/types.arrow ark:-", "got bytes; --type=wave reads sound"),
    ] {
        import(arguments).fails_with(255).stderr_has(said);
    }
    // What we write is read by its bytes, whatever it is called.
    scratch
        .sh("table-import a/numbers.arrow ark:n.ark && table-export n.ark n.parquet && mv n.parquet n.arrow")
        .succeeds();
    import("n.arrow ark,t:-").succeeds().stdout_is("a 1 2 \nb 3 \n");
    scratch.sh("table-export n.ark x.arrow").fails_with(255).stderr_has("--format=");
}
