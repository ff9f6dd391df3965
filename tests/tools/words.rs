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
