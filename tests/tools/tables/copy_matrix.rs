use crate::support::sample::{Sample, binary_archive, matrix, text_archive, vector};
use crate::support::{Scratch, tool};

#[test]
fn help_is_no_failure() {
    tool("copy-matrix").arg("--help").assert().success();
}

/// Kaldi takes what is left of the key for the end of the archive.
#[test]
pub fn an_archive_cut_inside_a_key_is_an_error() {
    let first = [("first", matrix(1, 3, 4))];
    let archive = [binary_archive(&first), b"second".to_vec()].concat();
    let scratch = Scratch::new();
    for cut in 1..=6 {
        let place = archive.len() - 6 + cut;
        scratch.write("cut.ark", &archive[..place]);
        let cut = format!("cut.ark:{place}");
        scratch.sh("copy-matrix ark:cut.ark ark,t:-").fails_with(255).stdout_is(text_archive(&first)).stderr_has(&cut);
    }
}

/// Kaldi refuses it; other programs write it where an utterance has no frames.
#[test]
pub fn a_matrix_of_columns_without_rows_is_empty() {
    let scratch = Scratch::new();
    let zero_by_120 = b"u1 \0BFM \x04\0\0\0\0\x04\x78\0\0\0";
    let empty = b"u1 \0BFM \x04\0\0\0\0\x04\0\0\0\0";
    scratch.write("z.ark", [&zero_by_120[..], &binary_archive(&[("u2", matrix(1, 1, 2))])].concat());
    let warning = "u1: z.ark:8: a matrix of 0 by 120 is taken for an empty one";
    let copied = [&empty[..], &binary_archive(&[("u2", matrix(1, 1, 2))])].concat();
    scratch.sh("copy-matrix ark:z.ark ark:-").succeeds().stdout_is(copied).stderr_has(warning);
    scratch.sh("feat-to-len ark:z.ark ark,t:- 2> /dev/null").succeeds().stdout_is("u1 0 \nu2 1 \n");
}

/// Kaldi takes it for the end of the script file.
#[test]
pub fn a_line_of_a_script_file_that_is_none_is_an_error_wherever_it_stands() {
    let scratch = Scratch::new();
    scratch.write("m.mat", matrix(1, 2, 2).binary()).write("bad.scp", "a m.mat\nb\nc m.mat\n");
    scratch.sh("copy-matrix scp:bad.scp ark:-").fails_with(255).stderr_has("bad.scp:2: ");
    scratch.write("blank.scp", "a m.mat\n\nc m.mat\n");
    scratch.sh("copy-matrix scp:blank.scp ark:-").fails_with(255).stderr_has("blank.scp:2: ");
}

#[test]
pub fn a_script_file_from_a_pipe_that_fails_is_an_error() {
    let scratch = Scratch::new();
    scratch.write("m.mat", matrix(1, 2, 2).binary());
    let script = "copy-matrix 'scp:echo a m.mat; exit 3 |' ark:-";
    scratch.sh(script).fails_with(255).stderr_has("echo a m.mat; exit 3 |");
}

/// Kaldi writes the infinities and negative NaN itself, but does not read them.
#[test]
pub fn numbers_as_others_write_them_are_read() {
    let scratch = Scratch::new();
    scratch.write("m.txt", "a [ -inf +inf\n -nan +1\n .5 -.5 ]\n");
    let rows = vec![vec![f32::NEG_INFINITY, f32::INFINITY], vec![-f32::NAN, 1.0], vec![0.5, -0.5]];
    scratch.sh("copy-matrix ark:m.txt ark,t:-").succeeds().stdout_is(text_archive(&[("a", Sample::Matrix(rows))]));
}

/// Kaldi warns of each of them.
#[test]
fn infinite_and_nan_numbers_are_counted_in_a_warning() {
    let scratch = Scratch::new();
    scratch.write("m.txt", "a [ 1 inf\n nan 2\n 3 4 ]\nb [ 1 2 ]\n").write("v.txt", "c [ -inf nan 3 ]\n");
    let ran = scratch.sh("copy-matrix --num-threads=2 ark:m.txt ark:m.ark").succeeds();
    let ran = ran.stderr_has("WARNING (").stderr_has("a: m.txt:1: 2 of 6 numbers are infinite or NaN\n");
    ran.stderr_lacks("b: m.txt");
    scratch.sh("copy-vector ark:v.txt ark:-").succeeds().stderr_has("c: v.txt:1: 2 of 3 numbers are infinite or NaN\n");
    scratch.sh("copy-matrix ark:m.ark ark:-").succeeds().stderr_lacks("WARNING");
}

#[test]
fn an_archive_with_a_line_end_in_its_name_has_no_script_file() {
    let scratch = Scratch::new();
    scratch.write("m.ark", binary_archive(&[("a", matrix(1, 2, 2))]));
    let ran = scratch.sh("copy-matrix ark:m.ark $'ark,scp:a\\nb,s'").fails_with(255);
    ran.stderr_has("the archive has a line end in its name, which a script file cannot have\n");
    assert_eq!(scratch.list(), ["m.ark"]);
    scratch.sh("copy-matrix ark:m.ark $'ark:a\\nb'").succeeds();
}

#[test]
pub fn a_range_may_leave_the_rows_out() {
    let scratch = Scratch::new();
    scratch.write("m.mat", Sample::Matrix(vec![vec![1.0, 2.0, 3.0], vec![4.0, 5.0, 6.0]]).binary());
    let columns = Sample::Matrix(vec![vec![2.0, 3.0], vec![5.0, 6.0]]);
    let script = "echo 'a m.mat[,1:2]' | copy-matrix scp:- ark,t:-";
    scratch.sh(script).succeeds().stdout_is(text_archive(&[("a", columns)]));
}

#[test]
fn rows_after_the_last_one_are_cut_with_a_warning() {
    let scratch = Scratch::new();
    let whole = [("k", matrix(1, 11, 7))];
    scratch.write("m.ark", binary_archive(&whole));
    scratch.write("one.scp", "a m.ark:2[0:3]\nb m.ark:2[2:13]\nc m.ark:2[2:10,1:2]\n");
    let warning = "one.scp:2: b: m.ark:2: Row range 2:13 goes beyond the number of rows of the matrix 11";
    for threads in [1, 3] {
        let copy = format!("copy-matrix --num-threads={threads} scp:one.scp ark,t:- 2>&1 > part.txt | grep WARNING");
        let ran = scratch.sh(&copy).succeeds();
        let log = String::from_utf8_lossy(ran.stdout()).into_owned();
        assert!(log.lines().count() == 1 && log.contains(warning), "{log}");
    }
    // Rows 2 to 10, and no more.
    scratch.sh("grep -c ^b part.txt; wc -l < part.txt").succeeds().stdout_is("1\n25\n");
    // Once for each entry, whatever a tool wants of it, and by every way to it.
    for command in [
        "matrix-dim scp:one.scp",
        "feat-to-len scp:one.scp ark,t:-",
        "copy-feats --write-num-frames=ark,t:- scp:one.scp ark:/dev/null",
        "select-feats 0 scp:one.scp ark:/dev/null",
        "matrix-sum ark:b.ark scp:one.scp ark:/dev/null",
        "copy-matrix 'm.ark:2[2:13]' /dev/null",
    ] {
        let script =
            format!("copy-matrix scp:one.scp ark:b.ark 2> /dev/null; {command} 2>&1 | grep -c 'Row range 2:13 goes'");
        scratch.sh(&script).succeeds().stdout_is("1\n");
    }
    // A matrix that is refused is not warned of.
    scratch.sh("copy-matrix 'm.ark:2[2:14]' -").fails_with(255).stderr_lacks("WARNING");
}

#[test]
fn elements_after_the_last_one_are_cut_with_a_warning() {
    let scratch = Scratch::new();
    scratch.write("v.ark", binary_archive(&[("k", vector(1, 7))])).write("v.scp", "a v.ark:2[1:9]\n");
    let warning = "v.scp:1: a: v.ark:2: Range 1:9 goes beyond the vector dimension 7";
    scratch.sh("copy-vector scp:v.scp ark,t:- | wc -w").succeeds().stdout_is("9\n").stderr_has(warning);
}
