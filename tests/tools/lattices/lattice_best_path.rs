use crate::tools::lattices::ambiguous;

#[test]
fn words_and_alignments_of_the_best_path_are_written() {
    let scratch = ambiguous();
    let ran = scratch.sh("lattice-best-path ark:lats ark,t:- ark,t:ali && cat ali");
    let ran = ran.succeeds().stdout_is("a 6 7 \nb 8 \na 4 4 5 \nb 6 \n");
    let ran = ran.stderr_has("For utterance a, best cost 2.5 + 0.5 = 3 over 3 frames.");
    ran.stderr_has("Overall cost per frame is 1.25 = 0.875 [graph] + 0.375 [acoustic] over 4 frames.");
    scratch.sh("lattice-best-path --acoustic-scale=0.1 ark:lats '' ark,t:-").succeeds().stdout_is("a 3 3 5 \nb 6 \n");
    scratch.sh("lattice-best-path ark:lats").succeeds().stdout_is("");
}

#[test]
fn words_are_printed_if_there_is_a_symbol_table() {
    let scratch = ambiguous();
    scratch.write("words", "<eps> 0\nyes 6\nno 7\n");
    let ran = scratch.sh("lattice-best-path --word-symbol-table=words ark:lats ark:/dev/null");
    ran.fails_with(255).stderr_has("a yes no \n").stderr_has("b: 8 is not in the symbol table");
}

#[test]
fn a_lattice_without_a_path_is_skipped_and_counted() {
    let scratch = ambiguous();
    scratch.write("none", "n \n0 1 5 Infinity,1,3\n1\n\n").write("cyclic", "c \n0 1 5\n1 0 6\n1\n\n");
    let ran = scratch.sh("cat none lats | lattice-best-path ark:- ark,t:-");
    let ran = ran.succeeds().stdout_is("a 6 7 \nb 8 \n").stderr_has("Best-path failed for key n");
    ran.stderr_has("Done 2 lattices, failed for 1");
    scratch.sh("lattice-best-path ark:none ark,t:-").fails_with(1).stdout_is("");
    scratch.sh("lattice-best-path ark:cyclic ark,t:-").fails_with(255).stderr_has("c: the lattice has a cycle");
}
