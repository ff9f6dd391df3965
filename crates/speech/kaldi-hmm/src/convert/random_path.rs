//! Random paths of a given length through the states of a phone.

use kaldi_value::random::Random;

use crate::topology::HmmState;

/// A step of a path: from a state with frames, through a transition that has this number in it.
pub(super) type Step = (usize, usize);

/// Chooses one of the paths of `length` frames from the first state to the end of a phone; `None` if there is none.
///
/// At each state the transitions from which the end can be reached in time are as probable as each other.
pub(super) fn random_path(states: &[HmmState], length: usize, random: &mut Random) -> Option<Vec<Step>> {
    let steps: Vec<Vec<(Step, usize)>> = (0..states.len()).map(|state| steps_from(states, state)).collect();
    let last = states.len() - 1;
    // Whether the end can be reached from a state in so many frames.
    let mut arrives = vec![(0..states.len()).map(|state| state == last).collect::<Vec<bool>>()];
    for left in 1..=length {
        let shorter = &arrives[left - 1];
        arrives.push(steps.iter().map(|steps| steps.iter().any(|&(_, target)| shorter[target])).collect());
    }
    let mut state = 0;
    let mut path = Vec::with_capacity(length);
    for left in (0..length).rev() {
        let choices: Vec<_> = steps[state].iter().filter(|(_, target)| arrives[left][*target]).collect();
        let chosen = random.below(choices.len().try_into().ok().filter(|&count| count > 0)?);
        let &(step, target) = choices[chosen as usize];
        path.push(step);
        state = target;
    }
    (state == last).then_some(path)
}

/// The steps with a frame that may come next in a state: its own, or those of states that follow without a frame.
fn steps_from(states: &[HmmState], state: usize) -> Vec<(Step, usize)> {
    let (mut steps, mut seen, mut open) = (Vec::new(), vec![false; states.len()], vec![state]);
    while let Some(state) = open.pop() {
        if std::mem::replace(&mut seen[state], true) {
            continue;
        }
        let transitions = states[state].transitions.iter();
        match states[state].pdf_classes {
            Some(_) => steps.extend(transitions.enumerate().map(|(at, &(target, _))| ((state, at), target))),
            None => open.extend(transitions.map(|&(target, _)| target)),
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::tests::{state, three_states};

    #[test]
    fn the_only_path_is_found() {
        let mut random = Random::default();
        let path = random_path(&three_states(), 3, &mut random);
        assert_eq!(path, Some(vec![(0, 1), (1, 1), (2, 1)]));
        assert_eq!(random_path(&three_states(), 2, &mut random), None);
        let one = vec![state(0, &[(0, 0.5), (1, 0.5)]), state(-1, &[])];
        assert_eq!(random_path(&one, 4, &mut random), Some(vec![(0, 0), (0, 0), (0, 0), (0, 1)]));
        assert_eq!(random_path(&one, 0, &mut random), None);
    }

    #[test]
    fn all_paths_of_a_length_are_found() {
        let mut random = Random::default();
        let paths: std::collections::BTreeSet<_> =
            (0..200).map(|_| random_path(&three_states(), 5, &mut random).unwrap()).collect();
        assert_eq!(paths.len(), 6);
        assert!(paths.iter().all(|path| path.len() == 5));
    }

    #[test]
    fn states_without_frames_are_passed() {
        let states =
            vec![state(-1, &[(1, 0.5), (2, 0.5)]), state(0, &[(2, 1.0)]), state(1, &[(3, 1.0)]), state(-1, &[])];
        let mut random = Random::default();
        assert_eq!(random_path(&states, 1, &mut random), Some(vec![(2, 0)]));
        assert_eq!(random_path(&states, 2, &mut random), Some(vec![(1, 0), (2, 0)]));
        assert_eq!(random_path(&states, 3, &mut random), None);
    }
}
