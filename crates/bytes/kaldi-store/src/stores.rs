//! The store of all remote names, and its start.

use std::io;
use std::mem;
use std::process::id;
use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::sync::Mutex;
use kaldi_io::{FrameFn, ObjectMetadata, ReadAt, Source, Store, Upload};

use crate::copying;
use crate::engine::Object;
use crate::running::Running;
use crate::source::{RemoteSource, open_at};
use crate::upload::RemoteUpload;

/// The store of all remote names, for a session ([`SessionSettings::store`](kaldi_io::SessionSettings::store)). Nothing starts yet.
pub fn store() -> Arc<dyn Store> {
    Arc::new(Stores)
}

/// The store of all remote names.
#[derive(Debug)]
struct Stores;

/// The thread and the uploads, from the first remote name on.
static RUNNING: Mutex<Option<Arc<Running>>> = Mutex::new(None);

/// The thread and the uploads; the first call starts them.
///
/// # Errors
/// If a setting makes no sense, or the system refuses.
pub(crate) fn running() -> io::Result<Arc<Running>> {
    let mut slot = RUNNING.lock();
    match &*slot {
        Some(running) if running.process == id() => Ok(Arc::clone(running)),
        _ => {
            let running = Arc::new(Running::start()?);
            // After a fork the threads of the parent do not exist here, and nothing of them can be ended.
            mem::forget(slot.replace(Arc::clone(&running)));
            Ok(running)
        }
    }
}

impl Store for Stores {
    fn open(&self, url: &BStr, offset: u64) -> io::Result<Box<dyn Source>> {
        Ok(Box::new(RemoteSource::open(&running()?, url, offset)?))
    }

    fn create(&self, url: &BStr) -> io::Result<Box<dyn Upload>> {
        Ok(Box::new(RemoteUpload::create(&running()?, url)?))
    }

    fn open_at(&self, url: &BStr) -> io::Result<Arc<dyn ReadAt>> {
        open_at(&running()?, url)
    }

    fn metadata(&self, url: &BStr) -> io::Result<ObjectMetadata> {
        let (running, object) = (running()?, Object::parse(url)?);
        // Whoever asks again wants to know what is there now.
        running.engine.forget(&object);
        let metadata = running.wait(running.engine.stat(&object, &running.engine.attempts(&object)))?;
        Ok(ObjectMetadata { length: metadata.length, version: metadata.version })
    }

    fn remove(&self, url: &BStr) -> io::Result<()> {
        copying::remove(&*running()?, &Object::parse(url)?)
    }

    fn list(&self, url: &BStr) -> io::Result<Vec<BString>> {
        copying::list(&*running()?, &Object::parse(url)?)
    }

    fn expect(&self, url: &BStr, offsets: &[u64], at_once: usize, frame: FrameFn) {
        // This is only a hint: a failure here happens again when the values are read.
        if let (Ok(running), Ok(object)) = (running(), Object::parse(url)) {
            let _context = running.handle.enter();
            running.expected.expect(&running.engine, &object, offsets.to_vec(), at_once as u64, frame);
        }
    }

    fn close(&self) {
        let running = RUNNING.lock().clone();
        if let Some(running) = running.filter(|running| running.process == id()) {
            running.close();
        }
    }
}
