//! The parts of files and folders that are no tables.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::Path;

use array_files::npy::ArrayLayout;
use array_files::npz::NpzReader;
use array_files::{DType, safetensors};
use bstr::{BStr, ByteSlice};
use column_files::{ColumnFile, Leaf, LeafType};
use kaldi_corpus::{DataDirectory, saved_files, saved_splits};
use kaldi_io::{JsonObjects, Lines, printable, printable_rxfilename};
use shards::{Cut, Grouping, SampleStream, SharFolder, SharPart, SharStream, ShardNames, Wanted};

use crate::entries::Entries;
use crate::kind::{Named, NamedKind};
use crate::other_formats::{ForeignKind, ForeignPart};

/// Calls `each` with a function that makes the part, for each part.
pub(crate) fn for_each(
    name: &BStr,
    kind: ForeignKind,
    whole: bool,
    each: &mut dyn FnMut(&dyn Fn() -> ForeignPart),
) -> Result<(), String> {
    let path = name.to_path_lossy();
    match kind {
        ForeignKind::Npy => npy(&path, each),
        ForeignKind::Npz => npz(&path, whole, each),
        ForeignKind::Safetensors => tensors(&path, each),
        ForeignKind::Parquet | ForeignKind::Arrow => columns(name, whole, each),
        ForeignKind::Folder => files(&path, each),
        // The samples of all shards.
        ForeignKind::ShardList if whole => samples(name, whole, each),
        ForeignKind::RawList
        | ForeignKind::Manifest
        | ForeignKind::TarredManifest
        | ForeignKind::ShardList
        | ForeignKind::ParquetList => lines(name, kind, each),
        ForeignKind::Shard => samples(name, whole, each),
        ForeignKind::Cuts => cuts(name, each),
        ForeignKind::Shar => shar(name, whole, each),
        ForeignKind::LhotseManifest => objects(name, each),
        // The first are read with their times, by [`Foreign::read`](crate::Foreign::read).
        ForeignKind::TimeMarks(_) | ForeignKind::Other(_) => Ok(()),
    }
}

fn open(path: &Path) -> Result<(BufReader<File>, u64), String> {
    let open = || -> io::Result<_> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok((BufReader::new(file), length))
    };
    open().map_err(|error| error.to_string())
}

/// An array of numbers.
fn array(name: &str, dtype: DType, shape: &[u64]) -> ForeignPart {
    let what = format!("{dtype:?}").to_lowercase();
    ForeignPart { name: name.to_owned(), what: Some(what), shape: Some(shape.to_vec()) }
}

/// Says that there is too little.
fn cut(expected: u64, got: u64) -> String {
    format!("expected {expected} bytes of numbers, got {got}: the file is cut")
}

/// Compares the bytes of numbers with those that are there.
fn same_size(expected: u64, got: u64) -> Result<(), String> {
    match got {
        _ if got < expected => Err(cut(expected, got)),
        _ if got > expected => Err(format!("expected {expected} bytes of numbers, got {got}: more bytes follow them")),
        _ => Ok(()),
    }
}

fn npy(path: &Path, each: &mut dyn FnMut(&dyn Fn() -> ForeignPart)) -> Result<(), String> {
    let (file, length) = open(path)?;
    let mut counted = Counted { input: file, count: 0 };
    let layout = ArrayLayout::read(&mut counted).map_err(|error| error.to_string())?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    each(&|| array(&name, layout.dtype, &layout.dims));
    same_size(layout.num_bytes().unwrap_or(u64::MAX), length.saturating_sub(counted.count))
}

fn npz(path: &Path, whole: bool, each: &mut dyn FnMut(&dyn Fn() -> ForeignPart)) -> Result<(), String> {
    let mut reader = NpzReader::open(open(path)?.0).map_err(|error| error.to_string())?;
    while let Some((name, mut member)) = reader.next_member().map_err(|error| error.to_string())? {
        let name = printable(name.strip_suffix(b".npy").unwrap_or(&name));
        let of = |error: &dyn std::fmt::Display| format!("{name}: {error}");
        let layout = ArrayLayout::read(&mut member).map_err(|error| of(&error))?;
        each(&|| array(&name, layout.dtype, &layout.dims));
        if whole {
            let got = io::copy(&mut member, &mut io::sink()).map_err(|error| of(&error))?;
            same_size(layout.num_bytes().unwrap_or(u64::MAX), got).map_err(|fault| of(&fault))?;
        }
    }
    Ok(())
}

fn tensors(path: &Path, each: &mut dyn FnMut(&dyn Fn() -> ForeignPart)) -> Result<(), String> {
    let (file, length) = open(path)?;
    let mut counted = Counted { input: file, count: 0 };
    let tensors = safetensors::read_header(&mut counted).map_err(|error| error.to_string())?;
    for tensor in &tensors {
        each(&|| array(&tensor.name, tensor.dtype, &tensor.shape));
    }
    let expected = tensors.iter().fold(0_u64, |sum, tensor| sum.saturating_add(tensor.num_bytes));
    same_size(expected, length.saturating_sub(counted.count))
}

fn columns(name: &BStr, whole: bool, each: &mut dyn FnMut(&dyn Fn() -> ForeignPart)) -> Result<(), String> {
    let file = ColumnFile::open(name).map_err(|error| error.to_string())?;
    for leaf in file.leaves() {
        each(&|| ForeignPart {
            name: leaf.name.clone(),
            what: Some(leaf.stored()),
            shape: Some(vec![file.num_rows()]),
        });
    }
    if whole { file.check().map_err(|error| error.to_string()) } else { Ok(()) }
}

/// The command that reads a folder, if it is one of `datasets`.
pub(crate) fn folder_command(name: &BStr) -> Option<String> {
    let splits = saved_splits(&name.to_path_lossy()).ok()??;
    let shown = printable_rxfilename(name);
    let usual = splits.iter().find(|split| *split == "train").or(splits.first()).filter(|_| splits.len() > 1);
    Some(match usual {
        None => format!("make-data-dir {shown} data"),
        Some(split) => format!("make-data-dir --split={} {shown} data", kaldi_io::quote_name(split.as_bytes())),
    })
}

/// The command that reads a manifest of lhotse: it takes the folder.
pub(crate) fn lhotse_command(name: &BStr) -> Option<String> {
    let path = name.to_path_lossy();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let shown = folder.as_os_str().as_encoded_bytes().as_bstr();
    let is_read = matches!(kaldi_corpus::Manifest::detect(shown), Ok(Some(kaldi_corpus::Manifest::Lhotse)));
    is_read.then(|| format!("make-data-dir {} data", printable_rxfilename(shown)))
}

/// Names of keys in tables of other programs.
const KEYS: [&str; 5] = ["key", "id", "utt", "utt_id", "segment_id"];

/// The command that reads columns: one for a corpus if they have sound, else one for a table. `None` if no two columns can be
/// key and value.
pub(crate) fn columns_command(name: &BStr) -> Option<String> {
    let (file, shown) = (ColumnFile::open(name).ok()?, printable_rxfilename(name));
    let leaves = file.leaves();
    let is_sound = |leaf: &Leaf| {
        let is_one = leaf.name == "audio" || !leaf.is_member || leaf.name.ends_with(".bytes");
        is_one && leaf.leaf_type == LeafType::Bytes && !leaf.is_list()
    };
    if leaves.iter().any(is_sound) {
        return Some(format!("make-data-dir {shown} data"));
    }
    let can_be_key = |index: &usize| {
        let leaf = &leaves[*index];
        !leaf.is_list() && matches!(leaf.leaf_type, LeafType::Text | LeafType::Integer) && is_unique(&file, *index)
    };
    let known = KEYS.iter().filter_map(|name| file.find(name)).find(can_be_key);
    let key = &leaves[known.or_else(|| (0..leaves.len()).find(can_be_key))?].name;
    if key == "key" && leaves.iter().any(|leaf| leaf.name != "key") && has_values(&file) {
        return Some(format!("table-import {shown} ark:-"));
    }
    let can_be_value =
        |leaf: &&Leaf| leaf.name != *key && !matches!(leaf.leaf_type, LeafType::Other(_) | LeafType::Bytes);
    let value = &leaves
        .iter()
        .find(|leaf| leaf.is_list() && can_be_value(leaf))
        .or_else(|| leaves.iter().find(can_be_value))?
        .name;
    let [key, value] = [key, value].map(|name| kaldi_io::quote_name(name.as_bytes()));
    Some(format!("table-import --key={key} --value={value} {shown} ark:-"))
}

/// Rows that are looked at.
const ROWS: usize = 10_000;

/// Whether the first rows have different values in a column.
fn is_unique(file: &ColumnFile, leaf: usize) -> bool {
    let (mut values, mut seen) = (file.values(leaf), HashSet::new());
    for _ in 0..ROWS {
        match values.next_value() {
            Ok(None) => break,
            Ok(Some(value)) if value.to_words().is_some_and(|words| seen.insert(words)) => {}
            _ => return false,
        }
    }
    true
}

/// Whether the columns have the names that tables have.
fn has_values(file: &ColumnFile) -> bool {
    let is_ours = file.note("kaldi.type").is_some();
    is_ours || ["value", "values"].iter().any(|name| file.find(name).is_some())
}

/// Files and folders by name, each with what it is; of a folder of `datasets` the files with the values, also in folders below.
fn files(path: &Path, each: &mut dyn FnMut(&dyn Fn() -> ForeignPart)) -> Result<(), String> {
    let saved = saved_files(path).map_err(|error| error.to_string())?;
    // A file that is named there has to be there.
    let other = if saved.is_some() { "missing" } else { "unknown" };
    let list = || -> io::Result<Vec<_>> {
        if let Some(files) = saved {
            return Ok(files.into_iter().map(|file| file.to_path_lossy().into_owned()).collect());
        }
        let mut names =
            fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
        names.sort();
        Ok(names)
    };
    for file in &list().map_err(|error| error.to_string())? {
        each(&|| {
            let what = what_is(file.as_os_str().as_encoded_bytes().as_bstr()).unwrap_or_else(|_| other.to_owned());
            let name = file.strip_prefix(path).unwrap_or(file).to_string_lossy().into_owned();
            ForeignPart { name, what: Some(what), shape: None }
        });
    }
    Ok(())
}

/// What a file of a folder is, such as `archive of matrix`.
fn what_is(name: &BStr) -> Result<String, String> {
    if let Some(kind) = ForeignKind::find(name).map_err(|error| error.to_string())? {
        return Ok(kind.name().to_owned());
    }
    let metadata = fs::metadata(name.to_path_lossy()).map_err(|error| error.to_string())?;
    if metadata.is_dir() && !DataDirectory::new(&name.to_path_lossy()).is_data_directory() {
        return Ok("folder".to_owned());
    }
    if metadata.is_file() && metadata.len() == 0 {
        return Ok("empty".to_owned());
    }
    let named = Named::find(name).map_err(|error| error.to_string())?;
    Ok(match (named.kind, Entries::find_type(&named)) {
        (NamedKind::Directory, _) => "data directory".to_owned(),
        (NamedKind::Model(model_type), _) => model_type.name().to_owned(),
        (kind, Some(value_type)) => format!("{} of {}", kind.name(), value_type.name()),
        (NamedKind::Script, None) => "script".to_owned(),
        (NamedKind::Archive | NamedKind::Shards | NamedKind::Shar | NamedKind::Value, None) => "unknown".to_owned(),
    })
}

/// Lines that are not blank. Those of lists of utterances must be objects with what such a list needs.
fn lines(name: &BStr, kind: ForeignKind, each: &mut dyn FnMut(&dyn Fn() -> ForeignPart)) -> Result<(), String> {
    let mut lines = Lines::open(name).map_err(|error| error.to_string())?;
    while let Some(line) = lines.next_line().map_err(|error| error.to_string())? {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let line = line.to_str_lossy();
        let (needed, shown): (&[&str], _) = match kind {
            ForeignKind::RawList => (&["key", "wav", "txt"], "key, wav and txt"),
            ForeignKind::Manifest => (&["audio_filepath"], "audio_filepath"),
            ForeignKind::TarredManifest => (&["audio_filepath", "shard_id"], "audio_filepath and shard_id"),
            _ => (&[], ""),
        };
        let has_needed = |line: &str| {
            let object = serde_json::from_str::<serde_json::Value>(line);
            object.is_ok_and(|object| needed.iter().all(|field| object[*field].is_string() || object[*field].is_u64()))
        };
        if !needed.is_empty() && !has_needed(&line) {
            return Err(format!("line {}: expected an object in JSON with {shown}", lines.number()));
        }
        each(&|| ForeignPart { name: line.to_string(), what: None, shape: None });
    }
    lines.finish().map_err(|error| error.to_string())
}

fn samples(name: &BStr, whole: bool, each: &mut dyn FnMut(&dyn Fn() -> ForeignPart)) -> Result<(), String> {
    let wanted = if whole { Wanted::Contents } else { Wanted::Headers };
    let names = ShardNames::new(std::iter::once(name.to_owned()), wanted);
    let mut samples = SampleStream::new(names, Grouping::default());
    let mut read = || -> shards::Result<()> {
        while let Some(sample) =
            samples.next_with(|_, _, _, payload| if whole { payload.read().map(|_| ()) } else { Ok(()) })?
        {
            each(&|| {
                let fields: Vec<String> = sample.fields.iter().map(|field| printable(field.name.as_bytes())).collect();
                ForeignPart { name: printable(&sample.key), what: Some(fields.join(" ")), shape: None }
            });
        }
        samples.finish()
    };
    read().map_err(|error| error.to_string())
}

/// The objects of a file in JSON.
fn objects(name: &BStr, each: &mut dyn FnMut(&dyn Fn() -> ForeignPart)) -> Result<(), String> {
    let mut lines = JsonObjects::open(name).map_err(|error| error.to_string())?;
    while let Some(line) = lines.next_line().map_err(|error| error.to_string())? {
        if !line.trim_ascii().is_empty() {
            let line = line.trim_ascii().to_str_lossy().into_owned();
            each(&|| ForeignPart { name: line.clone(), what: None, shape: None });
        }
    }
    lines.finish().map_err(|error| error.to_string())
}

/// The cuts of a file.
fn cuts(name: &BStr, each: &mut dyn FnMut(&dyn Fn() -> ForeignPart)) -> Result<(), String> {
    let mut lines = JsonObjects::open(name).map_err(|error| error.to_string())?;
    while let Some(line) = lines.next_line().map_err(|error| error.to_string())? {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let line = line.to_vec();
        let cut = Cut::parse(&line).map_err(|message| format!("line {}: {message}", lines.number()))?;
        let what = || cut.kind.as_deref().unwrap_or("cut").to_owned();
        each(&|| ForeignPart { name: printable(cut.id.as_bytes()), what: Some(what()), shape: None });
    }
    lines.finish().map_err(|error| error.to_string())
}

/// The cuts of a Shar folder, each with what its tar files have of it.
fn shar(name: &BStr, whole: bool, each: &mut dyn FnMut(&dyn Fn() -> ForeignPart)) -> Result<(), String> {
    let folder = SharFolder::find(name).map_err(|error| error.to_string())?;
    let fields = folder.fields().to_vec();
    let names: Vec<&str> = fields.iter().map(String::as_str).collect();
    let wanted = if whole { Wanted::Contents } else { Wanted::Headers };
    let mut stream = SharStream::new(folder, &names, wanted);
    let mut read = || -> shards::Result<()> {
        while let Some(sample) =
            stream.next_with(|_, _, _, _, payload| if whole { payload.read().map(|_| ()) } else { Ok(()) })?
        {
            each(&|| {
                let parts = names.iter().zip(&sample.parts).filter_map(|(name, part)| match part {
                    SharPart::None => None,
                    SharPart::Member { suffix, .. } => Some(format!("{name}.{suffix}")),
                    SharPart::Json(_) => Some((*name).to_owned()),
                });
                let what = parts.collect::<Vec<_>>().join(" ");
                ForeignPart { name: printable(&sample.id), what: Some(what), shape: None }
            });
        }
        stream.finish()
    };
    read().map_err(|error| error.to_string())
}

/// The entries of the members in JSON of the first sample, by the names that tools have for them.
pub(crate) fn json_entries(name: &BStr, kind: ForeignKind) -> Vec<String> {
    let mut entries = Vec::new();
    if !matches!(kind, ForeignKind::Shard | ForeignKind::ShardList) {
        return entries;
    }
    let names = ShardNames::new(std::iter::once(name.to_owned()), Wanted::Headers);
    let sample = SampleStream::new(names, Grouping::default()).next_with(|_, field, member, payload| {
        if field == "json" && member.size <= MAX_JSON { payload.read().map(Some) } else { Ok(None) }
    });
    let Ok(Some(sample)) = sample else { return entries };
    for (suffix, content) in sample.fields.iter().filter_map(|field| Some((&field.name, field.value.as_ref()?))) {
        if let Ok(serde_json::Value::Object(object)) = serde_json::from_slice(content) {
            entries.extend(object.keys().map(|entry| printable(format!("{suffix}.{entry}").as_bytes())));
        }
    }
    entries
}

/// Bytes of a member in JSON that is looked at.
const MAX_JSON: u64 = 1 << 20;

/// Counts the bytes that were read.
struct Counted<R> {
    input: R,
    count: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.input.read(buffer)?;
        self.count += got as u64;
        Ok(got)
    }
}
