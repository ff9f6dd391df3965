use crate::tools::lattices::{ambiguous, golden, text_of};

#[test]
fn paths_come_by_their_costs() {
    let scratch = ambiguous();
    let ran = scratch.sh("lattice-to-nbest --n=3 ark:lats ark:- | lattice-best-path ark:- ark,t:-").succeeds();
    ran.stdout_is("a-1 6 7 \na-2 5 7 \nb-1 8 \n").stderr_has("average actual #paths is 1.5");
    let ran = scratch.sh("lattice-to-nbest --n=2 --acoustic-scale=0.1 ark:lats ark,t:- | head -n 5");
    ran.succeeds().stdout_is("a-1 \n0\t1\t5\t1,2,3_3\n1\t2\t7\t0,0,5\n2\t0.5,0,\n\n");
    let fails = |options: &str, message: &str| {
        scratch.sh(&format!("lattice-to-nbest {options} ark:lats ark:o")).fails_with(255).stderr_has(message);
    };
    fails("--n=0", "expected --n to be 1 or more, got 0");
    fails("--lm-scale=0", "expected scales that are not 0");
}

#[test]
fn random_paths_depend_on_the_seed() {
    let scratch = golden();
    let random = |seed: u32| {
        text_of(
            &scratch,
            &format!("lattice-to-nbest --random=true --srand={seed} --n=5 ark:soft.ark ark,t:- | grep -v '^$'"),
        )
    };
    assert_eq!(random(1), random(1));
    assert_ne!(random(1), random(2));
    assert_eq!(random(1).lines().filter(|line| line.starts_with('s')).count(), 25);
}
