//! Names that are addresses: of objects in stores and on the web, and of files.

use std::borrow::Cow;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use bstr::{BStr, ByteSlice};

use crate::session::Session;

/// The prefixes of remote names.
const SCHEMES: [&[u8]; 8] =
    [b"s3://", b"oss://", b"gs://", b"azblob://", b"hdfs://", b"webhdfs://", b"http://", b"https://"];

/// The prefix of addresses of files.
const FILE: &[u8] = b"file:";

/// Whether the name, without an offset, names an object in a store or on the web: by its scheme, which is one of the usual ones,
/// or one that the store of the session of this thread has ([`Store::has_scheme`](crate::Store::has_scheme)).
pub fn is_remote(name: &[u8]) -> bool {
    has_usual_scheme(name) || is_of_store(name)
}

/// Whether the name is remote in every session.
pub(crate) fn has_usual_scheme(name: &[u8]) -> bool {
    SCHEMES.iter().any(|scheme| name.len() > scheme.len() && begins(name, scheme))
}

/// Whether the store of the session has this scheme.
fn is_of_store(name: &[u8]) -> bool {
    let Some((scheme, path)) = name.split_once_str("://") else { return false };
    let Some(store) = Session::setting(|settings| settings.store.clone()).filter(|_| !path.is_empty()) else {
        return false;
    };
    std::str::from_utf8(scheme).is_ok_and(|scheme| store.has_scheme(&scheme.to_ascii_lowercase()))
}

/// The remote name, if the path is one.
pub fn remote_name(path: &Path) -> Option<&BStr> {
    let name = path.as_os_str().as_bytes();
    is_remote(name).then(|| name.into())
}

/// The path of a file: the name itself; for the addresses `file:///a%20b`, `file://localhost/a%20b` and `file:/a%20b`
/// the path `/a b`.
///
/// # Errors
/// If the address of a file has no absolute path. The text says what was expected.
pub fn local_path(name: &[u8]) -> Result<Cow<'_, [u8]>, &'static str> {
    let Some(rest) = name.get(FILE.len()..).filter(|_| begins(name, FILE)) else { return Ok(name.into()) };
    let path = rest.strip_prefix(b"//localhost").or_else(|| rest.strip_prefix(b"//")).unwrap_or(rest);
    match path.first() {
        Some(b'/') => Ok(decode(path).into()),
        _ if rest.starts_with(b"//") => Err("expected an absolute path after file://"),
        // A file of this name.
        _ => Ok(name.into()),
    }
}

/// [`local_path`] as a path.
///
/// # Errors
/// As [`local_path`].
pub(crate) fn to_path(name: &[u8]) -> Result<PathBuf, &'static str> {
    Ok(PathBuf::from(OsString::from_vec(local_path(name)?.into_owned())))
}

fn begins(name: &[u8], scheme: &[u8]) -> bool {
    name.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme))
}

/// Replaces `%20` and similar.
fn decode(text: &[u8]) -> Vec<u8> {
    let digit = |at: usize| text.get(at).and_then(|&byte| char::from(byte).to_digit(16));
    let mut decoded = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        match (text[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                decoded.push((16 * high + low) as u8);
                at += 3;
            }
            (byte, _, _) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remote_names_are_told_by_their_schemes() {
        for name in
            ["s3://b/k", "HTTP://h/a", "https://h", "hdfs://n/p", "webhdfs://n:9870/p", "gs://b/k", "azblob://c/k"]
        {
            assert!(is_remote(name.as_bytes()), "{name}");
        }
        for name in ["s3:/b/k", "s3://", "file:///a", "a/s3://b", "ftp://h/a", "", "-", "s3"] {
            assert!(!is_remote(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn addresses_of_files_are_paths() {
        let t = |name: &str, expected: &str| assert_eq!(to_path(name.as_bytes()).unwrap(), Path::new(expected));
        t("file:///a/b%20c%2", "/a/b c%2");
        t("FILE:///a", "/a");
        t("file://localhost/a", "/a");
        t("file:/a%20b", "/a b");
        t("file:a", "file:a");
        t("file:", "file:");
        t("a%20b", "a%20b");
        for name in ["file://a/b", "file://", "file://localhost"] {
            assert!(to_path(name.as_bytes()).is_err(), "{name}");
        }
    }
}
