use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive};

fn calls() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("f.ark", "c1-A [ 3 1 ; 1 1 ]\nc1-B [ 2 5 ; 4 5 ]\nc2-A [ 7 ]\nc2-B [ 8 ; 9 ]\nc3-B [ 1 ]\nc4-A [ 2 ]\n")
        .write("reco", "c3-A c3 A\nc3-B c3 B\nc1-A c1 A\nc1-B c1 B\n\tc2-A  c2 A\r\nc2-B c2 B\nc4-A c4 A");
    scratch
}

#[test]
fn calls_come_in_the_order_of_their_names_and_the_louder_side_counts() {
    let ran = calls().sh("compute-cmvn-stats-two-channel --quieter-channel-weight=0.5 reco ark:f.ark ark,t:-");
    ran.succeeds()
        .stdout_is(
            "c1-A  [\n  3.5 1.5 1.5 \n  9.5 1.5 0 ]\nc1-B  [\n  5 7.5 1.5 \n  18 37.5 0 ]\n\
             c2-A  [\n  7 1 \n  49 0 ]\nc2-B  [\n  17 2 \n  145 0 ]\nc3-B  [\n  1 1 \n  1 0 ]\nc4-A  [\n  2 1 \n  4 0 ]\n",
        )
        .stderr_has("Number of frames differ between c2-A and c2-B: 1 vs. 2")
        .stderr_has("No feature data for utterance c3-A")
        .stderr_has("Call c4 has 1 utterances, expected two")
        .stderr_has("Done accumulating CMVN stats for 6 utterances; 1 had errors.");
}

#[test]
fn the_quieter_side_counts_a_hundredth() {
    let scratch = calls();
    scratch.sh("head -n 2 f.ark > 1; compute-cmvn-stats-two-channel reco ark:1 ark:o").succeeds();
    let weight = f64::from(0.01_f32);
    let quieter = |value: f32| f64::from(value * 0.01_f32);
    let first = Sample::MatrixF64(vec![
        vec![3.0 + quieter(1.0), 1.0 + quieter(1.0), 1.0 + weight],
        vec![9.0 + quieter(1.0), 1.0 + quieter(1.0), 0.0],
    ]);
    let second = Sample::MatrixF64(vec![
        vec![quieter(2.0) + 4.0, quieter(5.0) + 5.0, weight + 1.0],
        vec![quieter(4.0) + 16.0, quieter(25.0) + 25.0, 0.0],
    ]);
    assert_eq!(scratch.read("o"), binary_archive(&[("c1-A", first), ("c1-B", second)]));
}

#[test]
fn more_than_two_utterances_of_a_call_are_treated_one_by_one() {
    let ran =
        calls().sh("printf 'c1-A c A\\nx c B\\nc1-B c B\\n' | compute-cmvn-stats-two-channel - ark:f.ark ark,t:-");
    ran.succeeds()
        .stdout_is("c1-A  [\n  4 2 2 \n  10 2 0 ]\nc1-B  [\n  6 10 2 \n  20 50 0 ]\n")
        .stderr_has("Call c has 3 utterances, expected two")
        .stderr_has("for 2 utterances; 1 had errors.");
}

#[test]
fn an_utterance_without_frames_has_statistics_of_no_dimensions() {
    let ran = calls().sh("echo 'c4-A [ ]' | compute-cmvn-stats-two-channel reco ark:- ark,t:-");
    ran.succeeds().stdout_is("c4-A  [\n  0 \n  0 ]\n");
}

#[test]
fn sides_of_other_dimensions_are_an_error() {
    let scratch = calls();
    let ran = scratch.sh("printf 'c1-A [ 1 ]\\nc1-B [ 1 2 ]\\n' | compute-cmvn-stats-two-channel reco ark:- ark:o");
    ran.fails_with(255).stderr_has("c1-A and c1-B: expected features with 1 columns, got 2");
    assert_eq!(scratch.list(), ["f.ark", "reco"]);
}

#[test]
fn a_line_that_is_none_is_an_error() {
    let scratch = calls();
    for line in ["a b", "a b c d", ""] {
        scratch.write("bad", format!("a c A\n{line}\nb c B\n"));
        let ran = scratch.sh("compute-cmvn-stats-two-channel bad ark:f.ark ark:o");
        ran.fails_with(255).stderr_has(&format!("bad:2: expected an utterance, a call and a side, got {line:?}"));
    }
    assert_eq!(scratch.list(), ["bad", "f.ark", "reco"]);
}

#[test]
fn a_broken_entry_leaves_no_output_behind() {
    let scratch = calls();
    scratch.write("bad.ark", "c1-A [ 1 ]\nc1-B [ x ]\n");
    let ran = scratch.sh("compute-cmvn-stats-two-channel reco ark:bad.ark ark:o");
    ran.fails_with(255).stderr_has("c1-B: bad.ark:2: expected a number");
    scratch.sh("compute-cmvn-stats-two-channel 'cat reco; exit 3 |' ark:f.ark ark:o").fails_with(255).stdout_is("");
    assert_eq!(scratch.list(), ["bad.ark", "f.ark", "reco"]);
}
