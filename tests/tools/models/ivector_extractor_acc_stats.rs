use super::extractor::folder;

#[test]
fn utterances_are_counted() {
    let scratch = folder();
    let ran = scratch.sh("ivector-extractor-acc-stats --binary=false ie ark:feats ark:post -");
    let ran = ran
        .succeeds()
        .stderr_has("Done 3 files, 0 with errors.  Total frames 6")
        .stdout_has("<gamma>  [ 3.25 1.75 ]\n<Y> 2 ");
    let ran = ran.stdout_has("<Q>  [ ]\n<G>  [ ]\n<S> 2 [\n").stdout_has("<NumIvectors> 3 <IvectorSum>  [ ");
    // The squares of the first Gaussian: 81 + 64 / 4 + 121 + 64.
    ran.stdout_has("<S> 2 [\n282 \n");
    let ran = scratch.sh("head -n 1 post | ivector-extractor-acc-stats ie ark:feats ark:- o");
    ran.succeeds().stderr_has("No posteriors for utterance b").stderr_has("Done 1 files, 2 with errors");
    let ran = scratch.sh("echo 'a [ 0 1 ]' | ivector-extractor-acc-stats ie ark:feats ark:- o");
    ran.fails_with(1).stderr_has("Size mismatch between posterior 1 and features 3 for utterance a");
}

/// With several threads Kaldi adds utterances in the order in which the threads are ready.
#[test]
fn statistics_do_not_depend_on_the_number_of_threads() {
    let scratch = folder();
    scratch
        .sh("for i in $(seq 200); do sed \"s/^[abc]/&$i/\" feats; done >many; \
                for i in $(seq 200); do sed \"s/^[abc]/&$i/\" post; done >many.post")
        .succeeds();
    for extractor in ["ie", "w.ie"] {
        for threads in [1, 2, 7] {
            let options = format!("--binary=false --num-threads={threads} {extractor} ark:many ark:many.post");
            scratch.sh(&format!("ivector-extractor-acc-stats {options} {threads}.acc")).succeeds();
        }
        scratch.sh("cmp 1.acc 2.acc && cmp 1.acc 7.acc").succeeds();
    }
}

#[test]
fn squares_and_the_log_likelihood_may_be_left_out() {
    let scratch = folder();
    let run = |options: &str| {
        let ran = scratch.sh(&format!("ivector-extractor-acc-stats --binary=false {options} ie ark:feats ark:post -"));
        ran.succeeds()
    };
    run("--update-variances=false").stdout_has("<S> 0 <NumIvectors>");
    run("--compute-auxf=false").stdout_has("<TotAuxf> 0 <gamma>");
    let usual = run("").stdout().to_vec();
    assert_eq!(run("--cache-size=1").stdout().to_vec().len(), usual.len());
    assert_eq!(run("--num-threads-total=9").stdout().to_vec(), usual);
}

#[test]
fn weights_are_estimated_from_samples() {
    let scratch = folder();
    let ran = scratch.sh("ivector-extractor-acc-stats --binary=false w.ie ark:feats ark:post -");
    let ran = ran.succeeds().stdout_has("<G>  [\n");
    let other = scratch
        .sh("ivector-extractor-acc-stats --binary=false --num-samples-for-weights=3 w.ie ark:feats ark:post -")
        .succeeds();
    let other = other.succeeds();
    assert_ne!(ran.stdout().to_vec(), other.stdout().to_vec());
}

#[test]
fn what_makes_no_sense_leaves_no_output_behind() {
    let scratch = folder();
    let refuses = |words: &str, message: &str| {
        scratch.sh(&format!("ivector-extractor-acc-stats {words}")).fails_with(255).stderr_has(message);
    };
    refuses("--cache-size=0 ie ark:feats ark:post o", "expected --cache-size to be 1 or more, got 0");
    refuses(
        "--num-samples-for-weights=1 ie ark:feats ark:post o",
        "expected --num-samples-for-weights to be 2 or more, got 1",
    );
    refuses("ie 'ark:echo \"c [ 1 2 3 ]\" |' 'ark:echo \"c [ 0 1 ]\" |' o", "expected 2 dimensions of features, got 3");
    refuses("ie ark:feats 'ark:echo \"c [ 2 1 ]\" |' o", "c: frame 0: expected a Gaussian below 2, got 2");
    refuses(
        "ie 'ark:echo \"c [ 1 nan ]\" |' 'ark:echo \"c [ 0 1 ]\" |' o",
        "c: cannot compute the sums of an utterance",
    );
    assert_eq!(scratch.list(), ["feats", "ie", "post", "w.ie"]);
}
