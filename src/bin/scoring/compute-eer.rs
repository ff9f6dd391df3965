//! Computes equal error rates.
//!
//! Matches Kaldi's `compute-eer`, except that a score that is not a number is an error.

use anyhow::{Context, bail};
use bstr::{BStr, ByteSlice};
use kaldi_cli::{InputName, Tally};
use kaldi_io::log::log;
use kaldi_io::read_text_file;
use kaldi_score::equal_error;
use kaldi_value::number::Digits;

const USAGE: &str = "\
Prints the equal error rate in percent, without a newline: the rate at which the share of refused target trials equals
that of accepted nontarget trials. Every line of the input has a score and \"target\" or \"nontarget\".

Usage: compute-eer [options] <scores-rxfilename>
 e.g.: compute-eer scores
       ... | compute-eer -
See also: ivector-plda-scoring, ivector-compute-dot-products
";

#[derive(clap::Args)]
struct Options {
    source: InputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(compute_eer)).whole("the rate is one of all scores");

fn compute_eer(opts: Options) -> anyhow::Result<Tally> {
    let (name, text) = read_text_file(&opts.source)?;

    let (mut targets, mut nontargets) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(text.split_inclusive(|&byte| byte == b'\n')) {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let (score, is_target) = read_trial(line).with_context(|| format!("{name}:{number}"))?;
        if is_target { &mut targets } else { &mut nontargets }.push(score);
    }
    let Some(found) = equal_error(&mut targets, &mut nontargets) else {
        match (targets.is_empty(), nontargets.is_empty()) {
            (true, true) => bail!("{name}: Empty input"),
            (true, _) => bail!("{name}: No target scores seen"),
            _ => bail!("{name}: No non-target scores seen"),
        }
    };
    let percent = 100.0 * f64::from(found.rate);
    log!("Equal error rate is {}%, at threshold {}", Digits(percent, 6), Digits(f64::from(found.threshold), 6));
    kaldi_io::print(Digits(percent, 4).to_string())?;
    Ok(Tally::default().always_ok())
}

/// Reads a score, and whether it is that of a target.
fn read_trial(line: &[u8]) -> anyhow::Result<(f32, bool)> {
    let words: Vec<&BStr> =
        line.split(|byte| b" \t".contains(byte)).filter(|word| !word.is_empty()).map(BStr::new).collect();
    let [score, kind] = words[..] else {
        bail!("line must have two fields, got {:?}", line.as_bstr());
    };
    let score = match kaldi_value::number::parse_f32(score) {
        Ok((number, length)) if length == score.len() && !number.is_nan() => number,
        _ => bail!("first field must be float, got {score:?}"),
    };
    match kind.as_bytes() {
        b"target" => Ok((score, true)),
        b"nontarget" => Ok((score, false)),
        _ => bail!("second field must be \"target\" or \"nontarget\", got {kind:?}"),
    }
}
