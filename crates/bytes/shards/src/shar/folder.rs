//! The files of a Shar folder.

use std::collections::BTreeMap;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice};

use crate::{Error, Result};

/// A Shar folder, or one of its files of cuts with what belongs to it.
#[derive(Clone, Debug)]
pub struct SharFolder {
    name: String,
    files: Vec<SharFiles>,
    fields: Vec<String>,
}

/// The files that belong together: a file of cuts, and one of each field.
#[derive(Clone, Debug)]
pub struct SharFiles {
    /// The file of cuts.
    pub cuts: BString,
    /// The files of the fields, by their names.
    pub fields: BTreeMap<String, BString>,
}

impl SharFolder {
    /// Whether a folder is of this kind: it has numbered files of cuts, or files of cuts beside tar files of sound or features.
    pub fn is_one(folder: &Path) -> bool {
        let Ok(names) = names(folder) else { return false };
        let is_field = |name: &[u8]| matches!(field_of(name), Some("recording" | "features")) && is_tar(name);
        let mut cuts = names.iter().filter(|name| is_cuts(name)).peekable();
        cuts.peek().is_some() && (names.iter().any(|name| is_field(name)) || cuts.any(|name| number_of(name).is_some()))
    }

    /// Whether a file is one of cuts in a folder of this kind, by its name and what is beside it.
    pub fn is_cuts_of_one(file: &Path) -> bool {
        let name = file.file_name().map_or(&[][..], OsStrExt::as_bytes);
        is_cuts(name) && file.is_file() && Self::is_one(&folder_of(file))
    }

    /// Finds the files of a folder, or those that belong to one file of cuts. Nothing is opened yet.
    ///
    /// # Errors
    /// If it cannot be read, has no cuts, or has not as many files of a field as of cuts.
    pub fn find(name: &BStr) -> Result<Self> {
        let path = PathBuf::from(std::ffi::OsString::from_vec(name.to_vec()));
        let printable = kaldi_io::printable_rxfilename(name).into_owned();
        let refused = |message: String| Error::Refused { shard: printable.clone(), message };
        let only = if path.is_dir() {
            None
        } else {
            let file = path.file_name().map_or(&[][..], OsStrExt::as_bytes);
            if !is_cuts(file) {
                return Err(refused("expected a Shar folder, or a file cuts.*.jsonl.gz in one".to_owned()));
            }
            Some(file.to_owned())
        };
        let folder = if only.is_some() { folder_of(&path) } else { path.clone() };
        let mut names = names(&folder).map_err(|source| refused(format!("cannot read the folder: {source}")))?;
        names.sort();
        let full =
            |name: &[u8]| BString::from(folder.join(std::ffi::OsStr::from_bytes(name)).into_os_string().into_vec());
        let cuts: Vec<&Vec<u8>> = names.iter().filter(|name| is_cuts(name)).collect();
        if cuts.is_empty() {
            return Err(refused("expected files cuts.*.jsonl.gz in a Shar folder, got none".to_owned()));
        }
        if only.is_none()
            && let Some(message) = missing(&cuts)
        {
            return Err(refused(message));
        }
        let mut files: Vec<SharFiles> =
            cuts.iter().map(|name| SharFiles { cuts: full(name), fields: BTreeMap::new() }).collect();
        let mut by_field: BTreeMap<String, Vec<&Vec<u8>>> = BTreeMap::new();
        for name in names.iter().filter(|name| is_tar(name) || is_lines(name)) {
            if let Some(field) = field_of(name).filter(|field| *field != "cuts") {
                by_field.entry(field.to_owned()).or_default().push(name);
            }
        }
        for (field, names) in &by_field {
            if names.len() != cuts.len() {
                let (expected, got) = (cuts.len(), names.len());
                return Err(refused(format!(
                    "expected as many files of the field {field} as of cuts, which are {expected}, got {got}"
                )));
            }
            for (files, name) in files.iter_mut().zip(names) {
                let of_cuts = files.cuts.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
                if number_of(of_cuts) != number_of(name) {
                    let (cuts, name) = (of_cuts.as_bstr(), name.as_bstr());
                    return Err(refused(format!(
                        "expected a file of the field {field} of the number of {cuts}, got {name}"
                    )));
                }
                files.fields.insert(field.clone(), full(name));
            }
        }
        if let Some(only) = only {
            let at = cuts.iter().position(|name| **name == only);
            match at {
                Some(at) => files = vec![files.swap_remove(at)],
                None => return Err(refused("cannot open it: there is no such file".to_owned())),
            }
        }
        Ok(Self { name: printable, files, fields: by_field.into_keys().collect() })
    }

    /// What messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The files, by their numbers.
    pub fn files(&self) -> &[SharFiles] {
        &self.files
    }

    /// The names of the fields, but for the cuts.
    pub fn fields(&self) -> &[String] {
        &self.fields
    }
}

/// What the numbers of files of cuts, which are sorted, show to be missing: numbers between others, or the first ones. (Jobs that write
/// into one folder continue with each other's numbers, from 0 on.)
fn missing(cuts: &[&Vec<u8>]) -> Option<String> {
    let mut numbers = cuts.iter().map(|name| Some((number_of(name)?, name))).collect::<Option<Vec<_>>>()?;
    numbers.sort_unstable();
    let starts = std::iter::once(0).chain(numbers.iter().map(|(number, _)| number.saturating_add(1)));
    let (expected, (_, name)) = starts.zip(&numbers).find(|(expected, (number, _))| number > expected)?;
    Some(format!("expected a file of cuts with the number {expected}, got {} next: files are missing", name.as_bstr()))
}

/// The folder that a file is in.
fn folder_of(file: &Path) -> PathBuf {
    file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

fn names(folder: &Path) -> std::io::Result<Vec<Vec<u8>>> {
    std::fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().into_vec())).collect()
}

/// The field of a file: what is before the first dot of its name.
fn field_of(name: &[u8]) -> Option<&str> {
    let field = name.split(|&byte| byte == b'.').next()?;
    std::str::from_utf8(field).ok().filter(|field| !field.is_empty())
}

fn is_cuts(name: &[u8]) -> bool {
    field_of(name) == Some("cuts") && is_lines(name)
}

fn is_lines(name: &[u8]) -> bool {
    name.ends_with(b".jsonl") || name.ends_with(b".jsonl.gz")
}

fn is_tar(name: &[u8]) -> bool {
    name.ends_with(b".tar") || name.ends_with(b".tar.gz")
}

/// What is between the first two dots of a name, if that is a number.
fn number_of(name: &[u8]) -> Option<u64> {
    let part = name.split(|&byte| byte == b'.').nth(1)?;
    std::str::from_utf8(part).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        folder
    }

    fn find(path: &Path) -> Result<Vec<(String, Vec<String>)>, String> {
        let base = |name: &BString| name.rsplit(|&byte| byte == b'/').next().unwrap().to_str_lossy().into_owned();
        let shar = SharFolder::find(path.as_os_str().as_bytes().into()).map_err(|error| error.to_string())?;
        Ok(shar.files().iter().map(|files| (base(&files.cuts), files.fields.values().map(base).collect())).collect())
    }

    #[test]
    fn files_of_a_number_belong_together() {
        let folder = folder(&[
            "cuts.000001.jsonl",
            "cuts.000000.jsonl.gz",
            "recording.000000.tar",
            "recording.000001.tar",
            "snr.000000.jsonl.gz",
            "snr.000001.jsonl.gz",
            "recording.000000.tar.idx",
            "cuts.000001.jsonl.idx",
            ".hidden.tar",
            "README",
        ]);
        let second =
            ("cuts.000001.jsonl".to_owned(), vec!["recording.000001.tar".to_owned(), "snr.000001.jsonl.gz".to_owned()]);
        assert!(SharFolder::is_one(folder.path()));
        let all = find(folder.path()).unwrap();
        assert_eq!((all.len(), &all[1]), (2, &second));
        assert_eq!(find(&folder.path().join("cuts.000001.jsonl")), Ok(vec![second]));
        for (name, expected) in [
            ("cuts.000002.jsonl", "cannot open it: there is no such file"),
            ("recording.000000.tar", "expected a Shar folder, or a file cuts.*.jsonl.gz in one"),
        ] {
            let error = find(&folder.path().join(name)).unwrap_err();
            assert!(error.ends_with(expected), "{error}");
        }
    }

    #[test]
    fn files_that_are_missing_are_told() {
        for (names, expected) in [
            (
                &["cuts.0.jsonl", "cuts.1.jsonl", "recording.0.tar"][..],
                "the field recording as of cuts, which are 2, got 1",
            ),
            (
                &["cuts.0.jsonl", "recording.1.tar"],
                "of the field recording of the number of cuts.0.jsonl, got recording.1.tar",
            ),
            (
                &["cuts.10.jsonl", "cuts.0.jsonl", "cuts.1.jsonl"],
                "expected a file of cuts with the number 2, got cuts.10.jsonl next: files are missing",
            ),
            (&["cuts.1.jsonl"], "expected a file of cuts with the number 0, got cuts.1.jsonl next: files are missing"),
            (&["recording.1.tar"], "expected files cuts.*.jsonl.gz in a Shar folder, got none"),
        ] {
            let error = find(folder(names).path()).unwrap_err();
            assert!(error.ends_with(expected), "{error}");
        }
        assert!(!SharFolder::is_one(folder(&["cuts.jsonl.gz", "recordings.jsonl.gz"]).path()));
        assert!(SharFolder::is_one(folder(&["cuts.jsonl.gz", "recording.tar"]).path()));
        assert!(!SharFolder::is_one(folder(&["recording.0.tar"]).path()));
    }
}
