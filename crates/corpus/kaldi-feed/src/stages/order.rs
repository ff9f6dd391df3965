//! Stages that put samples into another order, and into batches.

use kaldi_reader::{Buckets, Leftover, ReaderExt};

use crate::params::Params;
use crate::{Padding, Registry, Result, Sample, Stage};

/// At most this many samples are held in buckets, as in WeNet.
const MAX_IN_BUCKETS: usize = 10_000;

pub(super) fn register(registry: &mut Registry) {
    registry.register("shuffle", shuffle);
    registry.register("sort", sort);
    registry.register("batch", batch);
    registry.register("padding", padding);
}

fn shuffle(params: &mut Params) -> Result<Stage> {
    let window = size(params, "shuffle_size", 1500)?;
    let initial = size(params, "initial", window as u64)?;
    let max_bytes = size(params, "max_bytes", 1 << 30)?;
    Ok(Stage::shuffle(window, initial, max_bytes))
}

fn sort(params: &mut Params) -> Result<Stage> {
    let window = size(params, "sort_size", 500)?;
    let max_bytes = size(params, "max_bytes", 1 << 30)?;
    Ok(Stage::sort(window, max_bytes))
}

fn batch(params: &mut Params) -> Result<Stage> {
    let leftover = match params.choice("leftover", &["keep", "drop"], "keep")? {
        "drop" => Leftover::Drop,
        _ => Leftover::Keep,
    };
    match params.choice("batch_type", &["static", "dynamic", "bucket"], "static")? {
        "dynamic" => {
            // Recipes have both sizes.
            params.value("batch_size");
            let max_frames = size(params, "max_frames_in_batch", 12_000)?;
            Ok(Stage::batch_by_frames(max_frames))
        }
        "bucket" => {
            let boundaries = sizes(params, "bucket_boundaries")?;
            let batch_sizes = sizes(params, "bucket_batch_sizes")?;
            params.value("batch_size");
            let buckets = Buckets::new(boundaries, batch_sizes)
                .map_err(|error| params.error("bucket_batch_sizes", "one more than bucket_boundaries", error))?;
            Ok(Stage::batch_by_length(buckets, leftover))
        }
        _ => {
            let number = size(params, "batch_size", 16)?;
            params.value("max_frames_in_batch");
            Ok(Stage::batch_of(number, leftover))
        }
    }
}

fn padding(params: &mut Params) -> Result<Stage> {
    let defaults = Padding::default();
    let feats = params.float("feats", defaults.feats.into())? as f32;
    let target = params.integer("target", defaults.target)?;
    let sort = params.boolean("sort", defaults.sort)?;
    Ok(Stage::Padding(Padding { feats, target, sort }))
}

impl Stage {
    /// `shuffle`: shuffles samples in a buffer of `size`, which starts to deliver once it has `initial` samples. It never
    /// holds more than `max_bytes`.
    pub fn shuffle(size: usize, initial: usize, max_bytes: usize) -> Self {
        Self::order(move |samples, pass| {
            let shuffled = samples.shuffle_stream(size, pass.seed_of("shuffle")).initial(initial);
            shuffled.max_bytes(max_bytes, Sample::weight).boxed()
        })
    }

    /// `sort`: sorts samples by their length, within windows of `size` samples and at most `max_bytes`.
    pub fn sort(size: usize, max_bytes: usize) -> Self {
        Self::order(move |samples, _| {
            samples.sort(size, Sample::num_frames).max_bytes(max_bytes, Sample::weight).boxed()
        })
    }

    /// `batch` of the type `static`: batches of `size` samples.
    pub fn batch_of(size: usize, leftover: Leftover<Sample>) -> Self {
        Self::batch(move |samples, _| samples.batch(size, leftover).boxed())
    }

    /// `batch` of the type `dynamic`: batches that have at most `max_frames` frames with their padding.
    pub fn batch_by_frames(max_frames: usize) -> Self {
        Self::batch(move |samples, _| samples.batch_by_frames(max_frames, Sample::num_frames).boxed())
    }

    /// `batch` of the type `bucket`: batches of samples of similar length.
    pub fn batch_by_length(buckets: Buckets, leftover: Leftover<Sample>) -> Self {
        Self::batch(move |samples, _| {
            samples.batch_by_length(buckets.clone(), MAX_IN_BUCKETS, leftover, Sample::num_frames).boxed()
        })
    }
}

fn size(params: &mut Params, name: &str, default: u64) -> Result<usize> {
    Ok(params.number(name, default, 1)? as usize)
}

fn sizes(params: &mut Params, name: &str) -> Result<Vec<usize>> {
    let Some(numbers) = params.floats(name)? else {
        return Err(params.error(name, "a list of numbers", "nothing"));
    };
    if let Some(odd) = numbers.iter().find(|number| number.fract() != 0.0 || **number < 0.0 || **number > 1e15) {
        return Err(params.error(name, "whole numbers", odd));
    }
    Ok(numbers.into_iter().map(|number| number as usize).collect())
}
