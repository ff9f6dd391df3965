//! The parameters of a stage.

use kaldi_io::{Commands, closest_names};

use crate::yaml::{Node, YamlValue};
use crate::{Error, Result};

/// The parameters of one stage, from a configuration. The constructor of a stage asks for each by its name. A parameter
/// that nobody asked for is an error. What was asked for, including defaults, is the stage's description.
#[derive(Debug)]
pub struct Params {
    place: String,
    stage: String,
    given: Vec<(String, Node)>,
    asked: Vec<(String, YamlValue)>,
    commands: Commands,
}

impl Params {
    /// Takes the parameters of a stage, a map or nothing. `file` is what messages call the configuration.
    ///
    /// # Errors
    /// If they are something else.
    pub fn new(file: &str, stage: &str, node: &Node) -> Result<Self> {
        let place = if node.line > 0 { format!("{file}:{}", node.line) } else { file.to_owned() };
        let given = match &node.value {
            YamlValue::Map(entries) => entries.clone(),
            YamlValue::Null => Vec::new(),
            other => {
                let message = format!("expected the parameters of {stage}, such as a: 1, got {other}");
                return Err(Error::Conf { place, message });
            }
        };
        Ok(Self {
            place: file.to_owned(),
            stage: stage.to_owned(),
            given,
            asked: Vec::new(),
            commands: Commands::Refuse,
        })
    }

    /// Says what happens to commands in place of files; they are refused by default.
    pub fn with_commands(self, commands: Commands) -> Self {
        Self { commands, ..self }
    }

    /// The name of the stage.
    pub fn stage(&self) -> &str {
        &self.stage
    }

    /// An error about a parameter, with its place.
    pub fn error(&self, name: &str, expected: &str, got: impl std::fmt::Display) -> Error {
        self.wrong(name, format!("expected {}'s {name} to be {expected}, got {got}", self.stage))
    }

    fn wrong(&self, name: &str, message: String) -> Error {
        let line = self.given.iter().find(|given| given.0 == name).map_or(0, |given| given.1.line);
        let place = if line > 0 { format!("{}:{line}", self.place) } else { self.place.clone() };
        Error::Conf { place, message }
    }

    /// Any value; `None` if it is not given.
    pub fn value(&mut self, name: &str) -> Option<Node> {
        let node = self.given.iter().find(|given| given.0 == name).map(|given| given.1.clone());
        self.asked.push((name.to_owned(), node.as_ref().map_or(YamlValue::Null, |node| node.value.clone())));
        node.filter(|node| node.value != YamlValue::Null)
    }

    /// Sets the value that is used if nothing was given.
    fn resolved(&mut self, value: YamlValue) {
        if let Some(last) = self.asked.last_mut() {
            last.1 = value;
        }
    }

    /// A boolean.
    ///
    /// # Errors
    /// If it is something else.
    pub fn boolean(&mut self, name: &str, default: bool) -> Result<bool> {
        let value = match self.value(name).map(|node| node.value) {
            None => default,
            Some(YamlValue::Bool(value)) => value,
            Some(other) => return Err(self.error(name, "true or false", other)),
        };
        self.resolved(YamlValue::Bool(value));
        Ok(value)
    }

    /// A number that is finite.
    ///
    /// # Errors
    /// If it is something else.
    pub fn float(&mut self, name: &str, default: f64) -> Result<f64> {
        let value = match self.value(name).map(|node| node.value) {
            None => default,
            Some(YamlValue::Float(value)) if value.is_finite() => value,
            Some(YamlValue::Int(value)) => value as f64,
            Some(other) => return Err(self.error(name, "a number", other)),
        };
        self.resolved(YamlValue::Float(value));
        Ok(value)
    }

    /// A whole number that is at least `least`.
    ///
    /// # Errors
    /// If it is something else.
    pub fn number(&mut self, name: &str, default: u64, least: u64) -> Result<u64> {
        let value = match self.value(name).map(|node| node.value) {
            None => default,
            Some(value) => match whole(&value).filter(|number| *number >= least) {
                Some(number) => number,
                None => return Err(self.error(name, &format!("a whole number, {least} or more"), value)),
            },
        };
        self.resolved(YamlValue::Int(value as i64));
        Ok(value)
    }

    /// A whole number, which may be negative.
    ///
    /// # Errors
    /// If it is something else.
    pub fn integer(&mut self, name: &str, default: i64) -> Result<i64> {
        let value = match self.value(name).map(|node| node.value) {
            None => default,
            Some(YamlValue::Int(value)) => value,
            Some(other) => return Err(self.error(name, "a whole number", other)),
        };
        self.resolved(YamlValue::Int(value));
        Ok(value)
    }

    /// A text.
    ///
    /// # Errors
    /// If it is a list or a map.
    pub fn text(&mut self, name: &str) -> Result<Option<String>> {
        match self.value(name).map(|node| node.value) {
            None => Ok(None),
            Some(YamlValue::Text(text)) => Ok(Some(text)),
            Some(other @ (YamlValue::List(_) | YamlValue::Map(_))) => Err(self.error(name, "text", other)),
            Some(other) => {
                let text = other.to_string();
                self.resolved(YamlValue::Text(text.clone()));
                Ok(Some(text))
            }
        }
    }

    /// The name of a file. In the text of a configuration, it may be a command only if that is allowed.
    ///
    /// # Errors
    /// If it is a list, a map, or a command.
    pub fn file(&mut self, name: &str) -> Result<Option<String>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let is_in_text = self.given.iter().any(|given| given.0 == name && given.1.line > 0);
        if is_in_text {
            self.commands.check(text.as_str().into()).map_err(|message| self.wrong(name, message))?;
        }
        Ok(Some(text))
    }

    /// One of several words.
    ///
    /// # Errors
    /// If it is another word.
    pub fn choice(&mut self, name: &str, choices: &[&'static str], default: &'static str) -> Result<&'static str> {
        let Some(text) = self.text(name)? else {
            self.resolved(YamlValue::Text(default.to_owned()));
            return Ok(default);
        };
        match choices.iter().find(|choice| **choice == text) {
            Some(choice) => Ok(choice),
            None => Err(self.error(name, &choices.join(" or "), format!("{text:?}"))),
        }
    }

    /// Numbers; `None` if they are not given.
    ///
    /// # Errors
    /// If there is something else.
    pub fn floats(&mut self, name: &str) -> Result<Option<Vec<f64>>> {
        let Some(node) = self.value(name) else { return Ok(None) };
        let number = |node: &Node| match node.value {
            YamlValue::Int(value) => Some(value as f64),
            YamlValue::Float(value) if value.is_finite() => Some(value),
            _ => None,
        };
        let numbers = match &node.value {
            YamlValue::List(items) => items.iter().map(number).collect(),
            _ => None,
        };
        numbers.map(Some).ok_or_else(|| self.error(name, "a list of numbers", node.value))
    }

    /// Sets the value that is used if nothing was given, for the description.
    pub fn meant(&mut self, name: &str, value: YamlValue) {
        if let Some(asked) = self.asked.iter_mut().find(|asked| asked.0 == name) {
            asked.1 = value;
        }
    }

    /// The parameters that were used.
    ///
    /// # Errors
    /// If some were given that nobody asked for.
    pub fn finish(self) -> Result<Vec<(String, Node)>> {
        for (name, node) in &self.given {
            if !self.asked.iter().any(|asked| asked.0 == *name) {
                let place = if node.line > 0 { format!("{}:{}", self.place, node.line) } else { self.place };
                let names = self.asked.iter().map(|asked| asked.0.as_str());
                let message = format!("{} has no parameter {name:?}{}", self.stage, suggestion(name, names));
                return Err(Error::Conf { place, message });
            }
        }
        let asked = self.asked.into_iter().filter(|asked| asked.1 != YamlValue::Null);
        Ok(asked.map(|(name, value)| (name, Node::new(value))).collect())
    }
}

fn whole(value: &YamlValue) -> Option<u64> {
    match *value {
        YamlValue::Int(value) => u64::try_from(value).ok(),
        YamlValue::Float(value) if value >= 0.0 && value.fract() == 0.0 && value < 1e15 => Some(value as u64),
        _ => None,
    }
}

/// Suggests which of some names was probably meant, or lists them.
pub(crate) fn suggestion<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    match closest_names(name, names.iter().copied()).first() {
        Some(likely) => format!("; did you mean {likely}?"),
        None if names.is_empty() => String::new(),
        None => format!("; there are {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(text: &str) -> Params {
        Params::new("c.yaml", "filter", &Node::parse("c.yaml", text).unwrap()).unwrap()
    }

    #[test]
    fn what_nobody_asked_for_is_refused() {
        let mut params = params("min_length: 5\nmax_lenght: 7\n");
        assert_eq!(params.float("min_length", 10.0).unwrap(), 5.0);
        assert_eq!(params.float("max_length", 100.0).unwrap(), 100.0);
        let error = params.finish().unwrap_err().to_string();
        assert_eq!(error, "c.yaml:2: filter has no parameter \"max_lenght\"; did you mean max_length?");
    }

    #[test]
    fn the_description_has_what_is_meant() {
        let mut params = params("a: 1\nc: null\n");
        params.float("a", 0.0).unwrap();
        params.number("b", 3, 0).unwrap();
        params.text("c").unwrap();
        params.choice("d", &["x", "y"], "y").unwrap();
        let meant: Vec<_> =
            params.finish().unwrap().into_iter().map(|it| format!("{}: {}", it.0, it.1.value)).collect();
        assert_eq!(meant, ["a: 1.0", "b: 3", "d: y"]);
    }

    #[test]
    fn values_of_other_types_are_refused_with_their_line() {
        let refused = |text: &str, ask: fn(&mut Params) -> Result<()>| ask(&mut params(text)).unwrap_err().to_string();
        let error = refused("a: x\n", |params| params.number("a", 1, 1).map(drop));
        assert_eq!(error, "c.yaml:1: expected filter's a to be a whole number, 1 or more, got x");
        let error = refused("\na: 0\n", |params| params.number("a", 1, 1).map(drop));
        assert_eq!(error, "c.yaml:2: expected filter's a to be a whole number, 1 or more, got 0");
        let error = refused("a: [1]\n", |params| params.float("a", 1.0).map(drop));
        assert_eq!(error, "c.yaml:1: expected filter's a to be a number, got [1]");
        let error = refused("a: z\n", |params| params.choice("a", &["x", "y"], "x").map(drop));
        assert_eq!(error, "c.yaml:1: expected filter's a to be x or y, got \"z\"");
    }
}
