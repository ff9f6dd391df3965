use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, text_archive, vector};

#[test]
pub fn an_archive_cut_inside_a_key_is_an_error() {
    let first = [("first", vector(1, 4))];
    let scratch = Scratch::new();
    scratch.write("cut.ark", [binary_archive(&first), b"sec".to_vec()].concat());
    let ran = scratch.sh("copy-vector ark:cut.ark ark,t:-");
    ran.fails_with(255).stdout_is(text_archive(&first)).stderr_has("cut.ark:");
}

#[test]
fn an_archive_cut_inside_its_first_key_has_nothing_in_permissive_mode() {
    let ran = Scratch::new().sh("printf ut | copy-vector ark,p:- ark,t:-");
    ran.fails_with(1).stdout_is("").stderr_has("ut: standard input:1:").stderr_has("Copied 0 vectors");
    Scratch::new().sh("printf 'ut ' | copy-vector ark,p:- ark,t:-").fails_with(255).stdout_is("");
}

/// For Kaldi it is a warning, for a single file not even that.
#[test]
pub fn an_output_pipe_that_fails_is_an_error() {
    let entries = [("a", vector(1, 4)), ("b", vector(2, 3))];
    let scratch = Scratch::new();
    scratch.write("v.ark", binary_archive(&entries)).write("v.vec", vector(1, 4).binary());
    let t = |script: &str, stdout: String| {
        scratch.sh(script).fails_with(255).stdout_is(stdout).stderr_has("| cat; exit 3");
    };
    t("copy-vector ark:v.ark 'ark,t:| cat; exit 3'", text_archive(&entries));
    t("copy-vector ark:v.ark 'ark,scp:o.ark,| cat; exit 3'", "a o.ark:2\nb o.ark:30\n".to_owned());
    t("copy-vector --binary=false v.vec '| cat; exit 3'", vector(1, 4).text());
}

#[test]
pub fn numbers_as_others_write_them_are_read() {
    let scratch = Scratch::new();
    scratch.write("v.txt", "a [ -inf +inf -nan +1 .5 -.5 ]\n");
    let numbers = vec![f32::NEG_INFINITY, f32::INFINITY, -f32::NAN, 1.0, 0.5, -0.5];
    scratch.sh("copy-vector ark:v.txt ark,t:-").succeeds().stdout_is(text_archive(&[("a", Sample::Vector(numbers))]));
}

/// In Kaldi, they are arguments there.
#[test]
pub fn options_may_stand_after_arguments() {
    let scratch = Scratch::new();
    scratch.write("v.txt", "a [ 1 2 3 ]\n").write("v.vec", " [ 1 ]\n").write("conf", "--change-dim=2\n--scale=5\n");
    for line in
        ["ark:v.txt --change-dim=1 ark,t:-", "ark:v.txt ark,t:- --change-dim=1", "ark:v.txt --change-dim=1 -- ark,t:-"]
    {
        scratch.sh(&format!("copy-vector --change-dim=2 {line}")).succeeds().stdout_is("a  [ 1 ]\n");
    }
    // A config file comes first wherever it is named.
    let ran = scratch.sh("copy-vector --scale=2 ark:v.txt ark,t:- --config=conf");
    ran.succeeds().stdout_is("a  [ 2 4 ]\n");
    let ran = scratch.sh("copy-vector ark:v.txt ark,t:- --change_dims=1").fails_with(255);
    ran.stdout_is("").stderr_has("Invalid option --change_dims=1: did you mean --change_dim?");
    let ran = scratch.sh("copy-vector v.vec -- --change-dim=1; ls").succeeds();
    ran.stdout_is("--change-dim=1\nconf\nv.txt\nv.vec\n");
}
