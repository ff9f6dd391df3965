//! Labels of frames as coloured bands.

use std::collections::HashMap;

use plotters::style::{Color, Palette, Palette99, RGBColor, WHITE};

use crate::Pooling;
use crate::buckets::buckets;

/// Runs of equal labels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bands {
    /// First frame, frame after the last one, label.
    pub(crate) runs: Vec<(usize, usize, i32)>,
    /// The labels, the most frequent one first.
    pub(crate) labels: Vec<i32>,
}

impl Bands {
    /// Finds at most `most` runs. Frames that share a column of pixels get their most frequent label, or the greatest.
    pub(crate) fn of(labels: &[i32], most: usize, pooling: Pooling) -> Self {
        let mut runs: Vec<(usize, usize, i32)> = Vec::new();
        for range in buckets(labels.len(), most) {
            let frames = &labels[range.clone()];
            let label = match pooling {
                Pooling::Max => frames.iter().copied().max(),
                Pooling::Mean => by_frequency(frames).first().copied(),
            };
            let Some(label) = label else { continue };
            match runs.last_mut() {
                Some(last) if last.2 == label => last.1 = range.end,
                _ => runs.push((range.start, range.end, label)),
            }
        }
        Self { runs, labels: by_frequency(labels) }
    }
}

/// The labels, the most frequent one first; of equally frequent ones the lesser is first.
fn by_frequency(labels: &[i32]) -> Vec<i32> {
    if let [label] = labels {
        return vec![*label];
    }
    let mut counts: HashMap<i32, usize> = HashMap::new();
    labels.iter().for_each(|&label| *counts.entry(label).or_default() += 1);
    let mut labels: Vec<(i32, usize)> = counts.into_iter().collect();
    labels.sort_unstable_by_key(|&(label, count)| (std::cmp::Reverse(count), label));
    labels.into_iter().map(|(label, _)| label).collect()
}

/// The colour of a label, the same in every picture, and light enough for black text. Neighbouring labels differ.
pub(crate) fn shade(label: i32) -> RGBColor {
    let (red, green, blue) = Palette99::COLORS[label.rem_euclid(Palette99::COLORS.len() as i32) as usize];
    let white = WHITE.rgb();
    let mix = |part: u8, white: u8| ((u32::from(part) * 3 + u32::from(white) * 2) / 5) as u8;
    RGBColor(mix(red, white.0), mix(green, white.1), mix(blue, white.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_labels_are_a_run() {
        let bands = Bands::of(&[3, 3, 3, 0, 7, 7], 100, Pooling::Mean);
        assert_eq!(bands.runs, [(0, 3, 3), (3, 4, 0), (4, 6, 7)]);
        assert_eq!(bands.labels, [3, 7, 0]);
        assert_eq!(Bands::of(&[], 100, Pooling::Mean).runs, []);
    }

    #[test]
    fn many_labels_share_a_column() {
        let labels: Vec<i32> = (0..1_000_000).map(|at| if at % 1000 == 7 { 9 } else { at / 250_000 }).collect();
        let bands = Bands::of(&labels, 800, Pooling::Mean);
        assert_eq!(
            bands.runs,
            [(0, 250_000, 0), (250_000, 500_000, 1), (500_000, 750_000, 2), (750_000, 1_000_000, 3)]
        );
        // A rare label is visible.
        assert_eq!(Bands::of(&labels, 800, Pooling::Max).runs, [(0, 1_000_000, 9)]);
        let changing: Vec<i32> = (0..100_000).collect();
        assert_eq!(Bands::of(&changing, 800, Pooling::Mean).runs.len(), 800);
    }

    #[test]
    fn neighbours_have_colours_that_differ_and_text_can_be_read() {
        for label in [i32::MIN, -1, 0, 1, 20, 21, 50, i32::MAX - 1] {
            let (RGBColor(red, green, blue), next) = (shade(label), shade(label + 1));
            assert_ne!((red, green, blue), (next.0, next.1, next.2));
            let light = (299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue)) / 1000;
            assert!(light > 100, "{label}");
        }
    }
}
