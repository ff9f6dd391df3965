//! Byte order marks before text.

use crate::support::Scratch;

const MARK: &str = "\u{feff}";

/// Writes each file with a mark before it.
fn marked(files: &[(&str, &str)]) -> Scratch {
    let scratch = Scratch::new();
    for (name, text) in files {
        scratch.write(name, format!("{MARK}{text}"));
    }
    scratch
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_key() {
    let scratch = marked(&[
        ("v.ark", "a  [ 1 2 ]\nb  [ 3 4 ]\n"),
        ("text", "a one two\nb three\n"),
        ("utt2spk", "a s\nb s\n"),
        ("keys", "b\n"),
        ("words.txt", "one 1\ntwo 2\nthree 3\n"),
        ("x.csv", "a,1\nb,2\n"),
        ("x.jsonl", "{\"key\": \"a\", \"value\": [1]}\n"),
    ]);
    for (line, expected) in [
        ("copy-vector ark:v.ark ark,t:-", "a  [ 1 2 ]\nb  [ 3 4 ]\n"),
        ("cat v.ark | copy-vector ark:- ark,t:-", "a  [ 1 2 ]\nb  [ 3 4 ]\n"),
        ("gzip -k v.ark; copy-vector ark:v.ark.gz ark,t:-", "a  [ 1 2 ]\nb  [ 3 4 ]\n"),
        ("table-keys v.ark text", "a\nb\na\nb\n"),
        ("table-get v.ark a", "a  [ 1 2 ]\n"),
        ("concat-ark v.ark ark:-", "a  [ 1 2 ]\nb  [ 3 4 ]\n"),
        ("table-sort --reverse text -", "b three\na one two\n"),
        ("table-get --keys=keys v.ark", "b  [ 3 4 ]\n"),
        ("table-import x.csv ark,t:-", "a  [\n  1 ]\nb  [\n  2 ]\n"),
        ("table-import x.jsonl ark,t:-", "a 1 \n"),
        ("table-stats --by=speaker --utt2spk=ark:utt2spk v.ark | cut -f2 | tail -1", "s\n"),
    ] {
        scratch.sh(line).succeeds().stdout_is(expected);
    }
    // Offsets are those of the file.
    scratch
        .sh("ark-to-scp v.ark v.scp; cat v.scp; copy-vector scp:v.scp ark,t:-")
        .succeeds()
        .stdout_is("a v.ark:5\nb v.ark:16\na  [ 1 2 ]\nb  [ 3 4 ]\n");
    scratch
        .sh(&format!("printf '{MARK}' | cat - v.scp > m.scp; copy-vector scp:m.scp ark,t:- | head -1"))
        .succeeds()
        .stdout_is("a  [ 1 2 ]\n");
}

#[test]
fn options_and_lists_of_other_programs_have_none_either() {
    let scratch = marked(&[
        ("conf", "--binary=false\n"),
        ("m.json", "{\"audio_filepath\": \"a.wav\", \"text\": \"one\", \"duration\": 0.5}\n"),
        ("m.tsv", "path\tsentence\tclient_id\na.wav\tone\ts\n"),
    ]);
    scratch.write("v", "a  [ 1 2 ]\n").write("a.wav", crate::support::wave::wave(8000, &[&[1; 4000]]));
    scratch.sh("copy-vector --config=conf ark:v ark:-").succeeds();
    for (list, format) in [("m.json", "nemo"), ("m.tsv", "tsv")] {
        scratch
            .sh(&format!("rm -rf d; make-data-dir --format={format} {list} d; cat d/text"))
            .succeeds()
            .stdout_has(" one\n");
        scratch.sh(&format!("rm -rf d; make-data-dir {list} d; cat d/text")).succeeds().stdout_has(" one\n");
    }
}
