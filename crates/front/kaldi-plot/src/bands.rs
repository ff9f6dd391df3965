//! Labels of frames as coloured bands.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use plotters::style::{Color, Palette, Palette99, RGBColor, WHITE};

use crate::Pooling;
use crate::buckets::buckets;

/// The least distance of colours that are beside each other.
const DISTINCT: u32 = 50;

/// Runs of equal labels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bands {
    /// First frame, frame after the last one, label.
    pub(crate) runs: Vec<(usize, usize, i32)>,
    /// The labels, the most frequent one first.
    pub(crate) labels: Vec<i32>,
    /// The colours of labels that do not have their usual one.
    changed: HashMap<i32, RGBColor>,
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
        Self { changed: changed_colors(&runs), runs, labels: by_frequency(labels) }
    }

    /// The colour of a label.
    pub(crate) fn color(&self, label: i32) -> RGBColor {
        self.changed.get(&label).copied().unwrap_or_else(|| shade(label))
    }
}

/// Other colours for labels that would look like one beside them: greedy colouring of the graph of neighbours.
fn changed_colors(runs: &[(usize, usize, i32)]) -> HashMap<i32, RGBColor> {
    let mut beside: BTreeMap<i32, BTreeSet<i32>> = BTreeMap::new();
    for pair in runs.windows(2) {
        beside.entry(pair[0].2).or_default().insert(pair[1].2);
        beside.entry(pair[1].2).or_default().insert(pair[0].2);
    }
    let mut found: HashMap<i32, RGBColor> = HashMap::new();
    let mut changed = HashMap::new();
    for (&label, others) in &beside {
        let taken: Vec<RGBColor> = others.iter().filter_map(|other| found.get(other)).copied().collect();
        let is_free = |color: &RGBColor| taken.iter().all(|other| distance(*color, *other) >= DISTINCT);
        // If so many are beside it that no colour is free, it keeps its own.
        let steps = 0..Palette99::COLORS.len() as i32;
        let color = steps.map(|step| shade(label.wrapping_add(step))).find(is_free).unwrap_or_else(|| shade(label));
        found.insert(label, color);
        if color != shade(label) {
            changed.insert(label, color);
        }
    }
    changed
}

/// How far colours are apart: the sum over red, green and blue.
fn distance(one: RGBColor, other: RGBColor) -> u32 {
    let parts = [(one.0, other.0), (one.1, other.1), (one.2, other.2)];
    parts.into_iter().map(|(one, other)| u32::from(one.abs_diff(other))).sum()
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

/// The usual colour of a label, the same in every picture, and light enough for black text. Labels that follow each other differ.
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
    fn labels_beside_each_other_have_colours_that_differ() {
        // The colours of the palette come again after 99 labels.
        let labels: Vec<i32> = (0..600).map(|at| [5, 104, 203, 5, 302, 104][at / 100]).collect();
        let bands = Bands::of(&labels, 600, Pooling::Mean);
        for pair in bands.runs.windows(2) {
            let colors = [bands.color(pair[0].2), bands.color(pair[1].2)];
            assert!(distance(colors[0], colors[1]) >= DISTINCT, "{pair:?} {colors:?}");
        }
        assert_eq!(bands.color(5), shade(5));
        // Others keep theirs.
        let apart = Bands::of(&[5, 5, 60, 60, 104, 104], 100, Pooling::Mean);
        assert_eq!([5, 60, 104].map(|label| apart.color(label)), [5, 60, 104].map(shade));
        // Very many neighbours are no fault.
        let many: Vec<i32> = (0..1000).flat_map(|at| [-1, at]).collect();
        assert_eq!(Bands::of(&many, 2000, Pooling::Mean).runs.len(), 2000);
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
