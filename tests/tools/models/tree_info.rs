use crate::support::Scratch;

#[test]
fn sizes_are_shown() {
    let scratch = Scratch::new();
    scratch.write("tree", "ContextDependency 3 1 ToPdf TE 0 3 ( CE 100 NULL CE 7 ) EndContextDependency ");
    scratch.sh("tree-info tree").succeeds().stdout_is("num-pdfs 101\ncontext-width 3\ncentral-position 1\n");
    scratch
        .sh("copy-tree tree - | tree-info -")
        .succeeds()
        .stdout_is("num-pdfs 101\ncontext-width 3\ncentral-position 1\n");
}

#[test]
fn sizes_in_damaged_trees_cost_nothing() {
    let scratch = Scratch::new();
    scratch.write("tree", "ContextDependency 3 1 ToPdf TE 0 4000000000 ( CE 1 ");
    let ran = scratch.sh("(ulimit -v 300000; tree-info tree)");
    ran.fails_with(255).stderr_has("tree:").stderr_has("expected a token and a space, got the end of the input");
}

#[test]
fn trees_may_be_nested_deeply() {
    let scratch = Scratch::new();
    let depth = 100_000;
    let map = "SE 0 [ 1 ]\n{ ".repeat(depth) + "CE 0 " + &"CE 1 } ".repeat(depth);
    scratch.write("tree", format!("ContextDependency 1 0 ToPdf {map}EndContextDependency "));
    scratch.sh("tree-info tree | head -n 1").succeeds().stdout_is("num-pdfs 2\n");
    scratch
        .sh("copy-tree tree - | copy-tree --binary=false - - | tree-info - | head -n 1")
        .succeeds()
        .stdout_is("num-pdfs 2\n");
}
