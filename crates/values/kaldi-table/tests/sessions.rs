//! Two sessions of one process share nothing.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Arc, Barrier, Mutex};

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::log::{Log, warning};
use kaldi_io::{
    Advice, DeferredOutputs, ExpectedStream, Input, Moved, Output, ParseError, ReadAt, SessionSettings, Source, Store,
    Upload,
};
use kaldi_table::{Reader, SequentialReader, Session, TableWriter};

/// A store with one object.
#[derive(Debug)]
struct OneObject(&'static str, &'static [u8]);

/// Bytes that are read in order.
#[derive(Debug)]
struct InOrder(&'static [u8]);

impl Source for InOrder {
    fn read_some(&mut self, buffer: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
        let (read, rest) = self.0.split_at(self.0.len().min(limit));
        buffer.extend_from_slice(read);
        self.0 = rest;
        Ok(read.len())
    }
}

impl Store for OneObject {
    fn open(&self, url: &BStr, _: u64) -> io::Result<Box<dyn Source>> {
        if url == self.0 { Ok(Box::new(InOrder(self.1))) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn create(&self, _: &BStr) -> io::Result<Box<dyn Upload>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn open_at(&self, _: &BStr) -> io::Result<Arc<dyn ReadAt>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn remove(&self, _: &BStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn list(&self, _: &BStr) -> io::Result<Vec<BString>> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Says whose advice it is.
struct Named(&'static str);

impl Advice for Named {
    fn on_stream(&self, _: &[u8], _: ExpectedStream, _: &str, _: usize) -> Option<String> {
        None
    }

    fn on_value(&self, _: &ParseError) -> Option<String> {
        Some(format!("advice of {}", self.0))
    }

    fn on_moved(&self, _: &Moved) -> String {
        String::new()
    }
}

/// A session, and the lines of its log.
struct Run {
    name: &'static str,
    session: Session,
    lines: Arc<Mutex<Vec<u8>>>,
}

impl Run {
    fn new(name: &'static str) -> Self {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&lines);
        let log = Log::new().named(name).to(move |line| sink.lock().unwrap().extend_from_slice(line));
        let session = Session::new(SessionSettings {
            log,
            advice: Some(Arc::new(Named(name))),
            held_bytes: Some(8),
            ..SessionSettings::default()
        });
        Self { name, session, lines }
    }

    fn log(&self) -> String {
        self.lines.lock().unwrap().to_str().unwrap().to_owned()
    }
}

/// Reads the table of a run while the other run reads its own. Returns the sum of its values.
fn read(run: &Run, rspecifier: &str, together: &Barrier) -> i32 {
    let name = run.name;
    let table = SequentialReader::<i32>::open_with(rspecifier, run.session.clone()).unwrap();
    together.wait();
    let mut rows = table.par_map(move |entry| {
        let value = entry.read()?;
        if value % 10 == 0 {
            warning!("{name} has {value}");
        }
        Ok(value)
    });
    let mut sum = 0;
    while let Some((_, value)) = rows.next().unwrap() {
        sum += value;
    }
    sum
}

/// Writes an output that waits if its session has delivered nothing.
fn write(session: &Session, path: &Path) {
    fs::write(path, "old").unwrap();
    let mut output = session.enter(|| Output::create(path.to_str().unwrap().into(), false).unwrap());
    output.write_all(b"new").unwrap();
    output.finish().unwrap();
}

#[test]
fn two_sessions_of_one_process_share_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (mut one, mut two) = (Run::new("one"), Run::new("two"));
    one.session = one.session.threads(3);
    let store = OneObject("s3://two/a.ark", b"a 1\nb 20\nc 30\n");
    two.session = two.session.change(|settings| settings.store = Some(Arc::new(store)));

    // Neither has delivered anything: outputs wait, each in its own session.
    write(&one.session, &path("one"));
    write(&two.session, &path("two"));
    let content = |name: &str| fs::read_to_string(path(name)).unwrap();
    assert_eq!((content("one"), content("two")), ("old".to_owned(), "old".to_owned()));
    two.session.publish_all(DeferredOutputs::Publish).unwrap();
    assert_eq!((content("one"), content("two")), ("old".to_owned(), "new".to_owned()));
    one.session.publish_all(DeferredOutputs::KeepOld).unwrap();
    assert_eq!(content("one"), "old");

    let entries: String = (0..60_000).map(|index| format!("k{index} {}\n", index % 40_000 + 1)).collect();
    fs::write(path("one.ark"), entries).unwrap();
    let (of_one, together) = (format!("ark:{}", path("one.ark").display()), Barrier::new(2));
    let (sum_of_one, sum_of_two) = std::thread::scope(|scope| {
        let reading = scope.spawn(|| read(&one, &of_one, &together));
        let sum_of_two = read(&two, "ark:s3://two/a.ark", &together);
        (reading.join().unwrap(), sum_of_two)
    });
    assert_eq!((sum_of_one, sum_of_two), (800_020_000 + 200_010_000, 51));
    assert_eq!((one.session.num_threads(), two.session.num_threads()), (3, 1));
    assert_eq!((one.session.entries_delivered(), two.session.entries_delivered()), (60_000, 3));

    // Each log has its own lines, under its own name and in the order of the table.
    let ends: Vec<String> = one.log().lines().map(|line| line.rsplit(") ").next().unwrap().to_owned()).collect();
    let expected: Vec<String> = (0..60_000)
        .map(|index| index % 40_000 + 1)
        .filter(|value| value % 10 == 0)
        .map(|value| format!("one has {value}"))
        .collect();
    assert_eq!(ends, expected);
    assert!(one.log().lines().all(|line| line.starts_with("WARNING (one[")));
    assert_eq!(two.log().matches("WARNING (two[").count(), 2);
    assert!(two.log().ends_with(") two has 30\n") && !two.log().contains("one"));

    // What the sessions count does not meet, nor do their stores and their advice.
    let mut target = TableWriter::<i32>::create_with("ark:/dev/null", two.session.clone()).unwrap();
    target.write("a", &1).unwrap();
    target.finish().unwrap();
    assert_eq!((one.session.entries_written(), two.session.entries_written()), (0, 1));
    let message = one.session.enter(|| Input::open("s3://two/a.ark".into())).unwrap_err();
    assert!(std::error::Error::source(&message).unwrap().to_string().contains("lacks the feature stores"), "{message}");
    let fault = |run: &Run| {
        let mut table = SequentialReader::<i32>::open_with("ark:echo a x |", run.session.clone()).unwrap();
        table.next().unwrap_err()
    };
    let faults = [fault(&one), fault(&two)];
    // Printing asks nobody, whatever the session is.
    let shown = two.session.enter(|| faults.each_ref().map(ToString::to_string));
    assert!(shown[0].ends_with(": advice of one") && shown[1].ends_with(": advice of two"), "{shown:?}");
}
