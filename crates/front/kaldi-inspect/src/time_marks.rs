//! Lists of times: CTM (words), RTTM (turns of speakers), STM (segments with their words).
//!
//! ```text
//! CTM   recording channel start duration word [confidence ...]
//! RTTM  SPEAKER recording channel start duration <NA> <NA> speaker <NA> [<NA>]
//! STM   recording channel speaker start end [<label>] words ...
//! ```
//!
//! Lines that start with `;;` are comments.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use bstr::{BStr, BString, ByteSlice};
use kaldi_any::FileKind;
use kaldi_corpus::{DataDirectory, Segment};
use kaldi_io::{Lines, excerpt, is_space};

use crate::fault::Fault;
use crate::sound::Measures;
use crate::{Error, Result};

/// Seconds that two neighbours may overlap, and that a mark may end after its sound: times are rounded to hundredths.
const ROUNDED: f64 = 0.015;

/// A line.
struct Mark<'a> {
    recording: &'a BStr,
    channel: &'a BStr,
    speaker: Option<&'a BStr>,
    start: f64,
    end: f64,
    words: u64,
}

/// What such a list has of a recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MarkedRecording {
    /// Lines with times.
    pub marks: u64,
    /// Words.
    pub words: u64,
    /// Seconds of all marks together.
    pub seconds: f64,
    /// When the last mark ends.
    pub end: f64,
    /// The speakers, if lines name them.
    pub speakers: BTreeSet<BString>,
}

/// What is in a list of times, for each recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeMarks {
    /// The recordings, by name.
    pub recordings: BTreeMap<BString, MarkedRecording>,
}

impl TimeMarks {
    /// Reads a list of this kind. Lines that are none are left out; [`check_marks`] finds them.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(name: &BStr, kind: FileKind) -> Result<Self> {
        Self::read_lines(name, kind, &mut |_| {})
    }

    /// As [`TimeMarks::read`], and passes each line that is not blank to the caller.
    pub(crate) fn read_lines(name: &BStr, kind: FileKind, line: &mut dyn FnMut(&[u8])) -> Result<Self> {
        let mut marks = Self::default();
        for_each_mark(name, kind, line, |_, mark| {
            if let Ok(mark) = mark {
                marks.add(&mark);
            }
        })?;
        Ok(marks)
    }

    fn add(&mut self, mark: &Mark<'_>) {
        let recording = self.recordings.entry(mark.recording.to_owned()).or_default();
        recording.marks += 1;
        recording.words += mark.words;
        recording.seconds += (mark.end - mark.start).max(0.0);
        recording.end = recording.end.max(mark.end);
        recording.speakers.extend(mark.speaker.map(ToOwned::to_owned));
    }

    /// Names and values of a report: recordings, speakers, words, hours.
    pub fn facts(&self) -> Vec<(&'static str, serde_json::Value)> {
        let all = self.recordings.values();
        let speakers: BTreeSet<_> = all.clone().flat_map(|it| &it.speakers).collect();
        let words: u64 = all.clone().map(|it| it.words).sum();
        let seconds: f64 = all.map(|it| it.seconds).sum();
        let mut facts = vec![("recordings", self.recordings.len().into())];
        facts.extend((!speakers.is_empty()).then(|| ("speakers", speakers.len().into())));
        facts.extend((words > 0).then(|| ("words", words.into())));
        facts.push(("hours", ((seconds / 3600.0 * 1e7).round() / 1e7).into()));
        facts
    }
}

impl MarkedRecording {
    /// Its numbers by name, as [`MeasureStatistics`](crate::MeasureStatistics) take them.
    pub fn measures(&self) -> Measures {
        vec![
            ("marks", Some(self.marks as f64)),
            ("words", Some(self.words as f64)),
            ("speakers", Some(self.speakers.len() as f64)),
            ("seconds", Some(self.seconds)),
            ("end", Some(self.end)),
        ]
    }
}

/// Finds everything that is wrong with a list of this kind and passes each fault to the caller; the place is a line. Returns the number
/// of lines with times.
///
/// Times must be numbers, in order within a recording and channel (in RTTM and STM within a speaker), and must not overlap there. If
/// there is a data directory, `data` or else the folder of the file, recordings must be in it, or utterances, and no line may end after its sound.
///
/// # Errors
/// If the list or a file of the directory cannot be read.
pub fn check_marks(name: &BStr, kind: FileKind, data: Option<&Path>, report: &mut dyn FnMut(Fault)) -> Result<u64> {
    let table = name.to_string();
    let folder = name.to_path_lossy().parent().map(Path::to_owned);
    let folder = folder.filter(|folder| DataDirectory::new(folder).is_data_directory());
    let known = data.or(folder.as_deref()).map(Known::read).transpose()?;
    let (mut count, mut last, mut unknown) = (0, HashMap::<BString, (f64, f64)>::new(), BTreeSet::<BString>::new());
    for_each_mark(name, kind, &mut |_| {}, |number, mark| {
        count += 1;
        let place = format!("line {number}");
        let mark = match mark {
            Ok(mark) => mark,
            Err(message) => return report(Fault::new(&table, place, message)),
        };
        let mut fault = |message: String| report(Fault::new(&table, &place, message));
        let (start, end) = (mark.start, mark.end);
        if start < 0.0 || end < start {
            fault(format!("expected a start from 0 on and a later end, got {start:.3} s to {end:.3} s"));
        }
        if let Some(known) = &known {
            match known.ends.get(mark.recording) {
                None if unknown.insert(mark.recording.to_owned()) => {
                    fault(format!("{} is no recording or utterance of {}", excerpt(mark.recording), known.name));
                }
                Some(Some(seconds)) if end > seconds + ROUNDED => {
                    fault(format!("it ends at {end:.3} s, {:.3} s after its sound", end - seconds));
                }
                None | Some(_) => {}
            }
        }
        // People may talk at the same time.
        let who = mark.speaker.filter(|_| kind != FileKind::Ctm).unwrap_or_default();
        let place = [mark.recording.as_bytes(), mark.channel, who].join(&b' ');
        if let Some(&(before, until)) = last.get(place.as_slice().as_bstr()) {
            if start < before {
                fault(format!(
                    "lines are not in order: it starts at {start:.3} s, and the one before at {before:.3} s"
                ));
            } else if start < until - ROUNDED && end > start {
                fault(format!("it starts at {start:.3} s, and the one before ends at {until:.3} s: they overlap"));
            }
        }
        last.insert(place.into(), (start, end));
    })?;
    if count == 0 {
        report(Fault::new(&table, "", "the file has no lines with times"));
    }
    Ok(count)
}

/// The recordings and utterances of a data directory, and how long they are, as far as it says.
struct Known {
    name: String,
    ends: HashMap<BString, Option<f64>>,
}

impl Known {
    fn read(path: &Path) -> Result<Self> {
        let folder = DataDirectory::new(path);
        if !folder.is_data_directory() {
            return Err(Error::NoData { name: path.as_os_str().as_encoded_bytes().into() });
        }
        let mut ends = HashMap::<BString, Option<f64>>::new();
        for file in [DataDirectory::WAV_SCP, DataDirectory::UTT2SPK, "text"] {
            folder.for_each(file, |line| {
                ends.entry(line.key.into()).or_default();
            })?;
        }
        // Names of files, as in NIST's lists.
        folder.for_each("reco2file_and_channel", |line| {
            ends.entry(line.words().next().unwrap_or_default().into()).or_default();
        })?;
        folder.for_each("segments", |line| {
            if let Ok(segment) = Segment::after_key(line.key, line.rest) {
                ends.entry(segment.recording.into()).or_default();
                ends.insert(line.key.into(), segment.span.end.map(|end| end - segment.span.start));
            }
        })?;
        for file in ["reco2dur", "utt2dur"] {
            folder.for_each(file, |line| {
                ends.insert(line.key.into(), line.number_at(0));
            })?;
        }
        Ok(Self { name: path.display().to_string(), ends })
    }
}

/// Passes each line with times, and its number, to the caller; or why it is none. `any` gets all lines that are not blank.
fn for_each_mark(
    name: &BStr,
    kind: FileKind,
    any: &mut dyn FnMut(&[u8]),
    mut each: impl FnMut(u64, std::result::Result<Mark<'_>, String>),
) -> Result<()> {
    let mut lines = Lines::open(name)?;
    for number in 1.. {
        let Some(line) = lines.next_line()? else { break };
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        any(line);
        if line.starts_with(b";;") || line.starts_with(b"#") {
            continue;
        }
        kaldi_table::count_delivered();
        let words = line.split(|&byte| is_space(byte)).filter(|word| !word.is_empty()).map(BStr::new);
        let words: Vec<&BStr> = words.collect();
        match parse(kind, &words) {
            Ok(None) => {}
            Ok(Some(mark)) => each(number, Ok(mark)),
            Err(expected) => each(number, Err(format!("expected {expected}, got {}", excerpt(line)))),
        }
    }
    Ok(lines.finish()?)
}

/// Reads the words of a line; `None` if it has no times, as some of RTTM.
fn parse<'a>(kind: FileKind, words: &[&'a BStr]) -> std::result::Result<Option<Mark<'a>>, &'static str> {
    let time = |at: usize| {
        let number = std::str::from_utf8(words.get(at)?).ok()?.parse::<f64>().ok()?;
        number.is_finite().then_some(number)
    };
    let is_word = |word: &&&BStr| !(word.starts_with(b"<") && word.ends_with(b">"));
    match kind {
        FileKind::Rttm => {
            const EXPECTED: &str = "SPEAKER, a recording, a channel, a start, a duration, <NA>, <NA> and a speaker";
            if words.len() < 8 {
                return Err(EXPECTED);
            }
            if words[3] == "<NA>" || words[4] == "<NA>" {
                return Ok(None);
            }
            let (Some(start), Some(duration)) = (time(3), time(4)) else { return Err(EXPECTED) };
            let (recording, channel, speaker) = (words[1], words[2], Some(words[7]));
            let words = u64::from(words[0] == "LEXEME");
            Ok(Some(Mark { recording, channel, speaker, start, end: start + duration, words }))
        }
        FileKind::Stm => {
            let (Some(start), Some(end)) = (time(3), time(4)) else {
                return Err("a recording, a channel, a speaker, a start and an end");
            };
            let label = words.get(5).filter(|word| !is_word(word)).map_or(5, |_| 6);
            let said = words[label..].len() as u64;
            Ok(Some(Mark { recording: words[0], channel: words[1], speaker: Some(words[2]), start, end, words: said }))
        }
        _ => {
            let (Some(start), Some(duration), true) = (time(2), time(3), words.len() >= 5) else {
                return Err("a recording, a channel, a start, a duration and a word");
            };
            // Alternatives of NIST have marks of their own, without times; silence is no word.
            let said = u64::from(is_word(&&words[4]));
            Ok(Some(Mark {
                recording: words[0],
                channel: words[1],
                speaker: words.get(7).copied(),
                start,
                end: start + duration,
                words: said,
            }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    fn faults(kind: FileKind, text: &str, data: Option<&Path>) -> Vec<String> {
        let (file, mut faults) = (write(text), Vec::new());
        let name = file.path().to_str().unwrap();
        check_marks(name.into(), kind, data, &mut |fault| faults.push(format!("{}: {}", fault.place, fault.message)))
            .unwrap();
        faults
    }

    #[test]
    fn times_of_a_recording_are_in_order_and_do_not_overlap() {
        let good = ";; made\na A 0.00 0.50 hello 0.9\na A 0.49 0.20 you\na B 0.10 0.2 well\nb A 0 1 yes\n";
        assert!(faults(FileKind::Ctm, good, None).is_empty());
        let bad = "a A 1.00 0.50 hello\na A 0.20 0.20 you\na A 0.30 0.2 too\na A x 0.2 so\na A 3 -1 no\na A 4 1\n";
        assert_eq!(
            faults(FileKind::Ctm, bad, None),
            [
                "line 2: lines are not in order: it starts at 0.200 s, and the one before at 1.000 s",
                "line 3: it starts at 0.300 s, and the one before ends at 0.400 s: they overlap",
                "line 4: expected a recording, a channel, a start, a duration and a word, got a A x 0.2 so",
                "line 5: expected a start from 0 on and a later end, got 3.000 s to 2.000 s",
                "line 6: expected a recording, a channel, a start, a duration and a word, got a A 4 1",
            ]
        );
        let turns = "SPEAKER a 1 0 5 <NA> <NA> s1 <NA> <NA>\nSPEAKER a 1 2.5 5 <NA> <NA> s2 <NA> <NA>\n";
        assert!(faults(FileKind::Rttm, turns, None).is_empty());
        let one = turns.replace("s2", "s1");
        assert_eq!(faults(FileKind::Rttm, &one, None).len(), 1);
        assert_eq!(faults(FileKind::Stm, "a 1 s1 2 1 hello\na 1 s1 3\n", None).len(), 2);
        assert_eq!(faults(FileKind::Stm, ";; nothing\n", None), [": the file has no lines with times"]);
    }

    #[test]
    fn recordings_are_those_of_the_data_directory_and_no_word_ends_after_its_sound() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("wav.scp"), "a a.wav\n").unwrap();
        std::fs::write(folder.path().join("segments"), "a-1 a 1.0 3.0\n").unwrap();
        std::fs::write(folder.path().join("reco2dur"), "a 5.0\n").unwrap();
        let ctm = "a 1 0 4.5 one\na 1 4.9 0.2 two\na-1 1 0 1 one\na-1 1 1.5 1 two\nc 1 0 1 one\nc 1 1 1 two\n";
        let found = faults(FileKind::Ctm, ctm, Some(folder.path()));
        let expected = [
            "line 2: it ends at 5.100 s, 0.100 s after its sound",
            "line 4: it ends at 2.500 s, 0.500 s after its sound",
        ];
        assert_eq!(found[..2], expected);
        assert!(found[2].starts_with("line 5: c is no recording or utterance of "), "{found:?}");
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn recordings_speakers_and_words_are_counted() {
        let facts = |kind, text: &str| {
            let file = write(text);
            let marks = TimeMarks::read(file.path().to_str().unwrap().into(), kind).unwrap();
            serde_json::to_string(&marks.facts().into_iter().collect::<BTreeMap<_, _>>()).unwrap()
        };
        assert_eq!(
            facts(FileKind::Ctm, "a 1 0 1800 one\nb 1 0 1800 <eps>\n"),
            r#"{"hours":1.0,"recordings":2,"words":1}"#
        );
        assert_eq!(
            facts(FileKind::Stm, "a 1 s1 0 3600 <o,f0> one two\na 1 s2 3600 7200\n"),
            r#"{"hours":2.0,"recordings":1,"speakers":2,"words":2}"#
        );
        let turns = "SPKR-INFO a 1 <NA> <NA> <NA> unknown s1 <NA>\nSPEAKER a 1 0 3600 <NA> <NA> s1 <NA> <NA>\n";
        assert_eq!(facts(FileKind::Rttm, turns), r#"{"hours":1.0,"recordings":1,"speakers":1}"#);
    }
}
