//! The utterances of the rows.

use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use column_files::{ColumnFile, ColumnValue, ColumnValues, LeafType};
use kaldi_io::WorkStage;

use super::ColumnSounds;
use super::fields::{Field, Fields};
use crate::manifest::SoundPlaces;
use crate::utterances::{spoken, words};
use crate::{CorpusPlace, FoundSound, FoundUtterance, Result, Utterances};

/// A column that is read.
struct Column<'a> {
    values: ColumnValues,
    labels: Option<&'a [String]>,
}

impl<'a> Column<'a> {
    fn open(file: &ColumnFile, field: &Field, fields: &'a Fields) -> Self {
        Self { values: file.values(field.leaf), labels: fields.labels.get(&field.name).map(Vec::as_slice) }
    }

    /// The words of the next row; `None` for nothing, and for a label without a name.
    fn next(&mut self, place: &CorpusPlace) -> Result<Option<String>> {
        let value = self.values.next_value()?.unwrap_or(ColumnValue::Null);
        match (self.labels, &value) {
            (Some(_), ColumnValue::Integer(..0)) | (_, ColumnValue::Null) => Ok(None),
            (Some(names), ColumnValue::Integer(number)) => {
                match usize::try_from(*number).ok().and_then(|number| names.get(number)) {
                    Some(name) => Ok(Some(name.clone())),
                    None => Err(place.error(format!("expected a label below {}, got {number}", names.len()))),
                }
            }
            _ => match value.to_words() {
                Some(words) => Ok(Some(words)),
                None => Err(place.error("expected text in UTF-8, got other bytes")),
            },
        }
    }
}

/// Reads the rows of a file and adds their utterances. Bytes of sound are read later.
pub(super) fn read(file: &ColumnFile, fields: &Fields, places: &SoundPlaces, all: &mut Utterances) -> Result<()> {
    let open = |field: &Option<Field>| field.as_ref().map(|field| Column::open(file, field, fields));
    let [mut text, mut speaker, mut id, mut language, mut gender, mut path] =
        [&fields.text, &fields.speaker, &fields.id, &fields.language, &fields.gender, &fields.path].map(open);
    let mut extra = extra_columns(file, fields, places, all)?;
    let (mut bytes, store) = (Presence::new(file, fields.bytes.as_ref()), all.stores.len());
    let is_path = fields.id.is_some() && fields.id == fields.path;
    let stage = WorkStage::begin(format!("reading {}", file.name()), "rows", Some(file.num_rows()));
    for row in 0..file.num_rows() {
        stage.step();
        let place = CorpusPlace::row(file.name(), row);
        let mut next = |column: &mut Option<Column<'_>>| column.as_mut().map_or(Ok(None), |it| it.next(&place));
        let named = next(&mut path)?.filter(|path| !path.trim().is_empty());
        let name = next(&mut id)?;
        let said = next(&mut text)?;
        let [speaker, language, gender] = [&mut speaker, &mut language, &mut gender].map(&mut next);
        let (speaker, language, gender) = (speaker?, language?, gender?);
        let mut facts = Vec::new();
        for (name, column) in &mut extra {
            facts.extend(column.next(&place)?.and_then(|it| words(&it)).map(|words| (name.clone(), words)));
        }
        let has_bytes = bytes.next()?;
        let blank = |what: &str| place.error(format!("expected a {what}, got nothing (null or blank)"));
        if id.is_some() && name.as_deref().is_none_or(|name| name.trim().is_empty()) {
            return Err(blank("name of the utterance"));
        }
        if fields.speaker.is_some() && speaker.as_deref().is_none_or(|name| name.trim().is_empty()) {
            return Err(blank("speaker"));
        }
        let audio = match (has_bytes, &named) {
            (true, _) => FoundSound::Inside { store, index: row },
            (false, Some(path)) => match sound_at(path.as_bytes().as_bstr(), places, &place)? {
                Some(name) => FoundSound::Named(name),
                None => {
                    all.left_out.add("rows name a file that is not there", &place)?;
                    continue;
                }
            },
            (false, None) => {
                all.left_out.add("rows have no sound", &place)?;
                continue;
            }
        };
        let mut utterance = FoundUtterance::new(place, audio, named.unwrap_or_default().into());
        utterance.id = match name.filter(|_| !is_path) {
            None if utterance.path.is_empty() => Some(format!("{}-{row:07}", stem(file.name())).into()),
            name => name.map(BString::from),
        };
        utterance.text = said.as_deref().and_then(spoken);
        utterance.speaker = speaker.map(BString::from);
        utterance.language = language.filter(|it| !it.trim().is_empty()).map(BString::from);
        utterance.gender = gender.filter(|it| !it.trim().is_empty()).map(BString::from);
        utterance.extra = facts;
        all.found.push(&utterance);
    }
    if let Some(field) = &fields.bytes {
        all.stores.push(Arc::new(ColumnSounds { file: Arc::new(file.clone()), leaf: field.leaf }));
    }
    Ok(())
}

/// The name for `wav.scp` of a file that a row names. `None` if it is not there.
fn sound_at(path: &BStr, places: &SoundPlaces, place: &CorpusPlace) -> Result<Option<BString>> {
    let name = places.find(path, place)?;
    let is_elsewhere = name.contains_str("://") || name.ends_with(b"|");
    Ok(Some(name).filter(|name| is_elsewhere || name.to_path_lossy().is_file()))
}

/// The name of a file without folders and suffix.
fn stem(name: &str) -> &str {
    let file = name.rsplit_once('/').map_or(name, |(_, file)| file);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

/// The columns that become tables, with what follows `utt2` in their names. Others are left out.
fn extra_columns<'a>(
    file: &ColumnFile,
    fields: &'a Fields,
    places: &SoundPlaces,
    all: &mut Utterances,
) -> Result<Vec<(String, Column<'a>)>> {
    let place = CorpusPlace { name: file.name().into(), line: None };
    let (mut columns, extra) = (Vec::<(String, Column<'a>)>::new(), &places.options.extra);
    for (index, leaf) in file.leaves().iter().enumerate() {
        let name = &leaf.name;
        all.seen.see(name, &places.options);
        if fields.has(index) && !extra.names(name) {
            all.seen.see_extra(name, &places.options);
            continue;
        }
        // Keys and values of a map have one name.
        let is_alone = file.leaves().iter().filter(|other| other.name == *name).count() == 1;
        let is_read = is_alone && !matches!(leaf.leaf_type, LeafType::Bytes | LeafType::Other(_));
        if extra.has(name) && !is_read {
            all.seen.see_extra(name, &places.options);
            all.left_out.add(&format!("column(s) {name} are of a type that no table has, {leaf}"), &place)?;
            continue;
        }
        let known = |table: &str| columns.iter().any(|(known, _)| known == table);
        if let Some(table) = all.table_of_column(name, known, &places.options, &place)? {
            columns.push((table, Column::open(file, &Field { name: name.clone(), leaf: index }, fields)));
        }
    }
    // They are there, or the file would have been refused.
    places.options.fields.asked().for_each(|(_, name)| all.seen.see(name, &places.options));
    Ok(columns)
}

/// Which rows have bytes. They are only looked at if the file does not say so.
enum Presence {
    All,
    None,
    Some(Box<ColumnValues>),
}

impl Presence {
    fn new(file: &ColumnFile, field: Option<&Field>) -> Self {
        let Some(field) = field else { return Self::None };
        match file.num_nulls(field.leaf) {
            Some(0) => Self::All,
            Some(count) if count == file.num_rows() => Self::None,
            _ => Self::Some(Box::new(file.values(field.leaf))),
        }
    }

    fn next(&mut self) -> Result<bool> {
        Ok(match self {
            Self::All => true,
            Self::None => false,
            Self::Some(values) => matches!(values.next_value()?, Some(ColumnValue::Bytes(bytes)) if !bytes.is_empty()),
        })
    }
}
