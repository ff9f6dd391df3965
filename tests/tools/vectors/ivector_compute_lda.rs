use crate::support::Scratch;

/// Within speakers, variances 1 and 4; between them, 9 in the first dimension. The mean is (1, 2).
fn ivectors() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write(
            "iv.ark",
            "a1 [ -3 4 ]\na2 [ -1 0 ]\na3 [ -3 0 ]\na4 [ -1 4 ]\nb1 [ 5 4 ]\nb2 [ 3 0 ]\nb3 [ 3 4 ]\nb4 [ 5 0 ]\n",
        )
        .write("utt2spk", "a1 a\na2 a\na3 a\na4 a\nb1 b\nb2 b\nb3 b\nb4 b\n");
    scratch
}

/// Prints the absolute values of the transform.
#[track_caller]
fn computes(options: &str, expected: &str) {
    let ran = ivectors().sh(&format!(
        "ivector-compute-lda --binary=false {options} ark:iv.ark ark:utt2spk - | awk '{{for (i = 1; i <= NF; i++) if \
         ($i ~ /[0-9]/) printf \"%.4f \", $i < 0 ? -$i : $i}}'"
    ));
    ran.succeeds().stdout_is(expected);
}

#[test]
fn the_covariance_within_speakers_becomes_unit_and_the_mean_zero() {
    computes("--dim=1", "1.0000 0.0000 1.0000 ");
    computes("--dim=2", "1.0000 0.0000 1.0000 0.0000 0.5000 1.0000 ");
}

#[test]
fn the_covariance_of_all_vectors_may_become_unit_or_something_between() {
    computes("--dim=1 --total-covariance-factor=1", "0.3162 0.0000 0.3162 ");
    computes("--dim=1 --total-covariance-factor=0.5", "0.4264 0.0000 0.4264 ");
}

#[test]
fn small_variances_are_raised() {
    computes("--dim=1 --covariance-floor=0.5", "0.7071 0.0000 0.7071 ");
    let ran = ivectors().sh("ivector-compute-lda --dim=1 --covariance-floor=0.5 ark:iv.ark ark:utt2spk o");
    ran.succeeds().stderr_has("Floored 1 eigenvalues of covariance to 2");
}

#[test]
fn utterances_without_speaker_and_ones_that_come_twice_are_skipped_and_counted() {
    let ran = ivectors().sh(
        "cat iv.ark iv.ark | ivector-compute-lda --dim=1 ark:- 'ark:head -n 7 utt2spk |' lda.mat; matrix-dim lda.mat",
    );
    ran.succeeds()
        .stdout_is("1\t3\n")
        .stderr_has("Duplicate iVector found for utterance a1, ignoring it.")
        .stderr_has("utt2spk has no entry for utterance b4, skipping it.")
        .stderr_has("Read 7 utterances, 9 with errors.")
        .stderr_has("Stats have 2 speakers, 7 utterances.")
        .stderr_has("Wrote LDA transform to lda.mat");
}

#[test]
fn what_has_no_transform_leaves_no_output_behind() {
    let scratch = ivectors();
    scratch
        .write("bad.ark", "a1 [ 2 1 ]\na2 [ x ]\n")
        .write("odd.ark", "a1 [ 2 1 ]\na2 [ 1 2 3 ]\n")
        .write("nan.ark", "a1 [ 2 1 ]\na2 [ nan 1 ]\nb1 [ 1 1 ]\n")
        .write("same.ark", "a1 [ 2 1 ]\na2 [ 2 1 ]\n");
    let before = scratch.list();
    for (arguments, message) in [
        ("--dim=3 ark:iv.ark ark:utt2spk", "expected --dim to be from 1 to the dimension of the vectors"),
        ("--dim=0 ark:iv.ark ark:utt2spk", "expected --dim to be"),
        ("--dim=1 --covariance-floor=-1 ark:iv.ark ark:utt2spk", "expected --covariance-floor to be 0 or more, got -1"),
        ("--dim=1 ark:/dev/null ark:utt2spk", "Did not read any utterances."),
        ("--dim=1 ark:iv.ark 'ark:echo x y |'", "Did not read any utterances."),
        ("--dim=1 ark:iv.ark 'ark:echo a1 a; echo b1 b |'", "expected a speaker with several vectors, got none"),
        ("--dim=1 ark:same.ark ark:utt2spk", "positive definite"),
        ("--dim=1 ark:nan.ark ark:utt2spk", "NaN"),
        ("--dim=1 ark:odd.ark ark:utt2spk", "a2: expected 2 elements of a vector, got 3"),
        ("--dim=1 ark:bad.ark ark:utt2spk", "a2: bad.ark:2: expected a number"),
        ("--dim=1 'ark:cat iv.ark; false |' ark:utt2spk", "cat iv.ark; false"),
        ("--dim=1 ark:iv.ark 'ark:cat utt2spk; false |'", "cat utt2spk; false"),
    ] {
        scratch.sh(&format!("ivector-compute-lda {arguments} o")).fails_with(255).stderr_has(message);
        assert_eq!(scratch.list(), before, "{arguments}");
    }
}
