//! The commands.

use anyhow::Context;
use bstr::BStr;
use futures::StreamExt;
use kaldi_io::{Input, Output};
use tokio::runtime::{Builder, Runtime};

use crate::engine::{Engine, Object};
use crate::fault::Fault;

/// Bytes that are copied at once.
const PIECE: usize = 1 << 18;

/// Shows the objects of a folder, a line each; returns their number.
///
/// # Errors
/// Where the store does not tell.
pub fn ls(engine: &Engine, folder: &BStr, recursive: bool) -> anyhow::Result<u64> {
    let object = named(Object::parse(folder), folder)?;
    let (operator, key) = named(engine.stored(&object), folder)?;
    let begin = object.url[..object.url.len() - key.len()].to_vec();
    let runtime = runtime()?;
    let lister = runtime.block_on(async { operator.lister_with(&key).recursive(recursive).await });
    let mut lister = named(lister.map_err(|error| Fault::of_store(&error)), folder)?;
    let mut output = Output::create("-".into(), false)?;
    let mut done = 0;
    // A line at a time: a folder may have more than fits into memory.
    while let Some(entry) = runtime.block_on(lister.next()) {
        let entry = named(entry.map_err(|error| Fault::of_store(&error)), folder)?;
        if entry.path() == key && entry.metadata().is_dir() {
            continue;
        }
        let length = match entry.metadata().is_dir() {
            true => String::new(),
            false => entry.metadata().content_length().to_string(),
        };
        output.write_all(&[format!("{length:>15} ").as_bytes(), &begin, entry.path().as_bytes(), b"\n"].concat())?;
        done += 1;
    }
    output.finish()?;
    Ok(done)
}

/// Shows what is known of objects, a line each; returns their number.
///
/// # Errors
/// Where one of them is not there.
pub fn stat(engine: &Engine, names: &[&BStr]) -> anyhow::Result<u64> {
    let runtime = runtime()?;
    for name in names {
        let object = named(Object::parse(name), name)?;
        let facts = named(runtime.block_on(engine.stat(&object, &engine.attempts(&object))), name)?;
        let length = facts.length.map_or("-".to_owned(), |length| length.to_string());
        let version = facts.version.unwrap_or_else(|| "-".to_owned());
        let ranges = if facts.has_ranges { "ranges" } else { "whole" };
        print(&[format!("{length} {ranges} {version} ").as_bytes(), &kaldi_log::hide_secrets(name), b"\n"].concat())?;
    }
    Ok(names.len() as u64)
}

/// Copies objects to standard output, one behind the other; returns their number.
///
/// # Errors
/// Where one of them cannot be read.
pub fn cat(names: &[&BStr]) -> anyhow::Result<u64> {
    let mut output = Output::create("-".into(), false)?;
    for name in names {
        copy(name, &mut output)?;
    }
    output.finish()?;
    Ok(names.len() as u64)
}

/// Copies an object or a file to another name.
///
/// # Errors
/// Where it cannot be read or written; nothing appears then.
pub fn cp(from: &BStr, to: &BStr) -> anyhow::Result<u64> {
    let mut output = Output::create(to, false)?;
    copy(from, &mut output)?;
    output.finish()?;
    Ok(1)
}

/// Removes objects; returns their number.
///
/// # Errors
/// Where one of them cannot be removed.
pub fn rm(engine: &Engine, names: &[&BStr]) -> anyhow::Result<u64> {
    let runtime = runtime()?;
    for name in names {
        let object = named(Object::parse(name), name)?;
        // Stores do not say whether there was something to remove.
        named(runtime.block_on(engine.stat(&object, &engine.attempts(&object))), name)?;
        let (operator, key) = named(engine.stored(&object), name)?;
        named(runtime.block_on(operator.delete(&key)).map_err(|error| Fault::of_store(&error)), name)?;
    }
    Ok(names.len() as u64)
}

fn copy(from: &BStr, output: &mut Output) -> anyhow::Result<()> {
    let mut input = Input::open(from)?;
    let mut bytes = Vec::with_capacity(PIECE);
    while input.read_some(&mut bytes, PIECE)? > 0 {
        output.write_all(&bytes)?;
        bytes.clear();
    }
    input.finish()?;
    Ok(())
}

fn print(text: &[u8]) -> anyhow::Result<()> {
    let mut output = Output::create("-".into(), false)?;
    output.write_all(text)?;
    Ok(output.finish()?)
}

fn named<T>(result: Result<T, Fault>, name: &BStr) -> anyhow::Result<T> {
    result.with_context(|| String::from_utf8_lossy(&kaldi_log::hide_secrets(name)).into_owned())
}

/// What work that waits for the network runs on: connections stay with it.
fn runtime() -> anyhow::Result<Runtime> {
    Ok(Builder::new_current_thread().enable_io().enable_time().build()?)
}
