//! Which utterances a data directory has, and where their values are.

use std::collections::HashMap;
use std::path::Path;

use bstr::{BString, ByteSlice};
use kaldi_corpus::{DataFolder, Segment, last_ends};
use kaldi_io::log::warning;
use kaldi_io::{Lines, for_each_keyed_line};
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

    /// Archives of lattices, as in the folder of a decoder.
    #[cfg(feature = "server")]
    pub fn lattices(&self) -> Vec<BString> {
        self.folder.lattices()
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
            let count = for_each_keyed_line(name.as_bstr(), |line| {
                let utterance = corpus.utterance(line.key);
                corpus.set_speaker(utterance, line.rest);
            })?;
            corpus.add_table(&name, "utt2spk", count);
        }
        let mut jobs = self.sound(corpus)?;
        if let Some(name) = self.file("text") {
            let count =
                for_each_keyed_line(name.as_bstr(), |line| corpus.set_text(line.key, line.rest.into(), hypotheses))?;
            corpus.add_table(&name, "text", count);
        }
        if let Some(name) = self.file("feats.scp") {
            jobs.extend(corpus.jobs_of_script(&name, Role::Features)?);
        }
        for name in ["cmvn.scp", "vad.scp"] {
            if let Some(name) = self.file(name) {
                let count = for_each_keyed_line(name.as_bstr(), |_| {})?;
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
        while let Some((number, line)) = lines.next_keyed()? {
            count += 1;
            let Ok(segment) = Segment::after_key(line.key, line.rest) else {
                warning!("{segments}:{number}: expected <utterance> <recording> <start> <end>: {line}");
                continue;
            };
            let utterance = corpus.utterance(segment.name);
            let Some(&number) = numbers.get(segment.recording) else {
                let message = format!("its recording {} is not in wav.scp", segment.recording);
                corpus.utterances[utterance].unreadable = Some(message);
                continue;
            };
            let channel = segment.channel.map(|channel| channel as usize);
            let part = Part { utterance, span: segment.span, channel };
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
