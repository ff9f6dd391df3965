//! Converts posteriors from transition-ids, or from pdfs, to phones.
//!
//! Matches Kaldi's `post-to-phone-post`, the order of a frame's phones included.

use anyhow::Context;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_hmm::{PhonesOfPdfs, TransitionModel};
use kaldi_io::log::log;
use kaldi_matrix::Vector;
use kaldi_table::{SequentialReader, TableWriter, read_file};
use kaldi_value::Posterior;

const USAGE: &str = "\
Converts posteriors from transition-ids to phones: sums the weights of the transition-ids of each phone. With
--transition-id-counts the posteriors are those of pdfs, such as outputs of a network, and each is distributed among the
phones that share the pdf.

Usage: post-to-phone-post [options] <model-rxfilename> <post-rspecifier> <phone-post-wspecifier>
 e.g.: post-to-phone-post final.mdl 'ark:ali-to-post ark:1.ali ark:- |' ark,t:-
       post-to-phone-post --transition-id-counts=final.tacc final.mdl ark:pdf_post.ark ark,t:-
See also: post-to-pdf-post, post-to-tacc, ali-to-phones
";

#[derive(clap::Args)]
struct Options {
    /// Rxfilename of the counts of transition-ids in training, made by post-to-tacc; the posteriors are those of pdfs then
    #[arg(long)]
    transition_id_counts: Option<InputName>,
    model: InputName,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(post_to_phone_post)).by_entry(1);

fn post_to_phone_post(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Posterior>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;
    let model: TransitionModel = read_file(&opts.model)?;

    let written = match &opts.transition_id_counts {
        None => source.par_map_into(target, move |entry| Ok(entry.record(&model.phone_posterior(&entry.read()?)?)))?,
        Some(name) => {
            let counts: Vector<f32> = read_file(name)?;
            let phones = PhonesOfPdfs::new(&model, counts.as_slice());
            let phones = phones.with_context(|| format!("cannot use the counts of {name}"))?;
            source.par_map_into(target, move |entry| Ok(entry.record(&phones.phone_posterior(&entry.read()?)?)))?
        }
    };
    log!("Done converting posteriors to phone posteriors for {} utterances.", written.done());
    Ok(written.finish()?.into())
}
