//! The property field of a file: what is known about an FST, as OpenFst keeps it while an FST is made and changed.
//!
//! It depends on the steps, not only on the result. Nothing here believes it; it is written so that the same steps give the
//! same file as Kaldi's programs do.

/// Bits of properties, most of them in pairs: it is so, it is not so.
const EXPANDED_MUTABLE: u64 = 3;
const ACCEPTOR: u64 = 1 << 16;
const NOT_ACCEPTOR: u64 = 1 << 17;
const INPUT_DETERMINISTIC: u64 = 1 << 18;
const NOT_INPUT_DETERMINISTIC: u64 = 1 << 19;
const OUTPUT_DETERMINISTIC: u64 = 1 << 20;
const EPSILONS: u64 = 1 << 22;
const INPUT_EPSILONS: u64 = 1 << 24;
const OUTPUT_EPSILONS: u64 = 1 << 26;
const INPUT_SORTED: u64 = 1 << 28;
const NOT_INPUT_SORTED: u64 = 1 << 29;
const OUTPUT_SORTED: u64 = 1 << 30;
const NOT_OUTPUT_SORTED: u64 = 1 << 31;
const WEIGHTED: u64 = 1 << 32;
const UNWEIGHTED: u64 = 1 << 33;
const ACYCLIC: u64 = 1 << 35;
const INITIAL_CYCLIC: u64 = 1 << 36;
const INITIAL_ACYCLIC: u64 = 1 << 37;
const TOP_SORTED: u64 = 1 << 38;
const NOT_TOP_SORTED: u64 = 1 << 39;
const ACCESSIBLE: u64 = 1 << 40;
const NOT_ACCESSIBLE: u64 = 1 << 41;
const CO_ACCESSIBLE: u64 = 1 << 42;
const NOT_CO_ACCESSIBLE: u64 = 1 << 43;
const STRING: u64 = 1 << 44;
const NOT_STRING: u64 = 1 << 45;
const UNWEIGHTED_CYCLES: u64 = 1 << 47;

/// The negation of "there are epsilons" and the like is the next bit.
const fn not(bit: u64) -> u64 {
    bit << 1
}

const fn pair(bit: u64) -> u64 {
    bit | not(bit)
}

/// The bits that have a meaning in a file.
const MEANINGFUL: u64 = 0x0000_ffff_ffff_0004;

/// What does not depend on where arcs lead.
const OF_LABELS_AND_WEIGHTS: u64 = EXPANDED_MUTABLE
    | pair(ACCEPTOR)
    | pair(EPSILONS)
    | pair(INPUT_EPSILONS)
    | pair(OUTPUT_EPSILONS)
    | WEIGHTED
    | UNWEIGHTED;

/// What stays true if states go.
const OF_PARTS: u64 = EXPANDED_MUTABLE
    | ACCEPTOR
    | INPUT_DETERMINISTIC
    | OUTPUT_DETERMINISTIC
    | not(EPSILONS)
    | not(INPUT_EPSILONS)
    | not(OUTPUT_EPSILONS)
    | INPUT_SORTED
    | OUTPUT_SORTED
    | UNWEIGHTED
    | ACYCLIC
    | INITIAL_ACYCLIC
    | TOP_SORTED
    | UNWEIGHTED_CYCLES;

/// A side of an FST.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// That of the input labels.
    Input,
    /// That of the output labels.
    Output,
}

/// An arc as far as properties are concerned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Labels {
    pub(crate) input: i32,
    pub(crate) output: i32,
    pub(crate) weight: f32,
}

/// The property field of an FST that is made or changed step by step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Properties(u64);

impl Properties {
    /// Those of an FST without states.
    pub(crate) const EMPTY: Self = Self(0x0000_956a_5a95_0003);

    /// Those that a file names.
    pub(crate) fn of_file(field: u64) -> Self {
        Self(field)
    }

    /// The field of a file with these.
    pub(crate) fn field(self) -> u64 {
        (self.0 & MEANINGFUL) | EXPANDED_MUTABLE
    }

    fn set(&mut self, bit: u64, opposite: u64) {
        self.0 = (self.0 | bit) & !opposite;
    }

    pub(crate) fn state_added(&mut self) {
        self.0 &= !(ACCESSIBLE | CO_ACCESSIBLE | STRING);
    }

    pub(crate) fn start_set(&mut self) {
        self.0 &= !(INITIAL_CYCLIC | INITIAL_ACYCLIC | ACCESSIBLE | NOT_ACCESSIBLE | STRING | NOT_STRING);
        if self.0 & ACYCLIC != 0 {
            self.0 |= INITIAL_ACYCLIC;
        }
    }

    pub(crate) fn final_set(&mut self, old: f32, new: f32) {
        self.0 &= !(CO_ACCESSIBLE | NOT_CO_ACCESSIBLE | STRING | NOT_STRING);
        if !is_trivial(old) {
            self.0 &= !WEIGHTED;
        }
        self.weigh(new);
    }

    /// An arc is appended to a state behind `last`, if that has one.
    pub(crate) fn arc_added(&mut self, state: u32, arc: Labels, next: u32, last: Option<(i32, i32)>) {
        self.0 &= !(INPUT_DETERMINISTIC
            | OUTPUT_DETERMINISTIC
            | ACYCLIC
            | INITIAL_ACYCLIC
            | STRING
            | NOT_STRING
            | NOT_ACCESSIBLE
            | NOT_CO_ACCESSIBLE
            | UNWEIGHTED_CYCLES);
        self.label(arc);
        self.weigh(arc.weight);
        if let Some(last) = last {
            self.arc_follows(last, (arc.input, arc.output));
        }
        if next <= state {
            self.set(NOT_TOP_SORTED, TOP_SORTED);
        }
        if self.0 & TOP_SORTED != 0 {
            self.0 |= ACYCLIC | INITIAL_ACYCLIC;
        }
    }

    /// The labels of an arc stand behind others.
    pub(crate) fn arc_follows(&mut self, last: (i32, i32), (input, output): (i32, i32)) {
        if input < last.0 {
            self.set(NOT_INPUT_SORTED, INPUT_SORTED);
        }
        if output < last.1 {
            self.set(NOT_OUTPUT_SORTED, OUTPUT_SORTED);
        }
    }

    pub(crate) fn arc_overwritten(&mut self, old: Labels, new: Labels) {
        if old.input != old.output {
            self.0 &= !NOT_ACCEPTOR;
        }
        for (is_there, bit) in epsilons(old) {
            if is_there {
                self.0 &= !bit;
            }
        }
        if !is_trivial(old.weight) {
            self.0 &= !WEIGHTED;
        }
        self.0 &= OF_LABELS_AND_WEIGHTS;
        self.label(new);
        self.weigh(new.weight);
    }

    /// States that are on no path are dropped, perhaps none.
    pub(crate) fn states_dropped(&mut self) {
        self.0 = (self.0 & OF_PARTS) | ACCESSIBLE | CO_ACCESSIBLE;
    }

    pub(crate) fn sorted_by_input(&mut self) {
        self.0 &= !(pair(INPUT_SORTED) | pair(OUTPUT_SORTED));
        self.0 |= INPUT_SORTED;
        if self.0 & ACCEPTOR != 0 {
            self.0 |= OUTPUT_SORTED;
        }
    }

    /// Labels of a side may have become epsilons.
    pub(crate) fn labels_removed(&mut self, side: Side) {
        self.0 &= !(pair(ACCEPTOR) | not(EPSILONS));
        self.0 &= match side {
            Side::Input => !(INPUT_DETERMINISTIC | NOT_INPUT_DETERMINISTIC | not(INPUT_EPSILONS) | pair(INPUT_SORTED)),
            Side::Output => !(pair(OUTPUT_DETERMINISTIC) | not(OUTPUT_EPSILONS) | pair(OUTPUT_SORTED)),
        };
    }

    fn label(&mut self, arc: Labels) {
        if arc.input != arc.output {
            self.set(NOT_ACCEPTOR, ACCEPTOR);
        }
        for (is_there, bit) in epsilons(arc) {
            if is_there {
                self.set(bit, not(bit));
            }
        }
    }

    fn weigh(&mut self, weight: f32) {
        if !is_trivial(weight) {
            self.set(WEIGHTED, UNWEIGHTED);
        }
    }
}

/// Which kinds of epsilons an arc has.
fn epsilons(Labels { input, output, .. }: Labels) -> [(bool, u64); 3] {
    [(input == 0, INPUT_EPSILONS), (output == 0, OUTPUT_EPSILONS), (input == 0 && output == 0, EPSILONS)]
}

/// Whether a weight is that of nothing or of what is impossible.
fn is_trivial(weight: f32) -> bool {
    weight == 0.0 || weight == f32::INFINITY
}
