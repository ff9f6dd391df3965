use super::scratch;

#[test]
fn transitions_are_shown_in_words() {
    let scratch = scratch();
    let ran = scratch.sh("show-transitions phones mdl | tail -n 6");
    let last = "Transition-state 3: phone = AA hmm-state = 2 pdf = 2\n Transition-id = 5 p = 0.778801 [self-loop]\n \
                Transition-id = 6 p = 0.22313 [2 -> 3]\nTransition-state 4: phone = SIL hmm-state = 0 pdf = 3\n \
                Transition-id = 7 p = 0.472367 [self-loop]\n Transition-id = 8 p = 0.606531 [0 -> 1]\n";
    ran.succeeds().stdout_is(last);
    scratch.write("occs", " [ 10 20 30.5 4 ]\n");
    let counted = " Transition-id = 5 p = 0.778801 count of pdf = 30.5 [self-loop]\n";
    scratch.sh("show-transitions phones mdl occs | grep ' = 5 '").succeeds().stdout_is(counted);
}

#[test]
fn phones_have_names_and_pdfs_have_counts() {
    let scratch = scratch();
    scratch.write("few", "AA 1\n").write("occs", " [ 1 2 ]\n");
    scratch.sh("show-transitions few mdl").fails_with(255).stderr_has("phone 2 has no symbol");
    scratch.sh("show-transitions phones mdl occs").fails_with(255).stderr_has("occs: expected counts of 4 pdfs, got 2");
}
