//! Lines of the file `segments`: utterances that are parts of recordings.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{Lines, excerpt};

use crate::corpus::LONGEST;
use crate::{CorpusPlace, Result};

/// A part of a recording in time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeSpan {
    /// Its start, in seconds.
    pub start: f64,
    /// Its end, in seconds; `None` is the end of the recording, which lists have as -1.
    pub end: Option<f64>,
}

impl TimeSpan {
    /// What lists have in place of the end of the recording.
    pub const TO_THE_END: f64 = -1.0;

    /// The span from `start` to `end` as lists have them.
    pub fn listed(start: f64, end: f64) -> Self {
        Self { start, end: Some(end).filter(|&end| end != Self::TO_THE_END) }
    }

    /// Its end in a recording of so many seconds.
    pub fn end_in(self, seconds: f64) -> f64 {
        self.end.unwrap_or(seconds)
    }

    /// Whether it starts at 0 or later and ends after its start, or at the end of the recording.
    pub fn is_forward(self) -> bool {
        self.start >= 0.0 && self.end.is_none_or(|end| end > self.start)
    }
}

impl fmt::Display for TimeSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.start, self.end_in(Self::TO_THE_END))
    }
}

/// A line of a segments file: `<segment> <recording> <start> <end> [<channel>]`, times in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment<'a> {
    /// The key of the segment.
    pub name: &'a BStr,
    /// The key of the recording, or of the features, that contains it.
    pub recording: &'a BStr,
    /// Where it is in the recording.
    pub span: TimeSpan,
    /// The channel, counted from zero.
    pub channel: Option<u32>,
}

impl<'a> Segment<'a> {
    /// Reads a line without its newline; fields are separated by blanks, tabs and carriage returns.
    ///
    /// The times have to be numbers; [`TimeSpan::is_forward`] says whether they make sense.
    ///
    /// # Errors
    /// The error in the line, with the text that Kaldi's warnings have in brackets; `None` if the number of fields is
    /// wrong.
    pub fn parse(line: &'a [u8]) -> Result<Self, Option<&'static str>> {
        let line = line.trim_start_with(|c| matches!(c, ' ' | '\t' | '\r'));
        let end = line.iter().position(|&byte| is_separator(byte)).unwrap_or(line.len());
        Self::after_key(line[..end].into(), &line[end..])
    }

    /// Reads what is after the key `name`.
    ///
    /// # Errors
    /// As [`Segment::parse`].
    pub fn after_key(name: &'a BStr, rest: &'a [u8]) -> Result<Self, Option<&'static str>> {
        let mut fields = rest.split(|&byte| is_separator(byte)).filter(|field| !field.is_empty());
        let (Some(recording), Some(start), Some(end)) = (fields.next(), fields.next(), fields.next()) else {
            return Err(None);
        };
        let channel = fields.next();
        if fields.next().is_some() {
            return Err(None);
        }
        let start = seconds(start).ok_or(Some("bad start"))?;
        let end = seconds(end).ok_or(Some("bad end"))?;
        let channel = channel.map(|field| index(field).ok_or(Some("bad channel"))).transpose()?;
        Ok(Self { name, recording: recording.into(), span: TimeSpan::listed(start, end), channel })
    }
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

fn seconds(field: &[u8]) -> Option<f64> {
    match kaldi_value::number::parse_f64(field) {
        Ok((value, length)) if length == field.len() && !value.is_nan() => Some(value),
        _ => None,
    }
}

fn index(field: &[u8]) -> Option<u32> {
    match kaldi_value::number::parse_integer(field) {
        Ok((value, length)) if length == field.len() => i32::try_from(value).ok()?.try_into().ok(),
        _ => None,
    }
}

/// The part of a recording that a segment is.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordingPart {
    /// The key of the recording.
    pub recording: BString,
    /// Where it is in the recording.
    pub span: TimeSpan,
    /// The channel, counted from zero.
    pub channel: Option<u32>,
    /// The number of its line, from 1.
    pub line: u64,
}

/// The lines of a segments file, in their order and by their keys.
#[derive(Clone, Debug)]
pub struct Segments {
    name: Arc<str>,
    keys: Vec<BString>,
    parts: HashMap<BString, RecordingPart>,
}

impl Segments {
    /// Reads a segments file. Blank lines are skipped. Ends may be before their starts.
    ///
    /// # Errors
    /// If it cannot be read, a line is no segment, a time is beyond 115 days, or a key comes twice.
    pub fn read(rxfilename: &BStr) -> Result<Self> {
        let mut lines = Lines::open(rxfilename)?;
        let mut segments = Self { name: lines.name().into(), keys: Vec::new(), parts: HashMap::new() };
        while let Some((number, line)) = lines.next_keyed()? {
            let place = CorpusPlace::line(&segments.name, number);
            let segment = Segment::after_key(line.key, line.rest).ok();
            let segment = segment.filter(|it| it.span.start.abs().max(it.span.end_in(0.0).abs()) <= LONGEST);
            let Some(Segment { recording, span, channel, .. }) = segment else {
                return Err(place.error(format!(
                    "expected a segment, a recording, start and end in seconds and perhaps a channel, got \"{}\"",
                    excerpt(line.to_string().as_bytes())
                )));
            };
            let part = RecordingPart { recording: recording.into(), span, channel, line: number };
            if segments.parts.insert(line.key.into(), part).is_some() {
                return Err(place.error(format!("expected each key once, got {} again", line.key)));
            }
            segments.keys.push(line.key.into());
        }
        Ok(segments)
    }

    /// Reads a segments file whose segments all end after their starts, or at the ends of recordings.
    ///
    /// # Errors
    /// As [`Segments::read`]; if a segment is no such span.
    pub fn read_spans(rxfilename: &BStr) -> Result<Self> {
        let segments = Self::read(rxfilename)?;
        match segments.keys.iter().find_map(|key| segments.get(key).filter(|part| !part.span.is_forward())) {
            Some(RecordingPart { span, line, .. }) => {
                let message = format!("expected a start of 0 or more and a later end, or -1, got {span}");
                Err(CorpusPlace::line(&segments.name, *line).error(message))
            }
            None => Ok(segments),
        }
    }

    /// The printable name of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The keys of the segments, in the order of the file.
    pub fn keys(&self) -> &[BString] {
        &self.keys
    }

    /// The segment of this key.
    pub fn get(&self, key: impl AsRef<[u8]>) -> Option<&RecordingPart> {
        self.parts.get(key.as_ref().as_bstr())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_four_or_five_fields() {
        let span = TimeSpan { start: 1.0, end: Some(2.5) };
        let expected = Segment { name: "s".into(), recording: "r".into(), span, channel: None };
        assert_eq!(Segment::parse(b"s r 1 2.5"), Ok(expected));
        assert_eq!(Segment::parse(b"  s\tr  1 2.5\r"), Ok(expected));
        assert_eq!(Segment::parse(b"s r 1 2.5 1"), Ok(Segment { channel: Some(1), ..expected }));
        for line in ["", "s", "s r 1", "s r 1 2 3 4"] {
            assert_eq!(Segment::parse(line.as_bytes()), Err(None), "{line:?}");
        }
    }

    #[test]
    fn times_and_channel_are_numbers() {
        for (line, reason) in [
            ("s r x 2", "bad start"),
            ("s r 1s 2", "bad start"),
            ("s r nan 2", "bad start"),
            ("s r 1 2x", "bad end"),
            ("s r 1 2 x", "bad channel"),
            ("s r 1 2 -1", "bad channel"),
            ("s r 1 2 1.5", "bad channel"),
            ("s r 1 2 3000000000", "bad channel"),
        ] {
            assert_eq!(Segment::parse(line.as_bytes()), Err(Some(reason)), "{line:?}");
        }
        assert_eq!(Segment::parse(b"s r -1 inf").unwrap().span, TimeSpan { start: -1.0, end: Some(f64::INFINITY) });
    }

    #[test]
    fn an_end_of_minus_one_is_that_of_the_recording() {
        for end in ["-1", "-1.0", "-1e0", "-1.000"] {
            let line = format!("s r 0.5 {end} 1");
            let span = Segment::parse(line.as_bytes()).unwrap().span;
            assert_eq!((span, span.end_in(3.0)), (TimeSpan { start: 0.5, end: None }, 3.0));
            assert!(span.is_forward() && span.to_string() == "0.5 to -1");
        }
        for end in ["-2", "-0.999", "0", "0.5"] {
            let line = format!("s r 0.5 {end}");
            assert!(!Segment::parse(line.as_bytes()).unwrap().span.is_forward(), "{end}");
        }
        assert!(!Segment::parse(b"s r -1 -1").unwrap().span.is_forward());
    }

    #[test]
    fn a_file_has_each_segment_once() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let name = file.path().to_str().unwrap();
        let read = |text: &str| {
            std::fs::write(file.path(), text).unwrap();
            Segments::read(name.into()).map_err(|error| error.to_string()[name.len()..].to_owned())
        };
        let segments = read("u2 r1 0 12.340\n\nu1 r1 1e1 -1 1\r\n").unwrap();
        assert_eq!(segments.keys(), ["u2", "u1"]);
        let part = |start, end, channel, line| {
            let span = TimeSpan { start, end };
            RecordingPart { recording: "r1".into(), span, channel, line }
        };
        assert_eq!(segments.get("u2"), Some(&part(0.0, Some(12.34), None, 1)));
        assert_eq!(segments.get("u1"), Some(&part(10.0, None, Some(1), 3)));
        assert_eq!(segments.get("r1"), None);
        let expected = "expected a segment, a recording, start and end in seconds and perhaps a channel, got";
        for line in ["u1 r1 0", "u1 r1 0 1 0 0", "u1 r1 0 x", "u1 r1 0 1 -1", "u1 r1 0 inf", "u1 r1 0 2e7"] {
            assert_eq!(read(&format!("u r 0 1\n{line}\n")).unwrap_err(), format!(":2: {expected} \"{line}\""));
        }
        for (times, shown) in [("-0.5 1", "-0.5 to 1"), ("2 1", "2 to 1"), ("1 -2", "1 to -2")] {
            assert_eq!(read(&format!("u r 0 1\nu1 r1 {times}\n")).unwrap().keys().len(), 2);
            let error = Segments::read_spans(name.into()).unwrap_err().to_string();
            assert!(error.ends_with(&format!(":2: expected a start of 0 or more and a later end, or -1, got {shown}")));
        }
        assert_eq!(read("u1 r 0 1\nu1 r 0 1").unwrap_err(), ":2: expected each key once, got u1 again");
    }
}
