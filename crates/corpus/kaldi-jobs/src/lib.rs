#![doc = include_str!("../README.md")]
//! A [`Plan`] cuts a list (a script file, a list of speakers) into ranges of lines. A piece is the same command with
//! another list and other names of outputs; [`run_piece`] runs it on any machine, any number of times. [`run_all`] submits
//! pieces to an engine, submits again what may pass, and joins the outputs. All state is in a [`Folder`], so that the same
//! call goes on where an earlier one has ended.
//!
//! ```text
//! wav.scp ──┬─ lines 1..100   ── compute-mfcc-feats ── raw.1.ark, raw.1.scp ──┐
//!           ├─ lines 101..200 ── compute-mfcc-feats ── raw.2.ark, raw.2.scp ──┼── raw.scp
//!           └─ lines 201..300 ── compute-mfcc-feats ── raw.3.ark, raw.3.scp ──┘
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod cancel;
mod command_words;
mod default_folder;
mod engine;
mod error;
mod failure_reason;
mod finish;
mod folder;
mod give_back;
mod groups;
mod input_fingerprints;
mod inputs;
mod lists;
mod lock;
mod messages;
mod newer;
mod object;
mod owner;
mod piece;
mod plan;
mod resume;
mod resume_shares;
mod signal;
mod split_list;
mod status;
mod submitter;

pub use cancel::cancel;
pub use engine::{EngineKind, Resources};
pub use error::{Error, Result};
pub use folder::Folder;
pub use piece::run_piece;
pub use plan::{Join, ListShare, Plan, Request};
pub use split_list::{LineRanges, Measure, deal, follow};
pub use status::{PieceStatus, status};
pub use submitter::{Outcome, PieceCounts, RunOptions, finish, run_all};
