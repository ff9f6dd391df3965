//! Joins archives without decoding their values.
//!
//! Kaldi has no such program: there, `cat` joins archives, complete or not, and makes no script file.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::{Result, bail};
use bstr::{BStr, BString};
use kaldi_any::{Sequence, TypeAdvice, ValueType};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_io::{
    ParseError, Rspecifier, RspecifierKind, Wspecifier, WspecifierKind, is_same_file, printable_rxfilename,
};
use kaldi_table::{ArchiveWriter, Error, RawEntry};
use kaldi_value::Format;

const USAGE: &str = "\
Joins archives of any type into one, without decoding their values; binary and text entries may be mixed. All of the
archives must be complete, unless --salvage is given. With ark,scp a script file of the new archive is written.

Usage: concat-ark [options] <archive-rxfilename> [<archive-rxfilename> ...] <wspecifier>
 e.g.: concat-ark raw_mfcc.1.ark raw_mfcc.2.ark ark,scp:raw_mfcc.ark,feats.scp
       concat-ark --salvage broken.ark.gz ark,scp:whole.ark,whole.scp
       concat-ark --sort-keys=true \"gunzip -c ali.1.gz |\" \"gunzip -c ali.2.gz |\" \"ark:| gzip -c > ali.gz\"
See also: ark-to-scp, copy-feats, copy-int-vector
";

#[derive(clap::Args)]
struct Options {
    /// Allow a key more than once in the new archive
    #[arg(long, default_value_t = true)]
    allow_duplicates: bool,
    /// Merge archives that are sorted by key (in the C locale), so that the new archive is sorted, too
    #[arg(long)]
    sort_keys: bool,
    /// Take the complete entries before damage, also of compressed archives, and exit with status 1 if there is damage
    #[arg(long)]
    salvage: bool,
    /// Type of the values, if it should not be found by looking; see ark-to-scp
    #[arg(long = "type", value_parser = kaldi_cli::one_of(ValueType::NAMES))]
    value_type: Option<ValueType>,
    #[arg(required = true)]
    archives: Vec<InputName>,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(concat_ark)).whole("it joins whole archives");

fn concat_ark(opts: Options) -> Result<Tally> {
    let archives: Vec<BString> = opts.archives.iter().map(|name| archive_name(name)).collect();
    check_names(&archives, &opts.target)?;
    let mut target = ArchiveWriter::create(&opts.target)?;
    let entries = Sequence::new(&archives, opts.value_type);
    let mut entries = if opts.sort_keys { entries.sorted() } else { entries };
    let mut seen = (!opts.allow_duplicates).then(HashMap::new);
    let mut open = None;
    let (mut done, mut damaged) = (0, 0);
    loop {
        let entry = match entries.next_entry() {
            Ok(Some((_, entry))) => entry,
            Ok(None) => break,
            Err(error) if opts.salvage && is_damage(&error) => {
                warning!("{error}; what follows in this archive is left out");
                damaged += 1;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        check_entry(entry, target.format(), open.as_deref())?;
        if let Some(seen) = &mut seen {
            check_key(seen, entry)?;
        }
        target.put_entry(entry)?;
        open = entry.is_open().then(|| place(entry));
        done += 1;
    }
    let found = if damaged > 0 { format!(", {damaged} of them damaged") } else { String::new() };
    log!("Joined {done} entries of {} archives{found}", opts.archives.len());
    target.finish()?;
    let tally = Tally::new(done, damaged);
    Ok(if damaged > 0 { tally.ok_if(false) } else { tally })
}

/// Whether an archive is cut or damaged, and can be read up to there.
fn is_damage(error: &Error) -> bool {
    match error {
        Error::Entry { .. } => true,
        Error::Io(error) => error.is_damage(),
        _ => false,
    }
}

/// The name of an archive, which may be given as an rspecifier.
fn archive_name(name: &BStr) -> BString {
    match Rspecifier::parse(name) {
        Some(Rspecifier { kind: RspecifierKind::Archive, rxfilename, .. }) => rxfilename,
        _ => name.to_owned(),
    }
}

/// Returns an error if an input is also an output.
fn check_names(archives: &[BString], target: &BStr) -> Result<()> {
    let written = match Wspecifier::parse(target).map(|target| target.kind) {
        Some(WspecifierKind::Archive(archive)) => vec![archive],
        Some(WspecifierKind::Both { archive, script }) => vec![archive, script],
        Some(WspecifierKind::Script(_)) | None => Vec::new(),
    };
    for archive in archives {
        if written.iter().any(|name| is_same_file(archive.as_ref(), name.as_ref())) {
            bail!("{} is to be read and written: write to another file", printable_rxfilename(archive.as_ref()));
        }
    }
    Ok(())
}

/// Returns an error for an entry that cannot be in the new archive. `open` is the place of an earlier entry without an
/// end.
fn check_entry(entry: &RawEntry, format: Format, open: Option<&str>) -> Result<()> {
    let place = place(entry);
    if let Some(open) = open {
        bail!(
            "{open}: the length of this wave file was not known when it was written, so that nothing may follow it, but {place} does"
        );
    }
    if format == Format::Text && !entry.is_text() {
        let head = ParseError::new(0, "").in_value(entry.head(), false);
        let advice =
            TypeAdvice::on(&head).map_or("copy-matrix and its like write text".to_owned(), |it| it.to_string());
        bail!("{place}: expected text as the option t asks, got a binary value: {advice}");
    }
    Ok(())
}

/// Returns an error for a key that was there before.
fn check_key(seen: &mut HashMap<BString, (Arc<str>, u64)>, entry: &RawEntry) -> Result<()> {
    let here = (Arc::clone(entry.file()), entry.start());
    match seen.insert(entry.key().to_owned(), here) {
        Some((name, offset)) => bail!("{}: the key was there before, at {name}:{offset}", place(entry)),
        None => Ok(()),
    }
}

fn place(entry: &RawEntry) -> String {
    format!("{}: {}:{}", entry.key(), entry.file(), entry.start())
}
