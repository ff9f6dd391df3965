//! Tools of any type on tables of examples.

use super::small;
use crate::support::Scratch;

#[test]
fn examples_are_found_and_shown() {
    let scratch = Scratch::new();
    small(&scratch);
    let ran = scratch.sh("table-info small.egs").succeeds();
    ran.stdout_has("type         nnet3-example").stdout_has("entries      5").stdout_has("rows         6");
    scratch.sh("table-keys small.egs").succeeds().stdout_is("a-0\na-4\na-8\nb-0\nb-4\n").stderr_lacks("WARNING");
    let ran = scratch.sh("table-head --n=2 small.egs").succeeds().stdout_has("</Nnet3Eg> \na-4 <Nnet3Eg> <NumIo> 2 ");
    ran.stdout_has("rows=4 dim=7 [ 4 1 ]");
    let ran = scratch.sh("table-head --n=1 --json small.egs").succeeds();
    ran.stdout_has("\"indexes\":[[0,-1,0],[0,0,0],")
        .stdout_has("\"dim\":7,")
        .stdout_has("\"sparse\":[[0,1],[1,1],[2,1],[3,1]]");
    scratch.sh("nnet3-copy-egs ark:small.egs ark,t:text; table-info text").succeeds().stdout_has("entries      5");
}

#[test]
fn examples_are_sorted_chosen_and_split() {
    let scratch = Scratch::new();
    small(&scratch);
    let script = "table-sort --reverse ark:small.egs ark,scp:r.ark,r.scp && table-sort scp:r.scp ark:s.ark && cmp s.ark small.egs
        table-get --to=ark:one.ark small.egs a-4 b-0 && nnet3-copy-egs ark:one.ark ark:- | cmp - one.ark
        table-split --parts=2 ark:small.egs ark:part.%d && cat part.1 part.2 | cmp - small.egs
        table-check small.egs";
    scratch.sh(script).succeeds();
}

#[test]
fn damage_is_found_and_differences_are_named() {
    let scratch = Scratch::new();
    small(&scratch);
    scratch.sh("sed 's/<NnetIo> output/<NnetIo> outpux/' small.egs > other; table-diff small.egs small.egs").succeeds();
    scratch.sh("table-diff small.egs other").fails_with(1).stdout_has("a-0").stdout_has("outpux");
    scratch.sh("sed 's/<I1V>/<I1W>/' small.egs > bad; table-check bad").fails_with(1).stdout_has("I1W");
    scratch.sh("table-stats small.egs").fails_with(255).stderr_has("nnet3-example");
}
