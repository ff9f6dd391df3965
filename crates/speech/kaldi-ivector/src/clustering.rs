//! Agglomerative clustering.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::ops::Range;

use kaldi_matrix::Matrix;

use crate::{Error, Result};

/// How points are clustered, and when to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clustering {
    /// Two clusters are merged if their cost is at most this.
    pub threshold: f32,
    /// Merging stops when this many clusters are left.
    pub min_clusters: u32,
    /// If there are more points, parts of about this size are clustered first, each on its own.
    pub first_pass_max_points: u32,
    /// The largest part of all points, rounded up, that may be in one cluster.
    pub max_cluster_fraction: f32,
}

impl Clustering {
    /// Merges the two clusters with the smallest cost repeatedly. At first each point is a cluster. Returns the number
    /// of each point's cluster, from 1.
    ///
    /// The cost of two clusters is the average of the costs of their points. If costs are equal, the oldest clusters
    /// come first. Of `costs` (`num_points × num_points`) the elements above the diagonal count, and for pairs of
    /// points from different parts those below it. A cost that is NaN merges nothing. Sums are in single precision, as
    /// in Kaldi's `AgglomerativeCluster`, so that the clusters are the same.
    ///
    /// # Errors
    /// If there are no points, the matrix is not square, or a limit cannot be kept: less than one cluster or point, or
    /// clusters so small that there would have to be more of them.
    pub fn cluster(&self, costs: &Matrix<f32>) -> Result<Vec<u32>> {
        let num_points = costs.num_rows();
        let refuse = |name, expected, got| Err(Error::Option { name, expected, got });
        if costs.is_empty() {
            return Err(Error::Length { what: "points at least", expected: 1, got: 0 });
        }
        if costs.num_cols() != num_points {
            return Err(Error::Length { what: "columns of costs", expected: num_points, got: costs.num_cols() });
        }
        if self.min_clusters == 0 {
            return refuse("reco2num_spk_rspecifier", "a table of numbers from 1 up", 0.0);
        }
        if self.first_pass_max_points == 0 {
            return refuse("first_pass_max_utterances", "1 at least", 0.0);
        }
        if f64::from(self.max_cluster_fraction) < 1.0 / f64::from(self.min_clusters) {
            return refuse("max_spk_fraction", "1 / num-spk at least", f64::from(self.max_cluster_fraction));
        }
        let max_size = (num_points as f32 * self.max_cluster_fraction).ceil() as usize;
        let level = if num_points <= self.first_pass_max_points as usize {
            Level::of_points(costs, 0..num_points)
        } else {
            self.first_pass(costs, max_size)
        };
        let level = self.merge(level, self.min_clusters as usize, max_size);
        let mut numbers = vec![0; num_points];
        for (number, points) in (1..).zip(level.clusters) {
            points.iter().for_each(|&point| numbers[point] = number);
        }
        Ok(numbers)
    }

    /// Clusters parts of the points, each on its own and not too far; returns all their clusters.
    fn first_pass(&self, costs: &Matrix<f32>, max_size: usize) -> Level {
        let num_points = costs.num_rows();
        let num_parts = num_points.div_ceil(self.first_pass_max_points as usize);
        let part_size = num_points.div_ceil(num_parts);
        let min_clusters = 10 * self.min_clusters as usize;
        let mut whole = Level::default();
        for first in (0..num_points).step_by(part_size) {
            let part = Level::of_points(costs, first..(first + part_size).min(num_points));
            whole.append(self.merge(part, min_clusters, max_size), costs);
        }
        whole
    }

    /// Merges clusters until no more can be merged.
    fn merge(&self, mut level: Level, min_clusters: usize, max_size: usize) -> Level {
        let mut queue = level.queue(self.threshold);
        // Clusters are numbered by age. A merged cluster takes the place of one of its parts and gets a new number.
        let mut places: Vec<usize> = (0..level.clusters.len()).collect();
        let mut active = places.clone();
        let mut is_active = vec![true; active.len()];
        while active.len() > min_clusters {
            let Some(Reverse(Candidate { pair, .. })) = queue.pop() else { break };
            let (first, second) = (pair.0 as usize, pair.1 as usize);
            let (place, other) = (places[first], places[second]);
            let is_merged = !(is_active[first] && is_active[second]);
            if is_merged || level.clusters[place].len() + level.clusters[other].len() > max_size {
                continue;
            }
            let points = std::mem::take(&mut level.clusters[other]);
            level.clusters[place].extend(points);
            (is_active[first], is_active[second]) = (false, false);
            active.retain(|&number| is_active[number]);
            let merged = places.len();
            for &number in &active {
                let third = places[number];
                let sum = level.cost(third, place) + level.cost(third, other);
                *level.cost_mut(third, place) = sum;
                queue.extend(level.candidate((third, place), (number, merged), self.threshold));
            }
            places.push(place);
            active.push(merged);
            is_active.push(true);
        }
        let kept: Vec<usize> = active.iter().map(|&number| places[number]).collect();
        level.pick(&kept)
    }
}

/// Clusters, the oldest first.
#[derive(Default)]
struct Level {
    /// The points of each cluster, in the order of merging.
    clusters: Vec<Vec<usize>>,
    /// The sum of the costs of all points of two clusters, for each cluster and those before it.
    costs: Vec<f32>,
}

impl Level {
    /// Makes clusters of one point each.
    fn of_points(costs: &Matrix<f32>, points: Range<usize>) -> Self {
        let pairs = points.clone().flat_map(|second| (points.start..second).map(move |first| (first, second)));
        Self {
            costs: pairs.map(|(first, second)| costs.row(first)[second]).collect(),
            clusters: points.map(|point| vec![point]).collect(),
        }
    }

    /// Appends the clusters of other points.
    fn append(&mut self, other: Self, costs: &Matrix<f32>) {
        let num_before = self.clusters.len();
        for (index, points) in other.clusters.iter().enumerate() {
            for before in &self.clusters[..num_before] {
                let pairs = points.iter().flat_map(|&second| before.iter().map(move |&first| (second, first)));
                self.costs.push(pairs.fold(0.0, |sum, (second, first)| sum + costs.row(second)[first]));
            }
            self.costs.extend_from_slice(&other.costs[pair_index(index, 0)..pair_index(index + 1, 0)]);
        }
        self.clusters.extend(other.clusters);
    }

    /// Copies the clusters at these places, in this order.
    fn pick(mut self, places: &[usize]) -> Self {
        let pairs = places
            .iter()
            .enumerate()
            .flat_map(|(index, &second)| places[..index].iter().map(move |&first| (first, second)));
        Self {
            costs: pairs.map(|(first, second)| self.cost(first, second)).collect(),
            clusters: places.iter().map(|&place| std::mem::take(&mut self.clusters[place])).collect(),
        }
    }

    fn cost(&self, a: usize, b: usize) -> f32 {
        self.costs[pair_index(a.max(b), a.min(b))]
    }

    fn cost_mut(&mut self, a: usize, b: usize) -> &mut f32 {
        &mut self.costs[pair_index(a.max(b), a.min(b))]
    }

    /// All pairs that may be merged.
    fn queue(&self, threshold: f32) -> BinaryHeap<Reverse<Candidate>> {
        let numbers = 0..self.clusters.len();
        let pairs = numbers.flat_map(|second| (0..second).map(move |first| (first, second)));
        pairs.filter_map(|pair| self.candidate(pair, pair, threshold)).collect()
    }

    /// The clusters of these numbers, which are at these places, if they may be merged.
    fn candidate(&self, places: (usize, usize), pair: (usize, usize), threshold: f32) -> Option<Reverse<Candidate>> {
        let num_pairs = self.clusters[places.0].len() * self.clusters[places.1].len();
        // Adding zero makes a negative zero positive; a total order would distinguish the two.
        let cost = self.cost(places.0, places.1) / num_pairs as f32 + 0.0;
        let pair = (pair.0 as u32, pair.1 as u32);
        (cost <= threshold).then_some(Reverse(Candidate { cost, pair }))
    }
}

/// The index of the cost of a cluster and one before it.
fn pair_index(second: usize, first: usize) -> usize {
    second * second.saturating_sub(1) / 2 + first
}

/// Two clusters that may be merged: the smallest cost comes first, and of equal ones the oldest clusters.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    cost: f32,
    /// The numbers of the clusters, the older one first.
    pair: (u32, u32),
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cost.total_cmp(&other.cost).then_with(|| self.pair.cmp(&other.pair))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate {}

#[cfg(test)]
mod tests {
    use super::*;

    const CLUSTERING: Clustering =
        Clustering { threshold: f32::MAX, min_clusters: 1, first_pass_max_points: 100, max_cluster_fraction: 1.0 };

    /// Costs that are the distances of points on a line.
    fn distances(points: &[f32]) -> Matrix<f32> {
        let all = points.iter().flat_map(|a| points.iter().map(move |b| (a - b).abs())).collect();
        Matrix::from_vec(points.len(), points.len(), all)
    }

    #[track_caller]
    fn t(clustering: Clustering, points: &[f32], expected: &[u32]) {
        assert_eq!(clustering.cluster(&distances(points)).unwrap(), expected);
    }

    #[test]
    fn near_points_are_merged_up_to_the_threshold() {
        let points = [0.0, 10.0, 1.0, 12.0, 30.0];
        t(Clustering { threshold: -1.0, ..CLUSTERING }, &points, &[1, 2, 3, 4, 5]);
        t(Clustering { threshold: 1.0, ..CLUSTERING }, &points, &[4, 1, 4, 2, 3]);
        t(Clustering { threshold: 2.0, ..CLUSTERING }, &points, &[2, 3, 2, 3, 1]);
        // The average of 10, 12, 9 and 11 is 10.5.
        t(Clustering { threshold: 10.4, ..CLUSTERING }, &points, &[2, 3, 2, 3, 1]);
        t(Clustering { threshold: 10.5, ..CLUSTERING }, &points, &[2, 2, 2, 2, 1]);
        t(CLUSTERING, &points, &[1; 5]);
        t(Clustering { threshold: f32::NAN, ..CLUSTERING }, &[1.0, 1.0], &[1, 2]);
        t(CLUSTERING, &[0.0, f32::NAN, 0.0], &[2, 1, 2]);
    }

    #[test]
    fn so_many_clusters_are_left_at_least() {
        let points = [0.0, 10.0, 1.0, 12.0, 30.0];
        t(Clustering { min_clusters: 2, ..CLUSTERING }, &points, &[2, 2, 2, 2, 1]);
        t(Clustering { min_clusters: 4, ..CLUSTERING }, &points, &[4, 1, 4, 2, 3]);
        t(Clustering { min_clusters: 9, ..CLUSTERING }, &points, &[1, 2, 3, 4, 5]);
    }

    #[test]
    fn clusters_do_not_grow_too_large() {
        let points = [0.0, 1.0, 2.0, 3.0, 50.0, 60.0];
        t(Clustering { min_clusters: 2, ..CLUSTERING }, &points, &[1, 1, 1, 1, 2, 2]);
        // At most three points.
        t(Clustering { min_clusters: 2, max_cluster_fraction: 0.5, ..CLUSTERING }, &points, &[1, 1, 2, 2, 3, 3]);
    }

    #[test]
    fn of_equal_pairs_the_oldest_is_merged_first() {
        // A merged cluster is the youngest of all.
        for (min_clusters, expected) in [(4, [4, 4, 1, 2, 3]), (3, [2, 2, 3, 3, 1]), (2, [2, 2, 1, 1, 2])] {
            let clustering = Clustering { min_clusters, ..CLUSTERING };
            assert_eq!(clustering.cluster(&Matrix::from_vec(5, 5, vec![1.0; 25])).unwrap(), expected);
        }
    }

    #[test]
    fn zeros_of_either_sign_are_equal() {
        let costs = Matrix::from_vec(3, 3, vec![0.0, 0.0, -0.0, 0.0, 0.0, -0.0, 0.0, 0.0, 0.0]);
        assert_eq!(Clustering { min_clusters: 2, ..CLUSTERING }.cluster(&costs).unwrap(), vec![2, 2, 1]);
    }

    #[test]
    fn many_points_are_clustered_in_two_passes() {
        let points: Vec<f32> = (0..30).map(|index| (index % 3) as f32 * 10.0 + index as f32 * 0.01).collect();
        for first_pass_max_points in [30, 29, 15, 7, 2, 1] {
            let clustering = Clustering { threshold: 5.0, first_pass_max_points, ..CLUSTERING };
            let numbers = clustering.cluster(&distances(&points)).unwrap();
            for (index, number) in numbers.iter().enumerate() {
                assert_eq!(*number, numbers[index % 3], "{first_pass_max_points}");
            }
            assert_eq!(numbers.iter().max(), Some(&3));
        }
    }

    #[test]
    fn costs_between_parts_are_those_below_the_diagonal() {
        let costs = Matrix::from_vec(3, 3, vec![0.0, 9.0, 9.0, 1.0, 0.0, 9.0, 9.0, 9.0, 0.0]);
        let clustering = Clustering { threshold: 5.0, ..CLUSTERING };
        assert_eq!(clustering.cluster(&costs).unwrap(), vec![1, 2, 3]);
        assert_eq!(Clustering { first_pass_max_points: 1, ..clustering }.cluster(&costs).unwrap(), vec![2, 2, 1]);
    }

    #[test]
    fn what_cannot_be_clustered_is_refused() {
        let refused = |clustering: Clustering, costs: Matrix<f32>| clustering.cluster(&costs).unwrap_err().to_string();
        let two = || Matrix::from_vec(2, 2, vec![0.0; 4]);
        assert_eq!(refused(CLUSTERING, Matrix::default()), "expected 1 points at least, got 0");
        assert_eq!(refused(CLUSTERING, Matrix::new(2, 3)), "expected 2 columns of costs, got 3");
        let option = refused(Clustering { min_clusters: 0, ..CLUSTERING }, two());
        assert_eq!(option, "expected `reco2num_spk_rspecifier` to be a table of numbers from 1 up, got 0");
        let option = refused(Clustering { first_pass_max_points: 0, ..CLUSTERING }, two());
        assert_eq!(option, "expected `first_pass_max_utterances` to be 1 at least, got 0");
        let option = refused(Clustering { min_clusters: 2, max_cluster_fraction: 0.4, ..CLUSTERING }, two());
        assert_eq!(option, "expected `max_spk_fraction` to be 1 / num-spk at least, got 0.4");
    }
}
