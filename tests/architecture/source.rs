//! The sources of the repository, parsed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A parsed file of a crate.
pub struct Source {
    /// The place in the repository, for messages.
    pub path: String,
    /// The module that the file is: `["output", "stream"]` for `src/output/stream.rs`, nothing for `src/lib.rs`.
    pub module: Vec<String>,
    pub file: syn::File,
}

/// Parses the files of a crate, given their places below its `src` folder with their text, tests left out.
///
/// A file is a test where a module says so: `#[cfg(test)] mod tests;`.
pub fn parse_crate(folder: &str, files: &BTreeMap<String, String>) -> Vec<Source> {
    let mut sources: Vec<_> = files.iter().map(|(place, text)| parse(folder, place, text)).collect();
    let is_tests = |module: &[String]| {
        let (name, parent) = module.split_last()?;
        let parent = sources.iter().find(|source| source.module == parent)?;
        parent.file.items.iter().find_map(|item| match item {
            syn::Item::Mod(item) if item.ident == name => Some(is_test(&item.attrs)),
            _ => None,
        })
    };
    let tests: Vec<_> = sources.iter().map(|source| is_tests(&source.module) == Some(true)).collect();
    let tests: Vec<_> =
        tests.iter().zip(&sources).filter(|(test, _)| **test).map(|(_, source)| source.module.clone()).collect();
    sources.retain(|source| !tests.iter().any(|module| source.module.starts_with(module)));
    sources
}

fn parse(folder: &str, place: &str, text: &str) -> Source {
    let path = format!("{folder}/{place}");
    let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut module: Vec<_> = place.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if matches!(module.last().map(String::as_str), Some("lib" | "main" | "mod")) {
        module.pop();
    }
    Source { path, module, file }
}

/// Whether an item is compiled for tests only: `#[test]`, `#[cfg(test)]`, `#[cfg(all(test, ...))]`.
pub fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::Path(path) => path.is_ident("test"),
        syn::Meta::List(list) => {
            let condition = list.tokens.to_string();
            list.path.is_ident("cfg") && (condition == "test" || condition.starts_with("all (test ,"))
        }
        syn::Meta::NameValue(_) => false,
    })
}

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
