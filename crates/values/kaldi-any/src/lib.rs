#![doc = include_str!("../README.md")]
//! A program that reads a table of matrices names the type in its code. Programs that take any table find the type by
//! looking: [`ValueType`] has all of them, and a [`Detector`] keeps those that fit what it has seen. Each type has one row
//! in `value_type.rs`, with its facts and functions; a type without one does not compile.
//!
//! | question | answer |
//! | --- | --- |
//! | what is it called | [`ValueType::name`] |
//! | where does a value end | [`ValueType::frame`] |
//! | what does its header say | [`Header`] |
//! | which numbers or words does it hold | [`Content`] |
//! | what does it have over time | [`Frames`] |
//! | how is it written | [`write_value`] |
//! | which type is meant if several fit | [`Evidence`] |
//! | which tool reads it | [`TypeAdvice`] |
//! | what is a file that has no such value | [`FileKind`] |
//!
//! All functions work on bytes in memory.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod advice;
mod blocks;
mod content;
mod detector;
mod examples;
mod file_kind;
mod frame;
mod frames;
mod graphs;
mod header;
mod model_type;
mod row;
mod sequence;
mod type_guess;
mod unknown;
mod value_type;

pub use advice::TypeAdvice;
pub use content::{Content, ValueShape, write_value};
pub use detector::{Detector, join_names};
pub use file_kind::{FILE_HEAD, FileKind};
pub use frames::{FrameWord, Frames};
pub use header::{Header, Precision};
pub use model_type::ModelType;
pub use sequence::Sequence;
pub use type_guess::Evidence;
pub use value_type::{TypeVisitor, UnknownType, ValueType};
