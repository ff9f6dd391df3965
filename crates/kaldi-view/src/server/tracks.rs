//! What an utterance has over time: its sound and the values of tables.

use bstr::{BStr, BString, ByteSlice};
use kaldi_inspect::read_frames;
use kaldi_reader::Reader;
use kaldi_table::{RawEntries, RawEntry};
use kaldi_types::{Detector, Frames, ValueType};

use crate::server::catalog::{Catalog, Says};
use crate::server::failure::Answer;

/// What a track shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrackKind {
    Wave,
    Matrix,
    Labels,
    Posterior,
    Vector,
    Segments,
}

impl TrackKind {
    /// `None` if values of this type are not over time.
    pub fn of(value_type: ValueType) -> Option<Self> {
        Some(match value_type {
            ValueType::Wave => Self::Wave,
            ValueType::Matrix | ValueType::Htk | ValueType::Sphinx => Self::Matrix,
            ValueType::Int32Vector => Self::Labels,
            ValueType::Posterior | ValueType::GaussPost | ValueType::Int32VectorVector => Self::Posterior,
            ValueType::Vector => Self::Vector,
            ValueType::Int32
            | ValueType::Float
            | ValueType::Double
            | ValueType::Bool
            | ValueType::Int32Pairs
            | ValueType::FloatPairs
            | ValueType::Token
            | ValueType::TokenVector => return None,
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Wave => "wave",
            Self::Matrix => "matrix",
            Self::Labels => "labels",
            Self::Posterior => "posterior",
            Self::Vector => "vector",
            Self::Segments => "segments",
        }
    }
}

/// A table whose values are shown over time. Track 0 is the sound.
#[derive(Clone, Debug)]
pub(crate) struct Track {
    pub number: usize,
    pub name: BString,
    pub kind: TrackKind,
    value_type: ValueType,
    list: usize,
}

/// All tracks besides the sound.
pub(crate) fn tracks(catalog: &Catalog) -> Vec<Track> {
    let mut tracks = Vec::new();
    for (list, found) in catalog.lists.iter().enumerate() {
        let Says::Values(value_type) = found.says else { continue };
        let Some(kind) = TrackKind::of(value_type).filter(|&kind| kind != TrackKind::Wave) else { continue };
        tracks.push(Track { number: tracks.len() + 1, name: found.lines.name().to_owned(), kind, value_type, list });
    }
    tracks
}

impl Track {
    /// Where the value of an utterance is; `None` if it has none.
    pub fn place(&self, catalog: &Catalog, key: &BStr) -> Answer<Option<BString>> {
        Ok(catalog.line(self.list, key)?.map(|line| line.rest))
    }

    /// Reads a value.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn read(&self, rxfilename: &BStr) -> Result<Frames, String> {
        let entry = entry(rxfilename, self.value_type)?;
        let frames = read_frames(&entry, self.value_type).map_err(|error| error.to_string())?;
        frames.ok_or_else(|| format!("{rxfilename}: expected a value over time"))
    }
}

/// The value of a name, framed.
fn entry(rxfilename: &BStr, value_type: ValueType) -> Result<RawEntry, String> {
    let mut entries =
        RawEntries::file(rxfilename.as_bytes(), Detector::new(Some(value_type))).map_err(|error| error.to_string())?;
    let entry = entries.next().map_err(|error| error.to_string())?;
    entry.ok_or_else(|| format!("{rxfilename}: expected a value, got nothing"))
}
