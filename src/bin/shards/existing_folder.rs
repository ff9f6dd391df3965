//! Tables of former utterances in the folder of a data directory.

use std::path::{Path, PathBuf};

use kaldi_cli::is_forced;
use kaldi_corpus::former_tables;
use kaldi_io::{Error, OutputSet, Result};

/// Finds the tables in a folder that these files would not replace, and refuses them, unless the tool is forced.
pub(crate) fn tables(folder: &Path, files: &[String]) -> Result<Vec<PathBuf>> {
    let former = former_tables(folder, files)?;
    match former.first().filter(|_| !is_forced()) {
        None => Ok(former),
        Some(first) => Err(Error::Replace {
            name: folder.display().to_string(),
            reason: format!(
                "{} is there from before, and the new utterances have no such file: remove it, choose another folder, or remove all \
                 such files by --force",
                first.display()
            ),
        }),
    }
}

/// Removes such tables when the files of a set appear.
pub(crate) fn replace(set: &mut OutputSet, folder: &Path, files: Vec<String>) {
    let folder = folder.to_owned();
    set.replacing(move || tables(&folder, &files));
}
