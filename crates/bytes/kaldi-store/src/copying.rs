//! Lists and removes objects and whole folders.

use std::io;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use futures::StreamExt;
use kaldi_io::{count_delivered, is_remote, local_path};
use opendal::{Entry, Operator};

use crate::commands::named;
use crate::engine::Object;
use crate::fault::Fault;
use crate::running::Running;
use crate::side_by_side::each;
use crate::stores::running;
use crate::transfer::{CopyOptions, Known};
use crate::transport::PAGE;
use crate::{Error, Result};

/// Removes objects; returns their number. With `recursive`, they are folders, with all that is in them. With `dry_run`, it only
/// says which.
///
/// # Errors
/// If one of them is not there or cannot be removed. The others are removed.
pub fn rm(names: &[&BStr], options: &CopyOptions) -> Result<u64> {
    let running = running().map_err(Error::Start)?;
    let engine = &running.engine;
    let mut objects = Vec::new();
    for name in names {
        let object = named(Object::parse(name), name)?;
        let (operator, key) = named(engine.stored(&object), name)?;
        if !options.recursive {
            // Stores do not say whether there was an object to remove.
            named(running.wait(engine.stat(&object, &engine.attempts(&object))), name)?;
            objects.push(((*name).to_owned(), operator, key));
            continue;
        }
        if key.trim_matches('/').is_empty() {
            let message = "this is a whole bucket, which is not removed";
            return Err(Error::of_object(name, Fault::other(message)));
        }
        let key = as_folder(key);
        for (part, _) in list_of_some(name)? {
            objects.push((join(name, part.as_ref()), operator.clone(), key.clone() + &part.to_str_lossy()));
        }
    }
    each(&objects, options.at_once, |(name, operator, key)| {
        if options.dry_run {
            return Ok(kaldi_io::print([b"rm ".as_slice(), name, b"\n"].concat())?);
        }
        named(delete(&running, operator, key), name.as_ref())?;
        count_delivered();
        Ok(())
    })?;
    Ok(objects.len() as u64)
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
    let page = Arc::default();
    let open = async { operator.lister_with(folder).recursive(recursive).await };
    let lister = running.handle.block_on(PAGE.scope(Arc::clone(&page), open));
    let mut lister = lister.map_err(|error| Fault::of_store(&error))?;
    let next = move || running.handle.block_on(PAGE.scope(Arc::clone(&page), lister.next()));
    Ok(iter::from_fn(next).map(|entry| entry.map_err(|error| Fault::of_store(&error))))
}

fn is_object_of(entry: &Entry, folder: &str) -> bool {
    !entry.metadata().is_dir() && entry.path().starts_with(folder)
}

/// The names of the objects of a folder in their bucket.
fn files(running: &Running, operator: &Operator, folder: &str, recursive: bool) -> Result<Vec<String>, Fault> {
    let name = |entry: Entry| is_object_of(&entry, folder).then(|| entry.path().to_owned());
    entries(running, operator, folder, recursive)?.filter_map(|entry| entry.map(name).transpose()).collect()
}

/// The objects of a folder of a store, which has some.
///
/// # Errors
/// If the store refuses that, or there are none.
pub(crate) fn list_of_some(folder: &BStr) -> Result<Vec<(BString, Known)>> {
    let found = list_with_facts(folder)?;
    if found.is_empty() {
        let fault = Fault::new(io::ErrorKind::NotFound, "there is no such folder, or nothing in it");
        return Err(Error::of_object(folder, fault));
    }
    Ok(found)
}

/// The objects of a folder of a store, by their names from there on.
///
/// # Errors
/// If the store refuses that.
pub(crate) fn list_with_facts(folder: &BStr) -> Result<Vec<(BString, Known)>> {
    let running = running().map_err(Error::Start)?;
    let object = named(Object::parse(folder), folder)?;
    let (operator, key) = named(running.engine.stored(&object), folder)?;
    let key = as_folder(key);
    let mut found = Vec::new();
    for entry in named(entries(&running, &operator, &key, true), folder)? {
        let entry = named(entry, folder)?;
        if is_object_of(&entry, &key) {
            found.push((entry.path()[key.len()..].into(), Known::of_object(entry.metadata())));
        }
    }
    Ok(found)
}

/// The name of a folder in its bucket: with a slash at the end, unless it is the bucket itself.
pub(crate) fn as_folder(key: String) -> String {
    if key.is_empty() || key.ends_with('/') { key } else { key + "/" }
}

pub(crate) fn failed(name: &BStr, error: &io::Error) -> Error {
    Error::of_object(name, Fault::new(error.kind(), error.to_string()))
}

pub(crate) fn path(name: &BStr) -> PathBuf {
    let path = local_path(name).unwrap_or_else(|_| name.as_bytes().into());
    path.to_path_lossy().into_owned()
}

pub(crate) fn is_local_folder(name: &BStr) -> bool {
    !is_remote(name) && Path::is_dir(&path(name))
}

pub(crate) fn join(folder: &BStr, name: &BStr) -> BString {
    let slash: &[u8] = if folder.ends_with(b"/") { b"" } else { b"/" };
    [folder.as_bytes(), slash, name.as_bytes()].concat().into()
}

/// The last part of a name.
pub(crate) fn base_name(name: &BStr) -> Result<BString> {
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
