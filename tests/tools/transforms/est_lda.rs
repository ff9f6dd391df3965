use super::lda_stats as stats;

#[test]
fn the_direction_in_which_classes_differ_is_kept() {
    let scratch = stats();
    let ran = scratch.sh("est-lda --dim=1 --binary=false - 1.acc | tr -d -");
    ran.succeeds()
        .stdout_is(" [\n  1.414214 0 ]\n")
        .stderr_has("Data count is 8")
        .stderr_has("LDA singular values are  [ 8 0 ]")
        .stderr_has("Sum of all singular values is 8")
        .stderr_has("Sum of selected singular values is 8");
    scratch.sh("est-lda --dim=1 2.mat 1.acc 1.acc; est-lda --dim=1 1.mat 1.acc; cmp 1.mat 2.mat").succeeds();
}

#[test]
fn all_directions_are_written_where_wanted() {
    let scratch = stats();
    let ran = scratch.sh("est-lda --dim=1 --binary=false --write-full-matrix=full o 1.acc; tr -d - < full");
    ran.succeeds().stdout_is(" [\n  1.414214 0 \n  0 0.7071068 ]\n");
    scratch.sh("est-lda --dim=2 --allow-large-dim --binary=false o 1.acc; cmp o full").succeeds();
}

#[test]
fn the_mean_can_be_removed() {
    let scratch = stats();
    // Both classes moved by (3, 1).
    scratch.write("2.acc", String::from_utf8(scratch.read("1.acc")).unwrap().replace("  8 0\n  -8 0", "  20 4\n  4 4"));
    let ran = scratch.sh("est-lda --dim=1 --remove-offset=true --binary=false - 2.acc | tr -d -");
    ran.succeeds().stdout_is(" [\n  1.414214 0 4.24264 ]\n");
}

#[test]
fn a_smaller_variance_within_classes_makes_weak_directions_small() {
    let ran =
        stats().sh("est-lda --dim=2 --allow-large-dim --within-class-factor=0.01 --binary=false - 1.acc | tr -d -");
    ran.succeeds().stdout_is(" [\n  1.334166 0 \n  0 0.07071067 ]\n");
}

#[test]
fn a_singular_covariance_is_smoothed() {
    let scratch = stats();
    scratch.write("2.acc", String::from_utf8(scratch.read("1.acc")).unwrap().replace("0 16", "0 -1e-9"));
    let ran = scratch.sh("est-lda --dim=1 --binary=false - 2.acc | tr -d -");
    ran.succeeds().stderr_has("is not positive definite; added 0.00025 to its diagonal");
}

#[test]
fn what_cannot_be_estimated_leaves_no_output_behind() {
    let scratch = stats();
    let none = String::from_utf8(scratch.read("1.acc")).unwrap().replace("[ 4 4 ]", "[ 0 0 ]");
    let nan = String::from_utf8(scratch.read("1.acc")).unwrap().replace("0 16", "nan 16");
    let flat = String::from_utf8(scratch.read("1.acc")).unwrap().replace("0 16", "0 0").replace("\n4", "\n0");
    scratch.write("none.acc", none).write("nan.acc", nan).write("flat.acc", flat);
    let before = scratch.list();
    let ran = scratch.sh("est-lda o 1.acc");
    ran.fails_with(255)
        .stderr_has("expected a dimension from 1 to 1 (fewer than classes, without --allow-large-dim), got 40");
    let ran = scratch.sh("est-lda --dim=3 --allow-large-dim=true o 1.acc");
    ran.fails_with(255).stderr_has("expected a dimension from 1 to 2 (as many as the features have), got 3");
    scratch.sh("est-lda --dim=0 o 1.acc").fails_with(255).stderr_has("got 0");
    scratch.sh("est-lda --dim=1 o none.acc").fails_with(255).stderr_has("there are no statistics");
    scratch.sh("est-lda --dim=1 o nan.acc").fails_with(255).stderr_has("expected finite numbers in a matrix");
    scratch.sh("est-lda --dim=1 o flat.acc").fails_with(255).stderr_has("expected a positive definite matrix");
    scratch.sh("est-lda --dim=1 o 1.acc x.acc").fails_with(255).stderr_has("x.acc");
    assert_eq!(scratch.list(), before);
}
