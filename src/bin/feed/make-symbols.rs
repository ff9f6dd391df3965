//! Makes a symbol table of texts, as the recipes of WeNet make `units.txt`.
//!
//! Kaldi has no such tool.

use anyhow::{Context, bail, ensure};
use bstr::{BStr, BString, ByteSlice};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feed::{Case, ModelCheck, Text, Tokenizer, parse_non_linguistic};
use kaldi_io::log::{log, warning};
use kaldi_io::{Output, is_space, read_text_file};
use std::collections::BTreeMap;

const USAGE: &str = "\
Makes a symbol table of texts: <blank> 0, <unk> 1, <sos/eos> 2, non-linguistic symbols, and the symbols of the texts, sorted by
their bytes. Text is cut as tokenize-text cuts it.

Usage: make-symbols [options] <text> [<text> ...] <symbols-wxfilename>
 e.g.: make-symbols data/train/text units.txt
       make-symbols --mode=bpe --case=keep --model=lower.model data/train/text units.txt
       make-symbols --mode=bpe --model=bpe.model --min-count=2 data/train/text data/more/text units.txt
A text is a file with a line for each utterance, its key first, or a table of words (ark:text).
See also: tokenize-text, feed-feats, feed-batches
";

#[derive(clap::Args)]
struct Options {
    /// Units: char (a blank is ▁), bpe (pieces of a SentencePiece model) or word
    #[arg(long, default_value = "char", value_parser = kaldi_cli::one_of(&MODES))]
    mode: Mode,
    /// SentencePiece model, for --mode=bpe
    #[arg(long)]
    model: Option<InputName>,
    /// Case of the text: keep, upper or lower; by default upper for bpe and with --non-lang-syms, as in WeNet, and otherwise keep
    #[arg(long, value_parser = kaldi_cli::one_of(&Case::NAMES))]
    case: Option<Case>,
    /// Non-linguistic symbols, words in brackets, one a line, in the case of the text: they come first
    #[arg(long)]
    non_lang_syms: Option<InputName>,
    /// Leave out symbols that the texts have less often
    #[arg(long, default_value_t = 1)]
    min_count: u64,
    /// Number of <sos/eos>: third (2), last or none
    #[arg(long, default_value = "third", value_parser = kaldi_cli::one_of(&ENDS))]
    sos_eos: SosEos,
    #[arg(required = true)]
    texts: Vec<InputName>,
    symbols: OutputName,
}

/// How text is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Char,
    Bpe,
    Word,
}

const MODES: [(&str, Mode); 3] = [("char", Mode::Char), ("bpe", Mode::Bpe), ("word", Mode::Word)];

/// Where the symbol for the start and the end of sentences is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SosEos {
    Third,
    Last,
    None,
}

const ENDS: [(&str, SosEos); 3] = [("third", SosEos::Third), ("last", SosEos::Last), ("none", SosEos::None)];

const SOS_EOS: &str = "<sos/eos>";

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(make_symbols)).whole("symbols are counted over all texts");

fn make_symbols(opts: Options) -> anyhow::Result<Tally> {
    let tokenizer = opts.tokenizer()?;
    let non_linguistic = tokenizer.non_linguistic();
    let mut check = ModelCheck::new(&tokenizer);
    let mut tally = Tally::default();
    let mut counts = BTreeMap::<String, u64>::new();
    for text in &opts.texts {
        let mut source = Text::open(text)?;
        while let Some((key, text)) = source.next()? {
            let Ok(text) = text.to_str() else {
                warning!("{key}: expected text in UTF-8, got other bytes; left out");
                tally.failed += 1;
                continue;
            };
            let tokens = tokenizer.tokens(text).with_context(|| key.to_string())?;
            check.add(text, &tokens);
            for token in tokens {
                *counts.entry(token).or_default() += 1;
            }
            tally.done += 1;
        }
    }
    ensure!(tally.done > 0, "expected texts, got none");
    if let Some(message) = check.verdict()? {
        warning!("{message}");
    }
    let mut symbols = vec!["<blank>", "<unk>"];
    if opts.sos_eos == SosEos::Third {
        symbols.push(SOS_EOS);
    }
    symbols.extend(non_linguistic.iter().map(String::as_str));
    let is_fixed = |symbol: &str| symbols.contains(&symbol) || symbol == SOS_EOS && opts.sos_eos != SosEos::None;
    let found = counts.iter().filter(|(symbol, _)| !is_fixed(symbol));
    // White space separates symbols from their numbers.
    let (kept, odd): (Vec<_>, Vec<_>) =
        found.filter(|(_, count)| **count >= opts.min_count).partition(|(symbol, _)| !symbol.bytes().any(is_space));
    let num_rare = counts.values().filter(|count| **count < opts.min_count).count();
    symbols.extend(kept.into_iter().map(|(symbol, _)| symbol.as_str()));
    if opts.sos_eos == SosEos::Last {
        symbols.push(SOS_EOS);
    }
    if !odd.is_empty() {
        warning!("{} symbols are white space, which a symbol table cannot have; left out", odd.len());
    }
    let mut lines = Vec::new();
    for (number, symbol) in symbols.iter().enumerate() {
        lines.extend(format!("{symbol} {number}\n").into_bytes());
    }
    let mut output = Output::create(&opts.symbols, false)?;
    output.write_all(&lines)?;
    output.finish()?;
    log!("Wrote {} symbols of {} utterances; {num_rare} were too rare", symbols.len(), tally.done);
    Ok(tally)
}

impl Options {
    /// How text is cut.
    fn tokenizer(&self) -> anyhow::Result<Tokenizer> {
        let tokenizer = match (self.mode, &self.model) {
            (Mode::Char, None) => Tokenizer::characters(),
            (Mode::Word, None) => Tokenizer::words(),
            (Mode::Bpe, Some(name)) => Tokenizer::sentencepiece(&name.to_str_lossy(), &read(name)?)?,
            (Mode::Bpe, None) => bail!("expected --model=FILE with --mode=bpe, a SentencePiece model"),
            (Mode::Char | Mode::Word, Some(_)) => bail!("expected --model with --mode=bpe only"),
        };
        let tokenizer = match self.case {
            Some(case) => tokenizer.with_case(case),
            None => tokenizer,
        };
        let Some(name) = &self.non_lang_syms else { return Ok(tokenizer) };
        let text = String::from_utf8(read(name)?.into()).with_context(|| format!("{name}: expected text in UTF-8"))?;
        let symbols = parse_non_linguistic(&name.to_str_lossy(), &text)?;
        ensure!(
            !symbols.iter().any(|symbol| symbol.bytes().any(is_space)),
            "{name}: expected symbols without white space, which a symbol table cannot have"
        );
        Ok(tokenizer.with_non_linguistic(symbols))
    }
}

/// Reads a file.
fn read(name: &BStr) -> anyhow::Result<BString> {
    let (_, bytes) = read_text_file(name)?;
    Ok(bytes.into())
}
