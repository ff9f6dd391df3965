//! Differences between two models, or statistics.

use std::path::Path;

use bstr::{BStr, BString};
use kaldi_any::ModelType;
use kaldi_corpus::{DIRECTORY_FILES, DataDirectory};
use kaldi_io::Input;

use crate::model::{has_network, model_text};
use crate::{Difference, Error, Result, Tolerance};

/// Compares two models of the same kind, or statistics for one, by the words and numbers of their text; `None` if they are equal. Numbers
/// that have the same text may differ beyond it: that counts without a tolerance, if both are binary. A network behind transitions is
/// compared by its bytes.
///
/// # Errors
/// If one of them cannot be read.
pub fn diff_models(names: [&BStr; 2], model_type: ModelType, tolerance: Tolerance) -> Result<Option<Difference>> {
    let [one, other] = names.map(|name| model_text(name, model_type));
    if let Some(difference) = of_texts(&one?, &other?, tolerance) {
        return Ok(Some(difference));
    }
    let [one, other] = names.map(read_all);
    let (one, other) = (one?, other?);
    if one == other {
        return Ok(None);
    }
    let key = BString::default();
    let [has_one, has_other] = names.map(|name| has_network(name, model_type));
    let has_network = has_one? || has_other?;
    if one.starts_with(b"\0") != other.starts_with(b"\0") {
        let message = "the networks, of which one is text, are not compared".to_owned();
        return Ok(has_network.then_some(Difference::Unreadable { key, message }));
    }
    let is_exact = tolerance.relative == 0.0 && tolerance.absolute == 0.0 && one.starts_with(b"\0");
    Ok((is_exact || has_network).then_some(Difference::Values(key)))
}

fn read_all(name: &BStr) -> Result<Vec<u8>> {
    let mut input = Input::open(name)?;
    let bytes = input.read_to_end()?;
    input.finish()?;
    Ok(bytes)
}

/// Compares the words of two texts, numbers by their values.
fn of_texts(one: &[u8], other: &[u8], tolerance: Tolerance) -> Option<Difference> {
    let key = BString::default();
    let words =
        |text| -> Vec<&[u8]> { <[u8]>::split(text, u8::is_ascii_whitespace).filter(|it| !it.is_empty()).collect() };
    let number = |word: &[u8]| std::str::from_utf8(word).ok()?.parse::<f64>().ok();
    let (one, other) = (words(one), words(other));
    let (mut count, mut of, mut largest, mut at, mut values) = (0, 0, -1.0, 0, [0.0; 2]);
    for place in 0..one.len().max(other.len()) {
        let pair = [&one, &other].map(|words| words.get(place).copied().unwrap_or_default());
        match pair.map(number) {
            [Some(first), Some(second)] => {
                of += 1;
                let Some(difference) = tolerance.difference(first, second) else { continue };
                count += 1;
                if difference > largest {
                    (largest, at, values) = (difference, place, [first, second]);
                }
            }
            _ if pair[0] == pair[1] => {}
            _ => return Some(Difference::Words { key, place, words: pair.map(BString::from) }),
        }
    }
    (count > 0).then_some(Difference::Numbers { key, count: [count, of], largest, place: vec![at], values })
}

/// The files of two data directories, and which of them has each.
///
/// # Errors
/// If one of them is no data directory ([`Error::NoData`]).
pub fn directory_files(folders: [&Path; 2]) -> Result<Vec<(&'static str, [bool; 2])>> {
    for folder in folders {
        if !DataDirectory::new(folder).is_data_directory() {
            return Err(Error::NoData { name: folder.as_os_str().as_encoded_bytes().into() });
        }
    }
    let has = |name: &'static str| (name, folders.map(|folder| DataDirectory::new(folder).has(name)));
    Ok(DIRECTORY_FILES.iter().map(|file| has(file.name)).filter(|(_, has)| has.contains(&true)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_texts_are_compared_by_their_values() {
        let diff = |one: &str, other: &str, relative| {
            let tolerance = Tolerance { relative, ..Tolerance::default() };
            of_texts(one.as_bytes(), other.as_bytes(), tolerance).map(|it| it.to_string())
        };
        assert_eq!(diff("<A> 1 2.0\n</A>", "<A>  1 2 </A>", 0.0), None);
        let found = "1 of 2 numbers differs; the largest difference is 0.500000 at place 2: 2, and 2.5";
        assert_eq!(diff("<A> 1 2 </A>", "<A> 1 2.5 </A>", 0.0).as_deref(), Some(found));
        assert_eq!(diff("<A> 1 2 </A>", "<A> 1 2.5 </A>", 0.3), None);
        let words = "words differ from word 2 on: \"</A>\", and \"3\"";
        assert_eq!(diff("<A> 1 </A>", "<A> 1 3 </A>", 9.0).as_deref(), Some(words));
        assert_eq!(diff("1", "", 0.0).as_deref(), Some("words differ from word 0 on: \"1\", and \"\""));
    }
}
