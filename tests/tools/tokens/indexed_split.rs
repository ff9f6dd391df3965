use super::with_dataset;

#[test]
fn one_way_is_needed() {
    let scratch = with_dataset();
    scratch.sh("indexed-split data part-%d").fails_with(255).stderr_has("got 0");
    scratch.sh("indexed-split --parts=2 --max-bytes=2 data part-%d").fails_with(255).stderr_has("got 2");
}

#[test]
fn parts_join_to_the_whole() {
    let scratch = with_dataset();
    scratch.sh("indexed-split --parts=2 data part-%d && indexed-merge whole part-1 part-2").succeeds();
    scratch
        .sh("cmp data.idx whole.idx && cmp data.bin whole.bin && indexed-get part-2 0")
        .succeeds()
        .stdout_is("8 9\n");
    scratch
        .sh("indexed-split --max-bytes=8 data small-%03d.idx && ls small-*.idx")
        .succeeds()
        .stdout_is("small-001.idx\nsmall-002.idx\nsmall-003.idx\n");
    scratch.sh("indexed-check small-001 small-002 small-003 part-1 part-2").succeeds();
}

#[test]
fn documents_of_a_list_are_taken_in_its_order() {
    let scratch = with_dataset();
    scratch.write("list", "2\n0:2\n").write("bad", "3\n").write("words", "a\n");
    scratch
        .sh("indexed-split --documents=list data chosen-%d && indexed-get chosen-1 0 1 2")
        .succeeds()
        .stdout_is("8 9\n1 2 3\n4 5 6 7\n");
    scratch
        .sh("indexed-split --documents=bad data x-%d")
        .fails_with(255)
        .stderr_has("expected documents below 3, got 3");
    scratch.sh("indexed-split --documents=words data x-%d").fails_with(255).stderr_has("words:1:");
}

#[test]
fn names_need_a_place_for_the_number() {
    let scratch = with_dataset();
    for pattern in ["part", "part-%s", "part-%3d", "data%"] {
        scratch.sh(&format!("indexed-split --parts=2 data {pattern}")).fails_with(255).stderr_has("%d");
    }
    scratch
        .sh("cp data.idx d-2.idx; cp data.bin d-2.bin; indexed-split --parts=2 d-2 d-%d")
        .fails_with(255)
        .stderr_has("to be read and written");
    assert!(!scratch.list().contains(&"d-1.idx".to_owned()));
}

#[test]
fn numbered_files_of_tokens_are_cut_and_joined() {
    let scratch = with_dataset();
    scratch
        .sh("indexed-split --cut-bin=2 data cut && ls cut*")
        .succeeds()
        .stdout_is("cut-00000-of-00002.bin\ncut-00001-of-00002.bin\ncut.idx\n");
    scratch.sh("indexed-split --join cut whole && cmp data.bin whole.bin && cmp data.idx whole.idx").succeeds();
    scratch
        .sh("rm cut-00001-of-00002.bin; indexed-split --join cut other")
        .fails_with(255)
        .stderr_has("cut-00001-of-00002.bin");
    scratch.sh("indexed-split --join data other").fails_with(255).stderr_has("found none");
}
