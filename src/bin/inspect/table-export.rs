//! Writes tables as files of other programs.
//!
//! Kaldi has no such program.

use anyhow::{bail, ensure};
use bstr::{BStr, ByteSlice};
use kaldi_any::ValueType;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_convert::{ExportOptions, ExportedType, Exporter, FileFormat, FloatType, Item, Piece, is_ctm};
use kaldi_inspect::{Entries, ModelType, Named, NamedKind, model_arrays};
use kaldi_io::log::log;
use kaldi_io::{FileNames, NewFolder, Output, Wxfilename, make_last_folder};
use kaldi_table::create_output;
use std::path::{Path, PathBuf};

const USAGE: &str = "\
Writes a table as a file of NumPy (.npy, .npz), safetensors, Parquet, CSV, TSV or JSON lines; in a folder, as a file for
each key. In .npz and .safetensors each key is an array. A .npy has one value, or with --stack the rows of all. A row of
Parquet has key, rows, columns and values, or key and value; a line of CSV and TSV has the key and a row; a line of JSON
is {\"key\": ..., \"value\": ...}. Numbers keep their precision unless --dtype is given. Posteriors, lists of lists,
waveforms, lattices and FSTs become several arrays, such as utt1.lengths, utt1.index and utt1.weight. Training examples have arrays for each
input and output, such as utt1.input, utt1.input.indexes and utt1.output.indexes, in Parquet a row for each. A file of a single value has no
keys: a graph (L.fst) becomes the arrays from, to, input, output ... in .npz and .safetensors, one object in JSON. Words are possible only in Parquet,
CSV, TSV and JSON. Of a CTM file, each word of a line is a field of CSV and TSV. The table is an rspecifier, or the name of an archive or a script file. The type of its values is
found by looking; the type of a stream is matrix, vector or int32-vector unless --type is given. Of a file with a model
(final.mdl, a mixture of Gaussians, an i-vector extractor) the arrays are such as weights, means and variances.

Usage: table-export [options] <table> (<file>|<folder>)
 e.g.: table-export scp:feats.scp feats.npz
       table-export --dtype=float16 scp:feats.scp feats.safetensors
       table-export --format=npy feats.ark folder
       table-export --stack --write-keys=xvectors.keys scp:xvector.scp xvectors.npy
       table-export data/train/text text.parquet
       table-export --header exp/tri3/decode/ctm words.csv
       table-export final.mdl model.npz
       table-export L.fst L.npz
       copy-post ark:post.ark ark:- | table-export --type=posterior --format=jsonl ark:- - | head
See also: table-import, copy-feats, copy-vector, copy-int-vector
";

#[derive(clap::Args)]
struct Options {
    /// npy, npz, safetensors, parquet, csv, tsv or jsonl; by default found from the ending of the file's name
    #[arg(long, value_parser = kaldi_cli::one_of(&FileFormat::NAMES))]
    format: Option<FileFormat>,
    /// Type of numbers that are not integers: float16, float32 or float64; by default that of the table
    #[arg(long, value_parser = kaldi_cli::one_of(&FloatType::NAMES))]
    dtype: Option<FloatType>,
    /// Stack the rows of all entries into one array, for a .npy
    #[arg(long)]
    stack: bool,
    /// Wxfilename for the keys of --stack, one a line, and for a matrix the number of its rows: table-import --keys reads
    /// them. Without it the keys are not kept
    #[arg(long)]
    write_keys: Option<OutputName>,
    /// Write a line of names first, in CSV and TSV: key and value, word or words, or v0, v1, ... for the columns; table-import skips it
    #[arg(long)]
    header: bool,
    /// Type of the values, if it should not be found by looking; see ark-to-scp
    #[arg(long = "type", value_parser = kaldi_cli::one_of(ValueType::NAMES))]
    value_type: Option<ValueType>,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(table_export))
    .together()
    .whole("a file that is not a table is made as a whole");

fn table_export(opts: Options) -> anyhow::Result<Tally> {
    let (format, is_folder) = opts.format()?;
    let named = Named::find(&opts.source)?;
    if let NamedKind::Model(model_type) = named.kind {
        return export_model(&opts, model_type, format, is_folder);
    }
    let found = opts.value_type.or_else(|| Entries::find_type(&named));
    if named.kind == NamedKind::Value {
        let formats = FileFormat::of_single(found.unwrap_or(ValueType::Matrix));
        if is_folder || !formats.contains(&format) {
            let names: Vec<_> = formats.iter().map(|format| format!(".{format}")).collect();
            let got = if is_folder { "a folder".to_owned() } else { format!(".{format}") };
            let one_of = names.join(", ");
            bail!("{} is a single value without a key: it can be one of {one_of}, got {got}", opts.source);
        }
    }
    let value_type = found.unwrap_or(ValueType::Matrix);
    let Some(exported) = ExportedType::of(value_type) else {
        bail!("{}: values of the type {value_type} are not exported", opts.source);
    };
    let has_lines = matches!(format, FileFormat::Csv | FileFormat::Tsv);
    let options = ExportOptions {
        format,
        dtype: opts.dtype,
        stack: opts.stack,
        table_type: opts.value_type,
        header: opts.header,
        is_ctm: has_lines && found == Some(ValueType::TokenVector) && is_ctm(&named),
    };
    let mut tally = Tally::default();
    export(&opts, &named, exported, options, is_folder, &mut tally).map_err(|error| match (found, tally.done) {
        (None, 0) if named.is_stream() => error.context(
            "the type of a stream is not found by looking: use --type= unless it is matrix, vector or int32-vector",
        ),
        _ => error,
    })?;
    Ok(tally)
}

/// Exports the arrays of a model.
fn export_model(opts: &Options, model_type: ModelType, format: FileFormat, is_folder: bool) -> anyhow::Result<Tally> {
    ensure!(opts.value_type.is_none(), "{} is a model ({}): expected no --type", opts.source, model_type.name());
    ensure!(!opts.stack, "{} is a model, whose arrays cannot be stacked", opts.source);
    ensure!(
        format != FileFormat::Npy || is_folder,
        "{} is a model of several arrays: expected .npz, .safetensors or a folder, got {}",
        opts.source,
        opts.target
    );
    let options =
        ExportOptions { format, dtype: opts.dtype, stack: false, table_type: None, header: false, is_ctm: false };
    let mut pieces = Vec::new();
    for (name, numbers) in model_arrays(&opts.source, model_type)? {
        pieces.push((name, options.encode_array(name.into(), numbers.into())?));
    }
    let mut target = Target::create(&opts.target, is_folder, &options, None)?;
    let mut tally = Tally::default();
    for (name, piece) in pieces {
        target.put(name.into(), piece, &options)?;
        tally.done += 1;
    }
    log!("Exported {} arrays of a model ({}) to {format}.", tally.done, model_type.name());
    if let Target::File(file) = target {
        file.finish()?;
    }
    Ok(tally)
}

/// Exports a table of values of a type.
fn export(
    opts: &Options,
    named: &Named,
    exported: ExportedType,
    options: ExportOptions,
    is_folder: bool,
    tally: &mut Tally,
) -> anyhow::Result<()> {
    let source = exported.open(&opts.source)?;
    let mut target = Target::create(&opts.target, is_folder, &options, Some(named))?;
    let mut keys = opts.write_keys.as_ref().map(|keys| create_output(keys, false)).transpose()?;
    let ended = source.par_map(move |entry| options.encode(exported, entry)).drain(|key, piece| {
        match piece {
            Piece::Nothing => tally.failed += 1,
            _ => tally.done += 1,
        }
        if let (Some(keys), Piece::Item(Item::Array(array))) = (&mut keys, &piece) {
            let num_rows = if array.dims().len() == 2 { format!(" {}", array.size().0) } else { String::new() };
            keys.write_all(&[key.as_bytes(), num_rows.as_bytes(), b"\n"].concat())?;
        }
        target.put(key.as_ref(), piece, &options)
    })?;
    log!("Exported {} entries to {}, {} were left out.", tally.done, options.format, tally.failed);
    ended.finish()?;
    if let Target::File(file) = target {
        file.finish()?;
    }
    Ok(keys.map_or(Ok(()), Output::finish)?)
}

impl Options {
    /// The format, and whether every entry is a file of its own.
    fn format(&self) -> anyhow::Result<(FileFormat, bool)> {
        let path = self.target.as_path();
        let told = FileFormat::of_name(path);
        let is_folder = path.is_dir() || self.target.ends_with(b"/") || self.is_new_folder(told)?;
        let Some(format) = self.format.or(told.filter(|_| !is_folder)) else {
            let endings: Vec<String> = FileFormat::NAMES.iter().map(|(ending, _)| format!(".{ending}")).collect();
            bail!(
                "expected --format=, since the name {} does not show the format: it ends in none of {}",
                self.target,
                endings.join(", ")
            );
        };
        ensure!(self.stack || self.write_keys.is_none(), "expected --write-keys with --stack only");
        ensure!(
            !self.header || matches!(format, FileFormat::Csv | FileFormat::Tsv),
            "expected --header with csv and tsv only, got {format}"
        );
        ensure!(!self.stack || format == FileFormat::Npy, "expected --stack with npy only, got {format}");
        ensure!(!self.stack || !is_folder, "expected the name of a file with --stack, got the folder {}", self.target);
        Ok((format, is_folder))
    }

    /// If the format is known, a name without an ending is that of a folder to be made.
    fn is_new_folder(&self, told: Option<FileFormat>) -> anyhow::Result<bool> {
        let is_file = matches!(Wxfilename::parse(&self.target)?, Wxfilename::File(_));
        let path = self.target.as_path();
        Ok(is_file && told.is_none() && !path.exists() && path.extension().is_none() && self.format.is_some())
    }
}

/// The place for entries.
enum Target {
    File(Exporter),
    Folder { folder: PathBuf, names: FileNames, _created: NewFolder },
}

impl Target {
    /// `source` is the table that will be exported, if it is one.
    fn create(
        name: &OutputName,
        is_folder: bool,
        options: &ExportOptions,
        source: Option<&Named>,
    ) -> anyhow::Result<Self> {
        if !is_folder {
            let (output, path) = (create_output(name, false)?, name.as_path().to_owned());
            return Ok(Self::File(match source {
                Some(source) => Exporter::create_for(output, path, options, source)?,
                None => Exporter::create(output, path, options)?,
            }));
        }
        let folder: &Path = name.as_path();
        let created = make_last_folder(folder, 0o777)?;
        Ok(Self::Folder { folder: folder.to_owned(), names: FileNames::default(), _created: created })
    }

    fn put(&mut self, key: &BStr, piece: Piece, options: &ExportOptions) -> anyhow::Result<()> {
        match (self, piece) {
            (_, Piece::Nothing) => {}
            (Self::File(file), piece) => file.put(key, piece)?,
            (Self::Folder { folder, names, .. }, piece) => {
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
