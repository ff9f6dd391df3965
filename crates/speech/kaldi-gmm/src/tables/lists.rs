//! What is looked up for an utterance: the Gaussians that count in each frame, the weights of the frames.

use std::sync::Arc;

use bstr::BStr;
use kaldi_io::log::warning;
use kaldi_matrix::Vector;
use kaldi_table::{RandomAccessReader, Result};

/// The table of lists, if there is one.
pub(crate) type Lists = Option<RandomAccessReader<Vec<Vec<i32>>>>;
/// What was found in it.
pub(crate) type FoundLists = Option<Option<Arc<Vec<Vec<i32>>>>>;
/// The table of weights, if there is one.
pub(crate) type Weights = Option<RandomAccessReader<Vector<f32>>>;
/// What was found in it.
pub type FoundWeights = Option<Option<Arc<Vector<f32>>>>;

/// Opens a table of lists.
pub(crate) fn open_lists(rspecifier: Option<&BStr>) -> Result<Lists> {
    rspecifier.map(RandomAccessReader::open).transpose()
}

/// The lists of an utterance, if there is a table of them. Warns and returns `None` if they are missing or not as many as
/// the frames.
#[allow(clippy::option_option)]
pub(crate) fn fitting_lists(utt: &BStr, num_frames: usize, found: FoundLists) -> Option<Option<Arc<Vec<Vec<i32>>>>> {
    match found {
        None => Some(None),
        Some(Some(lists)) if lists.len() == num_frames => Some(Some(lists)),
        Some(Some(lists)) => {
            warning!(
                "gselect information for utterance {utt} has wrong size {} vs. {num_frames}: not as many as its frames",
                lists.len()
            );
            None
        }
        Some(None) => {
            warning!("No gselect information for utterance {utt}");
            None
        }
    }
}

/// The weights of an utterance, if there is a table of them. Warns and returns `None` if they are missing or not as many
/// as the frames.
#[allow(clippy::option_option)]
pub fn fitting_weights(utt: &BStr, num_frames: usize, found: FoundWeights) -> Option<Option<Arc<Vector<f32>>>> {
    match found {
        None => Some(None),
        Some(Some(weights)) if weights.dim() == num_frames => Some(Some(weights)),
        Some(Some(weights)) => {
            warning!("Weights for utterance {utt} have wrong dim {} vs. {num_frames}", weights.dim());
            None
        }
        Some(None) => {
            warning!("No per-frame weights available for utterance {utt}");
            None
        }
    }
}
