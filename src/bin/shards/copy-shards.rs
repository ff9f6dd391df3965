//! Copies samples from shards to shards: merges, splits, selects, shuffles. Kaldi has no such program.

use anyhow::{Result, bail, ensure};
use bstr::{BStr, BString, ByteSlice};
use kaldi_cli::{Arg, InputName, OutputName, Tally};
use kaldi_corpus::shard::{
    Error, Grouping, Packed, Places, SamplePlace, ShardCompression, ShardFormat, ShardIndex, ShardNames, ShardOptions,
    ShardSetWriter, Wanted,
};
use kaldi_io::log::{log, warning};
use kaldi_io::{for_each_keyed_line, is_remote};
use kaldi_reader::{ReaderExt, from_fn, par_map};
use kaldi_value::random::Random;
use std::collections::{HashMap, HashSet};
use std::fs;

const USAGE: &str = "\
Copies samples from shards to new ones, and writes the list of these: merges, splits, selects and shuffles without
decoding sound. Members keep their names and contents; their headers are written anew.

Usage: copy-shards [options] <shard-or-list> [<shard-or-list> ...] <shard-dir> <list-wxfilename>
 e.g.: copy-shards --num-utts-per-shard=500 data.list smaller smaller.list
       copy-shards --keys=dev.keys --max-duration=20 data.list dev dev.list
       copy-shards --seed=1 --max-bytes=1000000000 a.list b.list shuffled shuffled.list
Files of keys have a key at the start of each line; the rest is ignored. First all headers are read, then samples are
copied.
See also: list-shards, check-shards, make-shard-list
";

/// Bytes of samples that are compressed at the same time.
const IN_FLIGHT: usize = 16 << 20;

#[derive(clap::Args)]
struct Options {
    /// The most samples of a new shard (1000 if there is no --max-bytes either)
    #[arg(long)]
    num_utts_per_shard: Option<u32>,
    /// The most bytes of a new shard, with its end mark, before compression
    #[arg(long)]
    max_bytes: Option<u64>,
    /// File of the keys to copy; all others are left out
    #[arg(long)]
    keys: Option<InputName>,
    /// File of the keys to leave out
    #[arg(long)]
    exclude: Option<InputName>,
    /// Leave out shorter samples, in seconds
    #[arg(long)]
    min_duration: Option<f64>,
    /// Leave out longer samples, in seconds
    #[arg(long)]
    max_duration: Option<f64>,
    /// Shuffle all samples, with this seed; without it they keep their order
    #[arg(long = "seed", alias = "shuffle-seed")]
    shuffle_seed: Option<u32>,
    /// Compress the new shards: none or gzip
    #[arg(long, default_value = "none", value_parser = kaldi_cli::one_of(&ShardCompression::NAMES))]
    compress: ShardCompression,
    /// Start of the names of the new shards
    #[arg(long, default_value = "shards")]
    prefix: Arg,
    /// Write an index next to each new shard: dali
    #[arg(long, value_parser = kaldi_cli::one_of(&ShardIndex::NAMES))]
    index: Option<ShardIndex>,
    /// How members belong together: wenet (up to the last dot of their names) or webdataset (up to the first one)
    #[arg(long, default_value = "wenet", value_parser = kaldi_cli::one_of(&Grouping::NAMES))]
    grouping: Grouping,
    /// Copy the whole samples before damage, and exit with status 1 if there is damage
    #[arg(long)]
    salvage: bool,
    #[arg(required = true)]
    shards: Vec<InputName>,
    folder: Arg,
    list: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(copy_shards))
    .writing_lists()
    .whole("new shards are numbered over the whole list");

fn copy_shards(opts: Options) -> Result<Tally> {
    ensure!(opts.num_utts_per_shard != Some(0), "expected --num-utts-per-shard to be 1 or more, got 0");
    let max_samples = match (opts.num_utts_per_shard, opts.max_bytes) {
        (None, None) => 1000,
        (number, _) => number.map_or(u64::MAX, u64::from),
    };
    let options = ShardOptions {
        format: ShardFormat::Wenet,
        folder: (*opts.folder).to_owned(),
        prefix: (*opts.prefix).to_owned(),
        max_samples,
        max_bytes: opts.max_bytes.unwrap_or(u64::MAX),
        gzip: opts.compress == ShardCompression::Gzip,
        dali: opts.index.is_some(),
    };
    let mut selection = Selection::new(&opts)?;
    let _folder = kaldi_io::make_folder(&opts.folder.to_path_lossy())?;
    let mut shards = match is_remote(&opts.folder) {
        true => Places::new(&std::env::temp_dir()),
        false => Places::new(&opts.folder.to_path_lossy()),
    };
    let (mut places, mut damaged) = (Vec::new(), 0);
    for name in ShardNames::new(opts.shards.iter().map(|name| name.as_bstr().to_owned()), Wanted::Headers).iter() {
        let name = name?;
        check_target(name.name(), &options)?;
        let grouping = selection.grouping;
        let mut found = Vec::new();
        match shards.add(name, grouping, |key| selection.has_key(key), &mut found) {
            Ok(()) => {}
            Err(error @ Error::Fault(_)) if opts.salvage => {
                warning!("{error}; what follows in this shard is left out");
                damaged += 1;
            }
            Err(error) => return Err(error.into()),
        }
        for place in found {
            if selection.take(&place, &shards)? {
                places.push(place);
            }
        }
    }
    let num_missing = selection.warn_missing();
    if let Some(seed) = opts.shuffle_seed {
        Random::seeded(seed).shuffle(&mut places);
    }

    let gzip = options.gzip;
    let mut target = ShardSetWriter::create(options, &opts.list, places.len() as u64)?;
    let mut places = places.into_iter();
    let mut next = move || places.next().map(|place| shards.pack(place)).transpose();
    if gzip {
        let weigh = |sample: &Packed| sample.size() as usize;
        for sample in par_map(from_fn(move |_| next()), kaldi_cli::num_threads, Packed::compress)
            .in_flight(IN_FLIGHT, weigh)
            .iter()
        {
            target.put(&sample?)?;
        }
    } else {
        while let Some(sample) = next()? {
            target.put(&sample)?;
        }
    }
    let done = target.num_samples();
    log!("Copied {done} samples of {} to {} shards.", selection.num_samples, target.num_shards());
    target.finish()?;
    let tally = Tally::new(done, num_missing + damaged);
    Ok(if damaged > 0 { tally.ok_if(false) } else { tally })
}

/// Returns an error if an output would replace a shard that is read.
fn check_target(source: &BStr, options: &ShardOptions) -> Result<()> {
    let path = source.to_path_lossy();
    let name = path.file_name().map(|name| name.as_encoded_bytes().to_vec()).unwrap_or_default();
    let is_like = name.starts_with(&[options.prefix.as_slice(), b"_"].concat());
    let place = |path: &std::path::Path| match path.as_os_str().as_encoded_bytes() {
        b"" => fs::canonicalize("."),
        name if is_remote(name) => Ok(path.to_owned()),
        _ => fs::canonicalize(path),
    };
    if let (true, Some(parent)) = (is_like, path.parent())
        && let (Ok(from), Ok(to)) = (place(parent), place(&options.folder.to_path_lossy()))
        && from == to
    {
        bail!("{source}: expected new shards elsewhere, or with another --prefix, got the folder of this one");
    }
    Ok(())
}

/// What is selected from all samples.
struct Selection {
    keys: Option<HashMap<BString, bool>>,
    excluded: HashSet<BString>,
    min_duration: Option<f64>,
    max_duration: Option<f64>,
    grouping: Grouping,
    /// The shard in which each key was found.
    seen: HashMap<BString, usize>,
    num_samples: u64,
}

impl Selection {
    fn new(opts: &Options) -> Result<Self> {
        let keys = opts.keys.as_deref().map(read_keys).transpose()?;
        Ok(Self {
            keys: keys.map(|keys| keys.into_iter().map(|key| (key, false)).collect()),
            excluded: opts.exclude.as_deref().map(read_keys).transpose()?.unwrap_or_default(),
            min_duration: opts.min_duration,
            max_duration: opts.max_duration,
            grouping: opts.grouping,
            seen: HashMap::new(),
            num_samples: 0,
        })
    }

    fn has_key(&self, key: &BStr) -> bool {
        self.keys.as_ref().is_none_or(|keys| keys.contains_key(key)) && !self.excluded.contains(key)
    }

    /// Whether a sample of this duration is copied; one of unknown duration is, unless durations matter.
    fn has_duration(&self, seconds: Option<f64>) -> bool {
        let is_in = |seconds: f64| {
            self.min_duration.is_none_or(|least| seconds >= least)
                && self.max_duration.is_none_or(|most| seconds <= most)
        };
        match seconds {
            Some(seconds) => is_in(seconds),
            None => self.min_duration.is_none() && self.max_duration.is_none(),
        }
    }

    /// Notes a sample and returns whether it is copied.
    fn take(&mut self, place: &SamplePlace, shards: &Places) -> Result<bool> {
        self.num_samples += 1;
        if let Some(first) = self.seen.insert(place.key.clone(), place.shard) {
            let (here, first) = (shards.shard(place.shard), shards.shard(first));
            bail!("{here}: expected each key once, got {}, which is in {first}, too", place.key);
        }
        if let Some(found) = self.keys.as_mut().and_then(|keys| keys.get_mut(&place.key)) {
            *found = true;
        }
        Ok(self.has_key(place.key.as_ref()) && self.has_duration(place.seconds))
    }

    /// Warns of keys that are in no shard.
    fn warn_missing(&self) -> u64 {
        let mut missing: Vec<_> =
            self.keys.iter().flatten().filter(|(_, found)| !**found).map(|(key, _)| key).collect();
        missing.sort();
        for key in missing.iter().take(10) {
            warning!("{key}: no shard has this key");
        }
        if missing.len() > 10 {
            warning!("{} keys are in no shard", missing.len());
        }
        missing.len() as u64
    }
}

fn read_keys(rxfilename: &BStr) -> Result<HashSet<BString>> {
    let mut keys = HashSet::new();
    for_each_keyed_line(rxfilename, |line| keys.extend([BString::from(line.key)]))?;
    Ok(keys)
}
