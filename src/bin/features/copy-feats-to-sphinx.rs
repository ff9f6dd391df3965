//! Writes features as Sphinx files, one for each utterance.
//!
//! Matches Kaldi's `copy-feats-to-sphinx`, except that a file that cannot be written is an error, and that keys whose
//! files would be outside of the folder are skipped. As in Kaldi, the files are in little-endian order and of any
//! dimension, while `copy-feats --sphinx-in` reads 13 columns in big-endian order.

use kaldi_cli::{Arg, InputName, Tally};
use kaldi_io::log::log;
use kaldi_matrix::{Matrix, SphinxFeatures, write_sphinx_little_endian};
use kaldi_table::{Record, SequentialReader, TableWriter};

const USAGE: &str = "\
Writes every feature matrix as a Sphinx file <output-dir>/<utterance>.<output-ext>, in little-endian order.

Usage: copy-feats-to-sphinx [options] <feature-rspecifier>
 e.g.: copy-feats-to-sphinx --output-dir=sphinx-feats --output-ext=mfc scp:feats.scp
See also: copy-feats (with --sphinx-in), copy-feats-to-htk
";

#[derive(clap::Args)]
struct Options {
    /// Extension of the files
    #[arg(long, default_value = "mfc")]
    output_ext: Arg,
    /// Folder of the files, made if it is missing
    #[arg(long, default_value = "./")]
    output_dir: Arg,
    source: InputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(copy_feats_to_sphinx)).by_entry(0);

fn copy_feats_to_sphinx(opts: Options) -> anyhow::Result<Tally> {
    let target = TableWriter::<SphinxFeatures>::create_folder(&opts.output_dir, &opts.output_ext)?;

    let written = SequentialReader::<Matrix<f32>>::open(&opts.source)?.par_map_into(target, |entry| {
        let mut bytes = Vec::new();
        write_sphinx_little_endian(&mut bytes, &entry.read()?)?;
        Ok(Record::from_bytes(entry.key(), bytes))
    })?;
    let done = written.done();
    log!("{done} Sphinx feature files generated in the directory: {}", opts.output_dir);
    let counts = written.finish()?;
    Ok(Tally::from(counts).ok_if(counts.done > 0 && counts.skipped == 0))
}
