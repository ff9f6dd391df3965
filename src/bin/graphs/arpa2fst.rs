//! Makes the graph of a language model in ARPA format.
//!
//! Matches Kaldi's `arpa2fst`, except that lines may end with a carriage return and the file begin with a byte order mark; that
//! numbers of words have to be unique, logarithms numbers, and words of the model known; and that more is said of what is lost.

use std::collections::{HashMap, HashSet};

use anyhow::{Context, anyhow, bail};
use bstr::{BStr, BString, ByteSlice};
use kaldi_cli::{Arg, InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_io::{Input, printable_wxfilename, read_text_file};
use kaldi_lattice::arpa::{ArpaReader, BuiltModel, Event, ModelBuilder, ModelError, Ngram, Placed, WordList};

use crate::files::create;

const USAGE: &str = "\
Makes the graph of a back-off language model in ARPA format. With --disambig-symbol, as recipes have it, the begin and the end
of a sentence become start and final weights, and back-offs have this symbol on their input side; without it they stay words.
N-grams with words that are not in the given symbol table are left out, with a warning.

Usage: arpa2fst [options] <arpa-rxfilename> [<fst-wxfilename>]
 e.g.: gunzip -c lm.arpa.gz | arpa2fst --disambig-symbol='#0' --read-symbol-table=words.txt - G.fst
       arpa2fst --write-symbol-table=words.txt lm.arpa G.fst
See also: fstisstochastic, fstaddselfloops
";

#[derive(clap::Args)]
struct Options {
    /// The word that begins a sentence
    #[arg(long, default_value = "<s>")]
    bos_symbol: Arg,
    /// The word that ends a sentence
    #[arg(long, default_value = "</s>")]
    eos_symbol: Arg,
    /// The word on the input side of back-offs; the begin and the end of a sentence then become epsilons
    #[arg(long)]
    disambig_symbol: Option<Arg>,
    /// A list of words and their numbers; other words are unknown
    #[arg(long)]
    read_symbol_table: Option<InputName>,
    /// Write words and their numbers here: those that were read, and those that were added
    #[arg(long)]
    write_symbol_table: Option<OutputName>,
    /// Put the words into the graph, as symbol tables of both sides; always so if no list is read or written
    #[arg(long)]
    keep_symbols: bool,
    /// Sort arcs by their input labels
    #[arg(long, default_value_t = true)]
    ilabel_sort: bool,
    /// Show so many warnings about n-grams; all if it is negative
    #[arg(long, default_value_t = 30)]
    max_arpa_warnings: i32,
    source: InputName,
    target: Option<OutputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(arpa2fst));

fn arpa2fst(opts: Options) -> anyhow::Result<Tally> {
    let mut words = read_words(opts.read_symbol_table.as_ref())?;
    let symbols = Symbols::of(&opts, &mut words)?;
    let mut reader = ArpaReader::new(Input::open(&opts.source)?)?;
    let mut model = Model {
        builder: ModelBuilder::new(symbols.begin, symbols.end, symbols.disambiguation),
        symbols,
        lost: Lost { most: opts.max_arpa_warnings, ..Lost::default() },
        orders: Vec::new(),
        positive: None,
        has_unigram: HashSet::new(),
        has_word: false,
    };
    while let Some(event) = reader.next_event()? {
        match event {
            Event::Section(order) => {
                log!("Reading \\{order}-grams: section.");
                model.orders.push(OrderCounts::default());
            }
            Event::Warning(warning) => warning!("{warning}"),
            Event::Ngram(ngram) => model.add(&reader, ngram, &mut words)?,
        }
    }
    let name = reader.name().to_owned();
    reader.finish()?;
    let built = model.finish(&name, &opts, &words)?;
    write(&opts, &words, &built)?;
    Ok(Tally::new(1, 0))
}

/// The list of words that is read; an empty one if there is none.
fn read_words(name: Option<&InputName>) -> anyhow::Result<WordList> {
    let Some(name) = name else { return Ok(WordList::default()) };
    let (name, text) = read_text_file(name)?;
    let words = WordList::parse(&text).map_err(|error| anyhow!("{name}:{error}"))?;
    if let Some((line, word)) = words.repeated().first() {
        let count = words.repeated().len();
        warning!("{name}:{line}: the word {word:?} comes again, and its first number counts; {count} such lines");
    }
    Ok(words)
}

/// The numbers of words that are none.
#[derive(Clone, Copy)]
struct Symbols {
    begin: i32,
    end: i32,
    /// 0 if there is none.
    disambiguation: i32,
    /// Whether words that are not in the list are unknown.
    is_closed: bool,
}

impl Symbols {
    fn of(opts: &Options, words: &mut WordList) -> anyhow::Result<Self> {
        let given = opts.disambig_symbol.as_ref().map(|symbol| BStr::new(symbol.as_bytes()));
        let disambiguation = match (&opts.read_symbol_table, given) {
            (Some(list), Some(symbol)) => match words.number(symbol) {
                Some(number) => number,
                None => bail!("the disambiguation symbol {symbol} is not in the symbol table {list}"),
            },
            (None, symbol) => {
                words.add("<eps>".into())?;
                symbol.map_or(Ok(0), |symbol| words.add(symbol))?
            }
            (Some(_), None) => 0,
        };
        let mut number = |symbol: &Arg, what: &str| -> anyhow::Result<i32> {
            if symbol.is_empty() {
                bail!("expected a word for the {what} of a sentence, got an empty one");
            }
            let number = words.add(BStr::new(symbol.as_bytes()))?;
            if number == 0 || number == disambiguation {
                bail!("the {what} of a sentence, {symbol}, cannot be the epsilon or the disambiguation symbol");
            }
            Ok(number)
        };
        let (begin, end) = (number(&opts.bos_symbol, "begin")?, number(&opts.eos_symbol, "end")?);
        if begin == end {
            bail!("expected two words for the begin and the end of a sentence, got {} for both", opts.bos_symbol);
        }
        Ok(Self { begin, end, disambiguation, is_closed: opts.read_symbol_table.is_some() })
    }
}

#[derive(Clone, Copy, Default)]
struct OrderCounts {
    all: u64,
    left_out: u64,
}

/// What is not in the graph, and why.
#[derive(Default)]
struct Lost {
    /// How many warnings are shown; all if it is negative.
    most: i32,
    warnings: u64,
    shown: u64,
    unknown: u64,
    misplaced: u64,
    no_history: u64,
    unknown_words: HashMap<BString, u64>,
}

impl Lost {
    fn warn(&mut self, reader: &ArpaReader, why: std::fmt::Arguments<'_>) {
        self.warnings += 1;
        if u64::try_from(self.most).map_or(true, |most| self.warnings <= most) {
            self.shown += 1;
            warning!("{}: skipped: {why}", reader.place());
        }
    }

    /// Says in a line what is not in the graph.
    fn report(&self, name: &str, orders: &[OrderCounts]) {
        if self.warnings > self.shown {
            let (warnings, shown) = (self.warnings, self.shown);
            warning!(
                "Of {warnings} parse warnings, {shown} were reported. Run program with --max-arpa-warnings=-1 to see all of them"
            );
        }
        if self.warnings == 0 {
            return;
        }
        let by_order = orders.iter().zip(1..).filter(|(counts, _)| counts.left_out > 0);
        let by_order = by_order.map(|(counts, order)| format!("{} of {} {order}-grams", counts.left_out, counts.all));
        let reasons = [
            (self.unknown, "have a word that is not in the symbol table"),
            (self.no_history, "have no (n-1)-gram of their first words"),
            (self.misplaced, "have the begin or the end of a sentence where it cannot be"),
        ];
        let reasons = reasons.iter().filter(|(count, _)| *count > 0).map(|(count, why)| format!("{count} {why}"));
        let mut frequent: Vec<(&BString, &u64)> = self.unknown_words.iter().collect();
        frequent.sort_unstable_by(|one, other| other.1.cmp(one.1).then(one.0.cmp(other.0)));
        let frequent: Vec<String> =
            frequent.iter().take(5).map(|(word, count)| format!("{word:?} ({count})")).collect();
        let words =
            if frequent.is_empty() { String::new() } else { format!("; unknown words: {}", frequent.join(", ")) };
        let (by_order, reasons): (Vec<_>, Vec<_>) = (by_order.collect(), reasons.collect());
        warning!("{name}: left out {}: {}{words}", by_order.join(", "), reasons.join(", "));
    }
}

/// A model that is read, and what there is to say about it.
struct Model {
    builder: ModelBuilder,
    symbols: Symbols,
    lost: Lost,
    orders: Vec<OrderCounts>,
    /// N-grams of a probability over 1: how many, and where the first is.
    positive: Option<(u64, String)>,
    /// The words of 1-grams, if only some words are known.
    has_unigram: HashSet<i32>,
    /// Whether an n-gram ends with a word that is in the graph.
    has_word: bool,
}

/// More than rounding makes of the logarithm of a probability of 1.
const EXCESS: f32 = 1e-3;

impl Model {
    fn add(&mut self, reader: &ArpaReader, ngram: Ngram, words: &mut WordList) -> anyhow::Result<()> {
        let order = reader.order();
        if let Some(counts) = self.orders.last_mut() {
            counts.all += 1;
        }
        if ngram.excess > EXCESS {
            let (count, _) = self.positive.get_or_insert_with(|| (0, reader.place()));
            *count += 1;
        }
        let mut numbers = [0; 8];
        let mut many;
        let numbers = match numbers.get_mut(..order) {
            Some(numbers) => numbers,
            None => {
                many = vec![0; order];
                &mut many[..]
            }
        };
        let placed = match self.numbers(reader, words, numbers)? {
            None => {
                self.lost.unknown += 1;
                false
            }
            Some(()) => self.place(reader, ngram, numbers)?,
        };
        if !placed && let Some(counts) = self.orders.last_mut() {
            counts.left_out += 1;
        }
        Ok(())
    }

    /// The numbers of the words of an n-gram. `None` if one is unknown.
    fn numbers(
        &mut self,
        reader: &ArpaReader,
        words: &mut WordList,
        numbers: &mut [i32],
    ) -> anyhow::Result<Option<()>> {
        for (index, number) in numbers.iter_mut().enumerate() {
            let word = reader.word(index);
            *number = if !self.symbols.is_closed {
                words.add(word).map_err(|error| reader.error(error.to_string()))?
            } else if let Some(number) = words.number(word) {
                number
            } else {
                self.lost.warn(reader, format_args!("the word {word:?} is not in symbol table"));
                *self.lost.unknown_words.entry(word.to_owned()).or_default() += 1;
                return Ok(None);
            };
            if *number == 0 {
                return Err(reader.error(format!("expected a word, got the epsilon symbol {word:?}")).into());
            }
        }
        Ok(Some(()))
    }

    /// Puts an n-gram into the graph; returns false if it has no place there.
    fn place(&mut self, reader: &ArpaReader, ngram: Ngram, numbers: &[i32]) -> anyhow::Result<bool> {
        let is_highest = reader.order() == reader.highest_order();
        let placed = self.builder.add(numbers, ngram.weight, ngram.back_off, is_highest, reader.line_number());
        match placed.map_err(|error| reader.error(error.to_string()))? {
            Placed::Added => {}
            Placed::Misplaced => {
                self.lost.misplaced += 1;
                let why = "the begin of a sentence is not its first word, or the end not its last word";
                self.lost.warn(reader, format_args!("{why}"));
                return Ok(false);
            }
            Placed::NoHistory => {
                self.lost.no_history += 1;
                self.lost.warn(reader, format_args!("there is no (n-1)-gram of its first words"));
                return Ok(false);
            }
        }
        let last = numbers.last().copied().unwrap_or_default();
        self.has_word |= last != self.symbols.begin && last != self.symbols.end;
        if self.symbols.is_closed && numbers.len() == 1 {
            self.has_unigram.insert(last);
        }
        Ok(true)
    }

    /// The graph, after all there is to say.
    fn finish(self, name: &str, opts: &Options, words: &WordList) -> anyhow::Result<BuiltModel> {
        self.lost.report(name, &self.orders);
        if let Some((count, place)) = &self.positive {
            warning!("{place}: the logarithm of a probability is over 0; {count} such n-grams");
        }
        // Of a model of words alone, which may well be small, a warning says so.
        if !self.has_word && self.lost.unknown > 0 && self.orders.len() > 1 {
            let list = opts.read_symbol_table.as_ref().map(ToString::to_string).unwrap_or_default();
            bail!("{name}: no word of the model is in the symbol table {list}: is this the right table?");
        }
        let Symbols { begin, end, disambiguation, is_closed } = self.symbols;
        let built = self.builder.finish().map_err(|error| match error {
            ModelError::NoBegin => anyhow!("no 1-gram is the begin of a sentence, {}", opts.bos_symbol),
            ModelError::NoEnd => anyhow!("no n-gram ends with the end of a sentence, {}", opts.eos_symbol),
            error => error.into(),
        });
        let built = built.with_context(|| name.to_owned())?;
        let repeated = built.repeated();
        if repeated.count > 0 {
            let (line, count) = (repeated.first_line, repeated.count);
            warning!("{name}:{line}: the n-gram comes again, so that the graph is ambiguous; {count} such n-grams");
        }
        if is_closed {
            let is_none = |word: &BStr, number| {
                [0, begin, end, disambiguation].contains(&number)
                    || word.starts_with(b"#")
                    || self.has_unigram.contains(&number)
            };
            let count = words.words().filter(|(word, number)| !is_none(word, *number)).count();
            if count > 0 {
                log!("{count} words of the symbol table are not in the model, so that they cannot be recognized");
            }
        }
        if disambiguation != 0 {
            log!("Reduced num-states from {} to {}", built.num_states_before(), built.num_states());
        }
        Ok(built)
    }
}

fn write(opts: &Options, words: &WordList, built: &BuiltModel) -> anyhow::Result<()> {
    if let Some(name) = &opts.write_symbol_table {
        let mut list = create(Some(name))?;
        list.write_all(&words.to_text())?;
        list.finish()?;
    }
    let has_list = opts.read_symbol_table.is_some() || opts.write_symbol_table.is_some();
    let symbols = (opts.keep_symbols || !has_list).then(|| {
        let list = opts.read_symbol_table.as_ref().map(|name| &name[..]);
        let name = list.or(opts.target.as_ref().map(|name| &name[..])).unwrap_or_default();
        words.to_symbols(printable_wxfilename(BStr::new(name)).as_bytes())
    });
    let mut graph = create(opts.target.as_ref())?;
    built.write(opts.ilabel_sort, symbols.as_ref(), |bytes| graph.write_all(bytes))?;
    Ok(graph.finish()?)
}
