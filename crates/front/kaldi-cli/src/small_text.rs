//! Small text files that options and arguments name.

use std::collections::BTreeSet;
use std::io::IsTerminal;

use anyhow::{Context, bail};
use bstr::{BString, ByteSlice};
use kaldi_io::read_text_file;

use crate::InputName;

/// Reads a whole text and parses it.
///
/// # Errors
/// If the file cannot be read or parsed; then it is named.
pub fn read_text<T, E>(name: &InputName, parse: impl FnOnce(&[u8]) -> Result<T, E>) -> anyhow::Result<T>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let (place, text) = read_text_file(name)?;
    parse(&text).context(place)
}

/// Reads the first word of every line of a text file.
///
/// # Errors
/// If the file cannot be read or is binary, or a line has no word.
pub fn read_keys(name: &InputName) -> anyhow::Result<BTreeSet<BString>> {
    let (place, text) = read_text_file(name)?;
    if text.starts_with(b"\0B") {
        bail!("{place}: expected a text file, got a binary one");
    }
    let mut keys = BTreeSet::new();
    for (line, number) in text.lines().zip(1..) {
        match line.split(|byte| b" \t\r".contains(byte)).find(|word| !word.is_empty()) {
            Some(key) => keys.insert(key.into()),
            None => bail!("{place}:{number}: expected an utterance, got an empty line"),
        };
    }
    Ok(keys)
}

/// Puts the fields of lines with tabulators below each other, for people: the first two to the left, the others, which are numbers,
/// to the right. Other lines stay.
#[must_use]
pub fn align_columns(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let width = |field: &str| field.chars().count();
    let mut widths: Vec<usize> = Vec::new();
    for line in text.lines().filter(|line| line.contains('\t')) {
        for (at, field) in line.split('\t').enumerate() {
            if at == widths.len() {
                widths.push(0);
            }
            widths[at] = widths[at].max(width(field));
        }
    }
    let mut out = String::new();
    for line in text.lines() {
        let mut row = String::new();
        if line.contains('\t') {
            for (at, field) in line.split('\t').enumerate() {
                let blank = " ".repeat(widths[at] - width(field));
                let gap = if at == 0 { "" } else { "  " };
                row += &if at < 2 { format!("{gap}{field}{blank}") } else { format!("{gap}{blank}{field}") };
            }
        } else {
            row += line;
        }
        out += row.trim_end();
        out.push('\n');
    }
    out.into_bytes()
}

/// A command of advice. If its output would go to a terminal, it writes text there, which binary data would not be.
pub fn for_terminal(command: &str) -> String {
    match std::io::stdout().is_terminal() {
        true => command.replace(" ark:-", " ark,t:-"),
        false => command.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_below_each_other_and_numbers_to_the_right() {
        let text = "table\tgroup\tmin\nx.ark\t0\t-1.25\nx.ark\t10\t3\n\nnot a row\n";
        let expected = "table  group    min\nx.ark  0      -1.25\nx.ark  10         3\n\nnot a row\n";
        assert_eq!(String::from_utf8_lossy(&align_columns(text.as_bytes())), expected);
    }
}
