//! The text form of the acceptors of chain examples: a line for each arc and each final state, and an empty line.

use bstr::ByteSlice;
use kaldi_io::{ParseError, excerpt};
use kaldi_value::number::write_integer;
use kaldi_value::{Basic, Cursor};

use crate::{CompactElement, CompactFst};

type Result<T, E = ParseError> = std::result::Result<T, E>;

/// States that may have no line, besides those that arcs go to.
const SPARE_STATES: usize = 1 << 16;

/// Arcs and final weights as lines name them.
#[derive(Default)]
struct Lines {
    start: Option<usize>,
    num_lines: usize,
    num_states: usize,
    /// State, arc.
    arcs: Vec<(usize, CompactElement)>,
    /// State, weight; the last one of a state counts.
    finals: Vec<(usize, f32)>,
}

impl CompactFst {
    /// Reads the text form: after blanks and a newline, lines up to an empty one.
    pub(crate) fn read_text(cursor: &mut Cursor<'_>) -> Result<Self> {
        cursor.read_line_end()?;
        let mut lines = Lines::default();
        loop {
            let at = cursor.offset();
            let line = cursor.read_line()?;
            let words: Vec<&[u8]> = line.fields_with(|char| " \t\r".contains(char)).collect();
            if words.is_empty() {
                break;
            }
            let wrong = || ParseError::new(at, format!("expected a line of an FST, got \"{}\"", excerpt(line)));
            lines.add(&words).ok_or_else(wrong)?;
        }
        Ok(lines.into_fst())
    }

    /// Appends the text form: the start state first, then the others.
    pub(crate) fn write_text(&self, out: &mut Vec<u8>) {
        out.push(b'\n');
        let start = self.start();
        for state in start.into_iter().chain((0..self.num_states()).filter(|state| Some(*state) != start)) {
            let elements = self.state(state);
            let (last, arcs) = match elements.split_first() {
                Some((last, arcs)) if last.is_final() => (Some(last), arcs),
                _ => (None, elements),
            };
            for arc in arcs {
                write_line(out, &[state as i64, arc.next.into(), arc.label.into(), arc.label.into()], arc.weight);
            }
            if let Some(last) = last.filter(|last| last.weight != f32::INFINITY) {
                write_line(out, &[state as i64], last.weight);
            }
        }
        out.push(b'\n');
    }
}

/// Appends numbers, and the weight unless it is 0.
fn write_line(out: &mut Vec<u8>, numbers: &[i64], weight: f32) {
    for (place, &number) in numbers.iter().enumerate() {
        if place > 0 {
            out.push(b'\t');
        }
        write_integer(out, number);
    }
    if weight != 0.0 {
        out.push(b'\t');
        match weight {
            f32::INFINITY => out.extend_from_slice(b"Infinity"),
            f32::NEG_INFINITY => out.extend_from_slice(b"-Infinity"),
            weight if weight.is_nan() => out.extend_from_slice(b"BadNumber"),
            weight => weight.write_text(out),
        }
    }
    out.push(b'\n');
}

fn integer(word: &[u8]) -> Option<i32> {
    word.to_str().ok()?.parse().ok()
}

fn weight(word: &[u8]) -> Option<f32> {
    match word {
        b"Infinity" => Some(f32::INFINITY),
        b"-Infinity" => Some(f32::NEG_INFINITY),
        b"BadNumber" => Some(f32::NAN),
        word => word.to_str().ok()?.parse().ok(),
    }
}

impl Lines {
    /// Takes the words of a line; `None` if they are no line.
    fn add(&mut self, words: &[&[u8]]) -> Option<()> {
        self.num_lines += 1;
        let state = self.state(words[0])?;
        self.start.get_or_insert(state);
        match words[1..] {
            [] => self.finals.push((state, 0.0)),
            [word] => self.finals.push((state, weight(word)?)),
            [next, input, output, ref rest @ ..] if rest.len() < 2 => {
                let (next, label) = (self.state(next)?, integer(input)?);
                let weight = rest.first().map_or(Some(0.0), |word| weight(word))?;
                if label < 0 || integer(output)? != label || weight == f32::INFINITY {
                    return None;
                }
                self.arcs.push((state, CompactElement { label, weight, next: next as i32 }));
            }
            _ => return None,
        }
        Some(())
    }

    /// The state that a word names. There may not be many more states than lines.
    fn state(&mut self, word: &[u8]) -> Option<usize> {
        let state = usize::try_from(integer(word)?).ok()?;
        self.num_states = self.num_states.max(state + 1);
        (self.num_states <= SPARE_STATES + 2 * self.num_lines).then_some(state)
    }

    fn into_fst(mut self) -> CompactFst {
        // The sort keeps the order of the lines of a state.
        self.arcs.sort_by_key(|&(state, _)| state);
        let mut finals = vec![None; self.num_states];
        for (state, weight) in self.finals {
            finals[state] = Some(weight).filter(|&weight| weight != f32::INFINITY);
        }
        let (mut ends, mut elements) = (Vec::with_capacity(self.num_states), Vec::new());
        let mut arcs = self.arcs.into_iter().peekable();
        for (state, last) in finals.into_iter().enumerate() {
            elements.extend(last.map(CompactElement::of_final));
            while let Some((_, arc)) = arcs.next_if(|&(from, _)| from == state) {
                elements.push(arc);
            }
            ends.push(elements.len() as u32);
        }
        let start = self.start.map_or(-1, |start| start as i64);
        let mut fst = CompactFst { properties: 0, start, ends, elements };
        fst.properties = fst.compute_properties();
        fst
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaldi_value::testing::SeededRandom;

    fn read(text: &str) -> Result<CompactFst> {
        CompactFst::read_text(&mut Cursor::new(text.as_bytes()))
    }

    #[test]
    fn text_is_read_as_it_is_written() {
        let mut random = SeededRandom::seeded(9);
        for _ in 0..100 {
            let fst = crate::fst::tests::fst(&mut random);
            let mut text = Vec::new();
            fst.write_text(&mut text);
            assert_eq!(CompactFst::read_text(&mut Cursor::new(&text)), Ok(fst));
        }
    }

    #[test]
    fn lines_come_in_any_order_and_the_first_one_is_the_start() {
        let fst = read("\n1\t0\t3\t3\t0.5\n0\n1 2 4 4\n2\t1.5\n\n").unwrap();
        let mut text = Vec::new();
        fst.write_text(&mut text);
        assert_eq!(text.as_bstr(), "\n1\t0\t3\t3\t0.5\n1\t2\t4\t4\n0\n2\t1.5\n\n");
        assert_eq!(fst.start(), Some(1));
    }

    #[test]
    fn other_lines_are_refused() {
        for line in [
            "0 1 2",
            "0 1 2 3",
            "0 1 2 2 x",
            "a",
            "-1",
            "0 1 2 2 1 1",
            "0 9999999 1 1",
            "0 1 -2 -2",
            "0 1 1 1 Infinity",
        ] {
            let error = read(&format!("\n{line}\n\n")).unwrap_err();
            assert!(error.message.contains(line) && error.offset == 1, "{line}: {}", error.message);
        }
        assert!(read("0 1 1 1\n\n").is_err(), "the first line is empty");
    }
}
