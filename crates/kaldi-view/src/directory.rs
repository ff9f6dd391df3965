//! Which utterances a data directory has, and where their values are.

use std::collections::HashMap;
use std::path::Path;

use bstr::{BString, ByteSlice};
use kaldi_feat::Segment;
use kaldi_inspect::{DataFolder, Row, each_row, last_ends};
use kaldi_io::Lines;
use kaldi_log::warning;
use kaldi_table::{ScriptLine, read_script};

use crate::Result;
use crate::corpus::{Corpus, SoundPlace};
use crate::job::{Job, Part, Role};

/// A data directory whose values are to be measured.
pub(crate) struct DataDirectory {
    folder: DataFolder,
}

impl DataDirectory {
    pub fn new(path: &Path) -> Self {
        Self { folder: DataFolder::new(path) }
    }

    /// Tables of alignments.
    pub fn alignments(&self) -> Vec<BString> {
        self.folder.alignments()
    }

    /// Time-marked words.
    pub fn ctms(&self) -> Vec<BString> {
        self.folder.time_marks()
    }

    /// The name of a file in it; `None` if it is not there.
    pub fn file(&self, name: &str) -> Option<BString> {
        self.folder.file(name)
    }

    /// Adds the utterances to the corpus, and returns what is to be measured.
    ///
    /// # Errors
    /// If a list cannot be read.
    pub fn add(&self, corpus: &mut Corpus, hypotheses: Option<&HashMap<BString, BString>>) -> Result<Vec<Job>> {
        if let Some(name) = self.file("utt2spk") {
            let count = each_line(&name, |row| {
                let utterance = corpus.utterance(row.key.as_bstr());
                corpus.set_speaker(utterance, row.rest.as_bstr());
            })?;
            corpus.add_table(&name, "utt2spk", count);
        }
        let mut jobs = self.sound(corpus)?;
        if let Some(name) = self.file("text") {
            let count = each_line(&name, |row| corpus.set_text(row.key.as_bstr(), row.rest, hypotheses))?;
            corpus.add_table(&name, "text", count);
        }
        if let Some(name) = self.file("feats.scp") {
            jobs.extend(corpus.jobs_of_script(&name, Role::Features)?);
        }
        for name in ["cmvn.scp", "vad.scp"] {
            if let Some(name) = self.file(name) {
                let count = each_line(&name, |_| {})?;
                corpus.add_table(&name, "script", count);
            }
        }
        Ok(jobs)
    }

    /// The sound: a recording for each utterance, or parts of recordings.
    fn sound(&self, corpus: &mut Corpus) -> Result<Vec<Job>> {
        let Some(waves) = self.file("wav.scp") else { return Ok(Vec::new()) };
        let Some(segments) = self.file("segments") else { return corpus.jobs_of_script(&waves, Role::Sound) };
        let lines = read_script(&waves, false)?;
        corpus.add_table(&waves, "wave", lines.len() as u64);
        corpus.recordings += lines.len();
        let mut recordings: Vec<(ScriptLine, Vec<Part>)> = lines.into_iter().map(|line| (line, Vec::new())).collect();
        let numbers: HashMap<BString, usize> =
            recordings.iter().enumerate().map(|(number, (line, _))| (line.key.clone(), number)).collect();
        let mut lines = Lines::open(segments.as_bstr())?;
        let mut count = 0;
        while let Some(line) = lines.next_line()? {
            count += 1;
            let Ok(segment) = Segment::parse(line) else {
                warning!("{}:{count}: expected <utterance> <recording> <start> <end>: {}", segments, line.as_bstr());
                continue;
            };
            let utterance = corpus.utterance(segment.name.as_bstr());
            let Some(&number) = numbers.get(segment.recording.as_bstr()) else {
                let message = format!("its recording {} is not in wav.scp", segment.recording.as_bstr());
                corpus.utterances[utterance].unreadable = Some(message);
                continue;
            };
            let channel = segment.channel.and_then(|channel| usize::try_from(channel).ok());
            let part = Part { utterance, start: segment.start, end: segment.end, channel };
            let (recording, parts) = &mut recordings[number];
            corpus
                .set_place(utterance, SoundPlace { rxfilename: recording.xfilename.clone(), part: Some(part.clone()) });
            parts.push(part);
            corpus.last_of_recording.insert(recording.key.clone(), utterance);
        }
        corpus.add_table(&segments, "segments", count);
        let used = recordings.into_iter().filter(|(_, parts)| !parts.is_empty());
        Ok(used.map(|(line, parts)| Job::Recording { rxfilename: line.xfilename, parts }).collect())
    }

    /// The ends of time-marked words, for utterances and recordings; to be called when the sound is measured.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn add_ctms(&self, corpus: &mut Corpus) -> Result<()> {
        for name in self.ctms() {
            let (ends, count) = last_ends(name.as_bstr())?;
            corpus.add_table(&name, "ctm", count);
            ends.into_iter().for_each(|(key, end)| corpus.set_end(key.as_bstr(), end));
        }
        Ok(())
    }
}

/// Passes every line that is not empty to `each`, and returns how many there are.
///
/// # Errors
/// If the file cannot be read.
pub(crate) fn each_line(name: &BString, mut each: impl FnMut(Row)) -> Result<u64> {
    let mut count = 0;
    each_row(name.as_bstr(), |row| {
        if !row.key.is_empty() {
            count += 1;
            each(row);
        }
    })?;
    Ok(count)
}
