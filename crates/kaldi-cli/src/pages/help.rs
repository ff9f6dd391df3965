//! What a tool's `--help` says, taken apart again.

/// The parts of a usage text.
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
    /// The tools named behind `See also:`.
    pub see_also: Vec<String>,
    /// The tool's own options.
    pub options: Vec<HelpOption>,
    /// The options that all tools have.
    pub standard_options: Vec<HelpOption>,
}

/// An option in a usage text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HelpOption {
    /// The name, without `--`.
    pub name: String,
    /// What it does.
    pub help: String,
    /// The type of its value: `bool`, `int`, `uint`, `float`, `double`, `string`; empty for another name of an option.
    pub kind: String,
    /// The default as it is shown, where one is.
    pub default: Option<String>,
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
    /// Takes apart what `--help` of a tool printed, in whatever width. `None` where it is no usage text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut help = Self::default();
        let mut lines = text.lines();
        let mut part = Part::Prose;
        let mut ends_paragraph = true;
        let mut see_also = String::new();
        for line in lines.by_ref().take_while(|line| !line.ends_with("ptions:")) {
            let words = line.trim();
            if let Some(usage) = ["Usage:", "or:"].iter().find_map(|head| words.strip_prefix(head)) {
                help.usages.push(usage.trim().to_owned());
                part = Part::Usage;
            } else if let Some(example) = words.strip_prefix("e.g.:") {
                help.examples.push(example.trim().to_owned());
                part = Part::Example;
            } else if let Some(tools) = words.strip_prefix("See also:") {
                see_also.push_str(tools);
                part = Part::SeeAlso;
            } else if line.starts_with(' ') && part == Part::Example {
                help.examples.push(words.to_owned());
            } else if line.starts_with(' ') && part == Part::SeeAlso {
                see_also.push_str(words);
            } else if !words.is_empty() {
                ends_paragraph |= part != Part::Prose || line.starts_with(' ');
                part = Part::Prose;
                match help.description.last_mut().filter(|_| !ends_paragraph) {
                    Some(paragraph) => *paragraph = format!("{paragraph} {words}"),
                    None => help.description.push(words.to_owned()),
                }
                ends_paragraph = false;
            } else {
                ends_paragraph = true;
            }
        }
        help.see_also =
            see_also.split(',').map(|tool| tool.trim().to_owned()).filter(|tool| !tool.is_empty()).collect();
        let rest = &text[text.find("ptions:\n").map_or(text.len(), |at| at + "ptions:\n".len())..];
        let (own, standard) = if text.contains("\nOptions:\n") {
            rest.split_once("\nStandard options:\n").unwrap_or((rest, ""))
        } else {
            ("", rest)
        };
        help.options = read_options(own);
        help.standard_options = read_options(standard);
        help.usages.first()?.split_whitespace().next()?.clone_into(&mut help.name);
        Some(help)
    }

    /// The first sentence of the description, without its full stop.
    #[must_use]
    pub fn summary(&self) -> &str {
        let text = self.description.first().map_or("", String::as_str);
        text.split_once(". ").map_or(text, |(first, _)| first).trim_end_matches('.')
    }
}

/// Reads lines such as `  --name    : help (kind, default = x)`; a line that does not begin so continues the one before.
fn read_options(text: &str) -> Vec<HelpOption> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match lines.last_mut().filter(|_| !line.starts_with("  --")) {
            Some(last) => *last = format!("{last} {}", line.trim()),
            None => lines.push(line.to_owned()),
        }
    }
    lines.iter().filter_map(|line| read_option(line)).collect()
}

fn read_option(line: &str) -> Option<HelpOption> {
    const KINDS: [&str; 6] = ["bool", "int", "uint", "float", "double", "string"];
    let (name, help) = line.trim_start().strip_prefix("--")?.split_once(" : ")?;
    let mut option = HelpOption { name: name.trim().to_owned(), help: help.to_owned(), ..HelpOption::default() };
    let value = KINDS.iter().filter_map(|kind| {
        let begin = help.rfind(&format!(" ({kind}"))?;
        let value = help[begin + 2..].strip_suffix(')')?;
        let rest = value.strip_prefix(kind)?;
        (rest.is_empty() || rest.starts_with(", default = ")).then_some((begin, *kind, rest))
    });
    if let Some((begin, kind, rest)) = value.max_by_key(|(begin, ..)| *begin) {
        help[..begin].clone_into(&mut option.help);
        kind.clone_into(&mut option.kind);
        option.default = rest.strip_prefix(", default = ").map(str::to_owned);
    }
    Some(option)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::command::Dialect;
    use crate::usage::usage_text;

    #[derive(clap::Parser)]
    #[allow(dead_code, reason = "only the options are looked at")]
    struct Options {
        /// Multiply by this (both of them), with words enough for two lines of the usage text, and more
        #[arg(long, default_value_t = 1.0, alias = "factor")]
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
  or:  scale-things <in>
 e.g.: scale-things --scale=2 ark:a ark:b
       scale-things a
Notes come last.
See also: copy-things, a-tool-with-a-rather-long-name, another-tool-with-a-name-of-some-length, and-one-more
";

    #[test]
    fn what_the_usage_text_says_is_read_in_every_width() {
        let dialect = Dialect::of(&Options::command());
        for width in [40, 63, 64, 80, 100, 500] {
            let help = Help::parse(&usage_text(USAGE, &dialect, width)).unwrap();
            assert_eq!(help.name, "scale-things");
            assert_eq!(help.summary(), "Scales things");
            assert_eq!(help.description.len(), 3, "{:?}", help.description);
            assert!(help.description[0].ends_with("where the terminal is a narrow one."));
            assert_eq!(help.description[2], "Notes come last.");
            assert_eq!(help.usages, ["scale-things [options] <in> <out>", "scale-things <in>"]);
            assert_eq!(help.examples, ["scale-things --scale=2 ark:a ark:b", "scale-things a"]);
            assert_eq!(help.see_also.len(), 4, "{:?}", help.see_also);
            let option = |name: &str, help: &str, kind: &str, default: Option<&str>| HelpOption {
                name: name.into(),
                help: help.into(),
                kind: kind.into(),
                default: default.map(Into::into),
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
        assert_eq!(Help::parse("some words\n"), None);
    }

    #[test]
    fn a_tool_without_options_has_the_standard_ones() {
        #[derive(clap::Parser)]
        struct NoOptions {}
        let help = Help::parse(&usage_text(USAGE, &Dialect::of(&NoOptions::command()), 100)).unwrap();
        assert_eq!((help.options.len(), help.standard_options.len()), (0, 7));
    }
}
