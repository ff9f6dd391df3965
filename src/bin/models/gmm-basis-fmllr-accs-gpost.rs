//! Computes statistics of bases of fMLLR from posteriors of Gaussians.
//!
//! Matches Kaldi's `gmm-basis-fmllr-accs-gpost`, except that all frames count. In Kaldi the last one of each utterance, or of the last
//! utterance of each speaker, does not.

use kaldi_cli::{InputName, MapName, OutputName, Tally};
use kaldi_gmm::AcousticModel;
use kaldi_log::log;
use kaldi_mixtures::{SpeakerTables, basis_stats};
use kaldi_table::{read_file, write_file};
use kaldi_values::{Format, GaussPost};

const USAGE: &str = "\
Computes statistics from which bases of fMLLR transforms are trained, from posteriors of Gaussians: of each utterance or, with
--spk2utt, of each speaker.

Usage: gmm-basis-fmllr-accs-gpost [options] <model-in> <feats-rspecifier> <gpost-rspecifier> <stats-wxfilename>
 e.g.: gmm-basis-fmllr-accs-gpost --spk2utt=ark:spk2utt 1.mdl scp:feats.scp ark:1.gpost 1.basis_stats
See also: gmm-basis-fmllr-accs, gmm-basis-fmllr-training, gmm-est-basis-fmllr-gpost
";

#[derive(clap::Parser)]
struct Options {
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

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_basis_fmllr_accs_gpost))
    .in_pieces(&[(kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Whole("its output is one file"))]);

fn gmm_basis_fmllr_accs_gpost(opts: Options) -> anyhow::Result<Tally> {
    let model: AcousticModel = read_file(&opts.model)?;
    let tables = SpeakerTables { feats: &opts.feats, posteriors: &opts.posteriors, spk2utt: opts.spk2utt.as_deref() };
    let (stats, counts) = basis_stats::<GaussPost>(model, &tables)?;
    write_file(&opts.target, &stats, Format::from_binary(opts.binary))?;
    log!("Written gradient scatter to {}", opts.target);
    Ok(Tally::new(counts.done, counts.missing + counts.failed))
}
