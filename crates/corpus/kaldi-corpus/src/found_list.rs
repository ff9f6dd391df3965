//! Utterances that were found, in little memory.

use std::collections::HashMap;
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};

use crate::{CorpusPlace, FoundArray, FoundFeatures, FoundSound, FoundUtterance};

/// Where bytes are in [`FoundList`], in units of [`UNIT`]. Their length is before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part(u32);

impl Part {
    /// No bytes.
    pub(crate) const NONE: Self = Self(u32::MAX);
}

/// Parts start at multiples of so many bytes, so that there may be 16 GB of them.
const UNIT: usize = 4;

/// Stands for a number that is not there.
const NONE: u32 = u32::MAX;

/// Stands for a time that is not there. Manifests may have times that are no numbers, but not with these bits.
const NO_TIME: f64 = f64::from_bits(0x7ff8_6e6f_7469_6d65);

/// Stands for the end of the sound, in the same way.
const TO_THE_END: f64 = f64::from_bits(0x7ff8_6f70_656e_6564);

/// Utterances that were found. Their texts lie one after the other; names that many of them have are numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoundList {
    bytes: Vec<u8>,
    items: Vec<Item>,
    names: Names,
    /// Features that have to be copied, by the numbers of utterances.
    arrays: HashMap<u32, FoundArray>,
    /// Whether there were more bytes than parts can name.
    is_full: bool,
}

/// An utterance.
#[derive(Clone, Copy, Debug)]
struct Item {
    /// The name of the file where it was found, and the number of the line or row.
    file: Part,
    line: u32,
    is_row: bool,
    /// The store of sound that lies inside of another file.
    store: u32,
    /// The number of this sound, or the part of a name.
    audio: u64,
    path: Part,
    id: Part,
    recording: Part,
    text: Part,
    speaker: Part,
    features: Part,
    /// Other facts: names and words, each after its length in four bytes.
    extra: Part,
    language: u32,
    gender: u32,
    channel: u32,
    /// In seconds.
    start: f64,
    end: f64,
}

/// Names, which have numbers.
#[derive(Clone, Debug, Default)]
struct Names {
    all: Vec<Arc<[u8]>>,
    numbers: HashMap<Arc<[u8]>, u32>,
}

impl Names {
    fn number(&mut self, name: &[u8]) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let (name, number) = (Arc::<[u8]>::from(name), self.all.len() as u32);
        self.all.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        number
    }

    fn get(&self, number: u32) -> Option<&BStr> {
        self.all.get(number as usize).map(|name| name.as_bstr())
    }
}

impl FoundList {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether some of the bytes are missing, since there were too many.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Appends bytes.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> Part {
        self.bytes.resize(self.bytes.len().next_multiple_of(UNIT), 0);
        let part = u32::try_from(self.bytes.len() / UNIT).map_or(Part::NONE, Part);
        if part == Part::NONE {
            self.is_full = true;
            return part;
        }
        let mut length = bytes.len();
        while length >= 0x80 {
            self.bytes.push(length as u8 | 0x80);
            length >>= 7;
        }
        self.bytes.push(length as u8);
        self.bytes.extend_from_slice(bytes);
        part
    }

    /// The one of these parts that has the bytes.
    fn find(&self, bytes: &[u8], known: &[Part]) -> Option<Part> {
        known.iter().copied().find(|part| self.get(*part).is_some_and(|it| it == bytes))
    }

    /// Appends bytes, unless one of these parts has them.
    fn put_once(&mut self, bytes: &[u8], known: &[Part]) -> Part {
        self.find(bytes, known).unwrap_or_else(|| self.put(bytes))
    }

    /// The bytes of a part.
    pub(crate) fn get(&self, part: Part) -> Option<&BStr> {
        let bytes = (part != Part::NONE).then(|| &self.bytes[part.0 as usize * UNIT..])?;
        let (length, start) = match bytes[0] {
            short @ ..0x80 => (usize::from(short), 1),
            _ => {
                let width = bytes.iter().position(|byte| *byte < 0x80).map_or(0, |last| last + 1);
                (bytes[..width].iter().rev().fold(0, |length, byte| length << 7 | usize::from(byte & 0x7f)), width)
            }
        };
        Some(bytes[start..start + length].as_bstr())
    }

    /// Adds an utterance.
    pub(crate) fn push(&mut self, found: &FoundUtterance) {
        let former = self.items.last().copied().unwrap_or(Item::NONE);
        let (store, audio) = match &found.audio {
            FoundSound::Named(name) => (NONE, self.put_once(name, &[former.name()]).0.into()),
            FoundSound::Inside { store, index } => (*store as u32, *index),
        };
        let mut item = Item { store, audio, ..Item::NONE };
        item.path = self.put_once(&found.path, &[item.name(), former.path]);
        item.id = self.put_some(found.id.as_ref(), &[item.path]);
        item.recording = self.put_some(found.recording.as_ref(), &[item.id, item.path, former.recording]);
        item.text = self.put_some(found.text.as_ref(), &[]);
        item.speaker = self.put_some(found.speaker.as_ref(), &[former.speaker]);
        match &found.features {
            None => {}
            Some(FoundFeatures::Named(name)) => item.features = self.put(name),
            Some(FoundFeatures::Array(array)) => drop(self.arrays.insert(self.items.len() as u32, array.clone())),
        }
        if !found.extra.is_empty() {
            let mut facts = Vec::new();
            for text in found.extra.iter().flat_map(|(name, words)| [name, words]) {
                facts.extend((text.len() as u32).to_le_bytes());
                facts.extend(text.as_bytes());
            }
            item.extra = self.put(&facts);
        }
        let mut name = |name: &Option<BString>| name.as_ref().map_or(NONE, |name| self.names.number(name));
        (item.language, item.gender) = (name(&found.language), name(&found.gender));
        let (file, line) = found.place.file_and_number();
        (item.is_row, item.line) = (found.place.is_row(), line.and_then(|line| line.try_into().ok()).unwrap_or(NONE));
        item.file = self.put_once(file.as_bytes(), &[former.file, item.name(), item.path]);
        item.channel = found.channel.unwrap_or(NONE);
        let no_end = if found.is_open { TO_THE_END } else { NO_TIME };
        (item.start, item.end) = (found.start.unwrap_or(NO_TIME), found.end.unwrap_or(no_end));
        self.items.push(item);
    }

    /// Appends bytes that an utterance may have, or one of these parts.
    pub(crate) fn put_for(&mut self, index: usize, bytes: &[u8], known: &[Part]) -> Part {
        let item = self.items[index];
        let part = self.find(bytes, &[item.id, item.recording, item.speaker]).or_else(|| self.find(bytes, known));
        part.unwrap_or_else(|| self.put(bytes))
    }

    fn put_some(&mut self, text: Option<&impl AsRef<[u8]>>, known: &[Part]) -> Part {
        text.map_or(Part::NONE, |text| self.put_once(text.as_ref(), known))
    }

    /// Reads where the utterance with this number is, and its names and times, into one that was read before, whose memory is used
    /// again. The rest of it is asked for by itself.
    pub(crate) fn read(&self, index: usize, out: &mut FoundUtterance) {
        let item = &self.items[index];
        match (self.get(item.name()), &mut out.audio) {
            (Some(name), FoundSound::Named(audio)) => copy(audio, name),
            (Some(name), audio) => *audio = FoundSound::Named(name.to_owned()),
            (None, audio) => *audio = FoundSound::Inside { store: item.store as usize, index: item.audio },
        }
        copy(&mut out.path, self.get(item.path).unwrap_or_default());
        copy_some(&mut out.id, self.get(item.id));
        copy_some(&mut out.recording, self.get(item.recording));
        copy_some(&mut out.speaker, self.get(item.speaker));
        out.channel = (item.channel != NONE).then_some(item.channel);
        ([out.start, out.end], out.is_open) = (self.times(index), self.is_open(index));
        let file = self.get(item.file).unwrap_or_default().to_str_lossy();
        match item.is_row {
            true => out.place = CorpusPlace::row(&file, item.line.into()),
            false => {
                if *out.place.name != *file {
                    out.place.name = file.into();
                }
                out.place.line = (item.line != NONE).then_some(item.line.into());
            }
        }
    }

    /// Where an utterance was found.
    pub(crate) fn place(&self, index: usize) -> CorpusPlace {
        let item = &self.items[index];
        let file = self.get(item.file).unwrap_or_default().to_str_lossy();
        match item.is_row {
            true => CorpusPlace::row(&file, item.line.into()),
            false => CorpusPlace { name: file.into(), line: (item.line != NONE).then_some(item.line.into()) },
        }
    }

    /// The name of the sound of an utterance; `None` if it lies inside of another file.
    pub(crate) fn sound(&self, index: usize) -> Option<&BStr> {
        self.get(self.items[index].name())
    }

    /// The store and the number of sound that lies inside of another file.
    pub(crate) fn stored_sound(&self, index: usize) -> Option<(usize, u64)> {
        let item = &self.items[index];
        (item.store != NONE).then_some((item.store as usize, item.audio))
    }

    /// The text of an utterance.
    pub(crate) fn text(&self, index: usize) -> Option<&BStr> {
        self.get(self.items[index].text)
    }

    /// The language of an utterance.
    pub(crate) fn language(&self, index: usize) -> Option<&BStr> {
        self.names.get(self.items[index].language)
    }

    /// The gender of the speaker of an utterance.
    pub(crate) fn gender(&self, index: usize) -> Option<&BStr> {
        self.names.get(self.items[index].gender)
    }

    /// Start and end of an utterance.
    pub(crate) fn times(&self, index: usize) -> [Option<f64>; 2] {
        let is_time = |time: &f64| ![NO_TIME, TO_THE_END].iter().any(|none| time.to_bits() == none.to_bits());
        [self.items[index].start, self.items[index].end].map(|time| Some(time).filter(is_time))
    }

    /// Whether an utterance ends with its sound.
    pub(crate) fn is_open(&self, index: usize) -> bool {
        self.items[index].end.to_bits() == TO_THE_END.to_bits()
    }

    /// The channel of an utterance.
    pub(crate) fn channel(&self, index: usize) -> Option<u32> {
        Some(self.items[index].channel).filter(|channel| *channel != NONE)
    }

    /// The place of the features of an utterance.
    pub(crate) fn features(&self, index: usize) -> Option<&BStr> {
        self.get(self.items[index].features)
    }

    /// Says where the features of an utterance are.
    pub(crate) fn set_features(&mut self, index: usize, place: &BStr) {
        self.items[index].features = self.put(place);
    }

    /// Features of an utterance that have to be copied.
    pub(crate) fn array(&self, index: usize) -> Option<&FoundArray> {
        self.arrays.get(&(index as u32))
    }

    /// Other facts of an utterance: the name of the table after `utt2`, and the words.
    pub(crate) fn extra(&self, index: usize) -> impl Iterator<Item = (&BStr, &BStr)> {
        let mut facts = self.get(self.items[index].extra).unwrap_or_default().as_bytes();
        let mut next = move || {
            let (length, rest) = facts.split_first_chunk::<4>()?;
            let (text, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            facts = rest;
            Some(text.as_bstr())
        };
        std::iter::from_fn(move || Some((next()?, next()?)))
    }

    /// Adds the utterances of another list after these.
    pub(crate) fn append(&mut self, mut others: Self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(UNIT), 0);
        let (start, count) = ((self.bytes.len() / UNIT) as u64, self.items.len() as u32);
        // The last part starts before the end.
        self.is_full |= others.is_full || start + (others.bytes.len() / UNIT) as u64 >= NONE.into();
        if self.is_full {
            return;
        }
        map_by_itself(&mut self.bytes);
        map_by_itself(&mut self.items);
        let moved = |part: Part| if part == Part::NONE { part } else { Part(part.0 + start as u32) };
        let numbers: Vec<u32> = others.names.all.iter().map(|name| self.names.number(name)).collect();
        let named = |number: u32| numbers.get(number as usize).copied().unwrap_or(NONE);
        self.bytes.append(&mut others.bytes);
        self.items.extend(others.items.iter().map(|item| Item {
            file: moved(item.file),
            audio: if item.store == NONE { item.audio + start } else { item.audio },
            path: moved(item.path),
            id: moved(item.id),
            recording: moved(item.recording),
            text: moved(item.text),
            speaker: moved(item.speaker),
            features: moved(item.features),
            extra: moved(item.extra),
            language: named(item.language),
            gender: named(item.gender),
            ..*item
        }));
        self.arrays.extend(others.arrays.into_iter().map(|(at, array)| (at + count, array)));
    }
}

/// Makes room for more than the allocator takes from its heap, once a vector has some megabytes: a mapping of its own grows by `mremap`,
/// without a copy, while each step of growth on the heap leaves a hole. Pages that are not written to take no memory.
fn map_by_itself<T>(items: &mut Vec<T>) {
    const FROM: usize = 4 << 20;
    const MAPPED: usize = 33 << 20;
    let size = size_of::<T>();
    if items.len() * size > FROM && items.capacity() * size < MAPPED {
        // Without that room it is as before.
        let _ = kaldi_io::fallible(|| items.try_reserve_exact(MAPPED / size - items.len()));
    }
}

impl Item {
    /// Nothing is known.
    const NONE: Self = Self {
        file: Part::NONE,
        line: 0,
        is_row: false,
        store: 0,
        audio: 0,
        path: Part::NONE,
        id: Part::NONE,
        recording: Part::NONE,
        text: Part::NONE,
        speaker: Part::NONE,
        features: Part::NONE,
        extra: Part::NONE,
        language: NONE,
        gender: NONE,
        channel: NONE,
        start: NO_TIME,
        end: NO_TIME,
    };

    /// The name of the sound, if it has one.
    fn name(&self) -> Part {
        if self.store == NONE { Part(self.audio as u32) } else { Part::NONE }
    }
}

fn copy(out: &mut BString, bytes: &BStr) {
    out.clear();
    out.extend_from_slice(bytes);
}

fn copy_some(out: &mut Option<BString>, bytes: Option<&BStr>) {
    match bytes {
        Some(bytes) => copy(out.get_or_insert_default(), bytes),
        None => *out = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(number: u32) -> FoundUtterance {
        let every = |count: u32| number.is_multiple_of(count);
        let place = match number % 3 {
            0 => CorpusPlace::row("a.parquet", number.into()),
            1 => CorpusPlace { name: "cuts".into(), line: Some(number.into()) },
            _ => CorpusPlace { name: "x/y.wav".into(), line: None },
        };
        let audio = match number % 2 {
            0 => FoundSound::Named(format!("/sound/{}.wav", number / 4).into()),
            _ => FoundSound::Inside { store: 3, index: number.into() },
        };
        let mut found = FoundUtterance::new(place, audio, format!("path{}", number / 2).into());
        found.id = (!every(4)).then(|| format!("id{number}").into());
        found.recording = (!every(5)).then(|| format!("id{number}").into());
        found.speaker = (!every(3)).then(|| format!("s{}", number / 3).into());
        found.text = (!every(7)).then(|| "word ".repeat(number as usize * 10));
        found.language = every(2).then(|| format!("l{}", number % 5).into());
        found.gender = every(3).then(|| "f".into());
        (found.start, found.end) = (every(2).then_some(0.5), every(3).then_some(number.into()));
        found.is_open = number % 5 == 1 && found.end.is_none();
        found.channel = (number % 4 == 1).then_some(1);
        found.features = match number % 4 {
            0 => Some(FoundFeatures::Named("a.ark:17".into())),
            1 => Some(FoundFeatures::Array(FoundArray {
                file: "a.npy".into(),
                place: None,
                is_packed: false,
                rows: None,
            })),
            _ => None,
        };
        let fact = |name: &str| (format!("{name}{}", number % 3), number.to_string());
        found.extra = if every(2) { Vec::new() } else { vec![fact("x"), fact("y")] };
        found
    }

    #[test]
    fn what_is_added_is_there() {
        let mut list = FoundList::default();
        let mut other = FoundList::default();
        (0..20).for_each(|number| list.push(&found(number)));
        (20..40).for_each(|number| other.push(&found(number)));
        list.append(other);
        assert_eq!(list.len(), 40);
        let mut read = found(0);
        for number in 0..40 {
            let (at, expected) = (number as usize, found(number));
            list.read(at, &mut read);
            assert_eq!((&read.audio, &read.path, &read.id), (&expected.audio, &expected.path, &expected.id));
            assert_eq!((&read.recording, &read.speaker), (&expected.recording, &expected.speaker));
            assert_eq!((read.start, read.end, read.channel), (expected.start, expected.end, expected.channel));
            assert_eq!((read.is_open, list.is_open(at)), (expected.is_open, expected.is_open));
            assert_eq!((&read.place, &list.place(at)), (&expected.place, &expected.place));
            assert_eq!(list.text(at), expected.text.as_deref().map(BStr::new));
            assert_eq!(list.language(at), expected.language.as_ref().map(|it| it.as_bstr()));
            assert_eq!(list.gender(at), expected.gender.as_ref().map(|it| it.as_bstr()));
            let extra: Vec<_> = list.extra(at).map(|(name, words)| (name.to_string(), words.to_string())).collect();
            assert_eq!(extra, expected.extra);
            let features = match (list.features(at), list.array(at)) {
                (Some(name), _) => Some(FoundFeatures::Named(name.to_owned())),
                (None, array) => array.cloned().map(FoundFeatures::Array),
            };
            assert_eq!(features, expected.features);
        }
        list.set_features(1, "b.ark:5".into());
        assert_eq!(list.features(1), Some(BStr::new("b.ark:5")));
    }
}
