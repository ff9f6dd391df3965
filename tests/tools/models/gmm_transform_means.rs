use super::scratch;

#[test]
fn means_are_transformed() {
    let scratch = scratch();
    scratch.write("linear", " [ -2 ]\n").write("affine", "[ 2 0.5 ]\n");
    let means = |transform: &str| {
        let script =
            format!("gmm-transform-means --binary=false {transform} mdl - | grep -A 1 MEANS | grep ']' | xargs");
        scratch.sh(&script)
    };
    means("linear").succeeds().stdout_is("0 ] -2 ] -4 ] -6 ]\n");
    means("affine").succeeds().stdout_is("0.5 ] 2.5 ] 4.5 ] 6.5 ]\n");
}

#[test]
fn a_transform_of_other_sizes_is_an_error() {
    let scratch = scratch();
    scratch.write("wide", "[ 1 2 3 ]\n");
    let ran = scratch.sh("gmm-transform-means wide mdl o");
    ran.fails_with(255).stderr_has("expected a transform of 1 rows and 1 or 2 columns, got 1 by 3");
}
