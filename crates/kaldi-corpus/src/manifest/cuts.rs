//! Cuts of lhotse: parts of recordings, with what is said in them.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::Lines;
use kaldi_tar::{Cut, CutEntry, CutFeatures, CutRecording, CutSupervision, excerpt};
use serde_json::value::RawValue;

use super::SoundPlaces;
use super::cut_parts::{channels, rows, table_words};
use crate::utterances::spoken;
use crate::{CorpusPlace, FoundArray, FoundFeatures, FoundSound, FoundUtterance, Result, Utterances, read_text};

/// The sound of a cut.
#[derive(Clone, Debug)]
pub(super) struct CutSound {
    pub(super) audio: FoundSound,
    /// What names are made of.
    pub(super) path: BString,
    /// The name of the recording.
    pub(super) recording: BString,
    /// The channels in it, as cuts call them.
    pub(super) channels: Vec<u32>,
    /// Whether cuts count its channels, and not the file.
    pub(super) is_cut_out: bool,
}

/// Reads a file of cuts.
pub(super) fn read(name: &BStr, places: &SoundPlaces, all: &mut Utterances) -> Result<()> {
    let mut lines = Lines::open(name)?;
    let file: Arc<str> = lines.name().into();
    let mut cuts = Cuts::new(places, &file)?;
    while let Some(line) = lines.next_line()? {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let line = line.to_vec();
        let place = CorpusPlace::line(&file, lines.number());
        let cut = Cut::parse(&line).map_err(|message| place.error(message))?;
        cuts.check_kind(&cut, &place)?;
        let Some(recording) = &cut.recording else {
            all.left_out.add("cuts have no recording", &place)?;
            continue;
        };
        let sound = cuts.sound(&cut, recording, &place)?;
        let features = |start, end, cuts: &mut Cuts<'_>| match &cut.features {
            Some(features) => cuts.features(&cut, features, start, end, &place),
            None => Ok(Features::None),
        };
        cuts.add(&cut, &sound, features, &BTreeMap::new(), &place, all)?;
    }
    lines.finish()?;
    Ok(())
}

/// The features of an utterance.
pub(super) enum Features {
    /// It has none.
    None,
    Found(FoundFeatures),
    /// They are left out, for this reason, which ends a sentence that starts with a number.
    LeftOut(String),
}

/// What cuts become, and what was learned from those before.
pub(super) struct Cuts<'a> {
    places: &'a SoundPlaces,
    /// Recordings that came before, by name: their source, and the name for `wav.scp`.
    found: HashMap<String, (String, BString)>,
    /// Script files of features that were read.
    scripts: HashMap<String, HashMap<String, String>>,
    /// What text, speaker, language and gender are, and the name if it is not the usual one.
    fields: [Option<CutEntry>; 5],
}

impl<'a> Cuts<'a> {
    pub(super) fn new(places: &'a SoundPlaces, name: &str) -> Result<Self> {
        let asked = &places.options.fields;
        let field = |asked: &Option<String>, usual: Option<&str>| match asked.as_deref().or(usual) {
            None => Ok(None),
            Some(field) => match CutEntry::named(field) {
                Some(entry) => Ok(Some(entry)),
                None => {
                    let place = CorpusPlace { name: name.into(), line: None };
                    let expected = "expected one of the entries of cuts: text, speaker, language, gender, custom.NAME";
                    Err(place.error(format!("{expected}; got {field:?}")))
                }
            },
        };
        let fields = [
            field(&asked.text, Some("text"))?,
            field(&asked.speaker, Some("speaker"))?,
            field(&asked.language, Some("language"))?,
            field(&asked.gender, Some("gender"))?,
            field(&asked.utterance.clone().filter(|it| it != "id"), None)?,
        ];
        Ok(Self { places, found: HashMap::new(), scripts: HashMap::new(), fields })
    }

    /// Refuses cuts that are no parts of one recording.
    pub(super) fn check_kind(&self, cut: &Cut<'_>, place: &CorpusPlace) -> Result<()> {
        let id = &cut.id;
        match cut.kind.as_deref() {
            Some("MonoCut") => Ok(()),
            Some("MultiCut") if self.places.options.split_channels => Ok(()),
            Some("MultiCut") => Err(place.error(format!(
                "expected a MonoCut, got the MultiCut {id}, which has several channels: `split_channels` makes an utterance of each"
            ))),
            Some(kind @ ("MixedCut" | "PaddingCut")) => {
                Err(place.error(format!("expected a MonoCut, got the {kind} {id}, which is no part of one recording")))
            }
            Some(kind) => Err(place.error(format!("expected a MonoCut, got {kind} {id}"))),
            None => Err(place.error(format!("expected a \"type\" of the cut {id}, got none"))),
        }
    }

    /// The sound of a recording that a cut names.
    fn sound(&mut self, cut: &Cut<'_>, recording: &CutRecording<'_>, place: &CorpusPlace) -> Result<CutSound> {
        let of = |message: String| place.error(format!("cut {}: {message}", cut.id));
        check_transforms(recording).map_err(of)?;
        let [source] = &recording.sources[..] else {
            return Err(of(format!(
                "expected one source of the recording {}, got {}",
                recording.id,
                recording.sources.len()
            )));
        };
        match &*source.kind {
            "memory" => return Err(of("expected a source in a file, got one in memory".to_owned())),
            "shar" => {
                let message = "expected a source in a file, got one of a Shar folder: give the folder, not this file";
                return Err(of(message.to_owned()));
            }
            _ => {}
        }
        let text = source.source.and_then(|source| serde_json::from_str::<Cow<'_, str>>(source.get()).ok());
        let Some(path) = text.filter(|text| !text.trim().is_empty()) else {
            return Err(of("expected text as \"source\" of the recording, got none".to_owned()));
        };
        let audio = match self.found.get(&*recording.id) {
            Some((known, audio)) if *known == *path => audio.clone(),
            _ => {
                let audio = match &*source.kind {
                    "file" => self.places.find(path.as_bytes().into(), place)?,
                    "url" => {
                        self.places.check(path.as_bytes().into(), place)?;
                        path.as_bytes().into()
                    }
                    "command" => {
                        let command = format!("{} |", path.trim_end());
                        self.places.check(command.as_str().into(), place)?;
                        command.into()
                    }
                    kind => {
                        return Err(of(format!("expected a source of type file, url or command, got {kind:?}")));
                    }
                };
                self.found.insert(recording.id.to_string(), (path.to_string(), audio.clone()));
                audio
            }
        };
        let channels = recording.channel_ids.clone().or_else(|| source.channels.clone()).unwrap_or_else(|| vec![0]);
        let recording = recording.id.as_bytes().into();
        Ok(CutSound { audio: audio.into(), path: path.as_bytes().into(), recording, channels, is_cut_out: false })
    }

    /// Adds the utterances of a cut: one for each supervision, or one if there is none. `features` are those between two times of the
    /// recording, `beside` entries of files beside the cuts.
    pub(super) fn add(
        &mut self,
        cut: &Cut<'_>,
        sound: &CutSound,
        features: impl Fn(f64, f64, &mut Self) -> Result<Features>,
        beside: &BTreeMap<String, Vec<u8>>,
        place: &CorpusPlace,
        all: &mut Utterances,
    ) -> Result<()> {
        let of = |message: String| place.error(format!("cut {}: {message}", cut.id));
        let (Some(from), Some(duration)) = (cut.start, cut.duration) else {
            return Err(of("expected a \"start\" and a \"duration\", got none".to_owned()));
        };
        if !(duration > 0.0 && duration.is_finite()) {
            return Err(of(format!("expected a duration above 0, got {duration}")));
        }
        let supervisions: Vec<Option<&CutSupervision<'_>>> = match cut.supervisions.as_deref() {
            None | Some([]) => vec![None],
            Some(some) => some.iter().map(Some).collect(),
        };
        for supervision in supervisions {
            let (id, start, seconds) = match supervision {
                Some(it) => (&it.id, from + it.start, it.duration),
                None => (&cut.id, from, duration),
            };
            if !(seconds > 0.0 && seconds.is_finite()) {
                return Err(of(format!("expected a duration of {id} above 0, got {seconds}")));
            }
            // Sums of times have digits that no one has written.
            let micro = |seconds: f64| (seconds * 1e6).round() / 1e6 + 0.0;
            let (start, end) = (micro(start), micro(start + seconds));
            let mut utterance = FoundUtterance::new(place.clone(), sound.audio.clone(), sound.path.clone());
            utterance.id = Some(id.as_bytes().into()).filter(|id: &BString| !id.trim_ascii().is_empty());
            utterance.recording = Some(sound.recording.clone());
            (utterance.start, utterance.end) = (Some(start), Some(end));
            let some: Vec<&CutSupervision<'_>> = supervision.into_iter().collect();
            let [text, speaker, language, gender, own] = &self.fields;
            let find = |field: &Option<CutEntry>| match field {
                Some(field) => field.words_of(cut, &some).map_err(of),
                None => Ok(None),
            };
            utterance.text = find(text)?.as_deref().and_then(spoken);
            utterance.speaker = name(find(speaker)?.as_deref());
            utterance.language = name(find(language)?.as_deref());
            utterance.gender = name(find(gender)?.as_deref());
            if let Some(own) = own {
                let id = own.words_of(cut, &some).map_err(of)?;
                let expected = || of(format!("expected {} as a name, got none", own.name()));
                utterance.id = Some(name(id.as_deref()).ok_or_else(expected)?);
            }
            if supervision.and_then(|it| it.alignment).is_some_and(|it| !matches!(it.get(), "null" | "{}")) {
                all.left_out.add("alignments have no table", place)?;
            }
            match features(start, end, self)? {
                Features::None => {}
                Features::Found(found) => utterance.features = Some(found),
                Features::LeftOut(reason) => all.left_out.add(&reason, place)?,
            }
            utterance.extra = self.extra(cut, supervision, beside, place, all)?;
            let channels = channels(cut, supervision, sound).map_err(of)?;
            let is_one = cut.kind.as_deref() != Some("MultiCut");
            for (channel, index) in channels {
                let mut utterance = utterance.clone();
                utterance.channel = index;
                if !is_one {
                    let name = utterance.id.as_ref().map_or(id.as_bytes().as_bstr(), |name| name.as_bstr());
                    utterance.id = Some(format!("{name}-{channel}").into());
                }
                all.found.push(utterance);
            }
        }
        Ok(())
    }

    /// The features of a recording between two times, where a cut says that they are.
    fn features(
        &mut self,
        cut: &Cut<'_>,
        features: &CutFeatures<'_>,
        start: f64,
        end: f64,
        place: &CorpusPlace,
    ) -> Result<Features> {
        let of = |message: String| place.error(format!("cut {}: {message}", cut.id));
        let path = features.storage_path.as_deref().unwrap_or_default();
        let key = features.storage_key.and_then(|key| serde_json::from_str::<Cow<'_, str>>(key.get()).ok());
        let key = key.as_deref().unwrap_or_default();
        let rows = match rows(features, start, end).map_err(of)? {
            Some(rows) => rows,
            None => return Ok(Features::LeftOut("utterances lie outside of their features".to_owned())),
        };
        let is_kaldi = match &*features.storage_type {
            "kaldiio" => true,
            "numpy_files" => false,
            other => return Ok(Features::LeftOut(format!("features are stored as {other}"))),
        };
        if path.trim().is_empty() || (!is_kaldi && key.is_empty()) {
            return Err(of("expected a \"storage_path\" of the features, got none".to_owned()));
        }
        let name = if is_kaldi { path.to_owned() } else { format!("{}/{key}", path.trim_end_matches('/')) };
        let name = if is_kaldi && path.ends_with(".scp") { self.line_of(path, key).map_err(of)? } else { name };
        let name = self.places.beside(name.as_bytes().into());
        self.places.options.commands.check(name.as_ref()).map_err(of)?;
        if name.iter().any(|byte| matches!(byte, b'\n' | b'\r' | 0)) || name.trim_ascii() != name.as_bytes() {
            return Err(of(format!("expected the place of features on a line, got {}", excerpt(&name))));
        }
        Ok(Features::Found(match (is_kaldi, rows) {
            (true, None) => FoundFeatures::Named(name),
            (true, Some((first, end))) => {
                FoundFeatures::Named([name.as_slice(), format!("[{first}:{}]", end - 1).as_bytes()].concat().into())
            }
            (false, rows) => FoundFeatures::Array(FoundArray { file: name, place: None, rows }),
        }))
    }

    /// What a script file has for a key.
    fn line_of(&mut self, path: &str, key: &str) -> std::result::Result<String, String> {
        if !self.scripts.contains_key(path) {
            let name = self.places.beside(path.as_bytes().into());
            let lines = read_text(name.as_ref()).map_err(|error| error.to_string())?;
            self.scripts.insert(path.to_owned(), lines.into_iter().collect());
        }
        let found = self.scripts.get(path).and_then(|lines| lines.get(key));
        found.cloned().ok_or_else(|| format!("expected features of {key} in {path}, got none"))
    }

    /// The entries of `custom` that become tables; those of the supervision win.
    fn extra(
        &self,
        cut: &Cut<'_>,
        supervision: Option<&CutSupervision<'_>>,
        beside: &BTreeMap<String, Vec<u8>>,
        place: &CorpusPlace,
        all: &mut Utterances,
    ) -> Result<Vec<(String, String)>> {
        let objects = [cut.custom, supervision.and_then(|it| it.custom)];
        if beside.is_empty() && objects.iter().all(Option::is_none) {
            return Ok(Vec::new());
        }
        let mut entries = BTreeMap::<Cow<'_, str>, &[u8]>::new();
        entries.extend(beside.iter().map(|(name, value)| (Cow::Borrowed(name.as_str()), value.as_slice())));
        for object in objects.into_iter().flatten() {
            let object: BTreeMap<Cow<'_, str>, &RawValue> = match object.get() {
                "null" => continue,
                text => serde_json::from_str(text).map_err(|_| {
                    place.error(format!(
                        "cut {}: expected an object as \"custom\", got {}",
                        cut.id,
                        excerpt(text.as_bytes())
                    ))
                })?,
            };
            entries.extend(object.into_iter().map(|(name, value)| (name, value.get().as_bytes())));
        }
        let mut extra = Vec::new();
        for (name, value) in entries {
            match table_words(value) {
                None => all.left_out.add(&format!("entries custom.{name} are no text and no numbers"), place)?,
                Some(words) if words.is_empty() => {}
                Some(words) if self.places.options.extra.has(&name) => extra.push((name.into_owned(), words)),
                Some(_) => all
                    .left_out
                    .add(&format!("entries custom.{name} have a table only with `extra = {name}`"), place)?,
            }
        }
        Ok(extra)
    }
}

/// Refuses sound that lhotse would change when it reads it.
pub(super) fn check_transforms(recording: &CutRecording<'_>) -> std::result::Result<(), String> {
    match recording.transforms.map(RawValue::get) {
        None | Some("null" | "[]") => Ok(()),
        Some(transforms) => {
            Err(format!("expected no changes of the sound as \"transforms\", got {}", excerpt(transforms.as_bytes())))
        }
    }
}

/// A name, unless it is empty.
fn name(name: Option<&str>) -> Option<BString> {
    name.map(str::trim).filter(|name| !name.is_empty()).map(Into::into)
}
