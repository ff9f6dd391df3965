//! Kaldi's extended filenames, streams, tokens, basic types and number text; the trait between values and tables.
//!
//! A Kaldi object is stored in one of two forms. The binary form starts with the marker `\0B`; the text form has no
//! marker. A float matrix of one row and two columns:
//!
//! ```text
//! 00 42 46 4d 20 04 01 00 00 00 04 02 00 00 00 00 00 80 3f 00 00 00 40   .BFM ........1.0 2.0
//! ^^^^^ marker   ^^^^^^^^^^^^^^ rows           ^^^^^^^^^^^ ^^^^^^^^^^^ payload, little-endian
//!       ^^^^^^^^ token          ^^^^^^^^^^^^^^ columns, each integer behind its size in bytes
//!
//!  [
//!   1 2 ]
//! ```
//!
//! Parsing works on slices: [`Cursor`] walks over bytes that are in memory, [`Value::frame`] tells how many bytes a
//! value takes without building it, and the streams ([`Input`], [`Output`]) only move bytes.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod basic;
mod cursor;
mod encoded;
mod error;
mod format;
mod input;
mod lines;
pub mod number;
mod output;
mod pipe;
mod quote;
mod same_file;
mod specifier;
mod symbols;
mod value;
pub mod values;
mod xfilename;

pub use basic::Basic;
pub use cursor::{Cursor, excerpt};
pub use encoded::{Block, Encoded};
pub use error::{Error, ParseError, Result, token_advice};
pub use format::{Format, write_basic, write_int_vector, write_token};
pub use input::{Input, read_at, wait_readable};
pub use lines::Lines;
pub use output::Output;
pub use pipe::open_files_limit;
pub use quote::shell_quote;
pub use same_file::is_same_file;
pub use specifier::{
    Rspecifier, RspecifierKind, RspecifierOptions, Wspecifier, WspecifierKind, WspecifierOptions, is_specifier,
    specifier_advice,
};
pub use symbols::SymbolTable;
pub use value::{Frame, Value, frame_between_tokens, frame_by_parsing};
pub use xfilename::{Rxfilename, Wxfilename, printable_rxfilename, printable_wxfilename};
