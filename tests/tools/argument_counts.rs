//! How many arguments a tool takes: as many as the lines of its usage show, and no other number.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Output;

use regex::Regex;

use crate::support::each::{check_each, run};
use crate::support::registry;

/// Numbers of arguments.
#[derive(Clone, Debug, PartialEq)]
struct Counts {
    counts: BTreeSet<usize>,
    /// Whether more than the least one are taken, however many.
    is_open: bool,
    /// Whether the usage shows an option that must be given.
    needs_option: bool,
}

impl Counts {
    fn has(&self, count: usize) -> bool {
        self.counts.contains(&count) || (self.is_open && self.counts.first().is_some_and(|least| *least <= count))
    }

    fn one_more(&mut self, others: &BTreeSet<usize>) {
        self.counts = self.counts.iter().flat_map(|count| others.iter().map(move |other| count + other)).collect();
    }
}

/// A part of a usage, up to its end or the end of its bracket: `<a> [<b> [<c>]] (<d>|<e>) <f> ...`.
struct Part<'a> {
    counts: Counts,
    /// Words of the tool's own at its start, such as `ls` of `kaldi-store`.
    own: Vec<String>,
    rest: &'a str,
}

fn part(mut text: &str) -> Part<'_> {
    let counts = Counts { counts: [0].into(), is_open: false, needs_option: false };
    let mut part = Part { counts, own: Vec::new(), rest: "" };
    loop {
        text = text.trim_start();
        if text.is_empty() || text.starts_with(']') {
            part.rest = text.strip_prefix(']').unwrap_or_default();
            return part;
        }
        if let Some(inner) = text.strip_prefix('[') {
            let inner_part = self::part(inner);
            if !inner.starts_with("options]") {
                let with_none = &inner_part.counts.counts | &[0].into();
                part.counts.one_more(&with_none);
            }
            part.counts.is_open |= inner_part.counts.is_open;
            text = inner_part.rest;
            continue;
        }
        let (word, rest) = text.split_at(end_of_word(text));
        text = rest;
        if word.trim_start_matches('(').starts_with("--") {
            part.counts.needs_option |= word != "--";
            continue;
        }
        part.counts.is_open |= word.ends_with("...");
        if word != "..." {
            if part.counts.counts == [part.own.len()].into() && word.starts_with(char::is_alphabetic) {
                part.own.push(word.to_owned());
            }
            part.counts.one_more(&[1].into());
        }
    }
}

/// Where the first word ends. There may be spaces inside of brackets.
fn end_of_word(text: &str) -> usize {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '<' | '[' | '(' => depth += 1,
            ']' if depth == 0 => return at,
            '>' | ']' | ')' => depth -= 1,
            _ if letter.is_whitespace() && depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

/// The lines of a tool's usage, below the words of its own that they begin with.
fn counts(usages: &[String]) -> BTreeMap<Vec<String>, Vec<Counts>> {
    let mut counts = BTreeMap::<_, Vec<_>>::new();
    for usage in usages {
        let part = part(usage.split_once(' ').map_or("", |(_, arguments)| arguments));
        counts.entry(part.own).or_default().push(part.counts);
    }
    counts
}

/// Runs a tool with each number of arguments from none to one more than it takes, and says what is wrong about its answers.
/// What takes any number from one on is run with two more.
fn check(tool: &str, usages: &[String], answer: impl Fn(&[String]) -> Output) -> Result<(), String> {
    let complaint = Regex::new("ERROR .*expected (?:[^,]* )?arguments?(?:,|:|$)").unwrap();
    for (own, counts) in counts(usages) {
        let all = || counts.iter().flat_map(|counts| counts.counts.iter());
        let last = match counts.iter().any(|counts| counts.is_open) {
            true => all().min().unwrap() + 2,
            false => all().max().unwrap() + 1,
        };
        for count in 0..=last {
            let missing = (own.len()..count).map(|index| format!("missing-{index}"));
            let words: Vec<String> = own.iter().take(count).cloned().chain(missing).collect();
            let Output { status, stdout, stderr } = answer(&words);
            let log = String::from_utf8_lossy(&stderr);
            let shows_usage = log.lines().any(|line| line.starts_with(&format!("Usage: {tool} ")));
            let usages_with: Vec<_> = counts.iter().filter(|counts| counts.has(count)).collect();
            let is_right = if usages_with.is_empty() {
                shows_usage && stdout.is_empty() && status.code() == Some(1)
            } else {
                // Without an option that must be given, the usage may be shown.
                usages_with.iter().all(|counts| counts.needs_option) || (!shows_usage && !complaint.is_match(&log))
            };
            if !is_right {
                let stdout = String::from_utf8_lossy(&stdout);
                return Err(format!(
                    "{tool} {words:?} ({usages:?}): {status}\n--- stdout\n{stdout}\n--- stderr\n{log}"
                ));
            }
        }
    }
    Ok(())
}

/// Tools that answer another number of arguments in another way have tests of their own: `draw-tree` fails as in Kaldi, with 255.
const OTHERS: [&str; 1] = ["draw-tree"];

#[test]
fn a_wrong_number_of_arguments_is_refused_by_all_tools_and_a_right_one_by_none() {
    let mut tools = registry::tools().to_vec();
    let count = tools.len();
    tools.retain(|tool| !OTHERS.contains(&tool.name.as_str()));
    assert_eq!(tools.len() + OTHERS.len(), count);
    check_each(&tools, |scratch, tool| check(&tool.name, &tool.usages, |words| run(scratch, &tool.name, words)));
}

mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn arguments_of_a_usage_are_counted() {
        for (arguments, expected, is_open) in [
            ("[options] <a> <b>", &[2][..], false),
            ("--dim=<dim> [options] <a> (<b>|<c>)", &[2], false),
            ("[options] [<a>] <b> <c>|<d>", &[2, 3], false),
            ("[options] <a> [<b> [<c>]]", &[1, 2, 3], false),
            ("<a> [<b> <c>]", &[1, 3], false),
            ("<a> [<b> ...] <c>", &[2, 3], true),
            ("<a> [<b>...] <c>", &[2, 3], true),
            ("<a> [...] <c>", &[2], true),
            ("<a> <b>[:<c>[:<d>]] ...", &[2], true),
            ("(--parts=<n>|--size=<n>) <a or b> [<a or b> ...]", &[1, 2], true),
            ("[options] -- <a> [<b> ...]", &[1, 2], true),
            ("[options] --weights=<w>,<w>...  <a>", &[1], false),
            ("", &[0], false),
        ] {
            let Part { counts, .. } = part(arguments);
            let got: Vec<_> = counts.counts.into_iter().collect();
            assert_eq!((&got[..], counts.is_open), (expected, is_open), "{arguments}");
            assert_eq!(counts.needs_option, arguments.contains("=<"), "{arguments}");
        }
        assert_eq!(part("[options] ls <folder>").own, ["ls"]);
    }

    #[test]
    fn a_tool_that_counts_wrongly_is_found() {
        let judge = |script: &str| {
            let usages = ["fake [options] <a> <b> [<c>]".to_owned()];
            check("fake", &usages, |words| {
                Command::new("sh").args(["-c", script, "fake"]).args(words).output().unwrap()
            })
        };
        let refuse = "{ echo 'ERROR expected 2 or 3 arguments' >&2; echo 'Usage: fake <a> <b>' >&2; exit 1; }";
        judge(&format!("[ $# = 2 ] || [ $# = 3 ] || {refuse}; echo done; exit 255")).unwrap();
        for wrong in [
            // Too few, too many and right numbers.
            format!("[ $# -le 3 ] || {refuse}"),
            format!("[ $# -ge 2 ] || {refuse}"),
            format!("[ $# = 2 ] || {refuse}"),
            // Another status, something on standard output, no usage.
            format!("[ $# = 2 ] || [ $# = 3 ] || {}", refuse.replace("exit 1", "exit 255")),
            format!("[ $# = 2 ] || [ $# = 3 ] || {}", refuse.replace("exit 1", "exit 0")),
            format!("[ $# = 2 ] || [ $# = 3 ] || {}", refuse.replace("exit 1", "kill -9 $$")),
            format!("[ $# = 2 ] || [ $# = 3 ] || {}", refuse.replace("exit 1", "echo; exit 1")),
            format!("[ $# = 2 ] || [ $# = 3 ] || {}", refuse.replace("Usage: fake", "Usage: fakes")),
        ] {
            judge(&wrong).expect_err(&wrong);
        }
    }
}
