//! The commands of a user: list and show objects. The others are re-exported.

use bstr::BStr;
use kaldi_io::{Input, Output};

pub use crate::copying::rm;
use crate::copying::{as_folder, entries};
use crate::engine::Object;
use crate::fault::Fault;
use crate::stores::running;
pub use crate::transfer::{Copied, CopyOptions, cp};
use crate::{Error, Result};

/// Bytes that are copied at once.
const PIECE: usize = 1 << 18;

/// Shows the objects of a folder, a line each; returns their number. The name may be without the slash at its end. If there
/// is no such folder, but an object, that is shown.
///
/// # Errors
/// If the store does not answer.
pub fn ls(folder: &BStr, recursive: bool) -> Result<u64> {
    let object = named(Object::parse(folder), folder)?;
    let running = running().map_err(Error::Start)?;
    let (operator, key) = named(running.engine.stored(&object), folder)?;
    let mut begin = object.url[..object.url.len() - key.len()].to_vec();
    if !begin.ends_with(b"/") {
        begin.push(b'/');
    }
    let key = as_folder(key);
    let mut output = Output::stdout()?;
    let mut done = 0;
    let show = |output: &mut Output, length: &str, name: &[&[u8]]| {
        output.write_all(&[format!("{length:>15} ").as_bytes(), &name.concat(), b"\n"].concat())
    };
    // A line at a time: a folder may have more than fits into memory.
    for entry in named(entries(&running, &operator, &key, recursive), folder)? {
        let entry = named(entry, folder)?;
        if entry.metadata().is_dir() && matches!(entry.path(), path if path == key || path == "/") {
            continue;
        }
        let length = match entry.metadata().is_dir() {
            true => String::new(),
            false => entry.metadata().content_length().to_string(),
        };
        show(&mut output, &length, &[&begin, entry.path().as_bytes()])?;
        done += 1;
    }
    if done == 0
        && !folder.ends_with(b"/")
        && let Ok(metadata) = running.wait(running.engine.stat(&object, &running.engine.attempts(&object)))
    {
        let length = metadata.length.map(|length| length.to_string()).unwrap_or_default();
        show(&mut output, &length, &[&object.url])?;
        done = 1;
    }
    output.finish()?;
    Ok(done)
}

/// Shows the facts about objects, a line each; returns their number.
///
/// # Errors
/// If one of them is not there.
pub fn stat(names: &[&BStr]) -> Result<u64> {
    let running = running().map_err(Error::Start)?;
    let engine = &running.engine;
    for name in names {
        let object = named(Object::parse(name), name)?;
        let metadata = named(running.wait(engine.stat(&object, &engine.attempts(&object))), name)?;
        let length = metadata.length.map_or("-".to_owned(), |length| length.to_string());
        let version = metadata.version.unwrap_or_else(|| "-".to_owned());
        let ranges = if metadata.has_ranges { "ranges" } else { "whole" };
        let name = kaldi_io::log::hide_secrets(name);
        kaldi_io::print([format!("{length} {ranges} {version} ").as_bytes(), &name, b"\n"].concat())?;
    }
    Ok(names.len() as u64)
}

/// Copies objects to standard output, one after the other; returns their number.
///
/// # Errors
/// If one of them cannot be read.
pub fn cat(names: &[&BStr]) -> Result<u64> {
    let mut output = Output::stdout()?;
    for name in names {
        copy(name, &mut output)?;
    }
    output.finish()?;
    Ok(names.len() as u64)
}

/// Copies an object to an output; returns its number of bytes.
pub(crate) fn copy(from: &BStr, output: &mut Output) -> Result<u64> {
    let mut input = Input::open(from)?;
    let (mut bytes, mut length) = (Vec::with_capacity(PIECE), 0);
    while input.read_some(&mut bytes, PIECE)? > 0 {
        output.write_all(&bytes)?;
        length += bytes.len() as u64;
        bytes.clear();
    }
    input.finish()?;
    Ok(length)
}

pub(crate) fn named<T>(result: Result<T, Fault>, name: &BStr) -> Result<T> {
    result.map_err(|fault| Error::of_object(name, fault))
}
