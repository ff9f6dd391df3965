use super::extractor::folder;
use crate::support::Scratch;

/// Raw features of two dimensions, each with the frame before and after it, of which the two in the middle are taken.
fn stream() -> Scratch {
    let scratch = folder();
    scratch
        .write("lda", " [\n  0 0 1 0 0 0\n  0 0 0 1 0 0 ]\n")
        .write("stats", " [\n  10 20 10\n  100 100 0 ]\n")
        .write("cmvn.conf", "--cmn-window=5  # frames\n")
        .write("splice.conf", "--left-context=1\n--right-context=1\n")
        .write(
            "ubm",
            "<DiagGMM> \n<WEIGHTS>  [ 0.5 0.5 ]\n<MEANS_INVVARS>  [\n  8 0 \n  -8 1 ]\n<INV_VARS>  [\n  1 1 \n  1 1 ]\n</DiagGMM> \n",
        )
        .write(
            "conf",
            "--lda-matrix=lda\n--global-cmvn-stats=stats\n--cmvn-config=cmvn.conf\n--splice-config=splice.conf\n\
             --diag-ubm=ubm\n--ivector-extractor=ie\n--ivector-period=2\n",
        )
        .write("spk2utt", "s a b\nt c\n");
    scratch
}

fn run(scratch: &Scratch, words: &str) -> crate::support::Ran {
    scratch.sh(&format!("ivector-extract-online2 --config=conf {words} ark:spk2utt ark:feats ark,t:-"))
}

#[test]
fn speakers_are_remembered() {
    let scratch = stream();
    let ran = run(&scratch, "");
    let ran = ran.succeeds().stderr_has("Estimated iVectors for 3 files, 0 with errors.");
    let ran = ran.stderr_has("Average objective-function improvement was").stderr_has("expected length is 1.41421");
    let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
    assert_eq!(text.lines().filter(|line| line.ends_with('[')).count(), 3);
    // Without the utterance before it, the second one has other i-vectors.
    scratch.write("spk2utt", "b b\n");
    let alone = String::from_utf8(run(&scratch, "").stdout().to_vec()).unwrap();
    assert!(alone.starts_with("b ") && !text.contains(&alone), "{alone}");
}

#[test]
fn speakers_may_be_worked_on_side_by_side() {
    let scratch = stream();
    assert_eq!(run(&scratch, "--num-threads=1").stdout().to_vec(), run(&scratch, "--num-threads=4").stdout().to_vec());
}

#[test]
fn i_vectors_are_repeated_or_taken_at_the_end() {
    let scratch = stream();
    let rows = |words: &str| {
        let text = String::from_utf8(run(&scratch, words).stdout().to_vec()).unwrap();
        let lines = text.lines().skip(1).take_while(|line| line.starts_with(' '));
        lines.map(|line| line.trim_end_matches([']', ' ']).trim().to_owned()).collect::<Vec<String>>()
    };
    let (plain, repeated, greedy) = (rows(""), rows("--repeat"), rows("--greedy-ivector-extractor --repeat"));
    assert_eq!((plain.len(), repeated.len()), (2, 3));
    assert_eq!((&repeated[0], &repeated[1], &repeated[2]), (&plain[0], &plain[0], &plain[1]));
    assert!(greedy.len() == 3 && greedy[0] == greedy[2] && greedy[0] != plain[0], "{greedy:?}");
}

#[test]
fn options_change_the_i_vectors() {
    let scratch = stream();
    let usual = run(&scratch, "").stdout().to_vec();
    for option in [
        "--posterior-scale=1",
        "--max-count=0.1",
        "--online-cmvn-iextractor",
        "--ivector-period=1",
        "--max-remembered-frames=1",
    ] {
        let ran = run(&scratch, option);
        let ran = ran.succeeds();
        assert_ne!(ran.stdout().to_vec(), usual, "{option}");
    }
    assert_eq!(run(&scratch, "--use-most-recent-ivector=false").stdout().to_vec(), usual);
}

#[test]
fn frames_may_have_weights() {
    let scratch = stream();
    scratch.write("ones", "a  [ 1 1 1 ]\nb  [ 1 1 ]\nc  [ 1 ]\n").write("w", "a  [ 1 0 ]\nb  [ 1 1 1 ]\n");
    assert_eq!(
        run(&scratch, "--frame-weights-rspecifier=ark:ones").stdout().to_vec(),
        run(&scratch, "").stdout().to_vec()
    );
    let ran = run(&scratch, "--length-tolerance=1 --frame-weights-rspecifier=ark:w");
    ran.succeeds().stderr_has("Did not find weights for utterance c").stderr_has("for 2 files, 1 with errors.");
    let ran = run(&scratch, "--frame-weights-rspecifier=ark:w");
    ran.fails_with(1).stderr_has("Weights for utterance a have wrong size, 2 vs. 3");
}

#[test]
fn pitch_is_cut_off() {
    let scratch = stream();
    let plain = run(&scratch, "").stdout().to_vec();
    scratch.sh("cp feats raw; paste-feats ark:raw 'ark:copy-matrix ark:raw ark:- |' ark:- | select-feats 0-1,0-2 ark:- ark,t:feats").succeeds();
    let ran = run(&scratch, "");
    let ran = ran.succeeds().stderr_has("Feature dimension is too large by 3");
    assert_eq!(ran.stdout().to_vec(), plain);
}

#[test]
fn all_six_models_are_needed() {
    let scratch = stream();
    for option in ["lda-matrix", "global-cmvn-stats", "cmvn-config", "splice-config", "diag-ubm", "ivector-extractor"] {
        let script = format!(
            "sed '/^--{option}=/d' conf >less; ivector-extract-online2 --config=less ark:spk2utt ark:feats ark:o"
        );
        scratch.sh(&script).fails_with(255).stderr_has(&format!("--{option} option must be set"));
        run(&scratch, &format!("--{option}=none")).fails_with(255).stderr_has("none");
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let scratch = stream();
    for (option, message) in [
        ("--posterior-scale=2", "expected --posterior-scale to be above 0 and at most 1, got 2"),
        ("--num-gselect=0", "expected --num-gselect to be 1 or more"),
        ("--ivector-period=0", "expected --ivector-period to be 1 or more"),
        ("--min-post=0.5", "expected --min-post to be from 0 to 0.5"),
        ("--max-remembered-frames=-1", "expected --max-remembered-frames to be 0 or more"),
        ("--ivector-extractor=w.ie", "expected an i-vector extractor with fixed weights"),
        ("--cmvn-config=splice.conf", "splice.conf:1: Invalid option --left-context=1"),
    ] {
        run(&scratch, option).fails_with(255).stderr_has(message);
    }
    scratch.write("feats", "a  [ 1 2 3 ]\n");
    run(&scratch, "").fails_with(255).stderr_has("a: expected 2 dimensions of features, got 3");
}

/// Kaldi's program fails an assertion.
#[test]
fn an_utterance_without_frames_is_skipped() {
    let scratch = stream();
    scratch.write("feats", "a  [ ]\nb  [\n  8 -1\n  -9 4 ]\n");
    let ran = run(&scratch, "");
    let ran = ran.succeeds().stderr_has("No frames in utterance a").stderr_has("Did not find audio for utterance c");
    ran.stderr_has("for 1 files, 2 with errors.");
}
