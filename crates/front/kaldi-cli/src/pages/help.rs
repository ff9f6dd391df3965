//! A tool's usage text and options, taken apart.

use clap::Arg;

use crate::command::{arguments, options};
use crate::dialect::normalized;
use crate::option::{Kind, Role, choices, is_standard, name, repeats, shown_default};
use crate::spelling::Spelling;
use crate::tool::Tool;

/// The help of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Help {
    /// The tool's name.
    pub name: String,
    /// What the tool does: paragraphs, without breaks of lines.
    pub description: Vec<String>,
    /// Its command lines, without `Usage:`.
    pub usages: Vec<String>,
    /// Examples, a line each, without `e.g.:`.
    pub examples: Vec<String>,
    /// The tools named after `See also:`.
    pub see_also: Vec<String>,
    /// The tool's own options, sorted by name.
    pub options: Vec<HelpOption>,
    /// The options that all tools have, sorted by name.
    pub standard_options: Vec<HelpOption>,
    /// The arguments in their order.
    pub arguments: Vec<HelpArgument>,
}

/// An option of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HelpOption {
    /// The name, without `--`.
    pub name: String,
    /// What it does.
    pub help: String,
    /// The type of its value: `bool`, `int`, `uint`, `float`, `double`, `string`; empty for another name of an option.
    pub kind: String,
    /// The words that the value may be; empty if it may be anything of its type.
    pub choices: Vec<String>,
    /// The default as it is shown, if there is one.
    pub default: Option<String>,
    /// What the value names: `input` or `output`; `None` if it is no name of a stream or table.
    pub role: Option<&'static str>,
}

/// An argument of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HelpArgument {
    /// The name in the tool's options.
    pub name: String,
    /// What the value names: `input` or `output`; `None` if it is no name of a stream or table.
    pub role: Option<&'static str>,
    /// Whether it must be given.
    pub required: bool,
    /// Whether it may be given several times.
    pub many: bool,
}

/// The part of the text that the last line belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Prose,
    Usage,
    Example,
    SeeAlso,
}

impl Help {
    /// Takes a tool's usage text and options apart.
    #[must_use]
    pub fn of(tool: &Tool) -> Self {
        let mut help = Self::default();
        help.read_text(tool.usage);
        let command = tool.command();
        let spelling = Spelling::of(&command);
        let (mut standard, mut own): (Vec<&Arg>, Vec<&Arg>) = options(&command).partition(|option| is_standard(option));
        for options in [&mut standard, &mut own] {
            options.sort_by_key(|option| normalized(name(option).as_bytes()));
        }
        help.options = own.into_iter().flat_map(|option| HelpOption::of(option, &spelling)).collect();
        help.standard_options = standard.into_iter().flat_map(|option| HelpOption::of(option, &spelling)).collect();
        help.arguments = arguments(&command)
            .map(|place| HelpArgument {
                name: place.get_id().to_string(),
                role: Role::of(place).map(Role::word),
                required: place.is_required_set(),
                many: repeats(place),
            })
            .collect();
        help
    }

    /// Takes the text before the options apart.
    fn read_text(&mut self, text: &str) {
        let mut part = Part::Prose;
        let mut ends_paragraph = true;
        let mut see_also = String::new();
        for line in text.lines() {
            let words = line.trim();
            if let Some(usage) = ["Usage:", "or:"].iter().find_map(|head| words.strip_prefix(head)) {
                self.usages.push(usage.trim().to_owned());
                part = Part::Usage;
            } else if let Some(example) = words.strip_prefix("e.g.:") {
                self.examples.push(example.trim().to_owned());
                part = Part::Example;
            } else if let Some(tools) = words.strip_prefix("See also:") {
                see_also.push_str(tools);
                part = Part::SeeAlso;
            } else if let Some(more) = self.usages.last_mut().filter(|_| line.starts_with(' ') && part == Part::Usage) {
                *more = format!("{more} {words}");
            } else if line.starts_with(' ') && part == Part::Example {
                self.examples.push(words.to_owned());
            } else if line.starts_with(' ') && part == Part::SeeAlso {
                see_also.push_str(words);
            } else if !words.is_empty() {
                ends_paragraph |= part != Part::Prose || line.starts_with(' ');
                part = Part::Prose;
                match self.description.last_mut().filter(|_| !ends_paragraph) {
                    Some(paragraph) => *paragraph = format!("{paragraph} {words}"),
                    None => self.description.push(words.to_owned()),
                }
                ends_paragraph = false;
            } else {
                ends_paragraph = true;
            }
        }
        self.see_also =
            see_also.split(',').map(|tool| tool.trim().to_owned()).filter(|tool| !tool.is_empty()).collect();
        let usage = self.usages.first().map_or("", String::as_str);
        usage.split_whitespace().next().unwrap_or_default().clone_into(&mut self.name);
    }

    /// The first sentence of the description, without its full stop.
    #[must_use]
    pub fn summary(&self) -> &str {
        let text = self.description.first().map_or("", String::as_str);
        text.split_once(". ").map_or(text, |(first, _)| first).trim_end_matches('.')
    }
}

impl HelpOption {
    /// The option, and its other names.
    fn of(option: &Arg, spelling: &Spelling) -> Vec<Self> {
        let role = Role::of(option).map(Role::word);
        let this = Self {
            name: name(option).to_owned(),
            help: spelling.help(option),
            kind: Kind::of(option).to_string(),
            choices: choices(option).iter().map(|choice| choice.get_name().to_owned()).collect(),
            default: shown_default(option),
            role,
        };
        let others = option.get_visible_aliases().unwrap_or_default().into_iter().map(|alias| Self {
            name: alias.to_owned(),
            help: format!("Another name of --{}", this.name),
            role,
            ..Self::default()
        });
        let others: Vec<Self> = others.collect();
        std::iter::once(this).chain(others).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tally, Work};

    #[derive(clap::Args)]
    #[allow(dead_code, reason = "only the options are looked at")]
    struct Options {
        /// Multiply by this (both of them), with words enough for two lines of the usage text, and more
        #[arg(long, visible_alias = "factor", default_value_t = 1.0)]
        scale: f32,
        /// Write in binary mode
        #[arg(long, default_value_t = true)]
        binary: bool,
        /// The number of items
        #[arg(long)]
        number: Option<u32>,
    }

    const USAGE: &str = "\
Scales things. The things are many, so many that this paragraph is filled anew where the terminal is a narrow one.

A second paragraph.

Usage: scale-things [options] <in> <out>
  or:  scale-things <in> <in>
        [<out>]
 e.g.: scale-things --scale=2 ark:a ark:b
       scale-things a
Notes come last.
See also: copy-things, a-tool-with-a-rather-long-name, another-tool-with-a-name-of-some-length, and-one-more
";

    #[test]
    fn a_usage_text_is_taken_apart() {
        {
            let help = Help::of(&Tool::new(USAGE, &Work(|_: Options| Ok(Tally::default()))));
            assert_eq!(help.name, "scale-things");
            assert_eq!(help.summary(), "Scales things");
            assert_eq!(help.description.len(), 3, "{:?}", help.description);
            assert!(help.description[0].ends_with("where the terminal is a narrow one."));
            assert_eq!(help.description[2], "Notes come last.");
            assert_eq!(help.usages, ["scale-things [options] <in> <out>", "scale-things <in> <in> [<out>]"]);
            assert_eq!(help.examples, ["scale-things --scale=2 ark:a ark:b", "scale-things a"]);
            assert_eq!(help.see_also.len(), 4, "{:?}", help.see_also);
            let option = |name: &str, help: &str, kind: &str, default: Option<&str>| HelpOption {
                name: name.into(),
                help: help.into(),
                kind: kind.into(),
                default: default.map(Into::into),
                ..HelpOption::default()
            };
            let long = "Multiply by this (both of them), with words enough for two lines of the usage text, and more";
            assert_eq!(
                help.options,
                [
                    option("binary", "Write in binary mode", "bool", Some("true")),
                    option("number", "The number of items", "uint", None),
                    option("scale", long, "float", Some("1")),
                    option("factor", "Another name of --scale", "", None),
                ]
            );
            let standard: Vec<&str> = help.standard_options.iter().map(|option| &*option.name).collect();
            assert_eq!(standard, ["config", "help", "num-threads", "print-args", "progress", "verbose", "version"]);
            assert_eq!(help.standard_options[0].default.as_deref(), Some("\"\""));
        }
    }

    #[test]
    fn a_tool_without_options_has_the_standard_ones() {
        #[derive(clap::Args)]
        struct NoOptions {}
        let help = Help::of(&Tool::new(USAGE, &Work(|_: NoOptions| Ok(Tally::default()))));
        assert_eq!((help.options.len(), help.standard_options.len()), (0, 7));
    }
}
