//! Computes the likelihoods of pdfs.
//!
//! Matches Kaldi's `gmm-compute-likes`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::AcousticModel;
use kaldi_io::log::log;
use kaldi_matrix::Matrix;
use kaldi_table::{SequentialReader, TableWriter, read_file};

const USAGE: &str = "\
Computes the log likelihood of each frame with each pdf of a model: matrices of a row for each frame and a column for each
pdf.

Usage: gmm-compute-likes [options] <model-rxfilename> <feats-rspecifier> <likes-wspecifier>
 e.g.: gmm-compute-likes final.mdl scp:feats.scp ark:likes.ark
See also: ali-to-pdf, gmm-info
";

#[derive(clap::Args)]
struct Options {
    model: InputName,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_compute_likes)).by_entry(1);

fn gmm_compute_likes(opts: Options) -> anyhow::Result<Tally> {
    let pdfs = read_file::<AcousticModel>(&opts.model)?.pdfs;
    let target = TableWriter::create(&opts.target)?;
    let source = SequentialReader::<Matrix<f32>>::open(&opts.source)?;

    let written = source.par_map_into(target, move |entry| {
        let feats = entry.read()?;
        let likelihoods = if feats.is_empty() { Matrix::default() } else { pdfs.log_likelihoods(&feats)? };
        Ok(entry.into_record(likelihoods))
    })?;
    let done = written.done();
    log!("gmm-compute-likes: computed likelihoods for {done} utterances.");
    written.finish()?;
    Ok(Tally::new(done, 0).always_ok())
}
