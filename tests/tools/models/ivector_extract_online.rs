use super::extractor::folder;

#[test]
fn a_row_is_the_i_vector_of_the_frames_so_far() {
    let scratch = folder();
    let ran = scratch.sh("ivector-extract-online --ivector-period=2 ie ark:feats ark:post ark:- | matrix-dim ark:-");
    ran.succeeds()
        .stdout_is("a\t2\t2\nb\t1\t2\nc\t1\t2\n")
        .stderr_has("Estimated iVectors for 3 files, 0 with errors.");
    // With all frames it is the i-vector of ivector-extract.
    let online = "ivector-extract-online --ivector-period=1 --num-cg-iters=-1 ie ark:feats ark:post ark:- | \
                  copy-feats ark:- ark,t:- | grep -B 1 ^b | head -n 1";
    let numbers = |ran: Vec<u8>| -> Vec<f64> {
        String::from_utf8(ran).unwrap().split_whitespace().filter_map(|word| word.parse().ok()).collect()
    };
    let (last, whole) = (
        numbers(scratch.sh(online).stdout().to_vec()),
        numbers(scratch.sh("ivector-extract ie ark:feats ark:post ark,t:- | head -n 1").stdout().to_vec()),
    );
    assert!(last.len() == 2 && last.iter().zip(&whole).all(|(a, b)| (a - b).abs() < 1e-4), "{last:?} {whole:?}");
}

#[test]
fn the_prior_may_count_more_later() {
    let scratch = folder();
    let run = |options: &str| {
        scratch.sh(&format!("ivector-extract-online {options} ie ark:feats ark:post ark,t:-")).stdout().to_vec()
    };
    let usual = run("--ivector-period=2");
    assert_eq!(usual, run("--ivector-period=2 --max-count=100"));
    assert_ne!(usual, run("--ivector-period=2 --max-count=1"));
    assert_ne!(usual, run("--ivector-period=2 --num-cg-iters=1"));
}

#[test]
fn utterances_are_skipped_if_something_is_missing() {
    let scratch = folder();
    let ran = scratch.sh("head -n 1 post | ivector-extract-online ie ark:feats ark:- ark:o");
    ran.succeeds().stderr_has("No posteriors for utterance b").stderr_has("for 1 files, 2 with errors.");
    let ran = scratch.sh("echo 'a [ ]' | ivector-extract-online ie ark:feats ark:- ark:o");
    ran.fails_with(1).stderr_has("Size mismatch between posterior 1 and features 3 for utterance a");
}

/// Kaldi's program fails an assertion.
#[test]
fn an_utterance_without_frames_is_skipped() {
    let ran = folder().sh(
        "printf 'a [ ]\\nb [ 1 1 ]\\n' | ivector-extract-online ie ark:- 'ark:printf \"a \\nb [ 0 1 ]\\n\" |' ark,t:-",
    );
    ran.succeeds().stderr_has("No frames in utterance a").stdout_has("b ");
}

#[test]
fn what_makes_no_sense_leaves_no_output_behind() {
    let scratch = folder();
    let refuses = |words: &str, message: &str| {
        scratch
            .sh(&format!("ivector-extract-online {words} ark:feats ark:post ark:o"))
            .fails_with(255)
            .stderr_has(message);
    };
    refuses("--ivector-period=0 ie", "expected --ivector-period to be 1 or more, got 0");
    refuses("w.ie", "expected an i-vector extractor with fixed weights");
    assert_eq!(scratch.list(), ["feats", "ie", "post", "w.ie"]);
}
