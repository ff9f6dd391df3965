//! What a file is, by its first bytes.

use crate::container::{adts, mpeg};

/// The kinds of files that are read here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SoundKind {
    /// Frames of AAC, each with its header.
    Adts,
    /// AIFF and AIFF-C.
    Aiff,
    /// AU of Sun and NeXT.
    Au,
    /// Apple's Core Audio.
    Caf,
    /// Matroska and WebM.
    Matroska,
    /// MP4, M4A and QuickTime.
    Mp4,
    /// Frames of MP3, or of the other two layers of MPEG.
    Mpeg,
    /// Ogg.
    Ogg,
    /// NIST SPHERE.
    Sphere,
}

/// What a file is, as far as its first bytes show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DetectedSound {
    /// It is a file of this kind.
    Kind(SoundKind),
    /// More bytes are needed.
    NeedMoreBytes,
    /// It is nothing that is read here.
    Other,
}

/// Offset, bytes, kind.
const MAGIC: [(usize, &[u8], SoundKind); 8] = [
    (0, b"OggS", SoundKind::Ogg),
    (0, b".snd", SoundKind::Au),
    (0, b"caff", SoundKind::Caf),
    (0, b"NIST_1A\n", SoundKind::Sphere),
    (0, b"\x1a\x45\xdf\xa3", SoundKind::Matroska),
    (0, b"ID3", SoundKind::Mpeg),
    (0, b"FORM....AIF", SoundKind::Aiff),
    (4, b"ftyp", SoundKind::Mp4),
];

impl SoundKind {
    /// What a file that starts with these bytes is; `at_end` says that nothing follows them.
    pub fn detect(head: &[u8], at_end: bool) -> DetectedSound {
        let mut is_unsure = false;
        for (at, magic, kind) in MAGIC {
            let there = head.get(at..).unwrap_or_default();
            let agrees = |(index, &byte): (usize, &u8)| byte == there[index] || (byte == b'.' && index >= 4);
            let length = there.len().min(magic.len());
            let is_like = magic[..length].iter().enumerate().all(agrees);
            // A box of MP4 starts with its length, which is small.
            if !is_like || (at > 0 && head.iter().take(2).any(|&byte| byte != 0)) {
                continue;
            }
            if length == magic.len() {
                return if kind == Self::Mpeg { Self::after_tag(head) } else { DetectedSound::Kind(kind) };
            }
            is_unsure |= !head.is_empty();
        }
        match [mpeg::detect(head, at_end), adts::detect(head, at_end)] {
            [DetectedSound::Kind(kind), _] | [_, DetectedSound::Kind(kind)] => DetectedSound::Kind(kind),
            [DetectedSound::NeedMoreBytes, _] | [_, DetectedSound::NeedMoreBytes] => DetectedSound::NeedMoreBytes,
            _ if is_unsure && !at_end => DetectedSound::NeedMoreBytes,
            _ => DetectedSound::Other,
        }
    }

    /// What a file is of which these are all bytes, too few to be one; `None` if nothing is known that starts so.
    pub fn of_start(bytes: &[u8]) -> Option<Self> {
        let is_start = |(at, magic, _): &(usize, &[u8], Self)| {
            let there = bytes.get(*at..).unwrap_or_default();
            let agrees = |(index, byte): (usize, &u8)| *byte == magic[index] || (magic[index] == b'.' && index >= 4);
            let is_like = !there.is_empty() && there.len() <= magic.len() && there.iter().enumerate().all(agrees);
            is_like && (*at == 0 || bytes.starts_with(&[0, 0]))
        };
        let started = MAGIC.iter().find(|magic| is_start(magic)).map(|(_, _, kind)| *kind);
        let frames = || match [mpeg::is_cut(bytes), adts::is_cut(bytes)] {
            [true, _] => Some(Self::Mpeg),
            [_, true] => Some(Self::Adts),
            _ => None,
        };
        started.or_else(frames)
    }

    /// The kind of a file with a tag (ID3) before its frames.
    fn after_tag(head: &[u8]) -> DetectedSound {
        let frames = head.get(mpeg::tag_length(head) as usize..).unwrap_or_default();
        let is_adts = frames.first_chunk().is_some_and(|word: &[u8; 2]| word[0] == 0xff && word[1] & 0xf6 == 0xf0);
        DetectedSound::Kind(if is_adts { Self::Adts } else { Self::Mpeg })
    }

    /// What files of this kind are called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Adts => "AAC",
            Self::Aiff => "AIFF",
            Self::Au => "AU",
            Self::Caf => "CAF",
            Self::Matroska => "Matroska",
            Self::Mp4 => "MP4",
            Self::Mpeg => "MP3",
            Self::Ogg => "Ogg",
            Self::Sphere => "SPHERE",
        }
    }

    /// The usual suffix of files of this kind.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Adts => "aac",
            Self::Aiff => "aiff",
            Self::Au => "au",
            Self::Caf => "caf",
            Self::Matroska => "mka",
            Self::Mp4 => "m4a",
            Self::Mpeg => "mp3",
            Self::Ogg => "ogg",
            Self::Sphere => "sph",
        }
    }
}
