use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, matrix};

fn feats() -> Scratch {
    let scratch = Scratch::new();
    let entries = [("a", matrix(1, 20, 13)), ("b", Sample::Matrix(vec![])), ("c", matrix(2, 5, 40))];
    scratch.write("f.ark", binary_archive(&entries)).write("f.scp", "a f.ark:2\n");
    scratch
}

#[test]
fn one_argument_sums_the_frames() {
    feats().sh("feat-to-len ark:f.ark").succeeds().stdout_is("25\n");
    feats().sh("feat-to-len --print-args=false scp:f.scp 2>&1").succeeds().stdout_is("20\n");
    feats().sh("feat-to-len ark:/dev/null").succeeds().stdout_is("0\n");
}

#[test]
fn two_arguments_write_a_table() {
    feats().sh("feat-to-len ark:f.ark ark,t:-").succeeds().stdout_is("a 20 \nb 0 \nc 5 \n");
    let ran = feats().sh("copy-feats --compress ark:f.ark ark:- | feat-to-len ark:- ark,t:-");
    ran.succeeds().stdout_is("a 20 \nb 0 \nc 5 \n");
    feats().sh("sed 's/$/[3:21]/' f.scp | feat-to-len scp:- ark,t:-").succeeds().stdout_is("a 17 \n");
    feats().sh("feat-to-len ark:/dev/null ark,t:-").succeeds().stdout_is("");
}

#[test]
fn there_is_no_sum_of_features_that_cannot_be_read() {
    let scratch = feats();
    scratch.sh("head -c -1 f.ark | feat-to-len ark:-").fails_with(255).stdout_is("").stderr_has("c: standard input:");
    scratch.sh("feat-to-len 'ark:cat f.ark; exit 3 |'").fails_with(255).stdout_is("").stderr_has("exit 3");
    scratch.sh("head -c -1 f.ark | feat-to-len ark:- ark:o").fails_with(255);
    assert_eq!(scratch.list(), ["f.ark", "f.scp"]);
}
