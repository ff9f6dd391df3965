//! What an utterance has over time: its sound and the values of tables.

use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_any::{Detector, Frames, ValueType};
use kaldi_inspect::{read_frames_within, read_header};
use kaldi_table::RawEntry;

use crate::server::cache::Cache;
use crate::server::catalog::{Catalog, Says, ValuePlace};
use crate::server::failure::{Answer, Failure};
use crate::server::limits::Limits;
use crate::server::lines::Line;
use crate::server::values::entry;

/// What a track shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrackKind {
    Wave,
    Matrix,
    Labels,
    Posterior,
    Vector,
    Segments,
    /// Words of lattices, which are segments, too.
    Words,
}

impl TrackKind {
    /// `None` if values of this type are not over time.
    pub fn of(value_type: ValueType) -> Option<Self> {
        Some(match value_type {
            ValueType::Wave => Self::Wave,
            ValueType::Matrix | ValueType::Htk | ValueType::Sphinx => Self::Matrix,
            // Their first input.
            ValueType::Nnet3Example | ValueType::Nnet3ChainExample => Self::Matrix,
            ValueType::Int32Vector => Self::Labels,
            ValueType::Posterior | ValueType::GaussPost | ValueType::Int32Matrix | ValueType::Int32VectorVector => {
                Self::Posterior
            }
            ValueType::Vector => Self::Vector,
            ValueType::Lattice | ValueType::CompactLattice => Self::Words,
            _ => return None,
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Wave => "wave",
            Self::Matrix => "matrix",
            Self::Labels => "labels",
            Self::Posterior => "posterior",
            Self::Vector => "vector",
            Self::Segments | Self::Words => "segments",
        }
    }
}

/// Tables whose values are shown over time. Track 0 is the sound, which is not in this list.
#[derive(Clone, Debug)]
pub(crate) struct Track {
    pub number: usize,
    pub name: BString,
    pub kind: TrackKind,
    /// The lists that have its values, each for other keys.
    lists: Vec<usize>,
}

/// All tracks besides the sound.
pub(crate) fn tracks(catalog: &Catalog) -> Vec<Track> {
    let mut tracks: Vec<Track> = Vec::new();
    for (list, found) in catalog.lists.iter().enumerate() {
        let kind = match found.says {
            Says::Values(value_type) => TrackKind::of(value_type).filter(|&kind| kind != TrackKind::Wave),
            Says::Times => Some(TrackKind::Segments),
            _ => None,
        };
        let (Some(kind), name) = (kind, found.lines.name()) else { continue };
        let name = pattern(name).unwrap_or_else(|| name.to_owned());
        match tracks.last_mut().filter(|last| last.name == name && last.kind == kind) {
            Some(last) => last.lists.push(list),
            None => tracks.push(Track { number: tracks.len() + 1, name, kind, lists: vec![list] }),
        }
    }
    tracks
}

/// The name of all archives of alignments or lattices that jobs wrote side by side: `ali.*.gz` for `ali.7.gz`.
fn pattern(name: &BStr) -> Option<BString> {
    let (folder, file) = name.split_at(name.rfind_byte(b'/').map_or(0, |slash| slash + 1));
    let word = ["ali.", "lat."].into_iter().find(|word| file.starts_with(word.as_bytes()))?;
    let number = &file[word.len()..];
    let end = number.find_byte(b'.').filter(|&end| end > 0 && number[..end].iter().all(u8::is_ascii_digit))?;
    Some([folder, word.as_bytes(), b"*", &number[end..]].concat().into())
}

impl Track {
    /// The value of an utterance.
    ///
    /// # Errors
    /// If it has none, or it cannot be read.
    pub fn value(
        &self,
        catalog: &Catalog,
        values: &Cache<Frames>,
        limits: &Arc<Limits>,
        key: &BStr,
    ) -> Answer<Arc<Frames>> {
        let Some((value_type, place)) = self.place(catalog, key)? else {
            return Err(Failure::Unknown(format!("{key} is not in {}", self.name)));
        };
        values.get(&place.name(), || limits.read(place.rxfilename.as_ref(), || read(&place, value_type, limits)))
    }

    /// Where the value of an utterance is, and its type; `None` if it has none.
    pub fn place(&self, catalog: &Catalog, key: &BStr) -> Answer<Option<(ValueType, ValuePlace)>> {
        for &list in &self.lists {
            let Says::Values(value_type) = catalog.lists[list].says else { continue };
            if let Some(place) = catalog.place(list, key)? {
                return Ok(Some((value_type, place)));
            }
        }
        Ok(None)
    }

    /// The lines of a key that have words with their times.
    pub fn times(&self, catalog: &Catalog, key: &BStr) -> Answer<Vec<Line>> {
        let mut found = Vec::new();
        for &list in &self.lists {
            found.extend(catalog.lists[list].lines.find_all(key)?);
        }
        Ok(found)
    }
}

fn read(place: &ValuePlace, value_type: ValueType, limits: &Limits) -> Result<Frames, String> {
    let entry = entry(place, Detector::new(Some(value_type)), limits)?;
    let name = kaldi_io::printable_rxfilename(place.rxfilename.as_ref());
    limits.forget();
    limits.count(needed(&entry, value_type)).map_err(|message| format!("{name}: {message}"))?;
    let most = limits.bytes / RISKS;
    if matches!(value_type, ValueType::Lattice | ValueType::CompactLattice) {
        limits.count(most).map_err(|message| format!("{name}: {message}"))?;
    }
    let frames = read_frames_within(most, &entry, value_type).map_err(|error| error.to_string())?;
    frames.ok_or_else(|| format!("{name}: expected a value over time"))
}

/// This part of the memory may be taken for the words of a lattice.
const RISKS: usize = 4;

/// So many times the bytes of a value, at most, are those of what they say: in text, a posterior of one pair in each frame.
const LARGEST: usize = 6;

/// How many bytes it takes to read a value: its own, which are all loaded, and those of what they say.
fn needed(entry: &RawEntry, value_type: ValueType) -> usize {
    let own = usize::try_from(entry.size()).unwrap_or(usize::MAX);
    // Of binary matrices and vectors, the header says it; it is read again with all of the value.
    let numbers = match (entry.is_text(), value_type) {
        (false, ValueType::Matrix | ValueType::Vector | ValueType::Int32Vector) => read_header(entry, value_type)
            .ok()
            .and_then(|header| header.rows?.checked_mul(header.columns.unwrap_or(1)))
            .and_then(|count| usize::try_from(count).ok()),
        _ => None,
    };
    let said = numbers.map_or(own.saturating_mul(LARGEST), |count| count.saturating_mul(size_of::<f32>()));
    own.saturating_add(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_of_jobs_are_one_track() {
        assert_eq!(pattern("exp/ali.12.gz".into()), Some("exp/ali.*.gz".into()));
        assert_eq!(pattern("ali.1.ark".into()), Some("ali.*.ark".into()));
        assert_eq!(pattern("decode/lat.3.gz".into()), Some("decode/lat.*.gz".into()));
        for name in ["ali.scp", "ali..gz", "ali.x.gz", "exp/my-ali.1.gz", "ali.1", "al", "lats.1.gz"] {
            assert_eq!(pattern(name.into()), None, "{name}");
        }
    }
}
