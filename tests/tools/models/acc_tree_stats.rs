use crate::support::Scratch;

/// Phones 1 and 2 have one state: transition-id 1 (3) is the self-loop of phone 1 (2), transition-id 2 (4) leaves it.
const MODEL: &str = "<TransitionModel> \n<Topology> \n<TopologyEntry> \n<ForPhones> \n1 2 \n</ForPhones> \n<State> 0 \
                     <PdfClass> 0 <Transition> 0 0.5 <Transition> 1 0.5 </State> \n<State> 1 </State> \n</TopologyEntry> \
                     \n</Topology> \n<Triples> 2 \n1 0 0 \n2 0 1 \n</Triples> \n<LogProbs> \n [ 0 -0.5 -0.5 -0.5 -0.5 \
                     ]\n</LogProbs> \n</TransitionModel> \n";

/// A model, features and alignments of two utterances.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("mdl", MODEL)
        .write("feats", "a [\n 0.5\n 1\n 20\n 21 ]\nb [\n 4 ]\n")
        .write("ali", "a 1 2 3 4\nb 2\n");
    scratch
}

#[test]
fn each_window_has_its_statistics() {
    let scratch = scratch();
    let ran = scratch.sh("acc-tree-stats --binary=false mdl ark:feats ark:ali -");
    ran.succeeds()
        .stdout_is(
            "BTS 3 EV 4 -1 0 0 0 1 1 2 0 \nT GCL 1 0.01  [\n  4 \n  16 ]\nEV 4 -1 0 0 0 1 1 2 2 \nT GCL 2 0.01  [\n  1.5 \n  \
             1.25 ]\nEV 4 -1 0 0 1 1 2 2 0 \nT GCL 2 0.01  [\n  41 \n  841 ]\n\n",
        )
        .stderr_has("Accumulated stats for 2 files, 0 failed due to no alignment, 0 failed for other reasons.")
        .stderr_has("Number of separate stats (context-dependent states) is 3");
    let ran = scratch.sh("acc-tree-stats mdl ark:feats ark:ali o; head -c 6 o | od -An -c | tr -d ' \\n'");
    ran.succeeds().stdout_is("\\0BBTS");
}

#[test]
fn an_utterance_without_frames_is_done() {
    let scratch = scratch();
    scratch.write("feats", "b [\n 4 ]\ne [ ]\n").write("ali", "b 2\ne \n");
    let ran = scratch.sh("acc-tree-stats --binary=false mdl ark:feats ark:ali - | head -n 1");
    ran.succeeds().stdout_is("BTS 1 EV 4 -1 0 0 0 1 1 2 0 \n").stderr_has("Accumulated stats for 2 files, 0 failed");
}

#[test]
fn context_may_not_count() {
    let scratch = scratch();
    let text =
        "BTS 2 EV 2 -1 0 0 1 \nT GCL 3 0.5  [\n  5.5 \n  17.25 ]\nEV 2 -1 0 0 2 \nT GCL 2 0.5  [\n  41 \n  841 ]\n\n";
    let options = "--context-width=1 --central-position=0 --var-floor=0.5";
    scratch.sh(&format!("acc-tree-stats --binary=false {options} mdl ark:feats ark:ali -")).succeeds().stdout_is(text);
    let ran = scratch.sh("acc-tree-stats --binary=false --ci-phones=2:1 --var-floor=0.5 mdl ark:feats ark:ali -");
    ran.succeeds().stdout_is(text.replace(" 0 1 ", " 1 1 ").replace(" 0 2 ", " 1 2 "));
}

#[test]
fn phones_can_be_mapped() {
    let scratch = scratch();
    scratch.write("map", "1 5\n2 5\n").write("short", "1 5\n");
    let options = "--binary=false --context-width=1 --central-position=0";
    let ran = scratch.sh(&format!("acc-tree-stats {options} --phone-map=map mdl ark:feats ark:ali - | head -n 1"));
    ran.succeeds().stdout_is("BTS 1 EV 2 -1 0 0 5 \n");
    let ran = scratch.sh(&format!("acc-tree-stats {options} --phone-map=short mdl ark:feats ark:ali o"));
    ran.fails_with(255).stderr_has("a: could not map phone 2: it is not in the map of phones");
}

#[test]
fn what_does_not_fit_is_told() {
    let scratch = scratch();
    scratch.write("odd", "a 1 2 3\nb 1\n");
    let ran = scratch.sh("acc-tree-stats --binary=false mdl ark:feats ark:odd -");
    ran.succeeds()
        .stdout_is("BTS 0 \n")
        .stderr_has("a: Alignments has wrong size 3 vs. 4")
        .stderr_has("b: alignment appears to be bad, not using it")
        .stderr_has("Accumulated stats for 1 files, 0 failed due to no alignment, 1 failed for other reasons.");
    let ran = scratch.sh("acc-tree-stats --binary=false mdl ark:feats ark:/dev/null -");
    ran.fails_with(1).stdout_is("BTS 0 \n").stderr_has("2 failed due to no alignment");
    let ran = scratch.sh("echo 'a 1 2 3 7' | acc-tree-stats mdl ark:feats ark:- o");
    ran.fails_with(255).stderr_has("a: frame 3: ");
    scratch.write("wide", "a [\n 1\n 1\n 1\n 1 ]\nb [\n 1 2 ]\n");
    let ran = scratch.sh("acc-tree-stats mdl ark:wide ark:ali o");
    ran.fails_with(255).stderr_has("b: expected features of dimension 1, got dimension 2");
    assert_eq!(scratch.list(), ["ali", "feats", "mdl", "odd", "wide"]);
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let scratch = scratch();
    for (options, message) in [
        ("--ci-phones=1:1", "Invalid --ci-phones option: 1:1"),
        ("--ci-phones=0:1", "Invalid --ci-phones option: 0:1"),
        ("--ci-phones=1,2", "invalid --ci-phones: expected phones such as 1:2:3, got \"1,2\""),
        ("--central-position=3", "expected --context-width up to 1000 and --central-position below it"),
        ("--context-width=2000000000", "expected --context-width up to 1000 and --central-position below it"),
    ] {
        scratch.sh(&format!("acc-tree-stats {options} mdl ark:feats ark:ali o")).fails_with(255).stderr_has(message);
    }
}
