//! Clustering from the bottom: the two clusters whose merging loses least are merged, again and again.
//!
//! Losses are in single precision. The rules for ties are Kaldi's, so that trees are the same.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use kaldi_matrix::select::Heap;

use super::GaussStats;

/// Clusters points as long as a merge loses at most `most_loss`, and there are more than `num_clusters`. Returns the cluster of
/// each point; clusters are numbered without gaps.
pub fn bottom_up(points: Vec<GaussStats>, most_loss: f32, num_clusters: usize) -> Vec<usize> {
    let mut num_left = points.len();
    let mut clusters = Clusters::new(points);
    let most_jobs = clusters.len() * clusters.len();
    let mut jobs = BinaryHeap::new();
    clusters.for_each_pair(|clusters, one, two| {
        let loss = clusters.set_loss(one, two);
        if loss <= most_loss {
            jobs.push(Reverse((Loss(loss), one, two)));
        }
    });
    while num_left > num_clusters {
        let Some(Reverse((Loss(loss), one, two))) = jobs.pop() else { break };
        if !clusters.can_merge(one, two, loss) {
            continue;
        }
        clusters.merge(one, two);
        num_left -= 1;
        for other in clusters.others(one) {
            let (larger, smaller) = (one.max(other), one.min(other));
            let loss = clusters.set_loss(larger, smaller);
            if loss < most_loss {
                jobs.push(Reverse((Loss(loss), larger, smaller)));
            }
            // Most of the jobs are out of date then.
            if jobs.len() >= most_jobs {
                jobs.clear();
                clusters.for_each_pair(|clusters, one, two| {
                    let loss = clusters.loss(one, two);
                    if loss <= most_loss {
                        jobs.push(Reverse((Loss(loss), one, two)));
                    }
                });
            }
        }
    }
    clusters.into_assignments()
}

/// Clusters points within their groups until there are `num_clusters` in all. Returns the cluster of each point in its
/// group; the clusters of a group are numbered without gaps.
pub fn bottom_up_in_groups(groups: Vec<Vec<GaussStats>>, num_clusters: usize) -> Vec<Vec<usize>> {
    let mut groups: Vec<Clusters> = groups.into_iter().map(Clusters::new).collect();
    let mut num_left: usize = groups.iter().map(Clusters::len).sum();
    let mut jobs = Heap::default();
    fill(&mut groups, &mut jobs);
    while num_left > num_clusters {
        let Some(GroupJob { loss, group, one, two }) = jobs.pop() else { break };
        let clusters = &mut groups[group];
        if !clusters.can_merge(one, two, loss) {
            continue;
        }
        clusters.merge(one, two);
        num_left -= 1;
        for other in clusters.others(one) {
            let (one, two) = (one.max(other), one.min(other));
            GroupJob { loss: clusters.set_loss(one, two), group, one, two }.put(&mut jobs);
        }
        if jobs.len() >= num_left * num_left {
            jobs.clear();
            fill(&mut groups, &mut jobs);
        }
    }
    groups.into_iter().map(Clusters::into_assignments).collect()
}

/// Computes all losses, and puts them into the queue.
fn fill(groups: &mut [Clusters], jobs: &mut Heap<GroupJob>) {
    for (group, clusters) in groups.iter_mut().enumerate() {
        clusters.for_each_pair(|clusters, one, two| {
            GroupJob { loss: clusters.set_loss(one, two), group, one, two }.put(jobs);
        });
    }
}

/// Two clusters of a group that could be merged; the one with the smallest loss is the greatest.
#[derive(Clone, Copy)]
struct GroupJob {
    loss: f32,
    group: usize,
    one: usize,
    two: usize,
}

impl GroupJob {
    fn put(self, jobs: &mut Heap<Self>) {
        if self.loss < f32::INFINITY {
            jobs.push(self);
        }
    }
}

impl PartialEq for GroupJob {
    fn eq(&self, other: &Self) -> bool {
        self.loss == other.loss
    }
}

impl PartialOrd for GroupJob {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        other.loss.partial_cmp(&self.loss)
    }
}

/// A loss, which is never NaN or −0.
#[derive(Clone, Copy, PartialEq)]
struct Loss(f32);

impl Eq for Loss {}

impl PartialOrd for Loss {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Loss {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Clusters that are merged, and what merging two of them loses.
struct Clusters {
    /// Each cluster with its objective; `None` if another one has swallowed it.
    clusters: Vec<Option<(GaussStats, f32)>>,
    /// The cluster that has swallowed this one, or itself.
    owners: Vec<usize>,
    /// The losses of all pairs (i, j), j < i, row by row.
    losses: Vec<f32>,
}

impl Clusters {
    fn new(points: Vec<GaussStats>) -> Self {
        let count = points.len();
        let with_objective = |point: GaussStats| {
            let objective = point.objective();
            Some((point, objective))
        };
        Self {
            clusters: points.into_iter().map(with_objective).collect(),
            owners: (0..count).collect(),
            losses: vec![0.0; count * count.saturating_sub(1) / 2],
        }
    }

    fn len(&self) -> usize {
        self.clusters.len()
    }

    /// Calls `work` for all pairs of clusters that are left, the larger number first.
    fn for_each_pair(&mut self, mut work: impl FnMut(&mut Self, usize, usize)) {
        let left: Vec<usize> = (0..self.len()).filter(|&cluster| self.clusters[cluster].is_some()).collect();
        for (number, &one) in left.iter().enumerate() {
            left[..number].iter().for_each(|&two| work(self, one, two));
        }
    }

    /// The clusters that are left, except one.
    fn others(&self, one: usize) -> Vec<usize> {
        (0..self.len()).filter(|&other| other != one && self.clusters[other].is_some()).collect()
    }

    fn loss(&self, one: usize, two: usize) -> f32 {
        self.losses[one * (one - 1) / 2 + two]
    }

    /// Computes what merging `two` into `one` loses, at least 0; `two` is smaller than `one`.
    fn set_loss(&mut self, one: usize, two: usize) -> f32 {
        let loss = match (&self.clusters[one], &self.clusters[two]) {
            (Some((first, first_objective)), Some((second, second_objective))) => {
                let loss = first_objective + second_objective - first.objective_plus(second);
                if loss > 0.0 { loss } else { 0.0 }
            }
            _ => f32::INFINITY,
        };
        self.losses[one * (one - 1) / 2 + two] = loss;
        loss
    }

    /// Whether both clusters are left, and their loss is not out of date.
    fn can_merge(&self, one: usize, two: usize, loss: f32) -> bool {
        let both = self.clusters[one].is_some() && self.clusters[two].is_some();
        both && f64::from((self.loss(one, two) - loss).abs()) <= 1e-5 * f64::from(loss.abs())
    }

    fn merge(&mut self, one: usize, two: usize) {
        if let Some((swallowed, _)) = self.clusters[two].take()
            && let Some((cluster, objective)) = &mut self.clusters[one]
        {
            cluster.add(&swallowed);
            *objective = cluster.objective();
            self.owners[two] = one;
        }
    }

    /// The number of each point's cluster among those that are left.
    fn into_assignments(self) -> Vec<usize> {
        let mut numbers = vec![0; self.len()];
        let mut count = 0;
        for (number, cluster) in numbers.iter_mut().zip(&self.clusters) {
            *number = count;
            count += usize::from(cluster.is_some());
        }
        let owner = |mut point: usize| {
            while self.owners[point] != point {
                point = self.owners[point];
            }
            point
        };
        (0..self.len()).map(|point| numbers[owner(point)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(values: &[[f32; 2]]) -> Vec<GaussStats> {
        let point = |frames: &[f32; 2]| {
            let mut stats = GaussStats::new(1, 0.01);
            frames.iter().for_each(|&frame| stats.add_frame(&[frame]));
            stats
        };
        values.iter().map(point).collect()
    }

    #[test]
    fn near_points_are_merged() {
        let values = [[0.0, 1.0], [20.0, 21.0], [0.5, 1.0], [20.0, 21.5], [40.0, 41.0]];
        assert_eq!(bottom_up(points(&values), 3.0, 0), [0, 1, 0, 1, 2]);
        assert_eq!(bottom_up(points(&values), 0.0, 0), [0, 1, 2, 3, 4]);
        assert_eq!(bottom_up(points(&values), f32::INFINITY, 0), [0; 5]);
        assert_eq!(bottom_up(points(&values), f32::INFINITY, 2), [0, 1, 0, 1, 1]);
        assert_eq!(bottom_up(points(&values[..1]), 3.0, 0), [0]);
        assert!(bottom_up(Vec::new(), 3.0, 0).is_empty());
    }

    #[test]
    fn groups_share_the_number_of_clusters() {
        let groups =
            vec![points(&[[0.0, 1.0], [9.0, 10.0]]), points(&[[0.0, 1.0], [0.0, 1.5], [5.0, 6.0]]), Vec::new()];
        assert_eq!(bottom_up_in_groups(groups.clone(), 4), [vec![0, 1], vec![0, 0, 1], vec![]]);
        assert_eq!(bottom_up_in_groups(groups.clone(), 2), [vec![0, 0], vec![0, 0, 0], vec![]]);
        assert_eq!(bottom_up_in_groups(groups, 9), [vec![0, 1], vec![0, 1, 2], vec![]]);
    }
}
