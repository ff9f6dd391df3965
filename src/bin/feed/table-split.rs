//! Splits a table among ranks and workers, or into parts.
//!
//! Kaldi has `split_scp.pl`, only for lists.

use anyhow::{Context, bail, ensure};
use bstr::{BStr, BString, ByteSlice};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feed::{ItemList, ItemWriter, Items, Text};
use kaldi_inspect::copied_tables;
use kaldi_io::log::log;
use kaldi_io::{KeyedLine, NamePattern};
use kaldi_reader::{Reader, ReaderExt, Share};
use std::collections::HashMap;

const USAGE: &str = "\
Splits an archive with values of any type, or the lines of a list (for example a script file). Values are copied
unchanged. Either writes the share of one worker of one rank, with entries dealt in turn; or all parts at once, each a
stretch of the table.

Usage: table-split [options] <table-or-list> <archive-or-list>
 e.g.: table-split --rank=1 --world-size=4 --worker=0 --num-workers=2 feats.scp share.scp
       table-split --parts=8 feats.scp split/feats.%d.scp
       table-split --parts=8 --by=bytes feats.ark ark,scp:feats.%d.ark,feats.%d.scp
       table-split --parts=8 --by=speakers --utt2spk=data/utt2spk feats.scp split/feats.%d.scp
%d is the number of the part, counted from 1 (%03d adds leading zeros).
See also: table-shuffle, table-sort, concat-ark
";

#[derive(clap::Args)]
struct Options {
    /// The rank, counted from 0, whose share is written
    #[arg(long, default_value_t = 0)]
    rank: u32,
    /// Number of ranks
    #[arg(long, default_value_t = 1)]
    world_size: u32,
    /// The worker of the rank, counted from 0, whose share is written
    #[arg(long, default_value_t = 0)]
    worker: u32,
    /// Number of workers of each rank
    #[arg(long, default_value_t = 1)]
    num_workers: u32,
    /// Number of parts to write at once
    #[arg(long, default_value_t = 0)]
    parts: u32,
    /// What is equal in all parts, as far as possible: items, bytes, or speakers (items, and no speaker in two parts)
    #[arg(long, default_value = "items", value_parser = kaldi_cli::one_of(&MEASURES))]
    by: By,
    /// Speaker of each utterance, for --by=speakers
    #[arg(long)]
    utt2spk: Option<InputName>,
    source: InputName,
    target: OutputName,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Items,
    Bytes,
    Speakers,
}

const MEASURES: [(&str, By); 3] = [("items", By::Items), ("bytes", By::Bytes), ("speakers", By::Speakers)];

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(table_split)).together().whole("it divides the whole list itself");

fn table_split(opts: Options) -> anyhow::Result<Tally> {
    let share = Share::new(opts.rank.into(), opts.world_size.into(), opts.worker.into(), opts.num_workers.into())?;
    ensure!(opts.parts == 0 || share == Share::default(), "expected either --parts or --rank and --worker");
    let (source, target) = copied_tables(&opts.source, &opts.target);
    let items = Items::open_for(source.as_ref(), target.as_ref())?;
    if opts.parts > 0 {
        return split(&opts, items, target.as_ref());
    }
    ensure!(opts.by == By::Items && opts.utt2spk.is_none(), "expected --by and --utt2spk with --parts only");
    let mut target = ItemWriter::create(target.as_ref(), &items)?;
    let mut items = items.partition(share);
    let mut done = 0;
    while let Some(item) = items.next()? {
        target.put(&item)?;
        done += 1;
    }
    log!("Wrote {done} entries");
    target.finish()?;
    Ok(Tally::new(done, 0))
}

/// Writes all parts.
fn split(opts: &Options, mut items: Items, target: &BStr) -> anyhow::Result<Tally> {
    let pattern = NamePattern::parse(target)?;
    ensure!(pattern.has_number(), "expected %d in the name of the output, got {}", opts.target);
    let create = |part| ItemWriter::create(pattern.name(part).as_bstr(), &items);
    let targets: kaldi_feed::Result<Vec<_>> = (1..=u64::from(opts.parts)).map(create).collect();
    let mut targets = targets?;
    let all = ItemList::read(&mut items)?;
    let parts = opts.parts_of(&all)?;
    let mut counts = vec![0_u64; targets.len()];
    for (item, part) in all.iter().zip(parts) {
        targets[part as usize].put(&item)?;
        counts[part as usize] += 1;
    }
    let (least, most) = (counts.iter().min().unwrap_or(&0), counts.iter().max().unwrap_or(&0));
    log!("Wrote {} entries to {} parts, {least} to {most} each", all.len(), targets.len());
    for target in targets {
        target.finish()?;
    }
    Ok(Tally::new(all.len() as u64, 0))
}

impl Options {
    /// The part of every item, counted from 0.
    fn parts_of<'a>(&self, items: &'a ItemList) -> anyhow::Result<Box<dyn Iterator<Item = u32> + 'a>> {
        match (self.by, &self.utt2spk) {
            (By::Items, None) => Ok(Box::new(equal_stretches(items.len(), self.parts))),
            (By::Bytes, None) => Ok(Box::new(stretches(items.iter().map(|item| item.size()), self.parts))),
            (By::Speakers, Some(name)) => Ok(Box::new(self.parts_of_speakers(items, name)?.into_iter())),
            (By::Speakers, None) => bail!("expected --utt2spk with --by=speakers"),
            (By::Items | By::Bytes, Some(_)) => bail!("expected --utt2spk with --by=speakers only"),
        }
    }

    /// Speakers are dealt in the order of their first utterances.
    fn parts_of_speakers(&self, items: &ItemList, utt2spk: &InputName) -> anyhow::Result<Vec<u32>> {
        let mut lines = Text::open(utt2spk)?;
        // Speakers are numbers, since there may be millions of utterances.
        let mut speaker_of = HashMap::<Box<[u8]>, usize>::new();
        let mut numbers = HashMap::<BString, usize>::new();
        while let Some((utterance, speaker)) = lines.next()? {
            let line = KeyedLine::split(&speaker);
            if line.key.is_empty() || !line.rest.is_empty() {
                bail!("{utt2spk}: {utterance}: expected one speaker, got {speaker:?}");
            }
            let next = numbers.len();
            let number = *numbers.entry(BString::from(line.key)).or_insert(next);
            speaker_of.insert(Vec::from(utterance).into(), number);
        }
        let mut places = vec![None; numbers.len()];
        let mut sizes = Vec::new();
        let mut speakers = Vec::with_capacity(items.len());
        for item in items.iter() {
            let number = speaker_of.get(item.key().as_bytes());
            let number = *number.with_context(|| format!("{}: --utt2spk does not have this key", item.key()))?;
            let place = *places[number].get_or_insert_with(|| {
                sizes.push(0);
                sizes.len() - 1
            });
            sizes[place] += 1;
            speakers.push(place);
        }
        let parts: Vec<u32> = stretches(sizes.into_iter(), self.parts).collect();
        Ok(speakers.into_iter().map(|speaker| parts[speaker]).collect())
    }
}

/// Cuts a row into stretches; the first ones have one item more than the others, as in Kaldi's `split_scp.pl`.
fn equal_stretches(length: usize, parts: u32) -> impl Iterator<Item = u32> {
    let (least, rest) = (length / parts as usize, length % parts as usize);
    let size = move |part: u32| least + usize::from((part as usize) < rest);
    (0..parts).flat_map(move |part| std::iter::repeat_n(part, size(part)))
}

/// Cuts a row of items with sizes into stretches: an item belongs to the part that contains its middle.
fn stretches(sizes: impl Iterator<Item = u64> + Clone, parts: u32) -> impl Iterator<Item = u32> {
    let total: u128 = sizes.clone().map(u128::from).sum();
    let mut before = 0_u128;
    let part = move |size: u64| {
        let middle = 2 * before + u128::from(size);
        before += u128::from(size);
        (middle * u128::from(parts) / (2 * total).max(1)).min(u128::from(parts) - 1) as u32
    };
    sizes.map(part)
}
