//! Writing of tables.

use std::io;
use std::marker::PhantomData;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{
    NewFolder, Output, Session, Wspecifier, WspecifierKind, WspecifierOptions, is_specifier, make_last_folder,
    without_pipe_signs,
};
use kaldi_value::{Format, Value};

use crate::key::is_key;
use crate::record::{AnyRecord, Body, Record};
use crate::script::Script;
use crate::specifier::parse_wspecifier;
use crate::write::archive::ArchiveWriter;
use crate::write::output::{create_output, finish_output};
use crate::{Error, Result};

/// A table of `T` that is being written.
#[must_use = "a table is complete only after finish()"]
pub struct TableWriter<T> {
    records: Box<dyn AnyRecords>,
    value: PhantomData<fn(T)>,
}

impl<T: Value> TableWriter<T> {
    /// Creates the table that `wspecifier` names.
    ///
    /// # Errors
    /// If the specifier is invalid or asks for a form that the type does not have, or one of its files or pipes cannot
    /// be opened.
    pub fn create(wspecifier: impl AsRef<[u8]>) -> Result<Self> {
        Self::create_with(wspecifier, Session::current())
    }

    /// As [`TableWriter::create`], in a session.
    ///
    /// # Errors
    /// As [`TableWriter::create`].
    pub fn create_with(wspecifier: impl AsRef<[u8]>, session: Session) -> Result<Self> {
        let wspecifier = BStr::new(wspecifier.as_ref());
        let without_text = if T::HAS_TEXT { None } else { Some(T::NAME) };
        create(wspecifier, without_text, session).map(Self::from_any)
    }

    /// Creates a table if `name` is a wspecifier. Else it creates a file: a table of one entry without a key, written
    /// in `format`.
    ///
    /// # Errors
    /// As [`TableWriter::create`].
    pub fn create_table_or_file(name: impl AsRef<[u8]>, format: Format) -> Result<Self> {
        let name = BStr::new(name.as_ref());
        if is_specifier(name) {
            return Self::create(name);
        }
        create_file(name, format).map(Self::from_any)
    }

    /// Creates a table in which every entry has its own file, `<folder>/<key>.<extension>`, in binary form. The folder
    /// is created if it does not exist, but not its parent.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn create_folder(folder: impl AsRef<[u8]>, extension: impl AsRef<[u8]>) -> Result<Self> {
        let (folder, extension) = (BStr::new(folder.as_ref()), BStr::new(extension.as_ref()));
        create_folder(folder, extension).map(Self::from_any)
    }

    /// Whether an entry with this key has a place in the table. A file must not be outside of the folder, as the one of
    /// the key `../utt1` would be.
    pub fn has_place_for(&self, record: &Record<T>) -> bool {
        self.records.has_place_for(record.key())
    }

    /// Writes one entry.
    ///
    /// # Errors
    /// If the key is no word or has no place in the table, or writing fails.
    pub fn write(&mut self, key: impl AsRef<[u8]>, value: &T) -> Result<()> {
        self.put(Record::new(key, value, self.format()))
    }

    /// Writes an entry that is already encoded in [`TableWriter::format`].
    ///
    /// # Errors
    /// As [`TableWriter::write`].
    pub fn put(&mut self, record: Record<T>) -> Result<()> {
        self.records.put(record.as_any())
    }
}

impl<T> TableWriter<T> {
    pub(crate) fn from_any(records: Box<dyn AnyRecords>) -> Self {
        Self { records, value: PhantomData }
    }

    pub(crate) fn into_any(self) -> Box<dyn AnyRecords> {
        self.records
    }

    /// The form in which values are written.
    pub fn format(&self) -> Format {
        self.records.format()
    }

    /// Writes out what is buffered. Files still get their names only by [`TableWriter::finish`].
    ///
    /// # Errors
    /// If writing fails.
    pub fn flush(&mut self) -> Result<()> {
        self.records.flush()
    }

    /// Completes the table: closes files and pipes, and gives the files their names, the archive before the script file.
    ///
    /// # Errors
    /// If anything could not be written, or an output pipe failed.
    pub fn finish(self) -> Result<()> {
        self.records.finish()
    }
}

/// A table of values of any type that is being written. Its type is erased, so that nothing of it, not even its drop, is compiled anew in
/// the crates that write tables.
pub(crate) trait AnyRecords: Send {
    fn format(&self) -> Format;
    fn has_place_for(&self, key: &BStr) -> bool;
    fn put(&mut self, record: &AnyRecord) -> Result<()>;
    fn flush(&mut self) -> Result<()>;
    fn finish(self: Box<Self>) -> Result<()>;
}

struct RecordWriter {
    place: RecordTarget,
    format: Format,
    session: Session,
}

enum RecordTarget {
    File(Output),
    Archive(ArchiveWriter),
    Script { script: Script, options: WspecifierOptions },
    Folder { folder: BString, extension: BString, _created: NewFolder },
}

/// `without_text` is the name of a type that has no text form.
fn create(wspecifier: &BStr, without_text: Option<&str>, session: Session) -> Result<Box<dyn AnyRecords>> {
    if let Some(name) = without_text
        && !parse_wspecifier(wspecifier)?.options.binary
    {
        let advice = format!("a {name} has no text form (remove the option t)");
        return Err(Error::Specifier { role: "wspecifier", text: wspecifier.to_owned(), advice });
    }
    Ok(Box::new(session.enter(|| RecordWriter::create(wspecifier, session.clone()))?))
}

fn create_file(name: &BStr, format: Format) -> Result<Box<dyn AnyRecords>> {
    let place = RecordTarget::File(create_output(name, false)?);
    Ok(Box::new(RecordWriter { place, format, session: Session::current() }))
}

fn create_folder(folder: &BStr, extension: &BStr) -> Result<Box<dyn AnyRecords>> {
    let created = make_last_folder(&folder.to_path_lossy(), 0o750)?;
    let place = RecordTarget::Folder { folder: folder.to_owned(), extension: extension.to_owned(), _created: created };
    Ok(Box::new(RecordWriter { place, format: Format::Binary, session: Session::current() }))
}

impl RecordWriter {
    fn create(wspecifier: &BStr, session: Session) -> Result<Self> {
        let Wspecifier { kind, options } = parse_wspecifier(wspecifier)?;
        let place = match kind {
            WspecifierKind::Script(name) => {
                let script = Script::read(name.as_ref(), false, options.permissive);
                RecordTarget::Script {
                    script: script.map_err(|error| advise_on_missing_script(error, wspecifier))?,
                    options,
                }
            }
            _ => RecordTarget::Archive(ArchiveWriter::create_with(wspecifier, session.clone())?),
        };
        Ok(Self { place, format: Format::from_binary(options.binary), session })
    }
}

impl AnyRecords for RecordWriter {
    fn format(&self) -> Format {
        self.format
    }

    fn has_place_for(&self, key: &BStr) -> bool {
        match &self.place {
            RecordTarget::Folder { extension, .. } => stays_in_folder(key, extension.as_ref()),
            RecordTarget::File(_) | RecordTarget::Archive(_) | RecordTarget::Script { .. } => true,
        }
    }

    fn put(&mut self, record: &AnyRecord) -> Result<()> {
        self.session.count_written();
        self.session.enter(|| self.place.put(record.key.as_ref(), &record.body))
    }

    fn flush(&mut self) -> Result<()> {
        match &mut self.place {
            RecordTarget::File(output) => Ok(output.flush()?),
            RecordTarget::Archive(archive) => archive.flush(),
            RecordTarget::Script { .. } | RecordTarget::Folder { .. } => Ok(()),
        }
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let Self { place, session, .. } = *self;
        session.enter(|| match place {
            RecordTarget::File(output) => Ok(output.finish()?),
            RecordTarget::Archive(archive) => archive.finish(),
            RecordTarget::Script { .. } | RecordTarget::Folder { .. } => Ok(()),
        })
    }
}

impl RecordTarget {
    fn put(&mut self, key: &BStr, body: &Body) -> Result<()> {
        match self {
            Self::File(file) => body.write(file)?,
            Self::Archive(archive) => {
                archive.put_with(key, key.len() as u64 + 1, |archive| body.write_with_key(key, archive))?;
            }
            Self::Script { .. } | Self::Folder { .. } if !is_key(key) => {
                return Err(Error::Key { key: key.to_owned() });
            }
            Self::Script { script, options } => {
                let Some((line, _)) = script.find(key) else {
                    if options.permissive {
                        return Ok(());
                    }
                    return Err(Error::NoPlace { script: script.name.to_string(), key: key.to_owned() });
                };
                let mut output = create_output(&line.xfilename, options.flush)?;
                body.write(&mut output)?;
                finish_output(output, options.permissive)?;
            }
            Self::Folder { folder, extension, .. } => {
                if !stays_in_folder(key, extension.as_ref()) {
                    return Err(Error::Outside { folder: folder.to_string(), key: key.to_owned() });
                }
                let file = [key.as_bytes(), b".", extension].concat();
                let name = BString::from([folder.as_slice(), b"/", &without_pipe_signs(&file)].concat());
                let shown = name.to_string();
                let mut output = Output::create_file(&name.to_path_lossy(), shown, false)?;
                body.write(&mut output)?;
                output.finish()?;
            }
        }
        Ok(())
    }
}

/// Whether the file `<key>.<extension>` stays within the folder.
fn stays_in_folder(key: &BStr, extension: &BStr) -> bool {
    let name = [key.as_bytes(), b".", extension].concat();
    name.split(|&byte| byte == b'/').all(|part| part != b"..")
}

/// Explains `scp:` alone, if there is no such script file: most likely something else was meant.
fn advise_on_missing_script(error: Error, wspecifier: &BStr) -> Error {
    match error {
        Error::Io(kaldi_io::Error::Open { name, source }) if source.kind() == io::ErrorKind::NotFound => {
            let advice = format!(
                "cannot open {name}: scp: writes to the files that an existing script file names; ark,scp:foo.ark,foo.scp \
                 makes a new one"
            );
            Error::Specifier { role: "wspecifier", text: wspecifier.to_owned(), advice }
        }
        error => error,
    }
}
