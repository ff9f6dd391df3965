//! Prints entries of a table of any type by their keys.
//!
//! Kaldi has no such program: recipes search in script files and copy.

use anyhow::{Result, ensure};
use bstr::{BString, ByteSlice};
use kaldi_any::ValueType;
use kaldi_cli::{Arg, InputName, OutputName, Tally};
use kaldi_inspect::{
    Named, NamedKind, archive_to_write, copy, cut_lines, is_pattern, keys_of, matching_keys, select, show, show_json,
};
use kaldi_io::log::warning;
use kaldi_io::{Lines, Output, closest_names};
use kaldi_table::ArchiveWriter;
use kaldi_table::RawEntry;
use std::cell::LazyCell;
use std::collections::HashSet;

const USAGE: &str = "\
Prints the values of keys of an archive or a script file of any type as text, in the order of the keys on the command
line; or writes them to a table. A range may follow a key, as in script files. A key may be a pattern: * stands for
anything, ? for one character, [12] for one of these. On a terminal, lines are cut to its
width.

Usage: table-get [options] <table> <key> [<key> ...]
  or:  table-get [options] --keys=<file> <table>
 e.g.: table-get feats.scp utt7
       table-get feats.scp 'utt7[0:9,0:2]' utt3
       table-get feats.scp 'spk[12]-*'
       table-get --keys=utts --to=ark,scp:some.ark,some.scp feats.scp
With --json: {\"table\": \"feats.scp\", \"key\": \"utt7\", \"type\": \"vector\", \"value\": [1.5, 2]}
If a table does not have a key, there is a warning, and the exit status is 1. For script files only the needed values
are read, archives are read up to the last needed key.
See also: table-head, table-keys, table-sample
";

#[derive(clap::Args)]
struct Options {
    /// File whose lines start with more keys, after those of the command line; - is standard input
    #[arg(long)]
    keys: Option<InputName>,
    /// Archive to write instead of text (a name, ark: or ark,scp:); its form is binary unless it has the option t
    #[arg(long)]
    to: Option<OutputName>,
    /// Do not cut lines on a terminal
    #[arg(long)]
    full: bool,
    /// Write a line with a JSON object for each key
    #[arg(long)]
    json: bool,
    /// Type of the values, if it should not be found by looking; see ark-to-scp
    #[arg(long = "type", value_parser = kaldi_cli::one_of(ValueType::NAMES))]
    value_type: Option<ValueType>,
    table: InputName,
    requests: Vec<Arg>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(table_get))
    .whole("it looks for single keys; subset-feats --include runs in pieces");

fn table_get(opts: Options) -> Result<Tally> {
    let words = opts.asked()?;
    let named = Named::find(&opts.table)?;
    ensure!(named.kind != NamedKind::Value, "{} is one value without a key: table-head prints it", opts.table);
    let keys = LazyCell::new({
        let named = named.clone();
        // What cannot be read is an error of the values.
        move || keys_of(&named).unwrap_or_default()
    });
    let words = if words.iter().any(|word| is_pattern(word)) { with_patterns(&keys, words) } else { words };
    let selected = select(named, opts.value_type, &words)?;
    let mut target = Target::create(&opts)?;
    let mut tally = Tally::default();
    for (place, (word, entry)) in words.iter().zip(&selected.entries).enumerate() {
        match (entry, selected.value_type) {
            (Some(entry), Some(value_type)) => {
                target.put(&opts, entry, value_type)?;
                tally.done += 1;
            }
            _ if selected.unreadable.contains(&place) => tally.failed += 1,
            _ => {
                let is_file = word.to_path().is_ok_and(|path| path.is_file());
                let advice = match closest(word, &keys) {
                    _ if is_file => "; it is a file, and table-get reads one table only".to_owned(),
                    Some(key) => format!("; did you mean {key}?"),
                    None => String::new(),
                };
                warning!("{} has no key {word}{advice}", opts.table);
                tally.failed += 1;
            }
        }
    }
    target.finish()?;
    Ok(tally.ok_if(tally.failed == 0))
}

/// The words with the keys that patterns stand for, where no key is called like the pattern.
fn with_patterns(keys: &[BString], words: Vec<BString>) -> Vec<BString> {
    let known: HashSet<&BString> = keys.iter().collect();
    let mut all = Vec::new();
    for word in words {
        // A range may follow a key.
        let key = word.split_once_str(b"[").map_or(word.as_slice(), |(key, _)| key);
        let is_key = known.contains(&word) || known.contains(&BString::from(key));
        let matching = if is_key || !is_pattern(&word) { Vec::new() } else { matching_keys(word.as_bstr(), keys) };
        match matching.is_empty() {
            true => all.push(word),
            false => all.extend(matching.into_iter().cloned()),
        }
    }
    all
}

/// The key that was probably meant.
fn closest(word: &BString, keys: &[BString]) -> Option<BString> {
    let names = keys.iter().take(MOST_KEYS).filter_map(|key| key.to_str().ok());
    closest_names(word.to_str().ok()?, names).first().map(|key| BString::from(*key))
}

/// Keys that are compared with one that is not there.
const MOST_KEYS: usize = 100_000;

enum Target {
    Text(Output),
    Table(ArchiveWriter),
}

impl Target {
    fn create(opts: &Options) -> Result<Self> {
        Ok(match &opts.to {
            Some(name) => Self::Table(ArchiveWriter::create(archive_to_write(name))?),
            None => Self::Text(Output::stdout()?),
        })
    }

    fn put(&mut self, opts: &Options, entry: &RawEntry, value_type: ValueType) -> Result<()> {
        let output = match self {
            Self::Table(table) => return Ok(copy(entry, value_type, table)?),
            Self::Text(output) => output,
        };
        let mut text = Vec::new();
        if opts.json {
            show_json(&opts.table, entry, value_type, &mut text)?;
        } else {
            show(entry, value_type, &mut text)?;
        }
        let width = kaldi_cli::terminal_width().filter(|_| !opts.full && !opts.json);
        Ok(output.write_all(&width.map_or(text.clone(), |width| cut_lines(&text, width)))?)
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::Text(output) => Ok(output.finish()?),
            Self::Table(table) => Ok(table.finish()?),
        }
    }
}

impl Options {
    /// The requested keys.
    fn asked(&self) -> Result<Vec<BString>> {
        let mut words: Vec<BString> = self.requests.iter().map(|word| word.as_bstr().to_owned()).collect();
        if let Some(keys) = &self.keys {
            let mut lines = Lines::open(keys)?;
            while let Some(line) = lines.next_line()? {
                words.extend(line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty()).map(BString::from));
            }
        }
        ensure!(!words.is_empty() || self.keys.is_some(), "expected keys after {}, or --keys", self.table);
        Ok(words)
    }
}
