use super::scratch;

#[test]
fn self_loops_come_last_unless_that_is_not_wanted() {
    let ran = scratch().sh("convert-ali mdl mdl tree ark:ali ark,t:-");
    let reordered = "a 2 1 4 6 5 8 7 \nb 8 7 7 2 4 6 5 \n";
    ran.succeeds().stdout_is(reordered).stderr_has("Succeeded converting alignments for 2 files, failed for 0");
    let plain = "a 1 2 4 5 6 7 8 \nb 7 7 8 2 4 5 6 \n";
    scratch().sh("convert-ali --reorder=false mdl mdl tree ark:ali ark,t:-").succeeds().stdout_is(plain);
}

#[test]
fn frames_become_fewer() {
    let scratch = scratch();
    scratch.write("long", "a 8 7 7 7 7 7 2 1 1 4 3 6\n");
    let convert = |option: &str| {
        let script = format!("convert-ali --frame-subsampling-factor=2 {option} mdl mdl tree ark:long ark:- ");
        scratch.sh(&(script + "| ali-to-phones --write-lengths mdl ark:- ark,t:-"))
    };
    convert("").succeeds().stdout_is("a 2 3 ; 1 3 \n");
    let repeated = scratch.sh(
        "convert-ali --frame-subsampling-factor=2 --repeat-frames mdl mdl tree ark:long ark:- | ali-to-pdf mdl ark:- ark,t:-",
    );
    repeated.succeeds().stdout_is("a 3 3 3 3 3 3 0 0 1 1 2 2 \n");
    let zero = scratch.sh("convert-ali --frame-subsampling-factor=0 mdl mdl tree ark:long ark:o");
    zero.fails_with(255).stderr_has("expected --frame-subsampling-factor to be 1 or more, got 0");
}

#[test]
fn phones_may_be_mapped() {
    let scratch = scratch();
    scratch.write("map", "1 1\n2 1\n").write("bad", "1 1\n1 2\n");
    let ran = scratch.sh("convert-ali --phone-map=map mdl mdl tree ark:ali ark:o");
    ran.fails_with(255).stderr_has("a: phone 1 has no path of 2 frames");
    scratch.write("map", "1 2\n2 2\n");
    let ran = scratch.sh("convert-ali --phone-map=map mdl mdl tree ark:ali ark,t:-");
    ran.succeeds().stdout_is("a 8 7 7 7 7 8 7 \nb 8 7 7 8 7 7 7 \n");
    let bad = scratch.sh("convert-ali --phone-map=bad mdl mdl tree ark:ali ark:o");
    bad.fails_with(255).stderr_has("bad: line 2: expected an old phone, which comes once, and a new phone");
}

#[test]
fn what_cannot_be_converted_is_skipped_and_counted() {
    let ran = scratch().sh("printf 'a 2 4\\nb 8\\n' | convert-ali mdl mdl tree ark:- ark,t:-");
    ran.succeeds()
        .stdout_is("b 8 \n")
        .stderr_has("Could not convert alignment for key a (possibly truncated alignment?)")
        .stderr_has("Succeeded converting alignments for 1 files, failed for 1");
    scratch().sh("printf 'a 2 4\\n' | convert-ali mdl mdl tree ark:- ark,t:-").fails_with(1);
    scratch().sh("convert-ali mdl mdl tree ark:/dev/null ark,t:-").fails_with(1);
}

#[test]
fn a_tree_of_another_model_is_an_error() {
    let scratch = scratch();
    scratch.write("other", "ContextDependency 1 0 ToPdf CE 0 EndContextDependency ");
    let ran = scratch.sh("convert-ali mdl mdl other ark:ali ark:o");
    ran.fails_with(255).stderr_has("a: the model has no transition-state for phone 1, state 1, pdfs 0 and 0");
}

/// In Kaldi a path depends on all utterances before.
#[test]
fn random_paths_depend_on_the_key_alone() {
    let scratch = scratch();
    scratch.write("long", "a 8 7 7 7 7 7 7 7 7 7 7 7\nb 8 7 7 7 7 7 7 7 7 7 7 7\n").write("map", "2 1\n");
    let convert = |lines: &str| {
        scratch.sh(&format!("{lines} long | convert-ali --phone-map=map mdl mdl tree ark:- ark,t:- | grep ^b"))
    };
    let both = convert("cat").succeeds();
    convert("tail -n 1").succeeds().stdout_is(both.stdout());
    let phones =
        "convert-ali --phone-map=map mdl mdl tree ark:long ark:- | ali-to-phones --write-lengths mdl ark:- ark,t:-";
    scratch.sh(phones).succeeds().stdout_is("a 1 12 \nb 1 12 \n");
}
