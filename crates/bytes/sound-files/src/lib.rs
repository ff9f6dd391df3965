#![doc = include_str!("../README.md")]
//! The first bytes of a file show what it is ([`SoundKind::detect`]). A container is taken apart into packets here, as slices of the
//! file, with what its headers say of delay, padding and length; decoders of other crates make samples of the packets.
//!
//! | container | known by | codecs |
//! | --- | --- | --- |
//! | MPEG audio | frames in a row, or `ID3` | MP3, MP2, MP1 |
//! | ADTS | frames in a row | AAC-LC |
//! | Ogg | `OggS` | Vorbis, Opus, FLAC |
//! | MP4, M4A, QuickTime | `ftyp` | AAC-LC, ALAC, Opus, FLAC, MP3, PCM |
//! | Matroska, WebM | `1A 45 DF A3` | Opus, Vorbis, FLAC, AAC-LC, ALAC, MP3, PCM |
//! | CAF | `caff` | ALAC, AAC-LC, Opus, FLAC, PCM |
//! | AIFF, AIFF-C | `FORM` ... `AIF` | PCM |
//! | AU | `.snd` | PCM |
//! | SPHERE | `NIST_1A` | PCM |
//!
//! PCM are integers of 8 to 32 bits, floats, A-law and mu-law. RIFF/WAVE files and FLAC's own are those of `kaldi-wave`.
//!
//! ```
//! use sound_files::{SoundKind, DetectedSound, decode};
//!
//! let file = b".snd\0\0\0\x18\0\0\0\x04\0\0\0\x03\0\0\x1f\x40\0\0\0\x01\0\x01\xff\xfe";
//! assert_eq!(SoundKind::detect(file, true), DetectedSound::Kind(SoundKind::Au));
//! let sound = decode(SoundKind::Au, file)?;
//! assert_eq!((sound.header.sample_rate, sound.channels), (8000, vec![vec![1.0, -2.0]]));
//! # Ok::<(), sound_files::SoundFault>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bytes;
mod clock;
mod codec;
mod container;
mod decode;
mod encoding;
mod fault;
mod kind;
mod parts;
mod track;

pub use bytes::ReadSound;
pub use codec::flac::StreamInfo;
pub use decode::{DecodedSound, SoundHeader, decode, decode_in_order, read_header};
pub use encoding::Encoding;
pub use fault::SoundFault;
pub use kind::{DetectedSound, SoundKind};
pub use parts::SoundParts;
