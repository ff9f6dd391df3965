//! Counts the elements of integer vectors.
//!
//! Matches Kaldi's `analyze-counts`.

use anyhow::Context;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_io::printable;
use kaldi_matrix::Vector;
use kaldi_table::{RandomAccessReader, SequentialReader, write_file};
use kaldi_value::number::Digits;
use kaldi_value::{Format, SymbolTable};

const USAGE: &str = "\
Counts how often each integer is in the vectors of a table, such as the labels of alignments (for the priors of a
network's outputs), and writes the vector of the counts. Half a count is added to each, so that none is 0.

Usage: analyze-counts [options] <alignments-rspecifier> <counts-wxfilename>
 e.g.: analyze-counts ark:1.ali prior.counts
       analyze-counts --verbose=1 --symbol-table=phones.txt ark:phones.ali - > /dev/null
See also: ali-to-post, post-to-weights
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long)]
    binary: bool,
    /// Symbols of the integers (lines of a symbol and its integer), for the log; the counts are logged if this is
    /// given, or with --verbose=1
    #[arg(long)]
    symbol_table: Option<InputName>,
    /// The dimension of the counts; it is larger if there are greater integers
    #[arg(long, default_value_t = 0)]
    counts_dim: i32,
    /// Rspecifier of a weight for each element of each vector, to be counted instead of 1
    #[arg(long)]
    frame_weights: Option<InputName>,
    /// Rspecifier of a weight for each vector, to be counted instead of 1
    #[arg(long)]
    utt_weights: Option<InputName>,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(analyze_counts)).whole("it counts over the whole table");

fn analyze_counts(opts: Options) -> anyhow::Result<Tally> {
    let dim = usize::try_from(opts.counts_dim)
        .with_context(|| format!("expected --counts-dim to be 0 or more, got {}", opts.counts_dim))?;
    let utt_weights = opts.utt_weights.map(|name| RandomAccessReader::<f32>::open(&name)).transpose()?;
    let frame_weights = opts.frame_weights.map(|name| RandomAccessReader::<Vector<f32>>::open(&name)).transpose()?;
    let source = SequentialReader::<Vec<i32>>::open(&opts.source)?;

    let rows = source.par_map_with((utt_weights, frame_weights), |entry, (utt_weight, frame_weights)| {
        let key = entry.key();
        if utt_weight.as_ref().is_some_and(Option::is_none) {
            warning!("{key}, missing per-utterance weight");
            return Ok(None);
        }
        if frame_weights.as_ref().is_some_and(Option::is_none) {
            warning!("{key}, missing per-frame weights");
            return Ok(None);
        }
        let (labels, frame_weights) = (entry.read()?, frame_weights.flatten());
        if let Some(weights) = frame_weights.as_ref().filter(|weights| weights.dim() != labels.len()) {
            return Err(format!("expected {} weights, got {}", labels.len(), weights.dim()).into());
        }
        if let Some(label) = labels.iter().find(|label| !(0..i32::MAX).contains(*label)) {
            return Err(format!("expected integers from 0 to {}, got {label}", i32::MAX - 1).into());
        }
        Ok(Some((labels, utt_weight.flatten(), frame_weights)))
    });
    let mut tally = Tally::default();
    let mut counts = vec![0.0; dim];
    let ended = rows.drain(|_, row| {
        let Some((labels, utt_weight, frame_weights)) = row else {
            tally.failed += 1;
            return Ok(());
        };
        let utt_weight = f64::from(utt_weight.map_or(1.0, |weight| *weight));
        let most = labels.iter().copied().max().map_or(0, |label| label as usize + 1);
        counts.resize(counts.len().max(most), 0.0);
        for (frame, label) in labels.into_iter().enumerate() {
            let weight = frame_weights.as_ref().map_or(1.0, |weights| weights.as_slice()[frame]);
            counts[label as usize] += utt_weight * f64::from(weight);
        }
        tally.done += 1;
        anyhow::Ok(())
    })?;
    ended.finish()?;

    for label in (0..counts.len()).filter(|label| counts[*label] == 0.0) {
        warning!("Zero count for label {label}, this is suspicious.");
    }
    if opts.symbol_table.is_some() || kaldi_io::log::verbose() >= 1 {
        let symbols = opts.symbol_table.map(|name| SymbolTable::read(&name)).transpose()?;
        log!("Printing...");
        // Kaldi's line has these lines after it.
        kaldi_io::log::write_line(table_of_counts(&counts, symbols.as_ref()).as_bytes());
    }
    let written = Vector::from_vec(counts.iter().map(|count| count + 0.5).collect());
    write_file(&opts.target, &written, Format::from_binary(opts.binary))?;
    log!("Summed {} int32 vectors to counts, skipped {} vectors.", tally.done, tally.failed);
    log!("Counts written to {}", opts.target);
    Ok(tally.always_ok())
}

fn table_of_counts(counts: &[f64], symbols: Option<&SymbolTable>) -> String {
    let mut sorted: Vec<_> = counts.iter().copied().zip(0_i32..).collect();
    sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
    let sum: f64 = counts.iter().sum();
    let mut table = "### The sorted count table,\ncount\t(norm),\tid\t(symbol):\n".to_owned();
    for (count, label) in sorted {
        let share = f64::from(count as f32) / sum;
        let symbol =
            symbols.map(|symbols| format!("({})", printable(symbols.symbol(label).unwrap_or_default().as_ref())));
        let symbol = symbol.unwrap_or_default();
        table += &format!("{}\t({}),\t{label}\t{symbol}\n", Digits(count, 6), Digits(share, 6));
    }
    let hours = f64::from(sum as f32 / 100.0 / 3600.0);
    table += &format!("\n#total {} ({}h)\n", Digits(sum, 6), Digits(hours, 6));
    table
}
