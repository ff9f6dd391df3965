//! A `.bin` that is cut into numbered files, like Pythia's: one index, and `NAME-00000-of-00020.bin` and so on. The
//! files are not cut at the ends of sequences.

use std::path::PathBuf;

use crate::check::fits_bin;
use crate::index_file::IndexFile;
use crate::open::{names_in, open_ranges};
use crate::publish::{publish, remove_object};
use crate::sequence_offsets::Places;
use crate::spool::{Spool, TokenFile};
use crate::{DatasetFault, Error, IndexedDataset, Prefix, Result};

/// The name of a numbered part, such as `text-00000-of-00020.bin`.
fn part_name(prefix: &Prefix, number: u64, count: u64) -> PathBuf {
    prefix.with(&format!("-{number:05}-of-{count:05}.bin"))
}

/// The number of parts of the `.bin` of a dataset, if it is cut into numbered parts.
///
/// # Errors
/// If the folder cannot be read, or if there are parts of several counts.
pub fn count_bin_parts(prefix: &Prefix) -> Result<Option<u64>> {
    let first = part_name(prefix, 0, 0);
    let folder = match first.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let stem = prefix.with("-00000-of-");
    let stem = stem.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut counts = Vec::new();
    for name in names_in(&folder)? {
        let count = name.strip_prefix(&stem).and_then(|rest| rest.strip_suffix(".bin"));
        counts.extend(count.and_then(|count| count.parse::<u64>().ok()).filter(|count| *count > 0));
    }
    match counts[..] {
        [] => Ok(None),
        [count] => Ok(Some(count)),
        _ => Err(Error::Request(format!("{prefix}: there are numbered parts of {counts:?} files"))),
    }
}

/// Joins the numbered parts of a `.bin` and copies the index.
///
/// # Errors
/// If a part is missing, the parts do not fit the index, the output would replace one of them, or a file cannot be read
/// or written.
pub fn join_bin_parts(prefix: &Prefix, out: &Prefix) -> Result<u64> {
    let Some(count) = count_bin_parts(prefix)? else {
        let name = part_name(prefix, 0, 1);
        return Err(Error::Request(format!("expected numbered files such as {}, found none", name.display())));
    };
    let mut parts = Vec::new();
    for number in 0..count {
        let path = part_name(prefix, number, count);
        let file = open_ranges(&path)?;
        parts.push((path, file));
    }
    let index_path = prefix.idx();
    let index = IndexFile::open(&index_path)?;
    let mut inputs = vec![index_path.as_path()];
    inputs.extend(parts.iter().map(|(path, _)| path.as_path()));
    out.refuse_inputs(&inputs)?;
    let bin_length = parts.iter().map(|(_, file)| file.length()).sum();
    let Some(token_size) = fits_bin(&index, bin_length)? else {
        let found = format!("{bin_length} bytes");
        return Err(
            DatasetFault::new(&parts[0].0, "length", None, "all parts to be what the sizes add up to", found).into()
        );
    };
    Places { index: &index, token_size, bin_length }.check_all(&parts[0].0)?;
    let mut bin = TokenFile::create(out.bin())?;
    for (path, file) in &parts {
        bin.append(&**file, 0..file.length(), path)?;
    }
    let mut new_index = Spool::create(out.idx(), 0)?;
    new_index.append(&*index.file, 0..index.length, &index_path)?;
    publish([bin.seal()?, new_index.seal()?], || Ok::<_, Error>(()))?;
    Ok(count)
}

/// Cuts the `.bin` of a dataset into `count` numbered files of equal length (the last is shorter) and copies the index.
///
/// # Errors
/// If the dataset is damaged, the output would replace it, or a file cannot be read or written.
pub fn cut_bin(dataset: &IndexedDataset, out: &Prefix, count: u64) -> Result<()> {
    dataset.check_index()?;
    let size = dataset.token_type().size();
    let each = (dataset.bin_length / size).div_ceil(count.max(1)) * size;
    let (index_path, bin_path) = (dataset.prefix().idx(), dataset.prefix().bin());
    let mut sealed = Vec::new();
    out.refuse_inputs(&[&index_path, &bin_path])?;
    if out.is_remote() {
        // Objects appear one after the other, so that they need no memory.
        remove_object(&out.idx())?;
    }
    for number in 0..count {
        let path = part_name(out, number, count);
        Prefix::new(&path).refuse_inputs(&[&index_path, &bin_path])?;
        let mut part = TokenFile::create(path)?;
        let start = dataset.bin_length.min(each * number);
        let end = if number + 1 == count { dataset.bin_length } else { dataset.bin_length.min(start + each) };
        part.append(&*dataset.bin, start..end, &bin_path)?;
        sealed.push(part.seal()?);
        if out.is_remote() {
            publish(sealed.drain(..), || Ok::<_, Error>(()))?;
        }
    }
    let mut index = Spool::create(out.idx(), 0)?;
    index.append(&*dataset.index.file, 0..dataset.index.length, &index_path)?;
    sealed.push(index.seal()?);
    publish(sealed, || Ok(()))
}
