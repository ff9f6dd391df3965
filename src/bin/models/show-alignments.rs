//! Shows alignments with the phones that they consist of.
//!
//! Matches Kaldi's `show-alignments`.

use anyhow::bail;
use bstr::BStr;
use kaldi_cli::{InputName, Tally};
use kaldi_hmm::{PhoneSegment, TransitionModel};
use kaldi_io::Output;
use kaldi_table::{SequentialReader, read_file};
use kaldi_value::SymbolTable;

const USAGE: &str = "\
Shows each alignment in two lines: its transition-ids, in brackets phone by phone, and the names of the phones below them.

Usage: show-alignments [options] <phone-symbols> <model-rxfilename> <alignments-rspecifier>
 e.g.: show-alignments phones.txt final.mdl 'ark:gunzip -c ali.1.gz |' | less -S
See also: ali-to-phones, show-transitions, copy-int-vector
";

#[derive(clap::Args)]
struct Options {
    symbols: InputName,
    model: InputName,
    source: InputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(show_alignments))
    .whole("it prints lines; sh -c 'show-alignments SYMBOLS MODEL TABLE > FILE' runs in pieces with --split and --out");

fn show_alignments(opts: Options) -> anyhow::Result<Tally> {
    let model: TransitionModel = read_file(&opts.model)?;
    let symbols = SymbolTable::read(&opts.symbols)?;
    if symbols.is_empty() {
        bail!("{}: expected symbols of phones, got none", opts.symbols);
    }
    let source = SequentialReader::<Vec<i32>>::open(&opts.source)?;
    let mut stdout = Output::stdout()?;

    let rows = source.par_map(move |entry| {
        let alignment = entry.read()?;
        let segments = model.split_to_phones(&alignment)?.segments;
        Ok(show(entry.key(), &alignment, &segments, &symbols))
    });
    let ended = rows.drain(|_, lines| Ok::<_, anyhow::Error>(stdout.write_all(&lines)?))?;
    ended.finish()?;
    stdout.finish()?;
    Ok(Tally::default().always_ok())
}

/// The two lines of an utterance and an empty one. Each phone is as wide in one as in the other.
fn show(key: &BStr, alignment: &[i32], segments: &[PhoneSegment], symbols: &SymbolTable) -> Vec<u8> {
    let [mut numbers, mut names] = [(); 2].map(|()| [key, b"  ".as_slice()].concat());
    for segment in segments {
        let ids: String = alignment[segment.frames.clone()].iter().map(|id| format!("{id} ")).collect();
        let ids = format!("[ {ids}] ");
        let name = [symbols.symbol(segment.phone).unwrap_or_default(), b" ".as_slice()].concat();
        let width = ids.len().max(name.len());
        for (line, word) in [(&mut numbers, ids.as_bytes()), (&mut names, &name)] {
            line.extend_from_slice(word);
            line.resize(line.len() + width - word.len(), b' ');
        }
    }
    [&numbers[..], b"\n", &names, b"\n\n"].concat()
}
