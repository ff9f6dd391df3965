//! The plan: a command, and which ranges of lines of its lists belong to which piece.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::command_words::{OutputKind, count_name, replace_names};
use crate::folder::Folder;
use crate::input_fingerprints::{NamedFile, Program, programs};
use crate::lists::{DealtList, Stretch};
use crate::object::Target;
use crate::split_list::{LineRanges, Measure, deal, follow, refuse_duplicates};
use crate::{Error, Result};

/// Whether archives that are written with a script file are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Join {
    /// They stay in pieces; their script files are joined. All other outputs become one file.
    #[default]
    Auto,
    /// Every output becomes one file.
    All,
    /// Nothing is joined.
    Nothing,
}

/// What is to be planned.
#[derive(Clone, Debug)]
pub struct Request {
    /// The words of the command.
    pub command: Vec<String>,
    /// The most pieces; 0 for those of an earlier plan.
    pub num_pieces: usize,
    /// What is dealt, as the command names it: an rspecifier or a list.
    pub split: String,
    /// Other tables of the same keys, as the command names them.
    pub follow: Vec<String>,
    /// The outputs, as the command names them.
    pub outputs: Vec<String>,
    /// What is equal in all pieces.
    pub measure: Measure,
    /// What is joined.
    pub join: Join,
    /// Whether files that are not tables have a line for each entry, so that those of the pieces, one after the other, are the
    /// file of the whole run.
    pub is_by_entry: bool,
    /// The command that makes one file of the pieces of a file that is not a table, with the words `IN` and `OUT`.
    pub reduce: Option<String>,
    /// Threads of a piece.
    pub threads: usize,
    /// Whether the command is a tool of this program. Exit status 1 with all outputs then means that it had nothing to do.
    pub is_tool: bool,
    /// All outputs of the command that are known, as it names them.
    pub written: Vec<String>,
}

/// A piece, as it is planned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlannedPiece {
    /// Its number, which stays if the lists change and its lines do not.
    pub(crate) number: usize,
    /// Its lines of each list.
    pub(crate) line_ranges: Vec<Stretch>,
}

impl PlannedPiece {
    /// By what the work of a piece is known: hashes of its lines.
    pub(crate) fn signs(&self) -> Vec<u64> {
        self.line_ranges.iter().map(|line_range| line_range.sign).collect()
    }

    /// The number of its entries.
    pub(crate) fn entries(&self) -> u64 {
        self.line_ranges.first().map_or(0, |line_range| line_range.lines)
    }
}

/// The part of a list that belongs to a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListShare<'a> {
    /// The name of the list in the command.
    pub name: &'a str,
    /// What stands before a file in that name, such as `scp:`.
    pub prefix: &'a str,
    /// The file that has the lines of all pieces.
    pub path: PathBuf,
    /// The bytes of this piece in that file.
    pub range: Range<u64>,
}

/// The plan, as it is kept in the state folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub(crate) version: String,
    pub(crate) command: Vec<String>,
    /// The folder in which the command runs.
    pub(crate) folder: PathBuf,
    /// Where programs are searched, as the last start says.
    pub(crate) path: String,
    /// The programs that were found there.
    pub(crate) programs: Vec<Program>,
    /// Whether the command is a tool of this program, whose inputs and outputs are known.
    pub(crate) is_tool: bool,
    pub(crate) most_pieces: usize,
    pub(crate) lists: Vec<DealtList>,
    /// How often the lists were cut.
    pub(crate) times_cut: u32,
    pub(crate) measure: Measure,
    /// The list that the measure needs.
    pub(crate) measure_file: Option<NamedFile>,
    /// What the command reads beside the lists.
    pub(crate) files: Vec<NamedFile>,
    pub(crate) outputs: Vec<String>,
    pub(crate) join: Join,
    pub(crate) reduce: Option<String>,
    pub(crate) threads: usize,
    /// In the order of the list.
    pub(crate) pieces: Vec<PlannedPiece>,
}

impl Plan {
    /// Cuts the lists. A list of an archive's entries is kept in `folder`.
    ///
    /// # Errors
    /// If a list cannot be read or dealt, or an output cannot be written in pieces.
    pub fn make(request: Request, folder: &Folder) -> Result<Self> {
        let mut plan = Self::of_lists(request.clone(), folder, 1)?;
        let mut line_ranges = deal(&plan.lists[0].path, request.num_pieces, &request.measure)?;
        if line_ranges.ranges.is_empty() {
            // One piece does with an empty table what the command does with it.
            line_ranges = LineRanges { ranges: std::iter::once(0..0).collect(), lines: vec![0] };
        }
        let numbers: Vec<usize> = (1..=line_ranges.ranges.len()).collect();
        plan.cut(&numbers, &line_ranges)?;
        plan.check(&request, folder)?;
        Ok(plan)
    }

    /// A plan without pieces: the lists are opened.
    pub(crate) fn of_lists(request: Request, folder: &Folder, times_cut: u32) -> Result<Self> {
        let names = std::iter::once(&request.split).chain(&request.follow).enumerate();
        let lists = names.map(|(position, name)| DealtList::open(name, folder, position, times_cut));
        let folder_of_command = std::env::current_dir().map_err(Error::read(Path::new(".")))?;
        let search = std::env::var("PATH").unwrap_or_default();
        let plan = Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            programs: programs(&request.command, &folder_of_command, &search),
            is_tool: request.is_tool,
            lists: lists.collect::<Result<_>>()?,
            command: request.command,
            folder: folder_of_command,
            path: search,
            most_pieces: request.num_pieces,
            times_cut,
            files: Vec::new(),
            measure_file: request.measure.file().map(NamedFile::read).transpose()?,
            measure: request.measure,
            outputs: request.outputs,
            join: request.join,
            reduce: request.reduce,
            threads: request.threads,
            pieces: Vec::new(),
        };
        // A table that is dealt, and in which the command looks up keys as well: the whole run finds a second entry of a key,
        // and a piece would not.
        if count_name(&plan.command, &request.split) > 1 {
            refuse_duplicates(&request.split, &plan.lists[0].path)?;
        }
        Ok(plan)
    }

    /// Makes pieces of ranges of lines of the first list, and cuts the others at the same keys.
    pub(crate) fn cut(&mut self, numbers: &[usize], line_ranges: &LineRanges) -> Result<()> {
        let mut pieces: Vec<PlannedPiece> =
            numbers.iter().map(|&number| PlannedPiece { number, line_ranges: Vec::new() }).collect();
        for position in 0..self.lists.len() {
            // Planning is done in the folder of the command; messages have the names that are known there.
            let path = &self.lists[position].path;
            let ranges = match position {
                0 => line_ranges.ranges.clone(),
                _ => follow(&self.lists[0].path, line_ranges, path)?,
            };
            for (piece, line_range) in pieces.iter_mut().zip(Stretch::read_all(path, &ranges)?) {
                piece.line_ranges.push(line_range);
            }
        }
        self.pieces = pieces;
        Ok(())
    }

    /// Checks what is not known before the pieces are, and looks at the files that the command reads.
    fn check(&mut self, request: &Request, folder: &Folder) -> Result<()> {
        self.check_outputs(request.is_by_entry, folder)?;
        if let Some(piece) = self.pieces.first() {
            self.command_of(piece.number, folder, Path::new("/tmp"))?;
            // A store that takes no such objects is better known before anything runs.
            self.files_of(piece.number, folder)?.iter().try_for_each(Target::check)?;
        }
        let pieces = self.old_outputs(folder)?;
        self.refuse_own_inputs(&pieces)?;
        self.files = self.other_files(&request.written, &pieces, folder)?;
        Ok(())
    }

    /// Whether entries that cannot be read are left out.
    pub(crate) fn is_permissive(&self) -> bool {
        self.lists.first().is_some_and(|list| DealtList::is_permissive(&list.name))
    }

    /// The file with the lines of a list.
    pub(crate) fn lines_of(&self, position: usize) -> PathBuf {
        self.folder.join(&self.lists[position].path)
    }

    pub(crate) fn check_outputs(&self, is_by_entry: bool, folder: &Folder) -> Result<()> {
        let mut has_file = false;
        for name in &self.outputs {
            let kind = OutputKind::of(name)?;
            has_file |= matches!(kind, OutputKind::File(_));
            if kind == OutputKind::Standard && !self.is_tool && !folder.is_plain() {
                // The folder would become a part of a line of a shell.
                return Err(folder.refuse_name());
            }
        }
        if has_file && !is_by_entry && self.reduce.is_none() && self.join == Join::Auto {
            return Err(Error::Plan(
                "an output is a file that is not a table: `reduce` makes one of the pieces, `join = true` puts \
                 them one after the other, `join = false` keeps them"
                    .to_owned(),
            ));
        }
        match &self.reduce {
            Some(command)
                if !["IN", "OUT"].iter().all(|word| command.split_whitespace().any(|other| other == *word)) =>
            {
                Err(Error::Plan(format!("expected the words IN and OUT in `reduce`, got {command:?}")))
            }
            _ => Ok(()),
        }
    }

    /// The number of pieces.
    pub fn num_pieces(&self) -> usize {
        self.pieces.len()
    }

    /// The numbers of the pieces, in the order of the list. They are those from 1 on, unless pieces of an earlier plan were kept.
    pub fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        self.pieces.iter().map(|piece| piece.number)
    }

    /// The number of entries of all pieces.
    pub fn num_entries(&self) -> u64 {
        self.pieces.iter().map(PlannedPiece::entries).sum()
    }

    pub(crate) fn piece(&self, number: usize) -> Option<&PlannedPiece> {
        self.pieces.iter().find(|piece| piece.number == number)
    }

    /// The number of entries of piece `number`; `None` if there is no such piece.
    pub fn entries_of(&self, number: usize) -> Option<u64> {
        self.piece(number).map(PlannedPiece::entries)
    }

    /// What piece `number` reads, list by list in the order of the command; nothing if there is no such piece.
    pub fn shares_of(&self, number: usize) -> Vec<ListShare<'_>> {
        let line_ranges = self.piece(number).map_or(&[][..], |piece| &piece.line_ranges);
        let shares = self.lists.iter().zip(line_ranges).map(|(list, line_range)| ListShare {
            name: &list.name,
            prefix: &list.prefix,
            path: self.folder.join(&list.path),
            range: line_range.range.clone(),
        });
        shares.collect()
    }

    /// The words of the command.
    pub fn command(&self) -> &[String] {
        &self.command
    }

    /// The folder in which the command runs, and from which relative names in lists start.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Checks that the lists are those of the plan.
    ///
    /// # Errors
    /// If one has changed since the plan was made, or cannot be looked at.
    pub fn check_lists(&self) -> Result<()> {
        // A piece does not read the original of a copy.
        let lists = self.lists.iter().filter(|list| list.is_of_archive || !list.is_copy());
        self.refuse_changes(lists.map(|list| &list.origin))
    }

    /// The outputs of piece `number`: their names, and their files.
    pub(crate) fn outputs_of(&self, number: usize, folder: &Folder) -> Result<Vec<(String, Vec<String>)>> {
        let outputs = self.outputs.iter().enumerate();
        outputs.map(|(at, name)| Ok(OutputKind::of(name)?.of_piece(name, number, at, folder.path()))).collect()
    }

    /// The files and objects that piece `number` makes.
    pub(crate) fn files_of(&self, number: usize, folder: &Folder) -> Result<Vec<Target>> {
        let outputs = self.outputs_of(number, folder)?;
        Ok(outputs.into_iter().flat_map(|(_, files)| files).map(|file| Target::of(&self.folder, &file)).collect())
    }

    /// The list of piece number `number` in `lists`, by position, as a file of the folder `temporary`.
    pub(crate) fn list_path(&self, position: usize, temporary: &Path) -> PathBuf {
        temporary.join(format!("list{position}"))
    }

    /// The words of the command for piece `number`, whose lists are in the folder `temporary`.
    pub(crate) fn command_of(&self, number: usize, folder: &Folder, temporary: &Path) -> Result<Vec<String>> {
        let lists = self.lists.iter().enumerate();
        let lists = lists.map(|(at, list)| {
            (list.name.clone(), format!("{}{}", list.prefix, self.list_path(at, temporary).display()))
        });
        let outputs = self.outputs_of(number, folder)?;
        let outputs = self.outputs.iter().cloned().zip(outputs.into_iter().map(|(name, _)| name));
        replace_names(&self.command, &lists.chain(outputs).collect::<Vec<_>>())
    }
}
