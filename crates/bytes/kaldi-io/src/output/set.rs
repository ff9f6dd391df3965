//! Outputs that belong together.

use std::path::{Path, PathBuf};

use whole_file::{FileSet, Sealed, SetError, WaitingFolder};

use super::closed_output::Closed;
use super::{ClosedOutput, Output, deferred_publish};
use crate::session::Session;
use crate::{Error, Result};

/// Outputs that belong together: all files get their names, or none, and no other process mixes its own with them
/// ([`whole_file::FileSet`]). Commands, streams and objects end before that, in the order in which they were added.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// let mut set = kaldi_io::OutputSet::default();
/// for name in ["data", "list"] {
///     let path = folder.path().join(name);
///     let mut output = kaldi_io::Output::create_file(&path, name.to_owned(), false)?;
///     output.write_all(b"content")?;
///     set.add(output)?;
/// }
/// assert!(!folder.path().join("data").exists());
/// set.finish()?;
/// assert!(folder.path().join("list").exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
#[must_use = "outputs are complete only after finish()"]
pub struct OutputSet {
    open: Vec<ClosedOutput>,
    files: ReadyFiles,
    /// Whether a file replaces another one and has to wait for the end of the program.
    waits: bool,
    /// That of its files.
    session: Option<Session>,
}

/// Files that lack only their names.
#[derive(Default)]
pub(crate) struct ReadyFiles {
    members: Vec<ReadyMember>,
    former: Vec<Former>,
}

enum ReadyMember {
    File { name: String, offset: u64, sealed: Sealed },
    Folder(WaitingFolder),
}

/// Looks for files that go when others appear.
type Former = Box<dyn FnOnce() -> Result<Vec<PathBuf>> + Send + Sync>;

impl OutputSet {
    /// Adds an output to which nothing more is written. The last file of a set is the first one that is missing if the program is
    /// killed: a list of the others belongs there.
    ///
    /// # Errors
    /// If it cannot be written to its end.
    pub fn add(&mut self, output: Output) -> Result<()> {
        self.add_closed(output.close()?);
        Ok(())
    }

    /// As [`OutputSet::add`] for one of many files: an object of a store, of which so many cannot wait, is finished at once.
    ///
    /// # Errors
    /// If it cannot be written to its end.
    pub fn add_one_of_many(&mut self, output: Output) -> Result<()> {
        if output.is_renamed() { self.add(output) } else { output.finish() }
    }

    /// Adds an output that is closed.
    pub fn add_closed(&mut self, output: ClosedOutput) {
        match output.0 {
            Closed::Open(_) => self.open.push(output),
            Closed::Sealed { session, name, offset, sealed, replaces } => {
                self.waits |= replaces && deferred_publish::must_wait(&session, offset);
                self.files.push(name, offset, sealed);
                self.session.get_or_insert(session);
            }
        }
    }

    /// Adds those of another set after these.
    pub fn append(&mut self, others: Self) {
        self.open.extend(others.open);
        self.files.append(others.files);
        self.waits |= others.waits;
        self.session = self.session.take().or(others.session);
    }

    /// Adds the files of a folder.
    pub fn add_folder(&mut self, folder: WaitingFolder) {
        self.files.members.push(ReadyMember::Folder(folder));
    }

    /// Removes the files that `former` returns when those of the set appear. Meanwhile no other process gives names to files of the same
    /// folders; if `former` fails, nothing appears.
    pub fn replacing(&mut self, former: impl FnOnce() -> Result<Vec<PathBuf>> + Send + Sync + 'static) {
        self.files.former.push(Box::new(former));
    }

    /// Gives all files their names, now or with those that wait for the end of the program.
    ///
    /// # Errors
    /// If an output has failed, or a file cannot get its name; then no file does.
    pub fn finish(self) -> Result<()> {
        self.open.into_iter().try_for_each(ClosedOutput::finish)?;
        deferred_publish::publish(&self.session.unwrap_or_else(Session::current), self.files, self.waits)
    }
}

impl ReadyFiles {
    pub(super) fn of(name: String, offset: u64, sealed: Sealed) -> Self {
        let mut files = Self::default();
        files.push(name, offset, sealed);
        files
    }

    fn push(&mut self, name: String, offset: u64, sealed: Sealed) {
        self.members.push(ReadyMember::File { name, offset, sealed });
    }

    pub(super) fn append(&mut self, mut others: Self) {
        self.members.append(&mut others.members);
        self.former.append(&mut others.former);
    }

    /// The printable names of those that replace anything.
    pub(super) fn replaced(self) -> impl Iterator<Item = String> {
        self.members.into_iter().filter_map(|member| match member {
            ReadyMember::File { name, sealed, .. } => sealed.path().exists().then_some(name),
            ReadyMember::Folder(_) => None,
        })
    }

    /// Gives them their names.
    pub(super) fn publish(self) -> Result<()> {
        let failed = |name, offset| move |source| Error::Write { name, offset, source };
        let mut members = self.members;
        if let ([ReadyMember::File { .. }], true) = (members.as_slice(), self.former.is_empty())
            && let Some(ReadyMember::File { name, offset, sealed }) = members.pop()
        {
            return sealed.publish().map_err(failed(name, offset));
        }
        let (mut set, mut names) = (FileSet::default(), Vec::new());
        for member in members {
            match member {
                ReadyMember::File { name, offset, sealed } => {
                    names.push((sealed.path().to_owned(), name, offset));
                    set.push(sealed);
                }
                ReadyMember::Folder(folder) => set.push_folder(folder),
            }
        }
        let former = self.former;
        let published = set.publish(|| {
            let mut all = Vec::new();
            for former in former {
                all.extend(former().map_err(SetFailure::Former)?);
            }
            Ok(all)
        });
        published.map_err(|failure| match failure {
            SetFailure::Former(error) => error,
            SetFailure::File(SetError { path, source }) => {
                let known = names.into_iter().find(|(known, ..)| *known == path);
                let (name, offset) = known.map_or_else(|| (shown(&path), 0), |(_, name, offset)| (name, offset));
                failed(name, offset)(source)
            }
        })
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

enum SetFailure {
    Former(Error),
    File(SetError),
}

impl From<SetError> for SetFailure {
    fn from(error: SetError) -> Self {
        Self::File(error)
    }
}

impl std::fmt::Debug for OutputSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OutputSet").field("open", &self.open).field("waits", &self.waits).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for ReadyFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReadyFiles").field("num_members", &self.members.len()).finish_non_exhaustive()
    }
}
