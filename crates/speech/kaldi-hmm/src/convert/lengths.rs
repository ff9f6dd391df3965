//! How long phones are if frames become fewer.

/// The numbers of frames of phones that had `old` frames, if one frame in `factor` is left, and phone i needs
/// `least[i]` frames. `shift` is how many frames earlier a phone counts as ended.
///
/// A phone that is too short takes a frame from the nearest phone that can spare one, the left of two that are as near.
/// `None` if there is no such phone.
pub(super) fn subsampled(old: &[usize], least: &[usize], shift: usize, factor: usize) -> Option<Vec<usize>> {
    let mut end = 0;
    let mut lengths: Vec<usize> = old
        .iter()
        .map(|length| {
            let before = (end + shift) / factor;
            end += length;
            (end + shift) / factor - before
        })
        .collect();
    while (0..lengths.len()).any(|phone| lengths[phone] < least[phone]) {
        for phone in 0..lengths.len() {
            if lengths[phone] < least[phone] {
                let giver = nearest_giver(&lengths, least, phone)?;
                lengths[giver] -= 1;
                lengths[phone] += 1;
            }
        }
    }
    Some(lengths)
}

/// The phone with frames to spare that has the fewest frames between it and `phone`.
fn nearest_giver(lengths: &[usize], least: &[usize], phone: usize) -> Option<usize> {
    let find = |others: &mut dyn Iterator<Item = usize>| {
        let mut distance = 0;
        for other in others {
            if lengths[other] > least[other] {
                return Some((distance, other));
            }
            distance += lengths[other];
        }
        None
    };
    let left = find(&mut (0..phone).rev());
    let right = find(&mut (phone + 1..lengths.len()));
    match (left, right) {
        (Some((left_distance, _)), Some((right_distance, right))) if right_distance < left_distance => Some(right),
        (left, right) => left.or(right).map(|(_, other)| other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_rounded() {
        assert_eq!(subsampled(&[3, 4, 2], &[1; 3], 0, 1), Some(vec![3, 4, 2]));
        assert_eq!(subsampled(&[3, 4, 2], &[1; 3], 2, 3), Some(vec![1, 1, 1]));
        assert_eq!(subsampled(&[4, 4, 4], &[1; 3], 1, 2), Some(vec![2, 2, 2]));
        assert_eq!(subsampled(&[], &[], 2, 3), Some(vec![]));
    }

    #[test]
    fn short_phones_take_frames_from_the_nearest() {
        // The left one of two that are as near.
        assert_eq!(subsampled(&[4, 0, 4], &[1; 3], 0, 1), Some(vec![3, 1, 4]));
        // Two frames lie between the first and the last.
        assert_eq!(subsampled(&[9, 1, 0, 9], &[1; 4], 0, 1), Some(vec![9, 1, 1, 8]));
        assert_eq!(subsampled(&[0, 1, 5], &[2, 1, 1], 0, 1), Some(vec![2, 1, 3]));
        assert_eq!(subsampled(&[1, 1, 1], &[2, 1, 1], 0, 1), None);
    }
}
