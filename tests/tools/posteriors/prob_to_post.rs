use crate::support::Scratch;

#[test]
fn probabilities_become_weights_but_for_small_ones() {
    let t = |option: &str, stdout: &str| {
        let scratch = Scratch::new();
        scratch.write("prob.ark", "a [ 0.25 0 0.75\n 0.009 0.01 0.5 ]\nb [ ]\n");
        let ran = scratch.sh(&format!("prob-to-post --random-prune=false {option} ark:prob.ark ark,t:-"));
        ran.succeeds().stdout_is(stdout).stderr_has("Converted 2 log-prob matrices to posteriors.");
    };
    t("", "a [ 0 0.25 2 0.75 ] [ 1 0.01 2 0.5 ] \nb \n");
    t("--min-post=0.25", "a [ 0 0.25 2 0.75 ] [ 2 0.5 ] \nb \n");
    t("--min-post=0", "a [ 0 0.25 1 0 2 0.75 ] [ 0 0.009 1 0.01 2 0.5 ] \nb \n");
}

#[test]
fn what_is_not_a_number_goes() {
    let ran = Scratch::new().sh("echo 'a [ 1 nan -0.5 ]' | prob-to-post ark:- ark,t:-");
    ran.succeeds().stdout_is("a [ 0 1 ] \n");
}

/// The choice is that of Kaldi.
#[test]
fn a_random_share_of_the_small_ones_stays_as_large_ones() {
    let ran =
        Scratch::new().sh("echo 'a [ 0.005 0.005 0.005 0.005 0.005 0.005 0.005 0.005 ]' | prob-to-post ark:- ark,t:-");
    ran.succeeds().stdout_is("a [ 1 0.01 5 0.01 6 0.01 ] \n");
}

#[test]
fn the_choice_is_the_same_for_any_number_of_threads() {
    let scratch = Scratch::new();
    let row = "0.002 ".repeat(400);
    let table: String = (0..500).map(|number| format!("u{number} [ {row}]\n")).collect();
    scratch.write("prob", table);
    let ran = scratch.sh("for n in 1 4; do prob-to-post --num-threads=$n ark:prob ark:$n; done; cmp 1 4");
    ran.succeeds().stdout_is("");
}
