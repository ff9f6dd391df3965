use super::mllt_stats as stats;

#[test]
fn statistics_are_summed() {
    let scratch = stats();
    let text = "<MlltAccs> \n800 2 <G> \n[\n200 \n0 100 ]\n[\n14 \n0 3200 ]\n</MlltAccs> \n";
    scratch.sh("sum-mllt-accs --binary=false - 1.macc 1.macc").succeeds().stdout_is(text);
    scratch.sh("sum-mllt-accs o 1.macc 1.macc; cat o | sum-mllt-accs --binary=false - -").succeeds().stdout_is(text);
    assert!(scratch.read("o").starts_with(b"\0B<MlltAccs> \x08\0\0\0\0\0\0\x89\x40\x04\x02\0\0\0<G> DP "));
}

#[test]
fn what_cannot_be_summed_leaves_no_output_behind() {
    let scratch = stats();
    scratch.write("3.macc", "<MlltAccs> 1 1 <G> [ 1 ]\n</MlltAccs> ");
    let ran = scratch.sh("sum-mllt-accs o 1.macc 3.macc");
    ran.fails_with(255)
        .stderr_has("cannot add 3.macc: summing accs of different size: expected statistics in 2 dimensions, got 1");
    let ran = scratch.sh("echo hello | sum-mllt-accs o -");
    ran.fails_with(255).stderr_has("expected token \"<MlltAccs>\", got \"hello\"");
    let ran = scratch.sh("sum-mllt-accs - 1.macc | head -c 60 | sum-mllt-accs o -");
    ran.fails_with(255).stderr_has("standard input:");
    assert_eq!(scratch.list(), ["1.macc", "3.macc"]);
}
