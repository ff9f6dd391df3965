//! How the work of a tool is divided among pieces of its input.

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::is_specifier;
use serde_json::{Value, json};

use crate::Tool;
use crate::command::Given;
use crate::inputs_outputs::Names;

/// How a command line of a tool can run in pieces, each on a part of its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pieces {
    /// Entry by entry of the table in this argument, counted from 0. The outputs of the pieces, one after the other, are those
    /// of the whole run.
    Entries(usize),
    /// Line by line of the list in this argument.
    Lines(usize),
    /// Line by line of the list of speakers in this option.
    Speakers(&'static str),
    /// Entry by entry of the table in this argument. The outputs are sums, which this command adds up; it has the words `IN`
    /// and `OUT`.
    Sums(usize, &'static str),
    /// Utterance by utterance of a data directory, which the tool takes from its option `utts`.
    Utterances(UtterancePieces),
    /// Only as a whole, for this reason.
    Whole(&'static str),
}

/// How the utterances of a data directory are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UtterancePieces {
    /// The argument with the data directory, counted from 0.
    pub folder: usize,
    /// The file of the data directory that has the order of the utterances.
    pub list: &'static str,
    /// The argument with the output: a file, or a folder.
    pub output: usize,
    /// Whether the outputs of the pieces, one after the other, are that of the whole run. Otherwise each is complete by itself.
    pub is_joined: bool,
}

/// On which command lines of a tool [`Pieces`] hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PiecesIf {
    /// On all of them.
    Always,
    /// If this option is given.
    Given(&'static str),
    /// If this option has this value.
    Is(&'static str, &'static str),
    /// If this option is not given, or has another value.
    IsNot(&'static str, &'static str),
    /// If the last argument is a file, not a table.
    ToFile,
    /// If there are so many arguments.
    NumArguments(usize),
}

impl PiecesIf {
    fn holds(self, line: &Line<'_>) -> bool {
        match self {
            Self::Always => true,
            Self::Given(option) => line.option(option).is_some(),
            Self::Is(option, value) => line.option(option).is_some_and(|given| given == value),
            Self::IsNot(option, value) => line.option(option).is_none_or(|given| given != value),
            Self::NumArguments(number) => line.arguments.len() == number,
            Self::ToFile => line.arguments.last().is_some_and(|name| !is_specifier(name)),
        }
    }
}

/// The rules of a tool; the first one that holds counts, and if none does, what the tool has for all other command lines.
pub type PieceRules = &'static [(PiecesIf, Pieces)];

/// The values of a command line.
struct Line<'a> {
    options: Vec<(&'a str, &'a BStr)>,
    arguments: Vec<&'a BStr>,
}

impl<'a> Line<'a> {
    fn of(given: &'a Given) -> Self {
        let options =
            given.options.iter().filter_map(|option| Some((option.field.as_str(), option.values.first()?.as_bstr())));
        let arguments = given.arguments.iter().flat_map(|argument| &argument.values).map(|value| value.as_bstr());
        Self { options: options.collect(), arguments: arguments.collect() }
    }

    /// The value of an option, whose name may have dashes for underscores.
    fn option(&self, name: &str) -> Option<&'a BStr> {
        let is_same = |id: &str| id.replace('_', "-") == name;
        self.options.iter().find(|(id, _)| is_same(id)).map(|(_, value)| *value)
    }
}

impl UtterancePieces {
    /// The list that is cut, and the option that has to be added if the command line does not name it.
    fn describe(self, line: &Line<'_>) -> Value {
        let text = |name: &BStr| name.to_str_lossy().into_owned();
        let how = if self.is_joined { "entries" } else { "files" };
        let output = line.arguments.get(self.output).map(|name| text(name));
        if let Some(list) = line.option("utts") {
            return json!({ "how": how, "of": text(list), "outputs": [output] });
        }
        let list = line
            .arguments
            .get(self.folder)
            .map(|folder| format!("{}/{}", text(folder).trim_end_matches('/'), self.list));
        let add = list.as_ref().map(|list| format!("--utts={list}"));
        json!({ "how": how, "of": list, "add": add, "outputs": [output] })
    }
}

/// Describes the inputs and outputs of a command line, and how it runs in pieces, as JSON:
/// `{"tool": "copy-feats", "inputs": [...], "outputs": [...], "pieces": {"how": "entries", "of": "scp:feats.scp"}}`.
pub(crate) fn describe(tool: &Tool, name: &str, given: &Given, names: &Names) -> String {
    let line = Line::of(given);
    let text = |name: &BStr| Value::from(name.to_str_lossy().into_owned());
    let list = |names: &[BString]| names.iter().map(|name| text(name.as_bstr())).collect::<Vec<_>>();
    let argument = |at: usize| line.arguments.get(at).map_or(Value::Null, |name| text(name));
    let rule = tool.rules.iter().find(|(condition, _)| condition.holds(&line));
    let pieces = match rule.map(|(_, pieces)| *pieces).or(tool.pieces) {
        None => Value::Null,
        Some(Pieces::Entries(at)) if line.arguments.get(at).is_some_and(|name| !is_specifier(name)) => {
            json!({ "how": "whole", "why": format!("{} is a file and not a table (ark: or scp:)", line.arguments[at]) })
        }
        Some(Pieces::Entries(at) | Pieces::Lines(at)) => json!({ "how": "entries", "of": argument(at) }),
        Some(Pieces::Speakers(option)) => {
            json!({ "how": "speakers", "of": line.option(option).map_or(Value::Null, text) })
        }
        Some(Pieces::Utterances(of)) => of.describe(&line),
        Some(Pieces::Sums(at, reduce)) => json!({ "how": "sums", "of": argument(at), "reduce": reduce }),
        Some(Pieces::Whole(why)) => json!({ "how": "whole", "why": why }),
    };
    let value = json!({
        "tool": name,
        "inputs": list(names.inputs()),
        "outputs": list(names.outputs()),
        "pieces": pieces,
    });
    format!("{value}\n")
}
