#![doc = include_str!("../README.md")]
//! A file is written beside its final place (without a name if the file system allows it) and renamed when it is
//! complete. If anything fails, an old file of that name stays. If several files belong together, they are a [`FileSet`]: all of
//! them are sealed (written, closed, every error reported) before the first one gets its name.
//!
//! ```
//! use std::io::Write;
//!
//! # let folder = tempfile::tempdir()?;
//! let path = folder.path().join("data");
//! let (mut file, pending) = whole_file::create(&path)?;
//! file.write_all(b"all of the data")?;
//! assert!(!path.exists());
//! pending.seal(file)?.publish()?;
//! assert!(path.exists());
//! # Ok::<(), std::io::Error>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod attributes;
mod claim;
mod destination;
mod set;
mod turn;

use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, IntoRawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use claim::has_leftovers;
use claim::{Claim, clean_up_once};
pub use destination::{folder_of, is_special, resolve};
pub use set::{FileSet, SetError, WaitingFolder};
pub use turn::Turn;

/// A file that is being written; dropping this removes it.
#[derive(Debug)]
#[must_use = "a file appears only after seal() and publish()"]
pub struct Pending {
    temporary: Temporary,
    path: PathBuf,
}

/// A file that is written and closed, and lacks only its name; dropping this removes it.
#[derive(Debug)]
#[must_use = "a file appears only after publish()"]
pub struct Sealed {
    name: Temporary,
    path: PathBuf,
}

/// A file beside its final place, which is removed unless it gets its name.
#[derive(Debug)]
enum Temporary {
    /// A file without a name (`O_TMPFILE`): nothing of it stays, even if the process is killed.
    Nameless,
    /// A file with a temporary name, for file systems that have no others; removed when dropped.
    Named { name: PathBuf, _claim: Arc<Claim> },
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Self::Named { name, .. } = self
            && !name.as_os_str().is_empty()
        {
            let _ = fs::remove_file(name);
        }
    }
}

impl Temporary {
    /// Gives the file another name, under which it stays.
    fn rename_to(mut self, path: &Path) -> io::Result<()> {
        if let Self::Named { name, .. } = &mut self {
            fs::rename(&*name, path)?;
            // There is nothing to remove.
            name.clear();
        }
        Ok(())
    }
}

/// Creates an empty file for reading and writing that will have the name `path`. If `path` is a chain of symbolic
/// links, it is followed to its end. The new file gets permissions, owner, group, access lists and extended attributes
/// of the file that it replaces, as far as the system allows.
///
/// # Errors
/// If no file can be made in the folder, if the old file may not be written, or if something other than a file has the
/// name: a folder, a device. The error is of the kind `PermissionDenied` if the old file can be written in place but
/// not replaced.
pub fn create(path: &Path) -> io::Result<(File, Pending)> {
    let path = resolve(path);
    if is_special(&path) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    if path.file_name().is_none() {
        return Err(io::Error::from_raw_os_error(libc::EISDIR));
    }
    let old = match fs::metadata(&path) {
        // A file that may not be written may not be replaced either.
        Ok(metadata) => match OpenOptions::new().write(true).open(&path) {
            Ok(old) => Some((old, metadata)),
            // Another process has removed it meanwhile, as it does when it replaces a set of files.
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        },
        Err(_) => None,
    };
    let irreplaceable = |reason| Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
    if old.is_some() && is_mount_point(&path) {
        return irreplaceable("something is mounted on it, so that no other file can take its place");
    }
    let (temporary, file) = create_in_folder(&path)?;
    if let Some((old, kept)) = &old {
        let made = file.metadata()?;
        if kept.uid() != made.uid() && is_reserved_for_owners(folder_of(&path), made.uid()) {
            return irreplaceable("it belongs to another user, and only its owner may replace it in this folder");
        }
        attributes::keep(old, kept, &file, &made)?;
    }
    Ok((file, Pending { temporary, path }))
}

fn create_in_folder(path: &Path) -> io::Result<(Temporary, File)> {
    // Without /proc a file cannot get a name later.
    if let Ok(file) = open_nameless(folder_of(path))
        && fs::symlink_metadata(descriptor_path(&file)).is_ok()
    {
        return Ok((Temporary::Nameless, file));
    }
    create_named(path)
}

fn create_named(path: &Path) -> io::Result<(Temporary, File)> {
    clean_up_once(folder_of(path));
    let claim = Claim::of(folder_of(path))?;
    let create = |name: &Path| OpenOptions::new().read(true).write(true).create_new(true).open(name);
    let (name, file) = claim.with_new_name(create)?;
    Ok((Temporary::Named { name, _claim: claim }, file))
}

/// Opens a new file that has no name. Not every file system has such files; if there is another reason for an error, a
/// file with a name cannot be made either.
fn open_nameless(folder: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).custom_flags(libc::O_TMPFILE).open(folder)
}

/// Creates an empty file for reading and writing in a folder, which never gets a name. Nothing of it stays when it is
/// closed.
///
/// # Errors
/// If no file can be made in the folder.
pub fn create_nameless(folder: &Path) -> io::Result<File> {
    open_nameless(folder).or_else(|_| {
        // The name goes with `Temporary`; the file stays until it is closed.
        let (_name, file) = create_named(&folder.join("nameless"))?;
        Ok(file)
    })
}

/// Whether something is mounted on the file, as containers do with single files.
fn is_mount_point(path: &Path) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return false };
    let mut found = MaybeUninit::<libc::statx>::zeroed();
    #[allow(unsafe_code)]
    // SAFETY: the path ends in a zero byte; the call writes to `found`, which has the size of what is written.
    let status = unsafe { libc::statx(libc::AT_FDCWD, path.as_ptr(), 0, 0, found.as_mut_ptr()) };
    #[allow(unsafe_code)]
    // SAFETY: a struct of numbers, all of which may be zero.
    let found = unsafe { found.assume_init() };
    status == 0 && found.stx_attributes & libc::STATX_ATTR_MOUNT_ROOT as u64 != 0
}

/// Whether only the owners of a folder and of its files may replace files there (`/tmp`), and `user` does not own the
/// folder. The administrator always may.
fn is_reserved_for_owners(folder: &Path, user: u32) -> bool {
    user != 0 && fs::metadata(folder).is_ok_and(|folder| folder.mode() & libc::S_ISVTX != 0 && folder.uid() != user)
}

impl Pending {
    /// The place that the file will have, after all symbolic links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Closes `file`, which [`create`] returned with this, and gives it a temporary name if it has none.
    ///
    /// # Errors
    /// If the system refuses; some file systems report a full disk only when a file is closed.
    pub fn seal(self, file: File) -> io::Result<Sealed> {
        // A file without a name is gone once it is closed, so a second descriptor keeps it.
        let kept = file.try_clone()?;
        close(file)?;
        let name = match self.temporary {
            Temporary::Nameless => link(&kept, &self.path)?,
            Temporary::Named { .. } => self.temporary,
        };
        Ok(Sealed { name, path: self.path })
    }
}

impl Sealed {
    /// The place that the file will have, after all symbolic links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// If the system refuses; the old file, if any, is then untouched.
    pub fn publish(self) -> io::Result<()> {
        self.name.rename_to(&self.path)
    }
}

/// Closes a file and reports errors.
///
/// # Errors
/// Errors of earlier writing that a file system reports only now.
pub fn close(file: File) -> io::Result<()> {
    let fd = file.into_raw_fd();
    #[allow(unsafe_code)]
    // SAFETY: `into_raw_fd` gave up the ownership of the descriptor, so that it is closed once.
    let status = unsafe { libc::close(fd) };
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Gives a file without a name a new name beside `path`.
fn link(file: &File, path: &Path) -> io::Result<Temporary> {
    let open = CString::new(descriptor_path(file))?;
    let create = |name: &Path| {
        let name = CString::new(name.as_os_str().as_bytes())?;
        #[allow(unsafe_code)]
        // SAFETY: both are strings that end in a zero byte and live through the call.
        let status = unsafe {
            libc::linkat(libc::AT_FDCWD, open.as_ptr(), libc::AT_FDCWD, name.as_ptr(), libc::AT_SYMLINK_FOLLOW)
        };
        if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    };
    // The folder is not searched for leftovers: it may have very many files, and a name lives for two calls of the kernel here.
    let claim = Claim::of(folder_of(path))?;
    let (name, ()) = claim.with_new_name(create)?;
    Ok(Temporary::Named { name, _claim: claim })
}

fn descriptor_path(file: &File) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// The sorted names of the files in a folder.
    pub(crate) fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_that_is_given_up_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let (mut file, pending) = create(&path).unwrap();
        file.write_all(b"half").unwrap();
        drop((file, pending));
        assert!(names(folder.path()).is_empty());
        let (file, pending) = create(&path).unwrap();
        drop(pending.seal(file).unwrap());
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn an_old_file_is_replaced_at_the_end_and_keeps_its_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let (mut file, pending) = create(&path).unwrap();
        file.write_all(b"new").unwrap();
        let sealed = pending.seal(file).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        sealed.publish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(names(folder.path()), [path.file_name().unwrap().to_str().unwrap()]);
    }

    #[test]
    fn a_file_without_a_name_is_written_and_read_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        // With the means of the file system, and without.
        let (name, emulated) = create_named(&folder.path().join("x")).unwrap();
        // Its lock says that its process is alive.
        assert_eq!(names(folder.path()).len(), 2);
        drop(name);
        for mut file in [create_nameless(folder.path()).unwrap(), emulated] {
            assert!(names(folder.path()).is_empty());
            file.write_all(b"abc").unwrap();
            let mut read = [0; 3];
            std::os::unix::fs::FileExt::read_exact_at(&file, &mut read, 0).unwrap();
            assert_eq!(&read, b"abc");
        }
        let error = create_nameless(&folder.path().join("missing")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn links_stay_links() {
        let folder = tempfile::tempdir().unwrap();
        let [link, far] = ["link", "far"].map(|name| folder.path().join(name));
        symlink("far", &link).unwrap();
        let (file, pending) = create(&link).unwrap();
        pending.seal(file).unwrap().publish().unwrap();
        assert!(far.is_file());
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn folders_and_devices_are_no_files_to_replace() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path(), Path::new("/dev/null"), Path::new(""), Path::new("/nowhere/out")] {
            assert!(create(path).is_err(), "{path:?}");
        }
    }
}
