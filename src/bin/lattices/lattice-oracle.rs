//! Finds the path of each lattice that is nearest to a reference.
//!
//! Matches Kaldi's `lattice-oracle`: the exit code is 0 whatever was found. `--wildcard-symbols-list` is an error; Kaldi has it,
//! but reads no list.

use std::sync::Arc;

use anyhow::{Context, bail};
use bstr::{BStr, ByteSlice};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning, write_line};
use kaldi_lattice::{CompactLattice, Oracle};
use kaldi_table::{RandomAccessReader, SequentialReader, TableWriter};
use kaldi_value::SymbolTable;
use kaldi_value::number::general;

use crate::usable::if_usable;

const USAGE: &str = "\
Finds the path of each lattice that has the fewest errors against a reference; writes its words, and if wanted the number of
errors. The exit code is 0, also if no lattice has a reference.

Usage: lattice-oracle [options] <lattice-rspecifier> <reference-rspecifier> <transcriptions-wspecifier>
         [<edit-distance-wspecifier>]
 e.g.: lattice-oracle ark:1.lats 'ark:sym2int.pl -f 2- words.txt data/test/text |' ark,t:-
See also: lattice-best-path, lattice-depth, compute-wer
";

#[derive(clap::Args)]
struct Options {
    /// Symbol table of words; each path and each reference is printed on standard error
    #[arg(long)]
    word_symbol_table: Option<InputName>,
    /// Deprecated, and an error: use --wildcard-symbols
    #[arg(long)]
    wildcard_symbols_list: Option<String>,
    /// Words that count as nothing, with colons between them
    #[arg(long, default_value = "")]
    wildcard_symbols: String,
    /// Wspecifier for lattices of the path that was found
    #[arg(long)]
    write_lattices: Option<OutputName>,
    source: InputName,
    references: InputName,
    transcriptions: OutputName,
    edit_distances: Option<OutputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_oracle)).by_entry(0);

fn lattice_oracle(opts: Options) -> anyhow::Result<Tally> {
    let symbols = opts.word_symbol_table.as_deref().map(SymbolTable::read).transpose()?;
    let wildcards = wildcards(&opts)?;
    let source = SequentialReader::<CompactLattice>::open(&opts.source)?;
    let references = RandomAccessReader::<Vec<i32>>::open(&opts.references)?;
    let named = |name: Option<OutputName>| name.filter(|name| !name.is_empty());
    let mut transcriptions = named(Some(opts.transcriptions)).map(TableWriter::<Vec<i32>>::create).transpose()?;
    let mut distances = named(opts.edit_distances).map(TableWriter::<i32>::create).transpose()?;
    let mut lattices = named(opts.write_lattices).map(TableWriter::<CompactLattice>::create).transpose()?;
    let wants_lattices = lattices.is_some();

    let rows = source.par_map_with(references, move |entry, reference: Option<Arc<Vec<i32>>>| {
        let (key, lattice) = (entry.key(), entry.read()?);
        let is_wildcard = |word: i32| wildcards.contains(&word);
        let Some(reference) = reference else {
            warning!("No reference present for utterance {key}");
            return Ok((false, None));
        };
        let Some(oracle) = if_usable(key, lattice.oracle(&reference, is_wildcard))?.flatten() else {
            warning!("Best-path failed for key {key}");
            return Ok((true, None));
        };
        let path = if wants_lattices { lattice.path_of_words(&oracle.words, is_wildcard) } else { None };
        if wants_lattices && path.is_none() {
            warning!("Failed to find the oracle path in the original lattice: {key}");
        }
        let reference: Vec<i32> = reference.iter().copied().filter(|&word| word != 0 && !is_wildcard(word)).collect();
        Ok((true, Some((oracle, reference, path))))
    });
    let (mut done, mut failed, mut total, mut words) = (0, 0, Oracle::default(), 0);
    let ended = rows.drain(|key, (has_reference, found)| {
        write_line(format!("Lattice {key} read.\n").as_bytes());
        done += u64::from(has_reference);
        let Some((oracle, reference, path)) = found else {
            failed += 1;
            return Ok(());
        };
        log!("{} sub ]", rate(&oracle, reference.len()));
        log!("For utterance {key}, best cost {}", oracle.errors());
        if let Some(symbols) = &symbols {
            print_words(symbols, key.as_bstr(), &oracle.words, &reference)?;
        }
        words += reference.len();
        total.insertions += oracle.insertions;
        total.deletions += oracle.deletions;
        total.substitutions += oracle.substitutions;
        if let Some(target) = &mut transcriptions {
            target.write(&key, &oracle.words)?;
        }
        if let Some(target) = &mut distances {
            target.write(&key, &(oracle.errors() as i32))?;
        }
        if let (Some(target), Some(path)) = (&mut lattices, &path) {
            target.write(&key, path)?;
        }
        anyhow::Ok(())
    })?;
    // Scripts read this line.
    log!("Overall {} substitutions ]", rate(&total, words));
    log!("Scored {done} lattices, {failed} not present in ref.");
    ended.finish()?;
    transcriptions.map_or(Ok(()), TableWriter::finish)?;
    distances.map_or(Ok(()), TableWriter::finish)?;
    lattices.map_or(Ok(()), TableWriter::finish)?;
    Ok(Tally::new(done, failed).always_ok())
}

/// The words that count as nothing.
fn wildcards(opts: &Options) -> anyhow::Result<Vec<i32>> {
    if opts.wildcard_symbols_list.is_some() {
        bail!("--wildcard-symbols-list is deprecated: give the numbers of the words to --wildcard-symbols");
    }
    let words = opts.wildcard_symbols.split(':').filter(|_| !opts.wildcard_symbols.is_empty());
    let words: Result<Vec<i32>, _> = words.map(str::parse).collect();
    words.with_context(|| format!("expected --wildcard-symbols to be 3:4:5 or so, got {:?}", opts.wildcard_symbols))
}

fn rate(oracle: &Oracle, words: usize) -> String {
    let errors = oracle.errors();
    let percentage = general(100.0 * errors as f64 / words as f64);
    let Oracle { insertions, deletions, substitutions, .. } = oracle;
    format!("%WER {percentage} [ {errors} / {words}, {insertions} insertions, {deletions} deletions, {substitutions}")
}

fn print_words(symbols: &SymbolTable, key: &BStr, found: &[i32], reference: &[i32]) -> anyhow::Result<()> {
    for (words, what) in [(found, "oracle"), (reference, "reference")] {
        let words = symbols.sentence(words).with_context(|| key.to_string())?;
        write_line(format!("{key} ({what}) {words}\n").as_bytes());
    }
    Ok(())
}
