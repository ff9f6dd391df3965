//! Clusters that points move between, as long as that helps; and trees of such clusters.
//!
//! Objectives are in single precision. The order of all steps is Kaldi's, so that clusters are the same.

use std::collections::BinaryHeap;

use kaldi_io::log::log;
use kaldi_matrix::select::select;
use kaldi_value::number::general;
use kaldi_value::random::Random;

use super::{GaussStats, Refinement, TreeError};

/// Which cluster each point is in.
pub(super) struct Clustering {
    /// The cluster of each point.
    pub(super) assignments: Vec<usize>,
    /// How much better the objective is than with one cluster.
    pub(super) gain: f32,
}

/// Moves points to a better cluster as long as that helps; returns the gain.
///
/// # Errors
/// If fewer than two clusters are to be looked at for each point.
pub(super) fn refine(
    points: &[&GaussStats],
    clusters: &mut [GaussStats],
    assignments: &mut [usize],
    options: Refinement,
) -> Result<f32, TreeError> {
    if options.num_iters <= 0 {
        return Ok(0.0);
    }
    if options.num_clusters < 2 {
        let message =
            format!("expected 2 or more clusters in the refinement of questions, got {}", options.num_clusters);
        return Err(TreeError::Options(message));
    }
    let num_near = clusters.len().min(options.num_clusters as usize);
    if num_near <= 1 {
        return Ok(0.0);
    }
    let mut refiner = Refiner::new(points, clusters, assignments, num_near);
    for _ in 0..options.num_iters {
        let moves_before = refiner.num_moves;
        (0..points.len()).for_each(|point| refiner.move_point(point));
        if refiner.num_moves == moves_before {
            break;
        }
    }
    Ok(refiner.gain)
}

/// A cluster that a point may be in.
#[derive(Clone, Copy)]
struct Near {
    cluster: usize,
    /// The number of moves after which the objective was computed.
    at: usize,
    /// The objective of the cluster with the point; of the point's own cluster: without it.
    objective: f32,
}

struct Refiner<'a> {
    points: &'a [&'a GaussStats],
    clusters: &'a mut [GaussStats],
    assignments: &'a mut [usize],
    /// The objective of each cluster, and the number of moves after which it changed.
    objectives: Vec<(f32, usize)>,
    /// For each point the clusters that are looked at, and which of them is its own.
    near: Vec<(Vec<Near>, usize)>,
    num_moves: usize,
    gain: f32,
}

impl<'a> Refiner<'a> {
    fn new(
        points: &'a [&'a GaussStats],
        clusters: &'a mut [GaussStats],
        assignments: &'a mut [usize],
        num_near: usize,
    ) -> Self {
        let objectives = clusters.iter().map(|cluster| (cluster.objective(), 0)).collect();
        let mut refiner = Self { points, clusters, assignments, objectives, near: Vec::new(), num_moves: 0, gain: 0.0 };
        refiner.near = (0..points.len()).map(|point| (refiner.near(point, num_near), num_near - 1)).collect();
        refiner
    }

    /// The clusters that lose least if the point is added, and at last its own.
    fn near(&self, point: usize, num_near: usize) -> Vec<Near> {
        let own = self.assignments[point];
        let losses = (0..self.clusters.len()).filter(|&cluster| cluster != own).map(|cluster| {
            (self.objectives[cluster].0 - self.clusters[cluster].objective_plus(self.points[point]), cluster)
        });
        let mut losses: Vec<(f32, usize)> = losses.collect();
        select(&mut losses, num_near - 2);
        let mut near: Vec<Near> = losses[..num_near - 1]
            .iter()
            .map(|&(loss, cluster)| Near { cluster, at: 0, objective: -(loss - self.objectives[cluster].0) })
            .collect();
        near.push(Near { cluster: own, at: 0, objective: self.clusters[own].objective_minus(self.points[point]) });
        near
    }

    /// Moves a point to the first of its clusters that makes the objective better.
    fn move_point(&mut self, point: usize) {
        let own_index = self.near[point].1;
        self.update(point, own_index);
        let own = self.near[point].0[own_index];
        let own_objective = self.objectives[own.cluster].0;
        for index in (0..self.near[point].0.len()).filter(|&index| index != own_index) {
            self.update(point, index);
            let other = self.near[point].0[index];
            let gain = other.objective + own.objective - self.objectives[other.cluster].0 - own_objective;
            if gain > 0.0 {
                self.gain += gain;
                self.num_moves += 1;
                self.near[point].1 = index;
                self.assignments[point] = other.cluster;
                self.clusters[own.cluster].subtract(self.points[point]);
                self.clusters[other.cluster].add(self.points[point]);
                for cluster in [own.cluster, other.cluster] {
                    self.objectives[cluster] = (self.clusters[cluster].objective(), self.num_moves);
                }
                return;
            }
        }
    }

    /// Computes the objective of a cluster with the point anew, if the cluster has changed.
    fn update(&mut self, point: usize, index: usize) {
        let (near, own_index) = &mut self.near[point];
        let is_own = *own_index == index;
        let near = &mut near[index];
        if near.at < self.objectives[near.cluster].1 {
            let (cluster, point) = (&self.clusters[near.cluster], self.points[point]);
            near.at = self.num_moves;
            near.objective = if is_own { cluster.objective_minus(point) } else { cluster.objective_plus(point) };
        }
    }
}

/// Options of k-means: those of Kaldi that a program ever changes.
#[derive(Clone, Copy)]
pub(super) struct KMeans {
    /// How often everything is tried; the best try counts.
    pub(super) num_tries: usize,
    /// Whether iterations are logged.
    pub(super) verbose: bool,
}

impl KMeans {
    const NUM_ITERS: usize = 20;
    const REFINEMENT: Refinement = Refinement { num_iters: 100, num_clusters: 5 };

    /// Clusters points; there must be as many points as clusters at least.
    pub(super) fn cluster(
        self,
        points: &[&GaussStats],
        num_clusters: usize,
        random: &mut Random,
    ) -> Result<Clustering, TreeError> {
        let mut best = self.once(points, num_clusters, random)?;
        for _ in 1..self.num_tries {
            let clustering = self.once(points, num_clusters, random)?;
            if clustering.gain > best.gain {
                best = clustering;
            }
        }
        Ok(best)
    }

    fn once(self, points: &[&GaussStats], num_clusters: usize, random: &mut Random) -> Result<Clustering, TreeError> {
        let (mut clusters, mut assignments) = (Vec::<GaussStats>::new(), vec![0; points.len()]);
        let stride = stride(points.len(), random);
        let mut point = 0;
        for number in 0..points.len() {
            let cluster = number % num_clusters;
            match clusters.get_mut(cluster) {
                Some(sum) => sum.add(points[point]),
                None => clusters.push(points[point].clone()),
            }
            assignments[point] = cluster;
            point = (point + stride) % points.len();
        }
        let total = |clusters: &[GaussStats]| super::gauss_stats::sum_of_objectives(clusters.iter().map(Some));
        let normalizer = super::gauss_stats::sum_of_counts(clusters.iter().map(Some));
        let all = super::gauss_stats::sum_of(clusters.iter().map(Some)).map_or(0.0, |all| all.objective());
        let mut gain = total(&clusters) - all;
        for iter in 0..Self::NUM_ITERS {
            let before = total(&clusters);
            let improvement = refine(points, &mut clusters, &mut assignments, Self::REFINEMENT)?;
            let after = total(&clusters);
            gain += improvement;
            if self.verbose {
                let show = |number: f32| general(f64::from(number));
                log!(
                    "ClusterKMeans: on iteration {iter}, objf before = {}, impr = {}, objf after = {}, normalized by {} = {}",
                    show(before),
                    show(improvement),
                    show(after),
                    show(normalizer),
                    show(after / normalizer)
                );
            }
            if improvement == 0.0 {
                break;
            }
        }
        Ok(Clustering { assignments, gain })
    }
}

/// Draws a stride that visits all points.
fn stride(num_points: usize, random: &mut Random) -> usize {
    if num_points == 1 {
        return 1;
    }
    let mut stride = 1 + random.draw() as usize % (num_points - 1);
    while greatest_common_divisor(stride, num_points) != 1 {
        stride = if stride == num_points - 1 { 1 } else { stride + 1 };
    }
    stride
}

fn greatest_common_divisor(mut one: usize, mut two: usize) -> usize {
    while two != 0 {
        (one, two) = (two, one % two);
    }
    one
}

/// A tree of clusters: each is split into two, the best split first, until nothing is won.
pub(super) struct ClusterTree {
    /// The leaf of each point.
    pub(super) assignments: Vec<usize>,
    /// The parent of each cluster: first the leaves, then the others, the root last. The root is its own parent.
    pub(super) parents: Vec<usize>,
}

/// Builds a tree of clusters, each of which is split in two as long as that gains anything.
pub(super) fn cluster_tree(points: &[&GaussStats], random: &mut Random) -> Result<ClusterTree, TreeError> {
    /// A node: its points and its parent, and, if it is a leaf that may be split, its parts.
    struct Node {
        members: Vec<usize>,
        parent: Option<usize>,
        parts: Option<Vec<usize>>,
    }
    let mut nodes = vec![Node { members: (0..points.len()).collect(), parent: None, parts: None }];
    let (mut leaves, mut inner) = (vec![0], Vec::new());
    let mut queue = BinaryHeap::new();
    let mut next = 0;
    loop {
        // Nodes that are new: how they would be split.
        while let Some(node) = nodes.get_mut(next) {
            if node.members.len() > 1 {
                let members: Vec<&GaussStats> = node.members.iter().map(|&point| points[point]).collect();
                let split = KMeans { num_tries: 10, verbose: false }.cluster(&members, 2, random)?;
                node.parts = Some(split.assignments);
                if split.gain > 0.0 {
                    // Positive numbers compare as their bits do.
                    queue.push((split.gain.to_bits(), next));
                }
            }
            next += 1;
        }
        let Some((_, split)) = queue.pop().filter(|_| leaves.len() < points.len()) else { break };
        let (members, parts) = (std::mem::take(&mut nodes[split].members), nodes[split].parts.take());
        let mut halves = [Vec::new(), Vec::new()];
        members.into_iter().zip(parts.unwrap_or_default()).for_each(|(point, part)| halves[part].push(point));
        if let Some(place) = leaves.iter().position(|&leaf| leaf == split) {
            leaves[place] = nodes.len();
            leaves.push(nodes.len() + 1);
        }
        inner.push(split);
        nodes.extend(halves.map(|members| Node { members, parent: Some(split), parts: None }));
    }

    let mut assignments = vec![0; points.len()];
    for (number, &leaf) in leaves.iter().enumerate() {
        nodes[leaf].members.iter().for_each(|&point| assignments[point] = number);
    }
    let order: Vec<usize> = leaves.iter().chain(inner.iter().rev()).copied().collect();
    let mut numbers = vec![0; nodes.len()];
    order.iter().enumerate().for_each(|(number, &node)| numbers[node] = number);
    let parent = |&node: &usize| numbers[nodes[node].parent.unwrap_or(node)];
    Ok(ClusterTree { assignments, parents: order.iter().map(parent).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(values: &[f32]) -> Vec<GaussStats> {
        let point = |&value: &f32| {
            let mut stats = GaussStats::new(1, 0.01);
            [value, value + 1.0].iter().for_each(|&frame| stats.add_frame(&[frame]));
            stats
        };
        values.iter().map(point).collect()
    }

    #[test]
    fn points_move_to_the_cluster_that_fits() {
        let points = points(&[0.0, 20.0, 0.5, 20.5, 1.0, 21.0]);
        let points: Vec<&GaussStats> = points.iter().collect();
        let clustering = KMeans { num_tries: 2, verbose: false }.cluster(&points, 2, &mut Random::default()).unwrap();
        let [a, b, ..] = clustering.assignments[..] else { unreachable!() };
        assert_eq!(clustering.assignments, [a, b, a, b, a, b]);
        assert!(a != b && clustering.gain > 0.0);
    }

    #[test]
    fn a_tree_has_all_points_as_leaves_and_its_root_last() {
        let points = points(&[0.0, 20.0, 0.5, 20.5]);
        let points: Vec<&GaussStats> = points.iter().collect();
        let tree = cluster_tree(&points, &mut Random::default()).unwrap();
        assert_eq!((tree.parents.len(), tree.parents.last()), (7, Some(&6)));
        let parent = |point: usize| tree.parents[tree.assignments[point]];
        assert!(parent(0) == parent(2) && parent(1) == parent(3) && parent(0) != parent(1));
    }

    #[test]
    fn one_point_is_a_tree() {
        let points = points(&[0.0]);
        let tree = cluster_tree(&[&points[0]], &mut Random::default()).unwrap();
        assert_eq!((tree.assignments, tree.parents), (vec![0], vec![0]));
    }

    #[test]
    fn strides_visit_all_points() {
        let mut random = Random::default();
        for num_points in 1..50 {
            assert_eq!(greatest_common_divisor(stride(num_points, &mut random), num_points), 1);
        }
    }
}
