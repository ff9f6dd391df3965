//! Manifests of lhotse: recordings, and supervisions that are parts of them.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bstr::BString;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use shards::{Cut, CutSupervision};

use super::SoundPlaces;
use super::cuts::{Cuts, Scripts};
use super::json::{Object, Objects};
use crate::{CorpusPlace, Error, FoundUtterance, Result, Utterances};

/// A recording.
struct Recording {
    audio: BString,
    path: BString,
    /// The channels of its first source; `None` if it does not say.
    channels: Option<Vec<u64>>,
    place: CorpusPlace,
}

/// Whether the folder has manifests of lhotse.
pub(super) fn is_there(folder: &Path) -> Result<bool> {
    Ok(cuts_of(folder).is_some() || !files(folder, "recordings")?.is_empty())
}

/// The file of cuts in a folder.
pub(super) fn cuts_of(folder: &Path) -> Option<PathBuf> {
    ["cuts.jsonl.gz", "cuts.jsonl", "cuts.json", "cuts.json.gz"]
        .iter()
        .map(|name| folder.join(name))
        .find(|file| file.is_file())
}

/// The manifests of a kind in the folder, by their names.
fn files(folder: &Path, kind: &str) -> Result<Vec<PathBuf>> {
    let failed = |source| Error::Folder { name: folder.display().to_string(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let is_manifest = [".jsonl", ".jsonl.gz", ".json", ".json.gz"].iter().any(|suffix| name.ends_with(suffix));
        if is_manifest && name.contains(kind) && !name.starts_with('.') {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Reads all recordings and supervisions of the folder.
pub(super) fn read(folder: &Path, places: &SoundPlaces, all: &mut Utterances) -> Result<()> {
    if whole_file::has_leftovers(folder) {
        let place = CorpusPlace { name: folder.display().to_string().into(), line: None };
        return Err(place.error("a program that wrote here was killed, and its files are not complete: run it again"));
    }
    let mut recordings = HashMap::new();
    for file in files(folder, "recordings")? {
        let mut objects = Objects::open(file.as_os_str().as_bytes().into())?;
        while let Some(object) = objects.next_object()? {
            let (id, recording) = recording(&object, places)?;
            let place = recording.place.clone();
            if let Some(first) = recordings.insert(id.clone(), recording) {
                return Err(
                    place.error(format!("expected each recording once, got {id} again, which {} has", first.place))
                );
            }
        }
    }
    let supervisions = files(folder, "supervisions")?;
    if supervisions.is_empty() {
        let message = format!("{}: expected *supervisions*.jsonl, .jsonl.gz or .json, got none", folder.display());
        return Err(Error::Nothing(message));
    }
    for file in files(folder, "features")? {
        let place = CorpusPlace { name: file.display().to_string().into(), line: None };
        all.left_out.add("manifests have features, which only cuts lead to", &place)?;
    }
    let scripts = Scripts::default();
    let cuts = Cuts::new(places, &folder.display().to_string(), &scripts)?;
    for file in supervisions {
        let mut objects = Objects::open(file.as_os_str().as_bytes().into())?;
        while let Some(object) = objects.next_object()? {
            add(&object, &recordings, &cuts, places, all)?;
        }
    }
    Ok(())
}

fn name(object: &Object, field: &str) -> Result<BString> {
    object.name(field)?.ok_or_else(|| object.place.error(format!("expected a field \"{field}\", got none")))
}

fn recording(object: &Object, places: &SoundPlaces) -> Result<(BString, Recording)> {
    let id = name(object, "id")?;
    if let Some(transforms) = object.get("transforms").filter(|it| it.as_array().is_none_or(|list| !list.is_empty())) {
        return Err(object.wrong("transforms", "no changes of the sound", transforms));
    }
    let source = match object.get("sources") {
        Some(Value::Array(sources)) if !sources.is_empty() => &sources[0],
        _ => return Err(object.place.error("expected a list as the field \"sources\", got none")),
    };
    let field = |name: &str| source.get(name).and_then(Value::as_str);
    let Some(path) = field("source").filter(|path| !path.trim().is_empty()) else {
        return Err(object.wrong("sources", "text as \"source\" of the first", source));
    };
    let audio = match field("type") {
        Some("file") => places.find(path.into(), &object.place)?,
        Some("url") => {
            places.check(path.into(), &object.place)?;
            path.into()
        }
        Some("command") => {
            let command = format!("{} |", path.trim_end());
            places.check(command.as_str().into(), &object.place)?;
            command.into()
        }
        _ => return Err(object.wrong("sources", "\"file\", \"url\" or \"command\" as the type of the first", source)),
    };
    let list = |value: &Value| value.as_array().map(|list| list.iter().filter_map(Value::as_u64).collect::<Vec<_>>());
    let channels = source.get("channels").and_then(list).or_else(|| object.get("channel_ids").and_then(list));
    Ok((id, Recording { audio, path: path.into(), channels, place: object.place.clone() }))
}

/// What a line says that has letters of its own.
#[derive(Deserialize)]
struct RawEntries<'a> {
    #[serde(borrow)]
    alignment: Option<&'a RawValue>,
    #[serde(borrow)]
    custom: Option<&'a RawValue>,
}

/// Adds the utterances of a supervision: one, or one for each of its channels.
fn add(
    object: &Object,
    recordings: &HashMap<BString, Recording>,
    cuts: &Cuts<'_>,
    places: &SoundPlaces,
    all: &mut Utterances,
) -> Result<()> {
    let (id, of) = (name(object, "id")?.to_string(), name(object, "recording_id")?);
    let Some(recording) = recordings.get(&of) else {
        return Err(object.place.error(format!("expected a recording {of} in the manifests of recordings, got none")));
    };
    let mut utterance = FoundUtterance::new(object.place.clone(), recording.audio.clone(), recording.path.clone());
    let needed = |field: &str| {
        object.seconds(field)?.ok_or_else(|| object.place.error(format!("expected a field \"{field}\", got none")))
    };
    let (start, duration) = (needed("start")?, needed("duration")?);
    (utterance.start, utterance.end) = (Some(start), Some(start + duration));
    let raw: RawEntries<'_> = serde_json::from_slice(object.line())
        .map_err(|error| object.place.error(format!("expected a supervision of lhotse: {error}")))?;
    let named = |field: &str| Ok::<_, Error>(object.name(field)?.map(|name| name.to_string()));
    let [speaker, language, gender] = ["speaker", "language", "gender"].map(named);
    let (speaker, language, gender) = (speaker?, language?, gender?);
    let said = CutSupervision {
        id: id.as_str().into(),
        start,
        duration,
        channel: None,
        text: object.text("text")?.map(Into::into),
        speaker: speaker.as_deref().map(Into::into),
        language: language.as_deref().map(Into::into),
        gender: gender.as_deref().map(Into::into),
        alignment: raw.alignment,
        custom: raw.custom,
    };
    // It says what a cut of all of it would say.
    let cut = Cut {
        kind: None,
        id: id.as_str().into(),
        start: Some(start),
        duration: Some(duration),
        channel: None,
        supervisions: None,
        recording: None,
        features: None,
        custom: None,
    };
    (utterance.id, utterance.recording) = (Some(id.as_str().into()), Some(of));
    cuts.tell(&cut, Some(&said), &BTreeMap::new(), &mut utterance, all)?;
    let channels = channels(object, recording, places.options.split_channels)?;
    let name = utterance.id.clone().unwrap_or_default();
    for &channel in &channels {
        utterance.channel = channel;
        if let (Some(channel), true) = (channel, channels.len() > 1) {
            utterance.id = Some(format!("{name}-{channel}").into());
        }
        all.found.push(&utterance);
    }
    Ok(())
}

/// The channels of a supervision, if its recording has several. A list of several is each of them if they are split, or else none.
fn channels(object: &Object, recording: &Recording, are_split: bool) -> Result<Vec<Option<u32>>> {
    let list = match object.get("channel") {
        None => return Ok(vec![None]),
        Some(Value::Array(list)) if list.len() == 1 || are_split => list.as_slice(),
        Some(Value::Array(_)) => return Ok(vec![None]),
        Some(only) => std::slice::from_ref(only),
    };
    list.iter().map(|channel| self::channel(channel, object, recording)).collect()
}

fn channel(channel: &Value, object: &Object, recording: &Recording) -> Result<Option<u32>> {
    let number = channel.as_u64().and_then(|channel| u32::try_from(channel).ok());
    let number = number.ok_or_else(|| object.wrong("channel", "the number of a channel", channel))?;
    match &recording.channels {
        Some(channels) if !channels.contains(&number.into()) => {
            let message = format!("expected one of the channels {channels:?} of {}, got {number}", recording.place);
            Err(object.place.error(message))
        }
        Some(channels) => Ok((channels.len() > 1).then_some(number)),
        None => Ok((number > 0).then_some(number)),
    }
}
