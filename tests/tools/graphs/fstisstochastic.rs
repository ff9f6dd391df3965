use crate::tools::graphs::golden;

#[test]
fn the_example_prints_two_sums() {
    let scratch = golden();
    scratch.sh("fstisstochastic s-one-final.fst").succeeds().stdout_is("0 0\n");
    scratch.sh("fstisstochastic < s-dead-state.fst").fails_with(1).stdout_is("inf 0\n");
}

#[test]
fn where_arcs_lead_does_not_matter() {
    let scratch = golden();
    let ran = scratch.sh("fstisstochastic f-next-state-out-of-range.fst; [ $? -lt 2 ]");
    ran.succeeds().stderr_lacks("ERROR");
}

#[test]
fn files_of_both_types_have_the_same_sums() {
    let scratch = golden();
    let vector = scratch.sh("fstisstochastic random.fst; true").succeeds();
    scratch.sh("fstisstochastic random-const.fst; true").succeeds().stdout_is(vector.stdout());
}

#[test]
fn an_fst_that_is_cut_or_of_another_type_is_an_error() {
    let scratch = golden();
    scratch.sh("fstisstochastic d-cut-in-arc.fst").fails_with(255).stderr_has("expected a graph of");
    let ran = scratch.sh("fstisstochastic d-log-arcs.fst");
    ran.fails_with(255).stderr_has("with arcs of type \"log\"");
    // A state claims more arcs than any machine holds.
    scratch
        .sh("head -c 70 random.fst > claims; printf '\\377\\377\\377\\377\\377\\377\\377\\177' >> claims")
        .succeeds();
    scratch.sh("ulimit -v 400000; fstisstochastic claims").fails_with(255).stderr_has("expected a number of arcs");
}
