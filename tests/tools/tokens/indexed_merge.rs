use super::with_dataset;
use crate::support::{Scratch, tool};

#[test]
fn an_output_is_needed_and_something_to_merge() {
    tool("indexed-merge").assert().code(1).stdout("");
    Scratch::new().sh("indexed-merge out").fails_with(255).stderr_has("got none");
}

#[test]
fn the_order_is_that_of_the_names() {
    let scratch = with_dataset();
    scratch.write("more", "x 7 \n").write("list", "data\n\nmore.idx\n");
    scratch.sh("int-vector-to-indexed --dtype=uint16 ark:more more").succeeds();
    scratch.sh("indexed-merge a more data && indexed-get a 0 3").succeeds().stdout_is("7\n8 9\n");
    scratch.sh("indexed-merge --prefixes=list b more && indexed-get b 3 4").succeeds().stdout_is("7\n7\n");
    scratch.sh("indexed-check a b").succeeds();
}

#[test]
fn types_are_converted_on_request_only() {
    let scratch = with_dataset();
    scratch.sh("int-vector-to-indexed ark:tokens wide").succeeds();
    scratch.sh("indexed-merge out data wide").fails_with(255).stderr_has("a type has to be given");
    scratch.sh("indexed-merge --dtype=uint8 out data wide && indexed-check out && indexed-get out 5").succeeds();
    scratch
        .sh("echo 'a 300' | int-vector-to-indexed ark:- large && indexed-merge --dtype=uint8 bad data large")
        .fails_with(255)
        .stderr_has("large: sequence 0: token 0: expected a number that fits uint8, found 300");
    assert!(!scratch.list().iter().any(|name| name.starts_with("bad")));
}

#[test]
fn an_output_that_is_an_input_is_refused_before_anything_is_touched() {
    let scratch = with_dataset();
    let before = scratch.read("data.bin");
    scratch.sh("ln -s data.bin link.bin; ln -s data.idx link.idx").succeeds();
    for out in ["data", "./data.bin", "link"] {
        // The output was forgotten.
        let message = "the first argument, is the dataset to write, and it is there already";
        scratch.sh(&format!("indexed-merge {out} data data")).fails_with(255).stderr_has(message);
        let ran = scratch.sh(&format!("indexed-merge --force {out} data data"));
        ran.fails_with(255).stderr_has("to be read and written");
    }
    scratch.sh("indexed-merge new data && indexed-merge --force new data data && indexed-check new").succeeds();
    assert_eq!(scratch.read("data.bin"), before);
}

#[test]
fn a_damaged_part_shifts_nothing() {
    let scratch = with_dataset();
    scratch.sh("cp data.idx cut.idx; head -c 16 data.bin > cut.bin").succeeds();
    scratch.sh("indexed-merge out cut data").fails_with(255).stderr_has("cut.idx: pointers[2]");
    assert!(!scratch.list().iter().any(|name| name.starts_with("out")));
}
