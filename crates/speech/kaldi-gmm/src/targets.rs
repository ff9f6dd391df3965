//! How many Gaussians each pdf gets.

use std::cmp::Ordering;

use kaldi_matrix::select::Heap;

/// How Gaussians are distributed to pdfs, or components of another mixture to its classes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GaussianTargets {
    /// The number of Gaussians of all pdfs.
    pub target: i32,
    /// Pdfs get Gaussians in proportion to their counts to the power of this.
    pub power: f32,
    /// A Gaussian has at least this count.
    pub min_count: f32,
}

/// A pdf that waits for another Gaussian.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    pdf: usize,
    num_gauss: i32,
    /// The power of its count; 0 if it cannot have more Gaussians.
    occupancy: f32,
}

impl Waiting {
    fn share(&self) -> f64 {
        f64::from(self.occupancy) / (f64::from(self.num_gauss) + 1e-10)
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.share().partial_cmp(&other.share())
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.share() == other.share()
    }
}

impl GaussianTargets {
    /// The number of Gaussians of each pdf, from the counts of the pdfs (Kaldi's `GetSplitTargets`): each pdf has one, and
    /// the next one goes to the pdf with the largest power of its count for each of its Gaussians. Of equal pdfs, which
    /// are common, since counts of alignments are integers, the one comes first that does in Kaldi. Also returns whether
    /// the target is reached, which the counts may not allow.
    pub fn of_pdfs(&self, counts: &[f32]) -> (Vec<i32>, bool) {
        let mut queue = Heap::default();
        for (pdf, count) in counts.iter().enumerate() {
            // A negative count has no power.
            queue.push(Waiting { pdf, num_gauss: 1, occupancy: count.powf(self.power).max(0.0) });
        }
        let mut targets = vec![1; counts.len()];
        let mut total = counts.len() as i64;
        while total < i64::from(self.target) {
            let Some(mut largest) = queue.pop().filter(|largest| largest.occupancy > 0.0) else { break };
            if (largest.num_gauss + 1) as f32 * self.min_count >= counts[largest.pdf] {
                largest.occupancy = 0.0;
            } else {
                largest.num_gauss += 1;
                targets[largest.pdf] = largest.num_gauss;
                total += 1;
            }
            queue.push(largest);
        }
        (targets, total >= i64::from(self.target))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaussians_go_where_counts_are_large() {
        let targets = GaussianTargets { target: 6, power: 1.0, min_count: 20.0 };
        assert_eq!(targets.of_pdfs(&[400.0, 100.0, 0.0]), (vec![4, 1, 1], true));
        let many = GaussianTargets { target: 100, ..targets };
        assert_eq!(many.of_pdfs(&[100.0, 50.0, 0.0]), (vec![4, 2, 1], false));
        let rare = GaussianTargets { target: 6, power: 1.0, min_count: 300.0 };
        assert_eq!(rare.of_pdfs(&[100.0, 1000.0]), (vec![1, 3], false));
        assert_eq!(GaussianTargets { target: 1, ..targets }.of_pdfs(&[1.0, 1.0]), (vec![1, 1], true));
        let power = GaussianTargets { target: 12, power: 0.5, min_count: 1.0 };
        assert_eq!(power.of_pdfs(&[100.0, 400.0, 900.0]), (vec![2, 4, 6], true));
        let odd = [f32::NAN, -5.0, 40.0];
        assert_eq!(GaussianTargets { target: 9, power: 0.2, min_count: 1.0 }.of_pdfs(&odd), (vec![1, 1, 7], true));
    }

    /// What `std::priority_queue` of libstdc++ 12 gives.
    #[test]
    fn equal_pdfs_come_in_the_order_of_kaldi() {
        let t = |target, power, min_count, counts: &[f32], expected: &[i32]| {
            assert_eq!(GaussianTargets { target, power, min_count }.of_pdfs(counts).0, expected, "{counts:?}");
        };
        t(7, 1.0, 1.0, &[8.0; 5], &[2, 1, 2, 1, 1]);
        t(9, 1.0, 1.0, &[5.0, 10.0, 5.0, 10.0, 5.0], &[1, 3, 1, 3, 1]);
        t(14, 0.5, 2.0, &[9.0, 9.0, 36.0, 36.0, 9.0, 36.0, 9.0, 9.0], &[1, 1, 3, 3, 1, 3, 1, 1]);
        let counts = [100.0, 200.0, 100.0, 300.0, 100.0, 200.0, 300.0, 100.0, 50.0, 50.0, 200.0];
        t(17, 0.2, 20.0, &counts, &[1, 2, 1, 2, 2, 2, 2, 1, 1, 1, 2]);
    }
}
