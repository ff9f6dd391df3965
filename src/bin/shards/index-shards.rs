//! Writes indices beside shards that are there.
//!
//! Kaldi has no such program.

use std::os::unix::ffi::OsStrExt;

use anyhow::{Result, anyhow};
use bstr::{BString, ByteSlice};
use kaldi_cli::{InputName, Tally};
use kaldi_corpus::shard::{DaliIndex, Error, LhotseIndex, Members, ShardNames, Wanted};
use kaldi_io::log::log;
use kaldi_io::{Rxfilename, printable_rxfilename};
use kaldi_reader::{Reader, ReaderExt, from_fn, par_map};
use shards::SharFolder;

const USAGE: &str = "\
Writes an index beside each shard, by which other programs find samples without reading the shard: lhotse 2 (x.tar.idx for
x.tar, and x.jsonl.idx for x.jsonl), or DALI (x.idx for x.tar). Of a Shar folder, all files that are not compressed get one. Only
the headers of members are read. An index appears complete or not at all.

Usage: index-shards [options] <shard-or-list-or-shar> [<shard-or-list-or-shar> ...]
 e.g.: index-shards --format=lhotse shar/train
       index-shards --format=dali data.list
Version 1 of lhotse takes an index in a Shar folder for a field, and fails.
See also: make-shar, make-shard-list, list-shards
";

#[derive(clap::Args)]
struct Options {
    /// The program that reads the indices: lhotse or dali
    #[arg(long, default_value = "lhotse", value_parser = kaldi_cli::one_of(&FORMATS))]
    format: Format,
    #[arg(required = true)]
    shards: Vec<InputName>,
}

/// A program that reads indices.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Lhotse,
    Dali,
}

const FORMATS: [(&str, Format); 2] = [("lhotse", Format::Lhotse), ("dali", Format::Dali)];

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(index_shards))
    .whole("an argument is a shard, a list of shards or a folder; a list can be cut with --split and --out");

fn index_shards(opts: Options) -> Result<Tally> {
    let mut names = Vec::new();
    let mut num_compressed = 0;
    for shards in &opts.shards {
        num_compressed += add_files(shards, opts.format, &mut names)?;
    }
    let format = opts.format;
    let mut names = names.into_iter();
    let names = from_fn(move |_| Ok::<_, Error>(names.next()));
    let work = move |name: BString| index(name, format);
    let mut done = 0;
    for written in par_map(names, kaldi_cli::num_threads, work).in_flight(8 << 20, |_| 1 << 20).eager().iter() {
        written?;
        done += 1;
    }
    if num_compressed > 0 {
        log!("Passed over {num_compressed} compressed files, which can have no index.");
    }
    log!("Wrote {done} indices.");
    Ok(Tally::new(done, 0))
}

/// Adds the files that an argument names. Returns how many of a folder are compressed.
fn add_files(argument: &InputName, format: Format, names: &mut Vec<BString>) -> Result<u64> {
    let name = argument.as_bstr();
    let path = name.to_path_lossy();
    if path.is_dir() {
        let shar = SharFolder::find(name)?;
        let files = shar.files().iter().flat_map(|files| files.fields.values().chain([&files.cuts]));
        let (compressed, plain): (Vec<_>, Vec<_>) = files.partition(|file| file.ends_with(b".gz"));
        names.extend(plain.into_iter().filter(|file| format == Format::Lhotse || file.ends_with(b".tar")).cloned());
        return Ok(compressed.len() as u64);
    }
    if is_lines(name) && format == Format::Lhotse {
        names.push(name.to_owned());
        return Ok(0);
    }
    let mut shards = ShardNames::new([name.to_owned()], Wanted::Headers);
    while let Some(shard) = shards.next()? {
        let shard = shard.name();
        match Rxfilename::parse(shard) {
            Ok(Rxfilename::File(path)) => names.push(path.as_os_str().as_bytes().into()),
            _ => return Err(anyhow!("{}: expected a file, beside which an index can be", printable_rxfilename(shard))),
        }
    }
    Ok(0)
}

fn is_lines(name: &[u8]) -> bool {
    name.ends_with(b".jsonl") || name.ends_with(b".jsonl.gz")
}

/// Writes the index of a file.
fn index(name: BString, format: Format) -> Result<(), Error> {
    if is_lines(&name) {
        return LhotseIndex::write_for_lines(name.as_ref());
    }
    let members = Members::open(name.as_ref(), Wanted::Headers)?;
    match format {
        Format::Lhotse => LhotseIndex::write_for_tar(members),
        Format::Dali => DaliIndex::write_for(members),
    }
}
