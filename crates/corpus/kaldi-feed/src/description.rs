//! Chains as text.

use std::fmt;

use kaldi_io::Commands;

use crate::yaml::{Node, YamlValue};
use crate::{Error, Result};

/// Stages that change the training data from pass to pass. Validation does not use them.
const TRAINING: [&str; 7] = ["list_shuffle", "cycle", "speed_perturb", "spec_aug", "spec_sub", "spec_trim", "shuffle"];

/// The stages of a chain, each with its parameters, in YAML.
///
/// ```
/// let text = "- filter: {min_length: 20}\n- fbank: {num_mel_bins: 80}\n- sort\n";
/// let description = kaldi_feed::Description::parse("chain.yaml", text)?;
/// assert_eq!(description.to_string(), "- filter: {min_length: 20}\n- fbank: {num_mel_bins: 80}\n- sort: {}\n");
/// # Ok::<(), kaldi_feed::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    pub(crate) file: String,
    pub(crate) stages: Vec<(String, Node)>,
    pub(crate) commands: Commands,
}

impl Description {
    /// A chain without stages; `file` is what messages call it.
    pub fn new(file: &str) -> Self {
        Self { file: file.to_owned(), stages: Vec::new(), commands: Commands::Refuse }
    }

    /// Says what happens if the text of the chain names commands in place of files; they are refused by default. A value that was
    /// [set](Self::set) may be one.
    pub fn with_commands(self, commands: Commands) -> Self {
        Self { commands, ..self }
    }

    /// Parses the text of the file `name`: a list of stages, each a name, or a map of one name to its parameters.
    ///
    /// # Errors
    /// If it is something else.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let top = Node::parse(name, text)?;
        let error = |line: usize, got: &YamlValue| Error::Conf {
            place: format!("{name}:{line}"),
            message: format!("expected a list of stages, such as \"- filter: {{min_length: 20}}\", got {got}"),
        };
        let items = match top.value {
            YamlValue::List(items) => items,
            YamlValue::Null => Vec::new(),
            other => return Err(error(top.line, &other)),
        };
        let mut description = Self::new(name);
        for Node { value, line } in items {
            let stage = match value {
                YamlValue::Text(stage) => (stage, Node { value: YamlValue::Null, line }),
                YamlValue::Map(mut entries) if entries.len() == 1 => entries.remove(0),
                other => return Err(error(line, &other)),
            };
            description.stages.push(stage);
        }
        Ok(description)
    }

    /// Adds a stage.
    pub fn push(&mut self, name: &str, parameters: Node) {
        self.stages.push((name.to_owned(), parameters));
    }

    /// Sets a parameter of every stage of this name; returns whether there is one.
    pub fn set(&mut self, stage: &str, parameter: &str, value: YamlValue) -> bool {
        let mut found = false;
        for (_, node) in self.stages.iter_mut().filter(|it| it.0 == stage) {
            found = true;
            if node.value == YamlValue::Null {
                node.value = YamlValue::Map(Vec::new());
            }
            if let YamlValue::Map(entries) = &mut node.value {
                entries.retain(|entry| entry.0 != parameter);
                entries.push((parameter.to_owned(), Node::new(value.clone())));
            }
        }
        found
    }

    /// Puts a stage before the first of those that put samples in order or make batches.
    pub fn push_before_order(&mut self, name: &str, parameter: &str, value: YamlValue) {
        let is_order = |stage: &(String, Node)| ["shuffle", "sort", "batch", "padding"].contains(&stage.0.as_str());
        let at = self.stages.iter().position(is_order).unwrap_or(self.stages.len());
        let parameters = YamlValue::Map(vec![(parameter.to_owned(), Node::new(value))]);
        self.stages.insert(at, (name.to_owned(), Node::new(parameters)));
    }

    /// Removes all stages of this name.
    pub fn without(mut self, stage: &str) -> Self {
        self.stages.retain(|it| it.0 != stage);
        self
    }

    /// Removes what changes from pass to pass, shuffling and augmentation, for validation data.
    pub fn without_training_stages(mut self) -> Self {
        self.stages.retain(|stage| !TRAINING.contains(&stage.0.as_str()));
        self
    }
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, node) in &self.stages {
            match &node.value {
                YamlValue::Null => writeln!(f, "- {name}: {{}}")?,
                value => writeln!(f, "- {name}: {value}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_list_of_stages_is_refused() {
        for text in ["a: 1", "[1]", "- {a: 1, b: 2}", "- []", "x"] {
            let error = Description::parse("c.yaml", text).unwrap_err().to_string();
            assert!(error.starts_with("c.yaml:1: expected a list of stages"), "{error}");
        }
        assert_eq!(Description::parse("c.yaml", "").unwrap().stages.len(), 0);
    }

    #[test]
    fn a_validation_has_no_random_stages() {
        let text = "- list_shuffle\n- filter\n- spec_aug: {max_t: 3}\n- shuffle\n- sort\n";
        let description = Description::parse("c.yaml", text).unwrap().without_training_stages();
        assert_eq!(description.to_string(), "- filter: {}\n- sort: {}\n");
    }
}
