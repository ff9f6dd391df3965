use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive};

#[test]
fn the_weights_of_each_frame_are_added() {
    let scratch = Scratch::new();
    scratch.write("1.post", "a [ 1 0.5 2 0.25 ] [ ] [ 1 -1 ]\nb \n");
    let ran = scratch.sh("post-to-weights ark:1.post 'ark,t:| gzip -c > weights.1.gz'; gunzip -c weights.1.gz");
    ran.succeeds().stdout_is("a  [ 0.75 0 -1 ]\nb  [ ]\n").stderr_has("Done converting 2 posteriors to weights.");
    let binary = binary_archive(&[("a", Sample::Vector(vec![0.75, 0.0, -1.0])), ("b", Sample::Vector(vec![]))]);
    scratch.sh("post-to-weights ark:1.post ark:-").succeeds().stdout_is(binary);
}

#[test]
fn weights_are_added_in_order_and_in_single_precision() {
    let ran =
        Scratch::new().sh("echo 'a [ 1 16777216 2 1 3 1 ] [ 1 1 2 1 3 16777216 ]' | post-to-weights ark:- ark,t:-");
    ran.succeeds().stdout_is("a  [ 1.677722e+07 1.677722e+07 ]\n");
}

#[test]
fn an_alignment_is_no_posterior() {
    let scratch = Scratch::new();
    scratch.write("ali", "a 1 2 3\n");
    scratch.sh("post-to-weights ark:ali ark:o").fails_with(255).stderr_has("did you provide alignments");
    assert_eq!(scratch.list(), ["ali"]);
}
