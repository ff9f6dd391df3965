//! How a catalog is made of directories and tables.

mod shar;

use kaldi_corpus::DataDirectory;
use std::collections::hash_map::RandomState;
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_any::ValueType;
use kaldi_inspect::{Entries, Named, NamedKind};
use kaldi_io::log::warning;
use kaldi_io::{
    ExpectedStream, Input, Rspecifier, RspecifierKind, for_each_keyed_line, printable_rxfilename, recognize,
};
use kaldi_reader::Reader;
use kaldi_table::parse_script_line;
use shards::{FieldPath, Grouping, Member, SampleStream, ShardNames, Wanted, comes_once, is_sound};

use crate::server::catalog::{Catalog, LineRows, List, NO_ROW, Places, Says};
use crate::server::lines::{Bytes, KeyedLines, Line};
use crate::server::tracks::TrackKind;
use crate::{Error, Result};

/// Lines that are looked at for a value whose type is that of the others.
const LOOKED_AT: u32 = 64;

/// A catalog, while its lists are read.
#[derive(Default)]
struct Builder {
    catalog: Catalog,
    hasher: RandomState,
    /// The hashes of the keys of the first list, in order.
    first: Vec<u64>,
    /// The hashes of the keys of all rows, and the rows; sorted. Empty if only the first list made rows, and nobody has asked.
    known: Vec<(u64, u32)>,
}

impl Builder {
    fn add(&mut self, name: &BString, kind: &'static str, says: Says) -> Result<usize> {
        let keyed = KeyedLines::open(name.as_bstr(), &self.hasher)?;
        Ok(self.add_lines(keyed, kind, says, Places::Listed))
    }

    fn add_lines(
        &mut self,
        (lines, hashes): (KeyedLines, Vec<u64>),
        kind: &'static str,
        says: Says,
        places: Places,
    ) -> usize {
        let number = self.catalog.lists.len();
        let rows = match says {
            Says::Recordings | Says::Times | Says::Nothing => LineRows::None,
            _ if says.is_of_utterances() && self.catalog.first.is_none() => {
                self.catalog.first = Some(number);
                self.first = hashes;
                LineRows::Same
            }
            _ if self.first.starts_with(&hashes) => LineRows::Same,
            _ => LineRows::Each(self.join(number, &hashes, says.is_of_utterances())),
        };
        self.catalog.lists.push(List { lines, says, kind, places, rows });
        number
    }

    /// The rows of the lines of a list. Keys that no list before has get new rows, if they are utterances.
    fn join(&mut self, list: usize, hashes: &[u64], is_of_utterances: bool) -> Vec<u32> {
        if self.known.is_empty() {
            self.known = self.first.iter().copied().zip(0..).collect();
            self.known.sort_unstable();
        }
        let mut new = Vec::new();
        let mut next = self.catalog.len();
        let mut row = |(&hash, line): (&u64, u32)| {
            let place = self.known.partition_point(|&(other, _)| other < hash);
            match self.known.get(place).filter(|&&(other, _)| other == hash) {
                Some(&(_, row)) => row,
                None if !is_of_utterances => NO_ROW,
                None => {
                    self.catalog.others.push((list as u32, line));
                    new.push((hash, next));
                    next += 1;
                    next - 1
                }
            }
        };
        let rows = hashes.iter().zip(0..).map(&mut row).collect();
        if !new.is_empty() {
            self.known.extend(new);
            self.known.sort_unstable();
        }
        rows
    }

    fn add_directory(&mut self, directory: &DataDirectory) -> Result<()> {
        let mut add = |name: &str, kind, says| -> Result<Option<usize>> {
            directory.file(name).map(|name| self.add(&name, kind, says)).transpose()
        };
        add(DataDirectory::UTT2SPK, DataDirectory::UTT2SPK, Says::Speaker)?;
        let has_segments = directory.file(DataDirectory::SEGMENTS).is_some();
        let says = if has_segments { Says::Recordings } else { Says::Values(ValueType::Wave) };
        let waves = add(DataDirectory::WAV_SCP, "wave", says)?;
        if let Some(waves) = waves {
            add(DataDirectory::SEGMENTS, "segments", Says::Segments(waves))?;
        }
        add(DataDirectory::TEXT, "text", Says::Text)?;
        add(DataDirectory::FEATS_SCP, "matrix", Says::Values(ValueType::Matrix))?;
        add(DataDirectory::UTT2DUR, "utt2dur", Says::Duration)?;
        add(DataDirectory::UTT2NUM_FRAMES, "utt2num_frames", Says::Frames)?;
        add(DataDirectory::CMVN_SCP, "script", Says::Nothing)?;
        for name in [DataDirectory::VAD_SCP, "ali.scp"] {
            if let Some(name) = directory.file(name) {
                self.add_script(&Named::new(NamedKind::Script, name))?;
            }
        }
        if directory.file("ali.scp").is_none() {
            for name in directory.alignments() {
                self.add_archive(Named::new(NamedKind::Archive, name))?;
            }
        }
        for name in directory.lattices() {
            self.add_archive(Named::new(NamedKind::Archive, name))?;
        }
        for name in directory.time_marks() {
            self.add(&name, "ctm", Says::Times)?;
        }
        if let Some(name) = directory.file("frame_shift") {
            for_each_keyed_line(name.as_bstr(), |line| {
                let shift: Option<f64> = line.key.to_str().ok().and_then(|shift| shift.parse().ok());
                self.catalog.frame_shift = shift.filter(|&shift| shift > 0.0 && shift.is_finite());
            })?;
        }
        Ok(())
    }

    /// Adds a script file. The type of its values is that of the first one that is no command: commands run only for an utterance
    /// that is opened.
    fn add_script(&mut self, named: &Named) -> Result<()> {
        let list = self.add(&named.rxfilename, "script", Says::Values(ValueType::Wave))?;
        let lines = self.catalog.lists[list].lines.read(0..LOOKED_AT).unwrap_or_default();
        let find = |line: &Line| {
            let line = parse_script_line(&[line.key.as_slice(), b" ", &line.rest].concat()).ok()?;
            let value = Named::new(NamedKind::Value, line.xfilename.clone());
            if line.is_command() { None } else { Entries::find_type(&value) }
        };
        let value_type = lines.iter().find_map(find).unwrap_or(ValueType::Wave);
        check_type(&named.rxfilename, value_type)?;
        let list = &mut self.catalog.lists[list];
        (list.says, list.kind) = (Says::Values(value_type), value_type.name());
        Ok(())
    }

    /// Adds an archive, or a file with one value: reads the keys, and where the values are.
    fn add_archive(&mut self, named: Named) -> Result<()> {
        let (name, is_file) = (named.rxfilename.clone(), named.kind == NamedKind::Value);
        let is_compressed = Input::open(name.as_bstr())?.is_compressed();
        let mut entries = Entries::of(named, None)?;
        let (mut text, mut has_values) = (Vec::new(), is_file);
        loop {
            match entries.next() {
                Ok(Some(entry)) if is_file => {
                    drop(entry);
                    let key = name.rsplit(|byte| *byte == b'/').next().unwrap_or(&name);
                    text.extend(key.iter().map(|byte| if byte.is_ascii_whitespace() { b'_' } else { *byte }));
                    text.extend_from_slice(&[b" ", name.as_slice(), b"\n"].concat());
                }
                Ok(Some(entry)) => {
                    has_values |= !entry.head().trim_ascii().is_empty();
                    text.extend_from_slice(entry.key());
                    text.extend_from_slice(format!(" :{}\n", entry.offset()).as_bytes());
                }
                Ok(None) => break,
                // What comes before it can be seen.
                Err(error) if !text.is_empty() => {
                    warning!("{error}; the rest of {} is not shown", printable_rxfilename(name.as_ref()));
                    break;
                }
                Err(error) => return Err(error.into()),
            }
        }
        let value_type = entries.value_type();
        if !text.is_empty() {
            check_type(&name, value_type)?;
        }
        if !text.is_empty() && !has_values {
            // Keys without any values: another list, perhaps of another program.
            return Err(Error::List { name: name.clone(), message: no_values(name.as_bstr())? });
        }
        let places = match (is_file, is_compressed) {
            (true, _) => Places::Listed,
            (false, true) => Places::Compressed(name.clone()),
            (false, false) => Places::Archive(name.clone()),
        };
        let keyed = KeyedLines::of(name.as_bstr(), Bytes::Memory(text), &self.hasher)?;
        self.add_lines(keyed, value_type.name(), Says::Values(value_type), places);
        Ok(())
    }

    /// Adds shards: the sound of their samples, and the texts.
    fn add_shards(&mut self, name: &BString, found: &Rspecifier) -> Result<()> {
        let rxfilename = &found.rxfilename;
        let text_field = found.field.clone().map_or_else(|| FieldPath::new("txt"), FieldPath::new);
        if comes_once(rxfilename.as_bstr()) {
            return Err(Error::Stream { name: name.clone() });
        }
        let failed = |error: shards::Error| Error::List { name: name.clone(), message: error.to_string() };
        let names = ShardNames::new([rxfilename.clone()], Wanted::Headers);
        let mut samples = SampleStream::new(names, Grouping::Wenet);
        let (mut shards, mut waves, mut texts): (Vec<BString>, _, _) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            let sample = samples.next_with(|shard, field, member, payload| {
                let sound = is_sound(field).then(|| member.clone());
                let is_text = sound.is_none() && text_field.may_be_in(field);
                let content = if is_text { payload.read()? } else { Vec::new() };
                Ok(SeenMember { shard: shard.name.clone(), content, sound })
            });
            let Some(sample) = sample.map_err(failed)? else { break };
            let shard = sample.fields.first().map_or_else(|| "".into(), |field| field.value.shard.clone());
            if shards.last().is_none_or(|last| last != shard.as_bytes()) {
                shards.push(shard.as_bytes().into());
            }
            for member in sample.fields.iter().filter_map(|field| field.value.sound.as_ref()) {
                let place = member_place(shards.len() - 1, member);
                waves.extend_from_slice(&[sample.key.as_slice(), b" ", place.as_bytes(), b"\n"].concat());
            }
            // A text that cannot be read is none.
            if let Ok(Some(text)) = text_field.text_of(&shard, &sample) {
                let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r' | 0);
                let text: Vec<u8> = text.iter().map(|byte| if is_end(byte) { b' ' } else { *byte }).collect();
                texts.extend_from_slice(&[sample.key.as_slice(), b" ", &text, b"\n"].concat());
            }
        }
        self.add_members(name, shards, waves, texts)
    }

    /// Adds the sound in tar files, with its places there, and texts.
    fn add_members(&mut self, name: &BString, shards: Vec<BString>, waves: Vec<u8>, texts: Vec<u8>) -> Result<()> {
        let keyed = |text| KeyedLines::of(name.as_bstr(), Bytes::Memory(text), &self.hasher);
        let (waves, texts) = (keyed(waves)?, keyed(texts)?);
        self.add_lines(waves, "wave", Says::Values(ValueType::Wave), Places::Shards(shards));
        if texts.0.len() > 0 {
            self.add_lines(texts, "text", Says::Text, Places::Listed);
        }
        Ok(())
    }

    fn finish(mut self) -> Catalog {
        self.catalog.others.shrink_to_fit();
        self.catalog
    }
}

/// A member of a shard: its text, or the place of its sound.
struct SeenMember {
    shard: Arc<str>,
    content: Vec<u8>,
    sound: Option<Member>,
}

impl AsRef<[u8]> for SeenMember {
    fn as_ref(&self) -> &[u8] {
        &self.content
    }
}

/// What a file is that looks like an archive without any values.
fn no_values(name: &BStr) -> Result<String> {
    let (mut head, shown) = (Vec::new(), printable_rxfilename(name));
    Input::open(name)?.read_some(&mut head, 1 << 12)?;
    let advice = recognize(&head, ExpectedStream::Archive, &shown, 0);
    Ok(format!("{shown}: {}", advice.unwrap_or_else(|| "expected a value after each key, got none".to_owned())))
}

/// # Errors
/// If values of this type are not over time.
fn check_type(name: &BString, value_type: ValueType) -> Result<()> {
    match TrackKind::of(value_type) {
        Some(_) => Ok(()),
        None => Err(Error::NotOverTime { name: name.clone(), found: value_type.name() }),
    }
}

/// Where a member of a shard is: the number of the shard, its offset and its length.
fn member_place(shard: usize, member: &Member) -> String {
    format!("{shard}:{}:{}", member.offset, member.size)
}

impl Catalog {
    /// Reads all lists of data directories and script files.
    ///
    /// # Errors
    /// If a list cannot be read, or an input comes only once.
    pub fn open(names: &[BString]) -> Result<Self> {
        let mut builder = Builder::default();
        for name in names {
            let specifier = Rspecifier::parse(name.as_bstr());
            match &specifier {
                Some(found) if found.kind == RspecifierKind::Shards => {
                    builder.add_shards(name, found)?;
                    continue;
                }
                Some(found) if found.kind == RspecifierKind::Shar => {
                    builder.add_shar(name, found)?;
                    continue;
                }
                _ => {}
            }
            let named = Named::find(name.as_bstr())?;
            let before = builder.catalog.lists.len();
            match named.kind {
                NamedKind::Directory => {
                    let path = named.rxfilename.to_path().unwrap_or(std::path::Path::new(""));
                    builder.add_directory(&DataDirectory::new(path))?;
                }
                _ if named.is_stream() => return Err(Error::Stream { name: name.clone() }),
                NamedKind::Script => builder.add_script(&named)?,
                _ => builder.add_archive(named)?,
            }
            if builder.catalog.lists[before..].iter().any(|list| list.is_measurable()) {
                builder.catalog.measurable.push(name.clone());
            }
        }
        match builder.catalog.len() {
            0 => Err(Error::Nothing { names: names.to_vec() }),
            _ => Ok(builder.finish()),
        }
    }
}
