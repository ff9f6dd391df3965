use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, matrix};

fn feats() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("f.ark", "a [ 1 2\n 3 4 ]\nb [ 5 6 ]\nc [ -1 0 ]\n")
        .write("spk2utt", "s a c\nt x b\nu y\n")
        .write("w.ark", "a [ 2 0.5 ]\nb [ 1 1 ]\n");
    scratch
}

#[test]
fn every_utterance_has_sums_sums_of_squares_and_a_count() {
    let ran = feats().sh("compute-cmvn-stats ark:f.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [\n  4 6 2 \n  10 20 0 ]\nb  [\n  5 6 1 \n  25 36 0 ]\nc  [\n  -1 0 1 \n  1 0 0 ]\n")
        .stderr_has("Done accumulating CMVN stats for 3 utterances; 0 had errors.");
}

#[test]
fn statistics_in_tables_are_in_double_precision() {
    let scratch = feats();
    scratch.sh("head -n 2 f.ark | compute-cmvn-stats ark:- ark:o").succeeds();
    let expected = Sample::MatrixF64(vec![vec![4.0, 6.0, 2.0], vec![10.0, 20.0, 0.0]]);
    assert_eq!(scratch.read("o"), binary_archive(&[("a", expected)]));
}

#[test]
fn every_speaker_has_those_of_all_utterances() {
    let scratch = feats();
    let ran =
        scratch.sh("compute-cmvn-stats --spk2utt=ark:spk2utt ark:f.ark ark,scp,t:cmvn.ark,cmvn.scp; cat cmvn.ark");
    ran.succeeds()
        .stdout_is("s  [\n  3 6 3 \n  11 20 0 ]\nt  [\n  5 6 1 \n  25 36 0 ]\n")
        .stderr_has("Did not find features for utterance x")
        .stderr_has("No stats accumulated for speaker u")
        .stderr_has("Done accumulating CMVN stats for 3 utterances; 2 had errors.");
    assert_eq!(scratch.read("cmvn.scp"), b"s cmvn.ark:2\nt cmvn.ark:28\n");
}

#[test]
fn a_file_has_those_of_everything_in_single_precision() {
    let scratch = feats();
    let ran = scratch.sh("compute-cmvn-stats ark:f.ark global.mat");
    ran.succeeds()
        .stderr_has("Wrote global CMVN stats to global.mat")
        .stderr_has("Done accumulating CMVN stats for 3 utterances; 0 had errors.");
    let expected = Sample::Matrix(vec![vec![8.0, 12.0, 4.0], vec![36.0, 56.0, 0.0]]);
    assert_eq!(scratch.read("global.mat"), expected.binary());
    let ran = scratch.sh("compute-cmvn-stats --binary=false ark:f.ark -");
    ran.succeeds().stdout_is(" [\n  8 12 4 \n  36 56 0 ]\n");
}

#[test]
fn frames_may_have_weights() {
    let scratch = feats();
    let ran = scratch.sh("compute-cmvn-stats --weights=ark:w.ark ark:f.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [\n  3.5 6 2.5 \n  6.5 16 0 ]\n")
        .stderr_has("Weights for utterance b have wrong dimension 2 vs. 1")
        .stderr_has("No weights available for utterance c")
        .stderr_has("for 1 utterances; 2 had errors.");
    let ran = scratch.sh("compute-cmvn-stats --binary=false --weights=ark:w.ark ark:f.ark -");
    ran.succeeds().stdout_is(" [\n  3.5 6 2.5 \n  6.5 16 0 ]\n");
}

#[test]
fn a_speaker_without_weights_has_statistics_of_no_frames() {
    let ran = feats().sh("compute-cmvn-stats --weights=ark:w.ark --spk2utt=ark:spk2utt ark:f.ark ark,t:-");
    ran.succeeds()
        .stdout_is("s  [\n  3.5 6 2.5 \n  6.5 16 0 ]\nt  [\n  0 0 0 \n  0 0 0 ]\n")
        .stderr_has("for 1 utterances; 4 had errors.");
}

#[test]
fn frames_of_weight_zero_do_no_harm() {
    let ran = feats()
        .sh("echo 'a [ nan ; 2 ]' > n.ark; echo 'a [ 0 1 ]' | compute-cmvn-stats --weights=ark:- ark:n.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  2 1 \n  4 0 ]\n");
}

#[test]
fn nothing_done_is_a_failure_though_all_is_written() {
    let scratch = feats();
    let ran = scratch.sh("compute-cmvn-stats --weights=ark:/dev/null ark:f.ark ark:o");
    ran.fails_with(1).stderr_has("for 0 utterances; 3 had errors.");
    assert_eq!(scratch.read("o"), b"");
    scratch.sh("compute-cmvn-stats ark:/dev/null ark,t:-").fails_with(1).stdout_is("");
    scratch.sh("compute-cmvn-stats --binary=false ark:/dev/null -").fails_with(1).stdout_is(" [ ]\n");
    scratch.sh("compute-cmvn-stats --spk2utt=ark:/dev/null ark:f.ark ark,t:-").fails_with(1).stdout_is("");
}

#[test]
fn features_without_frames_are_an_error_where_they_come_first() {
    let scratch = feats();
    scratch.write("first.ark", "a [ ]\nb [ 1 ]\n").write("later.ark", "b [ 1 ]\na [ ]\n").write("ab", "s b a\n");
    for arguments in ["ark:later.ark ark:o", "ark:first.ark o", "ark:first.ark ark:o"] {
        let ran = scratch.sh(&format!("compute-cmvn-stats {arguments}"));
        ran.fails_with(255).stderr_has("a: expected features, got an empty matrix");
    }
    scratch.sh("compute-cmvn-stats --spk2utt='ark:echo s a |' ark:first.ark ark:o").fails_with(255).stdout_is("");
    assert_eq!(scratch.list(), ["ab", "f.ark", "first.ark", "later.ark", "spk2utt", "w.ark"]);
    // Later they add nothing.
    let ran = scratch.sh("compute-cmvn-stats --spk2utt=ark:ab ark:first.ark ark,t:-");
    ran.succeeds().stdout_is("s  [\n  1 1 \n  1 0 ]\n").stderr_has("for 2 utterances; 0 had errors.");
    let ran = scratch.sh("compute-cmvn-stats --binary=false ark:later.ark -");
    ran.succeeds().stdout_is(" [\n  1 1 \n  1 0 ]\n").stderr_has("for 2 utterances; 0 had errors.");
}

#[test]
fn features_of_other_dimensions_are_not_summed() {
    let scratch = feats();
    scratch.write("d.ark", "a [ 1 2 ]\nb [ 3 ]\n").write("ab", "s a b\n");
    for arguments in ["ark:d.ark o", "--spk2utt=ark:ab ark:d.ark ark:o"] {
        let ran = scratch.sh(&format!("compute-cmvn-stats {arguments}"));
        ran.fails_with(255).stderr_has("b: Dim mismatch: expected CMVN statistics of 2 by");
    }
    assert_eq!(scratch.list(), ["ab", "d.ark", "f.ark", "spk2utt", "w.ark"]);
    let ran = scratch.sh("compute-cmvn-stats ark:d.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  1 2 1 \n  1 4 0 ]\nb  [\n  3 1 \n  9 0 ]\n");
}

#[test]
fn a_file_is_not_for_speakers() {
    let scratch = feats();
    let ran = scratch.sh("compute-cmvn-stats --spk2utt=ark:spk2utt ark:f.ark o");
    ran.fails_with(255).stderr_has("--spk2utt does not go with").stderr_has("ark:o");
    assert_eq!(scratch.list(), ["f.ark", "spk2utt", "w.ark"]);
}

#[test]
fn statistics_of_everything_do_not_depend_on_the_number_of_threads() {
    let scratch = Scratch::new();
    let keys: Vec<String> = (0..40).map(|number| format!("utt{number}")).collect();
    let entries: Vec<_> = keys.iter().zip(0..).map(|(key, seed)| (key.as_str(), matrix(seed, 500, 30))).collect();
    scratch.write("m.ark", binary_archive(&entries));
    for threads in 1..4 {
        scratch.sh(&format!("compute-cmvn-stats --num-threads={threads} ark:m.ark {threads}.mat")).succeeds();
        assert!(scratch.read("1.mat") == scratch.read(&format!("{threads}.mat")), "{threads} threads");
    }
}

#[test]
fn a_command_that_fails_is_an_error() {
    let scratch = feats();
    for arguments in [
        "'ark:cat f.ark; exit 3 |' o",
        "'ark:cat f.ark; exit 3 |' ark:o",
        "--spk2utt='ark:cat spk2utt; exit 3 |' ark:f.ark ark:o",
        "--spk2utt=ark:spk2utt 'ark:cat f.ark; exit 3 |' ark:o",
        "--weights='ark:cat w.ark; exit 3 |' ark:f.ark ark:o",
        "--weights='ark:cat w.ark; exit 3 |' --spk2utt=ark:spk2utt ark:f.ark ark:o",
    ] {
        scratch.sh(&format!("compute-cmvn-stats {arguments}")).fails_with(255).stderr_has("exit 3 |");
    }
    assert_eq!(scratch.list(), ["f.ark", "spk2utt", "w.ark"]);
}

#[test]
fn statistics_of_everything_may_be_an_object_in_json() {
    let scratch = Scratch::new();
    scratch.write("f", "a  [\n  1 2.5\n  3 -4 ]\nb  [\n  0.5 1 ]\n");
    let line = "{\"mean_stat\": [4.5, -0.5], \"var_stat\": [10.25, 23.25], \"frame_num\": 3}\n";
    scratch.sh("compute-cmvn-stats --format=json ark:f out && cat out").succeeds().stdout_is(line);
    scratch
        .sh("compute-cmvn-stats --format=json ark:f ark:out")
        .fails_with(255)
        .stderr_has("--format=json is for statistics of everything");
    scratch.sh("compute-cmvn-stats --format=json ark:/dev/null new").fails_with(255);
    scratch.sh("ls new").fails_with(2);
}
