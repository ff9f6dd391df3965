//! Accumulates statistics of states in their contexts of phones, from which trees are built.
//!
//! Matches Kaldi's `acc-tree-stats`, except that a phone that `--phone-map` leaves out is an error also if it is smaller than
//! the largest one, and that windows have at most 1000 phones.

use anyhow::{Context, bail};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_hmm::{PhoneMap, TransitionModel, TreeStatsAccumulator, TreeStatsOptions, parse_phones};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{RandomAccessReader, SequentialReader, read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Accumulates statistics of the states of phones, apart for each window of phones around them. From these a tree is built.

Usage: acc-tree-stats [options] <model-rxfilename> <feats-rspecifier> <alignments-rspecifier> <stats-wxfilename>
 e.g.: acc-tree-stats final.mdl scp:train.scp ark:1.ali 1.tacc
See also: sum-tree-stats, build-tree, cluster-phones
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// The least variance of clusters
    #[arg(long, default_value_t = 0.01)]
    var_floor: f32,
    /// Phones whose context does not count, separated by colons; after --phone-map
    #[arg(long, default_value = "")]
    ci_phones: String,
    /// The number of phones in a window
    #[arg(long, default_value_t = 3)]
    context_width: i32,
    /// The position of the phone itself in the window, from 0
    #[arg(long, default_value_t = 1)]
    central_position: i32,
    /// Rxfilename of a map of phones: lines of an old and a new phone
    #[arg(long)]
    phone_map: Option<InputName>,
    model: InputName,
    source: InputName,
    alignments: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(acc_tree_stats))
    .in_pieces(&[(kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Sums(1, "sum-tree-stats OUT IN"))]);

fn acc_tree_stats(opts: Options) -> anyhow::Result<Tally> {
    let mut options = TreeStatsOptions::default();
    (options.context_width, options.central_position) = (opts.context_width, opts.central_position);
    options.var_floor = opts.var_floor;
    options.phone_map = opts.phone_map.as_ref().map(|name| PhoneMap::read(name)).transpose()?;
    options.ci_phones = ci_phones(&opts.ci_phones)?;
    let mut accumulator = TreeStatsAccumulator::new(options)?;
    let model: TransitionModel = read_file(&opts.model)?;
    let source = SequentialReader::<Matrix<f32>>::open(&opts.source)?;
    let alignments = RandomAccessReader::<Vec<i32>>::open(&opts.alignments)?;

    let rows = source.par_map_with(alignments, |entry, alignment| match alignment {
        Some(alignment) => Ok(Some((alignment, entry.read()?))),
        None => Ok(None),
    });
    let (mut tally, mut num_missing) = (Tally::default(), 0);
    let ended = rows.drain(|key, row| {
        let Some((alignment, feats)) = row else {
            num_missing += 1;
            return Ok(());
        };
        let (num_frames, num_rows) = (alignment.len(), feats.num_rows());
        if num_frames != num_rows {
            warning!("{key}: Alignments has wrong size {num_frames} vs. {num_rows}");
            tally.failed += 1;
            return Ok(());
        }
        if !accumulator.add(&model, &alignment, &feats).with_context(|| key.to_string())? {
            warning!("{key}: alignment appears to be bad, not using it");
        }
        tally.done += 1;
        if tally.done % 1000 == 0 {
            log!("Processed {} utterances.", tally.done);
        }
        anyhow::Ok(())
    })?;
    ended.finish()?;
    let stats = accumulator.into_stats();
    write_file(&opts.target, &stats, Format::from_binary(opts.binary))?;
    let (done, failed) = (tally.done, tally.failed);
    log!(
        "Accumulated stats for {done} files, {num_missing} failed due to no alignment, {failed} failed for other reasons."
    );
    log!("Number of separate stats (context-dependent states) is {}", stats.len());
    tally.failed += num_missing;
    Ok(tally)
}

fn ci_phones(list: &str) -> anyhow::Result<Vec<i32>> {
    let mut phones = parse_phones(list.as_bytes()).context("invalid --ci-phones")?;
    phones.sort_unstable();
    if phones.windows(2).any(|pair| pair[0] == pair[1]) || phones.first() == Some(&0) {
        bail!("Invalid --ci-phones option: {list} (a phone comes twice, or is 0)");
    }
    Ok(phones)
}
