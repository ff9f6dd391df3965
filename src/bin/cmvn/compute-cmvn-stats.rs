//! Computes statistics for cepstral mean and variance normalization: per utterance, per speaker, or of everything.
//!
//! Matches Kaldi's `compute-cmvn-stats`. Statistics of everything are sums of those of the utterances, while Kaldi sums
//! frame by frame; the last digit of the single precision in which they are written may differ. `--format=json` is our own: the
//! file of WeNet's `compute_cmvn_stats.py`.

use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail, ensure};
use bstr::BStr;
use kaldi_cli::{InputName, MapName, OutputName, Tally};
use kaldi_feat::CmvnStats;
use kaldi_io::log::{log, warning};
use kaldi_io::{Output, is_specifier, printable_wxfilename};
use kaldi_matrix::{Matrix, Vector};
use kaldi_table::{Lookup, RandomAccessReader, Record, SequentialReader, TableWriter, write_file};
use kaldi_value::Format;
use kaldi_value::Keys;
use serde_json::json;

const USAGE: &str = "\
Computes statistics for cepstral mean and variance normalization: into a table for each utterance or, with --spk2utt, for
each speaker; into a file for all frames together.

Usage: compute-cmvn-stats [options] <feats-rspecifier> (<stats-wspecifier>|<stats-wxfilename>)
 e.g.: compute-cmvn-stats --spk2utt=ark:spk2utt scp:feats.scp ark,scp:cmvn.ark,cmvn.scp
       compute-cmvn-stats scp:feats.scp global_cmvn.mat
       compute-cmvn-stats --format=json scp:feats.scp global_cmvn.json
See also: apply-cmvn, modify-cmvn-stats, compute-cmvn-stats-two-channel, matrix-sum
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode (only relevant if the output is a wxfilename)
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Rspecifier of the map from speakers to utterances
    #[arg(long)]
    spk2utt: Option<MapName>,
    /// Rspecifier of vectors with a weight for each frame of an utterance
    #[arg(long)]
    weights: Option<InputName>,
    /// Format of statistics of everything: kaldi, or json (WeNet's global_cmvn: mean_stat, var_stat, frame_num)
    #[arg(long, default_value = "kaldi", value_parser = kaldi_cli::one_of(&FORMATS))]
    format: StatsFormat,
    source: InputName,
    target: OutputName,
}

/// The value of --format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StatsFormat {
    Kaldi,
    Json,
}

const FORMATS: [(&str, StatsFormat); 2] = [("kaldi", StatsFormat::Kaldi), ("json", StatsFormat::Json)];

/// The table in which weights are looked up, if there are any.
type Weights = Option<RandomAccessReader<Vector<f32>>>;
type FoundWeights = Option<Option<Arc<Vector<f32>>>>;

const EMPTY: &str = "expected features, got an empty matrix";

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(compute_cmvn_stats)).in_pieces(&[
    (kaldi_cli::PiecesIf::Given("format"), kaldi_cli::Pieces::Whole("statistics in JSON are not added up")),
    (kaldi_cli::PiecesIf::ToFile, kaldi_cli::Pieces::Sums(0, "matrix-sum IN OUT")),
    (kaldi_cli::PiecesIf::Given("spk2utt"), kaldi_cli::Pieces::Speakers("spk2utt")),
    (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Entries(0)),
]);

fn compute_cmvn_stats(opts: Options) -> anyhow::Result<Tally> {
    let weights = opts.weights.as_deref().map(RandomAccessReader::open).transpose()?;
    ensure!(
        opts.format == StatsFormat::Kaldi || !is_specifier(&opts.target),
        "--format=json is for statistics of everything in a file, got the table {}",
        opts.target
    );
    let tally = match (is_specifier(&opts.target), &opts.spk2utt) {
        (true, Some(spk2utt)) => compute_per_speaker(&opts, spk2utt, weights),
        (true, None) => compute_per_utterance(&opts, weights),
        (false, None) => compute_global(&opts, weights),
        (false, Some(_)) => bail!(
            "--spk2utt does not go with statistics of everything in a file: write a table instead, as in ark:{}",
            opts.target
        ),
    }?;
    Ok(tally)
}

fn compute_per_speaker(opts: &Options, spk2utt: &BStr, mut weights: Weights) -> anyhow::Result<Tally> {
    let speakers = SequentialReader::<Keys>::open(spk2utt)?.values();
    let mut source = RandomAccessReader::<Matrix<f32>>::open(&opts.source)?;
    let mut target = TableWriter::create(&opts.target)?;
    let mut tally = Tally::default();
    let ended = speakers.drain(|spk, utts| {
        let mut stats = None;
        for utt in utts.iter() {
            let Some(feats) = source.get(utt)? else {
                warning!("Did not find features for utterance {utt}");
                tally.failed += 1;
                continue;
            };
            let stats = match &mut stats {
                Some(stats) => stats,
                none => none.insert(new_stats(&feats).with_context(|| utt.to_string())?),
            };
            let done = add_feats(stats, utt, &feats, weights.find(utt)?).with_context(|| utt.to_string())?;
            count(&mut tally, done);
        }
        match stats {
            Some(stats) => target.write(&spk, &stats.into_matrix())?,
            None => warning!("No stats accumulated for speaker {spk}"),
        }
        anyhow::Ok(())
    })?;
    log_count(tally);
    ended.finish()?;
    source.finish()?;
    weights.finish()?;
    target.finish()?;
    Ok(tally)
}

fn compute_per_utterance(opts: &Options, weights: Weights) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Matrix<f32>>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let written = source.par_map_with_into(weights, target, move |entry, weights| {
        let (utt, feats) = (entry.key(), entry.read()?);
        let mut stats = new_stats(&feats)?;
        let done = add_feats(&mut stats, utt, &feats, weights)?;
        Ok(done.then(|| Record::from_value(utt, stats.into_matrix(), format)))
    })?;
    log_count(written.counts().into());
    Ok(written.finish()?.into())
}

fn compute_global(opts: &Options, weights: Weights) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Matrix<f32>>::open(&opts.source)?;
    let rows = source.par_map_with(weights, |entry, weights| {
        let (utt, feats) = (entry.key(), entry.read()?);
        let mut stats = CmvnStats::new(feats.num_cols());
        let done = add_feats(&mut stats, utt, &feats, weights)?;
        Ok((stats, done))
    });
    let mut tally = Tally::default();
    let mut sum: Option<CmvnStats> = None;
    let ended = rows.drain(|utt, (stats, done)| {
        count(&mut tally, done);
        match &mut sum {
            // Features without frames have no dimension either.
            None if stats.dim() == 0 => bail!("{utt}: {EMPTY}"),
            None => sum = Some(stats),
            Some(sum) if stats.dim() > 0 && done => sum.add(&stats).map_err(|error| anyhow!("{utt}: {error}"))?,
            Some(_) => {}
        }
        anyhow::Ok(())
    })?;
    ended.finish()?;
    let matrix = sum.map(CmvnStats::into_matrix).unwrap_or_default();
    match opts.format {
        StatsFormat::Kaldi => {
            write_file(&opts.target, &matrix.to_precision::<f32>(), Format::from_binary(opts.binary))?;
        }
        StatsFormat::Json => write_json(&opts.target, &matrix)?,
    }
    log!("Wrote global CMVN stats to {}", printable_wxfilename(&opts.target));
    log_count(tally);
    Ok(tally)
}

/// Writes one object: the sums of the dimensions, the sums of the squares, and the number of frames.
fn write_json(target: &BStr, stats: &Matrix<f64>) -> anyhow::Result<()> {
    ensure!(!stats.is_empty(), "expected features, got none: there are no statistics to write");
    let dim = stats.num_cols() - 1;
    let list = |row: &[f64]| row[..dim].iter().map(|sum| json!(sum).to_string()).collect::<Vec<_>>().join(", ");
    let (sums, squares, frames) = (list(stats.row(0)), list(stats.row(1)), stats.row(0)[dim]);
    // A sum of weights may be no whole number.
    let frames = if frames.fract() == 0.0 { json!(frames as i64) } else { json!(frames) };
    let mut output = Output::create(target, false)?;
    output.write_all(
        format!("{{\"mean_stat\": [{sums}], \"var_stat\": [{squares}], \"frame_num\": {frames}}}\n").as_bytes(),
    )?;
    Ok(output.finish()?)
}

fn new_stats(feats: &Matrix<f32>) -> anyhow::Result<CmvnStats> {
    if feats.is_empty() {
        bail!("{EMPTY}");
    }
    Ok(CmvnStats::new(feats.num_cols()))
}

/// Adds an utterance to statistics, unless its weights are missing.
fn add_feats(stats: &mut CmvnStats, utt: &BStr, feats: &Matrix<f32>, weights: FoundWeights) -> anyhow::Result<bool> {
    let weights = match weights {
        None => None,
        Some(Some(weights)) if weights.dim() == feats.num_rows() => Some(weights),
        Some(Some(weights)) => {
            let (got, frames) = (weights.dim(), feats.num_rows());
            warning!("Weights for utterance {utt} have wrong dimension {got} vs. {frames}");
            return Ok(false);
        }
        Some(None) => {
            warning!("No weights available for utterance {utt}");
            return Ok(false);
        }
    };
    let weights = weights.as_ref().map(|weights| weights.as_slice());
    stats.add_feats(feats, weights)?;
    Ok(true)
}

fn count(tally: &mut Tally, done: bool) {
    tally.done += u64::from(done);
    tally.failed += u64::from(!done);
}

fn log_count(tally: Tally) {
    log!("Done accumulating CMVN stats for {} utterances; {} had errors.", tally.done, tally.failed);
}
