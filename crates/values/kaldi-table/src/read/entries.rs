//! The entries of a table one by one, framed and not parsed, for values of any type.

use bstr::{BStr, BString};
use kaldi_io::{Input, ParseError, Session};
use kaldi_reader::Reader;
use shards::FieldPath;

use crate::batch::{Batches, LazyValues};
use crate::framing::Framing;
use crate::raw::RawEntry;
use crate::read::archive::{ArchiveEntries, ArchiveReader};
use crate::read::entry_by_entry::EntrySource;
use crate::read::loader::ValueLoader;
use crate::read::shar::{SharField, SharReader};
use crate::read::shards::{ShardField, ShardReader};
use crate::script::{ScriptLine, ScriptLines};
use crate::{Error, Result};

/// The entries of a table one by one: of an archive, of a script file, of shards, or the one value of a file, without a key.
///
/// Reading is strict. Of values in files, only the headers are read; a command is read to its end, and must not fail. The
/// values of stores are fetched in advance. After an entry that cannot be read, the next one can be asked for.
#[derive(Debug)]
pub struct RawEntries<F> {
    source: Source<F>,
    /// The session that opened it.
    session: Session,
}

#[derive(Debug)]
enum Source<F> {
    Archive(Box<ArchiveEntries<F>>),
    Script(ScriptLines, ValueLoader<F>),
    /// The name of a file, and whether its value has not come yet.
    File(ScriptLine, ValueLoader<F>, bool),
    Shards(Box<ShardReader>, F),
    Shar(Box<SharReader>, F),
}

impl<F: Framing> RawEntries<F> {
    fn of(source: Source<F>) -> Self {
        Self { source, session: Session::current() }
    }

    /// Opens an archive whose values `framing` finds: a file, a file from an offset on, standard input or the output of
    /// a command.
    ///
    /// # Errors
    /// If the name is invalid, the file or command cannot be opened, or the file ends before the offset.
    pub fn archive(rxfilename: impl AsRef<[u8]>, framing: F) -> Result<Self> {
        let mut archive = ArchiveReader::open(BStr::new(rxfilename.as_ref()), framing, false)?;
        archive.set_lazy(LazyValues::Anywhere);
        let input = archive.window().input();
        if input.positioned().is_some_and(|file| file.length() < input.offset()) {
            let (name, offset) = (input.name().to_owned(), input.offset());
            return Err(kaldi_io::Error::content(name, offset, ParseError::end(0, "an archive")).into());
        }
        Ok(Self::of(Source::Archive(Box::new(ArchiveEntries::new(archive)))))
    }

    /// Reads an archive from an open stream.
    pub fn of_input(input: Input, framing: F) -> Self {
        let mut archive = ArchiveReader::of_input(input, framing, false);
        archive.set_lazy(LazyValues::Anywhere);
        Self::of(Source::Archive(Box::new(ArchiveEntries::new(archive))))
    }

    /// Whether the next entry is in memory already.
    pub fn is_ready(&self) -> bool {
        match &self.source {
            Source::Archive(archive) => archive.is_ready(),
            Source::Script(..) | Source::File(..) | Source::Shards(..) | Source::Shar(..) => false,
        }
    }

    /// Opens a script file whose values `framing` finds.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn script(rxfilename: impl AsRef<[u8]>, framing: F) -> Result<Self> {
        let lines = ScriptLines::open(BStr::new(rxfilename.as_ref()))?;
        Ok(Self::of(Source::Script(lines, ValueLoader::strict(framing))))
    }

    /// The one value of a file, perhaps with a range after its name. Nothing is opened yet.
    ///
    /// # Errors
    /// If the range makes no sense, or the name is invalid.
    pub fn file(name: impl AsRef<[u8]>, framing: F) -> Result<Self> {
        let line = ScriptLine { key: BString::default(), xfilename: name.as_ref().into() };
        line.locator().map_err(|error| error.into_error(line.xfilename.as_ref()))?;
        Ok(Self::of(Source::File(line, ValueLoader::strict(framing), true)))
    }

    /// One field of each sample of a list of shards, or of one shard: a member by its suffix, or an entry of one in JSON. If
    /// `is_text`, what is in a member is one line, whatever white space is in it. Nothing is opened yet.
    pub fn shards(rxfilename: impl AsRef<[u8]>, field: &FieldPath, is_text: bool, framing: F) -> Self {
        let field = ShardField { path: field.clone(), is_text };
        let mut shards = ShardReader::new(BStr::new(rxfilename.as_ref()), field, framing.frame_fn(), false);
        shards.set_lazy(LazyValues::Anywhere);
        Self::of(Source::Shards(Box::new(shards), framing))
    }

    /// One field of each cut of a Shar folder, or of one of its files of cuts: `text`, `speaker`, `language`, `gender`, `custom.NAME`, or
    /// what the tar files of a name have, such as `recording`.
    ///
    /// # Errors
    /// If it is no such folder, or has no such field.
    pub fn shar(rxfilename: impl AsRef<[u8]>, field: &str, framing: F) -> Result<Self> {
        let mut cuts =
            SharReader::open(BStr::new(rxfilename.as_ref()), SharField::named(field), framing.frame_fn(), false)?;
        cuts.set_lazy(LazyValues::Anywhere);
        Ok(Self::of(Source::Shar(Box::new(cuts), framing)))
    }

    /// Bytes of an archive that are in memory and belong to no delivered entry.
    pub fn in_memory(&self) -> usize {
        match &self.source {
            Source::Archive(archive) => archive.window().bytes().len(),
            Source::Script(..) | Source::File(..) | Source::Shards(..) | Source::Shar(..) => 0,
        }
    }

    /// The framing, with what it has learned.
    pub fn framing(&self) -> &F {
        match &self.source {
            Source::Archive(archive) => archive.framing(),
            Source::Script(_, loader) | Source::File(_, loader, _) => loader.framing(),
            Source::Shards(_, framing) | Source::Shar(_, framing) => framing,
        }
    }
}

impl<F: Framing> Reader for RawEntries<F> {
    type Item = RawEntry;
    type Error = Error;

    fn next(&mut self) -> Result<Option<RawEntry>> {
        self.session.enter(|| self.source.next())
    }

    fn restart(&mut self) -> Result<()> {
        self.session.enter(|| self.source.restart())
    }

    fn finish(&mut self) -> Result<()> {
        self.session.enter(|| self.source.finish())
    }
}

impl<F: Framing> Source<F> {
    fn next(&mut self) -> Result<Option<RawEntry>> {
        match self {
            Self::Archive(archive) => archive.next(),
            Self::Script(lines, loader) => match lines.next_line()? {
                Some(line) => {
                    lines.expect_values(&line, loader);
                    loader.load_line(Some(lines.name()), lines.number(), &line).map(Some)
                }
                None => Ok(None),
            },
            Self::File(line, loader, waits) => match std::mem::replace(waits, false) {
                true => loader.load_line(None, 0, line).map(Some),
                false => Ok(None),
            },
            Self::Shar(cuts, framing) => Ok(cuts.next_entry()?.transpose()?.map(|mut entry| {
                entry.is_text = framing.is_text(entry.head());
                entry
            })),
            Self::Shards(shards, framing) => Ok(shards.next_entry()?.transpose()?.map(|mut entry| {
                entry.is_text = framing.is_text(entry.head());
                entry
            })),
        }
    }

    fn restart(&mut self) -> Result<()> {
        match self {
            Self::Archive(archive) => archive.restart(),
            Self::Script(lines, loader) => {
                lines.restart()?;
                Ok(loader.restart()?)
            }
            Self::File(_, loader, waits) => {
                loader.restart()?;
                *waits = true;
                Ok(())
            }
            Self::Shards(shards, _) => shards.restart(),
            Self::Shar(cuts, _) => cuts.restart(),
        }
    }

    fn finish(&mut self) -> Result<()> {
        match self {
            Self::Archive(archive) => archive.finish(),
            Self::Script(lines, _) => lines.finish(),
            Self::File(_, _, waits) => {
                *waits = false;
                Ok(())
            }
            Self::Shards(shards, _) => shards.finish(),
            Self::Shar(cuts, _) => cuts.finish(),
        }
    }
}
