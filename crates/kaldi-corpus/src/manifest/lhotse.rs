//! Manifests of lhotse: recordings, and supervisions that are parts of them.

use std::collections::HashMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bstr::BString;
use serde_json::Value;

use super::SoundPlaces;
use super::json::{Object, Objects};
use crate::utterances::spoken;
use crate::{CorpusPlace, Error, FoundUtterance, Result};

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
    ["cuts.jsonl.gz", "cuts.jsonl"].iter().map(|name| folder.join(name)).find(|file| file.is_file())
}

/// The manifests of a kind in the folder, by their names.
fn files(folder: &Path, kind: &str) -> Result<Vec<PathBuf>> {
    let failed = |source| Error::Folder { name: folder.display().to_string(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let is_manifest = name.ends_with(".jsonl") || name.ends_with(".jsonl.gz");
        if is_manifest && name.contains(kind) && !name.starts_with('.') {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Reads all recordings and supervisions of the folder.
pub(super) fn read(folder: &Path, places: &SoundPlaces) -> Result<Vec<FoundUtterance>> {
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
        let message = format!("{}: expected *supervisions*.jsonl or .jsonl.gz, got none", folder.display());
        return Err(Error::Nothing(message));
    }
    let mut found = Vec::new();
    for file in supervisions {
        let mut objects = Objects::open(file.as_os_str().as_bytes().into())?;
        while let Some(object) = objects.next_object()? {
            found.push(supervision(&object, &recordings)?);
        }
    }
    Ok(found)
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

fn supervision(object: &Object, recordings: &HashMap<BString, Recording>) -> Result<FoundUtterance> {
    let (id, of) = (name(object, "id")?, name(object, "recording_id")?);
    let Some(recording) = recordings.get(&of) else {
        return Err(object.place.error(format!("expected a recording {of} in the manifests of recordings, got none")));
    };
    let mut utterance = FoundUtterance::new(object.place.clone(), recording.audio.clone(), recording.path.clone());
    (utterance.id, utterance.recording) = (Some(id), Some(of));
    utterance.speaker = object.name("speaker")?;
    utterance.text = object.text("text")?.and_then(spoken);
    let needed = |field: &str| {
        object.seconds(field)?.ok_or_else(|| object.place.error(format!("expected a field \"{field}\", got none")))
    };
    let start = needed("start")?;
    (utterance.start, utterance.end) = (Some(start), Some(start + needed("duration")?));
    utterance.channel = channel(object, recording)?;
    Ok(utterance)
}

/// The channel of a supervision, if its recording has several. All of them are none.
fn channel(object: &Object, recording: &Recording) -> Result<Option<u32>> {
    let channel = match object.get("channel") {
        None => return Ok(None),
        Some(Value::Array(list)) => match &list[..] {
            [only] => only,
            _ => return Ok(None),
        },
        Some(only) => only,
    };
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
