//! Counts the samples that a damaged tar file loses, by scanning on for valid headers.

use std::fs::File;
use std::os::unix::fs::FileExt;

use bstr::{BStr, BString};
use kaldi_io::Rxfilename;

use crate::list::ListLines;
use crate::tar::{BLOCK, Header, padding};
use crate::{Grouping, Result, ShardFault};

/// Bytes that are searched at once.
const WINDOW: usize = 1 << 20;

/// Counts the samples of a shard that are lost to a damaged header or member: the damaged sample, and all samples after it, whose tar
/// headers are found by a scan in blocks of 512 bytes. The sample before the damage counts, too, if the damaged header may belong to it. `None` if
/// the shard is not a regular file, or is compressed.
pub fn count_lost_samples(shard: &BStr, fault: &ShardFault, grouping: Grouping) -> Option<u64> {
    let offset = fault.offset;
    let Ok(Rxfilename::File(path)) = Rxfilename::parse(shard) else { return None };
    let file = File::open(path).ok().filter(|file| file.metadata().is_ok_and(|metadata| metadata.is_file()))?;
    let mut first = [0; BLOCK];
    file.read_exact_at(&mut first, 0).ok()?;
    // A compressed shard has no headers, and a damaged first header says nothing.
    if offset >= BLOCK as u64 && Header::parse(&first).is_err() {
        return None;
    }
    let (mut at, mut samples) = (offset / BLOCK as u64 * BLOCK as u64 + BLOCK as u64, Vec::<(BString, u64)>::new());
    while let Some((place, header)) = next_header(&file, at) {
        at = place + BLOCK as u64;
        if let Some((key, _)) = grouping.split(header.path.as_slice().into()) {
            match samples.last_mut().filter(|(known, _)| known == key) {
                Some((_, members)) => *members += 1,
                None => samples.push((key.to_owned(), 1)),
            }
            at = at.saturating_add(header.size).saturating_add(padding(header.size) as u64);
        }
    }
    let most = samples.iter().map(|(_, members)| *members).max().unwrap_or(0);
    // The first ones may be the rest of the broken sample.
    let is_rest = samples.first().is_some_and(|(_, members)| *members < most);
    let has_lost_former = fault.member.is_none() && offset >= BLOCK as u64;
    Some(samples.len() as u64 + u64::from(!is_rest || has_lost_former))
}

/// The next header of a file, from an offset on.
fn next_header(file: &File, mut at: u64) -> Option<(u64, Header)> {
    let mut bytes = vec![0; BLOCK];
    loop {
        let length = read_some(file, &mut bytes, at)?;
        let (blocks, _) = bytes[..length].as_chunks::<BLOCK>();
        if blocks.is_empty() {
            return None;
        }
        for (number, block) in blocks.iter().enumerate() {
            // Zeros have the checksum of nothing.
            let header = Header::parse(block).ok().filter(|header| block[0] != 0 && !header.path.is_empty());
            if let Some(header) = header {
                return Some((at + (number * BLOCK) as u64, header));
            }
        }
        at += (blocks.len() * BLOCK) as u64;
        bytes.resize(WINDOW, 0);
    }
}

/// Reads until the buffer is full or the file ends.
fn read_some(file: &File, bytes: &mut [u8], at: u64) -> Option<usize> {
    let mut length = 0;
    while length < bytes.len() {
        match file.read_at(&mut bytes[length..], at + length as u64).ok()? {
            0 => break,
            count => length += count,
        }
    }
    Some(length)
}

/// Counts the cuts of a file of a Shar folder.
///
/// # Errors
/// If it cannot be read.
pub fn count_cuts(cuts: &BStr) -> Result<u64> {
    let mut lines = ListLines::open(cuts)?;
    let mut count = 0;
    while lines.next_line()?.is_some() {
        count += 1;
    }
    lines.finish()?;
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FaultKind, member_header};

    /// Ten samples with texts of 700 bytes and sound.
    fn shard() -> Vec<u8> {
        let mut bytes = Vec::new();
        for number in 0..10 {
            for (suffix, size) in [("txt", 700_u64), ("wav", 1500)] {
                bytes.extend(member_header(format!("u{number}.{suffix}").as_str().into(), size));
                bytes.resize(bytes.len() + size as usize + padding(size), b'x');
            }
        }
        bytes.resize(bytes.len() + 2 * BLOCK, 0);
        bytes
    }

    #[test]
    fn samples_that_are_lost_by_damage_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.tar");
        let name = BStr::new(path.to_str().unwrap());
        let sample = shard().len() / 10 / BLOCK * BLOCK;
        let lost = |offset: usize, name: &BStr| {
            let fault = ShardFault::new(FaultKind::Damaged, "a.tar", offset as u64, "damaged");
            count_lost_samples(name, &fault, Grouping::Wenet)
        };
        for (damage, offset, expected) in [
            // The header of the text of u3, which may be of u2, too; that of its sound; the first header.
            (3 * sample + 5, 3 * sample, 8),
            (3 * sample + 3 * BLOCK + 5, 3 * sample + 3 * BLOCK, 7),
            (5, 0, 10),
        ] {
            let mut bytes = shard();
            bytes[damage] ^= 0xff;
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(lost(offset, name), Some(expected), "{damage}");
        }
        std::fs::write(&path, &shard()[..3 * sample + 700]).unwrap();
        assert_eq!(lost(3 * sample, name), Some(1));
        std::fs::write(&path, b"\x1f\x8b compressed").unwrap();
        assert_eq!(lost(5000, name), None);
        assert_eq!(lost(0, "cat x |".into()), None);
    }
}
