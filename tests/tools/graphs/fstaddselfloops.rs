use crate::tools::graphs::golden;

#[test]
fn the_example_adds_loops_at_the_ends_of_words() {
    let scratch = golden();
    scratch
        .sh("fstaddselfloops wdisambig_phones.int wdisambig_words.int lexicon.fst L.fst")
        .succeeds()
        .stderr_has("Added ");
    let loops = "fstcopy ark:- ark,t:- | awk 'NF > 3 && $1 == $2 { print $3, $4 }' | grep -c '^27 15$'";
    scratch.sh(&format!("(printf 'L '; cat lexicon.fst) | {loops}")).fails_with(1).stdout_is("0\n");
    let ran = scratch.sh(&format!("(printf 'L '; cat L.fst) | {loops}"));
    assert_ne!(ran.succeeds().stdout(), b"0\n");
}

#[test]
fn lists_that_make_no_sense_are_refused() {
    let scratch = golden();
    for (inputs, outputs, message) in [
        ("1 2", "3", "expected as many output labels as input labels, got 1 and 2"),
        ("0", "3", "expected labels over 0, got 0"),
        ("500 500", "3 4", "expected each label once, got 500 twice"),
        ("500", "x", "list:1: expected a label, got \"x\""),
    ] {
        scratch.write("list", outputs);
        let ran = scratch.sh(&format!("fstaddselfloops 'echo {inputs}|' list random.fst o"));
        ran.fails_with(255).stderr_has(message);
    }
    let ran = scratch.sh("fstaddselfloops 'echo 74|' 'echo 2147483647|' l-largest-labels.fst o");
    ran.fails_with(255).stderr_has("has an arc with the label 2147483647 already");
    assert!(!scratch.list().contains(&"o".to_owned()));
}

#[test]
pub fn an_arc_to_a_state_that_does_not_exist_is_an_error() {
    let scratch = golden();
    for command in ["fstaddselfloops empty empty", "fstrmsymbols empty"] {
        let ran = scratch.sh(&format!("{command} f-next-state-out-of-range.fst o"));
        ran.fails_with(255).stderr_has("expected a state below");
    }
}

#[test]
pub fn an_input_pipe_that_fails_is_an_error() {
    let ran = golden().sh("fstaddselfloops empty empty 'cat random.fst; exit 3|' o");
    ran.fails_with(255).stderr_has("exit status 3");
}

#[test]
fn bytes_behind_the_graph_are_said() {
    let ran = golden().sh("fstaddselfloops empty empty f-bytes-after.fst /dev/null");
    ran.succeeds().stderr_has("bytes behind the FST are not read");
}
