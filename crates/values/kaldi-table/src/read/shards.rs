//! Sequential reading of shards: one field of each sample of tar files.

use std::fmt;
use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::log::warning;
use kaldi_io::{Blob, Chunk, FrameFn, ParseError, ReadAt};
use kaldi_value::Frame;
use shards::{FieldPath, Grouping, Member, Payload, SampleStream, Shard, ShardNames, Wanted};

use crate::batch::LazyValues;
use crate::key::is_key;
use crate::raw::RawEntry;
use crate::read::entry_by_entry::{EntrySource, Step};
use crate::{Error, Result};

/// Reads a list of shards, or one shard, sample by sample.
pub(crate) struct ShardReader {
    samples: SampleStream<ShardNames>,
    field: ShardField,
    frame: FrameFn,
    lazy: Option<LazyValues>,
    permissive: bool,
}

/// The field that is read.
#[derive(Clone, Debug)]
pub(crate) struct ShardField {
    pub(crate) path: FieldPath,
    /// Whether it is text: one line, whatever white space is in it. What is inside of JSON is text anyway.
    pub(crate) is_text: bool,
}

impl fmt::Debug for ShardReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShardReader").field("field", &self.field).finish_non_exhaustive()
    }
}

impl ShardReader {
    pub(crate) fn new(rxfilename: &BStr, field: ShardField, frame: FrameFn, permissive: bool) -> Self {
        let names = ShardNames::new([rxfilename.to_owned()], Wanted::Contents);
        let mut samples = SampleStream::new(names, Grouping::Wenet);
        if permissive {
            samples.leave_out_damaged(|error| {
                warning!("{error}; the rest of this shard is left out, as permissive mode (p) asks");
            });
        }
        Self { samples, field, frame, lazy: None, permissive }
    }

    /// The entry of the next sample, or what is wrong with that sample alone.
    pub(crate) fn next_entry(&mut self) -> Result<Option<Result<RawEntry>>> {
        let (path, frame, lazy) = (&self.field.path, self.frame, self.lazy);
        let sample = self.samples.next_with(|shard, suffix, member, payload| match path.find([suffix]) {
            None => Ok(None),
            Some((_, entry)) if entry.is_empty() => parse_front(shard, member, payload, frame, lazy).map(Some),
            Some(_) => Ok(Some(Blob::in_memory(Arc::clone(&shard.name), member.offset, payload.read()?))),
        });
        let Some(mut sample) = sample.map_err(to_error)? else { return Ok(None) };
        let header = sample.fields.first().map_or(0, |field| field.member.header);
        let found = path.find(sample.fields.iter().map(|field| field.name.as_ref()));
        let content = found.and_then(|(at, entry)| Some((sample.fields[at].value.take()?, entry)));
        let Some((content, entry)) = content else {
            return Ok(Some(Err(self.missing(sample.key, header))));
        };
        if !is_key(sample.key.as_ref()) {
            return Ok(Some(Err(Error::Key { key: sample.key })));
        }
        if entry.is_empty() {
            return Ok(Some(framed(sample.key, content, frame, self.field.is_text)));
        }
        let fault = match path.text(content.head(), entry) {
            Ok(Some(text)) => {
                let text = Blob::in_memory(Arc::clone(content.name()), content.offset(), text.into_owned());
                return Ok(Some(framed(sample.key, text, frame, true)));
            }
            Ok(None) => format!("expected a value as {path}, got null"),
            Err(error) => error.message,
        };
        let source = ParseError::new(0, fault);
        let source = kaldi_io::Error::content(content.name().to_string(), content.offset(), source);
        Ok(Some(Err(Error::entry(None, sample.key, source))))
    }

    fn missing(&self, key: BString, offset: u64) -> Error {
        let path = &self.field.path;
        let what = if path.name() == "wav" { "of sound (.wav, .flac)".to_owned() } else { format!(".{path}") };
        let name = self.samples.shard().map_or_else(String::new, |shard| shard.name.to_string());
        let source = ParseError::new(0, format!("expected a member {what}, got none"));
        let source = kaldi_io::Error::content(name, offset, source);
        Error::entry(None, key, source)
    }
}

/// The entry of a content, which `frame` measures.
pub(super) fn framed(key: BString, content: Blob, frame: FrameFn, is_text: bool) -> Result<RawEntry> {
    if !content.is_whole() {
        return Ok(RawEntry::new(key, content));
    }
    let content = match is_text {
        true => Blob::in_memory(Arc::clone(content.name()), content.offset(), one_line(content.head())),
        false => content,
    };
    let length = match frame(content.head(), true) {
        Ok(Frame::Whole(length)) => length,
        Ok(_) => content.head().len(),
        Err(source) => {
            let offset = content.offset() + source.offset as u64;
            let source = kaldi_io::Error::content(content.name().to_string(), offset, source);
            return Err(Error::entry(None, key, source));
        }
    };
    let (chunk, head) = content.surroundings();
    Ok(RawEntry::new(key, Blob::in_chunk(chunk, head.start..head.start + length)))
}

/// Reads a content. If values may stay where they are, and the rest can be read later, it reads only the header.
pub(super) fn parse_front(
    shard: &Shard,
    member: &Member,
    payload: &mut Payload<'_>,
    frame: FrameFn,
    lazy: Option<LazyValues>,
) -> shards::Result<Blob> {
    let (name, base) = (Arc::clone(&shard.name), member.offset);
    let may_stay = |rest: &Arc<dyn ReadAt>| match lazy {
        None => false,
        Some(LazyValues::InFiles) => rest.is_near(),
        Some(LazyValues::Anywhere) => true,
    };
    if let Some(rest) = shard.bytes.as_ref().filter(|rest| may_stay(rest)) {
        let head = payload.parse_front(|head| match frame(head, false) {
            Ok(Frame::Beyond(whole)) if whole <= member.size => Some(Some((head.to_vec(), whole))),
            Ok(Frame::Partial(_)) => None,
            _ => Some(None),
        })?;
        if let Some((bytes, whole)) = head.flatten() {
            let (head, rest) = (0..bytes.len(), Some(Arc::clone(rest)));
            return Ok(Blob::with_head(&Arc::new(Chunk { bytes, base, name, rest }), head, whole));
        }
    }
    Ok(Blob::in_memory(name, base, payload.read()?))
}

/// Text as one line: without white space at its ends; other white space than blanks becomes a blank.
fn one_line(text: &[u8]) -> Vec<u8> {
    let blank = |&byte: &u8| if byte.is_ascii_whitespace() || byte == 0x0b { b' ' } else { byte };
    text.trim_ascii().iter().map(blank).chain([b'\n']).collect()
}

pub(super) fn to_error(error: shards::Error) -> Error {
    match error {
        shards::Error::Io(error) => Error::Io(error),
        shards::Error::Line { list, line, message } => Error::ScriptLine { script: list, line, message },
        error => Error::Shard(error.to_string()),
    }
}

impl EntrySource for ShardReader {
    fn step(&mut self) -> Result<Step> {
        Step::of(self.next_entry()?, self.permissive)
    }

    fn restart(&mut self) -> Result<()> {
        self.samples.restart().map_err(to_error)
    }

    fn finish(&mut self) -> Result<()> {
        match self.samples.finish().map_err(to_error) {
            Err(error @ Error::Io(kaldi_io::Error::Status { .. })) if self.permissive => {
                warning!("{error}; ignored, as permissive mode (p) asks");
                Ok(())
            }
            other => other,
        }
    }

    fn set_lazy(&mut self, lazy: LazyValues) {
        self.lazy = Some(lazy);
        self.samples.names().want(Wanted::Headers);
    }
}
