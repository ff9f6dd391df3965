use super::with_dataset;
use crate::support::Scratch;

#[test]
fn files_appear_together_or_not_at_all() {
    let scratch = with_dataset();
    assert_eq!(scratch.list(), ["data.bin", "data.idx", "tokens"]);
    scratch.write("cut", b"a \0B\x04\x02\0\0\0\x04\x01\0\0\0");
    scratch.sh("int-vector-to-indexed --write-keys=keys ark:cut other").fails_with(255);
    assert_eq!(scratch.list(), ["cut", "data.bin", "data.idx", "tokens"]);
    let old = scratch.read("data.idx");
    scratch.sh("int-vector-to-indexed ark:cut data").fails_with(255);
    assert_eq!(scratch.read("data.idx"), old);
}

#[test]
fn an_empty_table_is_an_empty_dataset() {
    let scratch = Scratch::new();
    scratch.sh("int-vector-to-indexed ark:/dev/null empty").fails_with(1);
    scratch.sh("indexed-check empty").succeeds();
    scratch.sh("indexed-to-int-vector empty ark,t:-").succeeds().stdout_is("");
}

#[test]
fn a_dataset_stays_if_there_is_nothing_to_write_or_it_is_no_dataset() {
    let scratch = Scratch::new();
    scratch.write("t", "a 1 2\n").write("u.idx", "v1.2 2\n").write("w.bin", "x");
    scratch.sh("int-vector-to-indexed --write-keys=keys ark:t d").succeeds();
    let old = (scratch.read("d.idx"), scratch.read("d.bin"), scratch.read("keys"));
    scratch
        .sh("false | int-vector-to-indexed --write-keys=keys ark:- d")
        .fails_with(1)
        .stderr_has("there is no document to write; the dataset d stays as it was");
    assert_eq!((scratch.read("d.idx"), scratch.read("d.bin"), scratch.read("keys")), old);
    for other in ["u", "w"] {
        let message = "and they are no token dataset: choose another name, or replace it with --force";
        scratch.sh(&format!("int-vector-to-indexed ark:t {other}")).fails_with(255).stderr_has(message);
        scratch.sh(&format!("indexed-split --parts=1 d {other}")).fails_with(255).stderr_has(message);
        scratch.sh(&format!("int-vector-to-indexed --force ark:t {other} && indexed-check {other}")).succeeds();
    }
}

#[test]
fn a_token_that_does_not_fit_is_named_by_key_and_position() {
    let scratch = Scratch::new();
    scratch.write("t", "a 1 2\nb 3 65536\n");
    let message = "b: token 1: expected a number that fits uint16, found 65536";
    scratch.sh("int-vector-to-indexed --dtype=uint16 ark:t d").fails_with(255).stderr_has(message);
    let message = "b: token 1: expected a token from 0 to below --vocab-size=65536, found 65536";
    scratch.sh("int-vector-to-indexed --vocab-size=65536 ark:t d").fails_with(255).stderr_has(message);
    scratch
        .sh("int-vector-to-indexed --dtype=uint16 --append-eod=-1 ark:t d")
        .fails_with(255)
        .stderr_has("--append-eod");
    scratch.sh("int-vector-to-indexed --dtype=float32 ark:t d").fails_with(255).stderr_has("expected int32");
    assert_eq!(scratch.list(), ["t"]);
}

#[test]
fn the_type_may_follow_from_the_tokens_or_the_vocabulary() {
    let scratch = Scratch::new();
    scratch.write("small", "a 1 65535\n").write("large", "a 1 65535\nb 65536\nc 2\n").write("one", "a 1\n");
    let dtype = |options: &str| {
        let ran = scratch.sh(&format!("int-vector-to-indexed {options} d && indexed-info d | grep dtype"));
        String::from_utf8(ran.succeeds().stdout().to_vec()).unwrap()
    };
    assert_eq!(dtype("ark:small"), "dtype int32\n");
    assert_eq!(dtype("--dtype=auto ark:small"), "dtype uint16\n");
    assert_eq!(dtype("--dtype=auto ark:large"), "dtype int32\n");
    scratch.sh("indexed-to-int-vector d ark,t:-").succeeds().stdout_is("0 1 65535 \n1 65536 \n2 2 \n");
    assert_eq!(dtype("--dtype=auto --vocab-size=65537 ark:small"), "dtype int32\n");
    assert_eq!(dtype("--dtype=int8 ark:one"), "dtype int8\n");
    scratch.sh("int-vector-to-indexed --dtype=auto --vocab-size=60000 ark:small d").fails_with(255);
}

#[test]
fn the_end_of_a_document_stands_in_its_last_sequence() {
    let scratch = Scratch::new();
    scratch.write("n", "a 1 2 ; 3 ; \nb \nc ; \nd 4 ; ; \n");
    scratch
        .sh("int-vector-to-indexed --nested --append-eod=0 --write-keys=- ark:n d")
        .succeeds()
        .stdout_is("a\na\nc\nd\nd\n");
    scratch.sh("indexed-to-int-vector d ark,t:-").succeeds().stdout_is("0 1 2 \n1 3 0 \n2 \n3 4 \n4 0 \n");
    scratch.sh("indexed-info d | grep documents").succeeds().stdout_is("documents 4\nempty_documents 1\n");
    scratch.write("t", "a 1\nb\n");
    scratch.sh("int-vector-to-indexed --append-eod=9 ark:t e && indexed-get e 0 1").succeeds().stdout_is("1 9\n\n");
}

#[test]
fn sequences_without_tokens_may_be_left_out() {
    let scratch = Scratch::new();
    scratch.write("n", "a 1 ; ; 3 ; \nb \nc ; \n").write("t", "a 1\nb\nc 2\n").write("modes", "a 5\nb 6\nc 7\n");
    scratch
        .sh("int-vector-to-indexed --nested --skip-empty ark:n d; indexed-to-int-vector --unit=document d ark,t:-")
        .succeeds()
        .stdout_is("0 1 3 \n");
    let ran = scratch
        .sh("int-vector-to-indexed --skip-empty --write-keys=- --modes=ark:modes ark:t e && tail -c 2 e.idx | od -A n -t d1");
    ran.succeeds().stdout_is("a\nc\n    5    7\n");
}

#[test]
fn modes_are_found_by_key_in_any_order() {
    let scratch = Scratch::new();
    scratch.write("t", "a 1\nb 2\nc 3\n").write("n", "a 1 ; 2 ; \nb \nc 3 ; \n");
    scratch.write("modes", "c 3\na -1\nb 2\n").write("lists", "c 4\na 1 2\n").write("singly", "a 1\na 2\nc 4\n");
    let modes = "indexed-check d > /dev/null && tail -c 3 d.idx | od -A n -t d1";
    scratch
        .sh(&format!("int-vector-to-indexed --modes=ark:modes ark:t d && {modes}"))
        .succeeds()
        .stdout_is("   -1    2    3\n");
    for list in ["lists", "singly"] {
        let ran = scratch.sh(&format!("int-vector-to-indexed --nested --modes=ark:{list} ark:n d && {modes}"));
        ran.succeeds().stdout_is("    1    2    4\n");
    }
    scratch.write("few", "a 1\n").write("many", "a 1\nb 2\nc 3\nd 4\n").write("large", "a 1\nb 200\nc 1\n");
    scratch.sh("int-vector-to-indexed --modes=ark:few ark:t e").fails_with(255).stderr_has("b: expected modes of 1");
    scratch.sh("int-vector-to-indexed --modes=ark:many ark:t e").fails_with(255).stderr_has("d: there are more modes");
    scratch
        .sh("int-vector-to-indexed --modes=ark:large ark:t e")
        .fails_with(255)
        .stderr_has("b: expected a mode from -128");
}

#[test]
fn dialects_have_their_own_codes_and_forms() {
    let scratch = with_dataset();
    for (dialect, code, length) in [("gpt-neox", 8, 102), ("deepspeed", 6, 102), ("fairseq", 8, 62)] {
        let make = format!("int-vector-to-indexed --dialect={dialect} --dtype=uint16 ark:tokens {dialect}");
        scratch.sh(&format!("{make} && indexed-check {dialect}")).succeeds();
        let index = scratch.read(&format!("{dialect}.idx"));
        assert_eq!((index[17], index.len()), (code, length), "{dialect}");
        scratch
            .sh(&format!(
                "indexed-to-int-vector {dialect} ark,t:- | cut -d ' ' -f 2- > t; cut -d ' ' -f 2- tokens | cmp - t"
            ))
            .succeeds();
    }
    let ran = scratch.sh("int-vector-to-indexed --nested --dialect=fairseq ark:tokens e");
    ran.fails_with(255).stderr_has("has no documents");
}

#[test]
fn what_is_read_is_not_written() {
    let scratch = with_dataset();
    scratch.sh("cp tokens t.bin").succeeds();
    scratch.sh("int-vector-to-indexed ark:t.bin t").fails_with(255).stderr_has("to be read and written");
    scratch.sh("cmp tokens t.bin").succeeds();
}
