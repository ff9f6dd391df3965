//! Trains a logistic regression.
//!
//! Matches Kaldi's `logistic-regression-train`, in double precision: if it does not converge within its steps, the
//! weights differ because of Kaldi's single precision. A class that is negative, or as large as the number of vectors,
//! is an error (Kaldi writes beyond its memory, or fills it), and so are vectors that are not finite.

use anyhow::{Context, bail};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_ivector::{Trainer, TrainingArguments};
use kaldi_matrix::Vector;
use kaldi_table::{RandomAccessReader, SequentialReader, write_file};
use kaldi_value::Format;
use kaldi_value::number::general;
use kaldi_value::random::Random;

const USAGE: &str = "\
Trains a logistic regression, which classifies vectors (by the language of an utterance, for example). Classes are
integers from 0 up, without gaps. A class may have several components (--mix-up).

Usage: logistic-regression-train [options] <vector-rspecifier> <classes-rspecifier> <model-wxfilename>
 e.g.: logistic-regression-train scp:ivectors.scp 'ark:utils/sym2int.pl -f 2 languages.txt utt2lang |' model
See also: logistic-regression-eval, logistic-regression-copy
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    training: TrainingArguments,
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    vectors: InputName,
    classes: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(logistic_regression_train))
    .whole("it is estimated from the whole table");

fn logistic_regression_train(opts: Options) -> anyhow::Result<Tally> {
    let vectors = RandomAccessReader::<Vector<f32>>::open(&opts.vectors)?;
    let classes = SequentialReader::<i32>::open(&opts.classes)?;
    let rows = classes.par_map_with(vectors, |entry, vector| {
        if vector.is_none() {
            warning!("No vector for utterance {}", entry.key());
        }
        Ok((entry.read()?, vector))
    });
    let (mut labels, mut vectors, mut missing) = (Vec::new(), Vec::new(), 0);
    let ended = rows.drain(|_, row| {
        match row {
            (label, Some(vector)) => {
                labels.push(label);
                vectors.push(vector);
            }
            _ => missing += 1,
        }
        anyhow::Ok(())
    })?;
    let (done, num_classes) = (labels.len(), i64::from(labels.iter().copied().max().unwrap_or(0).max(0)) + 1);
    log!("Retrieved {done} vectors with {missing} missing. There were {num_classes} class labels.");
    ended.finish()?;
    if done == 0 {
        bail!("No vectors processed. Unable to train.");
    }

    let TrainingArguments { max_steps, mix_up, normalizer, power } = opts.training;
    let mut trainer = Trainer::new(vectors.iter().map(AsRef::as_ref), &labels, normalizer).context("cannot train")?;
    drop(vectors);
    for (class, _) in trainer.sizes().into_iter().enumerate().filter(|(_, size)| *size == 0) {
        warning!("There are no vectors of class {class}");
    }
    train(&mut trainer, max_steps)?;
    log!("Finished training parameters without mixture components.");
    let num_components = usize::try_from(mix_up).unwrap_or(0);
    if num_components > trainer.sizes().len() {
        let trained = trainer.split(num_components, power, &mut Random::default());
        log!("Target number mixture components was {mix_up}. Training {trained} mixture components.");
        if trained < num_components {
            warning!("Could not split up to {mix_up} mixture components: there are too few vectors");
        }
        train(&mut trainer, max_steps)?;
        log!("Finished training mixture components.");
    }
    write_file(&opts.target, &trainer.finish()?, Format::from_binary(opts.binary))?;
    Ok(Tally::new(done as u64, missing))
}

fn train(trainer: &mut Trainer, num_steps: i32) -> anyhow::Result<()> {
    for _ in 0..num_steps {
        log!("Objective function is {}", general(trainer.step()?));
    }
    Ok(())
}
