//! How many components each class gets.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// A class that waits for another component.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    class: usize,
    num_components: usize,
    /// The power of the number of its vectors; 0 if it cannot have more components.
    occupancy: f32,
}

impl Waiting {
    fn share(&self) -> f64 {
        f64::from(self.occupancy) / (self.num_components as f64 + 1.0e-10)
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.share().total_cmp(&other.share())
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Waiting {}

/// Shares out `target` components to classes of these sizes: one to each, and then one after the other to the class
/// with the largest power of its size per component, if it has more vectors than components (Kaldi's
/// `GetSplitTargets`). Returns the number of components of each class. The total is less than `target` if there are too
/// few vectors.
///
/// The heap decides which of equal classes comes first. The heap of the standard library works like that of the GNU C++
/// library, so that the same class comes first as in Kaldi.
pub(super) fn share_out(sizes: &[usize], target: usize, power: f32) -> Vec<usize> {
    let occupancy = |size: usize| (size as f32).powf(power);
    let mut waiting = BinaryHeap::new();
    for (class, &size) in sizes.iter().enumerate() {
        waiting.push(Waiting { class, num_components: 1, occupancy: occupancy(size) });
    }
    let mut num_components = sizes.len();
    while num_components < target {
        let Some(mut largest) = waiting.peek_mut().filter(|largest| largest.occupancy != 0.0).map(PeekMut::pop) else {
            break;
        };
        if largest.num_components + 1 >= sizes[largest.class] {
            largest.occupancy = 0.0;
        } else {
            largest.num_components += 1;
            num_components += 1;
        }
        waiting.push(largest);
    }
    let mut shares = vec![1; sizes.len()];
    waiting.into_iter().for_each(|Waiting { class, num_components, .. }| shares[class] = num_components);
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_classes_get_more_components() {
        assert_eq!(share_out(&[10, 1000], 2, 1.0), [1, 1]);
        assert_eq!(share_out(&[10, 1000], 6, 1.0), [1, 5]);
        assert_eq!(share_out(&[10, 1000], 6, 0.0), [3, 3]);
        assert_eq!(share_out(&[100, 400, 900], 12, 0.5), [2, 4, 6]);
    }

    #[test]
    fn there_are_fewer_components_than_vectors() {
        assert_eq!(share_out(&[4, 3, 2, 1, 0], 100, 0.15), [3, 2, 1, 1, 1]);
        assert_eq!(share_out(&[0, 0], 100, 0.15), [1, 1]);
    }
}
