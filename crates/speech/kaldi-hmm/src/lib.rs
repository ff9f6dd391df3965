#![doc = include_str!("../README.md")]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod alignment;
mod convert;
mod error;
mod from_tree;
mod hash_order;
mod phones;
mod posterior;
mod pronunciation;
mod topology;
mod transition_model;
mod tree;

pub use alignment::{PhoneSegment, PhoneSplit};
pub use convert::{AlignmentConverter, Conversion, ConversionOptions};
pub use error::{Error, Result};
pub use hash_order::HashOrderedSums;
pub use phones::{PhoneMap, parse_phones};
pub use posterior::{PhonesOfPdfs, SilenceWeight};
pub use pronunciation::{PhonePronunciation, PronunciationScorer};
pub use topology::{HmmState, HmmTopology, PdfClasses};
pub use transition_model::{TransitionFacts, TransitionModel, TransitionTuple, UnknownTransitionId};
pub use tree::{
    BiphoneTree, ContextDependency, Event, EventMap, EventNode, EventSet, GaussStats, KeyQuestions, PDF_CLASS,
    PhoneClusterer, PhoneCounts, Questions, Refinement, TreeBuilder, TreeDrawing, TreeError, TreeLimits, TreeRoot,
    TreeStats, TreeStatsAccumulator, TreeStatsOptions, TreeStatsSum, TwoLevelTree, bottom_up, bottom_up_in_groups,
    read_phone_sets,
};
