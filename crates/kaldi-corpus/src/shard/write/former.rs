//! Shards of a former run in the folder of new ones.

use std::fs;
use std::path::PathBuf;

use bstr::ByteSlice;
use kaldi_io::is_remote;

use super::ShardOptions;
use crate::shard::{Error, Result};

/// A file that is named like a shard of this folder and prefix, or like the index of one.
struct Former {
    path: PathBuf,
    number: u64,
    /// What follows the number: `.tar`, `.tar.gz` or `.idx`.
    suffix: String,
}

/// The shards, and indices of shards, that are there.
fn former(options: &ShardOptions) -> Result<Vec<Former>> {
    let mut found = Vec::new();
    let folder = options.folder.to_path_lossy();
    if is_remote(&options.folder) {
        return Ok(found);
    }
    let folder = if folder.as_os_str().is_empty() { ".".as_ref() } else { folder.as_ref() };
    let failed = |source| kaldi_io::Error::Open { name: options.folder.to_string(), source };
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().map(|name| name.as_encoded_bytes()).unwrap_or_default();
        let number = name.strip_prefix(options.prefix.as_slice()).and_then(|rest| rest.strip_prefix(b"_"));
        let Some((digits, suffix)) =
            number.and_then(|number| number.to_str().ok()).and_then(|it| it.split_at_checked(9))
        else {
            continue;
        };
        let is_shard =
            matches!(suffix, ".tar" | ".tar.gz" | ".idx") && digits.bytes().all(|digit| digit.is_ascii_digit());
        if let (true, Ok(number)) = (is_shard, digits.parse()) {
            let suffix = suffix.to_owned();
            found.push(Former { path, number, suffix });
        }
    }
    Ok(found)
}

/// Returns an error if shards are there that at most `num_shards` new ones would not replace: they would look like shards of the
/// new set.
pub(super) fn refuse_former(options: &ShardOptions, num_shards: u64) -> Result<()> {
    let suffix = if options.gzip { ".tar.gz" } else { ".tar" };
    let stays = |it: &Former| it.suffix != ".idx" && (it.number >= num_shards || it.suffix != suffix);
    // No shard will be written.
    if num_shards == 0 {
        return Ok(());
    }
    match former(options)?.into_iter().filter(stays).map(|it| it.path).min() {
        None => Ok(()),
        Some(path) => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let message = format!(
                "expected no shards of another run than those that are replaced, got {name}: remove them, or choose another \
                 folder or `prefix`"
            );
            Err(Error::Refused { shard: options.folder.to_string(), message })
        }
    }
}

/// Removes the shards of a former run that were to be replaced, if there are fewer new ones than expected, and indices of replaced
/// shards if there are no new ones.
pub(super) fn remove_former(options: &ShardOptions, num_shards: u64) -> Result<()> {
    if num_shards == 0 {
        return Ok(());
    }
    let stays = |it: &Former| it.number < num_shards && (it.suffix != ".idx" || options.dali);
    for Former { path, .. } in former(options)?.into_iter().filter(|it| !stays(it)) {
        fs::remove_file(&path).map_err(|source| kaldi_io::Error::Write {
            name: path.display().to_string(),
            offset: 0,
            source,
        })?;
    }
    Ok(())
}
