//! Shar folders of lhotse that are written.
//!
//! ```text
//! cuts.000000.jsonl.gz     a line for each utterance
//! recording.000000.tar     for each of them two members: utt1.wav and utt1.json, which says what the sound is
//! features.000000.tar      the same with utt1.npy, if there are features
//! ```

mod existing_folder;
mod pack;
mod write;

pub use pack::{CutArray, CutUtterance, PackedCut, SharAudio, SharPacking};
pub use write::{SharOptions, SharWriter};
