//! `make-data-dir` and `export-data-dir`.

use super::sound;
use crate::support::Scratch;
use crate::support::wave::wave;

/// A folder of sound: `corpus/s1/c/{a,b c}.wav`, `corpus/s2/d.flac`, which is a WAV file by its bytes.
fn corpus() -> Scratch {
    let scratch = Scratch::new();
    scratch.sh("mkdir -p corpus/s1/c corpus/s2 corpus/.hidden").succeeds();
    scratch.write("corpus/s1/c/a.wav", sound(1600)).write("corpus/s1/c/b c.WAV", sound(800));
    scratch.write("corpus/s2/d.flac", sound(1600)).write("corpus/.hidden/e.wav", sound(10));
    scratch.write("corpus/s2/._d.wav", "a file of another system").write("corpus/s2/notes.md", "no sound");
    scratch
}

/// The file of a data directory.
fn file(scratch: &Scratch, name: &str) -> String {
    String::from_utf8(scratch.read(name)).unwrap()
}

fn is_whole(scratch: &Scratch, folder: &str) {
    scratch.sh(&format!("table-check --no-feats --no-text {folder}")).succeeds().stdout_is("");
}

#[test]
fn a_folder_is_searched() {
    let scratch = corpus();
    scratch.sh("make-data-dir corpus/ data").succeeds().stderr_has("Wrote 3 utterances of 3 recordings");
    assert_eq!(file(&scratch, "data/wav.scp"), "a corpus/s1/c/a.wav\nb_c corpus/s1/c/b c.WAV\nd corpus/s2/d.flac\n");
    assert_eq!(file(&scratch, "data/utt2spk"), "a a\nb_c b_c\nd d\n");
    assert_eq!(file(&scratch, "data/spk2utt"), "a a\nb_c b_c\nd d\n");
    scratch.sh("ls data").succeeds().stdout_is("spk2utt\nutt2spk\nwav.scp\n");
    is_whole(&scratch, "data");
    // Sound in the folder itself, a folder that leads back, and a link to nothing.
    scratch
        .sh("cd corpus/s2 && ln -s .. up && ln -s nothing.wav lost.wav && make-data-dir --spk-from=dir . data")
        .succeeds();
    assert_eq!(
        file(&scratch, "corpus/s2/data/wav.scp"),
        "c-a ./up/s1/c/a.wav\nc-b_c ./up/s1/c/b c.WAV\ns2-d ./d.flac\n"
    );
}

#[test]
fn utterances_and_speakers_have_the_names_that_are_asked_for() {
    let scratch = corpus();
    for (options, utt2spk) in [
        ("--utt-from=path", "s1-c-a s1-c-a\ns1-c-b_c s1-c-b_c\ns2-d s2-d\n"),
        ("--utt-from=path --spk-from=dir", "c-s1-c-a c\nc-s1-c-b_c c\ns2-d s2\n"),
        ("--spk-from='regex:^([^/]+)/'", "s1-a s1\ns1-b_c s1\ns2-d s2\n"),
        ("--utt-from='regex:/([^/]).*w' --utt-from='regex:([abd])[^/]*$'", "a a\nb b\nd d\n"),
    ] {
        scratch.sh(&format!("make-data-dir {options} corpus data")).succeeds();
        assert_eq!(file(&scratch, "data/utt2spk"), utt2spk, "{options}");
        is_whole(&scratch, "data");
    }
    assert_eq!(file(&scratch, "data/spk2utt"), "a a\nb b\nd d\n");
    scratch.sh("make-data-dir --spk-from=dir corpus data").succeeds();
    assert_eq!(file(&scratch, "data/spk2utt"), "c c-a c-b_c\ns2 s2-d\n");
}

#[test]
fn texts_stand_beside_the_sound() {
    let scratch = corpus();
    scratch.write("corpus/s1/c/a.txt", "not this").write("corpus/s1/c/a.normalized.txt", " GOOD\r\n\tday\u{3000}x \n");
    scratch.write("corpus/s1/c/c.trans.txt", "b_c wrong\nb c\n").write("corpus/s1/c/b c.lab", "\u{fc}ber");
    scratch.write("corpus/s2/x.trans.txt", "d  well done\nother one\n");
    scratch.sh("make-data-dir corpus data").succeeds();
    assert_eq!(file(&scratch, "data/text"), "a GOOD day x\nb_c \u{fc}ber\nd well done\n");
    scratch.sh("table-check --no-feats data").succeeds().stdout_is("");
    scratch.sh("rm 'corpus/s1/c/b c.lab' corpus/s1/c/*.trans.txt").succeeds();
    scratch.sh("make-data-dir corpus data").succeeds().stderr_has("1 utterances have no text, and were left out");
    assert_eq!(file(&scratch, "data/wav.scp"), "a corpus/s1/c/a.wav\nd corpus/s2/d.flac\n");
    scratch
        .sh("make-data-dir --strict corpus other")
        .fails_with(255)
        .stderr_has("corpus/s1/c/b c.WAV: expected text, as others have it, got none");
    scratch.write("corpus/s2/d.txt", b"\xff");
    scratch.sh("make-data-dir corpus other").fails_with(255).stderr_has("corpus/s2/d.txt: expected text in UTF-8");
    scratch.sh("ls other").fails_with(2);
}

#[test]
fn names_that_come_twice_or_cannot_be_written_are_errors() {
    let scratch = corpus();
    scratch.write("corpus/s2/a.mp3", "x");
    let both = "corpus/s2/a.mp3: expected each name once, got a again, which corpus/s1/c/a.wav has";
    scratch.sh("make-data-dir corpus data").fails_with(255).stderr_has(both);
    scratch
        .sh("rm corpus/s2/a.mp3; make-data-dir --utt-from='regex:(s9)' corpus data")
        .fails_with(255)
        .stderr_has("corpus/s1/c/a.wav: expected a name of the utterance, got none in \"s1/c/a.wav\"");
    scratch
        .sh("make-data-dir --utt-from=regex:s9 corpus data")
        .fails_with(255)
        .stderr_has("with a group in parentheses");
    scratch
        .sh("make-data-dir --utt-from=other corpus data")
        .fails_with(255)
        .stderr_has("expected name, path or regex:R");
    scratch
        .sh("make-data-dir --spk-from='regex:(' corpus data")
        .fails_with(255)
        .stderr_has("expected a regular expression");
    // A line of wav.scp would not lead to these.
    for name in ["a\\nb.wav", "c] .wav", " x.wav", "a |x.wav"] {
        let made = scratch
            .sh(&format!("rm -rf odd; mkdir odd; printf x > \"odd/$(printf '{name}')\"; make-data-dir odd data"));
        match name {
            "c] .wav" | " x.wav" => made.succeeds(),
            _ => made.fails_with(255).stderr_has("expected a name of sound that can stand in wav.scp"),
        };
    }
    scratch
        .sh("rm -rf data odd; mkdir odd; make-data-dir odd data")
        .fails_with(255)
        .stderr_has("odd: expected utterances, got none");
    scratch.sh("make-data-dir nothing data").fails_with(255).stderr_has("nothing");
    scratch.sh("ls data").fails_with(2);
}

#[test]
fn speakers_are_in_the_order_of_their_utterances() {
    let scratch = Scratch::new();
    scratch.write("a.csv", "id,path,speaker\na-x,/1.wav,a\na1-x,/2.wav,a1\naz,/3.wav,a\n");
    let message = "a.csv:4: expected utterances in the order of their speakers, got az of a after a1-x of a1";
    scratch.sh("make-data-dir a.csv data").fails_with(255).stderr_has(message);
    scratch.sh("ls data").fails_with(2);
}

#[test]
fn common_voice_is_read() {
    let scratch = Scratch::new();
    scratch.sh("mkdir -p cv/clips").succeeds();
    scratch.write("cv/clips/u2.mp3", "x").write("cv/u3.mp3", "x");
    scratch.write(
        "cv/train.tsv",
        "\u{feff}client_id\tpath\tsentence\tup_votes\r\nzoe\tu1.mp3\tSay \"hi,\r\n\nanna\tu2.mp3\t \u{fc}ber\u{a0}all\t2\r\n",
    );
    let ran = scratch.sh("make-data-dir cv/train.tsv data");
    ran.fails_with(255).stderr_has("cv/train.tsv:2: expected 4 fields, got 3");
    scratch.write(
        "cv/train.tsv",
        "client_id\tpath\tsentence\nzoe\tu1.mp3\tSay \"hi,\r\n\nanna\tu2.mp3\t \u{fc}ber\u{a0}all\nanna\tu3.mp3\tx\n",
    );
    scratch.sh("make-data-dir cv/train.tsv data").succeeds();
    assert_eq!(file(&scratch, "data/wav.scp"), "anna-u2 cv/clips/u2.mp3\nanna-u3 cv/u3.mp3\nzoe-u1 u1.mp3\n");
    assert_eq!(file(&scratch, "data/text"), "anna-u2 \u{fc}ber all\nanna-u3 x\nzoe-u1 Say \"hi,\n");
    assert_eq!(file(&scratch, "data/spk2utt"), "anna anna-u2 anna-u3\nzoe zoe-u1\n");
    scratch.sh("make-data-dir --audio-dir=/sound/ cv/train.tsv data").succeeds();
    assert_eq!(file(&scratch, "data/wav.scp"), "anna-u2 /sound/u2.mp3\nanna-u3 /sound/u3.mp3\nzoe-u1 /sound/u1.mp3\n");
    scratch
        .sh("gzip cv/train.tsv; make-data-dir --audio-dir=/sound cv/train.tsv.gz again; diff -r data again")
        .succeeds();
}

#[test]
fn csv_has_quotes_and_columns_by_name() {
    let scratch = Scratch::new();
    scratch.write(
        "a.csv",
        "speaker_id,transcript,id,wav_filename,text\r\ns,\"a, \"\"b\"\"\nc\",u1,/x/1.wav,unused\r\n\r\n,,u2,s3://b/2.wav,t\r\n",
    );
    scratch.sh("make-data-dir a.csv data").succeeds().stderr_lacks("left out");
    assert_eq!(file(&scratch, "data/text"), "s-u1 unused\nu2 t\n");
    assert_eq!(file(&scratch, "data/wav.scp"), "s-u1 /x/1.wav\nu2 s3://b/2.wav\n");
    scratch.write("a.csv", "path,transcript\n/1.wav,\"a, \"\"b\"\"\nc\"\n/2.wav,d\n");
    scratch.sh("make-data-dir a.csv quoted").succeeds();
    assert_eq!(file(&scratch, "quoted/text"), "1 a, \"b\" c\n2 d\n");
    for (text, message) in [
        ("path,text\n/1.wav,\"a\n\nb\"\n/2.wav\n", "a.csv:5: expected 2 fields, got 1"),
        ("path,text\n/1.wav,\"a\n/2.wav,b\n", "a.csv:2: expected a quote at the end of a field"),
        ("name,text\nx,y\n", "a.csv:1: expected names of columns, one of them of path, audio,"),
        ("path,offset,duration\n/1.wav,x,1\n", "a.csv:2: expected seconds, got \"x\""),
        ("path,text\n,y\n", "a.csv:2: expected the name of a file of sound, got none"),
        ("path,text\n", "a.csv: expected utterances, got none"),
        ("", "a.csv: expected utterances, got none"),
    ] {
        scratch.write("a.csv", text);
        scratch.sh("make-data-dir a.csv other").fails_with(255).stderr_has(message);
    }
    scratch.sh("ls other").fails_with(2);
}

#[test]
fn offsets_of_nemo_become_segments() {
    let scratch = Scratch::new();
    let lines = "{\"audio_filepath\": \"/s/b.wav\", \"duration\": 1.1, \"offset\": 1.2, \"text\": \"x  y\", \"speaker\": 7}\n\n\
                 {\"audio_filepath\": \"/s/b.wav\", \"duration\": 1.2, \"offset\": 0.0, \"text\": \"z\", \"utt_id\": \"b 1\"}\n\
                 {\"audio_filepath\": \"/s/a.wav\", \"duration\": 2.0, \"text\": \"w\", \"offset\": null}\n";
    scratch.write("m.json", lines);
    scratch.sh("make-data-dir m.json data").succeeds();
    assert_eq!(
        file(&scratch, "data/segments"),
        "7-b-0001200-0002300 b 1.2 2.3\na-0000000-0002000 a 0 2\nb_1 b 0 1.2\n"
    );
    assert_eq!(file(&scratch, "data/wav.scp"), "a /s/a.wav\nb /s/b.wav\n");
    assert_eq!(file(&scratch, "data/text"), "7-b-0001200-0002300 x y\na-0000000-0002000 w\nb_1 z\n");
    // Without offsets, a file that comes twice has parts; else each file is an utterance.
    scratch.write("m.json", "{\"audio_filepath\": \"/s/b.wav\", \"duration\": 1.1}\n".repeat(2));
    scratch
        .sh("make-data-dir m.json twice")
        .fails_with(255)
        .stderr_has("m.json:2: expected each name once, got b-0000000-0001100 again, which m.json:1 has");
    scratch.write("m.json", "{\"audio_filepath\": \"/s/b.wav\", \"duration\": 1.1, \"utt_id\": \"u\"}\n");
    scratch
        .sh("make-data-dir m.json plain && cat plain/wav.scp && ls plain")
        .succeeds()
        .stdout_is("u /s/b.wav\nspk2utt\nutt2dur\nutt2spk\nwav.scp\n");
    assert_eq!(file(&scratch, "plain/utt2dur"), "u 1.1\n");
}

#[test]
fn broken_lines_of_json_are_named() {
    let scratch = Scratch::new();
    let good = "{\"audio_filepath\": \"/s/a.wav\", \"duration\": 1}\n";
    for (line, message) in [
        ("{\"audio_filepath\": ", "m.json:3: expected an object in JSON, got"),
        ("[1]", "m.json:3: expected an object in JSON, got"),
        ("{\"duration\": 1}", "m.json:3: expected a field \"audio_filepath\" with text, got none"),
        ("{\"audio_filepath\": 5}", "m.json:3: expected text as the field \"audio_filepath\", got \"5\""),
        (
            "{\"audio_filepath\": \"/b\", \"duration\": \"1\"}",
            "m.json:3: expected seconds as the field \"duration\", got",
        ),
        ("{\"audio_filepath\": \"/b\", \"offset\": 1}", "m.json:3: expected a duration"),
        (
            "{\"audio_filepath\": \"/b\", \"offset\": -1, \"duration\": 1}",
            "m.json:3: expected a start from 0 to 10000000 s",
        ),
        ("{\"audio_filepath\": \"/b\", \"offset\": 1, \"duration\": 0}", "m.json:3: expected a part of a recording"),
        (
            "{\"audio_filepath\": \"/t/a.wav\", \"offset\": 1, \"duration\": 1}",
            "m.json:3: expected each name once, got a again",
        ),
        (
            "{\"audio_filepath\": \"/b\", \"speaker\": [1]}",
            "m.json:3: expected text as the field \"speaker\", got \"[1]\"",
        ),
        ("{\"audio_filepath\": \"/b\\nc\"}", "m.json:3: expected a name of sound that can stand in wav.scp"),
    ] {
        scratch.write("m.json", format!("{good}\n{line}\n"));
        scratch.sh("make-data-dir m.json data").fails_with(255).stderr_has(message);
        scratch.sh("ls data").fails_with(2);
    }
    scratch.write("m.json", "{\"a\": 1}\n");
    scratch
        .sh("make-data-dir m.json data")
        .fails_with(255)
        .stderr_has("m.json:1: expected lines of JSON with \"audio_filepath\"");
    scratch
        .sh("make-data-dir --format=wenet m.json data")
        .fails_with(255)
        .stderr_has("m.json:1: expected a field \"key\"");
    scratch.sh("cat m.json | make-data-dir - data").fails_with(255).stderr_has("expected --format= for a stream");
}

#[test]
fn files_of_another_run_do_not_stay_beside_new_ones() {
    let scratch = corpus();
    scratch
        .sh("mkdir data; touch data/text; make-data-dir corpus data")
        .fails_with(255)
        .stderr_has("data/text is there from before, and the new utterances have no such file");
    scratch.sh("ls data").succeeds().stdout_is("text\n");
    scratch.sh("make-data-dir --force corpus data; ls data").succeeds().stdout_is("spk2utt\nutt2spk\nwav.scp\n");
    // If one file cannot be written, none is.
    scratch.sh("rm -r data; mkdir -p data/utt2spk; make-data-dir corpus data").fails_with(255);
    scratch.sh("ls data").succeeds().stdout_is("utt2spk\n");
}

/// A data directory of three utterances, one of which has two channels.
pub(super) fn data() -> Scratch {
    let scratch = Scratch::new();
    let stereo = wave(8000, &[&[1; 4000], &[2; 4000]]);
    scratch.sh("mkdir data").succeeds();
    scratch.write("a.wav", sound(1600)).write("b \u{fc}.wav", stereo).write("c.wav", sound(24000));
    scratch.write("data/wav.scp", "s-a a.wav\ns-b b \u{fc}.wav\nt-c c.wav\n");
    scratch.write("data/utt2spk", "s-a s\ns-b s\nt-c t\n").write("data/text", "s-a x, \"y\"\ns-b \u{fc}\nt-c z\n");
    scratch.sh("printf 's s-a s-b\\nt t-c\\n' > data/spk2utt").succeeds();
    scratch
}

#[test]
fn manifests_lead_back_to_the_data_directory() {
    let scratch = data();
    for (format, target) in [("nemo", "m.json"), ("wenet", "m.jsonl"), ("csv", "m.csv")] {
        scratch
            .sh(&format!("export-data-dir --format={format} data {target} && make-data-dir {target} again"))
            .succeeds();
        let other = if format == "wenet" { "-x utt2spk -x spk2utt" } else { "-x utt2dur" };
        scratch.sh(&format!("diff -r {other} data again && rm -r again")).succeeds();
    }
    assert_eq!(
        file(&scratch, "m.json").lines().next().unwrap(),
        "{\"audio_filepath\": \"a.wav\", \"duration\": 0.1, \"text\": \"x, \\\"y\\\"\", \"speaker\": \"s\", \"utt_id\": \"s-a\"}"
    );
    assert_eq!(
        file(&scratch, "m.csv"),
        "id,path,duration,text,speaker\ns-a,a.wav,0.1,\"x, \"\"y\"\"\",s\ns-b,b \u{fc}.wav,0.5,\u{fc},s\nt-c,c.wav,1.5,z,t\n"
    );
    scratch.sh("make-raw-list data/wav.scp data/text - | cmp - m.jsonl").succeeds();
    scratch
        .sh("export-data-dir --format=lhotse data l && make-data-dir l again && cmp data/text again/text")
        .succeeds();
    assert_eq!(file(&scratch, "again/segments"), "s-a s-a 0 0.1\ns-b s-b 0 0.5 0\nt-c t-c 0 1.5\n");
    scratch.sh("gunzip -c l/recordings.jsonl.gz | head -n 2 | tail -n 1").succeeds().stdout_is(
        "{\"id\": \"s-b\", \"sources\": [{\"type\": \"file\", \"channels\": [0,1], \"source\": \"b \u{fc}.wav\"}], \
         \"sampling_rate\": 8000, \"num_samples\": 4000, \"duration\": 0.5, \"channel_ids\": [0,1]}\n",
    );
    scratch.sh("export-data-dir --format=lhotse data k && cmp k/recordings.jsonl.gz l/recordings.jsonl.gz").succeeds();
}

#[test]
fn manifests_lead_back_to_segments() {
    let scratch = data();
    scratch.write("data/wav.scp", "r1 c.wav\nr2 b \u{fc}.wav\n");
    scratch.write("data/segments", "s-a r1 0.1 1.3\ns-b r2 0.25 0.5 1\nt-c r2 0 0.25 0\n");
    scratch
        .sh("export-data-dir --format=lhotse data l && make-data-dir l again && diff -r -x utt2dur data again")
        .succeeds();
    scratch.sh("gunzip -c l/supervisions.jsonl.gz | head -n 1").succeeds().stdout_is(
        "{\"id\": \"s-a\", \"recording_id\": \"r1\", \"start\": 0.1, \"duration\": 1.2, \"channel\": 0, \
         \"text\": \"x, \\\"y\\\"\", \"speaker\": \"s\"}\n",
    );
    // Others name recordings by their files, and have no channels.
    scratch.write("data/wav.scp", "b_\u{fc} b \u{fc}.wav\nc c.wav\n");
    scratch.write("data/segments", "s-a c 0.1 1.3\ns-b b_\u{fc} 0.25 0.5\nt-c c 0 -1\n");
    scratch.write("with-end", "s-a c 0.1 1.3\ns-b b_\u{fc} 0.25 0.5\nt-c c 0 1.5\n");
    for (format, target) in [("nemo", "m.json"), ("csv", "m.csv")] {
        scratch
            .sh(&format!("export-data-dir --format={format} data {target} && make-data-dir {target} again-{format}"))
            .succeeds();
        scratch
            .sh(&format!("diff -r -x segments -x utt2dur data again-{format} && cmp with-end again-{format}/segments"))
            .succeeds();
    }
    scratch.sh("mv with-end data/segments; export-data-dir --format=wenet data m.jsonl").succeeds();
    scratch.sh("make-raw-list --segments=data/segments data/wav.scp data/text - | cmp - m.jsonl").succeeds();
    scratch.sh("make-data-dir m.jsonl again-wenet; cmp again-wenet/segments data/segments").succeeds();
}

#[test]
fn lhotse_has_commands_channels_and_faults() {
    let scratch = Scratch::new();
    scratch.sh("mkdir l").succeeds();
    let recording = "{\"id\": \"r\", \"sources\": [{\"type\": \"command\", \"channels\": [0, 1], \"source\": \"sox a.mp3 -t wav -\"}], \"duration\": 9}\n";
    let supervision =
        |more: &str| format!("{{\"id\": \"u\", \"recording_id\": \"r\", \"start\": 1, \"duration\": 0.5{more}}}\n");
    scratch
        .write("l/x_recordings_dev.jsonl", recording)
        .write("l/x_supervisions_dev.jsonl", supervision(", \"channel\": 1"));
    scratch.sh("make-data-dir l data").fails_with(255).stderr_has(
        "l/x_recordings_dev.jsonl:1: expected the name of a file or an address, got the command \"sox a.mp3",
    );
    scratch
        .sh("make-data-dir --allow-commands l data && cat data/wav.scp data/segments")
        .succeeds()
        .stdout_is("r sox a.mp3 -t wav - |\nu r 1 1.5 1\n");
    for (more, segments) in
        [(", \"channel\": [0, 1]", "u r 1 1.5\n"), ("", "u r 1 1.5\n"), (", \"channel\": [0]", "u r 1 1.5 0\n")]
    {
        scratch.write("l/x_supervisions_dev.jsonl", supervision(more));
        scratch.sh("make-data-dir --allow-commands l data && cat data/segments").succeeds().stdout_is(segments);
    }
    for (more, message) in [
        (
            ", \"channel\": 2",
            "x_supervisions_dev.jsonl:1: expected one of the channels [0, 1] of l/x_recordings_dev.jsonl:1, got 2",
        ),
        (", \"recording_id\": \"q\"", "x_supervisions_dev.jsonl:1: expected a recording q"),
        (", \"start\": null", "x_supervisions_dev.jsonl:1: expected a field \"start\", got none"),
    ] {
        scratch.write("l/x_supervisions_dev.jsonl", supervision(more));
        scratch.sh("make-data-dir --allow-commands l other").fails_with(255).stderr_has(message);
    }
    scratch.write("l/recordings.jsonl", recording);
    scratch
        .sh("make-data-dir --allow-commands l other")
        .fails_with(255)
        .stderr_has("x_recordings_dev.jsonl:1: expected each recording once, got r again");
    scratch
        .sh("rm l/*; echo '{\"id\": \"r\", \"sources\": []}' > l/recordings.jsonl; make-data-dir --allow-commands l other")
        .fails_with(255)
        .stderr_has("\"sources\"");
    let perturbed = recording.replace("\"duration\"", "\"transforms\": [{\"name\": \"Speed\"}], \"duration\"");
    scratch.write("l/recordings.jsonl", perturbed);
    scratch
        .sh("make-data-dir --allow-commands l other")
        .fails_with(255)
        .stderr_has("l/recordings.jsonl:1: expected no changes of the sound as the field \"transforms\", got ");
    scratch.write("l/recordings.jsonl", recording.replace("\"duration\"", "\"transforms\": [], \"duration\""));
    scratch
        .sh("make-data-dir --allow-commands l other")
        .fails_with(255)
        .stderr_has("l: expected *supervisions*.jsonl, .jsonl.gz or .json, got none");
    scratch.sh("ls other").fails_with(2);
}

#[test]
fn an_export_needs_a_whole_data_directory() {
    let scratch = data();
    scratch
        .sh("export-data-dir data out")
        .fails_with(255)
        .stderr_has("expected --format=nemo, wenet, lhotse, csv or parquet");
    scratch.sh("export-data-dir --format=nemo nothing out").fails_with(255).stderr_has("nothing/wav.scp");
    for (file, text, message) in [
        ("text", "s-a x\n", "data/text: expected a line of s-b, which utt2spk has, got none"),
        ("text", "s-a x\ns-b y\nt-c z\nu w\n", "data/text: expected utterances of utt2spk, got u"),
        ("utt2spk", "s-a s\ns-b s\nt-d t\n", "data/text: expected a line of t-d"),
        ("utt2spk", "s-a s\ns-b\nt-c t\n", "data/utt2spk: expected a speaker of s-b, got \"\""),
        ("wav.scp", "s-a a.wav\ns-b b.wav\nt-c gone.wav\n", "b.wav"),
        ("segments", "s-a r 0 1\ns-b r 2 1\nt-c r 0 1\n", "data/segments:2: expected a start of 0 or more"),
        ("segments", "s-a s-a 0 1\n", "data/segments: expected a line of s-b"),
        (
            "segments",
            "s-a r 0 1\ns-b r 1 2\nt-c r 0 1\n",
            "data/wav.scp: expected a recording r, which s-a is of, got none",
        ),
    ] {
        let scratch = data();
        scratch.write(&format!("data/{file}"), text);
        scratch.sh("export-data-dir --format=nemo data out").fails_with(255).stderr_has(message);
        scratch.sh("ls out").fails_with(2);
    }
    scratch.sh("rm data/text; export-data-dir --format=wenet data out").fails_with(255).stderr_has("expected a text");
    scratch.sh("export-data-dir --format=csv data -").succeeds().stdout_has("s-a,a.wav,0.1,,s\n");
    // The header of a stream does not say how long it is.
    scratch.write("data/wav.scp", "s-a cat a.wav |\ns-b b \u{fc}.wav\nt-c c.wav\n");
    scratch
        .sh("export-data-dir --format=csv data -")
        .succeeds()
        .stdout_has("s-a,cat a.wav |,0.1,,s\n")
        .stderr_has("1 recordings are outputs of commands");
}
