//! Utterances that go through a chain.

use std::collections::BTreeMap;
use std::fmt;

use bstr::BString;
use kaldi_matrix::Matrix;
use kaldi_reader::Draws;

/// An utterance: its text, its labels, and sound or features. These are read and processed only when they are [asked
/// for](Sample::load).
///
/// Until then a sample knows its [shape](Sample::shape) and the work to do. Stages that choose, order and group samples
/// need no more. So they are cheap, and skipped samples are not decoded.
///
/// ```
/// use kaldi_feed::{Data, Sample, SampleShape, Sound};
///
/// let shape = SampleShape::Sound { rate: 16_000, num_samples: 4, num_channels: 1 };
/// let sound = || Ok(Data::Sound(Sound { rate: 16_000, channels: vec![vec![1.0, 2.0, 3.0, 4.0]] }));
/// let mut sample = Sample::new("utt1", [0, 0], shape, sound);
/// let half = SampleShape::Sound { rate: 8_000, num_samples: 2, num_channels: 1 };
/// sample.map_sound(half, |sound| {
///     let channels = sound.channels.iter().map(|channel| channel.iter().copied().step_by(2).collect()).collect();
///     Ok(Data::Sound(Sound { rate: 8_000, channels }))
/// });
/// assert_eq!(sample.frames_of_10_ms(), 0.025);
/// sample.load()?;
/// assert!(matches!(sample.data(), Data::Sound(sound) if sound.channels == [[1.0, 3.0]]));
/// # Ok::<(), String>(())
/// ```
pub struct Sample {
    /// The key.
    pub key: BString,
    /// The transcript.
    pub text: Option<String>,
    /// The numbers of the symbols of the transcript.
    pub labels: Option<Vec<i32>>,
    /// The number of the speaker.
    pub speaker: Option<i32>,
    /// Other fields, as they are in the list or shard.
    pub fields: BTreeMap<BString, Vec<u8>>,
    shape: SampleShape,
    seconds: f64,
    held: usize,
    seeds: [u64; 2],
    data: Data,
    work: Vec<Work>,
}

type Work = Box<dyn FnOnce(Data) -> Result<Data, String> + Send>;

/// The data of a sample.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Not loaded yet.
    Pending,
    /// Sound.
    Sound(Sound),
    /// Features, `num_frames × dim`.
    Feats(Matrix<f32>),
}

/// Samples at the 16-bit scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Sound {
    /// The sample rate in Hz.
    pub rate: u32,
    /// The samples of each channel. There is at least one, and all have the same length.
    pub channels: Vec<Vec<f32>>,
}

/// The size of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleShape {
    /// Sound.
    Sound {
        /// The sample rate in Hz.
        rate: u32,
        /// Samples of each channel.
        num_samples: u64,
        /// Channels.
        num_channels: usize,
    },
    /// Features.
    Feats {
        /// Rows.
        num_frames: usize,
        /// Columns.
        dim: usize,
    },
}

impl fmt::Display for SampleShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sound { rate, num_samples, num_channels } => {
                write!(f, "{num_samples} samples at {rate} Hz in {num_channels} channels")
            }
            Self::Feats { num_frames, dim } => write!(f, "features of {num_frames} by {dim}"),
        }
    }
}

/// Why a stage does not pass a sample on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is dropped for this reason.
    Dropped(&'static str),
    /// Something is wrong with it.
    Bad(String),
}

impl From<String> for Refusal {
    fn from(message: String) -> Self {
        Self::Bad(message)
    }
}

impl Sample {
    /// A sample of this shape that `load` loads. Its random choices depend on `seeds`: a seed and an epoch.
    pub fn new(
        key: impl Into<BString>,
        seeds: [u64; 2],
        shape: SampleShape,
        load: impl FnOnce() -> Result<Data, String> + Send + 'static,
    ) -> Self {
        let mut sample = Self {
            key: key.into(),
            text: None,
            labels: None,
            speaker: None,
            fields: BTreeMap::new(),
            shape,
            seconds: 0.0,
            held: 0,
            seeds,
            data: Data::Pending,
            work: Vec::with_capacity(4),
        };
        sample.seconds = sample.frames_of_10_ms() / 100.0;
        sample.work.push(Box::new(move |_| load().and_then(|data| shape.check(data))));
        sample
    }

    /// Sets how many bytes are in memory for the sample before it is loaded.
    pub fn holding(self, bytes: usize) -> Self {
        Self { held: bytes, ..self }
    }

    /// The shape of the data now, or after loading.
    pub fn shape(&self) -> SampleShape {
        self.shape
    }

    /// The length in frames of 10 ms, whatever the features are. For sound it follows from the rate; for features it is
    /// the number of frames.
    pub fn frames_of_10_ms(&self) -> f64 {
        match self.shape {
            SampleShape::Sound { rate, num_samples, .. } => num_samples as f64 / f64::from(rate.max(1)) * 100.0,
            SampleShape::Feats { num_frames, .. } => num_frames as f64,
        }
    }

    /// The length by which samples are sorted and put into batches: frames of features, or frames of 10 ms of sound.
    pub fn num_frames(&self) -> usize {
        match self.shape {
            SampleShape::Sound { .. } => self.frames_of_10_ms() as usize,
            SampleShape::Feats { num_frames, .. } => num_frames,
        }
    }

    /// The length in seconds with which the sample was read.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// About how many bytes it takes in memory now.
    pub fn weight(&self) -> usize {
        size_of::<Self>() + 256 + self.held + self.text.as_ref().map_or(0, String::len)
    }

    /// About how many bytes it takes once it is loaded.
    pub fn loaded_weight(&self) -> usize {
        let numbers = match self.shape {
            SampleShape::Sound { num_samples, num_channels, .. } => (num_samples as usize).saturating_mul(num_channels),
            SampleShape::Feats { num_frames, dim } => num_frames.saturating_mul(dim),
        };
        self.weight().saturating_add(numbers.saturating_mul(4))
    }

    /// Random choices for this sample. They depend only on the seed, the epoch, the key and the name of the stage.
    pub fn draws(&self, stage: &str) -> Draws {
        let stage = stage.bytes().fold(0_u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
        Draws::named(&[self.seeds[0], self.seeds[1], stage], &self.key)
    }

    /// The seed and the epoch.
    pub fn seeds(&self) -> [u64; 2] {
        self.seeds
    }

    /// Adds work that is done on sound when the sample is loaded, and sets the shape after it. Features are not
    /// changed.
    pub fn map_sound(&mut self, shape: SampleShape, work: impl FnOnce(Sound) -> Result<Data, String> + Send + 'static) {
        if let SampleShape::Sound { .. } = self.shape {
            self.then(shape, move |data| match data {
                Data::Sound(sound) => work(sound),
                other => Ok(other),
            });
        }
    }

    /// Adds work that is done on features when the sample is loaded, and sets the number of frames after it. Sound is
    /// not changed.
    pub fn map_feats(
        &mut self,
        num_frames: usize,
        work: impl FnOnce(Matrix<f32>) -> Result<Matrix<f32>, String> + Send + 'static,
    ) {
        if let SampleShape::Feats { dim, .. } = self.shape {
            self.then(SampleShape::Feats { num_frames, dim }, move |data| match data {
                Data::Feats(feats) => work(feats).map(Data::Feats),
                other => Ok(other),
            });
        }
    }

    fn then(&mut self, shape: SampleShape, work: impl FnOnce(Data) -> Result<Data, String> + Send + 'static) {
        self.shape = shape;
        self.work.push(Box::new(move |data| work(data).and_then(|data| shape.check(data))));
    }

    /// Reads sound or features and does the work.
    ///
    /// # Errors
    /// What is wrong with them. Then the sample has no data.
    pub fn load(&mut self) -> Result<(), String> {
        for work in std::mem::take(&mut self.work) {
            let data = std::mem::replace(&mut self.data, Data::Pending);
            self.data = work(data)?;
        }
        self.held = 0;
        Ok(())
    }

    /// Loads the sample, or tells what is wrong with it.
    pub(crate) fn load_or_tell(&mut self) -> crate::Result<Option<String>> {
        match self.load() {
            Ok(()) => Ok(None),
            // The other samples would fail, too.
            Err(message) if kaldi_io::was_interrupted() => Err(crate::Error::Bad { message }),
            Err(message) => Ok(Some(format!("{}: {message}", self.key))),
        }
    }

    /// The data, which the sample no longer has.
    pub(crate) fn take_data(&mut self) -> Data {
        std::mem::replace(&mut self.data, Data::Pending)
    }

    /// The data.
    pub fn data(&self) -> &Data {
        &self.data
    }

    /// The features, if the sample is loaded and has any.
    pub fn feats(&self) -> Option<&Matrix<f32>> {
        match &self.data {
            Data::Feats(feats) => Some(feats),
            _ => None,
        }
    }
}

impl SampleShape {
    /// Compares the data with the announced shape.
    pub(crate) fn check(self, data: Data) -> Result<Data, String> {
        let got = match &data {
            Data::Sound(Sound { rate, channels }) => Self::Sound {
                rate: *rate,
                num_samples: channels.first().map_or(0, Vec::len) as u64,
                num_channels: channels.len(),
            },
            // Features without frames have no columns.
            Data::Feats(feats) if feats.is_empty() => match self {
                Self::Feats { num_frames: 0, .. } => self,
                _ => Self::Feats { num_frames: 0, dim: 0 },
            },
            Data::Feats(feats) => Self::Feats { num_frames: feats.num_rows(), dim: feats.num_cols() },
            Data::Pending => self,
        };
        if got == self { Ok(data) } else { Err(format!("expected {self} by the header, got {got}")) }
    }
}

impl fmt::Debug for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sample")
            .field("key", &self.key)
            .field("text", &self.text)
            .field("labels", &self.labels)
            .field("shape", &self.shape)
            .field("work", &self.work.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: SampleShape = SampleShape::Feats { num_frames: 2, dim: 1 };

    fn sample(num_frames: usize) -> Sample {
        let feats = Matrix::from_vec(num_frames, 1, vec![1.0; num_frames]);
        Sample::new("a", [1, 2], SHAPE, move || Ok(Data::Feats(feats)))
    }

    #[test]
    fn work_waits_until_the_sample_is_loaded() {
        let mut sample = sample(2);
        sample.map_feats(1, |feats| Ok(Matrix::from_vec(1, 1, vec![feats.as_slice().iter().sum()])));
        sample.map_sound(SHAPE, |_| Err("not sound".to_owned()));
        assert_eq!((sample.num_frames(), sample.data()), (1, &Data::Pending));
        sample.load().unwrap();
        sample.load().unwrap();
        assert_eq!(sample.feats().unwrap().as_slice(), [2.0]);
        assert_eq!(sample.seconds(), 0.02);
    }

    #[test]
    fn another_shape_than_announced_is_an_error() {
        let mut sample = sample(3);
        let error = sample.load().unwrap_err();
        assert_eq!(error, "expected features of 2 by 1 by the header, got features of 3 by 1");
        assert_eq!(sample.data(), &Data::Pending);
    }

    #[test]
    fn choices_follow_from_seed_epoch_key_and_stage() {
        let bits = |key: &str, seeds, stage| {
            let sample = Sample::new(key, seeds, SHAPE, || Ok(Data::Pending));
            sample.draws(stage).bits()
        };
        let first = bits("a", [0, 0], "spec_aug");
        assert_eq!(first, bits("a", [0, 0], "spec_aug"));
        for other in [bits("b", [0, 0], "spec_aug"), bits("a", [1, 0], "spec_aug"), bits("a", [0, 1], "spec_aug")] {
            assert_ne!(first, other);
        }
        assert_ne!(first, bits("a", [0, 0], "spec_sub"));
    }
}
