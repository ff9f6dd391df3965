//! Files of sound of other kinds than RIFF/WAVE and FLAC.

use kaldi_io::ParseError;
use sound_files::{DecodedSound, SoundFault, SoundHeader, SoundKind, Told};

use crate::flac::is_flac;
use crate::info::WaveInfo;

/// What a file is, told by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// RIFF/WAVE, or nothing that is known.
    Riff,
    Flac,
    Coded(SoundKind),
    /// More bytes are needed.
    Unsure,
}

impl Form {
    /// `at_end` says that nothing follows the bytes.
    pub(crate) fn of(head: &[u8], at_end: bool) -> Self {
        if head.starts_with(b"RIF") {
            return Self::Riff;
        }
        if is_flac(head) {
            return Self::Flac;
        }
        match SoundKind::tell(head, at_end) {
            Told::Kind(kind) => Self::Coded(kind),
            Told::Unsure => Self::Unsure,
            Told::Other => Self::Riff,
        }
    }
}

/// The usual suffix of the files of sound that start with these bytes: `wav`, `flac`, `mp3`, `ogg`, ...; `None` if it is nothing
/// that is read here.
pub fn sound_suffix(head: &[u8]) -> Option<&'static str> {
    match Form::of(head, false) {
        Form::Flac if head.len() >= 4 => Some("flac"),
        Form::Coded(kind) => Some(kind.suffix()),
        Form::Riff if head.starts_with(b"RIFF") || head.starts_with(b"RIFX") => Some("wav"),
        Form::Flac | Form::Riff | Form::Unsure => None,
    }
}

/// The header of a file, of which `beyond` bytes are not in memory.
pub(crate) fn read_header(kind: SoundKind, head: &[u8], beyond: u64) -> Result<WaveInfo, ParseError> {
    let total = (head.len() as u64).saturating_add(beyond);
    sound_files::read_header(kind, head, total).map(info).map_err(fault)
}

/// The header of a file, the samples of each channel, and what is missing.
type Decoded = (WaveInfo, Vec<Vec<f32>>, Vec<ParseError>);

/// Decodes a file, which may be cut: its header, the samples of each channel at the 16-bit scale, and what is missing.
pub(crate) fn decode(kind: SoundKind, bytes: &[u8]) -> Result<Decoded, ParseError> {
    let DecodedSound { header, channels, remarks } = sound_files::decode(kind, bytes).map_err(fault)?;
    Ok((info(header), channels, remarks.into_iter().map(fault).collect()))
}

pub(crate) fn info(header: SoundHeader) -> WaveInfo {
    let SoundHeader { sample_rate, num_channels, num_samples } = header;
    WaveInfo { sample_rate, num_channels, num_samples: Some(num_samples) }
}

/// Bytes that tell what a file is. A fault before their end says that it is something else.
const MAGIC: u64 = 4;

pub(crate) fn fault(fault: SoundFault) -> ParseError {
    let offset = usize::try_from(fault.offset.max(MAGIC)).unwrap_or(usize::MAX);
    ParseError { at_end: fault.at_end, ..ParseError::new(offset, fault.message) }
}
