//! Pitch tracking of one signal, which may come in pieces.

#[cfg(target_arch = "x86_64")]
use kaldi_simd::WideLanes;
use kaldi_simd::{Kernel, Lanes, MAX_WIDTH, Simd, WIDTH, dispatch};
use kaldi_wave::RateConverter;

use super::correlation::Correlator;
use super::plan::Plan;
use super::viterbi::{Forward, Origins};
use crate::{Error, Result};

/// A frame whose best way back is not known yet.
const UNKNOWN: u16 = u16::MAX;

/// Tracks the pitch of one signal that may come in pieces (Kaldi's `OnlinePitchFeature`).
///A frame is available when its samples are. Its pitch may change with later frames, until the signal has ended. Made
///by [`PitchExtractor::tracker`](super::PitchExtractor::tracker).
#[derive(Clone, Debug)]
pub struct PitchTracker<'a> {
    plan: &'a Plan,
    converter: RateConverter,
    /// The number of samples so far, before the conversion.
    num_accepted: usize,
    correlator: Correlator,
    /// The samples of the converted signal from `signal_begin` on.
    signal: Vec<f32>,
    signal_begin: usize,
    /// Sums of all samples so far, including this piece.
    all: Sums,
    has_ended: bool,
    /// Normalized correlations without ballast at the measured lags, frame after frame.
    correlations: Vec<f32>,
    origins: Origins,
    forward: Forward,
    /// What a second pass over the first frames needs.
    first: Vec<FirstFrame>,
    /// The lag of each frame on the best way back from the last one.
    path: Vec<u16>,
    /// The number of last frames that may still change.
    latency: usize,
    /// Memory for a frame, its correlations with ballast, and the costs of its lags.
    frame: Vec<f32>,
    ballasted: Vec<f32>,
    costs: Vec<f32>,
}

/// Sums over the samples of a signal, in double precision.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: usize,
    sum: f64,
    squares: f64,
}

/// One of the first frames, which the tracker corrects when their energy is known.
#[derive(Clone, Debug)]
struct FirstFrame {
    /// Normalized correlations with ballast at the measured lags.
    correlations: Vec<f32>,
    /// The mean product of energies.
    norm: f32,
    /// The mean square from which the ballast was computed.
    mean_square: f32,
}

impl Sums {
    fn add(&mut self, samples: &[f32]) {
        self.count += samples.len();
        let (chunks, rest) = samples.as_chunks::<WIDTH>();
        let (mut sums, mut squares) = ([0.0; WIDTH], [0.0; WIDTH]);
        for chunk in chunks {
            for lane in 0..WIDTH {
                let sample = f64::from(chunk[lane]);
                sums[lane] += sample;
                squares[lane] += sample * sample;
            }
        }
        let rest = rest.iter().copied().map(f64::from);
        self.sum += sums.iter().sum::<f64>() + rest.clone().sum::<f64>();
        self.squares += squares.iter().sum::<f64>() + rest.map(|sample| sample * sample).sum::<f64>();
    }

    /// The mean square of the samples minus their mean.
    fn mean_square(&self) -> f64 {
        let (mean, count) = (self.sum / self.count as f64, self.count as f64);
        self.squares / count - mean * mean
    }
}

/// A step of the tracker to the next frame.
struct Step<'t, 'a> {
    tracker: &'t mut PitchTracker<'a>,
    ballast: f32,
}

impl Kernel for Step<'_, '_> {
    type Output = f32;

    #[cfg(target_arch = "x86_64")]
    const WANTS_AVX512: bool = true;

    #[inline(always)]
    fn compute(self) -> f32 {
        self.tracker.track_frame(Lanes::ZERO, self.ballast)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn compute_with_avx512(self, zero: WideLanes) -> f32 {
        self.tracker.track_frame(zero, self.ballast)
    }
}

impl<'a> PitchTracker<'a> {
    pub(super) fn new(plan: &'a Plan) -> Self {
        let lags = &plan.lags;
        Self {
            plan,
            converter: plan.converter.clone(),
            num_accepted: 0,
            correlator: Correlator::new(plan.window, lags.measured()),
            signal: Vec::new(),
            signal_begin: 0,
            all: Sums::default(),
            has_ended: false,
            correlations: Vec::new(),
            origins: Origins::new(),
            forward: plan.transitions.start(),
            first: Vec::new(),
            path: Vec::new(),
            latency: 0,
            frame: vec![0.0; plan.frame_length()],
            ballasted: Vec::new(),
            costs: vec![0.0; lags.len().next_multiple_of(MAX_WIDTH) + WIDTH],
        }
    }

    /// Takes the next piece of the signal, scaled like 16-bit samples, at `--sample-frequency`.
    ///
    /// # Errors
    /// If samples are not finite or too large, or a frame starts before the samples that are kept of earlier pieces.
    /// The latter happens without `--snip-edges` if these are short.
    pub fn accept(&mut self, samples: &[f32]) -> Result<()> {
        // The loop has no early end, which would slow it down.
        if !samples.iter().fold(true, |finite, sample| finite & sample.is_finite()) {
            let at = samples.iter().position(|sample| !sample.is_finite()).unwrap_or_default();
            return Err(Error::Sample { sample: self.num_accepted + at, got: samples[at] });
        }
        self.num_accepted += samples.len();
        let piece = self.converter.accept(samples);
        self.process(&piece)
    }

    /// Ends the signal: the last frames become available, and no frame changes any more.
    ///
    /// # Errors
    /// As [`PitchTracker::accept`]. Without `--snip-edges` also if the signal is longer than a window, but too short
    /// for a frame with all its lags: Kaldi has dropped the samples by then.
    pub fn finish(&mut self) -> Result<()> {
        self.has_ended = true;
        let piece = self.converter.finish();
        self.process(&piece)?;
        let options = &self.plan.options;
        let few = self.origins.len() < options.recompute_frame;
        if few && !options.nccf_ballast_online {
            self.go_over_first_frames();
        }
        self.latency = 0;
        Ok(())
    }

    /// The number of available frames: all but those that may wait for `--max-frames-latency`.
    pub fn num_frames_ready(&self) -> usize {
        self.path.len() - self.latency
    }

    #[cfg(test)]
    pub(super) fn path_len(&self) -> usize {
        self.path.len()
    }

    /// Whether the signal has ended.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The normalized cross-correlation and the pitch in Hz of a frame, as known so far.
    ///
    /// # Panics
    /// If the frame is not available yet.
    pub fn frame(&self, frame: usize) -> [f32; 2] {
        let (lags, lag) = (&self.plan.lags, usize::from(self.path[frame]));
        let correlations = &self.correlations[frame * lags.num_measured()..][..lags.num_measured()];
        [lags.value(correlations, lag), lags.pitch(lag)]
    }

    /// Processes the next piece of the converted signal.
    fn process(&mut self, piece: &[f32]) -> Result<()> {
        let options = &self.plan.options;
        let first_frame = self.origins.len();
        let piece_begin = self.all.count;
        let before = self.all;
        self.all.add(piece);
        let mut known = if options.nccf_ballast_online { before } else { self.all };
        let end_frame = self.plan.num_frames(piece_begin + piece.len(), self.has_ended);
        self.signal.extend_from_slice(piece);
        if end_frame <= first_frame {
            self.forget_before(first_frame);
            return Ok(());
        }
        let num_first = options.recompute_frame;
        self.correlations.reserve((end_frame - first_frame) * self.plan.lags.num_measured());
        let mut piece_known = 0;
        for frame in first_frame..end_frame {
            let end = self.extract(frame, piece_begin)?;
            if options.nccf_ballast_online {
                known.add(&piece[piece_known..end - piece_begin]);
                piece_known = end - piece_begin;
            }
            self.track(frame, known.mean_square(), frame < num_first)?;
            if frame + 1 == num_first && !options.nccf_ballast_online {
                self.go_over_first_frames();
            }
        }
        self.forget_before(first_frame);
        self.trace_back();
        Ok(())
    }

    /// Copies the samples of a frame to its memory, and returns where the available ones end.
    fn extract(&mut self, frame: usize, piece_begin: usize) -> Result<usize> {
        let begin = self.plan.frame_begin(frame);
        let length = self.frame.len();
        let signal_end = self.signal_begin + self.signal.len();
        let end = usize::try_from(begin + length as i64).map_or(0, |end| end.min(signal_end));
        let from = usize::try_from(begin).unwrap_or(0);
        // The samples that Kaldi still has.
        if from < self.signal_begin || end <= from.max(piece_begin) {
            return Err(Error::PitchFrame { frame });
        }
        let (ahead, samples) = (from as i64 - begin, &self.signal[from - self.signal_begin..end - self.signal_begin]);
        let inside = ahead as usize..ahead as usize + samples.len();
        self.frame[..inside.start].fill(0.0);
        self.frame[inside.end..].fill(0.0);
        let inside = &mut self.frame[inside];
        inside.copy_from_slice(samples);
        let coefficient = self.plan.options.preemphasis_coefficient;
        if coefficient != 0.0 {
            for at in (1..inside.len()).rev() {
                inside[at] -= coefficient * inside[at - 1];
            }
            inside[0] *= 1.0 - coefficient;
        }
        Ok(end)
    }

    /// Continues the tracking with the frame that was extracted.
    fn track(&mut self, frame: usize, mean_square: f64, is_first: bool) -> Result<()> {
        let ballast = self.plan.ballast(mean_square);
        let norm = dispatch(Step { tracker: self, ballast });
        if !(norm.is_finite() && ballast.is_finite()) {
            let (what, expected) = ("the energy of the samples", "finite and not too large");
            return Err(Error::Value { what, expected, got: if norm.is_finite() { ballast } else { norm }, frame });
        }
        if is_first {
            let correlations = self.ballasted.clone();
            self.first.push(FirstFrame { correlations, norm, mean_square: mean_square as f32 });
        }
        Ok(())
    }

    /// Continues the tracking with the frame that was extracted, and returns its mean product of energies.
    #[inline(always)]
    fn track_frame<V: Simd>(&mut self, zero: V, ballast: f32) -> f32 {
        let plan = self.plan;
        self.correlator.measure(zero, &self.frame);
        let norm = self.correlator.mean_norm();
        if norm.is_finite() && ballast.is_finite() {
            self.correlator.append(0.0, &mut self.correlations);
            self.ballasted.clear();
            self.correlator.append(ballast, &mut self.ballasted);
            plan.lags.costs(zero, &self.ballasted, 1.0, &mut self.costs);
            self.origins.advance(zero, &plan.transitions, &mut self.forward, &self.costs);
        }
        norm
    }

    /// Corrects the first frames if the energy of the signal differs from the one that was assumed: their correlations
    /// are scaled to approximately what they would have been.
    fn go_over_first_frames(&mut self) {
        let first = std::mem::take(&mut self.first);
        let plan = self.plan;
        let mean_square = self.all.mean_square() as f32;
        if first.iter().all(|frame| about_equal(frame.mean_square, mean_square)) {
            return;
        }
        let ballast = plan.ballast(mean_square.into());
        self.forward = plan.transitions.start();
        self.origins = Origins::new();
        for frame in &first {
            let before = plan.ballast(frame.mean_square.into());
            let ratio = f64::from(before + frame.norm) / f64::from(ballast + frame.norm);
            // Without energy and ballast there is no correlation to scale.
            let scale = if ratio.is_finite() { ratio.sqrt() as f32 } else { 1.0 };
            plan.lags.costs(Lanes::ZERO, &frame.correlations, scale, &mut self.costs);
            self.origins.advance(Lanes::ZERO, &plan.transitions, &mut self.forward, &self.costs);
        }
        self.path.fill(UNKNOWN);
        self.trace_back();
    }

    /// Follows the best way back from the last frame, as far as it differs from the previous one.
    fn trace_back(&mut self) {
        let num_frames = self.origins.len();
        self.path.resize(num_frames, UNKNOWN);
        let mut state = self.forward.best();
        for frame in (0..num_frames).rev() {
            if usize::from(self.path[frame]) == state {
                break;
            }
            self.path[frame] = state as u16;
            state = self.origins.of(frame, state);
        }
        self.latency = self.count_unsettled();
    }

    /// How many frames back the ways to the outermost states, and so all ways, meet, up to the allowed latency.
    fn count_unsettled(&self) -> usize {
        let limit = self.plan.options.max_frames_latency.min(self.origins.len());
        let (mut low, mut high) = (0, self.plan.lags.len() - 1);
        for latency in 0..limit {
            let frame = self.origins.len() - 1 - latency;
            (low, high) = (self.origins.of(frame, low), self.origins.of(frame, high));
            if low == high {
                return latency;
            }
        }
        limit
    }

    /// Drops samples that are not needed for the frame `frame` and later ones; this frame counts as the first one of a
    /// piece.
    fn forget_before(&mut self, frame: usize) {
        let begin = (frame * self.plan.shift).min(self.all.count);
        self.signal.drain(..begin - self.signal_begin);
        self.signal_begin = begin;
    }
}

/// Whether two numbers differ by at most a hundredth of both.
fn about_equal(a: f32, b: f32) -> bool {
    a == b || (a - b).abs() <= 0.01 * (a.abs() + b.abs())
}

#[cfg(test)]
mod tests {
    use crate::pitch::PitchExtractionOptions;

    use super::*;

    #[test]
    fn the_instructions_make_no_difference() {
        let plan = Plan::new(&PitchExtractionOptions::default()).unwrap();
        let [mut plain, mut wide] = [(); 2].map(|()| PitchTracker::new(&plan));
        let signal: Vec<f32> =
            (0..4000_u32).map(|n| (n % 37 * 50) as f32 + (n.wrapping_mul(n) >> 7) as f32 % 900.0).collect();
        for tracker in [&mut plain, &mut wide] {
            tracker.signal = signal.clone();
        }
        for frame in 0..90 {
            for tracker in [&mut plain, &mut wide] {
                tracker.extract(frame, 0).unwrap();
            }
            assert_eq!(plain.track_frame(Lanes::ZERO, 1e9), dispatch(Step { tracker: &mut wide, ballast: 1e9 }));
            assert_eq!(plain.costs, wide.costs);
            assert_eq!(plain.forward.best(), wide.forward.best());
            for state in 0..plan.lags.len() {
                assert_eq!(plain.origins.of(frame, state), wide.origins.of(frame, state));
            }
        }
        assert_eq!(plain.correlations, wide.correlations);
    }
}
