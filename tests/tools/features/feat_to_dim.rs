use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, matrix};

fn feats() -> Scratch {
    let scratch = Scratch::new();
    let entries = [("a", matrix(1, 2, 13)), ("b", Sample::Matrix(vec![])), ("c", matrix(2, 5, 40))];
    scratch.write("f.ark", binary_archive(&entries)).write("f.scp", "a f.ark:2\n");
    scratch
}

#[test]
fn a_file_gets_the_dimension_of_the_first() {
    feats().sh("feat-to-dim scp:f.scp -").succeeds().stdout_is("13\n");
    feats().sh("feat-to-dim 'ark:cat f.ark |' dim; cat dim").succeeds().stdout_is("13\n");
    // Scripts read it together with standard error.
    feats().sh("feat-to-dim --print-args=false ark:f.ark - 2>&1").succeeds().stdout_is("13\n");
}

#[test]
fn a_table_gets_all_of_them() {
    feats().sh("feat-to-dim ark:f.ark ark,t:-").succeeds().stdout_is("a 13 \nb 0 \nc 40 \n");
    let ran = feats().sh("copy-feats --compress ark:f.ark ark:- | feat-to-dim ark:- ark,t:-");
    ran.succeeds().stdout_is("a 13 \nb 0 \nc 40 \n");
    feats().sh("sed 's/$/[:,3:5]/' f.scp | feat-to-dim scp:- ark,t:-").succeeds().stdout_is("a 3 \n");
}

#[test]
fn an_empty_table_has_no_dimension() {
    let scratch = Scratch::new();
    scratch.sh("feat-to-dim ark:/dev/null ark,t:-").succeeds().stdout_is("");
    scratch.sh("feat-to-dim ark:/dev/null o").fails_with(255).stderr_has("empty archive?");
    assert_eq!(scratch.list(), Vec::<String>::new());
}

#[test]
fn a_broken_entry_is_an_error() {
    let scratch = Scratch::new();
    scratch.write("f.txt", "a [ 1 2 ]\nb [ 1 x ]\n");
    scratch.sh("feat-to-dim ark:f.txt ark:o").fails_with(255).stderr_has("b: f.txt:2: ");
    scratch.sh("feat-to-dim ark:f.txt -").succeeds().stdout_is("2\n");
    scratch.sh("feat-to-dim f.txt -").fails_with(255);
    assert_eq!(scratch.list(), ["f.txt"]);
}
