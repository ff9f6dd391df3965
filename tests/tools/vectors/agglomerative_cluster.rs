use crate::support::Scratch;

/// Scores of four segments: the first and third, and the second and fourth are alike.
fn scores() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("s.ark", "r [ 9 -2 3 -4\n -2 9 -5 1\n 3 -5 9 -3\n -4 1 -3 9 ]\n")
        .write("reco2utt", "q x\nr a b c d\n")
        .write("num2", "r 2\nq 1\n");
    scratch
}

#[track_caller]
fn clusters(options: &str, expected: &str) {
    let ran = scores().sh(&format!("agglomerative-cluster {options} ark:s.ark ark:reco2utt ark,t:-"));
    let lines: String =
        "abcd".chars().zip(expected.split(' ')).map(|(utt, label)| format!("{utt} {label} \n")).collect();
    ran.succeeds().stdout_is(lines);
}

#[test]
fn what_is_similar_enough_is_merged() {
    clusters("", "1 2 1 2");
    clusters("--threshold=1.5", "3 1 3 2");
    clusters("--threshold=4", "1 2 3 4");
    clusters("--threshold=-3.5", "1 1 1 1");
    clusters("--read-costs=true --threshold=-2", "2 1 1 2");
}

#[test]
fn there_are_as_many_clusters_as_speakers() {
    clusters("--threshold=9 --reco2num-spk-rspecifier=ark:num2", "1 2 1 2");
    clusters("--reco2num-spk-rspecifier='ark:echo r 3 |'", "3 1 3 2");
    clusters("--reco2num-spk-rspecifier='ark:echo r 99 |'", "1 2 3 4");
}

#[test]
fn clusters_may_be_limited_in_size() {
    let scratch = scores();
    scratch.write("s.ark", "r [ 9 8 7 -4\n 8 9 7 1\n 7 7 9 -3\n -4 1 -3 9 ]\n");
    let run = |option: &str| {
        scratch
            .sh(&format!("agglomerative-cluster {option} ark:s.ark ark:reco2utt ark,t:- | tr -d 'a-d \\n'"))
            .succeeds()
    };
    let speakers = "--reco2num-spk-rspecifier=ark:num2";
    run(speakers).stdout_is("2221");
    run(&format!("{speakers} --max-spk-fraction=0.5")).stdout_is("1122");
    // No effect below 1 / 2, above 1, or without a number of speakers.
    run(&format!("{speakers} --max-spk-fraction=0.4")).stdout_is("2221");
    run(&format!("{speakers} --max-spk-fraction=1.1")).stdout_is("2221");
    run("--max-spk-fraction=0.5 --threshold=-9").stdout_is("1111");
}

#[test]
fn large_recordings_are_clustered_in_two_passes() {
    clusters("--first-pass-max-utterances=2", "1 2 1 2");
    clusters("--first-pass-max-utterances=1 --threshold=-9", "1 1 1 1");
}

#[test]
fn nothing_to_do_is_no_failure() {
    scores().sh("agglomerative-cluster ark:/dev/null ark:reco2utt ark,t:-").succeeds().stdout_is("");
}

#[track_caller]
fn refuses(options: &str, scores_of_r: &str, message: &str) {
    let scratch = scores();
    let before = scratch.list();
    let ran =
        scratch.sh(&format!("printf 'r {scores_of_r}\\n' | agglomerative-cluster {options} ark:- ark:reco2utt ark:o"));
    ran.fails_with(255).stderr_has(message);
    assert_eq!(scratch.list(), before);
}

/// Kaldi fails assertions, reads beyond its memory, or leaves segments out without a word.
#[test]
fn scores_that_are_no_square_for_all_segments_are_an_error() {
    refuses("", "[ 1 2\\n 2 1 ]", "r: expected 2 utterances, one for each row of scores, got 4");
    refuses("", "[ 1 2\\n 2 1\\n 1 1\\n 1 1 ]", "r: expected 4 columns of costs, got 2");
    let scratch = scores();
    let ran = scratch.sh("echo 's [ ]' | agglomerative-cluster ark:- 'ark:echo s |' ark:o");
    ran.fails_with(255).stderr_has("s: expected 1 points at least, got 0");
}

#[test]
fn what_is_missing_or_makes_no_sense_is_an_error() {
    let scores = "[ 1 1 1 1\\n 1 1 1 1\\n 1 1 1 1\\n 1 1 1 1 ]";
    refuses("--reco2num-spk-rspecifier='ark:echo q 1 |'", scores, "r: no number of speakers");
    for number in ["0", "-1"] {
        let option = format!("--reco2num-spk-rspecifier='ark:echo r {number} |'");
        refuses(&option, scores, "r: expected --reco2num-spk-rspecifier to be a table of numbers from 1 up");
    }
    refuses("--first-pass-max-utterances=0", scores, "r: expected --first-pass-max-utterances to be 1 at least");
    let ran = self::scores().sh("echo 's [ 1 ]' | agglomerative-cluster ark:- ark:reco2utt ark:o");
    ran.fails_with(255).stderr_has("s: no list of utterances");
}

#[test]
fn a_broken_entry_leaves_no_output_behind() {
    refuses("", "[ 1 x ]", "r: standard input:1: expected a number");
}
