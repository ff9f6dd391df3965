//! Entries by their keys.

use std::collections::HashMap;

use bstr::{BStr, BString, ByteSlice};
use kaldi_any::{Detector, Evidence, ValueType};
use kaldi_table::{RawEntry, ScriptLines, ValueLoader};

use crate::Result;
use crate::entries::Entries;
use crate::kind::{Named, NamedKind};

/// What was found for the given words.
#[derive(Debug)]
pub struct Selected {
    /// An entry for each word, in the order of the words; `None` if the table has no such key.
    pub entries: Vec<Option<RawEntry>>,
    /// The places of words whose values cannot be read, of which there was a warning.
    pub unreadable: Vec<usize>,
    /// The type of the values; `None` if none was found.
    pub value_type: Option<ValueType>,
    /// Where they were read from. Dropping it waits for a command that writes more.
    _source: Option<Entries>,
}

/// Finds the entries of keys. A key may have a range after it: `utt1[0:9]`. If a key comes twice, the first entry is
/// taken.
///
/// Values of a script file are read where its lines say. An archive is read up to the last of the given keys.
///
/// # Errors
/// If the table cannot be read, or the value of a given key.
pub fn select(named: Named, value_type: Option<ValueType>, words: &[BString]) -> Result<Selected> {
    let mut wanted = Wanted::new(words);
    match named.kind {
        NamedKind::Script => from_script(named, value_type, &mut wanted),
        _ => from_entries(named, value_type, &mut wanted),
    }
}

/// The keys of a table, in its order; none if it can be read only once.
///
/// # Errors
/// If the table cannot be read.
pub fn keys_of(named: &Named) -> Result<Vec<BString>> {
    let mut keys = Vec::new();
    if named.is_stream() {
        return Ok(keys);
    }
    if named.kind == NamedKind::Script {
        let mut lines = ScriptLines::open(named.rxfilename.as_bstr())?;
        while let Some(line) = lines.next_line()? {
            keys.push(line.key);
        }
        return Ok(keys);
    }
    let mut entries = Entries::of(named.clone(), None)?;
    while let Some(entry) = entries.next_entry()? {
        keys.push(entry.key().to_owned());
    }
    Ok(keys)
}

/// Whether a word may be a pattern of keys, as shells have them for files.
pub fn is_pattern(word: &[u8]) -> bool {
    word.iter().any(|byte| matches!(byte, b'*' | b'?' | b'['))
}

/// The keys that a pattern stands for: `*` for anything, `?` for a character, `[12]` for one of these.
pub fn matching_keys<'a>(pattern: &BStr, keys: &'a [BString]) -> Vec<&'a BString> {
    let mut expression = String::from("(?s)^");
    let text = pattern.to_str_lossy();
    let mut rest = text.chars().peekable();
    while let Some(letter) = rest.next() {
        match letter {
            '*' => expression += ".*",
            '?' => expression.push('.'),
            '[' => {
                let inside: String = rest.by_ref().take_while(|&letter| letter != ']').collect();
                let (not, inside) = inside.strip_prefix('!').map_or(("", inside.as_str()), |inside| ("^", inside));
                expression += &format!("[{not}{}]", inside.replace(['\\', '[', '&', '~'], ""));
            }
            letter => expression += &regex::escape(letter.encode_utf8(&mut [0; 4])),
        }
    }
    let Ok(wanted) = regex::bytes::Regex::new(&(expression + "$")) else { return Vec::new() };
    keys.iter().filter(|key| wanted.is_match(key)).collect()
}

/// The words that were given.
struct Wanted {
    /// For each key, its places among the words, and the ranges after it.
    places: HashMap<BString, Vec<(usize, Option<BString>)>>,
    num_words: usize,
}

impl Wanted {
    fn new(words: &[BString]) -> Self {
        let mut places = HashMap::<_, Vec<_>>::new();
        for (place, word) in words.iter().enumerate() {
            places.entry(word.clone()).or_default().push((place, None));
            // Something that looks like a range may belong to the key.
            if let Some((key, range)) = word.strip_suffix(b"]").and_then(|word| word.rsplit_once_str(b"[")) {
                places.entry(key.into()).or_default().push((place, Some(range.into())));
            }
        }
        Self { places, num_words: words.len() }
    }

    /// Takes the places and ranges of a key, the first time.
    fn take(&mut self, key: &[u8]) -> Vec<(usize, Option<BString>)> {
        self.places.remove(key.as_bstr()).unwrap_or_default()
    }
}

fn from_entries(named: Named, value_type: Option<ValueType>, wanted: &mut Wanted) -> Result<Selected> {
    let mut entries = Entries::of(named, value_type)?;
    let mut found: Vec<Option<RawEntry>> = vec![None; wanted.num_words];
    while found.iter().any(Option::is_none) && !wanted.places.is_empty() {
        let Some(entry) = entries.next_entry()? else { break };
        let places = wanted.take(entry.key());
        if places.is_empty() {
            continue;
        }
        let entry = entry.detached();
        for (place, range) in places {
            if found[place].is_none() {
                found[place] = Some(entry.clone().with_range(range)?);
            }
        }
    }
    let value_type = found.iter().any(Option::is_some).then(|| entries.value_type());
    Ok(Selected { entries: found, unreadable: Vec::new(), value_type, _source: Some(entries) })
}

fn from_script(named: Named, value_type: Option<ValueType>, wanted: &mut Wanted) -> Result<Selected> {
    let mut lines = ScriptLines::open(named.rxfilename.as_bstr())?;
    let mut found = vec![None; wanted.num_words];
    let mut loader = ValueLoader::strict(Detector::new(value_type));
    while let Some(line) = lines.next_line()? {
        let number = lines.number();
        if number == 1 && !line.is_command() {
            // The more values were seen, the more certain is the type. Whether this one can be read matters only to the
            // caller who asks for it.
            let _ = loader.load_line(Some(lines.name()), number, &line);
        }
        for (place, range) in wanted.take(&line.key) {
            found[place].get_or_insert_with(|| (number, line.clone(), range));
        }
    }
    loader.expect(found.iter().flatten().map(|(_, line, _)| line));
    let mut evidence = Evidence::default();
    let mut unreadable = Vec::new();
    let mut load = |(place, found): (usize, Option<_>)| -> Result<Option<RawEntry>> {
        let Some((number, line, range)) = found else { return Ok(None) };
        let entry = match loader.load_line(Some(lines.name()), number, &line) {
            Ok(entry) => entry,
            Err(error) => {
                crate::Error::from(error).leave_out()?;
                unreadable.push(place);
                return Ok(None);
            }
        };
        evidence.add(entry.head(), entry.is_text());
        kaldi_table::count_delivered();
        Ok(Some(entry.with_range(range)?))
    };
    let entries = found.into_iter().enumerate().map(&mut load).collect::<Result<Vec<_>>>()?;
    let value_type = entries.iter().any(Option::is_some).then(|| evidence.choose(loader.framing().candidates()));
    Ok(Selected { entries, unreadable, value_type, _source: None })
}
