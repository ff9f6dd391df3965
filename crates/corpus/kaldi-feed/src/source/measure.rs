//! The size of sound and features, from their headers.

use std::sync::Arc;

use bstr::BString;
use kaldi_corpus::shard::Stored;
use kaldi_io::ParseError;
use kaldi_matrix::Matrix;
use kaldi_value::Cursor;
use kaldi_wave::{WaveInfo, sound_suffix};

use super::archives::OpenArchives;
use super::content::{self, Content, ContentPlace, Part};
use crate::{Data, Sample, SampleShape};

/// Bytes of a file that are looked at first. Most headers of sound have 44.
const HEAD: usize = 1 << 10;

/// Makes a sample from the start of a content. The output of a command is read whole.
///
/// # Errors
/// If it cannot be read, or is neither sound nor features. The message has file and byte, and the `member` of a shard.
pub(super) fn measured(
    key: &[u8],
    seeds: [u64; 2],
    stored: Stored,
    part: Part,
    member: Option<BString>,
) -> Result<Sample, String> {
    let text = |error: kaldi_io::Error| error.to_string();
    let blob = match &stored {
        Stored::Blob(blob) => blob.clone(),
        Stored::Named(name) => content::open(name.as_ref()).map_err(text)?,
    };
    let found = blob.parse_front(HEAD, |head| try_look(head, blob.length(), &part)).map_err(text)?;
    let place = ContentPlace { name: Arc::clone(blob.name()), offset: blob.offset(), member };
    let found = found.ok_or_else(|| place.message(0, "expected sound or features, got the end"))?;
    let shape = found.map_err(|error| {
        let head = blob.first(HEAD).unwrap_or_default();
        let name = if matches!(stored, Stored::Named(_)) { blob.name() } else { "" };
        place.message(error.offset, kaldi_io::explain_sound(&error.message, &head, name))
    })?;
    // A file is opened again when the sample is read, so few files are open. A command does not run twice.
    let stored = if blob.rest().is_none() { Stored::Blob(blob) } else { stored };
    let held = if let Stored::Blob(blob) = &stored { blob.head().len() } else { 0 };
    let content = match shape {
        Found::Feats(num_frames, dim) => {
            let shape = SampleShape::Feats { num_frames, dim };
            let load = move || {
                let feats = content::load_feats(&stored, &part, &place)?;
                shape.check(Data::Feats(feats)).map_err(|message| place.message(0, message))
            };
            return Ok(Sample::new(key, seeds, shape, load).holding(held));
        }
        Found::Sound(info) => Content::new(stored, &info, &part, place.clone())?,
    };
    let shape = content.shape();
    let load = move || shape.check(Data::Sound(content.load()?)).map_err(|message| place.message(0, message));
    Ok(Sample::new(key, seeds, shape, load).holding(held))
}

/// Makes a sample from features in an archive, if they can be read through those that stay open.
pub(super) fn placed(
    key: &[u8],
    seeds: [u64; 2],
    name: &BString,
    part: &Part,
    archives: &Arc<OpenArchives>,
) -> Option<Sample> {
    let placed = archives.place(name.as_ref()).filter(|_| *part == Part::Any(None))?;
    let shape = SampleShape::Feats { num_frames: placed.num_rows, dim: placed.num_cols };
    let (name, archives) = (name.clone(), Arc::clone(archives));
    let load = move || match archives.load(&placed) {
        Some(feats) => Ok(Data::Feats(feats)),
        None => {
            let place = ContentPlace { name: name.to_string().into(), offset: 0, member: None };
            content::load_feats(&Stored::Named(name), &Part::Any(None), &place).map(Data::Feats)
        }
    };
    Some(Sample::new(key, seeds, shape, load))
}

enum Found {
    Sound(WaveInfo),
    /// Rows and columns.
    Feats(usize, usize),
}

/// `None` if more of the content is needed.
fn try_look(head: &[u8], size: u64, part: &Part) -> Option<Result<Found, ParseError>> {
    if sound_suffix(head).is_some() || part.is_sound_only() {
        return Some(WaveInfo::in_head(head, size)?.map(Found::Sound));
    }
    let beyond = size.saturating_sub(head.len() as u64);
    match Matrix::<f32>::read_size(&mut Cursor::new_head(head, beyond), part.range()) {
        Err(error) if error.at_end && beyond > 0 => None,
        Err(error) => {
            let message = format!("expected sound or features: {}", error.message);
            Some(Err(ParseError { message: message.into(), ..error }))
        }
        Ok((rows, cols)) => Some(Ok(Found::Feats(rows, cols))),
    }
}
