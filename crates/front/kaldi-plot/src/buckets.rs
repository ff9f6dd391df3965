//! Values that share a column of pixels.

use std::ops::Range;

/// Divides `count` values in a row into at most `most` ranges, all of nearly the same length. The number of a range is
/// that of its column of pixels.
pub(crate) fn buckets(count: usize, most: usize) -> impl Iterator<Item = Range<usize>> {
    let num_buckets = count.min(most.max(1));
    let begin = move |bucket: usize| (bucket as u128 * count as u128).div_ceil(num_buckets as u128) as usize;
    (0..num_buckets).map(move |bucket| begin(bucket)..begin(bucket + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_a_bucket() {
        for (count, most) in [(0, 5), (1, 5), (5, 5), (7, 5), (1_000_003, 800), (3, 0)] {
            let mut end = 0;
            for range in buckets(count, most) {
                assert!(range.start == end && range.end > end, "{count} {most}");
                end = range.end;
            }
            assert_eq!(end, count);
            assert!(buckets(count, most).count() <= most.max(1));
        }
    }
}
