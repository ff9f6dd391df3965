//! Refuses to replace a file by one of another kind.

use std::fs::File;
use std::path::Path;
use std::sync::OnceLock;

use crate::source::read_at;
use crate::{Error, Result};

/// Bytes from which the kind of a file is known.
const HEAD: usize = 1 << 12;

/// Compares the first bytes of a file that is there with the first bytes of the one that will replace it; `None` stands
/// for bytes that are not known yet. Returns why the file must not be replaced, if there is a reason.
pub type ReplacementCheck = fn(old: &[u8], new: Option<&[u8]>) -> Option<String>;

static CHECK: OnceLock<ReplacementCheck> = OnceLock::new();

/// From now on, no output replaces a regular file if `check` gives a reason against it. The first call counts.
pub fn set_replacement_check(check: ReplacementCheck) {
    let _ = CHECK.set(check);
}

/// Returns an error if `new` must not replace the file at `path`. Without `new`, the old file is written in place.
pub(super) fn check(path: &Path, name: &str, new: Option<&File>) -> Result<()> {
    let Some(check) = CHECK.get() else { return Ok(()) };
    if !path.is_file() {
        return Ok(());
    }
    let Some(old) = File::open(path).ok().and_then(|old| head(&old)) else { return Ok(()) };
    let new = new.map(|new| head(new).unwrap_or_default());
    match check(&old, new.as_deref()) {
        Some(reason) => Err(Error::Replace { name: name.to_owned(), reason }),
        None => Ok(()),
    }
}

/// The first bytes of a file; `None` if there are none.
fn head(file: &File) -> Option<Vec<u8>> {
    let length = file.metadata().ok()?.len().min(HEAD as u64);
    let mut head = Vec::new();
    read_at(file, 0, &mut head, length as usize).ok()?;
    (!head.is_empty()).then_some(head)
}
