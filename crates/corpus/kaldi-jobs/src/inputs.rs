//! What the command of a plan reads, and whether that is as it was when the pieces were planned.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use bstr::{BStr, ByteSlice};
use kaldi_io::{Rxfilename, remote_name};

use crate::command_words::OutputKind;
use crate::input_fingerprints::{NamedFile, changed_programs, named_files, programs};
use crate::object::Target;
use crate::split_list::{each_line, key_of};
use crate::{Error, Folder, Plan, Result};

impl Plan {
    /// Checks what else a tool of this program reads. What the names in the command lines of other programs mean is not
    /// known: they may write there.
    pub(crate) fn check_files_of_tool(&self) -> Result<()> {
        if self.is_tool { self.refuse_changes(&self.files) } else { Ok(()) }
    }

    /// In what files have changed, as a text.
    pub(crate) fn changes<'a>(&self, files: impl IntoIterator<Item = &'a NamedFile>) -> Option<String> {
        let changes: Vec<String> = files.into_iter().filter_map(|file| file.change(&self.folder)).collect();
        (!changes.is_empty()).then(|| format!("{} since the pieces were planned", changes.join(", ")))
    }

    pub(crate) fn refuse_changes<'a>(&self, files: impl IntoIterator<Item = &'a NamedFile>) -> Result<()> {
        match self.changes(files) {
            Some(changes) => Err(Error::Folder(format!("{changes}: `restart` plans anew"))),
            None => Ok(()),
        }
    }

    /// The plan with the `PATH` of this process, and in what the programs are others.
    pub(crate) fn of_today(&self) -> (Self, Vec<String>) {
        let path = std::env::var("PATH").unwrap_or_default();
        let programs = programs(&self.command, &self.folder, &path);
        let changes = changed_programs(&self.programs, &programs);
        (Self { path, programs, ..self.clone() }, changes)
    }

    /// The files that are there already under names of outputs of pieces.
    pub(crate) fn old_outputs(&self, folder: &Folder) -> Result<HashMap<PathBuf, usize>> {
        let mut old = HashMap::new();
        for number in self.numbers() {
            let place = |file: Target| match file {
                Target::File(path) => fs::canonicalize(path).ok(),
                Target::Object(name) => Some(name.to_path_lossy().into_owned()),
            };
            old.extend(self.files_of(number, folder)?.into_iter().filter_map(|file| Some((place(file)?, number))));
        }
        Ok(old)
    }

    /// Refuses lists that read what pieces write: an output goes before its piece starts.
    pub(crate) fn refuse_own_inputs(&self, pieces: &HashMap<PathBuf, usize>) -> Result<()> {
        if pieces.is_empty() {
            return Ok(());
        }
        let names: HashSet<&OsStr> = pieces.keys().filter_map(|path| path.file_name()).collect();
        let refuse = |reader: &Path, path: &Path| {
            let there = if remote_name(path).is_some() { path.to_owned() } else { self.folder.join(path) };
            if !there.file_name().is_some_and(|name| names.contains(name)) {
                return Ok(());
            }
            match pieces.get(&fs::canonicalize(&there).unwrap_or(there)) {
                Some(piece) => Err(Error::Plan(format!(
                    "{} reads {}, which piece {piece} writes: give the output another name",
                    reader.display(),
                    path.display()
                ))),
                None => Ok(()),
            }
        };
        for list in &self.lists {
            refuse(Path::new(&list.name), list.origin.path())?;
            let path = self.folder.join(&list.path);
            each_line(&path, |_, line| {
                let value = line[key_of(line).len().min(line.len())..].trim_ascii();
                let value = value.split_str(b"[").next().unwrap_or_default();
                match Rxfilename::parse(BStr::new(value)) {
                    Ok(Rxfilename::File(path) | Rxfilename::Offset(path, _)) => refuse(list.origin.path(), &path),
                    _ => Ok(()),
                }
            })?;
        }
        Ok(())
    }

    /// What the command and the measure read beside the lists; `written` are names of outputs.
    pub(crate) fn other_files(
        &self,
        written: &[String],
        pieces: &HashMap<PathBuf, usize>,
        folder: &Folder,
    ) -> Result<Vec<NamedFile>> {
        let mut outputs = HashSet::new();
        for name in self.outputs.iter().chain(written) {
            // A name that has no pieces is refused elsewhere, if it is one of this run.
            let kind = OutputKind::of(name).unwrap_or(OutputKind::Standard);
            outputs.extend(kind.files().into_iter().filter_map(|file| match Target::of(&self.folder, file) {
                Target::File(path) => fs::canonicalize(path).ok(),
                Target::Object(name) => Some(name.to_path_lossy().into_owned()),
            }));
        }
        let state = fs::canonicalize(folder.path()).unwrap_or_else(|_| folder.path().to_owned());
        let lists: Vec<PathBuf> = self.lists.iter().map(|list| self.folder.join(list.origin.path())).collect();
        let files = named_files(&self.command[1..], &self.folder, |path| {
            let place = match remote_name(path) {
                Some(_) => path.to_owned(),
                None => match fs::canonicalize(path) {
                    Ok(place) => place,
                    Err(_) => return true,
                },
            };
            let is_output = outputs.contains(&place) || pieces.contains_key(&place) || place.starts_with(&state);
            // A remote name is joined to the folder here as well.
            is_output || lists.iter().any(|list| list == path || list == &self.folder.join(path))
        });
        Ok(files)
    }
}
