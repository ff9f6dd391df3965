//! Messages that say what to do, and what is meant by words that are nearly right.

use crate::support::Scratch;

#[test]
fn keys_may_be_patterns_and_a_key_that_is_nearly_right_is_named() {
    let scratch = Scratch::new();
    scratch.write("x.ark", "u1 1\nu2 2\nu3 3\nv[1] 4\n").write("m.ark", "a [ 1 2\n 3 4 ]\nab [ 5 6\n 7 8 ]\n");
    scratch.sh("copy-feats ark:m.ark ark,scp:b.ark,b.scp").succeeds();
    for (words, keys) in
        [("'u[12]*'", "u1 u2"), ("'u?'", "u1 u2 u3"), ("'*3' u1", "u3 u1"), ("'v[1]'", "v[1]"), ("'u[!1]'", "u2 u3")]
    {
        let expected: String = keys.split(' ').map(|key| format!("{key}\n")).collect();
        scratch.sh(&format!("table-get x.ark {words} | cut -d' ' -f1")).succeeds().stdout_is(expected);
    }
    // A range is no pattern.
    scratch.sh("table-get b.scp 'a[0:0]'").succeeds().stdout_is("a  [\n  1 2 ]\n");
    scratch.sh("table-get b.scp 'a*' | grep -c '\\['").succeeds().stdout_is("2\n");
    for table in ["x.ark", "ark:x.ark"] {
        scratch.sh(&format!("table-get {table} U3")).fails_with(1).stderr_has("has no key U3; did you mean u3?");
    }
    scratch.sh("table-get x.ark 'w*'").fails_with(1).stderr_has("has no key w*");
}

#[test]
fn a_name_that_cannot_be_exported_to_gets_the_formats() {
    let scratch = Scratch::new();
    scratch
        .write("m.ark", "a [ 1 2\n 3 4 ]\n")
        .write("twice.ark", "a [ 1 ]\na [ 2 ]\n")
        .write("v.mat", " [\n 1 2\n 3 4.5 ]\n");
    for name in ["x.json", "x.arrow", "x.h5", "x.csv.gz"] {
        let ran = scratch.sh(&format!("table-export ark:m.ark {name}")).fails_with(255);
        ran.stderr_has("it ends in none of .npy, .npz, .safetensors, .parquet, .csv, .tsv, .jsonl");
    }
    scratch.sh("table-export v.mat x.csv && cat x.csv").succeeds().stdout_is("1.0,2.0\n3.0,4.5\n");
    scratch
        .sh("table-export ark:twice.ark x.npz")
        .fails_with(255)
        .stderr_has("x.npz: expected each key once, got it again");
}

#[test]
fn a_corpus_of_which_everything_is_left_out_says_why() {
    let scratch = Scratch::new();
    scratch.write("m.csv", "path,text\nnone.wav,hello\n").write("bad.ark", "a \u{1}");
    scratch.sh("mkdir f && touch f/x.doc f/y.doc").succeeds();
    let ran = scratch.sh("ark-to-scp --salvage bad.ark x.scp").fails_with(1);
    ran.stderr_has("Listed 0 entries of 1 archive; 1 archive is damaged").stderr_lacks("archive ()");
    scratch
        .sh("mkdir g && touch g/text && table-head g")
        .fails_with(255)
        .stderr_has("g is a folder: expected a table, such as g/text");
}

#[test]
fn an_entry_that_ends_a_run_says_how_the_others_are_read() {
    let scratch = Scratch::new();
    scratch.write("m.ark", "a [ 1 2 ]\n").write("m.scp", "a m.ark:2\nb none.ark:2\n");
    let ran = scratch.sh("copy-feats scp:m.scp ark:/dev/null").fails_with(255);
    ran.stderr_has("scp,p: leaves out what cannot be read");
    scratch.sh("copy-feats scp,p:m.scp ark:/dev/null").succeeds().stderr_lacks("scp,p: leaves out");
    scratch.write("empty.wav", "").write("wav.scp", "a empty.wav\n");
    scratch.sh("wav-to-duration scp:wav.scp ark,t:-").fails_with(255).stderr_has("the file is empty");
}

#[test]
fn a_fault_in_text_is_at_its_line_and_one_in_binary_data_at_its_offset() {
    let scratch = Scratch::new();
    scratch
        .write("f.txt", "utt1  [\n  1 2\n  3 4 ]\nutt2  [\n  1 2\n  3 x ]\n")
        .write("cut.txt", "utt1  [\n  1 2\n  3 4 ]\nutt2  [\n  1 2\n")
        .write("i.txt", "u1 1 2 3\n\nu2 1 x 3\n")
        .write("il.txt", "u1 1 ; 2 ;\nu2 1 ; x ;\n")
        .write("v.txt", "u1 [ 1 2 3 ]\nu2 [ 1 x 3 ]\n")
        .write("p.txt", "u1 [ 1 0.5 ] [ 2 1 ]\nu2 [ 1 x ]\n")
        .write("b.txt", "u1 1.5\nu2 so\n")
        .write("m.txt", " [\n 1 2\n 3 x ]\n")
        .write("v1.txt", "\n[ 1 x ]\n")
        .write("f.scp", "a f.txt:5\nb f.txt:27\n")
        .write("last.scp", "b m.txt\n")
        .write("latin", "u1 a\nu2 \u{1}\n")
        .write("mono.tree", "ContextDependency 1 0 ToPdf x\n");
    let damaged = "copy-feats ark:f.txt ark:- 2> /dev/null";
    scratch.sh(&format!("gzip -k f.txt; ({damaged}; printf 'u3 \\0BFX rest') > f.ark")).succeeds();
    let matrix = "expected a number or \"]\", got \"x\"";
    for (command, message) in [
        ("copy-feats ark:f.txt ark:/dev/null", &*format!("utt2: f.txt:6: {matrix}")),
        ("copy-feats --num-threads=3 ark:f.txt ark:/dev/null", &*format!("utt2: f.txt:6: {matrix}")),
        ("copy-feats ark:f.txt.gz ark:/dev/null", &*format!("utt2: f.txt.gz:6: {matrix}")),
        ("cat f.txt | copy-feats ark:- ark:/dev/null", &*format!("utt2: standard input:6: {matrix}")),
        ("copy-feats 'ark:cat f.txt |' ark:/dev/null", &*format!("utt2: 'cat f.txt |':6: {matrix}")),
        ("copy-feats ark:cut.txt ark:/dev/null", "utt2: cut.txt:5: "),
        ("copy-feats scp:f.scp ark:/dev/null", &*format!("f.scp:2: b: f.txt:6: {matrix}")),
        ("copy-feats scp:last.scp ark:/dev/null", &*format!("last.scp:1: b: m.txt:3: {matrix}")),
        ("copy-matrix m.txt /dev/null", &*format!("m.txt:3: {matrix}")),
        ("cat m.txt | copy-matrix - /dev/null", &*format!("standard input:3: {matrix}")),
        ("copy-int-vector ark:i.txt ark:/dev/null", "u2: i.txt:3: expected an integer, got \"x\""),
        ("copy-gselect ark:il.txt ark:/dev/null", "u2: il.txt:2: "),
        ("copy-vector ark:v.txt ark:/dev/null", &*format!("u2: v.txt:2: {matrix}")),
        ("copy-vector v1.txt /dev/null", &*format!("v1.txt:2: {matrix}")),
        ("copy-post ark:p.txt ark:/dev/null", "u2: p.txt:2: expected a number, got \"x\""),
        ("sum-post ark:p.txt ark:p.txt ark:/dev/null", "u2: p.txt:2: expected a number, got \"x\""),
        ("table-head f.txt", &*format!("utt2: f.txt:6: {matrix}")),
        ("tree-info mono.tree", "mono.tree:1: "),
        // The fault of binary data is at its byte.
        ("copy-feats ark:f.ark ark:/dev/null", "u3: f.ark:41: "),
    ] {
        scratch.sh(command).fails_with(255).stderr_has(message);
    }
    scratch.sh("table-check f.txt").fails_with(1).stdout_is(format!("f.txt: utt2: f.txt:6: {matrix}\n"));
    scratch
        .sh("copy-feats scp,p:f.scp ark:/dev/null; copy-feats ark,p:f.txt ark,t:/dev/null")
        .succeeds()
        .stderr_has(&format!("b: f.txt:6: {matrix}"))
        .stderr_has(&format!("utt2: f.txt:6: {matrix}; the rest of the archive is left out"));
}
