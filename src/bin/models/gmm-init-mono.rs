//! Makes a model without context before training.
//!
//! Matches Kaldi's `gmm-init-mono`, except that phones for which the tree has no pdfs are named in a warning.

use anyhow::ensure;
use kaldi_cli::{Arg, InputName, OutputName, Tally, read_text};
use kaldi_gmm::{AcousticModel, FeatureMoments, InitialGaussian};
use kaldi_hmm::{ContextDependency, HmmTopology, TransitionModel, read_phone_sets};
use kaldi_io::log::warning;
use kaldi_matrix::Matrix;
use kaldi_table::{SequentialReader, read_file, write_file};
use kaldi_value::Format;
use kaldi_value::random::Random;

const USAGE: &str = "\
Makes a model in which each pdf class of each phone has a pdf of one Gaussian, and its tree: the start of training. All pdfs
have the mean and the variance of some features, or 1.

Usage: gmm-init-mono [options] <topology-rxfilename> <dim> <model-wxfilename> <tree-wxfilename>
 e.g.: gmm-init-mono --train-feats='ark:subset-feats --n=10 scp:feats.scp ark:- |' topo 39 0.mdl tree
See also: gmm-info, tree-info, gmm-init-model
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Move the means at random, by this many standard deviations
    #[arg(long, default_value_t = 0.0)]
    perturb_factor: f32,
    /// Rxfilename of lines of phones that share their pdfs
    #[arg(long)]
    shared_phones: Option<InputName>,
    /// Rspecifier of the features for mean and variance
    #[arg(long)]
    train_feats: Option<InputName>,
    topology: InputName,
    dim: Arg,
    model: OutputName,
    tree: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_init_mono)).whole("it is estimated from the whole table");

fn gmm_init_mono(opts: Options) -> anyhow::Result<Tally> {
    let dim: usize = std::str::from_utf8(opts.dim.as_ref()).ok().and_then(|dim| dim.trim().parse().ok()).unwrap_or(0);
    ensure!((1..10_000).contains(&dim), "expected a dimension from 1 to 9999, got {}", opts.dim);
    let gaussian = match &opts.train_feats {
        Some(name) => gaussian_of(name, dim)?,
        None => InitialGaussian::flat(dim, 1.0),
    };
    let topology: HmmTopology = read_file(&opts.topology)?;
    let sets = match &opts.shared_phones {
        Some(name) => read_sets(name)?,
        None => topology.phones().iter().map(|&phone| vec![phone]).collect(),
    };
    let tree = ContextDependency::without_context(&sets, &|phone| topology.num_pdf_classes(phone))?;
    let mut pdfs = gaussian.model(tree.num_pdfs())?;
    if opts.perturb_factor != 0.0 {
        pdfs = pdfs.perturbed(opts.perturb_factor, &mut Random::default())?;
    }
    let transitions = TransitionModel::from_tree(topology, &tree)?;
    for (phone, state) in transitions.states_without_pdfs() {
        warning!("no pdfs for state {state} of phone {phone}, which no utterance may have then");
    }
    let format = Format::from_binary(opts.binary);
    write_file(&opts.model, &AcousticModel { transitions, pdfs }, format)?;
    write_file(&opts.tree, &tree, format)?;
    Ok(Tally::new(1, 0))
}

fn gaussian_of(name: &InputName, dim: usize) -> anyhow::Result<InitialGaussian> {
    let mut moments = FeatureMoments::default();
    let ended = SequentialReader::<Matrix<f64>>::open(name)?.values().drain(|key, feats| {
        let got = feats.num_cols();
        ensure!(feats.num_rows() == 0 || got == dim, "{key}: expected features with {dim} columns, got {got}");
        Ok(moments.add(&feats)?)
    })?;
    ended.finish()?;
    Ok(moments.gaussian()?)
}

fn read_sets(name: &InputName) -> anyhow::Result<Vec<Vec<i32>>> {
    let mut sets = read_text(name, read_phone_sets)?;
    sets.iter_mut().for_each(|set| set.sort_unstable());
    Ok(sets)
}
