//! Folders that `save_to_disk` of `datasets` writes.
//!
//! ```text
//! dataset_dict.json                {"splits": ["train", "test"]}, if there are several, each in a folder of its own
//! train/state.json                 {"_data_files": [{"filename": "data-00000-of-00001.arrow"}], "_split": "train", ...}
//! train/data-00000-of-00001.arrow
//! ```

use std::fs;
use std::path::{Component, Path};

use bstr::BString;
use serde_json::Value;

use crate::{CorpusPlace, Error, Result};

/// What such a folder has: its splits, or what a split has.
const SPLITS: &str = "dataset_dict.json";
const STATE: &str = "state.json";

/// Whether a folder is one.
pub(super) fn is_saved(folder: &Path) -> bool {
    [SPLITS, STATE].iter().any(|file| folder.join(file).is_file())
}

/// The splits of a folder that `save_to_disk` of `datasets` wrote: none if it is one data set. `None` if it is another folder.
///
/// # Errors
/// If its list of splits makes no sense.
pub fn saved_splits(folder: &Path) -> Result<Option<Vec<String>>> {
    if !folder.join(SPLITS).is_file() {
        return Ok(is_saved(folder).then(Vec::new));
    }
    let (object, place) = object(&folder.join(SPLITS))?;
    names(&object["splits"], &place, "splits").map(Some)
}

/// The files of all splits of such a folder. `None` if it is another folder.
///
/// # Errors
/// If what it says of itself makes no sense.
pub fn saved_files(folder: &Path) -> Result<Option<Vec<BString>>> {
    let Some(splits) = saved_splits(folder)? else { return Ok(None) };
    let mut files = if splits.is_empty() { files_of_one(folder, None)? } else { Vec::new() };
    for split in splits {
        files.extend(files_of_one(&folder.join(split), None)?);
    }
    Ok(Some(files))
}

/// The files of the wanted split, or of the only one.
pub(super) fn files(folder: &Path, split: Option<&str>) -> Result<Vec<BString>> {
    let splits = saved_splits(folder)?.unwrap_or_default();
    let refusal = |message: String| Err(Error::Nothing(format!("{}: {message}", folder.display())));
    match (split, splits.as_slice()) {
        (_, []) => files_of_one(folder, split),
        (None, [only]) => files_of_one(&folder.join(only), None),
        (None, _) => refusal(format!("expected `split` with one of {}", splits.join(", "))),
        (Some(split), _) if splits.iter().any(|it| it == split) => files_of_one(&folder.join(split), None),
        (Some(split), _) => refusal(format!("expected a split {split}, got {}", splits.join(", "))),
    }
}

/// The files of a data set, which must be the wanted split.
fn files_of_one(folder: &Path, split: Option<&str>) -> Result<Vec<BString>> {
    let (state, place) = object(&folder.join(STATE))?;
    if let Some(split) = split.filter(|split| state["_split"] != **split) {
        let found = state["_split"].as_str().unwrap_or("none");
        return Err(place.error(format!("expected a split {split}, got {found}")));
    }
    // Programs of former times left rows where they were, and wrote which ones are meant.
    let has_indices = ["_indices_data_files", "_indices_files"].iter().any(|key| {
        let indices = &state[*key];
        !indices.is_null() && indices.as_array().is_none_or(|files| !files.is_empty())
    });
    if has_indices {
        return Err(
            place.error("expected rows as they are, got indices of rows: save_to_disk of today's datasets writes rows")
        );
    }
    let files =
        state["_data_files"].as_array().map(|files| files.iter().map(|file| file["filename"].clone()).collect());
    let files = names(&files.unwrap_or_default(), &place, "_data_files")?;
    Ok(files.iter().map(|file| folder.join(file).into_os_string().into_encoded_bytes().into()).collect())
}

fn object(path: &Path) -> Result<(Value, CorpusPlace)> {
    let name = path.display().to_string();
    let place = CorpusPlace { name: name.as_str().into(), line: None };
    let bytes = fs::read(path).map_err(|source| Error::Folder { name, source })?;
    match serde_json::from_slice(&bytes) {
        Ok(object) => Ok((object, place)),
        Err(error) => Err(place.error(format!("expected an object in JSON, got something else: {error}"))),
    }
}

/// Names in a folder, one or more: none of them may lead out of it.
fn names(list: &Value, place: &CorpusPlace, what: &str) -> Result<Vec<String>> {
    let is_inside = |name: &str| {
        let mut parts = Path::new(name).components();
        matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None))
    };
    let name = |name: &Value| match name.as_str().filter(|name| is_inside(name)) {
        Some(name) => Ok(name.to_owned()),
        None => Err(place.error(format!("expected names in {what}, got {name}"))),
    };
    match list.as_array().map(Vec::as_slice) {
        None | Some([]) => Err(place.error(format!("expected a list of names in {what}, got none"))),
        Some(list) => list.iter().map(name).collect(),
    }
}
