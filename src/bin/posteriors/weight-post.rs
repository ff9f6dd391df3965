//! Weights the frames of posteriors.
//!
//! Matches Kaldi's `weight-post`, except that frames after the last weight become empty, like those with a weight of 0;
//! in Kaldi the result depends on what is in memory there.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Vector;
use kaldi_table::{RandomAccessReader, SequentialReader, TableWriter};
use kaldi_value::Posterior;

const USAGE: &str = "\
Multiplies posteriors by weights, one for each frame; frames with a weight of 0, and those after the last weight, become
empty.

Usage: weight-post [options] <post-rspecifier> <weights-rspecifier> <post-wspecifier>
 e.g.: weight-post ark:1.post 'ark,s,cs:gunzip -c weights.1.gz |' ark:weighted.post
See also: scale-post, post-to-weights, get-post-on-ali
";

#[derive(clap::Args)]
struct Options {
    /// The largest difference in frames between weights and posteriors
    #[arg(long, default_value_t = 2)]
    length_tolerance: i32,
    source: InputName,
    weights: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(weight_post)).by_entry(0);

fn weight_post(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Posterior>::open(&opts.source)?;
    let weights = RandomAccessReader::<Vector<f32>>::open(&opts.weights)?;
    let target = TableWriter::create(&opts.target)?;

    let written = source.par_map_with_into(weights, target, move |entry, found| {
        let Some(weights) = found else {
            warning!("No weights for utterance {}", entry.key());
            return Ok(None);
        };
        let mut posterior = entry.read()?;
        let (num_weights, num_frames) = (weights.dim(), posterior.0.len());
        if num_weights.abs_diff(num_frames) as i64 > i64::from(opts.length_tolerance) {
            warning!("Weights for utterance {} have wrong size, {num_weights} vs. {num_frames}", entry.key());
            return Ok(None);
        }
        posterior.weigh_frames(weights.as_slice());
        Ok(Some(entry.record(&posterior)))
    })?;
    log!("Scaled {} posteriors; errors on {}", written.done(), written.skipped());
    Ok(written.finish()?.into())
}
