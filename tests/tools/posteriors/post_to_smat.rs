use crate::support::Scratch;

#[test]
fn frames_become_sparse_rows() {
    let scratch = Scratch::new();
    scratch.write("post", "a [ 1 0.5 2 0.25 ] [ ]\n").write("ali", "b 0 2\n");
    let ran = scratch.sh("post-to-smat --dim=3 ark:post ark,t:-");
    ran.succeeds()
        .stdout_is("a rows=2 dim=3 [ 1 0.5 2 0.25 ] dim=3 [ ] \n")
        .stderr_has("Done converting 1 posteriors into sparse matrices.");
    let ran = scratch.sh("ali-to-post ark:ali ark:- | post-to-smat --dim=3 ark:- ark:-");
    let row =
        |index: &[u8; 1]| [b"SV \x04\x03\0\0\0\x04\x01\0\0\0\x04", &index[..], b"\0\0\0\x04\0\0\x80\x3f"].concat();
    ran.succeeds().stdout_is([&b"b \0BSM \x04\x02\0\0\0"[..], &row(b"\0"), &row(b"\x02")].concat());
}

#[test]
fn rows_are_sorted_equal_indexes_added_and_zeros_left_out() {
    let ran = Scratch::new().sh("echo 'a [ 5 0.5 2 0.25 5 0.5 ] [ 0 0 1 -1 ]' | post-to-smat --dim=6 ark:- ark,t:-");
    ran.succeeds().stdout_is("a rows=2 dim=6 [ 2 0.25 5 1 ] dim=6 [ 1 -1 ] \n");
}

#[test]
fn the_dimension_must_be_given() {
    for option in ["", "--dim=0", "--dim=-3"] {
        let ran = Scratch::new().sh(&format!("post-to-smat {option} ark:/dev/null ark:-"));
        ran.fails_with(255).stderr_has("expected --dim to be given and above 0");
    }
}

#[test]
fn an_index_that_is_no_column_is_an_error() {
    let scratch = Scratch::new();
    scratch.write("post", "a [ 2 1 ]\nb [ 3 0.5 ]\n").write("negative", "a [ -1 1 ]\n");
    let ran = scratch.sh("post-to-smat --dim=3 ark:post ark:o");
    ran.fails_with(255).stderr_has("b: expected an index below 3, got 3, see --dim");
    scratch.sh("post-to-smat --dim=3 ark:negative ark:o").fails_with(255).stderr_has("got -1");
    assert_eq!(scratch.list(), ["negative", "post"]);
}
