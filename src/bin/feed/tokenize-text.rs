//! Converts text to the numbers of a model's symbols, and back.
//!
//! Kaldi has no such tool (`sym2int.pl` knows only words). Text is cut into symbols as in WeNet's tokenizers.

use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use bstr::{BStr, ByteSlice};
use kaldi_cli::{InputName, OutputName, Tally, one_of};
use kaldi_feed::{Text, Tokenizer, ids, parse_non_linguistic};
use kaldi_io::{Input, Output, Wspecifier, is_specifier};
use kaldi_log::{log, warning};
use kaldi_table::{SequentialReader, TableWriter};
use kaldi_values::{SymbolTable, Tokens};

const USAGE: &str = "\
Converts text to integer vectors, the numbers of its symbols, and back with --decode.

Usage: tokenize-text [options] <text> <int-vector-wspecifier>
  or:  tokenize-text [options] --decode <int-vector-rspecifier> <text>
 e.g.: tokenize-text --symbols=units.txt data/train/text ark:labels.ark
       tokenize-text --symbols=units.txt --mode=bpe --model=bpe.model data/train/text ark:labels.ark
       tokenize-text --symbols=units.txt --decode ark:labels.ark -
A text is a file with a line for each utterance, its key first, or a table of words (ark:text).
See also: filter-utts, copy-int-vector, compute-wer
";

#[derive(clap::Parser)]
struct Options {
    /// Symbol table: a line for each symbol with its number
    #[arg(long)]
    symbols: Option<InputName>,
    /// Units: char (a blank is ▁), bpe (pieces of a SentencePiece model, of the text in upper case) or word
    #[arg(long, default_value = "char", value_parser = one_of(&MODES))]
    mode: Mode,
    /// SentencePiece model, for --mode=bpe
    #[arg(long)]
    model: Option<InputName>,
    /// Symbol for unknown ones; if the table does not have it, they are left out
    #[arg(long, default_value = "<unk>")]
    unk: String,
    /// Non-linguistic symbols, words in brackets, one a line: each is one symbol, blanks beside it do not count, and the
    /// text is converted to upper case
    #[arg(long)]
    non_lang_syms: Option<InputName>,
    /// Convert numbers to text
    #[arg(long, default_value_t = false)]
    decode: bool,
    source: InputName,
    target: OutputName,
}

/// How text is cut.
#[derive(Clone, Copy)]
enum Mode {
    Char,
    Bpe,
    Word,
}

const MODES: [(&str, Mode); 3] = [("char", Mode::Char), ("bpe", Mode::Bpe), ("word", Mode::Word)];

pub(crate) const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(tokenize_text)).in_pieces(&[
    (kaldi_cli::PiecesIf::Given("decode"), kaldi_cli::Pieces::Entries(0)),
    (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Lines(0)),
]);

pub(crate) fn main() -> ExitCode {
    TOOL.run()
}

fn tokenize_text(opts: Options) -> anyhow::Result<Tally> {
    let Some(symbols) = &opts.symbols else { bail!("expected --symbols=FILE, a symbol table") };
    let symbols = SymbolTable::parse(&symbols.to_str_lossy(), read_text(symbols)?.as_bytes())?;
    let tokenizer = opts.tokenizer()?;
    if opts.decode { decode(&opts, &symbols, &tokenizer) } else { encode(&opts, &symbols, &tokenizer) }
}

fn encode(opts: &Options, symbols: &SymbolTable, tokenizer: &Tokenizer) -> anyhow::Result<Tally> {
    let mut source = Text::open(&opts.source)?;
    let mut target = TableWriter::<Vec<i32>>::create(&opts.target)?;
    let mut tally = Tally::default();
    let (mut num_symbols, mut num_unknown) = (0, 0);
    while let Some((key, text)) = source.next()? {
        let Ok(text) = text.to_str() else {
            warning!("{key}: expected text in UTF-8, got other bytes; left out");
            tally.failed += 1;
            continue;
        };
        let tokens = tokenizer.tokens(text).with_context(|| key.to_string())?;
        let (ids, unknown) = ids(symbols, &tokens, &opts.unk);
        target.write(&key, &ids)?;
        tally.done += 1;
        num_symbols += tokens.len();
        num_unknown += unknown;
    }
    let fate =
        if symbols.integer(&opts.unk).is_some() { format!("written as {}", opts.unk) } else { "left out".to_owned() };
    log!("Wrote {} utterances of {num_symbols} symbols; {num_unknown} symbols were unknown and {fate}", tally.done);
    target.finish()?;
    Ok(tally)
}

fn decode(opts: &Options, symbols: &SymbolTable, tokenizer: &Tokenizer) -> anyhow::Result<Tally> {
    let mut target = TextOutput::create(&opts.target)?;
    let source = SequentialReader::<Vec<i32>>::open(&opts.source)?.values();
    let mut tally = Tally::default();
    let ended = source.drain(|key, ids| {
        let symbol = |&id: &i32| symbols.symbol(id).and_then(|symbol| symbol.to_str().ok()).ok_or(id);
        match ids.iter().map(symbol).collect::<Result<Vec<_>, _>>() {
            Ok(tokens) => {
                target.write(key.as_bstr(), &tokenizer.join(tokens))?;
                tally.done += 1;
            }
            Err(id) => {
                warning!("{key}: the symbol table has no number {id}; left out");
                tally.failed += 1;
            }
        }
        anyhow::Ok(())
    })?;
    log!("Wrote {} utterances; {} with unknown numbers", tally.done, tally.failed);
    ended.finish()?;
    target.finish()?;
    Ok(tally)
}

impl Options {
    fn tokenizer(&self) -> anyhow::Result<Tokenizer> {
        let tokenizer = match (self.mode, &self.model) {
            (Mode::Char, None) => Tokenizer::characters(),
            (Mode::Word, None) => Tokenizer::words(),
            // Joining pieces needs no model.
            (Mode::Bpe, None) if self.decode => Tokenizer::characters(),
            (Mode::Bpe, Some(name)) => {
                let mut input = Input::open(name)?;
                let model = input.read_to_end()?;
                input.finish()?;
                Tokenizer::sentencepiece(&name.to_str_lossy(), &model)?
            }
            (Mode::Bpe, None) => bail!("expected --model=FILE with --mode=bpe, a SentencePiece model"),
            (Mode::Char, Some(_)) => bail!("expected --model with --mode=bpe only, got --mode=char"),
            (Mode::Word, Some(_)) => bail!("expected --model with --mode=bpe only, got --mode=word"),
        };
        let Some(name) = &self.non_lang_syms else { return Ok(tokenizer) };
        let symbols = parse_non_linguistic(&name.to_str_lossy(), &read_text(name)?)?;
        Ok(tokenizer.with_non_linguistic(symbols))
    }
}

/// Reads a text file.
fn read_text(name: &BStr) -> anyhow::Result<String> {
    let mut input = Input::open(name)?;
    let bytes = input.read_to_end()?;
    let printable = input.name().to_owned();
    input.finish()?;
    String::from_utf8(bytes).map_err(|error| anyhow::anyhow!("{printable}: expected text in UTF-8, {error}"))
}

/// A file of lines, or a table of words.
enum TextOutput {
    File(Output),
    Table(TableWriter<Tokens>),
}

impl TextOutput {
    fn create(name: &BStr) -> anyhow::Result<Self> {
        if Wspecifier::parse(name).is_some() {
            return Ok(Self::Table(TableWriter::create(name)?));
        }
        ensure!(!is_specifier(name), "expected a wspecifier or a file, got {name:?}");
        Ok(Self::File(Output::create(name, false)?))
    }

    fn write(&mut self, key: &BStr, text: &str) -> anyhow::Result<()> {
        match self {
            Self::File(file) => file.write_all(format!("{key} {text}\n").as_bytes())?,
            Self::Table(table) => table.write(key, &Tokens::new(text.split_whitespace())?)?,
        }
        Ok(())
    }

    fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::File(file) => Ok(file.finish()?),
            Self::Table(table) => Ok(table.finish()?),
        }
    }
}
