//! Copies some of the feature matrices of a table.
//!
//! Matches Kaldi's `subset-feats`.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally, read_keys};
use kaldi_io::log::log;
use kaldi_matrix::Matrix;
use kaldi_table::{Reader, SequentialReader, TableWriter};

const USAGE: &str = "\
Copies a subset of features: the first ones, those of listed utterances, or all but those. For a script file, filtering
its lines does the same faster.

Usage: subset-feats [options] <in-rspecifier> <out-wspecifier>
 e.g.: subset-feats --n=10 ark:- ark:-
       subset-feats --include=utts ark:- ark:-
       subset-feats --exclude=utts ark:- ark:-
See also: copy-feats, select-feats, extract-feature-segments
";

/// The default of `--n`.
const FIRST: i32 = 10;

#[derive(clap::Args)]
struct Options {
    /// Copy this many feature matrices, the first ones
    #[arg(long, default_value_t = FIRST)]
    n: i32,
    /// Copy only utterances listed in this text file, as first word of a line
    #[arg(long)]
    include: Option<InputName>,
    /// Copy all but the utterances listed in this text file, as first word of a line
    #[arg(long)]
    exclude: Option<InputName>,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(subset_feats)).in_pieces(&[
    (kaldi_cli::PiecesIf::Given("include"), kaldi_cli::Pieces::Entries(0)),
    (kaldi_cli::PiecesIf::Given("exclude"), kaldi_cli::Pieces::Entries(0)),
    (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Whole("the first n entries of the whole table count")),
]);

fn subset_feats(opts: Options) -> anyhow::Result<Tally> {
    let (list, included) = match (&opts.include, &opts.exclude) {
        (Some(_), Some(_)) => bail!("--include and --exclude cannot both be given"),
        (Some(_), _) | (_, Some(_)) if opts.n != FIRST => bail!("--n cannot be given with --include or --exclude"),
        (Some(list), _) => (Some(read_keys(list)?), true),
        (_, Some(list)) => (Some(read_keys(list)?), false),
        _ if opts.n < 1 => bail!("expected --n to be 1 or more, got {}", opts.n),
        _ => (None, true),
    };
    let first = if list.is_some() { u64::MAX } else { u64::from(opts.n.unsigned_abs()) };
    let is_listed = list.is_some();
    let mut target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let mut rows = SequentialReader::<Matrix<f32>>::open(&opts.source)?.skim().par_map(move |entry| {
        let wanted = list.as_ref().is_none_or(|list| list.contains(entry.key()) == included);
        Ok(if wanted { Some(entry.copy(format)?) } else { None })
    });
    let (mut done, mut total) = (0, 0);
    while done < first
        && let Some((_, wanted)) = rows.next()?
    {
        total += 1;
        if let Some(record) = wanted {
            target.put(record)?;
            done += 1;
        }
    }
    if is_listed {
        log!("Wrote {done} out of {total} utterances.");
    }
    target.finish()?;
    // The command may need some time to end.
    rows.finish()?;
    let tally = Tally::new(done, 0);
    Ok(if is_listed { tally } else { tally.always_ok() })
}
