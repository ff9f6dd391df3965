//! Prints the pronunciations of words of lattices of one path.
//!
//! Matches Kaldi's `nbest-to-prons`.

use bstr::BStr;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_hmm::TransitionModel;
use kaldi_io::log::log;
use kaldi_lattice::TimedWord;
use kaldi_table::{WorkError, read_file};

use crate::word_lines::write_word_lines;

const USAGE: &str = "\
Prints a line for each word of lattices of one path that are aligned with words: utterance, first frame, number of frames,
word, phones.

Usage: nbest-to-prons [options] <model-rxfilename> <aligned-linear-lattice-rspecifier> <text-wxfilename>
 e.g.: lattice-1best ark:1.lats ark:- | lattice-align-words word_boundary.int final.mdl ark:- ark:- |
         nbest-to-prons final.mdl ark:- 1.prons
See also: nbest-to-ctm, lattice-align-words, linear-to-nbest
";

#[derive(clap::Args)]
struct Options {
    /// Print the frames of each phone with commas between them in place of those of the word
    #[arg(long)]
    print_lengths_per_phone: bool,
    model: InputName,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(nbest_to_prons)).by_entry(1);

fn nbest_to_prons(opts: Options) -> anyhow::Result<Tally> {
    let model: TransitionModel = read_file(&opts.model)?;
    let by_phone = opts.print_lengths_per_phone;
    write_word_lines(
        (&opts.source, &opts.target),
        "utterance",
        move |key, lattice, words| {
            let ids = lattice.linear().unwrap_or_default().ids;
            let mut lines = Vec::new();
            for word in words {
                write_word(&mut lines, key, &model, &ids, word, by_phone)?;
            }
            Ok(lines)
        },
        |done, failed| log!("Printed prons for {done} linear lattices; {failed} had errors."),
    )
}

/// Appends the line of a word, whose frames are in `ids`.
fn write_word(
    lines: &mut Vec<u8>,
    key: &BStr,
    model: &TransitionModel,
    ids: &[i32],
    word: &TimedWord,
    by_phone: bool,
) -> Result<(), WorkError> {
    let TimedWord { word, start, length } = *word;
    let frames = ids.get(start..start + length).ok_or("expected transition-ids that are not 0")?;
    let split = model.split_to_phones(frames)?;
    let lengths = match by_phone {
        true => split.segments.iter().map(|segment| segment.frames.len().to_string()).collect::<Vec<_>>().join(","),
        false => length.to_string(),
    };
    lines.extend_from_slice(key);
    lines.extend_from_slice(format!(" {start} {lengths} {word}").as_bytes());
    for segment in &split.segments {
        lines.extend_from_slice(format!(" {}", segment.phone).as_bytes());
    }
    lines.push(b'\n');
    Ok(())
}
