//! Tools for discriminative training and adaptation of models: what Kaldi computes, in `training.txt`, and what is wrong with
//! inputs.

use crate::support::Scratch;

/// Files in blocks after `<<< name`, commands that make others after `===`, and `>>> command` with what Kaldi prints.
const RECORDED: &str = include_str!("training.txt");

/// The files, and the commands with their outputs.
pub fn recorded() -> (Scratch, Vec<(&'static str, &'static str)>) {
    let scratch = Scratch::new();
    let (inputs, cases) = RECORDED.split_once("\n>>> ").unwrap();
    let (files, commands) = inputs.split_once("\n=== \n").unwrap();
    for block in files.split("<<< ").skip(1) {
        let (name, content) = block.split_once('\n').unwrap();
        scratch.write(name, format!("{}\n", content.trim_end_matches('\n')));
    }
    scratch.sh(&format!("set -e\n{commands}")).succeeds();
    (scratch, cases.split("\n>>> ").map(|case| case.split_once('\n').unwrap()).collect())
}

/// Compares words, and numbers up to rounding; eigenvectors may have other signs.
#[track_caller]
fn is_near(command: &str, got: &str, expected: &str) {
    let (got, expected): (Vec<&str>, Vec<&str>) =
        (got.split_whitespace().collect(), expected.split_whitespace().collect());
    assert_eq!(got.len(), expected.len(), "{command}: {got:?}");
    for (at, (got, expected)) in got.iter().zip(&expected).enumerate() {
        match (got.parse::<f64>(), expected.parse::<f64>()) {
            (Ok(got), Ok(expected)) => {
                assert!((got - expected).abs() <= 2e-4 + 2e-4 * expected.abs(), "{command}: {at}: {got} {expected}");
            }
            _ => assert_eq!(got, expected, "{command}: {at}"),
        }
    }
}

#[test]
fn results_are_those_of_kaldi() {
    let (scratch, cases) = recorded();
    assert!(cases.len() > 30);
    for (command, expected) in cases {
        let ran = scratch.sh(command).succeeds();
        is_near(command, &String::from_utf8_lossy(ran.stdout()), expected);
    }
}

#[test]
fn logs_say_what_was_done() {
    let (scratch, _) = recorded();
    let logs = |command: &str, lines: &[&str]| {
        let mut ran = scratch.sh(command).succeeds();
        for line in lines {
            ran = ran.stderr_has(line);
        }
    };
    logs("gmm-ismooth-stats --tau=20 ml.acc ml.acc o", &["Smoothed stats with tau = 20, count changed from 24 to 184"]);
    logs(
        "gmm-est-gaussians-ebw mdl num.acc den.acc o",
        &[
            "Overall auxf impr/frame from Gaussian update is ",
            " frames; floored D for ",
            "Written model to o",
            "Num count 184",
        ],
    );
    logs("gmm-est-weights-ebw mdl ml.acc den.acc o", &["Not updating weights for this state because total count is "]);
    logs(
        "gmm-est-weights-ebw --update-flags=mv mdl ml.acc den.acc o",
        &["Doing nothing because flags do not specify to update the weights."],
    );
    logs("gmm-est-rescale mdl ml.acc num.acc o", &["Gaussian being skipped because it has small count: (old,new) = "]);
    logs("gmm-get-stats-deriv mdl num.acc den.acc ml.acc o", &["Skipping Gaussian because very small ML count: "]);
    logs("fmpe-est 0.fmpe 0.stats o", &["Shift-check is as follows", "% of matrix elements changed sign."]);
    let none = "gmm-fmpe-acc-stats mdl 0.fmpe ark:feats ark:gselect ark:mmi-post x && fmpe-est 0.fmpe x o";
    logs(none, &["Done 2 files, 0 with errors.", "No checks will be done, probably indirect derivative was not used."]);
    logs(
        "gmm-train-lvtln-special --normalize-var 2 0.lvtln o ark:feats ark:warped2",
        &["For dimension 0, sum-squared error in linear approximation is ", "; scaling matrix row by "],
    );
    logs(
        "gmm-est-lvtln-trans mdl 2.lvtln ark:feats ark:gpost ark:o",
        &["Distribution of classes is: ", "Done 2 files, 0 with no posteriors, 0 with other errors."],
    );
    logs(
        "gmm-basis-fmllr-training mdl o b.acc b.acc",
        &["Summed 2 gradient scatter stats", "Generate 6 bases, written to o"],
    );
    logs("gmm-basis-fmllr-accs --spk2utt=ark:spk2utt mdl ark:feats ark:post o", &["statistics from 1 speakers"]);
}

#[test]
fn utterances_that_do_not_fit_are_skipped() {
    let (scratch, _) = recorded();
    scratch.write("one", "a [ 7 1 ]\n").write("lists", "b 0 ; 1 ;\n").write("few", "s a x\n");
    scratch
        .sh("gmm-est-basis-fmllr mdl basis ark:feats ark:one ark:o")
        .fails_with(1)
        .stderr_has("Posterior vector of utterance a has wrong size 1 vs. 14")
        .stderr_has("Did not find posteriors for utterance b")
        .stderr_has("Done 0 files, 1 with no posts, 1 with other errors.");
    scratch
        .sh("gmm-fmpe-acc-stats mdl 0.fmpe ark:feats ark:lists ark:post o")
        .fails_with(1)
        .stderr_has("No gselect information for key a")
        .stderr_has("gselect information has wrong size: 2 for 12 frames of b");
    scratch
        .sh("fmpe-acc-stats 0.fmpe ark:feats ark:/dev/null ark:gselect o")
        .fails_with(1)
        .stderr_has("No gradient information for key a")
        .stderr_has("Done 0 utterances, 2 had errors.");
    let speaker = scratch.sh("gmm-est-lvtln-trans --spk2utt=ark:few mdl 2.lvtln ark:feats ark:gpost ark:o");
    speaker
        .succeeds()
        .stderr_has("Did not find features for utterance x")
        .stderr_has("For speaker s, auxf-impr from LVTLN is");
}

/// In Kaldi the last frame is lost.
#[test]
fn the_last_frame_counts() {
    let (scratch, _) = recorded();
    // As many frames as without the posteriors near zero of the last one, and one more.
    scratch.sh("sed 's/1e-30/1/g' post > all").succeeds();
    let stats = "gmm-basis-fmllr-accs --binary=false mdl ark:feats ark:all - | sed -n 's/.*<BETA> //p'";
    scratch.sh(stats).succeeds().stdout_is("26 \n");
    let ran = scratch
        .sh("gmm-post-to-gpost mdl ark:feats ark:all ark:- | gmm-est-lvtln-trans mdl 2.lvtln ark:feats ark:- ark:o");
    ran.succeeds().stderr_has("over 26 frames.");
    let posteriors =
        "sed 's/\\[ 0 0 \\]/[ 0 1 ]/' ubm-post | gmm-global-est-lvtln-trans ubm 2.lvtln ark:feats ark:- ark:o";
    scratch.sh(posteriors).succeeds().stderr_has("over 26 frames.");
}

/// Kaldi drops the offsets.
#[test]
fn offsets_of_a_full_matrix_count() {
    let (scratch, _) = recorded();
    scratch.write("shift", " [\n  0.9 0.1 0.3 0 0.5\n  0 1.1 0.1 -0.2 -1\n  0.2 0 1 0.1 0\n  -0.1 0.3 0 0.9 0 ]\n");
    let estimate = |matrix: &str| {
        let options = "--raw-feat-dim=2 --fmllr-min-count=5";
        let ran = scratch.sh(&format!("gmm-est-fmllr-raw-gpost {options} mdl {matrix} ark:spliced ark:gpost ark,t:-"));
        ran.succeeds().stdout().to_vec()
    };
    assert_ne!(estimate("shift"), estimate("full.mat"));
}

/// Kaldi does not look at them then.
#[test]
fn weights_count_if_the_covariance_is_kept() {
    let (scratch, _) = recorded();
    let options = "--binary=false --normalize-covar";
    let train = |more: &str| {
        let ran = scratch.sh(&format!("gmm-train-lvtln-special {options} {more} 1 0.lvtln - ark:feats ark:warped2"));
        ran.succeeds().stdout().to_vec()
    };
    assert_ne!(train(""), train("--weights-in=ark:weights"));
}

/// In Kaldi they become "not a number".
#[test]
fn elements_without_derivatives_stay_without_regularization() {
    let (scratch, _) = recorded();
    scratch.write("no-lists", "a 0 ;\n").write("no-feats", "a  [\n  1 1 ]\n").write("no-deriv", "a  [\n  0 0 ]\n");
    scratch.sh("fmpe-acc-stats 1.fmpe ark:no-feats ark:no-deriv ark:no-lists zeros").succeeds();
    scratch.sh("fmpe-est --l2-weight=0 1.fmpe zeros o && cmp o 1.fmpe").succeeds();
}

#[test]
fn what_does_not_fit_is_one_line() {
    let (scratch, _) = recorded();
    scratch.sh("gmm-init-lvtln --dim=3 --num-classes=1 --default-class=0 3.lvtln").succeeds();
    scratch.write("bad-gs", "a 0 ; 7 ; 0 ; 0 ; 0 ; 0 ; 0 ; 0 ; 0 ; 0 ; 0 ; 0 ; 0 ; 0 ;\n");
    scratch.sh("copy-feats ark:feats ark,t:- | sed 's/-1.39/nan/' > nan").succeeds();
    scratch.sh("gmm-copy --binary=false mdl - | sed '0,/0.25 0.75/s//nan 1/' > nan.mdl").succeeds();
    for (command, line) in [
        ("gmm-est-gaussians-ebw --update-flags=v mdl num.acc den.acc o", "expected the flag m beside v"),
        ("gmm-est-gaussians-ebw --update-flags=x mdl num.acc den.acc o", "got 'x' in \"x\""),
        ("gmm-est-gaussians-ebw mdl num.acc deriv o", "deriv"),
        ("gmm-est-gaussians-ebw nan.mdl num.acc den.acc o", "nan.mdl"),
        ("gmm-est-gaussians-ebw ubm num.acc den.acc o", "ubm"),
        ("gmm-ismooth-stats --smooth-from-model ml.acc ml.acc o", "ml.acc"),
        ("gmm-fmpe-acc-stats --model-derivative=ml.acc mdl 0.fmpe ark:feats ark:gselect ark:post o", "ml.acc"),
        ("gmm-fmpe-acc-stats mdl 0.fmpe ark:feats ark:bad-gs ark:post o", "a: "),
        ("gmm-fmpe-acc-stats mdl 0.fmpe ark:nan ark:gselect ark:post o", "a: "),
        ("gmm-fmpe-acc-stats mdl 0.fmpe ark:spliced ark:gselect ark:post o", "expected features with 2 columns, got 4"),
        ("fmpe-acc-stats 0.fmpe ark:feats ark:spliced ark:gselect o && fmpe-sum-accs o 0.stats 0.fmpe", "0.fmpe"),
        ("gmm-init-lvtln --num-classes=3 --default-class=3 o", "expected a class below 3, got 3"),
        ("gmm-init-lvtln --dim=0 o", "expected a dimension from 1"),
        ("gmm-train-lvtln-special x 0.lvtln o ark:feats ark:warped", "expected a number of a class, got \"x\""),
        ("gmm-train-lvtln-special 3 0.lvtln o ark:feats ark:warped", "expected a class below 3, got 3"),
        ("gmm-train-lvtln-special 1 3.lvtln o ark:feats ark:warped", "a: expected features with 3 columns, got 2"),
        ("gmm-train-lvtln-special 1 0.lvtln o ark:feats ark:spliced", "a: expected derivatives"),
        ("gmm-train-lvtln-special 1 0.lvtln o ark:/dev/null ark:warped", "cannot compute the transform"),
        (
            "gmm-est-lvtln-trans --norm-type=full mdl 2.lvtln ark:feats ark:gpost ark:o",
            "--norm-type=full: expected offset, diag or none, got \"full\"",
        ),
        ("gmm-est-lvtln-trans --norm-type=x mdl 2.lvtln ark:feats ark:gpost ark:o", "got \"x\""),
        ("gmm-est-lvtln-trans mdl 3.lvtln ark:feats ark:gpost ark:o", "a: "),
        ("gmm-global-est-lvtln-trans ubm 2.lvtln ark:feats ark:post ark:o", "a: expected numbers of Gaussians below 2"),
        ("gmm-basis-fmllr-training mdl o b.acc basis", "basis"),
        ("gmm-est-basis-fmllr mdl b.acc ark:feats ark:post ark:o", "b.acc"),
        ("gmm-est-fmllr-raw --raw-feat-dim=3 mdl full.mat ark:spliced ark:post ark:o", "got 4 by 4"),
        (
            "gmm-est-fmllr-raw --raw-feat-dim=2 mdl full.mat ark:feats ark:post ark:o",
            "a: expected features with 4 columns, got 2",
        ),
        ("gmm-est-fmllr-raw --raw-feat-dim=1 mdl warp2.mat ark:feats ark:far ark:o", "far"),
    ] {
        let ran = scratch.sh(&format!("{command} 2> log"));
        ran.fails_with(255);
        let log = String::from_utf8_lossy(&scratch.read("log")).into_owned();
        let errors: Vec<&str> = log.lines().filter(|log| log.starts_with("ERROR")).collect();
        assert!(errors.len() == 1 && errors[0].contains(line), "{command}: {log}");
        assert!(!log.contains("panicked"), "{command}: {log}");
    }
}
