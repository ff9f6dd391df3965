//! Differences between two tables.

use std::collections::{HashSet, VecDeque};
use std::fmt;

use bstr::{BStr, BString, ByteSlice};
use kaldi_any::{Content, ValueShape, ValueType, join_names};
use kaldi_table::{KeptEntries, RawEntry};
use kaldi_value::Format;

use crate::Result;
use crate::entries::Entries;
use crate::examined::{for_each, in_groups};
use crate::graph::{graph_difference, read_graph};
use crate::kind::{Named, NamedKind};
use crate::value::{read_content, write_value};

/// Bytes of objects of stores that stay in memory until their keys are found in the other table. More are fetched again.
const ROOM: usize = 1 << 26;

/// A difference between two tables.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// The types of the values. Then nothing else is compared.
    Types(String, String),
    /// The order of the keys. This is the first key in another place.
    Order(BString),
    /// A key of the first table that the second one does not have.
    OnlyInFirst(BString),
    /// A key of the second table that the first one does not have.
    OnlyInSecond(BString),
    /// The sizes of a value: rows and columns, or a length.
    Sizes {
        /// The key.
        key: BString,
        /// In both tables.
        sizes: [String; 2],
    },
    /// Numbers of a value.
    Numbers {
        /// The key.
        key: BString,
        /// How many differ by more than is allowed, and how many there are.
        count: [usize; 2],
        /// The largest difference; infinite if one number is finite and the other is not.
        largest: f64,
        /// Where the largest difference is: an index, or row and column of a matrix, from 0.
        place: Vec<usize>,
        /// The two numbers there.
        values: [f64; 2],
    },
    /// Values that are neither numbers nor words, by key: their bytes differ.
    Values(BString),
    /// A value of a script file that cannot be read, or one that makes no sense.
    Unreadable {
        /// The key.
        key: BString,
        /// Why, with the place.
        message: String,
    },
    /// Lattices or FSTs.
    Graphs {
        /// The key.
        key: BString,
        /// What differs, in words.
        what: String,
    },
    /// Words of a value.
    Words {
        /// The key.
        key: BString,
        /// The index of the first word that differs, from 0.
        place: usize,
        /// The words there.
        words: [BString; 2],
    },
}

/// What counts as a difference.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tolerance {
    /// Relative to the second number, numbers may differ by this much.
    pub relative: f64,
    /// In addition, numbers may differ by this much.
    pub absolute: f64,
    /// Whether the order of the keys does not count.
    pub by_key: bool,
    /// The type of the values, if it should not be detected.
    pub value_type: Option<ValueType>,
}

/// Compares two tables of any kind and form and passes each difference to the caller. Returns the number of keys that
/// both have.
///
/// Tables with the same keys in the same order are read in parallel. From the first different key on, keys and places
/// of the rest are kept in memory; for a stream, values too. If a key comes several times, the first is compared with
/// the first, and so on. A value that cannot be read is a difference, unless it hides where the next one is.
///
/// # Errors
/// If a table cannot be read.
pub fn diff(first: Named, second: Named, tolerance: Tolerance, report: &mut dyn FnMut(Difference)) -> Result<u64> {
    let first = Entries::of(first, tolerance.value_type)?;
    let second = Entries::of(second, tolerance.value_type)?;
    let mut pairs = Pairs { first, second, by_key: tolerance.by_key, rest: None };
    let work = move |pair| match pair {
        Pair::Both(pair, value_type) => match tolerance.compare(&pair[0], &pair[1], value_type) {
            Ok(difference) => Ok((1, difference)),
            Err(error) => match error.key() {
                Some(key) => Ok((0, Some(Difference::Unreadable { key: key.to_owned(), message: error.to_string() }))),
                None => Err(error),
            },
        },
        Pair::Difference(difference) => Ok((0, Some(difference))),
    };
    let mut compared = 0;
    for_each(in_groups(move || pairs.next()), work, |result| {
        let (count, difference) = result?;
        compared += count;
        difference.into_iter().for_each(&mut *report);
        Ok(())
    })?;
    Ok(compared)
}

/// The most likely of the types that fit both tables. An empty table fits any.
fn common(first: &Entries, second: &Entries, has_first: bool, has_second: bool) -> Option<ValueType> {
    let common: Vec<_> = first.candidates().iter().copied().filter(|it| second.candidates().contains(it)).collect();
    match common.is_empty() {
        false => Some(first.likely(&common)),
        true if has_first != has_second => Some(if has_first { first.value_type() } else { second.value_type() }),
        true => None,
    }
}

/// What is to be compared, or is a difference already.
enum Pair {
    /// Values of the same key, which are of this type.
    Both(Box<[RawEntry; 2]>, ValueType),
    Difference(Difference),
}

impl Pair {
    /// The pair and the bytes of its values.
    fn weighed(self) -> (Self, u64) {
        let size = match &self {
            Self::Both(pair, _) => pair[0].size().saturating_add(pair[1].size()),
            Self::Difference(_) => 0,
        };
        (self, size)
    }
}

/// An entry, or the line of a script file whose value cannot be read.
enum Line {
    Entry(RawEntry),
    Unreadable(BString, String),
}

impl Line {
    fn key(&self) -> &BStr {
        match self {
            Self::Entry(entry) => entry.key(),
            Self::Unreadable(key, _) => key.as_bstr(),
        }
    }

    /// The next one of a table; `None` at the end.
    fn next(entries: &mut Entries) -> Result<Option<Self>> {
        match entries.next_entry() {
            Err(error) if entries.kind() == NamedKind::Script => match error.key() {
                Some(key) => Ok(Some(Self::Unreadable(key.to_owned(), error.to_string()))),
                None => Err(error),
            },
            next => Ok(next?.map(Self::Entry)),
        }
    }
}

/// Two tables that are read in parallel.
struct Pairs {
    first: Entries,
    second: Entries,
    by_key: bool,
    /// What comes from the first different key on.
    rest: Option<ByKey>,
}

impl Pairs {
    fn next(&mut self) -> Result<Option<(Pair, u64)>> {
        if let Some(rest) = &mut self.rest {
            return Ok(rest.next()?.map(Pair::weighed));
        }
        let pair = (Line::next(&mut self.first)?, Line::next(&mut self.second)?);
        let has_entry = |line: &Option<Line>| matches!(line, Some(Line::Entry(_)));
        let Some(value_type) = common(&self.first, &self.second, has_entry(&pair.0), has_entry(&pair.1)) else {
            self.rest = Some(ByKey::default());
            return Ok(Some((self.types(), 0)));
        };
        match pair {
            (None, None) => Ok(None),
            (Some(one), Some(other)) if one.key() == other.key() => Ok(Some(match (one, other) {
                (Line::Entry(one), Line::Entry(other)) => Pair::Both([one, other].into(), value_type).weighed(),
                (Line::Unreadable(key, message), _) | (_, Line::Unreadable(key, message)) => {
                    (Pair::Difference(Difference::Unreadable { key, message }), 0)
                }
            })),
            (one, other) => {
                let mut rest = self.by_key(one, other)?;
                let next = rest.next()?;
                self.rest = Some(rest);
                Ok(next.map(Pair::weighed))
            }
        }
    }

    fn types(&self) -> Pair {
        let [one, other] = [&self.first, &self.second].map(|table| join_names(table.candidates()));
        Pair::Difference(Difference::Types(one, other))
    }

    /// What is left of both tables.
    fn by_key(&mut self, one: Option<Line>, other: Option<Line>) -> Result<ByKey> {
        let mut room = ROOM;
        let mut rest = ByKey { by_key: self.by_key, ..ByKey::default() };
        let ByKey { first, second, unreadable, waiting, .. } = &mut rest;
        for (entries, line, kept) in [(&mut self.first, one, first), (&mut self.second, other, second)] {
            let mut next = line;
            while let Some(line) = next {
                match line {
                    Line::Entry(entry) => kept.push(entry.detached_within(&mut room)),
                    Line::Unreadable(key, message) => {
                        unreadable.insert(key.clone());
                        waiting.push_back(Pair::Difference(Difference::Unreadable { key, message }));
                    }
                }
                next = Line::next(entries)?;
            }
        }
        match common(&self.first, &self.second, !rest.first.is_empty(), !rest.second.is_empty()) {
            Some(value_type) => rest.value_type = Some(value_type),
            None => rest = ByKey { waiting: VecDeque::from([self.types()]), ..ByKey::default() },
        }
        Ok(rest)
    }
}

/// What is left of two tables, found by key.
#[derive(Default)]
struct ByKey {
    first: KeptEntries,
    second: KeptEntries,
    /// Keys of values that cannot be read.
    unreadable: HashSet<BString>,
    value_type: Option<ValueType>,
    by_key: bool,
    /// The next entry of the first table.
    at: usize,
    /// The entry of the second table that was found last.
    last: Option<usize>,
    is_out_of_order: bool,
    /// What comes before the next entry.
    waiting: VecDeque<Pair>,
    /// The next entry of the second table, once the first has ended.
    left: usize,
    /// Those of the second table that were found.
    found: Vec<bool>,
}

impl ByKey {
    fn next(&mut self) -> Result<Option<Pair>> {
        if let Some(pair) = self.waiting.pop_front() {
            return Ok(Some(pair));
        }
        while self.at < self.first.len() {
            let index = self.at;
            self.at += 1;
            let key = self.first.key(index);
            if self.unreadable.contains(key) {
                continue;
            }
            let Some(place) = self.second.take(key) else {
                return Ok(Some(Pair::Difference(Difference::OnlyInFirst(key.to_owned()))));
            };
            self.found.resize(self.second.len(), false);
            self.found[place] = true;
            let pair = [self.first.get(index)?, self.second.get(place)?];
            let pair = Pair::Both(pair.into(), self.value_type.unwrap_or(ValueType::Unknown));
            let has_moved = self.last.replace(place).is_some_and(|last| place < last);
            if has_moved && !self.by_key && !std::mem::replace(&mut self.is_out_of_order, true) {
                self.waiting.push_back(pair);
                return Ok(Some(Pair::Difference(Difference::Order(key.to_owned()))));
            }
            return Ok(Some(pair));
        }
        while self.left < self.second.len() {
            let index = self.left;
            self.left += 1;
            let key = self.second.key(index);
            if !self.found.get(index).is_some_and(|found| *found) && !self.unreadable.contains(key) {
                return Ok(Some(Pair::Difference(Difference::OnlyInSecond(key.to_owned()))));
            }
        }
        Ok(None)
    }
}

/// The words of the text of a value.
fn words_of_text(entry: &RawEntry, value_type: ValueType) -> Result<Content> {
    let mut text = Vec::new();
    write_value(entry, value_type, Format::Text, &mut text)?;
    let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    Ok(Content::Words(words.map(BString::from).collect()))
}

impl Tolerance {
    /// Compares two values.
    fn compare(self, one: &RawEntry, other: &RawEntry, value_type: ValueType) -> Result<Option<Difference>> {
        let is_whole = one.range().is_none() && other.range().is_none();
        if is_whole && one.size() == other.size() && one.bytes()? == other.bytes()? {
            return Ok(None);
        }
        if let Some(form) = value_type.graph_form() {
            let graphs = [read_graph(one, form)?, read_graph(other, form)?];
            let what = graph_difference(&graphs, |one, other| self.difference(one, other));
            return Ok(what.map(|what| Difference::Graphs { key: one.key().to_owned(), what }));
        }
        let contents = match value_type.is_example() {
            true => [words_of_text(one, value_type)?, words_of_text(other, value_type)?],
            false if !value_type.has_content() => return Ok(Some(Difference::Values(one.key().to_owned()))),
            false => [read_content(one, value_type)?, read_content(other, value_type)?],
        };
        Ok(self.contents(one.key().to_owned(), contents))
    }

    fn contents(self, key: BString, contents: [Content; 2]) -> Option<Difference> {
        let sizes = || contents.each_ref().map(describe);
        if let [Some(one), Some(other)] = contents.each_ref().map(Content::words) {
            let word = |words: &[BString], place| words.get(place).cloned().unwrap_or_default();
            let place = (0..one.len().max(other.len())).find(|&place| one.get(place) != other.get(place))?;
            return Some(Difference::Words { key, place, words: [word(one, place), word(other, place)] });
        }
        let (shape, one, other) = match &contents {
            [Content::Numbers { shape, values: one }, Content::Numbers { shape: other_shape, values: other }] => {
                // Without rows, the number of columns does not matter.
                if one.len() != other.len() || (shape != other_shape && !one.is_empty()) {
                    return Some(Difference::Sizes { key, sizes: sizes() });
                }
                (shape, one, other)
            }
            _ => return Some(Difference::Sizes { key, sizes: sizes() }),
        };
        let (mut count, mut largest, mut at) = (0, -1.0, 0);
        for (place, (&one, &other)) in one.iter().zip(other).enumerate() {
            let difference = self.difference(one, other);
            if let Some(difference) = difference {
                count += 1;
                if difference > largest {
                    (largest, at) = (difference, place);
                }
            }
        }
        let place = match shape {
            ValueShape::Matrix { columns } => vec![at / columns, at % columns],
            ValueShape::Scalar | ValueShape::Vector | ValueShape::Lists(_) => vec![at],
        };
        let values = [one, other].map(|values| values.get(at).copied().unwrap_or_default());
        (count > 0).then_some(Difference::Numbers { key, count: [count, one.len()], largest, place, values })
    }

    /// The difference of two numbers, if it is more than is allowed.
    pub(crate) fn difference(self, one: f64, other: f64) -> Option<f64> {
        if one == other || (one.is_nan() && other.is_nan()) {
            return None;
        }
        let difference = (one - other).abs();
        if !difference.is_finite() {
            return Some(f64::INFINITY);
        }
        (difference > self.absolute + self.relative * other.abs()).then_some(difference)
    }
}

/// The size of a value: `28x13`, `28`, `3 lists`.
fn describe(content: &Content) -> String {
    match content {
        Content::Word(_) => "1 words".to_owned(),
        Content::Words(words) => format!("{} words", words.len()),
        Content::Numbers { shape: ValueShape::Matrix { columns }, values } => {
            format!("{}x{columns}", values.len().checked_div(*columns).unwrap_or(0))
        }
        Content::Numbers { shape: ValueShape::Lists(lengths), values } => {
            format!("{} lists of {} numbers", lengths.len(), values.len())
        }
        Content::Numbers { values, .. } => values.len().to_string(),
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A single value has no key.
        let place = |key: &BString| if key.is_empty() { String::new() } else { format!("{key}: ") };
        match self {
            Self::Types(one, other) => write!(f, "the types differ: {one}, and {other}"),
            Self::Order(key) => write!(f, "{key}: the order of keys differs from here on"),
            Self::OnlyInFirst(key) => write!(f, "{key}: only in the first table"),
            Self::OnlyInSecond(key) => write!(f, "{key}: only in the second table"),
            Self::Sizes { key, sizes: [one, other] } => write!(f, "{}sizes differ: {one}, and {other}", place(key)),
            Self::Numbers { key, count: [count, of], largest, place: at, values: [one, other] } => {
                let at = match at.as_slice() {
                    [row, column] => format!("row {row}, column {column}"),
                    at => format!("place {}", at.first().unwrap_or(&0)),
                };
                let plural = if *count == 1 { "differs" } else { "differ" };
                write!(
                    f,
                    "{}{count} of {of} numbers {plural}; the largest difference is {largest:.6} at {at}: ",
                    place(key)
                )?;
                write!(f, "{one}, and {other}")
            }
            Self::Values(key) => write!(f, "{}the values differ", place(key)),
            Self::Unreadable { message, .. } => f.write_str(message),
            Self::Graphs { key, what } => write!(f, "{}{what}", place(key)),
            Self::Words { key, place: at, words: [one, other] } => {
                let (one, other) = (one.as_bstr(), other.as_bstr());
                write!(f, "{}words differ from word {at} on: {one:?}, and {other:?}", place(key))
            }
        }
    }
}
