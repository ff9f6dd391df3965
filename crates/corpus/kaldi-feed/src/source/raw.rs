//! Samples of raw lists, and samples made of stored ones.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_corpus::shard::{FieldPath, ListKind, Stored, StoredSample};
use kaldi_corpus::{ListIndex, NemoSounds, RawUtterance};
use kaldi_io::Commands;
use kaldi_reader::{BoxReader, ReaderExt};
use kaldi_wave::looks_like_sound;

use super::content::Part;
use super::measure::measured;
use super::picks::{Reading, picks};
use crate::ledger::{BadSamples, Found};
use crate::{Error, Result, Sample};

/// A raw list, or a manifest of NeMo.
pub(crate) struct Raw {
    name: Arc<str>,
    /// The folder of a manifest of NeMo, and the tar files there.
    nemo: Option<Arc<(PathBuf, NemoSounds)>>,
    index: Arc<ListIndex>,
    commands: Commands,
}

impl Raw {
    pub(super) fn open(name: &BString, is_nemo: bool, commands: Commands) -> Result<Self> {
        let index = ListIndex::open(name.as_ref())?;
        let nemo = match is_nemo {
            false => {
                super::check_kind(name, &index, |kind| kind == ListKind::Raw, "an utterance in JSON")?;
                None
            }
            true => {
                super::check_kind(name, &index, |kind| kind == ListKind::Manifest, "a line of a manifest of NeMo")?;
                let folder = Path::new(OsStr::from_bytes(name)).parent().unwrap_or(Path::new(""));
                Some(Arc::new((folder.to_owned(), NemoSounds::new(folder))))
            }
        };
        Ok(Self { name: name.to_string().into(), nemo, index: index.into(), commands })
    }

    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    pub(super) fn read(&self, reading: Reading) -> BoxReader<Found, Error> {
        let (name, nemo, index) = (Arc::clone(&self.name), self.nemo.clone(), Arc::clone(&self.index));
        let (commands, text) = (self.commands, FieldPath::new("txt"));
        let find = move |(number, seeds)| {
            let line = index.line(number)?;
            let found = match &nemo {
                None => RawUtterance::parse(&line, commands).map(|utterance| StoredSample::of_raw(utterance, &name)),
                Some(nemo) => of_nemo(&line, &nemo.0, &nemo.1, commands, &name),
            };
            let found = found.map_err(|message| format!("{name}: line {}: {message}", number + 1));
            Ok(Some(found.and_then(|stored| sample(stored, &text, seeds)).map_err(BadSamples::from)))
        };
        picks(self.index.len(), reading).filter_map(find).boxed()
    }
}

/// The sample of a line of a manifest of NeMo, whose sound is a file or a member of a tar file.
fn of_nemo(
    line: &[u8],
    folder: &Path,
    sounds: &NemoSounds,
    commands: Commands,
    name: &Arc<str>,
) -> Result<StoredSample, String> {
    let utterance = RawUtterance::parse_nemo(line, folder, commands)?;
    let in_tar = sounds.find(&utterance)?;
    let mut stored = StoredSample::of_raw(utterance, name);
    if let (Some(sound), Some(field)) = (in_tar, stored.fields.first_mut()) {
        field.content = sound;
    }
    Ok(stored)
}

/// The sample of a line or of a shard, with the text that is in this field. Its size comes from its header.
pub(super) fn sample(stored: StoredSample, text_field: &FieldPath, seeds: [u64; 2]) -> Result<Sample, String> {
    let StoredSample { key, fields, segment, source } = stored;
    let part = segment.map_or(Part::Sound, Part::Segment);
    let failed = |message: String| format!("{key}: {message}");
    let is_member = |content: &Stored| matches!(content, Stored::Blob(_));
    let text_place = text_field.find(fields.iter().map(|field| field.name.as_ref()));
    let (mut sound, mut text, mut others) = (None, None, std::collections::BTreeMap::new());
    for (number, field) in fields.into_iter().enumerate() {
        let is_sound = kaldi_corpus::shard::is_field(field.name.as_ref(), BStr::new("wav"));
        if is_sound && sound.is_none() {
            let member = [&key[..], b".", &field.name].concat();
            sound = Some((is_member(&field.content).then(|| member.into()), field.content));
            continue;
        } else if is_sound {
            return Err(failed("expected one field of sound, got several".to_owned()));
        }
        // Sound alone is worth waiting for.
        let content = field.content.load().map_err(|error| failed(error.to_string()))?;
        let Some((_, entry)) = text_place.filter(|(place, _)| *place == number) else {
            others.insert(field.name, content.into_owned());
            continue;
        };
        if let Some(found) = text_field.text(&content, entry).map_err(|error| failed(format!("{source}: {error}")))? {
            let found = found.to_str().map_err(|_| failed("expected a text in UTF-8".to_owned()))?;
            text = Some(found.trim().to_owned());
        }
        if !entry.is_empty() {
            others.insert(field.name, content.into_owned());
        }
    }
    // A suffix may say nothing; then the bytes do.
    let named = others
        .iter()
        .find(|(_, content)| looks_like_sound(content, content.len() as u64))
        .map(|(name, _)| name.clone());
    let sound = sound.or_else(|| {
        let name = named?;
        let content = others.remove(&name)?;
        Some((Some([&key[..], b".", &name].concat().into()), Stored::Blob(content.into())))
    });
    let Some((member, sound)) = sound else {
        return Err(failed(format!("expected a field of sound in {source}, got none")));
    };
    let mut sample: Sample = measured(&key, seeds, sound, part, member).map_err(failed)?;
    sample.text = text;
    sample.fields = others;
    Ok(sample)
}
