use super::{index, with_dataset};
use crate::support::Scratch;

#[test]
fn any_of_the_names_will_do_and_ranges_are_half_open() {
    let scratch = with_dataset();
    for name in ["data", "data.idx", "data.bin"] {
        scratch
            .sh(&format!("indexed-to-int-vector {name} ark,t:-"))
            .succeeds()
            .stdout_is("0 1 2 3 \n1 4 5 6 7 \n2 8 9 \n");
    }
    scratch.sh("indexed-to-int-vector --range=1:2 data ark,t:-").succeeds().stdout_is("1 4 5 6 7 \n");
    scratch.sh("indexed-to-int-vector --range=2: data ark,t:-").succeeds().stdout_is("2 8 9 \n");
    scratch.sh("indexed-to-int-vector --range=1:1 data ark,t:-").succeeds().stdout_is("");
    for range in ["2:1", "0:4", "1", "a:b", "-1:2"] {
        scratch.sh(&format!("indexed-to-int-vector --range={range} data ark,t:-")).fails_with(255).stdout_is("");
    }
}

#[test]
fn numbers_have_the_same_length() {
    let scratch = Scratch::new();
    scratch.write("t", (0..11).map(|number| format!("k{number} {number}\n")).collect::<String>());
    let ran = scratch.sh("int-vector-to-indexed ark:t d && indexed-to-int-vector --range=9:11 d ark,t:-");
    ran.succeeds().stdout_is("09 9 \n10 10 \n");
}

#[test]
fn keys_come_from_a_file_as_many_as_sequences() {
    let scratch = with_dataset();
    scratch
        .write("keys", "a\nb\nc\n")
        .write("few", "a\nb\n")
        .write("many", "a\nb\nc\nd\n")
        .write("words", "a\nb x\nc\n");
    scratch.sh("indexed-to-int-vector --keys=keys data ark,t:- | cmp - tokens").succeeds();
    scratch.sh("indexed-to-int-vector --keys=keys --range=1:2 data ark,t:-").succeeds().stdout_is("b 4 5 6 7 \n");
    scratch.sh("indexed-to-int-vector --keys=keys --unit=document data ark,t:- | cmp - tokens").succeeds();
    for keys in ["few", "many", "words"] {
        for unit in ["sequence", "document"] {
            let ran = scratch.sh(&format!("indexed-to-int-vector --unit={unit} --keys={keys} data ark:out"));
            ran.fails_with(255).stderr_has("key");
        }
    }
    assert!(!scratch.list().contains(&"out".to_owned()));
}

#[test]
fn documents_have_all_of_their_sequences() {
    let scratch = Scratch::new();
    scratch.write("n", "a 1 2 ; 3 ; \nb \nc 0 ; \n").write("keys", "x\ny\nz\n");
    scratch.sh("int-vector-to-indexed --nested --append-eod=0 ark:n d").succeeds();
    let documents = "indexed-to-int-vector --unit=document";
    scratch.sh(&format!("{documents} d ark,t:-")).succeeds().stdout_is("0 1 2 3 0 \n1 \n2 0 0 \n");
    scratch.sh(&format!("{documents} --strip-eod=0 d ark,t:-")).succeeds().stdout_is("0 1 2 3 \n1 \n2 0 \n");
    scratch.sh(&format!("{documents} --keys=keys --range=1:3 d ark,t:-")).succeeds().stdout_is("y \nz 0 0 \n");
}

#[test]
fn numbers_that_are_too_large_are_named_and_floats_refused() {
    let scratch = Scratch::new();
    let tokens = [5_u32, u32::MAX].map(u32::to_le_bytes).concat();
    scratch.write("d.idx", index(9, &[1, 1], 4, None)).write("d.bin", &tokens);
    let message = "sequence 1: token 0: expected a number that fits int32, found 4294967295";
    scratch.sh("indexed-to-int-vector d ark:out").fails_with(255).stderr_has(message);
    // Bytes of 4 with this code are float32, unless it is DeepSpeed's.
    scratch.write("f.idx", index(7, &[1, 1], 4, Some(&[0, 1, 2]))).write("f.bin", &tokens);
    scratch.sh("indexed-to-int-vector f ark:out").fails_with(255).stderr_has("float32");
    let ran = scratch.sh("indexed-to-int-vector --dialect=deepspeed --range=0:1 f ark,t:-");
    ran.succeeds().stdout_is("0 5 \n");
    assert_eq!(scratch.list(), ["d.bin", "d.idx", "f.bin", "f.idx"]);
}

#[test]
fn a_cut_dataset_leaves_no_output() {
    let scratch = with_dataset();
    scratch
        .sh("truncate -s 16 data.bin; indexed-to-int-vector data ark:out")
        .fails_with(255)
        .stderr_has("data.idx: pointers[2]");
    assert_eq!(scratch.list(), ["data.bin", "data.idx", "tokens"]);
    scratch.sh("indexed-to-int-vector --force data ark:data.bin").fails_with(255).stderr_has("to be read and written");
}
