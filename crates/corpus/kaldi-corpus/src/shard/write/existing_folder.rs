//! Shards of a former run in the folder of new ones.

use std::path::{Path, PathBuf};

use bstr::{BStr, ByteSlice};

use super::ShardOptions;
use crate::shard::{Error, Result, ShardFormat, nemo};

/// A file that is named like a shard of this folder and prefix, or like the index or the manifest of one.
struct Former {
    path: PathBuf,
    number: u64,
    /// What follows the number: `.tar`, `.tar.gz`, `.idx` or `.json`.
    suffix: String,
}

/// The shards, and indices and manifests of shards, that are there.
fn former(options: &ShardOptions) -> kaldi_io::Result<Vec<Former>> {
    let mut found = Vec::new();
    let folder = options.folder.to_path_lossy();
    let folder: &Path = if folder.as_os_str().is_empty() { ".".as_ref() } else { folder.as_ref() };
    let (suffixes, digits): (&[&str], _) = match options.format {
        ShardFormat::Wenet => (&[".tar", ".tar.gz", ".idx"], Some(9)),
        ShardFormat::Nemo => (&[".tar", ".idx"], None),
    };
    find(folder, options.prefix.as_ref(), suffixes, digits, &mut found)?;
    let manifests = folder.join(nemo::FOLDER);
    if options.format == ShardFormat::Nemo && manifests.is_dir() {
        find(&manifests, "manifest".into(), &[".json"], None, &mut found)?;
    }
    Ok(found)
}

/// Finds files whose names are a prefix, `_`, a number and a suffix. The number has so many digits, or no zeros before it.
fn find(
    folder: &Path,
    prefix: &BStr,
    suffixes: &[&str],
    num_digits: Option<usize>,
    found: &mut Vec<Former>,
) -> kaldi_io::Result<()> {
    for name in kaldi_io::former_names(folder)? {
        let number = name.as_encoded_bytes().strip_prefix(prefix.as_bytes()).and_then(|rest| rest.strip_prefix(b"_"));
        let Some(number) = number.and_then(|number| number.to_str().ok()) else { continue };
        let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
        let (digits, suffix) = number.split_at(end);
        let is_one = match num_digits {
            Some(count) => digits.len() == count,
            None => digits == "0" || !digits.starts_with('0'),
        };
        if let (true, Ok(number)) = (is_one && suffixes.contains(&suffix), digits.parse()) {
            found.push(Former { path: folder.join(&name), number, suffix: suffix.to_owned() });
        }
    }
    Ok(())
}

/// Returns an error if shards are there that at most `num_shards` new ones would not replace: they would look like shards of the
/// new set.
pub(super) fn refuse_former(options: &ShardOptions, num_shards: u64) -> Result<()> {
    let suffix = if options.gzip { ".tar.gz" } else { ".tar" };
    let is_of_this = |it: &Former| it.suffix == suffix || it.suffix == ".json";
    let stays = |it: &Former| it.suffix != ".idx" && (it.number >= num_shards || !is_of_this(it));
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

/// The shards of a former run that were to be replaced, if there are fewer new ones than expected, and indices of replaced shards if
/// there are no new ones: what goes when the new shards appear.
pub(super) fn left_over(options: &ShardOptions, num_shards: u64) -> kaldi_io::Result<Vec<PathBuf>> {
    if num_shards == 0 {
        return Ok(Vec::new());
    }
    let stays = |it: &Former| it.number < num_shards && (it.suffix != ".idx" || options.dali);
    Ok(former(options)?.into_iter().filter(|it| !stays(it)).map(|it| it.path).collect())
}
