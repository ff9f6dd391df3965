use crate::tools::lattices::ambiguous;

#[test]
fn the_paths_of_an_utterance_become_a_lattice() {
    let scratch = ambiguous();
    let ran = scratch.sh(
        "lattice-to-nbest --n=3 ark:lats ark:- | nbest-to-lattice ark:- ark:- | lattice-to-nbest --n=9 ark:- ark:- | \
         lattice-best-path ark:- ark,t:-",
    );
    ran.succeeds()
        .stdout_is("a-1 6 7 \na-2 5 7 \nb-1 8 \n")
        .stderr_has("2 utterances, with on average 1.5 N-best paths");
    scratch.sh("nbest-to-lattice ark:lats ark:o").fails_with(255).stderr_has("a: expected a key such as utt1-1");
}
