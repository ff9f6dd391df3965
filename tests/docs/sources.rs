use std::fs;
use std::path::Path;

/// A file of the repository.
pub fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
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
