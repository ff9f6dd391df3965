//! Labels of frames: by likelihood, and two of them merged into one.

use std::collections::HashMap;

use crate::{Error, Result};

/// The names of the classes of frames: a label for each class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassLabels(Vec<i32>);

impl ClassLabels {
    /// Names classes by their numbers.
    pub fn numbers(num_classes: usize) -> Self {
        Self((0..).take(num_classes).collect())
    }

    /// Reads a map: a line of two integers, class and label, for each class whose label is not its number. `#` starts a
    /// comment.
    ///
    /// # Errors
    /// If a line has anything else, or a class does not exist.
    pub fn read(text: &[u8], num_classes: usize) -> Result<Self> {
        let mut labels = Self::numbers(num_classes);
        for [class, label] in read_lines(text, "two")? {
            let place = usize::try_from(class).ok().and_then(|class| labels.0.get_mut(class));
            *place.ok_or(Error::Class { num_classes, got: class })? = label;
        }
        Ok(labels)
    }

    /// Labels each frame with its most likely class, the first of equal ones. `classes` has the log likelihoods of the
    /// frames for each class, to which the logarithms of the prior of the class are added.
    ///
    /// # Panics
    /// If there are not as many labels, priors and classes.
    pub fn most_likely(&self, classes: &[&[f32]], log_priors: &[f32]) -> Vec<i32> {
        let num_classes = self.0.len();
        assert!(num_classes > 0 && classes.len() == num_classes && log_priors.len() == num_classes);
        let num_frames = classes.iter().map(|frames| frames.len()).min().unwrap_or(0);
        let best = |frame: usize| {
            let posterior = |class: usize| classes[class][frame] + log_priors[class];
            (1..num_classes).fold(0, |best, class| if posterior(class) > posterior(best) { class } else { best })
        };
        (0..num_frames).map(|frame| self.0[best(frame)]).collect()
    }
}

/// The label of a frame that has two, for every pair of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelPairs(HashMap<(i32, i32), i32>);

/// Speech (1) is a frame with both labels 1; the other pairs of 0 and 1 are nonspeech (0).
impl Default for LabelPairs {
    fn default() -> Self {
        Self(HashMap::from([((0, 0), 0), ((0, 1), 0), ((1, 0), 0), ((1, 1), 1)]))
    }
}

impl LabelPairs {
    /// Reads a map with a line of three integers for every pair: the two labels, and the one they become. `#` starts a
    /// comment.
    ///
    /// # Errors
    /// If a line has anything else.
    pub fn read(text: &[u8]) -> Result<Self> {
        Ok(Self(
            read_lines(text, "three")?.into_iter().map(|[first, second, merged]| ((first, second), merged)).collect(),
        ))
    }

    /// Merges the labels of an utterance's frames; numbers are cut to integers first.
    ///
    /// # Errors
    /// [`Error::Length`] if their lengths differ, [`Error::Combination`] if the map does not have a pair.
    pub fn merge(&self, first: &[f32], second: &[f32]) -> Result<Vec<i32>> {
        if first.len() != second.len() {
            return Err(Error::Length { what: "labels of frames", expected: first.len(), got: second.len() });
        }
        let merge = |(frame, (&first, &second)): (usize, (&f32, &f32))| {
            let pair = label(first).zip(label(second));
            let merged = pair.and_then(|pair| self.0.get(&pair));
            merged.copied().ok_or(Error::Combination { frame, labels: (first, second) })
        };
        first.iter().zip(second).enumerate().map(merge).collect()
    }
}

/// The integer part of a number; `None` if it has none.
fn label(number: f32) -> Option<i32> {
    number.is_finite().then_some(number as i32)
}

/// Reads lines of `N` integers.
fn read_lines<const N: usize>(text: &[u8], expected: &'static str) -> Result<Vec<[i32; N]>> {
    let mut lines = Vec::new();
    for (index, line) in text.split(|&byte| byte == b'\n').enumerate() {
        let content = line.split(|&byte| byte == b'#').next().unwrap_or_default();
        let mut fields = content.split(|byte| b" \t\r".contains(byte)).filter(|field| !field.is_empty()).peekable();
        if fields.peek().is_none() {
            continue;
        }
        let number = |field: &[u8]| std::str::from_utf8(field).ok()?.parse().ok();
        let numbers: Option<Vec<i32>> = fields.map(number).collect();
        match numbers.and_then(|numbers| numbers.try_into().ok()) {
            Some(numbers) => lines.push(numbers),
            None => {
                let got = String::from_utf8_lossy(line).into_owned();
                return Err(Error::LabelLine { line: index + 1, expected, got });
            }
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_likely_class_gives_the_label() {
        let labels = ClassLabels::read(b"0 7\n2 0\n", 3).unwrap();
        let classes: [&[f32]; 3] = [&[-1.0, -2.0, -3.0, -1.0], &[-2.0, -1.0, -3.0, -1.0], &[-3.0, -3.0, -0.5, -1.0]];
        assert_eq!(labels.most_likely(&classes, &[0.0; 3]), [7, 1, 0, 7]);
        assert_eq!(labels.most_likely(&classes, &[-9.0, f32::NEG_INFINITY, 0.0]), [0; 4]);
        assert_eq!(ClassLabels::numbers(3).most_likely(&classes, &[0.0, 0.0, 0.5]), [0, 1, 2, 2]);
    }

    #[test]
    fn a_map_may_have_comments_and_blanks() {
        let labels = ClassLabels::read(b"# class label\n\n \t\n1 -2 # music\r\n  0\t5", 3).unwrap();
        assert_eq!(labels, ClassLabels(vec![5, -2, 2]));
        assert_eq!(ClassLabels::read(b"", 2).unwrap(), ClassLabels(vec![0, 1]));
    }

    #[test]
    fn lines_of_another_number_of_integers_are_refused() {
        let message = |text: &[u8]| ClassLabels::read(text, 3).unwrap_err().to_string();
        assert_eq!(message(b"0 1\n0 1 2\n"), "line 2: Bad line. Expected two fields, all integers, got: \"0 1 2\"");
        for text in [&b"0"[..], b"a b", b"0 1.5", b"0 99999999999", b"0 \xff", b"0 # 1"] {
            assert!(message(text).starts_with("line 1: Bad line. Expected two fields"));
        }
        assert_eq!(message(b"3 1"), "expected a class below 3, got 3");
        assert_eq!(message(b"-1 1"), "expected a class below 3, got -1");
        let error = LabelPairs::read(b"0 1").unwrap_err();
        assert_eq!(error.to_string(), "line 1: Bad line. Expected three fields, all integers, got: \"0 1\"");
    }

    #[test]
    fn speech_is_where_both_say_so() {
        let pairs = LabelPairs::default();
        assert_eq!(pairs.merge(&[0.0, 0.0, 1.0, 1.0], &[0.0, 1.0, 0.0, 1.0]).unwrap(), vec![0, 0, 0, 1]);
        assert_eq!(pairs.merge(&[0.9, 1.9, -0.5], &[1.0, 1.5, 1.0]).unwrap(), vec![0, 1, 0]);
        assert!(pairs.merge(&[], &[]).unwrap().is_empty());
    }

    #[test]
    fn pairs_that_the_map_does_not_have_are_refused() {
        let pairs = LabelPairs::read(b"0 1 5\n").unwrap();
        assert_eq!(pairs.merge(&[0.0], &[1.0]).unwrap(), vec![5]);
        let refused = |first: f32, second: f32| pairs.merge(&[0.0, first], &[1.0, second]).unwrap_err().to_string();
        assert_eq!(refused(1.0, 0.0), "Map is missing combination 1 and 0 (frame 1)");
        assert_eq!(refused(f32::NAN, 1.0), "Map is missing combination NaN and 1 (frame 1)");
        assert!(LabelPairs::default().merge(&[f32::INFINITY], &[0.0]).is_err());
        assert_eq!(pairs.merge(&[0.0], &[]).unwrap_err().to_string(), "expected 1 labels of frames, got 0");
    }
}
