//! Archives of all types, scanned.

use std::fs;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;

use bstr::{BStr, ByteSlice};
use kaldi_table::{RawEntries, RawEntry, Reader};
use tempfile::TempDir;

use crate::{Detector, Sequence, ValueType};

/// A folder for archives.
struct Archives(TempDir);

impl Archives {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.0.path().join(name);
        let _ = fs::remove_file(&path);
        fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

fn value_type(name: &str) -> ValueType {
    name.parse().unwrap()
}

fn scanner(name: &str, known: Option<&str>) -> RawEntries<Detector> {
    RawEntries::archive(name, Detector::new(known.map(value_type))).unwrap()
}

/// What is known of an entry.
fn seen(entry: &RawEntry) -> (&BStr, [u64; 3], [bool; 2]) {
    (entry.key(), [entry.start(), entry.offset(), entry.end()], [entry.is_text(), entry.is_open()])
}

/// The entries up to the end or a fault, the names of the types that fit, and the fault with nothing but the file's name
/// for its path.
fn scan(name: &str, known: Option<&str>) -> (Vec<RawEntry>, String, Option<String>) {
    let mut scanner = scanner(name, known);
    let mut entries = Vec::new();
    let error = loop {
        match scanner.next() {
            Ok(Some(entry)) => entries.push(entry),
            Ok(None) => break None,
            Err(error) => break Some(error.to_string()),
        }
    };
    let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
    let error = error.map(|error| error.replace(&format!("{folder}/"), ""));
    (entries, crate::join_names(scanner.framing().candidates()), error)
}

/// `key:offset` of each entry and the types that fit, where nothing is wrong.
#[track_caller]
fn sees(bytes: &[u8], listed: &str, types: &str) {
    let archives = Archives::new();
    let name = archives.write("a.ark", bytes);
    let (entries, found, error) = scan(&name, None);
    let places: Vec<String> = entries.iter().map(|entry| format!("{}:{}", entry.key(), entry.offset())).collect();
    assert_eq!((error, places.join(" ").as_str(), found.as_str()), (None, listed, types));
    // A stream is seen as a file is, and its entries are in memory.
    let mut stream = scanner(&format!("cat {name} |"), None);
    for expected in entries {
        let entry = stream.next().unwrap().unwrap();
        assert_eq!(seen(&entry), seen(&expected));
        assert!(entry.is_whole());
        assert_eq!(entry.head(), &bytes[expected.offset() as usize..expected.end() as usize]);
    }
    assert!(stream.next().unwrap().is_none());
    stream.finish().unwrap();
}

/// How many entries come before the fault, and the fault.
#[track_caller]
fn refuses(bytes: &[u8], known: Option<&str>, num_whole: usize, message: &str) {
    let archives = Archives::new();
    let name = archives.write("a.ark", bytes);
    let (entries, _, error) = scan(&name, known);
    assert_eq!((error.as_deref(), entries.len()), (Some(message), num_whole));
    let (entries, _, error) = scan(&format!("cat {name} |"), known);
    assert!(error.is_some());
    assert_eq!(entries.len(), num_whole);
}

fn int(value: i32) -> Vec<u8> {
    [&[4], value.to_le_bytes().as_slice()].concat()
}

/// Key, marker and units.
fn ints(key: &str, values: &[i32]) -> Vec<u8> {
    [key.as_bytes(), b" \0B", values.iter().flat_map(|&value| int(value)).collect::<Vec<_>>().as_slice()].concat()
}

fn float_matrix(key: &str, rows: i32, cols: i32) -> Vec<u8> {
    let mut bytes = [key.as_bytes(), b" \0BFM ", &int(rows), &int(cols)].concat();
    bytes.resize(bytes.len() + (rows * cols * 4) as usize, 0);
    bytes
}

const WAVE: &[u8] =
    b"RIFF\x28\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\x04\0\0\0\x01\0\x02\0";

#[test]
fn binary_types_are_told_by_their_tokens() {
    sees(&[float_matrix("a", 100, 3), float_matrix("bc", 0, 0)].concat(), "a:2 bc:1220", "matrix");
    sees(b"a \0BDV \x04\x01\0\0\0\0\0\0\0\0\0\0\0b \0BFV \x04\0\0\0\0", "a:2 b:22", "vector");
    sees(b"a \0BCM3 \0\0\0\0\0\0\0\0\x01\0\0\0\x02\0\0\0xyb \0BSM \x04\0\0\0\0", "a:2 b:28", "matrix");
    sees(&[b"a ", WAVE, b"b ", WAVE].concat(), "a:2 b:52", "wave");
    sees(b"a \0BTb \0BF", "a:2 b:7", "bool");
}

#[test]
fn binary_integers_are_told_by_where_their_values_end() {
    sees(&[ints("a", &[7]), ints("b", &[8])].concat(), "a:2 b:11", "int32 or float or double");
    sees(&[ints("a", &[2, 7, 8]), ints("b", &[0])].concat(), "a:2 b:21", "int32-vector");
    sees(&[ints("a", &[2, 1, 7, 0]), ints("b", &[0])].concat(), "a:2 b:26", "int32-vector-vector");
    sees(&[ints("a", &[2, 7, 8, 9, 10]), ints("b", &[0])].concat(), "a:2 b:31", "int32-pairs or float-pairs");
    sees(&[ints("a", &[3, 1, 7, 0, 0, 0]), ints("b", &[0])].concat(), "a:2 b:36", "posterior");
    sees(b"a \0B\x04\x01\0\0\0\x04\x01\0\0\0\x04\x07\0\0\0FV \x04\0\0\0\0b \0B\x04\0\0\0\0", "a:2 b:29", "gauss-post");
    sees(b"a \0B\x08\0\0\0\0\0\0\xe0\x3fb \0B\x04\0\0\0\0", "a:2 b:15", "float or double");
}

#[test]
fn values_that_all_types_see_alike_need_no_type() {
    let types = "int32 or float or double or int32-vector or int32-matrix or int32-vector-vector or int32-pairs or \
                 float-pairs or posterior or gauss-post";
    sees(&[ints("a", &[0]), ints("b", &[0])].concat(), "a:2 b:11", types);
    sees(b"", "", &crate::join_names(&ValueType::recognizable().collect::<Vec<_>>()));
    sees(b" \n\n", "", &crate::join_names(&ValueType::recognizable().collect::<Vec<_>>()));
}

#[test]
fn long_payloads_are_told_apart_by_what_follows() {
    let long: Vec<i32> = std::iter::once(40_000).chain((0..40_000).map(|value| value % 7)).collect();
    let second = 2 + 2 + 5 * 40_001 + 3;
    sees(&[ints("a", &long), ints("bc", &[1, 5])].concat(), &format!("a:2 bc:{}", second), "int32-vector");
}

#[test]
fn text_types_are_told_by_their_brackets_and_numbers() {
    sees(b"a  [\n  1 2 \n  3 4 ]\nb  [ ]\n", "a:2 b:22", "matrix");
    sees(b"a  [ 1 2.5 3 ]\nb  [ ]\n", "a:2 b:17", "matrix or vector");
    sees(b"a rows=1 dim=5 [ 3 0.5 ] \nb rows=0 \n", "a:2 b:28", "matrix");
    sees(b"a 1 2 3 \nb \n", "a:2 b:11", "int32-vector or token-vector");
    sees(b"a 1 2 ; 3 4 \nb \n", "a:2 b:15", "int32-pairs or float-pairs or token-vector");
    sees(b"a 1 2 ; 3 ; \nb \n", "a:2 b:15", "int32-vector-vector or token-vector");
    sees(b"a [ 1 0.5 ] [ 2 1 3 0.25 ] \nb \n", "a:2 b:30", "posterior");
    sees(b"a 1 2 7  [ 0.5 1 ]\n8  [ 1 2 ]\n\nb 0 \n", "a:2 b:33", "gauss-post");
    sees(b"a 0.5 \nb 1e3 \n", "a:2 b:9", "float or double or token or token-vector");
    sees(b"a T \nb F \n", "a:2 b:7", "bool or token or token-vector");
    sees(b"a word\nb T\n", "a:2 b:9", "token or token-vector");
    sees(b"a one two\nb \n", "a:2 b:12", "token-vector");
    sees(b"a <unk> [noise]\r\nb\tc\n", "a:2 b:19", "token-vector");
}

#[test]
fn numbers_may_turn_out_to_be_words() {
    sees(b"a 0\nb one two\n", "a:2 b:6", "token-vector");
    sees(b"a [noise] 1\nb [ 1 ]\n", "a:2 b:14", "token-vector");
}

#[test]
fn text_and_binary_may_be_mixed() {
    let mixed = [b"a  [ 1 2 ]\n".as_slice(), &float_matrix("b", 1, 1), b"\n c [ 1\n2 ]\n"].concat();
    sees(&mixed, "a:2 b:13 c:36", "matrix");
    sees(&[ints("a", &[1, 5]), b"b 1 2\n".to_vec(), ints("c", &[0])].concat(), "a:2 b:16 c:22", "int32-vector");
}

#[test]
fn a_value_may_begin_with_a_line_end() {
    sees(b"a\n[ 1 2\n3 4 ]\nb [ 2\n]\n", "a:1 b:16", "matrix");
}

#[test]
fn what_may_be_two_things_is_refused_with_both() {
    // Two empty frames under the key 1 and none under 0, or the vectors 2 0 and 0 0.
    let message = "a.ark: the type of 1 in line 1 cannot be found: this may be int32-vector or int32-pairs or float-pairs or \
                   gauss-post or token-vector; `type` says which";
    refuses(b"1 2 0\n0 0 0\n", None, 0, message);
    let archives = Archives::new();
    let name = archives.write("a.ark", b"1 2 0\n0 0 0\n");
    let second = |known| scan(&name, Some(known)).0[1].offset();
    assert_eq!([second("gauss-post"), second("int32-vector")], [10, 8]);
}

#[test]
fn htk_and_sphinx_features_have_to_be_named() {
    let htk = b"\0\0\0\x01\0\x01\x86\xa0\0\x08\0\x09\x3f\x80\0\0\x40\0\0\0";
    let sphinx = [b"\0\0\0\x0d".as_slice(), &[7; 52]].concat();
    let archives = Archives::new();
    let name = archives.write("htk.ark", [b"a ", htk.as_slice(), b"b ", htk].concat());
    assert_eq!(scan(&name, Some("htk")).0[1].offset(), 24);
    assert!(scan(&name, None).2.unwrap().ends_with("(htk and sphinx features need it)"));
    let name = archives.write("sphinx.ark", [b"a ", sphinx.as_slice(), b"b ", &sphinx].concat());
    assert_eq!(scan(&name, Some("sphinx")).0[1].offset(), 60);
    assert!(scan(&name, None).2.is_some());
}

#[test]
fn damage_is_told_with_file_key_and_offset() {
    let two = [float_matrix("utt1", 100, 40), float_matrix("utt2", 100, 40)].concat();
    let at = two.len() / 2;
    refuses(
        &two[..two.len() - 7],
        None,
        1,
        "utt2: a.ark:32033: expected 7 more bytes of the value, got the end of the input",
    );
    refuses(&two[..at + 7], None, 1, "utt2: a.ark:16027: expected token \"FM\", got the end of the input");
    refuses(&two[..at + 2], None, 1, "ut: a.ark:16022: expected a value after its key, got the end of the input");
    let mut wrong = two.clone();
    wrong[at + 7] = b'X';
    refuses(&wrong, None, 1, "utt2: a.ark:16027: expected token \"FM\", got \"XM\"");
    // A length that is wrong shows where the next key should be.
    wrong = two.clone();
    wrong[11] = 99;
    refuses(&wrong, None, 1, "a.ark:15860: expected a key after utt1, got \"\\x00\"");
    refuses(
        b"a \0B<NnetXEg> <NumIo> ",
        None,
        0,
        "a: a.ark:2: cannot find the type of a value that starts with \"\\x00B<NnetXEg> \"; \
                                    `type` may help (htk and sphinx features need it)",
    );
}

#[test]
fn text_that_is_cut_is_not_taken_for_something_else() {
    refuses(b"a  [\n  1 2 \n  3 4 ]\nb  [\n  1 2", None, 1, "b: a.ark:5: expected \"]\", got the end of the input");
    refuses(b"a  [\n  1 2", None, 0, "a: a.ark:2: expected \"]\", got the end of the input");
    refuses(b"a  [ 1 2 ]\nb  [ 1", None, 1, "b: a.ark:2: expected \"]\", got the end of the input");
    // A posterior of two frames, cut to one, might be a vector.
    refuses(b"a [ 1 0.5 ]", None, 0, "a: a.ark:1: expected the end of the line, got the end of the input");
    refuses(b"a 1 2\nb 1 2", None, 1, "b: a.ark:2: expected the end of the line, got the end of the input");
    refuses(
        b"a 0 \nb 1 0 ",
        Some("gauss-post"),
        1,
        "b: a.ark:2: expected the end of the line, got the end of the input",
    );
    // A control character is no text: the place is the offset.
    refuses(b"a 1 2\nb 1 \x01\n", None, 1, "b: a.ark:10: expected an integer, got \"\\x01\"");
}

#[test]
fn a_named_type_is_expected_of_every_value() {
    refuses(b"a 1 2\nb x\n", Some("int32-vector"), 1, "b: a.ark:2: expected an integer, got \"x\"");
    refuses(&float_matrix("a", 1, 1), Some("vector"), 0, "a: a.ark:4: expected token \"FV\", got \"FM\"");
    refuses(&float_matrix("a", 1, 1), Some("token"), 0, "a: a.ark:2: expected text, got a zero byte");
}

#[test]
fn a_wave_file_of_unknown_length_goes_on_to_the_end() {
    let mut wave = WAVE.to_vec();
    wave[4..8].copy_from_slice(&[0xff; 4]);
    let archives = Archives::new();
    let name = archives.write("a.ark", [b"a ", WAVE, b"b ", &wave, b"c ", WAVE].concat());
    for name in [name.clone(), format!("cat {name} |")] {
        let (entries, _, error) = scan(&name, None);
        assert_eq!((entries.len(), error), (2, None));
        assert_eq!((entries[0].is_open(), entries[1].is_open(), entries[1].end()), (false, true, 150));
    }
}

#[test]
fn a_flac_file_goes_on_to_the_end() {
    sees(&[b"a ".as_slice(), WAVE, b"b fLaC\0\0\0\x22\0\x10c ", WAVE].concat(), "a:2 b:52", "wave");
}

#[test]
fn a_wave_file_of_odd_length_may_have_been_made_even() {
    let mut wave = WAVE.to_vec();
    wave[40] = 3;
    let odd = &wave[..47];
    let even = [odd, b"\0"].concat();
    sees(&[b"a ", odd, b"b ", &even, b"c ", odd].concat(), "a:2 b:51 c:101", "wave");
    sees(&[b"a ".as_slice(), &even].concat(), "a:2", "wave");
}

#[test]
fn a_huge_value_is_skipped_without_memory() {
    let archives = Archives::new();
    let header = [b"a \0BFM ".as_slice(), &int(1 << 15), &int(1 << 15)].concat();
    let name = archives.write("a.ark", &header);
    let file = fs::OpenOptions::new().write(true).open(&name).unwrap();
    let end = header.len() as u64 + (1 << 32);
    file.write_all_at(b"b \0BFM \x04\0\0\0\0\x04\0\0\0\0", end).unwrap();
    let mut scanner = scanner(&name, None);
    assert_eq!(scanner.next().unwrap().unwrap().end(), end);
    assert_eq!(scanner.next().unwrap().unwrap().offset(), end + 2);
    assert!(scanner.next().unwrap().is_none());
    assert!(scanner.in_memory() < 1 << 16);
    // Nor does a claim, or a hole instead of a key or of text.
    file.set_len(end - 1).unwrap();
    let message = "a: a.ark:4294967312: expected 1 more bytes of the value, got the end of the input";
    assert_eq!(scan(&name, None).2.as_deref(), Some(message));
    for start in ["", "a 1\n", "a [ 1\n", "a 1\nb [ 1\n", "a \0B\x04\x01"] {
        let name = archives.write("hole.ark", start);
        fs::OpenOptions::new().write(true).open(&name).unwrap().set_len(3 << 30).unwrap();
        let mut scanner = self::scanner(&name, None);
        let error = std::iter::from_fn(|| scanner.next().transpose()).find_map(Result::err);
        assert!(error.is_some(), "{start:?}");
        assert!(scanner.in_memory() < 1 << 16, "{start:?}");
    }
}

#[test]
fn keys_may_be_long() {
    let key = "k".repeat(10_000);
    let archives = Archives::new();
    let name = archives.write("a.ark", [float_matrix(&key, 50, 40), float_matrix(&key, 50, 40)].concat());
    for name in [name.clone(), format!("cat {name} |")] {
        let (entries, _, error) = scan(&name, None);
        assert_eq!((entries.len(), error), (2, None));
        assert_eq!((entries[1].key().len(), entries[1].offset()), (10_000, 18_016 + 10_001));
    }
}

#[test]
fn an_archive_may_begin_anywhere_in_a_file() {
    let archives = Archives::new();
    let name = archives.write("a.ark", [float_matrix("a", 1, 1), float_matrix("b", 1, 1)].concat());
    let mut scanner = scanner(&format!("{name}:21"), None);
    assert_eq!(scanner.next().unwrap().unwrap().offset(), 23);
    assert!(scanner.next().unwrap().is_none());
    let error = RawEntries::archive(format!("{name}:43"), Detector::new(None)).unwrap_err().to_string();
    assert!(error.ends_with("a.ark:43: expected an archive, got the end of the input"), "{error}");
}

/// The keys that a sequence delivers, with their offsets, and how it ends.
fn deliver(mut sequence: Sequence) -> (String, Option<String>) {
    let mut keys = Vec::new();
    loop {
        match sequence.next_entry() {
            Ok(Some((archive, entry))) => {
                let name = Path::new(archive.to_str_lossy().as_ref()).file_name().map(|name| name.to_owned());
                keys.push(format!("{}@{}:{}", entry.key(), name.unwrap().to_string_lossy(), entry.start()));
            }
            Ok(None) => return (keys.join(" "), None),
            Err(error) => return (keys.join(" "), Some(error.to_string())),
        }
    }
}

#[test]
fn several_archives_are_gone_through_in_order_or_by_key() {
    let archives = Archives::new();
    let names = [("1", "a 1\nc 1\nc 2\n"), ("2", ""), ("3", "B 1\nb 1\nc 3\n"), ("4", "a 4\n")]
        .map(|(name, text)| bstr::BString::from(archives.write(name, text)));
    let (keys, error) = deliver(Sequence::new(&names, None));
    assert_eq!((keys.as_str(), error), ("a@1:0 c@1:4 c@1:8 B@3:0 b@3:4 c@3:8 a@4:0", None));
    let (keys, error) = deliver(Sequence::new(&names, None).sorted());
    assert_eq!((keys.as_str(), error), ("B@3:0 a@1:0 a@4:0 b@3:4 c@1:4 c@1:8 c@3:8", None));
}

#[test]
fn archives_to_merge_must_be_sorted() {
    let archives = Archives::new();
    let names =
        [("1", "a 1\nc 1\n"), ("2", "b 1\naa 1\n")].map(|(name, text)| bstr::BString::from(archives.write(name, text)));
    let (keys, error) = deliver(Sequence::new(&names, None).sorted());
    assert_eq!(keys, "a@1:0 b@2:0");
    assert!(error.unwrap().ends_with("2: expected sorted keys, got aa at 4 after b at 0"));
    assert_eq!(deliver(Sequence::new(&names, None)).1, None);
}

#[test]
fn archives_of_different_types_do_not_go_together() {
    let archives = Archives::new();
    let matrices = archives.write("m.ark", float_matrix("a", 1, 1));
    let text = archives.write("t.ark", "b [ 1 2 ]\n");
    let vectors = archives.write("v.ark", b"c \0BFV \x04\0\0\0\0");
    let names = |names: &[&String]| names.iter().map(|name| bstr::BString::from(name.as_str())).collect::<Vec<_>>();
    assert_eq!(deliver(Sequence::new(&names(&[&matrices, &text]), None)).1, None);
    assert_eq!(deliver(Sequence::new(&names(&[&vectors, &text]), None)).1, None);
    let (_, error) = deliver(Sequence::new(&names(&[&matrices, &text, &vectors]), None));
    let error = error.unwrap();
    assert!(error.contains("v.ark: expected values of the type matrix as in"), "{error}");
    assert!(error.ends_with("m.ark, got vector: a table has values of one type"), "{error}");
}

#[test]
fn a_command_that_fails_is_the_reason_for_a_short_archive() {
    for command in ["printf 'a 1 2'; exit 3 |", "printf 'a 1\\n'; exit 3 |", "exit 3 |"] {
        let (_, error) = deliver(Sequence::new(&[bstr::BString::from(command)], None));
        assert!(error.unwrap().ends_with("nonzero return status: exit status 3"), "{command}");
    }
}

#[test]
fn behind_damage_the_other_archives_are_gone_through() {
    let archives = Archives::new();
    let names = [("1", "a 1\nb"), ("2", "c 1\n")].map(|(name, text)| bstr::BString::from(archives.write(name, text)));
    let mut sequence = Sequence::new(&names, None);
    assert_eq!(sequence.next_entry().unwrap().unwrap().1.key(), "a");
    assert!(sequence.next_entry().is_err());
    assert_eq!(sequence.next_entry().unwrap().unwrap().1.key(), "c");
    assert!(sequence.next_entry().unwrap().is_none());
    assert_eq!(
        crate::join_names(sequence.value_types()),
        "int32 or float or double or int32-vector or token or token-vector"
    );
}

#[test]
fn entries_in_pieces_are_seen_as_in_one() {
    // A pipe delivers as little as its writer gives at once.
    let archives = Archives::new();
    let bytes = [float_matrix("a", 3, 2), b"b [ 1 2\n 3 4 ]\n".to_vec(), float_matrix("c", 1, 1)].concat();
    let (first, rest) = bytes.split_at(5);
    let names: Vec<String> = std::iter::once(first)
        .chain(rest.chunks(9))
        .enumerate()
        .map(|(index, piece)| archives.write(&format!("{index:02}"), piece))
        .collect();
    let command: Vec<String> = names.iter().map(|name| format!("cat {name}; sleep 0.01;")).collect();
    let (entries, _, error) = scan(&format!("{} |", command.join(" ")), None);
    assert_eq!((entries.len(), error), (3, None));
    let mut whole = fs::File::create(archives.0.path().join("whole")).unwrap();
    whole.write_all(&bytes).unwrap();
    let whole = scan(archives.0.path().join("whole").to_str().unwrap(), None).0;
    assert!(entries.iter().map(seen).eq(whole.iter().map(seen)));
}

mod damaged;
