//! The rows that fulfil conditions.

use bstr::BString;
use kaldi_io::was_interrupted;
use memchr::memchr_iter;
use memchr::memmem::Finder;

use crate::server::catalog::{Catalog, Says};
use crate::server::failure::{Answer, Failure};
use crate::server::filter::lower;

/// A set of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RowSet(Vec<u64>);

impl RowSet {
    pub fn new(len: u32) -> Self {
        Self(vec![0; (len as usize).div_ceil(64)])
    }

    pub fn insert(&mut self, row: u32) {
        self.0[row as usize / 64] |= 1 << (row % 64);
    }

    pub fn has(&self, row: u32) -> bool {
        self.0[row as usize / 64] >> (row % 64) & 1 == 1
    }
}

/// Where a word is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchedIn {
    Key,
    Rest,
    Anywhere,
}

/// For each word, in small letters, the rows that have it in the key, the speaker or the text.
///
/// # Errors
/// If a list cannot be read.
pub(crate) fn rows_with(catalog: &Catalog, words: &[BString]) -> Answer<Vec<RowSet>> {
    let mut found = vec![RowSet::new(catalog.len()); words.len()];
    if words.is_empty() {
        return Ok(found);
    }
    let keyed: Vec<usize> = catalog.lists_of_rows().collect();
    for list in 0..catalog.lists.len() {
        let has_text = matches!(catalog.lists[list].says, Says::Speaker | Says::Text);
        let place = match (keyed.contains(&list), has_text) {
            (true, true) => SearchedIn::Anywhere,
            (true, false) => SearchedIn::Key,
            (false, true) => SearchedIn::Rest,
            (false, false) => continue,
        };
        scan(catalog, list, place, words, &mut found)?;
    }
    Ok(found)
}

/// Looks for words in a list.
fn scan(catalog: &Catalog, list: usize, place: SearchedIn, words: &[BString], found: &mut [RowSet]) -> Answer<()> {
    let finders: Vec<Finder> = words.iter().map(Finder::new).collect();
    let is_ascii = words.iter().all(|word| word.is_ascii());
    let lines = &catalog.lists[list].lines;
    let (mut first, mut starts) = (0_u32, Vec::new());
    lines.pieces(0..u64::MAX, |_, piece| {
        if was_interrupted() {
            return Err(Failure::Unreadable("interrupted".into()));
        }
        // The number of lines stays the same.
        let piece = if is_ascii { piece.to_ascii_lowercase().into() } else { lower(piece) };
        starts.clear();
        let ends = memchr_iter(b'\n', &piece).chain((piece.last() != Some(&b'\n')).then_some(piece.len()));
        let mut start = 0;
        for end in ends {
            if !piece[start..end].trim_ascii().is_empty() {
                starts.push(start);
            }
            start = end + 1;
        }
        for (finder, found) in finders.iter().zip(&mut *found) {
            let mut at = 0;
            while let Some(hit) = finder.find(&piece[at..]).map(|hit| at + hit) {
                let line = starts.partition_point(|&start| start <= hit);
                let next = starts.get(line).copied().unwrap_or(piece.len());
                let Some(line) = line.checked_sub(1) else {
                    at = hit + 1;
                    continue;
                };
                let indent = piece[starts[line]..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                let start = starts[line] + indent;
                let key_end = start + piece[start..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
                let is_in_key = hit + finder.needle().len() <= key_end;
                let is_wanted = match place {
                    SearchedIn::Key => is_in_key,
                    SearchedIn::Rest => hit >= key_end,
                    SearchedIn::Anywhere => is_in_key || hit >= key_end,
                };
                at = match (is_wanted, place) {
                    (true, _) | (false, SearchedIn::Key) => next.max(hit + 1),
                    (false, _) => key_end.max(hit + 1),
                };
                if is_wanted && let Some(row) = catalog.row_of_line(list, first + line as u32) {
                    found.insert(row);
                }
            }
        }
        first += starts.len() as u32;
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_keys_speakers_and_texts() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        file("utt2spk", "utt1 Anna\n\n  utt2  ben\nutt3 anna\n");
        file("text", "utt4 ONE two\nutt1 nothing\nutt2 Äpfel utt9\nutt3");
        file("feats.scp", "utt5 two.ark:1\n");
        let name = BString::from(folder.path().as_os_str().as_encoded_bytes());
        let catalog = Catalog::open(&[name]).unwrap();
        let t = |word: &str, expected: &[&str]| {
            let found = rows_with(&catalog, &[word.into()]).unwrap();
            let rows: Vec<u32> = (0..catalog.len()).filter(|&row| found[0].has(row)).collect();
            assert_eq!(catalog.keys(&rows).unwrap(), expected, "{word}");
        };
        t("anna", &["utt1", "utt3"]);
        t("utt", &["utt1", "utt2", "utt3", "utt4", "utt5"]);
        t("utt3", &["utt3"]);
        t("two", &["utt4"]);
        t("one two", &["utt4"]);
        t("äpfel", &["utt2"]);
        t("utt9", &["utt2"]);
        t("othing", &["utt1"]);
        t("utt1 anna", &[]);
        t("ark", &[]);
        let both = rows_with(&catalog, &["anna".into(), "utt3".into()]).unwrap();
        assert_eq!(both.iter().map(|set| set.has(2)).collect::<Vec<_>>(), [true, true]);
    }
}
