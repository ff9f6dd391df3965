use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive};

fn voiced() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("f.txt", "a [ 0.9 120\n 0.2 121\n 0.8 128.5\n 0.9 131\n 0 140\n 1 138 ]\n");
    scratch
}

/// As Kaldi computes it.
#[test]
fn voicing_becomes_log_odds_and_pitch_is_normalized() {
    let ran = voiced().sh("process-pitch-feats ark:f.txt ark,t:-");
    ran.succeeds()
        .stdout_is(
            "a  [\n  2.196336 -0.07639217 \n  -1.385919 -0.0680933 \n  1.38592 -0.01267376 \n  2.196336 0.01527863 \n  \
             -9.210441 0.07775831 \n  9.210441 0.06336975 ]\n",
        )
        .stderr_has("Done 1 utterances, 0 with errors.");
}

#[test]
fn windows_have_options() {
    let ran =
        voiced().sh("process-pitch-feats --normalization-window-size=3 --average-window-size=1 ark:f.txt ark,t:-");
    ran.succeeds().stdout_is(
        "a  [\n  2.196336 -0.0255785 \n  -1.385919 -0.01727962 \n  1.38592 -0.008524895 \n  2.196336 -0.03307724 \n  \
         -9.210441 0.03336763 \n  9.210441 0.01897907 ]\n",
    );
}

#[test]
fn pitch_with_gaps_comes_through_interpolate_pitch() {
    let scratch = Scratch::new();
    scratch.write("f.txt", "a [ 0.9 120\n 0.2 0\n 0.8 128.5 ]\n");
    scratch.sh("copy-feats ark:f.txt ark,scp:o.ark,pitch.scp").succeeds();
    let ran =
        scratch.sh("interpolate-pitch scp:pitch.scp ark:- | process-pitch-feats ark:- ark:- | feat-to-dim ark:- -");
    ran.succeeds().stdout_is("2\n");
    scratch
        .sh("process-pitch-feats scp:pitch.scp ark:-")
        .fails_with(255)
        .stderr_has("a: expected the pitch to be positive");
}

#[test]
pub fn options_are_checked_before_features_are_read() {
    for (option, message) in [
        ("--average-window-size=4", "expected --average-window-size to be odd and positive, got 4"),
        (
            "--normalization-window-size=-1",
            "Invalid option --normalization-window-size=-1: expected an integer from 0 to 2147483647",
        ),
    ] {
        let ran = Scratch::new().sh(&format!("process-pitch-feats {option} ark:/dev/null ark:-"));
        ran.fails_with(255).stderr_has(message);
    }
}

#[test]
fn empty_features_are_left_out_with_a_warning() {
    let scratch = voiced();
    scratch.write("e.ark", binary_archive(&[("e", Sample::Matrix(vec![]))]));
    let ran = scratch.sh("cat e.ark f.txt | process-pitch-feats ark:- ark:- | feat-to-len ark:- ark,t:-");
    ran.succeeds().stdout_is("a 6 \n").stderr_has("bad size 0 by 0").stderr_has("Done 1 utterances, 1 with errors.");
    scratch.sh("process-pitch-feats ark:e.ark ark:-").fails_with(1).stdout_is("");
    scratch.sh("process-pitch-feats ark:/dev/null ark:-").fails_with(1).stdout_is("");
}

#[test]
fn values_out_of_range_are_an_error() {
    let scratch = Scratch::new();
    let t = |features: &str, message: &str| {
        scratch.write("f.txt", format!("a {features}\n"));
        scratch.sh("process-pitch-feats ark:f.txt ark:o").fails_with(255).stderr_has(message);
        assert_eq!(scratch.list(), ["f.txt"]);
    };
    t("[ 1.5 100 ]", "a: expected the probability of voicing to be from 0 to 1, got 1.5 in frame 0");
    t("[ 0.5 100\n nan 100 ]", "a: expected the probability of voicing to be from 0 to 1, got NaN in frame 1");
    t("[ 0.5 -1 ]", "a: expected the pitch to be positive, got -1.0 in frame 0");
    t("[ 0.5 ]", "a: expected features with 2 columns, got 1");
}
