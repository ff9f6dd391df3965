//! Tools that write many files, where the folder is one of a store.

use std::fs;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;
use tempfile::TempDir;

use crate::support::s3::S3;
use crate::support::{fail, scratch, succeed};

/// The sound of the samples, as files.
fn sound() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples/audio");
    let line = |name: &str| format!("{name} {}\n", folder.join(format!("{name}.wav")).display());
    ["anna", "ben"].map(line).concat()
}

/// A store, and a folder with a data directory of the samples.
struct Fixture {
    s3: S3,
    folder: TempDir,
}

impl Fixture {
    fn new() -> Self {
        let (folder, _) = scratch("data");
        let fixture = Self { s3: S3::start(), folder };
        fs::create_dir(fixture.path("data")).unwrap();
        fixture.write("wav.scp", sound());
        for (name, lines) in [
            ("wav.scp", sound().as_str()),
            ("text", "anna some words\nben other words\n"),
            ("utt2spk", "anna anna\nben ben\n"),
            ("spk2utt", "anna anna\nben ben\n"),
        ] {
            fixture.write(&format!("data/{name}"), lines);
        }
        fixture
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    /// Runs a tool in the folder, and returns what it prints.
    fn run(&self, name: &str, words: &[&str]) -> Vec<u8> {
        succeed(self.s3.tool(name, words).current_dir(self.folder.path()))
    }

    /// The content of an object.
    fn object(&self, name: &str) -> Vec<u8> {
        self.run("kaldi-store", &["cat", &format!("s3://bucket/{name}")])
    }

    /// The durations of the recordings of a table.
    fn durations(&self, rspecifier: &str) -> Vec<u8> {
        self.run("wav-to-duration", &[rspecifier, "ark,t:-"])
    }

    /// Asserts that these files, and the data directory, are all that is here: nothing was written to a folder that has the name of one
    /// of the store.
    fn expect_only(&self, files: &[&str]) {
        let names = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        let mut expected = [&["data", "wav.scp"], files].concat();
        expected.sort();
        assert_eq!(names, expected);
    }
}

#[test]
fn shards_are_made_in_a_store_and_read_from_there() {
    let fixture = Fixture::new();
    fixture.run("make-shard-list", &["wav.scp", "data/text", "s3://bucket/shards", "s3://bucket/data.list"]);
    assert_eq!(fixture.object("data.list"), b"s3://bucket/shards/shards_000000000.tar\n");
    assert_eq!(fixture.run("check-shards", &["s3://bucket/data.list"]), b"");
    let durations = fixture.durations("scp:wav.scp");
    assert_eq!(fixture.durations("shard:s3://bucket/data.list"), durations);
    fixture.run("copy-shards", &["s3://bucket/data.list", "s3://bucket/copied", "copied.list"]);
    // Not over those that are read.
    let line =
        fail(&mut fixture.s3.tool("copy-shards", &["s3://bucket/data.list", "s3://bucket/shards/", "/dev/null"]));
    assert!(line.contains("expected new shards elsewhere"), "{line}");
    fixture.run("extract-shards", &["copied.list", "s3://bucket/extracted"]);
    assert_eq!(fixture.durations("scp:s3://bucket/extracted/wav.scp"), durations);
    fixture.run("make-shar", &["data", "s3://bucket/shar"]);
    assert_ne!(fixture.object("shar/recording.000000.tar"), b"");
    fixture.expect_only(&["copied.list"]);
}

#[test]
fn data_directories_and_manifests_are_made_in_a_store() {
    let fixture = Fixture::new();
    let line = |line: &str| {
        let (name, path) = line.split_once(' ').unwrap();
        format!("{{\"key\": \"{name}\", \"wav\": \"{path}\", \"txt\": \"words\"}}\n")
    };
    fixture.write("raw.list", sound().lines().map(line).collect::<String>());
    fixture.run("make-data-dir", &["--format=wenet", "raw.list", "s3://bucket/data"]);
    let durations = fixture.durations("scp:wav.scp");
    assert_eq!(fixture.durations("scp:s3://bucket/data/wav.scp"), durations);
    fixture.run("export-data-dir", &["--format=lhotse", "data", "s3://bucket/lhotse"]);
    assert!(fixture.object("lhotse/cuts.jsonl.gz").starts_with(b"{\"id\":"));
    fixture.run("export-data-dir", &["--format=parquet", "--num-utts-per-shard=1", "data", "s3://bucket/hub"]);
    assert!(fixture.object("hub/train-00001-of-00002.parquet").starts_with(b"PAR1"));
    // Manifests cannot name sound in an archive. It becomes files.
    fixture.run("wav-copy", &["scp:wav.scp", "ark,scp:sound.ark,data/wav.scp"]);
    for (format, target, manifest) in [
        ("--format=lhotse", "s3://bucket/with-sound", "s3://bucket/with-sound/cuts.jsonl.gz"),
        ("--format=nemo", "s3://bucket/train.json", "s3://bucket/train.json"),
    ] {
        fixture.run("export-data-dir", &[format, "--audio=copy", "data", target]);
        let data = format!("{target}-data");
        fixture.run("make-data-dir", &[format, manifest, &data]);
        assert_eq!(fixture.durations(&format!("scp:{data}/wav.scp")), durations);
    }
    for name in ["with-sound/wav/anna.wav", "train-wav/anna.wav"] {
        assert_ne!(fixture.object(name), b"", "{name}");
    }
    fixture.expect_only(&["raw.list", "sound.ark"]);
}

#[test]
fn a_data_directory_in_a_store_has_all_of_its_files() {
    let fixture = Fixture::new();
    fixture.write("data/segments", "anna anna 0 0.5\nben ben 0.1 0.6\n");
    fixture.write("data/utt2lang", "anna en\nben de\n");
    fixture.write("data/utt2mood", "anna good\nben better\n");
    fixture.run("kaldi-store", &["cp", "--recursive", "data", "s3://bucket/data"]);
    for (data, out) in [("data", "here"), ("s3://bucket/data", "there")] {
        fixture.run("export-data-dir", &["--format=nemo", data, &format!("{out}.json")]);
        fixture.run("make-shar", &[data, out]);
    }
    for name in [".json", "/cuts.000000.jsonl.gz", "/recording.000000.tar"] {
        let read = |out: &str| fs::read(fixture.path(&format!("{out}{name}"))).unwrap();
        assert!(read("here") == read("there"), "{name}");
    }
    let lines = fs::read(fixture.path("there.json")).unwrap();
    assert!(lines.starts_with(b"{\"audio_filepath\": ") && lines.contains_str("\"text\": \"some words\""));
    let line = fail(fixture.s3.tool("make-shar", &["s3://bucket/none", "none"]).current_dir(fixture.folder.path()));
    assert!(line.contains("cannot open s3://bucket/none/wav.scp: there is no such object"), "{line}");
}

#[test]
fn a_file_for_each_key_or_batch_is_made_in_a_store() {
    let fixture = Fixture::new();
    let features = fixture.run("compute-fbank-feats", &["--dither=0", "scp:wav.scp", "ark:-"]);
    fixture.write("feats.ark", features);
    fixture.run("table-export", &["--format=npy", "ark:feats.ark", "s3://bucket/arrays"]);
    fixture.run("feats-to-png", &["ark:feats.ark", "s3://bucket/pictures/"]);
    fixture.run("copy-feats-to-htk", &["--output-dir=s3://bucket/htk", "ark:feats.ark"]);
    fixture.run("make-shard-list", &["wav.scp", "data/text", "s3://bucket/shards", "s3://bucket/data.list"]);
    let conf = "resample_conf: {resample_rate: 16000}\nfbank_conf: {num_mel_bins: 23}\nbatch_conf: {batch_size: 2}\n";
    fixture.write("plain.yaml", conf);
    let options = ["--conf=plain.yaml", "--labels=none", "--data-type=shard"];
    fixture.run("feed-batches", &[&options[..], &["s3://bucket/data.list", "s3://bucket/batches"]].concat());
    for name in ["arrays/anna.npy", "pictures/anna.png", "htk/anna.fea", "batches/batch-0000000.safetensors"] {
        assert_ne!(fixture.object(name), b"", "{name}");
    }
    fixture.expect_only(&["feats.ark", "plain.yaml"]);
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
