//! Which files a data directory has.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{KeyedLine, Result, for_each_keyed_line};

/// What the keys of a file of a data directory are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeysOf {
    /// Utterances.
    Utterances,
    /// Speakers.
    Speakers,
    /// Recordings, of which utterances are parts if there are segments.
    Recordings,
}

/// What is after the keys of a file of a data directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterKey {
    /// Anything, but not nothing.
    Any,
    /// One word.
    Word,
    /// A number greater than 0.
    Number,
    /// A count greater than 0.
    Count,
    /// A factor of vocal tract normalization.
    Warp,
    /// `m` or `f`.
    Gender,
    /// A recording, start and end in seconds, perhaps a channel: a [`Segment`](crate::Segment).
    Segment,
    /// A file and a channel, `A` or `B`.
    Channel,
}

/// A file that a data directory may have.
#[derive(Clone, Copy, Debug)]
pub struct DirectoryFile {
    /// Its name.
    pub name: &'static str,
    /// What its lines say; `None` if they have no keys.
    pub lines: Option<(KeysOf, AfterKey)>,
}

const fn of(name: &'static str, keys: KeysOf, after: AfterKey) -> DirectoryFile {
    DirectoryFile { name, lines: Some((keys, after)) }
}

const fn other(name: &'static str) -> DirectoryFile {
    DirectoryFile { name, lines: None }
}

/// The files of data directories.
pub const DIRECTORY_FILES: [DirectoryFile; 21] = [
    of(DataDirectory::WAV_SCP, KeysOf::Recordings, AfterKey::Any),
    of(DataDirectory::SEGMENTS, KeysOf::Utterances, AfterKey::Segment),
    of(DataDirectory::RECO2FILE_AND_CHANNEL, KeysOf::Recordings, AfterKey::Channel),
    of("reco2dur", KeysOf::Recordings, AfterKey::Number),
    of(DataDirectory::UTT2SPK, KeysOf::Utterances, AfterKey::Word),
    of(DataDirectory::SPK2UTT, KeysOf::Speakers, AfterKey::Any),
    of(DataDirectory::TEXT, KeysOf::Utterances, AfterKey::Any),
    of(DataDirectory::FEATS_SCP, KeysOf::Utterances, AfterKey::Any),
    of(DataDirectory::VAD_SCP, KeysOf::Utterances, AfterKey::Any),
    of(DataDirectory::CMVN_SCP, KeysOf::Speakers, AfterKey::Any),
    of(DataDirectory::UTT2DUR, KeysOf::Utterances, AfterKey::Number),
    of(DataDirectory::UTT2NUM_FRAMES, KeysOf::Utterances, AfterKey::Count),
    of(DataDirectory::UTT2LANG, KeysOf::Utterances, AfterKey::Word),
    of(DataDirectory::UTT2UNIQ, KeysOf::Utterances, AfterKey::Word),
    of("utt2warp", KeysOf::Utterances, AfterKey::Warp),
    of(DataDirectory::SPK2GENDER, KeysOf::Speakers, AfterKey::Gender),
    of("spk2warp", KeysOf::Speakers, AfterKey::Warp),
    other("utt2len"),
    other("stm"),
    other("glm"),
    other("frame_shift"),
];

/// A data directory has at least one of these files.
const SIGNS: [&str; 4] =
    [DataDirectory::WAV_SCP, DataDirectory::FEATS_SCP, DataDirectory::UTT2SPK, DataDirectory::TEXT];

/// The tables in a folder that a data directory with these files would not replace: they are of other utterances, and programs would
/// take them for those of the new ones. Sorted.
///
/// # Errors
/// If the folder cannot be read.
pub fn former_tables(folder: &Path, written: &[String]) -> kaldi_io::Result<Vec<PathBuf>> {
    let is_former = |name: &str| is_table(name) && !written.iter().any(|written| written == name);
    let mut former = kaldi_io::former_names(folder)?;
    former.retain(|name| name.to_str().is_some_and(is_former));
    Ok(former.into_iter().map(|name| folder.join(name)).filter(|path| path.is_file()).collect())
}

/// Whether a file of this name is a table of a data directory, or lists of it as programs find them by their names.
fn is_table(name: &str) -> bool {
    let is_plain =
        |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_map = ["utt2", "spk2", "reco2"].iter().any(|start| name.strip_prefix(start).is_some_and(is_plain));
    let is_list = |suffix| name == suffix || name.strip_suffix(suffix).is_some_and(|stem| stem.ends_with('.'));
    DIRECTORY_FILES.iter().any(|file| file.name == name)
        || is_map
        || ["scp", "ctm", "stm", "rttm"].into_iter().any(is_list)
        || is_numbered_archive(name.as_bytes(), b"ali.")
        || is_numbered_archive(name.as_bytes(), b"lat.")
}

/// Whether a file is an archive of alignments (`ali.`) or lattices (`lat.`).
fn is_numbered_archive(name: &[u8], start: &[u8]) -> bool {
    name.starts_with(start) && (name.ends_with(b".gz") || name.ends_with(b".ark"))
}

/// The files of a data directory.
#[derive(Clone, Debug)]
pub struct DataDirectory {
    path: PathBuf,
}

impl DataDirectory {
    /// The file with the recordings.
    pub const WAV_SCP: &str = "wav.scp";
    /// The file with the features.
    pub const FEATS_SCP: &str = "feats.scp";
    /// The file with the speaker of each utterance.
    pub const UTT2SPK: &str = "utt2spk";
    /// The file with the utterances of each speaker.
    pub const SPK2UTT: &str = "spk2utt";
    /// The file with the text of each utterance.
    pub const TEXT: &str = "text";
    /// The file with the part of a recording that is each utterance.
    pub const SEGMENTS: &str = "segments";
    /// The file with the file and the channel of each recording.
    pub const RECO2FILE_AND_CHANNEL: &str = "reco2file_and_channel";
    /// The file with the seconds of each utterance.
    pub const UTT2DUR: &str = "utt2dur";
    /// The file with the number of frames of each utterance.
    pub const UTT2NUM_FRAMES: &str = "utt2num_frames";
    /// The file with the language of each utterance.
    pub const UTT2LANG: &str = "utt2lang";
    /// The file with the utterance that each one was made of.
    pub const UTT2UNIQ: &str = "utt2uniq";
    /// The file with the gender of each speaker.
    pub const SPK2GENDER: &str = "spk2gender";
    /// The file with the voiced frames.
    pub const VAD_SCP: &str = "vad.scp";
    /// The file with the statistics of CMVN.
    pub const CMVN_SCP: &str = "cmvn.scp";

    /// Those of the folder at `path`.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// Whether the folder is a data directory: it has sound, features, speakers or texts.
    pub fn is_data_directory(&self) -> bool {
        SIGNS.iter().any(|file| self.has(file))
    }

    /// The name of a file in it, as bytes.
    pub fn name(&self, file: &str) -> BString {
        self.path.join(file).as_os_str().as_encoded_bytes().into()
    }

    /// Whether there is such a file.
    pub fn has(&self, file: &str) -> bool {
        self.path.join(file).is_file()
    }

    /// Whether the last line of a file lacks its newline.
    pub fn ends_within_line(&self, file: &str) -> bool {
        let last = || -> std::io::Result<u8> {
            let mut file = fs::File::open(self.path.join(file))?;
            file.seek(SeekFrom::End(-1))?;
            let mut last = [0];
            file.read_exact(&mut last)?;
            Ok(last[0])
        };
        // An empty file is reported in another way.
        last().is_ok_and(|last| last != b'\n')
    }

    /// The name of a file in it; `None` if it is not there.
    pub fn file(&self, file: &str) -> Option<BString> {
        self.has(file).then(|| self.name(file))
    }

    /// Tables of alignments: `ali.scp`, or else `ali.*.gz` and `ali.*.ark`.
    pub fn alignments(&self) -> Vec<BString> {
        self.file("ali.scp").map_or_else(|| self.files(|name| is_numbered_archive(name, b"ali.")), |name| vec![name])
    }

    /// Archives of lattices: `lat.*.gz` and `lat.*.ark`.
    pub fn lattices(&self) -> Vec<BString> {
        self.files(|name| is_numbered_archive(name, b"lat."))
    }

    /// Lists of words with their times: `ctm` and `*.ctm`.
    pub fn time_marks(&self) -> Vec<BString> {
        self.files(|name| name == b"ctm" || name.ends_with(b".ctm"))
    }

    /// The names of the files for which `is_wanted` holds, sorted.
    fn files(&self, is_wanted: impl Fn(&[u8]) -> bool) -> Vec<BString> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let wanted = entries.filter(|entry| is_wanted(entry.file_name().as_encoded_bytes()) && entry.path().is_file());
        let mut names: Vec<BString> = wanted.map(|entry| entry.path().as_os_str().as_encoded_bytes().into()).collect();
        names.sort();
        names
    }

    /// Passes every line of a file that is not blank to `each`. Returns how many there are; `None` if there is no such file.
    ///
    /// # Errors
    /// If it cannot be read or is not text.
    pub fn for_each(&self, file: &str, each: impl FnMut(KeyedLine<'_>)) -> Result<Option<u64>> {
        self.file(file).map(|name| for_each_keyed_line(name.as_bstr(), each)).transpose()
    }
}

/// When the last word of each utterance or recording ends, in seconds; and the number of lines. `name` is a list of words with their
/// times: key, channel, start, duration, word.
///
/// # Errors
/// If it cannot be read.
pub fn last_ends(name: &BStr) -> Result<(BTreeMap<BString, f64>, u64)> {
    let mut ends = BTreeMap::<BString, f64>::new();
    let count = for_each_keyed_line(name, |line| {
        if let (Some(start), Some(duration)) = (line.number_at(1), line.number_at(2)) {
            let end = ends.entry(line.key.into()).or_insert(f64::NEG_INFINITY);
            *end = end.max(start + duration);
        }
    })?;
    Ok((ends, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_known_by_their_names() {
        for name in
            ["utt2snr", "spk2warp", "reco2dur", "cmvn.scp", "vad.scp", "ctm", "a.ctm", "stm", "ali.1.gz", "frame_shift"]
        {
            assert!(is_table(name), "{name}");
        }
        for name in ["README", "utt2spk.bak", "utt2", "feats.ark", "wav.ark", "scp.txt", "xctm", "ali", "wav"] {
            assert!(!is_table(name), "{name}");
        }
        let folder = tempfile::tempdir().unwrap();
        for name in ["utt2snr", "text", "notes"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        fs::create_dir(folder.path().join("ctm")).unwrap();
        let found = former_tables(folder.path(), &["text".to_owned()]).unwrap();
        assert_eq!(found, [folder.path().join("utt2snr")]);
    }
}
