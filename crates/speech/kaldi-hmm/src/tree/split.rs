//! Splitting of leaves by the questions that gain most.
//!
//! Gains are in single precision. The order of all sums is Kaldi's, so that trees are the same.

use std::collections::{BTreeMap, BTreeSet};

use kaldi_io::log::{log, warning};

use super::gauss_stats::{sum_of, sum_of_objectives};
use super::k_means::refine;
use super::tree_stats::TreeStatsEntry;
use super::{EventMap, EventNode, EventSet, GaussStats, KeyQuestions, Questions, TreeError};

/// Entries of statistics, in the order of the file.
pub(super) type Entries<'a> = Vec<&'a TreeStatsEntry>;

/// When splitting ends.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Only splits that gain more are made.
    pub(super) threshold: f32,
    /// The largest number of leaves; 0 or less for no limit.
    pub(super) max_leaves: i32,
}

/// A tree whose leaves were split.
pub(super) struct SplitTree {
    pub(super) map: EventMap,
    pub(super) num_leaves: i32,
    /// What all splits gained.
    pub(super) gain: f32,
    /// What the worst of them gained; 1e20 if there were none.
    pub(super) smallest_gain: f32,
}

/// Groups entries by the answers of a map; answers without entries have empty groups.
///
/// # Errors
/// If there is no answer to an event.
pub(super) fn group_by_answer<'a>(
    entries: &[&'a TreeStatsEntry],
    map: &EventMap,
) -> Result<Vec<Entries<'a>>, TreeError> {
    let mut groups: Vec<Entries<'a>> = Vec::new();
    for &entry in entries {
        let no_answer = || TreeError::NoAnswer { event: entry.0.clone() };
        let answer = map.answer(&entry.0).and_then(|answer| usize::try_from(answer).ok()).ok_or_else(no_answer)?;
        if groups.len() <= answer {
            groups.resize_with(answer + 1, Vec::new);
        }
        groups[answer].push(entry);
    }
    Ok(groups)
}

/// Splits the leaves of a map, the best split first. `num_leaves` is the number of leaves of the map.
///
/// # Errors
/// If there are no statistics, the map has no answer to an event, or the limits allow splits that gain nothing.
pub(super) fn split_leaves(
    map: &EventMap,
    entries: &[&TreeStatsEntry],
    questions: &Questions,
    limits: Limits,
    num_leaves: i32,
) -> Result<SplitTree, TreeError> {
    let groups = group_by_answer(entries, map)?;
    if groups.is_empty() {
        return Err(TreeError::NoStats);
    }
    if questions.iter().next().is_none() {
        warning!("there are no questions, so that no leaf can be split");
    }
    let mut roots = Vec::new();
    for (leaf, entries) in (0..).zip(groups) {
        roots.push(Root { nodes: vec![SplitNode::new(leaf, entries, questions)?] });
    }
    let (mut num_leaves, mut gain, mut smallest_gain, mut count) = (num_leaves, 0.0, 1e20_f32, 0);
    // Gains are not negative, so that they compare as their bits do.
    let mut gains: BTreeSet<(u32, usize)> =
        roots.iter().enumerate().map(|(number, root)| (root.gain().to_bits(), number)).collect();
    while let Some(&(bits, number)) = gains.last() {
        let best = f32::from_bits(bits);
        if best <= limits.threshold || (limits.max_leaves > 0 && num_leaves >= limits.max_leaves) {
            break;
        }
        if best <= 0.0 {
            let message = format!("expected a threshold of 0 or more, got {}", limits.threshold);
            return Err(TreeError::Options(message));
        }
        smallest_gain = smallest_gain.min(best);
        gain += best;
        roots[number].split(num_leaves, questions)?;
        num_leaves += 1;
        count += 1;
        gains.pop_last();
        gains.insert((roots[number].gain().to_bits(), number));
    }
    log!("DoDecisionTreeSplit: split {count} times, #leaves now {num_leaves}");
    let maps: Vec<EventMap> = roots.into_iter().map(Root::into_map).collect();
    let map = map.with_leaves(|answer| maps.get(usize::try_from(answer).ok()?));
    Ok(SplitTree { map, num_leaves, gain, smallest_gain })
}

/// What grows from a leaf of the map before: a tree of splits, the root first.
struct Root<'a> {
    nodes: Vec<SplitNode<'a>>,
}

impl Root<'_> {
    fn gain(&self) -> f32 {
        self.nodes[0].gain
    }

    /// Makes the best split. The new leaf is that of the answer no.
    fn split(&mut self, new_leaf: i32, questions: &Questions) -> Result<(), TreeError> {
        let (mut at, mut path) = (0, Vec::new());
        while let Some((yes, no)) = self.nodes[at].children {
            path.push(at);
            at = if self.nodes[yes].gain >= self.nodes[no].gain { yes } else { no };
        }
        let node = &mut self.nodes[at];
        let key = node.question.0;
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        for entry in std::mem::take(&mut node.entries) {
            let value = entry.0.get(key).ok_or_else(|| TreeError::NoKey { event: entry.0.clone(), key })?;
            if node.question.1.binary_search(&value).is_ok() { yes.push(entry) } else { no.push(entry) }
        }
        let leaf = node.leaf;
        let children = (self.nodes.len(), self.nodes.len() + 1);
        self.nodes[at].children = Some(children);
        self.nodes.push(SplitNode::new(leaf, yes, questions)?);
        self.nodes.push(SplitNode::new(new_leaf, no, questions)?);
        path.push(at);
        for &at in path.iter().rev() {
            if let Some((yes, no)) = self.nodes[at].children {
                self.nodes[at].gain = self.nodes[yes].gain.max(self.nodes[no].gain);
            }
        }
        Ok(())
    }

    fn into_map(self) -> EventMap {
        let node = |node: SplitNode<'_>| match node.children {
            None => EventNode::Leaf(node.leaf),
            Some((yes, no)) => {
                let (key, yes_set) = node.question;
                EventNode::Split { key, yes_set: EventSet::new(yes_set), yes, no }
            }
        };
        EventMap::from_nodes(self.nodes.into_iter().map(node).collect())
    }
}

/// A leaf, or a question with two children.
struct SplitNode<'a> {
    leaf: i32,
    /// The entries of a leaf.
    entries: Entries<'a>,
    /// What the best split below gains.
    gain: f32,
    /// The key and the set of the best question, if it gains anything.
    question: (i32, Vec<i32>),
    children: Option<(usize, usize)>,
}

impl<'a> SplitNode<'a> {
    fn new(leaf: i32, entries: Entries<'a>, questions: &Questions) -> Result<Self, TreeError> {
        let (mut gain, mut question) = (0.0, (0, Vec::new()));
        for (key, of_key) in questions.iter() {
            let (this_gain, yes_set) = best_question(&entries, key, of_key)?;
            if this_gain > gain {
                (gain, question) = (this_gain, (key, yes_set));
            }
        }
        Ok(Self { leaf, entries, gain, question, children: None })
    }
}

/// What the best question about a key gains, and its set; 0 if an entry does not have the key.
fn best_question(
    entries: &[&TreeStatsEntry],
    key: i32,
    questions: &KeyQuestions,
) -> Result<(f32, Vec<i32>), TreeError> {
    if entries.len() <= 1 {
        return Ok((0.0, Vec::new()));
    }
    let mut by_value: BTreeMap<i32, Option<GaussStats>> = BTreeMap::new();
    for (event, stats) in entries {
        let Some(value) = event.get(key) else { return Ok((0.0, Vec::new())) };
        let sum = by_value.entry(value).or_default();
        match (sum, stats) {
            (_, None) => {}
            (Some(sum), Some(stats)) => sum.add(stats),
            (sum, Some(stats)) => *sum = Some(stats.clone()),
        }
    }
    let last_value = by_value.keys().next_back().copied().unwrap_or_default();
    let sums: Vec<(i32, GaussStats)> = by_value.into_iter().filter_map(|(value, sum)| Some((value, sum?))).collect();
    let Some(total) = sum_of(sums.iter().map(|(_, sum)| Some(sum))) else { return Err(TreeError::NoStats) };
    let before = total.objective();
    let (mut best, mut yes_set) = (0.0, &[][..]);
    for set in &questions.sets {
        let Some(after) = objective_if_split(&sums, set, &total) else { continue };
        if after < before - 0.001 * before.abs() {
            if after < before - 0.01 * (200.0 + before.abs()) {
                return Err(TreeError::Worse { before, after });
            }
            warning!("Objective function got worse when building tree: {after} < {before}");
        }
        if after - before > best {
            (best, yes_set) = (after - before, set);
        }
    }
    if questions.refinement.num_iters > 0 {
        return refine_question(&sums, last_value, best, yes_set, questions);
    }
    Ok((best, yes_set.to_vec()))
}

/// The objective of two leaves; `None` if one of them would have no statistics. The larger leaf is what remains of the
/// total without the smaller one.
fn objective_if_split(sums: &[(i32, GaussStats)], yes_set: &[i32], total: &GaussStats) -> Option<f32> {
    let is_yes = |value: &i32| yes_set.binary_search(value).is_ok();
    let num_yes = sums.iter().filter(|(value, _)| is_yes(value)).count();
    let num_no = sums.len() - num_yes;
    if num_yes == 0 || num_no == 0 {
        return None;
    }
    let (mut no, mut yes): (Option<GaussStats>, Option<GaussStats>) = (None, None);
    match num_no.cmp(&num_yes) {
        std::cmp::Ordering::Greater => no = Some(total.clone()),
        std::cmp::Ordering::Less => yes = Some(total.clone()),
        std::cmp::Ordering::Equal => {}
    }
    for (value, sum) in sums {
        let (own, other, other_is_rest) = match is_yes(value) {
            true => (&mut yes, &mut no, num_no > num_yes),
            false => (&mut no, &mut yes, num_yes > num_no),
        };
        // What belongs to the larger leaf is in the total already.
        let own_is_rest = !other_is_rest && num_yes != num_no;
        if own_is_rest {
            continue;
        }
        match own {
            Some(own) => own.add(sum),
            None => *own = Some(sum.clone()),
        }
        if let Some(rest) = other.as_mut().filter(|_| other_is_rest) {
            rest.subtract(sum);
        }
    }
    Some(sum_of_objectives([no.as_ref(), yes.as_ref()]))
}

/// Moves values between yes and no as long as that helps. Values without statistics, up to the largest value, move too.
fn refine_question(
    sums: &[(i32, GaussStats)],
    last_value: i32,
    gain: f32,
    yes_set: &[i32],
    questions: &KeyQuestions,
) -> Result<(f32, Vec<i32>), TreeError> {
    let Some((_, example)) = sums.first() else { return Err(TreeError::NoStats) };
    let mut empty = example.clone();
    empty.subtract(example);
    let mut points = vec![&empty; last_value.max(0) as usize + 1];
    sums.iter().for_each(|(value, sum)| points[*value as usize] = sum);
    let mut assignments = vec![0; points.len()];
    for &value in yes_set {
        if let Some(assignment) = assignments.get_mut(value as usize) {
            *assignment = 1;
        }
    }
    let part = |part: usize| {
        let members = sums.iter().filter(|(value, _)| assignments[*value as usize] == part);
        sum_of(members.map(|(_, sum)| Some(sum))).unwrap_or_else(|| empty.clone())
    };
    let mut clusters = [part(0), part(1)];
    let improvement = refine(&points, &mut clusters, &mut assignments, questions.refinement)?;
    if f64::from(improvement) <= (-0.1 * f64::from(gain.abs())).min(-1.0) {
        return Err(TreeError::Worse { before: gain, after: gain + improvement });
    }
    let yes_set = (0..).zip(&assignments).filter(|&(_, &part)| part == 1).map(|(value, _)| value).collect();
    Ok((gain + improvement, yes_set))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Event, Refinement};

    fn entry(value: i32, frames: &[f32]) -> TreeStatsEntry {
        let mut stats = GaussStats::new(1, 0.01);
        frames.iter().for_each(|&frame| stats.add_frame(&[frame]));
        (Event::new(vec![(0, value)]), Some(stats))
    }

    fn questions(sets: &[&[i32]], num_iters: i32) -> Questions {
        let mut questions = Questions::default();
        let sets = sets.iter().map(|set| set.to_vec()).collect();
        questions.insert(0, KeyQuestions { sets, refinement: Refinement { num_iters, num_clusters: 2 } });
        questions
    }

    fn split(questions: &Questions, max_leaves: i32) -> SplitTree {
        let entries = [entry(1, &[0.0, 1.0]), entry(2, &[20.0, 21.0]), entry(3, &[20.5, 21.0]), entry(5, &[0.5, 1.0])];
        let entries: Entries<'_> = entries.iter().collect();
        let limits = Limits { threshold: 1.0, max_leaves };
        split_leaves(&EventMap::leaf(0), &entries, questions, limits, 1).unwrap()
    }

    #[test]
    fn the_question_that_gains_most_is_asked() {
        let tree = split(&questions(&[&[1], &[2, 3], &[3, 5]], 0), 2);
        assert_eq!(tree.map, EventMap::split(0, vec![2, 3], EventMap::leaf(0), EventMap::leaf(1)));
        assert_eq!((tree.num_leaves, tree.gain), (2, tree.smallest_gain));
    }

    #[test]
    fn questions_are_refined_for_their_place() {
        let tree = split(&questions(&[&[2, 5]], 5), 2);
        assert_eq!(tree.map, EventMap::split(0, vec![1, 5], EventMap::leaf(0), EventMap::leaf(1)));
    }

    #[test]
    fn no_leaf_is_split_for_less_than_the_threshold() {
        let tree = split(&questions(&[&[1], &[2, 3], &[3, 5]], 0), 0);
        assert_eq!(tree.num_leaves, 2);
        assert_eq!(split(&questions(&[], 0), 0).smallest_gain, 1e20);
    }
}
