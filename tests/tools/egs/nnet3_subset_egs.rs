use super::{keys, small};
use crate::support::Scratch;

#[test]
fn the_seed_changes_the_order_and_not_the_choice() {
    let scratch = Scratch::new();
    small(&scratch);
    let subset = |options: &str| {
        let ran = scratch.sh(&format!("nnet3-subset-egs {options} ark:small.egs ark,t:-")).succeeds();
        keys(ran.stdout())
    };
    let in_order = subset("--n=3 --randomize-order=false");
    for seed in 0..4 {
        let mut kept = subset(&format!("--n=3 --srand={seed}"));
        kept.sort();
        let mut expected = in_order.clone();
        expected.sort();
        assert_eq!(kept, expected);
    }
    assert_eq!(subset("--n=100 --randomize-order=false"), ["a-0", "a-4", "a-8", "b-0", "b-4"]);
    assert_eq!(subset("--n=0"), Vec::<String>::new());
}

#[test]
pub fn what_fails_leaves_no_output() {
    let scratch = Scratch::new();
    small(&scratch);
    scratch.sh("head -c 300 small.egs > cut; nnet3-subset-egs ark:cut ark:o").fails_with(255);
    assert!(!scratch.list().contains(&"o".to_owned()));
    scratch.sh("nnet3-subset-egs --n=-1 ark:small.egs ark:o").fails_with(255).stderr_has("--n to be 0 or more, got -1");
    scratch.sh("nnet3-subset-egs ark:/dev/null ark:o").fails_with(1);
    scratch.sh("nnet3-subset-egs ark:small.egs out").fails_with(255);
}
