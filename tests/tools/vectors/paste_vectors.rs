use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive};

fn tables() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("1.ark", "a [ 1 2 ]\nb [ 3 ]\nc [ ]\n")
        .write("2.ark", "c [ 10 ]\na [ 20 30 ]\n")
        .write("3.ark", "a [ 7 ]\nb [ 8 ]\nc [ 9 ]\n");
    scratch
}

#[test]
fn vectors_with_the_same_key_follow_each_other() {
    let ran = tables().sh("paste-vectors ark:1.ark ark:2.ark ark:3.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [ 1 2 20 30 7 ]\nc  [ 10 9 ]\n")
        .stderr_has("Missing utt b from input ark:2.ark")
        .stderr_has("Done 2 utts, errors on 1");
    let ran = tables().sh("head -n 1 3.ark | paste-vectors ark:- ark:3.ark ark:-");
    ran.succeeds().stdout_is(binary_archive(&[("a", Sample::Vector(vec![7.0, 7.0]))]));
}

#[test]
fn where_nothing_is_pasted_it_is_an_error() {
    for first in ["/dev/null", "1.ark"] {
        let ran = tables().sh(&format!("paste-vectors ark:{first} ark:/dev/null ark,t:-"));
        ran.fails_with(255).stdout_is("").stderr_has("Done 0 utts");
    }
}

#[test]
fn files_are_refused() {
    let scratch = tables();
    scratch.write("1.vec", " [ 1 ]\n");
    scratch.sh("paste-vectors 1.vec 1.vec o").fails_with(255).stderr_has("expected tables, got 1.vec");
    scratch.sh("paste-vectors ark:1.ark 1.vec ark:o").fails_with(255).stderr_has("1.vec");
    scratch.sh("paste-vectors ark:1.ark ark:2.ark o").fails_with(255).stderr_has("invalid wspecifier \"o\"");
    assert_eq!(scratch.list(), ["1.ark", "1.vec", "2.ark", "3.ark"]);
}
