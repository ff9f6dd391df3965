use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, matrix, matrix_f64, text_archive};

fn matrices() -> [(&'static str, Sample); 3] {
    [("a", matrix(1, 3, 4)), ("b", Sample::Matrix(vec![])), ("c", matrix_f64(2, 50, 2))]
}

#[test]
fn the_second_field_of_a_file_is_the_number_of_columns() {
    let scratch = Scratch::new();
    scratch.write("final.mat", matrix(1, 3, 40).binary()).write("text.mat", matrix(1, 3, 4).text());
    scratch.sh("matrix-dim final.mat").succeeds().stdout_is("3\t40\n");
    scratch.sh("matrix-dim final.mat | cut -f 2").succeeds().stdout_is("40\n");
    scratch.sh("matrix-dim - < text.mat").succeeds().stdout_is("3\t4\n");
    scratch.sh("matrix-dim 'final.mat[1:2,0:4]'").succeeds().stdout_is("2\t5\n");
}

#[test]
fn a_table_has_a_line_for_each_key() {
    let scratch = Scratch::new();
    scratch.write("m.ark", binary_archive(&matrices())).write("m.txt", text_archive(&matrices()));
    let lines = "a\t3\t4\nb\t0\t0\nc\t50\t2\n";
    scratch.sh("matrix-dim ark:m.ark").succeeds().stdout_is(lines);
    scratch.sh("matrix-dim ark:m.txt").succeeds().stdout_is(lines);
    scratch.sh("echo 'x m.ark:2[0:1]' | matrix-dim scp:-").succeeds().stdout_is("x\t2\t4\n");
}

#[test]
fn an_empty_table_is_nothing_done() {
    let ran = Scratch::new().sh("matrix-dim ark:/dev/null");
    ran.fails_with(1).stdout_is("").stderr_has("No features read from rspecifier 'ark:/dev/null'");
}

#[test]
fn an_archive_that_is_cut_short_is_an_error_after_what_is_whole() {
    let scratch = Scratch::new();
    let archive = binary_archive(&matrices());
    scratch.write("m.ark", &archive[..archive.len() - 1]);
    let ran = scratch.sh("matrix-dim ark:m.ark");
    ran.fails_with(255).stdout_is("a\t3\t4\nb\t0\t0\n").stderr_has("m.ark:");
}

#[test]
fn what_is_no_matrix_is_said_to_be_something_else() {
    let scratch = Scratch::new();
    scratch.write("v.vec", Sample::Vector(vec![1.0]).binary()).write("word", "hello\n");
    scratch.sh("matrix-dim v.vec").fails_with(255).stderr_has("this is a vector; copy-vector reads it");
    scratch.sh("matrix-dim word").fails_with(255).stderr_has("expected \"[\"");
    scratch.sh("matrix-dim none").fails_with(255).stderr_has("cannot open none");
}

#[test]
fn keys_need_not_be_utf8() {
    let scratch = Scratch::new();
    scratch.write("m.ark", b"\xe4\xf6 [ 1 2 ]\n");
    scratch.sh("matrix-dim ark:m.ark").succeeds().stdout_is(b"\xe4\xf6\t1\t2\n");
}
