use super::scratch;

#[test]
fn phones_are_below_their_transition_ids() {
    let lines = "a  [ 1 2 4 5 6 ] [ 7 8 ] \na  AA            SIL     \n\nb  [ 8 7 7 ] [ 2 4 6 5 ] \nb  SIL       AA          \n\n";
    scratch().sh("show-alignments phones mdl ark:ali").succeeds().stdout_is(lines);
}

#[test]
fn a_phone_without_a_name_has_an_empty_one() {
    let scratch = scratch();
    scratch.write("few", "a-long-name 1\n");
    let lines = "a  [ 8 ] [ 2 4 6 ]   \na        a-long-name \n\n";
    scratch.sh("echo a 8 2 4 6 | show-alignments few mdl ark:-").succeeds().stdout_is(lines);
    scratch
        .sh("show-alignments /dev/null mdl ark:ali")
        .fails_with(255)
        .stderr_has("expected symbols of phones, got none");
}
