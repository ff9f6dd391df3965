use crate::support::Scratch;

/// Statistics of windows of three phones out of four, all of two classes, with a topology, questions and roots. Phones 1 and
/// 3 sound alike, and so do 2 and 4; class 1 sounds as its right neighbour, too.
pub(super) fn scratch() -> Scratch {
    let (mut text, mut count) = (String::new(), 0);
    for class in 0..2 {
        for left in 1..=4 {
            for phone in 1..=4 {
                for right in 1..=4 {
                    let sound = |phone: i32| f64::from((phone + 1) % 2 * 20);
                    let mean = 1.0 + sound(phone) + f64::from(class) * (100.0 + sound(right) / 2.0);
                    let (sum, squares) = (10.0 * mean, 10.0 * (mean * mean + 1.0));
                    text += &format!(
                        "EV 4 -1 {class} 0 {left} 1 {phone} 2 {right} \nT GCL 10 0.01  [\n  {sum} \n  {squares} ]\n"
                    );
                    count += 1;
                }
            }
        }
    }
    let scratch = Scratch::new();
    scratch
        .write("stats", format!("BTS {count} {text}\n"))
        .write("sets", "1\n2\n3\n4\n")
        .write("questions", "1\n2\n3\n4\n1 3\n2 4\n")
        .write(
            "topo",
            "<Topology> \n<TopologyEntry> \n<ForPhones> \n1 2 3 4 \n</ForPhones> \n<State> 0 <PdfClass> 0 <Transition> 0 0.5 \
             <Transition> 1 0.5 </State> \n<State> 1 <PdfClass> 1 <Transition> 1 0.5 <Transition> 2 0.5 </State> \n<State> 2 \
             </State> \n</TopologyEntry> \n</Topology> \n",
        )
        .write("roots", "shared split 1 2 3 4\n");
    scratch.sh("compile-questions topo questions qst").succeeds();
    scratch
}

#[test]
fn the_best_questions_are_asked_first() {
    let scratch = scratch();
    let ran = scratch.sh("build-tree --binary=false --round-num-leaves=false stats roots qst topo -");
    ran.succeeds()
        .stdout_is(
            "ContextDependency 3 1 ToPdf SE -1 [ 0 ]\n{ SE 1 [ 1 3 ]\n{ CE 0 CE 2 } \nSE 1 [ 1 3 ]\n{ SE 2 [ 1 3 ]\n{ CE 1 CE 4 } \n\
             SE 2 [ 1 3 ]\n{ CE 3 CE 5 } \n} \n} \nEndContextDependency ",
        )
        .stderr_has("Number of separate statistics is 128")
        .stderr_has("BuildTree: before building trees, map has 1 leaves.")
        .stderr_has("DoDecisionTreeSplit: split 5 times, #leaves now 6")
        .stderr_has("BuildTree: removed 0 leaves.")
        .stderr_has("Wrote tree");
}

#[test]
fn the_number_of_leaves_has_limits() {
    let scratch = scratch();
    for (options, pdfs) in [
        ("--max-leaves=2 --round-num-leaves=false --cluster-thresh=0", 2),
        ("--max-leaves=3 --round-num-leaves=false --cluster-thresh=0", 3),
        ("--thresh=1e9 --round-num-leaves=false", 1),
        ("--thresh=1 --cluster-thresh=0 --round-num-leaves=false", 6),
        ("--cluster-thresh=1e9 --round-num-leaves=false", 1),
    ] {
        let ran = scratch.sh(&format!("build-tree {options} stats roots qst topo o; tree-info o | head -n 1"));
        ran.succeeds().stdout_is(format!("num-pdfs {pdfs}\n"));
    }
    let ran = scratch.sh("build-tree --verbose=1 stats roots qst topo o; tree-info o | head -n 1");
    ran.succeeds()
        .stdout_is("num-pdfs 6\n")
        .stderr_has("num-clusters-required is less than size of map. Not doing anything.")
        .stderr_has("After decision tree split, num-leaves = 6, like-impr = ");
}

#[test]
fn leaves_are_merged_to_a_multiple_of_eight() {
    let scratch = scratch();
    scratch.write("roots", "not-shared split 1\nnot-shared split 2\nnot-shared split 3\nshared split 4\n");
    let ran = scratch.sh("build-tree --thresh=100 --cluster-thresh=0 stats roots qst topo o; tree-info o | head -n 1");
    ran.succeeds().stdout_is("num-pdfs 8\n").stderr_has("BuildTree: Rounded num leaves to multiple of 8 by removing");
}

#[test]
fn roots_that_must_not_be_split_stay_leaves() {
    let scratch = scratch();
    scratch.write("roots", "shared not-split 1\nshared split 2\nshared not-split 3 4\n");
    let ran = scratch.sh(
        "build-tree --binary=false --max-leaves=4 --cluster-thresh=0 --round-num-leaves=false stats roots qst topo -",
    );
    ran.succeeds().stdout_is(
        "ContextDependency 3 1 ToPdf SE 1 [ 1 ]\n{ CE 0 SE 1 [ 2 ]\n{ SE -1 [ 0 ]\n{ CE 1 CE 3 } \nCE 2 } \n} \nEndContextDependency ",
    );
    scratch.write("roots", "shared not-split 1 2 3 4\n");
    let ran = scratch.sh("build-tree stats roots qst topo o");
    ran.fails_with(255).stderr_has("there are no statistics to build from");
}

#[test]
pub fn words_in_roots_that_are_none_are_errors() {
    let scratch = scratch();
    for (roots, message) in [
        ("shared splat 1 2 3 4\\n", "standard input: line 1: expected split or not-split, got \"splat\""),
        ("shared split 1 2 3 4 five\\n", "standard input: line 1: expected phones from 1 to 16777215, got \"five\""),
        ("shared split 1 2 3 4\\n\\n", "standard input: line 2: expected shared or not-shared, got \"\""),
        ("shared split 2000000000\\n", "got \"2000000000\""),
        ("", "standard input: expected roots, got an empty file"),
    ] {
        let ran = scratch.sh(&format!("printf '{roots}' | build-tree stats - qst topo o"));
        ran.fails_with(255).stderr_has(message);
    }
}

#[test]
fn phones_must_fit_each_other() {
    let scratch = scratch();
    scratch.write("roots", "shared split 1 2 3\n");
    let ran = scratch.sh("build-tree --cluster-thresh=0 --round-num-leaves=false stats roots qst topo o");
    ran.fails_with(255)
        .stderr_has(
            "Mismatch between phone sets provided in roots file, and those in topology: [ 1 2 3 ] vs. [ 1 2 3 4 ]",
        )
        .stderr_has("Phone 4 appears in stats but is not listed in roots file.");
    assert!(!scratch.list().contains(&"o".to_owned()));
    scratch.write("roots", "shared split 1 2 3 4 9\n");
    let ran = scratch.sh("build-tree stats roots qst topo o");
    ran.succeeds().stderr_has("Saw no stats for following phones: 9");
    scratch.write("roots", "shared split 1 2 3 4\nnot-shared split 9\n");
    let ran = scratch.sh("build-tree stats roots qst topo o");
    ran.fails_with(255).stderr_has("phone 9 of the roots has no pdf classes in the topology");
}

#[test]
fn what_cannot_be_built_is_refused() {
    let scratch = scratch();
    for (options, message) in [
        ("--thresh=0", "expected a threshold over 0 or a number of leaves, got 0"),
        ("--central-position=7", "key 7 is missing in event -1:0 0:1 1:1 2:1"),
        ("--thresh=-5 --max-leaves=1000000", "expected a threshold of 0 or more, got -5"),
    ] {
        let ran = scratch.sh(&format!("build-tree {options} stats roots qst topo o"));
        ran.fails_with(255).stderr_has(message);
    }
    let ran = scratch.sh("echo 'BTS 0 ' | build-tree - roots qst topo o");
    ran.fails_with(255).stderr_has("there are no statistics to build from");
    scratch.write("negative", "BTS 1 EV 2 -1 0 1 -3 \nT GCL 1 1  [\n 1\n 1 ]\n\n");
    let ran = scratch.sh("build-tree negative roots qst topo o");
    ran.fails_with(255).stderr_has("event -1:0 1:-3: expected a value from 0 to 16777215 for key 1, got -3");
}
