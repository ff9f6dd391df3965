//! Scores all pairs of segments of each recording with a PLDA model.
//!
//! Matches Kaldi's `ivector-plda-scoring-dense`. If a recording has so few segments that a direction is kept in which
//! they do not vary, that direction is arbitrary, as in Kaldi.

use anyhow::{Context, bail};
use kaldi_cli::{InputName, MapName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_ivector::{LengthNormalization, Plda, Scorer, energy_projection};
use kaldi_matrix::{Matrix, Vector};
use kaldi_table::{RandomAccessReader, ReaderExt, SequentialReader, TableWriter, read_file};
use kaldi_value::Keys;

const USAGE: &str = "\
Scores all pairs of the segments of each recording with a PLDA model, for speaker diarization: writes a matrix for each
recording, with rows and columns in the order of its segments. The vectors and the model are reduced to the directions
in which the vectors of the recording vary most.

Usage: ivector-plda-scoring-dense [options] <plda-rxfilename> <reco2utt-rspecifier> <ivector-rspecifier>
                                  <scores-wspecifier>
 e.g.: ivector-plda-scoring-dense plda ark:reco2utt scp:ivectors.scp ark,scp:scores.ark,scores.scp
See also: agglomerative-cluster, ivector-plda-scoring, ivector-compute-plda
";

#[derive(clap::Args)]
struct Options {
    /// The share of the variance of a recording's vectors that has to remain; with 1 they are not reduced
    #[arg(long, default_value_t = 0.5)]
    target_energy: f32,
    #[command(flatten)]
    normalization: LengthNormalization,
    plda: InputName,
    reco2utt: MapName,
    ivectors: InputName,
    scores: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(ivector_plda_scoring_dense)).by_entry(1);

fn ivector_plda_scoring_dense(opts: Options) -> anyhow::Result<Tally> {
    let plda: Plda = read_file(&opts.plda)?;
    let mut recordings = SequentialReader::<Keys>::open(&opts.reco2utt)?;
    let mut ivectors = RandomAccessReader::<Vector<f32>>::open(&opts.ivectors)?;
    let mut scores = TableWriter::create(&opts.scores)?;

    let mut tally = Tally::default();
    for recording in recordings.iter() {
        let (reco, utts) = recording?;
        let (mut rows, mut elements) = (0, Vec::new());
        for utt in utts.iter() {
            let Some(ivector) = ivectors.get(utt)? else {
                bail!("{reco}: No iVector present in input for utterance {utt}");
            };
            rows += 1;
            elements.extend_from_slice(ivector.as_slice());
            if elements.len() != rows * ivector.dim() {
                bail!("{reco}: the iVector of {utt} has another dimension than those before it");
            }
        }
        if rows == 0 {
            warning!("Not producing output for recording {reco} since no segments had iVectors");
            tally.failed += 1;
            continue;
        }
        let vectors = Matrix::from_vec(rows, elements.len() / rows, elements);
        let pairs = opts.score(&plda, vectors).with_context(|| reco.to_string())?;
        scores.write(&reco, &pairs)?;
        tally.done += 1;
    }
    log!("Processed {} recordings, {} had errors.", tally.done, tally.failed);
    ivectors.finish()?;
    scores.finish()?;
    Ok(tally)
}

impl Options {
    /// The scores of all pairs of rows.
    fn score(&self, plda: &Plda, vectors: Matrix<f32>) -> anyhow::Result<Matrix<f32>> {
        let Some(projection) = energy_projection(&vectors, self.target_energy)? else {
            return self.score_whole(plda, &vectors);
        };
        let plda = plda.projected(&projection.to_precision())?;
        self.score_whole(&plda, &vectors.multiply_transposed(&projection)?)
    }

    fn score_whole(&self, plda: &Plda, vectors: &Matrix<f32>) -> anyhow::Result<Matrix<f32>> {
        let mut transformed = Vec::new();
        for vector in vectors.rows() {
            transformed.extend(plda.transform(vector, 1, self.normalization)?.0.into_vec());
        }
        let transformed = Matrix::from_vec(vectors.num_rows(), plda.dim(), transformed);
        Ok(Scorer::new(plda).score_pairs(&transformed)?)
    }
}
