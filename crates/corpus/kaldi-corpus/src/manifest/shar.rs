//! Shar folders of lhotse as sources of data directories.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_reader::{BoxReader, Reader};
use kaldi_wave::{WaveSamples, sound_suffix};
use shards::{
    Cut, CutFeatures, CutRecording, Member, Members, Payload, SharFolder, SharPart, SharStream, Shard, Wanted,
};

use super::SoundPlaces;
use super::cut_parts::rows;
use super::cuts::{CutSound, Cuts, Features, Scripts, check_transforms};
use crate::{CorpusPlace, Error, FoundArray, FoundFeatures, FoundSound, Result, SoundStore, Utterances};

/// What is known of a member.
struct Seen {
    /// The name of its tar file.
    tar: Arc<str>,
    /// Whether a line of `wav.scp` can name it where it is.
    is_in_place: bool,
    /// Whether it has the bytes of sound.
    is_sound: bool,
    /// Whether the tar file is one that is not compressed, and can be read at any place.
    is_plain: bool,
}

/// Reads the cuts of a folder, or of one of its files of cuts.
pub(super) fn read(name: &BStr, places: &SoundPlaces, all: &mut Utterances) -> Result<()> {
    let folder = SharFolder::find(name)?;
    let is_lines = |field: &&String| {
        folder.files().iter().any(|files| files.fields.get(*field).is_some_and(|file| file.contains_str(".jsonl")))
    };
    let lines: Vec<String> = folder.fields().iter().filter(is_lines).cloned().collect();
    let mut fields = vec!["recording", "features"];
    fields.extend(lines.iter().map(String::as_str));
    if !folder.fields().iter().any(|field| field == "recording") {
        return Err(Error::Nothing(format!("{}: expected tar files of the field recording, got none", folder.name())));
    }
    let other: Vec<String> =
        folder.fields().iter().filter(|field| !fields.contains(&field.as_str())).cloned().collect();
    let mut stream = SharStream::new(folder.clone(), &fields, Wanted::Headers);
    let scripts = Scripts::default();
    let mut cuts = Cuts::new(places, folder.name(), &scripts)?;
    let (store, mut sounds) = (all.stores.len(), Sounds::default());
    let mut is_first = true;
    while let Some(mut sample) =
        stream.next_with(|field, shard, _, member, payload| look(field, shard, member, payload))?
    {
        let place = CorpusPlace::line(&sample.list, sample.number);
        if std::mem::take(&mut is_first) {
            for field in &other {
                all.left_out.add(&format!("field {field} of the Shar folder has no table"), &place)?;
            }
        }
        let cut = Cut::parse(&sample.line).map_err(|message| place.error(message))?;
        cuts.check_kind(&cut, &place)?;
        let beside: BTreeMap<String, Vec<u8>> = lines
            .iter()
            .zip(sample.parts.split_off(2))
            .filter_map(|(name, part)| match part {
                SharPart::Json(value) => Some((name.clone(), value)),
                _ => None,
            })
            .collect();
        let (array, sound) = (sample.parts.pop(), sample.parts.pop());
        let Some(SharPart::Member { member, value: seen, manifest, .. }) = sound.filter(is_sound) else {
            all.left_out.add("cuts have no sound", &place)?;
            continue;
        };
        let recording = parse::<CutRecording<'_>>(&manifest, "a recording", &cut, &place)?;
        check_transforms(&recording).map_err(|message| place.error(format!("cut {}: {message}", cut.id)))?;
        let audio = match seen.is_in_place && !places.options.copies_all {
            true => FoundSound::Named([seen.tar.as_bytes(), format!(":{}", member.offset).as_bytes()].concat().into()),
            false => FoundSound::Inside { store, index: sounds.add(&seen.tar, &member) },
        };
        let sound = CutSound {
            audio,
            path: cut.id.as_bytes().into(),
            recording: cut.id.as_bytes().into(),
            channels: recording.channel_ids.unwrap_or_else(|| vec![0]),
            is_cut_out: true,
        };
        let features = |start: f64, end: f64, _: &mut Cuts<'_>| of_array(array.as_ref(), &cut, start, end, &place);
        cuts.add(&cut, &sound, features, &beside, &place, all)?;
    }
    stream.finish()?;
    all.stores.push(Arc::new(sounds));
    Ok(())
}

fn is_sound(part: &SharPart<Seen>) -> bool {
    matches!(part, SharPart::Member { value, .. } if value.is_sound)
}

/// Looks at the start of a member.
fn look(field: usize, shard: &Shard, member: &Member, payload: &mut Payload<'_>) -> shards::Result<Seen> {
    let tar = Arc::clone(&shard.name);
    let is_plain = shard.bytes.as_ref().is_some_and(|bytes| bytes.as_file().is_some());
    if field != 0 || member.size == 0 {
        return Ok(Seen { tar, is_in_place: false, is_sound: false, is_plain });
    }
    let suffix = payload.parse_front(|head| match sound_suffix(head) {
        None if (head.len() as u64) < member.size.min(4096) => None,
        suffix => Some(suffix),
    })?;
    let mut is_in_place = suffix.flatten() == Some("wav") && is_plain;
    if is_in_place {
        let samples = payload.parse_front(|head| match WaveSamples::read(head) {
            Err(error) if error.at_end => None,
            extent => Some(extent.ok()),
        })?;
        is_in_place = samples.flatten().is_some_and(|samples| samples.num_bytes.is_some());
    }
    Ok(Seen { tar, is_in_place, is_sound: suffix.flatten().is_some(), is_plain })
}

/// What lhotse says in a member.
fn parse<'a, T: serde::Deserialize<'a>>(
    manifest: &'a [u8],
    what: &str,
    cut: &Cut<'_>,
    place: &CorpusPlace,
) -> Result<T> {
    serde_json::from_slice(manifest)
        .map_err(|error| place.error(format!("cut {}: expected {what} in its member .json: {error}", cut.id)))
}

/// The features of a cut between two times.
fn of_array(
    part: Option<&SharPart<Seen>>,
    cut: &Cut<'_>,
    start: f64,
    end: f64,
    place: &CorpusPlace,
) -> Result<Features> {
    let Some(SharPart::Member { suffix, member, value, manifest }) = part else { return Ok(Features::None) };
    if suffix != "npy" {
        return Ok(Features::LeftOut(format!("features are stored as .{suffix}")));
    }
    let features = parse::<CutFeatures<'_>>(manifest, "features", cut, place)?;
    let rows = rows(&features, start, end).map_err(|message| place.error(format!("cut {}: {message}", cut.id)))?;
    let Some(rows) = rows else {
        return Ok(Features::LeftOut("utterances lie outside of their features".to_owned()));
    };
    let file = BString::from(value.tar.as_bytes());
    let (place, is_packed) = (Some((member.offset, member.size)), !value.is_plain);
    Ok(Features::Found(FoundFeatures::Array(FoundArray { file, place, is_packed, rows })))
}

/// Sounds in tar files.
#[derive(Debug, Default)]
struct Sounds {
    tars: Vec<Arc<str>>,
    /// For each sound, the number of its tar file, offset and size.
    places: Vec<(u32, u64, u64)>,
}

impl Sounds {
    fn add(&mut self, tar: &Arc<str>, member: &Member) -> u64 {
        if self.tars.last() != Some(tar) {
            self.tars.push(Arc::clone(tar));
        }
        self.places.push((self.tars.len() as u32 - 1, member.offset, member.size));
        self.places.len() as u64 - 1
    }
}

impl SoundStore for Sounds {
    fn read(&self, wanted: Vec<u64>) -> Result<BoxReader<(u64, Vec<u8>), Error>> {
        let places = wanted.into_iter().filter_map(|index| {
            let (tar, offset, size) = *self.places.get(usize::try_from(index).ok()?)?;
            Some((index, Arc::clone(&self.tars[tar as usize]), offset, size))
        });
        Ok(Box::new(StoredSounds { places: places.collect::<Vec<_>>(), next: 0, open: None }))
    }
}

/// The wanted sounds of tar files, in order.
struct StoredSounds {
    places: Vec<(u64, Arc<str>, u64, u64)>,
    next: usize,
    open: Option<(Arc<str>, OpenTar)>,
}

/// A tar file that is read at places, or, if it is compressed, from its start on.
enum OpenTar {
    Plain(Arc<File>),
    Stream(Box<Members>),
}

impl StoredSounds {
    fn load(&mut self, tar: &Arc<str>, offset: u64, size: u64) -> Result<Vec<u8>> {
        if self.open.as_ref().is_none_or(|(name, _)| name != tar) {
            let members = Members::open(tar.as_bytes().into(), Wanted::Contents)?;
            let open = match members.plain_file() {
                Some(file) => OpenTar::Plain(file),
                None => OpenTar::Stream(Box::new(members)),
            };
            self.open = Some((Arc::clone(tar), open));
        }
        match self.open.as_mut().map(|(_, open)| open) {
            Some(OpenTar::Plain(file)) => {
                let mut bytes = vec![0; usize::try_from(size).unwrap_or(usize::MAX)];
                let failed = |source| kaldi_io::Error::Read { name: tar.to_string(), offset, source };
                file.read_exact_at(&mut bytes, offset).map_err(failed)?;
                Ok(bytes)
            }
            Some(OpenTar::Stream(members)) => {
                while let Some((member, mut payload)) = members.next_member()? {
                    if member.offset == offset {
                        return Ok(payload.read()?);
                    }
                }
                Ok(Vec::new())
            }
            None => Ok(Vec::new()),
        }
    }
}

impl Reader for StoredSounds {
    type Item = (u64, Vec<u8>);
    type Error = Error;

    fn next(&mut self) -> Result<Option<(u64, Vec<u8>)>> {
        let Some((index, tar, offset, size)) = self.places.get(self.next).cloned() else { return Ok(None) };
        self.next += 1;
        match self.load(&tar, offset, size) {
            Ok(bytes) => Ok(Some((index, bytes))),
            Err(error) => {
                self.next = self.places.len();
                Err(error)
            }
        }
    }

    fn restart(&mut self) -> Result<()> {
        (self.next, self.open) = (0, None);
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        (self.next, self.open) = (self.places.len(), None);
        Ok(())
    }
}
