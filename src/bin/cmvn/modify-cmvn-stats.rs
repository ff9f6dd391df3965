//! Changes statistics of cepstral mean and variance normalization so that some dimensions are not normalized, or
//! converts them to means and variances.
//!
//! Matches Kaldi's `modify-cmvn-stats`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feat::{CmvnStats, Dims};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{Record, SequentialReader, TableWriter};

const USAGE: &str = "\
Copies statistics of cepstral mean and variance normalization, and sets those of some dimensions, given as a list such
as 13:14:15, to a mean of zero and a variance of one, so that these are not normalized.

Usage: modify-cmvn-stats [options] [<fake-dims>] <stats-rspecifier> <stats-wspecifier>
 e.g.: modify-cmvn-stats 13:14:15 ark:- ark:-
       modify-cmvn-stats --convert-to-mean-and-var=true ark:- ark:-
See also: compute-cmvn-stats, apply-cmvn
";

#[derive(clap::Args)]
struct Options {
    /// Write the means and the variances around them, in two rows, instead of sums
    #[arg(long)]
    convert_to_mean_and_var: bool,
    fake_dims: Option<Dims>,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(modify_cmvn_stats)).in_pieces(&[
    (kaldi_cli::PiecesIf::NumArguments(3), kaldi_cli::Pieces::Entries(1)),
    (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Entries(0)),
]);

fn modify_cmvn_stats(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Matrix<f64>>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;
    let format = target.format();
    let fake_dims = opts.fake_dims.unwrap_or_default();

    let written = source.par_map_into(target, move |entry| {
        let spk = entry.key();
        let stats = CmvnStats::from_matrix(entry.read()?).and_then(|mut stats| {
            stats.fake(&fake_dims)?;
            if opts.convert_to_mean_and_var { stats.means_and_variances() } else { Ok(Some(stats.into_matrix())) }
        });
        let stats = stats?;
        if stats.is_none() {
            warning!("Zero or negative count for speaker {spk}: it has no mean and variance");
        }
        Ok(stats.map(|stats| Record::from_value(spk, stats, format)))
    })?;
    log!("Modified {} sets of stats.", written.done());
    Ok(written.finish()?.into())
}
