//! Which utterances a data directory has, and where their values are.

use std::collections::HashMap;

use bstr::{BString, ByteSlice};
use kaldi_corpus::{DataDirectory, Segment, last_ends};
use kaldi_io::log::warning;
use kaldi_io::{Lines, for_each_keyed_line};
use kaldi_table::{ScriptLine, read_script};

use crate::Result;
use crate::corpus::{Corpus, SoundPlace};
use crate::job::{Job, Part, Role};

impl Corpus {
    /// Adds the utterances of a data directory, and returns what is to be measured.
    ///
    /// # Errors
    /// If a list cannot be read.
    pub(crate) fn add_directory(
        &mut self,
        directory: &DataDirectory,
        hypotheses: Option<&HashMap<BString, BString>>,
    ) -> Result<Vec<Job>> {
        if let Some(name) = directory.file(DataDirectory::UTT2SPK) {
            let count = for_each_keyed_line(name.as_bstr(), |line| {
                let utterance = self.utterance(line.key);
                self.set_speaker(utterance, line.rest);
            })?;
            self.add_table(&name, DataDirectory::UTT2SPK, count);
        }
        let mut jobs = self.sound_of_directory(directory)?;
        if let Some(name) = directory.file(DataDirectory::TEXT) {
            let count =
                for_each_keyed_line(name.as_bstr(), |line| self.set_text(line.key, line.rest.into(), hypotheses))?;
            self.add_table(&name, "text", count);
        }
        if let Some(name) = directory.file(DataDirectory::FEATS_SCP) {
            jobs.extend(self.jobs_of_script(&name, Role::Features)?);
        }
        for name in [DataDirectory::CMVN_SCP, DataDirectory::VAD_SCP] {
            if let Some(name) = directory.file(name) {
                let count = for_each_keyed_line(name.as_bstr(), |_| {})?;
                self.add_table(&name, "script", count);
            }
        }
        Ok(jobs)
    }

    /// The sound: a recording for each utterance, or parts of recordings.
    fn sound_of_directory(&mut self, directory: &DataDirectory) -> Result<Vec<Job>> {
        let Some(waves) = directory.file(DataDirectory::WAV_SCP) else { return Ok(Vec::new()) };
        let Some(segments) = directory.file(DataDirectory::SEGMENTS) else {
            return self.jobs_of_script(&waves, Role::Sound);
        };
        let lines = read_script(&waves, false)?;
        self.add_table(&waves, "wave", lines.len() as u64);
        self.recordings += lines.len();
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
            let utterance = self.utterance(segment.name);
            let Some(&number) = numbers.get(segment.recording) else {
                let message = format!("its recording {} is not in wav.scp", segment.recording);
                self.utterances[utterance].unreadable = Some(message);
                continue;
            };
            let channel = segment.channel.map(|channel| channel as usize);
            let part = Part { utterance, span: segment.span, channel };
            let (recording, parts) = &mut recordings[number];
            self.set_place(utterance, SoundPlace { rxfilename: recording.xfilename.clone(), part: Some(part.clone()) });
            parts.push(part);
            self.last_of_recording.insert(recording.key.clone(), utterance);
        }
        self.add_table(&segments, "segments", count);
        let used = recordings.into_iter().filter(|(_, parts)| !parts.is_empty());
        Ok(used.map(|(line, parts)| Job::Recording { rxfilename: line.xfilename, parts }).collect())
    }

    /// The ends of time-marked words, for utterances and recordings; to be called when the sound is measured.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn add_ctms(&mut self, directory: &DataDirectory) -> Result<()> {
        for name in directory.time_marks() {
            let (ends, count) = last_ends(name.as_bstr())?;
            self.add_table(&name, "ctm", count);
            ends.into_iter().for_each(|(key, end)| self.set_end(key.as_bstr(), end));
        }
        Ok(())
    }
}
