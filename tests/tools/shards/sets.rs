//! Files that belong together: they are of one run, and all of them appear or none.

use std::fs::File;
use std::time::Duration;

use super::{shards, sound};
use crate::support::Scratch;

/// Commands that write several files into `d`, of the folders `a` and `b` of sound, each with a list of the files.
const WRITERS: [(&str, &str); 5] = [
    ("make-data-dir {}.sound d", "spk2utt text utt2spk wav.scp"),
    ("extract-shards {}.tar d", "text wav wav.scp"),
    ("export-data-dir --format=lhotse {} d", "cuts.jsonl.gz recordings.jsonl.gz supervisions.jsonl.gz"),
    (
        "export-data-dir --format=parquet --num-utts-per-shard=1 {} d",
        "train-00000-of-00002.parquet train-00001-of-00002.parquet",
    ),
    (
        "make-shar --num-utts-per-shard=1 {} d",
        "cuts.000000.jsonl.gz cuts.000001.jsonl.gz recording.000000.tar recording.000001.tar",
    ),
];

/// Two corpora with the same names: `a` and `b`, as folders of sound, data directories and shards.
fn two() -> Scratch {
    let scratch = Scratch::new();
    for (name, length) in [("a", 800), ("b", 1600)] {
        scratch.sh(&format!("mkdir {name}.sound")).succeeds();
        for utterance in ["u1", "u2"] {
            scratch.write(&format!("{name}.sound/{utterance}.wav"), sound(length));
            scratch.write(&format!("{name}.sound/{utterance}.txt"), format!("of {name}"));
        }
        scratch
            .sh(&format!(
                "make-data-dir {name}.sound {name} && make-shard-list {name}/wav.scp {name}/text {name}.shards {name}.list \
                 && mv {name}.shards/*.tar {name}.tar"
            ))
            .succeeds();
    }
    scratch
}

/// What is in the files of a folder, without what is in their headers.
fn content(scratch: &Scratch, folder: &str) -> Vec<u8> {
    let script =
        format!("cd {folder} && for file in $(find . -type f | sort); do echo $file; (zcat -f $file) 2>&1; done");
    scratch.sh(&script).succeeds().stdout().to_vec()
}

#[test]
fn two_runs_at_the_same_time_are_never_mixed() {
    for (command, files) in WRITERS {
        let scratch = two();
        let run = |name: &str| command.replace("{}", name);
        for name in ["a", "b"] {
            scratch.sh(&format!("{} && mv d only-{name}", run(name))).succeeds();
        }
        let only = ["a", "b"].map(|name| content(&scratch, &format!("only-{name}")));
        assert_ne!(only[0], only[1]);
        // Both are complete but for their names, and then they get their turns.
        scratch.sh("mkdir d").succeeds();
        let lock = File::create(scratch.path("d/.kaldi-tables-.lock")).unwrap();
        lock.lock().unwrap();
        std::thread::scope(|scope| {
            let both = scope.spawn(|| {
                let script = format!("{} & a=$!; {} & b=$!; wait $a && wait $b", run("a"), run("b"));
                scratch.sh_within(Duration::from_secs(60), &script).succeeds();
            });
            // A Shar folder has one writer from the start on.
            std::thread::sleep(Duration::from_millis(300));
            let there = scratch.sh("cd d && find . -type f ! -name '.*' ! -path '*/.*'").succeeds().stdout().to_vec();
            assert_eq!(String::from_utf8(there).unwrap(), "", "{command}");
            drop(lock);
            both.join().unwrap();
        });
        scratch.sh("ls d").succeeds().stdout_is(files.replace(' ', "\n") + "\n");
        let found = content(&scratch, "d");
        let found = String::from_utf8_lossy(&found).replace("./.kaldi-tables-.lock\n", "").into_bytes();
        assert!(only.iter().any(|only| String::from_utf8_lossy(only).as_bytes() == found), "{command}");
        scratch.sh("find d -name '.kaldi-tables-*'").succeeds().stdout_is("");
    }
}

/// Killed before the last file has its name: it is missing, and the next run leaves nothing of the former one.
#[test]
fn what_a_killed_run_left_is_removed_by_the_next_one() {
    for (command, files) in WRITERS {
        let scratch = two();
        scratch.sh(&command.replace("{}", "a")).succeeds();
        scratch.write("d/.kaldi-tables-999999.tmp", "");
        scratch.write("d/.kaldi-tables-999999-0.tmp", "half").write("d/.kaldi-tables-77-3.tmp", "half");
        scratch.sh("mkdir d/.kaldi-tables-77-4.tmp && echo x > d/.kaldi-tables-77-4.tmp/u1.wav").succeeds();
        // A process that is alive.
        let living = File::create(scratch.path("d/.kaldi-tables-1.tmp")).unwrap();
        living.lock().unwrap();
        scratch.write("d/.kaldi-tables-1-0.tmp", "half");
        scratch.sh(&command.replace("{}", "b")).succeeds();
        let list = "ls -A d";
        scratch.sh(list).succeeds().stdout_has(".kaldi-tables-1-0.tmp\n.kaldi-tables-1.tmp\n");
        scratch.sh("rm d/.kaldi-tables-1*; ls -A d").succeeds().stdout_is(files.replace(' ', "\n") + "\n");
    }
}

/// Recordings and supervisions without the cuts look like a corpus.
#[test]
fn manifests_of_a_killed_run_are_refused() {
    let scratch = two();
    scratch.sh("export-data-dir --format=lhotse a d && rm d/cuts.jsonl.gz && make-data-dir d e").succeeds();
    scratch.write("d/.kaldi-tables-77.tmp", "").write("d/.kaldi-tables-77-0.tmp", "x");
    scratch.sh("make-data-dir d f").fails_with(255).stderr_has("d: a program that wrote here was killed");
}

#[test]
fn a_run_that_fails_changes_no_file_of_the_folder() {
    let scratch = shards();
    scratch.sh("extract-shards a.tar b.tar d").succeeds();
    let before = content(&scratch, "d");
    scratch.write("other.tar", crate::support::tar::shard(&[("u1", "other", &sound(10)), ("u2", "other", &sound(20))]));
    scratch.sh("head -c 3000 b.tar > cut.tar; extract-shards other.tar cut.tar d").fails_with(255);
    assert_eq!(content(&scratch, "d"), before);
    scratch.sh("find d -name '.*'").succeeds().stdout_is("");
}

/// Also of tools with several outputs that have nothing to do with folders.
#[test]
fn if_one_output_fails_no_other_one_appears() {
    let scratch = shards();
    scratch.write("before", "u1 OLD\n");
    for options in [
        "--write-text=ark,t:new --write-utt2dur='ark,t:| cat > /dev/null; exit 3'",
        "--write-text=ark,t:before --write-utt2dur='ark,t:| cat > /dev/null; exit 3'",
        "--write-text=ark,t:before --write-wav=ark,scp:new,new.scp --write-utt2dur='ark,t:| cat > /dev/null; exit 3'",
    ] {
        scratch.sh(&format!("extract-shards {options} a.tar")).fails_with(255).stderr_has("return status");
        assert_eq!(scratch.list(), ["a.tar", "b.tar", "before", "data.list"], "{options}");
        assert_eq!(scratch.read("before"), b"u1 OLD\n");
    }
    scratch.sh("extract-shards --write-text=ark,t:before --write-utt2dur=ark,t:new a.tar").succeeds();
    assert_eq!(
        [scratch.read("before"), scratch.read("new")],
        [&b"u1 hello \nu2 hello world \n"[..], b"u1 1 \nu2 2 \n"]
    );
}

/// Tables of other utterances would be taken for those of the new ones.
#[test]
fn tables_of_former_utterances_do_not_stay() {
    let scratch = two();
    let former = ["utt2snr", "cmvn.scp", "vad.scp", "reco2dur", "ctm", "x.ctm", "segments", "spk2warp", "ali.1.gz"];
    for (command, _) in &WRITERS[..2] {
        let command = command.replace("{}", "a");
        scratch.sh(&format!("rm -rf d; {command}")).succeeds();
        scratch.write("d/README", "stays").write("d/utt2spk.bak", "stays");
        for name in former {
            scratch.write(&format!("d/{name}"), "u1 1\n");
            let ran = scratch.sh(&command).fails_with(255);
            ran.stderr_has(&format!("d/{name} is there from before, and the new utterances have no such file"));
            scratch.sh(&format!("test -f d/{name} && rm d/{name}")).succeeds();
        }
        for name in former {
            scratch.write(&format!("d/{name}"), "u1 1\n");
        }
        scratch
            .sh(&format!("{} --force {}", command.split_once(' ').unwrap().0, command.split_once(' ').unwrap().1))
            .succeeds();
        let left = scratch.sh("ls d").succeeds().stdout().to_vec();
        let left = String::from_utf8(left).unwrap();
        assert!(former.iter().all(|name| !left.lines().any(|line| line == *name)), "{left}");
        assert!(left.contains("README") && left.contains("utt2spk.bak"));
    }
    scratch
        .sh("rm -rf d; mkdir d; touch d/cuts.jsonl; export-data-dir --format=lhotse a d")
        .fails_with(255)
        .stderr_has("expected no other files of lhotse in the folder, got d/cuts.jsonl: remove it");
}
