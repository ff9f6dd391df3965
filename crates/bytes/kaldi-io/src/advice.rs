//! Advice on names, and where advice on streams comes from.
//!
//! Nothing here runs before an error is made.

use std::collections::HashSet;
use std::io::ErrorKind;

use crate::ParseError;
use crate::address::has_usual_scheme;
use crate::characters::is_space;
use crate::relocated_data::Moved;
use crate::session::Session;

/// What a stream was taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedStream {
    /// An archive: keys, each with its value (`ark:`).
    Archive,
    /// A script file: lines of keys and file names (`scp:`).
    Script,
    /// Another list: text in lines.
    Lines,
    /// One value without a key.
    Value,
}

/// What a program knows about errors of the libraries, such as which of its tools reads a file. A session has it
/// ([`SessionSettings::advice`](crate::SessionSettings::advice)); without it, messages say what was expected and found, and no
/// more. It is asked when an error is made, never when it is printed.
pub trait Advice: Send + Sync {
    /// What a stream is and how it can be read, if its first bytes, `head`, show that it is not what was wanted. `name` is
    /// printable; at `fault` it could not be read.
    fn on_stream(&self, head: &[u8], wanted: ExpectedStream, name: &str, fault: usize) -> Option<String>;

    /// What a value that could not be read may be instead ([`ParseError::value`]), and which tool reads it.
    fn on_value(&self, error: &ParseError) -> Option<String>;

    /// What to do about a file that is not where its script file says.
    fn on_moved(&self, moved: &Moved) -> String;

    /// Which other way there is to what a library cannot do.
    fn on_lack(&self, _lack: Lack) -> Option<String> {
        None
    }

    /// What a file in a format of others is called that starts with these bytes.
    fn file_kind(&self, _head: &[u8]) -> Option<&'static str> {
        None
    }
}

/// What a library cannot do, and a program may have another way to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lack {
    /// Writing shards by a wspecifier.
    WritingShards,
    /// Finding keys in shards.
    KeysOfShards,
    /// Copying shards like tables.
    CopiesOfShards,
    /// Reading an archive in any order.
    AnyOrder,
    /// Writing a binary value as text without knowing its type.
    TextOfBytes,
    /// Writing binary data to a terminal.
    BytesOnTerminal,
    /// A feature of the package that the build lacks.
    Feature(&'static str),
}

impl Lack {
    /// A message on it, and the advice of the session of this thread.
    pub fn explain(self, message: &str) -> String {
        match Session::setting(|settings| settings.advice.clone()).and_then(|advice| advice.on_lack(self)) {
            Some(advice) => format!("{message}; {advice}"),
            None => message.to_owned(),
        }
    }
}

/// Asks the advice of the session of this thread what a stream is ([`Advice::on_stream`]).
pub fn recognize(head: &[u8], wanted: ExpectedStream, name: &str, fault: usize) -> Option<String> {
    Session::setting(|settings| settings.advice.clone())?.on_stream(head, wanted, name, fault)
}

/// Says what a sound is that does not start like one: the message of the reader, and what [`recognize`] says of its first bytes.
/// `name` is printable, and empty for a member of a shard.
pub fn explain_sound(message: &str, head: &[u8], name: &str) -> String {
    const UNKNOWN: [&str; 2] = ["expected RIFF", "expected sound or features"];
    // Advice puts no name with a blank into a command.
    let name = if name.is_empty() { "a member" } else { name };
    // A sound that starts as it should needs no other tool.
    match recognize(head, ExpectedStream::Value, name, 4)
        .filter(|_| UNKNOWN.iter().any(|start| message.starts_with(start)))
    {
        Some(advice) => format!("{message}: {advice}"),
        None => message.to_owned(),
    }
}

/// Remembers which advice of [`explain_sound`] was given: a list may have the same fault in every line.
#[derive(Debug, Default)]
pub struct AdviceGiven(HashSet<String>);

impl AdviceGiven {
    /// The message, without the advice if that was given for the same format.
    pub fn once(&mut self, message: String) -> String {
        let format = message.find(": this is ").map(|start| start + 2);
        let end = format.and_then(|start| Some(start + message[start..].find("; ")?));
        match (format, end) {
            (Some(start), Some(end)) if !self.0.insert(message[start..end].to_owned()) => message[..end].to_owned(),
            _ => message,
        }
    }
}

/// Whether the line has a key and what looks like the name of a file or a command.
pub fn is_script_line(line: &[u8]) -> bool {
    let Some((_, name)) = split_key_off(line) else { return false };
    let name = name.trim_ascii();
    if name.is_empty() || name.contains(&0) || name.starts_with(b"[") {
        return false;
    }
    if name.ends_with(b"|") {
        return true;
    }
    if name.iter().any(|&byte| is_space(byte)) {
        return false;
    }
    let extension = name.rsplit(|&byte| byte == b'.').next().filter(|extension| extension.len() < name.len());
    let has_extension = extension.is_some_and(|text| {
        let text = text.split(|&byte| byte == b':').next().unwrap_or_default();
        (1..=5).contains(&text.len())
            && text[0].is_ascii_alphabetic()
            && text.iter().all(|byte| byte.is_ascii_alphanumeric())
    });
    has_extension || name.contains(&b'/')
}

/// Splits a key, which must not look like the start of a value itself, off a line.
pub fn split_key_off(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = line.iter().position(|&byte| is_space(byte))?;
    let (key, value) = (&line[..length], &line[length + 1..]);
    let is_key = !key.is_empty()
        && key.iter().all(|&byte| byte.is_ascii_graphic() || byte >= 0x80)
        && !matches!(key[0], b'[' | b'<' | b'{' | b'"')
        && !is_number(key);
    is_key.then_some((key, value))
}

fn is_number(word: &[u8]) -> bool {
    std::str::from_utf8(word).is_ok_and(|word| word.parse::<f64>().is_ok())
}

const OPTIONS: &str = "options have the form --name=value";

/// Advice about a name that could not be opened for this reason; `None` if the name looks right, and there is just no such file.
/// `is_of_store` says that a store gave the reason.
pub(crate) fn name_advice(name: &str, reason: ErrorKind, is_of_store: bool) -> Option<String> {
    if reason != ErrorKind::NotFound {
        return None;
    }
    let quotes: &[char] = &['\'', '"'];
    let bare = name.strip_prefix('$').unwrap_or(name).trim_matches(quotes);
    if let Some((scheme, _)) = bare.split_once("://")
        && !scheme.is_empty()
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
    {
        return (!is_of_store && !has_usual_scheme(bare.as_bytes()))
            .then(|| format!("such addresses are read through a command: 'curl -sSfL {bare} |'"));
    }
    if bare.contains(",scp:") || bare.contains(",ark:") {
        return Some("one table has one name: ark:FILE or scp:FILE to read".to_owned());
    }
    if bare.starts_with('~') {
        return Some("the shell replaces ~ only at the start of a word; write $HOME instead".to_owned());
    }
    if bare.starts_with('-') {
        return Some(OPTIONS.to_owned());
    }
    if bare.contains(char::is_whitespace) {
        return Some("a command needs a pipe sign: 'command |' to read, '| command' to write".to_owned());
    }
    if bare.contains(['*', '?']) {
        let command = if name == bare { format!("cat {bare}") } else { "cat FILES".to_owned() };
        return Some(format!("patterns of files are read through a command: '{command} |'"));
    }
    None
}

/// Says what is odd about the name of a file that is going to be written, if anything is.
pub fn output_doubt(name: &[u8]) -> Option<&'static str> {
    if matches!(name, [] | b"-") || name.starts_with(b"|") {
        return None;
    }
    if name.starts_with(b"-") {
        return Some(OPTIONS);
    }
    let has = |part: &[u8]| memchr::memmem::find(name, part).is_some();
    if has(b",scp:") || has(b",ark:") {
        return Some("an archive with its script file is written as ark,scp:foo.ark,foo.scp");
    }
    if has(b">") {
        return Some("> is a part of the name here; a command to write to starts with |");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_only_a_shell_would_understand_get_advice() {
        let t = |name: &str, expected: Option<&str>| {
            let advice = name_advice(name, ErrorKind::NotFound, false);
            let is_right = match (&advice, expected) {
                (Some(advice), Some(expected)) => advice.contains(expected),
                (advice, expected) => advice.is_none() && expected.is_none(),
            };
            assert!(is_right, "{name}: {advice:?}");
        };
        t("~/feats.ark", Some("$HOME"));
        t("'raw_*.ark'", Some("'cat FILES |'"));
        t("raw_[~]*.ark", Some("'cat raw_[~]*.ark |'"));
        t("'sox a.wav -t wav -'", Some("'command |'"));
        t("ftp://example.org/a.ark", Some("'curl -sSfL ftp://example.org/a.ark |'"));
        t("s3://bucket/a.ark", None);
        t("'https://example.org/a?b'", None);
        t("-j4", Some("--name=value"));
        t("a.ark,scp:a.scp", Some("ark:FILE or scp:FILE"));
        t("feats.ark", None);
        t("data/feats-1.ark", None);
        assert_eq!(name_advice("letters://a", ErrorKind::NotFound, true), None);
        assert_eq!(name_advice("~/feats.ark", ErrorKind::PermissionDenied, false), None);
    }

    #[test]
    fn odd_names_of_outputs_are_doubted() {
        for name in ["a.ark > log", "a.ark,scp:a.scp", "a.ark,ark:b.ark", "--binary=false", "-o"] {
            assert!(output_doubt(name.as_bytes()).is_some(), "{name}");
        }
        for name in ["", "-", "a.ark", "| gzip -c > a.gz", "a,b.ark", "a:b"] {
            assert_eq!(output_doubt(name.as_bytes()), None, "{name}");
        }
    }
}
