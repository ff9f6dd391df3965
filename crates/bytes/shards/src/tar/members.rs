//! The members of a tar file, in order.

use std::fmt;
use std::fs::File;
use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::ReadAt;

use super::block::{BLOCK, RECORD, padding};
use super::header::Header;
use super::pax::Pax;
use crate::source::{Source, Wanted};
use crate::{FaultKind, Result, ShardFault};

/// Zeros after the end mark of a stream, which programs pad to whole records; a device may never end.
const MAX_ZEROS: u64 = 64 << 20;

/// Names and PAX records take at most this much.
const MAX_EXTENSION: u64 = 1 << 20;

/// A member of a tar file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub path: BString,
    /// Offset of its header, or of the PAX header before that.
    pub header: u64,
    /// Offset of its content.
    pub offset: u64,
    /// The length of its content in bytes.
    pub size: u64,
    /// Whether it is a regular file.
    pub is_file: bool,
}

/// A tar file that is read from start to end: ustar, with PAX headers and GNU's long names, and older headers.
///
/// Offsets of compressed files are those in the decompressed data.
pub struct Members {
    source: Source,
    /// Where the content of the last delivered member ends, with its zeros.
    end: u64,
    member: Option<Member>,
    ended: bool,
    trailing: Option<u64>,
}

/// What earlier headers say about a member.
#[derive(Default)]
struct Extension {
    pax: Pax,
    long_name: Option<Vec<u8>>,
    /// The offset of the first of them.
    header: Option<u64>,
}

impl fmt::Debug for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Members").field("name", &self.source.name()).finish_non_exhaustive()
    }
}

impl Members {
    /// Opens what `rxfilename` names: a tar file, plain or compressed by gzip or zstd.
    ///
    /// # Errors
    /// If it cannot be opened or read.
    pub fn open(rxfilename: &BStr, wanted: Wanted) -> Result<Self> {
        Source::open(rxfilename, wanted).map(Self::new)
    }

    pub(crate) fn new(source: Source) -> Self {
        let end = source.offset();
        Self { source, end, member: None, ended: false, trailing: None }
    }

    /// What messages call the file.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// The file, if it is a regular one that is not compressed, so that contents can be read at their offsets.
    pub fn plain_file(&self) -> Option<Arc<File>> {
        self.source.plain_file()
    }

    /// The bytes for reading contents at their offsets, if that is possible.
    pub fn positioned(&self) -> Option<Arc<dyn ReadAt>> {
        self.source.positioned()
    }

    /// Whether the file is compressed.
    pub fn is_compressed(&self) -> bool {
        self.source.is_compressed()
    }

    /// The offset of bytes other than zeros after the end mark, once the end was reached. In a file, only the rest of
    /// the last record is checked.
    pub fn trailing_data(&self) -> Option<u64> {
        self.trailing
    }

    /// The next member, with its content; `None` after the end mark.
    ///
    /// # Errors
    /// If the file cannot be read, makes no sense, or ends too early. After an error, the next call returns `None`.
    pub fn next_member(&mut self) -> Result<Option<(&Member, Payload<'_>)>> {
        if self.ended {
            return Ok(None);
        }
        self.ended = true;
        let Some(member) = self.read_member()? else { return Ok(None) };
        self.ended = false;
        self.member = Some(member);
        Ok(self.current())
    }

    /// The last delivered member, with the unread rest of its content.
    pub(crate) fn current(&mut self) -> Option<(&Member, Payload<'_>)> {
        let member = self.member.as_ref()?;
        let left = (member.offset + member.size).saturating_sub(self.source.offset());
        Some((member, Payload { source: &mut self.source, member, left }))
    }

    /// Closes the file. If the end was reached, a failed command is an error.
    ///
    /// # Errors
    /// If a command failed.
    pub fn finish(self) -> Result<()> {
        self.source.finish()
    }

    fn read_member(&mut self) -> Result<Option<Member>> {
        self.pass_over_content()?;
        let mut extension = Extension::default();
        loop {
            let at = self.source.offset();
            let Some(block) = self.read_block()? else { return Ok(None) };
            let header = Header::parse(&block)
                .map_err(|(place, message)| self.fault(FaultKind::Damaged, at + place as u64, message))?;
            let first = *extension.header.get_or_insert(at);
            match header.kind {
                b'x' | b'X' => {
                    let records = self.read_extension(&header, at)?;
                    self.update(&mut extension.pax, &records, at)?;
                }
                b'L' => {
                    let mut name = self.read_extension(&header, at)?;
                    name.truncate(name.iter().position(|&byte| byte == 0).unwrap_or(name.len()));
                    extension.long_name = Some(name);
                }
                // The target of a long link; records for all members, which say nothing about names and sizes.
                b'K' | b'g' => {
                    self.read_extension(&header, at)?;
                }
                _ => return self.member(header, extension, first, at).map(Some),
            }
        }
    }

    fn member(&mut self, header: Header, extension: Extension, first: u64, at: u64) -> Result<Member> {
        let Extension { pax, long_name, .. } = extension;
        let path: BString = pax.path.or(long_name).unwrap_or(header.path).into();
        // Links, devices and folders have no content, whatever their size field says.
        let size = if matches!(header.kind, b'1'..=b'6') { 0 } else { pax.size.unwrap_or(header.size) };
        let is_folder = path.ends_with(b"/");
        let is_file = matches!(header.kind, b'0' | b'\0' | b'7') && !is_folder && !pax.is_sparse;
        let offset = self.source.offset();
        let end = offset.checked_add(size).and_then(|end| end.checked_add(padding(size) as u64));
        let Some(end) = end.filter(|end| i64::try_from(*end).is_ok()) else {
            let message = format!("expected a size that a file can have, got {size}");
            return Err(self.fault(FaultKind::Damaged, at + 124, message).of_member(&path).into());
        };
        // The length of a regular file is known. For others, reading finds the end.
        if let Some(length) = self.source.length()
            && length < offset + size
        {
            return Err(truncated(self.name(), &path, offset, size, length.saturating_sub(offset)).into());
        }
        self.end = end;
        Ok(Member { path, header: first, offset, size, is_file })
    }

    /// Goes to the next header.
    fn pass_over_content(&mut self) -> Result<()> {
        let left = self.end - self.source.offset();
        let there = self.source.skip(left)?;
        if there < left
            && let Some(member) = &self.member
        {
            let got = self.source.offset() - member.offset;
            return Err(truncated(self.name(), &member.path, member.offset, member.size, got).into());
        }
        Ok(())
    }

    /// The next header; `None` for the end mark.
    fn read_block(&mut self) -> Result<Option<[u8; BLOCK]>> {
        let at = self.source.offset();
        let Some(block) = self.source.window(BLOCK)?.first_chunk::<BLOCK>().copied() else {
            return Err(self.short(at, 0));
        };
        self.source.consume(BLOCK);
        if block != [0; BLOCK] {
            return Ok(Some(block));
        }
        match self.source.window(BLOCK)?.first_chunk::<BLOCK>() {
            Some(block) if *block == [0; BLOCK] => self.source.consume(BLOCK),
            Some(_) => {
                let message = "expected a second block of zeros, the end mark, got something else";
                return Err(self.fault(FaultKind::Damaged, at + BLOCK as u64, message.to_owned()).into());
            }
            None => return Err(self.short(at, BLOCK)),
        }
        self.read_trailing()?;
        Ok(None)
    }

    /// Reads what follows the end mark. A pipe is read to its end, so that its command does not fail; a compressed file
    /// is read to its end to check its checksum.
    fn read_trailing(&mut self) -> Result<()> {
        let limit = if self.source.length().is_some() { RECORD } else { u64::MAX };
        let start = self.source.offset();
        loop {
            let at = self.source.offset();
            let rest = self.source.window(1)?;
            if rest.is_empty() || at - start >= limit {
                return Ok(());
            }
            let other = rest.iter().position(|&byte| byte != 0);
            let length = rest.len();
            if self.trailing.is_none() && other.is_none() && at - start > MAX_ZEROS {
                let message = format!(
                    "expected the end of the shard after its end mark, got {MAX_ZEROS} bytes of zeros and more"
                );
                return Err(self.fault(FaultKind::Damaged, start, message).into());
            }
            self.trailing = self.trailing.or(other.map(|place| at + place as u64));
            self.source.consume(length);
        }
    }

    /// The content of a header that describes the next one.
    fn read_extension(&mut self, header: &Header, at: u64) -> Result<Vec<u8>> {
        if header.size > MAX_EXTENSION {
            let message =
                format!("expected a name or PAX records of at most {MAX_EXTENSION} bytes, got {}", header.size);
            return Err(self.fault(FaultKind::Damaged, at + 124, message).into());
        }
        let mut content = Vec::new();
        self.source.read(header.size, &mut content)?;
        let there = self.source.skip(padding(header.size) as u64)?;
        if (content.len() as u64) < header.size || (there as usize) < padding(header.size) {
            let end = self.source.offset();
            return Err(self.short(end, 0));
        }
        Ok(content)
    }

    fn update(&self, pax: &mut Pax, records: &[u8], at: u64) -> Result<()> {
        pax.update(records)
            .map_err(|(place, message)| self.fault(FaultKind::Damaged, at + (BLOCK + place) as u64, message).into())
    }

    /// The fault of a file that ends where a header or the end mark should follow. `got` bytes of it are there.
    fn short(&self, at: u64, got: usize) -> crate::Error {
        let expected = if got == 0 { "a header or the end mark" } else { "the second block of the end mark" };
        self.fault(FaultKind::Truncated, at + got as u64, format!("expected {expected}, got the end of the file"))
            .into()
    }

    fn fault(&self, kind: FaultKind, offset: u64, message: String) -> ShardFault {
        ShardFault::new(kind, self.name(), offset, message)
    }
}

fn truncated(shard: &str, path: &BString, offset: u64, size: u64, got: u64) -> ShardFault {
    let message = format!("expected {size} bytes, got {} before the end of the file", got.min(size));
    ShardFault::new(FaultKind::Truncated, shard, offset, message).of_member(path)
}

/// The content of a member, which can be read until the next member is asked for. The unread rest is skipped.
pub struct Payload<'a> {
    source: &'a mut Source,
    member: &'a Member,
    /// Bytes that were not read.
    left: u64,
}

impl Payload<'_> {
    /// Offers the start of the content to `parse`, and more of it as long as that returns `None`. Returns `None` if
    /// even the first megabyte, or all of it, is not enough.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn parse_front<T>(&mut self, mut parse: impl FnMut(&[u8]) -> Option<T>) -> Result<Option<T>> {
        let mut wanted = 64;
        loop {
            let limit = usize::try_from(self.left).unwrap_or(usize::MAX);
            let window = self.source.window(wanted.min(limit))?;
            let is_short = window.len() < wanted.min(limit);
            let head = &window[..window.len().min(limit)];
            let seen = head.len();
            if let Some(found) = parse(head) {
                return Ok(Some(found));
            }
            if is_short {
                let Member { path, offset, size, .. } = self.member;
                return Err(truncated(self.source.name(), path, *offset, *size, seen as u64).into());
            }
            if seen == limit || wanted >= MAX_EXTENSION as usize {
                return Ok(None);
            }
            wanted = (2 * seen).max(wanted);
        }
    }

    /// Reads the rest of the content.
    ///
    /// # Errors
    /// If the file cannot be read, or ends before the content.
    pub fn read(&mut self) -> Result<Vec<u8>> {
        let mut content = Vec::new();
        self.source.read(self.left, &mut content)?;
        if (content.len() as u64) < self.left {
            let Member { path, offset, size, .. } = self.member;
            return Err(truncated(self.source.name(), path, *offset, *size, content.len() as u64).into());
        }
        self.left = 0;
        Ok(content)
    }
}
