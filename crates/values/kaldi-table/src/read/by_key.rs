//! Random access by key: script files, and sorted archives that are read on as sorted keys are asked for (a merge).

use std::ops::Range;
use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::{LocatorError, Session, is_remote};
use kaldi_reader::Reader;

use crate::batch::LazyValues;
use crate::framing::Typed;
use crate::permissive::warn_left_out;
use crate::raw::RawEntry;
use crate::read::archive::ArchiveEntries;
use crate::read::loader::{ValueLoader, values_at_once};
use crate::script::Script;
use crate::{Error, Result};

/// A script file, in any order.
pub(crate) struct ScriptTable {
    script: Script,
    loader: ValueLoader<Typed>,
    /// Numbers of lines whose values are being loaded from a store.
    expected: Range<u64>,
    /// The number of the line that was asked for last.
    last: u64,
    session: Session,
}

/// At most this many values are loaded ahead, if lines are asked for in their order.
const LINES: u64 = 64;

impl ScriptTable {
    pub(crate) fn read(
        rxfilename: &BStr,
        framing: Typed,
        sorted: bool,
        permissive: bool,
        session: Session,
    ) -> Result<Self> {
        Ok(Self {
            script: Script::read(rxfilename, sorted, permissive)?,
            loader: ValueLoader::new(framing),
            expected: 0..0,
            last: 0,
            session,
        })
    }

    /// From now on, long values stay in their files, those of commands in files for them.
    pub(crate) fn leave_in_files(&mut self) {
        self.loader.set_lazy(LazyValues::InFiles);
        self.loader.use_spool();
    }

    /// Whether the script file has the key.
    pub(crate) fn has_line(&self, key: &BStr) -> bool {
        self.script.has(key)
    }

    pub(crate) fn restart(&mut self) -> Result<()> {
        Ok(self.loader.restart()?)
    }

    pub(crate) fn find(&mut self, key: &BStr, permissive: bool) -> Result<Option<RawEntry>> {
        let Some((line, number)) = self.script.find(key) else { return Ok(None) };
        let place = (Arc::clone(&self.script.name), number);
        let locator = match line.locator() {
            Err(LocatorError::Range(message)) => {
                let message = line.recognize(&self.script.name, number).unwrap_or(message);
                return Err(Error::ScriptLine { script: self.script.name.to_string(), line: number, message });
            }
            Err(LocatorError::Name(error)) => Err(error),
            Ok(locator) => Ok(locator),
        };
        if let Ok(locator) = &locator
            && is_remote(locator.name())
        {
            let new = lines_to_expect(&self.expected, self.last, number);
            self.last = number;
            if !new.is_empty() {
                self.expected = number..new.end;
                self.loader.expect_at_once(&self.script.lines(new), values_at_once(&self.session));
            }
        }
        match locator.and_then(|locator| Ok((self.loader.load(&locator)?, locator))) {
            Ok((loaded, locator)) => Ok(Some(loaded.into_entry(key, locator.range(), Some(place)))),
            Err(source) => {
                let error = line.error(place, source);
                if permissive {
                    warn_left_out(&error);
                    return Ok(None);
                }
                Err(error)
            }
        }
    }
}

/// Returns the numbers of lines whose values should be loaded from now on, if line `number` is asked for after line
/// `last`: that line, and many after it if it follows the last one.
fn lines_to_expect(expected: &Range<u64>, last: u64, number: u64) -> Range<u64> {
    let is_on_its_way = expected.contains(&number);
    match number == last + 1 {
        true if is_on_its_way && expected.end - number > LINES / 2 => 0..0,
        true if is_on_its_way => expected.end..number + LINES,
        true => number..number + LINES,
        false if is_on_its_way || number == last => 0..0,
        false => number..number + 1,
    }
}

/// An archive with sorted keys that are asked for in sorted order. It holds one entry at a time.
pub(crate) struct SortedArchiveLookup {
    name: String,
    entries: ArchiveEntries<Typed>,
    held: Option<RawEntry>,
    last_asked: Option<BString>,
    ended: bool,
}

impl SortedArchiveLookup {
    pub(crate) fn new(name: String, entries: ArchiveEntries<Typed>) -> Self {
        Self { name, entries, held: None, last_asked: None, ended: false }
    }

    pub(crate) fn restart(&mut self) -> Result<()> {
        self.entries.restart()?;
        self.held = None;
        self.last_asked = None;
        self.ended = false;
        Ok(())
    }

    pub(crate) fn finish(&mut self) -> Result<()> {
        self.entries.finish_at_end()
    }

    pub(crate) fn find(&mut self, key: &BStr) -> Result<Option<RawEntry>> {
        if let Some(last) = &self.last_asked
            && key < last
        {
            let message = format!(
                "keys are looked up out of sorted order, although the option cs says that they are not: {key} after {last} \
                 (remove cs)"
            );
            return Err(Error::Promise { table: self.name.clone(), message });
        }
        self.last_asked = Some(key.to_owned());
        loop {
            match &self.held {
                Some(held) if held.key == key => return Ok(Some(held.clone())),
                Some(held) if held.key > key => return Ok(None),
                _ if self.ended => return Ok(None),
                _ => {}
            }
            let Some(next) = self.entries.next()? else {
                self.ended = true;
                return Ok(None);
            };
            if let Some(held) = &self.held
                && held.key >= next.key
            {
                let message = format!(
                    "keys are not in sorted order, though the option s says so: {} is followed by {} \
                     (sort with LC_ALL=C, or remove s)",
                    held.key, next.key
                );
                return Err(Error::Promise { table: self.name.clone(), message });
            }
            self.held = Some(next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_ahead_where_lines_are_asked_for_in_order() {
        let t = |expected: Range<u64>, last, number| lines_to_expect(&expected, last, number);
        assert_eq!(t(0..0, 0, 1), 1..65);
        assert_eq!(t(1..65, 1, 2), 0..0);
        assert_eq!(t(1..65, 32, 33), 65..97);
        assert_eq!(t(1..65, 33, 33), 0..0);
        assert_eq!(t(1..65, 33, 40), 0..0);
        assert_eq!(t(1..65, 33, 500), 500..501);
        assert_eq!(t(500..501, 500, 7), 7..8);
        assert_eq!(t(7..8, 7, 8), 8..72);
    }
}
