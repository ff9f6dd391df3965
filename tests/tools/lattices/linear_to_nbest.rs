use crate::support::Scratch;

#[test]
fn alignments_and_words_become_a_path() {
    let scratch = Scratch::new();
    scratch.write("ali", "a 1 2 3\nb 4\n").write("tra", "a 7 8\nb 9 10\n").write("lm", "a 1.5\nb 2\n");
    let ran = scratch.sh("linear-to-nbest ark:ali ark:tra ark:lm '' ark,t:-").succeeds();
    let expected = "a \n0\t1\t7\t0,0,1\n1\t2\t8\t0,0,2_3\n2\t1.5,0,\n\nb \n0\t1\t9\t0,0,4\n1\t2\t10\n2\t2,0,\n\n";
    ran.stdout_is(expected).stderr_has("Done 2 n-best entries");
    scratch.write("few", "a 7\n");
    let ran = scratch.sh("linear-to-nbest ark:ali ark:few '' '' ark:o");
    ran.fails_with(255).stderr_has("b: no transcription for this key");
    let ran = scratch.sh("linear-to-nbest ark:ali ark:tra '' ark:/dev/null ark:o");
    ran.fails_with(255).stderr_has("a: no acoustic cost for this key");
}
