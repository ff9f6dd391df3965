//! Links to the program under the names of the tools.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use bstr::ByteSlice;
use kaldi_cli::Tally;
use kaldi_io::log::log;
use kaldi_io::shell_quote;

use crate::registry;

/// The name of the program itself.
const PROGRAM: &str = "kaldi-tables";

/// Stands in the program once, so that its copies can be recognized.
const MARK: &[u8] = b"\0kaldi-tables: one program, all tools\0";

/// How a tool's name leads to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// A symbolic link, relative.
    Symbolic,
    /// A hard link, on the same file system.
    Hard,
    /// A copy.
    Copy,
}

/// What has to be done with a name in the folder.
enum Step {
    /// A new link, instead of an old one if there is one.
    Make(PathBuf),
    /// A link to this program whose tool is gone.
    Remove(PathBuf),
}

/// Makes links for all tools in `folder`, and removes those of tools that are gone. Each link is replaced at once. With
/// `print`, the steps are written to standard output instead, as command lines of a shell.
///
/// # Errors
/// If a name belongs to another file, and not `force`; then nothing is done. If a link cannot be made.
pub fn link(folder: &Path, kind: LinkKind, force: bool, print: bool) -> anyhow::Result<Tally> {
    let program = std::env::current_exe().and_then(fs::canonicalize).context("cannot find the file of this program")?;
    if !print {
        kaldi_io::make_folder(folder)?.keep();
    }
    let links = Links { target: relative(&real(folder)?, &program), program, folder, kind };
    let (steps, kept) = links.plan(force)?;
    if print {
        let lines: Vec<u8> = steps.iter().flat_map(|step| links.command(step)).collect();
        kaldi_io::print(&lines)?;
        return Ok(Tally::default().always_ok());
    }
    let (mut made, mut removed) = (0, 0);
    for step in &steps {
        match step {
            Step::Make(path) => {
                links.make(path).with_context(|| format!("cannot make the link {}", path.display()))?;
                made += 1;
            }
            Step::Remove(path) => {
                fs::remove_file(path).with_context(|| format!("cannot remove the link {}", path.display()))?;
                log!("Removed {}: there is no such tool any more.", path.display());
                removed += 1;
            }
        }
    }
    log!("{}: {made} links made, {kept} were there, {removed} removed.", folder.display());
    Ok(Tally::new(made + kept, 0).always_ok())
}

struct Links<'a> {
    /// The file of the program.
    program: PathBuf,
    /// Its path from the folder.
    target: PathBuf,
    folder: &'a Path,
    kind: LinkKind,
}

impl Links<'_> {
    /// Returns what has to be done, and how many links are as they should be.
    fn plan(&self, force: bool) -> anyhow::Result<(Vec<Step>, u64)> {
        let mut steps = Vec::new();
        let mut kept = 0;
        for name in registry::tools().map(|entry| entry.name).chain([PROGRAM]) {
            let path = self.folder.join(name);
            match fs::symlink_metadata(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => steps.push(Step::Make(path)),
                Err(error) => return Err(error).with_context(|| format!("cannot look at {}", path.display())),
                Ok(_) if name == PROGRAM && self.is_program_itself(&path) => {}
                Ok(metadata) if self.is_right(&path, &metadata)? => kept += 1,
                Ok(metadata) if !metadata.is_dir() && (force || self.is_ours(&path, &metadata)?) => {
                    steps.push(Step::Make(path));
                }
                Ok(_) => bail!(
                    "{} is another file, and no link to this program; nothing was changed. --force replaces files, \
                     and no folders",
                    path.display()
                ),
            }
        }
        steps.extend(self.gone()?.into_iter().map(Step::Remove));
        Ok((steps, kept))
    }

    /// Whether the path is the program's own file, and not another name of it.
    fn is_program_itself(&self, path: &Path) -> bool {
        fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
            && fs::canonicalize(path).is_ok_and(|path| path == self.program)
    }

    /// Whether the link is there already.
    fn is_right(&self, path: &Path, metadata: &Metadata) -> io::Result<bool> {
        Ok(match self.kind {
            LinkKind::Symbolic => metadata.is_symlink() && fs::read_link(path)? == self.target,
            LinkKind::Hard => is_same_file(metadata, &fs::metadata(&self.program)?),
            // Which version a copy has cannot be seen without reading it.
            LinkKind::Copy => false,
        })
    }

    /// Whether the file is a link to this program or to another version of it, or a copy of one.
    fn is_ours(&self, path: &Path, metadata: &Metadata) -> io::Result<bool> {
        if metadata.is_symlink() {
            return Ok(self.leads_here(path)? || fs::read_link(path)?.file_name().is_some_and(|name| name == PROGRAM));
        }
        Ok(is_same_file(metadata, &fs::metadata(&self.program)?) || fs::read(path)?.contains_str(MARK))
    }

    /// Whether a symbolic link leads to this program.
    fn leads_here(&self, path: &Path) -> io::Result<bool> {
        Ok(fs::read_link(path)? == self.target || fs::canonicalize(path).is_ok_and(|path| path == self.program))
    }

    /// The symbolic links to this program whose names are no tools'.
    fn gone(&self) -> anyhow::Result<Vec<PathBuf>> {
        let mut gone = Vec::new();
        let entries = match fs::read_dir(self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(gone),
            Err(error) => return Err(error).with_context(|| format!("cannot list {}", self.folder.display())),
        };
        for entry in entries {
            let entry = entry?;
            let is_known =
                entry.file_name().to_str().is_some_and(|name| name == PROGRAM || registry::find(name).is_some());
            if !is_known && entry.file_type()?.is_symlink() && self.leads_here(&entry.path())? {
                gone.push(entry.path());
            }
        }
        gone.sort();
        Ok(gone)
    }

    /// Makes a link under another name first, so that the name always leads to a tool.
    fn make(&self, path: &Path) -> io::Result<()> {
        let name = path.file_name().unwrap_or_default();
        let new = path.with_file_name(format!(".{}.{}", name.to_string_lossy(), std::process::id()));
        match self.kind {
            LinkKind::Symbolic => std::os::unix::fs::symlink(&self.target, &new),
            LinkKind::Hard => fs::hard_link(&self.program, &new),
            LinkKind::Copy => fs::copy(&self.program, &new).map(|_| ()),
        }
        .and_then(|()| fs::rename(&new, path))
        .inspect_err(|_| {
            // The first error is the one to tell.
            let _ = fs::remove_file(&new);
        })
    }

    /// The command line that does the same.
    fn command(&self, step: &Step) -> Vec<u8> {
        let quoted = |path: &Path| shell_quote(path.as_os_str().as_bytes());
        match (step, self.kind) {
            (Step::Remove(path), _) => [&b"rm "[..], &quoted(path), b"\n"].concat(),
            (Step::Make(path), kind) => {
                let (command, source) = match kind {
                    LinkKind::Symbolic => ("ln -sfn", &self.target),
                    LinkKind::Hard => ("ln -f", &self.program),
                    LinkKind::Copy => ("cp -f", &self.program),
                };
                [command.as_bytes(), b" ", &quoted(source), b" ", &quoted(path), b"\n"].concat()
            }
        }
    }
}

fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// The folder without symbolic links; as it is named if it is not there yet.
fn real(folder: &Path) -> anyhow::Result<PathBuf> {
    fs::canonicalize(folder)
        .or_else(|_| std::path::absolute(folder))
        .with_context(|| format!("cannot find {}", folder.display()))
}

/// The path from a folder to a file; both are absolute and without symbolic links.
fn relative(folder: &Path, file: &Path) -> PathBuf {
    let shared = folder.components().zip(file.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().skip(shared).map(|_| Path::new(".."));
    up.chain(file.components().skip(shared).map(|part| Path::new(part.as_os_str()))).collect()
}
