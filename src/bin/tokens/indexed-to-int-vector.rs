//! Writes the sequences or documents of a token dataset as integer vectors.
//!
//! Kaldi has no such program.

use std::ops::Range;
use std::str::FromStr;

use anyhow::{Context, Result, bail, ensure};
use bstr::{BString, ByteSlice};
use indexed_dataset::{Dialect, IndexedDataset, Prefix, TokenType, decode_i32};
use kaldi_cli::{Arg, InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_io::{Lines, Wspecifier, WspecifierKind, is_same_file};
use kaldi_table::{Record, TableWriter, count_delivered, is_key};

const USAGE: &str = "\
Writes the sequences or documents of a token dataset as integer vectors. Keys are read from --keys, or are the numbers
of the sequences (documents), counted from 0, with leading zeros so that all have the same length.

Usage: indexed-to-int-vector [options] <prefix> <int-vector-wspecifier>
 e.g.: indexed-to-int-vector --keys=train.keys train ark,scp:tokens.ark,tokens.scp
       indexed-to-int-vector --unit=document --range=0:10 train.idx ark,t:-
See also: int-vector-to-indexed, indexed-get, indexed-info, indexed-samples-to-int-vector
";

#[derive(clap::Args)]
struct Options {
    /// Rxfilename of keys, one per line: those of all sequences (of all documents, with --unit=document)
    #[arg(long)]
    keys: Option<InputName>,
    /// What becomes a vector: a sequence, or all sequences of a document
    #[arg(long, default_value = "sequence", value_parser = kaldi_cli::one_of(&UNITS))]
    unit: Unit,
    /// Write only those from a number up to below another, such as 10:20; either may be left out
    #[arg(long)]
    range: Option<NumberRange>,
    /// Leave out this token at the end of a vector
    #[arg(long)]
    strip_eod: Option<i32>,
    /// Dialect of the dataset: megatron, gpt-neox, deepspeed or fairseq; by default that of the files
    #[arg(long, value_parser = kaldi_cli::one_of_renamed(&Dialect::NAMES, &Dialect::OLD_NAMES))]
    dialect: Option<Dialect>,
    prefix: Arg,
    target: OutputName,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Sequence,
    Document,
}

const UNITS: [(&str, Unit); 2] = [("sequence", Unit::Sequence), ("document", Unit::Document)];

/// A half-open range whose end may be left out.
#[derive(Clone, Copy, Debug)]
struct NumberRange {
    start: u64,
    end: Option<u64>,
}

impl FromStr for NumberRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str, default| if text.is_empty() { Some(default) } else { text.parse().ok().map(Some) };
        let parsed = text.split_once(':').and_then(|(start, end)| Some((number(start, Some(0))??, number(end, None)?)));
        let (start, end) = parsed.ok_or_else(|| format!("expected a range such as 10:20, got {text:?}"))?;
        Ok(Self { start, end })
    }
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(indexed_to_int_vector))
    .whole("a token dataset is no table, and cannot be cut");

fn indexed_to_int_vector(opts: Options) -> Result<Tally> {
    let dataset = IndexedDataset::open_as(&Prefix::new(opts.prefix.as_path()), opts.dialect)?;
    let token_type = dataset.token_type();
    if token_type.range().is_none() {
        bail!("{}: expected tokens, found numbers of {token_type}", dataset.prefix());
    }
    refuse_outputs(&dataset, &opts)?;
    let count = match opts.unit {
        Unit::Sequence => dataset.len(),
        Unit::Document => dataset.num_documents(),
    };
    let range = range(&opts, count)?;
    let mut keys = Keys::open(&opts, &dataset, count)?;
    keys.skip(range.start)?;
    let mut target = TableWriter::<Vec<i32>>::create(&opts.target)?;
    let done = range.end - range.start;
    let number = range.start;
    match opts.unit {
        Unit::Sequence => write_sequences(&dataset, range.clone(), &mut keys, &opts, &mut target)?,
        Unit::Document => write_documents(&dataset, range.clone(), &mut keys, &opts, &mut target)?,
    }
    keys.finish(count - (number + done))?;
    log!("Wrote {done} vectors of {}", dataset.prefix());
    target.finish()?;
    Ok(Tally::new(done, 0).always_ok())
}

fn range(opts: &Options, count: u64) -> Result<Range<u64>> {
    let Some(NumberRange { start, end }) = opts.range else { return Ok(0..count) };
    let end = end.unwrap_or(count);
    ensure!(start <= end && end <= count, "expected --range to be in 0:{count}, got {start}:{end}");
    Ok(start..end)
}

/// Returns an error if an input is also an output.
fn refuse_outputs(dataset: &IndexedDataset, opts: &Options) -> Result<()> {
    let written = match Wspecifier::parse(&opts.target).map(|target| target.kind) {
        Some(WspecifierKind::Archive(archive)) => vec![archive],
        Some(WspecifierKind::Both { archive, script }) => vec![archive, script],
        Some(WspecifierKind::Script(_)) | None => Vec::new(),
    };
    let files = [dataset.prefix().idx(), dataset.prefix().bin()];
    let mut read: Vec<BString> = files.iter().map(|path| path.to_string_lossy().into_owned().into()).collect();
    read.extend(opts.keys.iter().map(|keys| BString::from(keys.as_bytes())));
    for name in &read {
        if written.iter().any(|output| is_same_file(name.as_ref(), output.as_ref())) {
            bail!("{name} is to be read and written: write to another name");
        }
    }
    Ok(())
}

type Target = TableWriter<Vec<i32>>;

fn write_sequences(
    dataset: &IndexedDataset,
    range: Range<u64>,
    keys: &mut Keys,
    opts: &Options,
    target: &mut Target,
) -> Result<()> {
    let mut sequences = dataset.sequences(range.clone())?;
    for number in range {
        let mut tokens = Vec::new();
        if let Some(bytes) = sequences.next_sequence()? {
            decode(bytes, dataset, number, &mut tokens)?;
        }
        write(tokens, number, keys, opts, target)?;
    }
    Ok(())
}

fn write_documents(
    dataset: &IndexedDataset,
    range: Range<u64>,
    keys: &mut Keys,
    opts: &Options,
    target: &mut Target,
) -> Result<()> {
    let mut documents = dataset.documents(range.clone())?;
    // Documents follow each other, and so do their sequences.
    let start = if range.is_empty() { 0 } else { dataset.sequences_of(range.start)?.start };
    let mut sequences = dataset.sequences(start..dataset.len())?;
    for number in range {
        let mut tokens = Vec::new();
        for sequence in documents.next_document()?.unwrap_or(0..0) {
            if let Some(bytes) = sequences.next_sequence()? {
                decode(bytes, dataset, sequence, &mut tokens)?;
            }
        }
        write(tokens, number, keys, opts, target)?;
    }
    Ok(())
}

fn decode(bytes: &[u8], dataset: &IndexedDataset, sequence: u64, tokens: &mut Vec<i32>) -> Result<()> {
    let token_type: TokenType = dataset.token_type();
    decode_i32(bytes, token_type, tokens).map_err(|misfit| {
        let (prefix, position, value) = (dataset.prefix(), misfit.position, misfit.value);
        anyhow::anyhow!(
            "{prefix}: sequence {sequence}: token {position}: expected a number that fits int32, found {value}"
        )
    })
}

fn write(mut tokens: Vec<i32>, number: u64, keys: &mut Keys, opts: &Options, target: &mut Target) -> Result<()> {
    if opts.strip_eod.is_some() && tokens.last() == opts.strip_eod.as_ref() {
        tokens.pop();
    }
    let key = keys.next(number)?;
    target.put(Record::from_value(&key, tokens, target.format()))?;
    count_delivered();
    Ok(())
}

/// The source of keys.
enum Keys {
    Numbers {
        width: usize,
    },
    Lines(Lines),
    /// The keys of documents, by their first sequences.
    Held(std::vec::IntoIter<BString>),
}

impl Keys {
    fn open(opts: &Options, dataset: &IndexedDataset, count: u64) -> Result<Self> {
        let Some(keys) = &opts.keys else {
            return Ok(Self::Numbers { width: count.saturating_sub(1).to_string().len() });
        };
        if opts.unit == Unit::Sequence {
            return Ok(Self::Lines(Lines::open(keys)?));
        }
        // There may be a key for each sequence, as int-vector-to-indexed --nested writes them, or for each document.
        let mut lines = Lines::open(keys)?;
        let mut all = Vec::new();
        while let Some(key) = next_key(&mut lines)? {
            all.push(key);
        }
        let mut of_documents = Vec::new();
        let mut documents = dataset.documents(0..dataset.num_documents())?;
        while let Some(document) = documents.next_document()? {
            of_documents.extend((!document.is_empty()).then(|| all.get(document.start as usize).cloned()).flatten());
        }
        let is_of_sequences = all.len() as u64 == dataset.len() && of_documents.len() as u64 == count;
        ensure!(
            is_of_sequences || all.len() as u64 == count,
            "{}: expected a key for each of {count} documents or {} sequences, found {}",
            lines.name(),
            dataset.len(),
            all.len()
        );
        Ok(Self::Held(if is_of_sequences { of_documents } else { all }.into_iter()))
    }

    fn next(&mut self, number: u64) -> Result<BString> {
        match self {
            Self::Numbers { width } => Ok(format!("{number:0width$}").into()),
            Self::Held(keys) => keys.next().context("there are fewer keys than documents"),
            Self::Lines(lines) => match next_key(lines)? {
                Some(key) => Ok(key),
                None => bail!("{}: expected a key for each sequence, found {}", lines.name(), lines.number()),
            },
        }
    }

    fn skip(&mut self, count: u64) -> Result<()> {
        if let Self::Numbers { .. } = self {
            return Ok(());
        }
        (0..count).try_for_each(|number| self.next(number).map(drop))
    }

    /// Reads the `rest`, after which nothing may follow.
    fn finish(mut self, rest: u64) -> Result<()> {
        self.skip(rest)?;
        if let Self::Lines(lines) = &mut self
            && next_key(lines)?.is_some()
        {
            bail!("{}: expected {} keys, found more", lines.name(), lines.number() - 1);
        }
        Ok(())
    }
}

fn next_key(lines: &mut Lines) -> Result<Option<BString>> {
    let Some(line) = lines.next_line()? else { return Ok(None) };
    let key = BString::from(line.trim_ascii());
    if !is_key(&key) {
        bail!("{}:{}: expected one key, found {key:?}", lines.name(), lines.number());
    }
    Ok(Some(key))
}
