//! Writes tables as files of other programs.
//!
//! Kaldi has no such program.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use bstr::{BStr, BString};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_convert::{DType, ExportOptions, Exporter, FileFormat, Piece};
use kaldi_inspect::{Kind, Named, Numbers};
use kaldi_io::{FileNames, Output, Wxfilename, is_specifier};
use kaldi_log::log;
use kaldi_table::{SequentialReader, create_output};

const USAGE: &str = "\
Writes a table of matrices, vectors or integer vectors as a file of NumPy (.npy, .npz), safetensors, Parquet, CSV, TSV or
JSON lines; in a folder, as a file for each key. In .npz and .safetensors each key is an array. A .npy has one value, or
with --stack the rows of all. A row of Parquet has key, rows, columns and values; a line of CSV and TSV has the key and a
row; a line of JSON is {\"key\": ..., \"value\": ...}. Numbers keep their precision unless --dtype is given.
The table is an rspecifier, or the name of an archive or a script file.

Usage: table-export [options] <table> (<file>|<folder>)
 e.g.: table-export scp:feats.scp feats.npz
       table-export --dtype=float16 scp:feats.scp feats.safetensors
       table-export --format=npy feats.ark folder
       table-export --stack scp:xvector.scp xvectors.npy
       copy-int-vector ark:ali.ark ark:- | table-export --format=jsonl ark:- - | head
See also: table-import, copy-feats, copy-vector, copy-int-vector
";

#[derive(clap::Parser)]
struct Options {
    /// npy, npz, safetensors, parquet, csv, tsv or jsonl; told from the ending of the file's name unless it is given
    #[arg(long)]
    format: Option<FileFormat>,
    /// Type of numbers that are not integers: float16, float32 or float64; that of the table unless it is given
    #[arg(long)]
    dtype: Option<DType>,
    /// Stack the rows of all entries into one array, for a .npy
    #[arg(long)]
    stack: bool,
    source: InputName,
    target: OutputName,
}

fn main() -> ExitCode {
    kaldi_cli::run(USAGE, table_export)
}

fn table_export(opts: Options) -> anyhow::Result<Tally> {
    let (format, is_folder) = opts.format()?;
    let options = ExportOptions { format, dtype: opts.dtype, stack: opts.stack };
    let source = open(&opts.source, format)?;
    let mut target = Target::create(&opts.target, is_folder, &options)?;
    let mut tally = Tally::default();
    let ended = source.par_map(move |entry| options.encode(entry)).drain(|key, piece| {
        match piece {
            Piece::Nothing => tally.failed += 1,
            _ => tally.done += 1,
        }
        target.put(key.as_ref(), piece, &options)
    })?;
    log!("Exported {} entries to {format}, {} were left out.", tally.done, tally.failed);
    ended.finish()?;
    if let Target::File(file) = target {
        file.finish()?;
    }
    Ok(tally)
}

/// Opens a table, whose kind is found by looking where its name does not say it. A single value has no key, and becomes a
/// single array.
fn open(name: &InputName, format: FileFormat) -> anyhow::Result<SequentialReader<Numbers>> {
    if is_specifier(name) {
        return Ok(SequentialReader::open(name)?);
    }
    let Named { kind, rxfilename, .. } = Named::find(name)?;
    let table = |prefix: &str| SequentialReader::open(BString::from([prefix.as_bytes(), &rxfilename].concat()));
    match kind {
        Kind::Archive => Ok(table("ark:")?),
        Kind::Script => Ok(table("scp:")?),
        Kind::Value if format == FileFormat::Npy => Ok(SequentialReader::open_table_or_file(name)?),
        Kind::Value => bail!("{name} is a single value without a key: it can be a .npy, got {format}"),
        Kind::Directory => bail!("{name} is a folder: expected a table, such as {name}/feats.scp"),
    }
}

impl Options {
    /// The format, and whether every entry is a file of its own.
    fn format(&self) -> anyhow::Result<(FileFormat, bool)> {
        let path = self.target.as_path();
        let told = FileFormat::of_name(path);
        let is_folder = path.is_dir() || self.target.ends_with(b"/") || self.is_new_folder(told)?;
        let Some(format) = self.format.or(told.filter(|_| !is_folder)) else {
            bail!("expected --format=, since the name {} does not tell the format", self.target);
        };
        ensure!(!self.stack || format == FileFormat::Npy, "expected --stack with npy only, got {format}");
        ensure!(!self.stack || !is_folder, "expected the name of a file with --stack, got the folder {}", self.target);
        Ok((format, is_folder))
    }

    /// A name without an ending is that of a folder to be made, where the format is known.
    fn is_new_folder(&self, told: Option<FileFormat>) -> anyhow::Result<bool> {
        let is_file = matches!(Wxfilename::parse(&self.target)?, Wxfilename::File(_));
        let path = self.target.as_path();
        Ok(is_file && told.is_none() && !path.exists() && path.extension().is_none() && self.format.is_some())
    }
}

/// Where entries go.
enum Target {
    File(Exporter),
    Folder { folder: PathBuf, names: FileNames },
}

impl Target {
    fn create(name: &OutputName, is_folder: bool, options: &ExportOptions) -> anyhow::Result<Self> {
        if !is_folder {
            return Ok(Self::File(Exporter::create(create_output(name, false)?, name.as_path().to_owned(), options)?));
        }
        let folder: &Path = name.as_path();
        if !folder.is_dir() {
            std::fs::create_dir(folder).with_context(|| format!("cannot make the folder {name}"))?;
        }
        Ok(Self::Folder { folder: folder.to_owned(), names: FileNames::default() })
    }

    fn put(&mut self, key: &BStr, piece: Piece, options: &ExportOptions) -> anyhow::Result<()> {
        match (self, piece) {
            (_, Piece::Nothing) => {}
            (Self::File(file), piece) => file.put(key, piece)?,
            (Self::Folder { folder, names }, piece) => {
                let path = folder.join(names.next(key, options.format.extension()));
                let output = Output::create_file(&path, path.display().to_string(), false)?;
                let mut file = Exporter::create(output, path, options)?;
                file.put(key, piece)?;
                file.finish()?;
            }
        }
        Ok(())
    }
}
