//! Tools that read a data directory, in pieces.

use super::every_row::sample;

/// The lines of all pieces, one after the other, are those of the whole.
#[test]
fn shar_folders_of_pieces_are_complete() {
    let scratch = sample();
    let command = "table-jobs --nj=3 -- make-shar data shar/";
    scratch.sh(command).succeeds().stderr_has("3 of 3 pieces done (0 before), 7 entries");
    scratch.sh("make-shar data whole && wav-to-duration shar:whole ark,t:durations").succeeds();
    let pieces = scratch.sh("for i in 1 2 3; do wav-to-duration shar:shar.$i ark,t:-; done").succeeds();
    assert_eq!(pieces.stdout(), scratch.read("durations"));
    let names: Vec<String> = scratch.list().into_iter().filter(|name| name.starts_with("shar")).collect();
    assert_eq!(names, ["shar.1", "shar.2", "shar.3", "shar.jobs"]);
    scratch.sh(command).succeeds().stderr_has("(3 before)");
    // A file in a folder is lost, or another one.
    scratch
        .sh(&format!("rm shar.2/recording.000000.tar; echo x >> shar.3/cuts.000000.jsonl.gz; {command}"))
        .succeeds()
        .stderr_has("(1 before)");
    let pieces = scratch.sh("for i in 1 2 3; do wav-to-duration shar:shar.$i ark,t:-; done").succeeds();
    assert_eq!(pieces.stdout(), scratch.read("durations"));
    // An utterance is taken out, and another text is wanted.
    scratch.sh(&format!("sed -i 1d data/utt2spk; {command}")).fails_with(255).stderr_lacks("list0");
    scratch
        .sh(&format!("cp utt2spk data; sed -i '1s/a b/b a/' data/text; {command}"))
        .fails_with(255)
        .stderr_has("data/text has changed");
    scratch.sh(&command.replace("--nj", "--join=true --restart --nj")).fails_with(255).stderr_has("complete by itself");
}

#[test]
fn parts_of_a_data_directory_are_exported() {
    let scratch = sample();
    scratch.sh("table-jobs --nj=3 -- export-data-dir --format=parquet data p.parquet").succeeds();
    scratch.sh("table-jobs --nj=3 -- export-data-dir --format=csv data c.csv").succeeds();
    scratch.sh("export-data-dir --format=csv data whole.csv").succeeds();
    let joined = scratch.sh("head -1 c.1.csv; for i in 1 2 3; do sed 1d c.$i.csv; done").succeeds();
    assert_eq!(joined.stdout(), scratch.read("whole.csv"));
    scratch
        .sh("for i in 1 2 3; do make-data-dir p.$i.parquet d.$i; done; cat d.?/text")
        .succeeds()
        .stdout_is(scratch.read("text"));
    // By hand, with segments of one recording.
    scratch.write("data/segments", "s1 utt3 0.1 0.3\ns2 utt3 0.2 0.4\ns3 utt5 0.1 0.2\n");
    scratch.write("data/utt2spk", "s1 a\ns2 b\ns3 a\n").write("data/text", "s1 x\ns2 y\ns3 z\n").write("keys", "s2\n");
    let ran = scratch.sh("export-data-dir --format=nemo --utts=keys data -").succeeds();
    let line = String::from_utf8_lossy(ran.stdout()).into_owned();
    assert!(line.lines().count() == 1 && line.contains("waves/utt3.wav") && line.contains("\"y\""), "{line}");
    scratch.write("keys", "s2\ns9\n");
    let ran = scratch.sh("export-data-dir --format=nemo --utts=keys data -").fails_with(255);
    ran.stderr_has("keys: expected keys of utterances, got s9");
}
