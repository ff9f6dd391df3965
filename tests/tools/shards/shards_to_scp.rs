use super::{shards, sound};
use crate::support::tar::{shard, tar};
use crate::support::{Scratch, tool};

#[test]
fn shards_and_an_output_for_each_field_are_needed() {
    tool("shards-to-scp").assert().code(1).stdout("");
    let scratch = shards();
    scratch
        .sh("shards-to-scp data.list")
        .fails_with(1)
        .stderr_has("expected shards and an output for each of --fields");
    scratch
        .sh("shards-to-scp --fields=wav,txt data.list wav.scp")
        .fails_with(1)
        .stderr_has("expected shards and an output");
    scratch.sh("shards-to-scp --fields= data.list wav.scp").fails_with(255).stderr_has("expected --fields to be names");
    assert_eq!(scratch.list(), ["a.tar", "b.tar", "data.list"]);
}

#[test]
fn sound_is_read_where_it_is() {
    let scratch = shards();
    scratch.sh("shards-to-scp data.list wav.scp").succeeds().stderr_has("Wrote lines of 3 samples");
    assert_eq!(scratch.read("wav.scp"), b"u1 a.tar:1536\nu2 a.tar:35328\nd/u3 b.tar:1536\n");
    scratch.sh("extract-shards --write-wav=ark:a.ark data.list && wav-copy scp:wav.scp ark:- | cmp - a.ark").succeeds();
    scratch.sh("wav-to-duration scp:wav.scp ark,t:-").succeeds().stdout_is("u1 1 \nu2 2 \nd/u3 0.5 \n");
    scratch
        .sh("grep -v u3 wav.scp | compute-mfcc-feats scp:- ark:- | feat-to-len ark:- ark,t:-")
        .succeeds()
        .stdout_is("u1 98 \nu2 198 \n");
}

#[test]
fn several_fields_have_an_output_each() {
    let scratch = shards();
    scratch.sh("shards-to-scp --fields=txt,wav a.tar b.tar txt.scp wav.scp").succeeds();
    assert_eq!(scratch.read("txt.scp"), b"u1 a.tar:512\nu2 a.tar:34304\nd/u3 b.tar:512\n");
    assert_eq!(scratch.read("wav.scp"), b"u1 a.tar:1536\nu2 a.tar:35328\nd/u3 b.tar:1536\n");
}

#[test]
fn texts_and_durations_are_tables() {
    let scratch = shards();
    scratch.sh("shards-to-scp --write-text=text --write-utt2dur=ark,t:utt2dur data.list wav.scp").succeeds();
    assert_eq!(scratch.read("text"), "u1 hello \nu2 hello world \nd/u3 \u{4f60}\u{597d} \n".as_bytes());
    assert_eq!(scratch.read("utt2dur"), b"u1 1 \nu2 2 \nd/u3 0.5 \n");
}

#[test]
fn an_index_stands_beside_its_shard() {
    let scratch = shards();
    scratch.sh("shards-to-scp --index=dali data.list wav.scp").succeeds();
    assert_eq!(scratch.list(), ["a.idx", "a.tar", "b.idx", "b.tar", "data.list", "wav.scp"]);
    let index = "v1.2 2\ntxt 512 5 u1.txt wav 1536 32044 u1.wav\ntxt 34304 11 u2.txt wav 35328 64044 u2.wav\n";
    assert_eq!(String::from_utf8_lossy(&scratch.read("a.idx")), index);
}

#[test]
fn sound_without_an_end_is_cut_out_by_a_command() {
    let scratch = Scratch::new();
    // A header that was written before the length was known.
    let mut stream = sound(100);
    stream[40..44].fill(0xff);
    scratch.write("it's.tar", shard(&[("a", "x", &stream), ("b", "x", &sound(200))]));
    scratch.sh("shards-to-scp it\\'s.tar wav.scp").succeeds();
    let lines = "a tail -c +1537 \"it's.tar\" | head -c 244 |\nb it's.tar:3584\n";
    assert_eq!(String::from_utf8_lossy(&scratch.read("wav.scp")), lines);
    scratch
        .sh("wav-copy scp:wav.scp ark:- | wav-to-duration ark:- ark,t:-")
        .succeeds()
        .stdout_is("a 0.00625 \nb 0.0125 \n");
}

#[test]
fn samples_that_lack_a_field_are_told() {
    let scratch = Scratch::new();
    scratch.write("a.tar", tar(&[("a.txt", b"x"), ("b.wav", &sound(10)), ("c d.wav", &sound(10))]));
    let ran = scratch.sh("shards-to-scp --fields=wav,txt a.tar wav.scp txt.scp").fails_with(1);
    let ran =
        ran.stderr_has("a: the sample in a.tar has no field wav").stderr_has("b: the sample in a.tar has no field txt");
    ran.stderr_has("c_d: the sample in a.tar has no field txt");
    assert_eq!(
        [scratch.read("wav.scp"), scratch.read("txt.scp")],
        [b"b a.tar:1536\nc_d a.tar:2560\n", b"a a.tar:512\n".as_slice()]
    );
}

#[test]
fn shards_that_cannot_be_read_in_place_are_refused() {
    let scratch = shards();
    let message = "expected a plain shard in a file, whose contents can be read in place, got another one";
    scratch.sh("gzip -k a.tar && shards-to-scp a.tar.gz wav.scp").fails_with(255).stderr_has(message);
    scratch.sh("cat a.tar | shards-to-scp - wav.scp").fails_with(255).stderr_has(message);
    assert_eq!(scratch.list(), ["a.tar", "a.tar.gz", "b.tar", "data.list"]);
}
