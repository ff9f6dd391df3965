//! Stages that work on text and on lengths.

use bstr::BStr;
use kaldi_io::Input;
use kaldi_values::SymbolTable;

use crate::params::Params;
use crate::yaml::YamlValue;
use crate::{Bounds, Error, Refusal, Registry, Result, Stage, Tokenizer, ids, parse_non_linguistic};

/// The longest text. Tokens take far more memory than their text, and nobody says so much in one utterance.
const LONGEST: usize = 1 << 20;

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
    Ok(Stage::tokenize(tokenizer, symbols, &unknown))
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
    /// `tokenize`: makes labels of the text. Symbols that are not in the table get the number of `unknown`.
    pub fn tokenize(tokenizer: Tokenizer, symbols: SymbolTable, unknown: &str) -> Self {
        let unknown = unknown.to_owned();
        let has_unknown = symbols.integer(&unknown).is_some();
        Self::sample(move |sample| {
            let Some(text) = &sample.text else {
                return Err(Refusal::Bad("expected a text, got none".to_owned()));
            };
            if text.len() > LONGEST {
                let message = format!("expected a text of at most 1 MB, got one of {} bytes", text.len());
                return Err(Refusal::Bad(message));
            }
            let tokens = tokenizer.tokens(text).map_err(|error| error.to_string())?;
            let (labels, num_unknown) = ids(&symbols, &tokens, &unknown);
            if num_unknown > 0 && !has_unknown {
                let first = tokens.iter().find(|token| symbols.integer(token).is_none()).map_or("", |token| token);
                return Err(Refusal::Bad(format!("the symbol table has neither {first:?} nor {unknown}")));
            }
            sample.labels = Some(labels);
            Ok(())
        })
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

fn read(name: &str) -> Result<Vec<u8>> {
    let mut input = Input::open(name.into())?;
    let bytes = input.read_to_end()?;
    input.finish()?;
    Ok(bytes)
}

fn read_text(name: &str) -> Result<String> {
    String::from_utf8(read(name)?)
        .map_err(|error| Error::Conf { place: name.to_owned(), message: format!("expected text in UTF-8, {error}") })
}
