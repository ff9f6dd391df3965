//! Finds the differences between two tables of any type.
//!
//! Kaldi has `compare-feats` and `compare-int-vector`, each for one type.

use anyhow::{Context, Result, ensure};
use bstr::ByteSlice;
use kaldi_any::ValueType;
use kaldi_cli::{InputName, Tally};
use kaldi_inspect::{Difference, Named, NamedKind, Tolerance, diff, diff_models, directory_files};
use kaldi_io::log::log;
use kaldi_io::{Output, printable, printable_json};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const USAGE: &str = "\
Finds the differences between two tables of any type, and writes a line for each: keys that only one of them has, sizes,
numbers and the place of the largest difference, words. The exit status is 0 if the tables are equal and 1 if not.
Two models of a kind, or statistics, are compared by the words and numbers of their text. Of two data directories, each
file is compared: the lines of text, utt2spk, segments ..., and what feats.scp, wav.scp ... name, unless they are the
same text.

Usage: table-diff [options] <table> <table>
 e.g.: table-diff old/feats.scp new/feats.scp
       table-diff --rtol=1e-4 --by-key ark:raw.ark ark,t:raw.txt
       table-diff exp/mono/0.mdl exp/mono/1.mdl
       table-diff data/train data/train_clean
Archives and script files, binary and text, compressed and not, may be compared with each other. Two numbers are equal
if they differ by no more than atol + rtol * |second|, or if both are NaN. A value of a script file that cannot be read is named, and
counts as a difference.
With --json: {\"difference\": \"numbers\", \"key\": \"utt1\", \"count\": 3, \"of\": 364, \"largest\": 0.5, \"place\": [2, 0],
       \"first\": 1.5, \"second\": 2}; of data directories, \"file\" says which file it is
See also: compare-feats, compare-int-vector, table-check
";

#[derive(clap::Args)]
struct Options {
    /// The largest relative difference of numbers that count as equal, as a part of the second one
    #[arg(long, default_value_t = 0.0)]
    rtol: f64,
    /// The largest absolute difference of numbers that count as equal
    #[arg(long, default_value_t = 0.0)]
    atol: f64,
    /// Compare by key, whatever the order of keys is
    #[arg(long)]
    by_key: bool,
    /// Write a line with a JSON object for each difference
    #[arg(long)]
    json: bool,
    /// Type of the values, if it should not be found by looking; see ark-to-scp
    #[arg(long = "type", value_parser = kaldi_cli::one_of(ValueType::NAMES))]
    value_type: Option<ValueType>,
    first: InputName,
    second: InputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(table_diff)).whole("it compares the whole tables");

fn table_diff(opts: Options) -> Result<Tally> {
    for (name, value) in [("rtol", opts.rtol), ("atol", opts.atol)] {
        ensure!(value >= 0.0, "expected --{name} to be 0 or more, got {value}");
    }
    let tolerance =
        Tolerance { relative: opts.rtol, absolute: opts.atol, by_key: opts.by_key, value_type: opts.value_type };
    let (first, second) = (Named::find(&opts.first)?, Named::find(&opts.second)?);
    ensure!(!(first.is_stdin() && second.is_stdin()), "both tables are standard input, which can be read only once");
    let output = Output::stdout()?;
    let mut report = Report { output, json: opts.json, count: 0, rounded: 0, failed: None };
    let compared = match (first.kind, second.kind) {
        (NamedKind::Directory, NamedKind::Directory) => {
            diff_directories([opts.first.as_path(), opts.second.as_path()], tolerance, &mut report)?
        }
        (NamedKind::Model(one), NamedKind::Model(other)) => {
            let difference = match one == other {
                true => diff_models([&opts.first, &opts.second].map(|name| name.as_ref()), one, tolerance)?,
                false => Some(Difference::Types(one.name().to_owned(), other.name().to_owned())),
            };
            difference.into_iter().for_each(|difference| report.put(None, &difference));
            u64::from(one == other)
        }
        _ => diff(first, second, tolerance, &mut |difference| report.put(None, &difference))?,
    };
    log!("Compared {compared} values, found {} differences.", report.count);
    if report.count > 0 && report.rounded == report.count && opts.rtol == 0.0 {
        log!("All differences are as small as those of numbers that have been text: --rtol=1e-5 allows them.");
    }
    report.finish(compared)
}

/// Compares each file that both data directories have. What a script file names is compared, unless the two are the same text.
fn diff_directories(folders: [&Path; 2], tolerance: Tolerance, report: &mut Report) -> Result<u64> {
    let mut compared = 0;
    for (file, has) in directory_files(folders)? {
        let [first, second] = folders.map(|folder| folder.join(file));
        if has != [true, true] {
            report.put_file(file, if has[0] { "only-in-first" } else { "only-in-second" });
            continue;
        }
        let [one, other] = [&first, &second].map(|path| fs::read(path).with_context(|| path.display().to_string()));
        let one = one?;
        if one == other? {
            compared += one.lines().count() as u64;
            continue;
        }
        let is_script = file.ends_with(".scp");
        let kind = if is_script { NamedKind::Script } else { NamedKind::Archive };
        let value_type = if is_script { tolerance.value_type } else { Some(ValueType::TokenVector) };
        let [first, second] = [first, second].map(|path| Named::new(kind, path.as_os_str().as_encoded_bytes()));
        let tolerance = Tolerance { value_type, ..tolerance };
        compared += diff(first, second, tolerance, &mut |difference| report.put(Some(file), &difference))?;
    }
    Ok(compared)
}

/// The lines of differences.
struct Report {
    output: Output,
    json: bool,
    count: u64,
    /// Those that may come from text.
    rounded: u64,
    failed: Option<kaldi_io::Error>,
}

impl Report {
    /// Writes a difference, of a file of two data directories if one is named.
    fn put(&mut self, file: Option<&str>, difference: &Difference) {
        self.rounded += u64::from(is_rounded(difference));
        if self.json {
            let mut object = to_json(difference);
            if let Some(file) = file {
                object["file"] = file.into();
            }
            return self.line(&printable_json(&object.to_string()));
        }
        let file = file.map_or(String::new(), |file| format!("{file}: "));
        self.line(&printable(format!("{file}{difference}").as_bytes()));
    }

    /// Writes that only one of two data directories has a file.
    fn put_file(&mut self, file: &str, which: &str) {
        let text = match self.json {
            true => json!({ "difference": which, "file": file }).to_string(),
            false => format!("{file}: {} directory", which.replace("-in-", " in the ")),
        };
        self.line(&text);
    }

    fn line(&mut self, text: &str) {
        self.count += 1;
        if let Err(error) = self.output.write_all(format!("{text}\n").as_bytes()) {
            self.failed.get_or_insert(error);
        }
    }

    fn finish(self, compared: u64) -> Result<Tally> {
        if let Some(error) = self.failed {
            return Err(error.into());
        }
        self.output.finish()?;
        Ok(Tally::new(compared, self.count).ok_if(self.count == 0))
    }
}

/// Whether the largest difference may come from text, which has six or seven digits.
fn is_rounded(difference: &Difference) -> bool {
    match difference {
        Difference::Numbers { largest, values: [first, second], .. } => {
            *largest <= 1e-5 * first.abs().min(second.abs())
        }
        _ => false,
    }
}

fn to_json(difference: &Difference) -> Value {
    let key = |key: &bstr::BString| key.to_string();
    match difference {
        Difference::Types(first, second) => json!({ "difference": "types", "first": first, "second": second }),
        Difference::Order(name) => json!({ "difference": "order", "key": key(name) }),
        Difference::OnlyInFirst(name) => json!({ "difference": "only-in-first", "key": key(name) }),
        Difference::OnlyInSecond(name) => json!({ "difference": "only-in-second", "key": key(name) }),
        Difference::Sizes { key: name, sizes: [first, second] } => {
            json!({ "difference": "sizes", "key": key(name), "first": first, "second": second })
        }
        Difference::Numbers { key: name, count: [count, of], largest, place, values: [first, second] } => json!({
            "difference": "numbers", "key": key(name), "count": count, "of": of, "largest": largest, "place": place,
            "first": first, "second": second,
        }),
        Difference::Unreadable { key: name, message } => {
            json!({ "difference": "unreadable", "key": key(name), "message": message })
        }
        Difference::Values(name) => json!({ "difference": "values", "key": key(name) }),
        Difference::Graphs { key: name, what } => json!({ "difference": "graphs", "key": key(name), "what": what }),
        Difference::Words { key: name, place, words: [first, second] } => json!({
            "difference": "words", "key": key(name), "place": place, "first": key(first), "second": key(second),
        }),
    }
}
