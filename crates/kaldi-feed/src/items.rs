//! Entries of tables that are copied unchanged, whatever their values.

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{Blob, Lines, Output, Rspecifier, RspecifierKind, Wspecifier, WspecifierKind, is_specifier};
use kaldi_table::{ArchiveWriter, RawEntries, Reader};
use kaldi_types::Detector;
use kaldi_values::Format;

use crate::text::fields;
use crate::{Error, Result};

/// An entry of an archive, or a line of a list. Only its key is known.
#[derive(Clone, Debug)]
pub struct TableItem {
    key: BString,
    size: u64,
    /// Whether it is in text form.
    is_text: bool,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    Line(BString),
    /// Key and value, in memory or in a file; the value starts after some bytes.
    Entry {
        blob: Blob,
        value_at: u64,
    },
}

impl TableItem {
    /// The key.
    pub fn key(&self) -> &BStr {
        self.key.as_bstr()
    }

    /// The line, if it is one of a list.
    pub fn line(&self) -> Option<&BStr> {
        match &self.content {
            Content::Line(line) => Some(line.as_bstr()),
            Content::Entry { .. } => None,
        }
    }

    /// Bytes of the entry or the line.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// About how many bytes it takes in memory.
    pub fn weight(&self) -> usize {
        let content = match &self.content {
            Content::Line(line) => line.len(),
            Content::Entry { blob, .. } => blob.head().len(),
        };
        size_of::<Self>() + self.key.len() + content
    }
}

/// Reads the entries of an archive of any type (`ark:`), or the lines of a list (`scp:` or the name of a file).
///
/// Values of an archive in a regular file stay in the file until they are written.
pub struct Items {
    name: BString,
    source: Option<Source>,
}

enum Source {
    Archive(Box<RawEntries<Detector>>),
    Lines(Lines),
}

impl Items {
    /// Opens the table or list of this name.
    ///
    /// # Errors
    /// If it cannot be opened, or the name is neither a table nor a list.
    pub fn open(name: &BStr) -> Result<Self> {
        let source = Some(Self::open_source(name)?);
        Ok(Self { name: name.to_owned(), source })
    }

    /// Whether these are lines of a list.
    pub fn are_lines(&self) -> bool {
        Rspecifier::parse(self.name.as_bstr()).is_none_or(|it| it.kind == RspecifierKind::Script)
    }

    fn open_source(name: &BStr) -> Result<Source> {
        match Rspecifier::parse(name) {
            Some(Rspecifier { kind: RspecifierKind::Archive, rxfilename, .. }) => {
                Ok(Source::Archive(RawEntries::archive(&rxfilename, Detector::new(None))?.into()))
            }
            Some(Rspecifier { kind: RspecifierKind::Shards, .. }) => {
                let advice = "this needs an archive or a list; copy-shards copies shards";
                let (role, text) = ("rspecifier", name.to_owned());
                Err(kaldi_table::Error::Specifier { role, text, advice: advice.to_owned() }.into())
            }
            Some(Rspecifier { rxfilename, .. }) => Ok(Source::Lines(Lines::open(rxfilename.as_bstr())?)),
            None if is_specifier(name) => Err(Error::Name { got: name.to_owned() }),
            None => Ok(Source::Lines(Lines::open(name)?)),
        }
    }

    fn try_next(source: &mut Source) -> Result<Option<TableItem>> {
        match source {
            Source::Archive(archive) => next_entry(archive),
            Source::Lines(lines) => {
                while let Some(line) = lines.next_line()? {
                    if let Some(key) = fields(line).next() {
                        let (key, line) = (key.into(), BString::from(line));
                        let size = line.len() as u64 + 1;
                        return Ok(Some(TableItem { key, size, is_text: true, content: Content::Line(line) }));
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
    let content = Content::Entry { blob: entry.with_key(), value_at };
    Ok(Some(TableItem { key: entry.key().to_owned(), size, is_text: entry.is_text(), content }))
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
        self.source = Some(Self::open_source(self.name.as_bstr())?);
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        match self.source.take() {
            Some(Source::Archive(mut archive)) => Ok(archive.finish()?),
            _ => Ok(()),
        }
    }
}

/// Writes entries to an archive (`ark:`, `ark,scp:`), or lines to a list (`scp:` or the name of a file).
#[must_use = "a table is complete only after finish()"]
pub struct ItemWriter(Target);

enum Target {
    Archive(ArchiveWriter),
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
            return Ok(Self(Target::Archive(ArchiveWriter::create(name)?)));
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
        if let Target::Archive(archive) = &self.0
            && archive.format() == Format::Text
            && !item.is_text
        {
            return Err(Error::TextCopy { key: item.key.clone() });
        }
        match (&mut self.0, &item.content) {
            (Target::Lines(output), Content::Line(line)) => {
                output.write_all(line)?;
                output.write_all(b"\n")?;
            }
            (Target::Archive(archive), Content::Entry { blob, value_at }) => {
                archive.put_blob(item.key(), *value_at, blob)?;
            }
            // The target was made for items of the source.
            _ => return Err(Error::ListToArchive { name: item.key.clone() }),
        }
        Ok(())
    }

    /// Completes the table or list and gives it its name.
    ///
    /// # Errors
    /// If anything could not be written.
    pub fn finish(self) -> Result<()> {
        match self.0 {
            Target::Archive(archive) => Ok(archive.finish()?),
            Target::Lines(output) => Ok(output.finish()?),
        }
    }
}
