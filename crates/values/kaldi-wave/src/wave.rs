//! Waveforms as table values.

use kaldi_io::ParseError;
use kaldi_simd::dispatch;
use kaldi_value::{Cursor, Format, Frame, Value};

use crate::Encoding;
use crate::coded::{self, Form};
use crate::flac::{Flac, is_flac};
use crate::riff::Riff;
use crate::samples::WaveSamples;
use crate::sixteen_bits::{ABOVE, BELOW, Count, PART, Round, Store, to_whole};

/// Bytes of the header that is written.
const HEADER: usize = 44;

/// Samples at the 16-bit scale (-32768 to 32767), `num_channels × num_samples`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wave {
    sample_rate: f32,
    channels: Vec<Vec<f32>>,
}

impl Wave {
    /// Makes a waveform of its channels; `sample_rate` is in Hz.
    ///
    /// # Panics
    /// If there is no channel, or more than 32767, or they differ in length.
    pub fn new(sample_rate: f32, channels: Vec<Vec<f32>>) -> Self {
        assert!((1..=32767).contains(&channels.len()), "{} channels", channels.len());
        assert!(channels.iter().all(|channel| channel.len() == channels[0].len()), "channels of one length");
        Self { sample_rate, channels }
    }

    /// The sampling frequency in Hz.
    pub fn sample_rate(&self) -> f32 {
        self.sample_rate
    }

    /// The number of channels.
    pub fn num_channels(&self) -> usize {
        self.channels.len()
    }

    /// The number of samples of each channel.
    pub fn num_samples(&self) -> usize {
        self.channels.first().map_or(0, Vec::len)
    }

    /// The samples of one channel.
    ///
    /// # Panics
    /// If there is no such channel.
    pub fn channel(&self, index: usize) -> &[f32] {
        &self.channels[index]
    }

    /// The samples of all channels.
    pub fn into_channels(self) -> Vec<Vec<f32>> {
        self.channels
    }

    /// The duration in seconds.
    pub fn duration(&self) -> f64 {
        self.num_samples() as f64 / f64::from(self.sample_rate)
    }

    /// How many samples 16 bits cannot hold; writing the waveform clips them.
    pub fn num_clipped(&self) -> usize {
        self.count(|sample| (sample >= ABOVE) | (sample <= BELOW))
    }

    /// Rounds the samples to the nearest whole numbers that 16 bits can hold, and returns how many were clipped.
    /// Writing the waveform then changes nothing.
    pub fn round(&mut self) -> usize {
        let parts = self.channels.iter_mut().flat_map(|channel| channel.chunks_mut(PART));
        parts.map(|part| dispatch(Round(part)) as usize).sum()
    }

    fn count(&self, is_counted: impl Fn(f32) -> bool) -> usize {
        let parts = self.channels.iter().flat_map(|channel| channel.chunks(PART));
        parts.map(|part| dispatch(Count(part, &is_counted)) as usize).sum()
    }
}

/// Waveforms have one form, without a binary marker: a RIFF/WAVE file.
impl Value for Wave {
    const NAME: &'static str = "wave";
    const SHARD_FIELD: Option<&'static str> = Some("wav");
    const HAS_TEXT: bool = false;

    /// A file with missing samples is a whole value, as in Kaldi: the samples that are there count. A file of another kind than
    /// RIFF/WAVE takes everything.
    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        if Form::of(window, at_end) != Form::Riff {
            return Ok(if at_end { Frame::Whole(window.len()) } else { Frame::Partial(window.len() as u64 + 1) });
        }
        match WaveSamples::read(window) {
            Ok(samples) => Ok(samples.frame(window, at_end)),
            Err(error) if error.at_end && !at_end => Ok(Frame::Partial(window.len() as u64 + 1)),
            Err(error) if at_end => Err(coded::explain_end(error, window)),
            Err(error) => Err(error),
        }
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let start = cursor.offset();
        let moved = |mut error: ParseError| {
            error.offset += start;
            error
        };
        let bytes = cursor.rest();
        let (info, channels, remarks) = match Form::of(bytes, true) {
            Form::Flac => {
                let explained = |error| moved(coded::explain_end(error, bytes));
                let mut flac = Flac::read(bytes).map_err(explained)?;
                let channels = flac.decode(bytes).map_err(explained)?;
                cursor.advance(bytes.len());
                (flac.info, channels, flac.remarks)
            }
            Form::Coded(kind) => {
                let decoded = coded::decode(kind, bytes).map_err(moved)?;
                cursor.advance(bytes.len());
                decoded
            }
            Form::Riff | Form::NeedMoreBytes => {
                let mut riff = Riff::read(bytes).map_err(|error| moved(coded::explain_end(error, bytes)))?;
                let channels = riff.decode(bytes).map_err(moved)?;
                if let Frame::Whole(length) = riff.samples.frame(bytes, true) {
                    cursor.advance(length);
                }
                (riff.info, channels, riff.remarks)
            }
        };
        remarks.into_iter().for_each(|remark| cursor.warn_at(moved(remark)));
        Ok(Self { sample_rate: info.sample_rate(), channels })
    }

    /// Appends the file as Kaldi does: 16-bit PCM, fractions dropped, clipped.
    fn write(&self, out: &mut Vec<u8>, _: Format) {
        let num_channels = self.num_channels();
        let num_bytes = 2 * (num_channels as u64) * (self.num_samples() as u64);
        let (riff_size, data_size) = sizes(num_bytes);
        out.reserve(HEADER + num_bytes as usize);
        out.extend_from_slice(b"RIFF");
        out.extend_from_slice(&riff_size.to_le_bytes());
        out.extend_from_slice(b"WAVEfmt \x10\0\0\0\x01\0");
        out.extend_from_slice(&(num_channels as u16).to_le_bytes());
        let sample_rate = self.sample_rate as u32;
        out.extend_from_slice(&sample_rate.to_le_bytes());
        out.extend_from_slice(&sample_rate.wrapping_mul(2 * num_channels as u32).to_le_bytes());
        out.extend_from_slice(&(2 * num_channels as u16).to_le_bytes());
        out.extend_from_slice(b"\x10\0data");
        out.extend_from_slice(&data_size.to_le_bytes());
        let start = out.len();
        out.resize(start + num_bytes as usize, 0);
        let places = out[start..].as_chunks_mut::<2>().0;
        match self.channels.as_slice() {
            [samples] => dispatch(Store { samples, places }),
            channels => {
                for (index, channel) in channels.iter().enumerate() {
                    for (place, &sample) in places.iter_mut().skip(index).step_by(num_channels).zip(channel) {
                        *place = to_whole(sample).to_le_bytes();
                    }
                }
            }
        }
    }

    fn is_canonical_binary(bytes: &[u8]) -> bool {
        Self::is_canonical_head(bytes, bytes.len() as u64)
    }

    fn is_canonical_head(head: &[u8], length: u64) -> bool {
        let Ok(riff) = Riff::read(head) else { return false };
        let WaveSamples { start, num_bytes: Some(num_bytes), claimed, big_endian } = riff.samples else { return false };
        start == HEADER as u64
            && head.starts_with(b"RIFF")
            && !big_endian
            && head.get(12..22) == Some(b"fmt \x10\0\0\0\x01\0")
            && riff.encoding == Encoding::Signed16
            && num_bytes % riff.frame_size() as u64 == 0
            && [claimed, start + num_bytes] == [length; 2]
    }

    /// If the name says that this is a wave file, it has to be one, as in Kaldi.
    fn check_name(head: &[u8], name: &str) -> Result<(), ParseError> {
        let extension = name.len().checked_sub(4).and_then(|start| name.get(start..)).unwrap_or_default();
        if is_flac(head) && extension.eq_ignore_ascii_case(".wav") {
            let message = "expected RIFF or RIFX, got fLaC: this is a FLAC file, whose name should end in .flac";
            return Err(ParseError::new(0, message));
        }
        Ok(())
    }

    fn loss(&self) -> Option<String> {
        // One pass, in most cases. A sample that is no number is not inside of any range.
        if self.count(|sample| !((sample < ABOVE) & (sample > BELOW))) == 0 {
            return None;
        }
        let total = self.num_channels() * self.num_samples();
        let clipped = match self.num_clipped() {
            0 => None,
            count => Some(format!("clipped {count} samples out of total {total}. Reduce volume?")),
        };
        let undefined = match self.count(f32::is_nan) {
            0 => None,
            count => Some(format!("{count} samples out of total {total} are no numbers, and are written as 0")),
        };
        let losses: Vec<_> = clipped.into_iter().chain(undefined).collect();
        (!losses.is_empty()).then(|| losses.join(" "))
    }
}

/// The sizes of the file and of its samples in the header. If 32 bits cannot hold them, they are those of a file that
/// goes on to the end of the stream.
fn sizes(num_bytes: u64) -> (u32, u32) {
    let size = |bytes: u64| u32::try_from(bytes).ok().filter(|&size| size < u32::MAX);
    match (size(num_bytes + HEADER as u64 - 8), size(num_bytes)) {
        (Some(riff_size), Some(data_size)) => (riff_size, data_size),
        _ => (u32::MAX, u32::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &[u8] =
        b"RIFF\x2c\0\0\0WAVEfmt \x10\0\0\0\x01\0\x02\0\x40\x1f\0\0\0\x7d\0\0\x04\0\x10\0data\x08\0\0\0\x01\0\xff\xff\xff\x7f\0\x80";

    fn read(bytes: &[u8]) -> Result<Wave, ParseError> {
        Wave::read(&mut Cursor::new(bytes))
    }

    fn stereo() -> Wave {
        Wave::new(8000.0, vec![vec![1.0, 32767.0], vec![-1.0, -32768.0]])
    }

    #[test]
    fn rounding_counts_what_is_clipped() {
        let largest = [32_767.25, 32_767.5, 32_768.0, f32::INFINITY, -32_768.25, -32_768.5, f32::MIN, f32::NAN];
        let mut wave = Wave::new(8000.0, vec![vec![-0.5, 0.5, 1.5, -2.5, 0.49999997], largest[..5].to_vec()]);
        assert_eq!(wave.round(), 3);
        assert_eq!(wave.channel(0), [-1.0, 1.0, 2.0, -3.0, 0.0]);
        assert_eq!(wave.channel(1), [32_767.0, 32_767.0, 32_767.0, 32_767.0, -32_768.0]);
        let mut wave = Wave::new(8000.0, vec![largest[5..].to_vec()]);
        assert_eq!((wave.loss().unwrap(), wave.round()), ("clipped 1 samples out of total 3. Reduce volume? 1 samples out of total 3 are no numbers, and are written as 0".to_owned(), 2));
        assert_eq!(wave.channel(0)[..2], [-32_768.0; 2]);
        assert!(wave.channel(0)[2].is_nan() && wave.loss().is_some());
    }

    #[test]
    fn samples_are_interleaved_integers() {
        let wave = read(FILE).unwrap();
        assert_eq!(wave, stereo());
        assert_eq!((wave.sample_rate(), wave.num_channels(), wave.num_samples()), (8000.0, 2, 2));
        assert_eq!((wave.channel(1), wave.duration()), ([-1.0, -32768.0].as_slice(), 0.00025));
        assert_eq!(wave.to_bytes(Format::Binary), FILE);
        assert!(Wave::is_canonical_binary(FILE));
    }

    #[test]
    fn fractions_are_cut_off_and_what_is_too_large_is_clipped() {
        let samples = vec![0.99, -0.99, 32767.9, 32768.0, -32768.9, -32769.0, 1e30, -1e30, f32::INFINITY, f32::NAN];
        let wave = Wave::new(16000.0, vec![samples]);
        assert_eq!(wave.num_clipped(), 5);
        let loss = "clipped 5 samples out of total 10. Reduce volume? 1 samples out of total 10 are no numbers, and are \
                    written as 0";
        assert_eq!(wave.loss().as_deref(), Some(loss));
        let again = read(&wave.to_bytes(Format::Binary)).unwrap();
        let (most, least) = (32767.0, -32768.0);
        assert_eq!(again.channel(0), [0.0, 0.0, most, most, least, least, most, least, most, 0.0]);
        assert_eq!((again.num_clipped(), again.loss()), (0, None));
    }

    #[test]
    fn the_end_is_told_from_the_header() {
        let followed = [FILE, b"utt2 RIFF"].concat();
        let mut cursor = Cursor::new(&followed);
        Wave::read(&mut cursor).unwrap();
        assert_eq!(cursor.rest(), b"utt2 RIFF");
        assert_eq!(Wave::frame(&followed, false), Ok(Frame::Whole(52)));
        for cut in 0..44 {
            assert_eq!(Wave::frame(&FILE[..cut], false), Ok(Frame::Partial(cut as u64 + 1)));
            assert!(Wave::frame(&FILE[..cut], true).unwrap_err().at_end, "{cut}");
            assert!(read(&FILE[..cut]).unwrap_err().at_end, "{cut}");
        }
        for cut in 44..52 {
            assert_eq!(Wave::frame(&FILE[..cut], false), Ok(Frame::Beyond(52)));
            assert_eq!(Wave::frame(&FILE[..cut], true), Ok(Frame::Whole(cut)));
        }
    }

    #[test]
    fn what_is_there_of_a_cut_file_counts() {
        for (cut, num_samples) in [(48, 1), (51, 1)] {
            let mut cursor = Cursor::new(&FILE[..cut]);
            assert_eq!(Wave::read(&mut cursor).unwrap().num_samples(), num_samples);
            let message = format!("Truncated file? Expected 8 bytes of samples, got {}", cut - 44);
            assert_eq!(cursor.take_warnings(), [ParseError::new(44, message)]);
        }
        for cut in 44..48 {
            let error = read(&FILE[..cut]).unwrap_err();
            let message = format!("empty file (no data): expected samples of 4 bytes, got {} bytes", cut - 44);
            assert_eq!((error.offset, error.message.as_ref()), (44, message.as_str()));
        }
    }

    #[test]
    fn a_file_of_unknown_length_goes_on_to_the_end() {
        let mut bytes = [FILE, b"\x05\0\x06\0more"].concat();
        bytes[40..44].fill(0xff);
        assert_eq!(Wave::frame(&bytes, false), Ok(Frame::Partial(61)));
        assert_eq!(Wave::frame(&bytes, true), Ok(Frame::Whole(60)));
        let mut cursor = Cursor::new(&bytes);
        assert_eq!(Wave::read(&mut cursor).unwrap().num_samples(), 4);
        assert_eq!(cursor.rest(), b"");
    }

    #[test]
    fn faults_and_remarks_are_told_from_the_cursors_start() {
        let place = |bytes: &[u8]| {
            let mut cursor = Cursor::new(bytes);
            cursor.advance(3);
            Wave::read(&mut cursor).map(|_| cursor.take_warnings()[0].offset).map_err(|error| error.offset)
        };
        assert_eq!(place(&[b"abc", &FILE[..50]].concat()), Ok(47));
        assert_eq!(place(&[b"abc", &FILE[..46]].concat()), Err(47));
        assert_eq!(place(b"abcRIFX1234AVI "), Err(11));
    }

    #[test]
    fn samples_are_rounded_to_the_nearest_that_16_bits_hold() {
        let samples = vec![0.4, 0.5, -0.5, -1.6, 32767.4, 32767.5, -32768.4, -32768.6, 1e9, f32::NAN];
        let mut wave = Wave::new(8000.0, vec![samples]);
        assert_eq!(wave.round(), 3);
        assert_eq!(wave.channel(0)[..9], [0.0, 1.0, -1.0, -2.0, 32767.0, 32767.0, -32768.0, -32768.0, 32767.0]);
        assert!(wave.channel(0)[9].is_nan());
    }

    #[test]
    fn only_a_file_as_it_would_be_written_is_canonical() {
        let with = |at: usize, byte: u8| {
            let mut bytes = FILE.to_vec();
            bytes[at] = byte;
            bytes
        };
        for at in [3, 4, 16, 20, 22, 32, 34, 40] {
            assert!(!Wave::is_canonical_binary(&with(at, b'X')), "{at}");
        }
        assert!(Wave::is_canonical_binary(&with(51, 7)));
        assert!(!Wave::is_canonical_binary(&FILE[..51]));
        assert!(!Wave::is_canonical_binary(&[FILE, b"x"].concat()));
        assert!(!Wave::is_canonical_binary(&with(40, 0)));
        assert!(Wave::is_canonical_head(&FILE[..44], 52));
        assert!(!Wave::is_canonical_head(&FILE[..44], 51));
        assert!(!Wave::is_canonical_head(&FILE[..40], 52));
    }

    #[test]
    fn sizes_beyond_32_bits_mean_the_end_of_the_stream() {
        assert_eq!(sizes(8), (44, 8));
        assert_eq!(sizes(u64::from(u32::MAX) - 37), (u32::MAX - 1, u32::MAX - 37));
        assert_eq!(sizes(u64::from(u32::MAX) - 36), (u32::MAX, u32::MAX));
        assert_eq!(sizes(1 << 33), (u32::MAX, u32::MAX));
    }

    #[test]
    fn what_is_written_is_read() {
        for (num_channels, num_samples) in [(1, 1), (1, 4000), (2, 999), (3, 7), (300, 2)] {
            let sample = |at: usize| f32::from((at * 7919 % 65536) as u16 as i16);
            let channels = (0..num_channels).map(|c| (0..num_samples).map(|t| sample(c * 131 + t)).collect()).collect();
            let wave = Wave::new(22050.0, channels);
            let bytes = wave.to_bytes(Format::Binary);
            assert!(Wave::is_canonical_binary(&bytes));
            assert_eq!(read(&bytes), Ok(wave));
        }
    }
}
