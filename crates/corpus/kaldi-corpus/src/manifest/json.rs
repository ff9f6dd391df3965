//! Lines of JSON: manifests of NeMo, raw lists of WeNet.

use std::collections::BTreeMap;
use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::{JsonObjects, WorkStage};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use shards::CutText;

use super::SoundPlaces;
use super::cut_parts::table_words;
use super::nemo_tars::TarredLine;
use crate::shard::NemoLine;
use crate::utterances::spoken;
use crate::{CorpusPlace, FoundUtterance, ManifestOptions, Result, TimeSpan, Utterances};

/// The objects of a file: one a line, where empty lines do not count, or the elements of an array.
pub(crate) struct Objects {
    lines: JsonObjects,
    name: Arc<str>,
}

/// An object and its place.
pub(crate) struct Object {
    fields: Map<String, Value>,
    /// The line, whose numbers have their letters.
    line: Vec<u8>,
    pub(crate) place: CorpusPlace,
}

impl Objects {
    pub(crate) fn open(name: &BStr) -> Result<Self> {
        let lines = JsonObjects::open(name)?;
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
            WorkStage::step_of_session();
            return match serde_json::from_slice(&line) {
                Ok(Value::Object(fields)) => Ok(Some(Object { fields, line, place })),
                Ok(_) => Err(place.error(format!("expected an object in JSON, got {}", shards::excerpt(&line)))),
                Err(error) => {
                    let found = shards::excerpt(&line);
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
        find(&self.fields, field).filter(|value| !value.is_null())
    }

    /// The line without the white space around it.
    pub(crate) fn line(&self) -> &[u8] {
        self.line.trim_ascii()
    }

    pub(crate) fn wrong(&self, field: &str, expected: &str, value: &Value) -> crate::Error {
        let found = value.to_string();
        let found = shards::excerpt(found.as_bytes());
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

    /// A name that has to be there.
    fn needed_name(&self, field: &str) -> Result<BString> {
        self.name(field)?.ok_or_else(|| self.place.error(format!("expected a field \"{field}\" with text, got none")))
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

/// The value of a field; a dot leads into an object, unless the whole name is there.
fn find<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    fields.get(name).or_else(|| {
        name.rmatch_indices('.').find_map(|(dot, _)| match fields.get(&name[..dot]) {
            Some(Value::Object(inside)) => find(inside, &name[dot + 1..]),
            _ => None,
        })
    })
}

/// Which fields say what: those that are asked for, or the usual ones.
struct LineFields<'a> {
    options: &'a ManifestOptions,
    audio: &'a str,
    text: &'a str,
    id: &'a str,
    speaker: &'a str,
    language: &'a str,
    gender: &'a str,
    /// Fields with other meanings.
    others: &'a [&'a str],
}

impl<'a> LineFields<'a> {
    /// `usual` are the names of sound, text and name.
    fn new(options: &'a ManifestOptions, usual: [&'a str; 3], others: &'a [&'a str]) -> Self {
        let named = |asked: &'a Option<String>, usual: &'a str| asked.as_deref().unwrap_or(usual);
        let fields = &options.fields;
        Self {
            options,
            audio: named(&fields.audio, usual[0]),
            text: named(&fields.text, usual[1]),
            id: named(&fields.utterance, usual[2]),
            speaker: named(&fields.speaker, "speaker"),
            language: named(&fields.language, "lang"),
            gender: named(&fields.gender, "gender"),
            others,
        }
    }

    /// What an object says of an utterance besides its sound and times.
    fn tell(&self, object: &Object, utterance: &mut FoundUtterance, all: &mut Utterances) -> Result<()> {
        object.fields.keys().for_each(|name| all.seen.see(name, self.options));
        let asked = self.options.fields.asked().map(|(_, name)| name);
        asked.filter(|name| find(&object.fields, name).is_some()).for_each(|name| all.seen.see(name, self.options));
        utterance.id = object.name(self.id)?;
        utterance.speaker = object.name(self.speaker)?;
        utterance.language = object.name(self.language)?;
        utterance.gender = object.name(self.gender)?;
        utterance.text = object.text(self.text)?.and_then(spoken);
        let known = [self.audio, self.text, self.id, self.speaker, self.language, self.gender];
        let extra = &self.options.extra;
        let is_other = |name: &str| extra.names(name) || !(known.contains(&name) || self.others.contains(&name));
        if !object.fields.keys().any(|name| is_other(name)) {
            return Ok(());
        }
        let values: BTreeMap<CutText<'_>, &RawValue> = serde_json::from_slice(object.line())
            .map_err(|error| object.place.error(format!("expected an object in JSON: {error}")))?;
        for (name, value) in values.into_iter().filter(|(name, _)| is_other(name)) {
            let words = table_words(value.get().as_bytes());
            all.add_extra(&mut utterance.extra, &name, words, "", self.options, &object.place)?;
        }
        Ok(())
    }
}

/// Reads a manifest of NeMo: utterances, and those whose sound lies in tar files.
pub(super) fn read_nemo(
    mut objects: Objects,
    places: &SoundPlaces,
    all: &mut Utterances,
) -> Result<(Vec<FoundUtterance>, Vec<TarredLine>)> {
    let (mut found, mut tarred) = (Vec::new(), Vec::new());
    let fields =
        LineFields::new(&places.options, ["audio_filepath", "text", "utt_id"], &["offset", "duration", "shard_id"]);
    while let Some(object) = objects.next_object()? {
        let path = object.needed(fields.audio)?;
        let line = object.has("shard_id").then(|| NemoLine::read(&object, fields.audio)).transpose()?;
        let sound = match line {
            Some(_) => BString::default(),
            None => places.find(path.into(), &object.place)?,
        };
        let mut utterance = FoundUtterance::new(object.place.clone(), sound, path.into());
        fields.tell(&object, &mut utterance, all)?;
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
pub(super) fn read_wenet(
    mut objects: Objects,
    places: &SoundPlaces,
    all: &mut Utterances,
) -> Result<Vec<FoundUtterance>> {
    let mut found = Vec::new();
    let fields = LineFields::new(&places.options, ["wav", "txt", "key"], &["start", "end"]);
    while let Some(object) = objects.next_object()? {
        let (key, path) = (object.needed_name(fields.id)?, object.needed(fields.audio)?);
        let mut utterance =
            FoundUtterance::new(object.place.clone(), places.find(path.into(), &object.place)?, path.into());
        fields.tell(&object, &mut utterance, all)?;
        utterance.id = Some(key);
        utterance.start = object.seconds("start")?;
        let end = object.seconds("end")?;
        utterance.is_open = end == Some(TimeSpan::TO_THE_END);
        utterance.end = end.filter(|_| !utterance.is_open);
        if utterance.start.is_some() != end.is_some() {
            let message = "expected both fields \"start\" and \"end\" or none of them, got one";
            return Err(object.place.error(message));
        }
        found.push(utterance);
    }
    Ok(found)
}
