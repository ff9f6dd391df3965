use crate::support::Scratch;

/// A model in one dimension, with variances 1 within and 3 between speakers, and one in two dimensions.
fn model() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("plda", "<Plda>  [ 0 ]\n [\n  1 ]\n [ 3 ]\n</Plda> ")
        .write("plda2", "<Plda>  [ 0 0 ]\n [\n  1 0 \n  0 1 ]\n [ 3 1 ]\n</Plda> ")
        .write("reco2utt", "r b a\nnone\nq a\n")
        .write("iv.ark", "a [ -1 ]\nb [ 2 ]\n")
        .write("iv2.ark", "a [ -1 0.5 ]\nb [ 2 0 ]\nc [ 0 -0.5 ]\nd [ 1 0.25 ]\n");
    scratch
}

#[test]
fn every_pair_is_scored() {
    let ran = model().sh(
        "ivector-plda-scoring-dense --target-energy=1 --normalize-length=false plda ark:reco2utt ark:iv.ark ark,t:-",
    );
    ran.succeeds()
        .stdout_is("r  [\n  0.8419107 -1.247375 \n  -1.247375 0.5204821 ]\nq  [\n  0.5204821 ]\n")
        .stderr_has("Not producing output for recording none since no segments had iVectors")
        .stderr_has("Processed 2 recordings, 1 had errors.");
}

#[test]
fn lengths_are_normalized_by_the_model_or_simply() {
    let run = |option: &str| {
        model().sh(&format!(
            "head -n 1 reco2utt | ivector-plda-scoring-dense --target-energy=1 {option} plda ark:- ark:iv.ark ark,t:-"
        ))
    };
    run("").succeeds().stdout_is("r  [\n  0.8419107 -2.586661 \n  -2.586661 0.8419107 ]\n");
    run("--simple-length-normalization=true")
        .succeeds()
        .stdout_is("r  [\n  0.5204821 -0.3366607 \n  -0.3366607 0.5204821 ]\n");
}

/// One direction has nearly all the variance, and one more is kept: in two dimensions that is both, and nothing changes
/// but the order in which things are done.
#[test]
fn vectors_and_model_are_reduced_to_where_the_recording_varies() {
    let scratch = model();
    scratch.write("reco2utt", "r a b c d\n");
    let run = |options: &str, digits: &str| {
        scratch.sh(&format!(
            "ivector-plda-scoring-dense {options} plda2 ark:reco2utt ark:iv2.ark ark,t:- | awk \
             '{{for (i = 1; i <= NF; i++) if ($i ~ /[0-9]/) printf \"{digits} \", $i}}'"
        ))
    };
    let whole = run("--target-energy=1", "%.4f").succeeds().stdout().to_vec();
    run("--target-energy=0.5", "%.4f").succeeds().stdout_is(&whole);
    let reduced = run("--target-energy=-1", "%.4f").succeeds().stdout().to_vec();
    assert_ne!(reduced, whole);
}

#[test]
fn nothing_done_is_a_failure() {
    let ran = model().sh("ivector-plda-scoring-dense plda ark:/dev/null ark:iv.ark ark,t:-");
    ran.fails_with(1).stdout_is("").stderr_has("Processed 0 recordings, 0 had errors.");
}

#[track_caller]
fn refuses(arguments: &str, message: &str) {
    let scratch = model();
    scratch.write("bad.ark", "a [ 1 ]\nb [ x ]\n").write("odd.ark", "b [ 1 ]\na [ 1 2 ]\n");
    let before = scratch.list();
    scratch.sh(&format!("ivector-plda-scoring-dense {arguments} ark:o")).fails_with(255).stderr_has(message);
    assert_eq!(scratch.list(), before);
}

#[test]
fn what_cannot_be_scored_leaves_no_output_behind() {
    refuses("plda ark:reco2utt ark:odd.ark", "r: the iVector of a has another dimension than those before it");
    refuses("--target-energy=1 plda2 ark:reco2utt ark:iv.ark", "r: expected 2 elements of a vector, got 1");
    refuses("plda2 ark:reco2utt ark:iv.ark", "r: ");
    refuses("plda 'ark:echo r x |' ark:iv.ark", "r: No iVector present in input for utterance x");
    refuses("plda ark:reco2utt ark:bad.ark", "b: bad.ark:2: expected a number");
    refuses("iv.ark ark:reco2utt ark:iv.ark", "expected token \"<Plda>\"");
    // Both dimensions would have to be kept, and one more.
    let more = "--target-energy=0.99 plda2 'ark:echo r a b c d |' ark:iv2.ark";
    refuses(more, "r: expected --target-energy to be a part of the variance for which fewer directions are enough");
    refuses("--target-energy=1.5 plda2 'ark:echo r a b |' ark:iv2.ark", "r: expected --target-energy to be a part of");
}
