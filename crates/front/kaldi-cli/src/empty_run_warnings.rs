//! Warnings about a run that did nothing, or whose input and output seem to be swapped.

use std::fs;
use std::io::IsTerminal;

use bstr::{BStr, BString};
use kaldi_io::{FileIdentity, Rspecifier, RspecifierKind, Rxfilename, Wspecifier, WspecifierKind, is_remote};

use crate::inputs_outputs::{Names, wxfilenames};

/// What was there before a tool started.
#[derive(Debug, Default)]
pub(crate) struct OutputsBeforeRun {
    /// The first output that was there as a file.
    output: Option<BString>,
}

impl Names {
    /// Looks at the files before the tool starts.
    pub(crate) fn before(&self) -> OutputsBeforeRun {
        let is_there = |name: &&BString| FileIdentity::of_input(first_file(name.as_ref()).as_ref()).is_some();
        let is_stream = |name: &&BString| matches!(first_file(name.as_ref()).as_slice(), b"" | b"-");
        OutputsBeforeRun { output: self.outputs().iter().find(|name| !is_stream(name) && is_there(name)).cloned() }
    }

    /// Whether the tool reads standard input and it is a terminal: the tool would wait silently.
    pub(crate) fn waits_for_terminal(&self) -> Option<&BStr> {
        let reads_stdin =
            |name: &&BString| matches!(Rxfilename::parse(rxfilename(name.as_ref())), Ok(Rxfilename::Stdin));
        let name = self.inputs().iter().find(reads_stdin)?;
        std::io::stdin().is_terminal().then_some(name.as_ref())
    }

    /// Whether an input is a table.
    pub(crate) fn reads_tables(&self) -> bool {
        self.inputs().iter().any(|name| Rspecifier::parse(name.as_ref()).is_some())
    }

    /// Warns if no entry was read, or no entry was written: `read` and `written` are the counts of all tables.
    /// `done_nothing` is the message for a run without tables.
    pub(crate) fn describe_nothing(&self, read: u64, written: u64, done_nothing: bool) -> Option<String> {
        let [inputs, outputs] = [
            tables(self.inputs(), |name| Rspecifier::parse(name).is_some()),
            tables(self.outputs(), |name| Wspecifier::parse(name).is_some()),
        ];
        Some(match (inputs, outputs) {
            (_, Some(outputs)) if written > 0 || outputs.is_empty() => return None,
            (inputs, Some(outputs)) => {
                let inputs = inputs.unwrap_or_else(|| join(self.inputs()));
                match read {
                    0 => format!("no entry was read from {inputs}, and none was written to {outputs}"),
                    _ => format!("none of the entries read from {inputs} ({read}) was written to {outputs}"),
                }
            }
            (Some(inputs), None) if read == 0 => format!("no entry was read from {inputs}{}", self.to_outputs()),
            (None, None) if done_nothing && read == 0 && !self.inputs().is_empty() => {
                format!("nothing was found in {}{}", join(self.inputs()), self.to_outputs())
            }
            _ => return None,
        })
    }

    fn to_outputs(&self) -> String {
        if self.outputs().is_empty() { String::new() } else { format!(" for {}", join(self.outputs())) }
    }

    /// Asks whether input and output are swapped, if that is likely: an input is not an input's name, or does not exist, and
    /// an output exists. The text is added to a message. It is empty if there is no question.
    pub(crate) fn advise_on_swap(&self, before: &OutputsBeforeRun) -> String {
        self.find_swap(before).map(|why| format!("; {why}: were input and output swapped?")).unwrap_or_default()
    }

    /// Says how a table is read on after an entry that cannot be read, if that is what the error is about. The text is added to a message.
    pub(crate) fn advise_on_entry(&self, error: &anyhow::Error) -> String {
        let is_entry = |cause: &(dyn std::error::Error + 'static)| {
            matches!(cause.downcast_ref(), Some(kaldi_table::Error::Entry { .. }))
        };
        let is_strict = |name: &BString| {
            Rspecifier::parse(name.as_ref())
                .is_some_and(|it| it.kind == RspecifierKind::Script && !it.options.permissive)
        };
        let is_of_table = self.arguments().iter().flatten().any(is_strict);
        match is_of_table && error.chain().any(is_entry) {
            true => "; scp,p: leaves out what cannot be read".to_owned(),
            false => String::new(),
        }
    }

    fn find_swap(&self, before: &OutputsBeforeRun) -> Option<String> {
        let is_output_only = |name: &&BString| is_wspecifier_only(name.as_ref());
        let is_missing = |name: &&BString| is_missing(rxfilename(name.as_ref()));
        let input = self.inputs().iter().find(|name| is_output_only(name) || is_missing(name))?;
        let output = before.output.as_ref()?;
        Some(match is_output_only(&input) {
            true => format!("{input} is how outputs are named, and {output} was there before"),
            false => format!("{input} is not there, and {output} is"),
        })
    }
}

/// The names of tables among `names`, or `None` if none is one.
fn tables(names: &[BString], is_table: impl Fn(&BStr) -> bool) -> Option<String> {
    let tables: Vec<BString> = names.iter().filter(|name| is_table(name.as_ref())).cloned().collect();
    (!tables.is_empty()).then(|| join(&tables))
}

fn join(names: &[BString]) -> String {
    names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn rxfilename(name: &BStr) -> &BStr {
    // An rspecifier ends in its rxfilename.
    match Rspecifier::parse(name) {
        Some(specifier) => BStr::new(&name[name.len() - specifier.rxfilename.len()..]),
        None => name,
    }
}

/// The first file of an output: the archive, the script file that says where values go, or the only one.
fn first_file(output: &BStr) -> BString {
    match Wspecifier::parse(output) {
        Some(Wspecifier { kind: WspecifierKind::Script(script), .. }) => script,
        _ => wxfilenames(output).into_iter().next().map(|(name, _)| name).unwrap_or_default(),
    }
}

fn is_missing(rxfilename: &BStr) -> bool {
    match Rxfilename::parse(rxfilename) {
        Ok(Rxfilename::File(path) | Rxfilename::Offset(path, _)) => {
            !is_remote(path.as_os_str().as_encoded_bytes()) && fs::symlink_metadata(path).is_err()
        }
        Ok(Rxfilename::Stdin | Rxfilename::Pipe(_)) | Err(_) => false,
    }
}

/// Whether a name can only be an output: `ark,scp:a,b`, `ark,f:a`, and `ark,t:-`, whose `t` means nothing for an
/// input.
fn is_wspecifier_only(name: &BStr) -> bool {
    match Rspecifier::parse(name) {
        None => Wspecifier::parse(name).is_some(),
        Some(specifier) => {
            let words = name.split(|&byte| byte == b':').next().unwrap_or_default();
            specifier.kind == RspecifierKind::Archive
                && matches!(specifier.rxfilename.as_slice(), b"" | b"-")
                && words.split(|&byte| byte == b',').any(|word| word == b"t")
        }
    }
}
