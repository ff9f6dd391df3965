//! Tables of former utterances in the folder of a data directory.

use std::path::{Path, PathBuf};

use kaldi_cli::is_forced;
use kaldi_corpus::former_tables;
use kaldi_io::{Error, OutputSet, Result, remote_name};

/// Finds the tables in a folder that these files would not replace, and refuses them, unless the tool is forced. Objects of a store are
/// not listed.
pub(crate) fn tables(folder: &Path, files: &[String]) -> Result<Vec<PathBuf>> {
    if remote_name(folder).is_some() {
        return Ok(Vec::new());
    }
    let shown = |path: &Path| path.display().to_string();
    let former = former_tables(folder, files).map_err(|source| Error::Open { name: shown(folder), source })?;
    match former.first().filter(|_| !is_forced()) {
        None => Ok(former),
        Some(first) => Err(Error::Replace {
            name: shown(folder),
            reason: format!(
                "{} is there from before, and the new utterances have no such file: remove it, choose another folder, or remove all \
                 such files by --force",
                shown(first)
            ),
        }),
    }
}

/// Removes such tables when the files of a set appear.
pub(crate) fn replace(set: &mut OutputSet, folder: &Path, files: Vec<String>) {
    let folder = folder.to_owned();
    set.replacing(move || tables(&folder, &files));
}
