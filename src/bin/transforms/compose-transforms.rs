//! Composes linear or affine transforms.
//!
//! Matches Kaldi's `compose-transforms`: as in Kaldi, with `--utt2spk` a speaker has to be in the second table, but the
//! transform of the utterance is used. Sums are in another order, so the last digits may differ, and the advice about
//! `--b-is-affine` is given if two transforms look affine.

use std::sync::Arc;

use anyhow::bail;
use bstr::{BStr, BString};
use kaldi_cli::{InputName, MapName, OutputName, Tally};
use kaldi_io::is_specifier;
use kaldi_io::log::warning;
use kaldi_matrix::Matrix;
use kaldi_table::{Lookup, RandomAccessReader, Record, SequentialReader, TableWriter, read_file, write_file};
use kaldi_value::Format;
use kaldi_value::Token;

const USAGE: &str = "\
Composes transforms to one: the product A B, which applies B first and then A. A transform is linear or affine; an affine
one has its offset as last column. Whether A is affine follows from the sizes; B is linear unless --b-is-affine is given.

Usage: compose-transforms [options] (<A-rspecifier>|<A-rxfilename>) (<B-rspecifier>|<B-rxfilename>) \
(<transform-wspecifier>|<transform-wxfilename>)
 e.g.: compose-transforms 1.mat 2.mat 3.mat
       compose-transforms 1.mat ark:2.trans ark:3.trans
       compose-transforms ark:1.trans ark:2.trans ark:3.trans
See also: transform-feats, transform-vec, extend-transform-dim, est-lda, est-pca
";

#[derive(clap::Args)]
struct Options {
    /// Rspecifier of the map from utterances to speakers, if A has utterances and B has speakers too
    #[arg(long)]
    utt2spk: Option<MapName>,
    /// Treat the last column of B as an offset (only relevant if A is affine)
    #[arg(long)]
    b_is_affine: bool,
    /// Write in binary mode (only relevant if the output is a wxfilename)
    #[arg(long, default_value_t = true)]
    binary: bool,
    a: InputName,
    b: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(compose_transforms)).by_entry(0);

fn compose_transforms(opts: Options) -> anyhow::Result<Tally> {
    let (a_is_table, b_is_table) = (is_specifier(&opts.a), is_specifier(&opts.b));
    if opts.utt2spk.is_some() && !(a_is_table && b_is_table) {
        bail!("--utt2spk is only for two tables: {} is a file", if a_is_table { &opts.b } else { &opts.a });
    }
    if (a_is_table || b_is_table) != is_specifier(&opts.target) {
        bail!("the output has to be a table if one of {} and {} is, otherwise a file", opts.a, opts.b);
    }
    match (a_is_table, b_is_table) {
        (true, true) => {
            let table = RandomAccessReader::open(&opts.b)?;
            let utt2spk = opts.utt2spk.as_ref().map(RandomAccessReader::open).transpose()?;
            compose_table(&opts.a, Partner::Table { table, utt2spk }, Order::EntryIsA, &opts)
        }
        (true, false) => compose_table(&opts.a, Partner::File(Arc::new(read_file(&opts.b)?)), Order::EntryIsA, &opts),
        (false, true) => compose_table(&opts.b, Partner::File(Arc::new(read_file(&opts.a)?)), Order::EntryIsB, &opts),
        (false, false) => compose_files(&opts),
    }
}

fn compose_table(source: &BStr, partner: Partner, order: Order, opts: &Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Matrix<f32>>::open(source)?;
    let target = TableWriter::create(&opts.target)?;
    let (format, b_is_affine) = (target.format(), opts.b_is_affine);

    let written = source.par_map_with_into(partner, target, move |entry, found| {
        let key = entry.key();
        let partner = match found {
            Found::Transform(partner) => partner,
            Found::NoSpeaker => {
                warning!("No speaker provided for utterance {key} (is --utt2spk what was meant?)");
                return Ok(None);
            }
            Found::NoTransform(key) => {
                warning!("Second table does not have key {key}");
                return Ok(None);
            }
            Found::OnlyOfSpeaker(spk) => {
                return Err(format!("the second table has speaker {spk}, but not the utterance itself").into());
            }
        };
        let entry = entry.read()?;
        let (a, b) = match order {
            Order::EntryIsA => (&entry, &*partner),
            Order::EntryIsB => (&*partner, &entry),
        };
        let composed = compose(a, b, b_is_affine)?;
        if composed.is_none() {
            warning!("Empty matrix in ComposeTransforms for {key}");
        }
        Ok(composed.map(|composed| Record::from_value(key, composed, format)))
    })?;
    Ok(Tally::from(written.finish()?).always_ok())
}

fn compose_files(opts: &Options) -> anyhow::Result<Tally> {
    let (a, b): (Matrix<f32>, Matrix<f32>) = (read_file(&opts.a)?, read_file(&opts.b)?);
    if !opts.b_is_affine && a.size() == b.size() && a.num_cols() == a.num_rows() + 1 {
        warning!("Both transforms look affine, but there is no --b-is-affine");
    }
    match compose(&a, &b, opts.b_is_affine)? {
        Some(composed) => {
            write_file(&opts.target, &composed, Format::from_binary(opts.binary))?;
            Ok(Tally::new(1, 0))
        }
        None => {
            warning!("Empty matrix in ComposeTransforms");
            Ok(Tally::new(0, 1))
        }
    }
}

/// The composition; `None` if one of the two is empty.
fn compose(a: &Matrix<f32>, b: &Matrix<f32>, b_is_affine: bool) -> anyhow::Result<Option<Matrix<f32>>> {
    if a.is_empty() || b.is_empty() {
        return Ok(None);
    }
    let Ok(composed) = a.composed_after(b, b_is_affine) else {
        bail!(
            "mismatched dimensions: expected {0} or {1} columns of a for the {0} rows of b, got {2}",
            b.num_rows(),
            b.num_rows() + 1,
            a.num_cols()
        );
    };
    Ok(Some(composed))
}

/// Which of the two transforms comes from the table that is read entry by entry.
#[derive(Clone, Copy)]
enum Order {
    EntryIsA,
    EntryIsB,
}

/// The source of the other transform.
enum Partner {
    File(Arc<Matrix<f32>>),
    Table { table: RandomAccessReader<Matrix<f32>>, utt2spk: Option<RandomAccessReader<Token>> },
}

enum Found {
    Transform(Arc<Matrix<f32>>),
    NoSpeaker,
    NoTransform(BString),
    OnlyOfSpeaker(BString),
}

impl Lookup for Partner {
    type Found = Found;

    fn find(&mut self, key: &BStr) -> kaldi_table::Result<Found> {
        let (table, utt2spk) = match self {
            Self::File(transform) => return Ok(Found::Transform(Arc::clone(transform))),
            Self::Table { table, utt2spk } => (table, utt2spk),
        };
        let Some(utt2spk) = utt2spk else {
            return Ok(table.get(key)?.map_or_else(|| Found::NoTransform(key.to_owned()), Found::Transform));
        };
        let Some(spk) = utt2spk.get(key)? else { return Ok(Found::NoSpeaker) };
        let spk: BString = spk.to_vec().into();
        if !table.has_key(&spk)? {
            return Ok(Found::NoTransform(spk));
        }
        Ok(table.get(key)?.map_or(Found::OnlyOfSpeaker(spk), Found::Transform))
    }

    fn restart(&mut self) -> kaldi_table::Result<()> {
        match self {
            Self::File(_) => Ok(()),
            Self::Table { table, utt2spk } => {
                table.restart()?;
                utt2spk.as_mut().map_or(Ok(()), RandomAccessReader::restart)
            }
        }
    }

    fn finish(&mut self) -> kaldi_table::Result<()> {
        match self {
            Self::File(_) => Ok(()),
            Self::Table { table, utt2spk } => {
                table.finish()?;
                utt2spk.as_mut().map_or(Ok(()), RandomAccessReader::finish)
            }
        }
    }
}
