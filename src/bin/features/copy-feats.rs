//! Copies features; compresses them, or reads them from formats of other toolkits.
//!
//! Matches Kaldi's `copy-feats`, except that `--compress` warns of NaN, and refuses values that are so far apart that
//! nothing would be left of them.

use anyhow::{Context, bail};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_io::{printable_rxfilename, printable_wxfilename};
use kaldi_matrix::{CompressedMatrix, CompressionMethod, HtkFeatures, Matrix, SphinxFeatures};
use kaldi_table::{Entry, Record, SequentialReader, TableWriter, WorkError, are_tables, read_file, write_file};
use kaldi_value::{Format, Value};

const USAGE: &str = "\
Copies features between files, archives, text and binary; compresses them if wanted.

Usage: copy-feats [options] <feature-rspecifier> <feature-wspecifier>
  or:  copy-feats [options] <feats-rxfilename> <feats-wxfilename>
 e.g.: copy-feats --compress=true ark:- ark,scp:foo.ark,foo.scp
       copy-feats ark:foo.ark ark,t:txt.ark
See also: copy-matrix, copy-feats-to-htk, copy-feats-to-sphinx, select-feats, subset-feats, feat-to-len
";

#[derive(clap::Args)]
struct Options {
    /// Read HTK features
    #[arg(long)]
    htk_in: bool,
    /// Read Sphinx features (tables only)
    #[arg(long)]
    sphinx_in: bool,
    /// Write in binary mode (only relevant if the output is a wxfilename)
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Write compressed matrices (tables only)
    #[arg(long)]
    compress: bool,
    /// How to compress: 1 chooses by the number of rows, 2 uses a byte per element, spaced for each column, 3 two bytes
    /// and 5 one, evenly spaced from the least to the greatest value; with fixed ranges, 4 uses two bytes for -32768 to
    /// 32767, 6 one for 0 to 255, 7 one for 0 to 1
    #[arg(long, default_value_t = 1)]
    compression_method: i32,
    /// Wspecifier for the number of frames of each utterance, e.g. ark,t:utt2num_frames (tables only)
    #[arg(long)]
    write_num_frames: Option<OutputName>,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(copy_feats)).by_entry(0);

fn copy_feats(opts: Options) -> anyhow::Result<Tally> {
    if !are_tables(&opts.source, &opts.target)? {
        return copy_file(&opts);
    }
    match (opts.method()?, opts.htk_in, opts.sphinx_in) {
        (None, true, _) => copy_table(&opts, plain(HtkFeatures::into_feats)),
        (None, _, true) => copy_table(&opts, plain(SphinxFeatures::into_feats)),
        (None, ..) => copy_table(&opts, unchanged(opts.write_num_frames.is_some())),
        (Some(method), true, _) => copy_table(&opts, compressed(method, HtkFeatures::into_feats)),
        (Some(method), _, true) => copy_table(&opts, compressed(method, SphinxFeatures::into_feats)),
        (Some(method), ..) => copy_table(&opts, compressed(method, |feats: Matrix<f32>| feats)),
    }
}

/// The record to write, and the number of frames.
type Copied<T> = Result<(Record<T>, usize), WorkError>;

/// Copies a table of `T` as one of `U`.
fn copy_table<T: Value, U: Value>(
    opts: &Options,
    copy: impl Fn(&Entry<'_, T>, Format) -> Copied<U> + Send + Sync + 'static,
) -> anyhow::Result<Tally> {
    let num_frames = opts.write_num_frames.as_deref();
    let mut num_frames = num_frames.map(TableWriter::<i32>::create).transpose()?;
    let mut target = TableWriter::<U>::create(&opts.target)?;
    let format = target.format();

    let rows = SequentialReader::<T>::open(&opts.source)?.leave_in_files().par_map(move |entry| copy(entry, format));
    let mut done = 0;
    let ended = rows.drain(|key, (record, frames)| {
        target.put(record)?;
        if let Some(num_frames) = &mut num_frames {
            num_frames.write(&key, &(frames as i32))?;
        }
        done += 1;
        anyhow::Ok(())
    })?;
    log!("Copied {done} feature matrices.");
    ended.finish()?;
    target.finish()?;
    num_frames.map_or(Ok(()), TableWriter::finish)?;
    Ok(Tally::new(done, 0))
}

/// Passes matrices on; counts frames if that is wanted.
fn unchanged(counted: bool) -> impl Fn(&Entry<'_, Matrix<f32>>, Format) -> Copied<Matrix<f32>> {
    move |entry, format| {
        let num_frames = if counted { entry.read_with(Matrix::<f32>::read_size)?.0 } else { 0 };
        Ok((entry.copy(format)?, num_frames))
    }
}

fn plain<T: Value>(into_feats: fn(T) -> Matrix<f32>) -> impl Fn(&Entry<'_, T>, Format) -> Copied<Matrix<f32>> {
    move |entry, format| {
        let feats = into_feats(entry.read()?);
        Ok((Record::new(entry.key(), &feats, format), feats.num_rows()))
    }
}

fn compressed<T: Value>(
    method: CompressionMethod,
    into_feats: fn(T) -> Matrix<f32>,
) -> impl Fn(&Entry<'_, T>, Format) -> Copied<CompressedMatrix> {
    move |entry, format| {
        let feats = into_feats(entry.read()?);
        let compressed = CompressedMatrix::compress(&feats, method)?;
        // The loop has no early end, which would slow it down.
        if feats.as_slice().iter().fold(false, |found, value| found | value.is_nan()) {
            warning!("{}: values that are not numbers are compressed to some number", entry.key());
        }
        Ok((Record::new(entry.key(), &compressed, format), feats.num_rows()))
    }
}

fn copy_file(opts: &Options) -> anyhow::Result<Tally> {
    if opts.compress {
        bail!("--compress is for tables; a single file can only be written uncompressed");
    }
    if opts.write_num_frames.is_some() {
        bail!("--write-num-frames is for tables, not for single files");
    }
    let feats = match (opts.htk_in, opts.sphinx_in) {
        (true, _) => read_file::<HtkFeatures>(&opts.source)?.into_feats(),
        (_, true) => bail!("--sphinx-in is for tables (scp:, ark:), not for single files"),
        _ => read_file(&opts.source)?,
    };
    write_file(&opts.target, &feats, Format::from_binary(opts.binary))?;
    log!("Copied features from {} to {}", printable_rxfilename(&opts.source), printable_wxfilename(&opts.target));
    Ok(Tally::new(1, 0))
}

impl Options {
    /// How to compress, if at all.
    fn method(&self) -> anyhow::Result<Option<CompressionMethod>> {
        if !self.compress {
            return Ok(None);
        }
        let number = self.compression_method;
        let method = CompressionMethod::from_number(number);
        Ok(Some(method.with_context(|| format!("expected --compression-method to be from 1 to 7, got {number}"))?))
    }
}
