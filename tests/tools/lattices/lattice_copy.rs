use crate::support::Scratch;
use crate::tools::lattices::{ambiguous, golden};

#[test]
fn lattices_are_converted_between_forms_and_types() {
    let scratch = ambiguous();
    let text = "b \n0\t1\t8\t1,1,6\n1\n\n";
    scratch.sh("lattice-copy --include=keys ark:lats ark:- | lattice-copy ark:- ark,t:-").succeeds().stdout_is(text);
    let plain = "b \n0\t1\t6\t8\t1,1\n1\n\n";
    let ran = scratch.sh("lattice-copy --write-compact=false --include=keys ark:lats ark,t:-");
    ran.succeeds().stdout_is(plain).stderr_has("Wrote 1 out of 2 utterances.");
}

#[test]
pub fn listed_lattices_are_left_out_in_both_forms() {
    for form in ["", "--write-compact=false"] {
        let ran = ambiguous().sh(&format!("lattice-copy {form} --exclude=keys ark:lats ark,t:- | grep '^[a-z]'"));
        ran.succeeds().stdout_is("a \n");
    }
}

#[test]
fn nothing_copied_is_a_failure_unless_it_is_ignored() {
    let scratch = ambiguous();
    scratch.write("nobody", "nobody\n").write("blank", "a\n\n");
    scratch.sh("lattice-copy --include=nobody ark:lats ark,t:-").fails_with(1).stdout_is("");
    scratch.sh("lattice-copy --ignore-missing --include=nobody ark:lats ark,t:-").succeeds().stdout_is("");
    scratch
        .sh("lattice-copy --include=blank ark:lats ark,t:-")
        .fails_with(255)
        .stderr_has("blank:2: expected an utterance");
    scratch.sh("lattice-copy --include=keys --exclude=keys ark:lats ark:o").fails_with(255).stderr_has("cannot both");
}

#[test]
fn reading_stops_after_the_last_wanted_key_of_a_sorted_table() {
    let scratch = ambiguous();
    scratch.write("first", "a\n");
    // From a file: a command would be told that nobody reads any more, or not.
    let ran = scratch.sh("(cat lats; echo 'c junk') > all; lattice-copy --include=first s,ark:- ark:/dev/null < all");
    ran.succeeds().stderr_has("Not reading further.").stderr_has("Wrote 1 out of 1 utterances.");
    // Kaldi takes that for a success, also if there was nothing to copy.
    scratch.write("first", "0\n");
    scratch.sh("lattice-copy --include=first s,ark:lats ark,t:-").succeeds().stdout_is("");
}

#[test]
pub fn a_cost_that_is_no_number_is_an_error_with_its_place() {
    let ran = Scratch::new().sh("printf 'u \\n0 1 5 a,2,3\\n1\\n\\n' | lattice-copy ark:- ark,t:-");
    ran.fails_with(255).stderr_has("u: standard input:2: expected a cost, got \"a,2,3\"");
}

#[test]
pub fn a_state_that_does_not_exist_is_an_error() {
    let scratch = golden();
    let ran = scratch.sh("lattice-copy ark:odd-next-state ark,t:-");
    ran.fails_with(255).stdout_is("").stderr_has("expected a state below");
    let ran = scratch.sh("printf 'u \\n0 -1 5 1,2,3\\n1\\n\\n' | lattice-copy ark:- ark,t:-");
    ran.fails_with(255).stderr_has("expected a state, got \"-1\"");
}

#[test]
pub fn an_archive_cut_inside_a_key_is_an_error() {
    for archive in ["printf u", "(cat lats; printf u)"] {
        ambiguous().sh(&format!("{archive} | lattice-copy ark:- ark:/dev/null")).fails_with(255);
    }
}

#[test]
fn a_binary_copy_has_the_same_bytes() {
    golden().sh("lattice-copy ark:real.ark ark:o && cmp o real.ark").succeeds();
}

#[test]
fn text_of_two_labels_is_read_again() {
    let scratch = Scratch::new();
    let text = "u \n0\t1\t8\t9\t7,-5,3_3\n1\t2\t8\t0\t0,0,\n2\n\n";
    scratch.write("text", text);
    scratch.sh("lattice-copy ark:text ark:binary && lattice-copy ark:binary ark,t:-").succeeds().stdout_is(text);
    scratch.sh("lattice-copy ark:text ark,t:- | lattice-copy ark:- ark,t:-").succeeds().stdout_is(text);
    // Detected, too.
    scratch.sh("table-info ark:text").succeeds().stdout_has("compact-lattice");
    scratch.sh("table-diff ark:binary ark:text").succeeds();
}
