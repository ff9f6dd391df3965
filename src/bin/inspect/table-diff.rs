//! Finds the differences between two tables of any type.
//!
//! Kaldi has `compare-feats` and `compare-int-vector`, each for one type.

use anyhow::{Result, ensure};
use kaldi_any::ValueType;
use kaldi_cli::{InputName, Tally};
use kaldi_inspect::{Difference, Named, Tolerance, diff};
use kaldi_io::log::log;
use kaldi_io::{Output, printable, printable_json};
use serde_json::{Value, json};

const USAGE: &str = "\
Finds the differences between two tables of any type, and writes a line for each: keys that only one of them has, sizes,
numbers and the place of the largest difference, words. The exit status is 0 if the tables are equal and 1 if not.

Usage: table-diff [options] <table> <table>
 e.g.: table-diff old/feats.scp new/feats.scp
       table-diff --rtol=1e-4 --by-key ark:raw.ark ark,t:raw.txt
Archives and script files, binary and text, compressed and not, may be compared with each other. Two numbers are equal
if they differ by no more than atol + rtol * |second|, or if both are NaN. A value of a script file that cannot be read is named, and
counts as a difference.
With --json: {\"difference\": \"numbers\", \"key\": \"utt1\", \"count\": 3, \"of\": 364, \"largest\": 0.5, \"place\": [2, 0],
       \"first\": 1.5, \"second\": 2}
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
    let mut output = Output::create("-".into(), false)?;
    let (mut differences, mut rounded, mut failed) = (0, 0, None);
    let (first, second) = (Named::find(&opts.first)?, Named::find(&opts.second)?);
    ensure!(!(first.is_stdin() && second.is_stdin()), "both tables are standard input, which can be read only once");
    let compared = diff(first, second, tolerance, &mut |difference| {
        differences += 1;
        rounded += u64::from(is_rounded(&difference));
        let line = match opts.json {
            true => printable_json(&to_json(&difference).to_string()),
            false => printable(difference.to_string().as_bytes()),
        };
        if let Err(error) = output.write_all((line + "\n").as_bytes()) {
            failed.get_or_insert(error);
        }
    })?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    log!("Compared {compared} values, found {differences} differences.");
    if differences > 0 && rounded == differences && opts.rtol == 0.0 {
        log!("All differences are as small as those of numbers that have been text: --rtol=1e-5 allows them.");
    }
    output.finish()?;
    Ok(Tally::new(compared, differences).ok_if(differences == 0))
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
