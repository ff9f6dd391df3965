use super::mllt_stats as stats;

#[test]
fn each_direction_gets_the_scale_that_fits() {
    let scratch = stats();
    let ran = scratch.sh("est-mllt --binary=false - 1.macc");
    ran.succeeds()
        .stdout_is(" [\n  2 0 \n  0 0.5 ]\n")
        .stderr_has("MLLT objective improvement by iteration 0 is")
        .stderr_has("MLLT objective improvement by iteration 190 is")
        .stderr_lacks("iteration 11 ")
        .stderr_lacks("count 400")
        .stderr_has("over 400 frames, logdet is 0");
    scratch.sh("est-mllt 1.mat 1.macc; est-mllt 2.mat 1.macc 1.macc; cmp 1.mat 2.mat").succeeds();
}

#[test]
fn small_counts_are_warned_of() {
    let scratch = stats();
    let text = String::from_utf8(scratch.read("1.macc")).unwrap();
    scratch.write("small.macc", text.replace("400 2", "19 2")).write("few.macc", text.replace("400 2", "4 2"));
    scratch.sh("est-mllt o small.macc").succeeds().stderr_has("very small count 19");
    scratch.sh("est-mllt o few.macc").succeeds().stderr_has("insufficient count 4");
}

#[test]
fn what_cannot_be_estimated_leaves_no_output_behind() {
    let scratch = stats();
    let text = String::from_utf8(scratch.read("1.macc")).unwrap();
    scratch
        .write("singular.macc", text.replace("0 1600", "0 0"))
        .write("zero.macc", text.replace("400 2", "0 2"))
        .write("nan.macc", text.replace("0 1600", "nan 1600"))
        .write("none.macc", "<MlltAccs> 0 0 <G> </MlltAccs> ");
    let before = scratch.list();
    let ran = scratch.sh("est-mllt o singular.macc");
    ran.fails_with(255).stderr_has("cannot compute row 1 of the transform: expected a positive definite matrix");
    scratch.sh("est-mllt o zero.macc").fails_with(255).stderr_has("row 0");
    scratch.sh("est-mllt o nan.macc").fails_with(255).stderr_has("expected finite numbers");
    scratch.sh("est-mllt o none.macc").fails_with(255).stderr_has("there are no statistics");
    scratch.sh("est-mllt o 1.macc none.macc").fails_with(255).stderr_has("summing accs of different size");
    assert_eq!(scratch.list(), before);
}
