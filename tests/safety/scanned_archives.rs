use std::path::Path;

use bstr::BString;
use kaldi_any::{Detector, ValueType};
use kaldi_table::{RawEntries, RawEntry, Reader};
use kaldi_tables::reader::Draws;
use kaldi_value::{Format, Value};

use super::values::{ForEachType, archive, for_each_type, rewrite};
use crate::support::Scratch;

/// What is known of an entry.
#[derive(Debug, PartialEq)]
struct Seen {
    key: BString,
    start: u64,
    value: u64,
    end: u64,
    is_text: bool,
    is_open: bool,
}

impl From<RawEntry> for Seen {
    fn from(entry: RawEntry) -> Self {
        Self {
            key: entry.key().to_owned(),
            start: entry.start(),
            value: entry.offset(),
            end: entry.end(),
            is_text: entry.is_text(),
            is_open: entry.is_open(),
        }
    }
}

/// The entries up to the end or a fault, the fault, and whether the type fits them that the archive was made of.
fn scan<T: Value>(path: &Path, known: Option<ValueType>) -> (Vec<Seen>, Option<String>, bool) {
    scan_stream::<T>(path.to_str().unwrap(), known)
}

fn scan_stream<T: Value>(name: &str, known: Option<ValueType>) -> (Vec<Seen>, Option<String>, bool) {
    let mut scanner = RawEntries::archive(name, Detector::new(known)).unwrap();
    let mut entries = Vec::new();
    loop {
        match scanner.next() {
            Ok(Some(entry)) => entries.push(entry.into()),
            Ok(None) => return (entries, None, scanner.framing().candidates().contains(&scanned_type::<T>())),
            Err(error) => return (entries, Some(error.to_string()), true),
        }
    }
}

/// The type as scanners know it.
pub fn scanned_type<T: Value>() -> ValueType {
    let name = T::NAME.replace(' ', "-");
    name.parse().unwrap_or_else(|_| ValueType::ALL.iter().copied().find(|known| name.ends_with(known.name())).unwrap())
}

/// Scans whole archives and archives cut at every byte.
struct ScanEverywhere {
    format: Format,
    scratch: Scratch,
}

impl ForEachType for ScanEverywhere {
    fn call<T: Value + std::fmt::Debug>(&mut self, samples: [T; 4]) {
        let (bytes, ends) = archive(&samples, self.format);
        let path = self.scratch.path("cut.ark");
        for known in [None, Some(scanned_type::<T>())] {
            rewrite(&path, &bytes);
            let (entries, error, is_type) = scan::<T>(&path, known);
            assert!(is_type);
            let what = format!("{} {:?}, known: {known:?}", T::NAME, self.format);
            assert_eq!(error, None, "{what}");
            let found: Vec<_> = entries.iter().map(|entry| (entry.value as usize, entry.end as usize)).collect();
            let starts = std::iter::once(0).chain(ends.clone());
            let expected: Vec<_> = starts.zip(&ends).map(|(start, &end)| (start + "utt0 ".len(), end)).collect();
            assert_eq!(found, expected, "{what}");

            for cut in 0..bytes.len() {
                rewrite(&path, &bytes[..cut]);
                let whole = ends.iter().filter(|&&end| end <= cut).count();
                let what = format!("{what}, cut at {cut} of {}", bytes.len());
                let (cut_entries, error, is_type) = scan::<T>(&path, known);
                if !is_type {
                    // What is left may be a whole archive of another type, as the start of a matrix (\0BF) is of a bool, and
                    // lines of an FST are entries of words.
                    assert!(cut_entries.len() > whole && known.is_none(), "{what}");
                    continue;
                }
                if cut_entries.len() > whole && known.is_none() && error.is_some() {
                    // Likewise, with something after it.
                    continue;
                }
                if cut == 0 || ends.contains(&cut) {
                    assert_eq!(error, None, "{what}");
                } else if bytes[cut..ends[whole]].trim_ascii().is_empty() && error.is_none() {
                    // Only blank lines are missing.
                    assert_eq!(cut_entries.len(), whole + 1, "{what}");
                    continue;
                } else {
                    let error = error.unwrap_or_else(|| panic!("{what}: the cut is not seen"));
                    assert!(error.contains("cut.ark:") && !error.contains('\n'), "{what}: {error}");
                }
                assert_eq!(cut_entries, entries[..whole], "{what}");
            }
        }
    }
}

#[test]
fn a_binary_archive_cut_anywhere_is_scanned_up_to_the_cut() {
    for_each_type(&mut ScanEverywhere { format: Format::Binary, scratch: Scratch::new() });
}

#[test]
fn a_text_archive_cut_anywhere_is_scanned_up_to_the_cut() {
    for_each_type(&mut ScanEverywhere { format: Format::Text, scratch: Scratch::new() });
}

/// Scans archives of which one byte is another.
struct ScanDamaged {
    format: Format,
    scratch: Scratch,
}

impl ForEachType for ScanDamaged {
    fn call<T: Value + std::fmt::Debug>(&mut self, samples: [T; 4]) {
        let (bytes, _) = archive(&samples, self.format);
        let path = self.scratch.path("damaged.ark");
        for place in 0..bytes.len() {
            for damage in [0x01, 0x04, 0x20, 0x80, 0xff, bytes[place], bytes[place] ^ b' ', bytes[place] ^ b'\n'] {
                let mut damaged = bytes.clone();
                damaged[place] ^= damage;
                rewrite(&path, &damaged);
                for known in [None, Some(scanned_type::<T>())] {
                    let (entries, error, _) = scan::<T>(&path, known);
                    let what = format!("{} {:?}, byte {place} ^ {damage:#x}", T::NAME, self.format);
                    let end = entries.last().map_or(0, |entry| entry.end);
                    assert!(end <= bytes.len() as u64, "{what}: an entry beyond the end");
                    if let Some(error) = error {
                        assert!(error.contains("damaged.ark:") && !error.contains('\n'), "{what}: {error}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_damaged_archive_is_scanned_or_refused_in_one_line() {
    for format in [Format::Binary, Format::Text] {
        for_each_type(&mut ScanDamaged { format, scratch: Scratch::new() });
    }
}

#[test]
fn pieces_of_archives_in_any_order_are_scanned_or_refused() {
    const PIECES: [&[u8]; 36] = [
        b"a ",
        b"b ",
        b"utt1 ",
        b"\0B",
        b"\0BFM ",
        b"\0BDV ",
        b"\0BCM2 ",
        b"\0BSM ",
        b"SV ",
        b"FV ",
        b"\x04\0\0\0\0",
        b"\x04\x01\0\0\0",
        b"\x04\x02\0\0\0",
        b"\x04\xff\xff\xff\x7f",
        b"\x04\xff\xff\xff\xff",
        b"\x08\0\0\0\0\0\0\0\0",
        b"T",
        b"F",
        b" ",
        b"\n",
        b" [ ",
        b"] ",
        b"]\n",
        b"1 ",
        b"-2.5 ",
        b"; ",
        b"rows=1 dim=2 ",
        b"\r\n",
        b"\0",
        b"\xff",
        b"RIFF\x28\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0",
        b"data\x03\0\0\0",
        b"data\0\0\0\0",
        b"JUNK\x01\0\0\0",
        b"word ",
        b"[]",
    ];
    let scratch = Scratch::new();
    let path = scratch.path("pieces.ark");
    let types = ValueType::ALL;
    for seed in 0..20_000 {
        let mut random = Draws::seeded(seed);
        let bytes: Vec<u8> = (0..=random.below(12)).flat_map(|_| PIECES[random.index(PIECES.len())].to_vec()).collect();
        rewrite(&path, &bytes);
        for known in [None, Some(types[random.index(types.len())])] {
            let (entries, error, _) = scan::<i32>(&path, known);
            let what = format!("seed {seed}, known: {known:?}, {}", bytes.escape_ascii());
            if seed < 100 {
                // A pipe is seen as a file is; only where damage comes first, its end may be seen too late to tell the type.
                let (piped, piped_error, _) = scan_stream::<i32>(&format!("cat {} |", path.display()), known);
                assert_eq!(piped_error.is_some(), error.is_some(), "{what}");
                assert!(error.is_some() || piped == entries, "{what}");
            }
            let mut end = 0;
            for entry in entries {
                assert!(end <= entry.start && entry.start < entry.value && entry.value <= entry.end, "{what}");
                end = entry.end;
            }
            assert!(end <= bytes.len() as u64, "{what}");
            if let Some(error) = error {
                assert!(error.contains("pieces.ark") && !error.contains('\n'), "{what}: {error}");
            }
        }
    }
}
