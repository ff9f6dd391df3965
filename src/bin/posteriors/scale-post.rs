//! Scales posteriors, all alike or each utterance with its own factor.
//!
//! Matches Kaldi's `scale-post`; in addition, utterances without a scale are named.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::is_specifier;
use kaldi_io::log::{log, warning};
use kaldi_table::{RandomAccessReader, SequentialReader, TableWriter};
use kaldi_value::Posterior;

const USAGE: &str = "\
Multiplies the weights of posteriors by a number, one for all or one for each utterance; a factor of 0 leaves the frames
empty.

Usage: scale-post [options] <post-rspecifier> (<scale>|<scale-rspecifier>) <post-wspecifier>
 e.g.: scale-post ark:1.post 0.1 ark:scaled.post
       scale-post ark:1.post ark:utt2scale ark:scaled.post
See also: weight-post, copy-post, sum-post
";

#[derive(clap::Args)]
struct Options {
    source: InputName,
    scale: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(scale_post)).by_entry(0);

fn scale_post(opts: Options) -> anyhow::Result<Tally> {
    let (scale, scales) = match is_specifier(&opts.scale) {
        true => (None, Some(RandomAccessReader::<f32>::open(&opts.scale)?)),
        false => (Some(read_scale(&opts.scale)?), None),
    };
    let source = SequentialReader::<Posterior>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;

    let written = source.par_map_with_into(scales, target, move |entry, found| {
        let Some(scale) = scale.or(found.flatten().as_deref().copied()) else {
            warning!("No scale for utterance {}", entry.key());
            return Ok(None);
        };
        if scale == 1.0 {
            return Ok(Some(entry.copied()?));
        }
        let mut posterior = entry.read()?;
        posterior.scale(scale);
        Ok(Some(entry.record(&posterior)))
    })?;
    log!("Done {} posteriors;  {} had no scales.", written.done(), written.skipped());
    Ok(written.finish()?.into())
}

fn read_scale(text: &InputName) -> anyhow::Result<f32> {
    let word = text.trim_ascii();
    match kaldi_value::number::parse_f64(word) {
        Ok((scale, length)) if length == word.len() => Ok(scale as f32),
        _ => bail!("expected a scale or the rspecifier of scales, got {:?}", &**text),
    }
}
