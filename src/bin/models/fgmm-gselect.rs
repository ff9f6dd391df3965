//! Selects the best Gaussians of every frame, from a mixture with full covariances.
//!
//! Matches Kaldi's `fgmm-gselect`, except that an utterance without frames is skipped.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::FullGmm;
use kaldi_mixtures::{SelectTables, write_selection};
use kaldi_options::SelectArguments;
use kaldi_table::read_file;

const USAGE: &str = "\
Selects the Gaussians of a mixture with full covariances that are most likely for each frame, the best first. With
--gselect it chooses among Gaussians that were selected before.

Usage: fgmm-gselect [options] <model-in> <feats-rspecifier> <gselect-wspecifier>
 e.g.: fgmm-gselect --n=20 final.ubm scp:feats.scp ark:gselect.ark
See also: gmm-global-get-post, fgmm-global-gselect-to-post, copy-gselect, gmm-gselect
";

#[derive(clap::Parser)]
struct Options {
    #[command(flatten)]
    selection: SelectArguments,
    model: InputName,
    feats: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(fgmm_gselect))
    .in_pieces(&[(kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Entries(1))]);

fn fgmm_gselect(opts: Options) -> anyhow::Result<Tally> {
    let gmm: FullGmm = read_file(&opts.model)?;
    let tables = SelectTables {
        feats: &opts.feats,
        lists: opts.selection.gselect.as_deref(),
        target: &opts.target,
        likelihoods: opts.selection.write_likes.as_deref(),
    };
    let totals = write_selection(gmm, opts.selection.num_selected()?, &tables)?;
    Ok(Tally::new(totals.done, totals.failed))
}
