#![doc = include_str!("../README.md")]

#[cfg(feature = "indexed")]
pub use indexed_dataset as indexed;
#[cfg(feature = "inspect")]
pub use kaldi_any as any;
#[cfg(feature = "convert")]
pub use kaldi_convert as convert;
#[cfg(feature = "corpus")]
pub use kaldi_corpus as corpus;
#[cfg(feature = "egs")]
pub use kaldi_egs as egs;
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
pub use kaldi_matrix as matrix;
#[cfg(feature = "plot")]
pub use kaldi_plot as plot;
pub use kaldi_reader as reader;
#[cfg(feature = "score")]
pub use kaldi_score as score;
#[cfg(feature = "stores")]
pub use kaldi_store as stores;
pub use kaldi_table as table;
pub use kaldi_value as value;
pub use kaldi_wave as wave;
#[cfg(feature = "corpus")]
pub use shards;
