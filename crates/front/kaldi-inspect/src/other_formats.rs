//! Files and folders that are no tables: what they are, and what is in them.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bstr::{BStr, ByteSlice};
use kaldi_any::{FILE_HEAD, FileKind};
use kaldi_corpus::DataDirectory;
use kaldi_io::{Input, Locator, Rspecifier, Rxfilename, is_remote, printable, printable_rxfilename};
use serde::Serialize;
use serde_json::Value;
use shards::{Cut, SharFolder};

use crate::time_marks::TimeMarks;
use crate::{Error, Result, other_formats_info};

/// Bytes of a file that are looked at.
const HEAD: usize = FILE_HEAD;

/// Lines of a list that are looked at.
const LINES: usize = 20;

/// Parts that a report in text shows.
const SHOWN: usize = 20;

/// A kind of files that are no tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignKind {
    /// An array of NumPy.
    Npy,
    /// Arrays of NumPy.
    Npz,
    /// Tensors.
    Safetensors,
    /// Columns.
    Parquet,
    /// Columns.
    Arrow,
    /// Files that are no data directory.
    Folder,
    /// A line for each utterance, an object in JSON.
    RawList,
    /// The same, of NeMo.
    Manifest,
    /// The same, of NeMo, with sound in tar files.
    TarredManifest,
    /// A line for each shard, its name.
    ShardList,
    /// A line for each Parquet file of a corpus, its name.
    ParquetList,
    /// A tar file of samples.
    Shard,
    /// A line for each cut of lhotse, an object in JSON.
    Cuts,
    /// A Shar folder of lhotse, or one of its files of cuts.
    Shar,
    /// Recordings or supervisions of lhotse, which are read as a folder.
    LhotseManifest,
    /// A line for each time: CTM, RTTM or STM.
    TimeMarks(FileKind),
    /// Something else that is known.
    Other(FileKind),
}

impl ForeignKind {
    /// What `name` names; `None` for a table, a data directory, and everything that is not known. Only local files and folders
    /// are looked at.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn find(name: &BStr) -> Result<Option<Self>> {
        if Rspecifier::parse(name).is_some() || is_remote(name) {
            return Ok(None);
        }
        let Some(Rxfilename::File(path)) = Locator::parse(name).ok().map(|locator| locator.rxfilename().clone()) else {
            return Ok(None);
        };
        if SharFolder::is_one(&path) || SharFolder::is_cuts_of_one(&path) {
            return Ok(Some(Self::Shar));
        }
        let look = |source| Error::Look { name: printable(name), source };
        let Ok(metadata) = fs::metadata(&path) else { return Ok(None) };
        if metadata.is_dir() {
            let has_files = fs::read_dir(&path).map_err(look)?.next().is_some();
            return Ok((has_files && !DataDirectory::new(&path).is_data_directory()).then_some(Self::Folder));
        }
        if !metadata.is_file() {
            return Ok(None);
        }
        let mut head = Vec::new();
        File::open(&path).map_err(look)?.take(HEAD as u64).read_to_end(&mut head).map_err(look)?;
        Ok(Self::of_head(&path, &head, metadata.len()))
    }

    /// The kind of a file of so many bytes that starts with these.
    pub(crate) fn of_head(path: &Path, head: &[u8], length: u64) -> Option<Self> {
        let head = kaldi_io::without_mark(head);
        let name = path.as_os_str().as_encoded_bytes();
        let kind = FileKind::of(head);
        match kind {
            Some(FileKind::Npy) => return Some(Self::Npy),
            Some(FileKind::Npz) => return Some(Self::Npz),
            Some(FileKind::Safetensors) => return Some(Self::Safetensors),
            Some(FileKind::Parquet) => return Some(Self::Parquet),
            Some(FileKind::Arrow | FileKind::ArrowStream) => return Some(Self::Arrow),
            Some(FileKind::Tar) => return Some(Self::Shard),
            Some(FileKind::Gzip | FileKind::Zstd) if is_shard_name(name) => return Some(Self::Shard),
            Some(FileKind::Gzip) if name.ends_with(b".jsonl.gz") || name.ends_with(b".json.gz") => {
                return Self::of_lines(&inside(path)?);
            }
            // Other compressed files are read as what is in them, and sound is a value.
            Some(FileKind::Gzip | FileKind::Zstd) => return None,
            Some(kind) if kind.is_value() => return None,
            _ => {}
        }
        if column_files::is_arrow(head) {
            return Some(Self::Arrow);
        }
        if !head.contains(&0) {
            let is_list = first_line(head).is_some_and(|line| is_parquet(&listed(path, line)));
            let list = if is_list { Some(Self::ParquetList) } else { Self::of_lines(head) };
            if list.is_some() {
                return list;
            }
        }
        // A script file may have names with commas.
        let kind = kind.or_else(|| FileKind::of_file(name, head, length).filter(|_| !name.ends_with(b".scp")));
        match kind? {
            kind @ (FileKind::Ctm | FileKind::Rttm | FileKind::Stm) => Some(Self::TimeMarks(kind)),
            kind if kind.is_value() => None,
            kind => Some(Self::Other(kind)),
        }
    }

    /// The kind of a list with these first lines.
    fn of_lines(head: &[u8]) -> Option<Self> {
        let whole = if head.len() < HEAD { head } else { &head[..head.rfind_byte(b'\n').unwrap_or(head.len())] };
        let mut lines =
            whole.lines().take(LINES).map(|line| line.trim_ascii()).filter(|line| !line.is_empty()).peekable();
        let first = *lines.peek()?;
        if first.starts_with(b"{") && first.contains_str("\"key\"") && first.contains_str("\"wav\"") {
            return Some(Self::RawList);
        }
        if first.starts_with(b"{") && first.contains_str("\"audio_filepath\"") {
            let is_tarred = first.contains_str("\"shard_id\"");
            return Some(if is_tarred { Self::TarredManifest } else { Self::Manifest });
        }
        // Of an array, the first element is looked at.
        let object = if first.starts_with(b"[") { &head[head.find_byte(b'{')?..] } else { first };
        if Cut::is_line(object) {
            return Some(Self::Cuts);
        }
        let has = |field: &str| object.starts_with(b"{") && object.contains_str(field);
        if (has("\"sources\"") && has("\"sampling_rate\"")) || (has("\"recording_id\"") && has("\"duration\"")) {
            return Some(Self::LhotseManifest);
        }
        let is_shard = |line: &[u8]| is_shard_name(line) && !line.iter().any(u8::is_ascii_whitespace);
        lines.all(is_shard).then_some(Self::ShardList)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Npy => "npy",
            Self::Npz => "npz",
            Self::Safetensors => "safetensors",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::Folder => "folder",
            Self::RawList => "raw list",
            Self::Manifest => "manifest of NeMo",
            Self::TarredManifest => "tarred manifest of NeMo",
            Self::ShardList => "list of shards",
            Self::ParquetList => "list of Parquet files",
            Self::Shard => "shard",
            Self::Cuts => "cuts",
            Self::Shar => "shar",
            Self::LhotseManifest => "manifest of lhotse",
            Self::TimeMarks(kind) | Self::Other(kind) => kind.name(),
        }
    }

    /// Its name in a sentence.
    pub fn phrase(self) -> String {
        match self {
            Self::Cuts => "a list of cuts".to_owned(),
            Self::Shar => "a Shar folder".to_owned(),
            Self::Parquet => "a Parquet file".to_owned(),
            Self::TimeMarks(kind) | Self::Other(kind) => kind.phrase().to_owned(),
            kind => format!("a {}", kind.name()),
        }
    }

    /// What its parts are.
    fn parts(self) -> &'static str {
        match self {
            Self::Npy | Self::Npz | Self::Safetensors => "arrays",
            Self::Parquet | Self::Arrow => "columns",
            Self::Folder | Self::ParquetList => "files",
            Self::RawList | Self::Manifest | Self::TarredManifest => "utterances",
            Self::ShardList => "shards",
            Self::Shard => "samples",
            Self::Cuts | Self::Shar => "cuts",
            Self::LhotseManifest | Self::TimeMarks(_) => "lines",
            Self::Other(_) => "bytes",
        }
    }

    /// Whether it has the utterances of a corpus, which are no table: [`Foreign::command`] makes a data directory of it.
    pub fn has_utterances(self) -> bool {
        matches!(
            self,
            Self::RawList
                | Self::Manifest
                | Self::TarredManifest
                | Self::ShardList
                | Self::ParquetList
                | Self::Shard
                | Self::Cuts
                | Self::Shar
                | Self::LhotseManifest
        )
    }

    /// Whether the arrays in it can become a table.
    pub fn has_arrays(self) -> bool {
        matches!(self, Self::Npy | Self::Npz | Self::Safetensors | Self::Parquet | Self::Arrow)
    }
}

/// The first bytes of a compressed file. `None` if it cannot be read.
fn inside(path: &Path) -> Option<Vec<u8>> {
    let mut input = Input::open(path.as_os_str().as_encoded_bytes().into()).ok()?;
    let mut head = Vec::new();
    while head.len() < HEAD && input.read_some(&mut head, HEAD).ok()? > 0 {}
    Some(head)
}

/// The first line of a list that is not blank, without the white space around it.
fn first_line(head: &[u8]) -> Option<&[u8]> {
    head.lines().map(|line| line.trim_ascii()).find(|line| !line.is_empty())
}

/// The file that a line of a list names: as it is called, or else beside the list.
fn listed(list: &Path, line: &[u8]) -> PathBuf {
    let named = Path::new(OsStr::from_bytes(line));
    let beside = list.parent().unwrap_or(Path::new("")).join(named);
    if !named.is_file() && beside.is_file() { beside } else { named.to_owned() }
}

fn is_parquet(path: &Path) -> bool {
    let mut head = [0; 4];
    // What is no regular file may be read only once.
    path.is_file() && File::open(path).is_ok_and(|mut file| file.read_exact(&mut head).is_ok()) && head == *b"PAR1"
}

fn is_shard_name(name: &[u8]) -> bool {
    [&b".tar"[..], b".tar.gz", b".tgz", b".tar.zst"].iter().any(|suffix| name.ends_with(suffix))
}

/// An array, a column, a file, a line or a sample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ForeignPart {
    /// Its name; a line of a list as it is.
    pub name: String,
    /// Its type: of numbers (`float32`), of a file (`archive of matrix`); the fields of a sample.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// The sizes of an array.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<Vec<u64>>,
}

/// A file or folder that is not a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// What it is.
    pub kind: ForeignKind,
    /// The first parts.
    pub parts: Vec<ForeignPart>,
    /// The number of all parts.
    pub count: u64,
    /// The entries of the first member in JSON, such as `json.text`.
    pub entries: Vec<String>,
    /// What else is counted, by name.
    pub facts: Vec<(&'static str, Value)>,
    /// Why it could not be read to its end.
    pub fault: Option<String>,
}

impl Foreign {
    /// Reads a file or folder of this kind: as many parts as are wanted, and the number of all. If `whole`, the contents of
    /// arrays and samples are read, too.
    pub fn read(name: &BStr, kind: ForeignKind, most: usize, whole: bool) -> Self {
        let entries = other_formats_info::json_entries(name, kind);
        let mut foreign = Self { kind, parts: Vec::new(), count: 0, entries, facts: Vec::new(), fault: None };
        if matches!(kind, ForeignKind::Other(_)) {
            foreign.count = fs::metadata(name.to_path_lossy()).map_or(0, |metadata| metadata.len());
            return foreign;
        }
        let mut put = |part: &dyn Fn() -> ForeignPart| {
            foreign.count += 1;
            if foreign.parts.len() < most {
                foreign.parts.push(part());
            }
        };
        let read = match kind {
            // One pass is for both.
            ForeignKind::TimeMarks(marks) => {
                let line = |line: &[u8]| ForeignPart { name: line.to_str_lossy().into(), what: None, shape: None };
                let marks = TimeMarks::read_lines(name, marks, &mut |text| put(&|| line(text)));
                marks.map(|marks| marks.facts()).map_err(|error| error.to_string())
            }
            _ => other_formats_info::for_each(name, kind, whole, &mut put).map(|()| Vec::new()),
        };
        match read {
            Ok(facts) => foreign.facts = facts,
            Err(fault) => foreign.fault = Some(fault),
        }
        foreign
    }

    /// The command that reads it: it makes a table of arrays, or a data directory of utterances.
    pub fn command(&self, name: &BStr) -> Option<String> {
        let file = printable_rxfilename(name);
        match self.kind {
            ForeignKind::Folder => other_formats_info::folder_command(name),
            ForeignKind::Parquet | ForeignKind::Arrow => other_formats_info::columns_command(name),
            kind if kind.has_arrays() => Some(format!("table-import {file} ark:-")),
            ForeignKind::TimeMarks(_) => Some(format!("table-stats {file}")),
            ForeignKind::Other(kind) => kind.command().map(|command| command.replace("FILE", &file)),
            ForeignKind::LhotseManifest => other_formats_info::lhotse_command(name),
            ForeignKind::Shard | ForeignKind::ShardList => {
                let fields = ["text", "speaker", "language", "gender"].into_iter();
                let fields = fields.filter(|field| self.entries.iter().any(|entry| *entry == format!("json.{field}")));
                let options: String = fields.map(|field| ["--", field, "-field=json.", field, " "].concat()).collect();
                Some(format!("extract-shards {options}{file} data"))
            }
            _ => Some(format!("make-data-dir {file} data")),
        }
    }

    /// The report as one line of JSON.
    pub fn to_json(&self, name: &BStr) -> String {
        let mut object = serde_json::Map::new();
        object.insert("table".to_owned(), name.to_string().into());
        object.insert("kind".to_owned(), self.kind.name().into());
        object.insert(format!("num_{}", self.kind.parts()), self.count.into());
        if self.shows_parts() {
            object.insert(self.kind.parts().to_owned(), serde_json::to_value(&self.parts).unwrap_or_default());
        }
        if !self.entries.is_empty() {
            object.insert("entries".to_owned(), self.entries.clone().into());
        }
        object.extend(self.facts.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        let command = self.command(name);
        let texts = [(self.command_label(command.as_deref()), command.as_deref()), ("fault", self.fault.as_deref())];
        object.extend(texts.into_iter().filter_map(|(name, text)| Some((name.to_owned(), Value::from(text?)))));
        format!("{}\n", Value::Object(object))
    }

    /// What a command is called in reports.
    fn command_label(&self, command: Option<&str>) -> &'static str {
        let is_table = self.kind.has_arrays() || matches!(self.kind, ForeignKind::Other(_));
        let is_import = is_table && command.is_some_and(|command| command.starts_with("table-import"));
        if is_import { "import" } else { "read" }
    }

    /// The report in lines.
    pub fn to_text(&self, name: &BStr) -> String {
        let mut text = format!("{}\n", printable(name));
        let mut line = |name: &str, value: &dyn fmt::Display| text += &format!("  {name:<12} {value}\n");
        line("kind", &self.kind.name());
        line(self.kind.parts(), &self.count);
        if self.shows_parts() {
            for part in self.parts.iter().take(SHOWN) {
                line(&printable(part.name.as_bytes()), &part.description());
            }
            if self.count > SHOWN as u64 {
                line("...", &format!("{} more", self.count - SHOWN as u64));
            }
        } else if let Some(fields) = self.parts.first().and_then(|part| part.what.as_ref()) {
            line("fields", fields);
        }
        for (name, value) in &self.facts {
            line(name, value);
        }
        if !self.entries.is_empty() {
            line("entries", &self.entries.join(" "));
        }
        if let Some(command) = self.command(name) {
            line(self.command_label(Some(&command)), &command);
        }
        if let Some(fault) = &self.fault {
            line("fault", fault);
        }
        text
    }

    /// Whether reports name the parts; there may be millions of samples and lines.
    fn shows_parts(&self) -> bool {
        self.kind.has_arrays() || self.kind == ForeignKind::Folder
    }
}

impl ForeignPart {
    /// Whether it is a file of a folder that a check can judge: no folder, no text, and nothing unknown.
    pub fn is_to_be_checked(&self) -> bool {
        let what = self.what.as_deref().unwrap_or_default();
        !["folder", "data directory", "unknown", "empty"].contains(&what)
            && ![" of token", " of token-vector"].iter().any(|end| what.ends_with(end))
    }

    /// Type and sizes, such as `float32 28x13`.
    fn description(&self) -> String {
        let shape = self.shape.as_ref().map(|sizes| match sizes[..] {
            [] => "scalar".to_owned(),
            _ => sizes.iter().map(u64::to_string).collect::<Vec<_>>().join("x"),
        });
        [self.what.clone(), shape].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

/// Name, type and sizes, separated by tabs.
impl fmt::Display for ForeignPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let description = self.description();
        let gap = if description.is_empty() { "" } else { "\t" };
        write!(f, "{}{gap}{description}", printable(self.name.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, head: &[u8]) -> Option<&'static str> {
        ForeignKind::of_head(Path::new(name), head, head.len() as u64).map(ForeignKind::name)
    }

    #[test]
    fn kinds_are_told_by_the_first_bytes() {
        let mut tar = b"a.wav".to_vec();
        tar.resize(257, 0);
        tar.extend(b"ustar  ");
        let mut zip = b"PK\x03\x04".to_vec();
        zip.resize(26, 0);
        let member = |name: &str| [&zip[..], &[name.len() as u8, 0, 0, 0], name.as_bytes()].concat();
        let list = b"a.tar\nb/c.tar.gz\n";
        for (name, head, expected) in [
            ("x", &array_files::npy::MAGIC[..], Some("npy")),
            ("x", &member("a.npy"), Some("npz")),
            ("x", &member("a.txt"), Some("zip")),
            ("x", b"\x08\0\0\0\0\0\0\0{\"a\":{}}", Some("safetensors")),
            ("x", b"PAR1\x15", Some("parquet")),
            ("x", b"ARROW1\0\0", Some("arrow")),
            ("x", &[&[0xff; 4][..], &[0; 60]].concat(), None),
            ("x", &tar, Some("shard")),
            ("x.tar.gz", b"\x1f\x8b\x08", Some("shard")),
            ("x.ark.gz", b"\x1f\x8b\x08", None),
            ("x", b"{\"key\": \"a\", \"wav\": \"a.wav\", \"txt\": \"b\"}\n", Some("raw list")),
            ("x", b"{\"audio_filepath\": \"a.wav\", \"text\": \"b\"}\n", Some("manifest of NeMo")),
            ("x", b"{\"audio_filepath\": \"a.wav\", \"shard_id\": 0}\n", Some("tarred manifest of NeMo")),
            ("x", b"{\"key\": \"a\", \"value\": 1}\n", Some("json lines")),
            ("x", list, Some("list of shards")),
            ("x", b"[\n{\"id\": \"c\", \"start\": 0, \"duration\": 1, \"recording\": {}}\n]", Some("cuts")),
            ("x", b"[{\"id\": \"r\", \"sources\": [], \"sampling_rate\": 8000}]", Some("manifest of lhotse")),
            ("x", b"a 1 0.0 1.0 one\n", Some("ctm")),
            ("x.scp", b"a,1\n", None),
            ("x", b"RF64", None),
            ("x", b"\xef\xbb\xbf{\"audio_filepath\": \"a.wav\"}\n", Some("manifest of NeMo")),
            ("x", b"\n\na.tar\n", Some("list of shards")),
            ("x", b"a b.tar\n", None),
            ("x", b"a.tar\nb.ark\n", None),
            ("x", b"", None),
            ("x", b"a \0BFM ", None),
        ] {
            assert_eq!(found(name, head), expected, "{name} {}", head.escape_ascii());
        }
    }

    #[test]
    fn parts_are_described_by_type_and_sizes() {
        let part = |what: Option<&str>, shape: Option<&[u64]>| {
            ForeignPart { name: "a".into(), what: what.map(Into::into), shape: shape.map(Into::into) }.to_string()
        };
        assert_eq!(part(Some("float32"), Some(&[28, 13])), "a\tfloat32 28x13");
        assert_eq!(part(Some("float32"), Some(&[])), "a\tfloat32 scalar");
        assert_eq!(part(None, None), "a");
    }
}
