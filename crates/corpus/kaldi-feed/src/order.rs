//! The order of Python programs.

use rand_mt::Mt;

/// The order of `number` items that Python's `random.Random(seed).shuffle(list(range(number)))` gives, bit for bit.
///
/// Published samplers of training programs use the number of the epoch as the seed.
///
/// ```
/// assert_eq!(kaldi_feed::python_order(1, 5), [2, 3, 4, 0, 1]);
/// ```
///
/// # Panics
/// If there are 2^32 items or more.
pub fn python_order(seed: u64, number: usize) -> Vec<usize> {
    assert!(u32::try_from(number).is_ok(), "an order of {number} items");
    // The seed as Python's generator takes it: words of 32 bits, the lowest one first, no zeros at the end.
    let words = [seed as u32, (seed >> 32) as u32];
    let words = if words[1] == 0 { &words[..1] } else { &words };
    let mut generator = Mt::new_with_key(words.iter().copied());
    let mut order: Vec<usize> = (0..number).collect();
    for last in (1..number).rev() {
        order.swap(last, below(&mut generator, last as u32 + 1) as usize);
    }
    order
}

/// Draws one of `0..bound` from as many bits as `bound` has, as often as it takes.
fn below(generator: &mut Mt, bound: u32) -> u32 {
    loop {
        let drawn = generator.next_u32() >> bound.leading_zeros();
        if drawn < bound {
            return drawn;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_those_of_cpython() {
        assert_eq!(python_order(0, 10), [7, 8, 1, 5, 3, 4, 2, 0, 9, 6]);
        assert_eq!(python_order(7, 12), [7, 11, 3, 10, 8, 4, 9, 1, 0, 6, 2, 5]);
        assert_eq!(python_order((1 << 40) + 3, 8), [5, 1, 7, 2, 6, 4, 0, 3]);
        assert_eq!(python_order(777, 1), [0]);
        assert!(python_order(3, 0).is_empty());
    }

    #[test]
    fn a_long_order_is_that_of_cpython() {
        let order = python_order(12, 100_000);
        assert_eq!(order[..5], [13520, 24873, 56196, 16708, 45950]);
        assert_eq!(order[99_997..], [86176, 35257, 62202]);
        let sum: usize = order.iter().enumerate().map(|(place, value)| place * value).sum();
        assert_eq!(sum, 249_757_659_447_557);
    }
}
