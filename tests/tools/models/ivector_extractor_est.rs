use super::extractor::folder;
use crate::support::Scratch;
use crate::support::sample::uniform;

/// An extractor, statistics of many utterances, and those of an extractor whose weights depend on the i-vector.
fn stats() -> Scratch {
    let scratch = folder();
    let mut numbers = uniform(3);
    let mut number = || numbers.next().unwrap();
    let (mut feats, mut posts) = (String::new(), String::new());
    for utterance in 0..60 {
        let speaker = number();
        let frame = |t| match t % 2 {
            0 => format!("{} {}\n", 9.0 + 2.0 * speaker + number(), speaker - number()),
            _ => format!("{} {}\n", -9.0 + 2.0 * speaker + number(), 4.0 + speaker - number()),
        };
        let frames: String = (0..9).map(frame).collect();
        feats += &format!("u{utterance} [\n{frames}]\n");
        posts += &format!("u{utterance}{}\n", [" [ 0 1 ]", " [ 1 1 ]"].repeat(5)[..9].concat());
    }
    scratch.write("f", feats).write("p", posts);
    scratch
        .sh("ivector-extractor-acc-stats ie ark:f ark:p acc; ivector-extractor-acc-stats w.ie ark:f ark:p w.acc")
        .succeeds();
    scratch
}

/// The log likelihood of the next statistics is larger.
#[test]
fn every_estimate_explains_the_data_better() {
    let scratch = stats();
    for (extractor, acc) in [("ie", "acc"), ("w.ie", "w.acc")] {
        let script = format!(
            "cp {extractor} 0.ie; cp {acc} 0.acc; for i in 0 1 2; do n=$((i+1)); \
             ivector-extractor-est --gaussian-min-count=10 $i.ie $i.acc $n.ie; \
             ivector-extractor-acc-stats $n.ie ark:f ark:p $n.acc; \
             ivector-extractor-sum-accs --binary=false $n.acc - | awk 'NR==1 {{ print $3 }}'; done"
        );
        let ran = scratch.sh(&script);
        let ran = ran.succeeds().stderr_has("Overall objective-function improvement per frame was");
        let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
        let values: Vec<f64> = text.lines().map(|line| line.parse().unwrap()).collect();
        assert!(values.len() == 3 && values.is_sorted(), "{values:?}");
    }
}

#[test]
fn the_estimate_does_not_depend_on_the_number_of_threads() {
    let scratch = stats();
    scratch
        .sh("ivector-extractor-est --num-threads=1 ie acc 1; ivector-extractor-est --num-threads=3 ie acc 3; cmp 1 3")
        .succeeds();
    scratch.sh("ivector-extractor-est --num-threads=1 w.ie w.acc 1; ivector-extractor-est --num-threads=3 w.ie w.acc 3; cmp 1 3").succeeds();
}

#[test]
fn options_change_the_estimate() {
    let scratch = stats();
    scratch
        .sh("ivector-extractor-est ie acc o")
        .succeeds()
        .stderr_has("Eigenvalues of Vavg:")
        .stderr_has("prior offset");
    for option in ["--variance-floor-factor=1", "--gaussian-min-count=260"] {
        scratch.sh(&format!("ivector-extractor-est {option} ie acc other && ! cmp -s o other")).succeeds();
    }
    scratch.sh("ivector-extractor-est --diagonalize=false ie acc o").succeeds().stderr_lacks("Eigenvalues of Vavg:");
    let ran = scratch.sh("ivector-extractor-est --gaussian-min-count=260 ie acc o");
    ran.succeeds().stderr_has("Skipping Gaussian index 1 because count 240 is below min-count.");
}

#[test]
fn what_makes_no_sense_leaves_no_output_behind() {
    let scratch = stats();
    let refuses = |words: &str, message: &str| {
        scratch.sh(&format!("ivector-extractor-est {words}")).fails_with(255).stderr_has(message);
    };
    refuses("ie w.acc o", "expected 0 scatters for the weights of Gaussians, got 2");
    refuses("--gaussian-min-count=1e9 ie acc o", "expected --gaussian-min-count to be at most the count of a Gaussian");
    refuses("--variance-floor-factor=2 ie acc o", "expected --variance-floor-factor to be above 0 and at most 1");
    refuses("acc ie o", "expected token \"<IvectorExtractor>\"");
    assert!(!scratch.list().contains(&"o".to_owned()));
}
