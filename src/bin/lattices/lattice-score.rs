//! Finds the words of lattices at many settings of scales and penalties, and the word error rate of each.
//!
//! The words and rates of a setting are those that Kaldi's `score_kaldi_wer.sh` finds with lattice-scale,
//! lattice-add-penalty and lattice-best-path, or lattice-prune and lattice-mbr-decode, and with int2sym.pl and compute-wer.

use std::collections::{HashMap, HashSet};

use anyhow::{bail, ensure};
use bstr::{BStr, BString, ByteSlice};
use kaldi_cli::{InputName, OutputName, Tally, read_keys};
use kaldi_io::Output;
use kaldi_io::log::{log, warning};
use kaldi_lattice::{BayesRiskOptions, CompactLattice, Error, Scale};
use kaldi_score::{Edits, ErrorRates, ScoredUnit, count_edits};
use kaldi_table::{Reader, SequentialReader, WorkError, create_output};
use kaldi_value::number::{NamedNumber, NamedNumbers};
use kaldi_value::{SymbolTable, Tokens};

use crate::usable::if_usable;

const USAGE: &str = "\
Finds the best words of each lattice at many settings, reading the lattices once: for each inverse acoustic scale and each word
insertion penalty. It writes the words of each setting to a text file, or compares them with a reference: then it prints a line
for each setting with the word error rate, and at last the best one.

Usage: lattice-score [options] <lattice-rspecifier>
 e.g.: lattice-score --word-symbol-table=words.txt --text=ark:data/test/text 'ark:gunzip -c lat.*.gz |'
       lattice-score --inv-acwt=7:17 --penalty=0:0.5:1 --word-symbol-table=words.txt --write-text=text_%LMWT_%WIP
         ark:1.lats
In the names of outputs, %LMWT is the inverse acoustic scale and %WIP the penalty. Ranges are first:last or first:step:last;
several numbers and ranges have commas between them.
See also: lattice-scale, lattice-add-penalty, lattice-best-path, lattice-mbr-decode, compute-wer
";

#[derive(clap::Args)]
struct Options {
    /// Acoustic costs are divided by each of these
    #[arg(long, default_value = "7:17")]
    inv_acwt: NamedNumbers,
    /// Each of these is added to the graph cost of every word
    #[arg(long, default_value = "0.0,0.5,1.0")]
    penalty: NamedNumbers,
    /// Find the words of least expected error instead of the best path
    #[arg(long)]
    decode_mbr: bool,
    /// Prune lattices with this beam before --decode-mbr; 0 for no pruning
    #[arg(long, default_value_t = 6.0)]
    beam: f32,
    /// Symbol table of words; without it, words are numbers
    #[arg(long)]
    word_symbol_table: Option<InputName>,
    /// Take out the words that this file lists, one a line, from references and results
    #[arg(long)]
    drop_words: Option<InputName>,
    /// Rspecifier of the reference, to compute error rates
    #[arg(long)]
    text: Option<InputName>,
    /// What is compared with the reference: word or char (a character is a code point of UTF-8)
    #[arg(long, default_value = "word", value_parser = kaldi_cli::one_of(&ScoredUnit::NAMES))]
    unit: ScoredUnit,
    /// Write the words of each setting to text files of this name
    #[arg(long)]
    write_text: Option<OutputName>,
    /// Write the error rates of each setting, as compute-wer prints them, to files of this name
    #[arg(long)]
    write_wer: Option<OutputName>,
    source: InputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(lattice_score)).whole("it counts over the whole table");

/// Memory and open files are bounded by this.
const MOST_SETTINGS: usize = 10_000;

fn lattice_score(opts: Options) -> anyhow::Result<Tally> {
    ensure!(
        opts.text.is_some() || opts.write_text.is_some(),
        "expected --text to compare words with, or --write-text to write them to"
    );
    ensure!(opts.text.is_some() || opts.write_wer.is_none(), "expected --text for the error rates of --write-wer");
    let settings = Setting::all(&opts)?;
    let rate_names = names(&settings, opts.write_wer.as_ref(), "write-wer")?;
    let mut texts = Vec::new();
    for name in names(&settings, opts.write_text.as_ref(), "write-text")? {
        texts.push(create_output(&name, false)?);
    }
    let symbols = opts.word_symbol_table.as_deref().map(SymbolTable::read).transpose()?;
    let dropped: HashSet<BString> =
        opts.drop_words.as_ref().map(read_keys).transpose()?.into_iter().flatten().collect();
    let references = opts.text.as_ref().map(read_references).transpose()?;
    let num_references = references.as_ref().map_or(0, HashMap::len) as u64;
    let source = SequentialReader::<CompactLattice>::open(&opts.source)?;

    let recognizer = Recognizer { settings: settings.clone(), decode_mbr: opts.decode_mbr, beam: opts.beam };
    let (writes, unit) = (!texts.is_empty(), opts.unit);
    let rows = source.par_map(move |entry| {
        let (key, lattice) = (entry.key(), entry.read()?);
        let found = if_usable(key, recognizer.words(lattice))?.unwrap_or_else(|| vec![None; recognizer.settings.len()]);
        let num_failed = found.iter().filter(|words| words.is_none()).count();
        if num_failed > 0 {
            warning!("Best-path failed for key {key} at {num_failed} of {} settings", found.len());
        }
        let reference = references.as_ref().and_then(|references| references.get(key));
        let scored = Scored { symbols: symbols.as_ref(), dropped: &dropped, unit, key, writes };
        scored.results(&found, reference)
    });
    let mut rates = vec![ErrorRates::new(unit); settings.len()];
    let (mut done, mut failed) = (0, 0);
    let ended = rows.drain(|_, results| {
        if results.iter().any(Option::is_some) {
            done += 1
        } else {
            failed += 1
        }
        for (index, result) in results.into_iter().enumerate() {
            let Some(Found { line, errors }) = result else { continue };
            if let Some((length, edits)) = errors {
                rates[index].add(length, edits);
            }
            if let Some(text) = texts.get_mut(index) {
                text.write_all(&line)?;
            }
        }
        anyhow::Ok(())
    })?;
    log!("Found the words of {done} lattices at {} settings, failed for {failed}", settings.len());
    ended.finish()?;
    texts.into_iter().try_for_each(Output::finish)?;
    if opts.text.is_some() {
        for rates in &mut rates {
            rates.num_absent = num_references - rates.num_sentences;
        }
        for (name, rates) in rate_names.iter().zip(&rates) {
            let mut output = create_output(name, false)?;
            output.write_all(rates.to_string().as_bytes())?;
            output.finish()?;
        }
        print_rates(&settings, &rates)?;
        if rates.iter().all(|rates| rates.num_sentences == 0) {
            warning!("No lattice has a reference, so there are no error rates");
            return Ok(Tally::new(0, done + failed));
        }
    }
    Ok(Tally::new(done, failed))
}

/// An inverse acoustic scale and a penalty.
#[derive(Clone)]
struct Setting {
    inv_acwt: NamedNumber,
    penalty: NamedNumber,
}

impl Setting {
    /// All settings in the order in which the script looks for the best one.
    fn all(opts: &Options) -> anyhow::Result<Vec<Self>> {
        let (scales, penalties) = (&opts.inv_acwt.0, &opts.penalty.0);
        if let Some(scale) = scales.iter().find(|scale| scale.value == 0.0) {
            bail!("expected --inv-acwt to be other than 0, got {}", scale.name);
        }
        let count = scales.len() * penalties.len();
        ensure!(count <= MOST_SETTINGS, "expected at most {MOST_SETTINGS} settings, got {count}");
        let pair =
            |penalty: &NamedNumber, scale: &NamedNumber| Self { inv_acwt: scale.clone(), penalty: penalty.clone() };
        Ok(penalties.iter().flat_map(|penalty| scales.iter().map(move |scale| pair(penalty, scale))).collect())
    }

    fn name(&self, pattern: &BStr) -> BString {
        pattern.replace("%LMWT", &self.inv_acwt.name).replace("%WIP", &self.penalty.name).into()
    }

    /// The scale that lattice-scale takes from --inv-acoustic-scale.
    fn scale(&self) -> Scale {
        Scale::new(1.0, f64::from(1.0 / self.inv_acwt.value))
    }
}

/// The names of an output at all settings; none if it is not wanted.
fn names(settings: &[Setting], pattern: Option<&OutputName>, option: &str) -> anyhow::Result<Vec<BString>> {
    let Some(pattern) = pattern else { return Ok(Vec::new()) };
    let names: Vec<BString> = settings.iter().map(|setting| setting.name(BStr::new(&**pattern))).collect();
    let different: HashSet<&BString> = names.iter().collect();
    ensure!(
        different.len() == names.len(),
        "--{option}: expected %LMWT and %WIP in the name, so that each setting has a file of its own, got {pattern}"
    );
    Ok(names)
}

fn read_references(name: &InputName) -> anyhow::Result<HashMap<BString, Tokens>> {
    let mut references = HashMap::new();
    let mut source = SequentialReader::<Tokens>::open(name)?;
    while let Some((key, words)) = source.next()? {
        ensure!(!references.contains_key(&key), "{name}: {key}: expected each key once");
        references.insert(key, words);
    }
    source.finish()?;
    Ok(references)
}

/// What finds words in lattices.
struct Recognizer {
    settings: Vec<Setting>,
    decode_mbr: bool,
    beam: f32,
}

impl Recognizer {
    /// The words at each setting; `None` where there is no path.
    fn words(&self, mut lattice: CompactLattice) -> kaldi_lattice::Result<Vec<Option<Vec<i32>>>> {
        if self.decode_mbr {
            return self.settings.iter().map(|setting| self.mbr_words(lattice.clone(), setting).map(Some)).collect();
        }
        if !lattice.sort_if_needed() {
            return Err(Error::Cycle);
        }
        let words = |setting: &Setting| lattice.best_words(&setting.scale(), setting.penalty.value);
        self.settings.iter().map(words).collect()
    }

    fn mbr_words(&self, mut lattice: CompactLattice, setting: &Setting) -> kaldi_lattice::Result<Vec<i32>> {
        lattice.scale(&setting.scale());
        lattice.add_penalty(setting.penalty.value);
        if self.beam > 0.0 {
            lattice.prune(f64::from(self.beam))?;
        }
        Ok(lattice.bayes_risk(None, BayesRiskOptions::default())?.words)
    }
}

/// What a lattice gives at a setting.
#[derive(Clone)]
struct Found {
    /// The line of the text file.
    line: Vec<u8>,
    /// The number of words of the reference, and how the words differ from it.
    errors: Option<(u64, Edits)>,
}

/// What turns words into lines and compares them with a reference.
struct Scored<'a> {
    symbols: Option<&'a SymbolTable>,
    dropped: &'a HashSet<BString>,
    unit: ScoredUnit,
    key: &'a BStr,
    /// Whether lines are wanted.
    writes: bool,
}

impl Scored<'_> {
    fn results(&self, found: &[Option<Vec<i32>>], reference: Option<&Tokens>) -> Result<Vec<Option<Found>>, WorkError> {
        let reference = reference.map(|reference| self.unit.of(reference.iter().filter(|word| self.counts(word))));
        let mut results: Vec<Option<Found>> = Vec::with_capacity(found.len());
        for (index, words) in found.iter().enumerate() {
            // Settings side by side often give the same words.
            let result = match words {
                Some(words) if index > 0 && found[index - 1].as_ref() == Some(words) => results[index - 1].clone(),
                Some(words) => Some(self.result(words, reference.as_deref())?),
                None => None,
            };
            results.push(result);
        }
        Ok(results)
    }

    fn result(&self, integers: &[i32], reference: Option<&[&BStr]>) -> Result<Found, WorkError> {
        let word = |&integer: &i32| match self.symbols {
            Some(symbols) => symbols.symbol(integer).map(ToOwned::to_owned).ok_or(kaldi_value::UnknownSymbol(integer)),
            None => Ok(integer.to_string().into()),
        };
        let words: Vec<BString> = integers.iter().map(word).collect::<Result<_, _>>()?;
        let words = || words.iter().map(|word| word.as_bstr()).filter(|word| self.counts(word));
        let mut line = Vec::new();
        if self.writes {
            line.extend_from_slice(self.key);
            // As int2sym.pl writes it: a space after the key and after each word.
            line.push(b' ');
            words().for_each(|word| line.extend_from_slice(&[word.as_bytes(), b" "].concat()));
            line.push(b'\n');
        }
        let errors =
            reference.map(|reference| (reference.len() as u64, count_edits(reference, &self.unit.of(words()))));
        Ok(Found { line, errors })
    }

    fn counts(&self, word: &BStr) -> bool {
        self.dropped.is_empty() || !self.dropped.contains(word)
    }
}

/// Prints a line for each setting, and the first one of those with the fewest errors for each word.
fn print_rates(settings: &[Setting], rates: &[ErrorRates]) -> anyhow::Result<()> {
    let mut stdout = Output::stdout()?;
    let line = |(setting, rates): (&Setting, &ErrorRates)| {
        format!("{} {} {}\n", rates.summary(), setting.inv_acwt.name, setting.penalty.name)
    };
    for row in settings.iter().zip(rates) {
        stdout.write_all(line(row).as_bytes())?;
    }
    // Where there are no words, there is no rate.
    let rate = |rates: &ErrorRates| rates.edits.total() as f64 / (rates.num_words as f64).max(f64::MIN_POSITIVE);
    let best = settings.iter().zip(rates).min_by(|(_, one), (_, other)| rate(one).total_cmp(&rate(other)));
    if let Some(best) = best {
        stdout.write_all(format!("best: {}", line(best)).as_bytes())?;
    }
    Ok(stdout.finish()?)
}
