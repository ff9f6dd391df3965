use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, int_lists, text_archive};

fn selections() -> [(&'static str, Sample); 3] {
    [("a", int_lists(1, 40)), ("b", Sample::IntLists(vec![])), ("c", Sample::IntLists(vec![vec![], vec![-1, 7]]))]
}

#[test]
fn text_and_binary_come_back_as_they_were() {
    let scratch = Scratch::new();
    scratch.write("g.ark", binary_archive(&selections()));
    let ran = scratch.sh("copy-gselect ark:g.ark ark,t:g.txt && copy-gselect ark:g.txt ark:-");
    ran.succeeds().stdout_is(binary_archive(&selections())).stderr_has("Copied 3 gselect objects");
    assert_eq!(scratch.read("g.txt"), text_archive(&selections()).into_bytes());
}

#[test]
fn the_first_indexes_of_each_frame_are_kept() {
    let scratch = Scratch::new();
    scratch.write("gselect.ark", "a 5 3 1 ; 2 ; ; 9 8 ;\n");
    let t = |n: &str, stdout: &str| {
        scratch.sh(&format!("copy-gselect --n={n} ark:gselect.ark ark,t:-")).succeeds().stdout_is(stdout)
    };
    t("10", "a 5 3 1 ; 2 ; ; 9 8 ; \n").stderr_has("limiting sizes to 10");
    t("2", "a 5 3 ; 2 ; ; 9 8 ; \n").stderr_has("Copied 1 gselect objects,  limiting sizes to 2");
    t("1", "a 5 ; 2 ; ; 9 ; \n");
    t("0", "a 5 3 1 ; 2 ; ; 9 8 ; \n").stderr_lacks("limiting");
}

/// A failed assertion and a core dump in Kaldi.
#[test]
fn a_negative_number_of_indexes_is_an_error() {
    let scratch = Scratch::new();
    scratch.write("g.txt", "a 1 ;\n");
    scratch
        .sh("copy-gselect --n=-1 ark:g.txt ark:o")
        .fails_with(255)
        .stderr_has("expected --n to be 0 or more, got -1");
    assert_eq!(scratch.list(), ["g.txt"]);
}

#[test]
fn an_empty_table_is_nothing_done() {
    let ran = Scratch::new().sh("copy-gselect ark:/dev/null ark:-");
    ran.fails_with(1).stdout_is("").stderr_has("Copied 0 gselect objects");
}

#[test]
fn a_broken_entry_leaves_no_output_behind() {
    let scratch = Scratch::new();
    scratch.write("g.txt", "a 1 ;\nb 2 ; 3\n");
    scratch.sh("copy-gselect ark:g.txt ark:o").fails_with(255).stderr_has("b: g.txt:2: expected \";\", got \"\\n\"");
    assert_eq!(scratch.list(), ["g.txt"]);
}
