use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, matrix};

fn numbered(frames: impl IntoIterator<Item = usize>) -> Sample {
    Sample::Matrix(frames.into_iter().map(|frame| vec![frame as f32, -(frame as f32)]).collect())
}

#[test]
fn features_follow_each_other() {
    let scratch = Scratch::new();
    scratch.write("a", numbered(0..2).binary()).write("b", numbered(2..5).text()).write("c", numbered([7]).binary());
    scratch.sh("concat-feats a b c out").succeeds();
    assert_eq!(scratch.read("out"), numbered([0, 1, 2, 3, 4, 7]).binary());
    let ran = scratch.sh("concat-feats --binary=false a 'cat b |' -");
    ran.succeeds().stdout_is(numbered(0..5).text());
}

#[test]
fn entries_of_archives_and_ranges_are_files_too() {
    let scratch = Scratch::new();
    scratch.write("foo.ark", binary_archive(&[("a", numbered(0..3)), ("b", numbered(5..9))]));
    let second = binary_archive(&[("a", numbered(0..3))]).len() + 2;
    let ran = scratch.sh(&format!("concat-feats foo.ark:2 foo.ark:{second} 'foo.ark:2[1:2]' -"));
    ran.succeeds().stdout_is(numbered([0, 1, 2, 5, 6, 7, 8, 1, 2]).binary());
}

#[test]
fn dimensions_have_to_agree() {
    let scratch = Scratch::new();
    scratch.write("a", matrix(1, 2, 3).binary()).write("b", matrix(2, 2, 4).binary());
    scratch.sh("concat-feats a b out").fails_with(255).stderr_has("expected features with 3 columns, got 4");
    scratch.write("empty", Sample::Matrix(vec![]).binary());
    scratch.sh("concat-feats empty a out").fails_with(255).stderr_has("expected features with 0 columns, got 3");
    assert_eq!(scratch.list(), ["a", "b", "empty"]);
    scratch.sh("concat-feats --binary=false empty empty -").succeeds().stdout_is(" [ ]\n");
}

#[test]
fn what_cannot_be_read_leaves_nothing() {
    let scratch = Scratch::new();
    let bytes = matrix(1, 4, 3).binary();
    scratch.write("a", &bytes).write("cut", &bytes[..bytes.len() - 1]);
    scratch.sh("concat-feats a cut out").fails_with(255).stderr_has("cut:");
    scratch.sh("concat-feats a nowhere out").fails_with(255).stderr_has("cannot open nowhere");
    scratch.sh("concat-feats a ark:a out").fails_with(255).stderr_has("not of a file");
    assert_eq!(scratch.list(), ["a", "cut"]);
}
