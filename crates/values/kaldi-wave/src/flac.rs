//! FLAC files.
//!
//! `fLaC`, then blocks of metadata, then the frames. Each block follows a byte with its kind (the highest bit marks the
//! last block) and three bytes with its length. The first block is STREAMINFO:
//!
//! ```text
//! 66 4c 61 43 00 00 00 22                              fLaC, a block of kind 0 (34 bytes)
//! 10 00 10 00 00 00 0e 00 00 2a                        least and greatest lengths of frames, in samples and in bytes
//! 01 f4 00 f0 00 00 1f 40                              8000 Hz (20 bits), 1 channel (3, less one), 16 bits a sample (5,
//!                                                      less one), 8000 samples (36; 0 where that was not known)
//! ```
//!
//! Sixteen bytes of MD5 end the block.

use std::cell::{Ref, RefCell};
use std::io;
use std::ops::Range;
use std::rc::Rc;

use claxon::frame::{Block, FrameReader};
use claxon::input::BufferedReader;
use kaldi_io::ParseError;
use kaldi_value::Cursor;
use sound_files::{ReadSound, StreamInfo};

use crate::info::WaveInfo;

const MAGIC: &[u8] = b"fLaC";
/// How a stream starts.
const NEXT: &[u8] = b"fLaC\0\0\0\x22";
/// Bytes of a tag at the end (ID3, version 1).
const TAG: usize = 128;
/// Bytes of metadata that are common, such as a picture.
const METADATA: u64 = 1 << 20;

/// Whether a file starts as FLAC does, as far as the bytes show.
pub(crate) fn is_flac(bytes: &[u8]) -> bool {
    let start = bytes.get(..MAGIC.len()).unwrap_or(bytes);
    !start.is_empty() && MAGIC.starts_with(start)
}

/// The header of a FLAC file.
#[derive(Clone, Debug)]
pub(crate) struct Flac {
    pub(crate) info: WaveInfo,
    pub(crate) stream: StreamInfo,
    /// Problems in the header that do not keep the file from being read.
    pub(crate) remarks: Vec<ParseError>,
}

impl Flac {
    /// Reads the header at the start of `bytes`; other metadata need not be there.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, ParseError> {
        let mut cursor = Cursor::new(bytes);
        cursor.take(MAGIC.len())?;
        let kind = cursor.take(4)?;
        if kind[0] & 0x7f != 0 || kind[1..] != [0, 0, StreamInfo::LENGTH as u8] {
            return Err(ParseError::new(MAGIC.len(), "expected STREAMINFO in the FLAC file, got other metadata"));
        }
        let mut block = [0; StreamInfo::LENGTH];
        block.copy_from_slice(cursor.take(StreamInfo::LENGTH)?);
        let stream = StreamInfo::read(&block);
        let StreamInfo { sample_rate, num_channels, num_samples, .. } = stream;
        if sample_rate == 0 {
            return Err(ParseError::new(18, "expected a sampling frequency of 1 Hz or more, got 0"));
        }
        let info = WaveInfo { sample_rate, num_channels, num_samples, fault: None };
        Ok(Self { info, stream, remarks: Vec::new() })
    }

    /// The samples of each channel at the 16-bit scale, from the bytes of the file, which may be incomplete.
    pub(crate) fn decode(&mut self, bytes: &[u8]) -> Result<Vec<Vec<f32>>, ParseError> {
        self.decode_part(&bytes, 0..u64::MAX)
    }

    /// As [`Flac::decode`], but keeps some of the samples only, and stops after them. The file need not be in memory.
    pub(crate) fn decode_part(&mut self, file: &dyn ReadSound, part: Range<u64>) -> Result<Vec<Vec<f32>>, ParseError> {
        let mut channels = vec![Vec::new(); self.info.num_channels()];
        let mut got = 0;
        let end = part.end;
        self.decode_up_to(file, end, &mut |flac, frame| {
            flac.append(frame, got, &part, &mut channels);
            got += u64::from(frame.duration());
        })?;
        Ok(channels)
    }

    /// Appends the samples of a frame whose first one is `first` that are in a part.
    pub(crate) fn append(&self, frame: &Block, first: u64, part: &Range<u64>, channels: &mut [Vec<f32>]) {
        let scale = (f64::from(16 - i32::from(self.stream.bits))).exp2() as f32;
        let place = |sample: u64| sample.clamp(first, first + u64::from(frame.duration())) - first;
        let kept = place(part.start) as usize..place(part.end) as usize;
        for (index, channel) in channels.iter_mut().enumerate() {
            let samples = &frame.channel(index as u32)[kept.clone()];
            channel.extend(samples.iter().map(|&sample| sample as f32 * scale));
        }
    }

    /// Decodes the frames in their order, until there are so many samples, and returns how many there are. What is missing is a remark.
    pub(crate) fn decode_up_to(
        &mut self,
        file: &dyn ReadSound,
        end: u64,
        take: &mut dyn FnMut(&Self, &Block),
    ) -> Result<u64, ParseError> {
        let start = frames_start(file)?;
        let num_channels = self.info.num_channels();
        let expected = self.info.num_samples;
        let mut frames = Frames::new(file, start as u64);
        let mut is_cut = false;
        let mut got = 0;
        while got < end {
            let fault = match frames.next() {
                Ok(Some(frame)) if frame.channels() as usize == num_channels => {
                    take(self, &frame);
                    got += u64::from(frame.duration());
                    frames.give_back(frame);
                    continue;
                }
                Ok(None) => break,
                Ok(Some(frame)) => format!("expected {num_channels} channels, got {}", frame.channels()),
                Err(_) if frames.failed().is_some() => {
                    return Err(unreadable(start, frames.failed().as_ref()));
                }
                // What follows the last frame is no frame, such as a tag.
                Err(_) if expected.is_some_and(|expected| got >= expected) => {
                    Self::check_rest(file, start, got)?;
                    break;
                }
                Err(claxon::Error::IoError(_)) => {
                    is_cut = true;
                    break;
                }
                Err(claxon::Error::FormatError(message) | claxon::Error::Unsupported(message)) => {
                    // Without a number of samples, only this shows that the stream has ended.
                    if message == NO_FRAME {
                        Self::check_rest(file, start, got)?;
                    }
                    message.to_owned()
                }
            };
            let message = format!("cannot decode FLAC after {got} samples: {fault}");
            return Err(ParseError::new(start, message));
        }
        if got == 0 {
            let error = ParseError::new(start, "empty file (no data): expected a frame of FLAC, got none");
            return Err(ParseError { at_end: true, ..error });
        }
        let message = match expected {
            Some(expected) if got < expected.min(end) => {
                format!("Truncated file? Expected {expected} samples, got {got}")
            }
            None if is_cut => format!("Truncated file? Expected more samples, got {got}"),
            Some(expected) if got > expected && end == u64::MAX => {
                format!("expected {expected} samples as the header says, got {got}, which all count")
            }
            _ => return Ok(got),
        };
        self.info.fault = Some(message.clone());
        self.remarks.push(ParseError::new(start, message));
        Ok(got)
    }

    /// Checks that no other stream follows the frames.
    fn check_rest(file: &dyn ReadSound, start: usize, got: u64) -> Result<(), ParseError> {
        let mut at = start as u64;
        let mut piece = Vec::new();
        while at + (NEXT.len() as u64) <= file.length() {
            piece.clear();
            let count = PIECE.min(file.length() - at);
            file.read_at(at, &mut piece, count as usize).map_err(|error| unreadable(start, Some(&error)))?;
            if let Some(place) = memchr::memmem::find(&piece, NEXT) {
                let message = format!("expected the end of the FLAC file after {got} samples, got another stream");
                return Err(ParseError::new(at as usize + place, message));
            }
            // It may be at the border of two pieces.
            at += (count - (NEXT.len() as u64 - 1)).max(1);
        }
        Ok(())
    }

    /// Whether the file ends as its header says, with a frame up to the last sample, by its last bytes; the frames start at `start`, if it
    /// is known. `false` may also mean that the last bytes are too few.
    pub(crate) fn ends_well(&self, start: Option<usize>, tail: &[u8], length: u64) -> bool {
        let Some(num_samples) = self.info.num_samples else { return false };
        let frames = tail.len().saturating_sub(TAG);
        let has_tag = tail[frames..].starts_with(b"TAG") && frames > 0;
        let (tail, length) = if has_tag { (&tail[..frames], length - TAG as u64) } else { (tail, length) };
        let block = u64::from(self.stream.longest_block);
        // Two streams, one after the other, have the same end twice.
        if let Some(longest) = self.stream.longest_frame {
            let start = start.map_or(METADATA, |start| start as u64);
            let most = num_samples.div_ceil(block.max(1)).saturating_mul(longest.into()).saturating_add(start);
            if length > most {
                return false;
            }
        }
        let is_frame = |at: &usize| tail[*at] == 0xff && tail.get(at + 1).is_some_and(|byte| byte & 0xfe == 0xf8);
        (0..tail.len()).rev().filter(is_frame).any(|at| {
            let mut frames = FrameReader::new(BufferedReader::new(&tail[at..]));
            let Ok(Some(frame)) = frames.read_next_or_eof(Vec::new()) else { return false };
            let count = u64::from(frame.duration());
            first_sample(&tail[at..], block).is_some_and(|first| first + count == num_samples)
                && matches!(frames.read_next_or_eof(Vec::new()), Ok(None))
        })
    }
}

/// The number of the first sample of a frame, in a file whose frames have `block` samples if all have as many.
pub(crate) fn first_sample(frame: &[u8], block: u64) -> Option<u64> {
    let number = coded_number(frame.get(4..)?)?;
    let is_variable = frame[1] & 1 == 1;
    Some(if is_variable { number } else { number.saturating_mul(block) })
}

/// The number of a frame, in the manner of UTF-8.
fn coded_number(bytes: &[u8]) -> Option<u64> {
    let first = *bytes.first()?;
    let length = first.leading_ones() as usize;
    if length == 0 {
        return Some(first.into());
    }
    let rest = bytes.get(1..length)?;
    let value = u64::from(first) & (0x7f >> length.min(7));
    Some(rest.iter().fold(value, |value, &byte| value << 6 | u64::from(byte & 0x3f)))
}

/// What the decoder says if something else stands where a frame should start.
const NO_FRAME: &str = "frame sync code missing";

/// Where the frames start, after all metadata.
pub(crate) fn frames_start(file: &dyn ReadSound) -> Result<usize, ParseError> {
    let there = usize::try_from(file.length()).unwrap_or(usize::MAX);
    let after = |at: usize, count: usize| match at + count {
        end if end <= there => Ok(end),
        _ => Err(ParseError::end(there, format_args!("{count} bytes at {at}"))),
    };
    let mut at = MAGIC.len();
    loop {
        let mut head = Vec::new();
        let content = after(at, 4)?;
        file.read_at(at as u64, &mut head, 4).map_err(|error| unreadable(at, Some(&error)))?;
        at = after(content, usize::from(head[1]) << 16 | usize::from(head[2]) << 8 | usize::from(head[3]))?;
        if head[0] & 0x80 != 0 {
            return Ok(at);
        }
    }
}

/// An error of the system.
pub(crate) fn unreadable(offset: usize, error: Option<&io::Error>) -> ParseError {
    let error = error.map_or_else(String::new, ToString::to_string);
    ParseError::new(offset, format!("cannot read: {error}"))
}

/// Bytes that are read at a time.
const PIECE: u64 = 1 << 16;

/// The frames of a file from a place on, in their order.
pub(crate) struct Frames<'a> {
    reader: FrameReader<BufferedReader<InOrder<'a>>>,
    buffer: Vec<i32>,
    failed: Failed,
}

/// Why the file could not be read: the decoder cannot tell that from its end.
type Failed = Rc<RefCell<Option<io::Error>>>;

impl<'a> Frames<'a> {
    pub(crate) fn new(file: &'a dyn ReadSound, at: u64) -> Self {
        let failed = Failed::default();
        let bytes = InOrder { file, at, buffer: Vec::new(), used: 0, failed: Rc::clone(&failed) };
        Self { reader: FrameReader::new(BufferedReader::new(bytes)), buffer: Vec::new(), failed }
    }

    pub(crate) fn next(&mut self) -> claxon::Result<Option<Block>> {
        self.reader.read_next_or_eof(std::mem::take(&mut self.buffer))
    }

    /// Takes a frame back, for its memory.
    pub(crate) fn give_back(&mut self, frame: Block) {
        self.buffer = frame.into_buffer();
    }

    fn failed(&self) -> Ref<'_, Option<io::Error>> {
        self.failed.borrow()
    }
}

/// The bytes of a file from a place on, in their order.
struct InOrder<'a> {
    file: &'a dyn ReadSound,
    at: u64,
    buffer: Vec<u8>,
    used: usize,
    failed: Failed,
}

impl io::Read for InOrder<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.used == self.buffer.len() {
            self.buffer.clear();
            self.used = 0;
            let count = PIECE.min(self.file.length().saturating_sub(self.at));
            if let Err(error) = self.file.read_at(self.at, &mut self.buffer, count as usize) {
                self.buffer.clear();
                *self.failed.borrow_mut() = Some(error);
                return Err(io::ErrorKind::Other.into());
            }
            self.at += count;
        }
        let count = out.len().min(self.buffer.len() - self.used);
        out[..count].copy_from_slice(&self.buffer[self.used..self.used + count]);
        self.used += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use kaldi_value::{Frame, Value};

    use super::*;
    use crate::Wave;

    /// The remainder of `bytes` by a polynomial of `bits` bits; both checksums of a frame are such remainders.
    fn checksum(bytes: &[u8], bits: u32, polynomial: u32) -> u32 {
        let top = 1 << (bits - 1);
        let mask = u32::MAX >> (32 - bits);
        let step = |sum: u32, _| if sum & top == 0 { sum << 1 } else { (sum << 1) ^ polynomial };
        bytes.iter().fold(0, |sum, &byte| (0..8).fold(sum ^ (u32::from(byte) << (bits - 8)), step) & mask)
    }

    fn header(bits: u32, rate: u32, num_channels: usize, num_samples: u64) -> Vec<u8> {
        let word = u64::from(rate) << 44 | (num_channels as u64 - 1) << 41 | u64::from(bits - 1) << 36 | num_samples;
        let info = [&[0x10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0], word.to_be_bytes().as_slice(), &[0; 16]].concat();
        [b"fLaC\0\0\0\x22".as_slice(), &info, b"\x84\0\0\x03abc"].concat()
    }

    /// A frame whose samples are stored as they are.
    fn frame(number: u8, bits: u32, channels: &[Vec<i32>]) -> Vec<u8> {
        let code = match bits {
            8 => 1,
            16 => 4,
            _ => 6,
        };
        let size = (channels[0].len() as u16 - 1).to_be_bytes();
        let mut bytes = vec![0xff, 0xf8, 0x70, (channels.len() as u8 - 1) << 4 | code << 1, number, size[0], size[1]];
        bytes.push(checksum(&bytes, 8, 0x07) as u8);
        for channel in channels {
            bytes.push(2);
            bytes.extend(channel.iter().flat_map(|sample| sample.to_be_bytes()[4 - bits as usize / 8..].to_vec()));
        }
        let sum = checksum(&bytes, 16, 0x8005) as u16;
        bytes.extend(sum.to_be_bytes());
        bytes
    }

    /// A file of two frames of two samples.
    fn file(bits: u32, num_samples: u64) -> Vec<u8> {
        let most = (1 << (bits - 1)) - 1;
        let frames = [[vec![0, most], vec![1, -1]], [vec![-most - 1, 3], vec![5, -6]]];
        [header(bits, 8000, 2, num_samples), frame(0, bits, &frames[0]), frame(1, bits, &frames[1])].concat()
    }

    fn read(bytes: &[u8]) -> Result<Wave, ParseError> {
        read_with_remarks(bytes).map(|(wave, _)| wave)
    }

    fn read_with_remarks(bytes: &[u8]) -> Result<(Wave, Vec<ParseError>), ParseError> {
        let mut cursor = Cursor::new(bytes);
        let wave = Wave::read(&mut cursor)?;
        assert_eq!(cursor.rest(), b"");
        Ok((wave, cursor.take_warnings()))
    }

    #[test]
    fn samples_of_any_width_come_to_the_16_bit_scale() {
        for (bits, unit) in [(8, 256.0), (16, 1.0), (24, 1.0 / 256.0)] {
            let (wave, remarks) = read_with_remarks(&file(bits, 4)).unwrap();
            assert_eq!(wave.channel(0), [0.0, 32768.0 - unit, -32768.0, 3.0 * unit]);
            assert_eq!(wave.channel(1), [unit, -unit, 5.0 * unit, -6.0 * unit]);
            assert_eq!((wave.sample_rate(), remarks), (8000.0, vec![]));
        }
        let channels: Vec<Vec<i32>> = (0..8).map(|channel| vec![channel * 1000 - 4000]).collect();
        let eight = read(&[header(16, 655_350, 8, 1), frame(0, 16, &channels)].concat()).unwrap();
        assert_eq!((eight.num_channels(), eight.channel(7), eight.sample_rate()), (8, [3000.0].as_slice(), 655_350.0));
    }

    #[test]
    fn the_header_has_the_number_of_samples() {
        let info = |bytes: &[u8]| WaveInfo::read(&mut Cursor::new(bytes), None);
        assert_eq!(info(&file(16, 4)).unwrap().num_samples(), Some(4));
        assert_eq!(info(&file(16, 4)[..42]).unwrap().num_samples(), Some(4));
        assert_eq!(info(&file(16, 0)).unwrap().num_samples(), None);
        for cut in 0..42 {
            assert!(info(&file(16, 4)[..cut]).unwrap_err().at_end, "{cut}");
        }
        assert_eq!(read(&file(16, 0)).unwrap().num_samples(), 4);
    }

    #[test]
    fn a_part_is_that_of_the_whole() {
        for num_samples in [0, 3, 4] {
            let bytes = file(16, num_samples);
            let whole = read(&bytes).unwrap();
            for (start, end) in [(0, 1), (0, 4), (1, 3), (2, 4), (3, 4), (2, 9), (4, 9), (7, 9)] {
                let range = start.min(whole.num_samples())..end.min(whole.num_samples());
                let expected = [&whole.channel(0)[range.clone()], &whole.channel(1)[range]];
                assert_eq!(Wave::flac_part(&bytes, start as u64..end as u64).unwrap(), expected, "{start}..{end}");
            }
        }
    }

    #[test]
    fn everything_that_follows_belongs_to_the_file() {
        let bytes = file(16, 4);
        for cut in 1..bytes.len() {
            assert_eq!(Wave::frame(&bytes[..cut], false), Ok(Frame::Partial(cut as u64 + 1)));
            assert_eq!(Wave::frame(&bytes[..cut], true), Ok(Frame::Whole(cut)));
        }
        let tagged = [&bytes, b"TAGsomething".as_slice()].concat();
        assert_eq!(read(&tagged), read(&bytes));
        assert_eq!(read(&tagged), read(&bytes));
    }

    #[test]
    fn what_is_there_of_a_cut_file_counts() {
        let whole = file(16, 4);
        let frames = frames_start(&&whole[..]).unwrap();
        let second = frames + (whole.len() - frames) / 2;
        for cut in 0..whole.len() {
            match read_with_remarks(&whole[..cut]) {
                Ok((wave, remarks)) => {
                    assert!(cut >= second, "{cut}");
                    assert_eq!(wave.num_samples(), 2);
                    let message = "Truncated file? Expected 4 samples, got 2";
                    assert_eq!(remarks, [ParseError::new(frames, message)]);
                }
                Err(_) => assert!(cut < second, "{cut}"),
            }
        }
        let unknown = file(16, 0);
        let message = "Truncated file? Expected more samples, got 2";
        assert_eq!(read_with_remarks(&unknown[..unknown.len() - 1]).unwrap().1[0].message, message);
        assert!(read_with_remarks(&unknown[..second]).unwrap().1.is_empty(), "the length is unknown");
        let error = read(&whole[..frames]).unwrap_err();
        let message = "empty file (no data): expected a frame of FLAC, got none: this FLAC file ends after 49 bytes";
        assert_eq!(error.message, message);
    }

    #[test]
    fn damage_is_noticed() {
        let whole = file(16, 4);
        let frames = frames_start(&&whole[..]).unwrap();
        for place in frames..whole.len() {
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[place] ^= 1 << bit;
                // The decoder may look for a longer block, so that the file seems incomplete.
                let noticed = read_with_remarks(&damaged).map_or(true, |(_, remarks)| !remarks.is_empty());
                assert!(noticed, "{place}, {bit}");
            }
        }
        let mut damaged = whole.clone();
        damaged[frames + 12] ^= 1;
        let error = read(&damaged).unwrap_err();
        let message = "cannot decode FLAC after 0 samples: frame CRC mismatch";
        assert_eq!((error.offset, error.message.as_ref()), (frames, message));
        for place in 0..frames {
            for damage in 1..=255 {
                damaged = whole.clone();
                damaged[place] ^= damage;
                // Whatever the result is, reading ends.
                let _ = read(&damaged);
            }
        }
    }

    #[test]
    fn headers_that_cannot_be_are_refused() {
        let with = |at: usize, bytes: &[u8]| {
            let mut file = file(16, 4);
            file[at..at + bytes.len()].copy_from_slice(bytes);
            read(&file).map_err(|error| (error.offset, error.message.into_owned())).unwrap_err()
        };
        let (offset, message) = with(18, &[0, 0, 2]);
        assert_eq!((offset, message.as_str()), (18, "expected a sampling frequency of 1 Hz or more, got 0"));
        let (offset, message) = with(4, &[1]);
        assert_eq!((offset, message.as_str()), (4, "expected STREAMINFO in the FLAC file, got other metadata"));
        let (_, message) = with(20, &[0xf4]);
        assert_eq!(message, "cannot decode FLAC after 0 samples: expected 3 channels, got 2");
    }

    /// As FFmpeg does it: what the header does not count is not left out.
    #[test]
    fn more_samples_than_the_header_counts_are_a_remark() {
        let (wave, remarks) = read_with_remarks(&file(16, 3)).unwrap();
        assert_eq!(wave.num_samples(), 4);
        assert_eq!(remarks[0].message, "expected 3 samples as the header says, got 4, which all count");
        // A stream after the first is none of its samples, and no tag.
        for (first, second) in [(4, 4), (0, 4), (0, 0), (4, 0), (9, 4)] {
            let [bytes, next] = [first, second].map(|count| file(16, count));
            let error = read(&[bytes.as_slice(), &next].concat()).unwrap_err();
            let message = "expected the end of the FLAC file after 4 samples, got another stream";
            assert_eq!((error.offset, error.message.as_ref()), (bytes.len(), message), "{first} {second}");
        }
    }

    #[test]
    fn the_last_frame_shows_whether_a_file_is_whole() {
        // As encoders write it: the lengths of blocks, and of the longest frame.
        let with_sizes = |mut bytes: Vec<u8>| {
            bytes[8..12].copy_from_slice(&[0, 2, 0, 2]);
            bytes[15..18].copy_from_slice(&[0, 0, 25]);
            bytes
        };
        let bytes = with_sizes(file(16, 4));
        let is_whole = |bytes: &[u8], tail: usize| {
            let tail = &bytes[bytes.len().saturating_sub(tail)..];
            WaveInfo::ends_well(&bytes[..49], || Ok::<_, ()>(tail.into()), bytes.len() as u64).unwrap()
        };
        assert!(is_whole(&bytes, 40) && is_whole(&bytes, 1000));
        let tag = [b"TAG".as_slice(), &[b' '; 125]].concat();
        assert!(is_whole(&[bytes.as_slice(), &tag].concat(), 200));
        for cut in 50..bytes.len() {
            assert!(!is_whole(&bytes[..cut], 1000), "{cut}");
        }
        for count in [0, 2, 3, 5] {
            assert!(!is_whole(&with_sizes(file(16, count)), 1000), "{count}");
        }
        assert!(!is_whole(&[bytes.as_slice(), &bytes].concat(), 1000), "two streams");
        assert!(!is_whole(&bytes, 10), "not all of the frame");
        // A number of more bytes than one.
        for (bytes, number) in [(&[0x7f][..], 127), (&[0xc2, 0x80], 128), (&[0xe1, 0x80, 0x81], 4097)] {
            assert_eq!(coded_number(bytes), Some(number));
        }
    }
}
