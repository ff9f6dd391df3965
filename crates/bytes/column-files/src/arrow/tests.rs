//! Files of `tests/data/arrow`, which `datasets` and pyarrow wrote, whole and damaged.

use std::io;
use std::path::Path;
use std::sync::Arc;

use kaldi_io::ReadAt;

use super::{ArrowFile, ArrowValues};
use crate::{ColumnValue, FilePlaces, LeafType, is_arrow};

/// Bytes in place of a file. No read asks for more than there is.
#[derive(Debug)]
struct Memory(Vec<u8>);

impl ReadAt for Memory {
    fn length(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut Vec<u8>, length: usize) -> io::Result<()> {
        buffer.extend(&self.0[offset as usize..offset as usize + length]);
        Ok(())
    }
}

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/data/arrow").join(name)).unwrap()
}

fn open(bytes: Vec<u8>) -> Result<Arc<ArrowFile>, String> {
    let file = ArrowFile::open("x".into(), FilePlaces::new(Arc::new(Memory(bytes))));
    file.map(Arc::new).map_err(|error| error.to_string())
}

/// The values of a leaf.
fn values(file: &Arc<ArrowFile>, leaf: usize) -> Result<Vec<ColumnValue>, String> {
    let (mut values, mut found) = (ArrowValues::new(Arc::clone(file), leaf), Vec::new());
    while let Some(value) = values.next_value().map_err(|error| error.to_string())? {
        found.push(value);
    }
    Ok(found)
}

/// All values whose types are read.
fn all(bytes: Vec<u8>) -> Result<Vec<Vec<ColumnValue>>, String> {
    let file = open(bytes)?;
    let leaves = file.leaves().iter().enumerate();
    let leaves = leaves.filter(|(_, leaf)| !matches!(leaf.leaf_type, LeafType::Other(_)));
    leaves.map(|(index, _)| values(&file, index)).collect()
}

/// Reads all of them, and keeps none: batches may claim many rows without a byte.
fn read(bytes: Vec<u8>) -> Result<(), String> {
    let file = open(bytes)?;
    for (index, leaf) in file.leaves().iter().enumerate() {
        let mut values = ArrowValues::new(Arc::clone(&file), index);
        while !matches!(leaf.leaf_type, LeafType::Other(_))
            && values.next_value().map_err(|error| error.to_string())?.is_some()
        {}
    }
    Ok(())
}

const FILES: [&str; 7] = [
    "one/data-00000-of-00001.arrow",
    "numbers.arrow",
    "delta.arrow",
    "replaced.arrow",
    "lz4.arrow",
    "zstd.arrow",
    "types.arrow",
];

#[test]
fn types_are_told_and_others_are_passed_over() {
    let file = open(bytes("types.arrow")).unwrap();
    let found: Vec<_> = file.leaves().iter().map(|leaf| format!("{} {leaf}", leaf.name)).collect();
    let expected = [
        "id integer",
        "audio.path string",
        "audio.bytes bytes",
        "text string",
        "tokens list of integer",
        "pair list of floating-point number",
        "is_good bool",
        "half floating-point number",
        "fixed bytes",
        "none string",
        "view views of strings",
        "both union",
        "runs values with lengths of runs",
        "when timestamp",
        "last string",
    ];
    assert_eq!(found, expected);
    let words = |leaf: usize| -> Vec<_> {
        values(&file, leaf).unwrap().iter().map(|value| value.to_words().unwrap_or("-".into())).collect()
    };
    assert_eq!(words(0), ["3", "1", "4", "15", "9"]);
    assert_eq!(words(3), ["u", "v", "u", "-", "w"]);
    assert_eq!(words(4), ["1 2", "", "3", "-", "4"]);
    assert_eq!(words(5), ["1 2", "3 4", "-", "5 6", "7 8"]);
    assert_eq!(words(6), ["true", "false", "-", "true", "true"]);
    assert_eq!(words(7), ["0.5", "1.5", "2.5", "-1", "-"]);
    assert_eq!(words(8), ["ab", "cd", "ef", "-", "gh"]);
    assert_eq!(words(9), ["-"; 5]);
    // It is behind views, a union and runs, which have other numbers of buffers.
    assert_eq!(words(14), ["p", "q", "r", "s", "t"]);
    assert!(values(&file, 10).unwrap_err().starts_with("x: row 0: view: a column of the type views of strings"));
    assert_eq!((file.num_nulls(2), file.num_nulls(1), file.num_nulls(3)), (Some(0), Some(5), None));
    let mut third = ArrowValues::new(Arc::clone(&file), 14);
    third.skip(3).unwrap();
    assert_eq!(third.next_value().unwrap().and_then(|value| value.to_words()).as_deref(), Some("s"));
    assert!(third.skip(2).unwrap_err().to_string().contains("expected more rows, got the end"));
}

#[test]
fn codecs_and_both_kinds_have_the_same_values() {
    let of = |name: &str| {
        let mut all = all(bytes(name)).unwrap();
        // The two last files lack some columns, which are not read.
        all.truncate(11);
        all
    };
    let expected = of("types.arrow");
    for name in ["file.arrow", "lz4.arrow", "zstd.arrow"] {
        assert_eq!(of(name), expected, "{name}");
        assert!(is_arrow(&bytes(name)), "{name}");
    }
}

#[test]
fn dictionaries_grow_and_are_replaced() {
    let words = |name: &str| -> Vec<_> {
        let file = open(bytes(name)).unwrap();
        values(&file, 1).unwrap().iter().filter_map(ColumnValue::to_words).collect()
    };
    assert_eq!(words("delta.arrow"), ["x y", "z", "w", "x y"]);
    assert_eq!(words("replaced.arrow"), ["x y", "z", "v", "other"]);
}

#[test]
fn a_file_that_is_cut_anywhere_or_too_long_is_an_error() {
    for name in FILES {
        let whole = bytes(name);
        assert!(all(whole.clone()).is_ok(), "{name}");
        for length in 0..whole.len() {
            let error = open(whole[..length].to_vec()).map(drop).unwrap_err();
            assert!(error.starts_with("x: ") && !error.contains('\n'), "{name}: {length}: {error}");
        }
        assert!(open([&whole[..], b"x"].concat()).is_err(), "{name}");
    }
}

#[test]
fn damage_in_any_byte_is_an_error_or_other_values_and_no_panic() {
    for name in FILES {
        let whole = bytes(name);
        // Few bytes of sound, many of metadata.
        let is_sound = |at: &usize| whole[at.saturating_sub(40)..].starts_with(b"RIFF");
        for at in (0..whole.len()).filter(|at| !is_sound(at)) {
            let mut bad = whole.clone();
            bad[at] ^= [0x01, 0x80, 0xff][at % 3];
            if let Err(error) = read(bad) {
                assert!(error.starts_with("x: ") && !error.contains('\n'), "{name}: {at}: {error}");
            }
        }
    }
}

#[test]
fn other_bytes_are_not_taken_for_a_stream() {
    for head in [&b""[..], &[0xff; 64], b"\xff\xff\xff\xff\0\0\0\0\0\0\0\0", b"ARROX1\0\0", b"PAR1"] {
        assert!(!is_arrow(head), "{head:x?}");
    }
    assert!(is_arrow(&bytes("numbers.arrow")[..64]));
}
