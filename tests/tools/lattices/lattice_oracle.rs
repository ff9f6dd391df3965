use crate::tools::lattices::ambiguous;

#[test]
fn the_nearest_path_is_found() {
    let scratch = ambiguous();
    scratch.write("ref", "a 5 9\nb 8\n");
    let ran =
        scratch.sh("lattice-oracle --write-lattices=ark,t:o ark:lats ark:ref ark,t:- ark,t:e && cat e o").succeeds();
    let ran = ran.stdout_is(
        "a 5 7 \nb 8 \na 1 \nb 0 \na \n0\t1\t5\t1,2,3_3\n1\t2\t7\t0,0,5\n2\t0.5,0,\n\nb \n0\t1\t8\t1,1,6\n1\n\n",
    );
    let ran = ran.stderr_has("Overall %WER 33.3333 [ 1 / 3, 0 insertions, 0 deletions, 1 substitutions ]");
    ran.stderr_has("Lattice a read.").stderr_has("Scored 2 lattices, 0 not present in ref.");
}

#[test]
fn wildcards_count_as_nothing() {
    let scratch = ambiguous();
    scratch.write("ref", "a 5 9\n").write("words", "<eps> 0\nx 5\ny 7\nz 9\n");
    let ran = scratch.sh("lattice-oracle --wildcard-symbols=7:9 ark:lats ark:ref ark,t:- ark,t:e && cat e");
    ran.succeeds().stdout_is("a 5 \na 0 \n").stderr_has("No reference present for utterance b");
    let ran =
        scratch.sh("lattice-oracle --word-symbol-table=words --wildcard-symbols=7:9 ark:lats ark:ref ark:/dev/null");
    ran.succeeds().stderr_has("a (oracle) x \n");
    let ran =
        scratch.sh("lattice-oracle --word-symbol-table=words --wildcard-symbols-list=words ark:lats ark:ref ark:o");
    ran.fails_with(255).stderr_has("--wildcard-symbols-list is deprecated");
    let ran = scratch.sh("lattice-oracle --wildcard-symbols=3:x ark:lats ark:ref ark:o");
    ran.fails_with(255).stderr_has("expected --wildcard-symbols to be 3:4:5 or so");
}

#[test]
fn the_exit_code_is_0_whatever_was_found() {
    let ran = ambiguous().sh("lattice-oracle ark:lats ark:/dev/null ark,t:-");
    ran.succeeds().stdout_is("").stderr_has("Scored 0 lattices, 2 not present in ref.");
}

#[test]
fn a_lattice_without_a_path_is_counted_as_scored_and_as_failed() {
    let scratch = ambiguous();
    scratch.write("endless", "a \n0 1 5\n1 Infinity,Infinity,\n\n").write("ref", "a 5\n");
    let ran = scratch.sh("lattice-oracle ark:endless ark:ref ark,t:-").succeeds().stdout_is("");
    ran.stderr_has("Best-path failed for key a").stderr_has("Scored 1 lattices, 1 not present in ref.");
}
