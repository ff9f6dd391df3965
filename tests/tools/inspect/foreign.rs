//! Files and folders that are no tables: what they are and what is in them.

use crate::support::Scratch;
use crate::support::tar::tar;
use crate::support::wave::wave;

/// Files of other programs with the same two matrices, a raw list, shards, and a folder.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("m.txt", "a [ 1 2 3\n 4 5 6 ]\nb [ 1 2 3 ]\n").write("text", "a hello\nb world\n");
    for format in ["npz", "safetensors", "parquet"] {
        scratch.sh(&format!("table-export --type=matrix ark:m.txt x.{format}")).succeeds();
    }
    scratch.sh("table-export --type=matrix --format=npy ark:m.txt npy").succeeds();
    scratch
}

#[test]
fn arrays_are_shown_with_their_types_and_sizes_and_the_command_that_imports_works() {
    let scratch = scratch();
    for format in ["npz", "safetensors"] {
        scratch.sh(&format!("table-info x.{format}")).succeeds().stdout_is(format!(
            "x.{format}\n  kind         {format}\n  arrays       2\n  a            float32 2x3\n  b            float32 1x3\n  \
             import       table-import x.{format} ark:-\n"
        ));
        scratch.sh(&format!("table-head --n=1 x.{format}")).succeeds().stdout_is("a\tfloat32 2x3\n");
        scratch
            .sh(&format!("table-import x.{format} ark:- | table-head ark:- | diff - <(table-head ark:m.txt)"))
            .succeeds();
        let json = format!(
            "{{\"arrays\":[{{\"name\":\"a\",\"shape\":[2,3],\"type\":\"float32\"}},{{\"name\":\"b\",\"shape\":[1,3],\"type\":\
             \"float32\"}}],\"import\":\"table-import x.{format} ark:-\",\"kind\":\"{format}\",\"num_arrays\":2,\"table\":\
             \"x.{format}\"}}\n"
        );
        scratch.sh(&format!("table-info --json x.{format}")).succeeds().stdout_is(&json);
    }
    scratch
        .sh("table-info npy")
        .succeeds()
        .stdout_is("npy\n  kind         folder\n  files        2\n  a.npy        npy\n  b.npy        npy\n");
    scratch.sh("table-head npy/a.npy").succeeds().stdout_is("a\tfloat32 2x3\n");
    let ran = scratch.sh("table-info x.parquet").succeeds();
    let text = String::from_utf8_lossy(ran.stdout()).into_owned();
    for line in
        ["kind         parquet", "key          string 2", "values       list of float32 2", "import       table-import"]
    {
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn files_that_are_cut_are_faults() {
    let scratch = scratch();
    for format in ["npz", "safetensors", "parquet"] {
        scratch.sh(&format!("table-check x.{format}")).succeeds().stdout_is("");
        scratch.sh(&format!("head -c -3 x.{format} > cut.{format}")).succeeds();
        scratch.sh(&format!("table-check cut.{format}")).fails_with(1).stderr_has("found 1 faults");
    }
    scratch.sh("printf '\\223NUMPY\\001\\0v\\0{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (2, 3), }' > y.npy").succeeds();
    scratch.sh("table-check y.npy").fails_with(1);
}

#[test]
fn lists_shards_and_folders_say_what_they_are() {
    let scratch = Scratch::new();
    let line = |key: &str| format!("{{\"key\": \"{key}\", \"wav\": \"{key}.wav\", \"txt\": \"hello\"}}\n");
    scratch.write("data.list", line("a") + &line("b"));
    scratch.write("x.list", "x.tar\n").write("a.txt", "hello").write("a.wav", "RIFF");
    scratch.write("bad.list", line("a") + "{}\n");
    scratch
        .sh("tar cf x.tar a.txt a.wav && mkdir f && echo 'u [ 1 2 ]' > f/v.ark && cp x.tar x.list f && touch f/none")
        .succeeds();
    for (name, expected) in [
        ("data.list", "  kind         raw list\n  utterances   2\n  read         make-data-dir data.list data\n"),
        ("x.list", "  kind         list of shards\n  shards       1\n  read         extract-shards x.list data\n"),
        (
            "x.tar",
            "  kind         shard\n  samples      1\n  fields       txt wav\n  read         extract-shards x.tar data\n",
        ),
        (
            "f",
            "  kind         folder\n  files        4\n  none         empty\n  v.ark        archive of vector\n  \
             x.list       list of shards\n  x.tar        shard\n",
        ),
    ] {
        scratch.sh(&format!("table-info {name}")).succeeds().stdout_is(format!("{name}\n{expected}"));
        scratch.sh(&format!("table-check {name}")).succeeds().stdout_is("");
    }
    // Everything in a folder is checked.
    scratch
        .sh("head -c 1600 x.tar > f/cut.tar; mkdir f/sub; echo b a > f/words; ln -s nowhere f/gone; table-check f")
        .fails_with(1);
    scratch
        .sh("table-info f | grep -E 'sub|gone|words'")
        .succeeds()
        .stdout_is("  gone         unknown\n  sub          folder\n  words        archive of token\n");
    let ran = scratch.sh("table-check f").fails_with(1);
    ran.stderr_has("Checked 3 entries of 4 tables, found 1 faults").stdout_has("f/cut.tar: ");
    scratch.sh("table-head --n=1 data.list").succeeds().stdout_is(line("a"));
    scratch.sh("table-head x.list").succeeds().stdout_is("x.tar\n");
    scratch.sh("table-head x.tar").succeeds().stdout_is("a\ttxt wav\n");
    scratch.sh("table-head --json x.tar").succeeds().stdout_is("{\"name\":\"a\",\"type\":\"txt wav\"}\n");
    let bad = scratch.sh("table-check bad.list").fails_with(1);
    bad.stdout_is("bad.list: line 2: expected an object in JSON with key, wav and txt\n");
    scratch.sh("head -c 1600 x.tar > cut.tar; table-check cut.tar").fails_with(1).stderr_has("found 1 faults");
}

#[test]
fn corpora_with_sound_inside_are_told_in_the_place_of_tables() {
    let scratch = Scratch::new();
    scratch.sh(concat!("cp -r ", env!("CARGO_MANIFEST_DIR"), "/samples .")).succeeds();
    for (name, kind, other) in [
        (
            "samples/corpora/lhotse/shar",
            "a Shar folder",
            "shar:samples/corpora/lhotse/shar is one of its sound, and a data directory: ",
        ),
        ("samples/corpora/lhotse/cuts.jsonl.gz", "a list of cuts", "this makes a data directory of it: "),
        ("samples/corpora/train-00000-of-00001.parquet", "a Parquet file", "this makes a data directory of it: "),
        ("samples/corpora/cosyvoice/data.list", "a list of Parquet files", "this makes a data directory of it: "),
    ] {
        let advice = format!("{name} is {kind}: expected a table; {other}make-data-dir {name} data");
        for tool in ["table-report {} r.html", "table-view {}", "table-stats {}"] {
            scratch.sh(&tool.replace("{}", name)).fails_with(255).stderr_has(&advice);
        }
        scratch.sh(&format!("table-info {name}")).succeeds().stdout_has(&format!("make-data-dir {name} data\n"));
        scratch.sh(&format!("table-check {name}")).succeeds().stderr_has("found 0 faults");
        scratch.sh(&format!("rm -rf data; make-data-dir {name} data")).succeeds();
        assert!(!scratch.read("data/wav.scp").is_empty(), "{name}");
    }
}

/// What is typed as it is said makes a data directory.
#[test]
fn corpora_of_others_say_the_command_that_reads_them() {
    let scratch = Scratch::new();
    let sound = wave(8000, &[&[1; 800]]);
    let json = br#"{"text": "hello", "speaker": "a", "snr": 3}"#;
    scratch.write("x.tar", tar(&[("a1.wav", &sound), ("a1.json", json)])).write("a.wav", &sound);
    scratch.write("plain.json", "{\"audio_filepath\": \"a.wav\", \"duration\": 0.1, \"text\": \"hello\"}\n");
    let command = "extract-shards --text-field=json.text --speaker-field=json.speaker x.tar data";
    let ran = scratch.sh("table-info x.tar").succeeds();
    ran.stdout_is(format!(
        "x.tar\n  kind         shard\n  samples      1\n  fields       wav json\n  entries      json.snr json.speaker json.text\n  \
         read         {command}\n"
    ));
    scratch.sh("table-info --json x.tar").succeeds().stdout_has(&format!("\"read\":\"{command}\""));
    scratch.sh("table-check x.tar").succeeds().stderr_has(command);
    scratch.sh("table-head x.tar").succeeds().stdout_is("a1\twav json\n").stderr_has(command);
    for tool in ["table-report x.tar r.html", "table-view x.tar", "table-stats x.tar"] {
        let advice = format!(
            "x.tar is a shard: expected a table; shard:x.tar is one of its sound, and a data directory: {command}"
        );
        scratch.sh(tool).fails_with(255).stderr_has(&advice);
    }
    scratch.sh(&format!("{command} && cat data/text data/utt2spk")).succeeds().stdout_is("a1 hello\na1 a\n");
    scratch.sh("table-report shard:x.tar r.html").succeeds().stderr_has("Measured 1 utterances");

    let command = "make-data-dir plain.json data";
    scratch.sh("table-info plain.json").succeeds().stdout_is(format!(
        "plain.json\n  kind         manifest of NeMo\n  utterances   1\n  read         {command}\n"
    ));
    for tool in ["table-report plain.json r.html", "table-view plain.json"] {
        let advice =
            format!("plain.json is a manifest of NeMo: expected a table; this makes a data directory of it: {command}");
        scratch.sh(tool).fails_with(255).stderr_has(&advice);
    }
    scratch.sh("copy-feats ark:plain.json ark:-").fails_with(255).stderr_has(
        "this is a manifest of NeMo; make-data-dir makes a data directory of it: make-data-dir plain.json data",
    );
    scratch.sh(&format!("rm -r data && {command} && cat data/text")).succeeds().stdout_is("a hello\n");
}
