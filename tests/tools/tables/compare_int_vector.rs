use crate::support::Scratch;
use crate::support::sample::Sample;

/// Two tables of phones, one as text and one as a script file.
fn phones() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("1.txt", "a 1 2 3 3\nb 0 0\nc 5\n").write("2.txt", "c 5\nb 0 4\na 1 3 3 2\n");
    scratch.sh("for n in 1 2; do copy-int-vector ark:$n.txt ark,scp:$n.ark,$n.scp; done").succeeds();
    scratch
}

#[test]
fn elements_and_differences_are_counted_per_key() {
    let ran = phones().sh("compare-int-vector scp:1.scp scp:2.scp > comparison; cat comparison");
    ran.succeeds()
        .stdout_is("a 4 2\nb 2 1\nc 1 0\n")
        .stderr_has("Computed difference for 6 utterances, of which 0 had mismatched lengths; corresponding utterance not found for 0")
        .stderr_has("Average p(different) is 42.86%, over 7 frames.");
}

#[test]
fn the_end_of_a_longer_vector_is_not_compared() {
    let scratch = phones();
    scratch.write("short", "a 1 2\nb\nc 5 6\n");
    let ran = scratch.sh("compare-int-vector ark:1.txt ark:short");
    ran.succeeds()
        .stdout_is("a 2 0\nb 0 0\nc 1 0\n")
        .stderr_has("For utterance a, lengths differ 4 vs. 2")
        .stderr_has("of which 3 had mismatched lengths");
}

#[test]
fn what_the_second_table_lacks_is_left_out_and_counts_as_done() {
    let scratch = phones();
    let ran = scratch.sh("compare-int-vector ark:1.txt 'ark:tail -n 2 2.txt |'");
    ran.succeeds()
        .stdout_is("a 4 2\nb 2 1\n")
        .stderr_has("No key c found in second input.")
        .stderr_has("Computed difference for 5 utterances, of which 0 had mismatched lengths; corresponding utterance not found for 1");
    let ran = scratch.sh("compare-int-vector ark:1.txt ark:/dev/null");
    ran.succeeds().stdout_is("").stderr_has("not found for 3");
}

#[test]
fn totals_are_of_the_first_vectors() {
    let ran = phones().sh("compare-int-vector --binary=false --write-tot-counts=- ark:1.txt ark:2.txt | tail -n 1");
    ran.succeeds().stdout_is(" [ 2 1 1 2 0 1 ]\n");
}

#[test]
fn a_difference_counts_half_for_both() {
    let ran = phones().sh("compare-int-vector --binary=false --write-diff-counts=- ark:1.txt ark:2.txt | tail -n 1");
    ran.succeeds().stdout_is(" [ 0.5 0 1 1 0.5 ]\n");
}

#[test]
fn confusions_are_rows_of_the_first_by_columns_of_the_second() {
    let scratch = Scratch::new();
    scratch.write("1", "a 1 2 2 2\n").write("2", "a 1 2 0 0\n");
    let ran = scratch.sh("compare-int-vector --binary=false --write-confusion-matrix=- ark:1 ark:2");
    ran.succeeds().stdout_is("a 4 2\n [\n  0 0 0 \n  0 1 0 \n  2 0 1 ]\n");
}

/// As in Kaldi: counts of single integers are in single precision, those of pairs in double.
#[test]
fn counts_are_written_in_binary_unless_told_otherwise() {
    let scratch = Scratch::new();
    scratch.write("1", "a 0 1\n").write("2", "a 0 0\n");
    let options = "--write-tot-counts=t --write-diff-counts=d --write-confusion-matrix=m";
    scratch.sh(&format!("compare-int-vector {options} ark:1 ark:2")).succeeds();
    assert_eq!(scratch.read("t"), Sample::Vector(vec![1.0, 1.0]).binary());
    assert_eq!(scratch.read("d"), Sample::Vector(vec![0.5, 0.5]).binary());
    assert_eq!(scratch.read("m"), Sample::MatrixF64(vec![vec![1.0, 0.0], vec![1.0, 0.0]]).binary());
}

#[test]
fn integers_that_are_counted_may_not_be_negative() {
    let scratch = Scratch::new();
    scratch.write("1", "a 1 2\nb -1 2\n").write("2", "a -1 2\nb -1 3\n");
    scratch.sh("compare-int-vector ark:1 ark:2").succeeds().stdout_is("a 2 1\nb 2 1\n");
    let t = |option: &str, key: &str| {
        let ran = scratch.sh(&format!("compare-int-vector --write-{option}=o ark:1 ark:2"));
        ran.fails_with(255).stderr_has(&format!("{key}: Contents of vectors cannot be negative"));
    };
    t("tot-counts", "b");
    t("diff-counts", "a");
    t("confusion-matrix", "a");
    assert_eq!(scratch.list(), ["1", "2"]);
}

/// Kaldi dies where it asks for the memory.
#[test]
fn integers_that_are_too_large_to_be_counted_are_an_error() {
    let scratch = Scratch::new();
    scratch.write("1", "a 2147483647 50000\n");
    let t = |option: &str| {
        let ran = scratch.sh(&format!("compare-int-vector --write-{option}=o ark:1 ark:1"));
        ran.fails_with(255).stdout_is("a 2 0\n").stderr_has("the integers are too large to be counted");
    };
    t("tot-counts");
    t("confusion-matrix");
    assert_eq!(scratch.list(), ["1"]);
}

#[test]
fn a_broken_entry_is_named_after_the_lines_before_it() {
    let scratch = phones();
    let ran = scratch.sh("printf 'a 1\\nb x\\n' | compare-int-vector ark:- ark:2.txt");
    ran.fails_with(255).stdout_is("a 1 0\n").stderr_has("b: standard input:2: expected an integer");
    let ran = scratch.sh("printf 'a 1\\nb x\\n' | compare-int-vector ark:1.txt ark:-");
    ran.fails_with(255).stdout_is("a 1 0\n").stderr_has("b: standard input:2: expected an integer");
}

#[test]
fn keys_need_not_be_utf8() {
    let scratch = Scratch::new();
    scratch.write("1", b"\xe4\xf6 1 2\n");
    scratch.sh("compare-int-vector ark:1 ark:1").succeeds().stdout_is(b"\xe4\xf6 2 0\n");
}
