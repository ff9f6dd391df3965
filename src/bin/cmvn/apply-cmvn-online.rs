//! Normalizes the means and, if wanted, the variances of features as if the frames arrived one by one.
//!
//! Matches Kaldi's `apply-cmvn-online`, except that an utterance without frames changes nothing for later ones,
//! senseless options are errors even if there are no features, and floored variances give one warning per utterance.

use anyhow::{Context as _, anyhow};
use bstr::BStr;
use kaldi_cli::{InputName, MapName, OutputName, Tally};
use kaldi_feat::{Normalized, OnlineCmvn, OnlineCmvnOptions, OnlineCmvnState, VARIANCE_FLOOR};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{RandomAccessReader, Record, SequentialReader, TableWriter, read_file};
use kaldi_value::Keys;
use kaldi_value::number::general;

const USAGE: &str = "\
Applies cepstral mean and, with --norm-vars, variance normalization to features as online decoding does it: over a
window of the last frames. While the window is not full, it is filled up with the speaker's earlier utterances (with
--spk2utt) and with global statistics.

Usage: apply-cmvn-online [options] <global-stats-rxfilename> <feats-rspecifier> <feats-wspecifier>
 e.g.: apply-cmvn-online --spk2utt=ark:spk2utt 'matrix-sum scp:cmvn.scp - |' scp:feats.scp ark:-
       apply-cmvn-online --config=conf/online_cmvn.conf global_cmvn.mat scp:feats.scp ark:-
See also: apply-cmvn, apply-cmvn-sliding, compute-cmvn-stats, matrix-sum
";

#[derive(clap::Args)]
struct Options {
    /// Rspecifier of the map from speakers to utterances, which are then normalized in its order
    #[arg(long)]
    spk2utt: Option<MapName>,
    #[command(flatten)]
    online: OnlineCmvnOptions,
    global_stats: InputName,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(apply_cmvn_online)).in_pieces(&[
    (kaldi_cli::PiecesIf::Given("spk2utt"), kaldi_cli::Pieces::Speakers("spk2utt")),
    (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Entries(1)),
]);

fn apply_cmvn_online(opts: Options) -> anyhow::Result<Tally> {
    let cmvn = OnlineCmvn::new(opts.online.clone(), read_file::<Matrix<f64>>(&opts.global_stats)?)?;
    let target = TableWriter::create(&opts.target)?;
    match &opts.spk2utt {
        Some(spk2utt) => apply_per_speaker(&cmvn, spk2utt, &opts.source, target),
        None => apply_per_utterance(cmvn, &opts.source, target),
    }
}

fn apply_per_utterance(cmvn: OnlineCmvn, source: &BStr, mut target: TableWriter<Matrix<f32>>) -> anyhow::Result<Tally> {
    let format = target.format();
    let rows = SequentialReader::<Matrix<f32>>::open(source)?.par_map(move |entry| {
        let feats = entry.read()?;
        let normalized = apply(&cmvn, entry.key(), &feats, &OnlineCmvnState::default())?;
        Ok((Record::from_value(entry.key(), normalized, format), feats.num_rows()))
    });
    let (mut tally, mut num_frames) = (Tally::default(), 0);
    let ended = rows.drain(|_, (record, frames)| {
        target.put(record)?;
        tally.done += 1;
        num_frames += frames;
        anyhow::Ok(())
    })?;
    log_count(tally, num_frames);
    ended.finish()?;
    target.finish()?;
    Ok(tally)
}

fn apply_per_speaker(
    cmvn: &OnlineCmvn,
    spk2utt: &BStr,
    source: &BStr,
    mut target: TableWriter<Matrix<f32>>,
) -> anyhow::Result<Tally> {
    let format = target.format();
    let speakers = SequentialReader::<Keys>::open(spk2utt)?.values();
    let mut source = RandomAccessReader::<Matrix<f32>>::open(source)?;
    let (mut tally, mut num_frames) = (Tally::default(), 0);
    let ended = speakers.drain(|_, utts| {
        let mut state = OnlineCmvnState::default();
        for utt in utts.iter() {
            let Some(feats) = source.get(utt)? else {
                warning!("No features for utterance {utt}");
                tally.failed += 1;
                continue;
            };
            let normalized = apply(cmvn, utt, &feats, &state).with_context(|| utt.to_string())?;
            state.add(&feats).map_err(|error| anyhow!("{utt}: {error}"))?;
            target.put(Record::from_value(utt, normalized, format))?;
            tally.done += 1;
            num_frames += feats.num_rows();
        }
        anyhow::Ok(())
    })?;
    log_count(tally, num_frames);
    ended.finish()?;
    source.finish()?;
    target.finish()?;
    Ok(tally)
}

fn apply(
    cmvn: &OnlineCmvn,
    utt: &BStr,
    feats: &Matrix<f32>,
    state: &OnlineCmvnState,
) -> Result<Matrix<f32>, kaldi_feat::Error> {
    let Normalized { feats, first_floored, num_floored } = cmvn.apply(feats, state)?;
    if let Some(first) = first_floored {
        let (from, to) = (general(first.variance), general(VARIANCE_FLOOR));
        warning!("Flooring cepstral variance from {from} to {to} (utterance {utt}, the first of {num_floored} such)");
    }
    Ok(feats)
}

fn log_count(tally: Tally, num_frames: usize) {
    log!("Applied online CMVN to {} files, or {num_frames} frames.", tally.done);
}
