//! Sums: of the values with the same key in several tables, of all values of a table, of values that have files of their
//! own.

use anyhow::{Context, bail};
use kaldi_io::log::{log, warning};
use kaldi_io::{is_specifier, printable_rxfilename, printable_wxfilename};
use kaldi_table::{Record, SequentialReader, TableWriter, Tables, read_file, write_file};
use kaldi_value::{Format, Value};

use crate::{InputName, OutputName, Tally};

/// How values of one type are added up, and shown in messages. `D` is such a value in double precision.
pub struct SumInput<T, D, E> {
    /// One value and several, in words: `["matrix", "matrices"]`.
    pub nouns: [&'static str; 2],
    /// The size of a value, in words.
    pub size: fn(&T) -> String,
    /// Whether a value has no elements.
    pub is_empty: fn(&T) -> bool,
    /// Multiplies a value by a factor.
    pub scale: fn(&mut T, f32),
    /// Adds a factor times the second value to the first one; an error if their sizes differ.
    pub add_scaled: fn(&mut T, f32, &T) -> Result<(), E>,
    /// Adds zeros at the end of the first value until it is as large as the second one.
    pub grow: fn(&mut T, &T),
    /// Zeros in double precision, as many as the value has elements.
    pub zeros: fn(&T) -> D,
    /// Adds a value to a sum in double precision; an error if their sizes differ.
    pub add_to_double: fn(&mut D, &T) -> Result<(), E>,
    /// Multiplies a sum in double precision by a factor, and rounds it.
    pub scaled_single: fn(D, f64) -> T,
}

/// Writes a sum for each key of the first table: of its value and those with the same key in the other tables.
///
/// The values of the first table are multiplied by the first of `factors`, those of the second table by the second, and
/// all others by the third. A value that is missing, or whose size is not that of the first table's, is left out of the
/// sum with a warning. The tally is a failure unless more than two sums are written for each value that is missing.
///
/// # Errors
/// If a table cannot be opened, an entry cannot be read or written, or a command of an input or output fails.
pub fn sum_tables<T, D, E>(
    sources: &[InputName],
    target: &OutputName,
    summand: &SumInput<T, D, E>,
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
    let &SumInput { nouns: [noun, nouns], size, scale, add_scaled, .. } = summand;

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

/// Writes the sum of all values of a table, or their average, into a file; it is computed in double precision.
///
/// Empty values, and those whose size is not that of the first one, are left out with a warning. The tally is a failure
/// unless more values are summed than left out.
///
/// # Errors
/// If the table cannot be opened or an entry cannot be read, if the file cannot be written, or a command fails.
pub fn sum_table<T, D, E>(
    source: &InputName,
    target: &OutputName,
    summand: &SumInput<T, D, E>,
    average: bool,
    format: Format,
) -> anyhow::Result<Tally>
where
    T: Value + Default,
{
    let [noun, nouns] = summand.nouns;
    let rows = SequentialReader::<T>::open(source)?.values();
    // With the size in words.
    let mut sum: Option<(D, String)> = None;
    let (mut done, mut failed) = (0_u64, 0);
    let ended = rows.drain(|key, value| {
        if (summand.is_empty)(&value) {
            warning!("Zero {noun} input for key {key}");
            failed += 1;
            return Ok(());
        }
        let size = (summand.size)(&value);
        let (sum, expected) = sum.get_or_insert_with(|| ((summand.zeros)(&value), size.clone()));
        if (summand.add_to_double)(sum, &value).is_err() {
            warning!("Dimension mismatch for key {key}: {size} vs. {expected}");
            failed += 1;
            return Ok(());
        }
        done += 1;
        anyhow::Ok(())
    })?;
    ended.finish()?;
    let factor = if average && done > 0 { 1.0 / done as f64 } else { 1.0 };
    let sum = sum.map_or_else(T::default, |(sum, _)| (summand.scaled_single)(sum, factor));
    write_file(target, &sum, format)?;
    log!("Summed {done} {nouns}, {failed} with errors; wrote sum to {}", printable_wxfilename(target));
    Ok(Tally::new(done, failed).ok_if(failed < done))
}

/// Writes the sum of values that have files of their own, or their average, into a file. The sum grows if a value is
/// larger than those before it.
///
/// # Errors
/// If one of the files is a table, a file cannot be read or written, or a value is smaller than one before it.
pub fn sum_files<T, D, E>(
    sources: &[InputName],
    target: &OutputName,
    summand: &SumInput<T, D, E>,
    average: bool,
    format: Format,
) -> anyhow::Result<Tally>
where
    T: Value + Default,
    E: std::error::Error + Send + Sync + 'static,
{
    if let Some(table) = sources.iter().find(|source| is_specifier(source)) {
        bail!("files and tables cannot be summed together: {table} is a table, {} is a file", sources[0]);
    }
    let mut sum = T::default();
    add_files(sources, |value: T| {
        (summand.grow)(&mut sum, &value);
        (summand.add_scaled)(&mut sum, 1.0, &value)
    })?;
    let (num_files, [_, nouns]) = (sources.len(), summand.nouns);
    if average {
        (summand.scale)(&mut sum, (1.0 / num_files as f64) as f32);
    }
    write_file(target, &sum, format)?;
    log!("Summed {num_files} {nouns}; wrote sum to {}", printable_wxfilename(target));
    Ok(Tally::new(num_files as u64, 0))
}

/// Reads the value of each file, in order, and gives it to `add`, which makes it a part of a sum.
///
/// # Errors
/// If a file cannot be read, or its value cannot be added; then the file is named.
pub fn add_files<T: Value, E>(names: &[InputName], mut add: impl FnMut(T) -> Result<(), E>) -> anyhow::Result<()>
where
    E: std::error::Error + Send + Sync + 'static,
{
    for name in names {
        add(read_file(name)?).with_context(|| format!("cannot add {}", printable_rxfilename(name)))?;
    }
    Ok(())
}

/// Adds the statistics of all files up, in order.
///
/// # Errors
/// As [`add_files`], and if there is no file.
pub fn sum_stats<T: Value, E>(names: &[InputName], mut add: impl FnMut(&mut T, T) -> Result<(), E>) -> anyhow::Result<T>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let (first, others) = names.split_first().context("expected statistics, got none")?;
    let mut sum = read_file(first)?;
    add_files(others, |value| add(&mut sum, value))?;
    Ok(sum)
}
