//! Copies lattices, all or some, in compact or plain form.
//!
//! Matches Kaldi's `lattice-copy`, except that `--exclude` also excludes with `--write-compact=false`, where Kaldi includes.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally, read_keys};
use kaldi_io::Rspecifier;
use kaldi_io::log::log;
use kaldi_lattice::{CompactLattice, Lattice};
use kaldi_table::{Reader, SequentialReader, TableWriter};
use kaldi_value::Value;

const USAGE: &str = "\
Copies lattices between archives, text and binary; converts them to compact or plain form; copies some of them.

Usage: lattice-copy [options] <lattice-rspecifier> <lattice-wspecifier>
 e.g.: lattice-copy 'ark:gunzip -c lat.1.gz |' ark,t:-
       lattice-copy --include=utts ark:1.lats ark:some.lats
See also: lattice-scale, lattice-to-fst, table-info
";

#[derive(clap::Args)]
struct Options {
    /// Write compact lattices, with a string of transition-ids on each arc; otherwise plain ones
    #[arg(long, default_value_t = true)]
    write_compact: bool,
    /// Copy only utterances listed in this text file, as first word of a line
    #[arg(long)]
    include: Option<InputName>,
    /// Copy all but the utterances listed in this text file, as first word of a line
    #[arg(long)]
    exclude: Option<InputName>,
    /// Exit with 0 even if no lattice is copied
    #[arg(long)]
    ignore_missing: bool,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_copy)).by_entry(0);

fn lattice_copy(opts: Options) -> anyhow::Result<Tally> {
    let tally = if opts.write_compact { copy::<CompactLattice>(&opts)? } else { copy::<Lattice>(&opts)? };
    Ok(if opts.ignore_missing { tally.always_ok() } else { tally })
}

/// Copies the lattices that are wanted. Where reading ends early, nothing copied is a success.
fn copy<T: Value>(opts: &Options) -> anyhow::Result<Tally> {
    let (list, included) = match (&opts.include, &opts.exclude) {
        (Some(_), Some(_)) => bail!("--include and --exclude cannot both be given"),
        (Some(list), _) => (Some(read_keys(list)?), true),
        (_, Some(list)) => (Some(read_keys(list)?), false),
        _ => (None, true),
    };
    // Keys that are sorted need not be read beyond the last one that is wanted.
    let is_sorted = Rspecifier::parse(&opts.source).is_some_and(|specifier| specifier.options.sorted);
    let last = list.as_ref().filter(|_| is_sorted && included).and_then(|list| list.last().cloned());
    let is_listed = list.is_some();
    let mut target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let mut rows = SequentialReader::<T>::open(&opts.source)?.par_map(move |entry| {
        let is_beyond = last.as_ref().is_some_and(|last| entry.key() > last.as_slice());
        let wanted = list.as_ref().is_none_or(|list| list.contains(entry.key()) == included);
        Ok((if wanted { Some(entry.copy(format)?) } else { None }, is_beyond))
    });
    let (mut done, mut total, mut ends_early) = (0, 0, false);
    while let Some((key, (record, is_beyond))) = rows.next()? {
        if is_beyond {
            log!("The utterance {key} is larger than the last key in the include list. Not reading further.");
            ends_early = true;
            break;
        }
        total += 1;
        if let Some(record) = record {
            target.put(record)?;
            done += 1;
        }
    }
    if is_listed {
        log!("Wrote {done} out of {total} utterances.");
    } else {
        log!("Done copying {done} lattices.");
    }
    rows.finish()?;
    target.finish()?;
    let tally = Tally::new(done, 0);
    Ok(if ends_early { tally.always_ok() } else { tally })
}
