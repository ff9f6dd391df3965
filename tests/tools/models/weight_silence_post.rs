use super::scratch;

const POST: &str = "a [ 7 0.5 1 0.5 ] [ 8 1 ] [ 3 1 ]\n";

#[test]
fn silence_is_weighted() {
    let t = |options: &str, stdout: &str| {
        let scratch = scratch();
        scratch.write("post", POST);
        let ran = scratch.sh(&format!("weight-silence-post {options} mdl ark:post ark,t:-"));
        ran.succeeds().stdout_is(stdout).stderr_has("Done 1 posteriors.");
    };
    t("0.0 2", "a [ 1 0.5 ] [ ] [ 3 1 ] \n");
    t("0.5 2:9", "a [ 7 0.25 1 0.5 ] [ 8 0.5 ] [ 3 1 ] \n");
    t("-1 1:2", "a [ 7 -0.5 1 -0.5 ] [ 8 -1 ] [ 3 -1 ] \n");
    t("--distribute 0.5 2", "a [ 7 0.375 1 0.375 ] [ 8 0.5 ] [ 3 1 ] \n");
    t("--distribute 0 2", "a [ 7 0.25 1 0.25 ] [ ] [ 3 1 ] \n");
}

#[test]
fn without_phones_there_is_a_warning() {
    let ran = scratch().sh("echo 'a [ 7 1 ]' | weight-silence-post 0 '' mdl ark:- ark,t:-");
    ran.succeeds().stdout_is("a [ 7 1 ] \n").stderr_has("No silence phones, this will have no effect");
}

#[test]
fn words_in_the_place_of_numbers_are_errors() {
    let weight = "Invalid silence-weight parameter: expected a number, got \"x\"";
    scratch().sh("weight-silence-post x 1 mdl ark:/dev/null ark:-").fails_with(255).stderr_has(weight);
    for phones in ["1,2", "1::2", "a"] {
        let ran = scratch().sh(&format!("weight-silence-post 0 {phones} mdl ark:/dev/null ark:-"));
        ran.fails_with(255).stderr_has("Invalid silence-phones string: expected phones such as 1:2:3, got");
    }
}

/// Kaldi's assertions fail.
#[test]
fn what_cannot_be_weighted_has_a_place() {
    let t = |option: &str, post: &str, error: &str| {
        let ran = scratch().sh(&format!("echo '{post}' | weight-silence-post {option} 0 2 mdl ark:- ark:o"));
        ran.fails_with(255).stderr_has(error);
    };
    t("", "a [ ] [ 0 1 ]", "a: frame 1: expected a transition-id from 1 to 8, got 0");
    t("--distribute", "a [ 1 -1 ]", "a: frame 0: expected weights that sum up to 0 or more, got a negative sum");
}

#[test]
fn an_empty_table_is_nothing_done() {
    scratch().sh("weight-silence-post 0 2 mdl ark:/dev/null ark:-").fails_with(1).stderr_has("Done 0 posteriors.");
}
