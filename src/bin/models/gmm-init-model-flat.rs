//! Makes a model of a tree, in which all pdfs are alike.
//!
//! Matches Kaldi's `gmm-init-model-flat`.

use anyhow::ensure;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::{AcousticModel, FeatureMoments, InitialGaussian};
use kaldi_hmm::{ContextDependency, TransitionModel};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{SequentialReader, read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Makes a model of a tree in which each pdf is one Gaussian with the mean and the variance of some features, or with a mean of
0 and a variance of 1.

Usage: gmm-init-model-flat [options] <tree-rxfilename> <topology-rxfilename> <model-wxfilename> [<feats-rspecifier>]
 e.g.: gmm-init-model-flat tree topo 1.mdl scp:feats.scp
See also: gmm-init-model, gmm-init-mono, gmm-info
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// The dimension if there are no features
    #[arg(long, default_value_t = 40)]
    dim: i32,
    tree: InputName,
    topology: InputName,
    target: OutputName,
    source: Option<InputName>,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_init_model_flat)).whole("it is estimated from the whole table");

fn gmm_init_model_flat(opts: Options) -> anyhow::Result<Tally> {
    let tree: ContextDependency = read_file(&opts.tree)?;
    let topology = read_file(&opts.topology)?;
    let gaussian = match &opts.source {
        Some(name) => {
            let mut moments = FeatureMoments::default();
            let ended = SequentialReader::<Matrix<f64>>::open(name)?
                .values()
                .drain(|_, feats| Ok::<_, anyhow::Error>(moments.add(&feats)?))?;
            ended.finish()?;
            moments.gaussian()?
        }
        None => {
            ensure!((1..10_000).contains(&opts.dim), "expected --dim to be from 1 to 9999, got {}", opts.dim);
            InitialGaussian::flat(opts.dim as usize, 0.0)
        }
    };
    let transitions = TransitionModel::from_tree(topology, &tree)?;
    for (phone, state) in transitions.states_without_pdfs() {
        warning!("no pdfs for state {state} of phone {phone}, which no utterance may have then");
    }
    let pdfs = gaussian.model(tree.num_pdfs())?;
    write_file(&opts.target, &AcousticModel { transitions, pdfs }, Format::from_binary(opts.binary))?;
    log!("Wrote model.");
    Ok(Tally::new(1, 0))
}
