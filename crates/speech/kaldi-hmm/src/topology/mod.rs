//! Topologies: which states a phone has, and where their transitions lead.

mod format;

use kaldi_io::ParseError;

/// The largest number of a phone or of a pdf. Larger ones are damage: tables are as long as the largest number.
pub(crate) const LARGEST_NUMBER: i32 = 10_000_000;

/// The states of every phone's hidden Markov model (Kaldi's `HmmTopology`).
///
/// Several phones may share an entry, which is a list of states. A phone starts in the first state; the last state stands
/// for its end.
#[derive(Clone, Debug, PartialEq)]
pub struct HmmTopology {
    /// The phones, ascending.
    phones: Vec<i32>,
    /// The entry of each number from 0 to the largest phone; -1 for numbers that are no phones.
    entry_of_phone: Vec<i32>,
    entries: Vec<Vec<HmmState>>,
}

/// A state of a [`HmmTopology`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HmmState {
    /// What the state emits; `None` if it has no frames of its own.
    pub pdf_classes: Option<PdfClasses>,
    /// The states that may follow, and how probable each is before training.
    pub transitions: Vec<(usize, f32)>,
}

/// The classes of the pdfs of a state: numbers within a phone, which a tree turns into pdfs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PdfClasses {
    /// The class for transitions to other states.
    pub forward: i32,
    /// The class for the transition to the state itself. In most topologies the same.
    pub self_loop: i32,
}

impl HmmTopology {
    /// Makes a topology of entries, each with its phones.
    ///
    /// # Errors
    /// If the phones or the states make no sense: see [`Self::check`].
    pub(crate) fn from_entries(entries: Vec<(Vec<i32>, Vec<HmmState>)>) -> Result<Self, String> {
        let mut topology = Self { phones: Vec::new(), entry_of_phone: Vec::new(), entries: Vec::new() };
        for (phones, states) in entries {
            for &phone in &phones {
                if !(1..=LARGEST_NUMBER).contains(&phone) {
                    return Err(format!("expected phones from 1 to {LARGEST_NUMBER}, got {phone}"));
                }
                let index = phone as usize;
                if topology.entry_of_phone.len() <= index {
                    topology.entry_of_phone.resize(index + 1, -1);
                }
                if topology.entry_of_phone[index] != -1 {
                    return Err(format!("phone {phone} comes twice"));
                }
                topology.entry_of_phone[index] = topology.entries.len() as i32;
            }
            topology.phones.extend(phones);
            topology.entries.push(states);
        }
        topology.phones.sort_unstable();
        topology.check()?;
        Ok(topology)
    }

    /// The phones, ascending.
    pub fn phones(&self) -> &[i32] {
        &self.phones
    }

    /// The states of a phone; `None` if the topology does not have the phone.
    pub fn states(&self, phone: i32) -> Option<&[HmmState]> {
        let entry = *self.entry_of_phone.get(usize::try_from(phone).ok()?)?;
        self.entries.get(usize::try_from(entry).ok()?).map(Vec::as_slice)
    }

    /// Whether every state has one class for all its transitions, as in a plain hidden Markov model.
    pub fn is_hmm(&self) -> bool {
        self.emitting().all(|classes| classes.forward == classes.self_loop)
    }

    /// The number of pdf classes of a phone; `None` if the topology does not have the phone.
    pub fn num_pdf_classes(&self, phone: i32) -> Option<i32> {
        self.states(phone).map(num_pdf_classes)
    }

    /// The least number of frames of a phone; `None` if the topology does not have the phone.
    pub fn min_length(&self, phone: i32) -> Option<usize> {
        let states = self.states(phone)?;
        let frames_in = |state: usize| usize::from(states[state].pdf_classes.is_some());
        let mut lengths = vec![usize::MAX; states.len()];
        lengths[0] = frames_in(0);
        // Each round finds the shortest paths with one backward transition more.
        loop {
            let mut changed = false;
            for (from, state) in states.iter().enumerate() {
                if lengths[from] == usize::MAX {
                    continue;
                }
                for &(to, _) in &state.transitions {
                    let length = lengths[from] + frames_in(to);
                    if length < lengths[to] {
                        lengths[to] = length;
                        changed |= to < from;
                    }
                }
            }
            if !changed {
                return lengths.last().copied().filter(|&length| length != usize::MAX);
            }
        }
    }

    fn emitting(&self) -> impl Iterator<Item = PdfClasses> {
        self.entries.iter().flatten().filter_map(|state| state.pdf_classes)
    }

    /// Checks what reading cannot see entry by entry. Each entry has phones, is sensible in itself, and can be left.
    fn check(&self) -> Result<(), String> {
        if self.entries.is_empty() || self.phones.is_empty() {
            return Err("expected a topology with phones, got an empty one".to_owned());
        }
        let mut is_used = vec![false; self.entries.len()];
        for &phone in &self.phones {
            if self.states(phone).is_none() {
                return Err(format!("phone {phone} has no entry"));
            }
            is_used[self.entry_of_phone[phone as usize] as usize] = true;
        }
        if let Some(entry) = is_used.iter().position(|used| !used) {
            return Err(format!("entry {entry} has no phones"));
        }
        for (entry, states) in self.entries.iter().enumerate() {
            check_entry(states).map_err(|message| format!("entry {entry}: {message}"))?;
        }
        match self.phones.iter().find(|&&phone| self.min_length(phone).is_none()) {
            Some(phone) => Err(format!("the last state of phone {phone} cannot be reached")),
            None => Ok(()),
        }
    }

    /// What is doubtful: states whose probabilities do not sum up to 1.
    fn doubts(&self) -> impl Iterator<Item = String> {
        let states = self.entries.iter().flat_map(|states| states[..states.len() - 1].iter().enumerate());
        states.filter_map(|(state, HmmState { transitions, .. })| {
            let total: f32 = transitions.iter().map(|(_, probability)| probability).sum();
            ((total - 1.0).abs() > 0.01).then(|| {
                let total = kaldi_value::number::general(f64::from(total));
                format!("Total probability for state {state} in topology entry is {total}")
            })
        })
    }
}

/// The largest class plus one.
pub(crate) fn num_pdf_classes(states: &[HmmState]) -> i32 {
    let classes = states.iter().filter_map(|state| state.pdf_classes);
    classes.map(|classes| classes.forward.max(classes.self_loop)).max().unwrap_or(0) + 1
}

fn check_entry(states: &[HmmState]) -> Result<(), String> {
    let [first @ .., last] = states else { return Err("expected at least two states, got 0".to_owned()) };
    if first.is_empty() {
        return Err("expected at least two states, got 1".to_owned());
    }
    if !last.transitions.is_empty() {
        return Err("the last state must not have transitions".to_owned());
    }
    if last.pdf_classes.is_some() {
        return Err("the last state must not have a pdf".to_owned());
    }
    let mut is_reached = vec![false; states.len()];
    for (state, HmmState { pdf_classes, transitions }) in first.iter().enumerate() {
        let mut total = 0.0_f32;
        for (at, &(target, probability)) in transitions.iter().enumerate() {
            total += probability;
            if !(probability > 0.0 && probability.is_finite()) {
                let got = kaldi_value::number::general(f64::from(probability));
                return Err(format!("state {state}: expected a probability above 0, got {got}"));
            }
            if target >= states.len() {
                return Err(format!(
                    "state {state}: expected a transition to a state below {}, got {target}",
                    states.len()
                ));
            }
            if pdf_classes.is_none() && (target + 1 == states.len() || target == state) {
                return Err(format!("state {state} without a pdf must not lead to the last state or to itself"));
            }
            if transitions[..at].iter().any(|(other, _)| *other == target) {
                return Err(format!("state {state} has two transitions to state {target}"));
            }
            is_reached[target] = true;
        }
        if total <= 0.0 {
            return Err(format!("state {state} has no transitions"));
        }
    }
    if let Some(state) = (1..states.len()).find(|&state| !is_reached[state]) {
        return Err(format!("no transition leads to state {state}"));
    }
    check_classes(states)
}

/// The classes of an entry are 0, 1, 2 and so on, without gaps.
fn check_classes(states: &[HmmState]) -> Result<(), String> {
    let emitting = states.iter().filter_map(|state| state.pdf_classes);
    let mut classes: Vec<i32> = emitting.flat_map(|classes| [classes.forward, classes.self_loop]).collect();
    classes.sort_unstable();
    classes.dedup();
    match classes.iter().zip(0..).all(|(&class, expected)| class == expected) && !classes.is_empty() {
        true => Ok(()),
        false => Err(format!("expected pdf classes 0, 1, 2 ... without gaps, got {classes:?}")),
    }
}

/// An error about what was read up to the cursor.
fn refused(offset: usize, message: String) -> ParseError {
    ParseError::new(offset, message)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A state with one class for all transitions; a negative class means none.
    pub(crate) fn state(class: i32, transitions: &[(usize, f32)]) -> HmmState {
        let pdf_classes = (class >= 0).then_some(PdfClasses { forward: class, self_loop: class });
        HmmState { pdf_classes, transitions: transitions.to_vec() }
    }

    /// Three states from left to right.
    pub(crate) fn three_states() -> Vec<HmmState> {
        vec![
            state(0, &[(0, 0.75), (1, 0.25)]),
            state(1, &[(1, 0.75), (2, 0.25)]),
            state(2, &[(2, 0.75), (3, 0.25)]),
            state(-1, &[]),
        ]
    }

    fn message(states: Vec<HmmState>) -> String {
        HmmTopology::from_entries(vec![(vec![1], states)]).unwrap_err()
    }

    #[test]
    fn phones_have_states() {
        let other = vec![state(0, &[(1, 1.0)]), state(-1, &[])];
        let topology = HmmTopology::from_entries(vec![(vec![4, 2], three_states()), (vec![3], other)]).unwrap();
        assert_eq!(topology.phones(), [2, 3, 4]);
        assert_eq!((topology.num_pdf_classes(4), topology.num_pdf_classes(3)), (Some(3), Some(1)));
        assert_eq!((topology.min_length(2), topology.min_length(3)), (Some(3), Some(1)));
        for phone in [-1, 0, 1, 5, i32::MAX] {
            assert_eq!((topology.states(phone), topology.min_length(phone)), (None, None));
        }
        assert!(topology.is_hmm());
    }

    #[test]
    fn the_least_length_may_need_a_way_back() {
        // 0 leads to 3, 3 back to 1, and only 1 to the end.
        let states = vec![
            state(0, &[(3, 1.0)]),
            state(0, &[(2, 0.5), (4, 0.5)]),
            state(0, &[(1, 1.0)]),
            state(-1, &[(1, 1.0)]),
            state(-1, &[]),
        ];
        let topology = HmmTopology::from_entries(vec![(vec![1], states)]).unwrap();
        assert_eq!(topology.min_length(1), Some(2));
    }

    #[test]
    fn entries_that_make_no_sense_are_refused() {
        let last = || state(-1, &[]);
        assert_eq!(message(vec![]), "entry 0: expected at least two states, got 0");
        assert_eq!(message(vec![last()]), "entry 0: expected at least two states, got 1");
        assert_eq!(message(vec![state(0, &[(1, 1.0)]), state(0, &[])]), "entry 0: the last state must not have a pdf");
        let to = |target, probability| message(vec![state(0, &[(1, 0.5), (target, probability)]), last()]);
        assert_eq!(to(0, 0.0), "entry 0: state 0: expected a probability above 0, got 0");
        assert_eq!(to(0, f32::NAN), "entry 0: state 0: expected a probability above 0, got nan");
        assert_eq!(to(2, 0.5), "entry 0: state 0: expected a transition to a state below 2, got 2");
        assert_eq!(to(1, 0.5), "entry 0: state 0 has two transitions to state 1");
        assert_eq!(message(vec![state(0, &[]), last()]), "entry 0: state 0 has no transitions");
        let silent = vec![state(-1, &[(1, 1.0)]), state(0, &[(2, 1.0)]), last()];
        assert!(HmmTopology::from_entries(vec![(vec![1], silent)]).is_ok());
        let silent = message(vec![state(-1, &[(0, 0.5), (1, 0.5)]), state(0, &[(2, 1.0)]), last()]);
        assert_eq!(silent, "entry 0: state 0 without a pdf must not lead to the last state or to itself");
        assert_eq!(
            message(vec![state(0, &[(2, 1.0)]), state(0, &[(2, 1.0)]), last()]),
            "entry 0: no transition leads to state 1"
        );
        let gap = message(vec![state(0, &[(1, 1.0)]), state(2, &[(2, 1.0)]), last()]);
        assert_eq!(gap, "entry 0: expected pdf classes 0, 1, 2 ... without gaps, got [0, 2]");
        let endless = vec![state(0, &[(1, 1.0)]), state(0, &[(0, 1.0)]), state(0, &[(3, 1.0), (2, 0.5)]), last()];
        assert_eq!(message(endless), "the last state of phone 1 cannot be reached");
    }

    #[test]
    fn a_state_without_a_pdf_may_have_a_transition_to_the_state_of_its_number() {
        // Kaldi compares the target with the number of the transition.
        let states =
            vec![state(0, &[(1, 1.0)]), state(-1, &[(2, 0.5), (0, 0.5)]), state(0, &[(3, 1.0)]), state(-1, &[])];
        let states_of_two =
            vec![state(0, &[(1, 1.0)]), state(-1, &[(0, 0.5), (2, 0.5)]), state(0, &[(3, 1.0)]), state(-1, &[])];
        for states in [states, states_of_two] {
            assert!(HmmTopology::from_entries(vec![(vec![1], states)]).is_ok());
        }
    }

    #[test]
    fn phones_are_in_one_entry_and_positive() {
        let t = |first: &[i32], second: &[i32]| {
            let entries = vec![(first.to_vec(), three_states()), (second.to_vec(), three_states())];
            HmmTopology::from_entries(entries).unwrap_err()
        };
        assert_eq!(t(&[1, 2], &[2]), "phone 2 comes twice");
        assert_eq!(t(&[1, 1], &[2]), "phone 1 comes twice");
        assert_eq!(t(&[1], &[0]), "expected phones from 1 to 10000000, got 0");
        assert_eq!(t(&[1], &[i32::MAX]), "expected phones from 1 to 10000000, got 2147483647");
        assert_eq!(t(&[1], &[]), "entry 1 has no phones");
        assert_eq!(HmmTopology::from_entries(vec![]).unwrap_err(), "expected a topology with phones, got an empty one");
    }
}
