use crate::tools::lattices::ambiguous;

#[test]
fn of_paths_with_the_same_words_the_best_one_stays() {
    let scratch = ambiguous();
    scratch.write("2", "a \n0 1 5 0.5,0,9\n1 2 7 0,0,9\n2\n\n");
    let ran = scratch.sh("lattice-union ark:lats ark:2 ark:- | lattice-to-nbest --n=9 ark:- ark:- | nbest-to-linear ark:- ark,t:- ark,t:t && cat t");
    let ran = ran.succeeds().stdout_is("a-1 9 9 \na-2 4 4 5 \nb-1 6 \na-1 5 7 \na-2 6 7 \nb-1 8 \n");
    ran.stderr_has("No lattice found for utterance b in ark:2").stderr_has("Computed union for 1 pairs");
}
