//! Whether two names mean the same file.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use bstr::BStr;
use whole_file::{folder_of, resolve};

use crate::address::remote_name;
use crate::{Rxfilename, Wxfilename};

/// A regular file, whatever its name: two names that lead to the same file, through links and redirected streams, have
/// equal identities. Pipes and devices have none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    device: u64,
    /// Inode of the file, or of the folder if the file does not exist yet.
    inode: u64,
    /// The name within the folder, if the file does not exist yet.
    name: Option<OsString>,
}

impl FileIdentity {
    /// The file that opening `rxfilename` reads; `None` if there is none.
    pub fn of_input(rxfilename: &BStr) -> Option<Self> {
        Self::of_file(&match Rxfilename::parse(rxfilename).ok()? {
            Rxfilename::Stdin => of_stream(io::stdin())?,
            Rxfilename::File(path) | Rxfilename::Offset(path, _) => fs::metadata(path).ok()?,
            Rxfilename::Pipe(_) => return None,
        })
    }

    /// The file that opening `wxfilename` writes, or the place of a file that does not exist yet.
    pub fn of_output(wxfilename: &BStr) -> Option<Self> {
        match Wxfilename::parse(wxfilename).ok()? {
            Wxfilename::Stdout => Self::of_file(&of_stream(io::stdout())?),
            Wxfilename::Pipe(_) => None,
            // Stores have no links: the name identifies an object. It never exists in the sense of a file, which could
            // be emptied.
            Wxfilename::File(path) if remote_name(&path).is_some() => {
                Some(Self { device: 0, inode: 0, name: Some(path.into_os_string()) })
            }
            Wxfilename::File(path) => match fs::metadata(&path) {
                Ok(metadata) => Self::of_file(&metadata),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Self::of_place(&path),
                Err(_) => None,
            },
        }
    }

    /// Whether the file exists already.
    pub fn exists(&self) -> bool {
        self.name.is_none()
    }

    /// A file that does not exist yet, perhaps after a dangling link.
    fn of_place(path: &Path) -> Option<Self> {
        let path = resolve(path);
        let folder = fs::metadata(folder_of(&path)).ok()?;
        Some(Self { device: folder.dev(), inode: folder.ino(), name: Some(path.file_name()?.to_owned()) })
    }

    fn of_file(metadata: &Metadata) -> Option<Self> {
        metadata.is_file().then(|| Self { device: metadata.dev(), inode: metadata.ino(), name: None })
    }
}

/// Returns whether output to `wxfilename` would go into, or replace, the regular file that `rxfilename` reads: whatever
/// the names look like, through links and redirected streams.
pub fn is_same_file(rxfilename: &BStr, wxfilename: &BStr) -> bool {
    FileIdentity::of_input(rxfilename).is_some_and(|read| FileIdentity::of_output(wxfilename) == Some(read))
}

fn of_stream(stream: impl AsFd) -> Option<Metadata> {
    File::from(stream.as_fd().try_clone_to_owned().ok()?).metadata().ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn is_same(source: &Path, target: &Path) -> bool {
        is_same_file(source.to_str().unwrap().into(), target.to_str().unwrap().into())
    }

    #[test]
    fn links_lead_to_the_same_file() {
        let dir = tempfile::tempdir().unwrap();
        let [file, other, soft, hard, missing] = ["a", "b", "c", "d", "e"].map(|name| dir.path().join(name));
        fs::write(&file, "1").unwrap();
        fs::write(&other, "1").unwrap();
        symlink(&file, &soft).unwrap();
        fs::hard_link(&file, &hard).unwrap();
        for name in [&file, &soft, &hard, &dir.path().join(".").join("a")] {
            assert!(is_same(&file, name), "{name:?}");
            assert!(is_same(name, &file), "{name:?}");
        }
        assert!(is_same(&dir.path().join("a:17"), &file));
        assert!(!is_same(&file, &other));
        assert!(!is_same(&file, &missing));
        assert!(!is_same(&missing, &missing));
    }

    #[test]
    fn a_file_that_is_not_there_yet_is_known_by_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
        let place = |name: &str| FileIdentity::of_output(path(name).as_str().into());
        fs::create_dir(path("sub")).unwrap();
        symlink("sub", path("folder")).unwrap();
        symlink("sub/new", path("dangling")).unwrap();
        symlink("dangling", path("twice")).unwrap();
        assert!(place("sub/new").is_some());
        for name in ["folder/new", "./sub/new", "sub/../folder/new", "dangling", "twice"] {
            assert_eq!(place(name), place("sub/new"), "{name}");
        }
        for name in ["new", "sub/other"] {
            assert_ne!(place(name), place("sub/new"), "{name}");
        }
        assert_eq!(place("nowhere/new"), None);
        assert_eq!(FileIdentity::of_input(path("sub/new").as_str().into()), None);
    }

    #[test]
    fn devices_and_pipes_are_no_files() {
        assert!(!is_same(Path::new("/dev/null"), Path::new("/dev/null")));
        assert!(!is_same_file("cat x |".into(), "| cat".into()));
        assert!(!is_same_file("s3://b/k".into(), "s3://b/k".into()), "an object is replaced when it is complete");
    }

    #[test]
    fn objects_are_known_by_their_names() {
        let object = |name: &str| FileIdentity::of_output(name.into());
        assert!(object("s3://b/k").is_some_and(|object| !object.exists()));
        assert_eq!(object("s3://b/k"), object("s3://b/k"));
        assert_ne!(object("s3://b/k"), object("s3://b/l"));
    }
}
