use crate::support::Scratch;

fn scratch(references: &str, hypotheses: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("ref", references).write("hyp", hypotheses);
    scratch
}

#[test]
fn words_and_sentences_are_counted() {
    let scratch = scratch("a the cat sat on a mat\nb x\nc 1 2\n", "a cat sat up in a mat\nb x\nc 1\n");
    scratch.sh("compute-wer --text ark:ref ark:hyp").succeeds().stdout_is(
        "%WER 44.44 [ 4 / 9, 1 ins, 2 del, 1 sub ]\n%SER 66.67 [ 2 / 3 ]\nScored 3 sentences, 0 not present in hyp.\n",
    );
}

#[test]
fn among_equal_edits_insertions_are_preferred() {
    let scratch = scratch("1 x y z\n2 a b c d\n3 a b\n4 a a b\n", "1 x z w\n2 b c d a\n3 b a\n4 b a a\n");
    scratch.sh("compute-wer ark:ref ark:hyp").succeeds().stdout_is(
        "%WER 66.67 [ 8 / 12, 4 ins, 4 del, 0 sub ]\n%SER 100.00 [ 4 / 4 ]\nScored 4 sentences, 0 not present in hyp.\n",
    );
}

#[test]
fn sentences_without_a_hypothesis_are_an_error_left_out_or_empty() {
    let scratch = scratch("a 1 2\nb 3 4\n", "b 3 4\n");
    let ran = scratch.sh("compute-wer ark:ref ark:hyp");
    ran.fails_with(255).stdout_is("").stderr_has("No hypothesis for key a and strict mode specifier");
    scratch.sh("compute-wer --mode=present ark:ref ark:hyp").succeeds().stdout_is(
        "%WER 0.00 [ 0 / 2, 0 ins, 0 del, 0 sub ] [PARTIAL]\n%SER 0.00 [ 0 / 1 ]\nScored 1 sentences, 1 not present in hyp.\n",
    );
    scratch.sh("compute-wer --mode=all ark:ref ark:hyp").succeeds().stdout_is(
        "%WER 50.00 [ 2 / 4, 0 ins, 2 del, 0 sub ] [PARTIAL]\n%SER 50.00 [ 1 / 2 ]\nScored 2 sentences, 1 not present in hyp.\n",
    );
}

#[test]
fn another_mode_is_an_error() {
    let ran = scratch("", "").sh("compute-wer --mode=some ark:ref ark:hyp");
    ran.fails_with(255).stderr_has("--mode option invalid: expected strict, present or all, got \"some\"");
}

#[test]
fn nothing_to_score_is_no_failure() {
    let t = |references: &str, hypotheses: &str, rates: &str| {
        let ran = scratch(references, hypotheses).sh("compute-wer ark:ref ark:hyp | cut -d ' ' -f 1,2 | head -n 2");
        ran.succeeds().stdout_is(rates);
    };
    t("", "a x\n", "%WER -nan\n%SER -nan\n");
    t("a\n", "a x\n", "%WER inf\n%SER 100.00\n");
    t("a\n", "a\n", "%WER -nan\n%SER 0.00\n");
}

#[test]
fn words_are_compared_byte_by_byte_whatever_is_between_them() {
    let scratch = scratch("a  \u{e9}t\u{e9}\tYes \r\n", "a \u{e9}t\u{e9} yes\n");
    let ran = scratch.sh("compute-wer ark:ref ark:hyp | head -n 1");
    ran.succeeds().stdout_is("%WER 50.00 [ 1 / 2, 0 ins, 0 del, 1 sub ]\n");
}

#[test]
fn a_missing_file_is_an_error() {
    scratch("", "").sh("compute-wer ark:none ark:hyp").fails_with(255).stdout_is("").stderr_has("cannot open none");
}

#[test]
fn characters_are_compared_without_white_space() {
    let scratch = scratch("a the cat\nb \u{4f60}\u{597d} x\nc\n", "a th ecat\nb \u{4f60}\u{597c}x y\nc z\n");
    scratch.sh("compute-wer --unit=char ark:ref ark:hyp").succeeds().stdout_is(
        "%CER 33.33 [ 3 / 9, 2 ins, 0 del, 1 sub ]\n%SER 66.67 [ 2 / 3 ]\nScored 3 sentences, 0 not present in hyp.\n",
    );
    scratch.sh("compute-wer --unit=word ark:ref ark:hyp | cmp - <(compute-wer ark:ref ark:hyp)").succeeds();
    // Bytes that are no UTF-8 are characters that differ.
    scratch.write("ref", b"a \xfex\n").write("hyp", b"a \xfdx\n");
    scratch
        .sh("compute-wer --unit=char ark:ref ark:hyp")
        .succeeds()
        .stdout_has("%CER 50.00 [ 1 / 2, 0 ins, 0 del, 1 sub ]");
    scratch.sh("compute-wer --unit=letter ark:ref ark:hyp").fails_with(255).stderr_has("expected word or char");
}
