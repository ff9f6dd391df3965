//! Aligns the arcs of lattices with words, by a lexicon.
//!
//! Matches Kaldi's `lattice-align-words-lexicon`, except that a lattice with a cycle is an error for its utterance, where Kaldi
//! does not end, and that `--test` compares the best paths.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_hmm::TransitionModel;
use kaldi_io::log::warning;
use kaldi_lattice::{AlignmentLexicon, LexiconAlignment};
use kaldi_table::read_file;

use crate::align::{FAILED, align_lattices, if_fit};

const USAGE: &str = "\
Moves transition-ids between the arcs of lattices, so that each arc is a word of a lexicon. A line of the lexicon has a word
of the lattice, the word that it becomes, and its phones; lines of the word 0 are for silence. Where the lexicon has several
ways, all of them are written: lattice-1best makes one path of them.

Usage: lattice-align-words-lexicon [options] <lexicon-file> <model-rxfilename> <lattice-rspecifier> <lattice-wspecifier>
 e.g.: lattice-align-words-lexicon --partial-word-label=4324 --max-expand=10 --test=true
         data/lang/phones/align_lexicon.int final.mdl ark:1.lats ark:aligned.lats
See also: lattice-align-words, lattice-align-phones, lattice-1best, nbest-to-ctm
";

#[derive(clap::Args)]
struct Options {
    /// Write lattices that were aligned with errors, such as those whose last word is cut
    #[arg(long, default_value_t = true)]
    output_error_lats: bool,
    /// Write the lattice as it was if nothing can be aligned
    #[arg(long)]
    output_if_empty: bool,
    /// Check that the best path of each aligned lattice is that of the lattice before
    #[arg(long)]
    test: bool,
    /// Has no effect: paths are not compared with each other
    #[arg(long)]
    allow_duplicate_paths: bool,
    /// If above 0, give up at more states than 1000 plus this many times those of the lattice of phones
    #[arg(long, default_value_t = 0.0)]
    max_expand: f32,
    /// Self-loops come after the transition that leaves their state, as in graphs made with --reorder=true
    #[arg(long, default_value_t = true)]
    reorder: bool,
    /// Label of phones at the end that are no word
    #[arg(long, default_value_t = 0)]
    partial_word_label: i32,
    lexicon: InputName,
    model: InputName,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_align_words_lexicon)).by_entry(2);

fn lattice_align_words_lexicon(opts: Options) -> anyhow::Result<Tally> {
    let _ = opts.allow_duplicate_paths;
    let (lexicon, warnings) = AlignmentLexicon::read(&opts.lexicon)?;
    warnings.iter().for_each(|text| warning!("{text}"));
    let model: TransitionModel = read_file(&opts.model)?;
    align_lattices((&opts.source, &opts.target), move |key, lattice| {
        let mut alignment = LexiconAlignment::new(&model, &lexicon);
        (alignment.reorder, alignment.partial_word_label) = (opts.reorder, opts.partial_word_label);
        alignment.max_expand = opts.max_expand;
        let Some(aligned) = if_fit(key, alignment.align(&lattice))? else { return Ok(FAILED) };
        let mut is_faulty = aligned.is_faulty;
        if opts.test && !is_faulty && !aligned.has_best_path_of(&lattice)? {
            warning!("{key}: the best path of the aligned lattice is another one: do the lattice and the model match?");
            is_faulty = true;
        }
        let is_empty = aligned.lattice.start().is_none();
        match (is_faulty, is_empty) {
            (true, true) if opts.output_if_empty && lattice.num_states() > 0 => {
                warning!("Algorithm produced no output (due to --max-expand?), so passing input through for key {key}");
                return Ok((Some(lattice), true));
            }
            (true, _) if !opts.output_error_lats => {
                warning!("Lattice for {key} did not align correctly");
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
