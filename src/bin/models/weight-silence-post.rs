//! Weights the posteriors of silence.
//!
//! Matches Kaldi's `weight-silence-post`, except that a number that is not a transition-id, and a negative sum of weights with
//! `--distribute`, end with an error that has the place; Kaldi's assertions fail.

use anyhow::Context;
use kaldi_cli::{Arg, InputName, OutputName, Tally};
use kaldi_hmm::{SilenceWeight, TransitionModel, parse_phones};
use kaldi_io::log::{log, warning};
use kaldi_table::{Record, SequentialReader, TableWriter, read_file};
use kaldi_value::{Format, Posterior};

const USAGE: &str = "\
Multiplies the posteriors of some phones, most often of silence, by a weight; a weight of 0 removes them.

Usage: weight-silence-post [options] <silence-weight> <silence-phones> <model-rxfilename> <post-rspecifier> <post-wspecifier>
 e.g.: weight-silence-post 0.0 1:2:3 final.mdl ark:1.post ark:nosil.post
See also: weight-post, scale-post, ali-to-post
";

#[derive(clap::Args)]
struct Options {
    /// Weight whole frames, by their part of silence, instead of the single posteriors
    #[arg(long)]
    distribute: bool,
    silence_weight: Arg,
    silence_phones: Arg,
    model: InputName,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(weight_silence_post)).by_entry(3);

fn weight_silence_post(opts: Options) -> anyhow::Result<Tally> {
    let weight = parse_weight(&opts.silence_weight)?;
    let phones = parse_phones(&opts.silence_phones).context("Invalid silence-phones string")?;
    if phones.is_empty() {
        warning!("No silence phones, this will have no effect");
    }
    let model: TransitionModel = read_file(&opts.model)?;
    let silence = SilenceWeight::new(&model, &phones, weight);
    let source = SequentialReader::<Posterior>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;

    let is_binary = target.format() == Format::Binary;
    let written = source.par_map_into(target, move |entry| {
        if is_binary
            && !opts.distribute
            && let Some(changed) = entry.bytes().and_then(|bytes| silence.apply_to_bytes(bytes))
        {
            return Ok(Record::from_bytes(entry.key(), changed?));
        }
        let mut posterior = entry.read()?;
        match opts.distribute {
            true => silence.apply_to_frames(&mut posterior)?,
            false => silence.apply(&mut posterior)?,
        }
        Ok(entry.record(&posterior))
    })?;
    let done = written.done();
    log!("Done {done} posteriors.");
    Ok(written.finish()?.into())
}

fn parse_weight(text: &[u8]) -> anyhow::Result<f32> {
    let number = kaldi_value::number::parse_f32(text.trim_ascii()).ok();
    let number = number.filter(|(_, length)| *length == text.trim_ascii().len()).map(|(number, _)| number);
    number.with_context(|| {
        format!("Invalid silence-weight parameter: expected a number, got {:?}", String::from_utf8_lossy(text))
    })
}
