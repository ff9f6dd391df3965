//! Shows the transitions of a model.
//!
//! Matches Kaldi's `show-transitions`; phones without a symbol, and counts of another number of pdfs, are errors.

use anyhow::{Context, bail};
use kaldi_cli::{InputName, Tally};
use kaldi_hmm::TransitionModel;
use kaldi_matrix::Vector;
use kaldi_table::read_file;
use kaldi_value::SymbolTable;
use kaldi_value::number::general;
use std::fmt::Write;

const USAGE: &str = "\
Shows the transition-states and transition-ids of a model in words: phones, states, pdfs and probabilities; with the counts
of the pdfs if they are given.

Usage: show-transitions [options] <phone-symbols> <model-rxfilename> [<occupancies-rxfilename>]
 e.g.: show-transitions phones.txt final.mdl final.occs
See also: show-alignments, am-info, copy-transition-model
";

#[derive(clap::Args)]
struct Options {
    symbols: InputName,
    model: InputName,
    counts: Option<InputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(show_transitions));

fn show_transitions(opts: Options) -> anyhow::Result<Tally> {
    let symbols = SymbolTable::read(&opts.symbols)?;
    let model: TransitionModel = read_file(&opts.model)?;
    let counts: Option<Vector<f64>> = opts.counts.as_ref().map(read_file).transpose()?;
    if let (Some(counts), Some(name)) = (&counts, &opts.counts)
        && counts.dim() != model.num_pdfs()
    {
        bail!("{name}: expected counts of {} pdfs, got {}", model.num_pdfs(), counts.dim());
    }
    let text = describe(&model, &symbols, counts.as_ref().map(Vector::as_slice))
        .with_context(|| format!("cannot name the phones of {}", opts.model))?;
    kaldi_io::print(text)?;
    Ok(Tally::default().always_ok())
}

fn describe(model: &TransitionModel, symbols: &SymbolTable, counts: Option<&[f64]>) -> anyhow::Result<String> {
    let mut text = String::new();
    let is_hmm = model.topology().is_hmm();
    for (tuple, number) in model.tuples().iter().zip(1..) {
        let Some(phone) = symbols.symbol(tuple.phone) else { bail!("phone {} has no symbol", tuple.phone) };
        write!(text, "Transition-state {number}: phone = {phone} hmm-state = {}", tuple.state)?;
        match is_hmm {
            true => writeln!(text, " pdf = {}", tuple.forward_pdf)?,
            false => writeln!(text, " forward-pdf = {} self-loop-pdf = {}", tuple.forward_pdf, tuple.self_loop_pdf)?,
        }
        let states = model.topology().states(tuple.phone).unwrap_or_default();
        for (id, (target, _)) in model.ids_of(number).zip(&states[tuple.state as usize].transitions) {
            let facts = model.facts(id as i32)?;
            write!(text, " Transition-id = {id} p = {}", general(f64::from(model.log_probs()[id].exp())))?;
            if let Some(counts) = counts {
                write!(text, " count of pdf = {}", general(counts[facts.pdf as usize]))?;
            }
            match facts.is_self_loop {
                true => writeln!(text, " [self-loop]")?,
                false => writeln!(text, " [{} -> {target}]", tuple.state)?,
            }
        }
    }
    Ok(text)
}
