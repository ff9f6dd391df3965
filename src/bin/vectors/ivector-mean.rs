//! Averages vectors, over the utterances of each speaker or over all.
//!
//! Matches Kaldi's `ivector-mean`. Means of speakers are computed in single precision, the mean of all in double.

use std::process::ExitCode;

use anyhow::{Context, bail};
use kaldi_cli::{Arg, Tally};
use kaldi_io::Format;
use kaldi_io::number::general;
use kaldi_io::values::Tokens;
use kaldi_log::{log, warning};
use kaldi_matrix::Vector;
use kaldi_table::{RandomAccessReader, SequentialReader, TableWriter, write_file};

const USAGE: &str = "\
Averages speaker vectors over the utterances of each speaker, into a table with a vector for each speaker and, where wanted,
a table of the numbers of utterances that these are made of. With two arguments it averages all vectors, into a file.

Usage: ivector-mean [options] <spk2utt-rspecifier> <ivector-rspecifier> <ivector-wspecifier> [<num-utts-wspecifier>]
  or:  ivector-mean [options] <ivector-rspecifier> <mean-wxfilename>
 e.g.: ivector-mean ark:spk2utt scp:ivectors.scp ark:spk_ivectors.ark ark,t:num_utts.ark
       ivector-mean scp:ivectors.scp mean.vec
See also: ivector-subtract-global-mean, ivector-normalize-length, vector-sum
";

#[derive(clap::Parser)]
struct Options {
    /// Write in binary mode (only relevant if the output is a wxfilename)
    #[arg(long, default_value_t = false)]
    binary: bool,
    first: Arg,
    second: Arg,
    speakers: Option<Arg>,
    num_utts: Option<Arg>,
}

fn main() -> ExitCode {
    kaldi_cli::run(USAGE, ivector_mean)
}

fn ivector_mean(opts: Options) -> anyhow::Result<Tally> {
    match &opts.speakers {
        None => mean_of_all(&opts.first, &opts.second, Format::from_binary(opts.binary)),
        Some(speakers) => means_of_speakers(&opts.first, &opts.second, speakers, opts.num_utts.as_ref()),
    }
}

fn mean_of_all(ivectors: &Arg, mean: &Arg, format: Format) -> anyhow::Result<Tally> {
    let mut rows = SequentialReader::<Vector<f32>>::open(ivectors)?.values();
    let mut sum = Vector::<f64>::default();
    let mut done = 0;
    for row in &mut rows {
        let (key, vector) = row?;
        if sum.is_empty() {
            sum.resize(vector.dim());
        }
        sum.add(&vector).with_context(|| format!("cannot add {key}"))?;
        done += 1;
    }
    rows.finish()?;
    if done == 0 {
        bail!("No iVectors read");
    }
    sum.scale(1.0 / done as f64);
    write_file(mean, &sum, format)?;
    Ok(Tally::new(done, 0))
}

fn means_of_speakers(spk2utt: &Arg, ivectors: &Arg, means: &Arg, num_utts: Option<&Arg>) -> anyhow::Result<Tally> {
    let mut ivectors = RandomAccessReader::<Vector<f32>>::open(ivectors)?;
    let speakers = SequentialReader::<Tokens>::open(spk2utt)?;
    let mut means = TableWriter::create(means)?;
    let mut num_utts = num_utts.map(|name| TableWriter::<i32>::create(name)).transpose()?;

    let mut lengths = Lengths::default();
    let (mut tally, mut utts_done, mut utts_missing) = (Tally::default(), 0, 0);
    for speaker in speakers {
        let (spk, utts) = speaker?;
        if utts.is_empty() {
            bail!("Speaker with no utterances: {spk}");
        }
        let mut sum: Option<Vector<f32>> = None;
        let mut count = 0;
        for utt in utts.iter() {
            let Some(ivector) = ivectors.get(utt)? else {
                warning!("No iVector present in input for utterance {utt}");
                utts_missing += 1;
                continue;
            };
            count += 1;
            match &mut sum {
                None => sum = Some(ivector.as_ref().clone()),
                Some(sum) => sum.add(ivector.as_ref()).with_context(|| format!("{spk}: cannot add {utt}"))?,
            }
        }
        let Some(mut mean) = sum else {
            warning!("Not producing output for speaker {spk} since no utterances had iVectors");
            tally.failed += 1;
            continue;
        };
        mean.scale((1.0 / f64::from(count)) as f32);
        lengths.add(&mean).with_context(|| format!("the mean of {spk}"))?;
        means.write(spk.as_ref(), &mean)?;
        if let Some(num_utts) = &mut num_utts {
            num_utts.write(spk.as_ref(), &count)?;
        }
        tally.done += 1;
        utts_done += count;
    }
    log!(
        "Computed mean of {} speakers ({} with no utterances), consisting of {utts_done} utterances ({utts_missing} absent \
         from input).",
        tally.done,
        tally.failed
    );
    lengths.log();
    ivectors.finish()?;
    means.finish()?;
    num_utts.map_or(Ok(()), TableWriter::finish)?;
    Ok(tally)
}

/// How long vectors are, for the log.
#[derive(Default)]
struct Lengths {
    count: f64,
    sum: Vector<f64>,
    sum_of_squares: f64,
}

impl Lengths {
    fn add(&mut self, vector: &Vector<f32>) -> Result<(), kaldi_matrix::Error> {
        if self.sum.is_empty() {
            self.sum.resize(vector.dim());
        }
        self.sum.add(vector)?;
        self.sum_of_squares += vector.dot(vector)?;
        self.count += 1.0;
        Ok(())
    }

    fn log(&self) {
        if self.count == 0.0 {
            return;
        }
        let mean_length = self.sum.norm() / self.count;
        let length = (self.sum_of_squares / self.count / self.sum.dim() as f64).sqrt();
        log!(
            "Norm of mean of speakers is {}, root-mean-square speaker-iVector length divided by sqrt(dim) is {}",
            general(mean_length),
            general(length)
        );
    }
}
