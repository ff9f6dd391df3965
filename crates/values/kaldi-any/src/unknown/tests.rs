use kaldi_table::{RawEntries, Reader};

use super::*;
use crate::blocks::BLOCK_LIMIT;
use crate::{Detector, ValueType};

/// The keys of an archive's entries with the sizes of their values, the first type that fits, and the error at the end.
fn scan(bytes: &[u8]) -> (String, ValueType, Option<String>) {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("a.ark");
    std::fs::write(&name, bytes).unwrap();
    let mut entries = RawEntries::archive(name.to_str().unwrap(), Detector::new(None)).unwrap();
    let mut keys = Vec::new();
    let error = loop {
        match entries.next() {
            Ok(Some(entry)) => keys.push(format!("{}:{}", entry.key(), entry.size())),
            Ok(None) => break None,
            Err(error) => break Some(error.to_string()),
        }
    };
    let found = entries.framing().candidates()[0];
    let error = error.map(|error| error.replace(&format!("{}/", folder.path().display()), ""));
    (keys.join(" "), found, error)
}

#[track_caller]
fn has_values(text: &str, keys: &str) {
    has(ValueType::Unknown, text, keys);
}

#[track_caller]
fn has(found: ValueType, text: &str, keys: &str) {
    assert_eq!(scan(text.as_bytes()), (keys.to_owned(), found, None), "{text:?}");
}

#[track_caller]
fn has_lines(text: &str) {
    let (keys, found, _) = scan(text.as_bytes());
    let lines = text.lines().filter(|line| !line.is_empty()).count();
    assert!(found != ValueType::Unknown && keys.split(' ').count() == lines, "{text:?}: {found} {keys}");
}

#[test]
fn lattices_and_fsts_in_text_are_one_value_each() {
    has(ValueType::CompactLattice, "a \n0\t1\t8\t5.44,1876.28,\n1\t0.5,1.5,3_4\n\nb \n0\t2,3,\n\n", "a:36 b:9");
    has(ValueType::Lattice, "a \n0 1 8 5 5.44,1876.28\n1 0.5,1.5\n\n", "a:33");
    has(ValueType::Fst, "a \n0 1 5 5 0.5\n1\n\n", "a:16");
    has(ValueType::Fst, "a \r\n0 1 5 6\r\n1\r\n\r\n", "a:16");
    has(ValueType::CompactLattice, "a \n0 1 -5 Infinity,2.5,1\n1 BadNumber,2,\n\n", "a:39");
    // An acceptor, as programs of OpenFst write it.
    has_values("a\n0 1 5\n1 2.5\n\nb\n0 1 5\n1\n\n", "a:14 b:10");
}

#[test]
fn a_lattice_without_states_is_a_value() {
    has(ValueType::Fst, "a \n\nb \n0 1 2 2\n1\n\nc \n\n", "a:2 b:12 c:2");
}

#[test]
fn other_lines_are_values_if_they_are_no_keys() {
    has_values("a \n<Model> 1\n</Model>\n\nb \n<Model> 2\n</Model>\n\n", "a:21 b:21");
}

#[test]
fn words_stay_words() {
    // An entry without words comes first.
    has_lines("utt1 \nutt2 hello world\nutt3 yes\n");
    has_lines("utt1\nutt2 hello\n");
    // So does a line that is empty, at the end or between two entries.
    has_lines("utt1 \nutt2 hello\n\n");
    has_lines("utt1 \nutt2 hello\n\nutt3 yes\n");
    has_lines("utt1 \n\nutt2 hello\n");
    // Keys may be numbers, and so may be values.
    has_lines("1 \n2 5 5\n3 7\n");
    has_lines("1 \n2 5 5\n\n3 7 8\n");
    has_lines("utt1 \nutt2 1 2 3\n");
    // Paragraphs of one table.
    has_lines("spk1 \nutt1 a\n\nspk2 \nutt2 b\n\n");
    has_lines("utt1 <Nnet3Eg> is a word\n");
    has_lines("utt1 0,1\nutt2 1,5\n\n");
}

#[test]
fn matrices_may_begin_on_the_next_line() {
    assert_eq!(scan(b"a\n[ 1 2\n 3 4 ]\n\nb\n [ 1 2\n 3 4 ]\n").1, ValueType::Matrix);
}

#[test]
fn a_long_fst_in_text_is_read_to_its_end() {
    let arcs: String = (0..20000).map(|state| format!("{state}\t{}\t7\t7\n", state + 1)).collect();
    let text = format!("a \n{arcs}20000\n\n");
    assert!(text.len() > BLOCK_LIMIT);
    has(ValueType::Fst, &text, &format!("a:{}", text.len() - 2));
    // A long table of words is not.
    let words: String = (0..20000).map(|utt| format!("utt{utt} some words\n")).collect();
    has_lines(&format!("a \n{words}"));
}

#[test]
fn text_without_the_last_empty_line_is_cut() {
    let message = "b: a.ark:6: expected an empty line after the value, got the end of the input";
    let (keys, found, error) = scan(b"a \n0 1 8 5.4,18.2,\n1\n\nb \n0 1 8 5.4,18.2,");
    assert_eq!((keys.as_str(), found, error.as_deref()), ("a:20", ValueType::CompactLattice, Some(message)));
    // A single one is a lattice by its weights.
    assert!(scan(b"a \n0 1 8 5.4,18.2,\n1\n").2.unwrap().contains("expected an empty line after the value"));
}

/// A plain lattice of two states in binary form.
fn lattice() -> Vec<u8> {
    let text = |text: &str| [&(text.len() as i32).to_le_bytes(), text.as_bytes()].concat();
    let longs = [3_i64, 0, 2, 0].map(i64::to_le_bytes).concat();
    let states = [&[0; 8][..], &1_i64.to_le_bytes(), &[0; 16], &[1, 0, 0, 0], &[0; 16]].concat();
    let magic = b"\xd6\xfd\xb2\x7e".to_vec();
    [magic, text("vector"), text("lattice4"), vec![2, 0, 0, 0, 0, 0, 0, 0], longs, states].concat()
}

#[test]
fn binary_and_text_of_several_forms_may_be_mixed() {
    let binary = lattice();
    let (compact, fst) = (b"\n0 1 5 1,2,3\n1\n\n", b"\n0 1 5 5 1\n1\n\n");
    let values: [&[u8]; 3] = [compact, &binary, fst];
    let types = [ValueType::CompactLattice, ValueType::Lattice, ValueType::Fst];
    for order in [[0, 1, 2], [1, 0, 2], [2, 1, 0]] {
        let archive: Vec<u8> = order.iter().flat_map(|&at| [b"k ", values[at]].concat()).collect();
        let keys = order.map(|at| format!("k:{}", values[at].len())).join(" ");
        assert_eq!(scan(&archive), (keys, types[order[0]], None), "{order:?}");
    }
}

#[test]
fn an_fst_of_another_type_is_refused_by_name() {
    let mut bytes = [b"a ".to_vec(), lattice()].concat();
    bytes[10] = b'w';
    let (_, _, error) = scan(&bytes);
    let message = "got type \"wector\" with arcs of type \"lattice4\"";
    assert!(error.as_ref().unwrap().ends_with(message), "{error:?}");
}

#[test]
fn examples_reach_to_their_last_token() {
    let binary =
        b"\0B<Nnet3DiscriminativeEg> <NumInputs> \x04\x01\0\0\0<NnetIo> x\0\xff</NnetIo> </Nnet3DiscriminativeEg> ";
    let archive = [b"a ", &binary[..], b"b ", binary].concat();
    let keys = format!("a:{0} b:{0}", binary.len());
    assert_eq!(scan(&archive), (keys, ValueType::Unknown, None));
    assert!(scan(&archive[..archive.len() - 1]).2.unwrap().contains("expected the rest of the value"));
    // In text, the next key is on the same line, and nothing follows the last one.
    let text = "<Nnet3DiscriminativeEg> <NumInputs> 1 \n<NnetIo> </Nnet3DiscriminativeEg> ";
    has_values(&format!("a {text}b {text}"), &format!("a:{0} b:{0}", text.len()));
}

#[test]
fn a_window_may_end_anywhere() {
    let text = &b"\n0 1 5 5\n1\n\n"[..];
    let example = &b"<Nnet3DiscriminativeEg> <NumInputs> 1 \n<NetIo> </Nnet3DiscriminativeEg> "[..];
    for value in [text, example, &[b"\0B", example].concat()] {
        for cut in 0..value.len() - 1 {
            let part = &value[..cut];
            let wanted = match frame(part, false) {
                Ok(Frame::Partial(wanted) | Frame::Beyond(wanted)) => wanted,
                other => panic!("{}: {other:?}", part.escape_ascii()),
            };
            assert!(wanted > cut as u64 && wanted <= value.len() as u64, "{}", part.escape_ascii());
        }
        assert_eq!(frame(value, false), Ok(Frame::Whole(value.len())));
    }
}

#[test]
fn other_values_after_the_first_are_refused() {
    let example = "<Nnet3DiscriminativeEg> <NumInputs> 1 \n</Nnet3DiscriminativeEg> ";
    let (_, _, error) = scan(format!("a {example}b 1 2\n").as_bytes());
    let message = "expected the end of the line after the key, since values are of several lines";
    assert!(error.as_ref().unwrap().ends_with(message), "{error:?}");
    let (_, _, error) = scan(b"a \n0 1 5 5\n1\n\nb \n1\n\nc 1 2\n");
    assert_eq!(error.as_deref(), Some("c: a.ark:8: expected a lattice (a line end, or bytes of an FST), got \"1\""));
    let (_, _, error) = scan(&[b"a ", &lattice()[..], b"b \0BFM \x04\0\0\0\0\x04\0\0\0\0"].concat());
    assert!(error.unwrap().contains("expected a lattice (a line end, or bytes of an FST), got"), "");
}
