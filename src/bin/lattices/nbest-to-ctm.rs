//! Writes the words of lattices of one path with their times.
//!
//! Matches Kaldi's `nbest-to-ctm`, also in its number of decimals: with the default of `--frame-shift` there are three.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;

use crate::word_lines::write_word_lines;

const USAGE: &str = "\
Writes lines of CTM (utterance, channel 1, start, duration, word) for lattices of one path whose arcs are aligned with
words, such as those of lattice-1best and then lattice-align-words. Times are in seconds.

Usage: nbest-to-ctm [options] <aligned-linear-lattice-rspecifier> <ctm-wxfilename>
 e.g.: lattice-1best --acoustic-scale=0.08333 ark:1.lats ark:- |
         lattice-align-words data/lang/phones/word_boundary.int exp/tri3/final.mdl ark:- ark:- |
         nbest-to-ctm ark:- 1.ctm
See also: lattice-align-words, lattice-align-words-lexicon, lattice-to-ctm-conf, ali-to-phones
";

#[derive(clap::Args)]
struct Options {
    /// Write arcs without a word, such as silence, with the word 0
    #[arg(long)]
    print_silence: bool,
    /// Seconds from frame to frame
    #[arg(long, default_value_t = 0.01)]
    frame_shift: f32,
    /// Number of decimals; where --frame-shift is below 0.01 or 0.001, at least 3 or 4
    #[arg(long, default_value_t = 2)]
    precision: u8,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(nbest_to_ctm)).by_entry(0);

fn nbest_to_ctm(opts: Options) -> anyhow::Result<Tally> {
    let shift = opts.frame_shift;
    let mut decimals = usize::from(opts.precision);
    // In single precision 0.01 is less than in double precision.
    for (least, needed) in [(0.01, 3), (0.001, 4)] {
        if f64::from(shift) < least {
            decimals = decimals.max(needed);
        }
    }
    let print_silence = opts.print_silence;
    write_word_lines(
        (&opts.source, &opts.target),
        "key",
        move |key, _, words| {
            let mut lines = Vec::new();
            for word in words.iter().filter(|word| word.word != 0 || print_silence) {
                let [start, length] = [word.start, word.length].map(|frames| shift * frames as f32);
                lines.extend_from_slice(key);
                lines
                    .extend_from_slice(format!(" 1 {start:.decimals$} {length:.decimals$} {}\n", word.word).as_bytes());
            }
            Ok(lines)
        },
        |done, failed| log!("Converted {done} linear lattices to ctm format; {failed} had errors."),
    )
}
