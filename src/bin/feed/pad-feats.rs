//! Pads features to one length.
//!
//! Kaldi has no such tool.

use anyhow::{bail, ensure};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_reader::Reader;
use kaldi_table::{RandomAccessReader, SequentialReader, TableWriter};
use kaldi_value::Keys;

const USAGE: &str = "\
Appends frames of one value to features, so that all have the same number of frames: that of the longest in each batch,
or --num-frames. With --batches, features are written in the order of the batches.

Usage: pad-feats [options] <feats-rspecifier> <feats-wspecifier>
 e.g.: pad-feats --batches=ark:batches --write-lengths=ark,t:lengths scp:feats.scp ark:-
       pad-feats --num-frames=300 scp:feats.scp ark:-
See also: batch-utts, copy-feats
";

#[derive(clap::Args)]
struct Options {
    /// Table of token vectors, the keys of each batch
    #[arg(long)]
    batches: Option<InputName>,
    /// The number of frames, if there are no batches; longer features are left out with a warning
    #[arg(long, default_value_t = 0)]
    num_frames: u32,
    /// Value of the frames that are appended
    #[arg(long, default_value_t = 0.0)]
    padding: f32,
    /// Table of integers for the original numbers of frames
    #[arg(long = "write-lengths", alias = "lengths")]
    lengths: Option<OutputName>,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(pad_feats)).whole("batches are those of the whole table");

fn pad_feats(opts: Options) -> anyhow::Result<Tally> {
    let mut out = Padded {
        target: TableWriter::create(&opts.target)?,
        lengths: opts.lengths.as_ref().map(TableWriter::create).transpose()?,
        padding: opts.padding,
        tally: Tally::default(),
        frames: 0,
        added: 0,
    };
    match (&opts.batches, opts.num_frames as usize) {
        (Some(batches), 0) => pad_batches(&opts, batches, &mut out)?,
        (None, 0) | (Some(_), _) => bail!("expected one of --batches and --num-frames"),
        (None, num_frames) => pad_all(&opts, num_frames, &mut out)?,
    }
    let percent = 100.0 * out.added as f64 / ((out.frames + out.added) as f64).max(1.0);
    let Tally { done, failed, .. } = out.tally;
    log!("Wrote the features of {done} utterances, {percent:.2} percent padding; left out {failed}");
    out.finish()
}

/// Pads all features to the same number of frames.
fn pad_all(opts: &Options, num_frames: usize, out: &mut Padded) -> anyhow::Result<()> {
    let rows = SequentialReader::<Matrix<f32>>::open(&opts.source)?.values();
    let ended = rows.drain(|key, feats| {
        if feats.num_rows() > num_frames {
            warning!("{key}: expected at most {num_frames} frames, got {}; left out", feats.num_rows());
            out.tally.failed += 1;
            return Ok(());
        }
        out.put(&key, feats, num_frames)
    })?;
    Ok(ended.finish()?)
}

/// Pads the features of each batch to the length of its longest.
fn pad_batches(opts: &Options, batches: &InputName, out: &mut Padded) -> anyhow::Result<()> {
    let mut source = RandomAccessReader::<Matrix<f32>>::open(&opts.source)?;
    let mut batches = SequentialReader::<Keys>::open(batches)?.values();
    while let Some((batch, keys)) = batches.next()? {
        let mut members = Vec::with_capacity(keys.len());
        let mut num_cols = None;
        for key in keys.iter() {
            let Some(feats) = source.get(key)? else {
                warning!("{batch}: {key}: no features; left out");
                out.tally.failed += 1;
                continue;
            };
            if !feats.is_empty() {
                let expected = *num_cols.get_or_insert(feats.num_cols());
                ensure!(
                    feats.num_cols() == expected,
                    "{batch}: {key}: expected features of {expected} dimensions as before in the batch, got {}",
                    feats.num_cols()
                );
            }
            members.push((key, feats));
        }
        let longest = members.iter().map(|(_, feats)| feats.num_rows()).max().unwrap_or(0);
        for (key, feats) in members {
            out.put(key, (*feats).clone(), longest)?;
        }
    }
    batches.finish()?;
    Ok(source.finish()?)
}

/// The padded features, and the counts of them.
struct Padded {
    target: TableWriter<Matrix<f32>>,
    lengths: Option<TableWriter<i32>>,
    padding: f32,
    tally: Tally,
    frames: u64,
    added: u64,
}

impl Padded {
    fn put(&mut self, key: &[u8], feats: Matrix<f32>, num_frames: usize) -> anyhow::Result<()> {
        let (given, num_cols) = feats.size();
        let mut data = feats.into_vec();
        data.resize(num_frames * num_cols, self.padding);
        let num_frames = if num_cols == 0 { 0 } else { num_frames };
        self.target.write(key, &Matrix::from_vec(num_frames, num_cols, data))?;
        if let Some(lengths) = &mut self.lengths {
            lengths.write(key, &(given as i32))?;
        }
        self.tally.done += 1;
        self.frames += given as u64;
        self.added += (num_frames - given) as u64;
        Ok(())
    }

    fn finish(self) -> anyhow::Result<Tally> {
        self.target.finish()?;
        self.lengths.map_or(Ok(()), TableWriter::finish)?;
        Ok(self.tally)
    }
}
