//! Classifies vectors with a logistic regression.
//!
//! Matches Kaldi's `logistic-regression-eval`.

use std::sync::Arc;

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_ivector::{LogisticRegression, TrainingArguments};
use kaldi_matrix::Vector;
use kaldi_table::{RandomAccessReader, SequentialReader, TableWriter, create_output, read_file};
use kaldi_value::number::write_f32;

const USAGE: &str = "\
Computes the posterior probabilities of the classes of a logistic regression for vectors: writes a vector for each, with
the logarithms of the posteriors of all classes. With four arguments it scores trials: a table has the class to be
scored for each vector, and a line is written for each trial with key, class and score.

Usage: logistic-regression-eval [options] <model-rxfilename> <vector-rspecifier> <log-posteriors-wspecifier>
  or:  logistic-regression-eval [options] <model-rxfilename> <classes-rspecifier> <vector-rspecifier>
                                <scores-wxfilename>
 e.g.: logistic-regression-eval --apply-log=false model scp:ivectors.scp ark,t:posteriors
       logistic-regression-eval model ark:trials scp:ivectors.scp scores
See also: logistic-regression-train, logistic-regression-copy
";

#[derive(clap::Args)]
struct Options {
    /// Write logarithms; without this, the posteriors themselves
    #[arg(long, default_value_t = true)]
    apply_log: bool,
    // These have no effect, as in Kaldi.
    #[command(flatten)]
    _training: TrainingArguments,
    model: InputName,
    classes: Option<InputName>,
    vectors: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(logistic_regression_eval)).by_entry(1);

fn logistic_regression_eval(opts: Options) -> anyhow::Result<Tally> {
    let model: LogisticRegression = read_file(&opts.model)?;
    match &opts.classes {
        None => write_posteriors(model, &opts.vectors, &opts.target, opts.apply_log),
        Some(classes) => write_scores(model, classes, &opts.vectors, &opts.target, opts.apply_log),
    }
}

fn write_posteriors(
    model: LogisticRegression,
    vectors: &InputName,
    posteriors: &OutputName,
    apply_log: bool,
) -> anyhow::Result<Tally> {
    let vectors = SequentialReader::<Vector<f32>>::open(vectors)?;
    let target = TableWriter::create(posteriors)?;
    let written = vectors.par_map_into(target, move |entry| {
        let mut posteriors = model.log_posteriors(&entry.read()?)?;
        if !apply_log {
            posteriors.as_mut_slice().iter_mut().for_each(|value| *value = value.exp());
        }
        Ok(entry.into_record(posteriors))
    })?;
    let done = written.done();
    log!("Calculated log posteriors for {done} vectors.");
    written.finish()?;
    Ok(Tally::new(done, 0))
}

fn write_scores(
    model: LogisticRegression,
    classes: &InputName,
    vectors: &InputName,
    scores: &OutputName,
    apply_log: bool,
) -> anyhow::Result<Tally> {
    let classes = SequentialReader::<i32>::open(classes)?;
    let vectors = RandomAccessReader::<Vector<f32>>::open(vectors)?;
    let rows = classes.par_map_with(vectors, move |entry, vector: Option<Arc<Vector<f32>>>| {
        let (utt, class) = (entry.key(), entry.read()?);
        let Some(vector) = vector else {
            warning!("No vector for utterance {utt}");
            return Ok(None);
        };
        let posteriors = model.log_posteriors(&vector)?;
        let posterior = usize::try_from(class).ok().and_then(|class| posteriors.as_slice().get(class));
        let Some(&posterior) = posterior else {
            return Err(format!("expected a class below {}, got {class}", posteriors.dim()).into());
        };
        let mut line = [utt, format!(" {class} ").as_bytes()].concat();
        write_f32(&mut line, if apply_log { posterior } else { posterior.exp() });
        line.push(b'\n');
        Ok(Some(line))
    });
    let mut output = None;
    let mut tally = Tally::default();
    let ended = rows.drain(|_, row| {
        let Some(line) = row else {
            tally.failed += 1;
            return Ok(());
        };
        // If there is nothing to write, nothing is written.
        let output = match &mut output {
            Some(output) => output,
            None => output.insert(create_output(scores, false)?),
        };
        output.write_all(&line)?;
        tally.done += 1;
        anyhow::Ok(())
    })?;
    ended.finish()?;
    let Some(output) = output else {
        warning!("Read no input");
        return Ok(tally);
    };
    log!("Calculated scores for {} vectors with {} missing. ", tally.done, tally.failed);
    output.finish()?;
    Ok(tally)
}
