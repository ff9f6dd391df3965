use crate::support::Scratch;

#[test]
fn logarithms_become_weights_but_for_small_ones() {
    let t = |option: &str, stdout: &str| {
        let scratch = Scratch::new();
        scratch.write("logprob.ark", "a [ 0 -1 -5\n -200 1 -1e30 ]\n");
        let ran = scratch.sh(&format!("logprob-to-post --random-prune=false {option} ark:logprob.ark ark,t:-"));
        ran.succeeds().stdout_is(stdout).stderr_has("Converted 1 log-prob matrices to posteriors.");
    };
    t("", "a [ 0 1 1 0.3678795 ] [ 1 2.718282 ] \n");
    t("--min-post=0.5", "a [ 0 1 ] [ 1 2.718282 ] \n");
    t("--min-post=0", "a [ 0 1 1 0.3678795 2 0.006737947 ] [ 0 0 1 2.718282 2 0 ] \n");
}

/// The choice is that of Kaldi.
#[test]
fn a_random_share_of_the_small_ones_stays_as_large_ones() {
    let ran = Scratch::new().sh("echo 'a [ -5.3 -5.3 -5.3 -5.3 -5.3 -5.3 -5.3 -5.3 ]' | logprob-to-post ark:- ark,t:-");
    ran.succeeds().stdout_is("a [ 1 0.01 5 0.01 6 0.01 ] \n");
}
