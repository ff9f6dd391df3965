use super::build_tree::scratch;

#[test]
fn leaves_of_the_large_tree_belong_to_those_of_the_small_one() {
    let scratch = scratch();
    let options = "--binary=false --max-leaves-first=3 --max-leaves-second=6";
    let ran =
        scratch.sh(&format!("build-tree-two-level {options} stats roots qst topo o m; cat m; tree-info o | head -n 1"));
    ran.succeeds()
        .stdout_is("[ 0 1 1 1 1 2 ]\nnum-pdfs 6\n")
        .stderr_has("Building second-level tree: increased #leaves from 3 to 6, smallest split was ")
        .stderr_has("Wrote tree and mapping");
    let ran = scratch.sh(&format!(
        "build-tree-two-level {options} --cluster-leaves=false stats roots qst topo o m; cat m | copy-int-vector ark:/dev/null \
         ark:/dev/null; build-tree-two-level --max-leaves-first=3 --max-leaves-second=6 stats roots qst topo o m; head -c 3 m \
         | od -An -c | tr -d ' \\n'"
    ));
    ran.succeeds().stdout_is("\\0B004");
}

#[test]
pub fn wrong_roots_leave_nothing_behind() {
    let scratch = scratch();
    let ran = scratch.sh("echo shared splat 1 | build-tree-two-level stats - qst topo o m");
    ran.fails_with(255).stderr_has("line 1: expected split or not-split, got \"splat\"");
    let ran = scratch.sh("build-tree-two-level --max-leaves-first=0 stats roots qst topo o m");
    ran.fails_with(255).stderr_has("expected a threshold over 0 or a number of leaves, got 0");
    assert!(!scratch.list().iter().any(|name| name == "o" || name == "m"));
}
