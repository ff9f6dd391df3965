//! Parts that the names of other files show to be missing, and sound that its name does not show.

use super::sound;
use crate::support::Scratch;
use crate::support::tar::tar;

/// A folder of Parquet with three files of a row each, and a Shar folder with three files of a cut each.
fn parts() -> Scratch {
    let scratch = Scratch::new();
    scratch.sh("mkdir sound").succeeds();
    for name in ["a", "b", "c"] {
        scratch.write(&format!("sound/{name}.wav"), sound(800)).write(&format!("sound/{name}.txt"), name);
    }
    scratch
        .sh("make-data-dir sound data && export-data-dir --format=parquet --num-utts-per-shard=1 data hub/data \
             && make-shar --num-utts-per-shard=1 data shar")
        .succeeds();
    scratch
}

#[test]
fn a_folder_without_one_of_its_parts_is_refused() {
    let scratch = parts();
    scratch.sh("make-data-dir hub d").succeeds().stderr_has("Wrote 3 utterances");
    for number in 0..3 {
        let missing = format!("train-0000{number}-of-00003");
        let ran =
            scratch.sh(&format!("mv hub/data/{missing}.parquet x; rm -rf d; make-data-dir hub d")).fails_with(255);
        ran.stderr_has(&format!("train: expected 3 parts, as the names of files say, got 2: {missing} missing"));
        scratch.sh(&format!("test ! -e d && mv x hub/data/{missing}.parquet")).succeeds();
    }
    // Of two exports.
    scratch.sh("export-data-dir --format=parquet --num-utts-per-shard=2 data two && cp two/* hub/data").succeeds();
    scratch.sh("make-data-dir hub d").fails_with(255).stderr_has("got parts of 00002 and parts of 00003");
}

#[test]
fn who_names_some_of_the_parts_is_told_about_the_others() {
    let scratch = parts();
    let told = "1 sets of files lack parts, as the names of the others say, and were left out; the first is \
                hub/data/train-00001-of-00003.parquet";
    let files = "hub/data/train-00000-of-00003.parquet hub/data/train-00002-of-00003.parquet";
    scratch.sh(&format!("make-data-dir {files} d")).succeeds().stderr_has(told).stderr_has("Wrote 2 utterances");
    scratch.sh(&format!("make-data-dir --strict {files} e")).fails_with(255).stderr_has("train-00001-of-00003 missing");
    scratch.sh(&format!("printf '%s\\n' {files} > list; make-data-dir list d")).succeeds().stderr_has(told);
    // A manifest of another kind.
    scratch.write("m-00001-of-00002.csv", "id,path,text\na,sound/a.wav,a\n");
    scratch.sh("make-data-dir m-00001-of-00002.csv e").succeeds().stderr_has("the first is m-00000-of-00002.csv");
}

#[test]
fn a_gap_in_the_numbers_of_a_shar_folder_is_an_error() {
    for (number, told) in
        [(0, "the number 0, got cuts.000001.jsonl.gz next"), (1, "the number 1, got cuts.000002.jsonl.gz next")]
    {
        let scratch = parts();
        scratch.sh(&format!("rm shar/*.00000{number}.*")).succeeds();
        for command in [
            "make-data-dir shar d",
            "wav-to-duration shar:shar ark,t:-",
            "check-shards shar",
            "table-info shar",
            "feed-batches --conf=c.yaml --data-type=shar --labels=none shar b",
        ] {
            scratch.write("c.yaml", "dataset_conf:\n  batch_conf: {batch_size: 1}\n");
            let ran = scratch.sh(command);
            let said = [ran.stdout(), ran.stderr()].concat();
            assert!(String::from_utf8_lossy(&said).contains(told), "{command}: {}", String::from_utf8_lossy(&said));
        }
        // One file of cuts is asked for by its name.
        scratch.sh("make-data-dir shar/cuts.000002.jsonl.gz d").succeeds();
    }
}

#[test]
fn sound_is_found_by_its_bytes_if_the_suffix_says_nothing() {
    let scratch = Scratch::new();
    scratch.sh("mkdir s").succeeds();
    for (number, suffix) in
        ["oga", "wv1", "wave", "mp4", "aifc", "snd", "nist", "sphere", "weba", "bwf", "odd", "WV2"].iter().enumerate()
    {
        scratch.write(&format!("s/u{number:02}.{suffix}"), sound(100));
    }
    scratch.write("s/none", sound(100)).write("s/notes.md", "# RIFF").write("s/page.bin", b"\xff\xfea\0b\0c\0");
    scratch.sh("make-data-dir --strict s d").succeeds().stderr_has("Wrote 13 utterances");
    scratch.sh("wav-to-duration scp:d/wav.scp ark,t:- | wc -l").succeeds().stdout_is("13\n");
    // Kinds of sound that are not read.
    scratch.write("s/x.amr", "#!AMR\n").write("s/y.raw", "1234");
    let ran = scratch.sh("make-data-dir s d").succeeds();
    ran.stderr_has(
        "2 files are named like sound, but are of no kind that is read, and were left out; the first is s/x.amr",
    );
    scratch.sh("make-data-dir --strict s e").fails_with(255).stderr_has("s/x.amr: expected nothing that is left out");
}

#[test]
fn sound_in_shards_is_found_by_its_bytes_and_samples_without_are_skipped() {
    let scratch = Scratch::new();
    scratch.write(
        "a.tar",
        tar(&[
            ("a.txt", b"x"),
            ("a.oga", &sound(16000)),
            ("b.odd", &sound(8000)),
            ("b.txt", b"y"),
            ("c.txt", b"z"),
            ("c.bin", b"\xff\xfe00"),
        ]),
    );
    let ran = scratch.sh("extract-shards a.tar d").succeeds();
    ran.stderr_has("c: the sample has no sound; skipping it").stderr_has("Extracted 2 samples, skipped 1.");
    assert_eq!(scratch.read("d/wav.scp"), b"a d/wav/a.oga\nb d/wav/b.odd\n");
    assert_eq!(scratch.read("d/text"), b"a x\nb y\n");
    scratch.sh("extract-shards --write-utt2dur=ark,t:- a.tar").stdout_is("a 1 \nb 0.5 \n").stderr_has("skipped 1.");
    scratch.write("c.yaml", "dataset_conf:\n  filter_conf: {min_length: 0}\n  batch_conf: {batch_size: 1}\n");
    let ran = scratch.sh("feed-batches --conf=c.yaml --data-type=shard --labels=none --max-bad=1 a.tar b").succeeds();
    ran.stderr_has("delivered 2 in 2 batches");
}
