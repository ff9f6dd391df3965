//! What the header of a waveform says.

/// What the header of a waveform says: all but the samples (Kaldi's `WaveInfo`).
#[derive(Clone, Debug, PartialEq)]
pub struct WaveInfo {
    pub(crate) sample_rate: u32,
    pub(crate) num_channels: u16,
    pub(crate) num_samples: Option<u64>,
    /// What is missing of the file.
    pub(crate) fault: Option<String>,
}

impl WaveInfo {
    /// The sampling frequency in Hz.
    pub fn sample_rate(&self) -> f32 {
        self.sample_rate as f32
    }

    /// The number of channels.
    pub fn num_channels(&self) -> usize {
        self.num_channels.into()
    }

    /// What is wrong with a file that can be read nevertheless, such as one that is cut, as far as headers and the size of the file
    /// show it.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// The number of samples of each channel; `None` if it was not known when the header was written. Of a file that is cut, a
    /// RIFF/WAVE file has the number that its header says, as in Kaldi, and other files have that of the samples that are there.
    pub fn num_samples(&self) -> Option<u64> {
        self.num_samples
    }

    /// The duration in seconds; `None` if it was not known when the header was written.
    pub fn duration(&self) -> Option<f64> {
        self.num_samples.map(|num_samples| num_samples as f64 / f64::from(self.sample_rate))
    }
}
