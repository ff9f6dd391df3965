//! What a file is: kinds that are no tables, and values that only their bytes show.

use crate::support::Scratch;
use crate::support::wave::wave;

/// The value of a line of a report.
fn field<'a>(report: &'a str, name: &str) -> Option<&'a str> {
    report.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(' ')).map(str::trim)
}

#[test]
fn files_of_other_programs_are_named_with_the_command_that_reads_them() {
    let scratch = Scratch::new();
    scratch.write("m.txt", "a [ 1 2 3 ]\nb [ 1 2 3 ]\n").write("w.txt", "a hello, you\nb world\n");
    scratch.write("a.ark", "a [ 1 2 ]\nb [ 3 4 ]\n");
    scratch
        .sh("table-export ark:m.txt x.csv && table-export ark:w.txt w.csv && table-export ark:m.txt x.jsonl")
        .succeeds();
    scratch.sh("cp x.csv bare && cp x.jsonl lines").succeeds();
    scratch.sh("copy-int-vector 'ark:echo a 1 2 3 |' ark:- | int-vector-to-indexed ark:- t").succeeds();
    scratch
        .sh("cp /bin/sh elf; head -c 3000 /dev/urandom | tr '\\000' x > head; printf 'x\\000' | cat - head > random")
        .succeeds();
    for (name, bytes) in [
        ("page", &b"<!DOCTYPE html>\n<html></html>"[..]),
        ("run.sh", b"#!/bin/sh\necho a\n"),
        ("x.png", b"\x89PNG\r\n\x1a\n\0\0"),
        ("x.pdf", b"%PDF-1.7\n\0"),
        ("x.zip", b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x05\0\0\0a.txt"),
        ("x.db", b"SQLite format 3\0\x10\0"),
        ("x.json", b"[1, 2]\n"),
        ("y.json", b"[\n  {\"a\": 1}\n]\n"),
        ("x.bz2", b"BZh91AY"),
        ("lfs", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n"),
    ] {
        scratch.write(name, bytes);
    }
    for (name, kind, command) in [
        ("x.csv", "csv", Some("table-import x.csv ark:-")),
        ("bare", "csv", Some("table-import bare ark:-")),
        ("w.csv", "csv", Some("table-import w.csv ark:-")),
        ("x.jsonl", "json lines", Some("table-import x.jsonl ark:-")),
        ("lines", "json lines", Some("table-import lines ark:-")),
        ("t.idx", "token index", Some("indexed-info t.idx")),
        ("page", "html", None),
        ("run.sh", "program", None),
        ("elf", "program", None),
        ("x.png", "png", None),
        ("x.pdf", "pdf", None),
        ("x.zip", "zip", Some("unzip -l x.zip")),
        ("x.db", "sqlite", None),
        ("x.json", "unknown", None),
        ("y.json", "json", None),
        ("x.bz2", "bzip2", Some("bunzip2 -c x.bz2")),
        ("lfs", "pointer of Git LFS", Some("git lfs pull")),
        ("random", "unknown", None),
    ] {
        let ran = scratch.sh(&format!("table-info {name}"));
        let report = String::from_utf8_lossy(ran.stdout()).into_owned();
        if name == "x.json" {
            // Words, as far as anybody knows.
            continue;
        }
        assert_eq!(field(&report, "kind"), Some(kind), "{name}: {report}");
        assert_eq!(field(&report, "import").or(field(&report, "read")), command, "{name}: {report}");
        assert_eq!(field(&report, "sorted"), None, "{name}: {report}");
        ran.fails_with(i32::from(kind == "unknown"));
    }
    for name in ["t.idx", "x.jsonl"] {
        let report = scratch.sh(&format!("table-info --json {name}")).succeeds();
        let object: serde_json::Value = serde_json::from_slice(report.stdout()).unwrap();
        assert!(object["kind"].is_string() && object["num_bytes"].as_u64() > Some(10), "{object}");
    }
    scratch.sh("table-info a.ark").succeeds().stdout_has("  kind         archive\n");
    // The commands work.
    scratch
        .sh("table-import --type=token-vector w.csv ark,t:- | sed 's/ *$//' | diff - w.txt && indexed-info t.idx")
        .succeeds();
}

#[test]
fn a_graph_and_features_of_htk_are_values_of_files() {
    let scratch = Scratch::new();
    scratch.write("lat", "a \n0 1 1 2 0.5,0,1_1\n1 0.25,0,\n\n");
    // The value of an archive of one FST, without its key.
    scratch.sh("lattice-copy ark:lat ark:- | lattice-to-fst ark:- ark:g.ark && tail -c +3 g.ark > L.fst").succeeds();
    scratch.sh("head -c 4 L.fst | od -An -tx1").succeeds().stdout_is(" d6 fd b2 7e\n");
    let ran = scratch.sh("table-info L.fst").succeeds();
    let report = String::from_utf8_lossy(ran.stdout()).into_owned();
    assert_eq!([field(&report, "kind"), field(&report, "type")], [Some("value"), Some("fst")], "{report}");
    scratch.sh("table-head L.fst").succeeds().stdout_has("0\t1\t1\t1");
    scratch.sh("table-head --dot L.fst").succeeds().stdout_has("digraph");
    scratch.sh("table-check L.fst && table-stats L.fst").succeeds();
    scratch.write("m.txt", "u [ 1 2\n 3 4 ]\n");
    scratch.sh("copy-feats-to-htk --output-dir=. ark:m.txt && table-info u.fea").succeeds();
    let ran = scratch.sh("table-info u.fea").succeeds();
    let report = String::from_utf8_lossy(ran.stdout()).into_owned();
    assert_eq!(
        ["kind", "type", "rows"].map(|name| field(&report, name)),
        [Some("value"), Some("htk"), Some("2")],
        "{report}"
    );
    scratch.sh("table-head u.fea").succeeds().stdout_has("3 4 ]");
}

#[test]
fn times_of_words_speakers_and_segments_are_checked_and_counted() {
    let scratch = Scratch::new();
    scratch.write("x.ctm", "a 1 0.00 0.50 hello 0.9\na 1 0.50 0.2 you\nb 1 0.00 0.30 yes\n");
    scratch.write("turns", "SPEAKER a 1 0 5 <NA> <NA> s1 <NA> <NA>\nSPEAKER a 1 4 5 <NA> <NA> s2 <NA> <NA>\n");
    scratch.write("x.stm", "a 1 s1 0.0 5.0 <o,f0,male> hello you\n");
    scratch.sh("table-info x.ctm").succeeds().stdout_is(
        "x.ctm\n  kind         ctm\n  lines        3\n  recordings   2\n  words        3\n  hours        0.0002778\n  \
         read         table-stats x.ctm\n",
    );
    for name in ["x.ctm", "turns", "x.stm"] {
        scratch.sh(&format!("table-check {name}")).succeeds().stdout_is("").stderr_has("found 0 faults");
    }
    scratch
        .sh("table-stats --by=key turns")
        .succeeds()
        .stdout_is("table\tgroup\tmarks\twords\tspeakers\tseconds\tend\nturns\ta\t2\t0\t2\t10\t9\n");
    scratch.sh("table-stats x.stm").succeeds().stdout_has("x.stm\twords\t1\t2\t2");
    scratch.sh("table-head --n=1 x.ctm").succeeds().stdout_is("a 1 0.00 0.50 hello 0.9\n");
    scratch.sh("mkdir d && echo a a.wav > d/wav.scp && echo a 0.6 > d/reco2dur && cp x.ctm d/ctm").succeeds();
    let faults = |name: &str| {
        format!(
            "{name}: line 2: it ends at 0.700 s, 0.100 s after its sound\n{name}: line 3: b is no recording or utterance of d\n"
        )
    };
    scratch.sh("table-check --data=d x.ctm").fails_with(1).stdout_is(faults("x.ctm"));
    scratch.sh("table-check d/ctm").fails_with(1).stdout_is(faults("d/ctm"));
    // Asked for as an archive, it is one.
    scratch.sh("table-info ark:x.ctm").succeeds().stdout_has("archive");
}

#[test]
fn manifests_of_lhotse_may_be_one_array() {
    let scratch = Scratch::new();
    scratch.write("a.wav", wave(8000, &[&[100; 16000]]));
    let cut = |id: &str, start: &str| {
        format!(
            "  {{\n    \"id\": \"{id}\", \"start\": {start}, \"duration\": 0.5, \"channel\": 0, \"type\": \"MonoCut\",\n    \
             \"supervisions\": [{{\"id\": \"{id}\", \"recording_id\": \"r\", \"start\": 0, \"duration\": 0.5, \
             \"channel\": 0, \"text\": \"said ], [ {id}\"}}],\n    \"recording\": {{\"id\": \"r\", \"sources\": \
             [{{\"type\": \"file\", \"channels\": [0], \"source\": \"a.wav\"}}], \"sampling_rate\": 8000, \
             \"num_samples\": 16000, \"duration\": 2.0}}\n  }}"
        )
    };
    scratch.write("cuts.json", format!("[\n{},\n{}\n]\n", cut("c1", "0.0"), cut("c2", "1.0")));
    scratch.sh("table-info cuts.json").succeeds().stdout_is(
        "cuts.json\n  kind         cuts\n  cuts         2\n  fields       MonoCut\n  read         make-data-dir cuts.json data\n",
    );
    scratch
        .sh("make-data-dir cuts.json data && cat data/text")
        .succeeds()
        .stdout_is("c1 said ], [ c1\nc2 said ], [ c2\n");
    scratch.write("bad.json", format!("[\n{},\n{}\n]\n", cut("c1", "0.0"), cut("c2", "x").replace(" x,", " -1.0,")));
    scratch.sh("make-data-dir bad.json other").fails_with(255).stderr_has("bad.json:7");
    scratch.sh("mkdir m").succeeds();
    scratch.write(
        "m/recordings.json",
        "[\n{\"id\": \"r\", \"sources\": [{\"type\": \"file\", \"channels\": [0], \"source\": \"a.wav\"}],\n\
         \"sampling_rate\": 8000, \"num_samples\": 16000, \"duration\": 2.0}\n]\n",
    );
    scratch.write(
        "m/supervisions.json",
        "[{\"id\": \"s1\", \"recording_id\": \"r\", \"start\": 0.5, \"duration\": 1.0, \"channel\": 0, \"text\": \"hello\"}]",
    );
    scratch
        .sh("table-info m/recordings.json")
        .succeeds()
        .stdout_has("manifest of lhotse")
        .stdout_has("make-data-dir m data");
    scratch.sh("make-data-dir m of-m && cat of-m/text of-m/segments").succeeds().stdout_is("s1 hello\ns1 r 0.5 1.5\n");
}

#[test]
fn waves_of_more_than_4_gb_are_waves() {
    let scratch = Scratch::new();
    let samples: Vec<i16> = (0..800).map(|at| (at * 37 % 2000) as i16).collect();
    let plain = wave(8000, &[&samples]);
    let sizes =
        [(plain.len() as u64 - 8 + 36).to_le_bytes(), (plain.len() as u64 - 44).to_le_bytes(), 800_u64.to_le_bytes()];
    for name in ["RF64", "BW64"] {
        let head = [name.as_bytes(), &[0xff; 4], b"WAVEds64\x1c\0\0\0", &sizes.concat(), &[0; 4]].concat();
        let long = [&head[..], &plain[12..40], &[0xff; 4], &plain[44..]].concat();
        scratch.write(&format!("{name}.wav"), long);
    }
    scratch.write("plain.wav", &plain);
    scratch.write("wav.scp", "a plain.wav\nb RF64.wav\nc BW64.wav\n");
    scratch.sh("wav-to-duration scp:wav.scp ark,t:-").succeeds().stdout_is("a 0.1 \nb 0.1 \nc 0.1 \n");
    scratch.sh("compute-mfcc-feats --sample-frequency=8000 --dither=0 scp:wav.scp ark,t:- | grep -v '^[abc]' | sort | uniq -c | awk '$1 % 3'")
        .succeeds().stdout_is("");
    scratch.sh("table-check wav.scp && table-stats wav.scp").succeeds();
    scratch.sh("table-info RF64.wav").succeeds().stdout_has("type         wave").stdout_has("duration     0.1");
    scratch
        .sh("mkdir f && cp RF64.wav f && make-data-dir f data && cut -d' ' -f1 data/wav.scp")
        .succeeds()
        .stdout_is("RF64\n");
}

#[test]
fn characters_of_keys_that_cannot_be_seen_are_named() {
    let scratch = Scratch::new();
    scratch.write("k.ark", "a\u{a0}b [ 1 2 ]\nc\u{200b} [ 2 ]\nd\u{ad} [ 1 ]\ne\u{feff} [ 3 ]\n\u{e9}t\u{e9} [ 1 ]\n");
    let ran = scratch.sh("table-check k.ark").fails_with(1);
    let text = String::from_utf8_lossy(ran.stdout()).into_owned();
    assert_eq!(text.lines().count(), 4, "{text}");
    for point in ["U+00A0", "U+200B", "U+00AD", "U+FEFF"] {
        assert!(text.contains(&format!(": {point}\n")), "{text}");
    }
    scratch.sh("mkdir d && printf 'a\\302\\240b a.wav\\n' > d/wav.scp && printf 'a\\302\\240b x\\n' > d/text; table-check d").fails_with(1).stdout_has("U+00A0");
}

#[test]
fn segments_of_recordings_with_short_names_are_no_ctm() {
    let scratch = Scratch::new();
    scratch
        .write("some", "A-1 A 0.50 1.50 0\nA-2 A 1.50 3.25 1\nB-1 B 0.00 2.00 0\n")
        .write("times", "A 1 0.50 1.50 0\nA 1 2.00 0.25 1\n")
        .write("words", "A 1 0.50 1.50 no\nB 1 0.00 2.00 0\n");
    for (name, kind) in [("some", "archive"), ("times", "ctm"), ("words", "ctm")] {
        let ran = scratch.sh(&format!("table-info {name}")).succeeds();
        let report = String::from_utf8_lossy(ran.stdout()).into_owned();
        assert_eq!(field(&report, "kind"), Some(kind), "{report}");
    }
    // All of it is read, once.
    scratch.sh("table-info --json times").succeeds().stdout_has("\"num_lines\":2").stdout_has("\"recordings\":1");
}
