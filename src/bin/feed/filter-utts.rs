//! Keeps the utterances that are useful for training, by their lengths and their labels.
//!
//! Kaldi has no such tool (`filter_scp.pl` needs a list of what to keep). Bounds have the names and meanings of WeNet.

use anyhow::{bail, ensure};
use bstr::{BStr, BString};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feed::{Beyond, Bounds, Items, Lengths, Text, Unit};
use kaldi_io::log::{log, vlog};
use kaldi_io::{Output, Rspecifier};
use kaldi_reader::Reader;
use kaldi_table::SequentialReader;
use std::collections::{BTreeMap, HashMap};

const USAGE: &str = "\
Keeps the lines of a script file, or of any list with a key first, whose utterances have lengths and labels within bounds.
A line is kept unchanged; for an archive the keys are written. Lengths are in frames of 10 ms: numbers of frames, or 100
times seconds.

Usage: filter-utts [options] <in-list-or-archive> <out-list>
 e.g.: filter-utts --utt2num-frames=data/utt2num_frames --min-length=20 feats.scp kept.scp
       filter-utts --utt2dur=data/utt2dur --utt2labels=ark:labels.ark wav.scp kept.scp
       filter-utts --utt2dur=data/utt2dur --only-keys data/utt2dur keys
See also: tokenize-text, batch-utts, feat-to-len, wav-to-duration
";

#[derive(clap::Args)]
struct Options {
    /// Number of frames of each utterance: a file of lines with key and number, or a table (ark:, scp:)
    #[arg(long)]
    utt2num_frames: Option<InputName>,
    /// Duration of each utterance in seconds: a file of lines with key and number, or a table
    #[arg(long)]
    utt2dur: Option<InputName>,
    /// Labels of each utterance: a table of integer vectors, or a file of lines with the key and the labels
    #[arg(long = "utt2labels", alias = "labels")]
    labels: Option<InputName>,
    /// The most frames
    #[arg(long, default_value_t = 10240.0)]
    max_length: f64,
    /// The fewest frames
    #[arg(long, default_value_t = 10.0)]
    min_length: f64,
    /// The most labels
    #[arg(long, default_value_t = 200)]
    token_max_length: u32,
    /// The fewest labels
    #[arg(long, default_value_t = 1)]
    token_min_length: u32,
    /// The fewest labels for a frame
    #[arg(long, default_value_t = 0.0005)]
    min_output_input_ratio: f64,
    /// The most labels for a frame
    #[arg(long, default_value_t = 1.0)]
    max_output_input_ratio: f64,
    /// Write only the keys
    #[arg(long, alias = "write-keys")]
    only_keys: bool,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(filter_utts))
    .in_pieces(&[(kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Lines(0))]);

fn filter_utts(opts: Options) -> anyhow::Result<Tally> {
    let bounds = opts.bounds()?;
    let lengths = match (&opts.utt2num_frames, &opts.utt2dur) {
        (Some(name), None) => Lengths::read(name, Unit::Frames)?,
        (None, Some(name)) => Lengths::read(name, Unit::Seconds)?,
        _ => bail!("expected one of --utt2num-frames and --utt2dur"),
    };
    let labels = opts.labels.as_ref().map(|name| count_labels(name)).transpose()?;
    let mut source = Items::open(&opts.source)?;
    let mut target = Output::create(&opts.target, false)?;

    let mut dropped = Dropped::default();
    let mut kept = 0_u64;
    while let Some(item) = source.next()? {
        let key = item.key();
        let num_labels = labels.as_ref().map(|labels| labels.get(key).copied());
        let reason = match (lengths.get(key), num_labels) {
            (None, _) => Some("without a length"),
            (_, Some(None)) => Some("without labels"),
            (Some(length), num_labels) => bounds.beyond(length, num_labels.flatten()).map(Beyond::as_str),
        };
        match reason {
            Some(reason) => dropped.add(key, reason),
            None => {
                target.write_all(item.line().filter(|_| !opts.only_keys).unwrap_or(key))?;
                target.write_all(b"\n")?;
                kept += 1;
            }
        }
    }
    log!("Kept {kept} of {} utterances{}", kept + dropped.sum(), dropped.summary());
    target.finish()?;
    Ok(Tally::new(kept, dropped.sum()))
}

impl Options {
    fn bounds(&self) -> anyhow::Result<Bounds> {
        ensure!(
            self.min_length <= self.max_length,
            "expected --min-length to be at most --max-length, got {} and {}",
            self.min_length,
            self.max_length
        );
        ensure!(
            self.token_min_length <= self.token_max_length,
            "expected --token-min-length to be at most --token-max-length, got {} and {}",
            self.token_min_length,
            self.token_max_length
        );
        Ok(Bounds {
            max_length: self.max_length,
            min_length: self.min_length,
            token_max_length: self.token_max_length.into(),
            token_min_length: self.token_min_length.into(),
            min_output_input_ratio: self.min_output_input_ratio,
            max_output_input_ratio: self.max_output_input_ratio,
        })
    }
}

/// How many utterances were dropped, by reason.
#[derive(Default)]
struct Dropped(BTreeMap<&'static str, u64>);

impl Dropped {
    fn add(&mut self, key: &BStr, reason: &'static str) {
        vlog!(1, "{key}: dropped, {reason}");
        *self.0.entry(reason).or_default() += 1;
    }

    fn sum(&self) -> u64 {
        self.0.values().sum()
    }

    /// The counts, as the end of a sentence.
    fn summary(&self) -> String {
        let counts: Vec<String> = self.0.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        if counts.is_empty() { String::new() } else { format!("; dropped: {}", counts.join(", ")) }
    }
}

/// The number of labels of every utterance, from a table or from the lines of a file.
fn count_labels(name: &BStr) -> anyhow::Result<HashMap<BString, u64>> {
    let mut counts = HashMap::new();
    if Rspecifier::parse(name).is_some() {
        let count = |key, labels: Vec<i32>| {
            counts.insert(key, labels.len() as u64);
            anyhow::Ok(())
        };
        SequentialReader::<Vec<i32>>::open(name)?.values().drain(count)?.finish()?;
        return Ok(counts);
    }
    let mut lines = Text::open(name)?;
    while let Some((key, labels)) = lines.next()? {
        counts.insert(key, labels.split(u8::is_ascii_whitespace).filter(|label| !label.is_empty()).count() as u64);
    }
    Ok(counts)
}
