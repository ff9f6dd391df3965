use super::extractor::folder;

/// An utterance without weights has the mean of the prior, from which it is subtracted.
#[test]
fn each_utterance_has_an_i_vector() {
    let scratch = folder();
    let ran = scratch.sh("ivector-extract ie ark:feats ark:post ark,t:-");
    let ran =
        ran.succeeds().stdout_has("c  [ 0 0 ]\n").stderr_has("Done 3 files, 0 with errors.  Total (weighted) frames 5");
    ran.stderr_has("Overall average objective-function change from estimating ivector was");
    let ran = scratch.sh("tail -n 2 post | ivector-extract ie ark:feats ark:- ark,t:- | cut -d ' ' -f 1");
    ran.succeeds().stdout_is("b\nc\n").stderr_has("No posteriors for utterance a");
    scratch
        .sh("ivector-extract ie ark:feats ark:/dev/null ark:o")
        .fails_with(1)
        .stderr_has("Done 0 files, 3 with errors");
    let ran = scratch.sh("echo 'a [ 0 1 ]' | ivector-extract ie ark:feats ark:- ark:o");
    ran.fails_with(1).stderr_has("Size mismatch between posterior 1 and features 3 for utterance a");
}

/// One Gaussian with a projection of 2 and a variance of 1/4: the mean is (100 + 4 · 2 · 7) / (1 + 4 · 4).
#[test]
fn an_i_vector_is_the_mean_of_its_distribution() {
    let scratch = folder();
    let extractor = "<IvectorExtractor> <w>  [ ]\n<w_vec>  [ 1 ]\n<M> 1  [\n  2 ]\n<SigmaInv> [\n4 ]\n<IvectorOffset> 100 \
                     </IvectorExtractor> ";
    scratch.write("one.ie", extractor);
    let ran = scratch.sh("ivector-extract one.ie 'ark:echo a [ 7 ] |' 'ark:echo a [ 0 1 ] |' ark,t:-");
    let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
    let value: f64 = text.split(' ').nth(3).unwrap().parse().unwrap();
    assert!((value - (156.0 / 17.0 - 100.0)).abs() < 1e-4, "{value}");
}

#[test]
fn i_vectors_do_not_depend_on_threads_nor_on_other_utterances() {
    let scratch = folder();
    scratch
        .sh("for i in $(seq 90); do sed \"s/^[abc]/&$i/\" feats; done >many; \
                for i in $(seq 90); do sed \"s/^[abc]/&$i/\" post; done >many.post")
        .succeeds();
    for extractor in ["ie", "w.ie"] {
        for threads in [1, 2, 7] {
            let options = format!("--num-threads={threads} {extractor} ark:many ark:many.post");
            scratch.sh(&format!("ivector-extract {options} ark:{threads}.iv")).succeeds();
        }
        scratch.sh("cmp 1.iv 2.iv && cmp 1.iv 7.iv").succeeds();
        let alone = scratch
            .sh(&format!("sed -n '/^b/,$p' feats | ivector-extract {extractor} ark:- ark:post ark,t:- | head -n 1"));
        let among = scratch.sh("copy-vector ark:1.iv ark,t:- | grep '^b61 ' | sed s/61//");
        assert_eq!(alone.stdout().to_vec(), among.stdout().to_vec());
    }
}

#[test]
fn weights_of_frames_are_scaled() {
    let scratch = folder();
    let run = |options: &str| scratch.sh(&format!("ivector-extract {options} ie ark:feats ark:post ark,t:-"));
    run("--acoustic-weight=0").succeeds().stdout_is("a  [ 0 0 ]\nb  [ 0 0 ]\nc  [ 0 0 ]\n");
    let half = run("--acoustic-weight=0.5");
    let scaled = scratch.sh("scale-post ark:post 0.5 ark:- | ivector-extract ie ark:feats ark:- ark,t:-");
    assert_eq!(half.stdout().to_vec(), scaled.stdout().to_vec());
    let limited = run("--max-count=1.5");
    limited.succeeds().stderr_has("Scaling stats for utterance a by scale 0.5 due to --max-count=1.5");
    run("--compute-objf-change=false").succeeds().stderr_lacks("objective-function change");
    run("--verbose=2")
        .succeeds()
        .stderr_has("Auxf change for utterance a was")
        .stderr_has("Ivector norm for utterance a was");
}

#[test]
fn a_speaker_has_one_i_vector() {
    let scratch = folder();
    scratch.write("spk2utt", "s a b\nt c\nu x b\n");
    let ran = scratch.sh("ivector-extract --spk2utt=ark:spk2utt ie ark:feats ark:post ark,t:- | cut -d ' ' -f 1");
    let ran = ran.succeeds().stdout_is("s\nu\n").stderr_has("No stats accumulated for speaker t");
    let ran = ran.stderr_has("No features present for utterance x").stderr_has("Ivector norm for speaker s was");
    ran.stderr_has("Done 2 speakers; 1 with errors.  4 utterances were processed, 1 with errors.");
    let ran = scratch.sh("ivector-extract --spk2utt=ark:spk2utt --max-count=1 ie ark:feats ark:post ark:/dev/null");
    ran.succeeds().stderr_has("Scaling stats for speaker s by scale 0.2 due to --max-count=1");
    let ran = scratch.sh("ivector-extract --num-threads=2 --spk2utt=ark:spk2utt ie ark:feats ark:post ark:o");
    ran.fails_with(255).stderr_has("--spk2utt option is incompatible with --num-threads option");
    scratch.sh("ivector-extract --num-threads=1 --spk2utt=ark:spk2utt ie ark:feats ark:post ark:o").succeeds();
}

#[test]
fn what_does_not_fit_leaves_no_output_behind() {
    let scratch = folder();
    let refuses = |words: &str, message: &str| {
        scratch.sh(&format!("ivector-extract {words} ark:o")).fails_with(255).stderr_has(message);
    };
    refuses(
        "ie 'ark:echo \"a [ 1 2 3 ]\" |' 'ark:echo \"a [ 0 1 ]\" |'",
        "a: expected 2 dimensions of features, got 3",
    );
    refuses("ie ark:feats 'ark:echo \"c [ 77 1 ]\" |'", "c: frame 0: expected a Gaussian below 2, got 77");
    refuses("post ark:feats ark:post", "expected token \"<IvectorExtractor>\"");
    assert_eq!(scratch.list(), ["feats", "ie", "post", "w.ie"]);
}
