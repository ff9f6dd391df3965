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
//!
//! [`Value`] is implemented here for types of the standard library; tokens and posteriors are in the crate
//! `kaldi-values`, matrices in `kaldi-matrix`, waveforms in `kaldi-wave`. Their binary forms are units ([`mod@unit`]): a size
//! byte and a little-endian number.
//!
//! ```text
//! type                 Rust type         text             binary, after the marker \0B
//! int32                i32               5 \n             04 05000000
//! float, double        f32, f64          0.5 \n           04 0000003f, 08 000000000000e03f
//! bool                 bool              T \n             54
//! int32 vector         Vec<i32>          1 2 \n           04 02000000 04 01000000 04 02000000
//! int32 vector vector  Vec<Vec<i32>>     1 2 ; 3 ; \n     count, then each vector as above
//! int32 pairs          Vec<(i32, i32)>   1 2 ; 3 4 \n     count of pairs, then every integer
//! float pairs          Vec<(f32, f32)>   0.5 2 ; 3 4 \n   count of pairs, then every float
//! ```
//!
//! What is read is what Kaldi's holders read, with their freedoms (numbers need no space between them where the second
//! starts with a sign, any white space separates) and their refusals (a pair vector must end with a newline, an integer
//! vector need not). Only `inf` and `nan`, which Kaldi writes but does not read back in these types, are read.

#![cfg_attr(test, allow(clippy::unwrap_used))]

/// The examples of README.md, compiled and run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod address;
mod basic;
mod characters;
mod compressed;
mod cursor;
mod encoded;
mod error;
mod fallible;
mod file_name;
mod foreign;
mod format;
pub mod framing;
mod helper;
mod input;
mod integers;
mod lines;
mod locator;
mod names;
pub mod number;
mod output;
mod pipe;
mod quote;
mod remote;
mod same_file;
mod source;
mod specifier;
mod store;
mod symbols;
pub mod testing;
pub mod unit;
mod value;
mod value_advice;
mod values;
mod window;
pub mod wire;
mod xfilename;

pub use address::{is_remote, local_path, make_folder};
pub use basic::Basic;
pub use characters::{excerpt, is_space};
pub use cursor::Cursor;
pub use encoded::{Block, Encoded};
pub use error::{Error, ParseError, Result, token_advice};
pub use fallible::{fallible, is_fallible};
pub use file_name::FileNames;
pub use foreign::{Wanted, is_script_line, output_doubt, recognize};
pub use format::{Format, write_basic, write_int_vector, write_token};
pub use input::{Input, wait_readable};
pub use lines::Lines;
pub use locator::{Locator, LocatorError};
pub use names::{InputName, OutputName};
pub use output::Output;
pub use pipe::open_files_limit;
pub use quote::shell_quote;
pub use remote::{close_store, expect_values, set_store};
pub use same_file::{FileIdentity, is_same_file};
pub use source::{ReadAt, Source, read_at};
pub use specifier::{
    Rspecifier, RspecifierKind, RspecifierOptions, Wspecifier, WspecifierKind, WspecifierOptions, is_specifier,
    specifier_advice,
};
pub use store::{Store, Upload};
pub use symbols::SymbolTable;
pub use value::{Frame, Part, Value, frame_between_tokens, frame_by_parsing};
pub use window::{Growth, Window};
pub use xfilename::{Rxfilename, Wxfilename, printable_rxfilename, printable_wxfilename};
