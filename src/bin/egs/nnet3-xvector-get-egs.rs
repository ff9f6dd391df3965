//! Cuts chunks with the label of a speaker out of features: training examples of x-vectors.
//!
//! Matches Kaldi's `nnet3-xvector-get-egs`.

use anyhow::ensure;
use bstr::{BString, ByteSlice};
use kaldi_cli::{InputName, OutputName, Tally, read_text};
use kaldi_egs::{IoMatrix, NnetExample, NnetIo, SparseRows};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{Record, SequentialReader, TableWriter, WorkError};
use std::collections::HashMap;
use std::fmt;

const USAGE: &str = "\
Cuts chunks out of features, each with the label of its speaker. A line of the file of ranges has six fields: the utterance, the
number of the output (from 0), a number that is ignored, the first frame, the number of frames, and the label.

Usage: nnet3-xvector-get-egs [options] <ranges-rxfilename> <feats-rspecifier> <egs-0-wspecifier> [<egs-1-wspecifier> ...]
 e.g.: nnet3-xvector-get-egs --num-pdfs=1000 ranges.1 scp:feats.scp ark:egs_temp.1.ark ark:egs_temp.2.ark
See also: nnet3-shuffle-egs, nnet3-copy-egs, nnet3-get-egs
";

#[derive(clap::Args)]
struct Options {
    /// Compress features
    #[arg(long, default_value_t = true)]
    compress: bool,
    /// The number of speakers, greater than every label (must be given)
    #[arg(long, default_value_t = -1)]
    num_pdfs: i32,
    ranges: InputName,
    feats: InputName,
    target: OutputName,
    more_targets: Vec<OutputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(nnet3_xvector_get_egs)).by_entry(1);

/// A chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Range {
    key: BString,
    output: i32,
    first: i32,
    length: i32,
    label: i32,
}

fn nnet3_xvector_get_egs(opts: Options) -> anyhow::Result<Tally> {
    ensure!(opts.num_pdfs > 0, "expected --num-pdfs to be given and above 0, got {}", opts.num_pdfs);
    let names = [&opts.target].into_iter().chain(&opts.more_targets);
    let mut targets = names.map(TableWriter::<NnetExample>::create).collect::<kaldi_table::Result<Vec<_>>>()?;
    let formats: Vec<_> = targets.iter().map(TableWriter::format).collect();
    let ranges = read_text(&opts.ranges, parse_ranges)?;

    let rows = SequentialReader::<Matrix<f32>>::open(&opts.feats)?.par_map(move |entry| {
        let utt = entry.key();
        let Some(ranges) = ranges.get(utt) else {
            warning!(
                "Could not create examples from utterance {utt} because it has no entry in the ranges input file."
            );
            return Ok(None);
        };
        let feats = entry.read()?;
        let mut records = Vec::new();
        for range in ranges {
            let num_frames = feats.num_rows();
            if i64::from(range.length) > num_frames as i64 {
                warning!(
                    "Unable to create examples for utterance {utt}. Requested chunk size of {} but utterance has only \
                     {num_frames} frames.",
                    range.length
                );
                continue;
            }
            let example = range.cut(&feats, opts.compress, opts.num_pdfs)?;
            let output = usize::try_from(range.output).ok().and_then(|output| Some((output, *formats.get(output)?)));
            let (output, format) = output.ok_or_else(|| {
                format!(
                    "expected an output from 0 to {} in the file of ranges, got {}",
                    formats.len() - 1,
                    range.output
                )
            })?;
            records.push((output, Record::new(&range.key, &example, format)));
        }
        Ok(Some(records))
    });
    let (mut done, mut failed, mut num_written) = (0, 0, 0_u64);
    let ended = rows.drain(|_, records| {
        match records {
            None => failed += 1,
            Some(records) => {
                done += 1;
                for (output, record) in records {
                    targets[output].put(record)?;
                    num_written += 1;
                }
            }
        }
        Ok::<(), kaldi_table::Error>(())
    })?;
    log!(
        "Finished generating examples, successfully processed {done} feature files, wrote {num_written} examples; {failed} \
         files had errors."
    );
    ended.finish()?;
    targets.into_iter().try_for_each(TableWriter::finish)?;
    Ok(Tally::new(num_written, failed).ok_if(num_written > 0 && failed <= done))
}

impl Range {
    /// Makes the example. A chunk that goes beyond the last frame is moved back.
    fn cut(&self, feats: &Matrix<f32>, compress: bool, num_pdfs: i32) -> Result<NnetExample, WorkError> {
        let (first, length) = (i64::from(self.first), i64::from(self.length));
        if first < 0 || length < 1 {
            return Err(format!("expected a first frame from 0 on and frames, got {first} and {length}").into());
        }
        let first = first.min(feats.num_rows() as i64 - length) as usize;
        let chunk = feats.range(first..first + length as usize, 0..feats.num_cols());
        let mut label = SparseRows::default();
        label.push_labels(num_pdfs, &[(self.label, 1.0)]).map_err(|error| format!("{error}, see --num-pdfs"))?;
        let input = IoMatrix::Full(chunk);
        let input = if compress { input.compressed()? } else { input };
        Ok(NnetExample {
            io: vec![NnetIo::new("input", 0, 1, input), NnetIo::new("output", 0, 1, IoMatrix::Sparse(label))],
        })
    }
}

/// A line of the file of ranges is not what it should be.
#[derive(Debug)]
struct WrongLine {
    number: usize,
    message: String,
}

impl fmt::Display for WrongLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.number, self.message)
    }
}

impl std::error::Error for WrongLine {}

/// The chunks of each utterance, in the order of the lines.
fn parse_ranges(text: &[u8]) -> Result<HashMap<BString, Vec<Range>>, WrongLine> {
    let mut ranges = HashMap::<BString, Vec<Range>>::new();
    for (line, number) in text.lines().zip(1..) {
        let wrong = |message| WrongLine { number, message };
        let fields: Vec<&[u8]> = line.fields_with(|char| " \t\r".contains(char)).collect();
        let &[utt, output, _, first, length, label] = &fields[..] else {
            return Err(wrong(format!("expected 6 fields, got {}", fields.len())));
        };
        let integer = |field: &[u8]| {
            let parsed = field.to_str().ok().and_then(|field| field.parse().ok());
            parsed.ok_or_else(|| wrong(format!("expected an integer, got \"{}\"", kaldi_io::excerpt(field))))
        };
        ranges.entry(utt.into()).or_default().push(Range {
            key: [utt, first, length, label].join(&b'-').into(),
            output: integer(output)?,
            first: integer(first)?,
            length: integer(length)?,
            label: integer(label)?,
        });
    }
    Ok(ranges)
}
