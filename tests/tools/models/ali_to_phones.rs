use super::scratch;

#[test]
fn alignments_become_phones() {
    let ran = scratch().sh("ali-to-phones mdl ark:ali ark,t:-");
    ran.succeeds().stdout_is("a 1 2 \nb 2 1 \n").stderr_has("Done 2 utterances.");
}

#[test]
fn each_frame_has_a_phone() {
    scratch()
        .sh("ali-to-phones --per-frame mdl ark:ali ark,t:-")
        .succeeds()
        .stdout_is("a 1 1 1 1 1 2 2 \nb 2 2 2 1 1 1 1 \n");
}

#[test]
fn phones_have_lengths() {
    scratch()
        .sh("ali-to-phones --write-lengths mdl ark:ali ark,t:-")
        .succeeds()
        .stdout_is("a 1 5 ; 2 2 \nb 2 3 ; 1 4 \n");
}

#[test]
fn lines_of_ctm_have_seconds() {
    let scratch = scratch();
    let default = "a 1 0.000 0.050 1\na 1 0.050 0.020 2\nb 1 0.000 0.030 2\nb 1 0.030 0.040 1\n";
    scratch.sh("ali-to-phones --ctm-output mdl ark:ali -").succeeds().stdout_is(default);
    let coarse = "a 1 0.00 0.15 1\na 1 0.15 0.06 2\nb 1 0.00 0.09 2\nb 1 0.09 0.12 1\n";
    scratch.sh("ali-to-phones --ctm-output --frame-shift=0.03 mdl ark:ali o").succeeds();
    assert_eq!(String::from_utf8(scratch.read("o")).unwrap(), coarse);
    // CTM wins over the other forms.
    scratch.sh("ali-to-phones --ctm-output --write-lengths mdl ark:ali -").succeeds().stdout_is(default);
}

#[test]
fn the_phone_and_the_length_of_frames_exclude_each_other() {
    let ran = scratch().sh("ali-to-phones --per-frame --write-lengths mdl ark:ali ark:o");
    ran.fails_with(255).stderr_has("expected --per-frame or --write-lengths, got both");
}

#[test]
fn cut_alignments_are_split_all_the_same() {
    let ran = scratch().sh("printf 'a 2 4\\nb 5 6 7\\n' | ali-to-phones --write-lengths mdl ark:- ark,t:-");
    ran.succeeds().stdout_is("a 1 2 \nb 1 2 ; 2 1 \n");
}

#[test]
fn an_empty_table_is_no_error() {
    scratch().sh("ali-to-phones mdl ark:/dev/null ark,t:-").succeeds().stdout_is("");
}

#[test]
pub fn what_is_no_alignment_of_the_model_is_an_error() {
    let scratch = scratch();
    scratch.write("ids", "a 8\nb 9\n").write("loops", "a 8\nb 1 3\n");
    let unknown = "b: frame 0: expected a transition-id from 1 to 8, got 9";
    scratch.sh("ali-to-phones mdl ark:ids ark:o").fails_with(255).stderr_has(unknown);
    let loops = "b: frame 1: the alignment goes from a self-loop of one state to that of another";
    scratch.sh("ali-to-phones mdl ark:loops ark:o").fails_with(255).stderr_has(loops);
}
