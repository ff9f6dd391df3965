//! The usage text in Kaldi's layout.

use std::fmt::Write;

use clap::{Arg, Command};

use crate::command::options;
use crate::dialect::normalized;
use crate::option::{Kind, name, shown_default};
use crate::spelling::Spelling;
use crate::standard;

/// Columns if there is no terminal.
const COLUMNS: usize = 100;

/// Columns from which on the help of options is beside their names.
const WIDE: usize = 64;

/// The note on the value of an option is not broken up to this length; meanwhile [`NO_BREAK`] replaces its spaces.
const UNBROKEN: usize = 30;
const NO_BREAK: &str = "\u{a0}";

/// Returns the tool's own text, its options and the standard options, sorted by name, in lines of at most `width` columns. Options
/// with a heading (`#[arg(help_heading = "...")]`) come first, below it. Broken examples can still be copied.
///
/// ```text
///
/// Copies ...
///
/// Options:
///   --binary                    : Write in binary mode (bool, default = true)
///
/// Standard options:
///   --config                    : ... (string, default = "")
///
/// ```
pub(crate) fn usage_text(text: &str, command: &Command, width: usize) -> String {
    let mut usage = String::from("\n");
    push_text(&mut usage, text, width);
    usage.push('\n');
    let hang = if width >= WIDE { 32 } else { 6 };
    let spelling = Spelling::of(command);
    let section = |option: &Arg| option.get_help_heading().unwrap_or("Options").to_owned();
    let mut titles: Vec<String> = Vec::new();
    let last = ["Options", standard::HEADING].map(str::to_owned);
    for title in options(command).map(section).filter(|title| !last.contains(title)).chain(last.clone()) {
        if !titles.contains(&title) {
            titles.push(title);
        }
    }
    for title in titles {
        let mut options: Vec<&Arg> = options(command).filter(|option| section(option) == title).collect();
        if options.is_empty() {
            continue;
        }
        options.sort_by_key(|option| normalized(name(option).as_bytes()));
        let _ = writeln!(usage, "{title}:");
        for option in options {
            push_option(&mut usage, option, &spelling, width, hang);
        }
        usage.push('\n');
    }
    usage.replace(NO_BREAK, " ")
}

fn push_option(usage: &mut String, option: &Arg, spelling: &Spelling, width: usize, hang: usize) {
    let (name, help, kind) = (name(option), spelling.help(option), Kind::of(option));
    let mut value = match shown_default(option) {
        Some(default) => format!("({kind}, default = {default})"),
        None => format!("({kind})"),
    };
    if value.len() <= UNBROKEN {
        value = value.replace(' ', NO_BREAK);
    }
    push_wrapped(usage, &format!("  --{name:<25} : {help} {value}"), width, hang);
    for alias in option.get_visible_aliases().unwrap_or_default() {
        push_wrapped(usage, &format!("  --{alias:<25} : Another name of --{name}"), width, hang);
    }
}

/// Returns the first of a tool's command lines, and where to find the rest, as one line for standard error.
pub(crate) fn usage_line(text: &str) -> String {
    let usage = text.lines().find_map(|line| line.trim_start().strip_prefix("Usage:")).unwrap_or_default().trim();
    format!("Usage: {usage}   (for more: {} --help)\n", usage.split(' ').next().unwrap_or_default())
}

/// Appends a tool's text. A paragraph is filled anew if one of its lines is too long.
fn push_text(usage: &mut String, text: &str, width: usize) {
    let is_part =
        |line: &str| line.starts_with([' ', '\t']) || line.starts_with("Usage:") || line.starts_with("See also:");
    let is_text = |first: char| first.is_alphanumeric() || "(\"".contains(first);
    let continues = |line: &str| line.starts_with(is_text) && !is_part(line);
    let mut lines = text.lines().peekable();
    let mut is_example = false;
    while let Some(line) = lines.next() {
        is_example = line.trim_start().starts_with("e.g.:") || (is_example && line.starts_with(' '));
        if is_example {
            push_command(usage, line, width);
            continue;
        }
        if line.is_empty() || is_part(line) {
            push_wrapped(usage, line, width, if line.starts_with("See also:") { 2 } else { 8 });
            continue;
        }
        let mut paragraph = vec![line];
        while let Some(more) = lines.next_if(|line| continues(line)) {
            paragraph.push(more);
        }
        let is_too_long = paragraph.iter().any(|line| line.chars().count() > width);
        push_wrapped(
            usage,
            &paragraph.join(if is_too_long { " " } else { "\n" }),
            if is_too_long { width } else { usize::MAX },
            0,
        );
    }
}

/// Appends an example. If it is longer than `width`, it is broken with backslashes, so that it can be copied.
fn push_command(text: &mut String, line: &str, width: usize) {
    const INDENT: usize = 9;
    let (mut rest, mut indent) = (line, 0);
    while indent + rest.chars().count() > width {
        let mut quote = None;
        let (mut last, mut next) = (None, None);
        for (column, (at, character)) in rest.char_indices().enumerate() {
            match (character, quote) {
                ('\'' | '"', None) => quote = Some(character),
                (_, Some(open)) if character == open => quote = None,
                (' ', None) if !matches!(rest[..at].trim(), "" | "e.g.:") => {
                    if indent + column + 2 <= width {
                        last = Some(at);
                    } else {
                        next = next.or(Some(at));
                    }
                }
                _ => {}
            }
        }
        let Some(end) = last.or(next) else { break };
        let _ = writeln!(text, "{:indent$}{} \\", "", rest[..end].trim_end());
        rest = rest[end..].trim_start();
        indent = INDENT;
    }
    let _ = writeln!(text, "{:indent$}{rest}", "");
}

/// Appends a line, broken at spaces if it is longer than `width`; what follows a break is indented by `hang`.
fn push_wrapped(text: &mut String, line: &str, width: usize, hang: usize) {
    let mut rest = line;
    let mut indent = 0;
    while indent + rest.chars().count() > width {
        let end_of = |chars: usize| rest.char_indices().nth(chars).map_or(rest.len(), |(end, _)| end);
        let (room, after) = (end_of(width.saturating_sub(indent)), end_of(width.saturating_sub(indent) + 1));
        // The name of an option and the padding after it stay together.
        let begin = if indent == 0 { hang } else { 1 };
        let space = |from: usize, to: usize| rest.get(from..to).and_then(|part| part.rfind(' ')).map(|at| from + at);
        let first_after = || rest.get(room..).and_then(|part| part.find(' ')).map(|at| room + at);
        let Some(end) = space(begin.min(room), after).or_else(first_after) else { break };
        let _ = writeln!(text, "{:indent$}{}", "", rest[..end].trim_end());
        rest = rest[end..].trim_start();
        indent = hang;
    }
    let _ = writeln!(text, "{:indent$}{rest}", "");
}

/// The width of the terminal that a descriptor is; without one, the variable `COLUMNS`, or else [`COLUMNS`].
pub(crate) fn columns(descriptor: libc::c_int) -> usize {
    let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    #[allow(unsafe_code)]
    // SAFETY: TIOCGWINSZ writes one `winsize`, for which `size` is writable memory.
    let status = unsafe { libc::ioctl(descriptor, libc::TIOCGWINSZ, &raw mut size) };
    if status == 0 && size.ws_col > 0 {
        return size.ws_col.into();
    }
    let told = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    told.filter(|columns| *columns > 0).unwrap_or(COLUMNS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(line: &str, width: usize, hang: usize) -> String {
        let mut text = String::new();
        push_wrapped(&mut text, line, width, hang);
        text
    }

    #[test]
    fn lines_break_at_the_last_space_that_fits() {
        assert_eq!(wrapped("one two three", 13, 0), "one two three\n");
        assert_eq!(wrapped("one two three", 12, 0), "one two\nthree\n");
        assert_eq!(wrapped("one two three", 7, 2), "one two\n  three\n");
        assert_eq!(wrapped("one two three", 3, 0), "one\ntwo\nthree\n");
        assert_eq!(wrapped("\u{e4}\u{e4} \u{e4}\u{e4}", 5, 0), "\u{e4}\u{e4} \u{e4}\u{e4}\n");
        assert_eq!(wrapped("a\u{e4} \u{e4}\u{e4}", 3, 0), "a\u{e4}\n\u{e4}\u{e4}\n");
        assert_eq!(wrapped("one\u{a0}\u{a0}two three", 5, 0), "one\u{a0}\u{a0}two\nthree\n");
        assert_eq!(wrapped("", 5, 0), "\n");
    }

    #[test]
    fn words_that_are_longer_than_a_line_stay_whole() {
        assert_eq!(wrapped("a/very/long/name b", 6, 2), "a/very/long/name\n  b\n");
        assert_eq!(wrapped("a/very/long/name", 6, 0), "a/very/long/name\n");
    }

    #[test]
    fn a_paragraph_is_filled_anew_where_it_is_too_wide() {
        let t = |text: &str, width: usize, expected: &str| {
            let mut wrapped = String::new();
            push_text(&mut wrapped, text, width);
            assert_eq!(wrapped, expected);
        };
        let text = "One two\nthree.\n\nUsage: a <long> <b>";
        t(text, 19, "One two\nthree.\n\nUsage: a <long> <b>\n");
        t(text, 16, "One two\nthree.\n\nUsage: a <long>\n        <b>\n");
        t("One two\n<three> four five\n%d six", 12, "One two\n<three> four\nfive\n%d six\n");
        t("  or:  a <long> <b>\n", 16, "  or:  a <long>\n        <b>\n");
        t("One two\nthree four five", 12, "One two\nthree four\nfive\n");
        t("One two three\n(four) five", 12, "One two\nthree (four)\nfive\n");
    }

    #[test]
    fn an_example_is_broken_so_that_it_can_be_copied() {
        let t = |text: &str, width: usize, expected: &str| {
            let mut wrapped = String::new();
            push_text(&mut wrapped, text, width);
            assert_eq!(wrapped, expected);
        };
        let text = " e.g.: tool --one=1 'ark:x y |' out\n       tool a | b\nEnd.";
        t(text, 40, " e.g.: tool --one=1 'ark:x y |' out\n       tool a | b\nEnd.\n");
        t(text, 22, " e.g.: tool --one=1 \\\n         'ark:x y |' \\\n         out\n       tool a | b\nEnd.\n");
        t(" e.g.: tool long", 3, " e.g.: tool \\\n         long\n");
    }

    #[test]
    fn the_help_of_an_option_stands_in_a_column() {
        let line = format!("  --{:<25} : {}", "name", "some words of help (int, default = 1)");
        let expected = format!("  --{:<25} : some words of help\n{:32}(int, default = 1)\n", "name", "");
        assert_eq!(wrapped(&line, 54, 32), expected);
    }
}
