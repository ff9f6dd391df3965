//! Writes words of least expected error with their times and confidences.
//!
//! Matches Kaldi's `lattice-to-ctm-conf`: times that are given have no effect, but have to be there. A lattice without a path,
//! or with paths of different times to a state, is an error with a message.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally, wrong_usage};
use kaldi_io::is_specifier;
use kaldi_io::log::{log, warning};
use kaldi_lattice::{AcousticScaleArguments, BayesRiskOptions, CompactLattice, Scale};
use kaldi_table::{RandomAccessReader, SequentialReader, create_output};
use kaldi_value::number::general;

use crate::usable::if_usable;

const USAGE: &str = "\
Writes lines of CTM with confidences (utterance, channel 1, start, duration, word, confidence): the words of least expected
error, or those of a table; times are in seconds. Align the lattices with words first, or the times are not exact.

Usage: lattice-to-ctm-conf [options] <lattice-rspecifier> <ctm-wxfilename>
  or:  lattice-to-ctm-conf [options] <lattice-rspecifier> <words-rspecifier> [<times-rspecifier>] <ctm-wxfilename>
 e.g.: lattice-align-words data/lang/phones/word_boundary.int final.mdl ark:1.lats ark:- |
         lattice-to-ctm-conf --inv-acoustic-scale=12 ark:- 1.ctm
See also: lattice-mbr-decode, lattice-align-words, nbest-to-ctm
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    acoustic: AcousticScaleArguments,
    /// Multiply graph costs by this
    #[arg(long, default_value_t = 1.0)]
    lm_scale: f32,
    /// Seconds from frame to frame
    #[arg(long, default_value_t = 0.01)]
    frame_shift: f32,
    /// Number of decimals of confidences and of times
    #[arg(long, default_value_t = 2)]
    confidence_digits: u8,
    /// Search the words of least expected error; otherwise those of the best path stay, or those that are given
    #[arg(long, default_value_t = true)]
    decode_mbr: bool,
    /// Write places without a word, such as silence, with the word 0
    #[arg(long)]
    print_silence: bool,
    #[arg(required = true)]
    sources: Vec<InputName>,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_to_ctm_conf)).by_entry(0);

fn lattice_to_ctm_conf(opts: Options) -> anyhow::Result<Tally> {
    let (source, words, times) = match &opts.sources[..] {
        [source] => (source, None, None),
        [source, words] => (source, Some(words), None),
        [source, words, times] => (source, Some(words), Some(times)),
        _ => return Ok(wrong_usage(USAGE, "expected at most four arguments")),
    };
    // Without words, times are not read.
    let words = words.filter(|name| !name.is_empty());
    let times = times.filter(|name| words.is_some() && !name.is_empty());
    if is_specifier(&opts.target) {
        bail!("expected the name of a file for CTM, got a table: {:?}", &*opts.target);
    }
    let scale = Scale::new(f64::from(opts.lm_scale), f64::from(opts.acoustic.acoustic_scale()?));
    let words = words.map(RandomAccessReader::<Vec<i32>>::open).transpose()?;
    let times = times.map(RandomAccessReader::<Vec<(f32, f32)>>::open).transpose()?;
    let source = SequentialReader::<CompactLattice>::open(source)?;
    let mut target = create_output(&opts.target, false)?;
    let mut options = BayesRiskOptions::default();
    (options.decode_mbr, options.print_silence) = (opts.decode_mbr, opts.print_silence);
    let (shift, digits) = (opts.frame_shift, usize::from(opts.confidence_digits));

    let rows = source.par_map_with((words, times), move |entry, (words, times)| {
        let key = entry.key();
        if matches!(words, Some(None)) {
            warning!("No 1-best present for utterance {key}");
            return Ok(None);
        }
        if matches!(times, Some(None)) {
            warning!("No 'times' present for utterance {key}");
            return Ok(None);
        }
        let mut lattice = entry.read()?;
        lattice.scale(&scale);
        let words = words.flatten();
        let found = lattice.bayes_risk(words.as_deref().map(Vec::as_slice), options);
        let Some(found) = if_usable(key, found)? else { return Ok(None) };
        found.findings.iter().for_each(|finding| warning!("{key}: {finding}"));
        let mut lines = Vec::new();
        for ((word, confidence), (begin, end)) in found.words.iter().zip(&found.confidences).zip(&found.times) {
            let (start, length) = (shift * begin, shift * (end - begin));
            lines.extend_from_slice(key);
            let line = format!(" 1 {start:.digits$} {length:.digits$} {word} {confidence:.digits$}\n");
            lines.extend_from_slice(line.as_bytes());
        }
        let sum: f64 = found.confidences.iter().map(|&confidence| f64::from(confidence)).sum();
        let (risk, mean) = (general(found.risk), general(sum / found.words.len() as f64));
        log!("For utterance {key}, Bayes Risk {risk}, avg. confidence per-word {mean}");
        Ok(Some((lines, found.words.len(), found.risk)))
    });
    let (mut done, mut skipped, mut words, mut risk) = (0_u64, 0, 0_usize, 0.0_f64);
    let ended = rows.drain(|_, found| {
        let Some((lines, num_words, expected)) = found else {
            skipped += 1;
            return Ok(());
        };
        (done, words, risk) = (done + 1, words + num_words, risk + expected);
        target.write_all(&lines)?;
        anyhow::Ok(())
    })?;
    log!("Done {done} lattices.");
    let (per_sentence, per_word) = (general(risk / done as f64), general(risk / words as f64));
    log!("Overall average Bayes Risk per sentence is {per_sentence} and per word, {per_word}");
    ended.finish()?;
    target.finish()?;
    Ok(Tally::new(done, skipped))
}
