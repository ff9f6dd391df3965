#![doc = include_str!("../docs/library.md")]

pub use kaldi_feat as feat;
pub use kaldi_io as io;
pub use kaldi_matrix as matrix;
pub use kaldi_number as number;
pub use kaldi_reader as reader;
pub use kaldi_table as table;
pub use kaldi_values as values;
pub use kaldi_wave as wave;
