use crate::tools::lattices::ambiguous;

#[test]
fn paths_are_reversed() {
    let ran = ambiguous().sh("lattice-reverse ark:lats ark:- | lattice-best-path ark:- ark,t:- ark,t:ali && cat ali");
    ran.succeeds().stdout_is("a 7 6 \nb 8 \na 5 4 4 \nb 6 \n");
}
