//! Converts posteriors from transition-ids to pdfs.
//!
//! Matches Kaldi's `post-to-pdf-post`, the order of a frame's pdfs included; a number that is not a transition-id is an error.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_hmm::TransitionModel;
use kaldi_io::log::log;
use kaldi_table::{SequentialReader, TableWriter, read_file};
use kaldi_value::Posterior;

const USAGE: &str = "\
Converts posteriors from transition-ids to pdfs: sums the weights of the transition-ids of each pdf.

Usage: post-to-pdf-post [options] <model-rxfilename> <post-rspecifier> <pdf-post-wspecifier>
 e.g.: post-to-pdf-post final.mdl ark:1.post ark:1.pdf_post
See also: post-to-phone-post, ali-to-pdf, post-to-weights
";

#[derive(clap::Args)]
struct Options {
    model: InputName,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(post_to_pdf_post)).by_entry(1);

fn post_to_pdf_post(opts: Options) -> anyhow::Result<Tally> {
    let model: TransitionModel = read_file(&opts.model)?;
    let source = SequentialReader::<Posterior>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;

    let written = source.par_map_into(target, move |entry| Ok(entry.record(&model.pdf_posterior(&entry.read()?)?)))?;
    let done = written.done();
    log!("Done converting posteriors to pdf-level posteriors for {done} utterances.");
    written.finish()?;
    Ok(Tally::new(done, 0).always_ok())
}
