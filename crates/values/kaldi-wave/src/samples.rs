//! Where the samples of a file are and where it ends, from its header alone.

use byteorder::{ByteOrder, LittleEndian};
use kaldi_io::ParseError;
use kaldi_value::Frame;

use crate::chunks::{CHUNK_HEADER, Chunks, is_name, number};

/// The shortest chunk that describes a format.
const FORMAT: u32 = 16;

/// Where the samples of a RIFF/WAVE file are and where it ends.
///
/// The size of a file that was written to a pipe is not known. If one of the sizes is 0 or 0xFFFFFFFF, or that of the
/// samples is 0x7FFFF000 (from SoX), the samples go on to the end of the stream, as in Kaldi.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaveSamples {
    /// Offset of the first sample.
    pub start: u64,
    /// The length of the samples in bytes; `None` if they go on to the end of the stream.
    pub num_bytes: Option<u64>,
    /// The length of the file according to the outermost header, which may be wrong.
    pub claimed: u64,
    /// Whether the numbers of the file are big-endian.
    pub big_endian: bool,
}

/// What precedes the samples.
pub(crate) struct Layout<'a> {
    pub(crate) samples: WaveSamples,
    /// The content of the chunk `fmt `, of 16 bytes or more, and its offset.
    pub(crate) format: (&'a [u8], u64),
    /// The size of the chunk `fact`, if there is one, and its offset.
    pub(crate) fact: Option<(u32, u64)>,
}

impl WaveSamples {
    /// Reads the header at the start of `bytes`, up to the samples, which need not be there.
    ///
    /// # Errors
    /// If the bytes are no such header. If they end before the samples start, `at_end` is set in the error.
    pub fn read(bytes: &[u8]) -> Result<Self, ParseError> {
        Layout::read(bytes).map(|layout| layout.samples)
    }

    /// Returns where the file ends that starts with `window`; `at_end` says that nothing follows the window. A file
    /// that is cut ends with the bytes that are there.
    ///
    /// Kaldi stops reading after the samples. Here the zero byte that makes their length even, and chunks that follow,
    /// belong to the file if its size in the header has room for them.
    pub fn frame(&self, window: &[u8], at_end: bool) -> Frame {
        let length = window.len() as u64;
        let more = |wanted: u64| if at_end { Frame::Whole(window.len()) } else { Frame::Partial(wanted) };
        let Some(num_bytes) = self.num_bytes else { return more(length + 1) };
        let mut end = self.start + num_bytes;
        let mut is_odd = num_bytes % 2 == 1;
        loop {
            // Sizes are often wrong by a byte or so; such a byte belongs to whatever comes next.
            let has_room = self.claimed >= end + CHUNK_HEADER;
            if length < end {
                return if has_room || is_odd || at_end { more(end + 1) } else { Frame::Beyond(end) };
            }
            let mut rest = &window[end as usize..];
            if is_odd {
                match rest {
                    [0, after @ ..] => (rest, end) = (after, end + 1),
                    [] => return more(end + 1),
                    _ => {}
                }
            }
            if self.claimed < end + CHUNK_HEADER {
                return Frame::Whole(end as usize);
            }
            // If it does not look like a chunk that fits, it is none: the size in the header was wrong.
            let Some((name, size)) = rest.split_first_chunk::<4>().filter(|(_, size)| size.len() >= 4) else {
                return if is_name(rest.get(..4).unwrap_or(rest)) {
                    more(end + CHUNK_HEADER)
                } else {
                    Frame::Whole(end as usize)
                };
            };
            let size = number(size, self.big_endian);
            let chunk_end = end + CHUNK_HEADER + u64::from(size);
            if !is_name(name) || chunk_end > self.claimed + 1 {
                return Frame::Whole(end as usize);
            }
            (end, is_odd) = (chunk_end, size % 2 == 1);
        }
    }
}

impl<'a> Layout<'a> {
    /// Reads the header at the start of `bytes`, up to the samples.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, ParseError> {
        let mut chunks = Chunks::open(bytes)?;
        let (mut format, mut fact, mut long) = (None, None, None);
        loop {
            let (name, size) = chunks.next()?;
            let offset = chunks.offset();
            match (&name, format) {
                (b"data", None) => return Err(chunks.error("expected a chunk \"fmt \" before the samples")),
                (b"data", Some(format)) => {
                    return Ok(Self { samples: WaveSamples::new(&chunks, size, long), format, fact });
                }
                (b"ds64", _) if chunks.has_long_sizes() => long = Some(LongSizes::read(&mut chunks, size)?),
                (b"fmt ", None) if size < FORMAT => {
                    return Err(chunks.error(format!(
                        "expect PCM format data to have fmt chunk of {FORMAT} bytes or more, got {size}"
                    )));
                }
                (b"fmt ", None) => format = Some((chunks.take(size)?, offset)),
                (b"fact", _) => {
                    fact = Some((size, offset));
                    chunks.take(size)?;
                }
                _ => {
                    chunks.take(size)?;
                }
            }
        }
    }
}

/// The sizes of a file above 4 GB.
#[derive(Clone, Copy)]
struct LongSizes {
    riff: u64,
    samples: u64,
}

impl LongSizes {
    /// Reads the chunk `ds64`: the size of the file, that of the samples, their number, and those of other chunks.
    fn read(chunks: &mut Chunks<'_>, size: u32) -> Result<Self, ParseError> {
        let content = chunks.take(size)?;
        let long = |at: usize| content.get(at..at + 8).map(LittleEndian::read_u64);
        let (Some(riff), Some(samples)) = (long(0), long(8)) else {
            return Err(chunks.error(format!("expected a chunk \"ds64\" of 24 bytes or more, got {size}")));
        };
        if riff.max(samples) > LONGEST {
            return Err(chunks.error(format!("expected a size of at most {LONGEST} bytes, got {}", riff.max(samples))));
        }
        Ok(Self { riff, samples })
    }
}

/// No file is longer. Sums of a few of such sizes are far from 64 bits.
const LONGEST: u64 = 1 << 60;

impl WaveSamples {
    /// The samples of `size` bytes, which come next.
    fn new(chunks: &Chunks<'_>, size: u32, long: Option<LongSizes>) -> Self {
        if let Some(long) = long.filter(|_| size == u32::MAX) {
            return Self {
                start: chunks.offset(),
                num_bytes: (long.samples > 0).then_some(long.samples),
                claimed: CHUNK_HEADER + long.riff,
                big_endian: false,
            };
        }
        let is_streamed = matches!(chunks.riff_size(), 0 | u32::MAX) || matches!(size, 0 | u32::MAX | 0x7fff_f000);
        Self {
            start: chunks.offset(),
            num_bytes: (!is_streamed).then(|| size.into()),
            claimed: CHUNK_HEADER + u64::from(chunks.riff_size()),
            big_endian: chunks.is_big_endian(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT_CHUNK: &[u8] = b"fmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0";

    fn file(riff_size: u32, chunks: &[&[u8]]) -> Vec<u8> {
        [b"RIFF", riff_size.to_le_bytes().as_slice(), b"WAVE", &chunks.concat()].concat()
    }

    fn data(size: u32) -> Vec<u8> {
        [b"data".as_slice(), &size.to_le_bytes()].concat()
    }

    #[track_caller]
    fn ends(bytes: &[u8], at_end: bool, frame: Frame) {
        assert_eq!(WaveSamples::read(bytes).unwrap().frame(bytes, at_end), frame, "{}", bytes.escape_ascii());
    }

    #[test]
    fn the_samples_follow_the_header() {
        let bytes = file(40, &[FORMAT_CHUNK, &data(4), b"\x01\0\x02\0"]);
        let samples = WaveSamples { start: 44, num_bytes: Some(4), claimed: 48, big_endian: false };
        assert_eq!(WaveSamples::read(&bytes), Ok(samples));
        assert_eq!(WaveSamples::read(&bytes[..44]), Ok(samples));
        for cut in 0..44 {
            assert!(WaveSamples::read(&bytes[..cut]).unwrap_err().at_end, "{cut}");
        }
    }

    #[test]
    fn sizes_may_be_big_endian() {
        let bytes = b"RIFX\0\0\0\x28WAVEfmt \0\0\0\x10\0\x01\0\x01\0\0\x1f\x40\0\0\x3e\x80\0\x02\0\x10data\0\0\0\x04";
        let samples = WaveSamples { start: 44, num_bytes: Some(4), claimed: 48, big_endian: true };
        assert_eq!(WaveSamples::read(bytes), Ok(samples));
    }

    #[test]
    fn a_file_above_4_gb_has_its_sizes_in_a_chunk_of_its_own() {
        let long = |riff: u64, samples: u64, name: &[u8; 4]| {
            let sizes = [riff.to_le_bytes(), samples.to_le_bytes(), [0; 8]].concat();
            let chunks = [b"ds64\x1c\0\0\0".as_slice(), &sizes, &[0; 4], FORMAT_CHUNK, &data(u32::MAX)].concat();
            [name.as_slice(), &[0xff; 4], b"WAVE", &chunks].concat()
        };
        for name in [b"RF64", b"BW64"] {
            let head = long(5_000_000_072, 5_000_000_000, name);
            let samples =
                WaveSamples { start: 80, num_bytes: Some(5_000_000_000), claimed: 5_000_000_080, big_endian: false };
            assert_eq!(WaveSamples::read(&head), Ok(samples));
            ends(&head, false, Frame::Beyond(5_000_000_080));
            let short = [long(76, 4, name), b"\x01\0\x02\0".to_vec()].concat();
            ends(&short, true, Frame::Whole(84));
            // Programs that write to a pipe do not know the size.
            assert_eq!(WaveSamples::read(&long(0, 0, name)).unwrap().num_bytes, None);
            let error = WaveSamples::read(&long(u64::MAX, 4, name)).unwrap_err();
            assert!(error.message.contains("expected a size of at most"), "{}", error.message);
        }
    }

    #[test]
    fn chunks_before_the_samples_may_be_padded_or_not() {
        for (junk, samples) in [
            (b"JUNK\x02\0\0\0ab".as_slice(), 54),
            (b"LIST\x03\0\0\0abc", 55),
            (b"LIST\x03\0\0\0abc\0", 56),
            (b"fact\x04\0\0\0\x02\0\0\0", 56),
        ] {
            for chunks in [[junk, FORMAT_CHUNK], [FORMAT_CHUNK, junk]] {
                let bytes = file(samples - 8 + 4, &[chunks[0], chunks[1], &data(4)]);
                assert_eq!(WaveSamples::read(&bytes).unwrap().start, samples.into());
                ends(&bytes, false, Frame::Beyond(u64::from(samples) + 4));
            }
        }
    }

    #[test]
    fn the_file_ends_with_the_samples_where_its_size_has_no_room_for_a_chunk() {
        for riff_size in [30, 39, 40, 41, 47] {
            let whole = file(riff_size, &[FORMAT_CHUNK, &data(4), b"\x01\0\x02\0"]);
            ends(&whole[..44], false, Frame::Beyond(48));
            ends(&whole[..47], false, Frame::Beyond(48));
            for at_end in [false, true] {
                ends(&whole, at_end, Frame::Whole(48));
                ends(&[whole.as_slice(), b"LIST\0\0\0\0"].concat(), at_end, Frame::Whole(48));
            }
        }
    }

    #[test]
    fn chunks_behind_the_samples_belong_to_the_file() {
        let whole = file(60, &[FORMAT_CHUNK, &data(4), b"\x01\0\x02\0", b"LIST\x03\0\0\0abc\0", b"id3 \0\0\0\0"]);
        assert_eq!(whole.len(), 68);
        for (cut, wanted) in [(44, 49), (47, 49), (48, 56), (55, 56), (56, 60), (58, 60), (59, 60), (60, 68), (67, 68)]
        {
            ends(&whole[..cut], false, Frame::Partial(wanted));
            ends(&whole[..cut], true, Frame::Whole(cut));
        }
        let followed = [whole.as_slice(), b"utt2 RIFF"].concat();
        for at_end in [false, true] {
            ends(&whole, at_end, Frame::Whole(68));
            ends(&followed, at_end, Frame::Whole(68));
        }
        // The zero byte that makes a length even may be missing.
        let unpadded = file(51, &[FORMAT_CHUNK, &data(4), b"\x01\0\x02\0", b"LIST\x03\0\0\0abc", b"utt2 RIFF"]);
        ends(&unpadded, false, Frame::Whole(59));
    }

    #[test]
    fn a_last_chunk_may_end_beyond_the_window() {
        let whole = file(72, &[FORMAT_CHUNK, &data(4), b"\x01\0\x02\0", b"LIST\x18\0\0\0", &[b'x'; 24]]);
        ends(&whole[..56], false, Frame::Beyond(80));
        ends(&whole[..79], false, Frame::Beyond(80));
        ends(&whole[..79], true, Frame::Whole(79));
    }

    #[test]
    fn what_does_not_look_like_a_chunk_that_fits_belongs_to_whatever_comes_next() {
        for next in [
            b"utt2 RIFF\x28\0\0\0".as_slice(),
            b"a RIFF\x28\0\0\0WAVE",
            b"LIST\xff\xff\0\0",
            b"\0\0\0\0\0\0\0\0",
            b"\xff",
        ] {
            let bytes = file(1000, &[FORMAT_CHUNK, &data(4), b"\x01\0\x02\0", next]);
            for at_end in [false, true] {
                ends(&bytes, at_end, Frame::Whole(48));
            }
        }
    }

    #[test]
    fn an_odd_length_may_have_been_made_even() {
        let bytes = file(40, &[FORMAT_CHUNK, &data(3), b"abc\0"]);
        ends(&bytes, false, Frame::Whole(48));
        ends(&bytes[..46], false, Frame::Partial(48));
        ends(&bytes[..47], false, Frame::Partial(48));
        ends(&bytes[..47], true, Frame::Whole(47));
        ends(&file(40, &[FORMAT_CHUNK, &data(3), b"abcutt2 "]), false, Frame::Whole(47));
    }

    #[test]
    fn sizes_that_were_not_known_reach_to_the_end() {
        for (riff_size, size) in [(0, 4), (u32::MAX, 4), (40, 0), (40, u32::MAX), (40, 0x7fff_f000)] {
            let bytes = file(riff_size, &[FORMAT_CHUNK, &data(size), b"abcdefg"]);
            assert_eq!(WaveSamples::read(&bytes).unwrap().num_bytes, None);
            ends(&bytes, false, Frame::Partial(52));
            ends(&bytes, true, Frame::Whole(51));
        }
    }

    #[test]
    fn a_file_that_is_cut_takes_what_is_there() {
        let bytes = file(u32::MAX - 1, &[FORMAT_CHUNK, &data(u32::MAX - 1), b"abcdefg"]);
        ends(&bytes, true, Frame::Whole(51));
        ends(&bytes, false, Frame::Beyond(44 + u64::from(u32::MAX) - 1));
    }

    #[test]
    fn what_is_no_wave_file_is_refused() {
        let message =
            |bytes: &[u8]| WaveSamples::read(bytes).map_err(|error| (error.offset, error.message.into_owned()));
        let refuses =
            |bytes: &[u8], offset: usize, text: &str| assert_eq!(message(bytes), Err((offset, text.to_owned())));
        refuses(b"RIFE1234WAVE", 0, "expected RIFF or RIFX, got RIFE");
        refuses(b"\0BFM ", 0, "expected RIFF or RIFX, got \\x00BFM");
        refuses(b"RIFF\x04\0\0\0AVI ", 8, "expected WAVE, got AVI ");
        refuses(&file(40, &[&data(4)]), 12, "expected a chunk \"fmt \" before the samples");
        refuses(&file(40, &[b"\x01\0\0\0\0\0\0\0"]), 12, "expected the name of a chunk, got \"\\x01\\x00\\x00\\x00\"");
        let short = "expect PCM format data to have fmt chunk of 16 bytes or more, got 2";
        refuses(&file(40, &[b"fmt \x02\0\0\0"]), 12, short);
        assert!(WaveSamples::read(&file(40, &[b"JUNK\xff\xff\xff\x7f"])).unwrap_err().at_end);
    }
}
