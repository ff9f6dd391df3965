//! The outputs of the whole run, made of those of the pieces.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use bstr::ByteSlice;
use kaldi_io::{DeferredOutputs, Output, Session};
use serde::{Deserialize, Serialize};

use crate::command_words::OutputKind;
use crate::input_fingerprints::Stamp;
use crate::object::Target;
use crate::piece::{is_whole, repeat_warnings};
use crate::plan::Join;
use crate::split_list::key_of;
use crate::{Error, Folder, Plan, Result, signal};

/// The pieces that are not done.
#[derive(Default)]
pub(crate) struct OpenPieces {
    /// Those without a record.
    unrecorded: Vec<usize>,
    /// Those whose lines or outputs are not those of the record.
    pub(crate) changed: Vec<usize>,
}

impl OpenPieces {
    /// Looks at all records.
    ///
    /// # Errors
    /// If a record cannot be read.
    pub(crate) fn find(plan: &Plan, folder: &Folder) -> Result<Self> {
        let mut open = Self::default();
        let done: HashSet<usize> = folder.done_pieces()?.into_iter().collect();
        for piece in &plan.pieces {
            match if done.contains(&piece.number) { folder.record(piece.number)? } else { None } {
                Some(record) if is_whole(plan, folder, piece, &record)? => {}
                Some(_) => open.changed.push(piece.number),
                None => open.unrecorded.push(piece.number),
            }
        }
        Ok(open)
    }
}

/// Looks at all records. Returns the pieces that are not done: those without a record, and those whose lines or outputs are not
/// those of the record, which is withdrawn.
///
/// # Errors
/// If a record cannot be read.
pub(crate) fn missing_pieces(plan: &Plan, folder: &Folder) -> Result<Vec<usize>> {
    let OpenPieces { unrecorded: mut missing, changed } = OpenPieces::find(plan, folder)?;
    for number in changed {
        folder.withdraw(number)?;
        missing.push(number);
    }
    missing.sort_unstable();
    Ok(missing)
}

/// Whether any piece did anything, if the outputs of the whole run are there, as an earlier process has left them. `None`
/// if they are not.
pub(crate) fn finished_before(plan: &Plan, folder: &Folder) -> Result<Option<bool>> {
    let Some(finished) = folder.read_json::<Finished>(&folder.finished_path())? else { return Ok(None) };
    let has_standard = plan.outputs.iter().any(|name| matches!(OutputKind::of(name), Ok(OutputKind::Standard)));
    if has_standard {
        return Ok(None);
    }
    for (name, stamp) in &finished.files {
        if Target::of(&plan.folder, name).stamp()?.as_ref() != Some(stamp) {
            return Ok(None);
        }
    }
    if !finished.is_clean {
        remove_pieces(plan, folder, &finished.files)?;
    }
    Ok(Some(finished.did_anything))
}

/// The outputs of the whole run.
#[derive(Serialize, Deserialize)]
struct Finished {
    /// Each with by what it is known.
    files: Vec<(String, Stamp)>,
    /// Whether files of pieces that are not needed any more were removed.
    is_clean: bool,
    did_anything: bool,
}

impl Folder {
    /// The outputs of the whole run that are as they were left, by their names.
    pub(crate) fn joined_outputs(&self, plan: &Plan) -> Result<HashSet<String>> {
        let mut names = HashSet::new();
        let finished = self.read_json::<Finished>(&self.finished_path())?;
        for (name, stamp) in finished.map_or(Vec::new(), |finished| finished.files) {
            if Target::of(&plan.folder, &name).stamp()?.as_ref() == Some(&stamp) {
                names.insert(name);
            }
        }
        Ok(names)
    }

    /// Has the next start remove files of pieces that are in the joined outputs.
    pub(crate) fn forget_that_it_is_clean(&self) -> Result<()> {
        match self.read_json::<Finished>(&self.finished_path())? {
            Some(finished) => self.write_json(&self.finished_path(), &Finished { is_clean: false, ..finished }),
            None => Ok(()),
        }
    }
}

/// Joins the outputs of the pieces, which are all done, and repeats their warnings. Returns whether any piece did anything.
///
/// # Errors
/// If an output cannot be written, or the command that reduces fails.
pub(crate) fn join_outputs(plan: &Plan, folder: &Folder) -> Result<bool> {
    let mut finished = Vec::new();
    for (position, name) in plan.outputs.iter().enumerate() {
        let kind = OutputKind::of(name)?;
        let pieces: Vec<Vec<String>> =
            plan.numbers().map(|number| kind.of_piece(name, number, position, folder.path()).1).collect();
        let joining = Joining { plan, pieces };
        match &kind {
            OutputKind::Places => {}
            OutputKind::Standard => joining.to_standard_output(folder)?,
            _ if plan.join == Join::Nothing => {
                finished.extend(joining.pieces.into_iter().flatten());
                continue;
            }
            OutputKind::Archive(archive) => joining.concatenate(0, archive)?,
            OutputKind::File(file) => match &plan.reduce {
                // What the command makes of an empty table.
                _ if plan.num_entries() == 0 => joining.concatenate(0, file)?,
                Some(command) => joining.reduce(command, file)?,
                None => joining.concatenate(0, file)?,
            },
            OutputKind::ArchiveAndScript(archive, script) if plan.join == Join::All => {
                joining.join_with_script(archive, script)?;
            }
            OutputKind::ArchiveAndScript(_, script) => {
                joining.concatenate(1, script)?;
                finished.extend(joining.pieces.into_iter().map(|files| files[0].clone()));
                finished.push(script.clone());
                continue;
            }
        }
        finished.extend(kind.files().into_iter().map(str::to_owned));
    }
    let mut records = Vec::new();
    for number in plan.numbers() {
        records.extend(folder.record(number)?);
    }
    let did_anything = records.iter().any(|record| record.exit == 0);
    if did_anything {
        // Small ones that replace others wait for the end of a tool; pieces go before that.
        Session::current().publish_all(DeferredOutputs::Publish)?;
    }
    let mut files = Vec::with_capacity(finished.len());
    for name in finished {
        // If nothing was done, an empty object may still wait for the end.
        files.extend(Target::of(&plan.folder, &name).stamp()?.map(|stamp| (name, stamp)));
    }
    let mut finished = Finished { files, is_clean: false, did_anything };
    let path = folder.finished_path();
    folder.write_json(&path, &finished)?;
    remove_pieces(plan, folder, &finished.files)?;
    finished.is_clean = true;
    folder.write_json(&path, &finished)?;
    repeat_warnings(records.into_iter());
    Ok(did_anything)
}

/// Removes the files of pieces that are in the outputs of the whole run now.
fn remove_pieces(plan: &Plan, folder: &Folder, kept: &[(String, Stamp)]) -> Result<()> {
    for number in plan.numbers() {
        for (_, files) in plan.outputs_of(number, folder)? {
            for file in files.iter().filter(|file| kept.iter().all(|(kept, _)| kept != *file)) {
                Target::of(&plan.folder, file).remove()?;
            }
        }
    }
    Ok(())
}

/// One output: the files of each piece.
struct Joining<'a> {
    plan: &'a Plan,
    pieces: Vec<Vec<String>>,
}

impl Joining<'_> {
    fn target(&self, file: &str) -> Target {
        Target::of(&self.plan.folder, file)
    }

    /// Appends a file to an output; returns its length.
    fn append(&self, file: &str, output: &mut Output) -> Result<u64> {
        signal::check()?;
        self.target(file).append_to(output)
    }

    /// Puts file number `at` of all pieces one after the other.
    fn concatenate(&self, at: usize, target: &str) -> Result<()> {
        let mut output = self.target(target).create()?;
        for files in &self.pieces {
            self.append(&files[at], &mut output)?;
        }
        Ok(output.finish()?)
    }

    /// Joins archives, and script files, whose offsets then count from the start of the new archive.
    fn join_with_script(&self, archive: &str, script: &str) -> Result<()> {
        let (mut values, mut lines) = (self.target(archive).create()?, self.target(script).create()?);
        let mut base = 0;
        for files in &self.pieces {
            let mut reader = self.target(&files[1]).lines()?;
            let mut line = Vec::new();
            while reader.read_until(b'\n', &mut line).map_err(Error::read(Path::new(&files[1])))? > 0 {
                let text = line.trim_ascii_end();
                let key = key_of(text);
                let place =
                    text.rsplit_once_str(b":").and_then(|(_, offset)| offset.to_str().ok()?.parse::<u64>().ok());
                let wrong = || Error::Record {
                    path: files[1].clone().into(),
                    message: format!("expected a key and a place in {}, got {}", files[0], text.as_bstr()),
                };
                let offset = base + place.ok_or_else(wrong)?;
                lines.write_all(key)?;
                lines.write_all(format!(" {archive}:{offset}\n").as_bytes())?;
                line.clear();
            }
            base += self.append(&files[0], &mut values)?;
        }
        values.finish()?;
        Ok(lines.finish()?)
    }

    /// Runs the command that makes one file of many.
    fn reduce(&self, command: &str, target: &str) -> Result<()> {
        let mut words = Vec::new();
        for word in command.split_whitespace() {
            match word {
                "IN" => words.extend(self.pieces.iter().map(|files| files[0].clone())),
                "OUT" => words.push(target.to_owned()),
                other => words.push(other.to_owned()),
            }
        }
        let failed = |source| Error::Start { program: words[0].clone(), source };
        let mut child = Command::new(&words[0]);
        child.args(&words[1..]).current_dir(&self.plan.folder).env("PATH", &self.plan.path).stdin(Stdio::null());
        let status = child.status().map_err(failed)?;
        match status.success() {
            true => Ok(()),
            false => Err(Error::Plan(format!("{} has failed: {status}", words.join(" ")))),
        }
    }

    fn to_standard_output(&self, folder: &Folder) -> Result<()> {
        let mut output = io::stdout().lock();
        for files in &self.pieces {
            signal::check()?;
            let path = folder.path().join(&files[0]);
            let mut file = File::open(&path).map_err(Error::read(&path))?;
            let copied = io::copy(&mut file, &mut output).and_then(|_| output.flush());
            copied.map_err(Error::write(Path::new("standard output")))?;
        }
        Ok(())
    }
}
