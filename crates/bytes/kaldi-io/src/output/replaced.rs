//! Refuses to replace a file or an object by one of another kind.

use std::fs::File;
use std::path::Path;

use bstr::BStr;

use crate::address::remote_name;
use crate::remote::store;
use crate::session::Session;
use crate::source::read_at;
use crate::{Error, Result, Wxfilename};

/// Bytes from which the kind of a file is known.
const HEAD: usize = 1 << 12;

/// Compares the first bytes of a file that is there with the first bytes of the one that will replace it; `None` stands
/// for bytes that are not known yet. Returns why the file must not be replaced, if there is a reason.
pub type ReplacementCheck = fn(old: &[u8], new: Option<&[u8]>) -> Option<String>;

/// The first bytes of the file or the object that an output of this name would replace; `None` if there is none with
/// content.
pub fn first_bytes_of_old(name: &BStr) -> Option<Vec<u8>> {
    let Ok(Wxfilename::File(path)) = Wxfilename::parse(name) else { return None };
    match remote_name(&path) {
        Some(url) => head_of_object(url),
        None => head_of_file(&whole_file::resolve(&path)),
    }
}

/// Returns an error if the file at `path` must not be written in place.
pub(super) fn check_in_place(path: &Path, name: &str) -> Result<()> {
    let Some(check) = Session::setting(|settings| settings.replacement_check) else { return Ok(()) };
    let reason = head_of_file(path).and_then(|old| check(&old, None));
    reason.map_or(Ok(()), |reason| Err(Error::Replace { name: name.to_owned(), reason }))
}

/// The first bytes of what is there, and those of what will replace it.
#[derive(Debug)]
pub(super) struct Replacement {
    check: ReplacementCheck,
    old: Vec<u8>,
    new: Vec<u8>,
}

impl Replacement {
    /// Looks at the file at `path`. `None` if anything may replace it.
    pub(super) fn of_file(path: &Path) -> Option<Self> {
        Some(Self {
            check: Session::setting(|settings| settings.replacement_check)?,
            old: head_of_file(path)?,
            new: Vec::new(),
        })
    }

    /// Looks at an object. `None` if anything may replace it.
    pub(super) fn of_object(url: &BStr) -> Option<Self> {
        Some(Self {
            check: Session::setting(|settings| settings.replacement_check)?,
            old: head_of_object(url)?,
            new: Vec::new(),
        })
    }

    /// How many bytes are still wanted.
    pub(super) fn wanted(&self) -> usize {
        HEAD - self.new.len()
    }

    /// Notes bytes that are written.
    pub(super) fn note(&mut self, bytes: &[u8]) {
        self.new.extend_from_slice(&bytes[..bytes.len().min(self.wanted())]);
    }

    /// Returns an error if the output is of another kind. An empty output may replace anything.
    pub(super) fn judge(&self, name: &str) -> Result<()> {
        if self.new.is_empty() {
            return Ok(());
        }
        let reason = (self.check)(&self.old, Some(&self.new));
        reason.map_or(Ok(()), |reason| Err(Error::Replace { name: name.to_owned(), reason }))
    }
}

fn head_of_file(path: &Path) -> Option<Vec<u8>> {
    if !path.is_file() {
        return None;
    }
    let file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len().min(HEAD as u64);
    let mut head = Vec::new();
    read_at(&file, 0, &mut head, length as usize).ok()?;
    (!head.is_empty()).then_some(head)
}

/// If the store does not say what is there, there is nothing to protect.
fn head_of_object(url: &BStr) -> Option<Vec<u8>> {
    let (mut source, mut head) = (store().ok()?.open(url, 0).ok()?, Vec::new());
    let mut wanted = HEAD;
    while wanted > 0 && source.read_some(&mut head, wanted).ok()? > 0 {
        wanted = HEAD.saturating_sub(head.len());
    }
    (!head.is_empty()).then_some(head)
}
