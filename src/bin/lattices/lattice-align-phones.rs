//! Aligns the arcs of lattices with phones.
//!
//! Matches Kaldi's `lattice-align-phones`, except that a lattice with a cycle is an error for its utterance, where Kaldi does
//! not end.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_hmm::TransitionModel;
use kaldi_io::log::{log, warning};
use kaldi_lattice::PhoneAlignment;
use kaldi_table::read_file;

use crate::align::{FAILED, align_lattices, if_fit};

const USAGE: &str = "\
Moves transition-ids between the arcs of lattices, so that each arc is a phone. A word is on the arc of its first phone.

Usage: lattice-align-phones [options] <model-rxfilename> <lattice-rspecifier> <lattice-wspecifier>
 e.g.: lattice-align-phones --replace-output-symbols=true final.mdl ark:1.lats ark:phones.lats
See also: lattice-to-phone-lattice, lattice-align-words, lattice-align-words-lexicon
";

#[derive(clap::Args)]
struct Options {
    /// Write lattices that were aligned with errors, such as those whose last phone is cut
    #[arg(long, default_value_t = true)]
    output_error_lats: bool,
    /// Self-loops come after the transition that leaves their state, as in graphs made with --reorder=true
    #[arg(long, default_value_t = true)]
    reorder: bool,
    /// Remove arcs without a label; then an arc may have several phones, unless --replace-output-symbols is given
    #[arg(long, default_value_t = true)]
    remove_epsilon: bool,
    /// Put phones in place of words
    #[arg(long)]
    replace_output_symbols: bool,
    model: InputName,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_align_phones)).by_entry(1);

fn lattice_align_phones(opts: Options) -> anyhow::Result<Tally> {
    let model: TransitionModel = read_file(&opts.model)?;
    align_lattices((&opts.source, &opts.target), move |key, lattice| {
        let mut alignment = PhoneAlignment::new(&model);
        (alignment.reorder, alignment.remove_epsilon) = (opts.reorder, opts.remove_epsilon);
        alignment.replace_output_symbols = opts.replace_output_symbols;
        let Some(aligned) = if_fit(key, alignment.align(&lattice))? else { return Ok(FAILED) };
        let (is_empty, is_faulty) = (aligned.lattice.start().is_none(), aligned.is_faulty);
        match (is_faulty, is_empty) {
            (true, _) if !opts.output_error_lats => {
                warning!("Lattice for {key} did not align correctly");
                return Ok(FAILED);
            }
            (true, false) => log!("Outputting partial lattice for {key}"),
            (_, true) => {
                warning!("Lattice was empty for key {key}");
                return Ok(FAILED);
            }
            (false, false) => {}
        }
        Ok((Some(aligned.lattice), is_faulty))
    })
}
