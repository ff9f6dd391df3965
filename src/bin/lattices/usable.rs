//! Lattices of which nothing can be computed.

use bstr::BStr;
use kaldi_io::log::warning;
use kaldi_lattice::Error;
use kaldi_table::WorkError;

/// What was found of an utterance. `None`, with a warning, if its costs are no numbers, or it is too large: the others are not
/// concerned. Other errors end the table.
pub(crate) fn if_usable<T>(key: &BStr, found: Result<T, Error>) -> Result<Option<T>, WorkError> {
    match found {
        Err(error @ (Error::Cost { .. } | Error::TooManyIds { .. } | Error::Memory { .. })) => {
            warning!("{key}: {error}, producing no output");
            Ok(None)
        }
        found => Ok(Some(found?)),
    }
}
