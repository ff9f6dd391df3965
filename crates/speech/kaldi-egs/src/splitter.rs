//! How utterances are cut into chunks.

use kaldi_value::number::{Digits, general};
use kaldi_value::random::Random;

use crate::splits::Splits;
use crate::{Error, Result};

/// The most frames of context: more is a mistake, and would take memory for each chunk.
const MAX_CONTEXT: i32 = 1_000_000;

/// The most chunks of a split that is compared with others.
const MAX_CHUNKS: i64 = 10_000;

/// The sizes of chunks, and how much of the utterance is around them (Kaldi's `ExampleGenerationConfig`).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct SplitOptions {
    /// Frames of input before the first labelled frame of each example
    #[cfg_attr(feature = "cli", arg(long, default_value_t = SplitOptions::default().left_context))]
    pub left_context: i32,
    /// Frames of input after the last labelled frame of each example
    #[cfg_attr(feature = "cli", arg(long, default_value_t = SplitOptions::default().right_context))]
    pub right_context: i32,
    /// Like `left_context`, for the first example of each utterance; below 0 it is the same
    #[cfg_attr(feature = "cli", arg(long, default_value_t = SplitOptions::default().left_context_initial))]
    pub left_context_initial: i32,
    /// Like `right_context`, for the last example of each utterance; below 0 it is the same
    #[cfg_attr(feature = "cli", arg(long, default_value_t = SplitOptions::default().right_context_final))]
    pub right_context_final: i32,
    /// Labelled frames of an example, e.g. 8; after commas other sizes that come twice in an utterance at most, e.g. 40,25,50.
    /// Rounded up to multiples of `frame_subsampling_factor`. -1 keeps utterances whole
    #[cfg_attr(feature = "cli", arg(long, default_value_t = SplitOptions::default().num_frames))]
    pub num_frames: String,
    /// Labelled frames that neighbours have in common, if they have the first size of `num_frames`; others accordingly
    #[cfg_attr(feature = "cli", arg(long, default_value_t = SplitOptions::default().num_frames_overlap))]
    pub num_frames_overlap: i32,
    /// Frames of input for each label
    #[cfg_attr(feature = "cli", arg(long, default_value_t = SplitOptions::default().frame_subsampling_factor))]
    pub frame_subsampling_factor: i32,
}

impl Default for SplitOptions {
    fn default() -> Self {
        Self {
            left_context: 0,
            right_context: 0,
            left_context_initial: -1,
            right_context_final: -1,
            num_frames: "1".into(),
            num_frames_overlap: 0,
            frame_subsampling_factor: 1,
        }
    }
}

/// A chunk of an utterance.
#[derive(Clone, Debug, PartialEq)]
pub struct ChunkTime {
    /// The first labelled frame.
    pub first_frame: usize,
    /// The number of labelled frames.
    pub num_frames: usize,
    /// Frames before them; the ones before the utterance are copies of its first.
    pub left_context: usize,
    /// Frames after them.
    pub right_context: usize,
    /// The weight of each label: 1, divided by the number of chunks that it is in.
    pub output_weights: Vec<f32>,
}

/// Cuts utterances into chunks (Kaldi's `UtteranceSplitter`).
///
/// Where Kaldi places gaps between chunks by chance, these depend on the name of the utterance alone.
#[derive(Debug)]
pub struct UtteranceSplitter {
    options: SplitOptions,
    factor: usize,
    /// `None` if utterances stay whole.
    splits: Option<Splits>,
    rounded: Option<String>,
}

impl UtteranceSplitter {
    /// Checks the options.
    ///
    /// # Errors
    /// If a number makes no sense.
    pub fn new(options: SplitOptions) -> Result<Self> {
        let wrong =
            |name, expected, got: &dyn std::fmt::Display| Error::Option { name, expected, got: got.to_string() };
        let factor = options.frame_subsampling_factor;
        if factor < 1 {
            return Err(wrong("frame_subsampling_factor", "above 0", &factor));
        }
        for (name, context) in [("left_context", options.left_context), ("right_context", options.right_context)] {
            if !(0..=MAX_CONTEXT).contains(&context) {
                return Err(wrong(name, "from 0 to 1000000", &context));
            }
        }
        let ends = [
            ("left_context_initial", options.left_context_initial),
            ("right_context_final", options.right_context_final),
        ];
        if let Some((name, context)) = ends.into_iter().find(|&(_, context)| context > MAX_CONTEXT) {
            return Err(wrong(name, "1000000 or less", &context));
        }
        let mut splitter = Self { factor: factor as usize, splits: None, rounded: None, options };
        let text = splitter.options.num_frames.clone();
        if text == "-1" {
            return Ok(splitter);
        }
        let expected = "positive numbers with commas between them, or -1";
        let parsed: Option<Vec<i32>> = text.split(',').map(|size| size.trim_start().parse().ok()).collect();
        let sizes = parsed.filter(|sizes| sizes.iter().all(|&size| size > 0));
        let sizes = sizes.ok_or_else(|| wrong("num_frames", expected, &text))?;
        let round_up = |&size: &i32| {
            let rounded = size.unsigned_abs().checked_next_multiple_of(factor.unsigned_abs())?;
            i32::try_from(rounded).ok().filter(|&size| size < i32::MAX / 8)
        };
        let rounded: Option<Vec<i32>> = sizes.iter().map(round_up).collect();
        let rounded = rounded.ok_or_else(|| wrong("num_frames", "smaller numbers", &text))?;
        if rounded != sizes {
            let to: Vec<String> = rounded.iter().map(i32::to_string).collect();
            splitter.rounded = Some(format!(
                "Rounding up `num_frames = {text}` to multiples of `frame_subsampling_factor = {factor}`, to: {}",
                to.join(",")
            ));
        }
        let overlap = splitter.options.num_frames_overlap;
        if overlap >= rounded[0] || overlap < -(i32::MAX / 8) {
            return Err(wrong("num_frames_overlap", "below the first number of `num_frames`", &overlap));
        }
        // The chunks of the longest utterance for which splits are compared.
        let most: i64 = rounded.iter().map(|&size| 4 * i64::from(size)).max().unwrap_or(0);
        if most / (i64::from(rounded[0]) - i64::from(overlap)) > MAX_CHUNKS {
            return Err(wrong("num_frames_overlap", "smaller", &overlap));
        }
        splitter.splits = Some(Splits::new(&rounded, overlap));
        Ok(splitter)
    }

    /// A sentence for the log, if sizes were rounded up to multiples of the frames for each label.
    pub fn rounded(&self) -> Option<&str> {
        self.rounded.as_deref()
    }

    /// Frames for each label.
    pub fn factor(&self) -> usize {
        self.factor
    }

    /// Checks that an utterance of `num_frames` frames has as many labels as it should, or up to `tolerance` more or less.
    ///
    /// # Errors
    /// With a sentence for the log.
    pub fn check_lengths(&self, utt: &str, num_frames: usize, num_labels: usize, tolerance: i32) -> Result<(), String> {
        let (factor, expected) = (self.factor, num_frames.div_ceil(self.factor));
        if expected.abs_diff(num_labels) as i64 <= i64::from(tolerance) {
            return Ok(());
        }
        let of = match factor {
            1 => expected.to_string(),
            _ => format!("({num_frames} + {factor} - 1) / {factor} = {expected}"),
        };
        Err(format!(
            "Supervision does not have expected length for utterance {utt}: expected length = {of}, got {num_labels}"
        ))
    }

    /// Cuts an utterance; draws from `random` if there is a choice. No chunks if it is too short.
    pub fn chunks(&mut self, utt: &[u8], num_frames: usize, random: &mut Random) -> Vec<ChunkTime> {
        let or = |other: i32, usual: i32| if other >= 0 { other as usize } else { usual as usize };
        let SplitOptions { left_context, right_context, left_context_initial, right_context_final, .. } = self.options;
        let first_left = or(left_context_initial, left_context);
        let last_right = or(right_context_final, right_context);
        let places = match &mut self.splits {
            None => vec![(0, num_frames)],
            Some(splits) => {
                let sizes = draw_sizes(splits, num_frames, random);
                place(&sizes, num_frames.div_ceil(self.factor), self.factor, utt)
            }
        };
        let num_chunks = places.len();
        let chunk = |(number, (first_frame, num_frames)): (usize, (usize, usize))| ChunkTime {
            first_frame,
            num_frames,
            left_context: if number == 0 { first_left } else { left_context as usize },
            right_context: if number + 1 == num_chunks { last_right } else { right_context as usize },
            output_weights: Vec::new(),
        };
        let mut chunks: Vec<_> = places.into_iter().enumerate().map(chunk).collect();
        self.mem_size(&mut chunks);
        chunks
    }

    /// Divides the weight of a label by the number of chunks that it is in.
    fn mem_size(&self, chunks: &mut [ChunkTime]) {
        let labels =
            |chunk: &ChunkTime| chunk.first_frame / self.factor..(chunk.first_frame + chunk.num_frames) / self.factor;
        let mut counts = vec![0_u32; chunks.iter().map(|chunk| labels(chunk).end).max().unwrap_or(0)];
        for chunk in &*chunks {
            counts[labels(chunk)].iter_mut().for_each(|count| *count += 1);
        }
        for chunk in chunks {
            chunk.output_weights = counts[labels(chunk)].iter().map(|&count| (1.0 / f64::from(count)) as f32).collect();
        }
    }
}

/// Draws one of the splits for a length, and whether it is reversed.
fn draw_sizes(splits: &mut Splits, num_frames: usize, random: &mut Random) -> Vec<usize> {
    let principal = splits.principal();
    let (candidates, repeats) = splits.of_length(num_frames);
    if candidates.is_empty() {
        return Vec::new();
    }
    let mut sizes: Vec<usize> =
        candidates[random.below(candidates.len() as u32) as usize].iter().map(|&size| size as usize).collect();
    sizes.extend(std::iter::repeat_n(principal, repeats));
    sizes.sort_unstable();
    if random.below(2) == 0 {
        sizes.reverse();
    }
    sizes
}

/// Places chunks in an utterance of `length` labels; returns their first frames and numbers of frames.
fn place(sizes: &[usize], length: usize, factor: usize, utt: &[u8]) -> Vec<(usize, usize)> {
    let in_labels: Vec<usize> = sizes.iter().map(|size| size / factor).collect();
    let total: usize = in_labels.iter().sum();
    let (gaps, overlaps) = if total > length {
        (vec![0; sizes.len()], distribute_overlap(total - length, &in_labels))
    } else {
        (distribute_gap(length - total, sizes.len(), utt), vec![0; sizes.len()])
    };
    let mut places = Vec::with_capacity(sizes.len());
    let mut end = 0;
    for (place, &size) in in_labels.iter().enumerate() {
        let first = end + gaps[place] - overlaps[place];
        places.push((first * factor, size * factor));
        end = first + size;
    }
    places
}

/// How much each chunk overlaps the one before: about in proportion to the smaller one of the two, rounded down, and the rest
/// in the first places. Kaldi computes in single precision.
fn distribute_overlap(total: usize, sizes: &[usize]) -> Vec<usize> {
    let smaller: Vec<f32> = sizes.windows(2).map(|pair| pair[0].min(pair[1]) as f32).collect();
    let sum: usize = sizes.windows(2).map(|pair| pair[0].min(pair[1])).sum();
    let mut overlaps = vec![0];
    overlaps.extend(smaller.iter().map(|&size| (total as f32 * size / sum as f32) as usize));
    let rest = total.saturating_sub(overlaps.iter().sum());
    overlaps.iter_mut().skip(1).take(rest).for_each(|overlap| *overlap += 1);
    overlaps
}

/// The gap before each chunk, as equal as possible; there is one after the last chunk, too. Which of them are longer is a
/// matter of chance.
fn distribute_gap(total: usize, num_chunks: usize, utt: &[u8]) -> Vec<usize> {
    let (usual, longer) = (total / (num_chunks + 1), total % (num_chunks + 1));
    let mut gaps: Vec<usize> = (0..=num_chunks).map(|place| usual + usize::from(place < longer)).collect();
    Random::named(0, utt).shuffle(&mut gaps);
    gaps.pop();
    gaps
}

/// What was cut out of utterances.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SplitStats {
    utterances: u64,
    frames: u64,
    overlap: u64,
    chunks: u64,
    frames_of_chunks: u64,
    /// The number of chunks of each size.
    sizes: std::collections::BTreeMap<usize, u64>,
}

impl SplitStats {
    /// Adds the chunks of an utterance.
    pub fn add(&mut self, num_frames: usize, chunks: &[ChunkTime]) {
        self.utterances += 1;
        self.frames += num_frames as u64;
        let mut last_end = 0;
        for chunk in chunks {
            self.overlap += last_end_after(last_end, chunk.first_frame);
            last_end = chunk.first_frame + chunk.num_frames;
            self.chunks += 1;
            self.frames_of_chunks += chunk.num_frames as u64;
            *self.sizes.entry(chunk.num_frames).or_insert(0) += 1;
        }
    }

    /// The frames of all chunks.
    pub fn num_frames(&self) -> u64 {
        self.frames_of_chunks
    }

    /// The number of chunks.
    pub fn num_chunks(&self) -> u64 {
        self.chunks
    }

    /// Sentences for the log, in Kaldi's words.
    pub fn sentences(&self) -> Vec<String> {
        let percent = |part: u64, whole: u64| (part as f64 * 100.0 / whole as f64) as f32;
        let average = (self.frames_of_chunks as f64 / self.chunks as f64) as f32;
        let (overlap, output) = (percent(self.overlap, self.frames), percent(self.frames_of_chunks, self.frames));
        let mut sentences = vec![
            format!(
                "Split {} utts, with total length {} frames ({} hours assuming 100 frames per second) into {} chunks.",
                self.utterances,
                self.frames,
                general(self.frames as f64 / 360_000.0),
                self.chunks
            ),
            format!(
                "Average chunk length was {} frames; overlap between adjacent chunks was {}% of input length; length of \
                 output was {}% of input length (minus overlap = {}%).",
                general(average.into()),
                general(overlap.into()),
                general(output.into()),
                general((output - overlap).into()),
            ),
        ];
        if self.sizes.len() > 1 {
            let share = |(size, count): (&usize, &u64)| {
                let percent = percent(*size as u64 * count, self.frames_of_chunks);
                format!("{size} = {}%", Digits(percent.into(), 4))
            };
            let shares: Vec<String> = self.sizes.iter().map(share).collect();
            let shares = shares.join(", ");
            sentences.push(format!("Output frames are distributed among chunk-sizes as follows: {shares}"));
        }
        sentences
    }
}

/// How many frames there are after `first` before `end`.
fn last_end_after(end: usize, first: usize) -> u64 {
    end.saturating_sub(first) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn splitter(num_frames: &str, overlap: i32, factor: i32) -> Result<UtteranceSplitter> {
        UtteranceSplitter::new(SplitOptions {
            num_frames: num_frames.into(),
            num_frames_overlap: overlap,
            frame_subsampling_factor: factor,
            left_context: 2,
            right_context_final: 0,
            ..SplitOptions::default()
        })
    }

    fn places(splitter: &mut UtteranceSplitter, length: usize) -> Vec<(usize, usize)> {
        let chunks = splitter.chunks(b"utt", length, &mut Random::default());
        chunks.iter().map(|chunk| (chunk.first_frame, chunk.num_frames)).collect()
    }

    #[test]
    fn chunks_that_do_not_fit_overlap_first_of_all() {
        let mut eight = splitter("8", 0, 1).unwrap();
        assert_eq!(places(&mut eight, 16), [(0, 8), (8, 8)]);
        assert_eq!(places(&mut eight, 21), [(0, 8), (6, 8), (13, 8)]);
        assert_eq!(places(&mut eight, 7), []);
        let chunks = eight.chunks(b"utt", 15, &mut Random::default());
        assert_eq!(chunks[0].output_weights, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5]);
        assert_eq!((chunks[0].left_context, chunks[0].right_context, chunks[1].right_context), (2, 0, 0));
    }

    #[test]
    fn gaps_are_as_equal_as_possible_and_always_the_same() {
        let mut eight = splitter("8", 0, 1).unwrap();
        for length in [9, 17, 18] {
            let found = places(&mut eight, length);
            assert_eq!(found, places(&mut eight, length));
            let mut gaps: Vec<usize> = found.windows(2).map(|pair| pair[1].0 - pair[0].0 - 8).collect();
            gaps.extend([found[0].0, length - found[found.len() - 1].0 - 8]);
            assert!(gaps.iter().max().unwrap() - gaps.iter().min().unwrap() <= 1, "{found:?} of {length}");
        }
    }

    #[test]
    fn a_factor_rounds_sizes_and_places() {
        let mut three = splitter("4,2", 0, 3).unwrap();
        assert_eq!(
            three.rounded().unwrap(),
            "Rounding up `num_frames = 4,2` to multiples of `frame_subsampling_factor = 3`, to: 6,3"
        );
        for length in 3..60 {
            let chunks = three.chunks(b"utt", length, &mut Random::default());
            assert!(!chunks.is_empty());
            for chunk in chunks {
                assert!(chunk.first_frame.is_multiple_of(3) && chunk.num_frames.is_multiple_of(3));
                assert!(chunk.first_frame + chunk.num_frames < length + 3);
                assert_eq!(chunk.output_weights.len(), chunk.num_frames / 3);
            }
        }
    }

    #[test]
    fn whole_utterances_are_one_chunk() {
        let mut whole = splitter("-1", 0, 1).unwrap();
        assert_eq!(places(&mut whole, 123), [(0, 123)]);
    }

    #[test]
    fn options_that_make_no_sense_are_refused() {
        for (num_frames, overlap, factor) in [
            ("8,", 0, 1),
            ("", 0, 1),
            ("0", 0, 1),
            ("8,-1", 0, 1),
            ("a", 0, 1),
            ("8", 8, 1),
            ("8", 0, 0),
            ("2000000000", 0, 1),
        ] {
            assert!(splitter(num_frames, overlap, factor).is_err(), "{num_frames} {overlap} {factor}");
        }
    }

    #[test]
    fn the_log_has_kaldis_words() {
        let mut stats = SplitStats::default();
        let mut eight = splitter("8", 0, 1).unwrap();
        stats.add(15, &eight.chunks(b"utt", 15, &mut Random::default()));
        assert_eq!(
            stats.sentences(),
            [
                "Split 1 utts, with total length 15 frames (4.16667e-05 hours assuming 100 frames per second) into 2 chunks.",
                "Average chunk length was 8 frames; overlap between adjacent chunks was 6.66667% of input length; length of \
                 output was 106.667% of input length (minus overlap = 100%)."
            ]
        );
        assert_eq!(stats.num_frames(), 16);
    }
}
