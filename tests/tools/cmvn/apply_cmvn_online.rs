use crate::support::Scratch;

/// Global statistics are of four frames with a mean of 10 and a variance of 4.
fn feats() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("global.mat", " [ 40 4\n 416 0 ]\n")
        .write("f.ark", "a [ 1 ; 4 ; 7 ]\nb [ 5 ]\n")
        .write("spk2utt", "s b x a\n");
    scratch
}

#[test]
fn the_global_mean_stands_in_at_the_beginning() {
    // 200 frames of 10 and, one after the other, those of the utterance.
    let ran = feats().sh("apply-cmvn-online global.mat ark:f.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [\n  -8.955224 \n  -5.925742 \n  -2.91133 ]\nb  [\n  -4.975124 ]\n")
        .stderr_has("Applied online CMVN to 2 files, or 4 frames.");
}

#[test]
fn the_window_and_what_stands_in_have_lengths() {
    let ran = feats().sh("apply-cmvn-online --cmn-window=2 --global-frames=0 global.mat ark:f.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  0 \n  1.5 \n  1.5 ]\nb  [\n  0 ]\n");
    let ran = feats().sh("apply-cmvn-online --cmn-window=3 --global-frames=9 global.mat ark:f.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  -6 \n  -1 \n  3 ]\nb  [\n  -3.333334 ]\n");
}

#[test]
fn earlier_utterances_of_the_speaker_stand_in_before() {
    let scratch = feats();
    let command = "apply-cmvn-online --spk2utt=ark:spk2utt --cmn-window=4 --global-frames=0";
    let ran = scratch.sh(&format!("{command} global.mat ark:f.ark ark,t:-"));
    ran.succeeds()
        .stdout_is("b  [\n  0 ]\na  [\n  -2 \n  0.6666665 \n  2.75 ]\n")
        .stderr_has("No features for utterance x")
        .stderr_has("Applied online CMVN to 2 files, or 4 frames.");
    let ran = scratch.sh(&format!("{command} --speaker-frames=0 global.mat ark:f.ark ark,t:-"));
    ran.succeeds().stdout_is("b  [\n  0 ]\na  [\n  0 \n  1.5 \n  3 ]\n");
}

#[test]
fn variances_become_one_where_wanted() {
    let ran =
        feats().sh("apply-cmvn-online --norm-vars=true --cmn-window=2 --global-frames=2 global.mat ark:f.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  -0.953998 \n  1 \n  1 ]\nb  [\n  -0.8703883 ]\n");
}

#[test]
fn without_means_nothing_changes() {
    let ran = feats().sh("apply-cmvn-online --norm-means=false global.mat ark:f.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  1 \n  4 \n  7 ]\nb  [\n  5 ]\n");
}

#[test]
fn dimensions_can_be_left_as_they_are() {
    let ran = feats().sh("apply-cmvn-online --skip-dims=0 --norm-vars=true global.mat ark:f.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  1 \n  4 \n  7 ]\nb  [\n  5 ]\n");
    let ran = feats().sh("apply-cmvn-online --skip-dims=1 global.mat ark:f.ark ark:o");
    ran.fails_with(255).stderr_has("a: expected a dimension of 0 or more and below 1, got 1");
    let ran = feats().sh("apply-cmvn-online --skip-dims=a global.mat ark:f.ark ark:o");
    ran.fails_with(255).stderr_has("Invalid option --skip-dims=a: expected a colon-separated list of integers");
}

#[test]
fn global_statistics_that_do_not_fit_are_an_error_where_they_are_used() {
    let scratch = feats();
    scratch.write("wide.mat", " [ 1 1 1\n 1 1 0 ]\n").write("none.mat", " [ 0 0\n 0 0 ]\n");
    let ran = scratch.sh("apply-cmvn-online wide.mat ark:f.ark ark:o");
    ran.fails_with(255).stderr_has("a: Dim mismatch: expected CMVN statistics of 2 by 2");
    let ran = scratch.sh("apply-cmvn-online none.mat ark:f.ark ark:o");
    ran.fails_with(255).stderr_has("a: Insufficient stats");
    assert_eq!(scratch.list(), ["f.ark", "global.mat", "none.mat", "spk2utt", "wide.mat"]);
    let ran = scratch.sh("apply-cmvn-online --cmn-window=2 --global-frames=0 wide.mat ark:f.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  0 \n  1.5 \n  1.5 ]\nb  [\n  0 ]\n");
}

/// In Kaldi they are for the first frame.
#[test]
fn windows_without_frames_and_variances_without_means_are_an_error() {
    for (options, message) in [
        ("--cmn-window=0", "expected --cmn-window to be 1 or more, got 0"),
        ("--norm-means=false --norm-vars=true", "expected --norm-means to be true with --norm-vars, got false"),
    ] {
        let ran = feats().sh(&format!("apply-cmvn-online {options} global.mat ark:/dev/null ark:o"));
        ran.fails_with(255).stderr_has(message);
    }
}

#[test]
fn small_variances_are_floored_with_a_warning_an_utterance() {
    let command = "apply-cmvn-online --norm-vars=true --global-frames=0 --cmn-window=2 global.mat ark:f.ark ark,t:-";
    let ran = feats().sh(command);
    ran.succeeds()
        .stdout_is("a  [\n  0 \n  1 \n  1 ]\nb  [\n  0 ]\n")
        .stderr_has("Flooring cepstral variance from 0 to 1e-20 (utterance a, the first of 1 such)")
        .stderr_has("Flooring cepstral variance from 0 to 1e-20 (utterance b, the first of 1 such)");
}

/// In Kaldi it makes statistics of the speaker that nothing fits.
#[test]
fn an_utterance_without_frames_changes_nothing() {
    let scratch = feats();
    scratch.write("e.ark", "x [ ]\nb [ 5 ]\na [ 1 ; 4 ; 7 ]\n").write("first", "s x b a\n").write("without", "s b a\n");
    let command = |list: &str| {
        let command = format!("apply-cmvn-online --cmn-window=4 --spk2utt=ark:{list} global.mat ark:e.ark ark,t:-");
        scratch.sh(&command).succeeds().stdout().to_vec()
    };
    assert_eq!(command("first"), [&b"x  [ ]\n"[..], &command("without")].concat());
}

#[test]
fn utterances_of_a_speaker_are_of_one_dimension() {
    let scratch = feats();
    scratch.write("d.ark", "a [ 1 ]\nb [ 1 2 ]\n");
    let ran = scratch.sh("apply-cmvn-online --spk2utt='ark:echo s a b |' --global-frames=0 global.mat ark:d.ark ark:o");
    ran.fails_with(255).stderr_has("b: expected features with 1 columns, got 2");
    assert_eq!(scratch.list(), ["d.ark", "f.ark", "global.mat", "spk2utt"]);
}

#[test]
fn nothing_done_is_a_failure() {
    feats().sh("apply-cmvn-online global.mat ark:/dev/null ark:-").fails_with(1).stdout_is("");
    feats().sh("apply-cmvn-online --spk2utt='ark:echo s x |' global.mat ark:f.ark ark:-").fails_with(1).stdout_is("");
}

#[test]
fn a_broken_entry_leaves_no_output_behind() {
    let scratch = feats();
    scratch.write("bad.ark", "a [ 1 ]\nb [ x ]\n");
    for options in ["", "--spk2utt='ark:echo s a b |'"] {
        let ran = scratch.sh(&format!("apply-cmvn-online {options} global.mat ark:bad.ark ark:o"));
        ran.fails_with(255).stderr_has("b: bad.ark:2: expected a number");
    }
    let ran = scratch.sh("apply-cmvn-online global.mat 'ark:cat f.ark; exit 3 |' ark:o");
    ran.fails_with(255).stderr_has("cat f.ark; exit 3 |");
    let ran = scratch.sh("apply-cmvn-online --spk2utt='ark:cat spk2utt; exit 3 |' global.mat ark:f.ark ark:o");
    ran.fails_with(255).stderr_has("cat spk2utt; exit 3 |");
    assert_eq!(scratch.list(), ["bad.ark", "f.ark", "global.mat", "spk2utt"]);
}
