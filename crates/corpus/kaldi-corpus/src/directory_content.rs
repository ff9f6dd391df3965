//! Data directories that are read.

use std::collections::{HashMap, HashSet};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use bstr::{BStr, ByteSlice};
use kaldi_io::names_in_folder;

use crate::{CorpusPlace, DataDirectory, Result, Segments, TimeSpan, read_recordings, read_text};

/// A recording of a data directory.
#[derive(Clone, Debug)]
pub struct DirectoryRecording {
    /// Its key.
    pub key: String,
    /// Its file or command, as in `wav.scp`.
    pub audio: String,
}

impl DirectoryRecording {
    /// The command whose output it is; `None` if it is a file.
    pub fn command(&self) -> Option<&str> {
        self.audio.strip_suffix('|').map(str::trim_end)
    }
}

/// An utterance of a data directory.
#[derive(Clone, Debug)]
pub struct DirectoryUtterance {
    /// Its key.
    pub key: String,
    /// Its speaker.
    pub speaker: String,
    /// Its text, if the directory has texts.
    pub text: Option<String>,
    /// The place of its recording in the recordings of the directory.
    pub recording: usize,
    /// Where it is in the recording, if the directory has segments.
    pub times: Option<TimeSpan>,
    /// Its channel, if the segment has one.
    pub channel: Option<u32>,
}

/// What a data directory has in `wav.scp`, `utt2spk`, `text` and `segments`. The last two may be missing.
#[derive(Clone, Debug)]
pub struct DirectoryContent {
    /// The recordings of utterances, in the order of their first utterances.
    pub recordings: Vec<DirectoryRecording>,
    /// The utterances in the order of `utt2spk`.
    pub utterances: Vec<DirectoryUtterance>,
    /// The places of utterances in `utterances`, in the order of `text`.
    pub(crate) text_order: Vec<usize>,
}

impl DirectoryContent {
    /// Reads a data directory.
    ///
    /// # Errors
    /// If a file cannot be read, or a line makes no sense; if an utterance is not in all files.
    pub fn read(folder: &Path) -> Result<Self> {
        let name = |file: &str| folder.join(file);
        let lines = |file: &str| read_text(BStr::new(name(file).as_os_str().as_bytes()));
        let place = |file: &str| CorpusPlace { name: name(file).display().to_string().into(), line: None };
        let mut names = read_recordings(BStr::new(name(DataDirectory::WAV_SCP).as_os_str().as_bytes()))?;
        let files = names_in_folder(folder)?;
        let has = |file: &str| files.iter().any(|name| name == file);
        let texts = if has(DataDirectory::TEXT) { Some(lines(DataDirectory::TEXT)?) } else { None };
        let text_of: Option<HashMap<&str, &str>> =
            texts.as_ref().map(|texts| texts.iter().map(|(key, text)| (key.as_str(), text.as_str())).collect());
        let segments = match has(DataDirectory::SEGMENTS) {
            true => Some(Segments::read_spans(BStr::new(name(DataDirectory::SEGMENTS).as_os_str().as_bytes()))?),
            false => None,
        };
        let (mut recordings, mut places, mut utterances) =
            (Vec::new(), HashMap::new(), Vec::<DirectoryUtterance>::new());
        let mut by_key = HashMap::new();
        for (key, speaker) in lines(DataDirectory::UTT2SPK)? {
            let missing =
                |file: &str| place(file).error(format!("expected a line of {key}, which utt2spk has, got none"));
            if speaker.is_empty() || speaker.contains(char::is_whitespace) {
                return Err(
                    place(DataDirectory::UTT2SPK).error(format!("expected a speaker of {key}, got {speaker:?}"))
                );
            }
            let text = match &text_of {
                Some(texts) => Some((*texts.get(key.as_str()).ok_or_else(|| missing(DataDirectory::TEXT))?).to_owned()),
                None => None,
            };
            let segment = match &segments {
                Some(segments) => Some(segments.get(&key).ok_or_else(|| missing(DataDirectory::SEGMENTS))?),
                None => None,
            };
            let of = segment.map_or(key.as_str().into(), |segment| segment.recording.to_str_lossy());
            let recording = match places.get(&*of) {
                Some(&at) => at,
                None => {
                    let message = || format!("expected a recording {of}, which {key} is of, got none");
                    let audio = names.remove(&*of).ok_or_else(|| place(DataDirectory::WAV_SCP).error(message()))?;
                    places.insert(of.to_string(), recordings.len());
                    recordings.push(DirectoryRecording { key: of.into_owned(), audio });
                    recordings.len() - 1
                }
            };
            if by_key.insert(key.clone(), utterances.len()).is_some() {
                return Err(place(DataDirectory::UTT2SPK).error(format!("expected each key once, got {key} again")));
            }
            let (times, channel) = (segment.map(|part| part.span), segment.and_then(|part| part.channel));
            utterances.push(DirectoryUtterance { key, speaker, text, recording, times, channel });
        }
        let known = |key: &String| {
            let message = || format!("expected utterances of utt2spk, got {key}");
            by_key.get(key).copied().ok_or_else(|| place(DataDirectory::TEXT).error(message()))
        };
        let text_order = texts.iter().flatten().map(|(key, _)| known(key)).collect::<Result<_>>()?;
        Ok(Self { recordings, utterances, text_order })
    }

    /// Keeps the utterances only whose keys begin the lines of a list, and their recordings. The order stays.
    ///
    /// # Errors
    /// If the list cannot be read, or has keys of no utterance.
    pub fn keep_only(&mut self, list: &BStr) -> Result<()> {
        let place = CorpusPlace { name: list.to_str_lossy().into_owned().into(), line: None };
        let mut kept: HashSet<String> = read_text(list)?.into_iter().map(|(key, _)| key).collect();
        let is_kept: Vec<bool> = self.utterances.iter().map(|utterance| kept.remove(&utterance.key)).collect();
        if let Some(key) = kept.into_iter().min() {
            return Err(place.error(format!("expected keys of utterances, got {key}")));
        }
        // The new place of each utterance and of each recording that stays.
        let (mut places, mut recordings) = (vec![None; is_kept.len()], HashMap::new());
        let mut utterances = Vec::new();
        for (at, utterance) in
            std::mem::take(&mut self.utterances).into_iter().enumerate().filter(|(at, _)| is_kept[*at])
        {
            places[at] = Some(utterances.len());
            let next = recordings.len();
            let recording = *recordings.entry(utterance.recording).or_insert(next);
            utterances.push(DirectoryUtterance { recording, ..utterance });
        }
        self.utterances = utterances;
        self.text_order = self.text_order.iter().filter_map(|&at| places[at]).collect();
        let mut all: Vec<(usize, DirectoryRecording)> = std::mem::take(&mut self.recordings)
            .into_iter()
            .enumerate()
            .filter_map(|(at, recording)| Some((*recordings.get(&at)?, recording)))
            .collect();
        all.sort_by_key(|(at, _)| *at);
        self.recordings = all.into_iter().map(|(_, recording)| recording).collect();
        Ok(())
    }
}
