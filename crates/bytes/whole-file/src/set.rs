//! Files that belong together.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::claim::{Claim, clean_up, clean_up_once};
use crate::{Sealed, Temporary, Turn, folder_of, resolve};

/// Files that belong together: all of them get their names, or none.
///
/// During [`FileSet::publish`] no other process does the same in their folders, so all files come from one process. Old files go before
/// new ones appear, the last one first. So if the process is killed in between, the last file of the set is missing: a file without
/// which the others are worth nothing, such as a list of them, belongs there. What a killed process left is removed.
///
/// ```
/// use std::io::Write;
///
/// # let folder = tempfile::tempdir()?;
/// # let [data, list] = ["data", "list"].map(|name| folder.path().join(name));
/// let mut set = whole_file::FileSet::default();
/// for path in [&data, &list] {
///     let (mut file, pending) = whole_file::create(path)?;
///     file.write_all(b"content")?;
///     set.push(pending.seal(file)?);
/// }
/// assert!(!data.exists() && !list.exists());
/// set.publish(|| Ok::<_, whole_file::SetError>(Vec::new()))?;
/// assert!(data.exists() && list.exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
#[must_use = "the files appear only after publish()"]
pub struct FileSet {
    members: Vec<Member>,
}

#[derive(Debug)]
enum Member {
    File(Sealed),
    Folder(WaitingFolder),
}

/// A file that could not get its name, or be removed.
#[derive(Debug)]
pub struct SetError {
    /// The file.
    pub path: PathBuf,
    /// The reason of the system.
    pub source: io::Error,
}

impl std::fmt::Display for SetError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.source)
    }
}

impl std::error::Error for SetError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

impl FileSet {
    /// Adds a file.
    pub fn push(&mut self, sealed: Sealed) {
        self.members.push(Member::File(sealed));
    }

    /// Adds the files of a folder.
    pub fn push_folder(&mut self, folder: WaitingFolder) {
        self.members.push(Member::Folder(folder));
    }

    /// Gives all files their names, in the order in which they were added. `former` is called when no other process does so; it returns
    /// further files of their folders, which are removed.
    ///
    /// # Errors
    /// That of `former`; if a file cannot be removed or get its name. All old files are there then.
    pub fn publish<E: From<SetError>>(self, former: impl FnOnce() -> Result<Vec<PathBuf>, E>) -> Result<(), E> {
        let folders: BTreeMap<(u64, u64), &Path> = self
            .members
            .iter()
            .filter_map(|member| {
                let folder = member.folder();
                fs::metadata(folder).ok().map(|metadata| ((metadata.dev(), metadata.ino()), folder))
            })
            .collect();
        // In one order in all processes, so that no two wait for each other.
        let turns: Vec<_> = folders.values().map(|folder| Turn::take_folder(folder)).collect();
        folders.values().for_each(|folder| clean_up(folder));
        let former = former()?;
        let new_folders: Vec<PathBuf> = self.members.iter().filter_map(Member::new_folder).collect();
        let mut change = Change::default();
        let done = change.make(self.members, &former);
        if done.is_err() {
            change.undo();
        }
        drop(turns);
        if done.is_err() {
            // They go only if they are empty.
            new_folders.iter().for_each(|folder| fs::remove_dir(folder).unwrap_or_default());
        }
        Ok(done?)
    }
}

impl Member {
    /// The folder that was made for the files.
    fn new_folder(&self) -> Option<PathBuf> {
        match self {
            Self::Folder(folder) if folder.is_new => Some(folder.target.clone()),
            Self::File(_) | Self::Folder(_) => None,
        }
    }

    /// The folder that locks stand for.
    fn folder(&self) -> &Path {
        match self {
            Self::File(sealed) => folder_of(&sealed.path),
            Self::Folder(folder) => &folder.target,
        }
    }
}

/// A change of names, which can be undone.
#[derive(Default)]
struct Change {
    /// New names.
    new: Vec<PathBuf>,
    /// Old files: their names, and where they are.
    old: Vec<(PathBuf, Temporary)>,
}

impl Change {
    fn make(&mut self, members: Vec<Member>, former: &[PathBuf]) -> Result<(), SetError> {
        if let ([Member::File(_)], []) = (members.as_slice(), former) {
            // A single file replaces the old one in one step.
            return members.into_iter().try_for_each(|member| self.publish(member));
        }
        for member in members.iter().rev() {
            match member {
                Member::File(sealed) => self.set_aside(&sealed.path)?,
                Member::Folder(folder) => folder.each(|_, path| self.set_aside(path))?,
            }
        }
        former.iter().try_for_each(|path| self.set_aside(path))?;
        members.into_iter().try_for_each(|member| self.publish(member))
    }

    /// Gives an old file another name.
    fn set_aside(&mut self, path: &Path) -> Result<(), SetError> {
        let failed = |source| SetError { path: path.to_owned(), source };
        match fs::symlink_metadata(path) {
            Ok(metadata) if !metadata.is_dir() => {}
            Ok(_) => return Err(failed(io::Error::from_raw_os_error(libc::EISDIR))),
            Err(_) => return Ok(()),
        }
        let claim = Claim::of(folder_of(path)).map_err(failed)?;
        let free = |name: &Path| match fs::symlink_metadata(name) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(path, name),
        };
        let (name, ()) = claim.with_new_name(free).map_err(failed)?;
        self.old.push((path.to_owned(), Temporary::Named { name, _claim: claim }));
        Ok(())
    }

    fn publish(&mut self, member: Member) -> Result<(), SetError> {
        match member {
            Member::File(sealed) => {
                let path = sealed.path.clone();
                sealed.publish().map_err(|source| SetError { path: path.clone(), source })?;
                self.new.push(path);
            }
            Member::Folder(mut folder) => {
                folder.each(|waiting, path| {
                    let failed = |source| SetError { path: path.to_owned(), source };
                    fs::create_dir_all(folder_of(path)).map_err(failed)?;
                    fs::rename(waiting, path).map_err(failed)?;
                    self.new.push(path.to_owned());
                    Ok(())
                })?;
                folder.is_new = false;
            }
        }
        Ok(())
    }

    /// Returns to the old files; a second failure changes nothing more.
    fn undo(&mut self) {
        for path in self.new.drain(..) {
            let _ = fs::remove_file(path);
        }
        for (path, old) in self.old.drain(..).rev() {
            old.rename_to(&path).unwrap_or_default();
        }
    }
}

/// Files that wait in a folder of their own until they get their names in another one; dropping this removes them.
#[derive(Debug)]
#[must_use = "the files appear only as members of a set"]
pub struct WaitingFolder {
    /// Where they wait: a folder in `target`.
    waiting: PathBuf,
    target: PathBuf,
    /// Whether `target` was not there before.
    is_new: bool,
    claim: Option<Arc<Claim>>,
}

impl WaitingFolder {
    /// Starts with no files, which will be in the folder `target`; it is made if it is not there.
    ///
    /// # Errors
    /// If a folder cannot be made.
    pub fn create(target: &Path) -> io::Result<Self> {
        let target = resolve(target);
        let is_new = !target.exists();
        fs::create_dir_all(&target)?;
        clean_up_once(&target);
        let claim = Claim::of(&target)?;
        let (waiting, ()) = claim.with_new_name(|name| fs::create_dir(name))?;
        Ok(Self { waiting, target, is_new, claim: Some(claim) })
    }

    /// Creates a file that will have this name in the folder, which may lead into folders below.
    ///
    /// # Errors
    /// If that is impossible, there is one already, or the name leads out of the folder.
    pub fn create_file(&self, name: &Path) -> io::Result<File> {
        use std::path::Component;
        if !name.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it leads out of the folder"));
        }
        let path = self.waiting.join(name);
        match File::create_new(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(folder_of(&path))?;
                File::create_new(&path)
            }
            created => created,
        }
    }

    /// The place that a file will have.
    pub fn place(&self, name: &Path) -> PathBuf {
        self.target.join(name)
    }

    /// Calls `each` with the place where a file waits, and the one that it will have.
    fn each(&self, mut each: impl FnMut(&Path, &Path) -> Result<(), SetError>) -> Result<(), SetError> {
        let mut folders = vec![PathBuf::new()];
        while let Some(below) = folders.pop() {
            let folder = self.waiting.join(&below);
            let failed = |source| SetError { path: folder.clone(), source };
            // All names first: the folder changes.
            let entries: Vec<_> = fs::read_dir(&folder).and_then(Iterator::collect).map_err(failed)?;
            for entry in entries {
                let name = below.join(entry.file_name());
                match entry.file_type().map_err(failed)?.is_dir() {
                    true => folders.push(name),
                    false => each(&entry.path(), &self.target.join(name))?,
                }
            }
        }
        Ok(())
    }
}

impl Drop for WaitingFolder {
    fn drop(&mut self) {
        // What cannot be removed is only in the way.
        let _ = fs::remove_dir_all(&self.waiting);
        // With it goes the lock file.
        self.claim = None;
        if self.is_new {
            // It goes only if it is empty.
            let _ = fs::remove_dir(&self.target);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::thread;

    use super::*;
    use crate::tests::names;

    fn sealed(path: &Path, content: &str) -> Sealed {
        let (mut file, pending) = crate::create(path).unwrap();
        file.write_all(content.as_bytes()).unwrap();
        pending.seal(file).unwrap()
    }

    fn none() -> Result<Vec<PathBuf>, SetError> {
        Ok(Vec::new())
    }

    #[test]
    fn sets_of_many_processes_are_never_mixed() {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["a", "b", "sub/c"].map(|name| folder.path().join(name));
        fs::create_dir(folder.path().join("sub")).unwrap();
        thread::scope(|scope| {
            for number in 0..4 {
                let paths = &paths;
                scope.spawn(move || {
                    for round in 0..30 {
                        let mut set = FileSet::default();
                        // In any order.
                        let order = if number % 2 == 0 { [0, 1, 2] } else { [2, 1, 0] };
                        order.iter().for_each(|at| set.push(sealed(&paths[*at], &format!("{number} {round}"))));
                        set.publish(none).unwrap();
                    }
                });
            }
        });
        let content = paths.map(|path| fs::read_to_string(path).unwrap());
        assert!(content[0] == content[1] && content[1] == content[2], "{content:?}");
        assert_eq!(names(folder.path()), ["a", "b", "sub"]);
        assert_eq!(names(&folder.path().join("sub")), ["c"]);
    }

    #[test]
    fn if_one_fails_all_old_files_are_there() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b, c, old] = ["a", "b", "c", "old"].map(|name| folder.path().join(name));
        for path in [&a, &old] {
            fs::write(path, "before").unwrap();
        }
        let mut set = FileSet::default();
        [&a, &b, &c].into_iter().for_each(|path| set.push(sealed(path, "after")));
        let waiting = WaitingFolder::create(&folder.path().join("wav")).unwrap();
        waiting.create_file(Path::new("u.wav")).unwrap();
        set.push_folder(waiting);
        // Meanwhile something else has the name.
        fs::create_dir(&c).unwrap();
        let error = set.publish(|| Ok::<_, SetError>(vec![old.clone()])).unwrap_err();
        assert_eq!(error.path, c);
        assert_eq!(names(folder.path()), ["a", "c", "old"]);
        assert_eq!(fs::read(a).unwrap(), b"before");
    }

    #[test]
    fn files_of_a_folder_appear_with_the_others_and_former_ones_go() {
        let folder = tempfile::tempdir().unwrap();
        let (list, wav) = (folder.path().join("list"), folder.path().join("wav"));
        fs::create_dir(&wav).unwrap();
        for name in ["wav/a", "wav/other", "old"] {
            fs::write(folder.path().join(name), "before").unwrap();
        }
        let waiting = WaitingFolder::create(&wav).unwrap();
        for name in ["a", "b/c/d"] {
            waiting.create_file(Path::new(name)).unwrap().write_all(b"after").unwrap();
        }
        for name in ["../x", "/x", ".", "a/../../x"] {
            assert!(waiting.create_file(Path::new(name)).is_err(), "{name}");
        }
        let mut set = FileSet::default();
        set.push_folder(waiting);
        set.push(sealed(&list, "after"));
        assert_eq!(fs::read(wav.join("a")).unwrap(), b"before");
        set.publish(|| Ok::<_, SetError>(vec![folder.path().join("old"), folder.path().join("missing")])).unwrap();
        let content =
            ["wav/a", "wav/b/c/d", "wav/other", "list"].map(|name| fs::read(folder.path().join(name)).unwrap());
        assert_eq!(content, [&b"after"[..], b"after", b"before", b"after"]);
        assert_eq!(names(folder.path()), ["list", "wav"]);
        assert_eq!(names(&wav), ["a", "b", "other"]);
    }

    #[test]
    fn a_folder_that_is_given_up_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let waiting = WaitingFolder::create(&folder.path().join("x/wav")).unwrap();
        waiting.create_file(Path::new("u.wav")).unwrap();
        drop(waiting);
        assert!(!folder.path().join("x/wav").exists());
    }
}
