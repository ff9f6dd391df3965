use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, matrix, text_archive};

fn numbered(frames: impl IntoIterator<Item = usize>) -> Sample {
    Sample::Matrix(frames.into_iter().map(|frame| vec![frame as f32, -(frame as f32)]).collect())
}

#[track_caller]
fn gives(options: &str, frames: impl IntoIterator<Item = usize>) {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&[("a", numbered(0..10))]));
    let ran = scratch.sh(&format!("subsample-feats {options} ark:f.ark ark:-"));
    ran.succeeds().stdout_is(binary_archive(&[("a", numbered(frames))]));
}

#[test]
fn every_nth_frame_is_kept() {
    gives("--n=2", [0, 2, 4, 6, 8]);
    gives("", 0..10);
    gives("--n=100", [0]);
    gives("--n=2147483647", [0]);
}

#[test]
fn the_offset_is_that_of_the_first_frame() {
    gives("--n=3 --offset=1", [1, 4, 7]);
    gives("--n=2 --offset=9", [9]);
}

#[test]
fn frames_are_repeated_where_n_is_negative() {
    gives("--n=-1", 0..10);
    gives("--n=-3", (0..10).flat_map(|frame| [frame; 3]));
    // As in Kaldi the offset does not count then, whatever it is.
    gives("--n=-2 --offset=-5", (0..10).flat_map(|frame| [frame; 2]));
}

#[test]
fn frames_are_counted() {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&[("a", matrix(1, 7, 2)), ("b", matrix(2, 2, 2))]));
    let ran = scratch.sh("subsample-feats --n=2 --offset=2 ark:f.ark ark:/dev/null");
    ran.succeeds()
        .stderr_has("For utterance b, output would have no rows, producing no output.")
        .stderr_has("Processed 1 feature matrices; 1 with errors.")
        .stderr_has("Processed 9 input frames and 3 output frames.");
    scratch.sh("subsample-feats --offset=7 ark:f.ark ark:-").fails_with(1).stdout_is("");
}

#[test]
fn empty_features_can_only_be_repeated() {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&[("a", Sample::Matrix(vec![]))]));
    scratch.sh("subsample-feats --n=-2 ark:f.ark ark,t:-").succeeds().stdout_is("a  [ ]\n");
    scratch.sh("subsample-feats --n=2 ark:f.ark ark,t:-").fails_with(1).stdout_is("");
    scratch.sh("subsample-feats ark:/dev/null ark,t:-").fails_with(1).stdout_is("");
}

#[test]
pub fn options_are_checked_before_features_are_read() {
    let t = |options: &str, message: &str| {
        let ran = Scratch::new().sh(&format!("subsample-feats {options} ark:/dev/null ark:-"));
        ran.fails_with(255).stderr_has(message);
    };
    t("--n=0", "expected --n not to be 0");
    t("--n=2 --offset=-1", "expected --offset to be 0 or more, got -1");
}

#[test]
fn more_frames_than_a_matrix_can_have_are_refused() {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&[("a", matrix(1, 2, 2))]));
    let ran = scratch.sh("ulimit -v 4000000; subsample-feats --n=-2147483648 ark:f.ark ark:-");
    ran.fails_with(255).stderr_has("a: 4294967296 by 2 elements are too many");
}

#[test]
fn features_go_down_and_up_through_pipes() {
    let scratch = Scratch::new();
    scratch.write("f.txt", text_archive(&[("a", numbered(0..4))]));
    let ran = scratch.sh("subsample-feats --n=2 ark:f.txt ark:- | subsample-feats --n=-2 ark:- ark,t:-");
    ran.succeeds().stdout_is(text_archive(&[("a", numbered([0, 0, 2, 2]))]));
}
