use super::scratch;

const SUMMARY: &str =
    "number of phones 2\nnumber of pdfs 4\nnumber of transition-ids 8\nnumber of transition-states 4\n";

#[test]
fn a_model_is_summarized() {
    is_summarized_by("am-info");
}

/// A transition model is summarized, whatever follows it.
pub fn is_summarized_by(tool: &str) {
    let scratch = scratch();
    for line in [
        format!("{tool} mdl"),
        format!("copy-transition-model mdl - | {tool} -"),
        format!("(copy-transition-model mdl -; echo rubbish) > o && {tool} o"),
    ] {
        scratch.sh(&line).succeeds().stdout_is(SUMMARY);
    }
}

#[test]
fn damage_has_a_place() {
    let scratch = scratch();
    for tool in ["am-info", "hmm-info"] {
        let ran = scratch.sh(&format!("sed 's/^1 1 1/7 1 1/' mdl > bad; {tool} bad"));
        ran.fails_with(255).stderr_has("bad:").stderr_has("tuple 2: phone 7");
        let ran = scratch.sh(&format!("head -c 100 mdl > cut; {tool} cut"));
        ran.fails_with(255).stdout_is("").stderr_has("cut:");
    }
}
