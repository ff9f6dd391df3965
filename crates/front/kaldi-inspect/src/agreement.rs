//! Whether the values of a data directory have lengths that agree.

use std::collections::HashMap;

use bstr::{BStr, BString, ByteSlice};
use corpus_quality::{Disagreement, Rule, UsualLengths, UtteranceLengths};
use kaldi_any::Header;
use kaldi_corpus::{DataDirectory, Segment, last_ends};

use crate::Result;
use crate::directory_check::Row;
use crate::fault::Fault;

/// The lengths of the values of a data directory, from their headers.
#[derive(Debug, Default)]
pub(crate) struct DirectoryLengths {
    /// Seconds of each recording.
    recordings: HashMap<BString, f64>,
    /// Frames of the features, in the order of their table.
    frames: Vec<(BString, usize)>,
    /// Labels of the alignments: their table, the key, their number.
    labels: Vec<(String, BString, usize)>,
}

/// What is wrong, as a message. `what` names what ends after the sound, if that is the fault.
fn message(found: Disagreement, lengths: &UtteranceLengths, what: &str) -> String {
    let (value, usual) = (found.value, found.usual.unwrap_or(0.0));
    let (seconds, frames) = (lengths.duration.unwrap_or(0.0), lengths.frames.unwrap_or(0));
    match found.rule {
        Rule::Frames => {
            format!("it has {value} frames, and its sound lasts {seconds:.3} s, for about {usual:.0} frames")
        }
        Rule::Labels => {
            format!("it has {value} labels, and its features have {frames} frames, for about {usual:.0} labels")
        }
        _ => format!("{what} ends {value:.3} s after the sound"),
    }
}

impl DirectoryLengths {
    pub(crate) fn add_sound(&mut self, key: &BStr, header: &Header) {
        self.recordings.extend(header.seconds.map(|seconds| (key.to_owned(), seconds)));
    }

    pub(crate) fn add_frames(&mut self, key: &BStr, header: &Header) {
        self.frames.extend(header.rows.map(|rows| (key.to_owned(), rows as usize)));
    }

    pub(crate) fn add_labels(&mut self, table: &str, key: &BStr, header: &Header) {
        self.labels.extend(header.rows.map(|rows| (table.to_owned(), key.to_owned(), rows as usize)));
    }

    /// Reports what does not agree.
    ///
    /// # Errors
    /// If a list of time-marked words cannot be read.
    pub(crate) fn check(
        &self,
        folder: &DataDirectory,
        segments: Option<&[Row]>,
        report: &mut dyn FnMut(Fault),
    ) -> Result<()> {
        let mut utterances = self.sound(segments);
        for (key, frames) in &self.frames {
            utterances.entry(key.as_bstr()).or_default().frames = Some(*frames);
        }
        for (_, key, labels) in &self.labels {
            utterances.entry(key.as_bstr()).or_default().labels = Some(*labels);
        }
        let usual = UsualLengths::of(utterances.values().copied(), None);
        let mut look = |table: &str, key: &BStr, what: &str, lengths: UtteranceLengths| {
            for found in usual.disagreements(&lengths) {
                report(Fault::new(table, key, message(found, &lengths, what)));
            }
        };
        let of = |key: &BString| utterances.get(key.as_bstr()).copied().unwrap_or_default();
        let file = |name: &str| folder.name(name).to_string();
        for row in segments.unwrap_or_default() {
            let beyond = of(&row.key).beyond;
            look(
                &file("segments"),
                row.key.as_bstr(),
                "it",
                UtteranceLengths { beyond, ..UtteranceLengths::default() },
            );
        }
        for (key, _) in &self.frames {
            let lengths = UtteranceLengths { labels: None, beyond: None, ..of(key) };
            look(&file(DataDirectory::FEATS_SCP), key.as_bstr(), "it", lengths);
        }
        for (table, key, labels) in &self.labels {
            let lengths =
                UtteranceLengths { labels: Some(*labels), frames: of(key).frames, ..UtteranceLengths::default() };
            look(table, key.as_bstr(), "it", lengths);
        }
        for name in folder.time_marks() {
            for (key, end) in last_ends(name.as_bstr())?.0 {
                let seconds = of(&key).duration.or_else(|| self.recordings.get(&key).copied());
                let beyond = seconds.map(|seconds| end - seconds);
                look(
                    &name.to_string(),
                    key.as_bstr(),
                    "a word",
                    UtteranceLengths { beyond, ..UtteranceLengths::default() },
                );
            }
        }
        Ok(())
    }

    /// The durations of utterances: of recordings, or of their parts. Of a part of a recording whose duration is not known, it is
    /// what the segment says.
    fn sound<'a>(&'a self, segments: Option<&'a [Row]>) -> HashMap<&'a BStr, UtteranceLengths> {
        let Some(segments) = segments else {
            let of = |(key, &seconds): (&'a BString, &f64)| {
                (key.as_bstr(), UtteranceLengths { duration: Some(seconds), ..UtteranceLengths::default() })
            };
            return self.recordings.iter().map(of).collect();
        };
        let of = |row: &'a Row| {
            let segment = Segment::after_key(row.key.as_bstr(), &row.rest).ok()?;
            let whole = self.recordings.get(segment.recording).copied();
            let (start, end) = (segment.span.start, segment.span.end.or(whole)?);
            if end <= start {
                return None;
            }
            let duration = Some(end.min(whole.unwrap_or(end)) - start).filter(|&seconds| seconds > 0.0);
            let beyond = whole.map(|whole| end - whole);
            Some((row.key.as_bstr(), UtteranceLengths { duration, beyond, ..UtteranceLengths::default() }))
        };
        segments.iter().filter_map(of).collect()
    }
}
