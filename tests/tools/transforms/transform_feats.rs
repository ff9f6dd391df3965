use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, matrix, text_archive};

const FEATS: &str = "a [ 1 2\n 3 4 ]\nb [ 5 6 ]\n";
const LINEAR: &str = " [ 1 0\n 0 2\n 1 1 ]\n";
const AFFINE: &str = " [ 1 0 10\n 0 2 20 ]\n";

fn feats() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("f.ark", FEATS).write("linear.mat", LINEAR).write("affine.mat", AFFINE);
    scratch
}

#[test]
fn a_file_is_the_transform_of_all() {
    let ran = feats().sh("cat f.ark | transform-feats linear.mat ark:- ark,t:-");
    ran.succeeds()
        .stdout_is("a  [\n  1 4 3 \n  3 8 7 ]\nb  [\n  5 12 11 ]\n")
        .stderr_has("Applied transform to 2 utterances; 0 had errors.")
        .stderr_lacks("logdet");
    let ran = feats().sh("transform-feats 'linear.mat[2:2]' ark:f.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  3 \n  7 ]\nb  [\n  11 ]\n");
}

#[test]
fn one_column_more_is_an_offset() {
    let ran = feats().sh("transform-feats affine.mat ark:f.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [\n  11 24 \n  13 28 ]\nb  [\n  15 32 ]\n")
        .stderr_has("Overall average logdet is 0.693147 over 3 frames.");
}

#[test]
fn fewer_rows_than_columns_have_a_pseudo_determinant() {
    let ran = feats().sh("echo '[ 3 4 ]' | transform-feats - ark:f.ark ark,t:-");
    ran.succeeds().stderr_has("Overall average [pseudo-]logdet is 1.60944 over 3 frames.");
}

#[test]
fn the_average_determinant_is_weighted_by_frames() {
    let scratch = feats();
    scratch.write("t.ark", "a [ 1 0\n 0 1 ]\nb [ 2 0\n 0 4 ]\n");
    let ran = scratch.sh("transform-feats ark:t.ark ark:f.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [\n  1 2 \n  3 4 ]\nb  [\n  10 24 ]\n")
        .stderr_has("Overall average logdet is 0.693147 over 3 frames.");
}

#[test]
fn neither_features_nor_transform_may_be_empty() {
    let scratch = feats();
    scratch.write("gap.ark", "a [ 1 2 ]\nb [ ]\n").write("t.ark", "a [ 1 0 ]\nb [ ]\n");
    let ran = scratch.sh("transform-feats linear.mat ark:gap.ark ark:o");
    ran.fails_with(255).stderr_has("b: cannot transform 0x0 features with a 3x2 matrix");
    let ran = scratch.sh("transform-feats ark:t.ark ark:f.ark ark,t:-");
    ran.fails_with(255).stderr_has("b: cannot transform 1x2 features with a 0x0 matrix");
    assert!(!scratch.path("o").exists());
}

#[test]
fn a_singular_transform_is_applied_with_a_warning() {
    let ran = feats().sh("echo '[ 1 1 ; 1 1 ]' | transform-feats - ark:f.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  3 3 \n  7 7 ]\nb  [\n  11 11 ]\n").stderr_has("Matrix has bad logdet -inf");
}

#[test]
fn a_table_has_a_transform_for_each_utterance_or_speaker() {
    let scratch = feats();
    scratch.write("t.ark", "s1 [ 1 0 ]\ns2 [ 0 1 ]\n").write("utt2spk", "a s2\nb s1\nc s1\n");
    let ran = scratch.sh("transform-feats --utt2spk=ark:utt2spk ark:t.ark ark:f.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  2 \n  4 ]\nb  [\n  5 ]\n");
    // The map is of no use to a file.
    let ran = scratch.sh("transform-feats --utt2spk=ark:utt2spk linear.mat ark:f.ark ark:/dev/null");
    ran.succeeds().stderr_has("Applied transform to 2 utterances; 0 had errors.");
}

#[test]
fn an_utterance_without_a_transform_is_left_out_and_counted() {
    let scratch = feats();
    scratch.write("t.ark", "b [ 1 0 ]\n").write("utt2spk", "a x\n");
    let ran = scratch.sh("transform-feats ark:t.ark ark:f.ark ark,t:-");
    ran.succeeds()
        .stdout_is("b  [\n  5 ]\n")
        .stderr_has("No fMLLR transform available for utterance a, producing no output for this utterance")
        .stderr_has("Applied transform to 1 utterances; 1 had errors.");
    // One that the map does not have is a mistake.
    let ran = scratch.sh("transform-feats --utt2spk=ark:utt2spk ark:t.ark ark:f.ark ark:o");
    ran.fails_with(255).stderr_has("the utt2spk map has no entry for utterance b");
    assert_eq!(scratch.list(), ["affine.mat", "f.ark", "linear.mat", "t.ark", "utt2spk"]);
}

#[test]
fn a_transform_of_another_width_is_left_out_and_counted() {
    let scratch = feats();
    scratch.write("wide.mat", " [ 1 2 3 4 ]\n").write("t.ark", "a [ 1 ]\nb [ 0 1 ]\n");
    let ran = scratch.sh("transform-feats wide.mat ark:f.ark ark,t:-");
    ran.fails_with(1)
        .stdout_is("")
        .stderr_has("Transform matrix for utterance a has bad dimension 1x4 versus feat dim 2")
        .stderr_has("forgot the --b-is-affine option")
        .stderr_has("Applied transform to 0 utterances; 2 had errors.");
    let ran = scratch.sh("transform-feats ark:t.ark ark:f.ark ark,t:-");
    ran.succeeds().stdout_is("b  [\n  6 ]\n").stderr_lacks("b-is-affine");
}

#[test]
fn an_empty_table_is_nothing_done() {
    let ran = feats().sh("transform-feats linear.mat ark:/dev/null ark,t:-");
    ran.fails_with(1).stdout_is("").stderr_has("Applied transform to 0 utterances; 0 had errors.");
}

#[test]
fn large_products_are_those_of_the_definition() {
    let (feats, transform) = (matrix(1, 70, 23), matrix(2, 17, 24));
    let (Sample::Matrix(x), Sample::Matrix(t)) = (&feats, &transform) else { panic!("matrix() makes matrices") };
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&[("a", feats.clone())])).write("t.mat", transform.binary());
    let ran = scratch.sh("transform-feats t.mat ark:f.ark ark:-").succeeds();
    let header = binary_archive(&[("a", matrix(1, 70, 17))]).len() - 4 * 70 * 17;
    let got = ran.stdout()[header..].chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()));
    let wanted = x.iter().flat_map(|x| {
        t.iter().map(|t| x.iter().chain([&1.0]).zip(t).map(|(x, t)| f64::from(*x) * f64::from(*t)).sum::<f64>())
    });
    assert_eq!(text_archive(&[("a", feats.clone())]).lines().count(), 71);
    for (got, wanted) in got.zip(wanted) {
        assert!((f64::from(got) - wanted).abs() < 1e-3, "{got} for {wanted}");
    }
}

/// Kaldi asks the map whether it has the utterance, and asks again for its speaker.
#[test]
fn a_map_that_is_read_once_is_asked_once() {
    let scratch = feats();
    scratch.write("utt2spk", "a s\nb s\n").write("spk.ark", "s  [ 1 0\n 0 1 ]\n");
    let ran = scratch.sh("transform-feats --utt2spk=o,ark:utt2spk ark:spk.ark ark:f.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  1 2 \n  3 4 ]\nb  [\n  5 6 ]\n");
}

#[test]
fn keys_that_may_be_speakers_get_advice() {
    let scratch = feats();
    scratch.write("spk.ark", "s  [ 1 0\n 0 1 ]\n").write("a.ark", "a  [ 1 0\n 0 1 ]\n").write("utt2spk", "a s\nb s\n");
    scratch.sh("for u in a b c d e; do echo \"$u [ 1 2 ]\"; done > many.ark").succeeds();
    let advice = "such as a; if its keys are speakers, give the speaker of each utterance: --utt2spk=ark:utt2spk\n";
    for feats in ["f.ark", "many.ark"] {
        for threads in [1, 4] {
            let line = format!("transform-feats --num-threads={threads} ark:spk.ark ark:{feats} ark:- 2> errors");
            scratch.sh(&line).fails_with(1);
            let errors = String::from_utf8(scratch.read("errors")).unwrap();
            assert_eq!(errors.matches(advice).count(), 1, "{errors}");
        }
    }
    scratch.write("stats.ark", "s  [ 4 6 3\n 10 20 0 ]\n");
    scratch.sh("apply-cmvn ark:stats.ark ark:f.ark ark:-").fails_with(1).stderr_has(advice);
    scratch.sh("apply-transform ark:spk.ark ark:f.ark ark:-; true").succeeds().stderr_has(advice);
    for line in ["ark:a.ark ark:many.ark", "--utt2spk=ark:utt2spk ark:spk.ark ark:f.ark"] {
        scratch.sh(&format!("transform-feats {line} ark:-")).succeeds().stderr_lacks("speakers");
    }
}
