//! The store of remote names.

use std::io;
use std::sync::Arc;

use bstr::BStr;

use crate::FrameFn;
use crate::address::is_remote;
use crate::advice::Lack;
use crate::session::Session;
use crate::store::Store;
use crate::xfilename::split_offset;

const MISSING: &str = "what opens names in stores and on the web is not in this build, which lacks the feature stores";

/// The store of remote names of the session of this thread.
///
/// # Errors
/// If it has no store.
pub fn store() -> io::Result<Arc<dyn Store>> {
    let missing = || io::Error::new(io::ErrorKind::Unsupported, Lack::Feature("stores").explain(MISSING));
    Session::setting(|settings| settings.store.clone()).ok_or_else(missing)
}

/// Announces to the store which values will be read soon, so that up to `at_once` of them can be loaded at the same
/// time. `names` are without ranges, with their offsets. Names that are not remote are skipped. `frame` finds the end
/// of a value.
pub fn expect_values<'a>(names: impl IntoIterator<Item = &'a BStr>, at_once: usize, frame: FrameFn) {
    let Ok(store) = store() else { return };
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
        store.expect(url, &offsets, at_once, frame);
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use crate::{Frame, Input, Output};

    use super::*;

    #[test]
    fn a_session_without_a_store_says_so() {
        let name = BStr::new("s3://bucket/key:5");
        let read = Input::open(name).unwrap_err();
        assert_eq!(read.source().unwrap().to_string(), MISSING);
        let written = Output::create("s3://bucket/key".into(), false).unwrap_err();
        assert_eq!(written.source().unwrap().to_string(), read.source().unwrap().to_string());
        expect_values([name], 4, |bytes, _| Ok(Frame::Whole(bytes.len())));
    }
}
