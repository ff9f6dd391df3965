use crate::tools::lattices::{golden, text_of};

#[test]
fn frames_of_wrong_phones_cost_less() {
    let scratch = golden();
    scratch.sh("lattice-best-path --acoustic-scale=0.1 ark:few.ark ark:/dev/null ark:ali").succeeds();
    let boost = |options: &str| {
        text_of(
            &scratch,
            &format!("lattice-boost-ali {options} final.mdl ark:few.ark ark:ali ark:- | lattice-1best ark:- ark,t:-"),
        )
    };
    assert_ne!(boost("--b=1 --silence-phones=1"), boost("--b=0"));
    let ran = scratch.sh("lattice-boost-ali final.mdl ark:few.ark ark:/dev/null ark:o");
    ran.fails_with(1).stderr_has("No alignment for utterance a01").stderr_has("No silence phones specified");
    let ran = scratch.sh("lattice-boost-ali --max-silence=2 final.mdl ark:few.ark ark:ali ark:o");
    ran.fails_with(255).stderr_has("expected --max-silence to be from 0 to 1, got 2");
}
