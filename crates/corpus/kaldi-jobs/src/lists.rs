//! The lists that are dealt.

use std::hash::{DefaultHasher, Hasher};
use std::ops::Range;
use std::path::{Path, PathBuf};

use bstr::{BStr, ByteSlice};
use kaldi_any::Sequence;
use kaldi_io::{Input, Output, Rspecifier, RspecifierKind, Rxfilename, remote_name};
use kaldi_table::write_script_line;
use serde::{Deserialize, Serialize};

use crate::folder::Folder;
use crate::input_fingerprints::NamedFile;
use crate::split_list::{each_line, key_of};
use crate::{Error, Result};

/// A list that is cut into pieces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DealtList {
    /// The name in the command.
    pub(crate) name: String,
    /// What stands before the file in the name of a piece, such as `scp:`.
    pub(crate) prefix: String,
    /// The file whose lines are dealt: the list itself, or what was made of it.
    pub(crate) path: PathBuf,
    /// The list or, if the lines are entries of an archive, the archive.
    pub(crate) origin: NamedFile,
    /// Whether the lines are entries of an archive.
    pub(crate) is_of_archive: bool,
}

/// A stretch of lines of a list, and by what the same lines are known in another list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stretch {
    /// Its bytes.
    pub(crate) range: Range<u64>,
    /// The lines before it.
    pub(crate) lines_before: u64,
    /// Its lines.
    pub(crate) lines: u64,
    /// A hash of its lines.
    pub(crate) sign: u64,
    /// A hash of its first line.
    pub(crate) first: u64,
}

impl Stretch {
    /// Reads what is to be known of ranges of lines that follow each other.
    pub(crate) fn read_all(path: &Path, ranges: &[Range<u64>]) -> Result<Vec<Self>> {
        let mut line_ranges: Vec<Self> = Vec::with_capacity(ranges.len());
        let (mut ranges, mut offset, mut lines_before) = (ranges.iter().peekable(), 0, 0);
        let mut open = Lines::default();
        each_line(path, |_, line| {
            while let Some(range) = ranges.next_if(|range| range.end <= offset) {
                line_ranges.push(std::mem::take(&mut open).line_range(range, &mut lines_before));
            }
            open.put(line);
            offset += line.len() as u64 + 1;
            Ok(())
        })?;
        for range in ranges {
            line_ranges.push(std::mem::take(&mut open).line_range(range, &mut lines_before));
        }
        Ok(line_ranges)
    }
}

/// Lines, of which only hashes are kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    pub(crate) count: u64,
    hasher: DefaultHasher,
    first: u64,
}

impl Lines {
    pub(crate) fn put(&mut self, line: &[u8]) {
        if self.count == 0 {
            self.first = sign_of(line);
        }
        self.count += 1;
        put_line(&mut self.hasher, line);
    }

    pub(crate) fn sign(&self) -> u64 {
        self.hasher.finish()
    }

    fn line_range(self, range: &Range<u64>, lines_before: &mut u64) -> Stretch {
        let before = *lines_before;
        *lines_before += self.count;
        Stretch { range: range.clone(), lines_before: before, lines: self.count, sign: self.sign(), first: self.first }
    }
}

fn put_line(hasher: &mut DefaultHasher, line: &[u8]) {
    hasher.write(line);
    hasher.write_u8(b'\n');
}

/// A hash of a line.
pub(crate) fn sign_of(line: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    put_line(&mut hasher, line);
    hasher.finish()
}

impl DealtList {
    /// Opens what is dealt. What cannot be cut where it is, such as a compressed list or an archive, gets a list of lines in
    /// the folder; `version` says of which plan.
    pub(crate) fn open(name: &str, folder: &Folder, position: usize, version: u32) -> Result<Self> {
        let refuse = |reason: &str| Err(Error::Plan(format!("{name} cannot be dealt: {reason}")));
        let specifier = Rspecifier::parse(name.into());
        let file = specifier.as_ref().map_or(BStr::new(name), |specifier| specifier.rxfilename.as_ref());
        let origin = match Rxfilename::parse(file) {
            Ok(Rxfilename::File(path)) => path.to_owned(),
            Ok(Rxfilename::Offset(..)) => return refuse("it has an offset"),
            Ok(Rxfilename::Stdin | Rxfilename::Pipe(_)) => return refuse("it is a stream; write it into a file"),
            Err(error) => return Err(error.into()),
        };
        let is_object = remote_name(&origin).is_some();
        if !is_object && !origin.metadata().map_err(Error::read(&origin))?.is_file() {
            return refuse("it is no regular file");
        }
        let head = Head::read(file)?;
        let words = || name[..name.find(':').unwrap_or_default()].to_owned();
        let (prefix, is_of_archive) = match specifier.as_ref().map(|specifier| &specifier.kind) {
            None => (String::new(), false),
            Some(RspecifierKind::Script) => (format!("{}:", words()), false),
            Some(RspecifierKind::Archive) if head.is_list() => (format!("{}:", words()), false),
            Some(RspecifierKind::Archive) if head.is_compressed => {
                return refuse(
                    "it is compressed, so that no piece could start in the middle; decompress it first, or copy it into an \
                     archive with a script file (ark,scp:x.ark,x.scp) and take scp:x.scp",
                );
            }
            Some(RspecifierKind::Archive) => {
                let words = words();
                let words = words.split(',').map(|word| if word == "ark" { "scp" } else { word });
                (format!("{}:", words.collect::<Vec<_>>().join(",")), true)
            }
            Some(_) => return refuse("shards are lists of archives; deal the list of shards"),
        };
        let path = match is_of_archive || is_object || head.is_compressed {
            false => origin.clone(),
            true => folder.path().join("lists").join(format!("lines{position}.{version}")),
        };
        // What is read now is what is remembered: the list may change meanwhile.
        let stamp = NamedFile::read(&origin)?;
        if is_of_archive {
            list_archive(&origin, &path, folder)?;
        } else if path != origin {
            copy_lines(file, &path)?;
        }
        Ok(Self { name: name.to_owned(), prefix, path, origin: stamp, is_of_archive })
    }

    /// Whether the lines stand in a file of the state folder.
    pub(crate) fn is_copy(&self) -> bool {
        self.path != self.origin.path()
    }

    /// The name that the command has for it, but for the option to go on after an error: what is done does not depend on that.
    pub(crate) fn plain_name(name: &str) -> String {
        match Rspecifier::parse(name.into()) {
            Some(_) => {
                let (words, file) = name.split_once(':').unwrap_or_default();
                let words: Vec<&str> = words.split(',').filter(|word| !matches!(*word, "p" | "np")).collect();
                format!("{}:{file}", words.join(","))
            }
            None => name.to_owned(),
        }
    }

    /// Whether entries that cannot be read are left out.
    pub(crate) fn is_permissive(name: &str) -> bool {
        Rspecifier::parse(name.into()).is_some_and(|specifier| specifier.options.permissive)
    }
}

/// The first bytes of a list, decompressed.
struct Head {
    bytes: Vec<u8>,
    is_compressed: bool,
}

impl Head {
    fn read(file: &BStr) -> Result<Self> {
        let (mut input, mut bytes) = (Input::open(file)?, Vec::new());
        while bytes.len() < 1 << 16 && input.read_some(&mut bytes, 1 << 16)? > 0 {}
        let is_compressed = input.is_compressed();
        input.stop();
        Ok(Self { bytes, is_compressed })
    }

    /// Whether it is one line of text for each entry, as lists such as spk2utt have: the first line is a key and words that
    /// are not a matrix.
    fn is_list(&self) -> bool {
        let line = self.bytes.lines().next().unwrap_or_default();
        let value = line[key_of(line).len().min(line.len())..].trim_ascii();
        !self.bytes.contains(&0) && !value.is_empty() && !value.contains(&b'[') && !value.starts_with(b"<")
    }
}

/// Writes a script file of the entries of an archive.
fn list_archive(archive: &Path, list: &Path, folder: &Folder) -> Result<()> {
    let name = archive.to_str().ok_or_else(|| Error::Plan(format!("{}: the name is not UTF-8", archive.display())))?;
    let mut lines = Vec::new();
    let mut entries = Sequence::new(&[BStr::new(name)], None);
    while let Some((archive, entry)) = entries.next_entry()? {
        write_script_line(&mut lines, entry.key(), archive, entry.offset());
    }
    folder.write(list, &lines)
}

/// Copies the lines of a compressed list, or of one in a store.
fn copy_lines(from: &BStr, to: &Path) -> Result<()> {
    let mut input = Input::open(from)?;
    let mut output = Output::create_file(to, to.display().to_string(), false)?;
    let mut bytes = Vec::new();
    while input.read_some(&mut bytes, 1 << 18)? > 0 {
        output.write_all(&bytes)?;
        bytes.clear();
    }
    input.finish()?;
    Ok(output.finish()?)
}
