use crate::support::Scratch;
use crate::support::sample::{Sample, text_archive};

/// Features with these energies in the first column, and something else in the second.
fn feats(entries: &[(&str, &[f32])]) -> Scratch {
    let matrix = |energies: &[f32]| Sample::Matrix(energies.iter().map(|&energy| vec![energy, 100.0]).collect());
    let entries: Vec<_> = entries.iter().map(|&(key, energies)| (key, matrix(energies))).collect();
    let scratch = Scratch::new();
    scratch.write("f.ark", text_archive(&entries));
    scratch
}

#[track_caller]
fn decides(options: &str, energies: &[f32], expected: &str) {
    let ran = feats(&[("a", energies)]).sh(&format!("compute-vad {options} ark:f.ark ark,t:-"));
    ran.succeeds().stdout_is(format!("a  [ {expected} ]\n"));
}

#[test]
fn the_threshold_is_constant_or_follows_the_mean() {
    decides("", &[10.0, 10.0, 10.5], "0 0 1");
    decides("--vad-energy-mean-scale=0", &[4.0, 5.0, 6.0], "0 0 1");
    decides("--vad-energy-mean-scale=1 --vad-energy-threshold=-3", &[1.0, 9.0, 5.0, 3.0], "0 1 1 1");
}

#[test]
fn the_window_votes() {
    let energies = [9.0, 9.0, 1.0, 1.0, 9.0, 9.0, 1.0, 9.0, 1.0, 1.0];
    let constant = "--vad-energy-mean-scale=0 --vad-frames-context";
    decides(&format!("{constant}=2"), &energies, "1 0 1 1 0 1 1 0 0 0");
    decides(&format!("{constant}=1 --vad-proportion-threshold=0.9"), &energies, "1 0 0 0 0 0 0 0 0 0");
    decides(&format!("{constant}=50 --vad-proportion-threshold=0.5"), &energies, "1 1 1 1 1 1 1 1 1 1");
}

#[test]
fn unvoiced_utterances_are_written_but_not_done() {
    let scratch = feats(&[("a", &[9.0, 99.0]), ("b", &[1.0])]);
    let ran = scratch.sh("compute-vad ark:f.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [ 0 1 ]\nb  [ 0 ]\n")
        .stderr_has("No frames were judged voiced for utterance b")
        .stderr_has("processed 1 utterances successfully; 0 had empty features, and 1 were completely unvoiced.")
        .stderr_has("Proportion of voiced frames was 0.333333 over 3 frames.");
    let ran = scratch.sh("compute-vad --omit-unvoiced-utts=true ark:f.ark ark,t:-");
    ran.succeeds().stdout_is("a  [ 0 1 ]\n").stderr_has("1 were completely unvoiced");
    feats(&[("b", &[1.0])]).sh("compute-vad ark:f.ark ark,t:-").fails_with(1).stdout_is("b  [ 0 ]\n");
}

#[test]
fn empty_features_are_skipped_and_counted() {
    let ran = feats(&[("a", &[]), ("b", &[99.0, 1.0])]).sh("compute-vad ark:f.ark ark,t:-");
    ran.succeeds()
        .stdout_is("b  [ 1 0 ]\n")
        .stderr_has("Empty feature matrix for utterance a")
        .stderr_has("1 had empty features");
    Scratch::new().sh("compute-vad ark:/dev/null ark,t:-").fails_with(1).stdout_is("");
}

/// Kaldi fails an assertion at the first utterance.
#[test]
fn options_that_make_no_sense_are_refused() {
    let scratch = feats(&[]);
    for option in [
        "--vad-energy-mean-scale=-1",
        "--vad-frames-context=-1",
        "--vad-proportion-threshold=1",
        "--vad-proportion-threshold=0",
    ] {
        let ran = scratch.sh(&format!("compute-vad {option} ark:f.ark ark:o"));
        ran.fails_with(255).stderr_has(&format!("expected {} to be", option.split('=').next().unwrap()));
    }
    assert_eq!(scratch.list(), ["f.ark"]);
}
