//! Text of several lines: whether it is values or lines of words, and which form of graphs it has.

use std::collections::HashSet;

use kaldi_lattice::{GraphForm, StoredGraph};
use memchr::memchr;

/// Bytes in which other lines than those of graphs have to show that they are no words.
pub(crate) const BLOCK_LIMIT: usize = 1 << 16;

/// Bytes in which the first graph in text form has to end.
const LONGEST: usize = 1 << 26;

/// What text shows that starts after the line of the first key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lines {
    /// Lines of words.
    Words,
    /// Graphs, of which the first is of this form.
    Graphs(GraphForm),
    /// Other values.
    Others,
    /// More bytes are needed to know.
    NeedMoreBytes,
}

/// The place after a line end that only blanks are before.
pub(crate) fn line_end(text: &[u8]) -> Option<usize> {
    let end = memchr(b'\n', text)?;
    text[..end].trim_ascii().is_empty().then_some(end + 1)
}

/// What the text of the first value of a table shows, and what follows it.
///
/// Text that has only a line end after the key may be an empty line of words, after which other entries follow. So the
/// lines up to an empty line are one value if
/// - all lines of the window are like that: a key alone, lines, an empty line; and
/// - all these lines look like those of a graph (a state, the next one, labels, a weight), or a first word comes twice,
///   which as a key it may not, in at least two values.
///
/// Without an empty line at its end the last value counts only if it has weights of lattices, such as `1.5,2,7_8`.
pub(crate) fn parse_front(window: &[u8], at_end: bool) -> Lines {
    match line_end(window) {
        Some(first) => Blocks::default().parse_front(&window[first..], at_end),
        None => Lines::Words,
    }
}

/// What the lines of text show.
#[derive(Default)]
struct Blocks<'a> {
    /// Values with lines that have ended.
    ended: usize,
    /// Lines of the value that has not ended.
    lines: usize,
    /// The first words of lines.
    words: HashSet<&'a [u8]>,
    has_repeated: bool,
    /// Whether there is a line that no graph has.
    has_others: bool,
    has_weights: bool,
    /// The forms that all lines of the first value fit that shows one, and the form of its first line that fits a single one.
    forms: Forms,
    first_form: Option<GraphForm>,
}

impl<'a> Blocks<'a> {
    /// Looks at the lines after the first key.
    fn parse_front(mut self, text: &'a [u8], at_end: bool) -> Lines {
        let mut is_inside = true;
        let mut rest = text;
        while let Some(length) = memchr(b'\n', rest).or((at_end && !rest.is_empty()).then_some(rest.len())) {
            let line = &rest[..length];
            // The last line may be cut.
            let is_cut = length == rest.len();
            rest = rest.get(length + 1..).unwrap_or_default();
            let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
            match (fields.next(), is_inside) {
                (None, true) => {
                    self.ended += usize::from(self.lines > 0);
                    (self.lines, is_inside) = (0, false);
                }
                (None, false) => {}
                (Some(first), true) => {
                    self.has_repeated |= !self.words.insert(first);
                    self.lines += 1;
                    match forms(line) {
                        None if is_cut => {}
                        line => self.add(line),
                    }
                }
                // A key and no more.
                (Some(key), false)
                    if fields.next().is_none()
                        || StoredGraph::is_binary(line.get(key.len() + 1..).unwrap_or_default()) =>
                {
                    if self.ended > 0 && !self.has_others {
                        return self.values();
                    }
                    is_inside = true;
                }
                (Some(_), false) => return Lines::Words,
            }
        }
        self.decide(text.len(), at_end)
    }

    /// Adds a line. The next key stops the search after the first value with lines, so all of them are of one value.
    fn add(&mut self, line: Option<Line>) {
        let Some(Line { forms, has_costs }) = line else {
            self.has_others = true;
            return;
        };
        self.has_weights |= has_costs;
        self.forms = Forms(self.forms.0 & forms.0);
        self.first_form = self.first_form.or(forms.single());
    }

    /// The values that the lines are.
    fn values(&self) -> Lines {
        if self.has_others {
            return Lines::Others;
        }
        match (self.forms, self.first_form) {
            // Nothing but final states without costs.
            (Forms::ALL, _) => Lines::Graphs(GraphForm::Compact),
            // Costs that are all zero, which are rather left out of an FST.
            (Forms::PLAIN_OR_STANDARD, _) => Lines::Graphs(GraphForm::Standard),
            // A damaged lattice is one.
            (Forms(0), form) if !self.has_weights || form.is_none() => Lines::Others,
            (forms, form) => Lines::Graphs(forms.single().or(form).unwrap_or(GraphForm::Compact)),
        }
    }

    fn decide(&self, length: usize, at_end: bool) -> Lines {
        let are_lattices = !self.has_others && self.has_weights;
        let are_values = match self.has_others {
            true => self.ended > 1 && self.has_repeated,
            false => self.ended > 0,
        };
        if are_values && (at_end || length >= BLOCK_LIMIT) {
            return self.values();
        }
        match (at_end, self.has_others) {
            (true, _) if are_lattices => self.values(),
            (true, _) => Lines::Words,
            (false, true) if length >= BLOCK_LIMIT => Lines::Words,
            (false, false) if length >= LONGEST => {
                if are_lattices {
                    self.values()
                } else {
                    Lines::Words
                }
            }
            (false, _) => Lines::NeedMoreBytes,
        }
    }
}

/// A set of forms of graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Forms(u8);

impl Forms {
    const PLAIN: Self = Self(1);
    const COMPACT: Self = Self(2);
    const STANDARD: Self = Self(4);
    const PLAIN_OR_STANDARD: Self = Self(5);
    const ALL: Self = Self(7);

    /// The form, if it is only one.
    fn single(self) -> Option<GraphForm> {
        match self {
            Self::PLAIN => Some(GraphForm::Plain),
            Self::COMPACT => Some(GraphForm::Compact),
            Self::STANDARD => Some(GraphForm::Standard),
            _ => None,
        }
    }
}

impl Default for Forms {
    fn default() -> Self {
        Self::ALL
    }
}

/// What a line of a graph shows.
struct Line {
    forms: Forms,
    /// Whether it has the two costs of a lattice.
    has_costs: bool,
}

/// What the line shows if it may be one of a graph: a state, for arcs the next state and one or two labels, perhaps a
/// weight. A line of an acceptor of OpenFst fits no form.
fn forms(line: &[u8]) -> Option<Line> {
    let mut fields = [&b""[..]; 5];
    let mut count = 0;
    for field in line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()) {
        *fields.get_mut(count)? = field;
        count += 1;
    }
    let is_state = |field: &[u8]| field.iter().all(u8::is_ascii_digit);
    let is_label = |field: &[u8]| is_state(field.strip_prefix(b"-").unwrap_or(field));
    let fields = &fields[..count];
    let (states, labels, last) = match fields {
        [_] => (fields, &fields[1..], None),
        [_, weight] => (&fields[..1], &fields[1..1], Some(*weight)),
        [_, _, _] => (&fields[..2], &fields[2..], None),
        [_, _, _, last] => (&fields[..2], &fields[2..3], Some(*last)),
        [_, _, _, _, last] => (&fields[..2], &fields[2..4], Some(*last)),
        _ => return None,
    };
    if !states.iter().all(|field| is_state(field)) || !labels.iter().all(|field| is_label(field)) {
        return None;
    }
    let weight = last.map_or(Some(Forms::ALL), weight)?;
    let forms = match (count, weight) {
        (1, _) => Forms::ALL,
        (3, _) => Forms::COMPACT,
        (4, Forms::STANDARD) if last.is_some_and(is_label) => Forms::PLAIN_OR_STANDARD,
        (4, Forms::COMPACT) => Forms::COMPACT,
        (4, _) => Forms(0),
        (_, forms) => forms,
    };
    Some(Line { forms, has_costs: matches!(weight, Forms::PLAIN | Forms::COMPACT) })
}

/// The form of graphs that have such a weight.
fn weight(field: &[u8]) -> Option<Forms> {
    let is_number = |text: &[u8]| {
        matches!(text, b"BadNumber") || std::str::from_utf8(text).is_ok_and(|text| text.parse::<f64>().is_ok())
    };
    let parts: Vec<&[u8]> = field.split(|&byte| byte == b',').collect();
    match parts[..] {
        [number] if is_number(number) => Some(Forms::STANDARD),
        [graph, acoustic] if is_number(graph) && is_number(acoustic) => Some(Forms::PLAIN),
        [graph, acoustic, string] if is_number(graph) && is_number(acoustic) => {
            string.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'-')).then_some(Forms::COMPACT)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_commas_show_the_form() {
        let graphs = |text: &str| {
            parse_front(format!("\n{text}{}", if text.ends_with('\n') { "\n" } else { "" }).as_bytes(), true)
        };
        for (text, expected) in [
            ("0 1 5 1,2,3_4\n1 0.5,0,\n", GraphForm::Compact),
            ("0 1 5\n1\n", GraphForm::Compact),
            ("0 1 5 6 1,2,3_4\n1 0.5,0,\n", GraphForm::Compact),
            ("0 1 5 6 1,2\n1 3,4\n", GraphForm::Plain),
            ("0 1 5 6\n1 3,4\n", GraphForm::Plain),
            ("0 1 5 6 0.5\n1\n", GraphForm::Standard),
            ("0 1 5 6\n1 Infinity\n", GraphForm::Standard),
            // Neither lines of zero costs nor final states alone decide.
            ("0 1 5 6\n1\n", GraphForm::Standard),
            ("0\n", GraphForm::Compact),
            // What fits no form is read as what it was first, so that the fault is found.
            ("0 1 5 1,2,3\n1 2 5 1,2\n2\n", GraphForm::Compact),
            ("0 1 5 6 1,2\n1 3,4,5\n", GraphForm::Plain),
            ("0 1 5 1,2,3\n1 2 5 1,", GraphForm::Compact),
        ] {
            assert_eq!(graphs(text), Lines::Graphs(expected), "{text}");
        }
        // Acceptors are written like this by programs of OpenFst.
        assert_eq!(graphs("0 1 5\n1 2.5\n"), Lines::Others);
        assert_eq!(graphs("0 1 5 0.5\n1\n"), Lines::Others);
        assert_eq!(graphs("a b c\n"), Lines::Words);
    }
}
