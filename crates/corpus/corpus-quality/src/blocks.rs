//! Speech and silence in blocks of 20 milliseconds.

/// Seconds of a block.
const BLOCK: f64 = 0.02;

/// Blocks that are this much quieter than the loud ones are silent, in dB.
const RANGE: f64 = 30.0;

/// What the levels of the blocks of an utterance say.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    pub zeros: f64,
    pub snr: Option<f64>,
    pub silence: f64,
    pub lead: f64,
    pub trail: f64,
}

impl Blocks {
    /// Of the samples of one channel with the mean `mean`. A rest at the end that is shorter than a block is left out; an
    /// utterance that is shorter is one block.
    pub fn of(rate: f64, samples: &[f32], mean: f64) -> Self {
        let length = ((BLOCK * rate).round() as usize).clamp(1, samples.len().max(1));
        let blocks: Vec<Block> = samples.chunks_exact(length).map(|block| Block::of(block, mean)).collect();
        if blocks.is_empty() {
            return Self::default();
        }
        let mut levels: Vec<f64> = blocks.iter().filter_map(|block| block.level).collect();
        levels.sort_by(f64::total_cmp);
        let (loud, quiet) = (percentile(&levels, 0.95), percentile(&levels, 0.1));
        let limit = (loud - RANGE).max((loud + quiet) / 2.0);
        let is_silent = |block: &Block| block.level.is_none_or(|level| level < limit);
        let seconds = |blocks: usize| (blocks * length) as f64 / rate;
        let duration = samples.len() as f64 / rate;
        let first = blocks.iter().position(|block| !is_silent(block));
        let last = blocks.iter().rposition(|block| !is_silent(block));
        let share = |count: usize| count as f64 / blocks.len() as f64;
        Self {
            zeros: share(blocks.len() - levels.len()),
            snr: Some(loud - quiet).filter(|snr| snr.is_finite()),
            silence: share(blocks.iter().filter(|block| is_silent(block)).count()),
            lead: first.map_or(duration, seconds),
            trail: last.map_or(duration, |last| duration - seconds(last + 1)),
        }
    }
}

/// The level of a block in dB; `None` if all samples are zero.
struct Block {
    level: Option<f64>,
}

impl Block {
    fn of(samples: &[f32], mean: f64) -> Self {
        if samples.iter().all(|&sample| sample == 0.0) {
            return Self { level: None };
        }
        let squares: f64 = samples.iter().map(|&sample| (f64::from(sample) - mean).powi(2)).sum();
        Self { level: Some(10.0 * (squares / samples.len() as f64).log10()) }
    }
}

/// The value below which the `share` of the sorted `values` lies, interpolated between two of them.
pub(crate) fn percentile(values: &[f64], share: f64) -> f64 {
    let Some(last) = values.len().checked_sub(1) else { return f64::NAN };
    let place = share * last as f64;
    let (below, part) = (place.floor() as usize, place.fract());
    match part == 0.0 {
        true => values[below],
        false => values[below] + part * (values[below + 1] - values[below]),
    }
}
