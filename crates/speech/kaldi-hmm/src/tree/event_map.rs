//! Maps from events to answers: trees of questions about the values of keys.

use kaldi_io::{ParseError, excerpt};
use kaldi_value::{Cursor, Format, write_basic, write_int_vector, write_token};

use super::{Event, EventSet};

/// A map from events to answers (numbers of pdfs), as a tree whose leaves are the answers.
///
/// The nodes are in one list, the root first and every other node after its parent, so that no depth of a tree can
/// exhaust the stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventMap {
    nodes: Vec<EventNode>,
}

/// A node of an [`EventMap`]. Other nodes are named by their index in [`EventMap::nodes`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventNode {
    /// The answer.
    Leaf(i32),
    /// The value of a key is the index of the child that knows more.
    Table {
        /// The key.
        key: i32,
        /// The children; `None` if there is no answer for a value.
        children: Vec<Option<usize>>,
    },
    /// One child knows more if the value of a key is in a set, the other one if it is not.
    Split {
        /// The key.
        key: i32,
        /// The set.
        yes_set: EventSet,
        /// The child if the value is in the set.
        yes: usize,
        /// The child if it is not.
        no: usize,
    },
}

impl EventMap {
    /// The map that gives the same answer to all events.
    pub fn leaf(answer: i32) -> Self {
        Self { nodes: vec![EventNode::Leaf(answer)] }
    }

    /// The map that gives the answer of the child that the value of `key` is the index of.
    pub fn table(key: i32, maps: Vec<Option<Self>>) -> Self {
        let mut nodes = vec![EventNode::Table { key, children: Vec::new() }];
        let children = maps.into_iter().map(|map| map.map(|map| append(&mut nodes, map))).collect();
        nodes[0] = EventNode::Table { key, children };
        Self { nodes }
    }

    /// The map that gives the answer of `yes` if the value of `key` is one of `yes_set`, else that of `no`.
    pub fn split(key: i32, yes_set: Vec<i32>, yes: Self, no: Self) -> Self {
        let mut nodes = vec![EventNode::Leaf(0)];
        let yes = append(&mut nodes, yes);
        let no = append(&mut nodes, no);
        nodes[0] = EventNode::Split { key, yes_set: EventSet::new(yes_set), yes, no };
        Self { nodes }
    }

    /// The map of these nodes: the root first, and every other node after its parent.
    pub(super) fn from_nodes(nodes: Vec<EventNode>) -> Self {
        Self { nodes }
    }

    /// This map with other maps in the place of answers, or the same answer if `map` returns `None`.
    pub(super) fn with_leaves<'a>(&self, map: impl Fn(i32) -> Option<&'a Self>) -> Self {
        let mut nodes = self.nodes.clone();
        for at in 0..self.nodes.len() {
            let EventNode::Leaf(answer) = self.nodes[at] else { continue };
            let Some(map) = map(answer) else { continue };
            // Its root has the place of the leaf, and the others follow at the end.
            let offset = nodes.len() - 1;
            let moved = |child: usize| child + offset;
            let mut others = map.nodes.iter().map(|node| node.with_children(moved));
            if let Some(root) = others.next() {
                nodes[at] = root;
                nodes.extend(others);
            }
        }
        Self { nodes }
    }

    /// This map with other answers.
    pub(super) fn with_answers(&self, answer: impl Fn(i32) -> i32) -> Self {
        let nodes = self.nodes.iter().map(|node| match node {
            EventNode::Leaf(old) => EventNode::Leaf(answer(*old)),
            other => other.clone(),
        });
        Self { nodes: nodes.collect() }
    }

    /// The nodes: the root first, and every other node after its parent.
    pub fn nodes(&self) -> &[EventNode] {
        &self.nodes
    }

    /// The answer to an event; `None` if a key is asked for that is not known, or there is no answer.
    pub fn answer(&self, event: &Event) -> Option<i32> {
        let mut at = 0;
        loop {
            at = match &self.nodes[at] {
                EventNode::Leaf(answer) => return Some(*answer),
                EventNode::Table { key, children } => child_of(children, event.get(*key)?)?,
                EventNode::Split { key, yes_set, yes, no } => match yes_set.contains(event.get(*key)?) {
                    true => *yes,
                    false => *no,
                },
            };
        }
    }

    /// All answers that there may be to an event in which keys can be missing, in ascending order, each once.
    pub fn possible_answers(&self, event: &Event) -> Vec<i32> {
        let mut answers = Vec::new();
        let mut left = vec![0];
        while let Some(at) = left.pop() {
            match &self.nodes[at] {
                EventNode::Leaf(answer) => answers.push(*answer),
                EventNode::Table { key, children } => match event.get(*key) {
                    Some(value) => left.extend(child_of(children, value)),
                    None => left.extend(children.iter().flatten()),
                },
                EventNode::Split { key, yes_set, yes, no } => match event.get(*key) {
                    Some(value) if yes_set.contains(value) => left.push(*yes),
                    Some(_) => left.push(*no),
                    None => left.extend([*yes, *no]),
                },
            }
        }
        answers.sort_unstable();
        answers.dedup();
        answers
    }

    /// The largest answer, `None` if there is none.
    pub fn largest_answer(&self) -> Option<i32> {
        let answers = self.nodes.iter().filter_map(|node| match node {
            EventNode::Leaf(answer) => Some(*answer),
            _ => None,
        });
        answers.max()
    }

    /// The keys whose values make a difference, in ascending order.
    pub fn keys(&self) -> Vec<i32> {
        let keys = self.nodes.iter().filter_map(|node| match node {
            EventNode::Leaf(_) => None,
            EventNode::Table { key, .. } | EventNode::Split { key, .. } => Some(*key),
        });
        let mut keys: Vec<i32> = keys.collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Reads a map, which is `None` if the word `NULL` stands in its place.
    ///
    /// # Errors
    /// If the bytes are no map.
    pub(crate) fn read_part(cursor: &mut Cursor<'_>) -> Result<Option<Self>, ParseError> {
        let mut nodes = Vec::new();
        let mut open: Vec<OpenNode> = Vec::new();
        loop {
            let start = cursor.offset();
            let mut whole = match read_node(cursor, &mut nodes)? {
                ReadNode::Whole(child) => Some(child),
                ReadNode::Open(node) => {
                    open.push(node);
                    None
                }
            };
            // The last child makes its parent whole.
            loop {
                match (whole.take(), open.last_mut()) {
                    (Some(child), None) => return Ok(child.map(|_| Self { nodes })),
                    (Some(None), Some(OpenNode { yes_set: Some(_), .. })) => {
                        return Err(ParseError::new(start, "expected two maps after a question, got NULL"));
                    }
                    (Some(child), Some(parent)) => parent.children.push(child),
                    (None, _) => {}
                }
                match open.pop_if(|parent| parent.children.len() == parent.size as usize) {
                    Some(parent) => whole = Some(Some(parent.close(cursor, &mut nodes)?)),
                    None => break,
                }
            }
        }
    }

    /// Appends what [`EventMap::read_part`] reads.
    pub(crate) fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        enum Part {
            Node(Option<usize>),
            Word(&'static [u8]),
        }
        let mut left = vec![Part::Node(Some(0))];
        while let Some(part) = left.pop() {
            let node = match part {
                Part::Node(Some(at)) => &self.nodes[at],
                Part::Node(None) => {
                    write_token(out, b"NULL");
                    continue;
                }
                Part::Word(word) => {
                    write_token(out, word);
                    format.end_line(out);
                    continue;
                }
            };
            match node {
                EventNode::Leaf(answer) => {
                    write_token(out, b"CE");
                    write_basic(out, format, *answer);
                }
                EventNode::Table { key, children } => {
                    write_token(out, b"TE");
                    write_basic(out, format, *key);
                    write_basic(out, format, children.len() as u32);
                    write_token(out, b"(");
                    left.push(Part::Word(b")"));
                    left.extend(children.iter().rev().map(|&child| Part::Node(child)));
                }
                EventNode::Split { key, yes_set, yes, no } => {
                    write_token(out, b"SE");
                    write_basic(out, format, *key);
                    write_int_vector(out, format, yes_set.values());
                    write_token(out, b"{");
                    left.extend([Part::Word(b"}"), Part::Node(Some(*no)), Part::Node(Some(*yes))]);
                }
            }
        }
    }
}

/// What [`read_node`] found.
enum ReadNode {
    /// A node without children, or `None` for `NULL`.
    Whole(Option<usize>),
    /// A node whose children follow.
    Open(OpenNode),
}

/// A table or a question whose children are being read.
struct OpenNode {
    /// The index of the node.
    at: usize,
    key: i32,
    /// How many children there shall be: a claim of the file.
    size: u32,
    /// The set of a question; `None` for a table.
    yes_set: Option<Vec<i32>>,
    children: Vec<Option<usize>>,
}

impl OpenNode {
    /// Reads the bracket after the children, and puts the node into the list.
    fn close(self, cursor: &mut Cursor<'_>, nodes: &mut [EventNode]) -> Result<usize, ParseError> {
        let Self { at, key, yes_set, children, .. } = self;
        nodes[at] = match (yes_set, &children[..]) {
            (Some(yes_set), &[Some(yes), Some(no)]) => {
                cursor.expect_token("}")?;
                EventNode::Split { key, yes_set: EventSet::new(yes_set), yes, no }
            }
            _ => {
                cursor.expect_token(")")?;
                EventNode::Table { key, children }
            }
        };
        Ok(at)
    }
}

/// Reads a node, up to the bracket before its children.
fn read_node(cursor: &mut Cursor<'_>, nodes: &mut Vec<EventNode>) -> Result<ReadNode, ParseError> {
    let at = nodes.len();
    cursor.skip_space();
    let start = cursor.offset();
    match cursor.read_token()? {
        b"NULL" => Ok(ReadNode::Whole(None)),
        b"CE" => {
            nodes.push(EventNode::Leaf(cursor.read_basic()?));
            Ok(ReadNode::Whole(Some(at)))
        }
        word @ (b"TE" | b"SE") => {
            let key = cursor.read_basic()?;
            let (size, yes_set, bracket) = match word {
                b"TE" => (cursor.read_basic()?, None, "("),
                _ => (2, Some(cursor.read_int_vector()?), "{"),
            };
            cursor.expect_token(bracket)?;
            nodes.push(EventNode::Leaf(0));
            Ok(ReadNode::Open(OpenNode { at, key, size, yes_set, children: Vec::new() }))
        }
        word => {
            let message = format!("expected a map (CE, TE, SE or NULL), got \"{}\"", excerpt(word));
            Err(ParseError::new(start, message))
        }
    }
}

fn child_of(children: &[Option<usize>], value: i32) -> Option<usize> {
    *children.get(usize::try_from(value).ok()?)?
}

/// Appends the nodes of a map, and returns the index of its root.
fn append(nodes: &mut Vec<EventNode>, map: EventMap) -> usize {
    let start = nodes.len();
    nodes.extend(map.nodes.iter().map(|node| node.with_children(|child| child + start)));
    start
}

impl EventNode {
    /// This node with other indexes of its children.
    fn with_children(&self, index: impl Fn(usize) -> usize) -> Self {
        match self {
            Self::Leaf(answer) => Self::Leaf(*answer),
            Self::Table { key, children } => {
                Self::Table { key: *key, children: children.iter().map(|child| child.map(&index)).collect() }
            }
            Self::Split { key, yes_set, yes, no } => {
                Self::Split { key: *key, yes_set: yes_set.clone(), yes: index(*yes), no: index(*no) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(text: &str) -> EventMap {
        EventMap::read_part(&mut Cursor::new(text.as_bytes())).unwrap().unwrap()
    }

    fn error(text: &str) -> String {
        EventMap::read_part(&mut Cursor::new(text.as_bytes())).unwrap_err().to_string()
    }

    /// Class 0: by phone 1 in the middle, and there by phone 2 at the left; all others: 12.
    const TEXT: &str = "SE -1 [ 0 ]\n{ TE 1 4 ( NULL CE 3 SE 0 [ 1 2 9 ]\n{ CE 0 CE 7 } \nNULL ) \nCE 12 } \n";

    #[test]
    fn answers_come_from_the_questions() {
        let map = map(TEXT);
        let answer = |pairs: &[(i32, i32)]| map.answer(&Event::new(pairs.to_vec()));
        assert_eq!(answer(&[(1, 1), (-1, 0)]), Some(3));
        assert_eq!(answer(&[(1, 2), (-1, 0), (0, 9)]), Some(0));
        assert_eq!(answer(&[(1, 2), (-1, 0), (0, 3)]), Some(7));
        assert_eq!(answer(&[(-1, 1)]), Some(12));
        // No such value, a value without an answer, a key that is not known.
        assert_eq!(answer(&[(1, 4), (-1, 0)]), None);
        assert_eq!(answer(&[(1, -1), (-1, 0)]), None);
        assert_eq!(answer(&[(1, 3), (-1, 0)]), None);
        assert_eq!(answer(&[(1, 2), (-1, 0)]), None);
        assert_eq!(answer(&[(1, 2)]), None);
    }

    #[test]
    fn all_answers_are_possible_if_a_key_is_not_known() {
        let map = map(TEXT);
        let answers = |pairs: &[(i32, i32)]| map.possible_answers(&Event::new(pairs.to_vec()));
        assert_eq!(answers(&[]), [0, 3, 7, 12]);
        assert_eq!(answers(&[(1, 2)]), [0, 7, 12]);
        assert_eq!(answers(&[(1, 2), (-1, 0), (0, 9)]), [0]);
        assert!(answers(&[(1, 9), (-1, 0)]).is_empty());
        assert_eq!(map.largest_answer(), Some(12));
        assert_eq!(map.keys(), [-1, 0, 1]);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let map = map(TEXT);
        let mut text = Vec::new();
        map.write_part(&mut text, Format::Text);
        assert_eq!(String::from_utf8(text).unwrap(), TEXT);
        let built = EventMap::split(
            -1,
            vec![0],
            EventMap::table(
                1,
                vec![
                    None,
                    Some(EventMap::leaf(3)),
                    Some(EventMap::split(0, vec![1, 2, 9], EventMap::leaf(0), EventMap::leaf(7))),
                    None,
                ],
            ),
            EventMap::leaf(12),
        );
        assert_eq!(built, map);
    }

    #[test]
    fn a_set_is_a_set_in_any_order() {
        let map = map("SE 0 [ 9 1 5 ]\n{ CE 0 CE 1 } ");
        assert_eq!(map.answer(&Event::new(vec![(0, 1)])), Some(0));
        assert_eq!(map.answer(&Event::new(vec![(0, 2)])), Some(1));
    }

    #[test]
    fn maps_may_be_nested_deeply() {
        let depth = 200_000;
        let text = "SE 0 [ 1 ]\n{ ".repeat(depth) + "CE 0 " + &"CE 1 } ".repeat(depth);
        let map = map(&text);
        assert_eq!(map.answer(&Event::new(vec![(0, 1)])), Some(0));
        assert_eq!(map.possible_answers(&Event::default()), [0, 1]);
        let mut written = Vec::new();
        map.write_part(&mut written, Format::Text);
        assert!(written.len() > text.len());
    }

    #[test]
    fn damaged_maps_are_refused() {
        assert_eq!(error("XE 0 "), "expected a map (CE, TE, SE or NULL), got \"XE\"");
        assert_eq!(error("TE 0 3 ( CE 1 CE 2 ) "), "expected a map (CE, TE, SE or NULL), got \")\"");
        assert_eq!(error("TE 0 1 ( CE 1 CE 2 ) "), "expected token \")\", got \"CE\"");
        assert_eq!(error("SE 0 [ 1 ]\n{ CE 1 NULL } "), "expected two maps after a question, got NULL");
        assert!(error("TE 0 4000000000 ( CE 1 ").ends_with("expected a token and a space, got the end of the input"));
        assert_eq!(EventMap::read_part(&mut Cursor::new(b"NULL ")), Ok(None));
    }
}
