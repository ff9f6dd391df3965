//! Lists the samples of shards. Kaldi has no such program.

use anyhow::Result;
use bstr::{BStr, BString, ByteSlice};
use kaldi_cli::{InputName, Tally};
use kaldi_corpus::shard::{
    Error, Grouping, ShardName, ShardNames, TarSample, TarSamples, Wanted, is_sound, sound_info,
};
use kaldi_io::{Output, printable_json, quote_name};
use kaldi_reader::{ReaderExt, par_map};
use serde_json::{Value, json};
use shards::SharFolder;
use std::collections::BTreeMap;

const USAGE: &str = "\
Lists the samples of shards, one per line. Of a Shar folder of lhotse, all tar files are listed. For uncompressed shards in files only headers are read.

Usage: list-shards [options] <shard-or-list-or-shar> [<shard-or-list-or-shar> ...]
 e.g.: list-shards data.list
       list-shards --summary=true shards_000000000.tar shards_000000001.tar.gz
       list-shards shar/train
       curl -s https://host/shards_000000000.tar | list-shards --json=true -
A line: <key> <shard> <seconds> and, for each member, <field>:<offset>:<size>. A sample without sound, or with sound that is
not decoded here, has - for the seconds:
       utt1 shards_000000000.tar 1.5 txt:512:5 wav:1536:48044
With --json: {\"key\": \"utt1\", \"fields\": {\"txt\": {\"offset\": 512, \"size\": 5}, ...}, \"duration\": 1.5, \"shard\": \"...\"}
See also: check-shards, shards-to-scp
";

#[derive(clap::Args)]
struct Options {
    /// How members belong together: wenet (up to the last dot of their names) or webdataset (up to the first one)
    #[arg(long, default_value = "wenet", value_parser = kaldi_cli::one_of(&Grouping::NAMES))]
    grouping: Grouping,
    /// Write an object in JSON for each sample
    #[arg(long)]
    json: bool,
    /// Write only counts: shards, samples, seconds, and members and bytes of each field
    #[arg(long)]
    summary: bool,
    #[arg(required = true)]
    shards: Vec<InputName>,
}

/// Counts of samples.
#[derive(Default)]
struct Summary {
    shards: u64,
    samples: u64,
    seconds: f64,
    /// Members and bytes by field.
    fields: BTreeMap<BString, (u64, u64)>,
}

/// The results for a shard: lines, counts, and the error that ended it.
type Listed = (Vec<u8>, Summary, Option<Error>);

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(list_shards))
    .whole("an argument is a shard or a list of shards; a list can be cut with --split and --out");

fn list_shards(opts: Options) -> Result<Tally> {
    let mut output = Output::stdout()?;
    let names = ShardNames::new(shards_of(&opts.shards)?, Wanted::Headers);
    let grouping = opts.grouping;
    let (json, summary) = (opts.json, opts.summary);

    let list = move |name: ShardName| -> Result<Listed, Error> { Ok(list(name, grouping, json, summary)) };
    let mut sum = Summary::default();
    for listed in par_map(names, kaldi_cli::num_threads, list).in_flight(8 << 20, |_| 1 << 20).eager().iter() {
        let (lines, counts, fault) = listed?;
        output.write_all(&lines)?;
        if let Some(fault) = fault {
            return Err(fault.into());
        }
        sum.add(counts);
    }
    if opts.summary {
        output.write_all(&if opts.json { sum.to_json() } else { sum.to_text() })?;
    }
    output.finish()?;
    Ok(Tally::new(sum.samples, 0).always_ok())
}

/// The arguments; in place of a Shar folder its tar files.
fn shards_of(arguments: &[InputName]) -> Result<Vec<BString>> {
    let mut shards = Vec::new();
    for name in arguments.iter().map(|argument| argument.as_bstr()) {
        if !name.to_path_lossy().is_dir() {
            shards.push(name.to_owned());
            continue;
        }
        let shar = SharFolder::find(name)?;
        let tars = shar.files().iter().flat_map(|files| files.fields.values());
        shards.extend(tars.filter(|file| !file.contains_str(".jsonl")).cloned());
    }
    Ok(shards)
}

fn list(name: ShardName, grouping: Grouping, json: bool, is_summary: bool) -> Listed {
    let shard = name.name().to_owned();
    let (mut lines, mut summary) = (Vec::new(), Summary { shards: 1, ..Summary::default() });
    let run = || -> Result<(), Error> {
        let mut samples = TarSamples::new(name.open()?, grouping);
        while let Some(sample) = samples.next_sample(|field, member, payload| {
            Ok(sound_info(field, member, payload)?.and_then(|info| info.duration()))
        })? {
            summary.count(&sample);
            match (is_summary, json) {
                (true, _) => {}
                (false, true) => write_json(&mut lines, &sample, shard.as_ref()),
                (false, false) => write_text(&mut lines, &sample, shard.as_ref()),
            }
        }
        samples.finish()
    };
    let fault = run().err();
    (lines, summary, fault)
}

fn duration(sample: &TarSample<Option<f64>>) -> Option<f64> {
    sample.fields.iter().find(|field| is_sound(field.name.as_ref())).and_then(|field| field.value)
}

fn write_text(lines: &mut Vec<u8>, sample: &TarSample<Option<f64>>, shard: &BStr) {
    let seconds = duration(sample).map_or("-".to_owned(), |seconds| seconds.to_string());
    let (key, shard) = (quote_name(&sample.key), quote_name(shard));
    lines.extend_from_slice(&[key.as_bytes(), b" ", shard.as_bytes(), b" ", seconds.as_bytes()].concat());
    for field in &sample.fields {
        lines.extend_from_slice(&[b" ", quote_name(&field.name).as_bytes()].concat());
        lines.extend_from_slice(format!(":{}:{}", field.member.offset, field.member.size).as_bytes());
    }
    lines.push(b'\n');
}

fn write_json(lines: &mut Vec<u8>, sample: &TarSample<Option<f64>>, shard: &BStr) {
    let text = |bytes: &[u8]| Value::from(bytes.to_str_lossy()).to_string();
    let fields: Vec<String> = sample
        .fields
        .iter()
        .map(|field| {
            let member = &field.member;
            format!("{}: {{\"offset\": {}, \"size\": {}}}", text(&field.name), member.offset, member.size)
        })
        .collect();
    let (key, fields, shard) = (text(&sample.key), fields.join(", "), text(shard));
    let duration = json!(duration(sample));
    let line = format!("{{\"key\": {key}, \"fields\": {{{fields}}}, \"duration\": {duration}, \"shard\": {shard}}}");
    lines.extend_from_slice((printable_json(&line) + "\n").as_bytes());
}

impl Summary {
    fn count(&mut self, sample: &TarSample<Option<f64>>) {
        self.samples += 1;
        self.seconds += duration(sample).unwrap_or(0.0);
        for field in &sample.fields {
            let (members, bytes) = self.fields.entry(field.name.clone()).or_default();
            *members += 1;
            *bytes += field.member.size;
        }
    }

    fn add(&mut self, other: Summary) {
        self.shards += other.shards;
        self.samples += other.samples;
        self.seconds += other.seconds;
        for (field, (members, bytes)) in other.fields {
            let sum = self.fields.entry(field).or_default();
            *sum = (sum.0 + members, sum.1 + bytes);
        }
    }

    fn to_text(&self) -> Vec<u8> {
        let mut out =
            format!("shards {}\nsamples {}\nseconds {:.3}\n", self.shards, self.samples, self.seconds).into_bytes();
        for (field, (members, bytes)) in &self.fields {
            out.extend_from_slice(&[b"field ", quote_name(field).as_bytes()].concat());
            out.extend_from_slice(format!(" {members} members {bytes} bytes\n").as_bytes());
        }
        out
    }

    fn to_json(&self) -> Vec<u8> {
        let field = |(field, (members, bytes)): (&BString, &(u64, u64))| {
            (field.to_str_lossy().into_owned(), json!({ "members": members, "bytes": bytes }))
        };
        let fields: serde_json::Map<String, Value> = self.fields.iter().map(field).collect();
        // Milliseconds: sums of seconds have more digits than they know.
        let (shards, samples, seconds) = (self.shards, self.samples, (self.seconds * 1e3).round() / 1e3);
        let object = json!({ "shards": shards, "samples": samples, "seconds": seconds, "fields": fields });
        (printable_json(&object.to_string()) + "\n").into_bytes()
    }
}
