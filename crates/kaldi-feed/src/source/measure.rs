//! The size of sound and features by their headers.

use kaldi_io::Input;
use kaldi_matrix::Matrix;
use kaldi_shard::Stored;
use kaldi_values::Cursor;
use kaldi_wave::WaveInfo;

use super::content::{self, Content, Part};
use crate::{Data, Sample, Shape};

/// Bytes of a file that are looked at first. Most headers of sound have 44.
const HEAD: usize = 1 << 10;

/// Makes a sample of what a content is, by its begin. What comes from a command is read whole.
///
/// # Errors
/// Where it cannot be read, or is neither sound nor features.
pub(super) fn measured(key: &[u8], seeds: [u64; 2], stored: Stored, part: Part) -> Result<Sample, String> {
    let (shape, stored, part) = match &stored {
        Stored::Bytes(bytes) => (look(bytes, bytes.len() as u64, &part)?, stored, part),
        Stored::InShard { size, .. } => {
            let size = *size;
            let shape = grow(size, &part, |wanted| content::read_head(&stored, wanted))?;
            (shape, stored, part)
        }
        Stored::Named(name) => {
            let mut input = Input::open(name.as_ref()).map_err(|error| error.to_string())?;
            match input.remaining() {
                Some(size) => {
                    let mut head = Vec::new();
                    let shape = grow(size, &part, |wanted| {
                        while head.len() < wanted {
                            let missing = wanted - head.len();
                            if input.read_some(&mut head, missing).map_err(|error| error.to_string())? == 0 {
                                break;
                            }
                        }
                        Ok(head.clone())
                    })?;
                    (shape, stored, part)
                }
                None => {
                    let bytes = input.read_to_end().and_then(|bytes| input.finish().map(|()| bytes));
                    let bytes = bytes.map_err(|error| error.to_string())?;
                    (look(&bytes, bytes.len() as u64, &part)?, Stored::Bytes(bytes), part)
                }
            }
        }
    };
    let held = if let Stored::Bytes(bytes) = &stored { bytes.len() } else { 0 };
    let content = match shape {
        Found::Feats(num_frames, dim) => {
            let shape = Shape::Feats { num_frames, dim };
            let load = move || content::load_feats(&stored, &part).map(Data::Feats);
            return Ok(Sample::new(key, seeds, shape, load).holding(held));
        }
        Found::Sound(info) => Content::new(stored, &info, &part)?,
    };
    let shape = content.shape();
    Ok(Sample::new(key, seeds, shape, move || content.load().map(Data::Sound)).holding(held))
}

enum Found {
    Sound(WaveInfo),
    /// Rows and columns.
    Feats(usize, usize),
}

/// Looks at the begin of a content of `size` bytes, and at more of it as long as that does not do.
fn grow(size: u64, part: &Part, mut head: impl FnMut(usize) -> Result<Vec<u8>, String>) -> Result<Found, String> {
    let mut wanted = HEAD;
    loop {
        let whole = usize::try_from(size).unwrap_or(usize::MAX);
        let bytes = head(wanted.min(whole))?;
        let is_all = bytes.len() >= whole || bytes.len() < wanted.min(whole);
        let size = if is_all { bytes.len() as u64 } else { size };
        match try_look(&bytes, size, part) {
            None if !is_all => wanted = wanted.saturating_mul(4),
            None => return Err("expected sound or features, got the end".to_owned()),
            Some(found) => return found,
        }
    }
}

fn look(bytes: &[u8], size: u64, part: &Part) -> Result<Found, String> {
    try_look(bytes, size, part).unwrap_or_else(|| Err("expected sound or features, got the end".to_owned()))
}

/// Nothing where more of the content is needed.
fn try_look(head: &[u8], size: u64, part: &Part) -> Option<Result<Found, String>> {
    let is_sound = [&b"RIFF"[..], b"RIFX", b"fLaC"].iter().any(|magic| head.starts_with(magic));
    if is_sound || part.is_sound_only() {
        return Some(WaveInfo::in_head(head, size)?.map(Found::Sound).map_err(|error| error.message.into_owned()));
    }
    let beyond = size.saturating_sub(head.len() as u64);
    match Matrix::<f32>::read_size(&mut Cursor::new_head(head, beyond), part.range()) {
        Err(error) if error.at_end && beyond > 0 => None,
        Err(error) => Some(Err(format!("expected sound or features: {}", error.message))),
        Ok((rows, cols)) => Some(Ok(Found::Feats(rows, cols))),
    }
}
