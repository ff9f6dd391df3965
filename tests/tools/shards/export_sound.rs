//! Sound that manifests cannot name: single channels, sound inside of archives, outputs of commands; and segments to the end of
//! their recordings.

use super::sound;
use crate::support::Scratch;
use crate::support::wave::{samples, wave};

/// Both sides of a call, as segments with channels; and a recording of one channel.
fn call() -> Scratch {
    let scratch = Scratch::new();
    let [left, right]: [Vec<i16>; 2] = [(0..8000).collect(), (0..8000).map(|at| -at).collect()];
    scratch.sh("mkdir data").succeeds();
    scratch.write("call.wav", wave(8000, &[&left, &right])).write("mono.wav", wave(8000, &[&left[..4000]]));
    scratch.write("data/wav.scp", "call call.wav\nmono mono.wav\n");
    scratch.write("data/segments", "a-1 call 0.25 0.5 0\nb-1 call 0.25 0.5 1\nc-1 mono 0.25 -1 0\n");
    scratch.write("data/utt2spk", "a-1 a\nb-1 b\nc-1 c\n").write("data/text", "a-1 hello\nb-1 good day\nc-1 x\n");
    scratch
}

fn text(scratch: &Scratch, name: &str) -> String {
    String::from_utf8(scratch.read(name)).unwrap()
}

/// The manifests that name no channels, with the command that writes each.
const WITHOUT_CHANNELS: [(&str, &str); 4] = [
    ("m.json", "export-data-dir --format=nemo data m.json"),
    ("m.csv", "export-data-dir --format=csv data m.csv"),
    ("m.jsonl", "export-data-dir --format=wenet data m.jsonl"),
    ("raw.list", "make-raw-list --segments=data/segments data/wav.scp data/text raw.list"),
];

#[test]
fn channels_are_not_lost_in_a_manifest_without_channels() {
    let scratch = call();
    for (manifest, command) in WITHOUT_CHANNELS {
        scratch
            .sh(command)
            .fails_with(255)
            .stderr_has("got channel 0 of call")
            .stderr_has("--audio=copy makes a file of it")
            .stderr_has("--format=parquet");
        assert!(!scratch.list().contains(&manifest.to_owned()));
    }
    // A recording of one channel needs no other file.
    scratch.write("data/segments", "a-1 call 0 0.5\nb-1 call 0.5 1\nc-1 mono 0.25 0.5 0\n");
    for (manifest, command) in WITHOUT_CHANNELS {
        scratch.sh(command).succeeds().stderr_lacks("WARNING");
        assert!(text(&scratch, manifest).contains("mono.wav"));
    }
    for (manifest, command) in WITHOUT_CHANNELS {
        scratch.sh(&format!("rm {manifest}")).succeeds();
        scratch.write("data/segments", "a-1 call 0 0.5\nb-1 call 0.5 1 2\nc-1 mono 0.25 0.5 1\n");
        scratch.sh(command).fails_with(255).stderr_has("b-1: expected a channel below 2 of call, got 2");
    }
    scratch
        .sh("export-data-dir --format=lhotse data l")
        .fails_with(255)
        .stderr_has("b-1: expected a channel below 2 of call, got 2");
}

#[test]
fn each_side_of_a_call_becomes_a_file_if_that_is_wanted() {
    let scratch = call();
    for (manifest, command) in WITHOUT_CHANNELS {
        let command = command.replacen(' ', " --audio=copy ", 1);
        scratch.sh(&command).succeeds();
        let folder = format!("{}-wav", manifest.split_once('.').unwrap().0);
        scratch.sh(&format!("ls {folder}")).succeeds().stdout_is("call-0.wav\ncall-1.wav\n");
        let listed = text(&scratch, manifest);
        assert!(listed.contains(&format!("{folder}/call-1.wav")) && listed.contains("mono.wav"), "{listed}");
        // What is read back has the samples that extract-segments cuts out of the data directory.
        let format = if manifest == "raw.list" { "--format=wenet" } else { "--format=auto" };
        scratch
            .sh(&format!(
                "make-data-dir {format} {manifest} again && extract-segments scp:again/wav.scp again/segments ark:again.ark &&
                 extract-segments scp:data/wav.scp data/segments ark:expected.ark && cmp again.ark expected.ark &&
                 rm -r again {folder}"
            ))
            .succeeds();
    }
    assert!(text(&scratch, "m.csv").contains("c-1,mono.wav,0.25,x,c,0.25\n"));
}

#[test]
fn shards_cut_segments_out_of_the_channel_that_they_name() {
    let scratch = call();
    scratch
        .sh("make-shard-list --resample=8000 --segments=data/segments data/wav.scp data/text s s.list && extract-shards s.list x")
        .succeeds();
    for (name, sign) in [("a-1", 1), ("b-1", -1), ("c-1", 1)] {
        let expected: Vec<i16> = (2000..4000).map(|at| sign * at).collect();
        assert!(samples(&scratch.read(&format!("x/wav/{name}.wav"))) == expected, "{name}");
    }
    // What make-data-dir writes for a stereo cut can be packed, too.
    scratch.sh("export-data-dir --format=lhotse data l && make-data-dir l again").succeeds();
    scratch
        .sh("make-shard-list --resample=8000 --segments=again/segments again/wav.scp again/text t t.list; cmp s/*.tar t/*.tar")
        .succeeds();
    scratch.write("data/segments", "a-1 call 0.25 0.5 2\nb-1 call 0.25 0.5 1\nc-1 mono 0 0.5\n");
    scratch
        .sh("make-shard-list --segments=data/segments data/wav.scp data/text u u.list")
        .succeeds()
        .stderr_has("a-1: expected a channel below 2, got 2; skipping it.")
        .stderr_has("Wrote 2 utterances to 1 shards, skipped 1.");
}

/// The same data directory with its sound in an archive, and one recording from a command.
fn archived() -> Scratch {
    let scratch = Scratch::new();
    scratch.sh("mkdir data").succeeds();
    scratch.write("a.wav", sound(1600)).write("b.wav", sound(800)).write("c.wav", sound(2400));
    scratch.write("w.scp", "a a.wav\nb b.wav\n");
    scratch.sh("wav-copy scp:w.scp ark,scp:w.ark,data/wav.scp && echo 'c cat c.wav |' >> data/wav.scp").succeeds();
    scratch.write("data/utt2spk", "a a\nb b\nc c\n").write("data/text", "a x\nb y\nc z\n");
    scratch
}

#[test]
fn sound_in_archives_is_warned_about_as_commands_are() {
    let scratch = archived();
    let inside = "2 recordings are inside of archives, which other programs do not read there, such as a in w.ark:";
    for command in [
        "export-data-dir --format=nemo data m.json",
        "export-data-dir --format=csv data m.csv",
        "export-data-dir --format=wenet data m.jsonl",
    ] {
        let ran = scratch.sh(command).succeeds();
        ran.stderr_has(inside)
            .stderr_has("1 recordings are outputs of commands")
            .stderr_has("--audio=copy makes files");
    }
    scratch
        .sh("make-raw-list data/wav.scp data/text raw.list")
        .succeeds()
        .stderr_has(inside)
        .stderr_has("c: 'cat c.wav |' is a command or has blanks");
    // lhotse runs commands.
    let ran = scratch.sh("export-data-dir --format=lhotse data l").succeeds();
    ran.stderr_has(inside).stderr_lacks("outputs of commands");
    // A place in a tar file is one, too.
    scratch.sh("make-shard-list data/wav.scp data/text s s.list && shards-to-scp s.list data/wav.scp").succeeds();
    scratch
        .sh("export-data-dir --format=nemo data m.json")
        .succeeds()
        .stderr_has("3 recordings are inside of archives");
}

#[test]
fn sound_in_archives_becomes_files_if_that_is_wanted() {
    let scratch = archived();
    scratch.sh("wav-copy scp:data/wav.scp ark:expected.ark").succeeds();
    for (manifest, command) in [
        ("m.json", "export-data-dir --format=nemo --audio=copy data m.json"),
        ("m.csv", "export-data-dir --format=csv --audio=wav data m.csv"),
        ("m.jsonl", "export-data-dir --format=wenet --audio=copy data m.jsonl"),
        ("l", "export-data-dir --format=lhotse --audio=copy data l"),
        ("raw.list", "make-raw-list --audio=copy data/wav.scp data/text raw.list"),
    ] {
        scratch.sh(command).succeeds().stderr_lacks("WARNING");
        let folder = if manifest == "l" { "l/wav" } else { &format!("{}-wav", manifest.split_once('.').unwrap().0) };
        scratch.sh(&format!("ls {folder}")).succeeds().stdout_is("a.wav\nb.wav\nc.wav\n");
        let format = if manifest == "raw.list" { "--format=wenet" } else { "--format=auto" };
        scratch
            .sh(&format!(
                "make-data-dir {format} {manifest} again && wav-copy scp:again/wav.scp ark:again.ark && cmp again.ark expected.ark &&
                 rm -r again {folder}"
            ))
            .succeeds();
    }
    // Sound that is in files already stays there.
    scratch.write("data/wav.scp", "a a.wav\nb b.wav\nc c.wav\n");
    scratch
        .sh("export-data-dir --format=nemo --audio=copy data n.json && grep -c '\"a.wav\"' n.json")
        .succeeds()
        .stdout_is("1\n");
    assert!(!scratch.list().iter().any(|name| name.starts_with("n-wav")));
}

#[test]
fn files_of_sound_appear_with_their_manifest_or_not_at_all() {
    let scratch = archived();
    for manifest in ["-", "/dev/stdout", "'| cat'"] {
        scratch
            .sh(&format!("export-data-dir --format=nemo --audio=copy data {manifest}"))
            .fails_with(255)
            .stdout_is("")
            .stderr_has("expected a file as the manifest, beside which files of sound can lie");
    }
    scratch.sh("echo 'd w.ark:7' >> data/wav.scp && echo 'd d' >> data/utt2spk && echo 'd w' >> data/text").succeeds();
    for command in [
        "export-data-dir --format=wenet --audio=copy data m.jsonl",
        "make-raw-list --audio=copy data/wav.scp data/text m.jsonl",
    ] {
        scratch.sh(command).fails_with(255).stderr_has("d: ");
    }
    assert!(
        !scratch.list().iter().any(|name| name.starts_with("m.") || name.starts_with("m-wav")),
        "{:?}",
        scratch.list()
    );
}

#[test]
fn a_segment_to_the_end_of_its_recording_has_that_end_everywhere() {
    let scratch = Scratch::new();
    scratch.sh("mkdir data").succeeds();
    scratch.write("r.wav", sound(32000)).write("data/wav.scp", "r r.wav\n");
    scratch.write("data/utt2spk", "u u\nv v\n").write("data/text", "u x\nv y\n");
    scratch.write("data/segments", "u r 0.5 -1\nv r 0 1\n");
    for (format, manifest) in [("nemo", "m.json"), ("csv", "m.csv"), ("wenet", "m.jsonl"), ("lhotse", "l")] {
        scratch.sh(&format!("export-data-dir --format={format} data {manifest}")).succeeds();
        scratch
            .sh(&format!("make-data-dir {manifest} again && cut -d' ' -f3- again/segments && rm -r again"))
            .succeeds()
            .stdout_is("0.5 2\n0 1\n");
    }
    assert!(
        text(&scratch, "m.jsonl")
            .starts_with("{\"key\": \"u\", \"wav\": \"r.wav\", \"txt\": \"x\", \"start\": 0.5, \"end\": 2.0}\n")
    );
    scratch.sh("make-raw-list --segments=data/segments data/wav.scp data/text - | cmp - m.jsonl").succeeds();
    // The same of a command, which is run for its length.
    scratch.write("data/wav.scp", "r cat r.wav |\n");
    scratch
        .sh("make-raw-list --segments=data/segments data/wav.scp data/text -")
        .succeeds()
        .stdout_has("\"start\": 0.5, \"end\": 2.0}");
    scratch.write("data/wav.scp", "r r.wav\n");
    for (command, table) in [
        ("extract-segments scp:data/wav.scp data/segments ark:x.ark", "ark:x.ark"),
        ("make-shard-list --segments=data/segments data/wav.scp data/text s s.list", "shard:s.list"),
        ("make-shar data shar", "shar:shar"),
        ("export-data-dir --format=parquet data p.parquet && make-data-dir p.parquet p", "scp:p/wav.scp"),
    ] {
        let ran = scratch.sh(&format!("{command} && wav-to-duration {table} ark,t:-")).succeeds();
        assert_eq!(String::from_utf8_lossy(ran.stdout()), "u 1.5 \nv 1 \n", "{command}");
    }
    scratch.sh("table-info data").succeeds().stdout_has("hours        0.0006944\n");
    scratch.write("data/spk2utt", "u u\nv v\n");
    scratch.sh("table-check --no-feats data").succeeds().stdout_is("");
}

#[test]
fn a_raw_list_may_end_with_its_recording() {
    let scratch = Scratch::new();
    scratch.write("r.wav", sound(32000));
    scratch.write(
        "raw.list",
        "{\"key\": \"u\", \"wav\": \"r.wav\", \"txt\": \"x\", \"start\": 0.5, \"end\": -1.0}\n\
         {\"key\": \"v\", \"wav\": \"r.wav\", \"txt\": \"y\", \"start\": 0.0, \"end\": 1.0}\n",
    );
    scratch
        .sh("make-data-dir --format=wenet raw.list data && cat data/segments && ls data")
        .succeeds()
        .stdout_is("u r 0.5 -1\nv r 0 1\nsegments\nspk2utt\ntext\nutt2spk\nwav.scp\n");
    scratch
        .sh("extract-segments scp:data/wav.scp data/segments ark:- | wav-to-duration ark:- ark,t:-")
        .succeeds()
        .stdout_is("u 1.5 \nv 1 \n");
    scratch
        .sh("sed -i 's/-1.0/-2.0/' raw.list && make-data-dir --format=wenet raw.list other")
        .fails_with(255)
        .stderr_has("raw.list:1: expected an end from the start, 0.5 s, to 10000000 s, got -2 s");
}
