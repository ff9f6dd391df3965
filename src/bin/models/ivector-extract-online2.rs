//! Extracts i-vectors of raw features, as a recognizer that hears one utterance after the other computes them.
//!
//! Matches Kaldi's `ivector-extract-online2`, except that speakers are worked on side by side, that an utterance without
//! frames is skipped with a warning, and that there is a warning if weights have the wrong length.

use std::sync::Arc;

use anyhow::{Context, anyhow};
use bstr::BString;
use kaldi_cli::{InputName, MapName, OutputName, Tally, num_threads};
use kaldi_feat::{OnlineCmvn, OnlineCmvnOptions, Splice};
use kaldi_io::log::{Logged, log, vlog, warning};
use kaldi_ivector::{IvectorEstimator, StreamExtractor, StreamIvectors, StreamOptions};
use kaldi_matrix::{Matrix, Vector};
use kaldi_reader::{Reader, ReaderExt, from_fn, par_map};
use kaldi_table::{RandomAccessReader, SequentialReader, TableWriter, read_file};
use kaldi_value::number::general;
use kaldi_value::{Keys, Value};

use crate::ivector_lengths::IvectorLengths;

/// Bytes of features that are read before they are needed.
const IN_FLIGHT: usize = 64 << 20;

/// Columns of pitch, which i-vectors do not use.
const PITCH_DIM: usize = 3;

const USAGE: &str = "\
Extracts i-vectors from raw features, while the frames come in: from the frames of an utterance up to the first, the
11th, the 21st and so on, and from earlier utterances of the speaker. They are the rows of a matrix. The options are those
of a config file for recognizers; --lda-matrix, --global-cmvn-stats, --cmvn-config, --splice-config, --diag-ubm and
--ivector-extractor are needed.

Usage: ivector-extract-online2 [options] <spk2utt-rspecifier> <feats-rspecifier> <ivector-wspecifier>
 e.g.: ivector-extract-online2 --config=conf/ivector_extractor.conf ark:spk2utt scp:feats.scp ark:ivectors.1.ark
See also: ivector-extract-online, ivector-extract, ivector-randomize, apply-cmvn-online
";

#[derive(clap::Args)]
struct Options {
    /// File of options for the normalization of features, those of apply-cmvn-online
    #[arg(long)]
    cmvn_config: Option<InputName>,
    /// Mixture of Gaussians with diagonal covariances, which the weights of Gaussians are computed with
    #[arg(long)]
    diag_ubm: Option<InputName>,
    /// Rspecifier of weights of frames
    #[arg(long)]
    frame_weights_rspecifier: Option<InputName>,
    /// Statistics of the means and variances of features
    #[arg(long)]
    global_cmvn_stats: Option<InputName>,
    /// Give all frames the i-vector of the whole utterance
    #[arg(long)]
    greedy_ivector_extractor: bool,
    /// The i-vector extractor
    #[arg(long)]
    ivector_extractor: Option<InputName>,
    /// Number of frames from one i-vector to the next
    #[arg(long, default_value_t = 10)]
    ivector_period: i32,
    /// Transform of spliced features, with or without an offset
    #[arg(long)]
    lda_matrix: Option<InputName>,
    /// The largest difference in frames between weights and features
    #[arg(long, default_value_t = 0)]
    length_tolerance: i32,
    /// If it is above 0, the prior counts more once the sum of the weights of frames is above it
    #[arg(long, default_value_t = 0.0)]
    max_count: f32,
    /// The most frames of earlier utterances of the speaker that count
    #[arg(long, default_value_t = 1000.0)]
    max_remembered_frames: f32,
    /// Gaussians with a smaller probability get no part of a frame
    #[arg(long, default_value_t = 0.025)]
    min_post: f32,
    /// The most Gaussians among which a frame is divided
    #[arg(long, default_value_t = 5)]
    num_gselect: i32,
    /// Take normalized features for the i-vectors, too, not only for the weights of Gaussians
    #[arg(long)]
    online_cmvn_iextractor: bool,
    /// The weight of a frame, compared with the prior
    #[arg(long, default_value_t = 0.1)]
    posterior_scale: f32,
    /// Write an i-vector for each frame, repeated as needed
    #[arg(long)]
    repeat: bool,
    /// File of options for splicing: --left-context, --right-context
    #[arg(long)]
    splice_config: Option<InputName>,
    /// No effect, as in Kaldi
    #[arg(long, default_value_t = true)]
    use_most_recent_ivector: bool,
    spk2utt: MapName,
    feats: InputName,
    target: OutputName,
}

/// The options of `--cmvn-config`.
#[derive(clap::Args)]
struct CmvnConfig {
    #[command(flatten)]
    online: OnlineCmvnOptions,
}

/// The options of `--splice-config`.
#[derive(clap::Args)]
struct SpliceConfig {
    /// Number of frames before each frame
    #[arg(long, default_value_t = 4)]
    left_context: i32,
    /// Number of frames after each frame
    #[arg(long, default_value_t = 4)]
    right_context: i32,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(ivector_extract_online2))
    .in_pieces(&[(kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Lines(0))]);

fn ivector_extract_online2(opts: Options) -> anyhow::Result<Tally> {
    let _ = opts.use_most_recent_ivector;
    let extractor = Arc::new(read_extractor(&opts)?);
    let dim = extractor.ivector_dim();
    let mut target = TableWriter::create(&opts.target)?;
    let mut speakers = Speakers::open(&opts, extractor.feat_dim())?;
    let (repeat, period) = (opts.repeat, usize::try_from(opts.ivector_period)?);

    let source = from_fn(move |_| speakers.next());
    let weigh = |speaker: &Vec<Job>| speaker.iter().map(Job::weigh).sum();
    let work = move |speaker| Logged::of(|| extract(&extractor, speaker, repeat.then_some(period)));
    let (mut tally, mut sum) = (Tally::default(), IvectorLengths::default());
    for found in
        par_map(source, num_threads, move |speaker| Ok(work(speaker))).in_flight(IN_FLIGHT, weigh).eager().iter()
    {
        for (utt, ivectors) in found?.deliver()? {
            let Some((ivectors, lengths)) = ivectors else {
                tally.failed += 1;
                continue;
            };
            target.write(&utt, &ivectors)?;
            sum.add(&lengths);
            tally.done += 1;
        }
    }
    log!("Estimated iVectors for {} files, {} with errors.", tally.done, tally.failed);
    sum.log(dim);
    target.finish()?;
    Ok(tally)
}

fn read_extractor(opts: &Options) -> anyhow::Result<StreamExtractor> {
    let transform = read_needed(opts.lda_matrix.as_ref(), "lda-matrix")?;
    let global = read_needed::<Matrix<f64>>(opts.global_cmvn_stats.as_ref(), "global-cmvn-stats")?;
    let cmvn: CmvnConfig = read_config(opts.cmvn_config.as_ref(), "cmvn-config")?;
    let splice: SpliceConfig = read_config(opts.splice_config.as_ref(), "splice-config")?;
    let mixture = read_needed(opts.diag_ubm.as_ref(), "diag-ubm")?;
    let estimator =
        IvectorEstimator::new(read_needed(opts.ivector_extractor.as_ref(), "ivector-extractor")?, num_threads())?;
    let context = |name, value: i32| {
        usize::try_from(value).map_err(|_| anyhow!("expected --{name} to be 0 or more, got {value}"))
    };
    let splice =
        Splice::new(context("left-context", splice.left_context)?, context("right-context", splice.right_context)?);
    let cmvn = OnlineCmvn::new(cmvn.online.clone(), global)?;
    // What is below zero is refused like zero.
    let count = |value: i32| usize::try_from(value).unwrap_or(0);
    let mut options = StreamOptions::default();
    options.online_cmvn_iextractor = opts.online_cmvn_iextractor;
    options.ivector_period = count(opts.ivector_period);
    options.num_gselect = count(opts.num_gselect);
    options.min_post = opts.min_post;
    options.posterior_scale = opts.posterior_scale;
    options.max_count = opts.max_count;
    options.greedy_ivector_extractor = opts.greedy_ivector_extractor;
    options.max_remembered_frames = opts.max_remembered_frames;
    Ok(StreamExtractor::new(options, cmvn, splice, transform, mixture, estimator)?)
}

fn needed<'a>(file: Option<&'a InputName>, option: &str) -> anyhow::Result<&'a InputName> {
    file.with_context(|| format!("--{option} option must be set (it may be in the file of --config)"))
}

fn read_needed<T: Value>(file: Option<&InputName>, option: &str) -> anyhow::Result<T> {
    Ok(read_file(needed(file, option)?)?)
}

fn read_config<T: clap::Args>(file: Option<&InputName>, option: &str) -> anyhow::Result<T> {
    let file = needed(file, option)?;
    let words = [format!("--config={file}").into()];
    let read = kaldi_cli::parse(&words).map_err(|message| anyhow!("{message}"))?;
    read.with_context(|| format!("expected options in {file}"))
}

/// An utterance of a speaker.
enum Job {
    /// It has no i-vectors, for a reason to be logged.
    Skip(BString, String),
    Extract(BString, Arc<Matrix<f32>>, Option<Arc<Vector<f32>>>),
}

impl Job {
    fn weigh(&self) -> usize {
        match self {
            Self::Skip(..) => 0,
            Self::Extract(_, feats, _) => size_of_val(feats.as_slice()),
        }
    }
}

/// Reads the utterances of one speaker after the other.
struct Speakers {
    spk2utt: SequentialReader<Keys>,
    feats: RandomAccessReader<Matrix<f32>>,
    weights: Option<RandomAccessReader<Vector<f32>>>,
    length_tolerance: i32,
    feat_dim: usize,
    has_warned: bool,
}

impl Speakers {
    fn open(opts: &Options, feat_dim: usize) -> anyhow::Result<Self> {
        Ok(Self {
            spk2utt: SequentialReader::open(&opts.spk2utt)?,
            feats: RandomAccessReader::open(&opts.feats)?,
            weights: opts.frame_weights_rspecifier.as_ref().map(RandomAccessReader::open).transpose()?,
            length_tolerance: opts.length_tolerance,
            feat_dim,
            has_warned: false,
        })
    }

    fn next(&mut self) -> anyhow::Result<Option<Vec<Job>>> {
        let Some((_, utts)) = self.spk2utt.next()? else {
            self.feats.finish()?;
            self.weights.as_mut().map_or(Ok(()), RandomAccessReader::finish)?;
            return Ok(None);
        };
        utts.iter().map(|utt| self.job(utt.into())).collect::<anyhow::Result<_>>().map(Some)
    }

    fn job(&mut self, utt: BString) -> anyhow::Result<Job> {
        let Some(mut feats) = self.feats.get(&utt)? else {
            let reason = format!("Did not find audio for utterance {utt}");
            return Ok(Job::Skip(utt, reason));
        };
        if feats.is_empty() {
            let reason = format!("No frames in utterance {utt}");
            return Ok(Job::Skip(utt, reason));
        }
        if feats.num_cols() == self.feat_dim + PITCH_DIM {
            if !self.has_warned {
                warning!(
                    "Feature dimension is too large by 3, assuming there are pitch features and removing the last 3 dims."
                );
                self.has_warned = true;
            }
            feats = Arc::new(feats.range(0..feats.num_rows(), 0..self.feat_dim));
        }
        let Some(weights) = &mut self.weights else { return Ok(Job::Extract(utt, feats, None)) };
        let Some(weights) = weights.get(&utt)? else {
            let reason = format!("Did not find weights for utterance {utt}");
            return Ok(Job::Skip(utt, reason));
        };
        let (expected, got) = (feats.num_rows(), weights.dim());
        if expected.abs_diff(got) as i64 > i64::from(self.length_tolerance) {
            let reason = format!("Weights for utterance {utt} have wrong size, {got} vs. {expected}");
            return Ok(Job::Skip(utt, reason));
        }
        Ok(Job::Extract(utt, feats, Some(weights)))
    }
}

/// An utterance, and its i-vectors if there are any.
type Extracted = (BString, Option<(Matrix<f32>, IvectorLengths)>);

/// Extracts the i-vectors of a speaker; each is repeated as often as `repeat` says.
fn extract(extractor: &StreamExtractor, speaker: Vec<Job>, repeat: Option<usize>) -> anyhow::Result<Vec<Extracted>> {
    let mut state = extractor.new_state()?;
    let mut results = Vec::with_capacity(speaker.len());
    for job in speaker {
        let (utt, feats, weights) = match job {
            Job::Skip(utt, reason) => {
                warning!("{reason}");
                results.push((utt, None));
                continue;
            }
            Job::Extract(utt, feats, weights) => (utt, feats, weights),
        };
        let weights = weights.as_ref().map(|weights| weights.as_slice());
        let found = extractor.extract(&feats, weights, repeat.is_some(), &mut state);
        let StreamIvectors { mut ivectors, improvement, log_likelihood } = found.with_context(|| utt.to_string())?;
        if let Some(repeat) = repeat {
            let rows = (0..feats.num_rows()).flat_map(|frame| ivectors.row(frame / repeat)).copied().collect();
            ivectors = Matrix::from_vec(feats.num_rows(), ivectors.num_cols(), rows);
        }
        let lengths = IvectorLengths::of(&ivectors, feats.num_rows() as f64, improvement);
        vlog!(
            2,
            "For utterance {utt}, UBM loglike/frame was {}, iVector length (at utterance end) was {}, objf \
             improvement/frame from iVector estimation was {}",
            general(log_likelihood),
            general(lengths.last()),
            general(improvement)
        );
        results.push((utt, Some((ivectors, lengths))));
    }
    Ok(results)
}
