//! Resuming: splits a list around the pieces that are done.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

use crate::groups::{Group, each_group};
use crate::split_list::{LineRanges, cut};
use crate::{Measure, Result};

/// A piece of a list that is cut around earlier pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    /// Its lines.
    pub(crate) lines: u64,
    /// Which earlier piece it is, if it is one.
    pub(crate) kept: Option<usize>,
}

/// The bytes of pieces that are known by their lines.
pub(crate) fn cut_shares(path: &Path, shares: &[Share]) -> Result<LineRanges> {
    match shares {
        [] => Ok(LineRanges { ranges: std::iter::once(0..0).collect(), lines: vec![0] }),
        _ => cut(path, shares.iter().map(|share| share.lines).collect()),
    }
}

/// What is between earlier pieces, before the first one or after the last one.
#[derive(Clone, Debug, Default)]
struct Gap {
    weight: f64,
    lines: u64,
    pieces: usize,
    /// Lines of each new piece.
    new: Vec<u64>,
    /// The weight before the next group.
    before: f64,
}

/// Cuts the list at `path` around earlier pieces, whose lines in it `kept` has in order, each with its number: new pieces are as
/// many as are missing from `most`, but at least one for each gap. If a group of lines that stay together is in an earlier piece
/// and outside of it, returns the numbers of such pieces.
pub(crate) fn deal_around(
    path: &Path,
    kept: &[(usize, Range<u64>)],
    most: usize,
    measure: &Measure,
) -> Result<Result<Vec<Share>, HashSet<usize>>> {
    let (mut gaps, mut torn) = (vec![Gap::default(); kept.len() + 1], HashSet::new());
    each_gap(path, kept, measure, &mut |place, group| match place {
        Place::Gap(at) => {
            gaps[at].weight += group.weight;
            gaps[at].lines += group.lines;
        }
        Place::Torn(number) => {
            torn.insert(number);
        }
    })?;
    if !torn.is_empty() {
        return Ok(Err(torn));
    }
    give_pieces(&mut gaps, most.saturating_sub(kept.len()));
    gaps.iter_mut().for_each(|gap| gap.new = vec![0; gap.pieces]);
    each_gap(path, kept, measure, &mut |place, group| {
        let Place::Gap(at) = place else { return };
        let gap = &mut gaps[at];
        let middle = gap.before + group.weight / 2.0;
        gap.before += group.weight;
        let piece = if gap.weight > 0.0 { (middle / gap.weight * gap.pieces as f64) as usize } else { 0 };
        gap.new[piece.min(gap.pieces - 1)] += group.lines;
    })?;
    let mut shares = Vec::new();
    for (at, gap) in gaps.into_iter().enumerate() {
        shares.extend(gap.new.into_iter().filter(|lines| *lines > 0).map(|lines| Share { lines, kept: None }));
        shares
            .extend(kept.get(at).map(|(number, lines)| Share { lines: lines.end - lines.start, kept: Some(*number) }));
    }
    Ok(Ok(shares))
}

/// Gives each gap that has lines a piece, and then one after the other to that with the heaviest pieces.
fn give_pieces(gaps: &mut [Gap], most: usize) {
    let mut left = most;
    for gap in gaps.iter_mut().filter(|gap| gap.lines > 0) {
        gap.pieces = 1;
        left = left.saturating_sub(1);
    }
    while left > 0 {
        let can_take = gaps.iter_mut().filter(|gap| (gap.pieces as u64) < gap.lines);
        let load = |gap: &&mut Gap| gap.weight / gap.pieces as f64;
        let Some(gap) = can_take.max_by(|one, other| load(one).total_cmp(&load(other))) else { return };
        gap.pieces += 1;
        left -= 1;
    }
}

/// Where a group of lines is.
enum Place {
    /// In a gap.
    Gap(usize),
    /// In an earlier piece, and outside of it.
    Torn(usize),
}

/// Calls `each` for groups of lines that are not in earlier pieces as a whole.
fn each_gap(
    path: &Path,
    kept: &[(usize, Range<u64>)],
    measure: &Measure,
    each: &mut dyn FnMut(Place, Group),
) -> Result<()> {
    let (mut line, mut at) = (0, 0);
    each_group(path, measure, &mut |group| {
        let (start, end) = (line, line + group.lines);
        line = end;
        while kept.get(at).is_some_and(|(_, lines)| lines.end <= start) {
            at += 1;
        }
        let touched = kept[at..].iter().take_while(|(_, lines)| lines.start < end);
        let mut is_free = true;
        for (number, lines) in touched {
            is_free = false;
            if start < lines.start || lines.end < end {
                each(Place::Torn(*number), group);
            }
        }
        if is_free {
            each(Place::Gap(at), group);
        }
    })
}
