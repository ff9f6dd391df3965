//! WeNet's configuration files as descriptions.

use crate::params::Params;
use crate::yaml::{Node, YamlValue};
use crate::{Description, Error, Result};

/// Where the labels of utterances come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelSource<'a> {
    /// There are none.
    None,
    /// They are the symbols of the text. The files replace those that the configuration names.
    Text {
        /// The symbol table.
        symbols: Option<&'a str>,
        /// The SentencePiece model, for the tokenizer bpe.
        model: Option<&'a str>,
        /// The list of non-linguistic symbols.
        non_linguistic: Option<&'a str>,
        /// Whether it is an error if there is no symbol table. Otherwise there are no labels then.
        is_needed: bool,
    },
}

impl Description {
    /// Reads WeNet's `train.yaml`, or its map `dataset_conf` alone: the stages in WeNet's order with its defaults.
    /// `name` is what messages call the file.
    ///
    /// # Errors
    /// If the text is not YAML, `dataset_conf` has a key that WeNet does not know, the tokenizer is not supported, or there
    /// should be labels and no symbol table is named. Wrong parameters of a stage are reported when the chain is
    /// [built](crate::Chain::build).
    pub fn from_wenet(name: &str, text: &str, labels: LabelSource<'_>) -> Result<Self> {
        let top = Node::parse(name, text)?;
        let dataset = top.get("dataset_conf");
        let mut conf = Params::new(name, "dataset_conf", dataset.unwrap_or(&top))?;
        let mut description = Self::new(name);

        let list_shuffle = conf.value("list_shuffle_conf");
        if conf.boolean("list_shuffle", true)? {
            description.push("list_shuffle", list_shuffle.unwrap_or(NOTHING));
        }
        let cycle = conf.number("cycle", 1, 1)?;
        if cycle > 1 {
            description.push("cycle", map([("cycle", YamlValue::Int(cycle as i64))]));
        }
        // The first is how WeNet spells it.
        let channel = [conf.value("singal_channel_conf"), conf.value("single_channel_conf")];
        description.push("channel", channel.into_iter().flatten().next().unwrap_or(NOTHING));
        if let Some(speaker) = conf.value("speaker_conf") {
            description.push("speaker", speaker);
        }
        // Older files have it here.
        let split = conf.boolean("split_with_space", false)?;
        if let Some(tokenize) = tokenizer(name, dataset.map(|_| &top), labels, split)? {
            description.push("tokenize", tokenize);
        }
        for (stage, default) in [("filter", true), ("resample", true), ("speed_perturb", false)] {
            let parameters = conf.value(&format!("{stage}_conf"));
            // Speed alone can be turned on and off.
            if default || conf.boolean(stage, false)? {
                description.push(stage, parameters.unwrap_or(NOTHING));
            }
        }
        let feats = conf.choice("feats_type", &["fbank", "mfcc", "log_mel_spectrogram"], "fbank")?;
        for stage in ["fbank", "mfcc", "log_mel_spectrogram"] {
            let parameters = conf.value(&format!("{stage}_conf"));
            if stage == feats {
                description.push(stage, parameters.unwrap_or(NOTHING));
            }
        }
        let switched =
            [("spec_aug", true), ("spec_sub", false), ("spec_trim", false), ("shuffle", true), ("sort", true)];
        for (stage, default) in switched {
            let parameters = conf.value(&format!("{stage}_conf"));
            if conf.boolean(stage, default)? {
                description.push(stage, parameters.unwrap_or(NOTHING));
            }
        }
        description.push("batch", conf.value("batch_conf").unwrap_or(NOTHING));
        description.push("padding", NOTHING);
        // These have no effect on features and labels.
        for key in ["language_conf", "syncbn"] {
            conf.value(key);
        }
        conf.finish()?;
        Ok(description)
    }
}

const NOTHING: Node = Node { value: YamlValue::Null, line: 0 };

fn map<const N: usize>(entries: [(&str, YamlValue); N]) -> Node {
    let entry = |(name, value): (&str, YamlValue)| (name.to_owned(), Node::new(value));
    Node::new(YamlValue::Map(entries.into_iter().map(entry).collect()))
}

/// The parameters of the stage that makes labels of text; `None` if there are no labels.
fn tokenizer(file: &str, top: Option<&Node>, labels: LabelSource<'_>, split: bool) -> Result<Option<Node>> {
    let LabelSource::Text { symbols, model, non_linguistic, is_needed } = labels else { return Ok(None) };
    let get = |key: &str| top.and_then(|top| top.get("tokenizer_conf")).and_then(|conf| conf.get(key));
    let given = |key: &str| get(key).filter(|node| node.value != YamlValue::Null).cloned();
    let [symbols, model, non_linguistic] =
        [symbols, model, non_linguistic].map(|name| name.map(|name| Node::new(YamlValue::Text(name.to_owned()))));
    let symbols = symbols.or_else(|| given("symbol_table_path"));
    if symbols.is_none() && !is_needed {
        return Ok(None);
    }
    let tokenizer = top.and_then(|top| top.get("tokenizer"));
    let is_split = split || given("split_with_space").is_some_and(|node| node.value == YamlValue::Bool(true));
    let kind = match tokenizer.map(|node| &node.value) {
        Some(YamlValue::Text(kind)) if kind == "bpe" => "bpe",
        Some(YamlValue::Text(kind)) if kind != "char" => {
            let line = tokenizer.map_or(0, |node| node.line);
            let message = format!("expected tokenizer to be char or bpe (a SentencePiece model), got {kind}");
            return Err(Error::Conf { place: format!("{file}:{line}"), message });
        }
        _ if is_split => "word",
        _ => "char",
    };
    let Some(symbols) = symbols else {
        let message = "expected a symbol table for the labels, symbol_table_path of tokenizer_conf, got none: give `symbols`, \
                       or `labels = none` for batches without labels";
        return Err(Error::Conf { place: file.to_owned(), message: message.to_owned() });
    };
    let mut parameters = vec![("type", Node::new(YamlValue::Text(kind.to_owned()))), ("symbols", symbols)];
    if kind == "bpe" {
        parameters.extend(model.or_else(|| given("bpe_path")).map(|model| ("model", model)));
    } else if model.is_some() {
        let message = format!("expected the tokenizer bpe for `bpe_model`, got {kind}");
        return Err(Error::Conf { place: file.to_owned(), message });
    }
    let non_linguistic = non_linguistic.or_else(|| given("non_lang_syms_path"));
    parameters.extend(non_linguistic.map(|name| ("non_lang_syms", name)));
    let parameters = parameters.into_iter().map(|(name, node): (&str, Node)| (name.to_owned(), node));
    Ok(Some(Node::new(YamlValue::Map(parameters.collect()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "\
encoder: conformer
dataset_conf:
    filter_conf:
        max_length: 40960
        min_length: 0
        token_max_length: 200
        token_min_length: 1
    resample_conf:
        resample_rate: 16000
    speed_perturb: true
    fbank_conf:
        num_mel_bins: 80
        frame_shift: 10
        frame_length: 25
        dither: 0.1
    spec_aug: true
    spec_aug_conf:
        num_t_mask: 2
        num_f_mask: 2
        max_t: 50
        max_f: 10
    shuffle: true
    shuffle_conf:
        shuffle_size: 1500
    sort: true
    sort_conf:
        sort_size: 500
    batch_conf:
        batch_type: 'static' # static or dynamic
        batch_size: 16
";

    const NAMED: LabelSource<'_> =
        LabelSource::Text { symbols: None, model: None, non_linguistic: None, is_needed: true };

    fn stages(text: &str, symbols: Option<&str>) -> String {
        let labels = LabelSource::Text { symbols, model: None, non_linguistic: None, is_needed: true };
        Description::from_wenet("train.yaml", text, labels).unwrap().to_string()
    }

    #[test]
    fn a_recipe_becomes_the_chain_in_its_order() {
        let expected = "\
- list_shuffle: {}
- channel: {}
- tokenize: {type: char, symbols: units.txt}
- filter: {max_length: 40960, min_length: 0, token_max_length: 200, token_min_length: 1}
- resample: {resample_rate: 16000}
- speed_perturb: {}
- fbank: {num_mel_bins: 80, frame_shift: 10, frame_length: 25, dither: 0.1}
- spec_aug: {num_t_mask: 2, num_f_mask: 2, max_t: 50, max_f: 10}
- shuffle: {shuffle_size: 1500}
- sort: {sort_size: 500}
- batch: {batch_type: static, batch_size: 16}
- padding: {}
";
        assert_eq!(stages(OLD, Some("units.txt")), expected);
    }

    #[test]
    fn the_tokenizer_stands_beside_the_data() {
        let new = "tokenizer: bpe\ntokenizer_conf:\n  symbol_table_path: 'data/units.txt'\n  bpe_path: 'data/bpe.model'\n  \
                   non_lang_syms_path: null\n  is_multilingual: false\n  special_tokens:\n    <blank>: 0\n\
                   dataset_conf:\n  cycle: 2\n  list_shuffle: false\n  singal_channel_conf:\n    channel: 1\n  spec_aug: false\n";
        let got = stages(new, None);
        assert!(
            got.starts_with(
                "- cycle: {cycle: 2}\n- channel: {channel: 1}\n\
             - tokenize: {type: bpe, symbols: data/units.txt, model: data/bpe.model}\n- filter: {}\n"
            ),
            "{got}"
        );
        assert!(!got.contains("spec_") && !got.contains("speed"), "{got}");
        let split = "tokenizer: char\ntokenizer_conf: {split_with_space: true}\ndataset_conf:\n";
        assert!(stages(split, Some("u")).contains("- tokenize: {type: word, symbols: u}\n"));
        assert!(stages("split_with_space: true\n", Some("u")).contains("type: word"));
        // WeNet has no sentencepiece: bpe would convert the text to upper case, and so might give other labels.
        for other in ["whisper", "sentencepiece"] {
            let text = new.replace("bpe\n", &format!("{other}\n"));
            let refused = Description::from_wenet("t.yaml", &text, NAMED).unwrap_err().to_string();
            let expected = "expected tokenizer to be char or bpe (a SentencePiece model)";
            assert_eq!(refused, format!("t.yaml:1: {expected}, got {other}"));
        }
    }

    #[test]
    fn labels_need_a_symbol_table_unless_there_are_none() {
        for text in [OLD, "tokenizer: char\ntokenizer_conf: {split_with_space: true}\ndataset_conf:\n"] {
            let error = Description::from_wenet("t.yaml", text, NAMED).unwrap_err().to_string();
            assert!(error.starts_with("t.yaml: expected a symbol table for the labels, "), "{error}");
        }
        let optional = LabelSource::Text { symbols: None, model: None, non_linguistic: None, is_needed: false };
        for text in [OLD, "tokenizer: whisper\ndataset_conf:\n"] {
            for labels in [LabelSource::None, optional] {
                let description = Description::from_wenet("t.yaml", text, labels).unwrap().to_string();
                assert!(!description.contains("tokenize"), "{description}");
            }
        }
    }

    #[test]
    fn a_list_of_non_linguistic_symbols_is_that_of_the_option() {
        let text = "tokenizer: char\ntokenizer_conf: {symbol_table_path: u, non_lang_syms_path: old}\ndataset_conf:\n";
        assert!(stages(text, None).contains("- tokenize: {type: char, symbols: u, non_lang_syms: old}\n"));
        let labels = LabelSource::Text { symbols: None, model: None, non_linguistic: Some("mine"), is_needed: true };
        let description = Description::from_wenet("t.yaml", text, labels).unwrap().to_string();
        assert!(description.contains("- tokenize: {type: char, symbols: u, non_lang_syms: mine}\n"), "{description}");
    }

    #[test]
    fn a_model_of_pieces_is_that_of_the_option() {
        let text = "tokenizer: bpe\ntokenizer_conf: {symbol_table_path: u, bpe_path: old}\ndataset_conf:\n";
        let labels = LabelSource::Text { symbols: None, model: Some("mine"), non_linguistic: None, is_needed: true };
        let description = Description::from_wenet("t.yaml", text, labels).unwrap().to_string();
        assert!(description.contains("- tokenize: {type: bpe, symbols: u, model: mine}\n"), "{description}");
        let error =
            Description::from_wenet("t.yaml", &text.replace("bpe\n", "char\n"), labels).unwrap_err().to_string();
        assert_eq!(error, "t.yaml: expected the tokenizer bpe for `bpe_model`, got char");
    }

    #[test]
    fn keys_are_looked_at_inside_the_data_only() {
        let text = OLD.replace("    sort: true\n", "    sorting: true\n").replace("conformer", "x\nunknown: 1");
        let error = Description::from_wenet("train.yaml", &text, LabelSource::None).unwrap_err().to_string();
        assert_eq!(error, "train.yaml:26: dataset_conf has no parameter \"sorting\"; did you mean sort?");
        let error = Description::from_wenet("train.yaml", "encoder: x\n", LabelSource::None).unwrap_err().to_string();
        assert!(error.starts_with("train.yaml:1: dataset_conf has no parameter \"encoder\""), "{error}");
    }
}
