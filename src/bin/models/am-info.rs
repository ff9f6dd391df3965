//! Prints how large a transition model is.
//!
//! Matches Kaldi's `am-info`.

use kaldi_cli::{InputName, Tally};
use kaldi_hmm::TransitionModel;
use kaldi_table::read_file;

const USAGE: &str = "\
Prints the numbers of phones, pdfs, transition-ids and transition-states of a model. It may be a model of any kind: only
its transition model is read, which comes first.

Usage: am-info [options] <model-rxfilename>
 e.g.: am-info final.mdl
See also: hmm-info, tree-info, show-transitions, copy-transition-model
";

#[derive(clap::Args)]
struct Options {
    model: InputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(am_info));

fn am_info(opts: Options) -> anyhow::Result<Tally> {
    let model: TransitionModel = read_file(&opts.model)?;
    kaldi_io::print(model.summary())?;
    Ok(Tally::default().always_ok())
}
