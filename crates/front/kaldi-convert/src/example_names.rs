//! Names of the arrays of training examples: `<key>.<name>` and `<key>.<name>.<part>`.
//!
//! A name that comes again in an example is followed by `#2`, `#3` and so on. Files of other programs may have their arrays
//! in any order; inputs and outputs are in the order in which a name of each comes first.

use std::collections::{HashMap, HashSet};

use bstr::{BStr, BString, ByteSlice};
use kaldi_any::ValueType;

use crate::array::Array;
use crate::example_arrays::{INDEXES, IoArrays, MATRIX, PARTS};
use crate::item::Item;
use crate::{Error, Result};

/// Hands over the arrays of inputs and outputs, each with its name.
pub(crate) fn each_named(key: &BStr, all: &[IoArrays], mut put: impl FnMut(&BStr, &Array) -> Result<()>) -> Result<()> {
    let mut times = HashMap::<&BStr, usize>::new();
    for io in all {
        let name = io.name.as_bstr();
        let is_part = PARTS.iter().any(|part| part.split('.').next().is_some_and(|word| name == word));
        if is_part || name.contains(&b'.') || name.contains(&b'#') {
            let message = format!(
                "names of arrays have no place for an input or output of the name {name:?}, which they use otherwise: \
                 parquet and jsonl have"
            );
            return Err(Error::value(key, message));
        }
        let count = times.entry(name).and_modify(|count| *count += 1).or_insert(1);
        let number = if *count > 1 { format!("#{count}") } else { String::new() };
        for (part, array) in &io.parts {
            let dot = if *part == MATRIX { "" } else { "." };
            put(BString::from(format!("{key}.{name}{number}{dot}{part}")).as_ref(), array)?;
        }
    }
    Ok(())
}

/// Examples whose arrays come one by one.
pub(crate) struct Gathered {
    table_type: ValueType,
    /// What each name is an array of.
    places: HashMap<BString, Place>,
    examples: Vec<Example>,
}

struct Place {
    example: usize,
    io: usize,
    part: &'static str,
}

struct Example {
    key: BString,
    io: Vec<IoArrays>,
    /// The arrays that have not come yet.
    missing: usize,
}

impl Gathered {
    /// Finds the examples in the names of all arrays. Each input and output has indexes, which show its name.
    ///
    /// # Errors
    /// If a name is none of an array of an example.
    pub(crate) fn new(names: Vec<BString>, table_type: ValueType) -> Result<Self> {
        let all: HashSet<&[u8]> = names.iter().filter_map(|name| base_of(name, INDEXES)).collect();
        let (mut gathered, mut keys) =
            (Self { table_type, places: HashMap::new(), examples: Vec::new() }, HashMap::new());
        let mut bases = HashMap::<&[u8], (usize, usize)>::new();
        for array in &names {
            let is_base = |part: &&str| base_of(array, part).is_some_and(|base| all.contains(base));
            let found = PARTS.iter().filter(|part| is_base(part)).min_by_key(|part| part.len());
            let base = found.and_then(|part| base_of(array, part));
            let split = base.and_then(|base| base.rsplit_once_str("."));
            let (Some(part), Some(base), Some((key, name))) = (found, base, split) else {
                let message = format!(
                    "expected arrays named <key>.<name> and <key>.<name>.indexes for a {table_type}, got no indexes for this one"
                );
                return Err(Error::value(array.as_bstr(), message));
            };
            let (example, io) = *bases.entry(base).or_insert_with(|| {
                let example = *keys.entry(key).or_insert_with(|| {
                    gathered.examples.push(Example { key: key.into(), io: Vec::new(), missing: 0 });
                    gathered.examples.len() - 1
                });
                let io = &mut gathered.examples[example].io;
                io.push(IoArrays { name: without_number(name).into(), parts: Vec::new() });
                (example, io.len() - 1)
            });
            gathered.examples[example].missing += 1;
            gathered.places.insert(array.clone(), Place { example, io, part });
        }
        Ok(gathered)
    }

    /// Takes an array; returns the example that it completes.
    ///
    /// # Errors
    /// If the arrays of the example do not fit each other.
    pub(crate) fn take(&mut self, name: &BStr, array: Array) -> Result<Option<(BString, Item)>> {
        let Some(Place { example, io, part }) = self.places.remove(name.as_bytes()) else {
            return Err(Error::value(name, "expected arrays as the names at the start say, got another one"));
        };
        let example = &mut self.examples[example];
        example.io[io].parts.push((part, array));
        example.missing -= 1;
        if example.missing > 0 {
            return Ok(None);
        }
        let (key, io) = (std::mem::take(&mut example.key), std::mem::take(&mut example.io));
        let item = IoArrays::join(self.table_type, io).map_err(|message| Error::value(&key, message))?;
        Ok(Some((key, item)))
    }
}

/// What is before the part in the name of an array.
fn base_of<'a>(array: &'a [u8], part: &str) -> Option<&'a [u8]> {
    match part {
        MATRIX => Some(array),
        part => array.strip_suffix(part.as_bytes())?.strip_suffix(b"."),
    }
}

/// The name without `#2`.
fn without_number(name: &[u8]) -> &[u8] {
    match name.rsplit_once_str("#") {
        Some((before, digits)) if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => before,
        _ => name,
    }
}
