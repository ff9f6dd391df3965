use crate::support::Scratch;
use crate::support::sample::{binary_archive, ints};

fn lists() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("l.scp", "b 1\nA 22\na  333\nb 0\n").write("utt2num_frames", "a 5\nb 5\nA 9\n");
    scratch.write("i.ark", binary_archive(&[("c", ints(1, 2)), ("a", ints(2, 9)), ("b", ints(3, 0))]));
    scratch
}

#[test]
fn keys_are_sorted_by_their_bytes_and_equal_ones_stay() {
    let scratch = lists();
    scratch.sh("table-sort l.scp -").succeeds().stdout_is("A 22\na  333\nb 1\nb 0\n");
    scratch.sh("table-sort --reverse scp:l.scp scp:-").succeeds().stdout_is("b 1\nb 0\na  333\nA 22\n");
}

#[test]
fn lengths_and_sizes_are_numbers() {
    let scratch = lists();
    let ran = scratch.sh("table-sort --by=length --utt2num-frames=utt2num_frames l.scp -");
    ran.succeeds().stdout_is("b 1\na  333\nb 0\nA 22\n");
    let ran = scratch.sh("table-sort --by=size --reverse ark:i.ark ark:- | copy-int-vector ark:- ark,t:- | cut -c1");
    ran.succeeds().stdout_is("a\nc\nb\n");
}

#[test]
fn a_buffer_sorts_that_many_at_a_time() {
    let scratch = lists();
    scratch.sh("table-sort --buffer-size=3 l.scp -").succeeds().stdout_is("A 22\na  333\nb 1\nb 0\n");
    scratch.sh("table-sort --buffer-size=2 l.scp -").succeeds().stdout_is("A 22\nb 1\na  333\nb 0\n");
}

#[test]
fn an_archive_is_sorted_in_file_and_stream() {
    let scratch = lists();
    let expected = binary_archive(&[("a", ints(2, 9)), ("b", ints(3, 0)), ("c", ints(1, 2))]);
    scratch.sh("table-sort ark:i.ark ark:-").succeeds().stdout_is(&expected);
    scratch.sh("cat i.ark | table-sort ark:- ark:-").succeeds().stdout_is(&expected);
    scratch.sh("table-sort ark:i.ark ark:i.ark; cat i.ark").succeeds().stdout_is(&expected);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let scratch = lists();
    for (options, message) in [
        ("--by=x", "--by=x: expected key, size or length, got \"x\""),
        ("--by=length", "expected --utt2num-frames with --by=length"),
        ("--utt2num-frames=utt2num_frames", "expected --utt2num-frames with --by=length only"),
    ] {
        scratch.sh(&format!("table-sort {options} l.scp o")).fails_with(255).stderr_has(message);
    }
    scratch.write("utt2num_frames", "a 5\n");
    let ran = scratch.sh("table-sort --by=length --utt2num-frames=utt2num_frames l.scp o");
    ran.fails_with(255).stderr_has("b: --utt2num-frames does not have this key");
    assert_eq!(scratch.list(), ["i.ark", "l.scp", "utt2num_frames"]);
    scratch.sh("table-sort /dev/null -").fails_with(1).stdout_is("");
}

#[test]
fn values_of_a_script_file_become_an_archive() {
    let scratch = Scratch::new();
    scratch.write("t.ark", "x [ 1 2\n 3 4 ]\ny [ 5 6\n 7 8\n 9 10 ]\n").write("one.txt", " [ 0 0 ]\n");
    scratch.sh("copy-matrix ark:t.ark ark,scp:m.ark,x.scp && copy-matrix one.txt one.mat").succeeds();
    scratch
        .sh("sed 's/^x/c/; s/^y.*/&[1:2,0:0]/; s/^y/d/' x.scp > m.scp && echo 'a cat one.mat |' >> m.scp")
        .succeeds();
    scratch.sh("echo 'b one.mat' >> m.scp").succeeds();
    let sorted = "a  [\n  0 0 ]\nb  [\n  0 0 ]\nc  [\n  1 2 \n  3 4 ]\nd  [\n  7 \n  9 ]\n";
    let ran = scratch.sh("table-sort scp:m.scp ark,scp:s.ark,s.scp && copy-matrix scp:s.scp ark,t:-");
    ran.succeeds().stdout_is(sorted);
    let ran = scratch.sh("table-sort --by=size --reverse scp:m.scp ark:- | table-keys ark:- | tr -d '\\n'");
    ran.succeeds().stdout_is("dcab");
    for tool in ["table-shuffle", "table-shuffle --buffer-size=2", "table-split", "table-sample --n=9"] {
        scratch.sh(&format!("{tool} scp:m.scp ark:- | table-sort ark:- ark:- | cmp - s.ark")).succeeds();
    }
    // The output is a list.
    scratch.sh("table-sort scp:m.scp scp:- | head -n 2").succeeds().stdout_is("a cat one.mat |\nb one.mat\n");
    scratch.write("bad.scp", "c m.ark:2\nb missing.mat\n").write("text.scp", "b t.ark:2\na one.txt\n");
    let ran = scratch.sh("table-sort scp:text.scp ark,t:-").succeeds();
    ran.stdout_is("a  [ 0 0 ]\nb [ 1 2\n 3 4 ]\n");
    let ran = scratch.sh("table-sort scp:bad.scp ark:o").fails_with(255);
    ran.stderr_has("bad.scp:2: b: cannot open missing.mat");
    assert!(!scratch.list().contains(&"o".to_owned()));
    // The name of the script file is enough.
    scratch.sh("table-sort m.scp ark:o; cmp o s.ark").succeeds();
}
