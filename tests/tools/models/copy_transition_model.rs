use super::{TRANSITIONS, scratch};

#[test]
fn a_transition_model_is_copied_out_of_an_acoustic_model() {
    let scratch = scratch();
    let ran = scratch.sh("copy-transition-model --binary=false mdl -");
    ran.succeeds().stdout_is(TRANSITIONS).stderr_has("Copied transition model.");
    scratch
        .sh("copy-transition-model --binary=true mdl b && copy-transition-model --binary=false b -")
        .succeeds()
        .stdout_is(TRANSITIONS);
}

/// In Kaldi the form depends on what is in memory.
#[test]
fn the_form_is_binary_if_nothing_is_said() {
    let scratch = scratch();
    scratch.sh("copy-transition-model mdl o").succeeds();
    assert!(scratch.read("o").starts_with(b"\0B<TransitionModel> "));
}

#[test]
fn nothing_is_written_if_the_model_is_damaged() {
    let scratch = scratch();
    scratch
        .sh("sed 's/-1.5/1.5/' mdl > bad; copy-transition-model bad o")
        .fails_with(255)
        .stderr_has("got 1.5 for transition-id 2");
    assert!(!scratch.list().contains(&"o".to_owned()));
}

/// Kaldi makes room for as many tuples as the file claims, and dies.
#[test]
fn a_claimed_size_takes_no_memory() {
    let scratch = scratch();
    let ran = scratch.sh("sed 's/^<Triples> 4/<Triples> 2000000000/' mdl > bad; ulimit -v 2000000; am-info bad");
    ran.fails_with(255).stderr_has("bad:");
    let binary = scratch.sh(
        "copy-transition-model mdl - | perl -pe 's/<Triples> \\x04..../<Triples> \\x04\\xff\\xff\\xff\\x7f/s' > bad; \
         ulimit -v 2000000; am-info bad",
    );
    binary.fails_with(255).stderr_has("bad:");
}

/// In Kaldi the target is compared with the number of the transition, and the assertion fails.
#[test]
fn a_state_without_a_pdf_may_lead_to_the_state_of_any_number() {
    let scratch = scratch();
    let silent = "s/^<State> 1 <PdfClass> 1 .*/<State> 1 <Transition> 2 0.5 <Transition> 0 0.5 <\\/State> /";
    let less = "s/<PdfClass> 2/<PdfClass> 1/; s/^1 1 1 $//; s/<Triples> 4/<Triples> 3/; s/-0.25 -1.5 -0.75/-0.75/";
    let ran = scratch.sh(&format!("sed '{silent}; {less}' mdl > silent; am-info silent"));
    let summary = "number of phones 2\nnumber of pdfs 4\nnumber of transition-ids 6\nnumber of transition-states 3\n";
    ran.succeeds().stdout_is(summary);
}
