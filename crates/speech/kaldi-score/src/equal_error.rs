//! Equal error rates.

/// The point at which the share of refused targets equals that of accepted nontargets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EqualError {
    /// The share of wrong decisions, from 0 to 1.
    pub rate: f32,
    /// The score at and above which a trial is accepted.
    pub threshold: f32,
}

/// Finds the equal error rate of the scores of target trials and of nontarget trials, and sorts both; `None` if one of
/// them is empty.
///
/// The threshold is the smallest score of a target that is higher than a certain score of a nontarget: the one above
/// which the share of nontargets is the same as the share of targets below. If there is none, it is the highest score
/// of a target (Kaldi's `compute-eer`). NaN counts as the highest or lowest score, by its sign.
pub fn equal_error(targets: &mut [f32], nontargets: &mut [f32]) -> Option<EqualError> {
    if targets.is_empty() || nontargets.is_empty() {
        return None;
    }
    targets.sort_unstable_by(f32::total_cmp);
    nontargets.sort_unstable_by(f32::total_cmp);
    let rate = |refused: usize| refused as f64 / targets.len() as f64;
    let is_equal = |&refused: &usize| {
        let accepted = nontargets.len() as f64 * refused as f64 / targets.len() as f64;
        nontargets[nontargets.len() - 1 - accepted as usize] < targets[refused]
    };
    let refused = (0..targets.len() - 1).find(is_equal).unwrap_or(targets.len() - 1);
    Some(EqualError { rate: rate(refused) as f32, threshold: targets[refused] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn t(targets: &[f32], nontargets: &[f32], rate: f32, threshold: f32) {
        let found = equal_error(&mut targets.to_vec(), &mut nontargets.to_vec());
        assert_eq!(found, Some(EqualError { rate, threshold }), "{targets:?} {nontargets:?}");
    }

    #[test]
    fn scores_that_can_be_told_apart_have_no_errors() {
        t(&[3.0, 1.0, 2.0], &[0.0, -1.0], 0.0, 1.0);
        t(&[0.0], &[-1.0], 0.0, 0.0);
    }

    #[test]
    fn as_many_targets_are_below_as_nontargets_above() {
        t(&[0.0, 2.0, 3.0, 4.0], &[-1.0, -2.0, 1.0, -3.0], 0.25, 2.0);
        t(&[1.0, 1.0, 0.0], &[1.0, 1.0, 2.0], 2.0 / 3.0, 1.0);
    }

    #[test]
    fn the_last_target_is_the_last_threshold() {
        t(&[0.0, -1.0, -3.0], &[1.0, 2.0], 2.0 / 3.0, 0.0);
        t(&[0.0], &[1.0], 0.0, 0.0);
    }

    #[test]
    fn nothing_cannot_be_compared() {
        assert_eq!(equal_error(&mut [], &mut [1.0]), None);
        assert_eq!(equal_error(&mut [1.0], &mut []), None);
    }
}
