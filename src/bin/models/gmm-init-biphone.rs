//! Makes a tree with a leaf for each pair of phones, and its model, before training.
//!
//! Matches Kaldi's `gmm-init-biphone`.

use anyhow::{Context, ensure};
use kaldi_cli::{Arg, InputName, OutputName, Tally, read_text};
use kaldi_gmm::{AcousticModel, AmDiagGmm, DiagGmm};
use kaldi_hmm::{BiphoneTree, HmmTopology, PhoneCounts, TransitionModel, parse_phones, read_phone_sets};
use kaldi_io::log::log;
use kaldi_matrix::{Matrix, Vector};
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Makes a tree with a leaf for each pair of phones, for systems that are trained without alignments, and a model in which all
pdfs have a mean and a variance of 1.

Usage: gmm-init-biphone [options] <topology-rxfilename> <dim> <model-wxfilename> <tree-wxfilename>
 e.g.: gmm-init-biphone topo 39 bi.mdl bi.tree
See also: tree-info, am-info, build-tree
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Rxfilename of lines of phones that share their pdfs
    #[arg(long)]
    shared_phones: Option<InputName>,
    /// Phones without context, separated by colons
    #[arg(long, default_value = "")]
    ci_phones: String,
    /// Rxfilename of counts: lines of a phone and its count, or of a phone, the next one and the count of the pair; rare
    /// pairs share pdfs
    #[arg(long)]
    phone_counts: Option<InputName>,
    /// How often a pair must occur to have its own pdfs
    #[arg(long, default_value_t = 100)]
    min_biphone_count: i32,
    /// How often a phone must occur, and once more, to have its own pdfs for rare pairs
    #[arg(long, default_value_t = 20)]
    min_monophone_count: i32,
    topology: InputName,
    dim: Arg,
    model: OutputName,
    tree: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_init_biphone));

fn gmm_init_biphone(opts: Options) -> anyhow::Result<Tally> {
    let dim: usize = std::str::from_utf8(opts.dim.as_ref()).ok().and_then(|dim| dim.trim().parse().ok()).unwrap_or(0);
    ensure!((1..=10_000).contains(&dim), "expected a dimension from 1 to 10000, got {}", opts.dim);
    let mut tree = BiphoneTree::default();
    tree.ci_phones = parse_phones(opts.ci_phones.as_bytes()).context("invalid --ci-phones")?;
    tree.ci_phones.sort_unstable();
    let is_valid = tree.ci_phones.windows(2).all(|pair| pair[0] < pair[1]) && tree.ci_phones.first() != Some(&0);
    ensure!(is_valid, "Invalid --ci-phones option: {} (a phone comes twice, or is 0)", opts.ci_phones);
    let topology: HmmTopology = read_file(&opts.topology)?;
    let phones = topology.phones();
    for &phone in phones {
        let count = topology.num_pdf_classes(phone).unwrap_or(0);
        ensure!((1..=2).contains(&count), "expected phones with 1 or 2 pdf classes, got {count} for phone {phone}");
    }
    tree.num_classes = topology.num_pdf_classes(1).context("expected a topology with phone 1, which has none")?;
    if let Some(name) = &opts.phone_counts {
        tree.counts = Some(read_text(name, |text| PhoneCounts::parse(text, phones.len()))?);
        log!("Loaded mono/bi phone counts.");
    }
    (tree.min_pair_count, tree.min_phone_count) = (opts.min_biphone_count, opts.min_monophone_count);
    tree.sets = match &opts.shared_phones {
        Some(name) => read_text(name, read_phone_sets)?,
        None => phones.iter().map(|&phone| vec![phone]).collect(),
    };
    tree.sets.iter_mut().for_each(|set| set.sort_unstable());
    let tree = tree.build()?;

    let ones = || Matrix::from_vec(1, dim, vec![1.0; dim]);
    let gaussian = DiagGmm::new(Vector::from_vec(vec![1.0]), ones(), ones())?;
    let pdfs = AmDiagGmm::new(vec![gaussian; tree.num_pdfs()])?;
    let transitions = TransitionModel::from_tree(topology, &tree)?;
    let format = Format::from_binary(opts.binary);
    write_file(&opts.model, &AcousticModel { transitions, pdfs }, format)?;
    write_file(&opts.tree, &tree, format)?;
    Ok(Tally::new(1, 0))
}
