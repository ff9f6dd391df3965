//! Files and objects that wait for the end of the program before they replace what is there.
//!
//! A run whose input failed or was empty has no result: a command such as `false | copy-feats ark:- ark:good.ark` must
//! not leave an empty `good.ark`. Whether the run failed is known when the program ends. So a program whose session is made by
//! [`Session::holding_outputs`] gives such outputs their names in [`Session::settle_outputs`].
//!
//! Several outputs of a run belong together. If the last one fails, the first ones must not be there: so do those of a session that
//! is made by [`Session::completing_together`].

use std::sync::PoisonError;

use bstr::{BStr, BString};
use whole_file::Sealed;

use crate::input::Input;
use crate::session::Session;
use crate::{Error, Result, Upload};

/// No more outputs than this wait. A run that writes more of them has had an input.
const MOST: usize = 64;

/// A complete output that lacks only its name.
#[derive(Debug)]
pub(crate) struct Held {
    name: String,
    offset: u64,
    /// Whether what is there stays if the run has no result.
    is_doubtful: bool,
    place: HeldPlace,
}

#[derive(Debug)]
enum HeldPlace {
    File(Sealed),
    Object { url: BString, upload: Box<dyn Upload> },
}

/// What happens at the end of the program to the outputs that wait ([`Session::holding_outputs`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldOutputs {
    /// They replace what is there.
    Publish,
    /// What is there stays, if it has any content.
    KeepOld,
    /// None of them appears.
    Discard,
}

/// [`Session::settle_outputs`].
pub(crate) fn settle(session: &Session, what: HeldOutputs) -> Result<Vec<String>> {
    let held = std::mem::take(&mut *session.held().lock().unwrap_or_else(PoisonError::into_inner));
    // They may belong together, as an archive and its script file do.
    let _turn = held.first().and_then(|first| match &first.place {
        HeldPlace::File(sealed) => sealed.turn(),
        HeldPlace::Object { .. } => None,
    });
    let mut kept = Vec::new();
    for Held { name, offset, is_doubtful, place } in held {
        let failed = |source| Error::Write { name: name.clone(), offset, source };
        match (what, place) {
            (HeldOutputs::Discard, _) => {}
            (HeldOutputs::KeepOld, HeldPlace::File(_)) if is_doubtful => kept.push(name),
            (HeldOutputs::KeepOld, HeldPlace::Object { url, .. }) if is_doubtful && has_content(url.as_ref()) => {
                kept.push(name);
            }
            (_, HeldPlace::File(sealed)) => sealed.publish().map_err(failed)?,
            (_, HeldPlace::Object { upload, .. }) => upload.finish().map_err(failed)?,
        }
    }
    Ok(kept)
}

/// Whether an output of this size has to wait.
fn must_wait(session: &Session, offset: u64) -> bool {
    let doubtful = |held: &&Held| held.is_doubtful;
    session.holds(offset)
        && session.held().lock().unwrap_or_else(PoisonError::into_inner).iter().filter(doubtful).count() < MOST
}

fn hold(session: &Session, held: Held) {
    session.held().lock().unwrap_or_else(PoisonError::into_inner).push(held);
}

/// Gives a file its name, now or at the end, as an output that waits for others always does. `replaces` says that there is another one
/// with content.
pub(super) fn publish(
    session: &Session,
    together: bool,
    (name, offset): (String, u64),
    sealed: Sealed,
    replaces: bool,
) -> Result<()> {
    let is_doubtful = replaces && must_wait(session, offset);
    if is_doubtful || together {
        hold(session, Held { name, offset, is_doubtful, place: HeldPlace::File(sealed) });
        return Ok(());
    }
    sealed.publish().map_err(|source| Error::Write { name, offset, source })
}

/// Completes an object, now or at the end.
pub(super) fn complete(
    session: &Session,
    together: bool,
    (name, offset): (String, u64),
    url: BString,
    upload: Box<dyn Upload>,
) -> Result<()> {
    let is_doubtful = must_wait(session, offset);
    if is_doubtful || together {
        hold(session, Held { name, offset, is_doubtful, place: HeldPlace::Object { url, upload } });
        return Ok(());
    }
    upload.finish().map_err(|source| Error::Write { name, offset, source })
}

/// Whether there is an object, and it is not empty. If the store does not say so, there is nothing to protect.
fn has_content(url: &BStr) -> bool {
    let read = Input::open(url).and_then(|mut input| input.read_some(&mut Vec::new(), 1));
    read.is_ok_and(|length| length > 0)
}
