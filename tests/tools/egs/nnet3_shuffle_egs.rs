use super::{keys, small};
use crate::support::Scratch;

/// The orders are those of a Kaldi that was compiled with GCC 11 or later.
#[test]
fn the_order_is_that_of_the_seed() {
    let scratch = Scratch::new();
    small(&scratch);
    let shuffled = |options: &str| {
        let ran = scratch.sh(&format!("nnet3-shuffle-egs {options} ark:small.egs ark,t:-")).succeeds();
        keys(ran.stdout())
    };
    let (first, second) = (shuffled("--srand=1"), shuffled("--srand=2"));
    assert_eq!(first, shuffled("--srand=1 --num-threads=3"));
    assert_ne!(first, second);
    let sorted = |mut keys: Vec<String>| {
        keys.sort();
        keys
    };
    assert_eq!(sorted(first), ["a-0", "a-4", "a-8", "b-0", "b-4"]);
    assert_eq!(shuffled("--buffer-size=1"), ["a-0", "a-4", "a-8", "b-0", "b-4"]);
    assert_eq!(shuffled("--buffer-size=3 --srand=1"), shuffled("--buffer-size=3 --srand=2"));
    assert_eq!(sorted(shuffled("--buffer-size=2000000000")).len(), 5);
}

#[test]
fn a_negative_buffer_is_an_error() {
    let ran = Scratch::new().sh("nnet3-shuffle-egs --buffer-size=-1 ark:/dev/null ark:-").fails_with(255);
    ran.stderr_has("expected --buffer-size to be 0 or more, got -1");
}

#[test]
fn nothing_is_a_failure() {
    Scratch::new().sh("nnet3-shuffle-egs ark:/dev/null ark:-").fails_with(1).stderr_has("Shuffled order of 0");
}
