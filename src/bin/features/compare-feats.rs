//! Measures how similar two tables of features are.
//!
//! Matches Kaldi's `compare-feats`, except that sums are in double precision.

use anyhow::bail;
use kaldi_cli::{InputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{RandomAccessReader, SequentialReader};
use kaldi_value::number::general;

const USAGE: &str = "\
Compares two tables of features: for each dimension 2 x.y / (x.x + y.y) over all frames x and y, which is 1 for equal
features and less for others, and the average over the dimensions. Succeeds if that reaches the threshold.

Usage: compare-feats [options] <in-rspecifier1> <in-rspecifier2>
 e.g.: compare-feats ark:1.ark ark:2.ark
See also: compare-int-vector, copy-feats
";

#[derive(clap::Args)]
struct Options {
    /// The least average similarity at which features count as similar
    #[arg(long, default_value_t = 0.99)]
    threshold: f32,
    first: InputName,
    second: InputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(compare_feats)).whole("it compares the whole tables");

fn compare_feats(opts: Options) -> anyhow::Result<Tally> {
    let first = SequentialReader::<Matrix<f32>>::open(&opts.first)?;
    let second = RandomAccessReader::<Matrix<f32>>::open(&opts.second)?;

    let rows = first.par_map_with(second, |entry, second| {
        let utt = entry.key();
        let Some(second) = second else {
            warning!("Second table has no feature for utterance {utt}");
            return Ok(None);
        };
        let first = entry.read()?;
        if first.num_cols() != second.num_cols() {
            let (one, other) = (first.num_cols(), second.num_cols());
            warning!("Feature dimensions differ for utterance {utt}, {one} vs. {other}, skipping it");
            return Ok(None);
        }
        if first.num_rows() != second.num_rows() {
            let (one, other) = (first.num_rows(), second.num_rows());
            return Err(format!("expected features of the same length, got {one} and {other} frames").into());
        }
        Ok(Some(Products::of(&first, &second)))
    });
    let (mut tally, mut products) = (Tally::default(), Products::default());
    let ended = rows.drain(|utt, row| {
        let Some(of_utt) = row else {
            tally.failed += 1;
            return Ok(());
        };
        if tally.done == 0 {
            products = of_utt;
        } else if of_utt.0.len() > products.0.len() {
            bail!("{utt}: expected features of dimension {} as before, got {}", products.0.len(), of_utt.0.len());
        } else {
            products.add(&of_utt);
        }
        tally.done += 1;
        anyhow::Ok(())
    })?;

    let similarities: Vec<f64> = products.0.iter().map(|[xx, yy, xy]| 2.0 * xy / (xx + yy)).collect();
    let similarity = similarities.iter().sum::<f64>() / similarities.len() as f64;
    log!("self-product of 1st features for each column dimension: {}", products.show(0));
    log!("self-product of 2nd features for each column dimension: {}", products.show(1));
    log!("cross-product for each column dimension: {}", products.show(2));
    log!("Similarity metric for each dimension {}{EXPLAINED}", show(&similarities));
    log!("Overall similarity for the two feats is:{}{EXPLAINED}", general(similarity));
    log!("Processed {} feature files, {} had errors.", tally.done, tally.failed);
    let is_similar = similarity >= f64::from(opts.threshold);
    if tally.done > 0 {
        let (word, sign) = if is_similar { ("similar", ">=") } else { ("dissimilar", "<") };
        let threshold = general(f64::from(opts.threshold));
        log!("Features are considered {word} since {} {sign} {threshold}", general(similarity));
    }
    ended.finish()?;
    Ok(tally.ok_if(tally.done > 0 && is_similar))
}

const EXPLAINED: &str = " (1.0 means identical, the smaller the more different)";

/// For each column the products of the first features, of the second, and of both, summed over the frames.
#[derive(Debug, Default)]
struct Products(Vec<[f64; 3]>);

impl Products {
    fn of(first: &Matrix<f32>, second: &Matrix<f32>) -> Self {
        let mut sums = vec![[0.0; 3]; first.num_cols()];
        for (first, second) in first.rows().zip(second.rows()) {
            for ((sums, &x), &y) in sums.iter_mut().zip(first).zip(second) {
                let (x, y) = (f64::from(x), f64::from(y));
                sums[0] += x * x;
                sums[1] += y * y;
                sums[2] += x * y;
            }
        }
        Self(sums)
    }

    /// Adds those of features that may have fewer columns.
    fn add(&mut self, other: &Self) {
        for (sums, other) in self.0.iter_mut().zip(&other.0) {
            sums.iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
        }
    }

    fn show(&self, index: usize) -> String {
        show(&self.0.iter().map(|sums| sums[index]).collect::<Vec<_>>())
    }
}

fn show(values: &[f64]) -> String {
    let words: String = values.iter().map(|&value| general(value) + " ").collect();
    format!("[ {words}]")
}
