//! Language models in ARPA format, as graphs.
//!
//! The text of a model has its numbers of n-grams, and then the n-grams of each order: a probability, the words, and the
//! weight of the back-off, with logarithms to base 10. Columns are parted by blanks and tabs.
//!
//! ```text
//! \data\
//! ngram 1=3
//! ngram 2=1
//!
//! \1-grams:
//! -99   <s>  -0.3
//! -0.5  a    -0.2
//! -0.7  </s>
//!
//! \2-grams:
//! -0.1  <s> a
//!
//! \end\
//! ```
//!
//! A history of words is a state. An n-gram is an arc from the state of its first words to that of the longest history that it
//! ends with; from each state but that of no words an arc leads to a shorter history, which is the back-off. State numbers, the
//! order of arcs and each bit of a weight follow from the order of the lines.

mod grammar;
mod graph;
mod histories;
mod lines;
mod weights;
mod words;

pub use grammar::{ArpaReader, Event, Ngram};
pub use graph::{BuiltModel, ModelBuilder, ModelError, Placed, Repeated};
pub use words::{WordList, WordListError};
