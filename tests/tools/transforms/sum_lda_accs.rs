use super::lda_stats as stats;

#[test]
fn statistics_are_summed() {
    let scratch = stats();
    let text = "<LDAACCS> <VECSIZE> 2 <NUMCLASSES> 2 <ZERO_ACCS>  [ 8 8 ]\n<FIRST_ACCS>  [\n  16 0 \n  -16 0 ]\n\
                <SECOND_ACCS> [\n8 \n0 32 ]\n</LDAACCS> ";
    scratch.sh("sum-lda-accs --binary=false - 1.acc 1.acc").succeeds().stdout_is(text);
    scratch.sh("sum-lda-accs o 1.acc 1.acc; cat o | sum-lda-accs --binary=false - -").succeeds().stdout_is(text);
    assert!(scratch.read("o").starts_with(b"\0B<LDAACCS> <VECSIZE> \x04\x02\0\0\0"));
}

#[test]
fn classes_without_vectors_stay_empty() {
    let scratch = stats();
    let text = String::from_utf8(scratch.read("1.acc")).unwrap();
    scratch.write("2.acc", text.replace("[ 4 4 ]", "[ 4 0 ]").replace("-8 0", "0 0"));
    let ran = scratch.sh("sum-lda-accs --binary=false - 2.acc | head -n 4");
    ran.succeeds()
        .stdout_is("<LDAACCS> <VECSIZE> 2 <NUMCLASSES> 2 <ZERO_ACCS>  [ 4 0 ]\n<FIRST_ACCS>  [\n  8 0 \n  0 0 ]\n");
}

#[test]
fn what_cannot_be_summed_leaves_no_output_behind() {
    let scratch = stats();
    scratch.write(
        "3.acc",
        "<LDAACCS> <VECSIZE> 1 <NUMCLASSES> 1 <ZERO_ACCS> [ 1 ]\n<FIRST_ACCS> [ 1 ]\n<SECOND_ACCS> [ 1 ]\n</LDAACCS> ",
    );
    let ran = scratch.sh("sum-lda-accs o 1.acc 3.acc");
    ran.fails_with(255).stderr_has(
        "cannot add 3.acc: dimension or classes count mismatch: expected statistics of 2 classes in 2 dimensions, got 1 in 1",
    );
    let ran = scratch.sh("echo hello | sum-lda-accs o -");
    ran.fails_with(255).stderr_has("expected token \"<LDAACCS>\", got \"hello\"");
    let ran = scratch.sh("sum-lda-accs - 1.acc | head -c 60 | sum-lda-accs o -");
    ran.fails_with(255).stderr_has("standard input:");
    scratch.sh("sum-lda-accs o 1.acc none.acc").fails_with(255).stderr_has("none.acc");
    assert_eq!(scratch.list(), ["1.acc", "3.acc"]);
}
