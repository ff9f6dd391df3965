use super::with_dataset;
use crate::support::Scratch;

#[test]
fn each_request_is_a_line() {
    let scratch = with_dataset();
    scratch.sh("indexed-get data 1 0:1 1:1:2 2:2 1:0:0").succeeds().stdout_is("4 5 6 7\n2 3\n5 6\n\n\n");
    scratch.sh("indexed-get --raw data 1:1:2").succeeds().stdout_is([5, 0, 6, 0]);
}

#[test]
fn nothing_runs_past_a_sequence() {
    let scratch = with_dataset();
    for request in ["3", "0:4", "0:2:2", "0:0:18446744073709551615", "x", "-1", "1:2:3:4", "1:"] {
        scratch.sh(&format!("indexed-get data {request}")).fails_with(255).stdout_is("");
    }
}

#[test]
fn documents_are_counted_on_request() {
    let scratch = Scratch::new();
    scratch.write("n", "a 1 2 ; 3 ; \nb \n");
    scratch.sh("int-vector-to-indexed --nested ark:n d").succeeds();
    scratch.sh("indexed-get --document d 0 0:1:2 1").succeeds().stdout_is("1 2 3\n2 3\n\n");
    scratch.sh("indexed-get --document d 0:2:2").fails_with(255);
}

#[test]
fn a_part_of_a_long_document_takes_little_memory() {
    let scratch = Scratch::new();
    // Two sequences of 400 million tokens each in one document; the file of tokens is one hole.
    let sizes = [400_000_000_i32; 2].map(i32::to_le_bytes).concat();
    let pointers = [0_i64, 1_600_000_000].map(i64::to_le_bytes).concat();
    let counts = [2_u64, 2].map(u64::to_le_bytes).concat();
    let bounds = [0_i64, 2].map(i64::to_le_bytes).concat();
    let index = [b"MMIDIDX\0\0\x01\0\0\0\0\0\0\0\x04", &*counts, &*sizes, &*pointers, &*bounds].concat();
    scratch.write("long.idx", index);
    scratch.sh("truncate -s 3200000000 long.bin").succeeds();
    let get = "ulimit -v 800000; indexed-get --document long";
    scratch.sh(&format!("{get} 0:399999999:3 0:799999999")).succeeds().stdout_is("0 0 0\n0\n");
    scratch.sh(&format!("{get} 0:799999999:2")).fails_with(255).stderr_has("expected a part of 800000000 tokens");
}
