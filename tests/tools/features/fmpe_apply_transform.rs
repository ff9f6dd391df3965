use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, matrix};

/// A mixture of two Gaussians in two dimensions.
pub const GMM: &str = "<DiagGMM> \n<WEIGHTS>  [ 0.25 0.75 ]\n<MEANS_INVVARS>  [\n  1 2 \n  -4 1 ]\n<INV_VARS>  [\n  1 2 \n  4 0.5 \
                       ]\n</DiagGMM> \n";

/// A transform with this mixture as Kaldi writes it, but for a projection as if it had been trained.
pub const TRANSFORM: &str = "<DiagGMM> \n<GCONSTS>  [ -4.377598 -4.778986 ]\n<WEIGHTS>  [ 0.25 0.75 ]\n<MEANS_INVVARS>  [\n  1 2 \n  -4 1 ]\n\
<INV_VARS>  [\n  1 2 \n  4 0.5 ]\n</DiagGMM> \n0,1:-1,0.5;1,0.25 5  [\n  0.1 0 0 0.2 \n  0 0.3 -0.1 0 \n  0.05 0 0 0 \n  0 0 0.1 0.1 \n  \
0.2 -0.2 0 0 \n  0 0.01 0.02 0.03 ]\n[\n1.089725 \n-0.3441236 1.301568 ]\n";

fn with_transform() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("1.fmpe", TRANSFORM)
        .write("f.txt", "u [ 1 2\n -1 0.5\n 0 1 ]\n")
        .write("g.txt", "u 0 1 ; 1 ; 0 ; \n");
    scratch
}

/// Checks numbers that went through sums.
#[track_caller]
fn is_close(text: &[u8], expected: &[f64]) {
    let text = std::str::from_utf8(text).unwrap();
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert_eq!(numbers.len(), expected.len(), "{text}");
    assert!(numbers.iter().zip(expected).all(|(number, expected)| (number - expected).abs() < 1e-5), "{text}");
}

/// What Kaldi computes.
#[test]
fn offsets_are_added_to_features_unless_they_are_not() {
    let scratch = with_transform();
    let ran = scratch.sh("fmpe-apply-transform 1.fmpe ark:f.txt ark:g.txt ark,t:-").succeeds();
    is_close(ran.stdout(), &[1.298931, 2.505289, -1.307267, 0.8741125, 0.217945, 1.028793]);
    ran.stderr_has("Done 1 utterances, 0 had errors.");
    let ran = scratch.sh("fmpe-apply-transform --add-to-features=false 1.fmpe ark:f.txt ark:g.txt ark,t:-").succeeds();
    is_close(ran.stdout(), &[0.2989311, 0.5052891, -0.3072673, 0.3741125, 0.217945, 0.02879287]);
}

#[test]
fn a_new_transform_changes_nothing() {
    let scratch = with_transform();
    scratch.write("1.ubm", GMM);
    scratch.sh("fmpe-init 1.ubm new.fmpe; copy-feats ark:f.txt ark,scp:f.ark,feats.scp").succeeds();
    scratch.sh("fmpe-apply-transform new.fmpe scp:feats.scp ark:g.txt ark:- | cmp - f.ark").succeeds();
}

/// Kaldi takes 0, 4, 2 for the range from 0 to 2.
#[test]
pub fn selected_gaussians_have_their_own_likelihoods_in_every_order() {
    let scratch = Scratch::new();
    let ones = "1\n".repeat(5);
    scratch.write(
        "1.ubm",
        format!("<DiagGMM> <WEIGHTS> [ 1 1 1 1 1 ] <MEANS_INVVARS> [ 0\n 1\n 2\n 3\n 9 ] <INV_VARS> [ {ones} ] </DiagGMM> \n"),
    );
    let rows: Vec<String> = (1..=5).map(|at| format!("  0 \n  {at} ")).collect();
    let script = "fmpe-init --binary=false --context-expansion=0,1 1.ubm - | tr '\\n' '#'";
    let untrained = scratch.sh(script).succeeds();
    let text = String::from_utf8_lossy(untrained.stdout()).replace('#', "\n");
    let zeros = format!("{}  0 ]", "  0 \n".repeat(9));
    let trained = text.replace(&zeros, &format!("{}]", rows.join("\n")));
    assert_ne!(trained, text);
    scratch.write("1.fmpe", trained).write("f.txt", "a [ 2 ]\n");
    let outputs = ["0 2 4", "0 4 2", "4 0 2", "2 4 0"].map(|selected| {
        let script = format!("echo 'a {selected} ; ' | fmpe-apply-transform 1.fmpe ark:f.txt ark:- ark,t:-");
        scratch.sh(&script).succeeds().stdout().to_vec()
    });
    assert!(outputs.iter().all(|output| *output == outputs[0]), "{outputs:?}");
}

#[test]
fn utterances_without_their_gaussians_are_left_out_and_counted() {
    let scratch = with_transform();
    scratch
        .write("f.txt", "u [ 1 2\n -1 0.5\n 0 1 ]\nv [ 1 2 ]\nw [ 1 2 ]\n")
        .write("g.txt", "u 0 1 ; 1 ; 0 ; \nw 0 ; 0 ; \n");
    let ran = scratch.sh("fmpe-apply-transform 1.fmpe ark:f.txt ark:g.txt ark:- | feat-to-len ark:- ark,t:-");
    ran.succeeds()
        .stdout_is("u 3 \n")
        .stderr_has("No gselect information for key v")
        .stderr_has("gselect information has wrong size: 2 for 1 frames of w")
        .stderr_has("Done 1 utterances, 2 had errors.");
    scratch.sh("fmpe-apply-transform 1.fmpe ark:f.txt ark:/dev/null ark:-").fails_with(1).stdout_is("");
    scratch.sh("fmpe-apply-transform 1.fmpe ark:/dev/null ark:g.txt ark:-").fails_with(1).stdout_is("");
}

#[test]
fn what_does_not_go_together_is_an_error() {
    let scratch = with_transform();
    let t = |feats: &str, gselect: &str, message: &str| {
        scratch.write("f.txt", format!("u {feats}\n")).write("g.txt", format!("u {gselect}\n"));
        scratch.sh("fmpe-apply-transform 1.fmpe ark:f.txt ark:g.txt ark:o").fails_with(255).stderr_has(message);
        assert_eq!(scratch.list(), ["1.fmpe", "f.txt", "g.txt"]);
    };
    t("[ 1 2 3 ]", "0 ; ", "u: expected features with 2 columns, got 3");
    t("[ ]", "", "u: expected features with 2 columns, got 0");
    t("[ 1 2 ]", "2 ; ", "u: expected numbers of existing Gaussians in frame 0, got [2]");
    t("[ 1 2 ]", "0 -1 ; ", "u: expected numbers of existing Gaussians in frame 0, got [0, -1]");
    t("[ 1 2 ]", "; ", "u: expected numbers of existing Gaussians in frame 0, got []");
}

#[test]
fn what_is_no_transform_is_an_error() {
    let scratch = with_transform();
    let t = |from: &str, to: &str, message: &str| {
        scratch.write("1.fmpe", TRANSFORM.replace(from, to));
        scratch.sh("fmpe-apply-transform 1.fmpe ark:f.txt ark:g.txt ark:o").fails_with(255).stderr_has(message);
    };
    t("0,1:-1", "0:-1", "expected contexts such as");
    t("  0.05 0 0 0 \n", "", "expected a projection of 6 by 4 and a factor of 2 by 2, got 5 by 4 and 2 by 2");
    t("-0.3441236 1.301568 ", "", "expected a projection of 6 by 4 and a factor of 2 by 2, got 6 by 4 and 1 by 1");
    t(&TRANSFORM[200..], "", "1.fmpe:");
}

#[test]
fn a_broken_entry_ends_it_and_leaves_nothing() {
    let scratch = with_transform();
    let archive = binary_archive(&[("u", Sample::Matrix(vec![vec![1.0, 2.0]; 3])), ("v", matrix(2, 9, 2))]);
    scratch.write("cut.ark", &archive[..archive.len() - 10]);
    let ran = scratch.sh("fmpe-apply-transform 1.fmpe ark:cut.ark ark:g.txt ark,scp:o.ark,o.scp");
    ran.fails_with(255).stderr_has("v: cut.ark:");
    assert!(!scratch.list().contains(&"o.ark".to_owned()));
}
