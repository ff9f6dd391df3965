//! Makes tables of the files of other programs.
//!
//! Kaldi has no such program.

use anyhow::{Context, bail, ensure};
use bstr::{BStr, BString, ByteSlice, ByteVec};
use kaldi_any::ValueType;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_convert::{Error, FileFormat, ImportOptions, Item, StackedKey, import, table_types, to_record};
use kaldi_inspect::{Keys, Numbers, archive_to_write};
use kaldi_io::Lines;
use kaldi_io::log::log;
use kaldi_table::TableWriter;
use std::path::PathBuf;

const USAGE: &str = "\
Makes a table from a file of NumPy (.npy, .npz), safetensors, Parquet, Arrow, CSV, TSV or JSON lines, or from all such files
in a folder. Arrays of two dimensions become matrices; others become vectors, integer vectors or single numbers. Numbers
keep their precision, and those of half precision become single. Consecutive lines of CSV and TSV with the same key are
the rows of a matrix, unless --type is given. Types with several arrays (posterior, gauss-post, wave,
int32-vector-vector, nnet3-example, nnet3-chain-example, lattice,
compact-lattice, fst) need --type, except in Parquet and Arrow. The key of a .npy is its own name. A key that comes twice is an error.
Pickled objects are not read.

Usage: table-import [options] (<file>|<folder>) (<wspecifier>|<archive>)
 e.g.: table-import feats.npz ark,scp:feats.ark,feats.scp
       table-import --type=int32-vector ali.csv ark:ali.ark
       table-import --format=npy folder ark:feats.ark
       table-import text.csv ark,t:text
       table-import --key=id --value=embedding vectors.parquet vectors.ark
See also: table-export, copy-feats, copy-vector, copy-int-vector
";

#[derive(clap::Args)]
struct Options {
    /// npy, npz, safetensors, parquet, arrow or feather (bytes tell which), csv, tsv or jsonl; by default found from the ending
    /// of the file's name
    #[arg(long, value_parser = kaldi_cli::one_of(&FileFormat::SOURCES))]
    format: Option<FileFormat>,
    /// Type of the table, such as int32-vector, with the names of ark-to-scp; by default found from the first value
    #[arg(long = "type", value_parser = kaldi_cli::one_of(table_types()))]
    table_type: Option<ValueType>,
    /// Name of the column of Parquet, Arrow, CSV and TSV, or of the entry of JSON objects, that is the key (default: key). With
    /// --key or --value, the first line of CSV and TSV has the names of the columns
    #[arg(long)]
    key: Option<String>,
    /// Name of the column or entry that is the value; by default values or value, and in CSV and TSV all but the key
    #[arg(long)]
    value: Option<String>,
    /// Rxfilename of the keys of stacked rows in a .npy, as table-export --write-keys writes them
    #[arg(long)]
    keys: Option<InputName>,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(table_import)).whole("a file that is not a table cannot be cut");

fn table_import(opts: Options) -> anyhow::Result<Tally> {
    let Some(format) = opts.format.or_else(|| FileFormat::of_source(opts.source.as_path())) else {
        bail!("expected --format=, since the name {} does not show the format", opts.source);
    };
    let options = opts.import_options(format)?;
    let files = opts.files(format)?;
    let mut target = TableWriter::<Numbers>::create(archive_to_write(&opts.target))?;
    let mut keys = Keys::default();
    let mut common = opts.table_type;
    let mut tally = Tally::default();
    // An empty array fits every type: the first other value decides.
    let mut empty: Vec<(BString, Item)> = Vec::new();
    for file in &files {
        import(file.as_ref(), format, &options, |key, item| {
            let (key, found) = (BStr::new(key), item.table_type());
            if keys.add(key).is_duplicate {
                let message = format!("this key comes twice (in {file}): expected a column or names that differ");
                return Err(Error::Value { key: kaldi_io::excerpt(key), message });
            }
            tally.done += 1;
            if common.is_none() && item.is_empty_array() {
                empty.push((key.to_owned(), item));
                return Ok(());
            }
            let table_type = *common.get_or_insert(found);
            if opts.table_type.is_none() && found != table_type && !item.is_empty_array() {
                let message = format!("expected {table_type} as before, got {found}; --type= sets the type of all");
                return Err(Error::Value { key: key.to_string(), message });
            }
            for (key, item) in empty.drain(..) {
                target.put(to_record(key.as_ref(), item, table_type, target.format())?)?;
            }
            Ok(target.put(to_record(key, item, table_type, target.format())?)?)
        })?;
    }
    for (key, item) in empty {
        let table_type = item.table_type();
        target.put(to_record(key.as_ref(), item, table_type, target.format())?)?;
    }
    let types = common.map_or(String::new(), |table_type| format!(" ({table_type})"));
    log!("Imported {} entries{types} of {} file(s).", tally.done, files.len());
    target.finish()?;
    Ok(tally)
}

impl Options {
    fn import_options(&self, format: FileFormat) -> anyhow::Result<ImportOptions> {
        let has_names = !matches!(format, FileFormat::Npy | FileFormat::Npz | FileFormat::Safetensors);
        ensure!(
            has_names || self.key.is_none() && self.value.is_none(),
            "expected --key and --value with parquet, csv, tsv and jsonl, got {format}"
        );
        ensure!(self.keys.is_none() || format == FileFormat::Npy, "expected --keys with npy, got {format}");
        let mut options = ImportOptions::default();
        (options.table_type, options.key, options.value) = (self.table_type, self.key.clone(), self.value.clone());
        if let Some(keys) = &self.keys {
            let (mut lines, mut stacked) = (Lines::open(keys)?, Vec::new());
            while let Some(key) = lines.next_line()?.map(|line| StackedKey::parse(line).ok_or_else(|| line.to_owned()))
            {
                let place = || format!("{}:{}", lines.name(), lines.number());
                stacked.push(key.map_err(|line| {
                    anyhow::anyhow!("{}: expected a key, and for a matrix its rows, got {:?}", place(), line.as_bstr())
                })?);
            }
            options.stacked = Some(stacked);
        }
        Ok(options)
    }

    /// The file, or those of this format in the folder, by name.
    fn files(&self, format: FileFormat) -> anyhow::Result<Vec<BString>> {
        let folder = self.source.as_path();
        if !folder.is_dir() {
            return Ok(vec![BString::from(self.source.to_vec())]);
        }
        let list = || -> std::io::Result<Vec<PathBuf>> {
            let mut files = Vec::new();
            for entry in std::fs::read_dir(folder)? {
                let path = entry?.path();
                if path.is_file() && FileFormat::of_source(&path) == Some(format) {
                    files.push(path);
                }
            }
            Ok(files)
        };
        let mut files = list().with_context(|| format!("cannot read the folder {}", self.source))?;
        files.sort();
        files
            .into_iter()
            .map(|path| Ok(Vec::from_path_buf(path).map_err(|_| anyhow::anyhow!("a name"))?.into()))
            .collect()
    }
}
