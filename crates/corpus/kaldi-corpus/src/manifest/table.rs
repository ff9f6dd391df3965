//! Manifests of columns: CSV, and TSV as of Common Voice.

use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{Input, Lines};

use super::SoundPlaces;
use crate::utterances::{spoken, words};
use crate::{CorpusPlace, FoundUtterance, ManifestOptions, Result, Utterances};

/// The names of columns, for each the one that counts first.
const AUDIO: &[&str] = &["path", "audio", "audio_filepath", "wav", "wav_filename", "file"];
pub(super) const TEXT: &[&str] = &["sentence", "text", "transcript", "txt"];
pub(super) const SPEAKER: &[&str] = &["client_id", "speaker", "speaker_id", "spk"];
pub(super) const ID: &[&str] = &["id", "key", "utt_id"];
const START: &[&str] = &["offset"];
const DURATION: &[&str] = &["duration"];
pub(super) const LANGUAGE: &[&str] = &["language", "lang", "locale"];
pub(super) const GENDER: &[&str] = &["gender", "sex"];

/// Where the columns are.
struct Columns {
    number: usize,
    audio: usize,
    text: Option<usize>,
    speaker: Option<usize>,
    id: Option<usize>,
    start: Option<usize>,
    duration: Option<usize>,
    language: Option<usize>,
    gender: Option<usize>,
    /// Those that become tables, with their names.
    extra: Vec<(usize, String)>,
}

impl Columns {
    /// Finds them in the line of names: those that are asked for, or the usual ones.
    fn find(names: &[&[u8]], place: &CorpusPlace, options: &ManifestOptions, all: &mut Utterances) -> Result<Self> {
        let fields = &options.fields;
        names.iter().for_each(|name| all.seen.see(&name.trim_ascii().to_str_lossy(), options));
        let find = |wanted: &[&str]| {
            let is_it = |wanted: &str| names.iter().position(|name| name.trim_ascii() == wanted.as_bytes());
            let Some(at) = wanted.iter().find_map(|wanted| is_it(wanted)) else { return Ok(None) };
            let name = names[at].trim_ascii();
            match names[at + 1..].iter().any(|other| other.trim_ascii() == name) {
                true => Err(place.error(format!("expected each column once, got {:?} again", name.as_bstr()))),
                false => Ok(Some(at)),
            }
        };
        let asked = |asked: &Option<String>, usual: &[&str]| match asked {
            None => find(usual),
            Some(name) => match find(&[name])? {
                Some(at) => Ok(Some(at)),
                None => {
                    let found = BString::from(bstr::join(" ", names));
                    Err(place.error(format!("expected a column {name}, got {found:?}")))
                }
            },
        };
        let Some(audio) = asked(&fields.audio, AUDIO)? else {
            let found = BString::from(bstr::join(" ", names));
            let message = format!("expected names of columns, one of them of {}, got {found:?}", AUDIO.join(", "));
            return Err(place.error(message));
        };
        let mut columns = Self {
            number: names.len(),
            audio,
            text: asked(&fields.text, TEXT)?,
            speaker: asked(&fields.speaker, SPEAKER)?,
            id: asked(&fields.utterance, ID)?,
            start: find(START)?,
            duration: find(DURATION)?,
            language: asked(&fields.language, LANGUAGE)?,
            gender: asked(&fields.gender, GENDER)?,
            extra: Vec::new(),
        };
        columns.find_extra(names, place, options, all)?;
        Ok(columns)
    }

    /// Finds the columns that become tables. Others are left out, unless they have another usual name of what is there already.
    fn find_extra(
        &mut self,
        names: &[&[u8]],
        place: &CorpusPlace,
        options: &ManifestOptions,
        all: &mut Utterances,
    ) -> Result<()> {
        let usual = [AUDIO, TEXT, SPEAKER, ID, START, DURATION, LANGUAGE, GENDER].concat();
        let said = [self.text, self.speaker, self.id, self.start, self.duration, self.language, self.gender];
        for (at, name) in names.iter().enumerate() {
            let name = name.trim_ascii().to_str_lossy().into_owned();
            let is_said = at == self.audio || said.contains(&Some(at));
            if name.is_empty() || (is_said && !options.extra.names(&name)) {
                continue;
            }
            if usual.contains(&name.as_str()) && !options.extra.has(&name) {
                all.seen.see_extra(&name, options);
                continue;
            }
            let known = |table: &str| self.extra.iter().any(|(_, known)| known == table);
            let table = all.table_of_column(&name, known, options, place)?;
            self.extra.extend(table.map(|table| (at, table)));
        }
        Ok(())
    }

    /// The utterance of a line.
    fn utterance(&self, fields: &[&[u8]], place: CorpusPlace, places: &SoundPlaces) -> Result<FoundUtterance> {
        if fields.len() != self.number {
            return Err(place.error(format!("expected {} fields, got {}", self.number, fields.len())));
        }
        let field = |column: Option<usize>| column.map(|at| fields[at].trim_ascii()).filter(|field| !field.is_empty());
        let Some(path) = field(Some(self.audio)) else {
            return Err(place.error("expected the name of a file of sound, got none"));
        };
        let seconds = |column: Option<usize>| match field(column) {
            None => Ok(None),
            Some(field) => match field.to_str().ok().and_then(|text| text.parse::<f64>().ok()) {
                Some(seconds) => Ok(Some(seconds)),
                None => Err(place.error(format!("expected seconds, got {:?}", field.as_bstr()))),
            },
        };
        let (start, duration) = (seconds(self.start)?, seconds(self.duration)?);
        let text = match field(self.text).map(ByteSlice::to_str) {
            None => None,
            Some(Ok(text)) => spoken(text),
            Some(Err(_)) => return Err(place.error("expected text in UTF-8, got other bytes")),
        };
        let audio = places.find(path.as_bstr(), &place)?;
        let mut utterance = FoundUtterance::new(place, audio, path.into());
        utterance.id = field(self.id).map(BString::from);
        utterance.speaker = field(self.speaker).map(BString::from);
        utterance.language = field(self.language).map(BString::from);
        utterance.gender = field(self.gender).map(BString::from);
        utterance.text = text;
        for (at, table) in &self.extra {
            let found = field(Some(*at)).map(|field| match field.to_str() {
                Ok(found) => Ok(words(found)),
                Err(_) => Err(utterance.place.error("expected text in UTF-8, got other bytes")),
            });
            utterance.extra.extend(found.transpose()?.flatten().map(|found| (table.clone(), found)));
        }
        (utterance.start, utterance.end) = (start, duration.map(|duration| start.unwrap_or(0.0) + duration));
        Ok(utterance)
    }
}

/// Reads lines with tabulators; there are no quotes.
pub(super) fn read_tsv(mut lines: Lines, places: &SoundPlaces, all: &mut Utterances) -> Result<Vec<FoundUtterance>> {
    let name: Arc<str> = lines.name().into();
    let (mut columns, mut found) = (None, Vec::new());
    while let Some(line) = lines.next_line()? {
        let line = line.strip_suffix(b"\r").unwrap_or(line).to_vec();
        let place = CorpusPlace::line(&name, lines.number());
        if line.is_empty() {
            continue;
        }
        let fields: Vec<&[u8]> = line.split(|&byte| byte == b'\t').collect();
        match &columns {
            None => columns = Some(Columns::find(&fields, &place, &places.options, all)?),
            Some(columns) => found.push(columns.utterance(&fields, place, places)?),
        }
    }
    lines.finish()?;
    Ok(found)
}

/// Reads comma-separated values, with quotes as in RFC 4180.
pub(super) fn read_csv(name: &BStr, places: &SoundPlaces, all: &mut Utterances) -> Result<Vec<FoundUtterance>> {
    let mut input = Input::open(name)?;
    let bytes = input.read_text()?;
    let name: Arc<str> = input.name().into();
    input.finish()?;
    let bytes = bytes.as_slice();
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes);
    let (mut columns, mut found) = (None, Vec::new());
    let mut record = csv::ByteRecord::new();
    let mut count = Newlines::new(bytes);
    loop {
        let start = reader.position().byte() as usize;
        let is_there = reader.read_byte_record(&mut record).map_err(|error| {
            CorpusPlace::line(&name, count.line(start)).error(format!("expected fields with commas: {error}"))
        })?;
        if !is_there {
            return Ok(found);
        }
        let place = CorpusPlace::line(&name, count.line(record.position().map_or(start, |at| at.byte() as usize)));
        let fields: Vec<&[u8]> = record.iter().collect();
        let end = reader.position().byte() as usize;
        if end == bytes.len() && is_open(&bytes[start..end]) {
            return Err(place.error("expected a quote at the end of a field, got the end of the file"));
        }
        match &columns {
            None => columns = Some(Columns::find(&fields, &place, &places.options, all)?),
            Some(columns) => found.push(columns.utterance(&fields, place, places)?),
        }
    }
}

/// Whether the last field starts with a quote and has no second one.
fn is_open(line: &[u8]) -> bool {
    !line.iter().filter(|&&byte| byte == b'"').count().is_multiple_of(2)
}

/// Counts lines up to places that come one after the other.
struct Newlines<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
}

impl<'a> Newlines<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, line: 1 }
    }

    /// The number of the line of the first byte from there on that is no line end.
    fn line(&mut self, place: usize) -> u64 {
        let rest = &self.bytes[place.min(self.bytes.len())..];
        let blank = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let place = place + blank;
        self.line += self.bytes[self.at..place].iter().filter(|&&byte| byte == b'\n').count() as u64;
        self.at = place;
        self.line
    }
}
