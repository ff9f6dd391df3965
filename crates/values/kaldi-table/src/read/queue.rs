//! Entries between their batch and the user of the reader.

use std::collections::VecDeque;

use bstr::BString;
use kaldi_io::Session;

use crate::batch::Item;
use crate::permissive::{Permit, Unreadable, permit, warn_end, warn_left_out};
use crate::{Error, Result};

/// The entries of a batch, or the results of work on them.
pub(crate) type Filled<E> = VecDeque<Item<E>>;

/// What becomes of an entry.
pub(crate) enum Outcome {
    /// There is a value, which is delivered with the key.
    Done,
    Unreadable {
        error: Error,
        wrong_range: bool,
    },
    Failed(Error),
}

/// An entry on its way out: its key, and what became of it. Its value is kept elsewhere, so that this is not generic.
pub(crate) struct Row {
    pub(crate) key: BString,
    pub(crate) outcome: Outcome,
}

/// Gets the next batch.
pub(crate) type Fill<'a, E> = dyn FnMut() -> Result<Option<Filled<E>>> + 'a;

/// Entries that are delivered one by one, in order. After the end, nothing comes until a restart.
pub(crate) struct Queue<E> {
    entries: Filled<E>,
    unreadable: Unreadable,
    delivered: u64,
    ended: bool,
}

impl<E> Queue<E> {
    pub(crate) fn new(unreadable: Unreadable) -> Self {
        Self { entries: VecDeque::new(), unreadable, delivered: 0, ended: false }
    }

    /// The key of the next value; `fill` gets a batch, `open` makes a value of an entry.
    pub(crate) fn next(
        &mut self,
        session: &Session,
        fill: &mut Fill<'_, E>,
        open: impl FnMut(E) -> Row,
    ) -> Result<Option<BString>> {
        let next = session.enter(|| self.advance(session, fill, open));
        self.ended |= !matches!(next, Ok(Some(_)));
        next
    }

    fn advance(
        &mut self,
        session: &Session,
        fill: &mut Fill<'_, E>,
        mut open: impl FnMut(E) -> Row,
    ) -> Result<Option<BString>> {
        while !self.ended {
            let Some(item) = self.entries.pop_front() else {
                self.fill(fill)?;
                continue;
            };
            let Some(entry) = item.deliver() else { continue };
            let Row { key, outcome } = open(entry);
            match outcome {
                Outcome::Done => {
                    self.delivered += 1;
                    session.count_delivered();
                    return Ok(Some(key));
                }
                Outcome::Unreadable { error, wrong_range } => {
                    match permit(self.unreadable, self.delivered, wrong_range) {
                        Permit::Fail => return Err(error),
                        Permit::LeaveOut => {
                            warn_left_out(&error);
                            session.count_left_out();
                        }
                        Permit::End => {
                            warn_end(&error);
                            break;
                        }
                    }
                }
                Outcome::Failed(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// The next entry, without taking it.
    pub(crate) fn peek(&mut self, session: &Session, fill: &mut Fill<'_, E>) -> Result<Option<&E>> {
        while !self.ended && self.entries.front().is_none_or(|item| item.value.is_none()) {
            session.enter(|| match self.entries.pop_front() {
                Some(lines) => {
                    lines.deliver();
                    Ok(())
                }
                None => self.fill(fill),
            })?;
        }
        Ok(self.entries.front().and_then(|item| item.value.as_ref()))
    }

    /// Gets a batch for the empty queue, or finds the end.
    fn fill(&mut self, fill: &mut Fill<'_, E>) -> Result<()> {
        let filled = fill();
        self.ended = !matches!(filled, Ok(Some(_)));
        if let Some(entries) = filled? {
            self.entries = entries;
        }
        Ok(())
    }

    /// The entries that were looked at, and what to do with unreadable ones.
    pub(crate) fn into_filled(self) -> (Filled<E>, Unreadable) {
        (self.entries, self.unreadable)
    }

    /// Starts anew after `restart`, which restarts the batches.
    pub(crate) fn restart(&mut self, session: &Session, restart: impl FnOnce() -> Result<()>) -> Result<()> {
        self.finish(session, restart)?;
        self.delivered = 0;
        self.ended = false;
        Ok(())
    }

    /// Drops the rest, and runs `finish`, which closes the batches.
    pub(crate) fn finish(&mut self, session: &Session, finish: impl FnOnce() -> Result<()>) -> Result<()> {
        self.entries.clear();
        self.ended = true;
        session.enter(finish)
    }
}
