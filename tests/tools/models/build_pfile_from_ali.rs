use super::{TRANSITIONS, scratch};

fn feats() -> crate::support::Scratch {
    let scratch = scratch();
    let frames = |rows: &[&str]| rows.join("\n  ");
    let feats = [
        format!("a  [\n  {} ]\n", frames(&["1.5", "2", "3", "4", "5", "6", "0.1234567"])),
        format!("b  [\n  {} ]\n", frames(&["1", "2"])),
        format!("c  [\n  {} ]\n", frames(&["1"])),
    ];
    scratch.write("feats", feats.concat());
    scratch
}

#[test]
fn frames_are_lines() {
    let ran = feats().sh("build-pfile-from-ali mdl ark:ali ark:feats -");
    let lines = "0 0 1.5 0\n0 1 2 0\n0 2 3 1\n0 3 4 2\n0 4 5 2\n0 5 6 3\n0 6 0.123457 3\n";
    ran.succeeds()
        .stdout_is(lines)
        .stderr_has("Alignment vector has wrong size 7 vs. 2")
        .stderr_has("Did not find alignment for utterance c")
        .stderr_has("Converted 1 alignments to pfiles.")
        .stderr_has("1 utterances have no alignment; 1 utterances have other errors.");
}

#[test]
fn some_frames_may_be_left_out() {
    let third = feats().sh("build-pfile-from-ali --every-nth-frame=3 mdl ark:ali ark:feats -");
    third.succeeds().stdout_is("0 0 1.5 0\n0 1 4 2\n0 2 0.123457 3\n");
    let zero = feats().sh("build-pfile-from-ali --every-nth-frame=0 mdl ark:ali ark:feats -");
    zero.fails_with(255).stderr_has("expected --every-nth-frame to be 1 or more, got 0");
}

#[test]
fn a_model_without_gaussians_is_an_error() {
    let scratch = feats();
    scratch.write("tm", TRANSITIONS);
    scratch
        .sh("build-pfile-from-ali tm ark:ali ark:feats o")
        .fails_with(255)
        .stderr_has("expected token \"<DIMENSION>\"");
}
