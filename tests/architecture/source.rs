//! The files of the repository.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A file of the repository.
pub fn read(place: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(place);
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{place}: {error}"))
}

/// The Rust files below a folder of the repository, by their places in it, with their text.
pub fn files_below(folder: &str) -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let (mut files, mut folders) = (BTreeMap::new(), vec![PathBuf::new()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).unwrap().map(Result::unwrap) {
            let place = folder.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                folders.push(place);
            } else if place.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(entry.path()).unwrap();
                files.insert(place.to_str().unwrap().to_owned(), text);
            }
        }
    }
    files
}
