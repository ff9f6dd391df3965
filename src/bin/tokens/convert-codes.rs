//! Converts the codes of several codebooks between the patterns in which they are stored.
//!
//! Kaldi has no such program.

use std::str::FromStr;
use std::sync::Arc;

use anyhow::{bail, ensure};
use bstr::BString;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_table::{RandomAccessReader, SequentialReader, TableWriter};
use kaldi_value::{IntMatrix, Value};

use crate::codes::{
    CodebookOffsets, CodesError, collapse, delay, first_codebooks, from_codebook_major, from_frame_major,
    to_codebook_major, undelay,
};

const USAGE: &str = "\
Converts the codes of speech codecs, which have several codebooks, between the patterns in which they are stored. A matrix
has a row for each frame and a column for each codebook; with 2 codebooks:
  matrix          1 11 ; 2 12 ; 3 13 ;          (a table of int32-matrix)
  frame-major     1 11 2 12 3 13                (a table of integer vectors)
  codebook-major  1 2 3 11 12 13                (a table of integer vectors)
  delay           1 99 ; 2 11 ; 3 12 ; 99 13 ;  (a table of int32-matrix, with --pad-id=99)
The order of the work: --from-offsets are taken off, --first codebooks are kept, frames --collapse, --codebook-offsets are
added, then codes and text are joined.

Usage: convert-codes [options] <codes-rspecifier> <codes-wspecifier>
 e.g.: convert-codes --codebook-offsets=1024 ark:codes.ark ark:tokens.ark
       convert-codes --from-pattern=frame-major --codebooks=8 --to-pattern=matrix ark:tokens.ark ark:codes.ark
       convert-codes --to-pattern=delay --pad-id=1024 ark:codes.ark ark:delayed.ark
       convert-codes --from-pattern=frame-major --codebooks=1 --collapse --write-counts=ark:counts.ark ark:units.ark ark:short.ark
       convert-codes --join-with=ark:text.ark --begin=7 --middle=8 --end=9 ark:codes.ark ark:tokens.ark
See also: int-vector-to-indexed, table-import, table-export, copy-int-vector, tokenize-text
";

#[derive(clap::Args)]
struct Options {
    /// Pattern of the input: matrix, frame-major, codebook-major or delay
    #[arg(long, alias = "from", default_value = "matrix", value_parser = kaldi_cli::one_of(&PATTERNS))]
    from_pattern: Pattern,
    /// Pattern of the output: matrix, frame-major, codebook-major or delay
    #[arg(long, alias = "to", default_value = "frame-major", value_parser = kaldi_cli::one_of(&PATTERNS))]
    to_pattern: Pattern,
    /// Number of codebooks of the input; needed for frame-major and codebook-major, checked for the others
    #[arg(long)]
    codebooks: Option<u32>,
    /// The number that is the padding of the pattern delay
    #[arg(long)]
    pad_id: Option<i32>,
    /// Subtract from the codes of codebook k, counted from 0, k times this number; or a list with a number for each codebook
    #[arg(long)]
    from_offsets: Option<CodebookOffsets>,
    /// Keep this many codebooks, the first ones
    #[arg(long)]
    first: Option<u32>,
    /// Keep only the first of equal frames next to each other
    #[arg(long)]
    collapse: bool,
    /// Wspecifier of integer vectors: how many frames became each frame, with --collapse
    #[arg(long, alias = "counts")]
    write_counts: Option<OutputName>,
    /// Add to the codes of codebook k, counted from 0, k times this number; or a list with a number for each codebook
    #[arg(long = "codebook-offsets", alias = "offsets")]
    offsets: Option<CodebookOffsets>,
    /// Rspecifier of integer vectors, the text of each key: the output is --begin, text, --middle, codes, --end
    #[arg(long = "join-with", alias = "join")]
    text: Option<InputName>,
    /// Numbers before all, with commas, for --join-with
    #[arg(long)]
    begin: Option<Numbers>,
    /// Numbers between text and codes, with commas, for --join-with
    #[arg(long)]
    middle: Option<Numbers>,
    /// Numbers after all, with commas, for --join-with
    #[arg(long)]
    end: Option<Numbers>,
    /// Write the codes before the text
    #[arg(long)]
    join_last: bool,
    source: InputName,
    target: OutputName,
}

/// How codes are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pattern {
    Matrix,
    FrameMajor,
    CodebookMajor,
    Delay,
}

const PATTERNS: [(&str, Pattern); 4] = [
    ("matrix", Pattern::Matrix),
    ("frame-major", Pattern::FrameMajor),
    ("codebook-major", Pattern::CodebookMajor),
    ("delay", Pattern::Delay),
];

impl Pattern {
    fn is_flat(self) -> bool {
        matches!(self, Self::FrameMajor | Self::CodebookMajor)
    }
}

/// Numbers with commas or blanks between them; or none.
#[derive(Clone, Debug, Default)]
struct Numbers(Vec<i32>);

impl FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words = text.split([',', ' ']).filter(|word| !word.is_empty());
        let numbers: Result<_, _> = words.map(str::parse).collect();
        numbers.map(Self).map_err(|_| format!("expected integers with commas, got {text:?}"))
    }
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(convert_codes)).by_entry(0);

fn convert_codes(opts: Options) -> anyhow::Result<Tally> {
    opts.check()?;
    let plan = Plan::new(&opts);
    match (opts.from_pattern.is_flat(), opts.to_pattern.is_flat()) {
        (false, false) => convert(&opts, plan, Plan::of_matrix, Plan::to_matrix),
        (false, true) => convert(&opts, plan, Plan::of_matrix, Plan::to_vector),
        (true, false) => convert(&opts, plan, Plan::of_vector, Plan::to_matrix),
        (true, true) => convert(&opts, plan, Plan::of_vector, Plan::to_vector),
    }
}

/// Converts a table of `T` to one of `U`.
fn convert<T, U>(
    opts: &Options,
    plan: Plan,
    read: fn(&Plan, T) -> Result<IntMatrix, CodesError>,
    form: fn(&Plan, IntMatrix) -> Result<U, CodesError>,
) -> anyhow::Result<Tally>
where
    T: Value,
    U: Value + Joined + Send + 'static,
{
    let source = SequentialReader::<T>::open(&opts.source)?;
    let texts = opts.text.as_ref().map(RandomAccessReader::<Vec<i32>>::open).transpose()?;
    let mut target = TableWriter::<U>::create(&opts.target)?;
    let mut counts = opts.write_counts.as_ref().map(TableWriter::<Vec<i32>>::create).transpose()?;
    let mut tally = Tally::default();
    let rows = source.par_map_with(texts, move |entry, text: Option<Option<Arc<Vec<i32>>>>| {
        if let Some(None) = text {
            warning!("{}: no text; left out", entry.key());
            return Ok(None);
        }
        let (codes, counts) = plan.work(read(&plan, entry.read()?)?)?;
        let value = form(&plan, codes)?.joined(&plan.join, text.flatten());
        Ok(Some((value, counts)))
    });
    let ended = rows.drain(|key: BString, row| {
        let Some((value, lengths)) = row else {
            tally.failed += 1;
            return Ok(());
        };
        target.write(&key, &value)?;
        if let Some(counts) = &mut counts {
            counts.write(&key, &lengths)?;
        }
        tally.done += 1;
        anyhow::Ok(())
    })?;
    log!("Converted the codes of {} utterances; {} had no text and were left out", tally.done, tally.failed);
    ended.finish()?;
    target.finish()?;
    counts.map_or(Ok(()), TableWriter::finish)?;
    Ok(tally)
}

impl Options {
    /// Refuses options that make no sense together.
    fn check(&self) -> anyhow::Result<()> {
        let delays = [self.from_pattern, self.to_pattern].contains(&Pattern::Delay);
        ensure!(!delays || self.pad_id.is_some(), "expected --pad-id with the pattern delay");
        ensure!(delays || self.pad_id.is_none(), "expected --pad-id with the pattern delay only");
        ensure!(
            !self.from_pattern.is_flat() || self.codebooks.is_some(),
            "expected --codebooks, the number of codebooks, for codes that are frame-major or codebook-major"
        );
        for (name, count) in [("codebooks", self.codebooks), ("first", self.first)] {
            ensure!(count != Some(0), "expected --{name} of 1 or more, got 0");
        }
        ensure!(self.collapse || self.write_counts.is_none(), "expected --write-counts with --collapse only");
        if self.text.is_some() {
            ensure!(
                self.to_pattern.is_flat(),
                "expected --to-pattern=frame-major or codebook-major with --join-with: a matrix has no place for text"
            );
        } else if self.begin.is_some() || self.middle.is_some() || self.end.is_some() || self.join_last {
            bail!("expected --begin, --middle, --end and --join-last with --join-with only");
        }
        Ok(())
    }
}

/// What is done to each value.
struct Plan {
    from: Pattern,
    to: Pattern,
    codebooks: Option<usize>,
    padding: i32,
    from_offsets: Option<CodebookOffsets>,
    first: Option<usize>,
    collapse: bool,
    offsets: Option<CodebookOffsets>,
    join: Join,
}

/// How codes and text are joined.
struct Join {
    begin: Vec<i32>,
    middle: Vec<i32>,
    end: Vec<i32>,
    codes_first: bool,
}

impl Plan {
    fn new(opts: &Options) -> Self {
        let numbers = |numbers: &Option<Numbers>| numbers.clone().unwrap_or_default().0;
        Self {
            from: opts.from_pattern,
            to: opts.to_pattern,
            codebooks: opts.codebooks.map(|count| count as usize),
            padding: opts.pad_id.unwrap_or_default(),
            from_offsets: opts.from_offsets.clone(),
            first: opts.first.map(|count| count as usize),
            collapse: opts.collapse,
            offsets: opts.offsets.clone(),
            join: Join {
                begin: numbers(&opts.begin),
                middle: numbers(&opts.middle),
                end: numbers(&opts.end),
                codes_first: opts.join_last,
            },
        }
    }

    fn of_matrix(&self, value: IntMatrix) -> Result<IntMatrix, CodesError> {
        let found = value.num_cols();
        if let Some(wanted) = self.codebooks.filter(|&wanted| value.num_rows() > 0 && wanted != found) {
            return Err(CodesError::Codebooks { found, wanted });
        }
        if self.from == Pattern::Delay { undelay(&value, self.padding) } else { Ok(value) }
    }

    fn of_vector(&self, value: Vec<i32>) -> Result<IntMatrix, CodesError> {
        let codebooks = self.codebooks.unwrap_or_default();
        match self.from {
            Pattern::CodebookMajor => from_codebook_major(&value, codebooks),
            _ => from_frame_major(value, codebooks),
        }
    }

    /// All work but that of the patterns; returns the codes, and of how many frames each frame was made.
    fn work(&self, mut codes: IntMatrix) -> Result<(IntMatrix, Vec<i32>), CodesError> {
        if let Some(offsets) = &self.from_offsets {
            codes = offsets.take_off(codes)?;
        }
        if let Some(count) = self.first {
            codes = first_codebooks(&codes, count)?;
        }
        let mut counts = Vec::new();
        if self.collapse {
            (codes, counts) = collapse(&codes);
        }
        if let Some(offsets) = &self.offsets {
            codes = offsets.add(codes)?;
        }
        Ok((codes, counts))
    }

    fn to_matrix(&self, codes: IntMatrix) -> Result<IntMatrix, CodesError> {
        if self.to == Pattern::Delay { delay(&codes, self.padding) } else { Ok(codes) }
    }

    fn to_vector(&self, codes: IntMatrix) -> Result<Vec<i32>, CodesError> {
        Ok(match self.to {
            Pattern::CodebookMajor => to_codebook_major(&codes),
            _ => codes.into_vec(),
        })
    }
}

/// What text can be joined with.
trait Joined: Sized {
    /// Joins it with a text, if there is one.
    fn joined(self, join: &Join, text: Option<Arc<Vec<i32>>>) -> Self;
}

impl Joined for Vec<i32> {
    fn joined(self, join: &Join, text: Option<Arc<Vec<i32>>>) -> Self {
        let Some(text) = text else { return self };
        let (first, second) = if join.codes_first { (&self, text.as_ref()) } else { (text.as_ref(), &self) };
        [&join.begin, first, &join.middle, second, &join.end].into_iter().flatten().copied().collect()
    }
}

/// A matrix has no place for text.
impl Joined for IntMatrix {
    fn joined(self, _: &Join, _: Option<Arc<Vec<i32>>>) -> Self {
        self
    }
}
