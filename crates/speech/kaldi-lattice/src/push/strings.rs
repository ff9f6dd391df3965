//! Transition-ids moved towards the start.
//!
//! The states and one way on from each are a forest. A node of it knows the hash of its string and, as in a skip list, that of all
//! strings up to a node further on. So the common start of two ways is found by a binary search, however long they are.

use std::hash::{BuildHasher, RandomState};

use crate::error::{Error, Result};
use crate::graph::{Graph, Span};
use crate::value::CompactLattice;

impl CompactLattice {
    /// Moves transition-ids to the front as far as all paths that go on from a state agree. The lattice is sorted if
    /// needed.
    ///
    /// # Errors
    /// If there is a cycle, or there would be too many transition-ids: a way that many arcs lead to is on each of them.
    pub fn push_strings(&mut self) -> Result<()> {
        if !self.sort_if_needed() {
            return Err(Error::Cycle);
        }
        let Some(start) = self.start() else { return Ok(()) };
        let graph = &self.0;
        let mut ways = Ways::new(graph);
        for state in graph.states().rev() {
            ways.add(state, state > start);
        }
        let needed = ways.num_pushed();
        Error::check_ids(needed, graph.ids.len())?;
        let mut ids = Vec::with_capacity(needed as usize);
        let (mut arcs, mut states) = (graph.arcs.clone(), graph.states.clone());
        for state in graph.states() {
            let first = graph.first_arc(state);
            for (index, arc) in graph.arcs(state).iter().enumerate() {
                arcs[first + index].string = ways.push(state, arc.string, Some(arc.next), &mut ids);
            }
            states[state as usize].string = ways.push(state, graph.final_span(state), None, &mut ids);
        }
        self.0 = Graph { start: Some(start), states, arcs, ids, ..Graph::default() };
        Ok(())
    }
}

/// No node.
const NONE: u32 = u32::MAX;

/// Of so many transition-ids, the common start is found by comparing them.
const FEW: usize = 16;

/// The hash of a string, and the base to the power of its length.
#[derive(Clone, Copy)]
struct Hash {
    value: u64,
    power: u64,
}

impl Hash {
    const EMPTY: Self = Self { value: 0, power: 1 };

    fn then(self, next: Self) -> Self {
        Self { value: sum(self.value, product(self.power, next.value)), power: product(self.power, next.power) }
    }
}

/// The largest prime below 2^61: hashes are remainders.
const PRIME: u64 = (1 << 61) - 1;

fn product(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    sum((product & u128::from(PRIME)) as u64, (product >> 61) as u64)
}

fn sum(one: u64, other: u64) -> u64 {
    let sum = one + other;
    if sum >= PRIME { sum - PRIME } else { sum }
}

/// A state, with the string of the way on from it: that of its end if it has one, otherwise that of its first arc.
#[derive(Clone, Copy)]
struct Node {
    string: Span,
    /// The next node of the way whose string is not empty.
    next: u32,
    /// A node further on: twice as far if possible.
    jump: u32,
    /// The number of nodes behind it.
    depth: u32,
    /// The transition-ids from here to the end.
    length: u64,
    hash: Hash,
    /// The hash of the way up to `jump`.
    jump_hash: Hash,
}

/// A string, and then the way on from a state.
#[derive(Clone, Copy)]
struct Way {
    string: Span,
    next: Option<u32>,
}

struct Ways<'a> {
    graph: &'a Graph,
    nodes: Vec<Node>,
    /// So many of the next transition-ids are the same on all ways from each state.
    shared: Vec<usize>,
    base: u64,
    /// For each transition-id the hash of all from it on.
    hashes: Vec<u64>,
}

impl<'a> Ways<'a> {
    fn new(graph: &'a Graph) -> Self {
        let base = RandomState::new().hash_one(0) % (PRIME - 1024) + 512;
        let mut hashes = vec![0; graph.ids.len() + 1];
        for (place, &id) in graph.ids.iter().enumerate().rev() {
            hashes[place] = sum(u64::from(id as u32), product(base, hashes[place + 1]));
        }
        let node = Node {
            string: Span::EMPTY,
            next: NONE,
            jump: NONE,
            depth: 0,
            length: 0,
            hash: Hash::EMPTY,
            jump_hash: Hash::EMPTY,
        };
        Self { graph, nodes: vec![node; graph.num_states()], shared: vec![0; graph.num_states()], base, hashes }
    }

    /// Adds a state, whose arcs lead to those that are there. If it `may_share`, what its ways have in common is found.
    fn add(&mut self, state: u32, may_share: bool) {
        let graph = self.graph;
        let is_final = graph.is_final(state);
        let way = match graph.arcs(state).first() {
            Some(arc) if !is_final => Way { string: arc.string, next: Some(arc.next) },
            _ => Way { string: graph.final_span(state), next: None },
        };
        self.nodes[state as usize] = self.node(way);
        let arcs = graph.arcs(state);
        let lengths = arcs.iter().map(|arc| arc.string.len() + self.shared[arc.next as usize]);
        let Some(least) = lengths.chain(is_final.then(|| graph.final_span(state).len())).min() else { return };
        if !may_share {
            return;
        }
        let mut count = least;
        for arc in arcs.iter().skip(usize::from(!is_final)) {
            count = self.common(way, Way { string: arc.string, next: Some(arc.next) }, count);
        }
        self.shared[state as usize] = count;
    }

    fn node(&self, way: Way) -> Node {
        let filled = |state: u32| match self.nodes[state as usize] {
            node if node.string.is_empty() => node.next,
            _ => state,
        };
        let next = way.next.map_or(NONE, filled);
        let hash = self.hash(way.string, way.string.len());
        let mut node = Node {
            string: way.string,
            next,
            jump: next,
            depth: 0,
            length: way.string.len() as u64,
            hash,
            jump_hash: hash,
        };
        if let Some(&after) = self.nodes.get(next as usize) {
            node.depth = after.depth + 1;
            node.length += after.length;
            if let Some(far) = self.nodes.get(after.jump as usize) {
                let further = self.nodes.get(far.jump as usize).map(|node| node.depth);
                if further.is_some_and(|further| after.depth - far.depth == far.depth - further) {
                    node.jump = far.jump;
                    node.jump_hash = hash.then(after.jump_hash).then(far.jump_hash);
                }
            }
        }
        node
    }

    /// The hash of the first `length` transition-ids of a string.
    fn hash(&self, string: Span, length: usize) -> Hash {
        let range = string.range();
        let mut power = 1;
        let mut square = self.base;
        let mut rest = length;
        while rest > 0 {
            if rest & 1 == 1 {
                power = product(power, square);
            }
            square = product(square, square);
            rest >>= 1;
        }
        let tail = product(power, self.hashes[range.start + length]);
        Hash { value: sum(self.hashes[range.start], PRIME - tail), power }
    }

    /// Follows a way for `length` transition-ids: the hash of these, the state whose string it is in then, and how many of that it
    /// has passed.
    fn follow(&self, way: Way, length: usize) -> (Hash, u32, usize) {
        let inside = length.min(way.string.len());
        let mut hash = self.hash(way.string, inside);
        let mut rest = (length - inside) as u64;
        let mut state = way.next.unwrap_or(NONE);
        while let Some(node) = self.nodes.get(state as usize) {
            let jumped = self.nodes.get(node.jump as usize).map(|far| node.length - far.length);
            if let Some(jumped) = jumped.filter(|&jumped| jumped <= rest) {
                (hash, state, rest) = (hash.then(node.jump_hash), node.jump, rest - jumped);
            } else if node.string.len() as u64 <= rest {
                (hash, state, rest) = (hash.then(node.hash), node.next, rest - node.string.len() as u64);
            } else {
                return (hash.then(self.hash(node.string, rest as usize)), state, rest as usize);
            }
        }
        (hash, NONE, 0)
    }

    /// How many of the first `most` transition-ids of two ways are the same.
    fn common(&self, one: Way, other: Way, most: usize) -> usize {
        let few = most.min(FEW);
        let same = self.ids(one).zip(self.ids(other)).take(few).take_while(|(one, other)| one == other).count();
        if same < few || same == most {
            return same;
        }
        let is_same = |count: usize| self.follow(one, count).0.value == self.follow(other, count).0.value;
        if is_same(most) {
            return most;
        }
        // `least` of them are the same, and perhaps all up to `most`.
        let (mut least, mut most, mut step) = (same, most - 1, same);
        while least < most {
            let middle = if step > 0 { (least + step).min(most) } else { least + (most - least).div_ceil(2) };
            if is_same(middle) {
                least = middle;
                step *= 2;
            } else {
                most = middle - 1;
                step = 0;
            }
        }
        least
    }

    /// The transition-ids of a way.
    fn ids(&self, way: Way) -> impl Iterator<Item = i32> {
        let mut state = way.next.unwrap_or(NONE);
        let spans = std::iter::from_fn(move || {
            let node = self.nodes.get(state as usize)?;
            state = node.next;
            Some(node.string)
        });
        std::iter::once(way.string).chain(spans).flat_map(|span| self.graph.string(span).iter().copied())
    }

    /// How many transition-ids a string has when it is pushed.
    fn pushed_length(&self, state: u32, string: Span, next: Option<u32>) -> usize {
        let more = next.map_or(0, |next| self.shared[next as usize]);
        (string.len() + more).saturating_sub(self.shared[state as usize])
    }

    fn num_pushed(&self) -> u64 {
        let of_state = |state: u32| {
            let arcs = self.graph.arcs(state).iter();
            let lengths = arcs.map(|arc| self.pushed_length(state, arc.string, Some(arc.next)) as u64);
            lengths.sum::<u64>() + self.pushed_length(state, self.graph.final_span(state), None) as u64
        };
        self.graph.states().map(of_state).sum()
    }

    /// Appends a string as it is when it is pushed: without what its state shares, with what the next one shares.
    fn push(&self, state: u32, string: Span, next: Option<u32>, ids: &mut Vec<i32>) -> Span {
        let (first, length) = (ids.len(), self.pushed_length(state, string, next));
        let skipped = self.shared[state as usize];
        let own = self.graph.string(string);
        ids.extend(own.iter().skip(skipped).take(length));
        let rest = length - (ids.len() - first);
        if rest > 0 {
            let (_, state, inside) = self.follow(Way { string, next }, skipped.max(string.len()));
            let way = Way { string: Span::EMPTY, next: Some(state) };
            ids.extend(self.ids(way).skip(inside).take(rest));
        }
        Span::new(first, length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::compact;

    /// What all paths from a state start with, by looking at each of them.
    fn shared(lattice: &CompactLattice, state: u32) -> Vec<i32> {
        let mut all: Option<Vec<i32>> = None;
        let mut stack = vec![(state, Vec::new())];
        while let Some((state, ids)) = stack.pop() {
            let arcs = lattice.arcs(state).iter().map(|arc| (arc.string, Some(arc.next)));
            let end = lattice.is_final(state).then(|| (lattice.final_span(state), None));
            for (string, next) in arcs.chain(end) {
                let ids = [ids.as_slice(), lattice.string(string)].concat();
                match next {
                    Some(next) => stack.push((next, ids)),
                    None => {
                        let known = all.get_or_insert_with(|| ids.clone());
                        let same = known.iter().zip(&ids).take_while(|(one, other)| one == other).count();
                        known.truncate(same);
                    }
                }
            }
        }
        all.unwrap_or_default()
    }

    #[test]
    fn strings_are_pushed_as_far_as_paths_agree() {
        let mut lattice = compact("0 1 5 1,0,\n1 2 6 0,0,3_4\n1 2 7 0,0,3_5\n2 0,0,9\n");
        lattice.push_strings().unwrap();
        assert_eq!(lattice, compact("0 1 5 1,0,3\n1 2 6 0,0,4_9\n1 2 7 0,0,5_9\n2\n"));
        assert_eq!(compact("0 1 5\n1 0 6\n1\n").push_strings(), Err(Error::Cycle));
    }

    /// Lattices of few transition-ids, so that long ways agree.
    #[test]
    fn each_state_gives_what_all_its_paths_share() {
        let mut seed = 7_u32;
        let mut draw = move |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) % below
        };
        for _ in 0..300 {
            let num_states = 2 + draw(7);
            let mut text = String::new();
            for state in 0..num_states {
                for _ in 0..=draw(2) {
                    let next = (state + 1 + draw(2)).min(num_states);
                    let length = draw(30) as usize;
                    let mut ids = vec!["1"; length];
                    if draw(4) == 0 && length > 0 {
                        ids[length - 1] = "2";
                    }
                    text += &format!("{state} {next} 5 0,0,{}\n", ids.join("_"));
                }
            }
            text += &format!("{num_states} 0,0,{}\n", ["", "1", "2_1"][draw(3) as usize]);
            let before = compact(&text);
            let mut after = before.clone();
            after.push_strings().unwrap();
            for state in before.states() {
                let skipped = |state: u32| if state == 0 { Vec::new() } else { shared(&before, state) };
                for (arc, pushed) in before.arcs(state).iter().zip(after.arcs(state)) {
                    let whole = [before.string(arc.string), &skipped(arc.next)].concat();
                    assert_eq!(after.string(pushed.string), &whole[skipped(state).len()..], "{state} of\n{text}");
                }
            }
        }
    }

    /// A chain, one with two arcs from each state to the next, and one with arcs to two others whose ends differ.
    #[test]
    fn long_chains_take_time_in_proportion() {
        let arc = |from: usize, to: usize, word: usize| format!("{from} {to} {word} 0,0,1\n");
        let chain = |first: usize, count: usize| (first..first + count).map(move |state| arc(state, state + 1, 5));
        let linear = |count: usize| chain(0, count).collect::<String>();
        let ladder =
            |count: usize| (0..count).map(|state| arc(state, state + 1, 5) + &arc(state, state + 1, 6)).collect();
        let comb = |count: usize| {
            let others = [count + 1, 2 * count + 2];
            let teeth = (0..count).flat_map(|state| others.map(|first| arc(state, first + state, 6)));
            let chains = others.into_iter().flat_map(|first| chain(first, count));
            let ends = others.map(|first| format!("{} 0,0,{first}\n", first + count)).concat();
            linear(count) + &teeth.chain(chains).collect::<String>() + &ends
        };
        for (text, count) in [(linear(50_000), 50_000), (ladder(50_000), 50_000), (comb(2_000), 2_000)] {
            let mut lattice = compact(&(text + &format!("{count} 0,0,9\n")));
            let start = std::time::Instant::now();
            lattice.push_strings().unwrap();
            // A tenth of a second where the machine has nothing else to do; minutes with the square of the length.
            assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
            assert!(lattice.arcs(0)[0].string.len() >= count, "{}", lattice.arcs(0)[0].string.len());
        }
    }
}
