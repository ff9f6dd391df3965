//! Converts text to the numbers of a model's symbols, and back.
//!
//! Kaldi has no such tool (`sym2int.pl` knows only words). Text is cut into symbols as in WeNet's tokenizers; with `--mode=tiktoken`,
//! the numbers are those of Whisper's tokenizer.

use anyhow::{Context, bail, ensure};
use bstr::{BStr, BString, ByteSlice};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feed::{Case, ModelCheck, RankTokenizer, Text, Tokenizer, ids, parse_non_linguistic};
use kaldi_io::log::{log, warning};
use kaldi_io::{Input, Output, Wspecifier, is_specifier, read_text_file};
use kaldi_table::{SequentialReader, TableWriter};
use kaldi_value::{SymbolTable, Tokens};

const USAGE: &str = "\
Converts text to integer vectors, the numbers of its symbols, and back with --decode.

Usage: tokenize-text [options] <text> <int-vector-wspecifier>
  or:  tokenize-text [options] --decode <int-vector-rspecifier> <text>
 e.g.: tokenize-text --symbols=units.txt data/train/text ark:labels.ark
       tokenize-text --symbols=units.txt --mode=bpe --model=bpe.model data/train/text ark:labels.ark
       tokenize-text --symbols=units.txt --decode ark:labels.ark -
       tokenize-text --mode=tiktoken --model=multilingual.tiktoken data/train/text ark:labels.ark
A text is a file with a line for each utterance, its key first, or a table of words (ark:text).
See also: filter-utts, copy-int-vector, compute-wer
";

#[derive(clap::Args)]
struct Options {
    /// Symbol table: a line for each symbol with its number; not for --mode=tiktoken
    #[arg(long)]
    symbols: Option<InputName>,
    /// Units: char (a blank is ▁), bpe (pieces of a SentencePiece model), word, or tiktoken (bytes that are
    /// joined by ranks, as in Whisper, whose numbers are the ranks)
    #[arg(long, default_value = "char", value_parser = kaldi_cli::one_of(&MODES))]
    mode: Mode,
    /// SentencePiece model, for --mode=bpe; ranks in lines of base64, for --mode=tiktoken
    #[arg(long)]
    model: Option<InputName>,
    /// Symbol for unknown ones; if the table does not have it, they are left out
    #[arg(long, default_value = "<unk>")]
    unk: String,
    /// Case of the text: keep, upper or lower; by default upper for bpe and with --non-lang-syms, as in WeNet, and otherwise keep
    #[arg(long, value_parser = kaldi_cli::one_of(&Case::NAMES))]
    case: Option<Case>,
    /// Non-linguistic symbols, words in brackets, one a line, in the case of the text: each is one symbol, blanks beside it do not
    /// count
    #[arg(long)]
    non_lang_syms: Option<InputName>,
    /// Convert numbers to text
    #[arg(long)]
    decode: bool,
    source: InputName,
    target: OutputName,
}

/// How text is cut.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Char,
    Bpe,
    Word,
    Tiktoken,
}

const MODES: [(&str, Mode); 4] =
    [("char", Mode::Char), ("bpe", Mode::Bpe), ("word", Mode::Word), ("tiktoken", Mode::Tiktoken)];

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(tokenize_text)).in_pieces(&[
    (kaldi_cli::PiecesIf::Given("decode"), kaldi_cli::Pieces::Entries(0)),
    (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Lines(0)),
]);

fn tokenize_text(opts: Options) -> anyhow::Result<Tally> {
    let units = opts.units()?;
    if opts.decode { decode(&opts, &units) } else { encode(&opts, &units) }
}

/// How text becomes numbers.
enum Units {
    Symbols(SymbolTable, Tokenizer),
    Ranks(RankTokenizer),
}

impl Units {
    /// The numbers of a text, how many symbols it has, and how many of them are unknown.
    fn ids(
        &self,
        text: &str,
        unk: &str,
        check: &mut Option<ModelCheck>,
    ) -> kaldi_feed::Result<(Vec<i32>, usize, usize)> {
        match self {
            Self::Symbols(symbols, tokenizer) => {
                let tokens = tokenizer.tokens(text)?;
                if let Some(check) = check {
                    check.add(text, &tokens);
                }
                let (ids, unknown) = ids(symbols, &tokens, unk);
                Ok((ids, tokens.len(), unknown))
            }
            Self::Ranks(ranks) => {
                let ids = ranks.ids(text)?;
                let count = ids.len();
                Ok((ids, count, 0))
            }
        }
    }

    /// The text of numbers; the first number that is unknown.
    fn text(&self, ids: &[i32]) -> Result<String, i32> {
        match self {
            Self::Symbols(symbols, tokenizer) => {
                let symbol = |&id: &i32| symbols.symbol(id).and_then(|symbol| symbol.to_str().ok()).ok_or(id);
                let tokens = ids.iter().map(symbol).collect::<Result<Vec<_>, _>>()?;
                Ok(tokenizer.join(tokens))
            }
            // A line of text has no line end.
            Self::Ranks(ranks) => Ok(ranks.text(ids)?.replace(['\n', '\r'], " ").trim().to_owned()),
        }
    }

    /// The check of the texts, if there is a model.
    fn check(&self) -> Option<ModelCheck> {
        match self {
            Self::Symbols(_, tokenizer) => tokenizer.model().map(|_| ModelCheck::new(tokenizer)),
            Self::Ranks(_) => None,
        }
    }

    /// Whether unknown symbols have a number.
    fn has(&self, unk: &str) -> bool {
        match self {
            Self::Symbols(symbols, _) => symbols.integer(unk).is_some(),
            Self::Ranks(_) => true,
        }
    }
}

fn encode(opts: &Options, units: &Units) -> anyhow::Result<Tally> {
    let mut source = Text::open(&opts.source)?;
    let mut target = TableWriter::<Vec<i32>>::create(&opts.target)?;
    let mut tally = Tally::default();
    let (mut num_symbols, mut num_unknown) = (0, 0);
    let mut check = units.check();
    // Nothing is written before it is clear that the model fits the texts.
    let mut waiting = Some(Vec::new());
    while let Some((key, text)) = source.next()? {
        let Ok(text) = text.to_str() else {
            warning!("{key}: expected text in UTF-8, got other bytes; left out");
            tally.failed += 1;
            continue;
        };
        let (ids, count, unknown) = units.ids(text, &opts.unk, &mut check).with_context(|| key.to_string())?;
        if check.as_ref().is_none_or(ModelCheck::is_sure) && waiting.is_some() {
            release(&mut target, &mut waiting, &check)?;
        }
        match &mut waiting {
            Some(waiting) => waiting.push((key, ids)),
            None => target.write(&key, &ids)?,
        }
        tally.done += 1;
        num_symbols += count;
        num_unknown += unknown;
    }
    release(&mut target, &mut waiting, &check)?;
    if let Some(message) = check.map_or(Ok(None), |check| check.verdict())? {
        warning!("{message}");
    }
    let fate = if units.has(&opts.unk) { format!("written as {}", opts.unk) } else { "left out".to_owned() };
    log!("Wrote {} utterances of {num_symbols} symbols; {num_unknown} symbols were unknown and {fate}", tally.done);
    target.finish()?;
    Ok(tally)
}

/// Writes what has waited, if the model fits the texts.
fn release(
    target: &mut TableWriter<Vec<i32>>,
    waiting: &mut Option<Vec<(BString, Vec<i32>)>>,
    check: &Option<ModelCheck>,
) -> anyhow::Result<()> {
    if let Some(check) = check {
        check.verdict()?;
    }
    for (key, ids) in waiting.take().into_iter().flatten() {
        target.write(&key, &ids)?;
    }
    Ok(())
}

fn decode(opts: &Options, units: &Units) -> anyhow::Result<Tally> {
    let mut target = TextOutput::create(&opts.target)?;
    let source = SequentialReader::<Vec<i32>>::open(&opts.source)?.values();
    let mut tally = Tally::default();
    let ended = source.drain(|key, ids| {
        match units.text(&ids) {
            Ok(text) => {
                target.write(key.as_bstr(), &text)?;
                tally.done += 1;
            }
            Err(id) => {
                let table = if matches!(units, Units::Ranks(_)) { "ranks have" } else { "symbol table has" };
                warning!("{key}: the {table} no number {id}; left out");
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
    fn units(&self) -> anyhow::Result<Units> {
        if self.mode == Mode::Tiktoken {
            ensure!(self.symbols.is_none(), "expected no --symbols with --mode=tiktoken, whose numbers are the ranks");
            ensure!(self.non_lang_syms.is_none(), "expected no --non-lang-syms with --mode=tiktoken");
            ensure!(self.case.is_none(), "expected no --case with --mode=tiktoken");
            let Some(name) = &self.model else { bail!("expected --model=FILE with --mode=tiktoken, the ranks") };
            return Ok(Units::Ranks(RankTokenizer::parse(&name.to_str_lossy(), read_text(name)?.as_bytes())?));
        }
        let Some(symbols) = &self.symbols else { bail!("expected --symbols=FILE, a symbol table") };
        let symbols = SymbolTable::parse(&symbols.to_str_lossy(), read_text(symbols)?.as_bytes())?;
        Ok(Units::Symbols(symbols, self.tokenizer()?))
    }

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
            (Mode::Tiktoken, _) => bail!("expected ranks with --mode=tiktoken"),
            (Mode::Char, Some(_)) => bail!("expected --model with --mode=bpe only, got --mode=char"),
            (Mode::Word, Some(_)) => bail!("expected --model with --mode=bpe only, got --mode=word"),
        };
        let tokenizer = match self.case {
            Some(case) => tokenizer.with_case(case),
            None => tokenizer,
        };
        let Some(name) = &self.non_lang_syms else { return Ok(tokenizer) };
        let symbols = parse_non_linguistic(&name.to_str_lossy(), &read_text(name)?)?;
        Ok(tokenizer.with_non_linguistic(symbols))
    }
}

/// Reads a text file.
fn read_text(name: &BStr) -> anyhow::Result<String> {
    let (printable, bytes) = read_text_file(name)?;
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
