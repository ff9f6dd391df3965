//! Scales vectors to the same length.
//!
//! Matches Kaldi's `ivector-normalize-length`. As in Kaldi, lengths are in single precision: vectors longer than about
//! 1.8e19 become zeros; here there is a warning.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, vlog, warning};
use kaldi_matrix::Vector;
use kaldi_table::{Record, SequentialReader, TableWriter};
use kaldi_value::number::general;

const USAGE: &str = "\
Scales speaker vectors to the same length, the square root of their dimension: this is the average length if every
element has variance 1.

Usage: ivector-normalize-length [options] <ivector-rspecifier> <ivector-wspecifier>
 e.g.: ivector-normalize-length scp:ivectors.scp ark:-
See also: ivector-mean, ivector-subtract-global-mean, ivector-transform
";

#[derive(clap::Args)]
struct Options {
    /// Whether the vectors are scaled; without this they are copied, and their lengths logged
    #[arg(long, default_value_t = true)]
    normalize: bool,
    /// Scale to the square root of the dimension instead of 1
    #[arg(long, default_value_t = true)]
    scaleup: bool,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(ivector_normalize_length)).by_entry(0);

fn ivector_normalize_length(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Vector<f32>>::open(&opts.source)?;
    let mut target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let rows = source.par_map(move |entry| {
        let (key, mut ivector) = (entry.key(), entry.read()?);
        let length = (ivector.dot(&ivector)? as f32).sqrt();
        let expected = if opts.scaleup { (ivector.dim() as f64).sqrt() } else { 1.0 };
        let ratio = (f64::from(length) / expected) as f32;
        vlog!(2, "Ratio for key {key} is {}", general(ratio.into()));
        if ratio == 0.0 {
            warning!("Zero iVector for key {key}");
        } else if opts.normalize {
            if !ratio.is_finite() && !ivector.is_empty() {
                warning!("The length of the iVector for key {key} is no number that can be computed with");
            }
            ivector.scale((1.0 / f64::from(ratio)) as f32);
        }
        Ok((Record::from_value(key, ivector, format), ratio))
    });
    let (mut done, mut sum, mut sum_of_squares) = (0, 0.0, 0.0);
    let ended = rows.drain(|_, (record, ratio)| {
        target.put(record)?;
        done += 1;
        sum += f64::from(ratio);
        sum_of_squares += f64::from(ratio * ratio);
        anyhow::Ok(())
    })?;
    log!("Processed {done} iVectors.");
    if done > 0 {
        let mean = sum / done as f64;
        let deviation = (sum_of_squares / done as f64 - mean * mean).max(0.0).sqrt();
        let (mean, deviation) = (general(mean), general(deviation));
        log!("Average ratio of iVector to expected length was {mean}, standard deviation was {deviation}");
    }
    ended.finish()?;
    target.finish()?;
    Ok(Tally::new(done, 0))
}
