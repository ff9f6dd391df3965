//! Whether two names mean the same file.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use bstr::BStr;

use crate::{Rxfilename, Wxfilename};

/// Tells whether what is written to `wxfilename` would go into, or replace, the regular file that `rxfilename` reads:
/// whatever the names look like, through links and redirected streams.
pub fn is_same_file(rxfilename: &BStr, wxfilename: &BStr) -> bool {
    let source = match Rxfilename::parse(rxfilename) {
        Ok(Rxfilename::Stdin) => of_stream(io::stdin()),
        Ok(Rxfilename::File(path) | Rxfilename::Offset(path, _)) => fs::metadata(path).ok(),
        Ok(Rxfilename::Pipe(_)) | Err(_) => None,
    };
    let target = match Wxfilename::parse(wxfilename) {
        Ok(Wxfilename::Stdout) => of_stream(io::stdout()),
        Ok(Wxfilename::File(path)) if path == Path::new("/dev/stdout") => of_stream(io::stdout()),
        Ok(Wxfilename::File(path)) => fs::metadata(path).ok(),
        Ok(Wxfilename::Pipe(_)) | Err(_) => None,
    };
    match (source, target) {
        (Some(source), Some(target)) => {
            source.is_file() && (source.dev(), source.ino()) == (target.dev(), target.ino())
        }
        _ => false,
    }
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
    fn devices_and_pipes_are_no_files() {
        assert!(!is_same(Path::new("/dev/null"), Path::new("/dev/null")));
        assert!(!is_same_file("cat x |".into(), "| cat".into()));
    }
}
