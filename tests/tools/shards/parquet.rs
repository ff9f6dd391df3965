//! `make-data-dir` of Parquet. The files of `tests/data/parquet` are made by `make.py` there, with `datasets` and pyarrow.

use std::path::Path;

use crate::support::Scratch;
use crate::support::wave::wave;

/// A folder with the files as `p`, and the samples as `samples`.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    scratch
        .sh(&format!(
            "cp -r {} p && cp -r {} samples",
            root.join("tests/data/parquet").display(),
            root.join("samples").display()
        ))
        .succeeds();
    scratch
}

fn file(scratch: &Scratch, name: &str) -> String {
    String::from_utf8(scratch.read(name)).unwrap()
}

#[test]
fn a_split_of_a_hub_becomes_a_data_directory() {
    let scratch = scratch();
    scratch
        .sh("make-data-dir --split=train --extra=age,scores --language-field=lang_id p/hub d")
        .succeeds()
        .stderr_has(
            "1 utterances have no text, and were left out; the first is p/hub/data/train-00001-of-00002.parquet: row 0",
        );
    // White space, null, labels with names, and a label for none.
    for (name, expected) in [
        ("text", "spk_0-train_0 words of 0\nspk_1-train_1 words of 1\nspk_1-train_3 words of 3\n"),
        ("utt2spk", "spk_0-train_0 spk_0\nspk_1-train_1 spk_1\nspk_1-train_3 spk_1\n"),
        ("utt2lang", "spk_0-train_0 de_de\nspk_1-train_1 en_us\nspk_1-train_3 en_us\n"),
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
    // What becomes no table is named with the option.
    let said = "column(s) age become a table only with --extra=age";
    scratch.sh("make-data-dir --split=test p/hub t").succeeds().stderr_has(said);
    assert_eq!(file(&scratch, "t/utt2spk"), "spk_0-test_0 spk_0\nspk_1-test_1 spk_1\n");
}

#[test]
fn bytes_stay_and_an_archive_has_the_same_sound() {
    let scratch = scratch();
    scratch.sh("make-data-dir p/dictionary.parquet d && make-data-dir --audio=wav p/dictionary.parquet a").succeeds();
    assert_eq!(scratch.read("d/wav/a.wav"), scratch.read("p/a.wav"));
    assert_eq!(file(&scratch, "d/text"), "a u\nb v\nc u\n");
    scratch.sh("wav-copy scp:d/wav.scp ark:one && wav-copy scp:a/wav.scp ark:two && cmp one two").succeeds();
    scratch.sh("test ! -e a/wav").succeeds();
}

#[test]
fn every_codec_is_read() {
    let scratch = scratch();
    for codec in ["none", "snappy", "gzip", "brotli", "lz4", "zstd"] {
        scratch.sh(&format!("make-data-dir p/codec-{codec}.parquet {codec}")).succeeds();
        scratch.sh(&format!("cmp {codec}/wav/k.wav none/wav/k.wav")).succeeds();
    }
}

#[test]
fn lists_of_cosyvoice_name_parquet_whatever_it_is_called() {
    let scratch = scratch();
    scratch.sh("make-data-dir samples/corpora/cosyvoice/data.list d").succeeds();
    assert_eq!(file(&scratch, "d/text"), "anna-01 good morning\nben-01 guten Morgen, Zo\u{eb}\n");
    assert_eq!(file(&scratch, "d/utt2spk"), "anna-01 anna\nben-01 ben\n");
    // A name is looked for beside the list, too.
    scratch.write("samples/corpora/cosyvoice/near.list", "parquet_000000000.tar\n");
    scratch.sh("make-data-dir samples/corpora/cosyvoice/near.list e && cmp d/text e/text").succeeds();
}

#[test]
fn paths_are_beside_the_file_or_in_a_folder_that_is_named() {
    let scratch = scratch();
    scratch.sh("make-data-dir p/paths.parquet d").succeeds();
    assert_eq!(file(&scratch, "d/wav.scp"), "b p/a.wav\n");
    scratch.sh("mkdir far").succeeds();
    scratch.write("far/a.wav", wave(8000, &[&[1, 2, 3]]));
    scratch.sh("make-data-dir --audio-dir=far p/paths.parquet e").succeeds();
    assert_eq!(file(&scratch, "e/wav.scp"), "b far/a.wav\n");
}

#[test]
fn rows_without_sound_are_counted_and_left_out() {
    let scratch = scratch();
    let mut ran = scratch.sh("make-data-dir p/odd.parquet d").succeeds();
    for said in [
        "1 rows have no sound, and were left out; the first is p/odd.parquet: row 1",
        "1 rows name a file that is not there, and were left out; the first is p/odd.parquet: row 3",
        "1 recordings have no sound of a known kind, and were left out; the first is p/odd.parquet: row 2",
    ] {
        ran = ran.stderr_has(said);
    }
    assert_eq!(file(&scratch, "d/text"), "a x\n");
    scratch
        .sh("make-data-dir --strict p/odd.parquet e")
        .fails_with(255)
        .stderr_has("p/odd.parquet: row 1: expected nothing that is left out");
    scratch.sh("test ! -e e/wav.scp").succeeds();
}

#[test]
fn utterances_whose_text_has_control_characters_are_left_out() {
    let scratch = scratch();
    let ran = scratch.sh("make-data-dir --extra=mood p/control.parquet d").succeeds();
    ran.stderr_has(
        "2 utterances have control characters in their text, and were left out; the first is p/control.parquet: row 0",
    )
    .stderr_has("1 speakers have two genders, which were left out");
    // Line ends are white space.
    assert_eq!(file(&scratch, "d/text"), "t-b a b c\nt-d d\n");
    assert_eq!(file(&scratch, "d/utt2mood"), "t-b a b c\nt-d d\n");
    scratch.sh("test ! -e d/spk2gender && ls d/wav").succeeds().stdout_is("t-b.wav\nt-d.wav\n");
    let said = "p/control.parquet: row 0: expected nothing that is left out, got one of which utterances have control characters";
    scratch.sh("make-data-dir --strict --extra=mood p/control.parquet e").fails_with(255).stderr_has(said);
    // It is the same in every format.
    scratch.write(
        "m.json",
        "{\"audio_filepath\": \"/a.wav\", \"text\": \"x\\u0000\"}\n{\"audio_filepath\": \"/b.wav\", \"text\": \"y\"}\n",
    );
    scratch.write("m.csv", "path,text\n/a.wav,x\u{7f}\n/b.wav,y\n");
    scratch
        .sh("mkdir l && cp p/a.wav l/a.wav && cp p/a.wav l/b.wav && printf 'x\\001' > l/a.txt && echo y > l/b.txt")
        .succeeds();
    for (source, first) in [("m.json", "m.json:1"), ("m.csv", "m.csv:2"), ("l", "l/a.wav")] {
        let ran = scratch.sh(&format!("rm -rf e; make-data-dir {source} e && cat e/text")).succeeds();
        ran.stdout_is("b y\n").stderr_has(&format!(
            "1 utterances have control characters in their text, and were left out; the first is {first}"
        ));
    }
    scratch.write("m.csv", "path,text\n/a.wav,x\u{7f}\n");
    scratch.sh("make-data-dir m.csv f").fails_with(255).stderr_has("m.csv: expected utterances, got none");
}

#[test]
fn names_of_files_stay_in_the_folder_and_are_not_too_long() {
    let scratch = scratch();
    scratch.sh("make-data-dir p/names.parquet d").succeeds();
    let (long, cut) = ("x".repeat(300), "x".repeat(200));
    let names = file(&scratch, "d/wav.scp");
    let lines: Vec<&str> = names.lines().collect();
    assert_eq!(lines[0], "%. d/wav/%25..wav");
    assert_eq!(lines[1], "../../up d/wav/%2E.%2F..%2Fup.wav");
    assert_eq!(lines[2], "a/b d/wav/a%2Fb.wav");
    assert_eq!(lines[3], "e\u{301}_\u{e9} d/wav/e\u{301}_\u{e9}.wav");
    assert!(
        lines[4].starts_with(&format!("{long} d/wav/{cut}")) && !lines[4].ends_with(&format!("{long}.wav")),
        "{names}"
    );
    scratch.sh("ls d/wav | wc -l").succeeds().stdout_is("5\n");
    scratch.sh("wav-to-duration scp:d/wav.scp ark:/dev/null && test ! -e up.wav -a ! -e d/up.wav").succeeds();
}

#[test]
fn what_makes_no_sense_is_an_error_and_nothing_is_written() {
    let scratch = scratch();
    scratch.write("cut.parquet", &scratch.read("p/odd.parquet")[..900]);
    // No program here writes LZO: the word of the directory is changed.
    let (mut bytes, word) = (scratch.read("p/codec-none.parquet"), b"\x05bytes\x15\0");
    let at = bytes.windows(word.len()).rposition(|it| it == word).unwrap() + word.len() - 1;
    bytes[at] = 6;
    scratch.write("lzo.parquet", bytes);
    for (arguments, said) in [
        ("p/hub", "p/hub: expected --split with one of test, train"),
        ("--split=dev p/hub", "p/hub: expected a split dev, got test, train"),
        ("p/null-id.parquet", "p/null-id.parquet: row 1: expected a name of the utterance, got nothing"),
        (
            "p/twice.parquet",
            "row 1: expected each name once, got a again, which p/twice.parquet: row 0 has; --utt-field names",
        ),
        ("p/samples.parquet", "audio: expected a struct with bytes or path, got one of array, sampling_rate"),
        (
            "p/structs.parquet",
            "audio: expected sound, which is bytes, a path or a struct of them, got a list of structs",
        ),
        (
            "p/number.parquet",
            "audio: expected sound, which is bytes, a path or a struct of them, got a floating-point number",
        ),
        ("p/text-number.parquet", "text: expected a text, got a floating-point number"),
        ("p/two.parquet", "expected --audio-field with one of one, two"),
        ("p/empty.parquet", "p/empty.parquet: expected utterances, got none"),
        ("p/command.parquet", "row 0: expected the name of a file or an address, got the command \"touch x |\""),
        ("--text-field=no p/odd.parquet", "expected a column no, got id, audio.path, audio.bytes, text"),
        ("--audio-field=no p/odd.parquet", "expected a column no, got id, audio.path, audio.bytes, text"),
        (
            "p/hub/data/train-00000-of-00002.parquet p/lacks.parquet",
            "p/lacks.parquet: expected a column transcription, as the first file has, got audio.path, audio.bytes",
        ),
        ("lzo.parquet", "compressed by Snappy, zstd, gzip, Brotli or LZ4, got LZO"),
        (
            "p/twice.parquet samples/corpora/lhotse/cuts.jsonl.gz",
            "samples/corpora/lhotse/cuts.jsonl.gz: expected a source of the same kind as p/twice.parquet, got another one",
        ),
        ("cut.parquet", "cut.parquet: expected a whole Parquet file, whose directory is at the end"),
    ] {
        scratch.sh(&format!("make-data-dir {arguments} d")).fails_with(255).stderr_has(said);
        scratch.sh("test ! -e d/wav.scp -a ! -e d/wav").succeeds();
    }
}

#[test]
fn damage_in_any_byte_is_an_error_or_sound_and_no_panic() {
    let scratch = scratch();
    let good = scratch.read("p/codec-zstd.parquet");
    for at in (0..good.len()).step_by(97) {
        let mut bad = good.clone();
        bad[at] ^= 0x55;
        scratch.write("bad.parquet", bad);
        scratch.sh("make-data-dir --format=parquet bad.parquet d; echo $? > code").succeeds();
        let code = file(&scratch, "code");
        assert!(["0\n", "255\n"].contains(&code.as_str()), "byte {at}: {code}");
    }
}

#[test]
fn members_of_structs_are_imported() {
    let scratch = scratch();
    let import = |arguments: &str| scratch.sh(&format!("table-import {arguments}"));
    import("--key=id --value=audio --type=wave p/dictionary.parquet ark:w.ark").succeeds();
    scratch
        .sh("make-data-dir p/dictionary.parquet d && wav-copy scp:d/wav.scp ark:e.ark && cmp w.ark e.ark")
        .succeeds();
    import("--key=audio.path --value=audio.bytes --type=wave p/codec-gzip.parquet ark:k.ark").succeeds();
    scratch.sh("wav-to-duration ark:k.ark ark,t:-").succeeds().stdout_has("k.wav 0.05");
    import("--key=id --value=audio.bytes p/odd.parquet ark:-")
        .fails_with(255)
        .stderr_has("got bytes; --type=wave reads sound");
    import("--key=id --value=no p/odd.parquet ark:-")
        .fails_with(255)
        .stderr_has("got id, audio.path, audio.bytes, text;");
    for (arguments, said) in [
        ("--key=id --value=text p/hub/data/train-00000-of-00002.parquet", "expected a column \"id\", got audio.bytes"),
        (
            "--key=audio.path --value=transcription p/hub/data/train-00001-of-00002.parquet",
            "row 0: transcription: expected a value everywhere, got nothing (null)",
        ),
    ] {
        import(&format!("{arguments} ark:-")).fails_with(255).stderr_has(said);
    }
    // A column whose whole name has the dots comes first.
    import("--value=audio.bytes p/dots.parquet ark,t:-").succeeds().stdout_is("a 1 \nb 2 \n");
    import("p/values.parquet ark,t:-").succeeds().stdout_is("a 1 2 \nb 3 \n");
    import("p/words.parquet ark,t:-").succeeds().stdout_is("a x y \nb z \n");
    import("--type=token p/words.parquet ark,t:-")
        .fails_with(255)
        .stderr_has("a: expected one word for a token, got \"x  y\"");
}

#[test]
fn what_table_info_recommends_works() {
    let scratch = scratch();
    for (name, command) in [
        (
            "samples/corpora/train-00000-of-00001.parquet",
            "make-data-dir samples/corpora/train-00000-of-00001.parquet data",
        ),
        ("p/words.parquet", "table-import p/words.parquet ark:-"),
    ] {
        scratch.sh(&format!("table-info {name}")).succeeds().stdout_has(command);
        scratch.sh(&format!("{command} > out")).succeeds();
    }
}
