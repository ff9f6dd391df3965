use crate::support::Scratch;

#[test]
fn words_risks_bins_and_times_are_written() {
    let scratch = Scratch::new();
    scratch.write("lats", "u \n0 1 5 1,2,3_3\n1 2 6 0,0,4\n2\n\n");
    let ran =
        scratch.sh("lattice-mbr-decode ark:lats ark,t:- ark,t:risk ark,t:bins ark,t:times && cat risk bins times");
    let ran = ran
        .succeeds()
        .stdout_is("u 5 6 \nu 0 \nu [ 0 1 ] [ 5 1 ] [ 0 1 ] [ 6 1 ] [ 0 1 ] \nu 0 0 ; 0 2 ; 2 2 ; 2 3 ; 3 3 \n");
    ran.stderr_has("Average Bayes Risk per sentence is 0 and per word, 0");
    let ran = scratch.sh("lattice-mbr-decode --one-best-times=true ark:lats '' '' '' ark,t:-");
    ran.succeeds().stdout_is("u 0 2 ; 2 3 \n");
    // Recipes give a symbol table; unlike lattice-best-path, nothing is looked up in it.
    scratch.write("words", "<eps> 0\n");
    scratch.sh("lattice-mbr-decode --word-symbol-table=words ark:lats ark,t:-").succeeds().stdout_is("u 5 6 \n");
    scratch.sh("lattice-mbr-decode --word-symbol-table=nothing ark:lats ark,t:-").fails_with(255).stderr_has("nothing");
}

#[test]
fn what_has_no_risk_is_an_error() {
    let fails = |lattice: &str, message: &str| {
        let scratch = Scratch::new();
        scratch.write("lats", format!("u \n{lattice}\n"));
        scratch.sh("lattice-mbr-decode ark:lats ark:/dev/null").fails_with(255).stderr_has(&format!("u: {message}"));
    };
    fails("", "the lattice has no path from the start to a final state");
    fails("0 1 5\n1 0 6\n1\n", "the lattice has a cycle");
    fails("0 1 5 0,0,1\n0 1 6 0,0,1_1\n1\n", "state 1 is reached after 1 frames and after 2 frames");
}
