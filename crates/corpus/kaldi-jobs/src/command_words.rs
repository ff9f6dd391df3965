//! The words of a command line, and the names in them that differ from piece to piece.

use std::path::Path;

use bstr::{BStr, ByteSlice};
use kaldi_io::{Wspecifier, WspecifierKind, is_remote};

use crate::{Error, Result};

/// Characters that end a name inside of a word, as in `sh -c 'copy-feats scp:a.scp ark:- | ...'` or `--spk2utt=ark:b`.
pub(crate) fn ends_name(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b"'\"=;|&()<>`".contains(&byte)
}

/// Replaces names in the words of a command, each by another name. A name is replaced wherever it stands as a whole name,
/// also inside of a word. What was put in is not looked at again.
///
/// # Errors
/// If a name is in none of the words.
pub(crate) fn replace_names(words: &[String], names: &[(String, String)]) -> Result<Vec<String>> {
    let (replaced, found) = replace(words, names);
    match found.iter().position(|found| *found == 0) {
        Some(missing) => Err(Error::Plan(format!("{} is not a name in the command", names[missing].0))),
        None => Ok(replaced),
    }
}

/// How often a name is in the words of a command.
pub(crate) fn count_name(words: &[String], name: &str) -> usize {
    replace(words, &[(name.to_owned(), String::new())]).1[0]
}

/// Whether a word stays one word, and the same, wherever it is put into a line of a shell.
pub(crate) fn is_plain(text: &str) -> bool {
    text.chars().all(|character| character.is_alphanumeric() || "/._-+@%,".contains(character))
}

/// The words with other names, and how often each name was there.
fn replace(words: &[String], names: &[(String, String)]) -> (Vec<String>, Vec<usize>) {
    let mut found = vec![0; names.len()];
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(names[at].0.len()));
    let replaced = words.iter().map(|word| {
        let mut out = String::with_capacity(word.len());
        let mut at = 0;
        while at < word.len() {
            let starts = at == 0 || ends_name(word.as_bytes()[at - 1]);
            let name = order.iter().copied().filter(|_| starts).find(|&name| {
                let (from, _) = &names[name];
                let end = at + from.len();
                !from.is_empty()
                    && word[at..].starts_with(from.as_str())
                    && word.as_bytes().get(end).is_none_or(|byte| ends_name(*byte))
            });
            if let Some(name) = name {
                found[name] += 1;
                out.push_str(&names[name].1);
                at += names[name].0.len();
            } else {
                let next = word[at..].chars().next().map_or(1, char::len_utf8);
                out.push_str(&word[at..at + next]);
                at += next;
            }
        }
        out
    });
    (replaced.collect(), found)
}

/// The path of piece `number` of a file: `mfcc/raw.7.ark` of `mfcc/raw.ark`.
fn piece_path(path: &str, number: usize) -> String {
    let file = path.rfind('/').map_or(0, |slash| slash + 1);
    match path[file..].rfind('.').filter(|&dot| dot > 0) {
        Some(dot) => format!("{}.{number}{}", &path[..file + dot], &path[file + dot..]),
        None => format!("{path}.{number}"),
    }
}

/// What becomes of an output of the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OutputKind {
    /// An archive in a file.
    Archive(String),
    /// An archive in a file, and its script file.
    ArchiveAndScript(String, String),
    /// Values go to the places that a script file names. There is nothing to join.
    Places,
    /// A file that is not a table.
    File(String),
    /// Standard output.
    Standard,
}

impl OutputKind {
    /// The kind of an output with this name.
    ///
    /// # Errors
    /// If it is written into a command, or its name has no form in which pieces could have names of their own.
    pub(crate) fn of(name: &str) -> Result<Self> {
        let file = |path: &BStr| -> Result<String> {
            let path =
                path.to_str().map_err(|_| Error::Plan(format!("the name of the output {name:?} is not UTF-8")))?;
            if path.trim_start().starts_with('|') {
                return Err(Error::Plan(format!(
                    "the output {name} is a command, which cannot run in pieces: write into a file"
                )));
            }
            let path = path.trim();
            if is_remote(path.as_bytes()) && path.ends_with('/') {
                return Err(Error::Plan(format!(
                    "the output {name} is a folder of a store: expected the name of an object"
                )));
            }
            // A folder has a number, and not what is in it.
            Ok(if path.len() > 1 { path.trim_end_matches('/') } else { path }.to_owned())
        };
        let is_standard = |path: &str| path.is_empty() || path == "-";
        Ok(match Wspecifier::parse(name.into()).map(|specifier| specifier.kind) {
            Some(WspecifierKind::Archive(archive)) => match file(archive.as_ref())? {
                archive if is_standard(&archive) => Self::Standard,
                archive => Self::Archive(archive),
            },
            Some(WspecifierKind::Both { archive, script }) => {
                let (archive, script) = (file(archive.as_ref())?, file(script.as_ref())?);
                if is_standard(&archive) || is_standard(&script) {
                    let message = format!("expected files for archive and script file, got {name}");
                    return Err(Error::Plan(message));
                }
                Self::ArchiveAndScript(archive, script)
            }
            Some(WspecifierKind::Script(_)) => Self::Places,
            None => match file(name.into())? {
                path if is_standard(&path) => Self::Standard,
                path => Self::File(path),
            },
        })
    }

    /// The name of the output for piece `number`, and the files that it makes. `folder` is where pieces of standard output
    /// are kept; `position` is the number of the output.
    pub(crate) fn of_piece(&self, name: &str, number: usize, position: usize, folder: &Path) -> (String, Vec<String>) {
        let prefix = match Wspecifier::parse(name.into()) {
            Some(_) => &name[..=name.find(':').unwrap_or_default()],
            None => "",
        };
        let files = match self {
            Self::Archive(path) | Self::File(path) => vec![piece_path(path, number)],
            Self::ArchiveAndScript(archive, script) => vec![piece_path(archive, number), piece_path(script, number)],
            Self::Places => return (name.to_owned(), Vec::new()),
            Self::Standard => vec![folder.join("stdout").join(format!("{number}.{position}")).display().to_string()],
        };
        (format!("{prefix}{}", files.join(",")), files)
    }

    /// The files of the whole run.
    pub(crate) fn files(&self) -> Vec<&str> {
        match self {
            Self::Archive(path) | Self::File(path) => vec![path],
            Self::ArchiveAndScript(archive, script) => vec![archive, script],
            Self::Places | Self::Standard => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn names_are_replaced_as_wholes_also_inside_of_words() {
        let names = [("scp:a.scp", "scp:/tmp/7"), ("ark:o", "ark:o.7"), ("a.scp", "LIST")];
        let names = names.map(|(from, to)| (from.to_owned(), to.to_owned()));
        let command = words(&["sh", "-c", "x scp:a.scp 'ark:o'|y scp:a.scp.old --list=a.scp \u{e9}a.scp"]);
        let replaced = replace_names(&command, &names).unwrap();
        assert_eq!(replaced[2], "x scp:/tmp/7 'ark:o.7'|y scp:a.scp.old --list=LIST \u{e9}a.scp");
        let error = replace_names(&words(&["x", "scp:a.scp.old"]), &names[..1]).unwrap_err();
        assert_eq!(error.to_string(), "scp:a.scp is not a name in the command");
    }

    #[test]
    fn what_was_put_in_is_not_replaced_again() {
        let names = [("a", "b c"), ("c", "d")].map(|(from, to)| (from.to_owned(), to.to_owned()));
        assert_eq!(replace_names(&words(&["a c"]), &names).unwrap(), ["b c d"]);
    }

    #[test]
    fn pieces_have_their_number_before_the_extension() {
        let piece = |name: &str| OutputKind::of(name).unwrap().of_piece(name, 7, 0, Path::new("D"));
        assert_eq!(piece("ark,scp:m/raw.ark,m/raw.scp").0, "ark,scp:m/raw.7.ark,m/raw.7.scp");
        assert_eq!(piece("ark,scp:m/raw.ark,m/raw.scp").1, ["m/raw.7.ark", "m/raw.7.scp"]);
        assert_eq!(piece("ark,t:a.b/x"), ("ark,t:a.b/x.7".to_owned(), vec!["a.b/x.7".to_owned()]));
        assert_eq!(piece(".hidden").0, ".hidden.7");
        assert_eq!(piece("ark,t:-").0, "ark,t:D/stdout/7.0");
        assert_eq!(piece("-").0, "D/stdout/7.0");
        assert_eq!(piece("scp:out.scp"), ("scp:out.scp".to_owned(), Vec::new()));
    }

    #[test]
    fn commands_are_no_outputs_of_pieces() {
        for name in ["ark:| gzip -c > a.gz", "| cat", "ark,scp:-,b"] {
            assert!(OutputKind::of(name).is_err(), "{name}");
        }
    }
}
