//! Stages that work on text and on lengths.

use std::collections::VecDeque;
use std::sync::Arc;

use bstr::BStr;
use kaldi_io::Input;
use kaldi_io::log::warning;
use kaldi_reader::{Reader, ReaderExt};
use kaldi_value::SymbolTable;

use crate::ledger::Ledger;
use crate::params::Params;
use crate::stage::Samples;
use crate::yaml::YamlValue;
use crate::{
    Bounds, Case, Error, ModelCheck, Refusal, Registry, Result, Sample, Stage, Tokenizer, ids, parse_non_linguistic,
};

/// The longest text. Tokens take far more memory than their text, and nobody says so much in one utterance.
const LONGEST: usize = 1 << 20;

/// Bytes of samples that wait until it is clear whether the model fits the texts.
const WAITING: usize = 64 << 20;

/// Replaces symbols that are not in the table.
const UNKNOWN: &str = "<unk>";

pub(super) fn register(registry: &mut Registry) {
    registry.register("tokenize", tokenize);
    registry.register("speaker", speaker);
    registry.register("filter", filter);
}

fn tokenize(params: &mut Params) -> Result<Stage> {
    let kind = params.choice("type", &["char", "bpe", "word"], "char")?;
    let Some(symbols) = params.file("symbols")? else {
        return Err(params.error("symbols", "the file of a symbol table", "nothing"));
    };
    let model = params.file("model")?;
    let non_linguistic = params.file("non_lang_syms")?;
    let unknown = params.text("unk")?.unwrap_or_else(|| UNKNOWN.to_owned());
    params.meant("unk", YamlValue::Text(unknown.clone()));
    let symbols = SymbolTable::parse(&symbols, read_text(&symbols)?.as_bytes())?;
    let tokenizer = match (kind, model) {
        ("char", None) => Tokenizer::characters(),
        ("word", None) => Tokenizer::words(),
        ("bpe", Some(model)) => Tokenizer::sentencepiece(&model, &read(&model)?)?,
        ("bpe", None) => return Err(params.error("model", "the file of a SentencePiece model", "nothing")),
        (_, Some(model)) => return Err(params.error("model", "given for bpe only", format!("{model:?}"))),
        (kind, None) => return Err(params.error("type", "char, bpe or word", kind)),
    };
    let tokenizer = match non_linguistic {
        Some(name) => tokenizer.with_non_linguistic(parse_non_linguistic(&name, &read_text(&name)?)?),
        None => tokenizer,
    };
    let case = params.choice("case", &Case::NAMES.map(|(name, _)| name), tokenizer.case().name())?;
    let case = Case::NAMES.into_iter().find(|(name, _)| *name == case).map_or(Case::Keep, |(_, case)| case);
    Ok(Stage::tokenize(tokenizer.with_case(case), symbols, &unknown))
}

/// Puts the number of a speaker instead of its name; unknown ones have number 0.
fn speaker(params: &mut Params) -> Result<Stage> {
    let Some(table) = params.file("speaker_table_path")? else {
        return Err(params.error("speaker_table_path", "the file of a table of speakers", "nothing"));
    };
    let speakers = SymbolTable::parse(&table, read_text(&table)?.as_bytes())?;
    Ok(Stage::speaker(speakers))
}

fn filter(params: &mut Params) -> Result<Stage> {
    let defaults = Bounds::default();
    let bounds = Bounds {
        max_length: params.float("max_length", defaults.max_length)?,
        min_length: params.float("min_length", defaults.min_length)?,
        token_max_length: params.number("token_max_length", defaults.token_max_length, 0)?,
        token_min_length: params.number("token_min_length", defaults.token_min_length, 0)?,
        min_output_input_ratio: params.float("min_output_input_ratio", defaults.min_output_input_ratio)?,
        max_output_input_ratio: params.float("max_output_input_ratio", defaults.max_output_input_ratio)?,
    };
    Ok(Stage::filter(bounds))
}

impl Stage {
    /// `tokenize`: makes labels of the text. Symbols that are not in the table get the number of `unknown`. If the first texts have
    /// characters that the model does not have, there is a warning; if they are more than half, that is an error.
    pub fn tokenize(tokenizer: Tokenizer, symbols: SymbolTable, unknown: &str) -> Self {
        Self::Labels(Box::new(Labels(Arc::new(Texts { tokenizer, symbols, unknown: unknown.to_owned() }))))
    }

    /// `speaker`: puts the number of a speaker instead of its name; unknown ones have number 0.
    pub fn speaker(speakers: SymbolTable) -> Self {
        Self::sample(move |sample| {
            let Some(name) = sample.fields.get(BStr::new("speaker")) else {
                return Err(Refusal::Bad("expected a field \"speaker\", got none".to_owned()));
            };
            sample.speaker = Some(speakers.integer(name).unwrap_or(0));
            Ok(())
        })
    }

    /// `filter`: drops utterances that are too short, too long, or have too few or too many labels.
    pub fn filter(bounds: Bounds) -> Self {
        Self::sample(move |sample| {
            let num_labels = sample.labels.as_ref().map(|labels| labels.len() as u64);
            match bounds.beyond(sample.frames_of_10_ms(), num_labels) {
                Some(beyond) => Err(Refusal::Dropped(beyond.as_str())),
                None => Ok(()),
            }
        })
    }
}

/// Makes labels of the texts of samples.
pub struct Labels(Arc<Texts>);

struct Texts {
    tokenizer: Tokenizer,
    symbols: SymbolTable,
    unknown: String,
}

impl Texts {
    fn label(&self, sample: &mut Sample, check: &mut ModelCheck) -> Result<(), Refusal> {
        let Self { tokenizer, symbols, unknown } = self;
        let Some(text) = &sample.text else {
            return Err(Refusal::Bad("expected a text, got none".to_owned()));
        };
        if text.len() > LONGEST {
            let message = format!("expected a text of at most 1 MB, got one of {} bytes", text.len());
            return Err(Refusal::Bad(message));
        }
        let tokens = tokenizer.tokens(text).map_err(|error| error.to_string())?;
        check.add(text, &tokens);
        let (labels, num_unknown) = ids(symbols, &tokens, unknown);
        if num_unknown > 0 && symbols.integer(unknown).is_none() {
            let first = tokens.iter().find(|token| symbols.integer(token).is_none()).map_or("", |token| token);
            return Err(Refusal::Bad(format!("the symbol table has neither {first:?} nor {unknown}")));
        }
        sample.labels = Some(labels);
        Ok(())
    }
}

impl Labels {
    pub(crate) fn attach(&self, samples: Samples, ledger: Ledger) -> Samples {
        let texts = Arc::clone(&self.0);
        let check = ModelCheck::new(&texts.tokenizer);
        Labelled { samples, ledger, texts, check, waiting: VecDeque::new(), num_bytes: 0, is_judged: false }.boxed()
    }
}

/// Samples with labels. The first ones wait until it is clear that the model fits them.
struct Labelled {
    samples: Samples,
    ledger: Ledger,
    texts: Arc<Texts>,
    check: ModelCheck,
    waiting: VecDeque<Sample>,
    num_bytes: usize,
    is_judged: bool,
}

impl Labelled {
    fn read(&mut self) -> Result<Option<Sample>> {
        while let Some(mut sample) = self.samples.next()? {
            match self.texts.label(&mut sample, &mut self.check) {
                Ok(()) => return Ok(Some(sample)),
                Err(refusal) => self.ledger.refuse(sample.key.as_ref(), refusal)?,
            }
        }
        Ok(None)
    }
}

impl Reader for Labelled {
    type Item = Sample;
    type Error = Error;

    fn next(&mut self) -> Result<Option<Sample>> {
        while !self.is_judged {
            let is_enough = self.check.is_sure() || self.num_bytes > WAITING;
            match if is_enough { None } else { self.read()? } {
                Some(sample) => {
                    self.num_bytes += sample.weight();
                    self.waiting.push_back(sample);
                }
                None => {
                    self.is_judged = true;
                    if let Some(message) = self.check.verdict()? {
                        warning!("{message}");
                    }
                }
            }
        }
        match self.waiting.pop_front() {
            Some(sample) => Ok(Some(sample)),
            None => self.read(),
        }
    }

    fn restart(&mut self) -> Result<()> {
        self.finish()?;
        self.samples.restart()?;
        self.check = ModelCheck::new(&self.texts.tokenizer);
        (self.num_bytes, self.is_judged) = (0, false);
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.waiting.clear();
        self.is_judged = true;
        self.samples.finish()
    }
}

fn read(name: &str) -> Result<Vec<u8>> {
    let mut input = Input::open(name.into())?;
    let bytes = input.read_to_end()?;
    input.finish()?;
    Ok(bytes)
}

fn read_text(name: &str) -> Result<String> {
    String::from_utf8(kaldi_io::without_mark(&read(name)?).to_vec())
        .map_err(|error| Error::Conf { place: name.to_owned(), message: format!("expected text in UTF-8, {error}") })
}
