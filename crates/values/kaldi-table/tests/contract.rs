//! The contract of readers on everything that reads tables. One test, since it counts threads.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use bstr::BString;
use kaldi_reader::testing::Expected;
use kaldi_reader::{BoxReader, Reader, ReaderExt};
use kaldi_table::{Error, RandomAccessReader, SequentialReader, Session};
use kaldi_value::Tokens;
use kaldi_value::{Format, Value};

type Row = (BString, i32);
type Rows = BoxReader<Row, Error>;

/// Names the kind of standard input in the program that this test starts to have one.
const STDIN: &str = "KALDI_TABLE_CONTRACT_STDIN";

struct Tables {
    folder: PathBuf,
    whole: Expected<Row>,
    broken: Expected<Row>,
}

impl Tables {
    fn new(folder: &Path) -> Self {
        let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
        write("whole.ark", "a 1\nb 2\nc 3\nd 4\n");
        write("broken.ark", "a 1\nb 2\nc x\nd 4\n");
        write("one", "7\n");
        let place = folder.display();
        write(
            "whole.scp",
            &format!("a {place}/whole.ark:2\nb {place}/whole.ark:6\nc echo 3 |\nd {place}/whole.ark:14\n"),
        );
        write("broken.scp", &format!("a {place}/whole.ark:2\nb {place}/whole.ark:6\nc {place}/missing\nd echo 4 |\n"));
        write("lookup.ark", "a 10\nb 20\nc 30\nd 40\n");
        let rows = |values: &[(&str, i32)]| values.iter().map(|&(key, value)| (BString::from(key), value)).collect();
        let whole: Vec<Row> = rows(&[("a", 1), ("b", 2), ("c", 3), ("d", 4)]);
        let broken = Expected::values(whole[..2].to_vec()).then_error("c: ");
        Self { folder: folder.to_owned(), whole: Expected::values(whole), broken }
    }

    /// A specifier with `DIR` for the folder.
    fn named(&self, specifier: &str) -> String {
        specifier.replace("DIR", self.folder.to_str().unwrap())
    }

    fn open(&self, specifier: &str) -> SequentialReader<i32> {
        SequentialReader::open(self.named(specifier)).unwrap()
    }
}

#[track_caller]
fn keeps<V: PartialEq + std::fmt::Debug>(
    name: &str,
    expected: &Expected<V>,
    make: impl FnMut() -> BoxReader<V, Error>,
) {
    assert_eq!(expected.check(make), Ok(()), "{name}");
}

#[test]
fn everything_that_reads_tables_keeps_the_contract() {
    if let Ok(kind) = std::env::var(STDIN) {
        return standard_input(&kind);
    }
    let folder = tempfile::tempdir().unwrap();
    let tables = Tables::new(folder.path());
    tables_in_sequence(&tables);
    shards(&tables);
    rows_of_tables(&tables);
    long_tables(&tables);
    stacks_of_decorators(&tables);
    single_files(&tables);
    streams_that_come_once(&tables);
    standard_inputs(&tables);
}

/// Archives and script files, read from files and from commands, in the foreground and in the background.
fn tables_in_sequence(tables: &Tables) {
    for options in ["", "bg,"] {
        for source in ["ark:DIR/whole.ark", "ark:cat DIR/whole.ark |", "scp:DIR/whole.scp", "scp:cat DIR/whole.scp |"] {
            let name = format!("{options}{source}");
            keeps(&name, &tables.whole, || tables.open(&name).boxed());
        }
        for source in ["ark:DIR/broken.ark", "ark:cat DIR/broken.ark |", "scp:DIR/broken.scp"] {
            let name = format!("{options}{source}");
            keeps(&name, &tables.broken, || tables.open(&name).boxed());
        }
    }
    let failed = tables.whole.clone().then_error("exit status 3");
    keeps("a command that fails", &failed, || tables.open("ark:cat DIR/whole.ark; exit 3 |").boxed());
    keeps("a table that is skimmed", &tables.whole, || tables.open("ark:DIR/whole.ark").skim().boxed());
    keeps("an empty table", &Expected::values([]), || tables.open("ark:true |").boxed());
}

/// Lists of shards, plain ones and pipes, whole and damaged.
fn shards(tables: &Tables) {
    let mut tar = Vec::new();
    for key in ["a", "b"] {
        tar.extend(shards::member_header(format!("{key}.txt").as_str().into(), 1));
        tar.extend_from_slice(key.as_bytes());
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    let cut = tar.clone();
    tar.resize(tar.len() + 1024, 0);
    fs::write(tables.folder.join("whole.tar"), &tar).unwrap();
    fs::write(tables.folder.join("cut.tar"), cut).unwrap();
    let list = tables.named("DIR/whole.tar\n\ncat DIR/whole.tar |\n");
    fs::write(tables.folder.join("data.list"), list).unwrap();
    fs::write(tables.folder.join("cut.list"), tables.named("DIR/whole.tar\nDIR/cut.tar\nDIR/whole.tar\n")).unwrap();
    let rows = |keys: &[&str]| -> Vec<(BString, Tokens)> {
        keys.iter().map(|&key| (key.into(), Tokens::new([key]).unwrap())).collect()
    };
    let open = |name: &str| SequentialReader::<Tokens>::open(tables.named(name)).unwrap();
    for options in ["", "bg,"] {
        for (source, expected) in [
            ("shard:DIR/data.list", Expected::values(rows(&["a", "b", "a", "b"]))),
            ("shard:DIR/whole.tar", Expected::values(rows(&["a", "b"]))),
            ("shard:DIR/cut.list", Expected::values(rows(&["a", "b", "a"])).then_error("cut.tar:2048: expected")),
            ("p,shard:DIR/cut.list", Expected::values(rows(&["a", "b", "a", "a", "b"]))),
        ] {
            let name = format!("{options}{source}");
            keeps(&name, &expected, || open(&name).boxed());
            keeps(&name, &expected, || open(&name).skim().boxed());
            keeps(&name, &expected, || open(&name).values().boxed());
        }
    }
}

/// The parallel map, with and without lookups.
fn rows_of_tables(tables: &Tables) {
    for (source, expected) in [("DIR/whole", &tables.whole), ("DIR/broken", &tables.broken)] {
        for kind in ["ark", "scp"] {
            let name = format!("{kind}:{source}.{kind}");
            keeps(&name, expected, || tables.open(&name).par_map(|entry| Ok(entry.read()?)).boxed());
        }
    }
    let sums: Vec<Row> = [("a", 11), ("b", 22), ("c", 33), ("d", 44)].map(|(key, sum)| (key.into(), sum)).into();
    for lookup in
        ["ark:DIR/lookup.ark", "o,ark:DIR/lookup.ark", "s,cs,ark:cat DIR/lookup.ark |", "o,ark:cat DIR/lookup.ark |"]
    {
        let make = || {
            let lookup = RandomAccessReader::<i32>::open(tables.named(lookup)).unwrap();
            let rows = tables
                .open("ark:DIR/whole.ark")
                .par_map_with(lookup, |entry, found| Ok(entry.read()? + found.map_or(0, |found| *found)));
            rows.boxed()
        };
        keeps(lookup, &Expected::values(sums.clone()), make);
    }
    let fails = tables.broken.clone();
    let make = || {
        tables.open("ark:DIR/whole.ark").par_map(|entry| match &**entry.key() {
            b"c" => Err("not this one".into()),
            _ => Ok(entry.read()?),
        })
    };
    keeps("work that fails", &fails, || make().boxed());
}

/// Values long enough that the map starts its threads.
fn long_tables(tables: &Tables) {
    let mut bytes = Vec::new();
    let mut expected = Vec::new();
    for index in 0..40 {
        bytes.extend_from_slice(format!("k{index:02} ").as_bytes());
        vec![index; 20_000].write(&mut bytes, Format::Binary);
        expected.push((BString::from(format!("k{index:02}")), i64::from(index) * 20_000));
    }
    fs::write(tables.folder.join("long.ark"), bytes).unwrap();
    for threads in [1, 4] {
        for source in ["ark:DIR/long.ark", "bg,ark:cat DIR/long.ark |"] {
            let make = || {
                let session = Session::current().threads(threads);
                let table = SequentialReader::<Vec<i32>>::open_with(tables.named(source), session).unwrap();
                table.par_map(|entry| Ok(entry.read()?.into_iter().map(i64::from).sum::<i64>())).boxed()
            };
            keeps(&format!("{threads} threads, {source}"), &Expected::values(expected.clone()), make);
        }
    }
}

/// Decorators of `kaldi-reader` on tables, in stacks drawn by a seed.
fn stacks_of_decorators(tables: &Tables) {
    for mut seed in 0..6_u64 {
        let mut draw = move |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let layers: Vec<u64> = (0..3).map(|_| draw(4)).collect();
        let decorate = |rows: Rows, layer: &u64| match layer {
            0 => rows.prefetch(1 << 20, |_| 1 << 19).boxed(),
            1 => rows.prefetch(0, |_| 1).boxed(),
            2 => rows.par_map(|| 3, Ok).in_flight(4 << 20, |_| 1 << 20).boxed(),
            _ => rows.par_map(|| 1, Ok).in_flight(1, |_| 1).boxed(),
        };
        for (source, expected) in [
            ("ark:DIR/whole.ark", &tables.whole),
            ("scp:DIR/whole.scp", &tables.whole),
            ("ark:DIR/broken.ark", &tables.broken),
        ] {
            let make = || layers.iter().fold(tables.open(source).boxed(), decorate);
            keeps(&format!("{layers:?} on {source}"), expected, make);
        }
    }
}

/// A file that is no table is a table of one entry.
fn single_files(tables: &Tables) {
    let one = Expected::values([(BString::default(), 7)]);
    for name in ["DIR/one", "cat DIR/one |"] {
        keeps(name, &one, || SequentialReader::<i32>::open_table_or_file(tables.named(name)).unwrap().boxed());
    }
}

/// A named pipe is read once.
fn streams_that_come_once(tables: &Tables) {
    let fifo = tables.folder.join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let mut writers = Vec::new();
    let make = || {
        // One that still has the pipe open would stand for the next one.
        writers.iter_mut().for_each(|writer: &mut std::process::Child| drop(writer.wait()));
        let command = tables.named("exec cat DIR/whole.ark > DIR/fifo 2> DIR/noise");
        writers.push(Command::new("sh").args(["-c", &command]).spawn().unwrap());
        tables.open("ark:DIR/fifo").boxed()
    };
    keeps("a named pipe", &tables.whole.clone().read_once(), make);
    writers.iter_mut().for_each(|writer| drop(writer.wait()));
}

/// Standard input, as a pipe and as a file, in a program of its own.
fn standard_inputs(tables: &Tables) {
    for kind in ["pipe", "file"] {
        let mut program = Command::new(std::env::current_exe().unwrap());
        program.args(["--exact", "everything_that_reads_tables_keeps_the_contract"]).env(STDIN, kind);
        let archive = tables.folder.join("whole.ark");
        let mut cat = None;
        if kind == "file" {
            program.stdin(fs::File::open(archive).unwrap());
        } else {
            let mut started = Command::new("cat").arg(archive).stdout(Stdio::piped()).spawn().unwrap();
            program.stdin(started.stdout.take().unwrap());
            cat = Some(started);
        }
        let output = program.output().unwrap();
        assert!(output.status.success(), "{kind}: {}", String::from_utf8_lossy(&output.stdout));
        cat.map(|mut cat| cat.wait());
    }
}

/// A file that stands as standard input starts again; a pipe says that it cannot.
fn standard_input(kind: &str) {
    let mut table = SequentialReader::<i32>::open("ark:-").unwrap();
    table.restart().unwrap();
    assert_eq!(table.read_all().unwrap().len(), 4);
    assert!(table.next().unwrap().is_none());
    if kind == "file" {
        table.restart().unwrap();
        assert_eq!(table.read_all().unwrap().len(), 4);
        return;
    }
    let message = table.restart().unwrap_err().to_string();
    assert_eq!(message, "cannot read standard input a second time: it is a stream");
    assert!(table.next().unwrap().is_none());
    assert!(table.restart().is_err());
}
