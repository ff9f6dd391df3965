use crate::support::Scratch;
use crate::tools::lattices::{ambiguous, text_of};

#[test]
fn words_have_their_times() {
    let scratch = Scratch::new();
    scratch.write("lats", "u \n0 1 5 1,2,3_3\n1 2 0 0,0,4\n2 3 6 0,0,3_3_3\n3\n\n");
    let ctm = |options: &str| text_of(&scratch, &format!("nbest-to-ctm {options} ark:lats -"));
    assert_eq!(ctm(""), "u 1 0.000 0.020 5\nu 1 0.030 0.030 6\n");
    assert_eq!(ctm("--frame-shift=0.03"), "u 1 0.00 0.06 5\nu 1 0.09 0.09 6\n");
    assert_eq!(ctm("--frame-shift=0.03 --precision=0 --print-silence=true"), "u 1 0 0 5\nu 1 0 0 0\nu 1 0 0 6\n");
    assert_eq!(ctm("--frame-shift=0.0005").lines().next(), Some("u 1 0.0000 0.0010 5"));
}

#[test]
fn a_lattice_of_several_paths_is_counted_as_an_error() {
    let scratch = ambiguous();
    let ran = scratch.sh("nbest-to-ctm ark:lats -").succeeds().stdout_is("b 1 0.000 0.010 8\n");
    ran.stderr_has("Format conversion failed for key a")
        .stderr_has("Converted 1 linear lattices to ctm format; 1 had errors.");
}
