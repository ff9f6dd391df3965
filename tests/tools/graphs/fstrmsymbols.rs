use crate::tools::graphs::golden;

#[test]
fn the_examples_take_labels_and_arcs_off() {
    let scratch = golden();
    let text = "fstcopy ark:- ark,t:- | awk 'NF > 3 && ($3 == 7 || $4 == 7)' | wc -l";
    for (options, rest) in [("", "$3"), ("--remove-arcs=true", "$3"), ("--apply-to-output=true", "$4")] {
        let count = format!("fstcopy ark:- ark,t:- | awk 'NF > 3 && {rest} == 7' | wc -l");
        let ran = scratch.sh(&format!("(printf 'a '; fstrmsymbols {options} 'echo 7|' random.fst) | {count}"));
        ran.succeeds().stdout_is("0\n");
    }
    let ran = scratch.sh(&format!("(printf 'a '; cat random.fst) | {text}"));
    assert_ne!(ran.succeeds().stdout(), b"0\n");
}

#[test]
fn an_old_name_of_the_option_is_read() {
    let scratch = golden();
    let ran = scratch.sh("cmp <(fstrmsymbols --remove-from-output=true 'echo 7|' random.fst) <(fstrmsymbols --apply-to-output 'echo 7|' random.fst)");
    ran.succeeds().stderr_has("--apply-to-output");
}

#[test]
fn options_and_labels_that_make_no_sense_are_refused() {
    let scratch = golden();
    let ran = scratch.sh("fstrmsymbols --remove-arcs --penalty=1 'echo 7|' random.fst o");
    ran.fails_with(255).stderr_has("cannot both be given");
    scratch.sh("fstrmsymbols 'echo 0|' random.fst o").fails_with(255).stderr_has("0 is the epsilon");
    assert!(!scratch.list().contains(&"o".to_owned()));
}

#[test]
pub fn nothing_is_left_of_a_graph_without_paths() {
    let scratch = golden();
    for file in ["f-start-none.fst", "no-states.fst"] {
        let ran = scratch.sh(&format!("fstrmsymbols --remove-arcs 'echo 77|' {file} | wc -c"));
        ran.succeeds().stdout_is("66\n").stderr_has("nothing is left of the graph");
    }
}
