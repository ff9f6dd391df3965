//! Computes statistics for cepstral mean and variance normalization of both sides of telephone calls, mostly from the
//! frames in which a side is the louder one.
//!
//! Matches Kaldi's `compute-cmvn-stats-two-channel`.

use anyhow::{anyhow, bail};
use bstr::{BStr, BString};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feat::CmvnStats;
use kaldi_io::Lines;
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{RandomAccessReader, TableWriter};
use std::collections::BTreeMap;

const USAGE: &str = "\
Computes statistics for cepstral mean and variance normalization of telephone calls with two sides. The file
reco2file_and_channel has lines of an utterance, its call, and its side:
  sw02001-A sw02001 A
  sw02001-B sw02001 B
Of the two utterances of a call, each frame counts fully for the louder one and little for the other one. The first
dimension of the features decides which one is louder, so it has to be the energy or c0, as in MFCC or PLP. Utterances
without another side are treated as in compute-cmvn-stats.

Usage: compute-cmvn-stats-two-channel [options] <reco2file-and-channel> <feats-rspecifier> <stats-wspecifier>
 e.g.: compute-cmvn-stats-two-channel data/train_unseg/reco2file_and_channel scp:data/train_unseg/feats.scp ark,t:-
See also: compute-cmvn-stats, apply-cmvn
";

#[derive(clap::Args)]
struct Options {
    /// Weight of the frames of the quieter side, so that a side that is always quieter has statistics, too
    #[arg(long, default_value_t = 0.01)]
    quieter_channel_weight: f32,
    channels: InputName,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(compute_cmvn_stats_two_channel))
    .whole("the lines of a recording belong together");

fn compute_cmvn_stats_two_channel(opts: Options) -> anyhow::Result<Tally> {
    let groups = read_groups(&opts.channels)?;
    let mut source = RandomAccessReader::<Matrix<f32>>::open(&opts.source)?;
    let mut target = TableWriter::create(&opts.target)?;
    let mut tally = Tally::default();
    for utts in groups {
        let mut found = Vec::new();
        for utt in &utts {
            match source.get(utt)? {
                Some(feats) => found.push((BStr::new(utt), feats)),
                None => {
                    warning!("No feature data for utterance {utt}");
                    tally.failed += 1;
                }
            }
        }
        let stats = match found.as_slice() {
            [(first, first_feats), (second, second_feats)] => {
                let (first_frames, second_frames) = (first_feats.num_rows(), second_feats.num_rows());
                if first_frames != second_frames {
                    warning!(
                        "Number of frames differ between {first} and {second}: {first_frames} vs. {second_frames}; \
                         none of them counts less"
                    );
                }
                let stats = CmvnStats::of_channels(first_feats, second_feats, opts.quieter_channel_weight);
                stats.map_err(|error| anyhow!("{first} and {second}: {error}"))?.into()
            }
            _ => found.iter().map(|(_, feats)| CmvnStats::of(feats)).collect::<Vec<_>>(),
        };
        for ((utt, _), stats) in found.iter().zip(stats) {
            target.write(utt, &stats.into_matrix())?;
            tally.done += 1;
        }
    }
    log!("Done accumulating CMVN stats for {} utterances; {} had errors.", tally.done, tally.failed);
    source.finish()?;
    target.finish()?;
    Ok(tally)
}

/// Reads which utterances belong together: the two of a call, or a single one; in the order of the names of the calls.
fn read_groups(rxfilename: &BStr) -> anyhow::Result<Vec<Vec<BString>>> {
    let mut lines = Lines::open(rxfilename)?;
    let mut calls = BTreeMap::<BString, Vec<BString>>::new();
    while let Some(line) = lines.next_line()? {
        let mut words = line.split(|byte| b" \t\r".contains(byte)).filter(|word| !word.is_empty());
        let (Some(utt), Some(call), Some(_side), None) = (words.next(), words.next(), words.next(), words.next())
        else {
            let line = BString::from(line);
            bail!("{}:{}: expected an utterance, a call and a side, got {line:?}", lines.name(), lines.number());
        };
        calls.entry(call.into()).or_default().push(utt.into());
    }
    let mut groups = Vec::new();
    for (call, utts) in calls {
        if utts.len() == 2 {
            groups.push(utts);
        } else {
            warning!("Call {call} has {} utterances, expected two; each is treated by itself", utts.len());
            groups.extend(utts.into_iter().map(|utt| vec![utt]));
        }
    }
    Ok(groups)
}
