//! Bytes of one file at the end of another.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use kaldi_io::ReadAt;

use crate::spool::{Scratch, for_each_piece};
use crate::{Error, Result};

/// Appends a part of a file to another one; the kernel moves the bytes if it can. `path` is that of the source.
pub(crate) fn append(source: &dyn ReadAt, range: Range<u64>, path: &Path, target: &mut Scratch) -> Result<()> {
    let Some(source) = source.as_file() else { return for_each_piece(source, range, path, |bytes| target.put(bytes)) };
    target.flush()?;
    let length = range.end - range.start;
    let mut from = &**source;
    from.seek(SeekFrom::Start(range.start)).map_err(Error::read(path, range.start))?;
    let mut to = &target.file;
    to.seek(SeekFrom::Start(target.end())).map_err(Error::write(&target.path))?;
    let copied = io::copy(&mut from.take(length), &mut to).map_err(Error::write(&target.path))?;
    if copied != length {
        return Err(Error::read(path, range.start + copied)(io::ErrorKind::UnexpectedEof.into()));
    }
    target.skip(length);
    Ok(())
}
