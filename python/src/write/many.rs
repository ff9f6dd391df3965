//! Many entries at once: those that take time to encode are encoded on threads.

use std::panic::resume_unwind;
use std::thread;

use kaldi_io::Encoded;
use kaldi_value::Format;
use numpy::PyUntypedArray;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use super::{Entry, Writer};
use crate::errors::Result;
use crate::interrupt::without_interpreter;
use crate::kept::{apart, give_up};

/// Bytes of values that are encoded together: few enough that copies of them stay in the caches.
const BATCH: usize = 1 << 22;

/// The fewest bytes that are worth a second thread.
const WORTH: usize = 1 << 20;

/// Writes the entries of a mapping, or of pairs. If one is refused, those before it are written.
///
/// # Errors
/// The first error, of the pairs or of writing.
pub fn write_many(writer: &Writer, py: Python<'_>, pairs: &Bound<'_, PyAny>) -> PyResult<()> {
    let are_there = are_there(pairs)?;
    let pairs = if pairs.hasattr("items")? { pairs.call_method0("items")? } else { pairs.clone() };
    let is_slow = writer.compression.is_some() || writer.format == Format::Text;
    let (mut batch, mut size) = (Vec::new(), 0);
    let mut failed = None;
    for pair in pairs.try_iter()? {
        let entry = pair.and_then(|pair| {
            let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
            let mut entry = writer.take(&key, &value)?;
            if is_slow && writer.threads > 1 && !(are_there && value.cast::<PyUntypedArray>().is_ok()) {
                entry.value.own();
            }
            Ok(entry)
        });
        match entry {
            Ok(entry) if !is_slow || writer.threads == 1 => writer.write_entry(py, entry)?,
            Ok(entry) => {
                size += entry.value.size();
                batch.push(entry);
                if size >= BATCH {
                    write_batch(writer, py, std::mem::take(&mut batch), std::mem::take(&mut size))?;
                }
            }
            Err(error) => {
                failed = Some(error);
                break;
            }
        }
    }
    write_batch(writer, py, batch, size)?;
    failed.map_or(Ok(()), Err)
}

/// Whether all pairs exist before they are asked for. If not, the memory of a value may be used again for the next one.
fn are_there(pairs: &Bound<'_, PyAny>) -> PyResult<bool> {
    let class = pairs.get_type();
    Ok(pairs.is_exact_instance_of::<PyDict>()
        || pairs.is_exact_instance_of::<PyList>()
        || pairs.is_exact_instance_of::<PyTuple>()
        || (class.name()? == "dict_items" && class.module()? == "builtins"))
}

fn write_batch(writer: &Writer, py: Python<'_>, batch: Vec<Entry>, size: usize) -> PyResult<()> {
    if batch.is_empty() {
        return Ok(());
    }
    let threads = if size < WORTH { 1 } else { writer.threads.min(batch.len()) };
    without_interpreter(py, || {
        for (key, value) in encode(writer, batch, threads) {
            writer.put(key.as_ref(), value?)?;
        }
        Ok(())
    })
}

type EncodedEntry = (bstr::BString, Result<Encoded>);

/// Encodes entries on up to `threads` threads, in order.
fn encode(writer: &Writer, batch: Vec<Entry>, threads: usize) -> Vec<EncodedEntry> {
    let (format, compression) = (writer.format, writer.compression);
    let encode_all = |entries: Vec<Entry>| -> Vec<EncodedEntry> {
        let encode = |Entry { key, value }: Entry| {
            let value = value.encode(&key, format, compression);
            (key, value)
        };
        entries.into_iter().map(encode).collect()
    };
    if threads <= 1 {
        return encode_all(batch);
    }
    let share = batch.len().div_ceil(threads);
    let mut shares = Vec::new();
    let mut rest = batch.into_iter();
    loop {
        let part: Vec<Entry> = rest.by_ref().take(share).collect();
        if part.is_empty() {
            break;
        }
        shares.push(part);
    }
    thread::scope(|scope| {
        let running: Vec<_> = shares.into_iter().map(|part| scope.spawn(|| apart(|| encode_all(part)))).collect();
        let joined = running.into_iter().map(|thread| {
            let (encoded, given_up) = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
            give_up(given_up);
            encoded
        });
        joined.flatten().collect()
    })
}
