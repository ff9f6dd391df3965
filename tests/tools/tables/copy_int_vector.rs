use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, ints, text_archive};

fn alignments() -> [(&'static str, Sample); 3] {
    [("a", ints(1, 600)), ("b", Sample::Ints(vec![])), ("c", Sample::Ints(vec![i32::MIN, -1, 0, i32::MAX]))]
}

#[test]
fn an_unpacked_archive_is_written_as_text() {
    let scratch = Scratch::new();
    scratch.write("ali.1", binary_archive(&alignments()));
    let ran = scratch.sh("gzip ali.1; copy-int-vector 'ark:gunzip -c ali.1.gz |' ark,t:-");
    ran.succeeds().stdout_is(text_archive(&alignments())).stderr_has("Copied 3 vectors of int32.");
}

#[test]
fn text_and_binary_come_back_as_they_were() {
    let scratch = Scratch::new();
    scratch.write("i.ark", binary_archive(&alignments())).write("i.txt", text_archive(&alignments()));
    scratch.sh("copy-int-vector ark:i.txt ark:-").succeeds().stdout_is(binary_archive(&alignments()));
    scratch.sh("copy-int-vector ark:i.ark ark:-").succeeds().stdout_is(binary_archive(&alignments()));
    let mixed = scratch.sh("cat i.txt i.ark | copy-int-vector ark:- ark,t:-");
    mixed.succeeds().stdout_is(text_archive(&alignments()).repeat(2));
}

#[test]
fn a_file_has_brackets_in_text_and_one_size_byte_in_binary() {
    let scratch = Scratch::new();
    scratch.write("1.ints", b"\0B\x04\x02\0\0\0\x07\0\0\0\xff\xff\xff\xff");
    let ran = scratch.sh("copy-int-vector --binary=false 1.ints -");
    ran.succeeds().stdout_is("[ 7 -1 ]\n").stderr_has("Copied vector to -");
    scratch.sh("echo '[ 7 -1 ]' | copy-int-vector - 2.ints; cmp 1.ints 2.ints").succeeds();
}

#[test]
fn an_empty_table_is_nothing_done() {
    let ran = Scratch::new().sh("copy-int-vector ark:/dev/null ark,t:-");
    ran.fails_with(1).stdout_is("").stderr_has("Copied 0 vectors of int32.");
}

#[test]
fn tables_and_files_are_not_mixed() {
    let scratch = Scratch::new();
    scratch.write("i.ark", binary_archive(&alignments()));
    scratch.sh("copy-int-vector ark:i.ark o").fails_with(255).stderr_has("Cannot mix archives with regular files");
    scratch.sh("copy-int-vector i.ark ark:o").fails_with(255).stderr_has("Cannot mix archives with regular files");
    assert_eq!(scratch.list(), ["i.ark"]);
}

#[test]
fn a_broken_entry_leaves_no_output_behind() {
    let scratch = Scratch::new();
    scratch.write("i.txt", "a 1 2\nb 1 2.5\nc 3\n");
    scratch
        .sh("copy-int-vector ark:i.txt ark:o")
        .fails_with(255)
        .stderr_has("b: i.txt:2: expected an integer, got \".5\"");
    assert_eq!(scratch.list(), ["i.txt"]);
    scratch.sh("copy-int-vector ark,p:i.txt ark,t:-").succeeds().stdout_is("a 1 2 \n").stderr_has("WARNING");
}

#[test]
pub fn a_text_archive_that_ends_inside_a_key_is_an_error() {
    let scratch = Scratch::new();
    let ran = scratch.sh("printf 'a 1 2\\nb' | copy-int-vector ark:- ark,t:-");
    ran.fails_with(255).stdout_is("a 1 2 \n").stderr_has("b: standard input:2: expected a value after its key");
    // The last line may lack its end.
    scratch.sh("printf 'a 1 2\\nb 3' | copy-int-vector ark:- ark,t:-").succeeds().stdout_is("a 1 2 \nb 3 \n");
}

#[test]
pub fn an_archive_cut_inside_a_key_is_an_error() {
    let first = [("first", ints(1, 4))];
    let scratch = Scratch::new();
    scratch.write("cut.ark", [binary_archive(&first), b"sec".to_vec()].concat());
    let ran = scratch.sh("copy-int-vector ark:cut.ark ark,t:-");
    ran.fails_with(255).stdout_is(text_archive(&first)).stderr_has("cut.ark:");
}

/// The start of a posterior is that of a shorter vector of integers.
#[test]
fn posteriors_are_known_by_what_is_after_the_seeming_end() {
    let scratch = Scratch::new();
    scratch.write("post.txt", "a [ 1 0.5 2 0.5 ] [ 3 1 ] [ 17 1 ]\nb [ 1 1 ] [ 3 1 ]\nc [ 4 1 ]\n");
    scratch.sh("copy-post ark:post.txt ark:post.ark").succeeds();
    for tool in ["copy-int-vector", "copy-gselect"] {
        for input in ["ark:post.ark", "ark:cat post.ark |"] {
            let ran = scratch.sh(&format!("{tool} '{input}' ark:/dev/null")).fails_with(255);
            ran.stderr_has("expected a key after a, got ").stderr_has("this is a posterior; copy-post reads it");
        }
    }
}
