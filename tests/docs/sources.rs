use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A file of the repository.
pub fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The libraries by name, with their folders: `kaldi-io` is in `crates/bytes/kaldi-io`.
pub fn crates() -> BTreeMap<String, String> {
    let below = |folder: &str| {
        let entries = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).read_dir().unwrap().map(Result::unwrap);
        entries.filter(|entry| entry.path().is_dir()).map(|entry| entry.file_name().into_string().unwrap()).collect()
    };
    let mut crates = BTreeMap::new();
    let folders: Vec<String> = below("crates");
    for folder in folders.iter().map(|name| format!("crates/{name}")) {
        let names: Vec<String> = below(&folder);
        crates.extend(names.into_iter().map(|name| (name.clone(), format!("{folder}/{name}"))));
    }
    crates
}

/// Everything in the Rust files of these folders.
pub fn of(folders: &[&str]) -> String {
    let mut text = String::new();
    folders.iter().for_each(|folder| append(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut text));
    text
}

fn append(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            append(&path, text);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            text.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
}
