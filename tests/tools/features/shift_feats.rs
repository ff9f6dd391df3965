use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, text_archive};

fn numbered(frames: impl IntoIterator<Item = usize>) -> Sample {
    Sample::Matrix(frames.into_iter().map(|frame| vec![frame as f32, -(frame as f32)]).collect())
}

#[track_caller]
fn gives(shift: i32, frames: impl IntoIterator<Item = usize>) {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&[("a", numbered(0..5))]));
    let ran = scratch.sh(&format!("shift-feats --shift={shift} ark:f.ark ark:-"));
    let ran = ran.succeeds().stdout_is(binary_archive(&[("a", numbered(frames))]));
    ran.stderr_has(&format!("Shifted 1 features by {shift} frames; 0 with errors."));
}

#[test]
fn frames_come_later_or_earlier() {
    gives(0, 0..5);
    gives(1, [0, 0, 1, 2, 3]);
    gives(-1, [1, 2, 3, 4, 4]);
    gives(3, [0, 0, 0, 0, 1]);
}

#[test]
fn a_shift_may_be_longer_than_the_features() {
    for shift in [4, 5, 100, i32::MAX] {
        gives(shift, [0; 5]);
        gives(-shift, [4; 5]);
    }
    gives(i32::MIN, [4; 5]);
}

#[test]
fn empty_features_are_left_out_with_a_warning() {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&[("a", Sample::Matrix(vec![])), ("b", numbered(0..2))]));
    let ran = scratch.sh("shift-feats --shift=1 ark:f.ark ark,t:-");
    ran.succeeds()
        .stdout_is(text_archive(&[("b", numbered([0, 0]))]))
        .stderr_has("Empty matrix for key a")
        .stderr_has("Shifted 1 features by 1 frames; 1 with errors.");
    scratch.write("f.ark", binary_archive(&[("a", Sample::Matrix(vec![]))]));
    scratch.sh("shift-feats ark:f.ark ark,t:-").fails_with(1).stdout_is("");
    scratch.sh("shift-feats ark:/dev/null ark,t:-").fails_with(1).stdout_is("");
}

#[test]
fn single_files_are_shifted_in_the_form_asked_for() {
    let scratch = Scratch::new();
    scratch.write("foo.mat", numbered(0..3).binary());
    scratch.sh("shift-feats --shift=1 foo.mat bar.mat").succeeds().stderr_lacks("Shifted");
    assert_eq!(scratch.read("bar.mat"), numbered([0, 0, 1]).binary());
    let ran = scratch.sh("shift-feats --binary=false --shift=-1 foo.mat -");
    ran.succeeds().stdout_is(numbered([1, 2, 2]).text());
    scratch.write("empty.mat", Sample::Matrix(vec![]).binary());
    scratch.sh("shift-feats empty.mat o").fails_with(255).stderr_has("Empty input matrix");
    scratch.sh("shift-feats ark:foo.mat o").fails_with(255).stderr_has("Cannot mix archives with regular files");
    scratch.sh("shift-feats foo.mat ark:o").fails_with(255).stderr_has("Cannot mix archives with regular files");
    assert!(!scratch.list().contains(&"o".to_owned()));
}
