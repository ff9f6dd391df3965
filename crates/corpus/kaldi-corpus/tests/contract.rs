//! The contract of readers on the samples of shards and of raw lists. One test, since it counts threads.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use bstr::BString;
use kaldi_corpus::RawList;
use kaldi_corpus::shard::{
    Error, Grouping, Packed, ShardNames, ShardWriter, StoredSample, Wanted, raw_samples, shard_samples,
};
use kaldi_reader::testing::Expected;
use kaldi_reader::{BoxReader, ReaderExt, Share, Step, from_fn};

/// A key, and name and content of each field.
type Row = (String, Vec<(String, String)>);
type Rows = BoxReader<Row, Error>;

/// Names the standard input of the program that this test starts to have one.
const STDIN: &str = "KALDI_SHARD_CONTRACT_STDIN";

struct Data {
    folder: PathBuf,
}

fn row(key: &str) -> Row {
    (key.to_owned(), ["txt", "wav"].map(|field| (field.to_owned(), format!("{field} of {key}"))).into())
}

fn show(sample: StoredSample) -> kaldi_corpus::shard::Result<Row> {
    let fields = sample.fields.iter().map(|field| {
        let content = String::from_utf8(field.content.load()?.into_owned()).unwrap();
        Ok((field.name.to_string(), content))
    });
    Ok((sample.key.to_string(), fields.collect::<kaldi_corpus::shard::Result<_>>()?))
}

impl Data {
    /// Shards of two samples each, plain, compressed, cut in the middle of the second sample, and lists of them.
    fn new(folder: &Path) -> Self {
        let data = Self { folder: folder.to_owned() };
        for (shard, keys, gzip) in [("one.tar", ["a", "b"], false), ("two.tar.gz", ["c", "d"], true)] {
            let mut writer = ShardWriter::create(data.path(shard).as_ref(), gzip).unwrap();
            for key in keys {
                let mut sample = Packed::new(key);
                for field in ["txt", "wav"] {
                    let content = format!("{field} of {key}").into_bytes();
                    sample.add(format!("{key}.{field}").as_str().into(), content);
                }
                writer.put(&if gzip { sample.compress().unwrap() } else { sample }).unwrap();
            }
            writer.finish().unwrap();
        }
        let bytes = fs::read(folder.join("one.tar")).unwrap();
        fs::write(folder.join("cut.tar"), &bytes[..3000]).unwrap();
        let place = folder.display();
        data.write("data.list", &format!("{place}/one.tar\n\nfile://{place}/two.tar.gz\ncat {place}/none* |\n"));
        data.write("none.tar", "");
        fs::write(folder.join("none.tar"), [0; 1024]).unwrap();
        data.write("cut.list", &format!("{place}/one.tar\n{place}/cut.tar\n{place}/two.tar.gz\n"));
        for key in ["a", "b", "c", "d"] {
            data.write(&format!("{key}.wav"), &format!("wav of {key}"));
        }
        let line = |key| format!("{{\"key\": \"{key}\", \"wav\": \"{place}/{key}.wav\", \"txt\": \"txt of {key}\"}}\n");
        data.write("raw.list", &["a", "b", "c", "d"].map(line).concat());
        data.write("broken.list", &[line("a"), line("b"), "{\"key\": \"c\"}\n".to_owned(), line("d")].concat());
        data
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.join(name), text).unwrap();
    }

    fn path(&self, name: &str) -> BString {
        if name == "-" { "-".into() } else { self.folder.join(name).to_str().unwrap().into() }
    }

    fn shards(&self, names: &[&str], wanted: Wanted) -> Rows {
        let names = ShardNames::new(names.iter().map(|name| self.path(name)), wanted);
        shard_samples(names, Grouping::Wenet).filter_map(|sample| show(sample).map(Some)).boxed()
    }

    fn raw(&self, name: &str) -> Rows {
        let list = RawList::open(self.path(name).as_ref(), kaldi_io::Commands::Refuse).unwrap();
        let in_order = |(key, mut fields): Row| {
            fields.sort();
            (key, fields)
        };
        raw_samples(list).filter_map(move |sample| show(sample).map(in_order).map(Some)).boxed()
    }
}

#[track_caller]
fn keeps(name: &str, expected: &Expected<Row>, make: impl FnMut() -> Rows) {
    expected.check(make).unwrap_or_else(|violation| panic!("{name}: {violation}"));
}

fn standard_input(data: &Data, kind: &str) {
    let bytes = ["a", "b"].map(row);
    let stdin = || match kind {
        "raw" => data.raw("-"),
        _ => data.shards(&["-"], Wanted::Contents),
    };
    let mut reader = stdin();
    assert_eq!(reader.read_all().unwrap(), bytes);
    let message = reader.restart().unwrap_err().to_string();
    assert!(message.contains("a second time"), "{message}");
    assert!(reader.next().unwrap().is_none());
}

#[test]
fn readers_of_samples_keep_the_contract() {
    if let Some(kind) = std::env::var_os(STDIN) {
        let folder = PathBuf::from(std::env::var_os("KALDI_SHARD_CONTRACT_FOLDER").unwrap());
        return standard_input(&Data { folder }, kind.to_str().unwrap());
    }
    let folder = tempfile::tempdir().unwrap();
    let data = Data::new(folder.path());
    let whole = Expected::values(["a", "b", "c", "d"].map(row));
    for wanted in [Wanted::Headers, Wanted::Contents] {
        keeps("a list", &whole, || data.shards(&["data.list"], wanted));
        keeps("shards", &whole, || data.shards(&["one.tar", "two.tar.gz"], wanted));
        keeps("nothing", &Expected::values([]), || data.shards(&["none.tar"], wanted));
        keeps("damage", &Expected::values(["a", "b", "a"].map(row)).then_error("cut.tar:"), || {
            data.shards(&["one.tar", "cut.tar", "two.tar.gz"], wanted)
        });
        keeps("a shard that is not there", &Expected::values(["a", "b"].map(row)).then_error("cannot open"), || {
            data.shards(&["one.tar", "absent.tar", "two.tar.gz"], wanted)
        });
        keeps("damage that is left out", &Expected::values(["a", "b", "a", "c", "d"].map(row)), || {
            let names = ShardNames::new([data.path("cut.list")], wanted);
            let samples = shard_samples(names, Grouping::Wenet)
                .leave_out_damaged(|error| assert!(error.to_string().contains("cut.tar:"), "{error}"));
            samples.filter_map(|sample| show(sample).map(Some)).boxed()
        });
        keeps("a share", &Expected::values(["c", "d"].map(row)), || {
            let names = ShardNames::new([data.path("one.tar"), data.path("two.tar.gz")], wanted);
            let share = Share::new(1, 2, 0, 1).unwrap();
            let samples = shard_samples(names.partition(share), Grouping::Wenet);
            samples.filter_map(|sample| show(sample).map(Some)).boxed()
        });
    }
    keeps("a list that ends early", &Expected::values([]).then_error("no more"), || {
        let names = from_fn(|step| match step {
            Step::Next => Err(kaldi_io::Error::ReadOnce { name: "no more".to_owned() }.into()),
            Step::Restart => Ok(None),
        });
        shard_samples(names, Grouping::Wenet).filter_map(|sample| show(sample).map(Some)).boxed()
    });
    keeps("a raw list", &whole, || data.raw("raw.list"));
    keeps("a broken raw list", &Expected::values(["a", "b"].map(row)).then_error("broken.list:3: expected"), || {
        data.raw("broken.list")
    });
    for (kind, file) in [("raw", "raw.list"), ("shard", "one.tar")] {
        let kind_of_two = if kind == "raw" { "head -n 2" } else { "cat" };
        let command = format!("{kind_of_two} {}", data.path(file));
        let mut shell = Command::new("sh").arg("-c").arg(command).stdout(Stdio::piped()).spawn().unwrap();
        let output = Command::new(std::env::current_exe().unwrap())
            .env(STDIN, kind)
            .env("KALDI_SHARD_CONTRACT_FOLDER", folder.path())
            .stdin(shell.stdout.take().unwrap())
            .output()
            .unwrap();
        shell.wait().unwrap();
        assert!(output.status.success(), "{kind}: {}", String::from_utf8_lossy(&output.stdout));
    }
}
