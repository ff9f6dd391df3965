//! Converts alignments from transition-ids to pdfs.
//!
//! Matches Kaldi's `ali-to-pdf`, except that a number that is not a transition-id of the model is an error; Kaldi gives pdf
//! 0 for 0, and for others what is in memory there.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_hmm::TransitionModel;
use kaldi_io::log::log;
use kaldi_table::{Record, SequentialReader, TableWriter, read_file};
use kaldi_value::Format;

const USAGE: &str = "\
Converts alignments from transition-ids to pdfs, which are counted from 0: the targets of a network's training.

Usage: ali-to-pdf [options] <model-rxfilename> <alignments-rspecifier> <pdfs-wspecifier>
 e.g.: ali-to-pdf final.mdl 'ark:gunzip -c ali.1.gz |' ark,t:-
See also: ali-to-phones, ali-to-post, post-to-pdf-post, copy-int-vector
";

#[derive(clap::Args)]
struct Options {
    model: InputName,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(ali_to_pdf)).by_entry(1);

fn ali_to_pdf(opts: Options) -> anyhow::Result<Tally> {
    let model: TransitionModel = read_file(&opts.model)?;
    let source = SequentialReader::<Vec<i32>>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;

    let is_binary = target.format() == Format::Binary;
    let written = source.par_map_into(target, move |entry| {
        if is_binary && let Some(pdfs) = entry.bytes().and_then(|bytes| model.pdfs_in_bytes(bytes)) {
            return Ok(Record::from_bytes(entry.key(), pdfs));
        }
        Ok(entry.into_record(model.pdfs_of(&entry.read()?)?))
    })?;
    let done = written.done();
    log!("Converted {done} alignments to pdf sequences.");
    written.finish()?;
    Ok(Tally::new(done, 0).always_ok())
}
