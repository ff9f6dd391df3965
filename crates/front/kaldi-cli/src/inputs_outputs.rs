//! The names of a tool's inputs and outputs, looked at together before anything is opened.
//!
//! Which arguments and options are such names follows from the types of their fields, `InputName`, `MapName` and `OutputName`, so
//! that no tool has to think of it.

use std::path::PathBuf;

use bstr::{BStr, BString};
use kaldi_io::{
    FileIdentity, Output, Rspecifier, RspecifierKind, Wspecifier, WspecifierKind, printable_rxfilename,
    printable_wxfilename,
};

use crate::option::Role;

/// The inputs and outputs that a command line names.
#[derive(Debug, Default)]
pub(crate) struct Names {
    inputs: Vec<BString>,
    outputs: Vec<BString>,
    /// The inputs of each argument.
    arguments: Vec<Vec<BString>>,
}

/// A file, or the place of one, that will be written.
struct Written {
    name: BString,
    flush: bool,
    file: FileIdentity,
}

impl Names {
    pub(crate) fn add(&mut self, role: Role, name: &[u8]) {
        match role {
            Role::Input => self.inputs.push(name.into()),
            Role::Output => self.outputs.push(name.into()),
        }
    }

    /// Adds the values of an argument, which [`Names::add`] has added one by one.
    pub(crate) fn add_argument<'a>(&mut self, role: Role, values: impl Iterator<Item = &'a [u8]>) {
        if role == Role::Input {
            self.arguments.push(values.map(BString::from).collect());
        }
    }

    /// The inputs of each argument, among which are the tables that are read from the first entry to the last.
    pub(crate) fn arguments(&self) -> &[Vec<BString>] {
        &self.arguments
    }

    pub(crate) fn inputs(&self) -> &[BString] {
        &self.inputs
    }

    pub(crate) fn outputs(&self) -> &[BString] {
        &self.outputs
    }

    /// Whether several files or commands are written: with a `%` in its name, an output is more than one.
    pub(crate) fn has_several_outputs(&self) -> bool {
        let names = self.outputs.iter().flat_map(|output| wxfilenames(output.as_ref()));
        names.clone().count() > 1 || self.outputs.iter().any(|output| output.contains(&b'%'))
    }

    /// Refuses names that would cost data: two outputs on one file, and an input that an output would empty before it is
    /// read. (A file that is replaced when its successor is complete can be read until then.)
    ///
    /// # Errors
    /// Names both, and says why they cannot go together.
    pub(crate) fn check(&self) -> Result<(), String> {
        let mut written: Vec<Written> = Vec::with_capacity(self.outputs.len());
        for output in &self.outputs {
            for (name, flush) in wxfilenames(output.as_ref()) {
                let Some(file) = FileIdentity::of_output(name.as_ref()) else { continue };
                if let Some(other) = written.iter().find(|other| other.file == file) {
                    return Err(two_outputs(other.name.as_ref(), name.as_ref()));
                }
                written.push(Written { name, flush, file });
            }
        }
        self.inputs.iter().try_for_each(|input| check_input(input.as_ref(), &written))
    }
}

fn two_outputs(one: &BStr, other: &BStr) -> String {
    let (one, other) = (printable_wxfilename(one), printable_wxfilename(other));
    let both = if one == other {
        format!("two outputs have the name {one}")
    } else {
        format!("the outputs {one} and {other} are the same file")
    };
    format!("{both}: one of them would be lost; give each a file of its own")
}

/// Refuses an input that is emptied when the outputs are opened. Script files are looked into, since their lines are read
/// later.
fn check_input(input: &BStr, written: &[Written]) -> Result<(), String> {
    let specifier = Rspecifier::parse(input);
    let name = specifier.as_ref().map_or(input, |specifier| specifier.rxfilename.as_ref());
    let read = FileIdentity::of_input(name);
    if let Some(emptied) = written.iter().find(|output| Some(&output.file) == read.as_ref() && output.is_emptied()) {
        return Err(emptied.refuse(&printable_rxfilename(name)));
    }
    let is_script = specifier.as_ref().is_some_and(|specifier| specifier.kind == RspecifierKind::Script);
    if is_script && read.is_some() {
        let emptied = written.iter().filter(|output| output.file.exists() && output.is_emptied());
        return check_lines(name, &emptied.collect::<Vec<_>>());
    }
    Ok(())
}

/// Refuses a script file with a line that reads a file which is emptied. What is wrong with the script file itself is left
/// to whoever reads it.
fn check_lines(script: &BStr, emptied: &[&Written]) -> Result<(), String> {
    if emptied.is_empty() {
        return Ok(());
    }
    let mut last = PathBuf::new();
    for line in kaldi_table::read_script(script, true).unwrap_or_default() {
        let Ok(locator) = line.locator() else { continue };
        if locator.path().is_some_and(|path| *path == last) {
            continue;
        }
        last = locator.path().map(ToOwned::to_owned).unwrap_or_default();
        let read = FileIdentity::of_input(locator.name());
        if let Some(emptied) = emptied.iter().find(|output| Some(&output.file) == read.as_ref()) {
            let line = format!("{} in {}", printable_rxfilename(locator.name()), printable_rxfilename(script));
            return Err(emptied.refuse(&line));
        }
    }
    Ok(())
}

impl Written {
    /// Whether the file loses what is in it when it is opened.
    fn is_emptied(&self) -> bool {
        Output::is_in_place(self.name.as_ref(), self.flush)
    }

    fn refuse(&self, input: &str) -> String {
        let output = printable_wxfilename(self.name.as_ref());
        let what = match input == output {
            true => format!("{output} is to be read and"),
            false => format!("the output {output} is the same file as the input {input}, and"),
        };
        let why = if self.flush { " (option f)" } else { "" };
        format!("{what} written in place{why}: write to another file")
    }
}

/// The files that an output names, each with whether it is to be written in place.
pub(crate) fn wxfilenames(output: &BStr) -> Vec<(BString, bool)> {
    match Wspecifier::parse(output) {
        None => vec![(output.to_owned(), false)],
        Some(Wspecifier { kind, options }) => match kind {
            WspecifierKind::Archive(archive) => vec![(archive, options.flush)],
            WspecifierKind::Both { archive, script } => vec![(archive, options.flush), (script, options.flush)],
            // This is one to read, whole, before anything is written.
            WspecifierKind::Script(_) => Vec::new(),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;
    use crate::command::{Given, command};
    use crate::dialect::{Request, read};
    use crate::fault::matches;
    use crate::{Arg, InputName, OutputName};

    #[derive(clap::Args)]
    #[allow(dead_code, reason = "only the names are looked at")]
    struct Options {
        /// The ending of names
        #[arg(long, default_value = "x")]
        output_ext: Arg,
        /// Utterances of speakers
        #[arg(long)]
        spk2utt: Option<InputName>,
        /// Lengths
        #[arg(long)]
        write_lengths: Option<OutputName>,
        mean: Option<InputName>,
        source: InputName,
        #[arg(required = true)]
        others: Vec<InputName>,
        target: OutputName,
    }

    fn names(words: &[&str]) -> (Vec<String>, Vec<String>) {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let mut command = command(&<Options as clap::Args>::augment_args, false);
        let Ok(Request::Run(spelled)) = read(&command, &words) else { panic!("{words:?}") };
        let matches = matches(&mut command, &spelled).unwrap();
        let Names { inputs, outputs, .. } = Given::of(&command, &matches).names();
        (inputs.iter().map(ToString::to_string).collect(), outputs.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn names_are_known_by_the_types_of_their_fields() {
        let (inputs, outputs) =
            names(&["--output-ext=e", "--spk2utt=s", "--write-lengths=ark:l", "m", "ark:a", "b", "c", "ark:t"]);
        assert_eq!(inputs, ["s", "m", "ark:a", "b", "c"]);
        assert_eq!(outputs, ["ark:l", "ark:t"]);
        // What is left empty is left out, except for an argument, which is a standard stream.
        let (inputs, outputs) = names(&["--spk2utt=", "--write-lengths=", "", "b", ""]);
        assert_eq!((inputs.join(","), outputs.join(",")), (",b".to_owned(), String::new()));
        assert_eq!(names(&["a", "b", ""]).1, [""]);
    }

    #[test]
    fn what_is_no_name_is_left_to_whoever_opens_it() {
        let mut names = Names::default();
        for name in ["ark:", "ark,scp:x", "x y|z", "cat |", "| cat", "ark:| cat", "/nowhere/x", "scp:/nowhere/x"] {
            names.add(Role::Input, name.as_bytes());
            names.add(Role::Output, name.as_bytes());
        }
        assert_eq!(names.check(), Ok(()));
    }
}
