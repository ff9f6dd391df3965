//! Lists of trials, and of their scores.

use bstr::BStr;
use kaldi_io::{Lines, Output, excerpt};
use kaldi_value::number::write_f32;

use crate::error::{Error, Result};

/// The trials of speaker verification: a text with two keys a line, of a speaker and of an utterance.
///
/// ```text
/// spk1 utt7
/// spk1 utt9
/// ```
#[derive(Debug)]
pub struct TrialList {
    name: String,
    lines: Lines,
}

impl TrialList {
    /// Takes the lines of the list.
    pub fn new(lines: Lines) -> Self {
        Self { name: lines.name().to_owned(), lines }
    }

    /// The keys of the next line; `None` at the end.
    ///
    /// # Errors
    /// If the list cannot be read, or a line does not have two words.
    pub fn next_trial(&mut self) -> Result<Option<(&BStr, &BStr)>> {
        let number = self.lines.number() + 1;
        let Some(line) = self.lines.next_line()? else { return Ok(None) };
        let mut words = line.split(|byte| b" \t\r".contains(byte)).filter(|word| !word.is_empty());
        match (words.next(), words.next(), words.next()) {
            (Some(first), Some(second), None) => Ok(Some((first.into(), second.into()))),
            _ => Err(Error::TrialLine { list: self.name.clone(), line: number, got: excerpt(line) }),
        }
    }
}

/// The scores of a [`TrialList`], to be written: a text with two keys and their score a line, and their mean.
///
/// ```text
/// spk1 utt7 -3.5
/// spk1 utt9 12.25
/// ```
#[derive(Debug)]
#[must_use = "the output is complete only after finish()"]
pub struct TrialScores {
    output: Output,
    line: Vec<u8>,
    count: u64,
    sum: f64,
    sum_of_squares: f64,
}

impl TrialScores {
    /// Takes the output that lines are written to.
    pub fn new(output: Output) -> Self {
        Self { output, line: Vec::new(), count: 0, sum: 0.0, sum_of_squares: 0.0 }
    }

    /// Writes a line.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, first: &BStr, second: &BStr, score: f32) -> Result<()> {
        self.line.clear();
        for key in [first, second] {
            self.line.extend_from_slice(key);
            self.line.push(b' ');
        }
        write_f32(&mut self.line, score);
        self.line.push(b'\n');
        self.output.write_all(&self.line)?;
        self.count += 1;
        self.sum += f64::from(score);
        self.sum_of_squares += f64::from(score) * f64::from(score);
        Ok(())
    }

    /// The mean and the standard deviation of the scores so far, summed in double precision; `None` if there are none.
    pub fn mean_and_deviation(&self) -> Option<(f64, f64)> {
        let count = self.count as f64;
        let mean = self.sum / count;
        (self.count > 0).then(|| (mean, (self.sum_of_squares / count - mean * mean).max(0.0).sqrt()))
    }

    /// Completes the output.
    ///
    /// # Errors
    /// If it could not be written, or the command of a pipe failed.
    pub fn finish(self) -> Result<()> {
        Ok(self.output.finish()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(rxfilename: &str) -> TrialList {
        TrialList::new(Lines::open(rxfilename.into()).unwrap())
    }

    #[test]
    fn what_is_scored_can_be_read_again_without_the_scores() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("scores").into_os_string().into_string().unwrap();
        let mut scores = TrialScores::new(Output::create(name.as_str().into(), false).unwrap());
        assert_eq!(scores.mean_and_deviation(), None);
        scores.write("a".into(), "b".into(), -1.5).unwrap();
        scores.write("c".into(), "d".into(), 2.5).unwrap();
        assert_eq!(scores.mean_and_deviation(), Some((0.5, 2.0)));
        scores.finish().unwrap();
        assert_eq!(std::fs::read_to_string(&name).unwrap(), "a b -1.5\nc d 2.5\n");
        let mut trials = list(&format!("cut -d ' ' -f 1,2 {name} |"));
        assert_eq!(trials.next_trial().unwrap(), Some((BStr::new("a"), BStr::new("b"))));
    }

    #[test]
    fn a_line_has_two_keys() {
        let mut trials = list("printf 'a b\\n  c\\t d \\r\\ne f' |");
        let mut all = Vec::new();
        while let Some((first, second)) = trials.next_trial().unwrap() {
            all.push(format!("{first}-{second}"));
        }
        assert_eq!(all, ["a-b", "c-d", "e-f"]);
    }

    #[test]
    fn other_numbers_of_words_are_refused() {
        for line in ["a", "", "a b target"] {
            let mut trials = list(&format!("echo x y; echo '{line}' |"));
            trials.next_trial().unwrap();
            let message = trials.next_trial().unwrap_err().to_string();
            let expected = format!(":2: expected two fields: key1 key2, got {line:?}");
            assert!(message.ends_with(&expected), "{message}");
        }
    }
}
