//! Sequential reading of Shar: one field of each cut.

use std::fmt;
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::log::warning;
use kaldi_io::{Blob, FrameFn, ParseError};
use shards::{Cut, CutEntry, SharFolder, SharPart, SharSample, SharStream, Wanted};

use crate::batch::LazyValues;
use crate::key::is_key;
use crate::raw::RawEntry;
use crate::read::entry_by_entry::{EntrySource, Step};
use crate::read::shards::{framed, parse_front, to_error};
use crate::{Error, Result};

/// The field of sound.
const SOUND: &str = "recording";

/// The field that is read.
#[derive(Clone, Debug)]
pub(crate) enum SharField {
    /// Words of the cut itself.
    Entry(CutEntry),
    /// What tar files of this name have.
    Tar(String),
}

impl SharField {
    /// The field of this name.
    pub(crate) fn named(name: &str) -> Self {
        CutEntry::named(name).map_or_else(|| Self::Tar(name.to_owned()), Self::Entry)
    }

    /// The field that an rspecifier names, or the one that has values of a type by itself; what to say if there is none.
    pub(crate) fn new(
        named: Option<&BString>,
        of_type: Option<&'static str>,
        type_name: &str,
    ) -> std::result::Result<Self, String> {
        match (named, of_type) {
            (Some(name), _) => Ok(Self::named(name.to_str().map_err(|_| "field= has no name in UTF-8".to_owned())?)),
            (None, Some("wav")) => Ok(Self::Tar(SOUND.to_owned())),
            (None, Some("txt")) => Ok(Self::Entry(CutEntry::Text)),
            (None, _) => Err(format!("Shar has sound and text, and no value of type {type_name}")),
        }
    }
}

/// Reads the cuts of a Shar folder, or of one of its files of cuts.
pub(crate) struct SharReader {
    cuts: SharStream,
    field: SharField,
    frame: FrameFn,
    lazy: Option<LazyValues>,
    permissive: bool,
}

impl fmt::Debug for SharReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharReader").field("field", &self.field).finish_non_exhaustive()
    }
}

impl SharReader {
    pub(crate) fn open(rxfilename: &BStr, field: SharField, frame: FrameFn, permissive: bool) -> Result<Self> {
        let folder = SharFolder::find(rxfilename).map_err(to_error)?;
        let is_there = |name: &str| folder.fields().iter().any(|field| field == name);
        let in_files = match &field {
            SharField::Tar(name) if !is_there(name) => {
                let have: Vec<&str> = folder.fields().iter().map(String::as_str).collect();
                let have = if have.is_empty() { "none".to_owned() } else { have.join(", ") };
                let message = format!(
                    "{}: expected tar files of the field {name}, or a field text, speaker, language, gender or custom.NAME; got tar \
                     files of {have}",
                    folder.name()
                );
                return Err(Error::Shard(message));
            }
            SharField::Tar(name) => vec![name.clone()],
            // Values of custom may have files of their own.
            SharField::Entry(CutEntry::Custom(path)) => {
                let name = path.name().to_str_lossy().trim_start_matches("custom.").to_owned();
                if is_there(&name) { vec![name] } else { Vec::new() }
            }
            SharField::Entry(_) => Vec::new(),
        };
        let in_files: Vec<&str> = in_files.iter().map(String::as_str).collect();
        let mut cuts = SharStream::new(folder, &in_files, Wanted::Contents);
        if permissive {
            cuts.leave_out_damaged(|error| {
                warning!("{error}; the rest of these cuts is left out, as permissive mode (p) asks");
            });
        }
        Ok(Self { cuts, field, frame, lazy: None, permissive })
    }

    /// The entry of the next cut, or what is wrong with that cut alone.
    pub(crate) fn next_entry(&mut self) -> Result<Option<Result<RawEntry>>> {
        let (frame, lazy) = (self.frame, self.lazy);
        let has_data = matches!(self.field, SharField::Tar(_));
        let sample = self.cuts.next_with(|_, shard, _, member, payload| match has_data {
            true => parse_front(shard, member, payload, frame, lazy).map(Some),
            false => Ok(None),
        });
        let Some(mut sample) = sample.map_err(to_error)? else { return Ok(None) };
        if !is_key(sample.id.as_ref()) {
            return Ok(Some(Err(Error::Key { key: sample.id })));
        }
        let part = sample.parts.pop();
        let (content, is_text) = match (&self.field, part) {
            (SharField::Tar(_), Some(SharPart::Member { value: Some(content), .. })) => (Ok(content), false),
            (SharField::Tar(name), _) => (Err(format!("expected the field {name} of the cut, got none")), false),
            (SharField::Entry(entry), part) => (words(entry, &sample, part), true),
        };
        Ok(Some(match content {
            Ok(content) => framed(sample.id, content, frame, is_text),
            Err(message) => {
                // The place in a file of lines is the number of the line.
                let (name, offset) = (sample.list.to_string(), sample.number);
                let source = kaldi_io::Error::content(name, offset, ParseError::new(0, message));
                Err(Error::entry(None, sample.id, source))
            }
        }))
    }
}

/// The words of a cut.
fn words<T>(
    entry: &CutEntry,
    sample: &SharSample<T>,
    in_file: Option<SharPart<T>>,
) -> std::result::Result<Blob, String> {
    let words = match in_file {
        Some(SharPart::Json(value)) => match entry {
            CutEntry::Custom(path) => shards::FieldPath::new("json.value")
                .text(&[b"{\"value\": ", value.as_slice(), b"}"].concat(), "value".into())
                .map_err(|error| format!("{path}: {}", error.message))?
                .map(|text| text.into_owned()),
            _ => None,
        },
        _ => entry.words(&Cut::parse(&sample.line)?)?.map(String::into_bytes),
    };
    let words = words.ok_or_else(|| format!("expected {} of the cut, got none", entry.name()))?;
    Ok(Blob::in_memory(Arc::clone(&sample.list), sample.number, words))
}

impl EntrySource for SharReader {
    fn step(&mut self) -> Result<Step> {
        Step::of(self.next_entry()?, self.permissive)
    }

    fn restart(&mut self) -> Result<()> {
        self.cuts.restart();
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.cuts.finish().map_err(to_error)
    }

    fn set_lazy(&mut self, lazy: LazyValues) {
        self.lazy = Some(lazy);
        self.cuts.want(Wanted::Headers);
    }
}
