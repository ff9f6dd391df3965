use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive};

fn feats() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("f.ark", "a [ 1 2 ; 3 10 ]\nb [ 5 6 ]\n")
        .write("s.ark", "a [ 4 12 2\n 10 104 0 ]\ns [ 2 4 2\n 4 24 0 ]\n")
        .write("global.mat", " [ 4 12 2\n 10 104 0 ]\n")
        .write("utt2spk", "a s\nb s\n");
    scratch
}

#[test]
fn means_become_zero() {
    let ran = feats().sh("apply-cmvn global.mat ark:f.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [\n  -1 -4 \n  1 4 ]\nb  [\n  3 0 ]\n")
        .stderr_has("Applied cepstral mean normalization to 2 utterances, errors on 0");
}

#[test]
fn variances_become_one_where_wanted() {
    let ran = feats().sh("apply-cmvn --norm-vars=true global.mat ark:f.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [\n  -1 -1 \n  1 1 ]\nb  [\n  3 0 ]\n")
        .stderr_has("Applied cepstral mean and variance normalization to 2 utterances, errors on 0");
}

#[test]
fn statistics_are_found_by_utterance_or_speaker() {
    let scratch = feats();
    let ran = scratch.sh("apply-cmvn ark:s.ark ark:f.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [\n  -1 -4 \n  1 4 ]\n")
        .stderr_has("No normalization statistics available for key b, producing no output")
        .stderr_has("to 1 utterances, errors on 1");
    let ran = scratch.sh("apply-cmvn --utt2spk=ark:utt2spk ark:s.ark ark:f.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  0 0 \n  2 8 ]\nb  [\n  4 4 ]\n");
    let ran = scratch.sh("apply-cmvn --utt2spk='ark:echo a s |' ark:s.ark ark:f.ark ark:o");
    ran.fails_with(255).stderr_has("no entry for utterance b");
    let ran = scratch.sh("apply-cmvn ark:/dev/null ark:f.ark ark,t:-");
    ran.fails_with(1).stdout_is("").stderr_has("to 0 utterances, errors on 2");
}

/// In Kaldi, it has to be a table.
#[test]
fn the_map_of_speakers_may_be_a_file() {
    let ran = feats().sh("apply-cmvn ark:s.ark ark:f.ark ark,t:- --utt2spk=utt2spk");
    ran.succeeds().stdout_is("a  [\n  0 0 \n  2 8 ]\nb  [\n  4 4 ]\n");
    let ran = feats().sh("apply-cmvn --utt2spk='sed s/b/c/ utt2spk |' ark:s.ark ark:f.ark ark:o");
    ran.fails_with(255).stderr_has("no entry for utterance b");
    feats()
        .sh("apply-cmvn --utt2spk=nosuch ark:s.ark ark:f.ark ark:o")
        .fails_with(255)
        .stderr_has("cannot open nosuch");
    feats()
        .sh("apply-cmvn --utt2spk=ark,x:a ark:s.ark ark:f.ark ark:o")
        .fails_with(255)
        .stderr_has("invalid rspecifier");
}

#[test]
fn a_file_is_not_for_speakers() {
    let ran = feats().sh("apply-cmvn --utt2spk=ark:utt2spk global.mat ark:f.ark ark:o");
    ran.fails_with(255).stderr_has("--utt2spk does not go with statistics in a file");
}

#[test]
fn normalization_can_be_undone() {
    let ran = feats().sh("apply-cmvn --reverse=true global.mat ark:f.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  3 8 \n  5 16 ]\nb  [\n  7 12 ]\n");
    let ran = feats().sh(
        "apply-cmvn --norm-vars global.mat ark:f.ark ark:- | apply-cmvn --norm-vars --reverse global.mat ark:- ark,t:-",
    );
    ran.succeeds().stdout_is("a  [\n  1 2 \n  3 10 ]\nb  [\n  5 6 ]\n");
}

#[test]
fn dimensions_can_be_left_as_they_are() {
    let ran = feats().sh("apply-cmvn --norm-vars=true --skip-dims=0 global.mat ark:f.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  1 -1 \n  3 1 ]\nb  [\n  5 0 ]\n");
    let ran = feats().sh("apply-cmvn --skip-dims=0:1 ark:s.ark ark:f.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  1 2 \n  3 10 ]\n");
    let ran = feats().sh("apply-cmvn --skip-dims=2 global.mat ark:f.ark ark:o");
    ran.fails_with(255).stderr_has("a: expected a dimension of 0 or more and below 2, got 2");
    let ran = feats().sh("apply-cmvn --skip-dims=1,2 global.mat ark:f.ark ark:o");
    ran.fails_with(255).stderr_has("Invalid option --skip-dims=1,2: expected a colon-separated list of integers");
}

#[test]
fn without_means_features_are_copied_as_they_are() {
    let scratch = feats();
    let ran = scratch.sh("apply-cmvn --norm-means=false nowhere ark:f.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  1 2 \n  3 10 ]\nb  [\n  5 6 ]\n").stderr_has("Copied 2 utterances.");
    scratch.sh("copy-feats --compress ark:f.ark ark:c.ark; apply-cmvn --norm-means=false x ark:c.ark ark:o").succeeds();
    assert_eq!(scratch.read("o"), scratch.read("c.ark"));
    scratch.sh("apply-cmvn --norm-means=false x ark:/dev/null ark:-").fails_with(1).stdout_is("");
    let ran = scratch.sh("apply-cmvn --norm-means=false --norm-vars=true global.mat ark:f.ark ark:-");
    ran.fails_with(255).stdout_is("").stderr_has("variances cannot be normalized without means");
}

#[test]
fn single_precision_is_kept_however_statistics_are_stored() {
    let scratch = feats();
    let stats = Sample::MatrixF64(vec![vec![0.3, 3.0], vec![1.0, 0.0]]);
    scratch.write("d.mat", stats.binary()).write("g.ark", "a [ 1 ]\n");
    scratch.sh("apply-cmvn d.mat ark:g.ark ark:o").succeeds();
    let offset = (f64::from((-1.0 / 3.0) as f32) * 0.3) as f32;
    assert_eq!(scratch.read("o"), binary_archive(&[("a", Sample::Matrix(vec![vec![1.0 + offset]]))]));
}

#[test]
fn means_alone_are_enough_for_means() {
    let scratch = feats();
    scratch.write("means.mat", " [ 4 12 2 ]\n");
    let ran = scratch.sh("apply-cmvn means.mat ark:f.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  -1 -4 \n  1 4 ]\nb  [\n  3 0 ]\n");
    let ran = scratch.sh("apply-cmvn --norm-vars=true means.mat ark:f.ark ark:o");
    ran.fails_with(255).stderr_has("a: variances are to be normalized, but there are no variance stats");
    scratch.sh("apply-cmvn --skip-dims=0 means.mat ark:f.ark ark:o").fails_with(255).stderr_has("got 1 by 3");
}

#[test]
fn statistics_that_do_not_fit_are_an_error() {
    let scratch = feats();
    scratch
        .write("narrow", " [ 1 1\n 1 0 ]\n")
        .write("few", " [ 1 1 0.5\n 1 1 0 ]\n")
        .write("nan", " [ nan 1 1\n 1 1 0 ]\n");
    let fails = |arguments: &str, message: &str| {
        let ran = scratch.sh(&format!("apply-cmvn {arguments} ark:f.ark ark:o"));
        ran.fails_with(255).stderr_has(message);
    };
    fails("narrow", "a: Dim mismatch: expected CMVN statistics of 2 by 3 for features of dimension 2, got 2 by 2");
    fails("few", "a: Insufficient stats for cepstral mean and variance normalization: expected a count of 1 or more");
    fails("--norm-vars nan", "a: expected a number for the variance of dimension 0, got NaN");
    fails("f.ark", "f.ark");
    fails("nowhere", "cannot open nowhere");
    assert_eq!(scratch.list(), ["f.ark", "few", "global.mat", "nan", "narrow", "s.ark", "utt2spk"]);
}

#[test]
fn small_variances_are_floored_with_a_warning() {
    let scratch = feats();
    scratch.write("flat.mat", " [ 4 12 2\n 8 104 0 ]\n");
    let ran = scratch.sh("apply-cmvn --norm-vars=true --reverse=true flat.mat ark:f.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [\n  2 14 \n  2 46 ]\nb  [\n  2 30 ]\n")
        .stderr_has("Flooring cepstral variance from 0 to 1e-20 (dimension 0, utterance a)")
        .stderr_has("Flooring cepstral variance from 0 to 1e-20 (dimension 0, utterance b)");
}

/// In Kaldi, statistics in a file are changed for `--skip-dims` before there are features.
#[test]
fn bad_statistics_are_found_where_there_are_features() {
    let ran = feats().sh("apply-cmvn --skip-dims=9 global.mat ark:/dev/null ark:-");
    ran.fails_with(1).stdout_is("").stderr_has("to 0 utterances, errors on 0");
}

#[test]
fn a_broken_entry_leaves_no_output_behind() {
    let scratch = feats();
    scratch.write("bad.ark", "a [ 1 2 ]\nb [ x ]\n");
    for options in ["", "--norm-means=false"] {
        let ran = scratch.sh(&format!("apply-cmvn {options} global.mat ark:bad.ark ark:o"));
        ran.fails_with(255).stderr_has("b: bad.ark:2: expected a number");
    }
    let ran = scratch.sh("apply-cmvn 'ark:cat s.ark; exit 3 |' ark:f.ark ark:o");
    ran.fails_with(255).stderr_has("cat s.ark; exit 3 |");
    assert_eq!(scratch.list(), ["bad.ark", "f.ark", "global.mat", "s.ark", "utt2spk"]);
}
