#![doc = include_str!("../README.md")]
//! These are names of streams and tables:
//!
//! ```text
//! -               standard input or output
//! feats.ark       a file; gzip and zstd are decompressed while they are read
//! feats.ark:1042  a file from an offset on, to read
//! gunzip -c a |   what a command writes, to read
//! | gzip -c > a   what a command reads, to write
//! ark,s:-         an rspecifier: the name of a table, with options
//! ```
//!
//! Streams ([`Input`], [`Output`], [`Lines`]) only move bytes. A [`Window`] is the part of a stream that is in memory.
//! The crates above know what the bytes mean, first of all `kaldi-value`; its parsers report faults as [`ParseError`].
//! An output takes the bytes of values without a copy ([`Encoded`]).

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod address;
mod advice;
mod blob;
mod characters;
mod closest_names;
mod compressed;
mod data_name;
mod encoded;
mod error;
mod fallible;
mod file_name;
mod folder;
mod frame;
mod input;
mod interrupt;
mod json_objects;
mod keyed_line;
mod lines;
mod locator;
pub mod log;
mod name_pattern;
mod option_names;
mod output;
mod pipe;
mod quote;
mod relocated_data;
mod remote;
mod same_file;
mod session;
mod source;
mod specifier;
mod spool;
mod stage;
mod store;
mod text_file;
mod text_lines;
mod window;
mod xfilename;

pub use address::{is_remote, local_path, remote_name};
pub use advice::{
    Advice, AdviceGiven, ExpectedStream, Lack, explain_sound, is_script_line, output_doubt, recognize, split_key_off,
};
pub use blob::{Blob, Chunk};
pub use characters::{excerpt, is_space, printable, printable_json, shortened};
pub use closest_names::{closest_names, name_distance};
pub use compressed::Compression;
pub use data_name::Commands;
pub use encoded::{Block, Encoded};
pub use error::{Error, ParseError, Result, Unread};
pub use fallible::{fallible, is_fallible};
pub use file_name::{FileNames, without_pipe_signs};
pub use folder::{NewFolder, former_names, make_folder, make_last_folder, make_waiting_folder, names_in_folder};
pub use frame::{Frame, FrameFn};
pub use input::{Input, wait_readable};
pub use interrupt::{counting, was_interrupted};
pub use json_objects::JsonObjects;
pub use kaldi_reader::sync;
pub use keyed_line::{KeyedLine, for_each_keyed_line};
pub use lines::{BYTE_ORDER_MARK, Lines, count_lines, without_mark};
pub use locator::{Locator, LocatorError};
pub use name_pattern::{BadNamePattern, NamePattern};
pub use option_names::{InputName, MapName, OutputName};
pub use output::{
    ClosedOutput, DeferredOutputs, FileEnd, Output, OutputSet, PartError, ReservedBlocks, first_bytes_of_old, print,
};
pub use pipe::{CommandMessages, open_files_limit};
pub use quote::{quote_name, shell_quote};
pub use relocated_data::{Moved, advise_on_moved};
pub use remote::{expect_values, store};
pub use same_file::{FileIdentity, is_same_file};
pub use session::{ClearTerminal, MayWait, NumThreads, Session, SessionSettings, count_delivered};
pub use source::{ReadAt, Source, positioned_file, read_at};
pub use specifier::{
    Rspecifier, RspecifierKind, RspecifierOptions, Wspecifier, WspecifierKind, WspecifierOptions, is_kind,
    is_specifier, specifier_advice,
};
pub use spool::{Spool, SpoolFile};
pub use stage::{StageProgress, WorkStage, lines_of_file};
pub use store::{ObjectMetadata, Store, Upload};
pub use text_file::{TextError, read_text_file};
pub use text_lines::{TextLines, is_text, line_ends};
pub use window::{Growth, Need, Window};
pub use xfilename::{Rxfilename, Wxfilename, printable_rxfilename, printable_wxfilename};
