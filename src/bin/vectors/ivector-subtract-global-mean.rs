//! Subtracts the mean of all vectors from each.
//!
//! Matches Kaldi's `ivector-subtract-global-mean`: as in Kaldi, `--subtract-mean` has no effect if a mean is given.

use anyhow::{Context, bail};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_ivector::VectorMoments;
use kaldi_matrix::Vector;
use kaldi_table::{SequentialReader, TableWriter, read_file};
use kaldi_value::number::general;

const USAGE: &str = "\
Subtracts a mean from speaker vectors: that of all of them, which are then kept in memory, or a given one.

Usage: ivector-subtract-global-mean [options] <ivector-rspecifier> <ivector-wspecifier>
  or:  ivector-subtract-global-mean [options] <mean-rxfilename> <ivector-rspecifier> <ivector-wspecifier>
 e.g.: ivector-subtract-global-mean scp:ivectors.scp ark:-
       ivector-subtract-global-mean mean.vec scp:ivectors.scp ark:-
See also: ivector-mean, ivector-normalize-length
";

#[derive(clap::Args)]
struct Options {
    /// Subtract the mean of the vectors; without this they are copied
    #[arg(long, default_value_t = true)]
    subtract_mean: bool,
    mean: Option<InputName>,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(ivector_subtract_global_mean))
    .in_pieces(&[
        (kaldi_cli::PiecesIf::NumArguments(3), kaldi_cli::Pieces::Entries(1)),
        (
            kaldi_cli::PiecesIf::Always,
            kaldi_cli::Pieces::Whole("the mean is one of the whole table; give it as the first argument"),
        ),
    ]);

fn ivector_subtract_global_mean(opts: Options) -> anyhow::Result<Tally> {
    let done = match &opts.mean {
        None => subtract_own_mean(&opts.source, &opts.target, opts.subtract_mean)?,
        Some(mean) => subtract_given_mean(mean, &opts.source, &opts.target)?,
    };
    Ok(Tally::new(done, 0))
}

fn subtract_own_mean(source: &InputName, target: &OutputName, subtract_mean: bool) -> anyhow::Result<u64> {
    let rows = SequentialReader::<Vector<f32>>::open(source)?.values();
    let mut target = TableWriter::create(target)?;
    let mut moments = VectorMoments::default();
    let mut ivectors = Vec::new();
    let ended = rows.drain(|key, ivector| {
        moments.add(&ivector).with_context(|| format!("cannot add {key}"))?;
        ivectors.push((key, ivector));
        anyhow::Ok(())
    })?;
    ended.finish()?;
    let (done, sum) = (moments.count(), moments.sum());
    log!("Read {done} iVectors.");
    if done > 0 {
        log!("Norm of iVector mean was {}", general(sum.norm() / done as f64));
    }
    // Kaldi's factor is in single precision.
    let factor = f64::from((-1.0 / done as f64) as f32);
    for (key, mut ivector) in ivectors {
        if subtract_mean {
            if ivector.dim() != sum.dim() {
                bail!("{key}: cannot subtract a mean of dimension {} from {} elements", sum.dim(), ivector.dim());
            }
            for (element, sum) in ivector.as_mut_slice().iter_mut().zip(sum.as_slice()) {
                *element = (f64::from(*element) + factor * sum) as f32;
            }
        }
        target.write(&key, &ivector)?;
    }
    log!("Wrote {done} mean-subtracted iVectors");
    target.finish()?;
    Ok(done)
}

fn subtract_given_mean(mean: &InputName, source: &InputName, target: &OutputName) -> anyhow::Result<u64> {
    let mean: Vector<f32> = read_file(mean)?;
    let source = SequentialReader::<Vector<f32>>::open(source)?;
    let target = TableWriter::create(target)?;
    let written = source.par_map_into(target, move |entry| {
        let mut ivector = entry.read()?;
        let subtracted = ivector.add_scaled(-1.0, &mean);
        subtracted.map_err(|error| format!("cannot subtract the mean: {error}"))?;
        Ok(entry.into_record(ivector))
    })?;
    let done = written.done();
    log!("Wrote {done} mean-subtracted iVectors");
    written.finish()?;
    Ok(done)
}
