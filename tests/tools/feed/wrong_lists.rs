//! Lists of another kind than the data type, and sound that cannot be read.

use super::corpus::corpus;
use crate::support::Scratch;

const PLAIN: &str = "--conf=plain.yaml --symbols=units.txt";

#[test]
fn a_list_of_another_kind_is_one_line_of_advice() {
    let scratch = corpus();
    scratch
        .write("nemo.json", "{\"audio_filepath\": \"wav/u00.wav\", \"duration\": 0.2, \"text\": \"GO\"}\n".repeat(5));
    for (data_type, list, advice) in [
        (
            "raw",
            "shards.list",
            "this is a list of shards, which feed-batches and feed-feats read with --data-type=shard",
        ),
        ("raw", "a.tar", "this is a shard, which feed-batches and feed-feats read with --data-type=shard"),
        ("raw", "wav.scp", "this is a script file, which feed-batches and feed-feats read with --data-type=table"),
        (
            "raw",
            "nemo.json",
            "this is a manifest of NeMo, which feed-batches and feed-feats read with --data-type=nemo",
        ),
        ("shard", "data.list", "this is a raw list, which feed-batches and feed-feats read with --data-type=raw"),
        ("shard", "nemo.json", "this is a manifest of NeMo"),
        ("shard", "wav.scp", "this is a script file"),
        ("table", "scp:data.list", "this is a raw list"),
        ("table", "scp:shards.list", "this is a list of shards"),
    ] {
        let ran = scratch.sh(&format!("feed-batches {PLAIN} --data-type={data_type} {list} -")).fails_with(255);
        let log = String::from_utf8(ran.stderr().to_vec()).unwrap();
        assert!(log.contains(advice) && log.contains(":1: expected "), "{log}");
        assert!(!log.contains("WARNING") && log.lines().count() == 2, "{log}");
    }
    scratch.sh("list-shards data.list").fails_with(255).stderr_has("data.list:1: expected the name of a shard, got ");
}

#[test]
fn sound_that_is_not_decoded_is_named_once() {
    let scratch = corpus();
    let formats: [(&str, &[u8], &str); 2] =
        [("wma", b"\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9", "a WMA file"), ("amr", b"#!AMR\n", "an AMR file")];
    for (suffix, head, what) in formats {
        let lines = three(&scratch, suffix, head);
        for line in lines {
            let ran = scratch.sh(&line);
            let log = String::from_utf8(ran.stderr().to_vec()).unwrap();
            assert_eq!(log.matches(&format!("this is {what}")).count(), 3, "{log}");
            assert_eq!(log.matches("read it through a command").count(), 1, "{log}");
            assert!(log.contains(&format!("'ffmpeg -i x0.{suffix} -f wav - |'")), "{log}");
        }
    }
}

#[test]
fn sound_that_is_damaged_needs_no_other_tool() {
    let scratch = corpus();
    let formats: [(&str, &[u8], &str); 9] = [
        ("mp3", b"ID3\x04\0\0", "MP3"),
        ("m4a", b"\0\0\0\x1cftypM4A ", "MP4"),
        ("webm", b"\x1a\x45\xdf\xa3\x9f", "Matroska"),
        ("aac", b"\xff\xf1\x50\x80", "RIFF"),
        ("aiff", b"FORM\0\0\x10\0AIFF", "AIFF"),
        ("au", b".snd\0\0\0\x18", "AU"),
        ("caf", b"caff\0\x01\0\0", "CAF"),
        ("ogg", b"OggS\0\x02", "Ogg"),
        ("sph", b"NIST_1A\n   1024\n", "SPHERE"),
    ];
    for (suffix, head, what) in formats {
        for line in three(&scratch, suffix, head) {
            let ran = scratch.sh(&line);
            let log = String::from_utf8(ran.stderr().to_vec()).unwrap();
            assert!(log.contains("expected "), "{what}: {log}");
            assert!(!log.contains("this is ") && !log.contains("ffmpeg"), "{log}");
        }
    }
}

/// Writes three files that start like this, and lists of them; command lines that read them.
fn three(scratch: &Scratch, suffix: &str, head: &[u8]) -> [String; 3] {
    let bytes = [head, &[7; 3000][..]].concat();
    let (mut raw, mut scp) = (String::new(), String::new());
    for number in 0..3 {
        let name = format!("x{number}.{suffix}");
        scratch.write(&name, &bytes);
        raw.push_str(&format!("{{\"key\": \"x{number}\", \"wav\": \"{name}\", \"txt\": \"GO\"}}\n"));
        scp.push_str(&format!("x{number} {name}\n"));
    }
    scratch.write("x.list", raw).write("x.scp", scp).write("x.text", "x0 GO\nx1 GO\nx2 GO\n");
    [
        format!("feed-batches {PLAIN} x.list -"),
        format!("feed-batches {PLAIN} --data-type=table --text=x.text scp:x.scp -"),
        "rm -rf shards x.shards; make-shard-list x.scp x.text shards x.shards".to_owned(),
    ]
}

#[test]
fn more_than_a_tenth_that_is_bad_is_an_error_unless_it_is_allowed() {
    let scratch = corpus();
    scratch.sh("rm wav/u00.wav wav/u01.wav").succeeds();
    scratch.sh(&format!("feed-batches {PLAIN} data.list out")).succeeds();
    scratch.sh("rm wav/u02.wav").succeeds();
    let ran = scratch.sh(&format!("feed-batches {PLAIN} data.list out2")).fails_with(255);
    ran.stderr_has(
        "expected at most a tenth of the samples to be bad, got 3 of 23: the warnings name them; --max-bad allows more",
    );
    for max in ["3", "-1"] {
        scratch.sh(&format!("feed-batches {PLAIN} --max-bad={max} data.list - > /dev/null")).succeeds();
    }
    // After a hundred, if it is certain: the others are not looked at.
    scratch.sh("rm wav/*; for i in $(seq 20); do cat data.list; done > long.list").succeeds();
    let ran = scratch.sh(&format!("feed-batches {PLAIN} long.list out3")).fails_with(255);
    let log = String::from_utf8_lossy(ran.stderr()).into_owned();
    assert_eq!(log.matches("; left out").count(), 100, "{log}");
    ran.stderr_has("got 100 of 460");
    // Tables are not written then.
    scratch.sh("feed-feats --conf=plain.yaml data.list ark:f.ark").fails_with(255);
    assert!(!scratch.list().contains(&"f.ark".to_owned()));
}

/// Not one sample for a file, but all that nobody gets.
#[test]
fn all_samples_after_the_damage_of_a_tar_file_are_bad() {
    let scratch = Scratch::new();
    scratch.write("c.yaml", "dataset_conf:\n  filter_conf: {min_length: 0}\n  batch_conf: {batch_size: 1}\n");
    scratch.sh("mkdir s d").succeeds();
    let keys: Vec<String> = (0..60).map(|number| format!("u{number:02}")).collect();
    for key in &keys {
        scratch.write(&format!("s/{key}.wav"), crate::support::signal::wave(16000, &[1; 800]));
        scratch.write(&format!("s/{key}.txt"), "GO");
    }
    scratch
        .sh("make-data-dir s data && make-shard-list --num-utts-per-shard=20 data/wav.scp data/text d list \
             && make-shar --num-utts-per-shard=20 data shar")
        .succeeds();
    let feed = "feed-batches --conf=c.yaml --labels=none";
    // The header of the eleventh sample of the second file.
    let spoil = |file: &str, member: &str| {
        let bytes = scratch.read(file);
        let at = bytes.windows(member.len()).position(|window| window == member.as_bytes()).unwrap();
        let mut bytes = bytes;
        bytes[at + 150] ^= 0x10;
        scratch.write(file, bytes);
    };
    spoil("d/shards_000000001.tar", "u30.txt");
    spoil("shar/recording.000001.tar", "u30.wav");
    // The broken header may be of the sample before it, too; cuts say whose it is.
    for (kind, list, lost) in [("shard", "list", 11), ("shar", "shar", 10)] {
        let ran = scratch.sh(&format!("{feed} --data-type={kind} {list} out.{kind}")).fails_with(255);
        ran.stderr_has(&format!("{lost} samples are lost with it; left out"))
            .stderr_has(&format!("expected at most a tenth of the samples to be bad, got {lost} of 60"));
        let ran = scratch.sh(&format!("{feed} --data-type={kind} --max-bad={lost} {list} - > /dev/null")).succeeds();
        ran.stderr_has(&format!("Read 60 samples; dropped: {lost} bad; delivered {}", 60 - lost));
    }
}
