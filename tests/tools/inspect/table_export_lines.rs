//! Headers of CSV, and lines of CTM.

#[test]
fn a_header_names_the_columns_and_is_read_again() {
    let scratch = super::tables();
    scratch.write("n", "a 1.5\nb 2\n");
    scratch.sh("table-export --header feats.ark m.csv; head -2 m.csv").succeeds().stdout_is("key,v0,v1\na,0.0,0.5\n");
    scratch.sh("table-import m.csv back.ark; table-diff feats.ark back.ark").succeeds();
    scratch
        .sh("table-export --header ali.ark m.csv")
        .fails_with(255)
        .stderr_has("b: expected fields with the names key,v0,v1,v2");
    scratch.sh("table-export --header --type=float n n.tsv; head -1 n.tsv").succeeds().stdout_is("key\tvalue\n");
    scratch.sh("table-export --header text t.csv; head -2 t.csv").succeeds().stdout_is("key,words\na,two words\n");
    scratch
        .sh("table-export --header text t.jsonl")
        .fails_with(255)
        .stderr_has("expected --header with csv and tsv only");
    scratch.write("p", "a [ 1 0.5 ] [ ]\n");
    scratch.sh("table-export --header --type=posterior p p.csv").fails_with(255).stderr_has("any number of fields");
}

#[test]
fn each_word_of_a_ctm_is_a_field() {
    let scratch = super::tables();
    let ctm = "rec 1 0.5 0.25 hello 0.9\nrec 1 0.75 0.3 a,b 1\n";
    scratch.write("ctm", ctm).write("other", ctm).write("one.ctm", "rec A 0 1 word\n");
    let lines = "rec,1,0.5,0.25,hello,0.9\nrec,1,0.75,0.3,\"a,b\",1\n";
    for name in ["ctm", "other"] {
        scratch.sh(&format!("table-export {name} x.csv; cat x.csv")).succeeds().stdout_is(lines);
    }
    scratch
        .sh("table-export --header one.ctm x.tsv; cat x.tsv")
        .succeeds()
        .stdout_is("recording\tchannel\tstart\tduration\tword\nrec\tA\t0\t1\tword\n");
    // Words that could be times, but not of several words of a recording.
    scratch
        .write("t", "a 1 2 3 x\nb 1 2 3 y\n")
        .sh("table-export t x.csv; cat x.csv")
        .succeeds()
        .stdout_is("a,1 2 3 x\nb,1 2 3 y\n");
}
