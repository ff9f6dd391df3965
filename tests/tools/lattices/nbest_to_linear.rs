use crate::tools::lattices::ambiguous;

#[test]
fn a_path_is_taken_apart() {
    let scratch = ambiguous();
    let ran = scratch.sh("nbest-to-linear ark:lats ark,t:- ark,t:tra ark,t:lm ark,t:ac && cat tra lm ac").succeeds();
    ran.stdout_is("b 6 \nb 8 \nb 1 \nb 1 \n").stderr_has("Lattice/nbest for key a had wrong format");
    scratch.sh("nbest-to-linear ark:lats '' '' ark,t:-").succeeds().stdout_is("b 1 \n");
    scratch.sh("nbest-to-linear ark:/dev/null ark,t:-").fails_with(1).stdout_is("");
}
