//! Names of several files as one pattern.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::Rxfilename;
use regex::bytes::Regex;

use crate::braces::expand_braces;
use crate::{Error, Result};

/// The names that a pattern stands for; a command, a stream or a place in a file stands for itself. `{0..7}`, `{00..07}` and `{a,b}` stand
/// for each number or word; `_OP_ ( [ <` and `_CL_ ) ] >` are braces, as in options of NeMo; other braces are part of the name. `*` stands
/// for any part of the name of a file or folder that is there and does not start with a dot; these names are sorted. A file that has the
/// name of the pattern is meant itself.
///
/// # Errors
/// If braces stand for more than a million names; if `*` finds nothing.
pub fn expand_pattern(pattern: &BStr) -> Result<Vec<BString>> {
    if path_of(pattern).exists() || !matches!(Rxfilename::parse(pattern), Ok(Rxfilename::File(_))) {
        return Ok(vec![pattern.to_owned()]);
    }
    let mut names = Vec::new();
    for name in expand_braces(pattern).map_err(Error::Nothing)? {
        match name.contains(&b'*') && !path_of(name.as_ref()).exists() {
            false => names.push(name),
            true => names.extend(find(name.as_ref())?),
        }
    }
    Ok(names)
}

/// The files that are there, sorted.
fn find(pattern: &BStr) -> Result<Vec<BString>> {
    let mut found = vec![PathBuf::from(if pattern.starts_with(b"/") { "/" } else { "" })];
    for part in path_of(pattern).components() {
        let name = part.as_os_str().as_bytes();
        if name == b"/" {
            continue;
        }
        if !name.contains(&b'*') {
            found.iter_mut().for_each(|path| path.push(part));
            found.retain(|path| path.exists());
            continue;
        }
        let expression: Vec<String> = name.split_str("*").map(|text| regex::escape(&text.to_str_lossy())).collect();
        let Ok(wanted) = Regex::new(&format!("^{}$", expression.join(".*"))) else { return Ok(Vec::new()) };
        let mut below = Vec::new();
        for folder in found {
            let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries {
                let entry =
                    entry.map_err(|source| Error::Folder { name: folder.display().to_string(), source })?.file_name();
                if wanted.is_match(entry.as_bytes()) && !entry.as_bytes().starts_with(b".") {
                    below.push(if folder == Path::new(".") { PathBuf::from(entry) } else { folder.join(entry) });
                }
            }
        }
        found = below;
    }
    if found.is_empty() {
        return Err(Error::Nothing(format!("{pattern}: expected files with such names, got none")));
    }
    let mut names: Vec<BString> = found.iter().map(|path| path.as_os_str().as_bytes().into()).collect();
    names.sort();
    Ok(names)
}

fn path_of(name: &BStr) -> &Path {
    Path::new(std::ffi::OsStr::from_bytes(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_stand_for_numbers_and_words() {
        for (pattern, names) in [
            ("a_{8..11}.tar", "a_8.tar a_9.tar a_10.tar a_11.tar"),
            ("a_{08..10}", "a_08 a_09 a_10"),
            ("{a,b}/{0..1}", "a/0 a/1 b/0 b/1"),
            ("x_OP_0..1_CL_", "x0 x1"),
            ("plain", "plain"),
            ("s3://b/{a}", "s3://b/{a}"),
            ("a{0..1", "a{0..1"),
        ] {
            assert_eq!(bstr::join(" ", expand_pattern(pattern.into()).unwrap()).as_bstr(), names);
        }
        assert!(expand_pattern("{0..999999}{0..9}".into()).is_err());
    }

    #[test]
    fn stars_stand_for_files_that_are_there() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b/2.x", "b/10.x", "a/1.x", "a/.3.x", "a/1.y", "odd*.x"] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let found = |pattern: &str| {
            let prefix = format!("{}/", folder.path().display());
            let names = expand_pattern(format!("{prefix}{pattern}").as_str().into()).unwrap();
            names.iter().map(|name| name.to_string().replace(&prefix, "")).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(found("*/*.x"), "a/1.x b/10.x b/2.x");
        assert_eq!(found("{b,a}/1*.x"), "b/10.x a/1.x");
        assert_eq!(found("odd*.x"), "odd*.x");
        assert!(expand_pattern(format!("{}/*.z", folder.path().display()).as_str().into()).is_err());
    }
}
