use crate::support::Scratch;

const TREE: &str = "ContextDependency 1 0 ToPdf TE 0 2 ( NULL TE -1 2 ( CE 0 CE 1 ) \n) \nEndContextDependency ";

#[test]
fn trees_are_copied_in_both_forms() {
    let scratch = Scratch::new();
    scratch.write("tree", TREE);
    let ran = scratch.sh("copy-tree tree o; copy-tree --binary=false o -");
    ran.succeeds().stdout_is(TREE).stderr_has("Copied tree");
    assert!(scratch.read("o").starts_with(b"\0BContextDependency \x04\x01\0\0\0\x04\0\0\0\0ToPdf TE "));
}

#[test]
fn damaged_trees_are_refused() {
    let scratch = Scratch::new();
    scratch.write("tree", TREE.replace("CE 1", "XE 1"));
    let ran = scratch.sh("copy-tree tree o");
    ran.fails_with(255).stderr_has("tree:1: expected a map (CE, TE, SE or NULL), got \"XE\"");
    scratch.write("null", "ContextDependency 1 0 ToPdf NULL EndContextDependency ");
    scratch.sh("copy-tree null o").fails_with(255).stderr_has("null:1: expected a map to pdfs, got NULL");
    assert_eq!(scratch.list(), ["null", "tree"]);
}
