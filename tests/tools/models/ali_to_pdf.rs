use super::scratch;

#[test]
fn transition_ids_become_pdfs() {
    let scratch = scratch();
    scratch.sh("gzip ali").succeeds();
    let ran = scratch.sh("ali-to-pdf mdl 'ark:gunzip -c ali.gz |' ark,t:-");
    let pdfs = "a 0 0 1 2 2 3 3 \nb 3 3 3 0 1 2 2 \n";
    ran.succeeds().stdout_is(pdfs).stderr_has("Converted 2 alignments to pdf sequences.");
}

#[test]
fn an_empty_table_is_no_error() {
    scratch().sh("ali-to-pdf mdl ark:/dev/null ark,t:-").succeeds().stdout_is("").stderr_has("Converted 0 alignments");
}

/// Kaldi gives pdf 0 for 0, and reads beyond its table for others.
#[test]
pub fn a_number_that_is_no_transition_id_is_an_error() {
    for id in ["0", "-1", "9", "2147483647"] {
        let scratch = scratch();
        scratch.write("bad", format!("x 1 2\ny 1 {id}\n"));
        let ran = scratch.sh("ali-to-pdf mdl ark:bad ark:o");
        ran.fails_with(255).stderr_has(&format!("y: frame 1: expected a transition-id from 1 to 8, got {id}"));
        assert!(!scratch.list().contains(&"o".to_owned()));
    }
}

#[test]
fn a_tree_is_no_model() {
    let ran = scratch().sh("ali-to-pdf tree ark:ali ark:o");
    ran.fails_with(255).stderr_has("expected token \"<TransitionModel>\", got \"ContextDependency\"");
}
