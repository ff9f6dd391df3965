//! Files and objects that wait for the end of the program before they appear.
//!
//! A run whose input failed or was empty has no result: a command such as `false | copy-feats ark:- ark:good.ark` must
//! not leave an empty `good.ark`. Whether the run failed is known when the program ends. So a program whose session is made by
//! [`SessionSettings::held_bytes`](crate::SessionSettings::held_bytes) gives such outputs their names in
//! [`Session::publish_all`]; and all its outputs, if they belong together
//! ([`SessionSettings::joins_outputs`](crate::SessionSettings::joins_outputs)).

use bstr::{BStr, BString};

use super::set::ReadyFiles;
use crate::input::Input;
use crate::session::Session;
use crate::{Error, Result, Upload};

/// No more outputs than this wait. A run that writes more of them has had an input.
const MOST: usize = 64;

/// A complete output that lacks only its name.
#[derive(Debug)]
pub(crate) struct DeferredPublish {
    /// Whether it replaces something, which stays if the run has no result.
    waits: bool,
    place: HeldPlace,
}

#[derive(Debug)]
enum HeldPlace {
    Files(ReadyFiles),
    Object { name: String, offset: u64, url: BString, upload: Box<dyn Upload> },
}

/// What happens at the end of the program to the outputs that wait ([`SessionSettings::held_bytes`](crate::SessionSettings::held_bytes)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeferredOutputs {
    /// They replace what is there.
    Publish,
    /// What is there stays, if it has any content.
    KeepOld,
    /// None of them appears.
    Discard,
}

/// [`Session::publish_all`].
pub(crate) fn publish_all(session: &Session, what: DeferredOutputs) -> Result<Vec<String>> {
    let held = std::mem::take(&mut *session.held().lock());
    let (mut kept, mut files) = (Vec::new(), ReadyFiles::default());
    for DeferredPublish { waits, place } in held {
        match (what, place) {
            (DeferredOutputs::Discard, _) => {}
            (DeferredOutputs::KeepOld, HeldPlace::Files(old)) if waits => kept.extend(old.replaced()),
            (DeferredOutputs::KeepOld, HeldPlace::Object { name, url, .. }) if waits && has_content(url.as_ref()) => {
                kept.push(name);
            }
            // They may belong together, as an archive and its script file do.
            (_, HeldPlace::Files(ready)) => files.append(ready),
            (_, HeldPlace::Object { name, offset, upload, .. }) => {
                upload.finish().map_err(|source| Error::Write { name, offset, source })?;
            }
        }
    }
    files.publish()?;
    Ok(kept)
}

/// Whether an output of this size has to wait.
pub(super) fn must_wait(session: &Session, offset: u64) -> bool {
    let doubtful = |held: &&DeferredPublish| held.waits;
    session.holds(offset) && session.held().lock().iter().filter(doubtful).count() < MOST
}

fn hold(session: &Session, held: DeferredPublish) {
    session.held().lock().push(held);
}

/// Gives files their names, now or at the end. `waits` says that they replace others which may have to stay.
pub(super) fn publish(session: &Session, files: ReadyFiles, waits: bool) -> Result<()> {
    if waits || session.settings().joins_outputs {
        hold(session, DeferredPublish { waits, place: HeldPlace::Files(files) });
        return Ok(());
    }
    files.publish()
}

/// Completes an object, now or at the end.
pub(super) fn complete(
    session: &Session,
    name: String,
    offset: u64,
    url: BString,
    upload: Box<dyn Upload>,
) -> Result<()> {
    let waits = must_wait(session, offset);
    if waits || session.settings().joins_outputs {
        hold(session, DeferredPublish { waits, place: HeldPlace::Object { name, offset, url, upload } });
        return Ok(());
    }
    upload.finish().map_err(|source| Error::Write { name, offset, source })
}

/// Whether there is an object, and it is not empty. If the store does not say so, there is nothing to protect.
fn has_content(url: &BStr) -> bool {
    let read = Input::open(url).and_then(|mut input| input.read_some(&mut Vec::new(), 1));
    read.is_ok_and(|length| length > 0)
}
