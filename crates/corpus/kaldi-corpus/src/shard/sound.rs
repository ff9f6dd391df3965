//! Sound in shards: what its header says, and sound as members.

use bstr::BStr;
use kaldi_io::{Blob, ParseError};
use kaldi_value::{Cursor, Format, Value};
use kaldi_wave::{Wave, WaveInfo, WaveSamples, resample};

use crate::shard::{Member, Payload, Result, is_sound};

/// The header of a file with nothing but 16-bit samples.
const HEADER: usize = 44;

/// What the header of a field says, where the field is sound that can be read.
///
/// # Errors
/// If the shard cannot be read.
pub fn sound_info(field: &BStr, member: &Member, payload: &mut Payload<'_>) -> Result<Option<WaveInfo>> {
    if !is_sound(field) {
        return Ok(None);
    }
    if let Some(info) = payload.parse_front(|head| WaveInfo::in_head(head, member.size))? {
        return Ok(info.ok());
    }
    // Only all of it tells, as in Ogg.
    Ok(WaveInfo::in_head(&payload.read()?, member.size).and_then(Result::ok))
}

/// What a check of sound finds.
#[derive(Debug, Default)]
pub(crate) struct CheckedSound {
    /// What is wrong.
    pub(crate) fault: Option<String>,
    /// The duration in seconds, if a header has it.
    pub(crate) seconds: Option<f64>,
}

impl CheckedSound {
    fn wrong(message: impl Into<String>) -> Self {
        Self { fault: Some(message.into()), seconds: None }
    }
}

/// Checks sound by its header alone or by decoding all of it. Encodings that cannot be read are skipped.
pub(crate) fn check_sound(
    field: &BStr,
    member: &Member,
    payload: &mut Payload<'_>,
    is_decoded: bool,
) -> Result<CheckedSound> {
    let suffix = field.rsplit(|&byte| byte == b'.').next().unwrap_or_default();
    let is_readable = !suffix.eq_ignore_ascii_case(b"wma");
    if member.size == 0 {
        return Ok(CheckedSound::wrong("expected sound, got nothing"));
    }
    if !is_readable {
        return Ok(CheckedSound::default());
    }
    let found = payload.parse_front(|head| {
        let info = WaveInfo::in_head(head, member.size)?;
        Some((info, WaveSamples::read(head).ok()))
    })?;
    let info = match found {
        None => {
            let bytes = payload.read()?;
            return Ok(match (WaveInfo::in_head(&bytes, member.size), is_decoded) {
                (None, _) => CheckedSound::wrong("expected the header of a sound, got none"),
                (Some(Err(error)), _) => CheckedSound::wrong(kaldi_io::explain_sound(&error.message, &bytes, "")),
                (Some(Ok(info)), true) => CheckedSound { fault: decode_sound(&bytes).err(), seconds: info.duration() },
                (Some(Ok(info)), false) => {
                    CheckedSound { fault: info.fault().map(str::to_owned), seconds: info.duration() }
                }
            });
        }
        Some((Err(error), _)) => {
            let explain = |head: &[u8]| Some(kaldi_io::explain_sound(&error.message, head, ""));
            return Ok(CheckedSound { fault: payload.parse_front(explain)?, seconds: None });
        }
        Some((Ok(info), samples)) => {
            let end = samples.and_then(|samples| Some(samples.start + samples.num_bytes?));
            if let Some(end) = end.filter(|end| *end > member.size) {
                let message = format!("expected samples up to byte {end} of the sound, got {} bytes", member.size);
                return Ok(CheckedSound::wrong(message));
            }
            if let Some(fault) = info.fault() {
                return Ok(CheckedSound::wrong(fault));
            }
            info
        }
    };
    let fault = if is_decoded { decode_sound(&payload.read()?).err() } else { None };
    Ok(CheckedSound { fault, seconds: info.duration() })
}

/// Reads sound, all of it: where its header claims more than is there it is an error.
pub(crate) fn decode_sound(bytes: &[u8]) -> Result<Wave, String> {
    let message = |error: ParseError| error.message.into_owned();
    let info = WaveInfo::read(&mut Cursor::new(bytes), None).map_err(message)?;
    let wave = Wave::read(&mut Cursor::new(bytes)).map_err(message)?;
    match (info.num_samples(), wave.num_samples() as u64) {
        (Some(expected), got) if got < expected => Err(format!("expected {expected} samples, got {got}")),
        _ => info.fault().map_or(Ok(wave), |fault| Err(fault.to_owned())),
    }
}

/// A sound as the member of a shard: a WAV file of 16 bits at `sample_rate` Hz, without fractions, clipped; and how many samples
/// were clipped.
///
/// # Errors
/// If the rates are such that there is no conversion.
pub(crate) fn encode_sound(wave: Wave, sample_rate: u32) -> Result<(Vec<u8>, usize), String> {
    let wave = if wave.sample_rate() == sample_rate as f32 {
        wave
    } else {
        let from = wave.sample_rate() as u32;
        let convert = |samples: Vec<f32>| resample(&samples, from, sample_rate).map_err(|error| error.to_string());
        let channels: Result<Vec<_>, _> = wave.into_channels().into_iter().map(convert).collect();
        Wave::new(sample_rate as f32, channels?)
    };
    let num_clipped = wave.num_clipped();
    Ok((wave.to_bytes(Format::Binary), num_clipped))
}

/// Whether [`encode_sound`] would change nothing of a file.
pub(crate) fn is_as_encoded(file: &Blob, sample_rate: u32) -> bool {
    let Ok(head) = file.first(HEADER) else { return false };
    let info = WaveInfo::in_head(&head, file.length());
    is_canonical(file) && matches!(info, Some(Ok(info)) if info.sample_rate() == sample_rate as f32)
}

/// Whether it is a WAV file with nothing but 16-bit samples.
pub(crate) fn is_canonical(file: &Blob) -> bool {
    file.first(HEADER).is_ok_and(|head| Wave::is_canonical_head(&head, file.length()))
}
