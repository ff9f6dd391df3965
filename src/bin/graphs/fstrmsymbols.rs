//! Removes labels from a graph, or the arcs that have them, or adds a penalty to these.
//!
//! Matches Kaldi's `fstrmsymbols`, except that an arc to a state that does not exist is an error, and that `--remove-arcs`
//! leaves nothing of an FST without a start.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::warning;
use kaldi_lattice::{Fst, LabelSet, Side};

use crate::files::{read_with_lists, write};

const USAGE: &str = "\
Makes labels of a graph epsilons (0), on the input side if nothing else is said. Instead it can remove the arcs that have such
labels, with all that is then on no path, or add to their costs.

Usage: fstrmsymbols [options] <labels-rxfilename> [<fst-rxfilename> [<fst-wxfilename>]]
 e.g.: fstrmsymbols disambig.int HCLGa.fst HCLG.fst
       fstrmsymbols --remove-arcs=true --apply-to-output=true oov.int G.fst known.fst
See also: fstaddselfloops, arpa2fst
";

#[derive(clap::Args)]
struct Options {
    /// Look at output labels instead of input labels
    #[arg(long, alias = "remove-from-output")]
    apply_to_output: bool,
    /// Remove the arcs that have such labels, and the states that are on no path then
    #[arg(long)]
    remove_arcs: bool,
    /// Add this to the costs of arcs that have such labels, and keep the labels
    #[arg(long, default_value_t = f32::NEG_INFINITY)]
    penalty: f32,
    labels: InputName,
    source: Option<InputName>,
    target: Option<OutputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(fstrmsymbols));

fn fstrmsymbols(opts: Options) -> anyhow::Result<Tally> {
    let has_penalty = opts.penalty != f32::NEG_INFINITY;
    if opts.remove_arcs && has_penalty {
        bail!("--remove-arcs and --penalty cannot both be given");
    }
    let (mut fst, [labels]) = read_with_lists(opts.source.as_ref(), [&opts.labels], Fst::read_file)?;
    let labels = LabelSet::new(labels, if opts.apply_to_output { Side::Output } else { Side::Input });
    if opts.remove_arcs {
        fst.remove_arcs(&labels);
        if fst.start().is_none() {
            warning!("nothing is left of the graph: no path is without these labels");
        }
    } else if has_penalty {
        fst.penalize_labels(&labels, opts.penalty);
    } else {
        fst.remove_labels(&labels)?;
    }
    write(opts.target.as_ref(), &fst)?;
    Ok(Tally::new(1, 0))
}
