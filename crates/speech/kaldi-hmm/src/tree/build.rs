//! Building of trees.

use kaldi_io::log::{log, vlog, warning};
use kaldi_value::number::general;

use super::bottom_up::{bottom_up, bottom_up_in_groups};
use super::gauss_stats::{sum_of, sum_of_counts, sum_of_objectives};
use super::roots::Stub;
use super::split::{Entries, Limits, SplitTree, group_by_answer, split_leaves};
use super::tree_stats::TreeStatsEntry;
use super::{EventMap, GaussStats, Questions, TreeError, TreeRoot, TreeStats};

/// What a tree is built from.
pub struct TreeBuilder<'a> {
    /// The statistics of events.
    pub stats: &'a TreeStats,
    /// The roots, of which each phone has one.
    pub roots: &'a [TreeRoot],
    /// The questions.
    pub questions: &'a Questions,
    /// The key of the phone itself.
    pub central_position: i32,
    /// The number of pdf classes of a phone; `None` if there is no such phone.
    pub num_classes: &'a dyn Fn(i32) -> Option<i32>,
}

/// How large a tree becomes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeLimits {
    /// What a split must gain, in log-likelihood.
    pub threshold: f32,
    /// The largest number of leaves; 0 or less for no limit.
    pub max_leaves: i32,
    /// What merging two leaves may lose; 0 for no merges, negative for what the worst split gained.
    pub cluster_threshold: f32,
    /// Whether leaves are merged until their number is a multiple of 8.
    pub round_num_leaves: bool,
}

/// A large tree that refines a small one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwoLevelTree {
    /// The large tree.
    pub map: EventMap,
    /// For each leaf of the large tree that of the small one.
    pub leaves: Vec<i32>,
}

impl TreeBuilder<'_> {
    /// Builds a tree: its roots, splits of them, merges of leaves.
    ///
    /// # Errors
    /// If the statistics, the roots and the questions do not fit each other, or nothing can be split.
    pub fn build(&self, limits: TreeLimits) -> Result<EventMap, TreeError> {
        if limits.threshold <= 0.0 && limits.max_leaves <= 0 {
            let message = format!("expected a threshold over 0 or a number of leaves, got {}", limits.threshold);
            return Err(TreeError::Options(message));
        }
        self.stats.check()?;
        if self.stats.is_empty() {
            return Err(TreeError::NoStats);
        }
        let all: Entries<'_> = self.stats.entries().iter().collect();
        let stub = Stub::new(self.roots, self.central_position, self.num_classes)?;
        log!("BuildTree: before building trees, map has {} leaves.", stub.num_leaves);
        let splittable = self.splittable()?;
        let splits = Limits { threshold: limits.threshold, max_leaves: limits.max_leaves };
        let tree = split_leaves(&stub.map, &splittable, self.questions, splits, stub.num_leaves)?;
        let mut cluster_threshold = limits.cluster_threshold;
        if cluster_threshold < 0.0 {
            cluster_threshold = tree.smallest_gain;
            let shown = general(f64::from(cluster_threshold));
            log!("Setting clustering threshold to smallest split {shown}");
        }
        let (frames, splittable_frames) = (count(&all), count(&splittable));
        log_gain(&tree, frames, splittable_frames);
        if cluster_threshold == 0.0 && !limits.round_num_leaves {
            return Ok(tree.map);
        }

        let before = objective(&all, &tree.map)?;
        let (mut map, mut num_leaves) = (tree.map, tree.num_leaves);
        if cluster_threshold != 0.0 {
            let (clustered, num_removed) = cluster_within(&map, &all, cluster_threshold, &stub.map)?;
            log!("BuildTree: removed {num_removed} leaves.");
            (map, num_leaves) = (clustered, num_leaves - num_removed);
        }
        if limits.round_num_leaves {
            let wanted = num_leaves / 8 * 8;
            let (rounded, num_removed) = cluster_to(&map, &all, wanted, &stub.map)?;
            if num_removed > 0 {
                log!("BuildTree: Rounded num leaves to multiple of 8 by removing {num_removed} leaves.");
            }
            if num_leaves - num_removed != wanted && cluster_threshold != 0.0 {
                warning!("Did not get expected number of leaves: {} != {wanted}", num_leaves - num_removed);
            }
            map = rounded;
        }
        let (map, num_leaves) = renumbered(&map);
        let change = objective(&all, &map)? - before;
        let per = |frames: f32| general(f64::from(change / frames));
        vlog!(1, "Objf change due to clustering {} per frame.", per(frames));
        vlog!(1, "Normalizing over only split phones, this is: {} per frame.", per(splittable_frames));
        vlog!(1, "Num-leaves is now {num_leaves}");
        Ok(map)
    }

    /// Builds a small tree of at most `max_leaves_first` leaves, and a large one that splits its leaves further, up to
    /// `max_leaves_second`. Leaves of the large tree with the same leaf of the small one have neighbouring numbers.
    ///
    /// # Errors
    /// As [`TreeBuilder::build`].
    pub fn build_two_level(
        &self,
        max_leaves_first: i32,
        max_leaves_second: i32,
        cluster_leaves: bool,
    ) -> Result<TwoLevelTree, TreeError> {
        log!("****BuildTreeTwoLevel: building first level tree");
        let limits =
            TreeLimits { threshold: 0.0, max_leaves: max_leaves_first, cluster_threshold: 0.0, round_num_leaves: true };
        let small = self.build(limits)?;
        log!("****BuildTreeTwoLevel: done building first level tree");
        let all: Entries<'_> = self.stats.entries().iter().collect();
        let splittable = self.splittable()?;
        let num_small = small.largest_answer().map_or(0, |largest| largest + 1);
        let splits = Limits { threshold: 0.0, max_leaves: max_leaves_second };
        let tree = split_leaves(&small, &splittable, self.questions, splits, num_small)?;
        let (gain, frames) = (f64::from(tree.gain), count(&all));
        log!(
            "Building second-level tree: increased #leaves from {num_small} to {}, smallest split was {}",
            tree.num_leaves,
            general(f64::from(tree.smallest_gain))
        );
        log!(
            "After second decision tree split, num-leaves = {}, like-impr = {} per frame over {} frames.",
            tree.num_leaves,
            general(gain / f64::from(frames)),
            general(f64::from(frames))
        );
        let mut map = tree.map;
        if cluster_leaves {
            log!("Clustering leaves of larger tree.");
            let before = objective(&all, &map)?;
            let (clustered, num_removed) = cluster_within(&map, &all, tree.smallest_gain, &small)?;
            log!("BuildTreeTwoLevel: removed {num_removed} leaves.");
            let num_leaves;
            (map, num_leaves) = renumbered(&clustered);
            let change = general(f64::from((objective(&all, &map)? - before) / frames));
            log!("Objf change due to clustering {change} per frame.");
            log!("Num-leaves now {num_leaves}");
        }
        let leaves = small_leaves(&small, &map, &all)?;
        let mut order: Vec<(i32, usize)> = leaves.iter().copied().zip(0..).collect();
        order.sort_unstable();
        let mut new_numbers = vec![0; leaves.len()];
        (0..).zip(&order).for_each(|(new, &(_, old))| new_numbers[old] = new);
        let map = map.with_answers(|old| new_numbers[old as usize]);
        Ok(TwoLevelTree { map, leaves: order.into_iter().map(|(small, _)| small).collect() })
    }

    /// Checks the phones of the finished tree: those of the roots against the topology's, and those of the statistics.
    ///
    /// # Errors
    /// If a phone has statistics but no root.
    pub fn check_phones(&self, topology_phones: &[i32]) -> Result<(), TreeError> {
        let sorted = |mut phones: Vec<i32>| {
            phones.sort_unstable();
            phones.dedup();
            phones
        };
        let of_roots = sorted(self.roots.iter().flat_map(|root| root.phones.iter().copied()).collect());
        if of_roots != topology_phones {
            let message = "Mismatch between phone sets provided in roots file, and those in topology: ";
            warning!("{message}{} vs. {}", list(&of_roots), list(topology_phones));
        }
        let events = self.stats.entries().iter();
        let seen = sorted(events.filter_map(|(event, _)| event.get(self.central_position)).collect());
        if let Some(&phone) = seen.iter().find(|phone| of_roots.binary_search(phone).is_err()) {
            return Err(TreeError::NotInRoots { phone });
        }
        let unseen: Vec<String> =
            of_roots.iter().filter(|phone| seen.binary_search(phone).is_err()).map(i32::to_string).collect();
        if !unseen.is_empty() {
            warning!("Saw no stats for following phones: {}", unseen.join(" "));
        }
        Ok(())
    }

    /// The statistics of phones that may be split.
    fn splittable(&self) -> Result<Entries<'_>, TreeError> {
        let mut fixed: Vec<i32> =
            self.roots.iter().filter(|root| !root.is_split).flat_map(|root| root.phones.iter().copied()).collect();
        fixed.sort_unstable();
        let key = self.central_position;
        let mut entries = Entries::new();
        for entry in self.stats.entries() {
            let phone = entry.0.get(key).ok_or_else(|| TreeError::NoKey { event: entry.0.clone(), key })?;
            if fixed.binary_search(&phone).is_err() {
                entries.push(entry);
            }
        }
        Ok(entries)
    }
}

/// Integers as Kaldi's log shows them.
pub(super) fn list(numbers: &[i32]) -> String {
    let numbers: Vec<String> = numbers.iter().map(i32::to_string).collect();
    format!("[ {} ]", numbers.join(" "))
}

fn log_gain(tree: &SplitTree, frames: f32, splittable_frames: f32) {
    let show = |number: f32| general(f64::from(number));
    vlog!(
        1,
        "After decision tree split, num-leaves = {}, like-impr = {} per frame over {} frames.",
        tree.num_leaves,
        show(tree.gain / frames),
        show(frames)
    );
    vlog!(
        1,
        "Including just phones that were split, improvement is {} per frame over {} frames.",
        show(tree.gain / splittable_frames),
        show(splittable_frames)
    );
}

fn count(entries: &[&TreeStatsEntry]) -> f32 {
    sum_of_counts(entries.iter().map(|(_, stats)| stats.as_ref()))
}

fn sum(entries: &[&TreeStatsEntry]) -> Option<GaussStats> {
    sum_of(entries.iter().map(|(_, stats)| stats.as_ref()))
}

/// The objective of all leaves.
fn objective(entries: &[&TreeStatsEntry], map: &EventMap) -> Result<f32, TreeError> {
    let sums: Vec<_> = group_by_answer(entries, map)?.iter().map(|group| sum(group)).collect();
    Ok(sum_of_objectives(sums.iter().map(Option::as_ref)))
}

/// The leaves with statistics, and their sums.
fn leaf_sums(entries: &[&TreeStatsEntry], map: &EventMap) -> Result<(Vec<i32>, Vec<GaussStats>), TreeError> {
    let groups = group_by_answer(entries, map)?;
    Ok((0..).zip(&groups).filter_map(|(leaf, group)| Some((leaf, sum(group)?))).unzip())
}

/// Merges leaves as long as a merge loses at most `threshold`, within the leaves of `within`. Returns the map, and how
/// many leaves are gone.
fn cluster_within(
    map: &EventMap,
    entries: &[&TreeStatsEntry],
    threshold: f32,
    within: &EventMap,
) -> Result<(EventMap, i32), TreeError> {
    let mut merged = Merged::default();
    for group in group_by_answer(entries, within)?.iter().filter(|group| !group.is_empty()) {
        let (leaves, sums) = leaf_sums(group, map)?;
        if leaves.is_empty() {
            warning!("ClusterBottomUp: nothing to cluster.");
            continue;
        }
        merged.add(&leaves, &bottom_up(sums, threshold, 0));
    }
    Ok((map.with_answers(|leaf| merged.answer(leaf)), merged.num_removed))
}

/// Merges leaves until `wanted` are left, within the leaves of `within`. Returns the map, and how many leaves are gone;
/// none if there would be fewer than those of `within`.
fn cluster_to(
    map: &EventMap,
    entries: &[&TreeStatsEntry],
    wanted: i32,
    within: &EventMap,
) -> Result<(EventMap, i32), TreeError> {
    let groups = group_by_answer(entries, within)?;
    if (wanted as usize) < groups.len() {
        warning!("num-clusters-required is less than size of map. Not doing anything.");
        return Ok((map.clone(), 0));
    }
    // A leaf of `within` without statistics stays one leaf.
    let num_clusters = wanted as usize - groups.iter().filter(|group| group.is_empty()).count();
    let sums = groups.iter().map(|group| leaf_sums(group, map)).collect::<Result<Vec<_>, _>>()?;
    let (leaves, sums): (Vec<_>, Vec<_>) = sums.into_iter().unzip();
    let num_points: usize = leaves.iter().map(Vec::len).sum();
    vlog!(1, "Number of non-empty clusters = {num_points}");
    if num_clusters > num_points {
        warning!("Cannot get required num-clusters {wanted}: only {num_points} leaves have statistics");
        return Ok((map.clone(), 0));
    }
    let mut merged = Merged::default();
    for (leaves, clusters) in leaves.iter().zip(bottom_up_in_groups(sums, num_clusters)) {
        merged.add(leaves, &clusters);
    }
    Ok((map.with_answers(|leaf| merged.answer(leaf)), merged.num_removed))
}

/// The leaves that have taken the place of others.
#[derive(Default)]
struct Merged {
    /// `None` for leaves that stay as they are.
    answers: Vec<Option<i32>>,
    num_removed: i32,
}

impl Merged {
    /// Adds leaves and their clusters, which are numbered without gaps. A cluster gets the number of the leaf whose index
    /// its number is.
    fn add(&mut self, leaves: &[i32], clusters: &[usize]) {
        let last = leaves.last().map_or(0, |&leaf| leaf as usize + 1);
        self.answers.resize(self.answers.len().max(last), None);
        for (&leaf, &cluster) in leaves.iter().zip(clusters) {
            self.answers[leaf as usize] = Some(leaves[cluster]);
        }
        let num_clusters = clusters.iter().max().map_or(0, |&last| last + 1);
        self.num_removed += (leaves.len() - num_clusters) as i32;
    }

    fn answer(&self, leaf: i32) -> i32 {
        self.answers.get(leaf as usize).copied().flatten().unwrap_or(leaf)
    }
}

/// The map with its leaves numbered from 0, in the order of their old numbers; and how many there are.
fn renumbered(map: &EventMap) -> (EventMap, i32) {
    let old = map.possible_answers(&super::Event::default());
    let new = |answer: i32| old.binary_search(&answer).map_or(answer, |number| number as i32);
    (map.with_answers(new), old.len() as i32)
}

/// For each leaf of the large tree that of the small one, by the statistics that they share.
fn small_leaves(small: &EventMap, large: &EventMap, entries: &[&TreeStatsEntry]) -> Result<Vec<i32>, TreeError> {
    let size = |map: &EventMap| map.largest_answer().map_or(0, |largest| largest as usize + 1);
    let mut leaves = vec![None; size(large)];
    let groups = group_by_answer(entries, small)?;
    let mut unseen = Vec::new();
    for leaf in 0..size(small) {
        match groups.get(leaf).filter(|group| !group.is_empty()) {
            None => {
                warning!("No stats mapping to {leaf} in small tree. Continuing but this is a serious error.");
                unseen.push(leaf as i32);
            }
            Some(group) => {
                for entry in group {
                    let no_answer = || TreeError::NoAnswer { event: entry.0.clone() };
                    leaves[large.answer(&entry.0).ok_or_else(no_answer)? as usize] = Some(leaf as i32);
                }
            }
        }
    }
    let mut all = Vec::new();
    for (leaf, small) in leaves.into_iter().enumerate() {
        let small = small.unwrap_or_else(|| {
            let assigned = unseen.pop().unwrap_or_default();
            warning!("leaf {leaf} of the large tree has no statistics: it gets leaf {assigned}");
            assigned
        });
        all.push(small);
    }
    Ok(all)
}
