//! Lines of JSON: manifests of NeMo, raw lists of WeNet.

use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::Lines;
use serde_json::{Map, Value};

use super::SoundPlaces;
use super::nemo_tars::TarredLine;
use crate::shard::NemoLine;
use crate::utterances::spoken;
use crate::{CorpusPlace, FoundUtterance, Result};

/// The objects of a file, one a line. Empty lines do not count.
pub(crate) struct Objects {
    lines: Lines,
    name: Arc<str>,
}

/// An object and its place.
pub(crate) struct Object {
    fields: Map<String, Value>,
    pub(crate) place: CorpusPlace,
}

impl Objects {
    pub(crate) fn open(name: &BStr) -> Result<Self> {
        let lines = Lines::open(name)?;
        let name = lines.name().into();
        Ok(Self { lines, name })
    }

    /// The place of the line that was read last.
    pub(crate) fn place(&self) -> CorpusPlace {
        CorpusPlace::line(&self.name, self.lines.number().max(1))
    }

    pub(crate) fn next_object(&mut self) -> Result<Option<Object>> {
        loop {
            let Some(line) = self.lines.next_line()? else {
                self.lines.finish()?;
                return Ok(None);
            };
            let line = line.to_vec();
            if line.trim_ascii().is_empty() {
                continue;
            }
            let place = self.place();
            return match serde_json::from_slice(&line) {
                Ok(Value::Object(fields)) => Ok(Some(Object { fields, place })),
                Ok(_) => Err(place.error(format!("expected an object in JSON, got {}", kaldi_tar::excerpt(&line)))),
                Err(error) => {
                    let found = kaldi_tar::excerpt(&line);
                    Err(place.error(format!("expected an object in JSON, got {found}: {error}")))
                }
            };
        }
    }
}

impl Object {
    pub(crate) fn has(&self, field: &str) -> bool {
        self.fields.contains_key(field)
    }

    /// A value that is not `null`.
    pub(crate) fn get(&self, field: &str) -> Option<&Value> {
        self.fields.get(field).filter(|value| !value.is_null())
    }

    pub(crate) fn wrong(&self, field: &str, expected: &str, value: &Value) -> crate::Error {
        let found = value.to_string();
        let found = kaldi_tar::excerpt(found.as_bytes());
        self.place.error(format!("expected {expected} as the field \"{field}\", got {found}"))
    }

    /// A text, if there is one.
    pub(crate) fn text(&self, field: &str) -> Result<Option<&str>> {
        match self.get(field) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(value) => Err(self.wrong(field, "text", value)),
        }
    }

    /// A text that has to be there.
    pub(crate) fn needed(&self, field: &str) -> Result<&str> {
        match self.text(field)? {
            Some(text) if !text.trim().is_empty() => Ok(text),
            _ => Err(self.place.error(format!("expected a field \"{field}\" with text, got none"))),
        }
    }

    /// A name: text or a whole number. An empty one is none.
    pub(crate) fn name(&self, field: &str) -> Result<Option<BString>> {
        match self.get(field) {
            Some(Value::Number(number)) if !number.is_f64() => Ok(Some(number.to_string().into())),
            _ => Ok(self.text(field)?.filter(|text| !text.trim().is_empty()).map(|text| text.trim().into())),
        }
    }

    /// A time, if there is one.
    pub(crate) fn seconds(&self, field: &str) -> Result<Option<f64>> {
        match self.get(field) {
            None => Ok(None),
            Some(value) => value.as_f64().map(Some).ok_or_else(|| self.wrong(field, "seconds", value)),
        }
    }
}

/// Reads a manifest of NeMo: utterances, and those whose sound lies in tar files.
pub(super) fn read_nemo(mut objects: Objects, places: &SoundPlaces) -> Result<(Vec<FoundUtterance>, Vec<TarredLine>)> {
    let (mut found, mut tarred) = (Vec::new(), Vec::new());
    let fields = &places.options.fields;
    let named = |asked: &Option<String>, usual: &str| asked.clone().unwrap_or_else(|| usual.to_owned());
    let (audio, text) = (named(&fields.audio, "audio_filepath"), named(&fields.text, "text"));
    let (id, speaker) = (named(&fields.utterance, "utt_id"), named(&fields.speaker, "speaker"));
    let (language, gender) = (named(&fields.language, "lang"), named(&fields.gender, "gender"));
    while let Some(object) = objects.next_object()? {
        let path = object.needed(&audio)?;
        let line = object.has("shard_id").then(|| NemoLine::read(&object, &audio)).transpose()?;
        let sound = match line {
            Some(_) => BString::default(),
            None => places.find(path.into(), &object.place)?,
        };
        let mut utterance = FoundUtterance::new(object.place.clone(), sound, path.into());
        utterance.id = object.name(&id)?;
        utterance.speaker = object.name(&speaker)?;
        utterance.language = object.name(&language)?;
        utterance.gender = object.name(&gender)?;
        utterance.text = object.text(&text)?.and_then(spoken);
        utterance.start = object.seconds("offset")?;
        utterance.end = object.seconds("duration")?.map(|duration| utterance.start.unwrap_or(0.0) + duration);
        match line {
            Some(line) => tarred.push((utterance, line)),
            None => found.push(utterance),
        }
    }
    Ok((found, tarred))
}

/// Reads a raw list of WeNet.
pub(super) fn read_wenet(mut objects: Objects, places: &SoundPlaces) -> Result<Vec<FoundUtterance>> {
    let mut found = Vec::new();
    while let Some(object) = objects.next_object()? {
        let (key, path) = (object.needed("key")?, object.needed("wav")?);
        let mut utterance =
            FoundUtterance::new(object.place.clone(), places.find(path.into(), &object.place)?, path.into());
        utterance.id = Some(key.trim().into());
        utterance.speaker = object.name("speaker")?;
        utterance.text = object.text("txt")?.and_then(spoken);
        (utterance.start, utterance.end) = (object.seconds("start")?, object.seconds("end")?);
        if utterance.start.is_some() != utterance.end.is_some() {
            let message = "expected both fields \"start\" and \"end\" or none of them, got one";
            return Err(object.place.error(message));
        }
        found.push(utterance);
    }
    Ok(found)
}
