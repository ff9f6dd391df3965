//! Commands in files that are data, and the places of bad samples.

use super::corpus::{PLAIN, batches, corpus, keys};
use crate::support::Scratch;

/// The corpus, in whose raw list and manifest of NeMo the sound of the second utterance is a command.
fn with_commands() -> Scratch {
    let scratch = corpus();
    let command = "touch PWNED; cat wav/u01.wav |";
    let list = String::from_utf8(scratch.read("data.list")).unwrap().replacen("wav/u01.wav", command, 1);
    let nemo: String = (0..23)
        .map(|number| {
            let path = if number == 1 { command.to_owned() } else { format!("wav/u{number:02}.wav") };
            format!("{{\"audio_filepath\": \"{path}\", \"utt_id\": \"u{number:02}\", \"text\": \"GO\"}}\n")
        })
        .collect();
    scratch.write("data.list", list).write("nemo.json", nemo);
    scratch
}

#[test]
fn a_command_in_a_list_of_utterances_runs_only_if_that_is_allowed() {
    for (data_type, list) in [("raw", "data.list"), ("nemo", "nemo.json")] {
        for tool in ["feed-batches", "feed-feats"] {
            let scratch = with_commands();
            let out = if tool == "feed-feats" { "ark:out.ark" } else { "- > out.safetensors" };
            let feed = |more: &str| {
                scratch
                    .sh(&format!("{tool} --conf=plain.yaml --labels=none --data-type={data_type} {more} {list} {out}"))
            };
            let message = format!("{list}: line 2: expected the name of a file or an address, got the command");
            feed("").succeeds().stderr_has(&message).stderr_has("1 bad; delivered 22");
            feed("--on-error=fail").fails_with(255).stderr_has(&message);
            assert!(!scratch.path("PWNED").exists());
            feed("--allow-commands").succeeds().stderr_has("0 bad; delivered 23");
            assert!(scratch.path("PWNED").exists());
        }
    }
}

#[test]
fn a_command_in_a_configuration_runs_only_if_that_is_allowed() {
    let scratch = corpus();
    let command = "touch PWNED; cat units.txt |";
    let wenet = format!("tokenizer_conf:\n  symbol_table_path: '{command}'\n{PLAIN}");
    let chain = format!("- tokenize:\n    symbols: '{command}'\n- fbank: {{num_mel_bins: 23}}\n");
    scratch.write("w.yaml", wenet).write("c.yaml", chain);
    scratch.write(
        "cmvn.yaml",
        "- fbank\n- cmvn: {file: '| touch PWNED'}\n- speaker: {speaker_table_path: 'touch PWNED |[0:1]'}\n",
    );
    scratch.write("speaker.yaml", "- speaker: {speaker_table_path: 'touch PWNED |[0:1]'}\n");
    for (option, place) in [
        ("--conf=w.yaml", "w.yaml:2"),
        ("--chain=c.yaml", "c.yaml:2"),
        ("--chain=cmvn.yaml", "cmvn.yaml:2"),
        ("--chain=speaker.yaml", "speaker.yaml:1"),
    ] {
        let ran = scratch.sh(&format!("feed-batches {option} data.list out")).fails_with(255);
        ran.stderr_has(&format!("{place}: expected the name of a file or an address, got the command"));
        // What is on the command line is trusted.
        let ran = scratch.sh(&format!("feed-batches {option} --symbols='cat units.txt |' --dry-run data.list -"));
        if !option.contains("cmvn") && !option.contains("speaker") {
            ran.succeeds().stdout_has("symbols: \"cat units.txt |\"");
        }
    }
    assert!(!scratch.path("PWNED").exists() && !scratch.path("out").exists());
    for option in ["--conf=w.yaml", "--chain=c.yaml"] {
        scratch.sh(&format!("rm -f PWNED; feed-batches --allow-commands {option} data.list - > out")).succeeds();
        assert!(scratch.path("PWNED").exists());
    }
}

#[test]
fn a_bad_sample_is_named_with_shard_byte_and_member() {
    let scratch = corpus();
    // The headers of u01 and u02 in the shard, whose sounds start at 512 bytes after that of the text.
    let mut shard = scratch.read("a.tar");
    let starts: Vec<usize> = shard.windows(4).enumerate().filter(|(_, it)| it == b"RIFF").map(|(at, _)| at).collect();
    shard[starts[1]..starts[1] + 4].copy_from_slice(b"XXXX");
    shard[starts[2] + 20] = 77;
    scratch.write("a.tar", shard);
    let ran = scratch.sh("feed-batches --max-bad=-1 --conf=plain.yaml --labels=none --data-type=shard a.tar - > out");
    ran.succeeds()
        .stderr_has(&format!("u01: a.tar:{}: u01.wav: expected ", starts[1]))
        .stderr_has(&format!("u02: a.tar:{}: u02.wav: ", starts[2] + 20));
    for (list, option) in [("data.list", "raw"), ("scp:wav.scp", "table")] {
        scratch.write("wav/u04.wav", "no sound, but words").write("wav/u05.wav", "");
        let ran = scratch
            .sh(&format!(
                "feed-batches --max-bad=-1 --conf=plain.yaml --labels=none --data-type={option} {list} - > out"
            ))
            .succeeds();
        ran.stderr_has("u04: wav/u04.wav:0: expected ").stderr_has("u05: wav/u05.wav:0: expected ");
    }
}

#[test]
fn a_rank_that_starts_again_counts_all_of_its_passes() {
    let scratch = corpus();
    scratch.sh("sed -i 's/batch_size: 4/batch_size: 1/' plain.yaml").succeeds();
    // Rank 1 of 2 has one utterance less, and its first one is bad: it starts again, and meets that one only.
    scratch.sh("sed -i '2s/u01.wav/none.wav/' data.list").succeeds();
    let feed = |more: &str| {
        scratch.sh(&format!(
            "feed-batches --conf=plain.yaml --labels=none --even=repeat --rank=1 --world-size=2 {more} data.list -"
        ))
    };
    let ran = feed("").succeeds();
    let found = batches(ran.stdout());
    assert_eq!(keys(&found).len(), 12);
    ran.stderr_has("Read 14 samples; dropped: 2 bad; delivered 12 in 12 batches");
    feed("--max-bad=1").succeeds().stderr_has("2 bad");
    feed("--max-bad=0").fails_with(255).stderr_has("expected at most 0 bad samples, got one more");
    // A second bad one is more than a tenth.
    scratch.sh("sed -i '4s/u03.wav/none.wav/' data.list").succeeds();
    feed("").fails_with(255).stderr_has("expected at most a tenth of the samples to be bad, got 2 of 11");
}
