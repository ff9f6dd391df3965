//! The letters and words of all texts.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_script::{Script, UnicodeScript};

/// The letters of a script are strange if fewer than this share of the utterances have one.
const RARE: f64 = 0.01;

/// The letters and words of all texts of a table.
#[derive(Clone, Debug, Default)]
pub struct Census {
    utterances: usize,
    characters: BTreeMap<char, CharacterCount>,
    scripts: HashMap<Script, usize>,
    words: HashMap<Box<str>, usize>,
}

/// How often a character is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CharacterCount {
    /// In all texts together.
    pub count: usize,
    /// How many utterances have it.
    pub utterances: usize,
}

impl Census {
    /// Counts a text.
    pub fn add(&mut self, text: &[u8]) {
        let text = String::from_utf8_lossy(text);
        self.utterances += 1;
        let mut characters = BTreeMap::<char, usize>::new();
        text.chars().filter(|letter| *letter != ' ').for_each(|letter| *characters.entry(letter).or_default() += 1);
        let scripts: HashSet<Script> = characters.keys().filter_map(|&letter| script(letter)).collect();
        scripts.into_iter().for_each(|script| *self.scripts.entry(script).or_default() += 1);
        for (letter, count) in characters {
            let known = self.characters.entry(letter).or_default();
            known.count += count;
            known.utterances += 1;
        }
        for word in text.split_whitespace() {
            match self.words.get_mut(word) {
                Some(count) => *count += 1,
                None => drop(self.words.insert(word.into(), 1)),
            }
        }
    }

    /// Adds another one.
    pub fn merge(&mut self, other: Self) {
        self.utterances += other.utterances;
        for (letter, counts) in other.characters {
            let known = self.characters.entry(letter).or_default();
            known.count += counts.count;
            known.utterances += counts.utterances;
        }
        other.scripts.into_iter().for_each(|(script, count)| *self.scripts.entry(script).or_default() += count);
        other.words.into_iter().for_each(|(word, count)| *self.words.entry(word).or_default() += count);
    }

    /// How many texts were counted.
    pub fn utterances(&self) -> usize {
        self.utterances
    }

    /// All characters but the space, in the order of their codes.
    pub fn characters(&self) -> impl Iterator<Item = (char, CharacterCount)> + '_ {
        self.characters.iter().map(|(&letter, &counts)| (letter, counts))
    }

    /// How many words there are, and how many different ones.
    pub fn words(&self) -> (usize, usize) {
        (self.words.values().sum(), self.words.len())
    }

    /// The `count` most frequent words; those of equal frequency in the order of their letters.
    pub fn frequent_words(&self, count: usize) -> Vec<(&str, usize)> {
        let mut words: Vec<(&str, usize)> = self.words.iter().map(|(word, &count)| (&**word, count)).collect();
        words.sort_unstable_by(|left, right| right.1.cmp(&left.1).then(left.0.cmp(right.0)));
        words.truncate(count);
        words
    }

    /// If a character stands in no ordinary text of these: a control or format character, one without meaning, the sign for
    /// damaged bytes, or a letter of a script that hardly any utterance has.
    pub fn is_strange(&self, letter: char) -> bool {
        let is_rare = |script: Script| {
            let utterances = self.scripts.get(&script).copied().unwrap_or(0);
            (utterances as f64) < RARE * self.utterances as f64
        };
        is_no_text(letter) || script(letter).is_some_and(is_rare)
    }

    /// The strange characters of a text, each once, in the order of their codes.
    pub fn strange_characters(&self, text: &[u8]) -> Vec<char> {
        let text = String::from_utf8_lossy(text);
        let found: BTreeSet<char> = text.chars().filter(|&letter| self.is_strange(letter)).collect();
        found.into_iter().collect()
    }
}

/// The number of a character, as in Unicode's tables: `U+0430`.
pub fn code_point(letter: char) -> String {
    format!("U+{:04X}", u32::from(letter))
}

/// The characters of a key that cannot be seen, or look like a plain space: control and format characters such as U+FEFF (a byte order
/// mark), U+200B and U+00AD, and white space such as U+00A0. Sorted.
pub fn invisible_characters(key: &[u8]) -> Vec<char> {
    if key.is_ascii() {
        return Vec::new();
    }
    let key = String::from_utf8_lossy(key);
    let is_invisible = |letter: &char| letter.is_whitespace() || (*letter != '\u{fffd}' && is_no_text(*letter));
    let found: BTreeSet<char> = key.chars().filter(is_invisible).collect();
    found.into_iter().collect()
}

/// Control, format and unassigned characters, and U+FFFD. A tab is white space.
fn is_no_text(letter: char) -> bool {
    use GeneralCategory::{Control, Format, Unassigned};
    letter == '\u{fffd}' || (letter != '\t' && matches!(letter.general_category(), Control | Format | Unassigned))
}

/// The script of a letter; `None` for other characters, and for letters of several scripts.
fn script(letter: char) -> Option<Script> {
    let script = letter.script();
    let is_letter = letter.general_category_group() == GeneralCategoryGroup::Letter;
    (is_letter && !matches!(script, Script::Common | Script::Inherited | Script::Unknown)).then_some(script)
}
