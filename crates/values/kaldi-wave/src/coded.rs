//! Files of sound of other kinds than RIFF/WAVE and FLAC.

use kaldi_io::{Lack, ParseError};
use sound_files::{DecodedSound, DetectedSound, SoundFault, SoundHeader, SoundKind};

use crate::chunks::{is_riff, may_be_riff};
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
    NeedMoreBytes,
}

impl Form {
    /// `at_end` says that nothing follows the bytes.
    pub(crate) fn of(head: &[u8], at_end: bool) -> Self {
        if is_riff(head) || head.starts_with(b"RIF") {
            return Self::Riff;
        }
        if is_flac(head) {
            return Self::Flac;
        }
        match SoundKind::detect(head, at_end) {
            DetectedSound::Kind(kind) => Self::Coded(kind),
            DetectedSound::NeedMoreBytes => Self::NeedMoreBytes,
            DetectedSound::Other => Self::Riff,
        }
    }
}

/// The usual suffix of the files of sound that start with these bytes: `wav`, `flac`, `mp3`, `ogg`, ...; `None` if it is nothing
/// that is read here.
pub fn sound_suffix(head: &[u8]) -> Option<&'static str> {
    match Form::of(head, false) {
        Form::Flac if head.len() >= 4 => Some("flac"),
        Form::Coded(kind) => Some(kind.suffix()),
        Form::Riff if is_riff(head) => Some("wav"),
        Form::Flac | Form::Riff | Form::NeedMoreBytes => None,
    }
}

/// Whether a file of so many bytes that starts with these is sound, whatever its name says. MP3 and AAC have only a few bits at their
/// start, which other files may have: there must be a header, too.
pub fn looks_like_sound(head: &[u8], length: u64) -> bool {
    match sound_suffix(head) {
        None => false,
        Some("mp3" | "aac") if !head.starts_with(b"ID3") => {
            WaveInfo::in_head(head, length).is_some_and(|info| info.is_ok())
        }
        Some(_) => true,
    }
}

/// The header of a file, of which `beyond` bytes are not in memory, and what is missing.
pub(crate) fn read_header(
    kind: SoundKind,
    head: &[u8],
    beyond: u64,
) -> Result<(WaveInfo, Vec<ParseError>), ParseError> {
    let total = (head.len() as u64).saturating_add(beyond);
    sound_files::read_header(kind, head, total).map(info).map_err(fault)
}

/// The header of a file, the samples of each channel, and what is missing.
type Decoded = (WaveInfo, Vec<Vec<f32>>, Vec<ParseError>);

/// Decodes a file, which may be cut: its header, the samples of each channel at the 16-bit scale, and what is missing.
pub(crate) fn decode(kind: SoundKind, bytes: &[u8]) -> Result<Decoded, ParseError> {
    let DecodedSound { header, channels } = sound_files::decode(kind, bytes).map_err(fault)?;
    let (info, remarks) = info(header);
    Ok((info, channels, remarks))
}

pub(crate) fn info(header: SoundHeader) -> (WaveInfo, Vec<ParseError>) {
    let SoundHeader { sample_rate, num_channels, num_samples, remarks } = header;
    let wrong = remarks.iter().find(|remark| !remark.is_doubt).map(|remark| remark.message.to_string());
    let info = WaveInfo { sample_rate, num_channels, num_samples: Some(num_samples), fault: wrong };
    (info, remarks.into_iter().map(fault).collect())
}

/// Says of a file that ends too early, and of which these are all bytes, what it is.
pub(crate) fn explain_end(error: ParseError, bytes: &[u8]) -> ParseError {
    explain_end_at(error, bytes, bytes.len() as u64)
}

/// The same of a file of so many bytes, which starts with these.
pub(crate) fn explain_end_at(error: ParseError, bytes: &[u8], length: u64) -> ParseError {
    let (name, expected) = match SoundKind::of_start(bytes) {
        _ if length > 1 && may_be_riff(bytes) => ("WAV", error.message.as_ref()),
        _ if is_flac(bytes) => ("FLAC", error.message.as_ref()),
        Some(kind) => (kind.name(), "expected more bytes, got the end of the file"),
        None => return error,
    };
    if !error.at_end && expected == error.message.as_ref() {
        return error;
    }
    let unit = if length == 1 { "byte" } else { "bytes" };
    let message = format!("{expected}: this {name} file ends after {length} {unit}");
    ParseError { at_end: true, ..ParseError::new(error.offset.max(MAGIC as usize), message) }
}

/// Bytes that tell what a file is. A fault before their end says that it is something else.
const MAGIC: u64 = 4;

pub(crate) fn fault(fault: SoundFault) -> ParseError {
    let offset = usize::try_from(fault.offset.max(MAGIC)).unwrap_or(usize::MAX);
    let message = match fault.missing_feature {
        Some(feature) => Lack::Feature(feature).explain(&fault.message).into(),
        None => fault.message,
    };
    ParseError { at_end: fault.at_end, ..ParseError::new(offset, message) }
}
