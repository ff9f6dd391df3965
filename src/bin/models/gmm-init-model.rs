//! Makes a model of a tree and its statistics.
//!
//! Matches Kaldi's `gmm-init-model`.

use anyhow::{Context, bail, ensure};
use kaldi_cli::{InputName, OutputName, Tally, wrong_usage};
use kaldi_gmm::{AcousticModel, AmDiagGmm, DiagGmm, InitialGaussian};
use kaldi_hmm::{ContextDependency, Event, GaussStats, TransitionModel, TreeStats};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Vector;
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;
use kaldi_value::number::general;
use std::collections::BTreeMap;

const USAGE: &str = "\
Makes a model of a tree: each pdf is one Gaussian with the mean and the variance of its statistics, or, with an old tree and
model, the mixture of the old pdf with which it has the most frames in common.

Usage: gmm-init-model [options] <tree-rxfilename> <tree-stats-rxfilename> <topology-rxfilename> <model-wxfilename> \
[<old-tree-rxfilename> <old-model-rxfilename>]
 e.g.: gmm-init-model --write-occs=1.occs tree treeacc topo 1.mdl
See also: acc-tree-stats, build-tree, gmm-init-model-flat, gmm-mixup
";

/// A pdf with fewer frames is mentioned.
const FEW_FRAMES: f32 = 100.0;

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// The least variance
    #[arg(long, default_value_t = 0.01)]
    var_floor: f64,
    /// Wxfilename for the number of frames of each pdf
    #[arg(long)]
    write_occs: Option<OutputName>,
    tree: InputName,
    stats: InputName,
    topology: InputName,
    target: OutputName,
    old_tree: Option<InputName>,
    old_model: Option<InputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_init_model));

/// The statistics of a pdf.
type PdfStats = Vec<(Event, GaussStats)>;

fn gmm_init_model(opts: Options) -> anyhow::Result<Tally> {
    if opts.old_tree.is_some() && opts.old_model.is_none() {
        return Ok(wrong_usage(USAGE, "expected an old model after the old tree"));
    }
    let tree: ContextDependency = read_file(&opts.tree)?;
    let stats: TreeStats = read_file(&opts.stats)?;
    log!("Number of separate statistics is {}", stats.len());
    let transitions = TransitionModel::from_tree(read_file(&opts.topology)?, &tree)?;
    let of_pdfs = split_by_pdf(&stats, &tree)?;
    let pdfs = match (&opts.old_tree, &opts.old_model) {
        (Some(old_tree), Some(old_model)) => {
            let old_model: AcousticModel = read_file(old_model)?;
            from_old(&of_pdfs, &tree, &read_file(old_tree)?, &old_model.pdfs, opts.var_floor as f32)?
        }
        _ => from_stats(&of_pdfs, &transitions, opts.var_floor as f32)?,
    };
    let format = Format::from_binary(opts.binary);
    if let Some(name) = &opts.write_occs {
        let counts = of_pdfs.iter().map(|stats| total(stats).map_or(0.0, |sum| sum.count() as f32));
        write_file(name, &Vector::from_vec(counts.collect()), format)?;
    }
    write_file(&opts.target, &AcousticModel { transitions, pdfs: AmDiagGmm::new(pdfs)? }, format)?;
    log!("Wrote model.");
    Ok(Tally::new(1, 0))
}

/// The statistics of each pdf of the tree.
fn split_by_pdf(stats: &TreeStats, tree: &ContextDependency) -> anyhow::Result<Vec<PdfStats>> {
    let mut of_pdfs = vec![Vec::new(); tree.num_pdfs()];
    for (event, stats) in stats.iter() {
        let Some(stats) = stats else { continue };
        let pdf =
            tree.to_pdf().answer(event).with_context(|| format!("the tree has no pdf for {:?}", event.pairs()))?;
        let of_pdf = usize::try_from(pdf).ok().and_then(|pdf| of_pdfs.get_mut(pdf));
        of_pdf.with_context(|| format!("the tree has no pdf {pdf}"))?.push((event.clone(), stats.clone()));
    }
    Ok(of_pdfs)
}

/// The sum of statistics; `None` if there are none.
fn total<'a>(stats: impl IntoIterator<Item = &'a (Event, GaussStats)>) -> Option<GaussStats> {
    let mut all = stats.into_iter().map(|(_, stats)| stats);
    let mut sum = all.next()?.clone();
    all.for_each(|stats| sum.add(stats));
    Some(sum)
}

/// A Gaussian for each pdf; a pdf without statistics gets those of all.
fn from_stats(of_pdfs: &[PdfStats], transitions: &TransitionModel, var_floor: f32) -> anyhow::Result<Vec<DiagGmm>> {
    let phones = |pdf: usize| -> String {
        transitions.phones_of_pdf(pdf as i32).iter().map(|phone| format!("{phone} ")).collect()
    };
    for (pdf, _) in of_pdfs.iter().enumerate().filter(|(_, stats)| stats.is_empty()) {
        warning!("Tree has pdf-id {pdf} with no stats; corresponding phone list: {}", phones(pdf));
    }
    let average =
        total(of_pdfs.iter().flatten()).context("no statistics available: expected some of the tree's events")?;
    let gaussian = |(pdf, stats): (usize, &PdfStats)| {
        let sum = total(stats).unwrap_or_else(|| average.clone());
        let count = sum.count() as f32;
        if count < FEW_FRAMES {
            let count = general(f64::from(count));
            warning!("Very small count for state {pdf}: {count}; corresponding phone list: {}", phones(pdf));
        }
        Ok(InitialGaussian::of_stats(&sum, var_floor)?.mixture()?)
    };
    of_pdfs.iter().enumerate().map(gaussian).collect()
}

/// For each pdf the mixture of the old pdf that has the most of its frames.
fn from_old(
    of_pdfs: &[PdfStats],
    tree: &ContextDependency,
    old_tree: &ContextDependency,
    old_pdfs: &AmDiagGmm,
    var_floor: f32,
) -> anyhow::Result<Vec<DiagGmm>> {
    let shift = i64::from(old_tree.central_position()) - i64::from(tree.central_position());
    let (first, last) = (-shift, i64::from(old_tree.context_width()) - shift);
    ensure!(
        first >= 0 && last <= i64::from(tree.context_width()),
        "expected an old tree whose context is not wider than that of the new one"
    );
    let average =
        total(of_pdfs.iter().flatten()).context("no statistics available: expected some of the tree's events")?;
    let average = InitialGaussian::of_stats(&average, var_floor)?.mixture()?;
    let mut pdfs = Vec::with_capacity(of_pdfs.len());
    for (pdf, stats) in of_pdfs.iter().enumerate() {
        let mut counts: BTreeMap<i32, f32> = BTreeMap::new();
        for (event, stats) in stats {
            // The keys of the old tree's window; -1 is the pdf class.
            let moved = |&(key, value): &(i32, i32)| match i64::from(key) {
                -1 => Some((key, value)),
                key if (first..last).contains(&key) => Some(((key + shift) as i32, value)),
                _ => None,
            };
            let old_event = Event::new(event.pairs().iter().filter_map(moved).collect());
            let Some(old_pdf) = old_tree.to_pdf().answer(&old_event) else {
                bail!("the old tree has no pdf for {:?}", old_event.pairs());
            };
            *counts.entry(old_pdf).or_default() += stats.count() as f32;
        }
        let best = counts
            .into_iter()
            .filter(|(_, count)| *count > 0.0)
            .reduce(|best, other| if other.1 > best.1 { other } else { best });
        match best {
            Some((old_pdf, _)) => {
                let mixture = old_pdfs.pdf(old_pdf).with_context(|| format!("the old model has no pdf {old_pdf}"))?;
                pdfs.push(mixture.clone());
            }
            None => {
                let why = if stats.is_empty() { "has no stats, " } else { "" };
                warning!("Leaf {pdf} of new tree {why}being initialized with globally averaged stats.");
                pdfs.push(average.clone());
            }
        }
    }
    Ok(pdfs)
}
