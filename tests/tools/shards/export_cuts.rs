//! `export-data-dir --format=lhotse`: cuts, and what other tables say.

use super::data_dirs::data;

#[test]
fn cuts_have_all_tables_of_the_data_directory() {
    let scratch = data();
    scratch
        .write("data/segments", "s-a t-c 0.5 1\ns-b s-b 0 -1 1\nt-c t-c 0 1.5\n")
        .write("data/wav.scp", "t-c c.wav\ns-b b \u{fc}.wav\n");
    scratch
        .write("data/utt2lang", "s-a en\n")
        .write("data/spk2gender", "s f\nt m\n")
        .write("data/utt2snr", "s-a 1.5\nt-c 2\n");
    scratch.write("data/utt2mood", "s-a so \"so\"\n").write("data/utt2tokens", "s-a 1 2\ns-b 7\nt-c\n");
    scratch.write("data/utt2id", "s-a 007\n").write("data/frame_shift", "0.02\n").write("data/utt2snr.bak", "s-a 9\n");
    scratch
        .sh("printf 's-a [\\n 1 2 3\\n 4 5 6 ]\\n' | copy-feats ark:- ark,scp:f.ark,data/feats.scp && export-data-dir --format=lhotse data l")
        .succeeds();
    scratch.sh("gunzip -c l/cuts.jsonl.gz").succeeds().stdout_is(concat!(
        r#"{"id": "s-a", "start": 0.5, "duration": 0.5, "channel": 0, "supervisions": [{"id": "s-a", "recording_id": "t-c", "start": 0.0, "duration": 0.5, "channel": 0, "text": "x, \"y\"", "language": "en", "speaker": "s", "gender": "f"}], "#,
        r#""features": {"type": "kaldi", "num_frames": 2, "num_features": 3, "frame_shift": 0.02, "sampling_rate": 16000, "start": 0.5, "duration": 0.04, "storage_type": "kaldiio", "storage_path": "f.ark:4", "storage_key": "s-a", "recording_id": "t-c", "channels": 0}, "#,
        r#""recording": {"id": "t-c", "sources": [{"type": "file", "channels": [0], "source": "c.wav"}], "sampling_rate": 16000, "num_samples": 24000, "duration": 1.5, "channel_ids": [0]}, "#,
        r#""custom": {"id": "007", "mood": "so \"so\"", "snr": 1.5, "tokens": [1, 2]}, "type": "MonoCut"}"#,
        "\n",
        r#"{"id": "s-b", "start": 0.0, "duration": 0.5, "channel": 1, "supervisions": [{"id": "s-b", "recording_id": "s-b", "start": 0.0, "duration": 0.5, "channel": 1, "text": "\u{fc}", "speaker": "s", "gender": "f"}], "#,
        r#""recording": {"id": "s-b", "sources": [{"type": "file", "channels": [0,1], "source": "b \u{fc}.wav"}], "sampling_rate": 8000, "num_samples": 4000, "duration": 0.5, "channel_ids": [0,1]}, "custom": {"tokens": [7]}, "type": "MonoCut"}"#,
        "\n",
        r#"{"id": "t-c", "start": 0.0, "duration": 1.5, "channel": 0, "supervisions": [{"id": "t-c", "recording_id": "t-c", "start": 0.0, "duration": 1.5, "channel": 0, "text": "z", "speaker": "t", "gender": "m"}], "#,
        r#""recording": {"id": "t-c", "sources": [{"type": "file", "channels": [0], "source": "c.wav"}], "sampling_rate": 16000, "num_samples": 24000, "duration": 1.5, "channel_ids": [0]}, "custom": {"snr": 2, "tokens": []}, "type": "MonoCut"}"#,
        "\n"
    ).replace("\\u{fc}", "\u{fc}"));
    scratch
        .sh("gunzip -c l/supervisions.jsonl.gz | head -n 1")
        .succeeds()
        .stdout_has("\"start\": 0.5")
        .stdout_has("\"language\": \"en\", \"speaker\": \"s\", \"gender\": \"f\"}");
    for (file, text, message) in [
        ("utt2snr", "s-a 1\ns-a 2\n", "data/utt2snr: expected each key once, got s-a again"),
        ("frame_shift", "0\n", "data/frame_shift: expected a number of seconds above 0, got \"0\""),
        ("feats.scp", "s-a gone.ark:4\n", "gone.ark"),
    ] {
        let scratch = data();
        scratch.write(&format!("data/{file}"), text);
        scratch.sh("export-data-dir --format=lhotse data out").fails_with(255).stderr_has(message);
        scratch.sh("ls out").fails_with(2);
    }
}
