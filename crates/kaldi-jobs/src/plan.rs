//! The plan: a command, and which stretches of its lists belong to which piece.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use bstr::{BStr, ByteSlice};
use kaldi_io::{Rspecifier, RspecifierKind, Rxfilename};
use kaldi_table::write_script_line;
use kaldi_types::Sequence;
use serde::{Deserialize, Serialize};

use crate::deal::{Measure, Stretches, deal, follow, key_of, refuse_duplicates};
use crate::folder::Folder;
use crate::stamps::{NamedFile, Program, programs};
use crate::words::{OutputKind, count_name, replace_names};
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
    /// The most pieces.
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

/// A list that is cut into pieces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DealtList {
    /// The name in the command.
    pub(crate) name: String,
    /// What stands before the file in the name of a piece, such as `scp:`.
    pub(crate) prefix: String,
    /// The file whose lines are dealt.
    pub(crate) path: PathBuf,
    /// The file that must not change: the archive, if the list was made of one.
    pub(crate) origin: NamedFile,
    /// Where each piece starts in the file, and where the last one ends.
    pub(crate) bounds: Vec<u64>,
}

impl DealtList {
    /// The bytes of piece `number`, from 1.
    pub(crate) fn range(&self, number: usize) -> Range<u64> {
        self.bounds[number - 1]..self.bounds[number]
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
    pub(crate) measure: Measure,
    /// What the command and the measure read beside the lists.
    pub(crate) files: Vec<NamedFile>,
    pub(crate) outputs: Vec<String>,
    pub(crate) join: Join,
    pub(crate) reduce: Option<String>,
    pub(crate) threads: usize,
    /// The number of entries of each piece.
    pub(crate) entries: Vec<u64>,
}

impl Plan {
    /// Cuts the lists. A list of an archive's entries is kept in `folder`.
    ///
    /// # Errors
    /// If a list cannot be read or dealt, or an output cannot be written in pieces.
    pub fn make(request: Request, folder: &Folder) -> Result<Self> {
        let (mut split, path) = open_list(&request.split, folder, 0)?;
        let mut stretches = deal(&path, request.num_pieces, &request.measure)?;
        if stretches.ranges.is_empty() {
            // One piece does with an empty table what the command does with it.
            stretches = Stretches { ranges: std::iter::once(0..0).collect(), lines: vec![0] };
        }
        // A table that is dealt, and in which the command looks up keys as well: the whole run finds a second entry of a key,
        // and a piece would not.
        if count_name(&request.command, &request.split) > 1 {
            refuse_duplicates(&request.split, &path)?;
        }
        split.bounds = bounds(&stretches.ranges);
        let mut lists = vec![split];
        for (position, name) in request.follow.iter().enumerate() {
            let (mut list, other) = open_list(name, folder, position + 1)?;
            list.bounds = bounds(&follow(&path, &stretches, &other)?);
            lists.push(list);
        }
        let folder_of_command = std::env::current_dir().map_err(Error::read(Path::new(".")))?;
        let search = std::env::var("PATH").unwrap_or_default();
        let mut plan = Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            programs: programs(&request.command, &folder_of_command, &search),
            is_tool: request.is_tool,
            command: request.command,
            folder: folder_of_command,
            path: search,
            most_pieces: request.num_pieces,
            lists,
            files: Vec::new(),
            measure: request.measure,
            outputs: request.outputs,
            join: request.join,
            reduce: request.reduce,
            threads: request.threads,
            entries: stretches.lines,
        };
        plan.check_outputs(request.is_by_entry, folder)?;
        plan.command_of(1, folder, Path::new("/tmp"))?;
        let pieces = plan.old_outputs(folder)?;
        plan.refuse_own_inputs(&pieces)?;
        plan.files = plan.other_files(&request.written, &pieces, folder)?;
        Ok(plan)
    }

    fn check_outputs(&self, is_by_entry: bool, folder: &Folder) -> Result<()> {
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
        self.entries.len()
    }

    /// The number of entries of all pieces.
    pub fn num_entries(&self) -> u64 {
        self.entries.iter().sum()
    }

    /// The number of entries of piece `number`, counted from 1; `None` if there is no such piece.
    pub fn entries_of(&self, number: usize) -> Option<u64> {
        self.entries.get(number.checked_sub(1)?).copied()
    }

    /// What piece `number` reads, list by list in the order of the command; nothing if there is no such piece.
    pub fn shares_of(&self, number: usize) -> Vec<ListShare<'_>> {
        let shares = self.lists.iter().filter(|_| self.entries_of(number).is_some()).map(|list| ListShare {
            name: &list.name,
            prefix: &list.prefix,
            path: self.folder.join(&list.path),
            range: list.range(number),
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

    /// Says in what the plan differs from what is wanted now, `None` if it is the same work. Lists are not read again: a
    /// changed one is known by its size and time.
    pub(crate) fn difference(&self, request: &Request) -> Result<Option<String>> {
        let changed = |what: &str, now: &str, then: &str| Ok(Some(format!("{what} was {then}, and is {now} now")));
        let folder = std::env::current_dir().map_err(Error::read(Path::new(".")))?;
        if self.command != request.command {
            return changed("the command", &request.command.join(" "), &self.command.join(" "));
        }
        if self.folder != folder {
            return changed("the folder", &folder.display().to_string(), &self.folder.display().to_string());
        }
        if self.most_pieces != request.num_pieces {
            return changed("`nj`", &request.num_pieces.to_string(), &self.most_pieces.to_string());
        }
        if self.version != env!("CARGO_PKG_VERSION") {
            return changed("the version of table-jobs", env!("CARGO_PKG_VERSION"), &self.version);
        }
        let origins = self.lists.iter().map(|list| &list.origin);
        if let Some(changes) = self.changes(origins.chain(&self.files)) {
            return Ok(Some(changes));
        }
        let names = std::iter::once(&request.split).chain(&request.follow);
        let is_same = self.lists.iter().map(|list| &list.name).eq(names)
            && self.measure == request.measure
            && self.outputs == request.outputs
            && self.join == request.join
            && self.reduce == request.reduce
            && self.threads == request.threads;
        let options =
            "the options `split`, `follow`, `out`, `by`, `utt2spk`, `weights`, `join`, `reduce` or `threads` differ";
        Ok((!is_same).then(|| options.to_owned()))
    }

    /// Checks that the lists are those of the plan.
    ///
    /// # Errors
    /// If one has changed since the plan was made, or cannot be looked at.
    pub fn check_lists(&self) -> Result<()> {
        self.refuse_changes(self.lists.iter().map(|list| &list.origin))
    }

    /// The outputs of piece `number`: their names, and their files.
    pub(crate) fn outputs_of(&self, number: usize, folder: &Folder) -> Result<Vec<(String, Vec<String>)>> {
        let outputs = self.outputs.iter().enumerate();
        outputs.map(|(at, name)| Ok(OutputKind::of(name)?.of_piece(name, number, at, folder.path()))).collect()
    }

    /// The files that piece `number` makes, as absolute paths.
    pub(crate) fn files_of(&self, number: usize, folder: &Folder) -> Result<Vec<PathBuf>> {
        let outputs = self.outputs_of(number, folder)?;
        Ok(outputs.into_iter().flat_map(|(_, files)| files).map(|file| self.folder.join(file)).collect())
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

/// The starts of stretches that follow each other, and the end of the last one.
fn bounds(ranges: &[Range<u64>]) -> Vec<u64> {
    ranges.iter().map(|range| range.start).chain(ranges.last().map(|range| range.end)).collect()
}

/// Opens what is dealt. Returns it without ranges, and the file of its lines.
fn open_list(name: &str, folder: &Folder, position: usize) -> Result<(DealtList, PathBuf)> {
    let refuse = |reason: &str| Err(Error::Plan(format!("{name} cannot be dealt: {reason}")));
    let specifier = Rspecifier::parse(name.into());
    let file = specifier.as_ref().map_or(BStr::new(name), |specifier| specifier.rxfilename.as_ref());
    let origin = match Rxfilename::parse(file) {
        Ok(Rxfilename::File(path)) => path.to_owned(),
        Ok(Rxfilename::Offset(..)) => return refuse("it has an offset"),
        Ok(Rxfilename::Stdin | Rxfilename::Pipe(_)) => return refuse("it is a stream; write it into a file"),
        Err(error) => return Err(error.into()),
    };
    let metadata = fs::metadata(&origin).map_err(Error::read(&origin))?;
    if !metadata.is_file() {
        return refuse("it is no regular file");
    }
    let words = || name[..name.find(':').unwrap_or_default()].to_owned();
    let (prefix, path) = match specifier.as_ref().map(|specifier| &specifier.kind) {
        None => (String::new(), origin.clone()),
        Some(RspecifierKind::Script) => (format!("{}:", words()), origin.clone()),
        Some(RspecifierKind::Archive) if is_list(&origin)? => (format!("{}:", words()), origin.clone()),
        Some(RspecifierKind::Archive) => {
            let path = folder.path().join("lists").join(format!("entries{position}.scp"));
            list_archive(&origin, &path, folder)?;
            let words = words();
            let words = words.split(',').map(|word| if word == "ark" { "scp" } else { word });
            (format!("{}:", words.collect::<Vec<_>>().join(",")), path)
        }
        Some(_) => return refuse("shards are lists of archives; deal the list of shards"),
    };
    let origin = NamedFile::read(&origin)?;
    let list = DealtList { name: name.to_owned(), prefix, path: path.clone(), origin, bounds: Vec::new() };
    Ok((list, path))
}

/// Whether an archive has one line of text for each entry, as lists such as spk2utt have: its first line is a key and
/// words that are not a matrix.
fn is_list(path: &Path) -> Result<bool> {
    let mut head = Vec::new();
    let file = fs::File::open(path).map_err(Error::read(path))?;
    std::io::Read::read_to_end(&mut std::io::Read::take(file, 1 << 16), &mut head).map_err(Error::read(path))?;
    let line = head.lines().next().unwrap_or_default();
    let value = line[key_of(line).len().min(line.len())..].trim_ascii();
    Ok(!head.contains(&0) && !value.is_empty() && !value.contains(&b'[') && !value.starts_with(b"<"))
}

/// Writes a script file of the entries of an archive.
fn list_archive(archive: &Path, list: &Path, folder: &Folder) -> Result<()> {
    let name = archive.to_str().ok_or_else(|| Error::Plan(format!("{}: the name is not UTF-8", archive.display())))?;
    let mut lines = Vec::new();
    let mut entries = Sequence::new(&[BStr::new(name)], None);
    while let Some((archive, entry)) = entries.next_entry()? {
        write_script_line(&mut lines, entry.key(), archive, entry.offset());
    }
    folder.write(list, &lines)
}
