use std::collections::BTreeMap;
use std::io;

use crate::log::warning;
use bstr::{BStr, BString};
use kaldi_reader::{ReaderExt, from_slice};

use crate::{Error, ExpectedStream, Input, Moved, Output, ParseError, ReadAt, Source, Upload, is_remote};

use super::*;

#[derive(Debug)]
struct Objects(&'static str, BTreeMap<&'static str, &'static str>);

impl Store for Objects {
    fn has_scheme(&self, scheme: &str) -> bool {
        scheme == self.0
    }

    fn open(&self, url: &BStr, _: u64) -> io::Result<Box<dyn Source>> {
        let found = self.1.get(url.to_string().as_str()).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(crate::source::MemorySource::new(found.as_bytes().to_vec())))
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

fn new(change: impl FnOnce(&mut SessionSettings)) -> Session {
    Session::default().change(change)
}

fn faulty() -> Error {
    Error::content("x", 0, ParseError::new(0, "expected x"))
}

struct Saying(&'static str);

impl Advice for Saying {
    fn on_stream(&self, _: &[u8], _: ExpectedStream, _: &str, _: usize) -> Option<String> {
        None
    }

    fn on_value(&self, _: &ParseError) -> Option<String> {
        Some(self.0.to_owned())
    }

    fn on_moved(&self, _: &Moved) -> String {
        self.0.to_owned()
    }
}

#[test]
fn a_session_has_its_own_store_and_schemes() {
    let session =
        |scheme, url, text| new(|settings| settings.store = Some(Arc::new(Objects(scheme, [(url, text)].into()))));
    let (one, two) = (session("one", "one://a", "1"), session("two", "two://a", "2"));
    let read = |name: &str| Input::open(name.into()).and_then(|mut input| input.read_to_end());
    assert_eq!(one.enter(|| read("one://a").unwrap()), b"1");
    assert_eq!(two.enter(|| read("two://a").unwrap()), b"2");
    assert!(two.enter(|| is_remote(b"TWO://b") && !is_remote(b"one://a") && !is_remote(b"two://")));
    assert!(!is_remote(b"one://a") && !is_remote(b"two://a"));
    assert_eq!(two.enter(|| read("two://b")).unwrap_err().to_string(), "cannot open two://b: entity not found");
}

#[test]
fn an_error_keeps_the_advice_of_the_session_that_made_it() {
    let [one, two] = ["one", "two"].map(|said| new(|settings| settings.advice = Some(Arc::new(Saying(said)))));
    let errors = [one.enter(faulty), two.enter(faulty), faulty()];
    let said = two.enter(|| errors.each_ref().map(ToString::to_string));
    assert_eq!(said, ["x:0: expected x: one", "x:0: expected x: two", "x:0: expected x"]);
}

#[test]
fn outputs_wait_in_their_own_session_and_for_its_counter() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let [one, two] = [(); 2].map(|()| new(|settings| settings.held_bytes = Some(9)));
    two.count_delivered();
    for (session, name) in [(&one, "one"), (&two, "two")] {
        std::fs::write(path(name), "old").unwrap();
        // It keeps the session, wherever it is written.
        let mut output = session.enter(|| Output::create(path(name).to_str().unwrap().into(), false).unwrap());
        output.write_all(b"new").unwrap();
        output.finish().unwrap();
    }
    let content = |name| std::fs::read(path(name)).unwrap();
    assert_eq!((content("one"), content("two")), (b"old".to_vec(), b"new".to_vec()));
    assert!(two.publish_all(DeferredOutputs::Publish).unwrap().is_empty());
    assert_eq!(content("one"), b"old");
    assert!(one.publish_all(DeferredOutputs::Publish).unwrap().is_empty());
    assert_eq!(content("one"), b"new");
}

#[test]
fn an_input_asks_the_session_that_opened_it() {
    let session = new(|settings| settings.may_wait = Some(Arc::new(|| false)));
    let mut input = session.enter(|| Input::open("sleep 100 |".into())).unwrap();
    let error = input.read_some(&mut Vec::new(), 1).unwrap_err();
    assert_eq!(error.to_string(), "cannot read 'sleep 100 |':0: interrupted");
}

#[test]
fn threads_of_readers_work_in_the_session_that_started_them() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&lines);
    let log = Log::new().to(move |line| sink.lock().extend_from_slice(line));
    let session = new(|settings| settings.log = log).threads(2);
    let work = |number: i32| {
        warning!("number {number}");
        count_delivered();
        Ok(number)
    };
    let threads = || Session::current().num_threads();
    let mut reader = from_slice(&[1, 2, 3]).par_map(threads, work).in_flight(1 << 20, |_| 1 << 19).prefetch(1, |_| 1);
    session.enter(|| reader.read_all().unwrap());
    assert_eq!((session.entries_delivered(), Session::current().entries_delivered()), (3, 0));
    assert_eq!(lines.lock().iter().filter(|byte| **byte == b'\n').count(), 3);
}

#[test]
fn a_thread_returns_to_its_session() {
    let inner = Session::default();
    Session::with(Session::count_delivered);
    let before = Session::current();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| inner.enter(|| panic!("on purpose"))));
    assert!(panicked.is_err() && Session::current().is(&before));
    assert_eq!((before.entries_delivered(), inner.entries_delivered()), (1, 0));
    assert_eq!(before.threads(2).entries_delivered(), 1);
}
