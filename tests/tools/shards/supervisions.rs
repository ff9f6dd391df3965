//! Recordings and supervisions of lhotse as sources of `make-data-dir`: what they say comes as from cuts.

use super::sound;
use crate::support::Scratch;
use crate::support::wave::wave;

const RECORDINGS: &str = r#"{"id": "a", "sources": [{"type": "file", "channels": [0], "source": "a.wav"}], "sampling_rate": 16000, "num_samples": 32000, "duration": 2.0, "channel_ids": [0]}
{"id": "b", "sources": [{"type": "file", "channels": [0, 1], "source": "b.wav"}], "sampling_rate": 8000, "num_samples": 8000, "duration": 1.0, "channel_ids": [0, 1]}
"#;

const SUPERVISIONS: &str = r#"{"id": "u", "recording_id": "a", "start": 0.25, "duration": 0.5, "channel": 0, "text": "one", "language": "en", "speaker": "s", "gender": "F", "custom": {"snr": 12.50, "mood": "so so", "code": 12345678901234567890}, "alignment": {"word": [["one", 0.25, 0.5]]}}
{"id": "v", "recording_id": "b", "start": 0.0, "duration": 0.5, "channel": 1, "text": "two", "language": "de", "speaker": "t", "gender": "male", "custom": {"snr": 7, "mood": {"x": 1}}}
"#;

fn folder() -> Scratch {
    let scratch = Scratch::new();
    scratch.sh("mkdir l").succeeds();
    scratch.write("a.wav", sound(32000)).write("b.wav", wave(8000, &[&[1; 8000], &[2; 8000]]));
    scratch.write("l/recordings.jsonl", RECORDINGS).write("l/supervisions.jsonl", SUPERVISIONS);
    scratch
}

fn text(scratch: &Scratch, name: &str) -> String {
    String::from_utf8(scratch.read(name)).unwrap()
}

#[test]
fn languages_genders_and_other_entries_are_kept() {
    let scratch = folder();
    let ran = scratch.sh("make-data-dir --extra=snr,mood,code l d").succeeds();
    ran.stderr_has(
        "1 entries custom.mood are no text and no numbers, and were left out; the first is l/supervisions.jsonl:2",
    )
    .stderr_has("1 alignments have no table");
    for (file, expected) in [
        ("segments", "s-u a 0.25 0.75\nt-v b 0 0.5 1\n"),
        ("text", "s-u one\nt-v two\n"),
        ("utt2lang", "s-u en\nt-v de\n"),
        ("spk2gender", "s f\nt m\n"),
        ("utt2dur", "s-u 0.5\nt-v 0.5\n"),
        ("utt2snr", "s-u 12.50\nt-v 7\n"),
        ("utt2mood", "s-u so so\n"),
        ("utt2code", "s-u 12345678901234567890\n"),
    ] {
        assert_eq!(text(&scratch, &format!("d/{file}")), expected, "{file}");
    }
    // Nothing is lost without a word.
    let ran = scratch.sh("make-data-dir l e").succeeds();
    ran.stderr_has("2 entries custom.snr have a table only with --extra=snr, and were left out");
    scratch
        .sh("make-data-dir --strict l f")
        .fails_with(255)
        .stderr_has("l/supervisions.jsonl:1: expected nothing that is left out");
    scratch.write("l/features.jsonl", "{}\n");
    scratch.sh("make-data-dir l e").succeeds().stderr_has("1 manifests have features, which only cuts lead to");
}

#[test]
fn the_same_data_as_cuts_says_the_same() {
    let scratch = folder();
    let recordings: Vec<&str> = RECORDINGS.lines().collect();
    let cut = |number: usize, duration: &str, channel: u32| {
        format!(
            "{{\"id\": \"c{number}\", \"start\": 0, \"duration\": {duration}, \"channel\": {channel}, \"supervisions\": [{}], \
             \"recording\": {}, \"type\": \"MonoCut\"}}\n",
            SUPERVISIONS.lines().nth(number).unwrap(),
            recordings[number]
        )
    };
    scratch.write("cuts.jsonl", cut(0, "2.0", 0) + &cut(1, "1.0", 1));
    for options in
        ["--extra=all", "--extra=snr", "--text-field=custom.snr --speaker-field=language", "--utt-field=custom.snr"]
    {
        scratch
            .sh(&format!("make-data-dir {options} l d && make-data-dir {options} cuts.jsonl e && diff -r d e"))
            .succeeds();
        scratch.sh("rm -r d e").succeeds();
    }
}

#[test]
fn options_name_entries_of_supervisions() {
    let scratch = folder();
    scratch
        .sh("make-data-dir --language-field=custom.snr --gender-field=gender l d && cat d/utt2lang d/spk2gender")
        .succeeds()
        .stdout_is("s-u 12.50\nt-v 7\ns f\nt m\n");
    for (options, message) in [
        ("--gender-field=sex", "l: expected one of the entries of cuts: text, speaker, language, gender, custom.NAME"),
        ("--text-field=custom.nosuch", "l: expected a column or an entry custom.nosuch for --text-field, got"),
        ("--extra=snr,nosuch", "l: expected a column or an entry nosuch for --extra, got code, mood, snr"),
    ] {
        scratch.sh(&format!("make-data-dir {options} l x")).fails_with(255).stderr_has(message);
        scratch.sh("ls x").fails_with(2);
    }
}

#[test]
fn channels_of_supervisions_are_split_if_that_is_wanted() {
    let scratch = folder();
    scratch.write("l/supervisions.jsonl", SUPERVISIONS.replace("\"channel\": 1", "\"channel\": [0, 1]"));
    scratch.sh("make-data-dir l d && cat d/segments").succeeds().stdout_is("s-u a 0.25 0.75\nt-v b 0 0.5\n");
    scratch
        .sh("make-data-dir --split-channels l e && cat e/segments")
        .succeeds()
        .stdout_is("s-u a 0.25 0.75\nt-v-0 b 0 0.5 0\nt-v-1 b 0 0.5 1\n");
}
