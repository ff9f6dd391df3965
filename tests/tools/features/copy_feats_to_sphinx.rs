use crate::support::Scratch;

fn feats() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("f.ark", "a [ 1 2\n 3 4 ]\nb [ ]\n");
    scratch
}

const A: &[u8] = b"\x04\0\0\0\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40";

#[test]
fn every_utterance_gets_a_file_in_a_new_folder() {
    let scratch = feats();
    let ran = scratch.sh("copy-feats-to-sphinx --output-dir=sphinx-feats --output-ext=s ark:f.ark");
    ran.succeeds().stderr_has("2 Sphinx feature files generated");
    assert_eq!(scratch.read("sphinx-feats/a.s"), A);
    assert_eq!(scratch.read("sphinx-feats/b.s"), [0; 4]);
}

#[test]
fn files_go_to_the_working_folder_by_default() {
    let scratch = feats();
    scratch.sh("copy-feats-to-sphinx ark:f.ark").succeeds();
    assert_eq!(scratch.list(), ["a.mfc", "b.mfc", "f.ark"]);
}

#[test]
fn an_empty_table_is_nothing_done() {
    let ran = Scratch::new().sh("copy-feats-to-sphinx ark:/dev/null");
    ran.fails_with(1).stderr_has("0 Sphinx feature files generated");
}

#[test]
fn a_broken_entry_is_an_error() {
    let scratch = Scratch::new();
    scratch.write("f.ark", "a [ 1 x ]\n");
    scratch.sh("copy-feats-to-sphinx ark:f.ark").fails_with(255).stderr_has("a: f.ark:1: ");
    assert_eq!(scratch.list(), ["f.ark"]);
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let ran = feats().sh("copy-feats-to-sphinx --output-dir=f.ark ark:f.ark");
    ran.fails_with(255).stderr_has("cannot make the folder f.ark: File exists");
}
