//! Shar: folders of cuts and tar files, as lhotse writes them.
//!
//! ```text
//! cuts.000000.jsonl.gz     a line for each cut: its name, its supervisions (text, speaker, language), its own entries (custom)
//! recording.000000.tar     for each cut, in the same order:
//!     utt1.flac            its sound
//!     utt1.json            what lhotse says about the sound, a line
//!     utt2.nodata          both are empty if the cut has no sound
//!     utt2.nometa
//! features.000000.tar      the same of other fields, as many files of each as there are files of cuts
//! snr.000000.jsonl.gz      or lines: {"cut_id": "utt1", "snr": 12.5}
//! ```

mod cut;
mod cut_entries;
mod folder;
mod stream;

pub use cut::{Cut, CutFeatures, CutRecording, CutSource, CutSupervision, CutText};
pub use cut_entries::CutEntry;
pub use folder::{SharFiles, SharFolder};
pub use stream::{SharPart, SharSample, SharStream};
