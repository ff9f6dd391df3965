//! Entries of tables that are copied unchanged, whatever their values.

use bstr::{BStr, BString, ByteSlice};
use kaldi_any::Detector;
use kaldi_io::{
    Blob, KeyedLine, Lack, Lines, Output, Rspecifier, RspecifierKind, Wspecifier, WspecifierKind, is_specifier,
};
use kaldi_table::{ArchiveWriter, RawEntries, RawEntry, Reader, ScriptLine, ScriptLines, ValueLoader};
use kaldi_value::{Cursor, Format};

use crate::{Error, Result};

/// An entry of an archive, or a line of a list. Only its key is known.
///
/// A line takes 24 bytes and its own, since a list may have millions.
#[derive(Clone, Debug)]
pub struct TableItem(pub(crate) Held);

#[derive(Clone, Debug)]
pub(crate) enum Held {
    Line(Box<[u8]>),
    Entry(Box<ItemEntry>),
}

#[derive(Clone, Debug)]
pub(crate) struct ItemEntry {
    key: BString,
    size: u64,
    /// Whether it is in text form.
    pub(crate) is_text: bool,
    pub(crate) content: Content,
}

#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// The value of a line of a script file, which is read when it is written.
    Script(ScriptLine),
    /// The value of a command of a script file, which is run once.
    Value(RawEntry),
    /// Key and value, in memory or in a file; the value starts after some bytes.
    Bytes { blob: Blob, value_at: u64 },
}

impl TableItem {
    /// A line of a list.
    pub(crate) fn of_line(line: &BStr) -> Self {
        Self(Held::Line(line.as_bytes().into()))
    }

    /// An entry whose value starts after some bytes.
    pub(crate) fn of_entry(key: BString, blob: Blob, value_at: u64, is_text: bool) -> Self {
        let size = blob.length();
        Self(Held::Entry(Box::new(ItemEntry { key, size, is_text, content: Content::Bytes { blob, value_at } })))
    }

    /// The key.
    pub fn key(&self) -> &BStr {
        match &self.0 {
            Held::Line(line) => KeyedLine::split(line).key,
            Held::Entry(entry) => entry.key.as_bstr(),
        }
    }

    /// The line, if it is one of a list.
    pub fn line(&self) -> Option<&BStr> {
        match &self.0 {
            Held::Line(line) => Some(line.as_bstr()),
            Held::Entry(_) => None,
        }
    }

    /// Bytes of the entry or the line.
    pub fn size(&self) -> u64 {
        match &self.0 {
            Held::Line(line) => line.len() as u64 + 1,
            Held::Entry(entry) => entry.size,
        }
    }

    /// About how many bytes it takes in memory.
    pub fn weight(&self) -> usize {
        let held = match &self.0 {
            Held::Line(line) => line.len(),
            Held::Entry(entry) => size_of::<ItemEntry>() + entry.key.len() + entry.content.weight(),
        };
        size_of::<Self>() + held
    }
}

impl Content {
    fn weight(&self) -> usize {
        match self {
            Self::Script(line) => line.key.len() + line.xfilename.len(),
            Self::Value(entry) => entry.head().len(),
            Self::Bytes { blob, .. } => blob.head().len(),
        }
    }
}

/// Reads the entries of an archive of any type (`ark:`), or the lines of a list (`scp:` or the name of a file), or the values
/// of a script file.
///
/// Values of an archive in a regular file stay in the file until they are written.
pub struct Items {
    name: BString,
    /// Whether the lines of a script file are values.
    has_values: bool,
    source: Option<Source>,
}

enum Source {
    Archive(Box<RawEntries<Detector>>),
    Lines(Lines),
    Script(ScriptLines, Box<ValueLoader<Detector>>),
}

impl Items {
    /// Opens the table or list of this name.
    ///
    /// # Errors
    /// If it cannot be opened, or the name is neither a table nor a list.
    pub fn open(name: &BStr) -> Result<Self> {
        let source = Some(Self::open_source(name, false)?);
        Ok(Self { name: name.to_owned(), has_values: false, source })
    }

    /// Opens the table or list of this name, to be copied to `target`: if that is an archive, the items of a script file are
    /// its values instead of its lines.
    ///
    /// # Errors
    /// As [`Items::open`].
    pub fn open_for(name: &BStr, target: &BStr) -> Result<Self> {
        let is_archive = Wspecifier::parse(target).is_some_and(|it| !matches!(it.kind, WspecifierKind::Script(_)));
        let is_script = Rspecifier::parse(name).is_some_and(|it| it.kind == RspecifierKind::Script);
        let has_values = is_archive && is_script;
        let source = Some(Self::open_source(name, has_values)?);
        Ok(Self { name: name.to_owned(), has_values, source })
    }

    /// Whether these are lines of a list.
    pub fn are_lines(&self) -> bool {
        let is_list = || Rspecifier::parse(self.name.as_bstr()).is_none_or(|it| it.kind == RspecifierKind::Script);
        !self.has_values && is_list()
    }

    fn open_source(name: &BStr, has_values: bool) -> Result<Source> {
        match Rspecifier::parse(name) {
            Some(Rspecifier { kind: RspecifierKind::Archive, rxfilename, .. }) => {
                Ok(Source::Archive(RawEntries::archive(&rxfilename, Detector::new(None))?.into()))
            }
            Some(Rspecifier { kind: RspecifierKind::Shards | RspecifierKind::Shar, .. }) => {
                let advice = Lack::CopiesOfShards.explain("this needs an archive or a list, not shards");
                let (role, text) = ("rspecifier", name.to_owned());
                Err(kaldi_table::Error::Specifier { role, text, advice }.into())
            }
            Some(Rspecifier { rxfilename, .. }) if has_values => {
                let loader = ValueLoader::strict(Detector::new(None));
                Ok(Source::Script(ScriptLines::open(rxfilename.as_bstr())?, Box::new(loader)))
            }
            Some(Rspecifier { rxfilename, .. }) => Ok(Source::Lines(Lines::open(rxfilename.as_bstr())?)),
            None if is_specifier(name) => Err(Error::Name { got: name.to_owned() }),
            None => Ok(Source::Lines(Lines::open(name)?)),
        }
    }

    fn try_next(source: &mut Source) -> Result<Option<TableItem>> {
        match source {
            Source::Archive(archive) => next_entry(archive),
            Source::Script(lines, loader) => next_value(lines, loader),
            Source::Lines(lines) => {
                while let Some(line) = lines.next_line()? {
                    if !line.trim_ascii().is_empty() {
                        return Ok(Some(TableItem::of_line(line.as_bstr())));
                    }
                }
                Ok(None)
            }
        }
    }
}

fn next_entry(archive: &mut RawEntries<Detector>) -> Result<Option<TableItem>> {
    let Some(entry) = archive.next()? else { return Ok(None) };
    let place = || format!("{}: {}:{}", entry.key(), entry.file(), entry.start());
    if entry.is_open() {
        return Err(Error::OpenEntry { place: place() });
    }
    if entry.blob().file().is_none() && !entry.is_whole() {
        return Err(Error::LongEntry { place: place() });
    }
    let (size, value_at) = (entry.end() - entry.start(), entry.offset() - entry.start());
    let content = Content::Bytes { blob: entry.with_key(), value_at };
    let entry = ItemEntry { key: entry.key().to_owned(), size, is_text: entry.is_text(), content };
    Ok(Some(TableItem(Held::Entry(Box::new(entry)))))
}

/// Looks at the value of the next line.
fn next_value(lines: &mut ScriptLines, loader: &mut ValueLoader<Detector>) -> Result<Option<TableItem>> {
    let Some(line) = lines.next_line()? else { return Ok(None) };
    lines.expect_values(&line, loader);
    let entry = loader.load_line(Some(lines.name()), lines.number(), &line)?;
    if entry.is_open() {
        return Err(Error::OpenEntry { place: format!("{}: {}:{}", line.key, entry.file(), entry.offset()) });
    }
    let (key, size, is_text) = (line.key.clone(), entry.size(), entry.is_text());
    let is_command = line.locator().is_ok_and(|locator| locator.is_command());
    // An entry keeps its file open, and there may be many.
    let content = if is_command { Content::Value(entry.detached()) } else { Content::Script(line) };
    Ok(Some(TableItem(Held::Entry(Box::new(ItemEntry { key, size, is_text, content })))))
}

impl Reader for Items {
    type Item = TableItem;
    type Error = Error;

    fn next(&mut self) -> Result<Option<TableItem>> {
        let Some(source) = &mut self.source else { return Ok(None) };
        let next = Self::try_next(source);
        if matches!(next, Ok(Some(_))) {
            return next;
        }
        let finished = self.finish();
        finished.and(next)
    }

    fn restart(&mut self) -> Result<()> {
        self.source = None;
        self.source = Some(Self::open_source(self.name.as_bstr(), self.has_values)?);
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        match self.source.take() {
            Some(Source::Archive(mut archive)) => Ok(archive.finish()?),
            Some(Source::Lines(_) | Source::Script(..)) | None => Ok(()),
        }
    }
}

/// Writes entries to an archive (`ark:`, `ark,scp:`), or lines to a list (`scp:` or the name of a file).
#[must_use = "a table is complete only after finish()"]
pub struct ItemWriter(Target);

enum Target {
    Archive(ArchiveWriter, Box<ValueLoader<Detector>>),
    Lines(Output),
}

impl ItemWriter {
    /// Creates the table or list `name` for items of `source`.
    ///
    /// # Errors
    /// If it cannot be created, or is of the other kind than the source.
    pub fn create(name: &BStr, source: &Items) -> Result<Self> {
        let wspecifier = Wspecifier::parse(name);
        if !source.are_lines() {
            let loader = ValueLoader::strict(Detector::new(None));
            return Ok(Self(Target::Archive(ArchiveWriter::create(name)?, Box::new(loader))));
        }
        let (file, flush) = match wspecifier {
            Some(Wspecifier { kind: WspecifierKind::Script(file), options }) => (file, options.flush),
            Some(_) => return Err(Error::ListToArchive { name: name.to_owned() }),
            None if is_specifier(name) => return Err(Error::Name { got: name.to_owned() }),
            None => (name.to_owned(), false),
        };
        Ok(Self(Target::Lines(Output::create(file.as_bstr(), flush)?)))
    }

    /// Writes an item unchanged.
    ///
    /// # Errors
    /// If writing fails, or a binary value should become text.
    pub fn put(&mut self, item: &TableItem) -> Result<()> {
        match (&mut self.0, &item.0) {
            (Target::Lines(output), Held::Line(line)) => {
                output.write_all(line)?;
                Ok(output.write_all(b"\n")?)
            }
            (Target::Archive(archive, loader), Held::Entry(entry)) => put_entry(archive, loader, entry),
            // The target was made for items of the source.
            _ => Err(Error::ListToArchive { name: item.key().to_owned() }),
        }
    }

    /// Completes the table or list and gives it its name.
    ///
    /// # Errors
    /// If anything could not be written.
    pub fn finish(self) -> Result<()> {
        match self.0 {
            Target::Archive(archive, _) => Ok(archive.finish()?),
            Target::Lines(output) => Ok(output.finish()?),
        }
    }
}

/// Writes an entry unchanged.
fn put_entry(archive: &mut ArchiveWriter, loader: &mut ValueLoader<Detector>, entry: &ItemEntry) -> Result<()> {
    if archive.format() == Format::Text && !entry.is_text {
        let message = Lack::TextOfBytes.explain("expected text as the option t asks, got a binary value");
        return Err(Error::TextCopy { key: entry.key.clone(), message });
    }
    match &entry.content {
        Content::Bytes { blob, value_at } => Ok(archive.put_blob(entry.key.as_bstr(), *value_at, blob)?),
        Content::Value(value) => put_value(archive, loader.framing(), value),
        Content::Script(line) => {
            let value = loader.load_line(None, 0, line)?;
            put_value(archive, loader.framing(), &value)
        }
    }
}

/// Writes a value, or the part of it that its script line names, after its key.
fn put_value(archive: &mut ArchiveWriter, detector: &Detector, entry: &RawEntry) -> Result<()> {
    let value = entry.bytes()?;
    let mut bytes = [entry.key().as_bytes(), b" "].concat();
    let value_at = bytes.len() as u64;
    match (entry.range(), detector.candidates().first()) {
        (Some(range), Some(&value_type)) => {
            let format = Format::from_binary(!entry.is_text());
            kaldi_any::write_value(value_type, &mut Cursor::new(&value), Some(range.as_ref()), format, &mut bytes)
                .map_err(|error| entry.error(error))?;
        }
        _ => bytes.extend_from_slice(&value),
    }
    if entry.is_text() && !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    Ok(archive.put(entry.key(), value_at, &bytes)?)
}
