use crate::support::Scratch;
use crate::support::sample::Sample;

fn transforms() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("linear.mat", " [ 1 1\n 1 -1 ]\n")
        .write("affine.mat", " [ 1 0 10\n 0 2 20 ]\n")
        .write("empty.mat", " [ ]\n")
        .write("a.ark", "a1 [ 1 1\n 1 -1 ]\na2 [ 2 0\n 0 2 ]\nb1 [ 3 0\n 0 3 ]\n")
        .write("b.ark", "a1 [ 1 0\n 0 2 ]\nb1 [ 1 2\n 3 4 ]\n")
        .write("utt2spk", "a1 a\na2 a\nb1 b\n");
    scratch
}

#[test]
fn files_are_composed() {
    let scratch = transforms();
    let ran = scratch.sh("compose-transforms --binary=false linear.mat linear.mat -");
    ran.succeeds().stdout_is(" [\n  2 0 \n  0 2 ]\n");
    // The second transform is a linear one of three dimensions unless it is said to be affine; here it makes no difference.
    let ran = scratch.sh("compose-transforms --binary=false linear.mat affine.mat -");
    ran.succeeds().stdout_is(" [\n  1 2 30 \n  1 -2 -10 ]\n");
    scratch.sh("compose-transforms linear.mat linear.mat o").succeeds();
    assert_eq!(scratch.read("o"), Sample::Matrix(vec![vec![2.0, 0.0], vec![0.0, 2.0]]).binary());
}

#[test]
fn an_affine_first_transform_takes_the_second_for_linear_unless_told() {
    let scratch = transforms();
    let ran = scratch.sh("compose-transforms --binary=false affine.mat linear.mat -");
    ran.succeeds().stdout_is(" [\n  1 1 10 \n  2 -2 20 ]\n");
    let ran = scratch.sh("compose-transforms --b-is-affine=true --binary=false affine.mat affine.mat -");
    ran.succeeds().stdout_is(" [\n  1 0 20 \n  0 4 60 ]\n").stderr_lacks("WARNING");
    let ran = scratch.sh("compose-transforms --binary=false affine.mat affine.mat -");
    ran.succeeds()
        .stdout_is(" [\n  1 0 10 10 \n  0 4 40 20 ]\n")
        .stderr_has("Both transforms look affine, but there is no --b-is-affine");
}

#[test]
fn tables_are_composed_by_the_keys_of_the_first() {
    let ran = transforms().sh("compose-transforms ark:a.ark ark:b.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a1  [\n  1 2 \n  1 -2 ]\nb1  [\n  3 6 \n  9 12 ]\n")
        .stderr_has("Second table does not have key a2");
    let ran = transforms().sh("compose-transforms ark:/dev/null ark:b.ark ark,t:-");
    ran.succeeds().stdout_is("");
}

#[test]
fn a_file_is_composed_with_each_of_a_table() {
    let ran = transforms().sh("compose-transforms ark:b.ark linear.mat ark,t:-");
    ran.succeeds().stdout_is("a1  [\n  1 1 \n  2 -2 ]\nb1  [\n  3 -1 \n  7 -1 ]\n");
    let ran = transforms().sh("compose-transforms linear.mat ark:b.ark ark,t:-");
    ran.succeeds().stdout_is("a1  [\n  1 2 \n  1 -2 ]\nb1  [\n  4 6 \n  -2 -2 ]\n");
}

/// As in Kaldi, though it makes little sense.
#[test]
fn with_speakers_the_second_table_needs_speakers_and_utterances() {
    let scratch = transforms();
    scratch
        .write("spk.ark", "a [ 1 0\n 0 1 ]\n")
        .write("both.ark", "a [ 9 9\n 9 9 ]\na1 [ 1 0\n 0 2 ]\na2 [ 0 1\n 1 0 ]\n");
    let ran = scratch.sh("compose-transforms --utt2spk=ark:utt2spk ark:a.ark ark:both.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a1  [\n  1 2 \n  1 -2 ]\na2  [\n  0 2 \n  2 0 ]\n")
        .stderr_has("Second table does not have key b");
    let ran = scratch.sh("compose-transforms --utt2spk=ark:utt2spk ark:a.ark ark:spk.ark ark:o");
    ran.fails_with(255).stderr_has("a1: the second table has speaker a, but not the utterance itself");
    let ran = scratch.sh("compose-transforms --utt2spk=ark:/dev/null ark:a.ark ark:both.ark ark,t:-");
    ran.succeeds().stdout_is("").stderr_has("No speaker provided for utterance b1");
    assert!(!scratch.list().contains(&"o".to_owned()));
}

#[test]
fn empty_transforms_are_skipped() {
    let scratch = transforms();
    scratch.write("a.ark", "a1 [ ]\nb1 [ 1 0\n 0 1 ]\n");
    let ran = scratch.sh("compose-transforms ark:a.ark ark:b.ark ark,t:-");
    ran.succeeds().stdout_is("b1  [\n  1 2 \n  3 4 ]\n").stderr_has("Empty matrix in ComposeTransforms for a1");
    let before = scratch.list();
    scratch.sh("compose-transforms empty.mat linear.mat o").fails_with(1).stderr_has("Empty matrix");
    scratch.sh("compose-transforms linear.mat empty.mat o").fails_with(1).stderr_has("Empty matrix");
    assert_eq!(scratch.list(), before);
}

#[test]
fn what_cannot_be_composed_leaves_no_output_behind() {
    let scratch = transforms();
    scratch.write("wide.ark", "a1 [ 1 2 3 4 ]\n").write("wide.mat", " [ 1 2 3 4 ]\n").write("bad.ark", "a1 [ x ]\n");
    let before = scratch.list();
    let ran = scratch.sh("compose-transforms wide.mat linear.mat o");
    ran.fails_with(255).stderr_has("mismatched dimensions: expected 2 or 3 columns of a for the 2 rows of b, got 4");
    let ran = scratch.sh("compose-transforms ark:wide.ark ark:b.ark ark:o");
    ran.fails_with(255).stderr_has("a1: mismatched dimensions");
    for arguments in ["ark:bad.ark ark:b.ark", "ark:a.ark ark:bad.ark"] {
        let ran = scratch.sh(&format!("compose-transforms {arguments} ark:o"));
        ran.fails_with(255).stderr_has("a1: bad.ark:1: expected a number");
    }
    for arguments in ["ark:a.ark linear.mat o", "linear.mat linear.mat ark:o"] {
        let ran = scratch.sh(&format!("compose-transforms {arguments}"));
        ran.fails_with(255).stderr_has("the output has to be a table if one of");
    }
    for arguments in ["linear.mat ark:b.ark", "ark:b.ark linear.mat"] {
        let ran = scratch.sh(&format!("compose-transforms --utt2spk=ark:utt2spk {arguments} ark:o"));
        ran.fails_with(255).stderr_has("--utt2spk is only for two tables: linear.mat is a file");
    }
    assert_eq!(scratch.list(), before);
}
