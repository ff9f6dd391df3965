//! Merges training examples of nnet3 to minibatches.
//!
//! Matches Kaldi's `nnet3-merge-egs`, the order at the end of the input included.

use kaldi_cli::{Arg, InputName, OutputName, Tally, num_threads};
use kaldi_egs::{ExampleMerger, Merged, MergingStats, MinibatchSizes, NnetExample};
use kaldi_io::log::{log, warning};
use kaldi_reader::{Reader, ReaderExt, from_fn, par_map};
use kaldi_table::{Record, Rows, SequentialReader, TableWriter};

const USAGE: &str = "\
Merges training examples of nnet3 to minibatches. Examples go together if they have the same inputs and outputs, with the same
indexes and numbers of columns.

Usage: nnet3-merge-egs [options] <egs-rspecifier> <egs-wspecifier>
 e.g.: nnet3-merge-egs --minibatch-size=512 ark:1.egs ark:-
       nnet3-merge-egs --minibatch-size=1:64 ark:1.egs ark:-
       nnet3-merge-egs --minibatch-size=100=128/200=32,64 ark:1.egs ark:-
See also: nnet3-copy-egs, nnet3-shuffle-egs
";

/// How many bytes of examples wait for the threads.
const IN_FLIGHT: usize = 8 << 20;

#[derive(clap::Args)]
struct Options {
    /// How many examples to merge: numbers and ranges (64,128 or 1:64), of which the largest counts until the input ends; for
    /// sizes of examples size=numbers, separated by / (the nearest size counts)
    #[arg(long, default_value = "256")]
    minibatch_size: Arg,
    /// Compress full matrices
    #[arg(long)]
    compress: bool,
    /// Has no effect
    #[arg(long, default_value = "deprecated")]
    measure_output_frames: Arg,
    /// Has no effect
    #[arg(long, default_value = "deprecated")]
    discard_partial_minibatches: Arg,
    /// Has no effect
    #[arg(long)]
    multilingual_eg: bool,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(nnet3_merge_egs)).whole("examples from anywhere are merged");

fn nnet3_merge_egs(opts: Options) -> anyhow::Result<Tally> {
    let _ = opts.multilingual_eg;
    let deprecated = [
        ("measure-output-frames", &opts.measure_output_frames),
        ("discard-partial-minibatches", &opts.discard_partial_minibatches),
    ];
    for (name, _) in deprecated.into_iter().filter(|(_, value)| *value != "deprecated") {
        warning!("The --{name} option is deprecated and will be ignored.");
    }
    let sizes = MinibatchSizes::parse(&opts.minibatch_size.to_string())?;
    let rows = SequentialReader::<NnetExample>::open(&opts.source)?.values();
    let mut target = TableWriter::create(&opts.target)?;

    let (format, compress) = (target.format(), opts.compress);
    let mut source = Source { rows, merger: ExampleMerger::new(sizes), rest: None, has_ended: false };
    let work = move |item| {
        Ok(match item {
            Item::Merge(Merged { key, examples }) => {
                let merged = NnetExample::merged(&examples, compress);
                let merged = merged
                    .map_err(|error| kaldi_table::Error::Work { key: key.clone().into(), source: Box::new(error) })?;
                Made::Record(Record::new(key, &merged, format))
            }
            Item::End(stats) => Made::Stats(stats),
        })
    };
    let mut done = 0;
    for made in par_map(from_fn(move |_| source.next()), num_threads, work).in_flight(IN_FLIGHT, Item::weigh).iter() {
        match made? {
            Made::Record(record) => {
                target.put(record)?;
                done += 1;
            }
            Made::Stats(stats) => log_stats(&stats),
        }
    }
    target.finish()?;
    Ok(Tally::new(done, 0))
}

fn log_stats(stats: &MergingStats) {
    log!(
        "Merged specific eg types as follows [format: <eg-size1>={{<mb-size1>-><num-minibatches1>,<mbsize2>-><num-minibatches2>\
         .../d=<num-discarded>}},<egs-size2>={{...}},... (note,egs-size == number of input frames including context)."
    );
    log!("{}", stats.of_structures());
    log!("{}", stats.of_all());
}

/// Examples to merge, or the end.
enum Item {
    Merge(Merged),
    End(MergingStats),
}

enum Made {
    Record(Record<NnetExample>),
    Stats(MergingStats),
}

impl Item {
    /// About how many bytes the matrices take.
    fn weigh(&self) -> usize {
        let Self::Merge(merged) = self else { return 0 };
        let io = merged.examples.iter().flat_map(|example| &example.io);
        io.map(|io| 4 * io.matrix.num_rows() * io.matrix.num_cols().min(1024)).sum()
    }
}

/// Collects examples until there are enough to merge.
struct Source {
    rows: Rows<NnetExample>,
    merger: ExampleMerger,
    /// What is merged at the end of the input.
    rest: Option<std::vec::IntoIter<Merged>>,
    has_ended: bool,
}

impl Source {
    fn next(&mut self) -> kaldi_table::Result<Option<Item>> {
        loop {
            if let Some(rest) = &mut self.rest {
                let stats = || (!std::mem::replace(&mut self.has_ended, true)).then(|| Item::End(self.merger.stats()));
                return Ok(rest.next().map(Item::Merge).or_else(stats));
            }
            let Some((_, example)) = self.rows.next()? else {
                self.rows.finish()?;
                self.rest = Some(self.merger.end().into_iter());
                continue;
            };
            if let Some(merged) = self.merger.add(example) {
                return Ok(Some(Item::Merge(merged)));
            }
        }
    }
}
