//! Tools that write many files, where the folder is one of a store.

use std::fs;
use std::path::Path;

use crate::support::s3::S3;
use crate::support::{fail, scratch, succeed};

/// The sound of the samples, as files.
fn sound() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples/audio");
    let line = |name: &str| format!("{name} {}\n", folder.join(format!("{name}.wav")).display());
    ["anna", "ben"].map(line).concat()
}

#[test]
fn shards_are_made_in_a_store_and_read_from_there() {
    let s3 = S3::start();
    let (folder, wav) = scratch("wav.scp");
    let text = folder.path().join("text");
    fs::write(&wav, sound()).unwrap();
    fs::write(&text, "anna some words\nben other words\n").unwrap();
    let line = |line: &str| {
        let (name, path) = line.split_once(' ').unwrap();
        format!("{{\"key\": \"{name}\", \"wav\": \"{path}\", \"txt\": \"words\"}}\n")
    };
    fs::write(folder.path().join("raw.list"), sound().lines().map(line).collect::<String>()).unwrap();
    let run = |name: &str, words: &[&str]| {
        let mut command = s3.tool(name, words);
        succeed(command.current_dir(folder.path()))
    };
    run("make-shard-list", &["wav.scp", "text", "s3://bucket/shards", "s3://bucket/data.list"]);
    let list = run("kaldi-store", &["cat", "s3://bucket/data.list"]);
    assert_eq!(list, b"s3://bucket/shards/shards_000000000.tar\n");
    assert_eq!(run("check-shards", &["s3://bucket/data.list"]), b"");
    let there = run("wav-to-duration", &["shard:s3://bucket/data.list", "ark,t:-"]);
    assert_eq!(there, run("wav-to-duration", &["scp:wav.scp", "ark,t:-"]));
    run("copy-shards", &["s3://bucket/data.list", "s3://bucket/copied", "copied.list"]);
    // Not over those that are read.
    let line = fail(&mut s3.tool("copy-shards", &["s3://bucket/data.list", "s3://bucket/shards/", "/dev/null"]));
    assert!(line.contains("expected new shards elsewhere"), "{line}");
    run("extract-shards", &["copied.list", "s3://bucket/extracted"]);
    assert_eq!(run("wav-to-duration", &["scp:s3://bucket/extracted/wav.scp", "ark,t:-"]), there);
    // A data directory, and manifests and Parquet of one.
    run("make-data-dir", &["--format=wenet", "raw.list", "s3://bucket/data"]);
    assert_eq!(run("wav-to-duration", &["scp:s3://bucket/data/wav.scp", "ark,t:-"]), there);
    fs::create_dir(folder.path().join("data")).unwrap();
    for name in ["wav.scp", "text", "utt2spk", "spk2utt"] {
        fs::write(
            folder.path().join("data").join(name),
            run("kaldi-store", &["cat", &format!("s3://bucket/data/{name}")]),
        )
        .unwrap();
    }
    run("export-data-dir", &["--format=lhotse", "data", "s3://bucket/lhotse"]);
    assert!(run("kaldi-store", &["cat", "s3://bucket/lhotse/cuts.jsonl.gz"]).starts_with(b"{\"id\":"));
    run("export-data-dir", &["--format=parquet", "--num-utts-per-shard=1", "data", "s3://bucket/hub"]);
    assert!(run("kaldi-store", &["cat", "s3://bucket/hub/train-00001-of-00002.parquet"]).starts_with(b"PAR1"));
    // Nothing was written to a folder of such a name here.
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    assert_eq!(names, ["copied.list", "data", "raw.list", "text", "wav.scp"]);
}

#[test]
fn objects_of_another_kind_are_replaced_with_force_only() {
    let s3 = S3::start();
    let (folder, archive) = scratch("a.ark");
    fs::write(&archive, "a 1\n").unwrap();
    let run = |name: &str, words: &[&str]| succeed(s3.tool(name, words).current_dir(folder.path()));
    run("copy-int-vector", &["ark:a.ark", "ark:s3://bucket/good.ark"]);
    let good = run("kaldi-store", &["cat", "s3://bucket/good.ark"]);
    let line = fail(s3.tool("ark-to-scp", &["a.ark", "s3://bucket/good.ark"]).current_dir(folder.path()));
    assert!(line.contains("cannot replace s3://bucket/good.ark: it is a binary archive"), "{line}");
    assert!(run("kaldi-store", &["cat", "s3://bucket/good.ark"]) == good);
    run("table-sort", &["ark:a.ark", "ark:s3://bucket/good.ark"]);
    run("ark-to-scp", &["--force", "a.ark", "s3://bucket/good.ark"]);
    assert_eq!(run("kaldi-store", &["cat", "s3://bucket/good.ark"]), b"a a.ark:2\n");
}
