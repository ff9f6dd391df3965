//! Cuts of lhotse: parts of recordings, with what is said in them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::sync::Mutex;
use kaldi_io::{JsonObjects, Session, WorkStage};
use kaldi_reader::{Reader, from_fn, par_map};
use serde_json::value::RawValue;
use shards::{Cut, CutEntry, CutFeatures, CutRecording, CutSupervision, CutText, excerpt};

use super::SoundPlaces;
use super::cut_parts::{channels, rows, table_words};
use crate::utterances::spoken;
use crate::{CorpusPlace, Error, FoundArray, FoundFeatures, FoundSound, FoundUtterance, Result, Utterances, read_text};

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

/// Bytes of lines that a thread parses together.
const BLOCK: usize = 1 << 19;

/// Bytes of lines that wait.
const IN_FLIGHT: usize = 8 << 20;

/// Lines of a file of cuts, each with a newline.
struct Block {
    lines: Vec<u8>,
    /// The number of each line in the file.
    numbers: Vec<u64>,
}

/// Reads a file of cuts, on the threads of the session.
pub(super) fn read(name: &BStr, places: &SoundPlaces, all: &mut Utterances) -> Result<()> {
    let lines = JsonObjects::open(name)?;
    let (file, places, scripts) = (Arc::<str>::from(lines.name()), places.clone(), Scripts::default());
    let strict = all.left_out.strict;
    Cuts::new(&places, &file, &scripts)?;
    let parse = move |block: Block| {
        let mut all = Utterances::empty(String::new());
        all.left_out.strict = strict;
        let mut cuts = Cuts::new(&places, &file, &scripts)?;
        for (line, &number) in block.lines.lines().zip(&block.numbers) {
            if !line.trim_ascii().is_empty() {
                cuts.add_line(line, &CorpusPlace::line(&file, number), &mut all)?;
            }
        }
        Ok(all)
    };
    let session = Session::current();
    let mem_size = |block: &Block| block.lines.len();
    let mut parsed = par_map(blocks(lines), move || session.num_threads(), parse).in_flight(IN_FLIGHT, mem_size);
    while let Some(some) = parsed.next()? {
        all.append(some);
    }
    parsed.finish()
}

/// The lines of a file in blocks.
fn blocks(mut lines: JsonObjects) -> impl Reader<Item = Block, Error = Error> + Send + 'static {
    let mut failed = None;
    from_fn(move |_| {
        if let Some(error) = failed.take() {
            return Err(error);
        }
        let mut block = Block { lines: Vec::with_capacity(BLOCK + BLOCK / 8), numbers: Vec::new() };
        while block.lines.len() < BLOCK {
            match lines.next_line() {
                Ok(Some(line)) => {
                    block.lines.extend_from_slice(line);
                    block.lines.push(b'\n');
                    block.numbers.push(lines.number());
                    WorkStage::step_of_session();
                }
                Ok(None) if block.lines.is_empty() => return Ok(lines.finish().map(|()| None)?),
                Ok(None) => break,
                // The lines before it come first.
                Err(error) => {
                    failed = Some(error.into());
                    break;
                }
            }
        }
        Ok(Some(block))
    })
}

/// Script files of features that were read, with what they have for each key.
#[derive(Clone, Default)]
pub(super) struct Scripts(Arc<Mutex<HashMap<String, Arc<Script>>>>);

/// The places of the features in a script file, by their keys.
type Script = HashMap<String, String>;

impl Scripts {
    /// The lines of a script file, which one thread reads.
    fn lines(&self, path: &str, places: &SoundPlaces) -> std::result::Result<Arc<Script>, String> {
        let mut scripts = self.0.lock();
        if let Some(lines) = scripts.get(path) {
            return Ok(Arc::clone(lines));
        }
        let name = places.beside(path.as_bytes().into());
        let lines = read_text(name.as_ref()).map_err(|error| error.to_string())?;
        let lines: Arc<Script> = Arc::new(lines.into_iter().collect());
        scripts.insert(path.to_owned(), Arc::clone(&lines));
        Ok(lines)
    }
}

/// A recording, its source, and its name for `wav.scp`.
type KnownRecording = (String, String, BString);

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
    /// The recording of the cut before.
    former: Option<KnownRecording>,
    scripts: &'a Scripts,
    /// What text, speaker, language and gender are, and the name if it is not the usual one.
    fields: [Option<CutEntry>; 5],
}

impl<'a> Cuts<'a> {
    pub(super) fn new(places: &'a SoundPlaces, name: &str, scripts: &'a Scripts) -> Result<Self> {
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
        Ok(Self { places, former: None, scripts, fields })
    }

    /// Adds the utterances of a line.
    fn add_line(&mut self, line: &[u8], place: &CorpusPlace, all: &mut Utterances) -> Result<()> {
        let cut = Cut::parse(line).map_err(|message| place.error(message))?;
        self.check_kind(&cut, place)?;
        let Some(recording) = &cut.recording else {
            return all.left_out.add("cuts have no recording", place);
        };
        let sound = self.sound(&cut, recording, place)?;
        let features = |start, end, cuts: &mut Self| match &cut.features {
            Some(features) => cuts.features(&cut, features, start, end, place),
            None => Ok(Features::None),
        };
        self.add(&cut, &sound, features, &BTreeMap::new(), place, all)
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
        let text = source.source.and_then(|source| serde_json::from_str::<CutText<'_>>(source.get()).ok());
        let Some(path) = text.filter(|text| !text.trim().is_empty()) else {
            return Err(of("expected text as \"source\" of the recording, got none".to_owned()));
        };
        let audio = match &self.former {
            Some((id, known, audio)) if *id == *recording.id && *known == *path => audio.clone(),
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
                self.former = Some((recording.id.to_string(), path.to_string(), audio.clone()));
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
            self.tell(cut, supervision, beside, &mut utterance, all)?;
            match features(start, end, self)? {
                Features::None => {}
                Features::Found(found) => utterance.features = Some(found),
                Features::LeftOut(reason) => all.left_out.add(&reason, place)?,
            }
            let channels = channels(cut, supervision, sound).map_err(of)?;
            let is_one = cut.kind.as_deref() != Some("MultiCut");
            let name = utterance.id.clone().unwrap_or_else(|| id.as_bytes().into());
            for (channel, index) in channels {
                utterance.channel = index;
                if !is_one {
                    utterance.id = Some(format!("{name}-{channel}").into());
                }
                all.found.push(&utterance);
            }
        }
        Ok(())
    }

    /// What a cut and one of its supervisions say of an utterance besides its sound and times.
    pub(super) fn tell(
        &self,
        cut: &Cut<'_>,
        supervision: Option<&CutSupervision<'_>>,
        beside: &BTreeMap<String, Vec<u8>>,
        utterance: &mut FoundUtterance,
        all: &mut Utterances,
    ) -> Result<()> {
        let place = utterance.place.clone();
        let of = |message: String| place.error(format!("cut {}: {message}", cut.id));
        let some: Vec<&CutSupervision<'_>> = supervision.into_iter().collect();
        let options = &self.places.options;
        let mut find = |field: &Option<CutEntry>| {
            let Some(field) = field else { return Ok::<_, Error>(None) };
            let words = field.words_of(cut, &some).map_err(of)?;
            if words.is_some() {
                all.seen.see(&field.name(), options);
            }
            Ok(words)
        };
        let [text, speaker, language, gender, own] = &self.fields;
        utterance.text = find(text)?.as_deref().and_then(spoken);
        utterance.speaker = name(find(speaker)?.as_deref());
        utterance.language = name(find(language)?.as_deref());
        utterance.gender = name(find(gender)?.as_deref());
        if let Some(entry) = own {
            let expected = || of(format!("expected {} as a name, got none", entry.name()));
            utterance.id = Some(name(find(own)?.as_deref()).ok_or_else(expected)?);
        }
        all.seen.see("id", options);
        if supervision.and_then(|it| it.alignment).is_some_and(|it| !matches!(it.get(), "null" | "{}")) {
            all.left_out.add("alignments have no table", &place)?;
        }
        utterance.extra = self.extra(cut, supervision, beside, &place, all)?;
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
        let key = features.storage_key.and_then(|key| serde_json::from_str::<CutText<'_>>(key.get()).ok());
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
            (false, rows) => FoundFeatures::Array(FoundArray { file: name, place: None, is_packed: false, rows }),
        }))
    }

    /// What a script file has for a key.
    fn line_of(&self, path: &str, key: &str) -> std::result::Result<String, String> {
        let lines = self.scripts.lines(path, self.places)?;
        lines.get(key).cloned().ok_or_else(|| format!("expected features of {key} in {path}, got none"))
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
        let mut entries = BTreeMap::<CutText<'_>, &[u8]>::new();
        entries.extend(beside.iter().map(|(name, value)| (name.as_str().into(), value.as_slice())));
        for object in objects.into_iter().flatten() {
            let object: BTreeMap<CutText<'_>, &RawValue> = match object.get() {
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
            all.add_extra(&mut extra, &name, table_words(value), "custom.", &self.places.options, place)?;
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
