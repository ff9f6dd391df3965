//! Examples that are cut out of the utterances of a table of features.

use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::log::{Logged, warning};
use kaldi_matrix::{GeneralMatrix, Matrix};
use kaldi_reader::{Reader, ReaderExt, from_fn, par_map};
use kaldi_table::{RandomAccessReader, Record, Result, Rows, SequentialReader, Session, TableWriter};
use kaldi_value::random::Random;
use kaldi_value::{Format, Posterior, Value};

use crate::{ChunkTime, Error, IoMatrix, NnetExample, NnetIo, SparseRows, SplitStats, UtteranceSplitter};

/// How many bytes of features wait for the threads.
const IN_FLIGHT: usize = 8 << 20;

/// What the outputs of examples are made of: posteriors or matrices of targets.
pub trait Labels: Value + Sync {
    /// What a warning says of an utterance that has none, before its key.
    const MISSING: &'static str;

    /// Whether an utterance without labels fails, however short it is.
    const NEEDS_LABELS: bool;

    /// How many labels there are.
    fn count(&self) -> usize;

    /// The labels of a chunk; `factor` frames have a label, and `dim` is the dimension that is wanted, if any.
    ///
    /// # Errors
    /// If a label is out of range, or the chunk needs more than there are.
    fn cut(&self, chunk: &ChunkTime, factor: usize, dim: Option<i32>) -> crate::Result<IoMatrix>;
}

impl Labels for Posterior {
    const MISSING: &'static str = "No pdf-level posterior for key";
    const NEEDS_LABELS: bool = false;

    fn count(&self) -> usize {
        self.0.len()
    }

    /// Frames after the last label have none.
    fn cut(&self, chunk: &ChunkTime, factor: usize, dim: Option<i32>) -> crate::Result<IoMatrix> {
        let mut rows = SparseRows::default();
        let first = chunk.first_frame / factor;
        for (row, &weight) in chunk.output_weights.iter().enumerate() {
            let labels = self.0.get(first + row).map_or(&[][..], Vec::as_slice);
            let weighted: Vec<(i32, f32)> = labels.iter().map(|&(label, share)| (label, share * weight)).collect();
            rows.push_labels(dim.unwrap_or(0), &weighted)?;
        }
        Ok(IoMatrix::Sparse(rows))
    }
}

impl Labels for Matrix<f32> {
    const MISSING: &'static str = "No target matrix for key";
    const NEEDS_LABELS: bool = true;

    fn count(&self) -> usize {
        self.num_rows()
    }

    fn cut(&self, chunk: &ChunkTime, factor: usize, dim: Option<i32>) -> crate::Result<IoMatrix> {
        if let Some(dim) = dim.filter(|&dim| dim as i64 != self.num_cols() as i64) {
            return Err(Error::Columns { name: "output".into(), expected: dim.into(), got: self.num_cols() as i64 });
        }
        let first = chunk.first_frame / factor;
        let end = first + chunk.output_weights.len();
        if end > self.num_rows() {
            return Err(Error::TooFewTargets { expected: end, got: self.num_rows() });
        }
        Ok(IoMatrix::Full(self.range(first..end, 0..self.num_cols())))
    }
}

/// The tables of utterances.
#[derive(Clone, Copy, Debug)]
pub struct CutTables<'a> {
    /// Features of any kind.
    pub feats: &'a BStr,
    /// Posteriors or targets.
    pub labels: &'a BStr,
    /// Matrices with a row for each period.
    pub ivectors: Option<&'a BStr>,
}

/// How utterances are cut, besides the options of the splitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutOptions {
    /// Whether full matrices are compressed.
    pub compress: bool,
    /// The dimension of the labels.
    pub dim: Option<i32>,
    /// How many labels more or less than expected an utterance may have.
    pub targets_length_tolerance: i32,
    /// How many frames more or less than features the rows of vectors may stand for.
    pub length_tolerance: i32,
    /// Frames for each row of vectors, at least 1.
    pub ivector_period: i32,
    /// Whether an utterance that is too short counts as a failure.
    pub short_is_failure: bool,
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// The chunks of all utterances.
    pub stats: SplitStats,
    /// The number of utterances that were skipped with a warning.
    pub failed: u64,
}

/// An utterance and where it is cut.
struct Job<L> {
    utt: BString,
    feats: IoMatrix,
    labels: Arc<L>,
    chunks: Vec<ChunkTime>,
    /// The vectors, and the row for each chunk.
    ivectors: Option<(Arc<Matrix<f32>>, Vec<usize>)>,
}

/// Reads utterances and plans their chunks. Random numbers are drawn here, in the order of the table.
struct Planner<L> {
    rows: Rows<GeneralMatrix>,
    labels: RandomAccessReader<L>,
    ivectors: Option<RandomAccessReader<Matrix<f32>>>,
    splitter: UtteranceSplitter,
    options: CutOptions,
    random: Random,
}

impl<L: Labels> Planner<L> {
    /// The next utterance; the inner `None` if it is skipped.
    fn next(&mut self) -> Result<Option<Option<Job<L>>>> {
        let Some((utt, feats)) = self.rows.next()? else {
            self.labels.finish()?;
            self.ivectors.as_mut().map_or(Ok(()), RandomAccessReader::finish)?;
            return Ok(None);
        };
        self.plan(utt, IoMatrix::from(feats)).map(Some)
    }

    fn plan(&mut self, utt: BString, feats: IoMatrix) -> Result<Option<Job<L>>> {
        let num_frames = feats.num_rows();
        let Some(labels) = self.labels.get(&utt)? else {
            warning!("{} {utt}", L::MISSING);
            return Ok(None);
        };
        let mut ivectors = None;
        if let Some(table) = &mut self.ivectors {
            let Some(found) = table.get(&utt)? else {
                warning!("No iVectors for utterance {utt}");
                return Ok(None);
            };
            let covered = found.num_rows() as i64 * i64::from(self.options.ivector_period);
            if found.num_rows() == 0 || (num_frames as i64 - covered).abs() > self.options.length_tolerance.into() {
                warning!(
                    "Length difference between feats {num_frames} and iVectors {} of {utt} exceeds tolerance {}",
                    found.num_rows(),
                    self.options.length_tolerance
                );
                return Ok(None);
            }
            ivectors = Some(found);
        }
        let tolerance = self.options.targets_length_tolerance;
        if let Err(message) = self.splitter.check_lengths(&utt.to_string(), num_frames, labels.count(), tolerance) {
            warning!("{message}");
            return Ok(None);
        }
        if L::NEEDS_LABELS && labels.count() == 0 {
            warning!("{utt} has no targets");
            return Ok(None);
        }
        let chunks = self.splitter.chunks(&utt, num_frames, &mut self.random);
        if chunks.is_empty() {
            warning!("Not producing egs for utterance {utt} because it is too short: {num_frames} frames.");
        }
        let mut ivectors = ivectors.map(|ivectors| (ivectors, Vec::new()));
        for chunk in &chunks {
            if let Some((ivectors, rows)) = &mut ivectors {
                rows.push(self.draw_row(chunk, num_frames, ivectors.num_rows()));
            }
        }
        Ok(Some(Job { utt, feats, labels, chunks, ivectors }))
    }

    /// Draws the row of vectors for a chunk. As in Kaldi, the range has the length of the utterance, not of the chunk.
    fn draw_row(&mut self, chunk: &ChunkTime, num_frames: usize, num_rows: usize) -> usize {
        let first = chunk.first_frame as i64 - chunk.left_context as i64;
        let frame = first + i64::from(self.random.below(u32::try_from(num_frames).unwrap_or(u32::MAX).max(1)));
        // A division rounds towards zero, as C's does.
        (frame / i64::from(self.options.ivector_period)).clamp(0, num_rows as i64 - 1) as usize
    }
}

impl<L: Labels> Job<L> {
    fn mem_size(&self) -> usize {
        4 * self.feats.num_rows() * self.feats.num_cols()
    }

    /// Makes the examples.
    fn cut(&self, factor: usize, options: CutOptions, format: Format) -> crate::Result<Vec<Record<NnetExample>>> {
        let cut = |(number, chunk): (usize, &ChunkTime)| {
            let example = self.example(number, chunk, factor, options)?;
            let key = [self.utt.as_slice(), format!("-{}", chunk.first_frame).as_bytes()].concat();
            Ok(Record::new(key, &example, format))
        };
        self.chunks.iter().enumerate().map(cut).collect()
    }

    fn example(
        &self,
        number: usize,
        chunk: &ChunkTime,
        factor: usize,
        options: CutOptions,
    ) -> crate::Result<NnetExample> {
        let compressed = |matrix: IoMatrix| if options.compress { matrix.compressed() } else { Ok(matrix) };
        let num_rows = chunk.left_context + chunk.num_frames + chunk.right_context;
        let first = chunk.first_frame as i64 - chunk.left_context as i64;
        let input = self.feats.rows_padded(first, num_rows)?;
        if input.num_rows() == 0 {
            return Err(Error::NoRows { name: "input".into() });
        }
        let mut io = vec![NnetIo::new("input", -(chunk.left_context as i32), 1, compressed(input)?)];
        if let Some((ivectors, rows)) = &self.ivectors {
            let row = rows[number];
            let ivector = IoMatrix::Full(ivectors.range(row..row + 1, 0..ivectors.num_cols()));
            io.push(NnetIo::new("ivector", 0, 1, compressed(ivector)?));
        }
        let labels = compressed(self.labels.cut(chunk, factor, options.dim)?)?;
        if labels.num_rows() == 0 {
            return Err(Error::NoRows { name: "output".into() });
        }
        io.push(NnetIo::new("output", 0, factor as i32, labels));
        Ok(NnetExample { io })
    }
}

/// Cuts all utterances, and writes the examples: `input`, `ivector` if there are any, and `output`.
///
/// # Errors
/// If a table cannot be read or written, or an utterance cannot be cut.
pub fn cut_utterances<L: Labels>(
    tables: &CutTables<'_>,
    splitter: UtteranceSplitter,
    options: CutOptions,
    target: &mut TableWriter<NnetExample>,
) -> Result<Cut> {
    let (factor, format) = (splitter.factor(), target.format());
    let mut planner = Planner::<L> {
        rows: SequentialReader::<GeneralMatrix>::open(tables.feats)?.values(),
        labels: RandomAccessReader::open(tables.labels)?,
        ivectors: tables.ivectors.map(RandomAccessReader::open).transpose()?,
        splitter,
        options,
        random: Random::default(),
    };
    // Warnings wait for their turn: whoever reads an utterance, they come out in the order of the table.
    let planned = from_fn(move |_| {
        let Logged { value, lines } = Logged::of(|| planner.next());
        value.map(|job| job.map(|value| Logged { value, lines }))
    });
    let mem_size = |job: &Logged<Option<Job<L>>>| job.value.as_ref().map_or(0, Job::mem_size);
    let work = move |job: Logged<Option<Job<L>>>| {
        Ok(job.then(|job| {
            let records = job.as_ref().map(|job| job.cut(factor, options, format)).transpose();
            (job, records)
        }))
    };
    let mut cut = Cut::default();
    for result in par_map(planned, || Session::current().num_threads(), work).in_flight(IN_FLIGHT, mem_size).iter() {
        let (job, records) = result?.deliver();
        let Some(job) = job else {
            cut.failed += 1;
            continue;
        };
        let of_utterance = |error: Error| kaldi_table::Error::Work { key: job.utt.clone(), source: Box::new(error) };
        for record in records.map_err(of_utterance)?.unwrap_or_default() {
            target.put(record)?;
        }
        cut.failed += u64::from(job.chunks.is_empty() && options.short_is_failure);
        cut.stats.add(job.feats.num_rows(), &job.chunks);
    }
    Ok(cut)
}
