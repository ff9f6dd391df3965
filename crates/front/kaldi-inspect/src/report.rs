//! Statistics as text and as JSON.

use bstr::BStr;
use serde::Serialize;

use crate::group::{By, Group};
use crate::statistics::Statistics;

/// The JSON object of a group, in this order.
#[derive(Serialize)]
struct Object<'a> {
    table: String,
    group: String,
    count: u64,
    min: Option<f64>,
    max: Option<f64>,
    mean: Option<f64>,
    stddev: Option<f64>,
    quantiles: Quantiles,
    nan: u64,
    inf: u64,
    #[serde(flatten)]
    whole: Option<Whole<'a>>,
}

#[derive(Serialize)]
struct Quantiles {
    #[serde(rename = "0.01")]
    first: Option<f64>,
    #[serde(rename = "0.25")]
    second: Option<f64>,
    #[serde(rename = "0.5")]
    third: Option<f64>,
    #[serde(rename = "0.75")]
    fourth: Option<f64>,
    #[serde(rename = "0.99")]
    fifth: Option<f64>,
}

/// Fields that only a table has.
#[derive(Serialize)]
struct Whole<'a> {
    entries: u64,
    constant_columns: Vec<usize>,
    /// How many entries have each length.
    lengths: &'a std::collections::BTreeMap<u64, u64>,
}

/// Statistics of tables as lines of text or of JSON, one group after the other.
#[derive(Debug)]
pub struct Report<'a> {
    table: &'a BStr,
    by: By,
    is_json: bool,
    lines: Vec<u8>,
}

impl<'a> Report<'a> {
    /// Starts with the names of the columns if this is the first table. `number` tables come before it.
    pub fn new(table: &'a BStr, by: By, is_json: bool, number: usize) -> Self {
        let names = "table\tgroup\tcount\tmin\tmax\tmean\tstddev\t1%\t25%\t50%\t75%\t99%\tnan\tinf\n";
        let lines = match (is_json, by, number) {
            (false, By::Table, 1..) => "\n",
            (false, By::Column | By::Key | By::Speaker, 0) => names,
            _ => "",
        };
        Self { table, by, is_json, lines: lines.into() }
    }

    /// Takes the lines so far.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.lines)
    }

    /// Adds the groups that are known only after the table was read.
    pub fn end(&mut self, statistics: &Statistics) {
        for group in statistics.groups() {
            self.put(&group, Some(statistics));
        }
    }

    /// Adds a group. `statistics` are those of the table if the table is the group.
    pub fn put(&mut self, group: &Group, statistics: Option<&Statistics>) {
        let whole = statistics.filter(|_| self.by == By::Table);
        let text = match (self.is_json, whole) {
            (true, whole) => self.object(group, whole),
            (false, Some(whole)) => self.block(group, whole),
            (false, None) => self.line(group),
        };
        self.lines.extend(text.into_bytes());
    }

    /// Adds what was measured of an entry. The first line of text has the names.
    pub fn put_measures(&mut self, key: &BStr, measures: &[(&'static str, Option<f64>)], is_first: bool) {
        if self.is_json {
            let mut object = serde_json::Map::new();
            object.insert("table".to_owned(), self.table.to_string().into());
            object.insert("group".to_owned(), key.to_string().into());
            measures.iter().for_each(|(name, value)| drop(object.insert((*name).to_owned(), (*value).into())));
            let line = kaldi_io::printable_json(&serde_json::Value::from(object).to_string()) + "\n";
            return self.lines.extend(line.into_bytes());
        }
        if is_first {
            let names: Vec<&str> = measures.iter().map(|(name, _)| *name).collect();
            self.lines = format!("table\tgroup\t{}\n", names.join("\t")).into_bytes();
        }
        let known = |value: &Option<f64>| value.map_or_else(|| "-".to_owned(), kaldi_value::number::general);
        let numbers: Vec<String> = measures.iter().map(|(_, value)| known(value)).collect();
        self.lines.extend(format!("{}\t{key}\t{}\n", self.table, numbers.join("\t")).into_bytes());
    }

    fn object(&self, group: &Group, whole: Option<&Statistics>) -> String {
        let Group { name, moments, quantiles } = group;
        let known = |value: f64| (moments.count > 0).then_some(value);
        let [first, second, third, fourth, fifth] = quantiles.map(known);
        let whole = whole.map(|it| Whole {
            entries: it.num_entries(),
            constant_columns: it.constant_columns(),
            lengths: it.lengths(),
        });
        let object = Object {
            table: self.table.to_string(),
            group: name.to_string(),
            count: moments.count,
            min: known(moments.min),
            max: known(moments.max),
            mean: known(moments.mean),
            stddev: known(moments.stddev),
            quantiles: Quantiles { first, second, third, fourth, fifth },
            nan: moments.nan,
            inf: moments.inf,
            whole,
        };
        // Nothing in it can fail.
        kaldi_io::printable_json(&serde_json::to_string(&object).unwrap_or_default()) + "\n"
    }

    fn line(&self, group: &Group) -> String {
        let numbers: Vec<String> = numbers(group).into_iter().map(|(_, number)| number).collect();
        format!("{}\t{}\t{}\n", self.table, group.name, numbers.join("\t"))
    }

    /// A line for each statistic, and for each range of lengths.
    fn block(&self, group: &Group, statistics: &Statistics) -> String {
        let mut text = format!("{}: {} entries\n", self.table, statistics.num_entries());
        for (name, number) in numbers(group) {
            text += &format!("{name:<18} {number}\n");
        }
        let constant: Vec<String> = statistics.constant_columns().iter().map(usize::to_string).collect();
        let constant = if constant.is_empty() { "none".to_owned() } else { constant.join(" ") };
        text += &format!("{:<18} {constant}\n", "constant columns");
        text + &histogram(statistics)
    }
}

/// The names and numbers of a group, in their order.
fn numbers(group: &Group) -> Vec<(&'static str, String)> {
    let Group { moments, quantiles, .. } = group;
    let known = |value: f64| if moments.count > 0 { kaldi_value::number::general(value) } else { "-".to_owned() };
    let mut numbers = vec![
        ("count", moments.count.to_string()),
        ("min", known(moments.min)),
        ("max", known(moments.max)),
        ("mean", known(moments.mean)),
        ("stddev", known(moments.stddev)),
    ];
    numbers.extend(["1 %", "25 %", "50 %", "75 %", "99 %"].into_iter().zip(quantiles.map(known)));
    numbers.extend([("nan", moments.nan.to_string()), ("inf", moments.inf.to_string())]);
    numbers
}

/// At most ten ranges of lengths, each with its entries and a bar.
fn histogram(statistics: &Statistics) -> String {
    let bins = statistics.length_histogram(10);
    let most = bins.iter().map(|bin| bin.entries).max().unwrap_or(1).max(1);
    let mut text = String::from("lengths            entries\n");
    for bin in bins {
        let range = if bin.first == bin.last { bin.first.to_string() } else { format!("{}-{}", bin.first, bin.last) };
        let bar = "#".repeat((bin.entries * 40).div_ceil(most) as usize);
        text += format!("{range:<18} {:<8} {bar}", bin.entries).trim_end();
        text.push('\n');
    }
    text
}
