//! From n-grams to states and arcs.
//!
//! An arc takes 16 bytes and a state 16, so that models of tens of millions of n-grams fit into memory.

use super::histories::Histories;
use crate::binary::{WrittenHeader, write_standard_arc, write_standard_state};
use crate::fst::properties::{Labels, Properties};
use crate::order::states_on_paths;
use crate::{FstSymbols, GraphForm, Semiring};

/// Labels of arcs are words, or one of these: no label at all, and that of a back-off, which has the disambiguation symbol on
/// the input side.
const EPSILON: i32 = 0;
const BACK_OFF: i32 = -1;

/// Where an arc leads that is not there.
const NOWHERE: u32 = u32::MAX;

/// Bytes that are written at once.
const CHUNK: usize = 1 << 16;

/// An arc without the state that it leaves.
#[derive(Clone, Copy, Debug)]
struct Step {
    label: i32,
    weight: f32,
    next: u32,
}

impl Step {
    const NONE: Self = Self { label: EPSILON, weight: 0.0, next: NOWHERE };

    fn is_there(&self) -> bool {
        self.next != NOWHERE
    }
}

#[derive(Clone, Copy, Debug)]
struct State {
    final_weight: f32,
    /// The first arc, most often the back-off. The others are in the list of arcs.
    first: Step,
}

#[derive(Clone, Copy, Debug)]
struct Arc {
    state: u32,
    step: Step,
}

/// What became of an n-gram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// It is in the graph.
    Added,
    /// It is not: the begin of a sentence is behind its first word, or the end before its last one.
    Misplaced,
    /// It is not: there is no n-gram of its words but the last one.
    NoHistory,
}

/// Why n-grams are no graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// An n-gram ends with the symbol of back-offs.
    #[error("the disambiguation symbol cannot be a word")]
    DisambiguationSymbol,
    /// The graph has too many states or arcs.
    #[error("expected less than 2^32 states and arcs")]
    TooLarge,
    /// No sentence can begin.
    #[error("no 1-gram is the begin of a sentence")]
    NoBegin,
    /// No sentence can end.
    #[error("no n-gram ends with the end of a sentence")]
    NoEnd,
    /// There is a begin and an end, but no way between them that is possible.
    #[error("no sentence is possible: no path leads from the begin of a sentence to its end")]
    NoPath,
}

/// The lines of arcs, of which most follow each other: the first arcs of runs, with their lines.
#[derive(Debug, Default)]
struct ArcLines(Vec<(u32, u64)>);

impl ArcLines {
    /// Adds the arc behind all others.
    fn add(&mut self, arc: u32, line: u64) {
        if self.0.last().is_none_or(|(first, of_first)| of_first + u64::from(arc - first) != line) {
            self.0.push((arc, line));
        }
    }

    fn of(&self, arc: u32) -> u64 {
        let run = self.0.partition_point(|(first, _)| *first <= arc).checked_sub(1);
        run.map_or(0, |run| self.0[run].1 + u64::from(arc - self.0[run].0))
    }
}

/// Makes the graph of a model from its n-grams, in their order.
#[derive(Debug)]
pub struct ModelBuilder {
    begin: i32,
    end: i32,
    /// 0 if there is none.
    disambiguation: i32,
    states: Vec<State>,
    arcs: Vec<Arc>,
    lines: ArcLines,
    histories: Histories,
    /// The history of the n-gram that came last, and its state: most often the next one has it, too.
    last: (Vec<i32>, u32),
    start: Option<u32>,
    has_end: bool,
    properties: Properties,
    repeated: Repeated,
}

/// N-grams that came again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repeated {
    /// How many.
    pub count: u64,
    /// The line of the first.
    pub first_line: u64,
}

impl Repeated {
    fn add(&mut self, line: u64) {
        self.first_line = if self.count == 0 { line } else { self.first_line.min(line) };
        self.count += 1;
    }
}

impl ModelBuilder {
    /// A graph without n-grams. The numbers of the words that begin and end a sentence are over 0 and differ. With the number
    /// of a disambiguation symbol these words become the start and final weights, and back-offs have the symbol as input; with
    /// 0 they stay words, and back-offs have no label.
    pub fn new(begin: i32, end: i32, disambiguation: i32) -> Self {
        let mut builder = Self {
            begin,
            end,
            disambiguation,
            states: Vec::new(),
            arcs: Vec::new(),
            lines: ArcLines::default(),
            histories: Histories::new(0),
            last: (Vec::new(), 0),
            start: None,
            has_end: false,
            properties: Properties::EMPTY,
            repeated: Repeated::default(),
        };
        builder.add_state();
        if disambiguation == 0 {
            let end = builder.add_state();
            builder.set_final(end, 0.0);
        }
        builder
    }

    /// The state of the end of a sentence, if that is a word.
    const END: u32 = 1;

    fn add_state(&mut self) -> u32 {
        self.states.push(State { final_weight: f32::INFINITY, first: Step::NONE });
        self.properties.state_added();
        (self.states.len() - 1) as u32
    }

    fn set_final(&mut self, state: u32, weight: f32) {
        let old = std::mem::replace(&mut self.states[state as usize].final_weight, weight);
        self.properties.final_set(old, weight);
    }

    fn back_off_label(&self) -> i32 {
        if self.disambiguation == 0 { EPSILON } else { BACK_OFF }
    }

    fn set_start(&mut self, state: u32, line: u64) {
        if self.start.is_some() {
            self.repeated.add(line);
        }
        self.start = Some(state);
        self.properties.start_set();
    }

    /// Adds an n-gram that stands in this line. Those of the highest order have no states of their own.
    ///
    /// # Errors
    /// If it ends with the disambiguation symbol, or the graph gets too large.
    pub fn add(
        &mut self,
        words: &[i32],
        weight: f32,
        back_off: f32,
        is_highest: bool,
        line: u64,
    ) -> Result<Placed, ModelError> {
        let Some((&word, history)) = words.split_last() else { return Ok(Placed::Misplaced) };
        if history.contains(&self.end) || words[1..].contains(&self.begin) {
            return Ok(Placed::Misplaced);
        }
        if self.last.0 != history {
            let Some(state) = self.histories.state_of(history) else { return Ok(Placed::NoHistory) };
            self.last.0.clear();
            self.last.0.extend_from_slice(history);
            self.last.1 = state;
        }
        let state = self.last.1;
        if word == self.disambiguation {
            return Err(ModelError::DisambiguationSymbol);
        }
        let next = if word == self.end {
            self.has_end = true;
            if self.disambiguation != 0 {
                if self.states[state as usize].final_weight != f32::INFINITY {
                    self.repeated.add(line);
                }
                self.set_final(state, weight);
                return Ok(Placed::Added);
            }
            Self::END
        } else {
            self.state_with_back_off(&words[usize::from(is_highest)..], back_off)
        };
        if self.states.len().max(self.arcs.len()) >= NOWHERE as usize - 2 {
            return Err(ModelError::TooLarge);
        }
        if word != self.begin {
            self.add_arc(state, Step { label: word, weight, next }, line);
        } else if self.disambiguation != 0 {
            self.set_start(next, line);
        } else {
            let start = self.add_state();
            self.set_start(start, line);
            self.add_arc(start, Step { label: word, weight: 0.0, next }, line);
        }
        Ok(Placed::Added)
    }

    fn add_arc(&mut self, state: u32, step: Step, line: u64) {
        self.properties.arc_added(state, self.labels(step), step.next, None);
        self.lines.add(self.arcs.len() as u32, line);
        self.arcs.push(Arc { state, step });
    }

    /// The state of a history; a new one backs off to the longest shorter history that has a state now.
    fn state_with_back_off(&mut self, history: &[i32], back_off: f32) -> u32 {
        if let Some(state) = self.histories.state_of(history) {
            return state;
        }
        let state = self.add_state();
        let next = self.histories.longest_suffix(&history[1..]);
        self.histories.set_state(history, state);
        let step = Step { label: self.back_off_label(), weight: back_off, next };
        self.properties.arc_added(state, self.labels(step), next, None);
        self.states[state as usize].first = step;
        state
    }

    fn labels(&self, step: Step) -> Labels {
        labels(self.disambiguation, step)
    }

    /// The graph of all n-grams. With a disambiguation symbol, states that only back off are folded into the arcs that lead to
    /// them.
    ///
    /// # Errors
    /// If no sentence can begin or end.
    pub fn finish(self) -> Result<BuiltModel, ModelError> {
        let Self {
            disambiguation, states, mut arcs, lines, histories, start, has_end, properties, mut repeated, ..
        } = self;
        drop(histories);
        let start = start.ok_or(ModelError::NoBegin)?;
        if !has_end {
            return Err(ModelError::NoEnd);
        }
        let places = group(&mut arcs);
        let mut first_arcs = vec![0_u32; states.len() + 1];
        for arc in &arcs {
            first_arcs[arc.state as usize + 1] += 1;
        }
        for index in 1..first_arcs.len() {
            first_arcs[index] += first_arcs[index - 1];
        }
        find_repeated(
            &arcs,
            &first_arcs,
            |place| lines.of(places.get(place).map_or(place as u32, |at| *at)),
            &mut repeated,
        );
        drop((lines, places));
        let num_states_before = states.len();
        let kept = Vec::new();
        let mut model = BuiltModel {
            disambiguation,
            states,
            arcs,
            first_arcs,
            start,
            properties,
            kept,
            num_states_before,
            repeated,
        };
        model.look_at_order();
        if disambiguation != 0 {
            model.fold_idle_states();
            model.drop_states()?;
        }
        Ok(model)
    }
}

fn labels(disambiguation: i32, Step { label, weight, .. }: Step) -> Labels {
    let (input, output) = match label {
        BACK_OFF => (disambiguation, 0),
        word => (word, word),
    };
    Labels { input, output, weight }
}

/// Brings arcs together that leave one state, in their order. Returns where each was, unless they stayed in place.
fn group(arcs: &mut [Arc]) -> Vec<u32> {
    if arcs.is_sorted_by_key(|arc| arc.state) {
        return Vec::new();
    }
    let mut places: Vec<u32> = (0..arcs.len() as u32).collect();
    places.sort_unstable_by_key(|&place| (arcs[place as usize].state, place));
    // Each cycle of the permutation is moved once around.
    let mut is_moved = vec![false; arcs.len()];
    for start in 0..arcs.len() {
        if is_moved[start] {
            continue;
        }
        let (first, mut to) = (arcs[start], start);
        loop {
            is_moved[to] = true;
            let from = places[to] as usize;
            if from == start {
                arcs[to] = first;
                break;
            }
            arcs[to] = arcs[from];
            to = from;
        }
    }
    places
}

/// Counts arcs of one state and one word beyond the first.
fn find_repeated(arcs: &[Arc], first_arcs: &[u32], line_of: impl Fn(usize) -> u64, repeated: &mut Repeated) {
    let mut order: Vec<u32> = Vec::new();
    for (&first, &end) in first_arcs.iter().zip(&first_arcs[1..]) {
        let own = &arcs[first as usize..end as usize];
        if own.windows(2).all(|pair| pair[0].step.label < pair[1].step.label) {
            continue;
        }
        order.clear();
        order.extend(first..end);
        let label = |place: u32| arcs[place as usize].step.label;
        order.sort_unstable_by_key(|&place| (label(place), place));
        for pair in order.windows(2) {
            if label(pair[0]) == label(pair[1]) {
                repeated.add(line_of(pair[1] as usize));
            }
        }
    }
}

/// The graph of a model.
#[derive(Debug)]
pub struct BuiltModel {
    disambiguation: i32,
    states: Vec<State>,
    arcs: Vec<Arc>,
    /// The first arc of each state in `arcs`, and the number of all.
    first_arcs: Vec<u32>,
    start: u32,
    properties: Properties,
    /// The states that stay, unless all do.
    kept: Vec<bool>,
    num_states_before: usize,
    repeated: Repeated,
}

impl BuiltModel {
    /// The number of states before those that only back off were folded.
    pub fn num_states_before(&self) -> usize {
        self.num_states_before
    }

    /// The number of states.
    pub fn num_states(&self) -> usize {
        self.states().count()
    }

    /// N-grams that came again: two arcs of one word, or a weight that replaces another one.
    pub fn repeated(&self) -> Repeated {
        self.repeated
    }

    fn states(&self) -> impl Iterator<Item = u32> {
        (0..self.states.len() as u32).filter(|&state| self.is_kept(state))
    }

    fn is_kept(&self, state: u32) -> bool {
        self.kept.get(state as usize).is_none_or(|kept| *kept)
    }

    fn arcs_of(&self, state: u32) -> &[Arc] {
        &self.arcs[self.first_arcs[state as usize] as usize..self.first_arcs[state as usize + 1] as usize]
    }

    /// The arcs that leave a state, in their order.
    fn steps(&self, state: u32) -> impl Iterator<Item = Step> {
        let first = std::iter::once(self.states[state as usize].first);
        first.chain(self.arcs_of(state).iter().map(|arc| arc.step)).filter(Step::is_there)
    }

    /// Whether arcs are sorted, which no step of making the graph forgets once it is not so.
    fn look_at_order(&mut self) {
        for state in 0..self.states.len() as u32 {
            let mut properties = self.properties;
            let mut last: Option<Labels> = None;
            for step in self.steps(state) {
                let labels = labels(self.disambiguation, step);
                if let Some(last) = last {
                    properties.arc_follows((last.input, last.output), (labels.input, labels.output));
                }
                last = Some(labels);
            }
            self.properties = properties;
        }
    }

    /// Folds states that only back off into the arcs that lead to them, and other states with one way out where that is
    /// possible.
    fn fold_idle_states(&mut self) {
        let mut folding = Folding::new(self);
        self.properties.state_added();
        for state in 0..self.states.len() as u32 {
            folding.fold(self, state);
        }
    }

    fn drop_states(&mut self) -> Result<(), ModelError> {
        let nexts = |state: u32, visit: &mut dyn FnMut(u32)| self.steps(state).for_each(|step| visit(step.next));
        let is_final = |state: u32| self.states[state as usize].final_weight != f32::INFINITY;
        self.kept = states_on_paths(self.states.len(), Some(self.start), nexts, is_final);
        self.properties.states_dropped();
        if self.is_kept(self.start) { Ok(()) } else { Err(ModelError::NoPath) }
    }

    /// Writes the file of the graph, piece by piece. Arcs are sorted by input label if wanted.
    ///
    /// # Errors
    /// Those of `write`.
    pub fn write<E>(
        &self,
        sorted: bool,
        symbols: Option<&FstSymbols>,
        mut write: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut numbers = vec![NOWHERE; self.states.len()];
        for (number, state) in (0..).zip(self.states()) {
            numbers[state as usize] = number;
        }
        let mut properties = self.properties;
        if sorted {
            properties.sorted_by_input();
        }
        let header = WrittenHeader {
            form: GraphForm::Standard,
            properties,
            start: Some(numbers[self.start as usize]),
            num_states: self.num_states(),
            symbols: [symbols; 2],
        };
        let mut out = Vec::new();
        header.write(&mut out);
        let mut arcs: Vec<(Labels, u32)> = Vec::new();
        for state in self.states() {
            arcs.clear();
            let steps = self.steps(state).filter(|step| self.is_kept(step.next));
            arcs.extend(steps.map(|step| (labels(self.disambiguation, step), numbers[step.next as usize])));
            if sorted {
                arcs.sort_by_key(|(labels, _)| (labels.input, labels.output));
            }
            write_standard_state(&mut out, self.states[state as usize].final_weight, arcs.len());
            for (Labels { input, output, weight }, next) in &arcs {
                write_standard_arc(&mut out, *input, *output, *weight, *next);
            }
            if out.len() >= CHUNK {
                write(&out)?;
                out.clear();
            }
        }
        write(&out)
    }
}

/// Folds states with one way out into the arcs that lead to them.
struct Folding {
    /// The number of ways into each state: arcs, and the start.
    ways_in: Vec<u32>,
    /// The number of ways out of each state: arcs, and the end.
    ways_out: Vec<u32>,
    /// The arcs of the state that is looked at; those that were made are behind the others.
    steps: Vec<Step>,
}

impl Folding {
    /// Counts the ways, and takes the label off the arc of each state that only backs off.
    fn new(model: &mut BuiltModel) -> Self {
        let count = model.states.len();
        let mut folding = Self { ways_in: vec![0; count], ways_out: vec![0; count], steps: Vec::new() };
        for state in 0..count as u32 {
            let at = state as usize;
            let is_final = model.states[at].final_weight != f32::INFINITY;
            for step in model.steps(state) {
                folding.ways_in[step.next as usize] += 1;
                folding.ways_out[at] += 1;
            }
            let is_idle = !is_final && folding.ways_out[at] == 1 && model.states[at].first.label == BACK_OFF;
            if is_idle && model.states[at].first.is_there() {
                let old = labels(model.disambiguation, model.states[at].first);
                model.states[at].first.label = EPSILON;
                model.properties.arc_overwritten(old, labels(model.disambiguation, model.states[at].first));
            }
            folding.ways_out[at] += u32::from(is_final);
        }
        folding.ways_in[model.start as usize] += 1;
        folding
    }

    /// Folds what the arcs of a state lead to, also those that are made here.
    fn fold(&mut self, model: &mut BuiltModel, state: u32) {
        self.steps.clear();
        self.steps.extend(model.steps(state));
        let mut at = 0;
        let mut has_changed = false;
        while at < self.steps.len() {
            let step = self.steps[at];
            let is_foldable = step.next != state && self.ways_out[step.next as usize] == 1;
            if is_foldable && self.fold_step(model, state, step) {
                let removed = labels(model.disambiguation, step);
                model.properties.arc_overwritten(removed, removed);
                self.ways_out[state as usize] -= 1;
                self.ways_in[step.next as usize] -= 1;
                self.steps[at] = Step::NONE;
                has_changed = true;
            }
            at += 1;
        }
        if !has_changed {
            return;
        }
        // There are never more arcs than before: each that is made stands for one that goes.
        let mut steps = self.steps.iter().filter(|step| step.is_there()).copied().chain(std::iter::repeat(Step::NONE));
        let range = model.first_arcs[state as usize] as usize..model.first_arcs[state as usize + 1] as usize;
        model.states[state as usize].first = steps.next().unwrap_or(Step::NONE);
        for (arc, step) in model.arcs[range].iter_mut().zip(steps) {
            arc.step = step;
        }
    }

    /// Folds the state that a step leads to into another step; returns whether that was possible.
    fn fold_step(&mut self, model: &mut BuiltModel, state: u32, step: Step) -> bool {
        let next = step.next as usize;
        let is_only_way = self.ways_in[next] == 1;
        let end = model.states[next].final_weight;
        if end != f32::INFINITY {
            if step.label != EPSILON {
                return false;
            }
            let old = model.states[state as usize].final_weight;
            let new = Semiring::Tropical.plus(old, step.weight + end);
            if old == f32::INFINITY {
                self.ways_out[state as usize] += 1;
            }
            model.states[state as usize].final_weight = new;
            model.properties.final_set(old, new);
            if is_only_way {
                self.ways_out[next] -= 1;
                model.states[next].final_weight = f32::INFINITY;
                model.properties.final_set(end, f32::INFINITY);
            }
            return true;
        }
        let Some(onward) = model.steps(step.next).next() else { return false };
        let label = match (step.label, onward.label) {
            (EPSILON, label) | (label, EPSILON) => label,
            // Two words, or a word and the symbol of back-offs: two inputs.
            _ => return false,
        };
        if is_only_way {
            let removed = labels(model.disambiguation, onward);
            model.properties.arc_overwritten(removed, removed);
            self.ways_out[next] -= 1;
            self.ways_in[onward.next as usize] -= 1;
            self.remove_only_step(model, step.next);
        }
        let joined = Step { label, weight: step.weight + onward.weight, next: onward.next };
        let last = self.steps.iter().rev().find(|step| step.is_there()).map(|step| labels(model.disambiguation, *step));
        let last = last.map(|labels| (labels.input, labels.output));
        let properties = &mut model.properties;
        properties.arc_added(state, labels(model.disambiguation, joined), joined.next, last);
        self.ways_out[state as usize] += 1;
        self.ways_in[joined.next as usize] += 1;
        self.steps.push(joined);
        true
    }

    fn remove_only_step(&self, model: &mut BuiltModel, state: u32) {
        let range = model.first_arcs[state as usize] as usize..model.first_arcs[state as usize + 1] as usize;
        model.states[state as usize].first = Step::NONE;
        // A state with one way out that has more arcs had them removed, behind the one that is left.
        if let Some(arc) = model.arcs[range].iter_mut().find(|arc| arc.step.is_there()) {
            arc.step = Step::NONE;
        }
    }
}
