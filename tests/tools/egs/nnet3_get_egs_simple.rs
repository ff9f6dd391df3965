use crate::support::Scratch;

#[test]
fn matrices_stay_as_they_are_under_their_names() {
    let scratch = Scratch::new();
    scratch.write("m", "a [ 1 2\n 3 4 ]\nb [ 5 6 ]\n").write("post", "a [ 1 0.5 ]\n");
    let labels = "output='ark:sed s/=/=/ post | post-to-smat --dim=3 ark:- ark:- |'";
    let ran = scratch.sh(&format!("nnet3-get-egs-simple input=ark:m {labels} ark,t:-")).succeeds();
    let ran = ran.stdout_is(
        "a <Nnet3Eg> <NumIo> 2 <NnetIo> input <I1V> 2 <I1> 0 0 0 <I1> 0 1 0  [\n  1 2 \n  3 4 ]\n</NnetIo> <NnetIo> output \
         <I1V> 1 <I1> 0 0 0 rows=1 dim=3 [ 1 0.5 ] \n</NnetIo> </Nnet3Eg> ",
    );
    ran.stderr_has("Could not find input for key b for io-name=output").stderr_has("1 utterances had errors");
}

#[test]
fn arguments_need_a_name_and_a_table() {
    for argument in ["ark:a", "=ark:a", "input=a", "'in put=ark:a'"] {
        let ran = Scratch::new().sh(&format!("nnet3-get-egs-simple {argument} ark:o")).fails_with(255);
        ran.stderr_has("expected a name, \"=\" and an rspecifier, got");
    }
}

#[test]
fn a_matrix_without_rows_is_an_error() {
    let scratch = Scratch::new();
    scratch.write("m", "a [ ]\n");
    let ran = scratch.sh("nnet3-get-egs-simple input=ark:m ark:o").fails_with(255);
    ran.stderr_has("a: the matrix of \"input\" has no rows");
}
