//! Files that a script file names, and that are beside it because it was moved.
//!
//! Nothing here runs before an error is made.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;

use crate::session::Session;
use crate::{Error, Rxfilename};

/// A file that cannot be opened by the name in a script file, and that is somewhere beside the script file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Where it is.
    pub found: PathBuf,
    /// The folder in which the names of the script file would be right; `None` if there is none.
    pub folder: Option<PathBuf>,
    /// Whether the line has an offset, so that the file is an archive.
    pub is_archive: bool,
}

/// The advice about an entry of a script file (its printable name) that cannot be read, if its file has moved: what the session of
/// this thread says ([`Advice::on_moved`](crate::Advice::on_moved)), or else where the file is.
pub fn advise_on_moved(script: &str, error: &Error) -> Option<String> {
    let moved = find(script, error)?;
    Some(match Session::setting(|settings| settings.advice.clone()) {
        Some(advice) => advice.on_moved(&moved),
        None => format!("it is {}", moved.found.display()),
    })
}

fn find(script: &str, error: &Error) -> Option<Moved> {
    let Error::Open { name, source } = error else { return None };
    let (path, is_archive) = match Rxfilename::parse(name.as_bytes().as_bstr()).ok()? {
        Rxfilename::File(path) => (path, false),
        Rxfilename::Offset(path, _) => (path, true),
        Rxfilename::Stdin | Rxfilename::Pipe(_) => return None,
    };
    // There is advice about ~ already.
    if source.kind() != ErrorKind::NotFound || path.is_absolute() && !is_archive || path.starts_with("~") {
        return None;
    }
    let folder = Path::new(script).parent()?;
    let as_named = folder.join(&path);
    if path.is_relative() && as_named.is_file() {
        return Some(Moved { found: as_named, folder: Some(folder.to_owned()), is_archive });
    }
    let beside = folder.join(path.file_name()?);
    beside.is_file().then_some(Moved { found: beside, folder: None, is_archive })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_under_their_names_and_beside_the_script_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("raw")).unwrap();
        std::fs::write(at("raw/f.ark"), "").unwrap();
        std::fs::write(at("g.ark"), "").unwrap();
        let script = at("f.scp").to_str().unwrap().to_owned();
        let found = |name: &str| {
            let source = std::io::Error::from(ErrorKind::NotFound);
            find(&script, &Error::Open { name: name.into(), source })
        };
        let moved = |name: &str, is_named: bool, is_archive: bool| {
            let folder = is_named.then(|| folder.path().to_owned());
            Some(Moved { found: at(name), folder, is_archive })
        };
        assert_eq!(found("raw/f.ark:2"), moved("raw/f.ark", true, true));
        assert_eq!(found("raw/f.ark"), moved("raw/f.ark", true, false));
        assert_eq!(found("exp/raw/g.ark:2"), moved("g.ark", false, true));
        assert_eq!(found("/exp/g.ark:2"), moved("g.ark", false, true));
        for name in ["/exp/g.ark", "~/g.ark", "nowhere.ark:2", "cat g.ark |", "-", "raw:2", "s3://bucket/x.ark:2"] {
            assert_eq!(found(name), None, "{name}");
        }
        let denied = Error::Open { name: "raw/f.ark:2".into(), source: ErrorKind::PermissionDenied.into() };
        assert_eq!(find(&script, &denied), None);
    }
}
