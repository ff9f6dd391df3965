//! Where a binary FST of OpenFst ends.
//!
//! A file starts with a header: magic number, the FST's type, the type of its arcs, version, flags, properties, start state,
//! number of states, number of arcs. Nothing in it says how long the rest is, so states are gone through one by one.

use kaldi_io::ParseError;
use kaldi_values::{Cursor, Frame};

type Result<T> = std::result::Result<T, ParseError>;

/// The first bytes of an FST.
pub(crate) const MAGIC: [u8; 4] = [0xd6, 0xfd, 0xb2, 0x7e];

/// The first bytes of a symbol table.
const SYMBOLS: i32 = 2_125_658_996;

/// Flags of a header: tables of input and output symbols follow; data are aligned.
const HAS_SYMBOLS: [i32; 2] = [1, 2];
const IS_ALIGNED: i32 = 4;

/// Bytes of the parts of a state.
#[derive(Clone, Copy)]
struct Sizes {
    weight: u64,
    /// The labels of an arc, its weight and its next state.
    arc: u64,
    /// Whether each weight has a string of integers after it.
    has_strings: bool,
}

/// The sizes by the type of arcs, in an FST of the type `vector`.
const ARCS: [(&str, Sizes); 7] = [
    ("standard", Sizes { weight: 4, arc: 16, has_strings: false }),
    ("log", Sizes { weight: 4, arc: 16, has_strings: false }),
    ("log64", Sizes { weight: 8, arc: 20, has_strings: false }),
    ("lattice4", Sizes { weight: 8, arc: 20, has_strings: false }),
    ("lattice8", Sizes { weight: 16, arc: 28, has_strings: false }),
    ("compactlattice44", Sizes { weight: 8, arc: 20, has_strings: true }),
    ("compactlattice84", Sizes { weight: 16, arc: 28, has_strings: true }),
];

/// Returns how far the FST at the start of `window` reaches; `at_end` says that nothing follows the window.
///
/// # Errors
/// If it is no FST, if it is of a type whose end cannot be found, or if it is cut.
pub(crate) fn frame(window: &[u8], at_end: bool) -> Result<Frame> {
    let mut fst = Fst { cursor: Cursor::new_open(window), wanted: 0 };
    match fst.read() {
        Ok(Some(length)) if length > window.len() as u64 => match at_end {
            false => Ok(Frame::Beyond(length)),
            true => Err(ParseError::end(window.len(), "the rest of the FST")),
        },
        Ok(Some(length)) => Ok(Frame::Whole(length as usize)),
        Ok(None) => Ok(Frame::Whole(fst.cursor.offset())),
        Err(error) if error.at_end && !at_end => Ok(Frame::Partial(fst.wanted.max(window.len() as u64 + 1))),
        Err(error) if error.at_end => Err(ParseError::end(window.len(), "the rest of the FST")),
        Err(error) => Err(error),
    }
}

struct Fst<'a> {
    cursor: Cursor<'a>,
    /// Bytes that the FST has at least.
    wanted: u64,
}

impl Fst<'_> {
    /// Moves to the end, or returns how long the FST is.
    fn read(&mut self) -> Result<Option<u64>> {
        self.cursor.take(MAGIC.len())?;
        let (fst_type, arc_type) = (self.name()?, self.name()?);
        self.int()?;
        let flags = self.int()?;
        self.long()?;
        self.long()?;
        let states = self.long()?;
        self.long()?;
        for flag in HAS_SYMBOLS {
            if flags & flag != 0 {
                self.symbols()?;
            }
        }
        let Ok(states) = u64::try_from(states) else {
            return Err(self
                .cursor
                .error("the number of states is not known, so that the end of the FST is not, either"));
        };
        let sizes = ARCS.iter().find(|(name, _)| *name == arc_type).map(|&(_, sizes)| sizes);
        match (fst_type.as_str(), sizes) {
            ("vector", Some(sizes)) => self.states(states, sizes).map(|()| None),
            ("compact_acceptor", _) if arc_type == "standard" && flags & IS_ALIGNED == 0 => {
                self.compact(states).map(Some)
            }
            _ => Err(ParseError::new(
                0,
                format!("the end of an FST of the type {fst_type} with arcs of the type {arc_type} is not known here"),
            )),
        }
    }

    fn states(&mut self, states: u64, sizes: Sizes) -> Result<()> {
        let least = sizes.weight + 8 + if sizes.has_strings { 4 } else { 0 };
        for state in 0..states {
            self.wanted = least.saturating_mul(states - state).saturating_add(self.cursor.offset() as u64);
            self.cursor.skip(sizes.weight)?;
            if sizes.has_strings {
                self.string()?;
            }
            let arcs = self.long()?;
            let Ok(arcs) = u64::try_from(arcs) else {
                return Err(self.cursor.error(format!("expected the number of arcs of state {state}, got {arcs}")));
            };
            if !sizes.has_strings {
                let rest = least.saturating_mul(states - state - 1);
                let length = arcs.saturating_mul(sizes.arc);
                self.wanted = length.saturating_add(rest).saturating_add(self.cursor.offset() as u64);
                self.cursor.skip(length)?;
                continue;
            }
            for _ in 0..arcs {
                self.cursor.skip(sizes.arc - 4)?;
                self.string()?;
                self.cursor.skip(4)?;
            }
        }
        Ok(())
    }

    /// The length of a compact acceptor: the last offset of a state is the number of elements.
    fn compact(&mut self, states: u64) -> Result<u64> {
        let offsets = states.saturating_mul(4);
        self.wanted = offsets.saturating_add(self.cursor.offset() as u64 + 4);
        self.cursor.skip(offsets)?;
        let elements = self.int()? as u32;
        Ok(self.cursor.offset() as u64 + 12 * u64::from(elements))
    }

    /// A string of integers after its length.
    fn string(&mut self) -> Result<()> {
        let length = self.int()?;
        match u64::try_from(length) {
            Ok(length) => self.cursor.skip(4 * length),
            Err(_) => Err(self.cursor.error(format!("expected the length of a string, got {length}"))),
        }
    }

    /// A table of symbols: its name, the next free key, and for each symbol its text and key.
    fn symbols(&mut self) -> Result<()> {
        if self.int()? != SYMBOLS {
            return Err(self.cursor.error("expected a symbol table"));
        }
        self.text()?;
        self.long()?;
        for _ in 0..self.long()? {
            self.text()?;
            self.long()?;
        }
        Ok(())
    }

    /// A short text: the name of a type.
    fn name(&mut self) -> Result<String> {
        let bytes = self.text()?;
        match bytes.len() <= 64 && bytes.iter().all(u8::is_ascii_graphic) {
            true => Ok(String::from_utf8_lossy(bytes).into_owned()),
            false => Err(self.cursor.error("expected the name of a type of FSTs")),
        }
    }

    fn text(&mut self) -> Result<&[u8]> {
        let length = self.int()?;
        match usize::try_from(length) {
            Ok(length) => self.cursor.take(length),
            Err(_) => Err(self.cursor.error(format!("expected the length of a text, got {length}"))),
        }
    }

    fn int(&mut self) -> Result<i32> {
        Ok(self.cursor.take(4)?.try_into().map_or(0, i32::from_le_bytes))
    }

    fn long(&mut self) -> Result<i64> {
        Ok(self.cursor.take(8)?.try_into().map_or(0, i64::from_le_bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header for this many states.
    fn header(fst_type: &str, arc_type: &str, flags: i32, states: i64) -> Vec<u8> {
        let text = |text: &str| [&(text.len() as i32).to_le_bytes(), text.as_bytes()].concat();
        let numbers = [[3_i64, 0, states, 0].map(i64::to_le_bytes)].concat().concat();
        let ints = [2_i32.to_le_bytes(), flags.to_le_bytes()].concat();
        [MAGIC.to_vec(), text(fst_type), text(arc_type), ints, numbers].concat()
    }

    fn state(weight: &[u8], arcs: &[&[u8]]) -> Vec<u8> {
        [weight, &(arcs.len() as i64).to_le_bytes(), &arcs.concat()].concat()
    }

    /// The FST has this length, wherever it is cut.
    #[track_caller]
    fn reaches(fst: &[u8]) {
        assert_eq!(frame(fst, true), Ok(Frame::Whole(fst.len())));
        let followed = [fst, b"key "].concat();
        assert_eq!(frame(&followed, false), Ok(Frame::Whole(fst.len())));
        for cut in 4..fst.len() {
            let wanted = match frame(&fst[..cut], false) {
                Ok(Frame::Partial(wanted) | Frame::Beyond(wanted)) => wanted,
                other => panic!("{cut}: {other:?}"),
            };
            assert!(wanted > cut as u64 && wanted <= fst.len() as u64, "{cut}: {wanted}");
            assert!(frame(&fst[..cut], true).unwrap_err().at_end, "{cut}");
        }
    }

    #[test]
    fn states_are_gone_through_to_the_end() {
        for (arc_type, sizes) in ARCS.iter().filter(|(_, sizes)| !sizes.has_strings) {
            let (weight, arc) = (vec![1; sizes.weight as usize], vec![2; sizes.arc as usize]);
            let states = [state(&weight, &[&arc, &arc]), state(&weight, &[])].concat();
            reaches(&[header("vector", arc_type, 0, 2), states].concat());
        }
        reaches(&header("vector", "standard", 4, 0));
    }

    #[test]
    fn strings_follow_the_weights_of_compact_lattices() {
        let string = |numbers: &[i32]| {
            let numbers: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            [(numbers.len() as i32 / 4).to_le_bytes().to_vec(), numbers].concat()
        };
        for (arc_type, width) in [("compactlattice44", 8), ("compactlattice84", 16)] {
            let weight = |numbers: &[i32]| [vec![1; width], string(numbers)].concat();
            let arc = [vec![2; 8], weight(&[7, 8, 9]), vec![3; 4]].concat();
            let states = [state(&weight(&[]), &[&arc, &arc]), state(&weight(&[5]), &[])].concat();
            reaches(&[header("vector", arc_type, 0, 2), states].concat());
        }
    }

    #[test]
    fn the_last_offset_of_a_compact_acceptor_is_the_number_of_its_elements() {
        let offsets = [0_u32, 2, 3].map(u32::to_le_bytes).concat();
        reaches(&[header("compact_acceptor", "standard", 0, 2), offsets, vec![1; 36]].concat());
    }

    #[test]
    fn symbol_tables_are_skipped() {
        let text = |text: &str| [&(text.len() as i32).to_le_bytes(), text.as_bytes()].concat();
        let longs = |numbers: &[i64]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
        let table =
            [SYMBOLS.to_le_bytes().to_vec(), text("words"), longs(&[2, 1]), text("<eps>"), longs(&[0])].concat();
        let start = header("vector", "standard", 3, 1);
        reaches(&[start, table.clone(), table, state(&[0; 4], &[])].concat());
    }

    #[test]
    fn claims_are_checked_and_other_types_named() {
        let error = |bytes: Vec<u8>| frame(&bytes, false).unwrap_err().message;
        let message = "the end of an FST of the type const with arcs of the type standard is not known here";
        assert_eq!(error(header("const", "standard", 0, 1)), message);
        assert!(error(header("vector", "standard", 0, -1)).contains("number of states is not known"));
        assert!(error([header("vector", "standard", 0, 1), vec![0xff; 12]].concat()).ends_with("state 0, got -1"));
        // As many states as a header says are more than there is.
        let frame = frame(&header("vector", "lattice4", 0, i64::MAX), false).unwrap();
        assert!(matches!(frame, Frame::Partial(wanted) if wanted > 1 << 62));
    }
}
