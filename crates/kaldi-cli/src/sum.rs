//! Sums: of values that stand in files, one value each; of the values with the same key in several tables.

use anyhow::Context;
use kaldi_io::{Value, printable_rxfilename};
use kaldi_log::{log, warning};
use kaldi_table::{Record, SequentialReader, TableWriter, Tables, read_file};

use crate::{InputName, OutputName, Tally};

/// How values of one type are added up, and shown in messages.
pub struct Summand<T, E> {
    /// One value and several, in words: `["matrix", "matrices"]`.
    pub nouns: [&'static str; 2],
    /// The size of a value, in words.
    pub size: fn(&T) -> String,
    /// Multiplies a value by a factor.
    pub scale: fn(&mut T, f32),
    /// Adds a factor times the second value to the first one; an error where their sizes differ.
    pub add_scaled: fn(&mut T, f32, &T) -> Result<(), E>,
}

/// Writes a sum for each key of the first table: of its value and those with the same key in the other tables.
///
/// The values of the first table are multiplied by the first of `factors`, those of the second table by the second, and
/// all others by the third. A value that is missing, or whose size is not that of the first table's, is left out of the
/// sum with a warning. The tally is a failure unless more than two sums are written for each value that is missing.
///
/// # Errors
/// Where a table cannot be opened, an entry cannot be read or written, or a command of an input or output fails.
pub fn sum_tables<T, E>(
    sources: &[InputName],
    target: &OutputName,
    summand: Summand<T, E>,
    factors: [f32; 3],
) -> anyhow::Result<Tally>
where
    T: Value + Sync,
    E: 'static,
{
    let first = sources.first().context("expected at least one table")?.clone();
    let source = SequentialReader::<T>::open(&first)?;
    let others = Tables::<T>::open(&sources[1..])?;
    let mut target = TableWriter::create(target)?;
    let format = target.format();
    let Summand { nouns: [noun, nouns], size, scale, add_scaled } = summand;

    let rows = source.par_map_with(others, move |entry, found| {
        let (mut sum, key) = (entry.read()?, entry.key());
        scale(&mut sum, factors[0]);
        let mut num_missing = 0;
        for ((name, other), system) in found.iter().zip(2..) {
            let Some(other) = other else {
                warning!("No {noun} found for utterance {key} for system {system}, rspecifier: {name}");
                num_missing += 1;
                continue;
            };
            let factor = if system == 2 { factors[1] } else { factors[2] };
            if add_scaled(&mut sum, factor, other).is_err() {
                let (other, sum) = (size(other), size(&sum));
                warning!(
                    "Dimension mismatch for utterance {key} : {other} for system {system}, rspecifier: {name} vs {sum} \
                     primary {noun}, rspecifier:{first}"
                );
            }
        }
        Ok((Record::new(key, &sum, format), num_missing))
    });
    let (mut done, mut missing) = (0, 0);
    let ended = rows.drain(|_, (record, num_missing)| {
        target.put(record)?;
        done += 1;
        missing += num_missing;
        anyhow::Ok(())
    })?;
    let num_systems = sources.len();
    let total = done * num_systems as u64 - missing;
    log!("Processed {done} utterances: with a total of {total} {nouns} across {num_systems} different systems");
    log!("Produced output for {done} utterances; {missing} total missing {nouns}");
    ended.finish()?;
    target.finish()?;
    Ok(Tally::new(done, missing).ok_if(done > 2 * missing))
}

/// Reads the value of each file, in order, and gives it to `add`, which makes it a part of a sum.
///
/// # Errors
/// Where a file cannot be read, or its value cannot be added; then the file is named.
pub fn add_files<T: Value, E>(names: &[InputName], mut add: impl FnMut(T) -> Result<(), E>) -> anyhow::Result<()>
where
    E: std::error::Error + Send + Sync + 'static,
{
    for name in names {
        add(read_file(name)?).with_context(|| format!("cannot add {}", printable_rxfilename(name)))?;
    }
    Ok(())
}
