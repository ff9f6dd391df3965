use crate::tools::lattices::{ambiguous, text_of};

#[test]
fn costs_are_multiplied_by_a_matrix() {
    let scratch = ambiguous();
    let scaled = |options: &str| text_of(&scratch, &format!("lattice-scale {options} ark:lats ark,t:- | tail -n 4"));
    assert_eq!(scaled("--lm-scale=2 --acoustic-scale=0.5"), "b \n0\t1\t8\t2,0.5,6\n1\n\n");
    assert_eq!(scaled("--inv-acoustic-scale=4"), "b \n0\t1\t8\t1,0.25,6\n1\n\n");
    assert_eq!(scaled("--acoustic2lm-scale=3 --lm2acoustic-scale=5"), "b \n0\t1\t8\t4,6,6\n1\n\n");
    assert_eq!(scaled("--write-compact=false --lm-scale=0"), "b \n0\t1\t6\t8\t0,1\n1\n\n");
}

#[test]
fn both_acoustic_scales_are_an_error() {
    let ran = ambiguous().sh("lattice-scale --acoustic-scale=0.1 --inv-acoustic-scale=10 ark:lats ark:o");
    ran.fails_with(255).stderr_has("expected --inv-acoustic-scale to be 1 where --acoustic-scale is given, got 10");
}
