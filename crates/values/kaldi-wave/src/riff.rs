//! The header of a RIFF/WAVE file, and its samples.

use byteorder::{BigEndian, ByteOrder, LittleEndian};
use kaldi_io::ParseError;

use crate::Encoding;
use crate::info::WaveInfo;
use crate::samples::{Layout, WaveSamples};

/// 16 bits cannot count more.
const MAX_CHANNELS: u16 = 32767;
/// The greatest rate up to which floats distinguish all rates.
const MAX_RATE: u32 = 1 << 24;

const EXTENSIBLE: u16 = 0xfffe;

/// The header of a RIFF/WAVE file.
#[derive(Clone, Debug)]
pub(crate) struct Riff {
    pub(crate) info: WaveInfo,
    pub(crate) encoding: Encoding,
    pub(crate) samples: WaveSamples,
    /// Problems in the header that do not keep the file from being read.
    pub(crate) remarks: Vec<ParseError>,
}

impl Riff {
    /// Reads the header at the start of `bytes`.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, ParseError> {
        let Layout { samples, format, fact } = Layout::read(bytes)?;
        let (content, offset) = format;
        let (encoding, num_channels, sample_rate) =
            if samples.big_endian { parse_format::<BigEndian>(content) } else { parse_format::<LittleEndian>(content) }
                .map_err(|message| ParseError::new(offset as usize, message))?;
        let mut remarks = Vec::new();
        if let Some((size, offset)) = fact.filter(|&(size, _)| size != 4) {
            let message = format!("Expected fact chunk to be 4 bytes long, got {size}");
            remarks.push(ParseError::new(offset as usize, message));
        }
        if let Some(num_bytes) = samples.num_bytes {
            let end = samples.start + num_bytes;
            if end.abs_diff(samples.claimed) > 1 {
                let (claimed, end) = (samples.claimed - 8, end - 8);
                let message = format!("Expected {claimed} bytes in RIFF chunk, got {end} up to the end of the samples");
                remarks.push(ParseError::new(4, message));
            }
        }
        let frame_size = usize::from(num_channels) * encoding.num_bytes();
        let num_samples = samples.num_bytes.map(|num_bytes| num_bytes / frame_size as u64);
        Ok(Self { info: WaveInfo { sample_rate, num_channels, num_samples, fault: None }, encoding, samples, remarks })
    }

    /// The size in bytes of one sample of every channel.
    pub(crate) fn frame_size(&self) -> usize {
        self.info.num_channels() * self.encoding.num_bytes()
    }

    /// Remembers that only `there` bytes of the samples are there.
    pub(crate) fn note_truncated(&mut self, there: u64) {
        let expected = self.samples.num_bytes.unwrap_or(0);
        let message = format!("Truncated file? Expected {expected} bytes of samples, got {there}");
        self.info.fault = Some(message.clone());
        self.remarks.push(ParseError::new(self.samples.start as usize, message));
    }

    /// The samples of each channel at the 16-bit scale, from the bytes of the file, which may be incomplete.
    pub(crate) fn decode(&mut self, bytes: &[u8]) -> Result<Vec<Vec<f32>>, ParseError> {
        let samples = &bytes[self.samples.start as usize..];
        let samples = match self.samples.num_bytes.map(|num_bytes| num_bytes as usize) {
            Some(expected) if expected > samples.len() => {
                self.note_truncated(samples.len() as u64);
                samples
            }
            Some(expected) => &samples[..expected],
            None => samples,
        };
        let (expected, got) = (self.frame_size(), samples.len());
        if got < expected {
            let message = format!("empty file (no data): expected samples of {expected} bytes, got {got} bytes");
            return Err(ParseError::new(self.samples.start as usize, message));
        }
        Ok(self.encoding.decode(samples, self.info.num_channels(), self.samples.big_endian))
    }
}

/// Reads the chunk `fmt `, of 16 bytes or more: encoding, number of channels, sampling frequency.
fn parse_format<Order: ByteOrder>(content: &[u8]) -> Result<(Encoding, u16, u32), String> {
    let short = |at: usize| Order::read_u16(&content[at..]);
    let long = |at: usize| Order::read_u32(&content[at..]);
    let (num_channels, sample_rate, byte_rate, block_align, bits) = (short(2), long(4), long(8), short(12), short(14));

    let format = match short(0) {
        EXTENSIBLE if content.len() < 40 || short(16) < 22 => {
            return Err("malformed WAVE_FORMAT_EXTENSIBLE format data".into());
        }
        EXTENSIBLE => match (long(24), [long(28), long(32), long(36)]) {
            // The format is at the start of a GUID whose rest is always the same.
            (format, [0x0010_0000, 0xaa00_0080, 0x719b_3800]) => format,
            _ => return Err("unsupported WAVE_FORMAT_EXTENSIBLE format: expected one of Microsoft's".into()),
        },
        format => format.into(),
    };
    if num_channels == 0 {
        return Err("no channels present".into());
    }
    if num_channels > MAX_CHANNELS {
        return Err(format!("expected at most {MAX_CHANNELS} channels, got {num_channels}"));
    }
    let encoding = match (format, bits) {
        (1, 8) => Encoding::Unsigned8,
        (1, 16) => Encoding::Signed16,
        (1, 24) => Encoding::Signed24,
        (1, 32) => Encoding::Signed32,
        (3, 32) => Encoding::Float32,
        (3, 64) => Encoding::Float64,
        (6, 8) => Encoding::ALaw,
        (7, 8) => Encoding::MuLaw,
        (1, _) => return Err(format!("unsupported bits_per_sample = {bits}: expected 8, 16, 24 or 32")),
        (3, _) => return Err(format!("unsupported bits_per_sample = {bits}: expected 32 or 64 in floats")),
        (6 | 7, _) => return Err(format!("unsupported bits_per_sample = {bits}: expected 8 in A-law and mu-law")),
        _ => {
            return Err(format!("can read only PCM data, floats, A-law and mu-law, format id in file is: {format}"));
        }
    };
    let size = encoding.num_bytes();
    let frame_size = u64::from(num_channels) * size as u64;
    if u64::from(byte_rate) != u64::from(sample_rate) * frame_size {
        return Err(format!("Unexpected byte rate {byte_rate} vs. {sample_rate} * {size} * {num_channels}"));
    }
    if u64::from(block_align) != frame_size {
        return Err(format!("Unexpected block_align: {block_align} vs. {num_channels} * {size}"));
    }
    if !(1..=MAX_RATE).contains(&sample_rate) {
        return Err(format!("expected a sampling frequency of 1 to {MAX_RATE} Hz, got {sample_rate}"));
    }
    Ok((encoding, num_channels, sample_rate))
}

#[cfg(test)]
mod tests {
    use kaldi_value::Cursor;

    use super::*;

    /// A chunk `fmt ` of 16 bytes.
    fn format(id: u16, channels: u16, rate: u32, byte_rate: u32, align: u16, bits: u16) -> Vec<u8> {
        [
            id.to_le_bytes().as_slice(),
            &channels.to_le_bytes(),
            &rate.to_le_bytes(),
            &byte_rate.to_le_bytes(),
            &align.to_le_bytes(),
            &bits.to_le_bytes(),
        ]
        .concat()
    }

    fn simple(id: u16, bits: u16) -> Vec<u8> {
        format(id, 1, 8000, 8000 * u32::from(bits / 8), bits / 8, bits)
    }

    fn extensible(id: u16, bits: u16) -> Vec<u8> {
        let guid = b"\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71";
        [&simple(EXTENSIBLE, bits), b"\x16\0\x10\0\0\0\0\0".as_slice(), &id.to_le_bytes(), guid].concat()
    }

    fn file(format: &[u8], num_bytes: u32) -> Vec<u8> {
        let size = format.len() as u32;
        let parts: [&[u8]; 8] = [
            b"RIFF",
            &(20 + size + num_bytes).to_le_bytes(),
            b"WAVEfmt ",
            &size.to_le_bytes(),
            format,
            b"data",
            &num_bytes.to_le_bytes(),
            &vec![0; num_bytes as usize],
        ];
        parts.concat()
    }

    fn read(bytes: &[u8]) -> Result<WaveInfo, ParseError> {
        WaveInfo::read(&mut Cursor::new(bytes), None)
    }

    /// The problems that reading finds.
    fn remarks(mut cursor: Cursor<'_>) -> Vec<ParseError> {
        WaveInfo::read(&mut cursor, None).unwrap();
        cursor.take_warnings()
    }

    #[track_caller]
    fn refuses(format: &[u8], message: &str) {
        let error = read(&file(format, 4)).unwrap_err();
        assert_eq!((error.offset, error.message.as_ref(), error.at_end), (20, message, false));
    }

    #[test]
    fn the_header_says_all_but_the_samples() {
        let info = read(&file(&format(1, 2, 44100, 176_400, 4, 16), 882)).unwrap();
        assert_eq!((info.sample_rate(), info.num_channels(), info.num_samples()), (44100.0, 2, Some(220)));
        assert_eq!(info.duration(), Some(220.0 / 44100.0));
    }

    #[test]
    fn encodings_are_named_by_a_number_or_a_guid() {
        use Encoding::{ALaw, Float32, Float64, MuLaw, Signed16, Signed24, Signed32, Unsigned8};
        for (id, bits, encoding) in [
            (1, 8, Unsigned8),
            (1, 16, Signed16),
            (1, 24, Signed24),
            (1, 32, Signed32),
            (3, 32, Float32),
            (3, 64, Float64),
            (6, 8, ALaw),
            (7, 8, MuLaw),
        ] {
            for format in [simple(id, bits), extensible(id, bits), [&simple(id, bits), b"\0\0".as_slice()].concat()] {
                assert_eq!(Riff::read(&file(&format, 48)).unwrap().encoding, encoding);
            }
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        refuses(&format(1, 0, 8000, 16000, 2, 16), "no channels present");
        refuses(&format(1, 40000, 8000, 16000, 2, 16), "expected at most 32767 channels, got 40000");
        refuses(&format(1, 1, 8000, 8000, 2, 16), "Unexpected byte rate 8000 vs. 8000 * 2 * 1");
        refuses(&format(1, 2, 8000, 32000, 2, 16), "Unexpected block_align: 2 vs. 2 * 2");
        refuses(&format(1, 1, 0, 0, 2, 16), "expected a sampling frequency of 1 to 16777216 Hz, got 0");
        refuses(&simple(1, 12), "unsupported bits_per_sample = 12: expected 8, 16, 24 or 32");
        refuses(&simple(3, 16), "unsupported bits_per_sample = 16: expected 32 or 64 in floats");
        refuses(&simple(7, 16), "unsupported bits_per_sample = 16: expected 8 in A-law and mu-law");
        refuses(&simple(17, 4), "can read only PCM data, floats, A-law and mu-law, format id in file is: 17");
        let rate = 2_000_000_000;
        refuses(
            &format(1, 1, rate, 2 * rate, 2, 16),
            "expected a sampling frequency of 1 to 16777216 Hz, got 2000000000",
        );
        // The product does not fit 32 bits.
        refuses(&format(1, 1, 1 << 31, 0, 2, 16), "Unexpected byte rate 0 vs. 2147483648 * 2 * 1");
    }

    #[test]
    fn an_extensible_format_has_to_be_whole() {
        let whole = extensible(1, 16);
        refuses(&whole[..38], "malformed WAVE_FORMAT_EXTENSIBLE format data");
        refuses(&whole[..16], "malformed WAVE_FORMAT_EXTENSIBLE format data");
        let mut other = whole.clone();
        other[16] = 20;
        refuses(&other, "malformed WAVE_FORMAT_EXTENSIBLE format data");
        other = whole.clone();
        other[39] = 0;
        refuses(&other, "unsupported WAVE_FORMAT_EXTENSIBLE format: expected one of Microsoft's");
        other = whole;
        other[26] = 1;
        refuses(&other, "can read only PCM data, floats, A-law and mu-law, format id in file is: 65537");
    }

    #[test]
    fn samples_need_not_be_in_memory() {
        let bytes = file(&simple(1, 16), 1000);
        let head = Cursor::new_head(&bytes[..44], 1000);
        assert_eq!(WaveInfo::read(&mut head.clone(), None).unwrap().num_samples(), Some(500));
        assert_eq!(remarks(head), []);
        assert_eq!(read(&bytes[..60]).unwrap().num_samples(), Some(500));
        let cut = ParseError::new(44, "Truncated file? Expected 1000 bytes of samples, got 16");
        assert_eq!(remarks(Cursor::new(&bytes[..60])), [cut]);
    }

    #[test]
    fn what_is_amiss_is_told_with_its_place() {
        let fact = [b"fact\x08\0\0\0".as_slice(), &[0; 8]].concat();
        let mut bytes = file(&simple(1, 16), 4);
        bytes.splice(36..36, fact);
        let fact = ParseError::new(44, "Expected fact chunk to be 4 bytes long, got 8");
        let size = ParseError::new(4, "Expected 40 bytes in RIFF chunk, got 56 up to the end of the samples");
        assert_eq!(remarks(Cursor::new(&bytes)), [fact, size]);
        // One byte more or less is nothing.
        for size in [55, 57] {
            bytes[4] = size;
            assert_eq!(remarks(Cursor::new(&bytes)).len(), 1);
        }
    }

    #[test]
    fn a_length_that_was_not_known_is_none() {
        let mut bytes = file(&simple(1, 16), 4);
        bytes[40..44].fill(0);
        let info = read(&bytes).unwrap();
        assert_eq!((info.num_samples(), info.duration()), (None, None));
        assert_eq!(remarks(Cursor::new(&bytes)), []);
    }
}
