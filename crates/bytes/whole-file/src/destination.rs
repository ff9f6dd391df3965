//! What a file name leads to.

use std::fs;
use std::path::{Path, PathBuf};

/// The place that a chain of symbolic links leads to, whether a file exists there or not.
pub fn resolve(path: &Path) -> PathBuf {
    let mut place = path.to_owned();
    // As many links as Linux itself follows.
    for _ in 0..40 {
        if is_descriptor(&place) {
            break;
        }
        let Ok(next) = fs::read_link(&place) else { break };
        place = match place.parent() {
            Some(folder) => folder.join(next),
            None => next,
        };
    }
    place
}

/// Whether the path, after [`resolve`], is something else than a file to create or replace.
pub fn is_special(path: &Path) -> bool {
    is_device_path(path) || fs::metadata(path).is_ok_and(|metadata| !metadata.is_file())
}

/// Whether the path is that of a device or a descriptor; `/dev/shm` is a file system like any other.
fn is_device_path(path: &Path) -> bool {
    path.starts_with("/proc") || (path.starts_with("/dev") && !path.starts_with("/dev/shm"))
}

/// Whether the path is that of a descriptor, `/dev/fd/3` or `/proc/self/fd/3`: a link to an open file, which may have
/// another name by now or none.
fn is_descriptor(path: &Path) -> bool {
    is_device_path(path) && folder_of(path).ends_with("fd")
}

/// The folder that a file is in.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
