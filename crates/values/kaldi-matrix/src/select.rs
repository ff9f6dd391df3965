//! Order statistics in the steps of the C++ library that Kaldi's programs are built with (libstdc++'s `nth_element`, its
//! `sort` of a few values, and its `priority_queue`).
//!
//! NaN is neither before nor after any other value, and values can be equal in order that are not the same. So their
//! final places depend on these very steps. Other values need none of this.

/// Sorts values; up to 16 of them as `sort` does.
pub fn insertion_sort<T: PartialOrd + Copy>(values: &mut [T]) {
    for index in 1..values.len() {
        let value = values[index];
        // A value less than the first goes before the first, whatever is between.
        let position = match value < values[0] {
            true => 0,
            false => index - values[..index].iter().rev().take_while(|&&other| value < other).count(),
        };
        values[position..=index].rotate_right(1);
    }
}

/// Moves the value that belongs at `nth` there, with lesser ones before it and greater ones after it.
pub fn select<T: PartialOrd + Copy>(values: &mut [T], nth: usize) {
    let (mut first, mut last) = (0, values.len());
    let mut steps = 2 * last.ilog2();
    while last - first > 3 {
        if steps == 0 {
            return select_by_heap(&mut values[first..last], nth - first);
        }
        steps -= 1;
        let cut = first + partition(&mut values[first..last]);
        (first, last) = if cut <= nth { (cut, last) } else { (first, cut) };
    }
    insertion_sort(&mut values[first..last]);
}

/// Partitions values at the median of three of them; the second part starts at the returned index.
fn partition<T: PartialOrd + Copy>(values: &mut [T]) -> usize {
    let (middle, last) = (values.len() / 2, values.len() - 1);
    let (a, b, c) = (values[1], values[middle], values[last]);
    let median = match (a < b, a < c, b < c) {
        (true, _, true) | (false, false, false) => middle,
        (true, true, false) | (false, false, true) => last,
        (true, false, false) | (false, true, _) => 1,
    };
    values.swap(0, median);
    let pivot = values[0];
    // Whatever the comparisons give, one of the three stops each of the searches.
    let (mut left, mut right) = (1, values.len());
    loop {
        while values[left] < pivot {
            left += 1;
        }
        right -= 1;
        while pivot < values[right] {
            right -= 1;
        }
        if left >= right {
            return left;
        }
        values.swap(left, right);
        left += 1;
    }
}

/// Does the same with a heap of the least values, for an order in which partitioning makes no progress.
fn select_by_heap<T: PartialOrd + Copy>(values: &mut [T], nth: usize) {
    let (heap, others) = values.split_at_mut(nth + 1);
    for hole in (0..heap.len() / 2).rev() {
        sift(heap, hole, heap[hole]);
    }
    for other in others {
        if *other < heap[0] {
            let value = std::mem::replace(other, heap[0]);
            sift(heap, 0, value);
        }
    }
    heap.swap(0, nth);
}

/// A queue that delivers the greatest value first, and equal ones in the order in which the C++ library does.
#[derive(Clone, Debug)]
pub struct Heap<T> {
    values: Vec<T>,
}

impl<T> Default for Heap<T> {
    fn default() -> Self {
        Self { values: Vec::new() }
    }
}

impl<T: PartialOrd + Copy> Heap<T> {
    /// The number of values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Removes all values.
    pub fn clear(&mut self) {
        self.values.clear();
    }

    /// Adds a value.
    pub fn push(&mut self, value: T) {
        self.values.push(value);
        let hole = self.values.len() - 1;
        rise(&mut self.values, 0, hole, value);
    }

    /// Removes the greatest value and returns it; `None` if there is none.
    pub fn pop(&mut self) -> Option<T> {
        let last = self.values.pop()?;
        let Some(&greatest) = self.values.first() else {
            return Some(last);
        };
        sift(&mut self.values, 0, last);
        Some(greatest)
    }
}

/// Fills a hole with the greater child of each hole down to a leaf, and lets `value` rise from there.
fn sift<T: PartialOrd + Copy>(heap: &mut [T], mut hole: usize, value: T) {
    let top = hole;
    while 2 * hole + 1 < heap.len() {
        let (left, right) = (2 * hole + 1, 2 * hole + 2);
        let child = if right == heap.len() || heap[right] < heap[left] { left } else { right };
        heap[hole] = heap[child];
        hole = child;
    }
    rise(heap, top, hole, value);
}

/// Moves a hole up to where `value` belongs, at most up to `top`.
fn rise<T: PartialOrd + Copy>(heap: &mut [T], top: usize, mut hole: usize, value: T) {
    while hole > top && heap[(hole - 1) / 2] < value {
        heap[hole] = heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    heap[hole] = value;
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAN: f32 = f32::NAN;
    const VALUES: [f32; 12] = [5.0, NAN, 2.0, 8.0, NAN, 1.0, 9.0, 3.0, NAN, 7.0, 4.0, 6.0];

    /// Compares every value, and the places of NaN.
    fn check(select: impl Fn(&mut [f32]), values: &[f32], expected: &[f32]) {
        let mut values = values.to_vec();
        select(&mut values);
        assert_eq!(format!("{values:?}"), format!("{expected:?}"));
    }

    // The expected values were found with libstdc++ 12.

    #[test]
    fn values_that_are_not_numbers_are_barriers_but_for_the_least() {
        check(insertion_sort, &VALUES, &[1.0, 2.0, 5.0, NAN, 8.0, NAN, 3.0, 9.0, NAN, 4.0, 6.0, 7.0]);
        check(insertion_sort, &[4.0, NAN, 2.0, 1.0], &[1.0, 2.0, 4.0, NAN]);
        check(insertion_sort, &[NAN, 3.0, 2.0, 1.0], &[NAN, 1.0, 2.0, 3.0]);
    }

    #[test]
    fn selecting_leaves_the_order_of_the_cpp_library() {
        let select = |nth| move |values: &mut [f32]| super::select(values, nth);
        check(select(2), &VALUES, &[1.0, 2.0, 3.0, 5.0, 4.0, 6.0, 8.0, 9.0, 7.0, NAN, NAN, NAN]);
        check(select(6), &VALUES, &[6.0, 3.0, 2.0, 5.0, 4.0, 1.0, 7.0, 8.0, 9.0, NAN, NAN, NAN]);
        check(select(9), &VALUES, &[9.0, 6.0, 2.0, 8.0, 4.0, 1.0, 5.0, 3.0, 7.0, NAN, NAN, NAN]);
        check(select(0), &[NAN], &[NAN]);
    }

    #[test]
    fn heaps_are_those_of_the_cpp_library() {
        let select = |nth| move |values: &mut [f32]| select_by_heap(values, nth);
        check(select(2), &VALUES, &[1.0, NAN, 2.0, 8.0, NAN, 5.0, 9.0, 3.0, NAN, 7.0, 4.0, 6.0]);
        check(select(6), &VALUES, &[2.0, NAN, 3.0, 8.0, NAN, 1.0, 4.0, 9.0, NAN, 7.0, 5.0, 6.0]);
        check(select(9), &VALUES, &[4.0, NAN, 5.0, NAN, NAN, 1.0, 2.0, 3.0, 8.0, 6.0, 9.0, 7.0]);
    }

    #[test]
    fn queues_are_those_of_the_cpp_library() {
        /// Values are compared by the first number only.
        #[derive(Clone, Copy, PartialEq)]
        struct Job(i32, char);
        impl PartialOrd for Job {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                self.0.partial_cmp(&other.0)
            }
        }
        let mut queue = Heap::default();
        for (number, name) in "abcdefghij".chars().enumerate() {
            queue.push(Job([3, 1, 3, 2, 3, 1, 2, 3, 2, 1][number], name));
        }
        let mut names = String::new();
        while let Some(job) = queue.pop() {
            names.push(job.1);
        }
        assert_eq!(names, "acehgdifjb");
        assert!(queue.is_empty());
    }

    #[test]
    fn an_order_that_defeats_parting_ends_in_a_heap() {
        let values = [24, 1, 25, 3, 26, 5, 27, 7, 28, 29, 30, 31, 0, 2, 4, 6, 32, 33, 34, 35, 36, 37, 38, 39];
        let expected = [1, 0, 3, 2, 5, 4, 6, 7, 28, 29, 30, 31, 24, 25, 26, 27, 32, 33, 34, 35, 36, 37, 38, 39];
        let floats = |values: [i32; 24]| values.map(|value| value as f32);
        check(|values| select(values, 6), &floats(values), &floats(expected));
    }
}
