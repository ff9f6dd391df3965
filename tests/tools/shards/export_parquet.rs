//! `export-data-dir --format=parquet`. What `datasets` and pyarrow make of the files is in `tests/peers`.

use super::sound;
use crate::support::Scratch;
use crate::support::wave::wave;

/// A data directory: a whole file, one of two channels, and the output of a command.
fn data() -> Scratch {
    let scratch = Scratch::new();
    scratch.sh("mkdir data").succeeds();
    scratch
        .write("a.wav", sound(1600))
        .write("b.wav", wave(8000, &[&[1; 4000], &[2; 4000]]))
        .write("c.wav", sound(24000));
    scratch.write("data/wav.scp", "s-a a.wav\ns-b b.wav\nt-c cat c.wav |\n");
    scratch.write("data/utt2spk", "s-a s\ns-b s\nt-c t\n").write("data/text", "s-a x, \"y\"\ns-b \u{fc}\nt-c z\n");
    scratch
}

#[test]
fn the_same_bytes_come_from_any_number_of_threads() {
    let scratch = data();
    scratch
        .sh("for n in 1 2 7; do export-data-dir --format=parquet --num-threads=$n data $n.parquet; done; cmp 1.parquet 2.parquet && cmp 1.parquet 7.parquet")
        .succeeds()
        .stderr_has("Wrote 3 utterances of 3 recordings to 1 files.");
    scratch.sh("table-info 1.parquet").succeeds();
}

#[test]
fn sound_is_copied_or_becomes_wav() {
    let scratch = data();
    // The bytes are there as they are: of the files, and of the output of the command.
    let holds = |scratch: &Scratch, file: &str, sound: &[u8]| {
        scratch.read(file).windows(sound.len()).any(|bytes| bytes == sound)
    };
    scratch.sh("export-data-dir --format=parquet data x.parquet").succeeds();
    for file in ["a.wav", "b.wav", "c.wav"] {
        assert!(holds(&scratch, "x.parquet", &scratch.read(file)), "{file}");
    }
    // A chunk behind the samples.
    let plain = scratch.read("a.wav");
    let mut odd = plain.clone();
    odd.extend(b"LIST\x04\0\0\0abcd");
    let size = (odd.len() - 8) as u32;
    odd[4..8].copy_from_slice(&size.to_le_bytes());
    scratch.write("a.wav", &odd);
    scratch.sh("export-data-dir --format=parquet data x.parquet && export-data-dir --format=parquet --audio=wav data y.parquet").succeeds();
    assert!(
        holds(&scratch, "x.parquet", &odd)
            && !holds(&scratch, "y.parquet", &odd)
            && holds(&scratch, "y.parquet", &plain)
    );
}

#[test]
fn segments_are_cut() {
    let scratch = data();
    scratch.write("data/wav.scp", "r1 c.wav\nr2 b.wav\n");
    scratch.write("data/segments", "s-a r1 0.1 0.5\ns-b r2 0.25 -1 1\nt-c r2 0 0.25\n");
    scratch.sh("export-data-dir --format=parquet data x.parquet").succeeds().stderr_has("3 utterances of 2 recordings");
    let file = scratch.read("x.parquet");
    for sound in [wave(8000, &[&[2; 2000]]), wave(8000, &[&[1; 2000], &[2; 2000]])] {
        assert!(file.windows(sound.len()).any(|bytes| bytes == sound));
    }
    for (segments, message) in [
        ("s-a r1 0.1 9\ns-b r2 0 1\nt-c r2 0 1\n", "s-a: expected a segment within 1.5 seconds of the recording"),
        ("s-a r1 0.1 1\ns-b r2 0 0.5 2\nt-c r2 0 1\n", "s-b: expected a channel below 2, got 2"),
    ] {
        scratch.write("data/segments", segments);
        scratch
            .sh("rm -f out.parquet; export-data-dir --format=parquet data out.parquet")
            .fails_with(255)
            .stderr_has(message);
        scratch.sh("ls out.parquet").fails_with(2);
    }
}

#[test]
fn a_folder_gets_files_of_so_many_utterances() {
    let scratch = data();
    scratch
        .sh("export-data-dir --format=parquet --num-utts-per-shard=2 data hub && ls hub")
        .succeeds()
        .stdout_is("train-00000-of-00002.parquet\ntrain-00001-of-00002.parquet\n");
    scratch
        .sh("export-data-dir --format=parquet --split=test data hub && ls hub | head -n 1")
        .succeeds()
        .stdout_is("test-00000-of-00001.parquet\n");
    // A reader would take the files of both runs.
    scratch
        .sh("export-data-dir --format=parquet --num-utts-per-shard=1 data hub")
        .fails_with(255)
        .stderr_has("expected no other files of train in the folder, got hub/train-0000");
    for (options, message) in [
        ("--num-utts-per-shard=0 data new", "expected --num-utts-per-shard to be 1 or more, got 0"),
        ("--num-utts-per-shard=1 data a.parquet", "expected a folder with --num-utts-per-shard or --split"),
        ("--split=a/b data new", "expected --split of letters"),
    ] {
        scratch.sh(&format!("export-data-dir --format=parquet {options}")).fails_with(255).stderr_has(message);
    }
    scratch
        .sh("export-data-dir --format=nemo --split=a data x")
        .fails_with(255)
        .stderr_has("with --format=parquet only");
}

#[test]
fn few_of_many_files_are_open() {
    let scratch = data();
    let names: Vec<String> = (100..180).map(|number| format!("u{number}")).collect();
    let lines =
        |value: &str| names.iter().map(|name| format!("{name} {}\n", value.replace("{}", name))).collect::<String>();
    scratch.sh("mkdir many").succeeds();
    scratch.write("many/wav.scp", lines("{}.wav")).write("many/utt2spk", lines("{}"));
    for name in names {
        scratch.write(&format!("{name}.wav"), sound(80));
    }
    let export = "ulimit -n 40; export-data-dir --format=parquet --num-utts-per-shard=1 many hub";
    scratch.sh(export).succeeds().stderr_has("to 80 files");
    scratch.sh("ls hub | wc -l").succeeds().stdout_is("80\n");
    // None of them appears before all are complete.
    scratch.sh("rm -r hub u179.wav").succeeds();
    scratch.sh(export).fails_with(255).stderr_has("u179: ");
    scratch.sh("ls hub").fails_with(2);
}

#[test]
fn sound_that_is_missing_leaves_no_file() {
    for (line, message) in [("s-b gone.wav", "s-b: "), ("s-b false |", "s-b: "), ("s-b a.txt", "s-b: ")] {
        let scratch = data();
        scratch.write("a.txt", "no sound").write("data/wav.scp", format!("s-a a.wav\n{line}\nt-c c.wav\n"));
        scratch.sh("export-data-dir --format=parquet data x.parquet").fails_with(255).stderr_has(message);
        scratch
            .sh("export-data-dir --format=parquet --num-utts-per-shard=1 data hub")
            .fails_with(255)
            .stderr_has(message);
        scratch.sh("ls -d *.parquet").fails_with(2);
        scratch.sh("ls hub").fails_with(2);
    }
    let scratch = data();
    scratch.write("data/utt2text", "s-a x\n");
    scratch
        .sh("export-data-dir --format=parquet data x.parquet")
        .fails_with(255)
        .stderr_has("utt2text: expected another name than that of the column text");
}
