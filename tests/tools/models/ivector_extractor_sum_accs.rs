use super::extractor::folder;
use crate::support::Scratch;

fn stats() -> Scratch {
    let scratch = folder();
    scratch
        .sh("ivector-extractor-acc-stats ie ark:feats ark:post 1.acc; \
                ivector-extractor-acc-stats w.ie ark:feats ark:post w.acc")
        .succeeds();
    scratch
}

#[test]
fn statistics_are_added_into_the_last_argument() {
    let scratch = stats();
    let ran = scratch.sh("ivector-extractor-sum-accs --binary=false 1.acc 1.acc 1.acc -");
    ran.succeeds().stdout_has("<gamma>  [ 9.75 5.25 ]\n").stdout_has("<NumIvectors> 9 ");
    let ran = scratch.sh("ivector-extractor-sum-accs --parallel --binary=false w.acc 'cat w.acc |' -");
    ran.succeeds().stdout_has("<gamma>  [ 6.5 3.5 ]\n");
    scratch.sh("ivector-extractor-sum-accs 1.acc o && cmp 1.acc o").succeeds();
}

#[test]
fn statistics_of_other_extractors_are_refused() {
    let scratch = stats();
    scratch
        .sh("ivector-extractor-sum-accs 1.acc w.acc o")
        .fails_with(255)
        .stderr_has("cannot add w.acc: expected 0 scatters");
    let ran = scratch.sh("ivector-extractor-sum-accs ie o");
    ran.fails_with(255).stderr_has("expected token \"<IvectorExtractorStats>\"");
    assert_eq!(scratch.list(), ["1.acc", "feats", "ie", "post", "w.acc", "w.ie"]);
}
