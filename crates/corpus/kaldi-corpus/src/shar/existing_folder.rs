//! What is in a folder before a Shar folder is written there.

use std::path::PathBuf;

use super::write::SharOptions;
use crate::shard::{Error, Result};

/// The fields that have tar files.
pub(super) fn fields(options: &SharOptions) -> &'static [&'static str] {
    if options.has_features { &["recording", "features"] } else { &["recording"] }
}

/// Whether a file is one of the first `num_files` of a number that are written with these options.
fn is_written(options: &SharOptions, name: &str, num_files: u64) -> bool {
    let plain = name.strip_suffix(".idx").filter(|_| options.index).unwrap_or(name);
    let mut parts = plain.splitn(3, '.');
    let (Some(field), Some(number), Some(suffix)) = (parts.next(), parts.next(), parts.next()) else { return false };
    let is_field = match (field, suffix) {
        ("cuts", "jsonl.gz") => options.gzip && plain == name,
        ("cuts", "jsonl") => !options.gzip,
        (field, "tar") => fields(options).contains(&field),
        _ => false,
    };
    is_field && number.len() >= 6 && number.parse::<u64>().is_ok_and(|number| number < num_files)
}

/// The names of what is in the folder; those that begin with a dot do not count.
fn names(options: &SharOptions) -> kaldi_io::Result<Vec<String>> {
    let names = kaldi_io::former_names(&options.folder)?.into_iter();
    let names = names.map(|name| name.to_string_lossy().into_owned());
    Ok(names.filter(|name| !name.starts_with('.')).collect())
}

/// Returns an error if there is something that at most `num_files` new files of cuts and what belongs to them would not replace.
pub(super) fn refuse_others(options: &SharOptions, num_files: u64) -> Result<()> {
    match names(options)?.into_iter().find(|name| !is_written(options, name, num_files)) {
        None => Ok(()),
        Some(name) => {
            let message = format!(
                "expected nothing but files that are replaced, got {name}: lhotse takes every file of a Shar folder for a field; remove \
                 it, or choose another folder"
            );
            Err(Error::Refused { shard: options.folder.display().to_string(), message })
        }
    }
}

/// The files of a former run that were to be replaced, if there are fewer new ones than expected.
pub(super) fn left_over(options: &SharOptions, num_files: u64) -> kaldi_io::Result<Vec<PathBuf>> {
    let others = names(options)?.into_iter().filter(|name| !is_written(options, name, num_files));
    Ok(others.map(|name| options.folder.join(name)).collect())
}
