use serde_json::Value;

use super::{index, with_dataset};
use crate::support::Scratch;

#[test]
fn a_fault_has_its_place_and_both_sides() {
    let scratch = with_dataset();
    let sound = "data: sound, 3 sequences, 3 documents, 9 tokens\n";
    scratch.sh("indexed-check data").succeeds().stdout_is(sound);
    let whole = scratch.read("data.idx");
    let mut bytes = whole.clone();
    bytes[54] = 8;
    scratch.write("data.idx", &bytes);
    scratch.sh("indexed-check data").fails_with(1).stdout_is("data.idx: pointers[1]: expected 6, found 8\n");
    let told: Value = serde_json::from_slice(scratch.sh("indexed-check --json data").fails_with(1).stdout()).unwrap();
    let fault = &told["faults"][0];
    assert_eq!((&fault["file"], &fault["field"]), (&"data.idx".into(), &"pointers".into()));
    assert_eq!(fault["position"], 1);
    assert_eq!((&fault["expected"], &fault["found"]), (&"6".into(), &"8".into()));
    scratch.write("data.idx", whole).sh("truncate -s 17 data.bin").succeeds();
    scratch.sh("indexed-check data").fails_with(1).stdout_is("data.bin: length: expected 18 bytes, found 17 bytes\n");
    scratch.sh("indexed-check missing").fails_with(255).stdout_is("");
}

#[test]
fn a_type_code_that_lies_is_found() {
    let scratch = Scratch::new();
    scratch.write("d.idx", index(8, &[2, 1], 4, Some(&[0, 1, 2]))).write("d.bin", [0; 12]);
    let message = "d.idx: type code: expected the code of a type of 4 bytes, such as 4 (int32), found 8\n";
    scratch.sh("indexed-check d").fails_with(1).stdout_is(message);
    scratch
        .sh("indexed-check --repair=e d && indexed-info e | grep dtype")
        .succeeds()
        .stdout_is(format!("{message}dtype int32\n"));
    scratch.sh("indexed-to-int-vector d ark:-").fails_with(255).stderr_has("type code");
}

#[test]
fn tokens_are_compared_with_the_vocabulary() {
    let scratch = with_dataset();
    scratch.sh("indexed-check --vocab-size=10 data").succeeds();
    let message = "data.bin: tokens[8]: expected a token from 0 to 8, found 9\n";
    scratch.sh("indexed-check --vocab-size=9 data").fails_with(1).stdout_is(message);
    let many = scratch.sh("seq 0 29 | tr '\\n' ' ' | sed 's/^/a /' | int-vector-to-indexed ark:- m; indexed-check --vocab-size=5 m | wc -l");
    many.fails_with(1).stdout_is("11\n");
}

#[test]
fn a_repair_writes_a_sound_dataset_and_keeps_the_old_one() {
    let scratch = with_dataset();
    let (whole, bin) = (scratch.read("data.idx"), scratch.read("data.bin"));
    scratch.write("data.idx", &whole[..60]);
    scratch.sh("indexed-check --repair=data data").fails_with(255).stderr_has("to be read and written");
    scratch.sh("indexed-check --repair=new data").succeeds();
    assert!(scratch.read("new.idx") == whole && scratch.read("new.bin") == bin);
    assert_eq!(scratch.read("data.idx"), whole[..60]);
    scratch.write("data.idx", &whole).write("data.bin", &bin[1..]);
    scratch.sh("indexed-check --repair=other data").fails_with(1).stderr_has("do not fit together");
    scratch.sh("indexed-check --repair=other data new").fails_with(255).stderr_has("one dataset");
    assert!(!scratch.list().iter().any(|name| name.starts_with("other")));
}
