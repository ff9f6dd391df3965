//! A summary of a data directory.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use bstr::{BStr, BString};
use kaldi_corpus::{DIRECTORY_FILES, DataDirectory, Segment, TimeSpan};
use kaldi_io::KeyedLine;

use crate::check::{Checks, check_each};
use crate::kind::{Named, NamedKind};
use crate::summary::Summary;
use crate::{Error, Result};

/// What is in a data directory.
#[derive(Debug)]
pub struct DirectorySummary {
    /// The files that exist, and their numbers of lines.
    pub files: Vec<(&'static str, u64)>,
    /// Lines of `utt2spk`, or else of `text`, `segments`, `feats.scp`, `wav.scp`.
    pub utterances: u64,
    /// Speakers of `utt2spk`.
    pub speakers: Option<u64>,
    /// Lines of `wav.scp`.
    pub recordings: Option<u64>,
    /// The duration of all utterances in seconds, and its source.
    pub seconds: Option<(f64, &'static str)>,
    /// Frames of all features.
    pub frames: Option<u64>,
    /// The minimum and maximum of columns of features.
    pub columns: Option<(u64, u64)>,
    /// Words of `text`.
    pub words: Option<u64>,
    /// Different words of `text`.
    pub vocabulary: Option<u64>,
}

impl DirectorySummary {
    /// Reads the texts of the folder, and the headers of what `feats.scp` names. It reads headers of `wav.scp` only if
    /// nothing else gives the durations of utterances. Commands are not run.
    ///
    /// # Errors
    /// If a file cannot be read, or the folder is no data directory ([`Error::NoData`]).
    pub fn read(path: &Path, frame_shift: f64) -> Result<Self> {
        let folder = DataDirectory::new(path);
        if !folder.is_data_directory() {
            return Err(Error::NoData { name: path.as_os_str().as_encoded_bytes().into() });
        }
        let mut files = Vec::new();
        for file in DIRECTORY_FILES {
            files.extend(folder.for_each(file.name, |_| {})?.map(|lines| (file.name, lines)));
        }
        let lines = |wanted: &str| files.iter().find(|(file, _)| *file == wanted).map(|(_, lines)| *lines);
        let utterances = [DataDirectory::UTT2SPK, "text", "segments", DataDirectory::FEATS_SCP, DataDirectory::WAV_SCP]
            .into_iter()
            .find_map(lines);
        let mut speakers = HashSet::new();
        let has_speakers =
            folder.for_each(DataDirectory::UTT2SPK, |line| remember(&mut speakers, line.rest))?.is_some();
        let (mut words, mut vocabulary) = (0, HashSet::new());
        let has_text = folder.for_each("text", |line| {
            words += line.words().count() as u64;
            line.words().for_each(|word| remember(&mut vocabulary, word));
        })?;
        let has_text = has_text.is_some();
        let feats = match folder.has(DataDirectory::FEATS_SCP) {
            true => Some(summary(&folder, DataDirectory::FEATS_SCP)?),
            false => None,
        };
        let frames = feats.as_ref().and_then(Summary::frames).filter(|&frames| frames > 0);
        let columns = feats.and_then(|feats| feats.columns).map(|range| (*range.start(), *range.end()));
        Ok(Self {
            utterances: utterances.unwrap_or(0),
            speakers: has_speakers.then_some(speakers.len() as u64),
            recordings: lines(DataDirectory::WAV_SCP),
            seconds: seconds(&folder, frames, frame_shift)?,
            frames,
            columns,
            words: has_text.then_some(words),
            vocabulary: has_text.then_some(vocabulary.len() as u64),
            files,
        })
    }
}

fn remember(words: &mut HashSet<BString>, word: &BStr) {
    if !words.contains(word) {
        words.insert(word.to_owned());
    }
}

fn summary(folder: &DataDirectory, file: &str) -> Result<Summary> {
    Summary::read(Named::new(NamedKind::Script, folder.name(file)), None)
}

/// The duration of all segments. `None` if there are none, or if one ends with a recording whose duration is not known.
fn seconds_of_segments(folder: &DataDirectory) -> Result<Option<f64>> {
    let (mut seconds, mut open) = (0.0, Vec::new());
    let lines = folder.for_each("segments", |line| match Segment::after_key(line.key, line.rest) {
        Ok(Segment { span: TimeSpan { start, end: Some(end) }, .. }) => seconds += end - start,
        Ok(Segment { span: TimeSpan { start, end: None }, recording, .. }) => open.push((recording.to_owned(), start)),
        Err(_) => {}
    })?;
    if lines.is_none() || open.is_empty() {
        return Ok(lines.map(|_| seconds));
    }
    let recordings = recordings(folder)?;
    for (recording, start) in open {
        let Some(whole) = recordings.get(&recording) else { return Ok(None) };
        seconds += (whole - start).max(0.0);
    }
    Ok(Some(seconds))
}

/// The durations of recordings: those of `reco2dur`, or else those in their headers. Commands are not run.
fn recordings(folder: &DataDirectory) -> Result<HashMap<BString, f64>> {
    let mut recordings = HashMap::new();
    let told = folder.for_each("reco2dur", |line| {
        recordings.extend(line.number_at(0).map(|seconds| (line.key.to_owned(), seconds)));
    })?;
    if told.is_none() && folder.has(DataDirectory::WAV_SCP) {
        let checks = Checks { quick: true, skips_commands: true, ..Checks::default() };
        let waves = Named::new(NamedKind::Script, folder.name(DataDirectory::WAV_SCP));
        check_each(DataDirectory::WAV_SCP, waves, checks, &mut |_| {}, &mut |key, header| {
            recordings.extend(header.seconds.map(|seconds| (key.to_owned(), seconds)));
        })?;
    }
    Ok(recordings)
}

/// The duration of the utterances, from the first file that has it.
fn seconds(folder: &DataDirectory, frames: Option<u64>, frame_shift: f64) -> Result<Option<(f64, &'static str)>> {
    let sum = |file: &'static str, of: fn(KeyedLine<'_>) -> Option<f64>, unit: f64| -> Result<_> {
        let mut seconds = 0.0;
        let lines = folder.for_each(file, |line| seconds += of(line).unwrap_or(0.0) * unit)?;
        Ok(lines.map(|_| (seconds, file)))
    };
    if let Some(found) = sum("utt2dur", |line| line.number_at(0), 1.0)? {
        return Ok(Some(found));
    }
    if let Some(seconds) = seconds_of_segments(folder)? {
        return Ok(Some((seconds, "segments")));
    }
    if let Some(found) = sum("utt2num_frames", |line| line.number_at(0), frame_shift)? {
        return Ok(Some(found));
    }
    if let Some(frames) = frames {
        return Ok(Some((frames as f64 * frame_shift, DataDirectory::FEATS_SCP)));
    }
    if folder.has("segments") {
        // Recordings may be longer than their parts.
        return Ok(None);
    }
    if let Some(found) = sum("reco2dur", |line| line.number_at(0), 1.0)? {
        return Ok(Some(found));
    }
    if !folder.has(DataDirectory::WAV_SCP) {
        return Ok(None);
    }
    let waves = summary(folder, DataDirectory::WAV_SCP)?;
    Ok(waves
        .seconds
        .filter(|_| waves.commands == 0 && waves.fault.is_none())
        .map(|seconds| (seconds, DataDirectory::WAV_SCP)))
}
