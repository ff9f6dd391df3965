#![doc = include_str!("../README.md")]

#[cfg(feature = "indexed")]
pub use indexed_dataset as indexed;
#[cfg(feature = "convert")]
pub use kaldi_convert as convert;
#[cfg(feature = "corpus")]
pub use kaldi_corpus as corpus;
#[cfg(feature = "egs")]
pub use kaldi_egs as egs;
#[cfg(feature = "extract")]
pub use kaldi_extract as extract;
#[cfg(feature = "feat")]
pub use kaldi_feat as feat;
#[cfg(feature = "feed")]
pub use kaldi_feed as feed;
#[cfg(feature = "gmm")]
pub use kaldi_gmm as gmm;
#[cfg(feature = "hmm")]
pub use kaldi_hmm as hmm;
#[cfg(feature = "inspect")]
pub use kaldi_inspect as inspect;
pub use kaldi_io as io;
#[cfg(feature = "ivector")]
pub use kaldi_ivector as ivector;
#[cfg(feature = "lattice")]
pub use kaldi_lattice as lattice;
pub use kaldi_log as log;
pub use kaldi_matrix as matrix;
#[cfg(feature = "gmm")]
pub use kaldi_mixtures as mixtures;
pub use kaldi_number as number;
#[cfg(feature = "plot")]
pub use kaldi_plot as plot;
pub use kaldi_random as random;
pub use kaldi_reader as reader;
#[cfg(feature = "score")]
pub use kaldi_score as score;
#[cfg(feature = "stores")]
pub use kaldi_store as stores;
pub use kaldi_table as table;
#[cfg(feature = "corpus")]
pub use kaldi_tar as tar;
#[cfg(feature = "transform")]
pub use kaldi_transform as transform;
#[cfg(feature = "inspect")]
pub use kaldi_types as types;
pub use kaldi_values as values;
pub use kaldi_wave as wave;
