//! Entries that cannot be read, and the option `p`: the table goes on after them.

use kaldi_io::Session;
use kaldi_io::log::warning;

use crate::Error;

/// What to do with entries that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// It is an error.
    Fails,
    /// It is skipped (a script file with `p`).
    IsLeftOut,
    /// The table ends there (an archive with `p`), unless it is the first entry.
    Ends,
}

/// What to do about one entry that cannot be read.
pub(crate) enum Permit {
    Fail,
    LeaveOut,
    End,
}

/// Decides what to do with an entry that cannot be read, after `delivered` entries.
pub(crate) fn permit(unreadable: Unreadable, delivered: u64, wrong_range: bool) -> Permit {
    match unreadable {
        // A range that makes no sense is a mistake in the script file, not a damaged value.
        Unreadable::IsLeftOut if !wrong_range => Permit::LeaveOut,
        // If the first entry cannot be read, the archive is of another type.
        Unreadable::Ends if delivered > 0 => Permit::End,
        _ => Permit::Fail,
    }
}

/// Logs that the table ends because an entry cannot be read.
pub(crate) fn warn_end(error: &dyn std::fmt::Display) {
    warning!("{error}; the rest of the archive is left out, as permissive mode (p) asks");
}

/// Logs that an entry is skipped in permissive mode. Recipes search for the words about the file. The same advice comes once.
pub(crate) fn warn_left_out(error: &Error) {
    let mut message = error.to_string();
    if let Some(advice) = error.advice()
        && !Session::current().is_news(advice)
    {
        message.truncate(message.len().saturating_sub(advice.len() + " ()".len()));
    }
    if let Error::Entry { source, .. } = error
        && let kaldi_io::Error::Open { name, .. } = source.as_ref()
    {
        warning!("Failed to open file {name}: {message}; left out, as permissive mode (p) asks");
    } else {
        warning!("{message}; left out, as permissive mode (p) asks");
    }
}
