//! Tables of every kind and type, opened by looking.

use std::fs;

use bstr::ByteSlice;
use kaldi_any::{Header, Precision, ValueType};
use kaldi_matrix::{CompressedMatrix, CompressionMethod, GeneralMatrix, HtkFeatures, Matrix, SparseMatrix, Vector};
use kaldi_reader::Reader;
use kaldi_value::{Format, Value};
use kaldi_value::{GaussPost, Posterior, Token, Tokens};
use kaldi_wave::Wave;
use tempfile::TempDir;

use crate::{Entries, Error, NamedKind, read_content, read_header, write_value};

/// What is seen of a table: the type, and of each entry the key, the header, and the value as text or a fault.
fn seen(name: &str, known: Option<&str>) -> (String, Vec<(String, Header, Vec<u8>)>) {
    let known = known.map(|name| name.parse::<ValueType>().unwrap());
    let mut entries = Entries::open(name.into(), known).unwrap();
    let mut found = Vec::new();
    while let Some(entry) = entries.next().unwrap_or_else(|error| panic!("{name}: {error}")) {
        let value_type = entries.value_type();
        let mut text = Vec::new();
        write_value(&entry, value_type, Format::Text, &mut text).unwrap();
        read_content(&entry, value_type).unwrap();
        found.push((entry.key().to_string(), read_header(&entry, value_type).unwrap(), text));
    }
    (entries.value_type().name().to_owned(), found)
}

/// An archive of two values as file, stream and script file: the type that is seen, and rows and columns of the first.
#[track_caller]
fn sees<T: Value>(values: [T; 2], type_name: &str, rows: Option<u64>, columns: Option<u64>) {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for format in [Format::Binary, Format::Text] {
        if format == Format::Text && !T::HAS_TEXT {
            continue;
        }
        let mut archive = b"a ".to_vec();
        values[0].write(&mut archive, format);
        let second = archive.len() + 2;
        archive.extend_from_slice(b"b ");
        values[1].write(&mut archive, format);
        fs::write(path("x.ark"), &archive).unwrap();
        fs::write(path("x.scp"), format!("a {}:2\nb {}:{second}\n", path("x.ark"), path("x.ark"))).unwrap();
        for name in [
            path("x.ark"),
            format!("ark:{}", path("x.ark")),
            format!("ark:cat {} |", path("x.ark")),
            path("x.scp"),
            format!("scp:{}", path("x.scp")),
        ] {
            for known in [None, Some(type_name)] {
                let (found, entries) = seen(&name, known);
                assert_eq!(found, type_name, "{name} {format:?}");
                let [(first, header, text), (second, ..)] = entries.as_slice() else { panic!("{name}: {entries:?}") };
                assert_eq!((first.as_str(), second.as_str()), ("a", "b"));
                assert_eq!((header.rows, header.columns), (rows, columns), "{name} {format:?}");
                assert_eq!(
                    text.trim_ascii_end().as_bstr(),
                    values[0].to_bytes(Format::Text).trim_ascii_end().as_bstr(),
                    "{name}"
                );
            }
        }
    }
}

#[test]
fn every_type_is_seen_by_looking() {
    let matrix = |rows: usize| Matrix::from_vec(rows, 2, (0..2 * rows).map(|n| n as f32 / 2.0).collect());
    sees([matrix(3), matrix(1)], "matrix", Some(3), Some(2));
    sees([matrix(3).to_precision::<f64>(), matrix(1).to_precision()], "matrix", Some(3), Some(2));
    sees([GeneralMatrix::from(matrix(3)), matrix(2).into()], "matrix", Some(3), Some(2));
    let mut sparse = SparseMatrix::<f32>::new(5);
    sparse.push_row(&[(3, 0.5)]).unwrap();
    sees([sparse.clone(), sparse], "matrix", Some(1), Some(5));
    sees([Vector::from_vec(vec![1.0_f32, 2.5]), Vector::from_vec(vec![])], "vector", Some(2), None);
    sees([Vector::from_vec(vec![1.0_f64]), Vector::from_vec(vec![0.1])], "vector", Some(1), None);
    sees([5, -7], "int32", None, None);
    sees([0.5_f32, 2.0], "float", None, None);
    sees([true, false], "bool", None, None);
    sees([vec![3, 4, 5], vec![]], "int32-vector", Some(3), None);
    sees([vec![vec![3, 4], vec![5]], vec![vec![1]]], "int32-vector-vector", Some(2), None);
    sees([vec![(1, 2), (3, 4)], vec![(0, 0)]], "int32-pairs", Some(2), None);
    sees([vec![(0.5_f32, 2.0), (3.0, 1.0)], vec![(0.25, 1.0)]], "float-pairs", Some(2), None);
    sees(
        [Posterior(vec![vec![(1, 0.5), (2, 0.5)], vec![]]), Posterior(vec![vec![(7, 1.0)]])],
        "posterior",
        Some(2),
        None,
    );
    let gauss = |weights: usize| GaussPost(vec![vec![(3, vec![0.5; weights])], vec![(1, vec![1.0])]]);
    sees([gauss(2), gauss(1)], "gauss-post", Some(2), None);
    sees([Token::new("word").unwrap(), Token::new("T1").unwrap()], "token", None, None);
    sees([Tokens::new(["two", "words"]).unwrap(), Tokens::default()], "token-vector", Some(2), None);
    let wave = |samples: usize| Wave::new(8000.0, vec![vec![1.0; samples], vec![-1.0; samples]]);
    sees_wave([wave(4000), wave(3)]);
}

fn sees_wave(values: [Wave; 2]) {
    sees(values.clone(), "wave", Some(4000), Some(2));
    let folder = TempDir::new().unwrap();
    let name = folder.path().join("a.wav").to_str().unwrap().to_owned();
    fs::write(&name, values[0].to_bytes(Format::Binary)).unwrap();
    let (found, entries) = seen(&name, None);
    assert_eq!((found.as_str(), entries.len()), ("wave", 1));
    assert_eq!((entries[0].1.seconds, entries[0].1.sample_rate), (Some(0.5), Some(8000.0)));
}

/// The type that is seen of an archive with these bytes, and the other types that fit.
fn types(bytes: &[u8]) -> (String, String) {
    let folder = TempDir::new().unwrap();
    let name = folder.path().join("x.ark").to_str().unwrap().to_owned();
    fs::write(&name, bytes).unwrap();
    let mut entries = Entries::open(format!("ark:{name}").as_str().into(), None).unwrap();
    entries.next().unwrap().unwrap();
    (entries.value_type().name().to_owned(), kaldi_any::join_names(entries.candidates()))
}

#[test]
fn of_several_types_that_fit_the_likely_one_is_taken() {
    let numbers = |numbers: [[u8; 4]; 2]| [b"a \0B\x04".as_slice(), &numbers[0], b"b \0B\x04", &numbers[1]].concat();
    let three = "int32 or float or double";
    let expect = |bytes: &[u8], likely: &str, all: &str| {
        assert_eq!(types(bytes), (likely.to_owned(), all.to_owned()), "{}", bytes.as_bstr());
    };
    expect(&numbers([7_i32.to_le_bytes(), (-1_i32).to_le_bytes()]), "int32", three);
    expect(&numbers([0.0_f32.to_le_bytes(), (-0.5_f32).to_le_bytes()]), "float", three);
    expect(b"a \0B\x08\0\0\0\0\0\0\xe0\x3fb \0B\x04\0\0\0\0", "double", "float or double");
    expect(b"a 1\nb 2\n", "int32", "int32 or float or double or int32-vector or token or token-vector");
    expect(b"a 1\nb 2.5\n", "float", "float or double or token or token-vector");
    expect(b"a 1\nb 2 3\n", "int32-vector", "int32-vector or token-vector");
    expect(b"a T\nb F\n", "bool", "bool or token or token-vector");
    expect(b"a 1\nb x\n", "token", "token or token-vector");
    expect(b"a  [ 1 2 ]\nb  [ ]\n", "vector", "matrix or vector or posterior");
    expect(b"a  [\n  1 2 ]\nb  [ 3 4 ]\n", "matrix", "matrix");
}

#[test]
fn numbers_that_are_read_ahead_change_the_type_of_none_before() {
    let lines: String = (0..100).map(|n| format!("k{n:02} {n}\n")).chain(["z 0.5\n".to_owned()]).collect();
    let folder = TempDir::new().unwrap();
    let name = folder.path().join("x").to_str().unwrap().to_owned();
    fs::write(&name, lines).unwrap();
    let mut entries = Entries::open(name.as_str().into(), None).unwrap();
    let (mut first, mut count) = (None, 0);
    while let Some(entry) = entries.next().unwrap() {
        first.get_or_insert(entries.value_type().name());
        let mut text = Vec::new();
        write_value(&entry, entries.value_type(), Format::Text, &mut text).unwrap();
        count += 1;
    }
    assert_eq!((first, entries.value_type().name(), count), (Some("int32"), "float", 101));
}

#[test]
fn headers_tell_precision_and_compression() {
    let of = |bytes: Vec<u8>| {
        let folder = TempDir::new().unwrap();
        let name = folder.path().join("final.mat").to_str().unwrap().to_owned();
        fs::write(&name, bytes).unwrap();
        let mut entries = Entries::open(name.as_str().into(), None).unwrap();
        assert_eq!(entries.kind(), NamedKind::Value);
        let entry = entries.next().unwrap().unwrap();
        assert!(entries.next().unwrap().is_none());
        let header = read_header(&entry, entries.value_type()).unwrap();
        (header.rows.unwrap(), header.columns.unwrap(), header.precision, header.is_compressed, entry.is_whole())
    };
    let matrix = Matrix::<f32>::new(100, 40);
    let (single, double) = (Some(Precision::Single), Some(Precision::Double));
    assert_eq!(of(matrix.to_bytes(Format::Binary)), (100, 40, single, false, false));
    assert_eq!(of(matrix.to_precision::<f64>().to_bytes(Format::Binary)), (100, 40, double, false, false));
    assert_eq!(of(matrix.to_bytes(Format::Text)), (100, 40, None, false, true));
    let compressed = CompressedMatrix::compress(&matrix, CompressionMethod::Automatic).unwrap();
    assert_eq!(of(compressed.to_bytes(Format::Binary)), (100, 40, None, true, false));
    let htk = HtkFeatures::new(Matrix::new(3, 2), 100_000, 9).unwrap();
    let folder = TempDir::new().unwrap();
    let name = folder.path().join("x.ark").to_str().unwrap().to_owned();
    fs::write(&name, [b"a ".as_slice(), &htk.to_bytes(Format::Binary)].concat()).unwrap();
    let (_, entries) = seen(&format!("ark:{name}"), Some("htk"));
    assert_eq!((entries[0].1.rows, entries[0].1.columns), (Some(3), Some(2)));
}

#[test]
fn a_range_names_a_part() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("m"), Matrix::<f32>::new(9, 4).to_bytes(Format::Binary)).unwrap();
    fs::write(path("x.scp"), format!("a {0}[2:5,0:1]\nb cat {0} |[0:0]\n", path("m"))).unwrap();
    let (_, entries) = seen(&path("x.scp"), None);
    let sizes: Vec<_> = entries.iter().map(|(_, header, _)| (header.rows.unwrap(), header.columns.unwrap())).collect();
    assert_eq!(sizes, [(4, 2), (1, 4)]);
    let (_, entries) = seen(&format!("{}[0:1]", path("m")), None);
    assert_eq!(entries[0].1.rows, Some(2));
}

#[test]
fn behind_an_unreadable_value_of_a_script_file_there_are_others() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("m"), Matrix::<f32>::new(9, 4).to_bytes(Format::Binary)).unwrap();
    fs::write(path("x.scp"), format!("a nowhere\nb {0}\nc {0}:1\nd exit 3 |\ne {0}\n", path("m"))).unwrap();
    let mut entries = Entries::open(path("x.scp").as_str().into(), None).unwrap();
    let mut found = Vec::new();
    loop {
        match entries.next_entry() {
            Ok(Some(entry)) => found.push(entry.key().to_string()),
            Ok(None) => break,
            Err(error) => found.push(error.to_string().replace(&path(""), "")),
        }
    }
    let expected = [
        "x.scp:1: a: cannot open nowhere: No such file or directory",
        "b",
        "x.scp:3: c: m:1: expected",
        "x.scp:4: d: Pipe exit 3 | had nonzero return status: exit status 3",
        "e",
    ];
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found:?}");
    }
    let mut reader = Entries::open(path("x.scp").as_str().into(), None).unwrap();
    assert!(reader.next().is_err());
    assert!(reader.next().unwrap().is_none());
}

#[test]
fn a_reader_starts_again() {
    let folder = TempDir::new().unwrap();
    let name = folder.path().join("x").to_str().unwrap().to_owned();
    fs::write(&name, "a 1\nb 2\n").unwrap();
    let mut entries = Entries::open(name.as_str().into(), None).unwrap();
    for _ in 0..2 {
        assert_eq!(entries.next().unwrap().unwrap().key(), "a");
        assert_eq!(entries.next().unwrap().unwrap().key(), "b");
        assert!(entries.next().unwrap().is_none());
        entries.finish().unwrap();
        assert!(entries.next().unwrap().is_none());
        entries.restart().unwrap();
    }
    assert!(matches!(Entries::open(".".into(), None), Err(Error::Folder { .. })));
}
