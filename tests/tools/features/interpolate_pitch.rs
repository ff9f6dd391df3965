use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive};

/// Two utterances with gaps.
fn with_gaps() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("f.txt", "a [ 0.9 120\n 0.2 0\n 0.8 128.5\n 0.9 131 ]\nb [ 0.1 0\n 0.95 200\n 0.5 0 ]\n");
    scratch
}

/// What Kaldi computes, random numbers and all: those of the second utterance come after those of the first.
#[test]
fn the_model_draws_the_numbers_that_kaldi_draws() {
    let ran = with_gaps().sh("interpolate-pitch ark:f.txt ark,t:-");
    ran.succeeds()
        .stdout_is(
            "a  [\n  0.9 128.6393 \n  0.2 130.4225 \n  0.8 128.8676 \n  0.9 132.8062 ]\n\
             b  [\n  0.1 202.8889 \n  0.95 201.7841 \n  0.5 202.0904 ]\n",
        )
        .stderr_has("Over 7 frames, 42.8571% were zero at input, and 14.2857% were not zero but were changed.")
        .stderr_has("Done 2 utterances, 0 with errors.");
}

#[test]
fn the_model_has_options() {
    let options = "--max-voicing-prob=0.6 --interpolator-factor=0.01 --pitch-interval=2 --max-pitch-change-per-frame=5";
    let ran = with_gaps().sh(&format!("interpolate-pitch {options} ark:f.txt ark,t:-"));
    ran.succeeds().stdout_is(
        "a  [\n  0.9 128.3196 \n  0.2 129.2112 \n  0.8 128.4338 \n  0.9 130.4031 ]\n\
         b  [\n  0.1 201.4445 \n  0.95 200.8921 \n  0.5 201.0452 ]\n",
    );
}

#[test]
fn options_of_the_model_have_their_ranges() {
    for (option, message) in [
        ("--pitch-interval=20", "expected --pitch-interval to be between 0 and 20, got 20"),
        ("--interpolator-factor=1", "expected --interpolator-factor to be between 0 and 1, got 1"),
        ("--max-voicing-prob=0.2", "expected --max-voicing-prob to be from 0.5 to 1, got 0.2"),
        ("--max-pitch-change-per-frame=8", "to be more than twice --pitch-interval, got 8"),
    ] {
        let scratch = with_gaps();
        scratch.sh(&format!("interpolate-pitch {option} ark:f.txt ark:-")).fails_with(255).stderr_has(message);
        // Straight lines have no use for them.
        let ran = scratch.sh(&format!("interpolate-pitch {option} --linear-interpolation ark:f.txt ark:/dev/null"));
        ran.succeeds();
    }
}

#[test]
fn straight_lines_fill_gaps_where_they_are_asked_for() {
    let scratch = with_gaps();
    scratch.write("g.txt", "g [ 1 90\n 1 100\n 0 0\n 0 0\n 1 130\n 0 0 ]\n");
    scratch.sh("copy-feats ark:g.txt ark,scp:o.ark,pitch.scp").succeeds();
    let ran =
        scratch.sh("interpolate-pitch --linear-interpolation=true scp:pitch.scp ark:- | select-feats 1 ark:- ark,t:-");
    ran.succeeds().stdout_is("g  [\n  90 \n  100 \n  110 \n  120 \n  130 \n  123.5 ]\n").stderr_lacks("Over");
}

#[test]
fn empty_features_are_left_out_with_a_warning() {
    let scratch = Scratch::new();
    let one = Sample::Matrix(vec![vec![0.5, 100.0]]);
    scratch.write("f.ark", binary_archive(&[("a", Sample::Matrix(vec![])), ("b", one.clone())]));
    let ran = scratch.sh("interpolate-pitch --linear-interpolation=true ark:f.ark ark:-");
    ran.succeeds()
        .stdout_is(binary_archive(&[("b", one)]))
        .stderr_has("Feature file has bad size 0 by 0")
        .stderr_has("Done 1 utterances, 1 with errors.");
    scratch.sh("interpolate-pitch ark:/dev/null ark:-").fails_with(1).stdout_is("");
}

#[test]
fn what_is_no_pitch_is_an_error() {
    let scratch = Scratch::new();
    let t = |features: &str, options: &str, message: &str| {
        scratch.write("f.txt", format!("a {features}\n"));
        let ran = scratch.sh(&format!("interpolate-pitch {options} ark:f.txt ark:o"));
        ran.fails_with(255).stderr_has(message);
        assert_eq!(scratch.list(), ["f.txt"]);
    };
    t("[ 1 2 3 ]", "", "a: expected features with 2 columns, got 3");
    t("[ 1 ]", "--linear-interpolation", "a: expected features with 2 columns, got 1");
    t("[ 0.5 100\n 0.5 nan ]", "", "a: expected the pitch to be 0 or more, got NaN in frame 1");
    t("[ 0.5 1e30 ]", "", "a: 1 by ");
    t("[ 1 100\n 1 200 ]", "--max-voicing-prob=1", "no pitch is possible");
}
