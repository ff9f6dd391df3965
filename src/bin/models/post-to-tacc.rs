//! Counts transition-ids in posteriors.
//!
//! Matches Kaldi's `post-to-tacc`; with `--per-pdf` the last transition-id is left out, as there.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_hmm::TransitionModel;
use kaldi_io::log::log;
use kaldi_matrix::Vector;
use kaldi_table::{SequentialReader, read_file, write_file};
use kaldi_value::{Format, Posterior};

const USAGE: &str = "\
Adds up the weights of each transition-id in posteriors. The result is a vector with an element for each transition-id,
after an element for 0, which is none.

Usage: post-to-tacc [options] <model-rxfilename> <post-rspecifier> <counts-wxfilename>
 e.g.: post-to-tacc --binary=false final.mdl 'ark:ali-to-post ark:1.ali ark:- |' 1.tacc
See also: post-to-phone-post, get-post-on-ali, vector-sum
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Count pdfs, from 0, instead of transition-ids; the last transition-id is not counted then
    #[arg(long)]
    per_pdf: bool,
    model: InputName,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(post_to_tacc))
    .in_pieces(&[(kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Sums(1, "vector-sum IN OUT"))]);

fn post_to_tacc(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Posterior>::open(&opts.source)?;
    let model: TransitionModel = read_file(&opts.model)?;
    let mut counts = vec![0.0_f64; model.num_transition_ids() + 1];

    let mut done = 0;
    let ended = source.values().drain(|key, posterior| {
        for (id, weight) in posterior.0.into_iter().flatten() {
            match usize::try_from(id).ok().filter(|&id| id > 0).and_then(|id| counts.get_mut(id)) {
                Some(count) => *count += f64::from(weight),
                None => bail!(
                    "Invalid transition-id {id} encountered for utterance {key}: expected 1 to {}",
                    model.num_transition_ids()
                ),
            }
        }
        done += 1;
        anyhow::Ok(())
    })?;
    ended.finish()?;
    if opts.per_pdf {
        log!("accumulate counts per pdf-id");
        counts = counts_of_pdfs(&model, &counts);
    }
    write_file(&opts.target, &Vector::from_vec(counts).to_precision::<f32>(), Format::from_binary(opts.binary))?;
    log!("Done computing transition stats over {done} utterances; wrote stats to {}", opts.target);
    Ok(Tally::new(done, 0))
}

/// The counts of pdfs. As in Kaldi, the last transition-id does not count.
fn counts_of_pdfs(model: &TransitionModel, counts: &[f64]) -> Vec<f64> {
    let mut of_pdfs = vec![0.0; model.num_pdfs()];
    let all_but_last = &model.all_facts()[..model.num_transition_ids() - 1];
    for (facts, count) in all_but_last.iter().zip(&counts[1..]) {
        of_pdfs[facts.pdf as usize] += count;
    }
    of_pdfs
}
