//! Copies a transition model, alone or out of an acoustic model.
//!
//! Matches Kaldi's `copy-transition-model`, except that `--binary` is true if it is not given; in Kaldi it is not defined.

use kaldi_cli::{CopyOptions, Tally};
use kaldi_hmm::TransitionModel;
use kaldi_io::log::log;
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Copies the transition model of a model of any kind, between text and binary. What follows it in the file is dropped.

Usage: copy-transition-model [options] <model-rxfilename> <transition-model-wxfilename>
 e.g.: copy-transition-model --binary=false final.mdl - | less
See also: am-info, show-transitions, copy-tree
";

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(copy_transition_model));

fn copy_transition_model(opts: CopyOptions) -> anyhow::Result<Tally> {
    let model: TransitionModel = read_file(&opts.source)?;
    write_file(&opts.target, &model, Format::from_binary(opts.binary))?;
    log!("Copied transition model.");
    Ok(Tally::new(1, 0))
}
