//! Looks up the posteriors of alignments.
//!
//! Matches Kaldi's `get-post-on-ali`; in addition, utterances without an alignment are named.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Vector;
use kaldi_table::{Counts, RandomAccessReader, SequentialReader, TableWriter};
use kaldi_value::Posterior;

const USAGE: &str = "\
Finds, for each frame, the weight that a posterior gives to the index of an alignment: a measure of confidence. It is 0
if the posterior does not have the index. The indexes of both must have the same meaning (transitions, pdfs, phones).

Usage: get-post-on-ali [options] <posteriors-rspecifier> <alignments-rspecifier> <weights-wspecifier>
 e.g.: get-post-on-ali ark:1.post 'ark,s,cs:gunzip -c ali.1.gz |' ark:weights.ark
See also: weight-post, post-to-weights, ali-to-post
";

#[derive(clap::Args)]
struct Options {
    source: InputName,
    alignments: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(get_post_on_ali)).by_entry(0);

fn get_post_on_ali(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Posterior>::open(&opts.source)?;
    let alignments = RandomAccessReader::<Vec<i32>>::open(&opts.alignments)?;
    let target = TableWriter::create(&opts.target)?;

    let written = source.par_map_with_into(alignments, target, move |entry, found| {
        let Some(alignment) = found else {
            warning!("No alignment for utterance {}", entry.key());
            return Ok(None);
        };
        let posterior = entry.read()?;
        let (expected, got) = (posterior.0.len(), alignment.len());
        if expected != got {
            return Err(format!("expected an alignment of {expected} frames, got {got}").into());
        }
        let weights = Vector::from_vec(posterior.weights_along(&alignment));
        Ok(Some(entry.record(&weights)))
    })?;
    let Counts { done, skipped: failed } = written.counts();
    log!(
        "Done getting the posteriors under the alignment path for {done} utterances. {failed} with missing alignments."
    );
    Ok(Tally::from(written.finish()?).always_ok())
}
