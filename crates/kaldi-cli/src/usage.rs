//! The usage text in Kaldi's layout.

use std::fmt::Write;

use crate::command::Dialect;
use crate::dialect::normalized;
use crate::option::Opt;

/// Columns if there is no terminal.
const COLUMNS: usize = 100;

/// Columns from which on the help of options is beside their names.
const WIDE: usize = 64;

/// The note on the value of an option is not broken up to this length; meanwhile [`NO_BREAK`] replaces its spaces.
const UNBROKEN: usize = 30;
const NO_BREAK: &str = "\u{a0}";

/// Returns the tool's own text, its options and the standard options, sorted by name, in lines of at most `width` columns.
/// The tool's command lines stay whole, so that they can be copied.
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
pub(crate) fn usage_text(text: &str, dialect: &Dialect, width: usize) -> String {
    let mut usage = String::from("\n");
    push_text(&mut usage, text, width);
    usage.push('\n');
    let hang = if width >= WIDE { 32 } else { 6 };
    let (standard, own): (Vec<&Opt>, Vec<&Opt>) = dialect.options.iter().partition(|option| option.id.is_none());
    for (title, mut options) in [("Options", own), ("Standard options", standard)] {
        if options.is_empty() {
            continue;
        }
        options.sort_by_key(|option| normalized(option.name.as_bytes()));
        let _ = writeln!(usage, "{title}:");
        for Opt { name, aliases, help, kind, default, .. } in options {
            let mut value = match default {
                Some(default) => format!("({kind}, default = {default})"),
                None => format!("({kind})"),
            };
            if value.len() <= UNBROKEN {
                value = value.replace(' ', NO_BREAK);
            }
            push_wrapped(&mut usage, &format!("  --{name:<25} : {help} {value}"), width, hang);
            for alias in aliases {
                push_wrapped(&mut usage, &format!("  --{alias:<25} : Another name of --{name}"), width, hang);
            }
        }
        usage.push('\n');
    }
    usage.replace(NO_BREAK, " ")
}

/// Returns the first of a tool's command lines, and where to find the rest, as one line for standard error.
pub(crate) fn usage_line(text: &str) -> String {
    let usage = text.lines().find_map(|line| line.trim_start().strip_prefix("Usage:")).unwrap_or_default().trim();
    format!("Usage: {usage}   (for more: {} --help)\n", usage.split(' ').next().unwrap_or_default())
}

/// Appends a tool's text. A paragraph is filled anew if one of its lines is too long.
fn push_text(usage: &mut String, text: &str, width: usize) {
    let is_prose = |line: &str| {
        line.starts_with(|first: char| first.is_alphanumeric())
            && !["Usage:", "e.g.:", "See also:"].iter().any(|head| line.starts_with(head))
    };
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if !is_prose(line) {
            push_wrapped(usage, line, if line.starts_with("See also:") { width } else { usize::MAX }, 2);
            continue;
        }
        let mut paragraph = vec![line];
        while let Some(more) = lines.next_if(|line| is_prose(line)) {
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

/// The width of the terminal that a descriptor is, or [`COLUMNS`].
pub(crate) fn columns(descriptor: libc::c_int) -> usize {
    let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    #[allow(unsafe_code)]
    // SAFETY: TIOCGWINSZ writes one `winsize`, for which `size` is writable memory.
    let status = unsafe { libc::ioctl(descriptor, libc::TIOCGWINSZ, &raw mut size) };
    if status == 0 && size.ws_col > 0 { size.ws_col.into() } else { COLUMNS }
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
        let text = "One two\nthree.\n\nUsage: a <long> <b>\n e.g.: a long line";
        t(text, 7, "One two\nthree.\n\nUsage: a <long> <b>\n e.g.: a long line\n");
        t(text, 5, "One\ntwo\nthree.\n\nUsage: a <long> <b>\n e.g.: a long line\n");
        t("One two\nthree four five", 12, "One two\nthree four\nfive\n");
    }

    #[test]
    fn the_help_of_an_option_stands_in_a_column() {
        let line = format!("  --{:<25} : {}", "name", "some words of help (int, default = 1)");
        let expected = format!("  --{:<25} : some words of help\n{:32}(int, default = 1)\n", "name", "");
        assert_eq!(wrapped(&line, 54, 32), expected);
    }
}
