use super::scratch;
use crate::support::Scratch;

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
pub fn what_is_no_alignment_of_the_model_is_an_error() {
    let scratch = scratch();
    scratch.write("ids", "a 8\nb 9\n").write("loops", "a 8\nb 1 3\n");
    let unknown = "b: frame 0: expected a transition-id from 1 to 8, got 9";
    scratch.sh("ali-to-phones mdl ark:ids ark:o").fails_with(255).stderr_has(unknown);
    let loops = "b: frame 1: the alignment goes from a self-loop of one state to that of another";
    scratch.sh("ali-to-phones mdl ark:loops ark:o").fails_with(255).stderr_has(loops);
}

/// The example that makes alignments of times is the inverse of `--ctm-output`.
#[test]
fn times_of_phones_become_alignments_again() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let scratch = Scratch::new();
    scratch
        .sh(&format!("cp '{folder}'/tests/golden/data/models/{{mono.mdl,ali.ark,feats.ark,phones.txt}} ."))
        .succeeds();
    let example = format!("bash '{folder}/examples/ctm_to_ali.sh'");
    scratch
        .sh("ali-to-phones --ctm-output mono.mdl ark:ali.ark ctm; feat-to-len ark:feats.ark ark,t:lengths")
        .succeeds();
    scratch.sh(&format!("{example} ctm phones.txt mono.mdl lengths SIL > ali.txt")).succeeds();
    scratch.sh("ali-to-phones --ctm-output mono.mdl ark:ali.txt again; cmp ctm again").succeeds();
    scratch
        .sh("copy-int-vector ark:ali.txt ark,t:- | awk '{ print $1, NF - 1, \"\" }' | sed 's/ $//' > counts")
        .succeeds();
    scratch.sh("sed 's/ *$//' lengths | cmp - counts").succeeds();
    // What is between phones, and behind the last one, is silence; phones may have names.
    scratch.write("gaps", "a 1 0.00 0.05 P3\na 1 0.10 0.05 P4\n").write("one", "a 30\n");
    let ran = scratch.sh(&format!(
        "{example} gaps phones.txt mono.mdl one SIL | ali-to-phones --write-lengths mono.mdl ark:- ark,t:-"
    ));
    ran.succeeds().stdout_is("a 3 5 ; 1 5 ; 4 5 ; 1 15 \n");
    for (line, message) in [
        ("a 1 0 0.02 P3", "no path through phone P3 has 2 frames"),
        ("a 1 0 0.3 X2", "the model has no phone X2"),
        ("b 1 0 0.3 P3", "line 1: the number of frames of b is not known"),
        ("a 1 0 0.5 P3", "its phones end after frame 50, and it has 30"),
        ("a 1 0 0.1", "line 1: expected an utterance, a channel, a start, a duration and a phone, got 4 columns"),
        ("a 1 0 0.1 P3\na 1 0.05 0.2 P3", "line 2: a: the phone begins before the one before it ends"),
    ] {
        scratch.write("wrong", format!("{line}\n"));
        scratch.sh(&format!("{example} wrong phones.txt mono.mdl one SIL")).fails_with(1).stderr_has(message);
    }
    scratch
        .sh(&format!("{example} ctm phones.txt no.mdl lengths SIL"))
        .fails_with(255)
        .stderr_has("cannot open no.mdl");
}
