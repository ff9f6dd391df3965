#![doc = include_str!("../README.md")]
//! | what | |
//! | --- | --- |
//! | [`Sample`] | an utterance, which is decoded only when it is used |
//! | [`Stage`], [`Chain`] | the processing of samples |
//! | [`Registry`], [`Description`] | chains in YAML: stages by name |
//! | [`Feed`], [`PaddedBatch`], [`TensorFormat`] | a chain after a list; batches as arrays and files |
//! | [`Text`], [`Tokenizer`], [`kaldi_value::SymbolTable`] | lines of text, as numbers, and back |
//! | [`Lengths`], [`Bounds`] | how long utterances are, and which ones are used |
//! | [`change_speed`] | sound played faster or slower |
//! | [`SpecAugment`], [`SpecSubstitute`], [`SpecTrim`] | features changed at random |
//! | [`Items`], [`ItemWriter`] | entries of tables copied unchanged |
//! | [`python_order`] | the order of Python programs |
//!
//! Names and meanings of parameters are those of WeNet's configuration files. Everything random depends only on
//! [`Draws`](kaldi_reader::Draws), which are made of a seed, an epoch and the key of the utterance. It does not depend
//! on threads or on earlier utterances.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod augment;
mod bounds;
mod case;
mod chain;
mod description;
mod error;
mod feed;
#[cfg(feature = "cli")]
mod feed_options;
mod item_list;
mod item_sort;
mod items;
mod ledger;
mod lengths;
mod order;
mod padded;
mod params;
mod plan;
mod pool;
mod registry;
mod sample;
mod sound;
mod source;
mod stage;
mod stages;
mod tensors;
mod tiktoken;
mod tokenizer;
mod transcript;
mod wenet;
mod yaml;

pub use augment::{SpecAugment, SpecSubstitute, SpecTrim};
pub use bounds::{Beyond, Bounds};
pub use case::{Case, ModelCheck};
pub use chain::Chain;
pub use description::Description;
pub use error::{Error, Result};
pub use feed::{Even, Feed, FeedOptions, FeedReader};
#[cfg(feature = "cli")]
pub use feed_options::{FeedArguments, FeedLabels, FeedPart, OnError, ShuffleCompat};
pub use item_list::ItemList;
pub use item_sort::{ItemRank, ItemSort};
pub use items::{ItemWriter, Items, TableItem};
pub use ledger::{ErrorPolicy, FeedCounts};
pub use lengths::{Lengths, Unit};
pub use order::python_order;
pub use padded::{PaddedBatch, PaddedLabels, Padding};
pub use params::Params;
pub use pool::PooledVec;
pub use registry::Registry;
pub use sample::{Data, Refusal, Sample, SampleShape, Sound};
pub use sound::change_speed;
pub use source::{DataList, DataType, Permutation};
pub use stage::{Batches, ListOrder, Pass, SampleWork, Samples, Stage};
pub use stages::{Labels, LogMelOptions, standard_stages};
pub use tensors::TensorFormat;
pub use tiktoken::RankTokenizer;
pub use tokenizer::{BLANK, Tokenizer, ids, parse_non_linguistic};
pub use transcript::Text;
pub use wenet::LabelSource;
pub use yaml::{Node, YamlValue};
