use crate::support::Scratch;

fn data() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("wav.scp", "r1 wav/r1.wav\nr2 a b.wav\nr3 sox r3.mp3 -t wav - |\n");
    scratch.write("text", "r1 hello \"world\"\\\nr1b  \u{4f60}\u{3000}\u{597d} \r\n");
    scratch
}

#[test]
fn lines_come_in_the_order_of_the_text() {
    let scratch = data();
    scratch.write("text", "r1 hello \"world\"\\\n");
    let line = "{\"key\": \"r1\", \"wav\": \"wav/r1.wav\", \"txt\": \"hello \\\"world\\\"\\\\\"}\n";
    scratch.sh("make-raw-list wav.scp text -").succeeds().stdout_is(line);
    scratch.write("none", "");
    scratch.sh("make-raw-list wav.scp none data.list").fails_with(1);
    assert_eq!(scratch.read("data.list"), b"");
}

#[test]
fn segments_have_times() {
    let scratch = data();
    scratch.write("segments", "r1b r1 0 12.340\nr1 r1 1e-5 2\n");
    let first = "{\"key\": \"r1\", \"wav\": \"wav/r1.wav\", \"txt\": \"hello \\\"world\\\"\\\\\", \"start\": 1e-05, \"end\": 2.0}\n";
    let second = "{\"key\": \"r1b\", \"wav\": \"wav/r1.wav\", \"txt\": \"\u{4f60}\u{3000}\u{597d}\", \"start\": 0.0, \"end\": 12.34}\n";
    let ran = scratch.sh("make-raw-list --segments=segments wav.scp text data.list").succeeds();
    ran.stderr_has("Wrote 2 utterances").stderr_lacks("WARNING");
    assert_eq!(scratch.read("data.list"), [first, second].concat().as_bytes());
}

#[test]
fn commands_and_names_with_blanks_are_written_with_a_warning() {
    let scratch = data();
    scratch.write("text", "r2\nr3 c\n");
    let lines = "{\"key\": \"r2\", \"wav\": \"a b.wav\", \"txt\": \"\"}\n\
                 {\"key\": \"r3\", \"wav\": \"sox r3.mp3 -t wav - |\", \"txt\": \"c\"}\n";
    let ran = scratch.sh("make-raw-list wav.scp text -").succeeds().stdout_is(lines);
    ran.stderr_has("WARNING").stderr_has("r2: 'a b.wav' is a command or has blanks").stderr_has("2 utterances have");
}

#[test]
fn a_key_that_is_nowhere_is_an_error_and_nothing_is_written() {
    let scratch = data();
    let ran = scratch.sh("make-raw-list wav.scp text data.list").fails_with(255);
    ran.stderr_has("r1b: expected a recording of this key in wav.scp, got none");
    scratch.write("segments", "r1 r9 0 1\n");
    let ran = scratch.sh("make-raw-list --segments=segments wav.scp text data.list").fails_with(255);
    ran.stderr_has("r9: expected a recording of this key in wav.scp, got none");
    scratch.write("segments", "r9 r1 0 1\n");
    let ran = scratch.sh("make-raw-list --segments=segments wav.scp text data.list").fails_with(255);
    ran.stderr_has("r1: expected a segment of this key in segments, got none");
    scratch.write("segments", "r9 r1 0\n");
    let ran = scratch.sh("make-raw-list --segments=segments wav.scp text data.list").fails_with(255);
    ran.stderr_has("segments:1: expected a segment, a recording, start and end in seconds");
    assert_eq!(scratch.list(), ["segments", "text", "wav.scp"]);
}

#[test]
fn swapped_arguments_are_noticed() {
    let scratch = data();
    for tool in ["make-raw-list", "make-shard-list"] {
        let folder = if tool == "make-shard-list" { "shards" } else { "" };
        let ran = scratch.sh(&format!("{tool} text wav.scp {folder} data.list")).fails_with(255);
        ran.stderr_has("wav.scp: expected text, got names of recordings: were text and wav.scp swapped?");
    }
    assert!(!scratch.list().contains(&"data.list".to_owned()));
}
