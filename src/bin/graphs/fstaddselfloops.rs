//! Adds self-loops of disambiguation symbols to a graph.
//!
//! Matches Kaldi's `fstaddselfloops`, except that an arc to a state that does not exist is an error.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_lattice::Fst;

use crate::files::{read_with_lists, write};

const USAGE: &str = "\
Adds arcs from states to themselves: one for each pair of an input and an output label, to every state that is final or has
an arc with an output label. These are the ends of words of a lexicon. So disambiguation symbols of a grammar pass it.

Usage: fstaddselfloops [options] <in-labels-rxfilename> <out-labels-rxfilename> [<fst-rxfilename> [<fst-wxfilename>]]
 e.g.: fstaddselfloops wdisambig_phones.int wdisambig_words.int L.fst L_disambig.fst
See also: arpa2fst, fstrmsymbols
";

#[derive(clap::Args)]
struct Options {
    in_labels: InputName,
    out_labels: InputName,
    source: Option<InputName>,
    target: Option<OutputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(fstaddselfloops));

fn fstaddselfloops(opts: Options) -> anyhow::Result<Tally> {
    let lists = [&opts.in_labels, &opts.out_labels];
    let (mut fst, labels) = read_with_lists(opts.source.as_ref(), lists, Fst::read_vector)?;
    for (name, labels) in lists.into_iter().zip(&labels) {
        check(name, labels)?;
    }
    let [inputs, outputs] = labels;
    if inputs.len() != outputs.len() {
        bail!("expected as many output labels as input labels, got {} and {}", outputs.len(), inputs.len());
    }
    let pairs: Vec<(i32, i32)> = inputs.into_iter().zip(outputs).collect();
    let before = fst.num_arcs();
    fst.add_self_loops(&pairs)?;
    log!("Added {} self-loops of {} labels", fst.num_arcs() - before, pairs.len());
    write(opts.target.as_ref(), &fst)?;
    Ok(Tally::new(1, 0))
}

/// Labels are over 0, and each comes once.
fn check(name: &InputName, labels: &[i32]) -> anyhow::Result<()> {
    let mut sorted = labels.to_vec();
    sorted.sort_unstable();
    if let Some(label) = sorted.first().filter(|label| **label <= 0) {
        bail!("{name}: expected labels over 0, got {label}");
    }
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => bail!("{name}: expected each label once, got {} twice", pair[0]),
        None => Ok(()),
    }
}
