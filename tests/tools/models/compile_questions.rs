use super::build_tree::scratch;

#[test]
fn questions_are_sorted_for_each_key() {
    let scratch = scratch();
    let end = "</RefineClustersOptions> </QuestionsForKey>";
    let ran = scratch.sh("printf '4 2\\n1 3\\n' | compile-questions --binary=false --context-width=1 topo - -");
    ran.succeeds()
        .stdout_is(format!(
            "<Questions> <Key> -1 <QuestionsForKey> 1 [ 0 ]\n<RefineClustersOptions> 0 2 {end} <Key> 0 <QuestionsForKey> 2 [ \
             1 3 ]\n[ 2 4 ]\n<RefineClustersOptions> 0 2 {end} </Questions> "
        ))
        .stderr_has("Max # pdf classes is 2")
        .stderr_has("Setting questions for phonetic-context position 0")
        .stderr_has("Setting questions for hmm-position [hmm-position ranges from 0 to 1]");
    scratch.sh("compile-questions topo questions o").succeeds();
    let refined = "compile-questions --num-iters-refine=7 --binary=false topo questions -";
    scratch.sh(&format!("{refined} | grep -c 'Options> 7 2 <'")).succeeds().stdout_is("4\n");
    assert!(
        scratch.read("o").starts_with(b"\0B<Questions> <Key> \x04\xff\xff\xff\xff<QuestionsForKey> \x04\x01\0\0\0")
    );
}

#[test]
fn odd_questions_are_told() {
    let scratch = scratch();
    let ran = scratch.sh("printf '1\\n1\\n' | compile-questions topo - o");
    ran.succeeds()
        .stderr_has("1 duplicate questions present in -")
        .stderr_has("phones seen in questions differ from those in topology: [ 1 ] vs. [ 1 2 3 4 ]");
    for (sets, message) in [
        ("1 2 3 4 5\\n", "phones are asked about that are undefined in the topology"),
        ("1 1\\n", "Questions contain duplicate phones: 1 comes twice"),
        ("a b\\n", "line 1: expected integers, got \"a\""),
    ] {
        let ran = scratch.sh(&format!("printf '{sets}' | compile-questions topo - o2"));
        ran.fails_with(255).stderr_has(message);
    }
    let ran = scratch.sh("compile-questions --context-width=2000000000 topo questions o2");
    ran.fails_with(255).stderr_has("expected --context-width to be at most 1000, got 2000000000");
    assert!(!scratch.list().contains(&"o2".to_owned()));
}
