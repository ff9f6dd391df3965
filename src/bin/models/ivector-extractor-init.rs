//! Makes an i-vector extractor of a Gaussian mixture.
//!
//! Matches Kaldi's `ivector-extractor-init`, its random numbers included; `--num-iters` has no effect, as in Kaldi.

use anyhow::Context;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::{FullGmm, Mixture};
use kaldi_io::log::log;
use kaldi_io::printable_wxfilename;
use kaldi_ivector::IvectorExtractor;
use kaldi_matrix::{Matrix, Vector};
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;
use kaldi_value::random::Random;

const USAGE: &str = "\
Makes an i-vector extractor of a Gaussian mixture with full covariances: the start of training. How means depend on the
i-vector is drawn at random.

Usage: ivector-extractor-init [options] <full-gmm-rxfilename> <extractor-wxfilename>
 e.g.: ivector-extractor-init --ivector-dim=400 --use-weights=false final.ubm 0.ie
See also: ivector-extractor-acc-stats, ivector-extractor-est, fgmm-global-est
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// The dimension of i-vectors
    #[arg(long, default_value_t = 400)]
    ivector_dim: i32,
    /// No effect, as in Kaldi
    #[arg(long, default_value_t = 2)]
    num_iters: i32,
    /// Make the weights of Gaussians depend on the i-vector, too
    #[arg(long, default_value_t = true)]
    use_weights: bool,
    mixture: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(ivector_extractor_init));

fn ivector_extractor_init(opts: Options) -> anyhow::Result<Tally> {
    let _ = opts.num_iters;
    let mixture: FullGmm = read_file(&opts.mixture)?;
    let mut means = Vec::new();
    for gauss in 0..mixture.num_gauss() {
        means.extend(mixture.moments(gauss)?.0.into_vec());
    }
    let means = Matrix::from_vec(mixture.num_gauss(), mixture.dim(), means);
    let inverse_covariances = (0..mixture.num_gauss()).map(|gauss| mixture.inv_covar(gauss)).collect();
    let weights = Vector::from_vec(mixture.weights().to_vec()).to_precision();
    let dim = usize::try_from(opts.ivector_dim).ok().filter(|dim| *dim > 0);
    let dim = dim.with_context(|| format!("expected --ivector-dim to be 1 or more, got {}", opts.ivector_dim))?;
    let mut random = Random::default();
    let extractor = IvectorExtractor::new(weights, &means, inverse_covariances, dim, opts.use_weights, &mut random)?;
    write_file(&opts.target, &extractor, Format::from_binary(opts.binary))?;
    let target = printable_wxfilename(&opts.target);
    log!("Initialized iVector extractor with iVector dimension {dim} and wrote it to {target}");
    Ok(Tally::new(1, 0))
}
