use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive};

#[test]
fn all_columns_become_weights() {
    let scratch = Scratch::new();
    scratch
        .write("feats.txt", "a [ 1 0\n nan -2 ]\nb [ ]\n")
        .sh("copy-feats ark:feats.txt ark,scp:f,feats.scp")
        .succeeds();
    let ran = scratch.sh("feat-to-post scp:feats.scp ark,t:-");
    ran.succeeds().stdout_is("a [ 0 1 1 0 ] [ 0 nan 1 -2 ] \nb \n").stderr_has("Converted 2 alignments.");
    let posterior = Sample::Posterior(vec![vec![(0, 0.5), (1, 2.0)]]);
    let ran = scratch.sh("echo 'a [ 0.5 2 ]' | feat-to-post ark:- ark:-");
    ran.succeeds().stdout_is(binary_archive(&[("a", posterior)]));
}
