use crate::tools::lattices::ambiguous;

#[test]
fn arcs_across_each_frame_are_counted() {
    let ran =
        ambiguous().sh("lattice-depth-per-frame ark:lats ark,t:- ark,t:o && lattice-copy ark:lats ark,t:- | cmp - o");
    ran.succeeds().stdout_is("a 2 2 1 \nb 1 \n").stderr_has("Done 2 lattices.");
}
