use crate::support::Scratch;
use crate::tools::lattices::ambiguous;

#[test]
fn the_best_path_is_written_with_its_own_costs() {
    let scratch = ambiguous();
    let ran = scratch.sh("lattice-1best --acoustic-scale=0.125 --word-ins-penalty=1 ark:lats ark,t:- | head -n 5");
    ran.succeeds().stdout_is("a \n0\t1\t5\t1,2,3_3\n1\t2\t7\t0,0,5\n2\t0.5,0,\n\n");
    let ran = scratch.sh("lattice-1best --lm-scale=0 ark:lats ark:o");
    ran.fails_with(255).stderr_has("expected scales that are not 0, since they are taken back");
}

#[test]
fn a_lattice_without_a_path_is_skipped() {
    let scratch = Scratch::new();
    scratch.write("none", "n \n0 1 5 Infinity,1,3\n1\n\n");
    let ran = scratch.sh("lattice-1best ark:none ark,t:-").fails_with(1).stdout_is("");
    ran.stderr_has("Possibly empty lattice for utterance-id n")
        .stderr_has("Done converting 0 to best path, 1 had errors.");
}
