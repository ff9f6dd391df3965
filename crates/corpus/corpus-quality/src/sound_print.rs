//! Codes of sound that stay nearly the same when it is made louder, coded, resampled, cut, or mixed with noise.
//!
//! They are those of Haitsma and Kalker, "A highly robust audio fingerprinting system" (ISMIR 2002): for each window, a bit for each
//! of 32 frequencies says whether the difference in energy between the bands below and above it has grown since the window before.

use std::f64::consts::TAU;
use std::sync::LazyLock;

use kaldi_wave::RateConverter;
use rustfft::algorithm::Radix4;
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftDirection};

use crate::SoundMeasures;
use crate::sound::{average, fingerprint};

/// All sound is brought to this rate, so that windows start at the same times.
const RATE: u32 = 8000;

/// Samples of a window: 0.256 s.
const WINDOW: usize = 2048;

/// Samples from one window to the next: 16 ms.
const SHIFT: usize = 128;

/// Bands, evenly spaced in logarithms from the lowest to the highest of these frequencies in Hz.
const BANDS: usize = 33;
const LOWEST: f64 = 300.0;
const HIGHEST: f64 = 3000.0;

/// Sound that is shorter, in seconds, says too little.
const SHORTEST: f64 = 1.2;

/// A window with less energy in all bands together is silent: noise of a thousandth of the square of a 16-bit step has it.
const SILENT: f32 = 500.0;

/// Windows whose AC energy is below this fraction of their DC energy count as silent: what is there may be rounding.
const ROUNDING: f32 = 1e-9;

/// Where the energy is this part of that of the loudest windows, sound is loud.
const LOUD: f32 = 0.01;

/// As many windows are quieter than the loudest ones.
const LOUDEST: f64 = 0.95;

/// Samples that are resampled at a time.
const PIECE: usize = 1 << 16;

/// What sound is recognized by: exactly, and after small changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SoundPrint {
    pub(crate) exact: Option<u64>,
    pub(crate) codes: Box<[u32]>,
    /// A bit for each code: whether the sound is loud there.
    loud: Box<[u64]>,
}

impl SoundPrint {
    /// Seconds from one code to the next.
    pub const SHIFT: f64 = SHIFT as f64 / RATE as f64;

    /// Of `channels` of one length, at the 16-bit scale; `rate` is in Hz. The average of the channels has the codes.
    ///
    /// # Panics
    /// If the channels differ in length.
    pub fn of(rate: f64, channels: &[&[f32]]) -> Self {
        Self::new(
            (channels.first().map_or(0, |channel| channel.len()) > 0).then(|| fingerprint(rate, channels)),
            rate,
            channels,
        )
    }

    /// The same, of sound that was measured.
    ///
    /// # Panics
    /// If the channels differ in length.
    pub fn of_measured(measures: &SoundMeasures, channels: &[&[f32]]) -> Self {
        Self::new((measures.duration > 0.0).then_some(measures.fingerprint), measures.rate, channels)
    }

    fn new(exact: Option<u64>, rate: f64, channels: &[&[f32]]) -> Self {
        let num_samples = channels.first().map_or(0, |channel| channel.len());
        assert!(channels.iter().all(|channel| channel.len() == num_samples), "channels of one length");
        let is_long = num_samples as f64 / rate >= SHORTEST;
        let coder = is_long.then(|| Coder::of(rate.round() as u32, &average(channels))).flatten();
        let (codes, loud) = coder.map_or_else(Default::default, Coder::finish);
        Self { exact, codes: codes.into(), loud: loud.into() }
    }

    /// Leaves only what tells exact copies.
    pub(crate) fn without_codes(self) -> Self {
        Self { exact: self.exact, ..Self::default() }
    }

    /// Whether the sound of a code is loud: at most 20 dB below the loudest parts of the whole.
    pub(crate) fn is_loud(&self, code: usize) -> bool {
        self.loud[code / 64] >> (code % 64) & 1 == 1
    }

    /// The codes, one every 16 ms; 0 where there is no sound. None if the sound is shorter than 1.2 s.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }
}

/// What all windows need.
struct Plan {
    window: Vec<f32>,
    transform: Radix4<f32>,
    /// The first bin of each band, and the end of the last one.
    edges: [usize; BANDS + 1],
}

static PLAN: LazyLock<Plan> = LazyLock::new(|| {
    let bin = |band: usize| {
        let hertz = LOWEST * (HIGHEST / LOWEST).powf(band as f64 / BANDS as f64);
        (hertz * WINDOW as f64 / f64::from(RATE)).ceil() as usize
    };
    let hann = |at: usize| (0.5 - 0.5 * (TAU * at as f64 / WINDOW as f64).cos()) as f32;
    Plan {
        window: (0..WINDOW).map(hann).collect(),
        transform: Radix4::new(WINDOW, FftDirection::Forward),
        edges: std::array::from_fn(bin),
    }
});

/// The energies of the bands of a window.
type Energies = [f32; BANDS];

/// Computes codes of samples that come in pieces.
struct Coder {
    plan: &'static Plan,
    /// Samples of windows that are not complete.
    recent: Vec<f32>,
    buffer: Vec<Complex<f32>>,
    scratch: Vec<Complex<f32>>,
    before: Option<Energies>,
    codes: Vec<u32>,
    /// The energy of all bands together where each code is.
    energies: Vec<f32>,
}

impl Default for Coder {
    fn default() -> Self {
        let plan = &*PLAN;
        Self {
            recent: Vec::new(),
            buffer: vec![Complex::default(); WINDOW],
            scratch: vec![Complex::default(); plan.transform.get_inplace_scratch_len()],
            before: None,
            codes: Vec::new(),
            energies: Vec::new(),
            plan,
        }
    }
}

impl Coder {
    /// Takes all samples; `None` if they cannot be brought to [`RATE`].
    fn of(rate: u32, samples: &[f32]) -> Option<Self> {
        let mut coder = Self::default();
        if rate == RATE {
            samples.chunks(PIECE).for_each(|piece| coder.add(piece));
        } else {
            let mut converter = RateConverter::usual(rate, RATE).ok()?;
            samples.chunks(PIECE).for_each(|piece| coder.add(&converter.accept(piece)));
            coder.add(&converter.finish());
        }
        if coder.recent.len() >= WINDOW {
            let last = std::mem::take(&mut coder.recent);
            coder.add_windows(&last[..WINDOW], None);
        }
        Some(coder)
    }

    fn add(&mut self, samples: &[f32]) {
        self.recent.extend_from_slice(samples);
        let recent = std::mem::take(&mut self.recent);
        let mut start = 0;
        while recent.len() >= start + WINDOW + SHIFT {
            self.add_windows(&recent[start..start + WINDOW], Some(&recent[start + SHIFT..start + SHIFT + WINDOW]));
            start += 2 * SHIFT;
        }
        self.recent = recent;
        self.recent.drain(..start);
    }

    /// The codes, and a bit for each that says if the sound is loud there.
    fn finish(self) -> (Vec<u32>, Vec<u64>) {
        let mut sorted = self.energies.clone();
        let place = (LOUDEST * sorted.len().saturating_sub(1) as f64) as usize;
        let limit = match sorted.is_empty() {
            true => 0.0,
            false => LOUD * *sorted.select_nth_unstable_by(place, f32::total_cmp).1,
        };
        let bits = |energies: &[f32]| {
            energies.iter().rev().fold(0, |bits, &energy| bits << 1 | u64::from(energy > 0.0 && energy >= limit))
        };
        (self.codes, self.energies.chunks(64).map(bits).collect())
    }

    /// Takes two windows in one transform: one is its real part, the other one its imaginary part.
    fn add_windows(&mut self, first: &[f32], second: Option<&[f32]>) {
        let window = &self.plan.window;
        for (at, to) in self.buffer.iter_mut().enumerate() {
            let second = second.map_or(0.0, |second| second[at]);
            *to = Complex::new(first[at] * window[at], second * window[at]);
        }
        self.plan.transform.process_with_scratch(&mut self.buffer, &mut self.scratch);
        let (mut of_first, mut of_second) = ([0.0; BANDS], [0.0; BANDS]);
        for (band, edges) in self.plan.edges.windows(2).enumerate() {
            for bin in edges[0]..edges[1] {
                let (this, mirrored) = (self.buffer[bin], self.buffer[WINDOW - bin]);
                of_first[band] += ((this.re + mirrored.re).powi(2) + (this.im - mirrored.im).powi(2)) / 4.0;
                of_second[band] += ((this.im + mirrored.im).powi(2) + (this.re - mirrored.re).powi(2)) / 4.0;
            }
        }
        self.add_energies(of_first, self.buffer[0].re);
        if second.is_some() {
            self.add_energies(of_second, self.buffer[0].im);
        }
    }

    /// Takes the energies of the next window, and the sum of its samples.
    fn add_energies(&mut self, mut energies: Energies, sum: f32) {
        let mut energy = energies.iter().sum::<f32>();
        if energy < SILENT.max(ROUNDING * sum * sum) {
            (energies, energy) = ([0.0; BANDS], 0.0);
        }
        if let Some(before) = self.before.replace(energies) {
            let growth: Energies = std::array::from_fn(|band| energies[band] - before[band]);
            let bits = growth.windows(2).map(|pair| u32::from(pair[0] > pair[1]));
            self.codes.push(bits.fold(0, |code, bit| code << 1 | bit));
            self.energies.push(energy);
        }
    }
}
