//! Which files a source of columns is.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice};
use column_files::is_arrow;
use kaldi_io::Lines;

use super::saved;
use crate::parts::{PartFault, PartName, check_parts};
use crate::{Error, Result};

/// The first bytes of a Parquet file.
const MAGIC: &[u8] = b"PAR1";

/// Bytes that tell what a file is.
const HEAD: u64 = 1 << 12;

/// The longest first line of a list.
const LONGEST_NAME: u64 = 1 << 12;

/// Whether a file is of columns, or a list of such files, or a folder that has some.
pub(in crate::manifest) fn is_columns(path: &Path) -> Result<bool> {
    if path.is_dir() {
        return Ok(saved::is_saved(path) || !files_below(path)?.is_empty());
    }
    Ok(has_columns(path) || is_list(path))
}

/// Whether a file is Parquet or Arrow.
fn has_columns(path: &Path) -> bool {
    head(path, HEAD).is_some_and(|head| head.starts_with(MAGIC) || is_arrow(&head))
}

fn head(path: &Path, length: u64) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    // What is no regular file is not read twice.
    let file = path.is_file().then(|| File::open(path).ok()).flatten()?;
    file.take(length).read_to_end(&mut head).ok()?;
    Some(head)
}

/// Whether the first line of a file names a file of columns.
fn is_list(path: &Path) -> bool {
    let Some(head) = head(path, LONGEST_NAME) else { return false };
    let line = head.lines().map(<[u8]>::trim_ascii).find(|line| !line.is_empty());
    line.is_some_and(|line| !line.contains(&0) && has_columns(&listed(path, line)))
}

/// The file that a line of a list names: as it is called, or else beside the list.
fn listed(list: &Path, line: &[u8]) -> PathBuf {
    let named = Path::new(std::ffi::OsStr::from_bytes(line));
    let beside = list.parent().unwrap_or(Path::new("")).join(named);
    if !named.is_file() && beside.is_file() { beside } else { named.to_owned() }
}

/// The files of a source, in order.
pub(super) fn files(name: &BStr, split: Option<&str>) -> Result<Vec<BString>> {
    let path = Path::new(std::ffi::OsStr::from_bytes(name));
    if path.is_dir() && saved::is_saved(path) {
        return saved::files(path, split);
    }
    if path.is_dir() {
        let files = of_split(path, files_below(path)?, split)?;
        return match check_parts(&files) {
            Some(PartFault::Missing(message, _) | PartFault::Mixed(message)) => Err(Error::Nothing(message)),
            None => Ok(files),
        };
    }
    if is_list(path) && !has_columns(path) {
        let (mut lines, mut files) = (Lines::open(name)?, Vec::new());
        while let Some(line) = lines.next_line()? {
            let line = line.trim_ascii();
            if !line.is_empty() {
                files.push(listed(path, line).into_os_string().into_encoded_bytes().into());
            }
        }
        lines.finish()?;
        return if split.is_some() { of_split(path, files, split) } else { Ok(files) };
    }
    let file = name.to_owned();
    match (split, split_of(&file)) {
        (Some(wanted), found) if found.as_deref() != Some(wanted) => {
            let found = found.unwrap_or_else(|| "none".to_owned());
            Err(Error::Nothing(format!("{name}: expected a file of the split {wanted}, got one of {found}")))
        }
        _ => Ok(vec![file]),
    }
}

/// All Parquet files in a folder and below, in the order of their bytes.
fn files_below(folder: &Path) -> Result<Vec<BString>> {
    let failed = |folder: &Path, source| Error::Folder { name: folder.display().to_string(), source };
    let (mut folders, mut files) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|source| failed(&folder, source))? {
            let entry = entry.map_err(|source| failed(&folder, source))?;
            if entry.file_name().as_bytes().starts_with(b".") {
                continue;
            }
            // A link to a folder could lead back.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            } else if entry.file_name().as_bytes().ends_with(b".parquet") && entry.path().is_file() {
                files.push(BString::from(entry.path().into_os_string().into_encoded_bytes()));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The files of the wanted split, or of the only one.
fn of_split(folder: &Path, files: Vec<BString>, split: Option<&str>) -> Result<Vec<BString>> {
    let splits: BTreeSet<String> = files.iter().filter_map(split_of).collect();
    let names = || splits.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let nothing = |message| Err(Error::Nothing(format!("{}: {message}", folder.display())));
    match split {
        None if splits.len() > 1 => nothing(format!("expected `split` with one of {}", names())),
        None => Ok(files),
        Some(split) if !splits.contains(split) => nothing(format!(
            "expected a split {split}, got {}",
            if splits.is_empty() { "none".to_owned() } else { names() }
        )),
        Some(split) => Ok(files.into_iter().filter(|file| split_of(file).as_deref() == Some(split)).collect()),
    }
}

/// The split in the name of a file, `train` of `train-00000-of-00002.parquet`. A word may follow the numbers.
fn split_of(file: &BString) -> Option<String> {
    Some(PartName::read(file)?.split().to_str().ok()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_are_in_names_with_numbers() {
        for (name, split) in [
            ("data/train-00000-of-00002.parquet", Some("train")),
            ("train.clean-100-00001-of-00002-0ab1.parquet", Some("train.clean-100")),
            ("train.parquet", None),
            ("train-0-of-x.parquet", None),
            ("-0-of-1.parquet", None),
        ] {
            assert_eq!(split_of(&name.into()).as_deref(), split, "{name}");
        }
    }
}
