//! Extracts i-vectors.
//!
//! Matches Kaldi's `ivector-extract`.

use std::sync::Arc;

use anyhow::{Context, ensure};
use bstr::BString;
use kaldi_cli::{InputName, MapName, OutputName, Tally, asked_threads, num_threads};
use kaldi_io::log::{log, vlog, warning};
use kaldi_ivector::{Ivector, IvectorEstimator, IvectorExtractor, UtteranceStats};
use kaldi_matrix::{Matrix, Vector};
use kaldi_table::{RandomAccessReader, SequentialReader, TableWriter, read_file};
use kaldi_value::number::general;
use kaldi_value::{Keys, Posterior};

/// Utterances for each thread whose i-vectors are computed together.
const PER_THREAD: usize = 16;

const USAGE: &str = "\
Extracts an i-vector, a vector that describes the speaker, from each utterance, given the weights of Gaussians in each
frame; with --spk2utt from all utterances of each speaker together.

Usage: ivector-extract [options] <extractor-rxfilename> <feats-rspecifier> <post-rspecifier> <ivector-wspecifier>
 e.g.: ivector-extract --num-threads=4 final.ie scp:feats.scp ark,s,cs:1.post ark:ivectors.1.ark
See also: fgmm-global-gselect-to-post, scale-post, ivector-normalize-length, ivector-plda-scoring, ivector-extract-online2
";

#[derive(clap::Args)]
struct Options {
    /// Factor of the weights of all frames; the smaller it is, the more the prior counts
    #[arg(long, default_value_t = 1.0)]
    acoustic_weight: f64,
    /// Compute how much better i-vectors explain the frames than the mean of all speakers does, and log it
    #[arg(long, default_value_t = true)]
    compute_objf_change: bool,
    /// If it is above 0, the weights of an utterance are scaled down to this sum
    #[arg(long, default_value_t = 0.0)]
    max_count: f64,
    /// No effect: memory does not depend on the number of threads
    #[arg(long, default_value_t = 0)]
    num_threads_total: i32,
    /// Rspecifier of the map from speakers to utterances, for one i-vector for each speaker
    #[arg(long)]
    spk2utt: Option<MapName>,
    extractor: InputName,
    feats: InputName,
    posteriors: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(ivector_extract)).in_pieces(&[
    (kaldi_cli::PiecesIf::Given("spk2utt"), kaldi_cli::Pieces::Speakers("spk2utt")),
    (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Entries(1)),
]);

fn ivector_extract(opts: Options) -> anyhow::Result<Tally> {
    let _ = opts.num_threads_total;
    let with_threads = asked_threads().is_some_and(|number| number > 1);
    ensure!(opts.spk2utt.is_none() || !with_threads, "--spk2utt option is incompatible with --num-threads option");
    let extractor: IvectorExtractor = read_file(&opts.extractor)?;
    log!("Computing derived variables for iVector extractor");
    let estimator = Arc::new(IvectorEstimator::new(extractor, num_threads())?);
    log!("Done.");
    match &opts.spk2utt {
        None => extract_per_utterance(estimator, &opts),
        Some(spk2utt) => extract_per_speaker(estimator, spk2utt, &opts),
    }
}

fn extract_per_utterance(estimator: Arc<IvectorEstimator>, opts: &Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Matrix<f32>>::open(&opts.feats)?;
    let posteriors = RandomAccessReader::<Posterior>::open(&opts.posteriors)?;
    let mut waiting = Waiting::new(Arc::clone(&estimator), opts)?;
    let (acoustic_weight, max_count) = (opts.acoustic_weight, opts.max_count);

    let rows = source.par_map_with(posteriors, move |entry, found| {
        let utt = entry.key();
        let Some(posterior) = found else {
            warning!("No posteriors for utterance {utt}");
            return Ok(None);
        };
        let feats = entry.read()?;
        let (expected, got) = (feats.num_rows(), posterior.0.len());
        if expected != got {
            warning!("Size mismatch between posterior {got} and features {expected} for utterance {utt}");
            return Ok(None);
        }
        let mut posterior = posterior.as_ref().clone();
        let mut scale = acoustic_weight;
        let count = acoustic_weight * posterior.total();
        if max_count > 0.0 && count > max_count {
            let factor = max_count / count;
            log!("Scaling stats for utterance {utt} by scale {} due to --max-count={max_count}", general(factor));
            scale *= factor;
        }
        posterior.scale(scale as f32);
        let mut sums = new_sums(&estimator);
        sums.add(&feats, &posterior)?;
        Ok(Some(sums))
    });
    let mut tally = Tally::default();
    let ended = rows.drain(|utt, sums| {
        match sums {
            Some(sums) => waiting.add(utt, sums)?,
            None => tally.failed += 1,
        }
        anyhow::Ok(())
    })?;
    let done = waiting.finish()?;
    tally.done = done.num_ivectors;
    log!("Done {} files, {} with errors.  Total (weighted) frames {}", tally.done, tally.failed, general(done.count));
    if opts.compute_objf_change {
        let improvement = general(done.improvement / done.count);
        log!(
            "Overall average objective-function change from estimating ivector was {improvement} per frame  over {} \
             (weighted) frames.",
            general(done.count)
        );
    }
    ended.finish()?;
    done.target.finish()?;
    Ok(tally)
}

fn extract_per_speaker(estimator: Arc<IvectorEstimator>, spk2utt: &MapName, opts: &Options) -> anyhow::Result<Tally> {
    let speakers = SequentialReader::<Keys>::open(spk2utt)?.values();
    let mut feats = RandomAccessReader::<Matrix<f32>>::open(&opts.feats)?;
    let mut posteriors = RandomAccessReader::<Posterior>::open(&opts.posteriors)?;
    let mut waiting = Waiting::new(Arc::clone(&estimator), opts)?;
    let (mut tally, mut utts_done, mut utts_failed) = (Tally::default(), 0, 0);
    let ended = speakers.drain(|spk, utts| {
        let mut sums = new_sums(&estimator);
        for utt in utts.iter() {
            let Some(feats) = feats.get(utt)? else {
                warning!("No features present for utterance {utt}");
                utts_failed += 1;
                continue;
            };
            let Some(posterior) = posteriors.get(utt)? else {
                warning!("No posteriors present for utterance {utt}");
                utts_failed += 1;
                continue;
            };
            let (expected, got) = (feats.num_rows(), posterior.0.len());
            if expected != got {
                warning!("Posterior has wrong size {got} vs. feats {expected} for {utt}");
                utts_failed += 1;
                continue;
            }
            let mut posterior = posterior.as_ref().clone();
            posterior.scale(opts.acoustic_weight as f32);
            sums.add(&feats, &posterior).with_context(|| utt.to_string())?;
            utts_done += 1;
        }
        let count = sums.count();
        if count == 0.0 {
            warning!("No stats accumulated for speaker {spk}");
            tally.failed += 1;
            return Ok(());
        }
        if opts.max_count > 0.0 && count > opts.max_count {
            let (factor, most) = (opts.max_count / count, opts.max_count);
            log!("Scaling stats for speaker {spk} by scale {} due to --max-count={most}", general(factor));
            sums.scale(factor);
        }
        waiting.add(spk, sums)
    })?;
    let done = waiting.finish()?;
    tally.done = done.num_ivectors;
    log!(
        "Done {} speakers; {} with errors.  {utts_done} utterances were processed, {utts_failed} with errors.",
        tally.done,
        tally.failed
    );
    if done.count != 0.0 {
        let over = format!("over {} frames (weighted)", general(done.count));
        if opts.compute_objf_change {
            let improvement = general(done.improvement / done.count);
            log!("Overall weighted-average objective function improvement was {improvement} {over}");
        }
        log!("Average iVector norm (weighted by frames) was {} {over}", general(done.weighted_norm / done.count));
    }
    ended.finish()?;
    feats.finish()?;
    posteriors.finish()?;
    done.target.finish()?;
    Ok(tally)
}

fn new_sums(estimator: &IvectorEstimator) -> UtteranceStats {
    UtteranceStats::new(estimator.extractor().num_gauss(), estimator.extractor().feat_dim())
}

/// Utterances or speakers whose i-vectors are to be computed together, and totals of those that are written.
struct Waiting {
    estimator: Arc<IvectorEstimator>,
    keys: Vec<BString>,
    sums: Vec<UtteranceStats>,
    is_per_speaker: bool,
    with_improvement: bool,
    target: TableWriter<Vector<f32>>,
    num_ivectors: u64,
    /// The sum of the weights of all frames.
    count: f64,
    improvement: f64,
    weighted_norm: f64,
}

impl Waiting {
    fn new(estimator: Arc<IvectorEstimator>, opts: &Options) -> anyhow::Result<Self> {
        Ok(Self {
            estimator,
            keys: Vec::new(),
            sums: Vec::new(),
            is_per_speaker: opts.spk2utt.is_some(),
            with_improvement: opts.compute_objf_change,
            target: TableWriter::create(&opts.target)?,
            num_ivectors: 0,
            count: 0.0,
            improvement: 0.0,
            weighted_norm: 0.0,
        })
    }

    fn add(&mut self, key: BString, sums: UtteranceStats) -> anyhow::Result<()> {
        self.keys.push(key);
        self.sums.push(sums);
        if self.keys.len() >= PER_THREAD * num_threads() { self.write() } else { Ok(()) }
    }

    fn finish(mut self) -> anyhow::Result<Self> {
        self.write()?;
        Ok(self)
    }

    fn write(&mut self) -> anyhow::Result<()> {
        let (keys, sums) = (std::mem::take(&mut self.keys), std::mem::take(&mut self.sums));
        let ivectors = self.estimator.ivectors(&sums, num_threads())?;
        for ((key, sums), ivector) in keys.iter().zip(sums).zip(ivectors) {
            let Ivector { vector, improvement } = ivector.with_context(|| key.to_string())?;
            let (count, norm) = (sums.count(), vector.norm());
            self.log_ivector(key, improvement / count, count, norm);
            self.count += count;
            self.improvement += improvement;
            self.weighted_norm += norm * count;
            self.num_ivectors += 1;
            self.target.write(key, &vector.to_precision())?;
        }
        Ok(())
    }

    fn log_ivector(&self, key: &BString, improvement: f64, count: f64, norm: f64) {
        let (improvement, count, norm) = (general(improvement), general(count), general(norm));
        if self.is_per_speaker {
            if self.with_improvement {
                log!("Auxf change for speaker {key} was {improvement} per frame, over {count} frames (weighted).");
            }
            log!("Ivector norm for speaker {key} was {norm}");
        } else {
            if self.with_improvement {
                vlog!(2, "Auxf change for utterance {key} was {improvement} per frame over {count} frames (weighted)");
            }
            vlog!(2, "Ivector norm for utterance {key} was {norm}");
        }
    }
}
