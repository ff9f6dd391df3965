//! Computes statistics of bases of fMLLR from posteriors of transition-ids.
//!
//! Matches Kaldi's `gmm-basis-fmllr-accs`, except that all frames count. In Kaldi the last one of each utterance, or of the last
//! utterance of each speaker, does not.

use kaldi_cli::{InputName, MapName, OutputName, Tally};
use kaldi_gmm::AcousticModel;
use kaldi_gmm::tables::{FmllrPosteriors, SpeakerTables, basis_stats};
use kaldi_io::log::log;
use kaldi_table::{read_file, write_file};
use kaldi_value::{Format, Posterior};

const USAGE: &str = "\
Computes statistics from which bases of fMLLR transforms are trained, from posteriors of transition-ids: of each utterance or, with
--spk2utt, of each speaker.

Usage: gmm-basis-fmllr-accs [options] <model-in> <feats-rspecifier> <post-rspecifier> <stats-wxfilename>
 e.g.: gmm-basis-fmllr-accs --spk2utt=ark:spk2utt 1.mdl scp:feats.scp ark:1.post 1.basis_stats
See also: gmm-basis-fmllr-accs-gpost, gmm-basis-fmllr-training, gmm-est-basis-fmllr
";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Rspecifier of the map from speakers to utterances
    #[arg(long)]
    spk2utt: Option<MapName>,
    model: InputName,
    feats: InputName,
    posteriors: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(write_stats::<Posterior>)).whole("its output is one file");

/// Computes the statistics from posteriors of either kind.
pub(crate) fn write_stats<P: FmllrPosteriors>(opts: Options) -> anyhow::Result<Tally> {
    let model: AcousticModel = read_file(&opts.model)?;
    let tables = SpeakerTables { feats: &opts.feats, posteriors: &opts.posteriors, spk2utt: opts.spk2utt.as_deref() };
    let (stats, counts) = basis_stats::<P>(model, &tables)?;
    write_file(&opts.target, &stats, Format::from_binary(opts.binary))?;
    log!("Written gradient scatter to {}", opts.target);
    Ok(Tally::new(counts.done, counts.missing + counts.failed))
}
