//! Examples in another order: shuffled in a buffer, or a random subset of them.

use std::collections::BTreeMap;

use kaldi_table::{Entry, Reader, Record, Result, Rows, SequentialReader};
use kaldi_value::random::Random;
use kaldi_value::{Format, Value};

/// Opens a table whose entries come as records in the form in which they will be written. They do not share memory, so that
/// keeping one keeps no others.
///
/// # Errors
/// If the table cannot be opened.
pub fn read_records<T: Value>(rspecifier: impl AsRef<[u8]>, format: Format) -> Result<Rows<Record<T>>> {
    Ok(SequentialReader::<T>::open(rspecifier)?.par_map(move |entry| Ok(own_record(entry, format)?)))
}

fn own_record<T: Value>(entry: &Entry<'_, T>, format: Format) -> Result<Record<T>> {
    match entry.bytes() {
        Some(bytes) if format == Format::Binary && T::is_canonical_binary(bytes) => {
            Ok(Record::from_bytes(entry.key(), bytes.to_vec()))
        }
        _ => Ok(Record::new(entry.key(), &entry.read()?, format)),
    }
}

/// Passes records through a buffer of `size` places (at least 1): each takes a random place and pushes out the record that is
/// there. At the end the places are emptied in order. Returns the number of records.
///
/// # Errors
/// If a record cannot be read, or `put` fails.
pub fn pass_buffer<T: Value>(
    rows: &mut Rows<Record<T>>,
    size: u32,
    random: &mut Random,
    mut put: impl FnMut(Record<T>) -> Result<()>,
) -> Result<u64> {
    let mut places = BTreeMap::new();
    let mut done = 0;
    while let Some((_, record)) = rows.next()? {
        if let Some(before) = places.insert(random.below(size), record) {
            put(before)?;
            done += 1;
        }
    }
    for record in places.into_values() {
        put(record)?;
        done += 1;
    }
    Ok(done)
}

/// Keeps `size` records of a table by chance, as Kaldi does without a seed: the first ones, of which later ones replace some.
/// Returns them and the number of all.
///
/// # Errors
/// If a record cannot be read.
pub fn choose_subset<T: Value>(rows: &mut Rows<Record<T>>, size: u32) -> Result<(Vec<Record<T>>, u64)> {
    let (mut kept, mut num_read, mut random) = (Vec::new(), 0_u64, Random::default());
    while let Some((_, record)) = rows.next()? {
        num_read += 1;
        if num_read <= u64::from(size) {
            kept.push(record);
        } else if random.with_prob(size as f32 / num_read as f32) {
            kept[random.below(size) as usize] = record;
        }
    }
    Ok((kept, num_read))
}
