//! Labels and words as parts of time.

use bstr::ByteSlice;
use kaldi_any::Frames;
use serde_json::{Value, json};

use crate::server::lines::Line;

/// Equal labels side by side: the start and the end in frames, and the label. Of a posterior, it is the index with the largest weight.
pub(crate) fn runs(frames: &Frames) -> Option<Vec<(usize, usize, i32)>> {
    let labels: Vec<Option<i32>> = match frames {
        Frames::Labels(labels) => labels.iter().map(|&label| Some(label)).collect(),
        Frames::Lists(lists) => {
            let best =
                |list: &Vec<(i32, f32)>| list.iter().max_by(|left, right| left.1.total_cmp(&right.1)).map(|it| it.0);
            lists.iter().map(best).collect()
        }
        Frames::Rows(_) | Frames::Wave(_) | Frames::Words { .. } => return None,
    };
    let mut start = 0;
    let mut runs = Vec::new();
    for run in labels.chunk_by(PartialEq::eq) {
        runs.extend(run[0].map(|label| (start, start + run.len(), label)));
        start += run.len();
    }
    Some(runs)
}

/// A word with its start and its end in seconds.
pub(crate) type Word = (f64, f64, Value);

/// Words of lines of CTM: `<key> <channel> <start> <duration> <word>`. Times are from `offset` on; what is before 0, or
/// starts after `duration`, is left out. Lines that make no sense are left out.
pub(crate) fn words(lines: &[Line], offset: f64, duration: Option<f64>) -> Vec<Word> {
    let word = |line: &Line| -> Option<Word> {
        let mut words = line.rest.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let seconds = |word: Option<&[u8]>| -> Option<f64> {
            word?.to_str().ok()?.parse().ok().filter(|seconds: &f64| seconds.is_finite())
        };
        words.next()?;
        let (start, length) = (seconds(words.next())?, seconds(words.next())?);
        let label = words.next().map(|word| word.to_str_lossy().into_owned());
        let (start, end) = (start - offset, start + length - offset);
        let is_inside = end >= 0.0 && duration.is_none_or(|duration| start < duration);
        is_inside.then(|| (microseconds(start.max(0.0)), microseconds(end), json!(label)))
    };
    lines.iter().filter_map(word).collect()
}

/// Seconds without digits that come of sums alone.
pub(crate) fn microseconds(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_labels_are_one_part() {
        assert_eq!(runs(&Frames::Labels(vec![5, 5, 2, 5])), Some(vec![(0, 2, 5), (2, 3, 2), (3, 4, 5)]));
        assert_eq!(runs(&Frames::Labels(vec![])), Some(vec![]));
        let lists = Frames::Lists(vec![vec![(1, 0.4), (2, 0.6)], vec![], vec![(2, 1.0)], vec![(2, 0.5), (1, 0.1)]]);
        assert_eq!(runs(&lists), Some(vec![(0, 1, 2), (2, 4, 2)]));
    }

    #[test]
    fn words_have_the_times_of_the_utterance() {
        let line = |rest: &str| Line { key: "r".into(), rest: rest.into() };
        let lines =
            [line("1 0.5 0.25 one 0.9"), line("1 2.0 1 two"), line("1 x 1 bad"), line("1 9 1 far"), line("A 1 1")];
        let all = words(&lines, 0.0, None);
        let expected =
            [(0.5, 0.75, json!("one")), (2.0, 3.0, json!("two")), (9.0, 10.0, json!("far")), (1.0, 2.0, Value::Null)];
        assert_eq!(all, expected);
        // Of a segment, only its words are shown.
        assert_eq!(words(&lines, 1.5, Some(2.0)), [(0.5, 1.5, json!("two")), (0.0, 0.5, Value::Null)]);
    }
}
