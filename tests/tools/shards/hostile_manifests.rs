//! Manifests that are meant to harm: commands, odd times, odd lines.

use crate::support::Scratch;

/// A manifest of each format whose sound is `audio`; the first line of lhotse's recordings is that of the utterance.
fn manifests(scratch: &Scratch, audio: &str) -> [(&'static str, String); 6] {
    let json = serde_json::Value::from(audio).to_string();
    let quoted = format!("\"{}\"", audio.replace('"', "\"\""));
    let lhotse = |kind: &str| {
        format!("{{\"id\": \"r\", \"sources\": [{{\"type\": \"{kind}\", \"channels\": [0], \"source\": {json}}}]}}\n")
    };
    let supervision = "{\"id\": \"u\", \"recording_id\": \"r\", \"start\": 0, \"duration\": 1}\n";
    scratch.sh("rm -rf file url data; mkdir file url").succeeds();
    scratch.write("a.csv", format!("id,path,text\nu,{quoted},x\n")).write("a.tsv", format!("id\tpath\nu\t{audio}\n"));
    scratch.write("nemo.json", format!("{{\"audio_filepath\": {json}, \"utt_id\": \"u\"}}\n"));
    scratch.write("wenet.json", format!("{{\"key\": \"u\", \"wav\": {json}, \"txt\": \"x\"}}\n"));
    for kind in ["file", "url"] {
        scratch.write(&format!("{kind}/recordings.jsonl"), lhotse(kind));
        scratch.write(&format!("{kind}/supervisions.jsonl"), supervision);
    }
    [
        ("a.csv", "a.csv:2".to_owned()),
        ("a.tsv", "a.tsv:2".to_owned()),
        ("nemo.json", "nemo.json:1".to_owned()),
        ("wenet.json", "wenet.json:1".to_owned()),
        ("file", "file/recordings.jsonl:1".to_owned()),
        ("url", "url/recordings.jsonl:1".to_owned()),
    ]
}

#[test]
fn a_command_in_a_manifest_is_refused() {
    let scratch = Scratch::new();
    for audio in
        ["touch PWNED; cat a.wav |", "| touch PWNED", "\u{a0}touch PWNED |  ", "touch PWNED |[0:1]", "s3://b/a |"]
    {
        for (name, place) in manifests(&scratch, audio) {
            for option in ["", "--audio-dir=sound"] {
                let ran = scratch.sh(&format!("make-data-dir {option} {name} data")).fails_with(255);
                ran.stderr_has(&format!("{place}: expected the name of a file or an address, got the command"))
                    .stderr_has("which only --allow-commands takes");
            }
        }
    }
    for (name, _) in manifests(&scratch, "-") {
        scratch.sh(&format!("make-data-dir --allow-commands {name} data")).fails_with(255).stderr_has("got \"-\"");
    }
    assert!(!scratch.path("data").exists() && !scratch.path("PWNED").exists());
}

#[test]
fn a_command_that_is_allowed_becomes_a_line() {
    let scratch = Scratch::new();
    for (name, _) in manifests(&scratch, "cat a.wav |") {
        let ran = scratch.sh(&format!("rm -rf data; make-data-dir --allow-commands {name} data && cat data/wav.scp"));
        let key = if ["file", "url"].contains(&name) { "r" } else { "u" };
        ran.succeeds().stdout_is(format!("{key} cat a.wav |\n"));
    }
}

#[test]
fn times_that_no_sound_has_are_refused() {
    let scratch = Scratch::new();
    for (times, message) in [
        ("\"offset\": 1e299, \"duration\": 1", "expected a start from 0 to 10000000 s, got 1"),
        ("\"offset\": -1, \"duration\": 1", "expected a start from 0 to 10000000 s, got -1 s"),
        ("\"offset\": 0, \"duration\": 1e299", "expected an end from the start, 0 s, to 10000000 s, got 1"),
        ("\"duration\": 2e7", "expected an end from the start, 0 s, to 10000000 s, got 20000000 s"),
        ("\"duration\": -2", "expected an end from the start, 0 s, to 10000000 s, got -2 s"),
        ("\"offset\": 3, \"duration\": -2", "expected an end from the start, 3 s, to 10000000 s, got 1 s"),
        ("\"offset\": 3, \"duration\": 0", "expected a part of a recording, got one from 3 to 3 s"),
        ("\"offset\": 1e999", "expected an object in JSON"),
        ("\"offset\": NaN", "expected an object in JSON"),
    ] {
        scratch.write("m.json", format!("{{\"audio_filepath\": \"/a.wav\", {times}}}\n"));
        let ran = scratch.sh("make-data-dir --format=nemo m.json data").fails_with(255);
        ran.stderr_has(&format!("m.json:1: {message}"));
    }
    for (times, message) in [
        ("inf,1", "expected a start from 0"),
        ("NaN,1", "expected a start from 0"),
        ("1,nan", "expected an end from the start, 1 s"),
        ("1,-inf", "expected an end from the start, 1 s"),
        ("1,x", "expected seconds, got \"x\""),
    ] {
        scratch.write("m.csv", format!("path,offset,duration\n/a.wav,0,1\n/b.wav,{times}\n"));
        scratch.sh("make-data-dir m.csv data").fails_with(255).stderr_has(&format!("m.csv:3: {message}"));
    }
    assert!(!scratch.path("data").exists());
    scratch.sh("mkdir data; echo 'a a.wav' > data/wav.scp; echo 'u a' > data/utt2spk").succeeds();
    scratch.sh("echo 'u a 0 1e299' > data/segments; export-data-dir --format=nemo data -").fails_with(255);
}

#[test]
fn odd_lines_make_no_odd_tables() {
    let scratch = Scratch::new();
    // A byte order mark, line ends of another system, texts of several lines, and speakers with blanks.
    scratch.write(
        "m.json",
        "\u{feff}{\"audio_filepath\": \"/a.wav\", \"text\": \"one\\ntouch PWNED |\\r\\n\\u2028two\", \"speaker\": \"a b\\nc\"}\r\n\r\n",
    );
    scratch.sh("make-data-dir m.json data").succeeds();
    let file = |name: &str| String::from_utf8(scratch.read(name)).unwrap();
    assert_eq!(file("data/text"), "a_b_c-a one touch PWNED | two\n");
    assert_eq!((file("data/utt2spk"), file("data/wav.scp")), ("a_b_c-a a_b_c\n".into(), "a_b_c-a /a.wav\n".into()));
    scratch.write("m.csv", "\u{feff}path,text,speaker\r\n/a.wav,\"one\r\ntouch PWNED |\",\"a\tb\"\r\n");
    scratch.sh("rm -r data; make-data-dir m.csv data").succeeds();
    assert_eq!(file("data/text"), "a_b-a one touch PWNED |\n");
    for (name, content, message) in [
        (
            "m.json",
            "{\"audio_filepath\": \"/a\\n.wav\"}\n".to_owned(),
            "m.json:1: expected a name of sound that can stand in wav.scp",
        ),
        (
            "m.json",
            "{\"audio_filepath\": \"/a.wav\", \"speaker\": \"\\u0001\"}\n".to_owned(),
            "m.json:1: expected a name of the speaker",
        ),
        (
            "m.json",
            "{\"audio_filepath\": [\"/a.wav\"]}\n".to_owned(),
            "m.json:1: expected text as the field \"audio_filepath\"",
        ),
        (
            "m.json",
            "{\"audio_filepath\": {\"a\": {}}}\n".to_owned(),
            "m.json:1: expected text as the field \"audio_filepath\"",
        ),
        (
            "m.json",
            format!("{{\"audio_filepath\": \"/a.wav\", \"x\": {}1{}}}\n", "[".repeat(100_000), "]".repeat(100_000)),
            "m.json:1: expected an object in JSON",
        ),
        ("m.csv", "path,path\n/a.wav,/b.wav\n".to_owned(), "m.csv:1: expected each column once, got \"path\" again"),
        (
            "m.tsv",
            "path\ttext\ttext\n/a.wav\tx\ty\n".to_owned(),
            "m.tsv:1: expected each column once, got \"text\" again",
        ),
    ] {
        scratch.write(name, content);
        let ran = scratch.sh(&format!(
            "rm -rf data; make-data-dir --format={} {name} data",
            match name {
                "m.json" => "nemo",
                "m.csv" => "csv",
                _ => "tsv",
            }
        ));
        let ran = ran.fails_with(255).stderr_has(message);
        assert!(ran.stderr().len() < 1000);
    }
}
