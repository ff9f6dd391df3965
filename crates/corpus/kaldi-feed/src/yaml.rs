//! Configuration files: YAML as a tree with line numbers.

use std::collections::HashMap;
use std::fmt::Write;

use saphyr_parser::{Event, Parser, ScalarStyle};

use crate::{Error, Result};

/// A file has at most this many values. Those of aliases count each time.
const MAX_NODES: usize = 100_000;

/// Lists and maps are nested at most this deep.
const MAX_DEPTH: usize = 64;

/// A value of a configuration file.
#[derive(Clone, Debug, PartialEq)]
pub enum YamlValue {
    /// Nothing: `key:` or `null`.
    Null,
    /// `true` or `false`, and the other words of YAML 1.1 for them.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Another number.
    Float(f64),
    /// Anything else.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// Keys and values in their order.
    Map(Vec<(String, Node)>),
}

/// A value and the line on which it starts, from 1; 0 if it is from no file.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value.
    pub value: YamlValue,
    /// The line.
    pub line: usize,
}

impl Node {
    /// A value that is from no file.
    pub fn new(value: YamlValue) -> Self {
        Self { value, line: 0 }
    }

    /// Parses a text of one document. `name` is what messages call it. An empty text is [`YamlValue::Null`].
    ///
    /// # Errors
    /// If the text is not YAML, there is a second document, a key of a map is not a scalar or comes twice, or it is too large or nested too deep.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let mut builder = Builder { name, parser: Parser::new_from_str(text), anchors: HashMap::new(), num_nodes: 0 };
        let mut top = None;
        while let Some((event, line)) = builder.next()? {
            match event {
                Event::StreamStart | Event::DocumentEnd | Event::Nothing => {}
                Event::StreamEnd => break,
                Event::DocumentStart(_) if top.is_some() => {
                    return Err(builder.error(line, "expected one document, got a second one"));
                }
                Event::DocumentStart(_) => {}
                event => top = Some(builder.node(event, line, 0)?),
            }
        }
        Ok(top.unwrap_or(Self { value: YamlValue::Null, line: 1 }))
    }

    /// The value of a key of a map.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            YamlValue::Map(entries) => entries.iter().find(|entry| entry.0 == key).map(|entry| &entry.1),
            _ => None,
        }
    }
}

struct Builder<'a> {
    name: &'a str,
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
    anchors: HashMap<usize, (Node, usize)>,
    num_nodes: usize,
}

impl<'a> Builder<'a> {
    fn next(&mut self) -> Result<Option<(Event<'a>, usize)>> {
        match self.parser.next_event() {
            None => Ok(None),
            Some(Ok((event, span))) => Ok(Some((event, span.start.line()))),
            Some(Err(error)) => Err(self.error(error.marker().line(), format!("expected YAML: {}", error.info()))),
        }
    }

    fn error(&self, line: usize, message: impl Into<String>) -> Error {
        Error::Conf { place: format!("{}:{line}", self.name), message: message.into() }
    }

    /// Counts values.
    fn count(&mut self, number: usize, line: usize) -> Result<()> {
        self.num_nodes += number;
        if self.num_nodes > MAX_NODES {
            return Err(self.error(line, format!("expected at most {MAX_NODES} values, got more")));
        }
        Ok(())
    }

    /// Parses the value that starts with an event.
    fn node(&mut self, event: Event<'a>, line: usize, depth: usize) -> Result<Node> {
        if depth > MAX_DEPTH {
            return Err(self.error(line, format!("expected at most {MAX_DEPTH} levels of lists and maps, got more")));
        }
        let before = self.num_nodes;
        self.count(1, line)?;
        let (value, anchor) = match event {
            Event::Scalar(text, style, anchor, _) => (scalar(&text, style), anchor),
            Event::SequenceStart(anchor, _) => (self.list(depth)?, anchor),
            Event::MappingStart(anchor, _) => (self.map(depth)?, anchor),
            Event::Alias(anchor) => {
                let Some((node, number)) = self.anchors.get(&anchor).cloned() else {
                    return Err(self.error(line, "expected the alias of a value before it"));
                };
                self.count(number, line)?;
                return Ok(node);
            }
            other => return Err(self.error(line, format!("expected a value, got {other:?}"))),
        };
        let node = Node { value, line };
        if anchor > 0 {
            self.anchors.insert(anchor, (node.clone(), self.num_nodes - before));
        }
        Ok(node)
    }

    fn list(&mut self, depth: usize) -> Result<YamlValue> {
        let mut items = Vec::new();
        while let Some((event, line)) = self.next()? {
            if event == Event::SequenceEnd {
                break;
            }
            items.push(self.node(event, line, depth + 1)?);
        }
        Ok(YamlValue::List(items))
    }

    fn map(&mut self, depth: usize) -> Result<YamlValue> {
        let mut entries: Vec<(String, Node)> = Vec::new();
        let mut known = std::collections::HashSet::new();
        while let Some((event, line)) = self.next()? {
            let key = match event {
                Event::MappingEnd => break,
                Event::Scalar(key, ..) => key.into_owned(),
                _ => return Err(self.error(line, "expected a word as the key, got a list, a map or an alias")),
            };
            if !known.insert(key.clone()) {
                return Err(self.error(line, format!("the key {key:?} comes twice")));
            }
            let Some((event, line)) = self.next()? else { break };
            let node = self.node(event, line, depth + 1)?;
            entries.push((key, node));
        }
        Ok(YamlValue::Map(entries))
    }
}

/// The meaning of an unquoted word.
fn scalar(text: &str, style: ScalarStyle) -> YamlValue {
    if style != ScalarStyle::Plain {
        return YamlValue::Text(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return YamlValue::Null,
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => return YamlValue::Bool(true),
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => return YamlValue::Bool(false),
        ".inf" | "+.inf" => return YamlValue::Float(f64::INFINITY),
        "-.inf" => return YamlValue::Float(f64::NEG_INFINITY),
        ".nan" => return YamlValue::Float(f64::NAN),
        _ => {}
    }
    if let Some(number) = integer(text) {
        return YamlValue::Int(number);
    }
    // These are no numbers in YAML 1.1: 018, 0o17.
    let digits = text.trim_start_matches(['+', '-']);
    if digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return YamlValue::Text(text.to_owned());
    }
    let is_number = text.starts_with(|it: char| it.is_ascii_digit() || "+-.".contains(it))
        && text.contains(|it: char| it.is_ascii_digit());
    match text.parse() {
        Ok(number) if is_number => YamlValue::Float(number),
        _ => YamlValue::Text(text.to_owned()),
    }
}

/// A whole number as in YAML 1.1, which WeNet's reader has: `17`, `017` (octal), `0x11`, `0b1001`, `1:30` (of base 60), each
/// with underscores between the digits.
fn integer(text: &str) -> Option<i64> {
    let (is_negative, digits) = match text.strip_prefix(['-', '+']) {
        Some(digits) => (text.starts_with('-'), digits),
        None => (false, text),
    };
    let (base, digits) = match digits.as_bytes() {
        [b'0', b'x', ..] => (16, &digits[2..]),
        [b'0', b'b', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    if !digits.starts_with(|it: char| it.is_ascii_alphanumeric()) && base == 10 {
        return None;
    }
    let mut number = 0_i64;
    for (place, part) in digits.split(':').enumerate() {
        let part = part.replace('_', "");
        let is_plain = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let value = i64::from_str_radix(&part, base).ok().filter(|_| is_plain)?;
        if place > 0 && (base != 10 || part.len() > 2 || value >= 60) {
            return None;
        }
        let step = if place > 0 { 60 } else { 1 };
        number = number.checked_mul(step)?.checked_add(if is_negative { -value } else { value })?;
    }
    Some(number)
}

impl std::fmt::Display for YamlValue {
    /// On one line, in YAML's flow style.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Float(value) if value.is_nan() => f.write_str(".nan"),
            Self::Float(value) if value.is_infinite() => f.write_str(if *value > 0.0 { ".inf" } else { "-.inf" }),
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Text(text) => f.write_str(&quoted(text)),
            Self::List(items) => {
                f.write_char('[')?;
                for (place, item) in items.iter().enumerate() {
                    write!(f, "{}{}", if place > 0 { ", " } else { "" }, item.value)?;
                }
                f.write_char(']')
            }
            Self::Map(entries) => {
                f.write_char('{')?;
                for (place, (key, item)) in entries.iter().enumerate() {
                    write!(f, "{}{}: {}", if place > 0 { ", " } else { "" }, quoted(key), item.value)?;
                }
                f.write_char('}')
            }
        }
    }
}

/// A text in YAML: unquoted if that means the same.
fn quoted(text: &str) -> String {
    let is_word = text.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_' || it == '/')
        && text.chars().all(|it| it.is_ascii_alphanumeric() || "_-./+".contains(it));
    if is_word && matches!(scalar(text, ScalarStyle::Plain), YamlValue::Text(_)) {
        return text.to_owned();
    }
    let mut out = String::from("\"");
    for it in text.chars() {
        match it {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            it if it.is_control() || matches!(it, '\u{feff}' | '\u{2028}' | '\u{2029}') => {
                out.push_str(&format!("\\U{:08x}", u32::from(it)));
            }
            it => out.push(it),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> String {
        Node::parse("conf.yaml", text).unwrap().value.to_string()
    }

    fn refused(text: &str) -> String {
        Node::parse("conf.yaml", text).unwrap_err().to_string()
    }

    #[test]
    fn words_have_their_types() {
        let text =
            "a: 1\nb: 1.0\nc: -1.5e-3\nd: true\ne: off\nf: char\ng: '1'\nh:\ni: [1, x y]\nj: {<unk>: 1}\nk: '1_0'\n";
        let expected = "{a: 1, b: 1.0, c: -0.0015, d: true, e: false, f: char, g: \"1\", h: null, i: [1, \"x y\"], \
                        j: {\"<unk>\": 1}, k: \"1_0\"}";
        assert_eq!(parsed(text), expected);
        assert_eq!(parsed(expected), expected);
        assert_eq!(parsed(""), "null");
        assert_eq!(parsed("# nothing\n"), "null");
    }

    /// What PyYAML, with which WeNet reads, makes of them.
    #[test]
    fn whole_numbers_are_those_of_yaml_1_1() {
        let numbers = [
            ("017", "15"),
            ("-017", "-15"),
            ("0x1F", "31"),
            ("0b101", "5"),
            ("1_000", "1000"),
            ("+12", "12"),
            ("0", "0"),
            ("00", "0"),
            ("-0", "0"),
            ("1:30", "90"),
            ("190:20:30", "685230"),
            ("9223372036854775807", "9223372036854775807"),
            ("018", "\"018\""),
            ("0o17", "\"0o17\""),
            ("1:60", "\"1:60\""),
            ("_1", "_1"),
        ];
        for (text, expected) in numbers {
            assert_eq!(parsed(text), expected, "{text}");
        }
    }

    #[test]
    fn a_second_document_is_refused() {
        assert_eq!(parsed("---\na: 1\n...\n"), "{a: 1}");
        assert_eq!(refused("a: 1\n---\nb: 2\n"), "conf.yaml:2: expected one document, got a second one");
        assert_eq!(refused("---\n---\nb: 2\n"), "conf.yaml:2: expected one document, got a second one");
    }

    #[test]
    fn what_is_printed_means_the_same() {
        for text in ["no", "-", "", "1e5", ".5", "a: b", "\u{7}\"\\\n", "a/b.c", "~", "_x", "ünïcode", "+", "0x1"] {
            let node = Node::new(YamlValue::Text(text.to_owned()));
            let again = Node::parse("x", &format!("[{}]", node.value)).unwrap();
            assert_eq!(again.value, YamlValue::List(vec![Node { line: 1, ..node }]), "{text:?}");
        }
    }

    #[test]
    fn aliases_stand_for_values() {
        assert_eq!(parsed("a: &x [1, 2]\nb: *x\n"), "{a: [1, 2], b: [1, 2]}");
    }

    #[test]
    fn lines_are_kept_and_told() {
        let node = Node::parse("x", "a: 1\n\nb:\n  c: 2\n").unwrap();
        assert_eq!(node.get("b").and_then(|b| b.get("c")).map(|c| c.line), Some(4));
        assert_eq!(refused("a: 1\na: 2\n"), "conf.yaml:2: the key \"a\" comes twice");
        assert!(refused("a: [1\n").starts_with("conf.yaml:2: expected YAML: "), "{}", refused("a: [1\n"));
        assert_eq!(refused("? [a]\n: 1\n"), "conf.yaml:1: expected a word as the key, got a list, a map or an alias");
    }

    #[test]
    fn no_file_fills_the_memory() {
        let mut bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n".to_owned();
        for level in 1..30 {
            let before = level - 1;
            let items = vec![format!("*a{before}"); 10].join(", ");
            bomb.push_str(&format!("a{level}: &a{level} [{items}]\n"));
        }
        assert!(refused(&bomb).ends_with("expected at most 100000 values, got more"));
        let deep = "[".repeat(5000);
        let error = refused(&deep);
        assert!(error.contains("levels of lists and maps, got more") || error.contains("expected YAML"), "{error}");
    }
}
