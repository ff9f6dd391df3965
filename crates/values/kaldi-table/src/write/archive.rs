//! Writing archives entry by entry, for values of any type.

use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::log::warning;
use kaldi_io::{
    Blob, FileIdentity, Output, OutputSet, Session, Wspecifier, WspecifierKind, WspecifierOptions, printable_wxfilename,
};
use kaldi_value::Format;

use crate::key::is_key;
use crate::raw::RawEntry;
use crate::script::write_script_line;
use crate::specifier::{invalid, parse_wspecifier};
use crate::write::output::{create_output, finish_output};
use crate::{Error, Result};

/// An archive that is being written, with the script file that points into it, if one is wanted.
///
/// Entries are bytes: from memory, or from files (the system copies them).
#[must_use = "an archive is complete only after finish()"]
#[derive(Debug)]
pub struct ArchiveWriter {
    archive: Output,
    script: Option<(BString, Output)>,
    options: WspecifierOptions,
    session: Session,
}

impl ArchiveWriter {
    /// Creates the archive that `wspecifier` names (`ark:` or `ark,scp:`).
    ///
    /// # Errors
    /// If the specifier is invalid or names no archive, or one of its files or pipes cannot be opened.
    pub fn create(wspecifier: impl AsRef<[u8]>) -> Result<Self> {
        Self::create_with(wspecifier, Session::current())
    }

    /// As [`ArchiveWriter::create`], in a session.
    ///
    /// # Errors
    /// As [`ArchiveWriter::create`].
    pub fn create_with(wspecifier: impl AsRef<[u8]>, session: Session) -> Result<Self> {
        session.enter(|| Self::open(BStr::new(wspecifier.as_ref()), session.clone()))
    }

    fn open(wspecifier: &BStr, session: Session) -> Result<Self> {
        let Wspecifier { kind, options } = parse_wspecifier(wspecifier)?;
        let (archive_name, script) = match kind {
            WspecifierKind::Archive(archive) => (archive, None),
            WspecifierKind::Both { archive, script } => (archive, Some(script)),
            WspecifierKind::Script(_) => {
                return Err(invalid(wspecifier, "expected an archive to write (ark: or ark,scp:), not a script file"));
            }
        };
        let place = script.as_ref().and_then(|script| FileIdentity::of_output(script.as_ref()));
        if place.is_some() && place == FileIdentity::of_output(archive_name.as_ref()) {
            return Err(invalid(wspecifier, "the archive and its script file are the same file"));
        }
        if script.is_some() && archive_name.contains(&b'\n') {
            return Err(invalid(wspecifier, "the archive has a line end in its name, which a script file cannot have"));
        }
        let archive = create_output(&archive_name, options.flush)?;
        if script.is_some() && archive.position().is_none() {
            warning!(
                "When writing to both archive and script, the script file will generally not be interpreted correctly \
                 unless the archive is an actual file: wspecifier = {wspecifier}"
            );
        }
        let script = match script {
            Some(script) => Some((archive_name, create_output(&script, options.flush)?)),
            None => None,
        };
        Ok(Self { archive, script, options, session })
    }

    /// The form in which values should be written.
    pub fn format(&self) -> Format {
        Format::from_binary(self.options.binary)
    }

    /// Writes an entry; its value starts after `value_at` bytes.
    ///
    /// # Errors
    /// If the key is no word, or writing fails.
    pub fn put(&mut self, key: impl AsRef<[u8]>, value_at: u64, entry: &[u8]) -> Result<()> {
        self.session.count_written();
        self.put_with(BStr::new(key.as_ref()), value_at, |archive| Ok(archive.write_all(entry)?))
    }

    /// Writes an entry of another archive unchanged. If that archive is a regular file, the system copies the bytes.
    ///
    /// # Errors
    /// As [`ArchiveWriter::put`]. If the file cannot be read, a later call may report it.
    pub fn put_entry(&mut self, entry: &RawEntry) -> Result<()> {
        let value_at = entry.offset() - entry.start();
        if let Some(file) = entry.blob().file() {
            return self.put_from(entry.key(), value_at, file, entry.start()..entry.end());
        }
        self.session.count_written();
        self.put_with(entry.key(), value_at, |archive| entry.write_whole(archive))
    }

    /// Writes key and value as they are in a blob. The value starts after `value_at` bytes.
    ///
    /// # Errors
    /// As [`ArchiveWriter::put_entry`].
    pub fn put_blob(&mut self, key: &BStr, value_at: u64, entry: &Blob) -> Result<()> {
        self.session.count_written();
        self.put_with(key, value_at, |archive| Ok(entry.write(0, archive)?))
    }

    /// Writes an entry with `write`. Its value starts after `value_at` bytes.
    pub(crate) fn put_with(
        &mut self,
        key: &BStr,
        value_at: u64,
        write: impl FnOnce(&mut Output) -> Result<()>,
    ) -> Result<()> {
        self.list(key, value_at)?;
        write(&mut self.archive)?;
        self.flush_entry()
    }

    /// Writes an entry that is in a file; its value starts after `value_at` bytes.
    ///
    /// # Errors
    /// As [`ArchiveWriter::put_entry`].
    fn put_from(&mut self, key: &BStr, value_at: u64, file: &Arc<File>, entry: Range<u64>) -> Result<()> {
        self.session.count_written();
        self.put_with(key, value_at, |archive| Ok(archive.write_from(file, entry)?))
    }

    /// Completes the archive and then the script file: closes files and pipes, and gives the files their names.
    ///
    /// # Errors
    /// If anything could not be written, or an output pipe failed.
    pub fn finish(mut self) -> Result<()> {
        let permissive = self.options.permissive;
        // A full disk has to be noticed before the archive gets its name.
        self.flush()?;
        match self.script {
            // Both appear or none, and both are of one process.
            Some((_, script)) if self.archive.is_renamed() && script.is_renamed() => {
                let mut set = OutputSet::default();
                set.add(self.archive)?;
                set.add(script)?;
                Ok(set.finish()?)
            }
            script => {
                finish_output(self.archive, permissive)?;
                script.map_or(Ok(()), |(_, script)| finish_output(script, permissive))
            }
        }
    }

    /// Writes the script file's line for the next entry.
    fn list(&mut self, key: &BStr, value_at: u64) -> Result<()> {
        if !is_key(key) {
            return Err(Error::Key { key: key.to_owned() });
        }
        let Some((name, script)) = &mut self.script else { return Ok(()) };
        let Some(position) = self.archive.position() else {
            return Err(Error::NoOffsets { archive: printable_wxfilename(name.as_ref()).into_owned() });
        };
        let mut line = Vec::with_capacity(key.len() + name.len() + 24);
        write_script_line(&mut line, key, &*name, position + value_at);
        Ok(script.write_all(&line)?)
    }

    /// Writes out what is buffered, the archive first. Files still get their names only by [`ArchiveWriter::finish`].
    ///
    /// # Errors
    /// If writing fails.
    pub fn flush(&mut self) -> Result<()> {
        self.archive.flush()?;
        self.script.as_mut().map_or(Ok(()), |(_, script)| Ok(script.flush()?))
    }

    /// Writes an entry out at once if that is wanted.
    fn flush_entry(&mut self) -> Result<()> {
        if self.options.flush { self.flush() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use std::sync::Mutex;

    use super::*;
    use crate::TableWriter;

    #[test]
    fn writers_count_and_log_in_their_session() {
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("out.scp");
        let lines = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&lines);
        let log = kaldi_io::log::Log::new().to(move |lines| log.lock().unwrap().extend_from_slice(lines));
        let session = Session::default().change(|settings| settings.log = log);
        let wspecifier = format!("ark,scp:| cat > /dev/null,{}", script.display());
        ArchiveWriter::create_with(wspecifier, session.clone()).unwrap().finish().unwrap();
        let mut writer = TableWriter::<i32>::create_with("ark:| cat > /dev/null", session.clone()).unwrap();
        writer.write("a", &1).unwrap();
        writer.write("b", &2).unwrap();
        writer.finish().unwrap();
        assert_eq!(session.entries_written(), 2);
        assert!(String::from_utf8_lossy(&lines.lock().unwrap()).contains("unless the archive is an actual file"));
    }

    #[test]
    fn entries_of_files_and_of_memory_are_listed_where_they_stand() {
        let dir = tempfile::tempdir().unwrap();
        let [source, archive, script] = ["source", "out.ark", "out.scp"].map(|name| dir.path().join(name));
        let large = "x".repeat(1 << 17);
        let text = format!("junk\na 1\nb {large}\nc 3\n");
        fs::write(&source, &text).unwrap();
        let file = Arc::new(File::open(&source).unwrap());
        let (b, c) = (9, (1 << 17) + 12);

        for options in ["ark,scp", "ark,f,scp"] {
            let wspecifier = format!("{options}:{},{}", archive.display(), script.display());
            let mut writer = ArchiveWriter::create(&wspecifier).unwrap();
            writer.put_from("c".into(), 2, &file, c..c + 4).unwrap();
            writer.put("m", 3, b"m  0\n").unwrap();
            // These two are copied together.
            writer.put_from("a".into(), 2, &file, 5..b).unwrap();
            writer.put_from("b".into(), 2, &file, b..c).unwrap();
            writer.finish().unwrap();

            assert_eq!(fs::read_to_string(&archive).unwrap(), format!("c 3\nm  0\na 1\nb {large}\n"));
            let place = archive.display();
            let expected = format!("c {place}:2\nm {place}:7\na {place}:11\nb {place}:15\n");
            assert_eq!(fs::read_to_string(&script).unwrap(), expected);
        }
    }

    #[test]
    fn nothing_gets_its_name_where_the_source_has_become_shorter() {
        let dir = tempfile::tempdir().unwrap();
        let [source, archive] = ["source", "out.ark"].map(|name| dir.path().join(name));
        fs::write(&source, vec![b'x'; 200_000]).unwrap();
        let file = Arc::new(File::open(&source).unwrap());
        for length in [300_000, 200_001, 100] {
            let wspecifier = format!("ark:{}", archive.display());
            let mut writer = ArchiveWriter::create(&wspecifier).unwrap();
            writer.put_from("a".into(), 2, &file, 199_990..199_990 + length).unwrap();
            assert!(writer.finish().is_err());
            assert!(!archive.exists());
        }
    }

    #[test]
    fn only_words_are_keys_and_only_archives_are_written() {
        let mut writer = ArchiveWriter::create("ark:/dev/null").unwrap();
        for key in ["", "a b", "a\n", "\0"] {
            assert!(matches!(writer.put(key, 0, b""), Err(Error::Key { .. })), "{key:?}");
        }
        for wspecifier in ["scp:x", "x", "scp,ark:x,y", "ark,scp:x,x"] {
            let error = ArchiveWriter::create(wspecifier).unwrap_err();
            assert!(matches!(error, Error::Specifier { .. }), "{error}");
        }
    }
}
