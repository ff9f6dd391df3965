//! Copies and removes objects and whole folders.

use std::fs;
use std::io;
use std::iter;
use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice};
use futures::StreamExt;
use kaldi_io::{Output, is_remote, local_path, make_folder};
use opendal::{Entry, Operator};

use crate::commands::{copy, named};
use crate::engine::Object;
use crate::fault::Fault;
use crate::running::Running;
use crate::stores::running;
use crate::{Error, Result};

/// Copies objects and files; returns their number. The target is a folder if its name ends with a slash or is that of a
/// folder of the disk, or if there are several sources. With `recursive`, sources are folders, whose contents go into the
/// target.
///
/// # Errors
/// If one of them cannot be read or written, or there is nothing in a folder.
pub fn cp(from: &[&BStr], to: &BStr, recursive: bool) -> Result<u64> {
    if recursive {
        return from.iter().map(|from| copy_folder(from, to)).sum();
    }
    let is_folder = to.ends_with(b"/") || from.len() > 1 || is_local_folder(to);
    for from in from {
        let target = if is_folder { join(to, base_name(from)?.as_ref()) } else { (*to).to_owned() };
        copy_one(from, target.as_ref())?;
    }
    Ok(from.len() as u64)
}

/// Removes objects; returns their number. With `recursive`, they are folders, with all that is in them.
///
/// # Errors
/// If one of them is not there or cannot be removed.
pub fn rm(names: &[&BStr], recursive: bool) -> Result<u64> {
    let running = running().map_err(Error::Start)?;
    let engine = &running.engine;
    let mut done = 0;
    for name in names {
        let object = named(Object::parse(name), name)?;
        let (operator, key) = named(engine.stored(&object), name)?;
        let keys = match recursive {
            true if key.trim_matches('/').is_empty() => {
                let message = "this is a whole bucket, which is not removed";
                return Err(Error::of_object(name, Fault::other(message)));
            }
            true => list_keys(name)?.1,
            false => {
                // Stores do not say whether there was an object to remove.
                named(running.wait(engine.stat(&object, &engine.attempts(&object))), name)?;
                vec![key]
            }
        };
        for key in keys {
            named(delete(&running, &operator, &key), name)?;
            done += 1;
        }
    }
    Ok(done)
}

/// Removes an object, which may be missing.
///
/// # Errors
/// If the store refuses that.
pub(crate) fn remove(running: &Running, object: &Object) -> io::Result<()> {
    let (operator, key) = running.engine.stored(object)?;
    running.engine.forget(object);
    Ok(delete(running, &operator, &key)?)
}

fn delete(running: &Running, operator: &Operator, key: &str) -> Result<(), Fault> {
    running.handle.block_on(operator.delete(key)).map_err(|error| Fault::of_store(&error))
}

/// The names of the objects in a folder, without those in its folders.
///
/// # Errors
/// If the store refuses that.
pub(crate) fn list(running: &Running, folder: &Object) -> io::Result<Vec<BString>> {
    let on_the_web = |fault: Fault| match fault.kind {
        io::ErrorKind::Unsupported => Fault::new(fault.kind, "the web has no lists of folders"),
        _ => fault,
    };
    let (operator, key) = running.engine.stored(folder).map_err(on_the_web)?;
    let key = as_folder(key);
    let keys = files(running, &operator, &key, false)?;
    Ok(keys.iter().map(|path| path[key.len()..].into()).filter(|name: &BString| !name.is_empty()).collect())
}

/// What is in a folder of a bucket, in the order of the store.
pub(crate) fn entries<'a>(
    running: &'a Running,
    operator: &Operator,
    folder: &str,
    recursive: bool,
) -> Result<impl Iterator<Item = Result<Entry, Fault>> + use<'a>, Fault> {
    let lister = running.handle.block_on(async { operator.lister_with(folder).recursive(recursive).await });
    let mut lister = lister.map_err(|error| Fault::of_store(&error))?;
    let next = move || running.handle.block_on(lister.next());
    Ok(iter::from_fn(next).map(|entry| entry.map_err(|error| Fault::of_store(&error))))
}

/// The names of the objects of a folder in their bucket.
fn files(running: &Running, operator: &Operator, folder: &str, recursive: bool) -> Result<Vec<String>, Fault> {
    let is_file = |entry: &Entry| !entry.metadata().is_dir() && entry.path().starts_with(folder);
    let name = |entry: Entry| is_file(&entry).then(|| entry.path().to_owned());
    entries(running, operator, folder, recursive)?.filter_map(|entry| entry.map(name).transpose()).collect()
}

fn copy_one(from: &BStr, to: &BStr) -> Result<()> {
    let mut output = Output::create(to, false)?;
    copy(from, &mut output)?;
    Ok(output.finish()?)
}

fn copy_folder(from: &BStr, to: &BStr) -> Result<u64> {
    let parts = match is_remote(from) {
        true => {
            let (begin, keys) = list_keys(from)?;
            keys.iter().map(|key| BString::from(&key.as_bytes()[begin..])).collect()
        }
        false => local_files(from)?,
    };
    for part in &parts {
        // The names of a store are not ours.
        if part.split(|&byte| byte == b'/').any(|word| matches!(word, b"" | b"." | b"..")) {
            let message = format!("expected names of files in the folder, got {part:?}");
            return Err(Error::of_object(from, Fault::other(message)));
        }
        let target = join(to, part.as_ref());
        if let (false, Some(folder)) = (is_remote(&target), path(target.as_ref()).parent()) {
            make_folder(folder).map_err(|error| failed(from, &error))?;
        }
        copy_one(join(from, part.as_ref()).as_ref(), target.as_ref())?;
    }
    Ok(parts.len() as u64)
}

/// The names of all objects of a folder in its bucket, and the length of the folder's own.
fn list_keys(folder: &BStr) -> Result<(usize, Vec<String>)> {
    let running = running().map_err(Error::Start)?;
    let object = named(Object::parse(folder), folder)?;
    let (operator, key) = named(running.engine.stored(&object), folder)?;
    let key = as_folder(key);
    let keys = named(files(&running, &operator, &key, true), folder)?;
    if keys.is_empty() {
        let fault = Fault::new(io::ErrorKind::NotFound, "there is no such folder, or nothing in it");
        return Err(Error::of_object(folder, fault));
    }
    Ok((key.len(), keys))
}

/// The name of a folder in its bucket: with a slash at the end, unless it is the bucket itself.
pub(crate) fn as_folder(key: String) -> String {
    if key.is_empty() || key.ends_with('/') { key } else { key + "/" }
}

/// The files in a folder of the disk, by their names from there on, sorted.
fn local_files(folder: &BStr) -> Result<Vec<BString>> {
    let begin = path(folder);
    let (mut found, mut waiting) = (Vec::new(), vec![begin.clone()]);
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(&next).map_err(|error| failed(folder, &error))? {
            let entry = entry.map_err(|error| failed(folder, &error))?;
            let kind = entry.file_type().map_err(|error| failed(folder, &error))?;
            if kind.is_dir() {
                waiting.push(entry.path());
            } else if entry.path().is_file() {
                let name = entry.path();
                let name = name.strip_prefix(&begin).unwrap_or(&name);
                found.push(BString::from(name.as_os_str().as_encoded_bytes()));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn failed(name: &BStr, error: &io::Error) -> Error {
    Error::of_object(name, Fault::new(error.kind(), error.to_string()))
}

fn path(name: &BStr) -> PathBuf {
    let path = local_path(name).unwrap_or_else(|_| name.as_bytes().into());
    path.to_path_lossy().into_owned()
}

fn is_local_folder(name: &BStr) -> bool {
    !is_remote(name) && Path::is_dir(&path(name))
}

fn join(folder: &BStr, name: &BStr) -> BString {
    let slash: &[u8] = if folder.ends_with(b"/") { b"" } else { b"/" };
    [folder.as_bytes(), slash, name.as_bytes()].concat().into()
}

/// The last part of a name.
fn base_name(name: &BStr) -> Result<BString> {
    let bare = match name.find("://") {
        Some(scheme) => name[scheme + 3..].split(|byte| b"?#".contains(byte)).next().unwrap_or_default(),
        None => name.as_bytes(),
    };
    match bare.rsplit(|&byte| byte == b'/').next() {
        Some(last) if !matches!(last, b"" | b"." | b".." | b"-") => Ok(last.into()),
        _ => Err(Error::of_object(
            name,
            Fault::other("expected the name of an object or file, got one without a last part"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_of_a_name_is_kept() {
        let t = |name: &str, expected: Option<&str>| {
            assert_eq!(base_name(name.into()).ok().map(|name| name.to_string()).as_deref(), expected, "{name}");
        };
        t("a/b.ark", Some("b.ark"));
        t("s3://bucket/dir/a.ark", Some("a.ark"));
        t("http://h/a.ark?sig=a/b", Some("a.ark"));
        t("s3://bucket/dir/", None);
        t("-", None);
    }
}
