//! Copies matrices, and applies simple functions to them.
//!
//! Matches Kaldi's `copy-matrix`.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_matrix::Matrix;
use kaldi_table::{SequentialReader, TableWriter, are_tables};
use kaldi_value::Format;

const USAGE: &str = "\
Copies matrices, or tables of matrices (features, transforms), between files, archives, text and binary.

Usage: copy-matrix [options] <matrix-rspecifier> <matrix-wspecifier>
  or:  copy-matrix [options] <matrix-rxfilename> <matrix-wxfilename>
 e.g.: copy-matrix --binary=false 1.mat -
       copy-matrix ark:2.trans ark,t:-
See also: copy-feats, copy-vector, matrix-sum
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode (only relevant if the output is a wxfilename)
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Multiply the matrices by this
    #[arg(long, default_value_t = 1.0)]
    scale: f32,
    /// Take the logarithm of every element, after raising it to 1e-20 at least
    #[arg(long)]
    apply_log: bool,
    /// Take the exponential of every element
    #[arg(long)]
    apply_exp: bool,
    /// Raise every element to this power
    #[arg(long, default_value_t = 1.0)]
    apply_power: f32,
    /// Apply the softmax function to every row
    #[arg(long)]
    apply_softmax_per_row: bool,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(copy_matrix)).by_entry(0);

fn copy_matrix(opts: Options) -> anyhow::Result<Tally> {
    if u8::from(opts.apply_log) + u8::from(opts.apply_exp) + u8::from(opts.apply_softmax_per_row) > 1 {
        bail!("Only one of apply-log, apply-exp and apply-softmax-per-row can be given");
    }
    let tables = are_tables(&opts.source, &opts.target)?;
    let source = SequentialReader::<Matrix<f32>>::open_table_or_file(&opts.source)?.leave_in_files();
    let target = TableWriter::create_table_or_file(&opts.target, Format::from_binary(opts.binary))?;
    let target_name = opts.target.clone();

    let written = source.par_map_into(target, move |entry| {
        if opts.changes_nothing() {
            return Ok(entry.copied()?);
        }
        let mut matrix = entry.read()?;
        opts.apply(&mut matrix);
        Ok(entry.into_record(matrix))
    })?;
    let done = written.done();
    if tables {
        log!("Copied {done} matrices.");
    }
    written.finish()?;
    if !tables {
        log!("Copied matrix to {target_name}");
    }
    Ok(Tally::new(done, 0))
}

impl Options {
    fn changes_nothing(&self) -> bool {
        let functions = self.apply_log || self.apply_exp || self.apply_softmax_per_row;
        self.scale == 1.0 && self.apply_power == 1.0 && !functions
    }

    fn apply(&self, matrix: &mut Matrix<f32>) {
        if self.scale != 1.0 {
            matrix.scale(self.scale);
        }
        if self.apply_log {
            matrix.apply_floor(1.0e-20);
            matrix.apply_log();
        }
        if self.apply_exp {
            matrix.apply_exp();
        }
        if self.apply_softmax_per_row {
            matrix.apply_softmax_per_row();
        }
        if self.apply_power != 1.0 {
            matrix.apply_pow(self.apply_power);
        }
    }
}
