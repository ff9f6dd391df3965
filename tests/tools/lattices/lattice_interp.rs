use crate::tools::lattices::ambiguous;

#[test]
fn costs_of_common_words_are_interpolated() {
    let scratch = ambiguous();
    scratch.write("2", "a \n0 1 6 4,0,9\n1 2 7 0,0,9_9\n2\n\n");
    let ran = scratch.sh("lattice-interp --alpha=0.25 ark:lats ark:2 ark:- | nbest-to-linear ark:- ark,t:- ark,t:t ark,t:lm ark,t:ac; cat t lm ac");
    let ran = ran.succeeds().stdout_is("a 4 4 5 \na 6 7 \na 3.625 \na 0.125 \n");
    ran.stderr_has("No lattice found for utterance b in ark:2. Not producing output");
    scratch.write("3", "a \n0 1 9\n1\n\n");
    scratch.sh("lattice-interp ark:lats ark:3 ark:o").fails_with(1).stderr_has("composed result is empty.");
}
