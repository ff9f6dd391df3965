//! Pictures of trees.

use std::fmt::Write;

use super::{ContextDependency, Event, EventNode, PDF_CLASS, TreeError};

/// How a tree is drawn.
pub struct TreeDrawing<'a> {
    /// The name of a phone; `None` if it has none.
    pub symbol: &'a dyn Fn(i32) -> Option<String>,
    /// An event whose path is red and thick.
    pub query: Option<&'a Event>,
    /// Whether the phones of questions are tooltips instead of labels.
    pub use_tooltips: bool,
}

/// A step of drawing.
enum Step<'a> {
    /// Draws a node with this number.
    Node { at: usize, number: usize, query: Option<&'a Event> },
    /// Draws the arrow to the next node, and that node unless it is missing.
    Child { from: usize, arrow: String, at: Option<usize>, query: Option<&'a Event> },
}

impl TreeDrawing<'_> {
    /// Describes a tree in the language of GraphViz (`dot`).
    ///
    /// # Errors
    /// If the tree asks for a key that is no position in its window, or a phone has no symbol.
    pub fn draw(&self, tree: &ContextDependency) -> Result<String, TreeError> {
        let mut text = "digraph EventMap {\n".to_owned();
        let mut steps = vec![Step::Node { at: 0, number: 0, query: self.query }];
        let mut next = 1;
        while let Some(step) = steps.pop() {
            match step {
                Step::Node { at, number, query } => {
                    let mut children = self.node(tree, at, number, query, &mut text)?;
                    children.reverse();
                    steps.extend(children);
                }
                Step::Child { from, arrow, at, query } => {
                    let _ = writeln!(text, "\t{from} -> {next}{arrow}");
                    steps.extend(at.map(|at| Step::Node { at, number: next, query }));
                    next += 1;
                }
            }
        }
        Ok(text + "}\n")
    }

    /// Draws a node; returns the steps that draw its children.
    fn node<'a>(
        &self,
        tree: &ContextDependency,
        at: usize,
        number: usize,
        query: Option<&'a Event>,
        text: &mut String,
    ) -> Result<Vec<Step<'a>>, TreeError> {
        let look = |is_asked: bool| if is_asked { ("red", 3) } else { ("black", 1) };
        let (color, width) = look(query.is_some());
        let key = match &tree.to_pdf().nodes()[at] {
            EventNode::Leaf(answer) => {
                let shape = format!("shape=doublecircle, label={answer},color={color}, penwidth={width}");
                let _ = writeln!(text, "{number}[{shape}];");
                return Ok(Vec::new());
            }
            EventNode::Table { key, .. } | EventNode::Split { key, .. } => *key,
        };
        let question = question(tree, key)?;
        let _ = writeln!(text, "{number}[label={question}, color={color}, penwidth={width}];");
        let value = query.and_then(|query| query.get(key));
        let mut children = Vec::new();
        match &tree.to_pdf().nodes()[at] {
            EventNode::Leaf(_) => {}
            EventNode::Table { children: maps, .. } => {
                for (child, &map) in (0..).zip(maps) {
                    if key != PDF_CLASS && child == 0 {
                        if map.is_some() {
                            let message = "expected no part of a table for phone 0, which stands for no phone";
                            return Err(TreeError::PhoneSets(message.to_owned()));
                        }
                        continue;
                    }
                    let is_asked = value == Some(child);
                    let (color, width) = look(is_asked);
                    let label = self.label(key, child)?;
                    let arrow = format!(" [label={label}, color={color}, penwidth={width}];");
                    let query = query.filter(|_| is_asked);
                    children.push(Step::Child { from: number, arrow, at: map, query });
                }
            }
            EventNode::Split { yes_set, yes, no, .. } => {
                let is_yes = value.is_some_and(|value| yes_set.contains(value));
                let labels = yes_set.values().iter().map(|&value| self.label(key, value));
                let labels = labels.collect::<Result<Vec<_>, _>>()?.join(", ");
                let (color, width) = look(query.is_some() && is_yes);
                let label = match self.use_tooltips {
                    true => format!("tooltip=\"{labels}\", label=YES, penwidth={width}"),
                    false => format!("label=\"{labels}\", penwidth={width}, penwidth={width}"),
                };
                let arrow = format!(" [{label}, color={color}];");
                children.push(Step::Child { from: number, arrow, at: Some(*yes), query: query.filter(|_| is_yes) });
                let (color, width) = look(query.is_some() && !is_yes);
                let arrow = format!("[label=NO, color={color}, penwidth={width}];");
                children.push(Step::Child { from: number, arrow, at: Some(*no), query: query.filter(|_| !is_yes) });
            }
        }
        Ok(children)
    }

    /// A value of a key in words.
    fn label(&self, key: i32, value: i32) -> Result<String, TreeError> {
        if key == PDF_CLASS {
            return Ok(value.to_string());
        }
        (self.symbol)(value).ok_or_else(|| TreeError::PhoneSets(format!("phone {value} of the tree has no symbol")))
    }
}

/// What a node asks for. As in Kaldi, the first phone of a window has a name only in windows of one phone and in windows of
/// three with the phone itself in the middle.
fn question(tree: &ContextDependency, key: i32) -> Result<String, TreeError> {
    let (width, central) = (tree.context_width(), tree.central_position());
    Ok(match key {
        PDF_CLASS => "\"PdfClass = ?\"".to_owned(),
        0 => match (width, central) {
            (1, 0) => "\"Phone = ?\"".to_owned(),
            (3, 1) => "\"LContext = ?\"".to_owned(),
            _ => String::new(),
        },
        2 if (width, central) == (3, 1) => "\"RContext = ?\"".to_owned(),
        _ if !(0..width).contains(&key) => {
            let message = format!("expected keys from -1 to {} in a tree of width {width}, got {key}", width - 1);
            return Err(TreeError::Options(message));
        }
        _ if key == central => "\"Center = ?\"".to_owned(),
        _ => format!("\"Ctx Position {key} = ?\""),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EventMap;

    #[test]
    fn a_missing_part_of_a_table_is_an_arrow_without_a_node() {
        let map = EventMap::table(0, vec![None, Some(EventMap::leaf(4)), None]);
        let tree = ContextDependency::new(1, 0, map);
        let symbol = |phone: i32| Some(format!("P{phone}"));
        let drawing = TreeDrawing { symbol: &symbol, query: None, use_tooltips: false };
        let expected = "digraph EventMap {\n0[label=\"Phone = ?\", color=black, penwidth=1];\n\
                        \t0 -> 1 [label=P1, color=black, penwidth=1];\n\
                        1[shape=doublecircle, label=4,color=black, penwidth=1];\n\
                        \t0 -> 2 [label=P2, color=black, penwidth=1];\n}\n";
        assert_eq!(drawing.draw(&tree).unwrap(), expected);
    }

    #[test]
    fn trees_that_cannot_be_drawn_are_refused() {
        let error = |map: EventMap| {
            let drawing = TreeDrawing { symbol: &|_| None, query: None, use_tooltips: false };
            drawing.draw(&ContextDependency::new(1, 0, map)).unwrap_err().to_string()
        };
        let leaf = || EventMap::leaf(0);
        let message = "expected keys from -1 to 0 in a tree of width 1, got 1";
        assert_eq!(error(EventMap::split(1, vec![1], leaf(), leaf())), message);
        assert_eq!(error(EventMap::split(0, vec![5], leaf(), leaf())), "phone 5 of the tree has no symbol");
        let message = "expected no part of a table for phone 0, which stands for no phone";
        assert_eq!(error(EventMap::table(0, vec![Some(leaf())])), message);
    }
}
