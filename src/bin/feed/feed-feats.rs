//! Feeds the utterances of a training as tables.
//!
//! Kaldi has no such tool. The chain and its configuration are those of WeNet's data loader.

use std::sync::Arc;

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feed::{Data, FeedArguments, Sample, standard_stages};
use kaldi_io::log::log;
use kaldi_matrix::Matrix;
use kaldi_reader::Reader;
use kaldi_table::{Session, TableWriter};
use kaldi_value::Tokens;

const USAGE: &str = "\
Writes the utterances of a training in its order as tables: their features, their labels, and the keys of each batch.
They are processed as in feed-batches, but without padding, and the order within a batch is that before the padding.

Usage: feed-feats [options] <data-list> <feats-wspecifier> [<labels-wspecifier> [<batches-wspecifier>]]
 e.g.: feed-feats --conf=train.yaml --symbols=units.txt --epoch=3 data.list ark:feats.ark ark:labels.ark ark,t:batches
       feed-feats --conf=train.yaml --data-type=shard --split=cv shards.list ark,scp:cv.ark,cv.scp
       feed-feats --chain=chain.yaml --data-type=table --text=data/text scp:data/wav.scp ark:-
See also: feed-batches, compute-fbank-feats, tokenize-text, batch-utts
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    feed: FeedArguments,
    source: InputName,
    feats: OutputName,
    labels_out: Option<OutputName>,
    batches: Option<OutputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(feed_feats))
    .whole("order and batches are those of the whole list; --rank and --world-size divide it");

fn feed_feats(opts: Options) -> anyhow::Result<Tally> {
    let chain = Arc::new(opts.feed.build_chain(&standard_stages(), opts.labels_out.is_some())?);
    if opts.feed.dry_run {
        kaldi_io::print(chain.description().to_string())?;
        return Ok(Tally::default().always_ok());
    }
    let feed = opts.feed.open(&opts.source, &chain)?;
    let mut target = Target {
        feats: TableWriter::create(&opts.feats)?,
        labels: opts.labels_out.as_ref().map(TableWriter::create).transpose()?,
        batches: opts.batches.as_ref().map(TableWriter::create).transpose()?,
    };
    let mut batches = feed.batches(Session::current(), |number, samples| Ok((number, samples)));
    while let Some((number, samples)) = batches.next()? {
        target.write(number, &samples)?;
    }
    let counts = batches.counts();
    log!("{counts}");
    target.finish()?;
    let tally = Tally::new(counts.delivered, counts.bad);
    // Nothing is left to do after the end of an epoch.
    Ok(if counts.are_left_only() { tally.always_ok() } else { tally })
}

/// The output tables.
struct Target {
    feats: TableWriter<Matrix<f32>>,
    labels: Option<TableWriter<Vec<i32>>>,
    batches: Option<TableWriter<Tokens>>,
}

impl Target {
    fn write(&mut self, number: u64, samples: &[Sample]) -> anyhow::Result<()> {
        for sample in samples {
            let Data::Feats(feats) = sample.data() else {
                anyhow::bail!("{}: expected features: the chain needs a stage such as fbank", sample.key);
            };
            self.feats.write(&sample.key, feats)?;
            if let Some(labels) = &mut self.labels {
                let Some(found) = &sample.labels else {
                    anyhow::bail!("{}: expected labels: the chain needs the stage tokenize, and --symbols", sample.key);
                };
                labels.write(&sample.key, found)?;
            }
        }
        if let Some(batches) = &mut self.batches {
            let keys = Tokens::new(samples.iter().map(|sample| sample.key.as_slice()))?;
            batches.write(format!("batch-{number:07}"), &keys)?;
        }
        Ok(())
    }

    fn finish(self) -> anyhow::Result<()> {
        self.feats.finish()?;
        self.labels.map_or(Ok(()), TableWriter::finish)?;
        self.batches.map_or(Ok(()), TableWriter::finish)?;
        Ok(())
    }
}
