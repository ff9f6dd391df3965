//! The options of programs that feed.

use std::sync::Arc;

use bstr::{BStr, ByteSlice};
use kaldi_corpus::shard::FieldPath;
use kaldi_io::{Commands, InputName, read_text_file};

use crate::{
    Case, Chain, DataList, DataType, Description, Error, ErrorPolicy, Even, Feed, FeedOptions, LabelSource, Registry,
    Result, YamlValue,
};

/// The part of the data that is fed, which says what is done with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum FeedPart {
    /// All stages are applied, and each rank gets its share.
    Train,
    /// Stages that are for training only are left out, and every rank gets everything.
    Cv,
}

/// What is done about a sample that cannot be read or used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum OnError {
    /// It is left out with a warning.
    Skip,
    /// It is an error.
    Fail,
}

/// Another program whose order is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ShuffleCompat {
    /// The order is our own.
    None,
    /// That of Python's `random.Random(epoch).shuffle`.
    Python,
}

/// What the labels of utterances are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum FeedLabels {
    /// The numbers of the symbols of their text.
    Text,
    /// There are none.
    None,
}

/// The title of the options that a first run needs.
const FIRST: &str = "Options for a first run";

/// What is fed to whom, and how.
#[derive(Clone, Debug, clap::Args)]
pub struct FeedArguments {
    /// WeNet's train.yaml, or its dataset_conf alone
    #[arg(long, help_heading = FIRST)]
    pub conf: Option<InputName>,
    /// Description of the chain, as `dry_run` prints it, instead of `conf`
    #[arg(long)]
    pub chain: Option<InputName>,
    /// What the data list has: raw (an utterance a line, in JSON), nemo (a manifest of NeMo; with shard_id, sound is in tar files beside
    /// it), shard (a tar file a line), shar (it is a Shar folder of lhotse) or table (scp:wav.scp or scp:feats.scp)
    #[arg(long, default_value = "raw", help_heading = FIRST)]
    pub data_type: DataType,
    /// File or table with the text of each utterance, for `data_type = table`
    #[arg(long, help_heading = FIRST)]
    pub text: Option<InputName>,
    /// Where the text of a sample is. For `data_type = shard`: the suffix of a member, or an entry of one in JSON, such as json.text; txt
    /// if it is not given. For `data_type = shar`: an entry of cuts, text if it is not given
    #[arg(long)]
    pub text_field: Option<String>,
    /// Symbol table, instead of the one that `conf` or `chain` names
    #[arg(long, help_heading = FIRST)]
    pub symbols: Option<InputName>,
    /// SentencePiece model for the tokenizer bpe, instead of the one that `conf` or `chain` names
    #[arg(long)]
    pub bpe_model: Option<InputName>,
    /// Non-linguistic symbols such as {NOISE}, one a line, instead of those that `conf` or `chain` names
    #[arg(long)]
    pub non_lang_syms: Option<InputName>,
    /// Case of the texts for the tokenizer: keep, upper or lower; by default that of `conf` or `chain`, which is upper for bpe and with
    /// non-linguistic symbols, and otherwise keep
    #[arg(long)]
    pub case: Option<Case>,
    /// Statistics of all features, of compute-cmvn-stats: features are normalized by them after all changes, as models of
    /// WeNet do
    #[arg(long)]
    pub cmvn: Option<InputName>,
    /// Labels of the utterances: text (the numbers of the symbols of their text) or none
    #[arg(long, default_value = "text")]
    pub labels: FeedLabels,
    /// Pass over the data: each has another order and other changes
    #[arg(long, default_value_t = 0)]
    pub epoch: u64,
    /// Seed of everything random
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// The rank, from 0 on; each has another part of the list
    #[arg(long, default_value_t = 0)]
    pub rank: u64,
    /// Number of ranks
    #[arg(long, default_value_t = 1)]
    pub world_size: u64,
    /// The worker of the rank, from 0 on; they take the batches of the rank in turn
    #[arg(long, default_value_t = 0)]
    pub worker: u64,
    /// Number of workers of each rank
    #[arg(long, default_value_t = 1)]
    pub num_workers: u64,
    /// train, or cv: nothing is shuffled or changed at random, and every rank gets everything
    #[arg(long, alias = "split", default_value = "train")]
    pub part: FeedPart,
    /// Samples with which a shuffle buffer starts, while it fills up; 0 means a full buffer
    #[arg(long, default_value_t = 0)]
    pub initial: u64,
    /// Batches of the rank that are skipped, at the cost of reading headers, to go on where a training stopped
    #[arg(long, default_value_t = 0)]
    pub skip_batches: u64,
    /// How all ranks get equally many batches: none (they do not), trim (some leave batches out) or repeat (some start again)
    #[arg(long, default_value = "none")]
    pub even: Even,
    /// What is done about a sample that cannot be read or used: skip (a warning) or fail
    #[arg(long, default_value = "skip")]
    pub on_error: OnError,
    /// How many bad samples are allowed with `on_error = skip`, any number if negative; if it is not given, a tenth of all
    #[arg(long)]
    pub max_bad: Option<i64>,
    /// none, or python: lists are shuffled as by random.Random(epoch).shuffle, and dealt to ranks and then to workers
    #[arg(long, default_value = "none")]
    pub shuffle_compat: ShuffleCompat,
    /// Run commands that a raw list, a manifest or the file of `conf` or `chain` names in place of files: only for files that you trust
    /// like scripts
    #[arg(long)]
    pub allow_commands: bool,
    /// Print the chain with all its parameters, and stop
    #[arg(long)]
    pub dry_run: bool,
}

impl FeedArguments {
    /// The chain of these arguments, of stages of a registry. `needs_labels` makes it an error if there is no symbol table.
    ///
    /// # Errors
    /// If there is none or there are two, a file cannot be read, or the chain makes no sense.
    pub fn build_chain(&self, registry: &Registry, needs_labels: bool) -> Result<Chain> {
        let arguments = |message: &str| Error::Arguments { message: message.to_owned() };
        let [symbols, model, non_linguistic] =
            [&self.symbols, &self.bpe_model, &self.non_lang_syms].map(|it| it.as_ref().map(|it| it.to_string()));
        let has_labels = self.labels == FeedLabels::Text;
        if !has_labels && (symbols.is_some() || model.is_some() || non_linguistic.is_some()) {
            return Err(arguments("expected `symbols`, `bpe_model` and `non_lang_syms` with `labels = text` only"));
        }
        let mut description = match (&self.conf, &self.chain) {
            (Some(conf), None) => {
                let [symbols, model, non_linguistic] =
                    [symbols.as_deref(), model.as_deref(), non_linguistic.as_deref()];
                let labels = match has_labels {
                    true => LabelSource::Text { symbols, model, non_linguistic, is_needed: needs_labels },
                    false => LabelSource::None,
                };
                Description::from_wenet(&conf.to_string(), &read_text(conf)?, labels)?
            }
            (None, Some(chain)) => {
                let mut description = Description::parse(&chain.to_string(), &read_text(chain)?)?;
                for (option, parameter, file) in [
                    ("symbols", "symbols", symbols),
                    ("bpe_model", "model", model),
                    ("non_lang_syms", "non_lang_syms", non_linguistic),
                ] {
                    let Some(file) = file else { continue };
                    if !description.set("tokenize", parameter, YamlValue::Text(file)) {
                        return Err(arguments(&format!("expected `{option}` with a chain that has tokenize")));
                    }
                }
                if has_labels { description } else { description.without("tokenize") }
            }
            _ => return Err(arguments("expected one of `conf` and `chain`")),
        };
        if let Some(case) = self.case
            && !description.set("tokenize", "case", YamlValue::Text(case.name().to_owned()))
        {
            return Err(arguments("expected `case` with labels and a tokenizer"));
        }
        if let Some(cmvn) = self.cmvn.as_ref().map(|name| YamlValue::Text(name.to_string()))
            && !description.set("cmvn", "file", cmvn.clone())
        {
            description.push_before_order("cmvn", "file", cmvn);
        }
        if self.part == FeedPart::Cv {
            description = description.without_training_stages();
        }
        if self.initial > 0 {
            description.set("shuffle", "initial", YamlValue::Int(self.initial.min(i64::MAX as u64) as i64));
        }
        Chain::build(&description.with_commands(self.commands()), registry)
    }

    /// Puts a chain after the list of this name.
    ///
    /// # Errors
    /// If an option makes no sense, or the list cannot be read.
    pub fn open(&self, name: &BStr, chain: &Arc<Chain>) -> Result<Feed> {
        let text = self.text.as_ref().map(|name| (**name).to_owned());
        if text.is_some() && self.data_type != DataType::Table {
            return Err(Error::Arguments { message: "expected `text` with `data_type = table` only".to_owned() });
        }
        if self.text_field.is_some() && !matches!(self.data_type, DataType::Shard | DataType::Shar) {
            let message = "expected `text_field` with `data_type = shard` or `data_type = shar` only";
            return Err(Error::Arguments { message: message.to_owned() });
        }
        let rank = [self.rank, self.world_size];
        if self.rank >= self.world_size {
            return Err(Error::Share { among: "ranks", index: self.rank, count: self.world_size });
        }
        let options = FeedOptions {
            seed: self.seed,
            epoch: self.epoch,
            rank: if self.part == FeedPart::Cv { [0, 1] } else { rank },
            worker: [self.worker, self.num_workers],
            skip_batches: self.skip_batches,
            even: self.even,
            policy: ErrorPolicy {
                fail: self.on_error == OnError::Fail,
                max_bad: self.max_bad.and_then(|max| u64::try_from(max).ok()),
                max_tenth: self.max_bad.is_none(),
            },
            is_python: self.shuffle_compat == ShuffleCompat::Python,
        };
        let text_field = self.text_field.clone().map(FieldPath::new);
        let list =
            DataList { data_type: self.data_type, name: name.to_owned(), text, text_field, commands: self.commands() };
        Feed::open(&list, chain, &options)
    }

    fn commands(&self) -> Commands {
        Commands::allowed(self.allow_commands)
    }
}

fn read_text(name: &InputName) -> Result<String> {
    let (_, bytes) = read_text_file(name.as_ref())?;
    match bytes.to_str() {
        Ok(text) => Ok(text.to_owned()),
        Err(error) => Err(Error::Conf { place: name.to_string(), message: format!("expected text in UTF-8, {error}") }),
    }
}
