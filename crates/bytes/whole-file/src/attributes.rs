//! What a file that replaces another takes over from it: owner, group, permissions, access lists, extended attributes.

use std::ffi::{CStr, c_void};
use std::fs::{File, Metadata, Permissions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::ptr;

/// The access list of a file; a new file may inherit one from its folder.
const ACCESS_LIST: &CStr = c"system.posix_acl_access";

/// Gives `new` the attributes of `old`, as far as the system allows. `made` and `kept` are the metadata of the two.
///
/// # Errors
/// If the permissions cannot be set.
pub(super) fn keep(old: &File, kept: &Metadata, new: &File, made: &Metadata) -> io::Result<()> {
    let mut mode = kept.mode() & 0o7777;
    if (kept.uid(), kept.gid()) != (made.uid(), made.gid()) && fchown(new, Some(kept.uid()), Some(kept.gid())).is_err()
    {
        // A member of the group may give the file to it, but only the administrator may change the owner. The
        // set-user-ID bits would act for the wrong owner, so they are left out.
        let _ = fchown(new, None, Some(kept.gid()));
        mode &= 0o777;
    }
    let names = attribute_names(old);
    if !names.iter().any(|name| name.as_c_str() == ACCESS_LIST) {
        remove_attribute(new, ACCESS_LIST);
    }
    new.set_permissions(Permissions::from_mode(mode))?;
    for name in names.iter().filter(|name| is_kept(name)) {
        if let Some(value) = attribute(old, name) {
            set_attribute(new, name, &value);
        }
    }
    Ok(())
}

/// Whether an attribute belongs to the file whatever its content is; a signature of the content does not.
fn is_kept(name: &CStr) -> bool {
    let name = name.to_bytes();
    name.starts_with(b"user.") || name.starts_with(b"system.") || name == b"security.selinux"
}

fn attribute_names(file: &File) -> Vec<std::ffi::CString> {
    let list = with_room(|room, size| {
        #[allow(unsafe_code)]
        // SAFETY: at most `size` bytes are written to `room`, which has as many.
        unsafe {
            libc::flistxattr(file.as_raw_fd(), room.cast(), size)
        }
    });
    let names = list.as_deref().unwrap_or_default().split_inclusive(|&byte| byte == 0);
    names.filter_map(|name| CStr::from_bytes_with_nul(name).ok().map(CStr::to_owned)).collect()
}

fn attribute(file: &File, name: &CStr) -> Option<Vec<u8>> {
    with_room(|room, size| {
        #[allow(unsafe_code)]
        // SAFETY: `name` ends in a zero byte; at most `size` bytes are written to `room`, which has as many.
        unsafe {
            libc::fgetxattr(file.as_raw_fd(), name.as_ptr(), room, size)
        }
    })
}

/// Calls `get` for the size of a value, then again with that much room; `None` if it fails.
fn with_room(get: impl Fn(*mut c_void, usize) -> isize) -> Option<Vec<u8>> {
    let size = usize::try_from(get(ptr::null_mut(), 0)).ok()?;
    let mut bytes = vec![0; size];
    if size > 0 {
        let written = usize::try_from(get(bytes.as_mut_ptr().cast(), size)).ok()?;
        bytes.truncate(written);
    }
    Some(bytes)
}

/// Sets an attribute if the file system and the rights of the user allow it.
fn set_attribute(file: &File, name: &CStr, value: &[u8]) {
    #[allow(unsafe_code)]
    // SAFETY: `name` ends in a zero byte, and `value` is as long as the call says.
    let _ = unsafe { libc::fsetxattr(file.as_raw_fd(), name.as_ptr(), value.as_ptr().cast(), value.len(), 0) };
}

fn remove_attribute(file: &File, name: &CStr) {
    #[allow(unsafe_code)]
    // SAFETY: `name` ends in a zero byte.
    let _ = unsafe { libc::fremovexattr(file.as_raw_fd(), name.as_ptr()) };
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};

    use super::*;

    #[test]
    fn permissions_and_attributes_go_over_and_signatures_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let open = |name| OpenOptions::new().write(true).create(true).truncate(true).open(folder.path().join(name));
        let (old, new) = (open("old").unwrap(), open("new").unwrap());
        old.set_permissions(Permissions::from_mode(0o4640)).unwrap();
        set_attribute(&old, c"user.origin", b"mic 3\0");
        set_attribute(&old, c"user.empty", b"");
        let has_attributes = attribute(&old, c"user.origin").is_some();
        keep(&old, &old.metadata().unwrap(), &new, &new.metadata().unwrap()).unwrap();
        assert_eq!(new.metadata().unwrap().mode() & 0o7777, 0o4640);
        // Not every file system has attributes.
        if has_attributes {
            assert_eq!(attribute(&new, c"user.origin").as_deref(), Some(&b"mic 3\0"[..]));
            assert_eq!(attribute(&new, c"user.empty").as_deref(), Some(&b""[..]));
        }
        assert!(!is_kept(c"security.ima") && !is_kept(c"trusted.overlay.origin"));
        fs::remove_file(folder.path().join("old")).unwrap();
    }
}
