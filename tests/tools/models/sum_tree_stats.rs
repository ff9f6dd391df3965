use crate::support::Scratch;

const ONE: &str = "BTS 2 EV 1 0 2 \nT GCL 1 0.5  [\n  4 \n  16 ]\nEV 1 0 1 \nT GCL 2 0.5  [\n  1.5 \n  1.25 ]\n\n";

#[test]
fn statistics_are_summed_and_sorted() {
    let scratch = Scratch::new();
    scratch.write("1", ONE);
    let ran = scratch.sh("sum-tree-stats --binary=false - 1 1");
    ran.succeeds()
        .stdout_is("BTS 2 EV 1 0 1 \nT GCL 4 0.5  [\n  3 \n  2.5 ]\nEV 1 0 2 \nT GCL 2 0.5  [\n  8 \n  32 ]\n\n")
        .stderr_has("Wrote summed accs ( 2 individual stats)");
    scratch.sh("sum-tree-stats o 1; sum-tree-stats - o | cmp - o").succeeds();
}

#[test]
fn a_sum_of_nothing_is_written_and_fails() {
    let ran = Scratch::new().sh("echo 'BTS 0 ' | sum-tree-stats --binary=false - -");
    ran.fails_with(1).stdout_is("BTS 0 \n");
}

#[test]
fn what_cannot_be_summed_leaves_no_output_behind() {
    let scratch = Scratch::new();
    scratch.write("1", ONE).write("2", ONE.replace("  4 \n  16 ]", "  4 4 \n  16 16 ]"));
    let ran = scratch.sh("sum-tree-stats o 1 2");
    ran.fails_with(255).stderr_has("cannot add 2: event 0:2: expected statistics of dimension 1, got dimension 2");
    scratch.sh("head -c 40 1 | sum-tree-stats o -").fails_with(255).stderr_has("standard input:");
    scratch.sh("sum-tree-stats o 1 none").fails_with(255).stderr_has("none");
    assert_eq!(scratch.list(), ["1", "2"]);
}
