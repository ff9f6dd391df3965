//! The text form: a line for each arc and each final state, and an empty line at the end.

mod fast_path;

use kaldi_io::{Frame, ParseError, excerpt};
use memchr::memchr;

use crate::builder::Builder;
use crate::cost::Cost;
use crate::fst::properties::{Labels, Properties};
use crate::graph::{Arc, Graph, Span};
use crate::numbers::{parse_number, write_cost_number};

/// What arcs of a graph have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphForm {
    /// An input, an output and two costs.
    Plain,
    /// A word, two costs and a string.
    Compact,
    /// An input, an output and one cost, which is kept as the graph cost.
    Standard,
}

impl GraphForm {
    fn name(self) -> &'static str {
        match self {
            Self::Plain => "a plain lattice",
            Self::Compact => "a compact lattice",
            Self::Standard => "an FST",
        }
    }
}

/// So many more states than lines may be named.
const MOST_UNNAMED: usize = 1 << 20;

fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Where the text at the start of the window ends: after the first line without words that follows the line of the key.
///
/// # Errors
/// If the line of the key has words.
pub(crate) fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
    let more = || Ok(Frame::Partial(window.len() as u64 + 1));
    let Some(first) = memchr(b'\n', window) else {
        return match window.iter().position(|byte| !byte.is_ascii_whitespace()) {
            Some(at) => Err(no_line_end(window, at)),
            None if at_end => Err(ParseError::end(window.len(), "a line end after the key")),
            None => more(),
        };
    };
    if let Some(at) = window[..first].iter().position(|byte| !byte.is_ascii_whitespace()) {
        return Err(no_line_end(window, at));
    }
    let mut start = first + 1;
    while let Some(length) = memchr(b'\n', &window[start..]) {
        let line = &window[start..start + length];
        start += length + 1;
        if line.iter().all(|&byte| is_separator(byte)) {
            return Ok(Frame::Whole(start));
        }
    }
    if at_end { Ok(Frame::Whole(window.len())) } else { more() }
}

fn no_line_end(window: &[u8], at: usize) -> ParseError {
    let word = window[at..].split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
    ParseError::new(at, format!("expected a line end after the key, got \"{}\"", excerpt(word)))
}

/// Reads the text at the start of `bytes`; returns the graph with its form and length. Lines that fit all forms make it
/// the `wanted` one.
///
/// # Errors
/// If a line is not one of a graph, or not of the same form as those before it.
pub(crate) fn read(bytes: &[u8], wanted: GraphForm) -> Result<(Graph, GraphForm, usize), ParseError> {
    let first = memchr(b'\n', bytes).map_or(bytes.len(), |length| length + 1);
    if let Some(at) = bytes[..first].iter().position(|byte| !byte.is_ascii_whitespace()) {
        return Err(no_line_end(bytes, at));
    }
    if first == bytes.len() && bytes.last() != Some(&b'\n') {
        return Err(ParseError::end(bytes.len(), "a line end after the key"));
    }
    if wanted != GraphForm::Standard
        && let Some((graph, length)) = fast_path::read(&bytes[first..])
    {
        return Ok((graph, GraphForm::Compact, first + length));
    }
    read_by_words(bytes, first, wanted)
}

/// Reads lines from `first` on, whatever stands in them.
fn read_by_words(bytes: &[u8], first: usize, wanted: GraphForm) -> Result<(Graph, GraphForm, usize), ParseError> {
    let mut reader = TextReader { wanted, form: None, builder: Builder::default(), lines: 0, history: None };
    if wanted == GraphForm::Standard {
        reader.form = Some(GraphForm::Standard);
        reader.history = Some(History { properties: Properties::EMPTY, last: Vec::new() });
    }
    let mut at = first;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let length = memchr(b'\n', rest).unwrap_or(rest.len());
        let line = &rest[..length];
        let start = at;
        at += (length + 1).min(rest.len());
        match reader.add(line) {
            Ok(true) => {}
            Ok(false) => break,
            Err(message) => return Err(ParseError::new(start, message)),
        }
    }
    let form = reader.form.unwrap_or(wanted);
    let mut graph = reader.builder.finish();
    if let Some(history) = reader.history {
        graph.properties = history.properties.field();
    }
    Ok((graph, form, at))
}

struct TextReader {
    wanted: GraphForm,
    form: Option<GraphForm>,
    builder: Builder,
    lines: usize,
    /// What becomes known of an FST line by line.
    history: Option<History>,
}

struct History {
    properties: Properties,
    /// The labels of the last arc of each state.
    last: Vec<Option<(i32, i32)>>,
}

impl TextReader {
    /// Adds a line; returns false if it is the end.
    fn add(&mut self, line: &[u8]) -> Result<bool, String> {
        let mut columns: [&[u8]; 5] = [&[]; 5];
        let mut count = 0;
        for word in line.split(|&byte| is_separator(byte)).filter(|word| !word.is_empty()) {
            let Some(column) = columns.get_mut(count) else {
                return Err(self.no_line(line));
            };
            *column = word;
            count += 1;
        }
        if count == 0 {
            return Ok(false);
        }
        self.lines += 1;
        let state = self.state(columns[0])?;
        if self.lines == 1 {
            self.builder.set_start(state);
            self.history.iter_mut().for_each(|history| history.properties.start_set());
        }
        let is_standard = self.form == Some(GraphForm::Standard);
        let known = match (count, columns) {
            (1, _) => self.add_final(state, Cost::ONE, Span::EMPTY),
            (2, [_, weight, ..]) => match self.weight(weight)? {
                Some((form, cost, string)) if self.is_of(form) => self.add_final(state, cost, string),
                _ => None,
            },
            (3, [_, next, word, ..]) if self.is_of(GraphForm::Compact) => {
                self.add_arc(state, next, [word, word], Cost::ONE, Span::EMPTY)?
            }
            (4, [_, next, input, output, _]) if !output.contains(&b',') => {
                let form = if is_standard { GraphForm::Standard } else { GraphForm::Plain };
                let labels = [input, output];
                if self.is_of(form) { self.add_arc(state, next, labels, Cost::ONE, Span::EMPTY)? } else { None }
            }
            (4, [_, next, word, weight, _]) => match self.weight(weight)? {
                Some((GraphForm::Compact, cost, string))
                    if self.is_of(GraphForm::Compact) && self.is_possible(cost, string) =>
                {
                    self.add_arc(state, next, [word, word], cost, string)?
                }
                _ => None,
            },
            // Arcs of a compact lattice may have two labels, too.
            (5, [_, next, input, output, weight]) => match self.weight(weight)? {
                Some((form, cost, string)) if self.is_of(form) && self.is_possible(cost, string) => {
                    self.add_arc(state, next, [input, output], cost, string)?
                }
                _ => None,
            },
            _ => None,
        };
        known.map(|()| true).ok_or_else(|| self.no_line(line))
    }

    fn no_line(&self, line: &[u8]) -> String {
        let form = self.form.unwrap_or(self.wanted).name();
        format!("expected line {} of {form}, got \"{}\"", self.lines.max(1), excerpt(line.trim_ascii()))
    }

    /// Whether the graph is of this form or may be; from now on it is.
    fn is_of(&mut self, form: GraphForm) -> bool {
        *self.form.get_or_insert(form) == form
    }

    fn is_possible(&self, cost: Cost, string: Span) -> bool {
        let is_infinite = match self.form {
            Some(GraphForm::Standard) => cost.graph == f32::INFINITY,
            _ => cost.is_infinite(),
        };
        !is_infinite || !string.is_empty()
    }

    fn add_final(&mut self, state: u32, cost: Cost, string: Span) -> Option<()> {
        // The one cost of an FST is infinite where both of a lattice are.
        let infinite = self.form == Some(GraphForm::Standard) && cost.graph == f32::INFINITY;
        if let Some(history) = &mut self.history {
            history.properties.final_set(self.builder.final_of(state).0.graph, cost.graph);
        }
        self.builder.set_final(state, if infinite { Cost::INFINITE } else { cost }, string);
        Some(())
    }

    fn add_arc(
        &mut self,
        state: u32,
        next: &[u8],
        labels: [&[u8]; 2],
        cost: Cost,
        string: Span,
    ) -> Result<Option<()>, String> {
        let (next, [Some(input), Some(output)]) = (self.state(next)?, labels.map(label)) else { return Ok(None) };
        if let Some(history) = &mut self.history {
            let last = history.last[state as usize].replace((input, output));
            history.properties.arc_added(state, Labels { input, output, weight: cost.graph }, next, last);
        }
        self.builder.add_arc(state, Arc { input, output, cost, string, next });
        Ok(Some(()))
    }

    /// The number of a state; all up to it exist from now on.
    fn state(&mut self, word: &[u8]) -> Result<u32, String> {
        let number = label(word).and_then(|number| usize::try_from(number).ok());
        let number = number.ok_or_else(|| format!("expected a state, got \"{}\"", excerpt(word)))?;
        let most = MOST_UNNAMED + 2 * self.lines;
        if number > most {
            return Err(format!("expected a state below {most} in line {}, got {number}", self.lines));
        }
        if let Some(history) = self.history.as_mut().filter(|history| history.last.len() <= number) {
            history.properties.state_added();
            history.last.resize(number + 1, None);
        }
        self.builder.add_states_to(number + 1);
        Ok(number as u32)
    }

    /// The form, the cost and the string of a weight. `None` if it is no weight.
    fn weight(&mut self, word: &[u8]) -> Result<Option<(GraphForm, Cost, Span)>, String> {
        let number = |part| parse_number(part).ok_or_else(|| format!("expected a cost, got \"{}\"", excerpt(word)));
        if self.form == Some(GraphForm::Standard) {
            // Kaldi writes this word, and cannot read it; in an FST it is most often an error of whoever wrote it.
            if word == b"BadNumber" {
                return Ok(None);
            }
            return Ok(Some((GraphForm::Standard, Cost::new(number(word)?, 0.0), Span::EMPTY)));
        }
        let Some((graph, rest)) = split_at_comma(word) else { return Ok(None) };
        let Some((acoustic, text)) = split_at_comma(rest) else {
            return Ok(Some((GraphForm::Plain, Cost::new(number(graph)?, number(rest)?), Span::EMPTY)));
        };
        let cost = Cost::new(number(graph)?, number(acoustic)?);
        Ok(self.string(text).map(|string| (GraphForm::Compact, cost, string)))
    }

    fn string(&mut self, text: &[u8]) -> Option<Span> {
        if text.is_empty() {
            return Some(Span::EMPTY);
        }
        let first = self.builder.num_ids();
        // Kaldi takes an underscore before the first number, and one after the last.
        let text = text.strip_prefix(b"_").unwrap_or(text);
        let text = text.strip_suffix(b"_").unwrap_or(text);
        let mut rest = text;
        loop {
            // Most are a few digits.
            let (mut id, mut length) = (0, 0);
            while let Some(byte @ b'0'..=b'9') = rest.get(length)
                && length < QUICK_DIGITS
            {
                (id, length) = (10 * id + i32::from(byte - b'0'), length + 1);
            }
            match rest.get(length) {
                None if length > 0 => {
                    self.builder.add_id(id);
                    break;
                }
                Some(b'_') if length > 0 => {
                    self.builder.add_id(id);
                    rest = &rest[length + 1..];
                }
                _ => {
                    let (word, after) = split_at(rest, b'_').unwrap_or((rest, b""));
                    self.builder.add_id(label(word)?);
                    if word.len() == rest.len() {
                        break;
                    }
                    rest = after;
                }
            }
        }
        Some(Span::new(first, self.builder.num_ids() - first))
    }
}

/// So many digits are no more than an integer of 32 bits has.
const QUICK_DIGITS: usize = 9;

/// What is before the first comma, and after it.
fn split_at_comma(word: &[u8]) -> Option<(&[u8], &[u8])> {
    split_at(word, b',')
}

fn split_at(word: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let at = memchr(separator, word)?;
    Some((&word[..at], &word[at + 1..]))
}

/// A whole word that is an integer of 32 bits.
fn label(word: &[u8]) -> Option<i32> {
    match kaldi_value::number::parse_integer(word) {
        Ok((number, length)) if length == word.len() => i32::try_from(number).ok(),
        _ => None,
    }
}

/// Appends the text of a graph, from the line end after the key to the empty line.
pub(crate) fn write(graph: &Graph, form: GraphForm, out: &mut Vec<u8>) {
    out.push(b'\n');
    if let Some(start) = graph.start() {
        write_state(graph, form, start, out);
        for state in graph.states().filter(|&state| state != start) {
            write_state(graph, form, state, out);
        }
    }
    out.push(b'\n');
}

fn write_state(graph: &Graph, form: GraphForm, state: u32, out: &mut Vec<u8>) {
    let arcs = graph.arcs(state);
    for arc in arcs {
        kaldi_value::number::write_integer(out, i64::from(state));
        for label in [i64::from(arc.next), i64::from(arc.input)] {
            out.push(b'\t');
            kaldi_value::number::write_integer(out, label);
        }
        let has_two_labels = arc.input != arc.output;
        if form != GraphForm::Compact || has_two_labels {
            out.push(b'\t');
            kaldi_value::number::write_integer(out, i64::from(arc.output));
        }
        if form == GraphForm::Compact && has_two_labels && arc.cost == Cost::ONE && arc.string.is_empty() {
            // Without it, this would be the line of a plain lattice.
            out.extend_from_slice(b"\t0,0,");
        }
        write_weight(graph, form, arc.cost, arc.string, out);
        out.push(b'\n');
    }
    if graph.is_final(state) || arcs.is_empty() {
        kaldi_value::number::write_integer(out, i64::from(state));
        write_weight(graph, form, graph.final_cost(state), graph.final_span(state), out);
        out.push(b'\n');
    }
}

/// Appends a tab and the weight, unless it is a zero cost without a string.
fn write_weight(graph: &Graph, form: GraphForm, cost: Cost, string: Span, out: &mut Vec<u8>) {
    if cost == Cost::ONE && string.is_empty() {
        return;
    }
    out.push(b'\t');
    write_cost_number(out, cost.graph);
    if form == GraphForm::Standard {
        return;
    }
    out.push(b',');
    write_cost_number(out, cost.acoustic);
    if form != GraphForm::Compact {
        return;
    }
    out.push(b',');
    write_ids(graph.string(string), out);
}

/// Appends transition-ids with underscores between them.
fn write_ids(ids: &[i32], out: &mut Vec<u8>) {
    let start = out.len();
    kaldi_value::number::write_i32_row(out, ids);
    if !ids.is_empty() {
        out.pop();
    }
    for byte in &mut out[start..] {
        *byte = if *byte == b' ' { b'_' } else { *byte };
    }
}
