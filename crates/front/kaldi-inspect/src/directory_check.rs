//! Faults of a data directory.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use bstr::{BStr, BString, ByteSlice};
use corpus_quality::{Census, code_point};
use kaldi_any::ValueType;
use kaldi_corpus::{AfterKey, DIRECTORY_FILES, DataDirectory, KeysOf, Segment};
use kaldi_io::{KeyedLine, Lines};

use crate::agreement::DirectoryLengths;
use crate::check::{Checks, check_each, invisible_in};
use crate::fault::Fault;
use crate::keys::Keys;
use crate::kind::{Named, NamedKind};
use crate::{Error, Result};

/// What a data directory may lack.
#[derive(Clone, Copy, Debug, Default)]
pub struct Missing {
    /// `wav.scp`.
    pub wav: bool,
    /// `feats.scp`.
    pub feats: bool,
    /// `text`.
    pub text: bool,
}

/// A line: a key, and what is after it.
#[derive(Debug)]
pub(crate) struct Row {
    /// The number of the line, from 1.
    number: u64,
    /// The key; empty if the line is.
    pub(crate) key: BString,
    /// What is after the key, without white space at its ends.
    pub(crate) rest: BString,
    /// Whether there is a carriage return before the end of the line, as Windows programs write it.
    has_return: bool,
}

impl Row {
    fn words(&self) -> impl Iterator<Item = &BStr> {
        self.line().words()
    }

    fn number_at(&self, place: usize) -> Option<f64> {
        self.line().number_at(place)
    }

    fn line(&self) -> KeyedLine<'_> {
        KeyedLine { key: self.key.as_bstr(), rest: self.rest.as_bstr() }
    }
}

/// All lines of a file, blank ones too.
fn read_rows(name: &BStr) -> Result<Vec<Row>> {
    let (mut lines, mut rows) = (Lines::open(name)?, Vec::new());
    while let Some(line) = lines.next_line()? {
        let (has_return, KeyedLine { key, rest }) = (line.ends_with(b"\r"), KeyedLine::split(line));
        rows.push(Row { number: rows.len() as u64 + 1, key: key.into(), rest: rest.into(), has_return });
    }
    Ok(rows)
}

/// The files that are checked: what their keys are, and what is after the keys.
fn checked() -> impl Iterator<Item = (&'static str, KeysOf, AfterKey)> {
    DIRECTORY_FILES.into_iter().filter_map(|file| file.lines.map(|(keys, after)| (file.name, keys, after)))
}

/// Words with a special meaning for language models.
const RESERVED: [&str; 3] = ["<s>", "</s>", "#0"];

/// Finds everything that is wrong with a data directory and passes each fault to the caller. Returns the number of
/// utterances.
///
/// It finds what Kaldi's `utils/validate_data_dir.sh` finds, and more: faults in the values of `feats.scp`, `vad.scp`,
/// `cmvn.scp` and of alignments, and missing files of `wav.scp`; lengths of sound, features, alignments, segments and CTM files
/// that do not agree ([`UsualLengths`](corpus_quality::UsualLengths)), and letters of a script that hardly any text has ([`Census`]).
/// Commands are not run.
///
/// # Errors
/// If a file cannot be read, or the folder is no data directory ([`Error::NoData`]).
pub fn check_directory(path: &Path, checks: Checks, missing: Missing, report: &mut dyn FnMut(Fault)) -> Result<u64> {
    let folder = DataDirectory::new(path);
    if !folder.is_data_directory() {
        return Err(Error::NoData { name: path.as_os_str().as_encoded_bytes().into() });
    }
    let mut files = HashMap::new();
    for (file, ..) in checked() {
        if let Some(name) = folder.file(file) {
            files.insert(file, read_rows(name.as_bstr())?);
        }
    }
    let mut directory = Directory { folder, files, report };
    for (file, may_be_missing) in [
        (DataDirectory::UTT2SPK, false),
        (DataDirectory::SPK2UTT, false),
        (DataDirectory::WAV_SCP, missing.wav),
        (DataDirectory::FEATS_SCP, missing.feats),
        ("text", missing.text),
    ] {
        if !may_be_missing && directory.rows(file).is_none() {
            directory.fault(file, "", "there is no such file");
        }
    }
    for (file, _, after) in checked() {
        directory.lines(file, after);
    }
    directory.speakers();
    directory.key_lists();
    directory.recordings();
    directory.words();
    directory.values(checks)?;
    Ok(directory.rows(DataDirectory::UTT2SPK).map_or(0, |rows| rows.len() as u64))
}

struct Directory<'a> {
    folder: DataDirectory,
    files: HashMap<&'static str, Vec<Row>>,
    report: &'a mut dyn FnMut(Fault),
}

impl Directory<'_> {
    fn rows(&self, file: &str) -> Option<&[Row]> {
        self.files.get(file).map(Vec::as_slice)
    }

    fn fault(&mut self, file: &str, place: impl AsRef<[u8]>, message: impl Into<String>) {
        let table = self.folder.name(file).to_string();
        (self.report)(Fault::new(&table, place, message));
    }

    /// Checks every line by itself, and the order of the keys.
    fn lines(&mut self, file: &'static str, after: AfterKey) {
        let Some(rows) = self.files.remove(file) else { return };
        if rows.is_empty() {
            self.fault(file, "", "the file is empty");
        } else if self.folder.ends_within_line(file) {
            self.fault(file, format!("line {}", rows.len()), "the last line has no line end");
        }
        if let Some(first) = rows.iter().find(|row| row.has_return) {
            let count = rows.iter().filter(|row| row.has_return).count();
            let message = format!("{count} lines end with a carriage return before the line end; this is the first");
            self.fault(file, format!("line {}", first.number), message);
        }
        let mut keys = Keys::default();
        for row in &rows {
            if row.key.is_empty() {
                self.fault(file, format!("line {}", row.number), "the line is empty");
                continue;
            }
            let last = keys.last().map(ToOwned::to_owned);
            let place = keys.add(row.key.as_bstr());
            if let Some(last) = last.filter(|_| place.is_unsorted) {
                self.fault(file, &row.key, format!("keys are not sorted: it comes after {last} (sort with LC_ALL=C)"));
            }
            if place.is_duplicate {
                self.fault(file, &row.key, "the key was there before");
            }
            if let Some(message) = invisible_in(row.key.as_bstr()) {
                self.fault(file, &row.key, message);
            }
            if let Some(expected) = refuse(after, row) {
                self.fault(file, &row.key, format!("expected {expected} after the key, got {:?}", row.rest));
            }
        }
        self.files.insert(file, rows.into_iter().filter(|row| !row.key.is_empty()).collect());
    }

    /// Checks that `utt2spk` and `spk2utt` agree, and that utterances are in the order of their speakers.
    fn speakers(&mut self) {
        let Some(utt2spk) = self.files.remove(DataDirectory::UTT2SPK) else { return };
        for pair in utt2spk.windows(2) {
            if pair[0].rest > pair[1].rest && pair[0].key < pair[1].key && !pair[1].rest.is_empty() {
                let message = format!(
                    "speaker {} comes after speaker {}: names of utterances have to start with that of the speaker",
                    pair[1].rest, pair[0].rest
                );
                self.fault(DataDirectory::UTT2SPK, &pair[1].key, message);
            }
        }
        if let Some(spk2utt) = self.files.remove(DataDirectory::SPK2UTT) {
            let speakers: HashMap<_, _> = utt2spk.iter().map(|row| (&row.key, &row.rest)).collect();
            let mut listed = HashSet::new();
            let places: HashMap<_, _> = utt2spk.iter().enumerate().map(|(place, row)| (&row.key, place)).collect();
            for row in &spk2utt {
                let is_own = |utterance: &BString| speakers.get(utterance).is_some_and(|it| **it == row.key);
                let own: Vec<_> = row.words().map(ToOwned::to_owned).filter(is_own).collect();
                for pair in own.windows(2).filter(|pair| places.get(&pair[1]) < places.get(&pair[0])) {
                    let message = format!("utterance {} comes after {}, but before it in utt2spk", pair[1], pair[0]);
                    self.fault(DataDirectory::SPK2UTT, &row.key, message);
                }
                for utterance in row.words().map(ToOwned::to_owned) {
                    match speakers.get(&utterance) {
                        None => self.fault(
                            DataDirectory::SPK2UTT,
                            &row.key,
                            format!("utterance {utterance} is not in utt2spk"),
                        ),
                        Some(speaker) if **speaker != row.key => {
                            let message = format!("utterance {utterance} has speaker {speaker} in utt2spk");
                            self.fault(DataDirectory::SPK2UTT, &row.key, message);
                        }
                        Some(_) => {}
                    }
                    if !listed.insert(utterance.clone()) {
                        self.fault(DataDirectory::SPK2UTT, &row.key, format!("utterance {utterance} was there before"));
                    }
                }
            }
            for row in utt2spk.iter().filter(|row| !listed.contains(&row.key)) {
                self.fault(DataDirectory::SPK2UTT, &row.key, "the utterance is missing");
            }
            self.files.insert(DataDirectory::SPK2UTT, spk2utt);
        }
        self.files.insert(DataDirectory::UTT2SPK, utt2spk);
    }

    /// Checks that the files have the same keys.
    fn key_lists(&mut self) {
        let keys = |rows: &[Row]| rows.iter().map(|row| row.key.clone()).collect::<Vec<_>>();
        let utterances = self.rows(DataDirectory::UTT2SPK).map(keys);
        let speakers = self.rows(DataDirectory::SPK2UTT).map(keys);
        let recordings = self.rows(DataDirectory::WAV_SCP).map(keys);
        let has_segments = self.rows("segments").is_some();
        for (file, of, _) in checked() {
            let (other, expected) = match of {
                KeysOf::Utterances => (DataDirectory::UTT2SPK, &utterances),
                KeysOf::Speakers => (DataDirectory::SPK2UTT, &speakers),
                // Without segments, recordings are utterances.
                KeysOf::Recordings if file == DataDirectory::WAV_SCP && has_segments => continue,
                KeysOf::Recordings if file == DataDirectory::WAV_SCP => (DataDirectory::UTT2SPK, &utterances),
                KeysOf::Recordings => (DataDirectory::WAV_SCP, &recordings),
            };
            let (Some(expected), Some(rows)) = (expected, self.rows(file)) else { continue };
            if file == other {
                continue;
            }
            let got: HashSet<BString> = rows.iter().map(|row| row.key.clone()).collect();
            let known: HashSet<&BString> = expected.iter().collect();
            let unknown: Vec<_> =
                rows.iter().filter(|row| !known.contains(&row.key)).map(|row| row.key.clone()).collect();
            for key in unknown {
                self.fault(file, &key, format!("the key is not in {other}"));
            }
            for key in expected.iter().filter(|key| !got.contains(*key)) {
                self.fault(file, key, format!("the key is missing, which {other} has"));
            }
        }
    }

    /// Checks that segments are parts of recordings, and that the files of recordings exist.
    fn recordings(&mut self) {
        let Some(waves) = self.files.remove(DataDirectory::WAV_SCP) else { return };
        if let Some(segments) = self.files.remove("segments") {
            let known: HashSet<&[u8]> = waves.iter().map(|row| row.key.as_slice()).collect();
            let mut used = HashSet::new();
            for row in &segments {
                let recording = row.words().next().map(ToOwned::to_owned).unwrap_or_default();
                if !known.contains(recording.as_slice()) {
                    self.fault("segments", &row.key, format!("recording {recording} is not in wav.scp"));
                }
                used.insert(recording);
            }
            for row in waves.iter().filter(|row| !used.contains(&row.key)) {
                self.fault(DataDirectory::WAV_SCP, &row.key, "the recording has no segment");
            }
            self.files.insert("segments", segments);
        }
        for row in &waves {
            if row.rest.starts_with(b"~") || row.words().any(|word| word.starts_with(b"~/")) {
                self.fault(DataDirectory::WAV_SCP, &row.key, "~ is not replaced in script files: write the whole name");
            }
        }
        self.files.insert(DataDirectory::WAV_SCP, waves);
    }

    /// Checks that transcripts are text that recipes can use.
    fn words(&mut self) {
        let Some(rows) = self.files.remove("text") else { return };
        let mut census = Census::default();
        rows.iter().for_each(|row| census.add(&row.rest));
        for row in &rows {
            let Ok(text) = row.rest.to_str() else {
                self.fault("text", &row.key, "the text is not UTF-8");
                continue;
            };
            let foreign = text.chars().find(|&c| is_no_text(c));
            if let Some(foreign) = foreign {
                let message =
                    format!("the text has the character {}; words have spaces between them", code_point(foreign));
                self.fault("text", &row.key, message);
            }
            let strange = census.strange_characters(&row.rest);
            let strange: Vec<_> = strange.into_iter().filter(|&letter| !is_no_text(letter)).map(code_point).collect();
            if !strange.is_empty() {
                let message = format!("the text has characters that other texts do not have: {}", strange.join(" "));
                self.fault("text", &row.key, message);
            }
            for word in RESERVED {
                if row.words().any(|other| other == word) {
                    self.fault(
                        "text",
                        &row.key,
                        format!("the text has the word {word}, which language models reserve"),
                    );
                }
            }
        }
        self.files.insert("text", rows);
    }

    /// Checks the values of script files and alignments, that features have the numbers of frames that `utt2num_frames` gives, and
    /// that the lengths of sound, features and alignments agree.
    fn values(&mut self, checks: Checks) -> Result<()> {
        let told: BTreeMap<BString, u64> = self
            .rows("utt2num_frames")
            .unwrap_or_default()
            .iter()
            .filter_map(|row| Some((row.key.clone(), row.number_at(0)? as u64)))
            .collect();
        // The keys were checked before.
        let checks = Checks { skips_commands: true, skips_keys: true, value_type: None, ..checks };
        let files = [DataDirectory::WAV_SCP, DataDirectory::FEATS_SCP, "vad.scp", "cmvn.scp"]
            .into_iter()
            .filter(|file| self.rows(file).is_some());
        let mut tables: Vec<_> = files.map(|file| (file, self.folder.name(file))).collect();
        tables.extend(self.folder.alignments().into_iter().map(|table| ("", table)));
        let mut lengths = DirectoryLengths::default();
        for (file, table) in tables {
            let name = table.to_string();
            let mut wrong = Vec::new();
            let report = &mut *self.report;
            let (named, value_type) = match file {
                "" => (Named::find(table.as_bstr())?, Some(ValueType::Int32Vector)),
                _ => (Named::new(NamedKind::Script, table), None),
            };
            check_each(&name, named, Checks { value_type, ..checks }, report, &mut |key, header| {
                if let (Some(&frames), Some(rows)) = (told.get(key), header.rows)
                    && file == DataDirectory::FEATS_SCP
                    && frames != rows
                {
                    wrong.push(Fault::new(&name, key, format!("it has {rows} frames, and {frames} in utt2num_frames")));
                }
                match file {
                    DataDirectory::WAV_SCP => lengths.add_sound(key, header),
                    DataDirectory::FEATS_SCP => lengths.add_frames(key, header),
                    "" => lengths.add_labels(&name, key, header),
                    _ => {}
                }
            })?;
            wrong.into_iter().for_each(&mut *self.report);
        }
        lengths.check(&self.folder, self.files.get("segments").map(Vec::as_slice), self.report)
    }
}

/// Whether a character is a control character, a space other than the plain one, or has no meaning.
fn is_no_text(c: char) -> bool {
    let is_none = u32::from(c) & 0xfffe == 0xfffe || ('\u{fdd0}'..='\u{fdef}').contains(&c);
    !matches!(c, ' ' | '\t') && (c.is_control() || c.is_whitespace() || is_none)
}

/// Returns what was expected after the key of a line, if it is not there.
fn refuse(after: AfterKey, row: &Row) -> Option<&'static str> {
    let words: Vec<&BStr> = row.words().collect();
    let is_positive = |place| row.number_at(place).is_some_and(|number| number > 0.0 && number.is_finite());
    match after {
        AfterKey::Any => words.is_empty().then_some("something"),
        AfterKey::Word => (words.len() != 1).then_some("one word"),
        AfterKey::Number => (words.len() != 1 || !is_positive(0)).then_some("a number above 0"),
        AfterKey::Count => {
            let is_count = is_positive(0) && words.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
            (words.len() != 1 || !is_count).then_some("a number of frames")
        }
        AfterKey::Warp => {
            let is_warp = row.number_at(0).is_some_and(|number| number > 0.5 && number < 1.5);
            (words.len() != 1 || !is_warp).then_some("a number between 0.5 and 1.5")
        }
        AfterKey::Gender => (!matches!(words.as_slice(), [word] if *word == "m" || *word == "f")).then_some("m or f"),
        AfterKey::Segment => {
            let segment = Segment::after_key(row.key.as_bstr(), &row.rest);
            let is_segment = segment.is_ok_and(|segment| segment.span.is_forward());
            (!is_segment).then_some("a recording, its start, a later end, and a channel if there are several")
        }
        AfterKey::Channel => {
            let is_channel = matches!(words.as_slice(), [_, channel] if *channel == "A" || *channel == "B");
            (!is_channel).then_some("a file and channel A or B")
        }
    }
}
