//! The acceptors of chain examples, in OpenFst's compact form.
//!
//! ```text
//! d6 fd b2 7e                       the number by which the file is known
//! 10 00 00 00 compact_acceptor      the type, after its length
//! 08 00 00 00 standard              the type of arcs
//! version 2, flags 0                32 bits each
//! properties                        64 bits
//! start, states, arcs               64 bits each
//! offsets                           32 bits each, one more than states: where the elements of a state start
//! elements                          label, weight (a float), next state: 32 bits each
//! ```
//!
//! The weight of a final state is an element of label -1 and next state -1, the first of that state.

use byteorder::{ByteOrder, LittleEndian};
use kaldi_io::ParseError;
use kaldi_value::Cursor;

use crate::walk::Walk;

type Result<T, E = ParseError> = std::result::Result<T, E>;

const MAGIC: [u8; 4] = [0xd6, 0xfd, 0xb2, 0x7e];
const TYPE: &[u8] = b"compact_acceptor";
const ARC_TYPE: &[u8] = b"standard";
/// The only version that there is.
const VERSION: i32 = 2;
/// Flags of symbol tables and of aligned parts, which Kaldi does not write here.
const NO_FLAGS: i32 = 0;
/// The bytes of an element.
const ELEMENT: u64 = 12;

/// An arc, or the weight of a final state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompactElement {
    /// The label of an arc (0 is no label); -1 for a final weight.
    pub label: i32,
    /// The cost.
    pub weight: f32,
    /// The state that the arc goes to; -1 for a final weight.
    pub next: i32,
}

impl CompactElement {
    /// The element of a final state.
    pub fn of_final(weight: f32) -> Self {
        Self { label: -1, weight, next: -1 }
    }

    /// Whether it is the weight of a final state.
    pub fn is_final(self) -> bool {
        self.label == -1
    }
}

/// A finite-state acceptor with costs (OpenFst's `StdCompactAcceptorFst`): from each state arcs with a label and a weight.
#[derive(Clone, Debug, PartialEq)]
pub struct CompactFst {
    /// What is known about it: see the [bits](crate::CompactFst#properties).
    pub(crate) properties: u64,
    /// The state in which it starts; -1 if there are no states.
    pub(crate) start: i64,
    /// Where the elements of each state end.
    pub(crate) ends: Vec<u32>,
    pub(crate) elements: Vec<CompactElement>,
}

/// The sizes in a header.
struct Header {
    properties: u64,
    start: i64,
    num_states: u64,
}

impl Header {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        let at = cursor.offset();
        let magic = cursor.take(MAGIC.len())?;
        if magic != MAGIC {
            return Err(ParseError::new(at, format!("expected an FST, got the bytes {magic:02x?}")));
        }
        expect_name(cursor, TYPE)?;
        expect_name(cursor, ARC_TYPE)?;
        for (what, expected) in [("version", VERSION), ("flags", NO_FLAGS)] {
            let at = cursor.offset();
            let got = LittleEndian::read_i32(cursor.take(4)?);
            if got != expected {
                return Err(ParseError::new(at, format!("expected {what} {expected} of an FST, got {got}")));
            }
        }
        let properties = LittleEndian::read_u64(cursor.take(8)?);
        let at = cursor.offset();
        let sizes = cursor.take(24)?;
        let [start, num_states] = [0, 8].map(|place| LittleEndian::read_i64(&sizes[place..]));
        let valid = match num_states {
            0 => start == -1,
            _ => i32::try_from(num_states).is_ok() && (0..num_states).contains(&start),
        };
        if !valid {
            let message =
                format!("expected an FST that starts in one of its states, got state {start} of {num_states}");
            return Err(ParseError::new(at, message));
        }
        Ok(Self { properties, start, num_states: num_states as u64 })
    }
}

/// Reads a length and a name.
fn expect_name(cursor: &mut Cursor<'_>, expected: &[u8]) -> Result<()> {
    let at = cursor.offset();
    let length = LittleEndian::read_i32(cursor.take(4)?);
    let is_other = || {
        let name = expected.escape_ascii();
        ParseError::new(at, format!("expected an FST of type \"{name}\", got another type"))
    };
    if length != expected.len() as i32 || cursor.take(expected.len())? != expected {
        return Err(is_other());
    }
    Ok(())
}

impl CompactFst {
    /// The number of states.
    pub fn num_states(&self) -> usize {
        self.ends.len()
    }

    /// The state in which it starts.
    pub fn start(&self) -> Option<usize> {
        usize::try_from(self.start).ok()
    }

    /// What is known about it, as OpenFst's bits.
    ///
    /// Bit 0 is always set. From bit 16 on there are pairs; the lower bit says that something holds, the upper one that it
    /// does not: it is an acceptor, deterministic by inputs, by outputs, it has epsilons, in inputs, in outputs, its arcs
    /// are sorted by input labels, by output labels, it has weights, cycles, a cycle with the first state, its states are
    /// sorted, can all be reached, can all reach a final state, it is a string, its cycles have weights.
    pub fn properties(&self) -> u64 {
        self.properties
    }

    /// Where the elements of each state start, and after the last one, where they end.
    pub fn offsets(&self) -> impl Iterator<Item = u32> {
        std::iter::once(0).chain(self.ends.iter().copied())
    }

    /// The elements of all states, one after the other.
    pub fn elements(&self) -> &[CompactElement] {
        &self.elements
    }

    /// The elements of a state: its final weight first, if it has one, then the arcs.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn state(&self, state: usize) -> &[CompactElement] {
        let begin = if state == 0 { 0 } else { self.ends[state - 1] };
        &self.elements[begin as usize..self.ends[state] as usize]
    }

    /// Makes an acceptor of parts.
    ///
    /// # Errors
    /// If the parts do not make one; the message says why.
    pub fn from_parts(start: Option<usize>, offsets: &[u32], elements: Vec<CompactElement>) -> Result<Self> {
        let wrong = |message: &'static str| ParseError::new(0, message);
        let [0, ends @ ..] = offsets else { return Err(wrong("expected offsets of states that start with 0")) };
        if ends.last().copied().unwrap_or(0) as usize != elements.len() {
            return Err(wrong("expected the last offset to be the number of elements"));
        }
        let start = match (start, ends.len()) {
            (None, 0) => -1,
            (Some(start), states) if start < states => start as i64,
            _ => return Err(wrong("expected the start to be one of the states")),
        };
        let mut fst = Self { properties: 0, start, ends: ends.to_vec(), elements };
        fst.check(0)?;
        fst.properties = fst.compute_properties();
        Ok(fst)
    }

    /// Reads the binary form.
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        let Header { properties, start, num_states } = Header::read(cursor)?;
        let at = cursor.offset();
        // The number of states is below 2^31, so this fits.
        let offsets = cursor.take(4 * (num_states as usize + 1))?;
        let mut offsets = offsets.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
        if let Some(first @ 1..) = offsets.next() {
            return Err(ParseError::new(at, format!("expected an FST whose first offset is 0, got {first}")));
        }
        let ends: Vec<u32> = offsets.collect();
        let at = cursor.offset();
        let elements = cursor.take((u64::from(ends.last().copied().unwrap_or(0)) * ELEMENT) as usize)?;
        let element = |bytes: &[u8; ELEMENT as usize]| CompactElement {
            label: LittleEndian::read_i32(&bytes[..]),
            weight: LittleEndian::read_f32(&bytes[4..]),
            next: LittleEndian::read_i32(&bytes[8..]),
        };
        let elements = elements.as_chunks().0.iter().map(element).collect();
        let fst = Self { properties, start, ends, elements };
        fst.check(at)?;
        Ok(fst)
    }

    /// Checks that offsets ascend, and that arcs go to states. `at` is the place of the elements, for errors.
    fn check(&self, at: usize) -> Result<()> {
        let mut begin = 0;
        for (state, &end) in self.ends.iter().enumerate() {
            let Some(elements) = self.elements.get(begin as usize..end as usize) else {
                let message =
                    format!("expected offsets of an FST that ascend, got {end} after {begin} at state {state}");
                return Err(ParseError::new(at, message));
            };
            for (place, element) in elements.iter().enumerate() {
                let is_state = usize::try_from(element.next).is_ok_and(|next| next < self.ends.len());
                let is_final = place == 0 && element.is_final() && element.next == -1;
                if !is_final && (element.label < 0 || !is_state) {
                    let at = at + (begin as usize + place) * ELEMENT as usize;
                    let CompactElement { label, next, .. } = element;
                    let message = format!(
                        "expected an arc to one of {} states, got label {label} to state {next} from state {state}",
                        self.ends.len()
                    );
                    return Err(ParseError::new(at, message));
                }
            }
            begin = end;
        }
        Ok(())
    }

    /// Walks over the binary form.
    pub(crate) fn walk(walk: &mut Walk<'_>) -> Result<()> {
        let Header { num_states, .. } = Header::read(&mut walk.cursor)?;
        walk.cursor.skip(4 * num_states)?;
        let num_elements = LittleEndian::read_u32(walk.cursor.take(4)?);
        walk.cursor.skip(u64::from(num_elements) * ELEMENT)
    }

    /// Appends the binary form.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&MAGIC);
        for name in [TYPE, ARC_TYPE] {
            out.extend_from_slice(&(name.len() as i32).to_le_bytes());
            out.extend_from_slice(name);
        }
        let num_arcs = self.elements.iter().filter(|element| !element.is_final()).count();
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&NO_FLAGS.to_le_bytes());
        out.extend_from_slice(&self.properties.to_le_bytes());
        for size in [self.start, self.ends.len() as i64, num_arcs as i64] {
            out.extend_from_slice(&size.to_le_bytes());
        }
        for offset in self.offsets() {
            out.extend_from_slice(&offset.to_le_bytes());
        }
        for CompactElement { label, weight, next } in &self.elements {
            out.extend_from_slice(&label.to_le_bytes());
            out.extend_from_slice(&weight.to_le_bytes());
            out.extend_from_slice(&next.to_le_bytes());
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use kaldi_value::testing::SeededRandom;

    /// An acceptor of arcs, some of them with weights that survive text, as does the start, which has a line of its own.
    pub(crate) fn fst(random: &mut SeededRandom) -> CompactFst {
        let num_states = 1 + random.below(3);
        let (mut offsets, mut elements) = (vec![0], Vec::new());
        for state in 0..num_states {
            if random.below(3) == 0 || state + 1 == num_states {
                elements.push(CompactElement::of_final([0.0, 0.5, -2.0][random.below(3)]));
            }
            for _ in 0..usize::from(state == 0) + random.below(2) {
                let weight = [0.0, 0.0, 1.5][random.below(3)];
                elements.push(CompactElement {
                    label: random.below(4) as i32,
                    weight,
                    next: random.below(num_states) as i32,
                });
            }
            offsets.push(elements.len() as u32);
        }
        CompactFst::from_parts(Some(0), &offsets, elements).unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        let mut random = SeededRandom::seeded(3);
        for _ in 0..100 {
            let fst = fst(&mut random);
            let mut bytes = Vec::new();
            fst.write(&mut bytes);
            assert_eq!(CompactFst::read(&mut Cursor::new(&bytes)), Ok(fst));
        }
    }

    #[test]
    fn parts_that_make_no_acceptor_are_refused() {
        let arc = |next| vec![CompactElement { label: 1, weight: 0.0, next }];
        for (start, offsets, elements) in [
            (Some(0), vec![0, 1], arc(1)),
            (Some(0), vec![0, 1], arc(-1)),
            (Some(1), vec![0, 1], arc(0)),
            (None, vec![0, 1], arc(0)),
            (Some(0), vec![1, 1], arc(0)),
            (Some(0), vec![0, 2], arc(0)),
            (Some(0), vec![0, 2, 1], arc(0)),
            (Some(0), vec![], arc(0)),
            (Some(0), vec![0, 2], vec![arc(0)[0], CompactElement::of_final(0.0)]),
        ] {
            assert!(CompactFst::from_parts(start, &offsets, elements.clone()).is_err(), "{start:?} {offsets:?}");
        }
        assert!(CompactFst::from_parts(None, &[0], Vec::new()).is_ok());
    }

    #[test]
    fn damaged_bytes_are_refused_or_read_without_a_panic() {
        let mut bytes = Vec::new();
        fst(&mut SeededRandom::seeded(5)).write(&mut bytes);
        for place in 0..bytes.len() {
            for byte in [0, 1, 2, 0x7f, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[place] = byte;
                let _ = CompactFst::read(&mut Cursor::new(&damaged));
            }
            assert!(CompactFst::read(&mut Cursor::new(&bytes[..place])).is_err_and(|error| error.at_end));
        }
    }
}
