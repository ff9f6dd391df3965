//! Lattices whose arcs are whole words or whole phones.
//!
//! A walk along the paths collects transition-ids and words that wait; as soon as a whole unit is at the front and the
//! transition-id after it is there, an arc of the unit is made. Paths that wait for the same at the same state are one.

mod boundaries;
mod lexicon;
mod phones;
mod words;

pub use boundaries::WordBoundaries;
pub use lexicon::{AlignmentLexicon, LexiconAlignment};
pub use phones::PhoneAlignment;
pub use words::WordAlignment;

use kaldi_hmm::TransitionModel;

use crate::cost::Cost;
use crate::error::{Error, Result};
use crate::graph::{Arc, Graph, Span};
use crate::value::CompactLattice;
use crate::work_list::WorkList;

/// An aligned lattice and what was doubtful.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Aligned {
    /// The lattice; empty if nothing could be aligned.
    pub lattice: CompactLattice,
    /// Whether the units are not all whole, or not all paths were followed.
    pub is_faulty: bool,
    /// What was found, for warnings.
    pub findings: Vec<String>,
}

impl Aligned {
    /// Whether the best path costs the same and has as many transition-ids as that of the lattice that was aligned.
    ///
    /// # Errors
    /// If one of them has a cycle.
    pub fn has_best_path_of(&self, original: &CompactLattice) -> Result<bool> {
        let facts = |lattice: &CompactLattice| -> Result<Option<(f64, usize)>> {
            let path = lattice.best_path()?.and_then(|path| path.linear());
            Ok(path.map(|path| (path.cost.total(), path.ids.len())))
        };
        Ok(match (facts(&self.lattice)?, facts(original)?) {
            (Some((cost, frames)), Some((expected, same))) => {
                frames == same && (cost - expected).abs() <= 1e-3 * expected.abs().max(1.0)
            }
            (None, None) => true,
            _ => false,
        })
    }

    fn fault(&mut self, message: impl Into<String>) {
        self.is_faulty = true;
        self.findings.push(message.into());
    }
}

/// The transition-ids and words that wait on a path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Waiting {
    ids: Vec<i32>,
    words: Vec<i32>,
}

impl Waiting {
    fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.words.is_empty()
    }

    /// Takes the first `count` transition-ids off.
    fn take_ids(&mut self, count: usize) -> Vec<i32> {
        let rest = self.ids.split_off(count);
        std::mem::replace(&mut self.ids, rest)
    }
}

/// A label with transition-ids.
struct Unit {
    label: i32,
    ids: Vec<i32>,
}

/// What makes units of what waits.
trait Units {
    /// Takes a unit off the front, if one is whole and more follows.
    fn take(&mut self, waiting: &mut Waiting) -> Result<Option<Unit>>;

    /// Takes a unit at the end of a path, where something waits.
    fn take_rest(&mut self, waiting: &mut Waiting) -> Result<Unit>;

    /// Whether the words of the lattice shall be left out.
    fn drops_words(&self) -> bool {
        false
    }
}

/// Follows the paths of a lattice; returns the units and arcs without a label between them, and whether it was followed to
/// its end: not if there would be more than `most` states.
fn follow(lattice: &Graph, units: &mut impl Units, most: Option<usize>) -> Result<(Graph, bool)> {
    lattice.check_costs()?;
    if lattice.is_cyclic() {
        return Err(Error::Cycle);
    }
    let lattice = lattice.with_one_end();
    let Some(start) = lattice.start() else { return Ok((Graph::default(), true)) };
    let mut list = WorkList::starting_with((start, Waiting::default()));
    let mut num_ids = 0;
    while let Some((place, from)) = list.next() {
        if most.is_some_and(|most| list.builder.num_states() > most) {
            return Ok((list.finish(), false));
        }
        let (state, mut waiting) = (place.0, place.1.clone());
        num_ids += waiting.ids.len() as u64;
        Error::check_ids(num_ids, lattice.ids.len())?;
        if let Some(unit) = units.take(&mut waiting)? {
            let next = list.number((state, waiting));
            let string = list.builder.add_string(&unit.ids);
            list.builder.add_arc(from, Arc::word(unit.label, Cost::ONE, string, next));
            continue;
        }
        if lattice.is_final(state) {
            if waiting.is_empty() {
                list.builder.set_final(from, Cost::ONE, Span::EMPTY);
            } else {
                let mut rest = waiting.clone();
                let unit = units.take_rest(&mut rest)?;
                let next = list.number((state, rest));
                let string = list.builder.add_string(&unit.ids);
                list.builder.add_arc(from, Arc::word(unit.label, Cost::ONE, string, next));
            }
        }
        for arc in lattice.arcs(state) {
            let mut later = waiting.clone();
            later.ids.extend_from_slice(lattice.string(arc.string));
            if arc.input != 0 && !units.drops_words() {
                later.words.push(arc.input);
            }
            let next = list.number((arc.next, later));
            list.builder.add_arc(from, Arc::word(0, arc.cost, Span::EMPTY, next));
        }
    }
    Ok((list.finish(), true))
}

/// What is asked of transition-ids: their phones, and where these end.
#[derive(Clone, Copy)]
struct Model<'a> {
    model: &'a TransitionModel,
    /// Whether self-loops come after the transition that leaves the state.
    reorder: bool,
}

impl Model<'_> {
    fn phone(&self, id: i32) -> Result<i32> {
        Ok(self.model.facts(id)?.phone)
    }

    fn is_final(&self, id: i32) -> Result<bool> {
        Ok(self.model.facts(id)?.is_final)
    }

    fn is_self_loop(&self, id: i32) -> Result<bool> {
        Ok(self.model.facts(id)?.is_self_loop)
    }

    /// Past the self-loops at the front of `ids` from `at` on, if they come last.
    fn skip_loops(&self, ids: &[i32], mut at: usize) -> Result<usize> {
        while self.reorder && at < ids.len() && self.is_self_loop(ids[at])? {
            at += 1;
        }
        Ok(at)
    }

    /// The end of a phone that starts at `from`: after its final transition and the self-loops of it. `None` if it is not
    /// known yet, since nothing follows. The second result is whether another phone comes before the end.
    fn end_of_phone(&self, ids: &[i32], from: usize) -> Result<(Option<usize>, bool)> {
        let phone = self.phone(ids[from])?;
        let mut changes = false;
        for (index, &id) in ids.iter().enumerate().skip(from) {
            changes |= self.phone(id)? != phone;
            if self.is_final(id)? {
                let end = self.skip_loops(ids, index + 1)?;
                return Ok(((end < ids.len()).then_some(end), changes));
            }
        }
        Ok((None, changes))
    }

    /// Whether the last transition, before its self-loops, leaves a phone.
    fn ends_whole(&self, ids: &[i32]) -> Result<bool> {
        let mut last = ids.len() - 1;
        while self.reorder && last > 0 && self.is_self_loop(ids[last])? {
            last -= 1;
        }
        self.is_final(ids[last])
    }
}

/// A label below all those of a lattice and below `others`: no word has it.
fn unused_label(lattice: &Graph, others: [i32; 2]) -> i32 {
    let labels = lattice.all_arcs().iter().map(|arc| arc.input);
    labels.chain(others).min().unwrap_or(0).min(0).wrapping_sub(1)
}

/// Says that a lattice may take long.
fn warn_of_ambiguity(lattice: &Graph, aligned: &mut Aligned) {
    if !lattice.is_deterministic() {
        let message = "the lattice has arcs without words, or several of one word leave a state: aligning it may be slow \
                       and take much memory";
        aligned.findings.push(message.to_owned());
    }
}

const PHONE_CHANGED: &str =
    "Phone changed before final transition-id found [broken lattice or mismatched model or wrong `reorder` option?]";
const LOOP_CHANGED: &str =
    "Phone changed while following final self-loop [broken lattice or mismatched model or wrong `reorder` option?]";
const UNEXPECTED_CHANGE: &str = "Phone changed unexpectedly in lattice [broken lattice or mismatched model?]";
