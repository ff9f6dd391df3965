//! Splits and merges the Gaussians of a model.
//!
//! Matches Kaldi's `gmm-mixup`, also in its random numbers, and in the pdf that gets a Gaussian if several are equal.

use anyhow::ensure;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::tables::{merge_by_counts, split_by_counts};
use kaldi_gmm::{AcousticModel, GaussianTargets};
use kaldi_io::log::log;
use kaldi_matrix::Vector;
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Splits Gaussians until there are more, or merges them until there are fewer. How many a pdf gets depends on its count.

Usage: gmm-mixup [options] <model-rxfilename> <occupancies-rxfilename> <model-wxfilename>
 e.g.: gmm-mixup --mix-up=4000 1.mdl 1.occs 2.mdl
       gmm-mixup --mix-down=2000 1.mdl 1.occs 2.mdl
See also: gmm-info, show-transitions
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// The least count of a Gaussian
    #[arg(long, default_value_t = 20.0)]
    min_count: f32,
    /// The number of Gaussians after merging; 0 does not merge
    #[arg(long, default_value_t = 0)]
    mix_down: i32,
    /// The number of Gaussians after splitting; 0 does not split
    #[arg(long, default_value_t = 0)]
    mix_up: i32,
    /// How far the means of split Gaussians are moved, in standard deviations
    #[arg(long, default_value_t = 0.01)]
    perturb_factor: f32,
    /// Pdfs get Gaussians in proportion to this power of their counts
    #[arg(long, default_value_t = 0.2)]
    power: f32,
    source: InputName,
    counts: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_mixup));

fn gmm_mixup(opts: Options) -> anyhow::Result<Tally> {
    let mut model: AcousticModel = read_file(&opts.source)?;
    if opts.mix_up != 0 || opts.mix_down != 0 {
        let counts: Vector<f32> = read_file(&opts.counts)?;
        let num_pdfs = model.pdfs.num_pdfs();
        ensure!(
            counts.dim() == num_pdfs,
            "Dimension of state occupancies {} does not match num-pdfs {num_pdfs}",
            counts.dim()
        );
        let targets = |target| GaussianTargets { target, power: opts.power, min_count: opts.min_count };
        if opts.mix_down != 0 {
            model.pdfs = merge_by_counts(&model.pdfs, counts.as_slice(), targets(opts.mix_down))?;
        }
        if opts.mix_up != 0 {
            model.pdfs = split_by_counts(&model.pdfs, counts.as_slice(), targets(opts.mix_up), opts.perturb_factor)?;
        }
    }
    write_file(&opts.target, &model, Format::from_binary(opts.binary))?;
    log!("Written model to {}", opts.target);
    Ok(Tally::new(1, 0))
}
