//! Aligns the arcs of lattices with words, by the positions of phones in words.
//!
//! Matches Kaldi's `lattice-align-words`, except that a lattice with a cycle is an error for its utterance, where Kaldi does not
//! end, and that `--test` compares the best paths and not random ones.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_hmm::TransitionModel;
use kaldi_io::log::warning;
use kaldi_lattice::{WordAlignment, WordBoundaries};
use kaldi_table::read_file;

use crate::align::{FAILED, align_lattices, if_fit};

const USAGE: &str = "\
Moves transition-ids between the arcs of lattices, so that each arc is a word or a phone outside of words, such as silence.
This needs phones that show where in a word they are; without them, lattice-align-words-lexicon is for it. The boundary file
has a line for each phone: its number, and nonword, begin, end, internal or singleton.

Usage: lattice-align-words [options] <word-boundary-file> <model-rxfilename> <lattice-rspecifier> <lattice-wspecifier>
 e.g.: lattice-align-words --silence-label=4320 --partial-word-label=4324 data/lang/phones/word_boundary.int final.mdl
         ark:1.lats ark:aligned.lats
See also: lattice-align-words-lexicon, lattice-align-phones, nbest-to-ctm, lattice-to-ctm-conf
";

#[derive(clap::Args)]
struct Options {
    /// Write lattices that were aligned with errors, such as those whose last word is cut
    #[arg(long, default_value_t = true)]
    output_error_lats: bool,
    /// Check that the best path of each aligned lattice is that of the lattice before
    #[arg(long)]
    test: bool,
    /// If above 0, stop at 1000 states plus this many times those of the lattice, and write what there is by then
    #[arg(long, default_value_t = 0.0)]
    max_expand: f32,
    /// Self-loops come after the transition that leaves their state, as in graphs made with --reorder=true
    #[arg(long, default_value_t = true)]
    reorder: bool,
    /// Label of arcs outside of words
    #[arg(long, default_value_t = 0)]
    silence_label: i32,
    /// Label of arcs of a word without label that is cut by the end
    #[arg(long, default_value_t = 0)]
    partial_word_label: i32,
    boundaries: InputName,
    model: InputName,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_align_words)).by_entry(2);

fn lattice_align_words(opts: Options) -> anyhow::Result<Tally> {
    let model: TransitionModel = read_file(&opts.model)?;
    let boundaries = WordBoundaries::read(&opts.boundaries)?;
    align_lattices((&opts.source, &opts.target), move |key, lattice| {
        let mut alignment = WordAlignment::new(&model, &boundaries);
        alignment.reorder = opts.reorder;
        (alignment.silence_label, alignment.partial_word_label) = (opts.silence_label, opts.partial_word_label);
        let most = 1000.0 + f64::from(opts.max_expand) * lattice.num_states() as f64;
        alignment.most_states = (opts.max_expand > 0.0).then_some(most as usize);
        let Some(aligned) = if_fit(key, alignment.align(&lattice))? else { return Ok(FAILED) };
        if opts.test && !aligned.is_faulty && !aligned.has_best_path_of(&lattice)? {
            return Err(
                "the best path of the aligned lattice is another one: do the lattice and the model match?".into()
            );
        }
        let (is_empty, is_faulty) = (aligned.lattice.start().is_none(), aligned.is_faulty);
        match (is_faulty, is_empty) {
            (true, _) if !opts.output_error_lats => {
                warning!("Lattice for {key} did not align correctly, producing no output.");
                return Ok(FAILED);
            }
            (true, true) => warning!("Empty aligned lattice for {key}, producing no output."),
            (true, false) => warning!("Outputting partial lattice for {key}"),
            (false, true) => warning!("Lattice was empty for key {key}"),
            (false, false) => {}
        }
        if is_empty {
            return Ok(FAILED);
        }
        Ok((Some(aligned.lattice), is_faulty))
    })
}
