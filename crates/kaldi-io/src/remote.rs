//! What stands behind remote names.
//!
//! It is one [`Store`] for the whole process: the program `kaldi-store`, which is started with the first remote name, or
//! what [`set_store`] was given.

use std::sync::{Arc, OnceLock};

use bstr::BStr;

use crate::address::is_remote;
use crate::helper::HelperStore;
use crate::store::Store;
use crate::xfilename::split_offset;

static STORE: OnceLock<Arc<dyn Store>> = OnceLock::new();

/// Makes `store` stand behind all remote names of this process; returns whether it does. The first one wins.
pub fn set_store(store: Arc<dyn Store>) -> bool {
    STORE.set(store).is_ok()
}

/// What stands behind remote names.
pub(crate) fn store() -> Arc<dyn Store> {
    Arc::clone(STORE.get_or_init(|| Arc::new(HelperStore::default())))
}

/// Ends what runs for remote names, at the end of a program.
pub fn close_store() {
    if let Some(store) = STORE.get() {
        store.close();
    }
}

/// Says that values which begin at these places will be read soon, so that up to `at_once` of them can come side by side: names
/// without ranges, with their offsets. Only those that are remote are looked at.
pub fn expect_values<'a>(names: impl IntoIterator<Item = &'a BStr>, at_once: usize) {
    let mut places: Vec<(&BStr, Vec<u64>)> = Vec::new();
    for name in names.into_iter().filter(|name| is_remote(name)) {
        let (url, offset) = match split_offset(name) {
            Some((url, digits)) => match std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()) {
                Some(offset) => (BStr::new(url), offset),
                None => continue,
            },
            None => (name, 0),
        };
        match places.iter_mut().find(|(known, _)| *known == url) {
            Some((_, offsets)) => offsets.push(offset),
            None => places.push((url, vec![offset])),
        }
    }
    for (url, offsets) in places {
        store().expect(url, &offsets, at_once);
    }
}
