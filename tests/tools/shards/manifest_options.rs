//! Options of `make-data-dir` have an effect, or are refused.

use super::sound;
use crate::support::Scratch;

fn text(scratch: &Scratch, name: &str) -> String {
    String::from_utf8(scratch.read(name)).unwrap()
}

/// Key, text, speaker, age and weight.
type Row = (&'static str, &'static str, &'static str, &'static str, &'static str);

/// The same two utterances in the forms of several programs.
fn manifests() -> Scratch {
    let scratch = Scratch::new();
    scratch.sh("mkdir sound").succeeds();
    scratch.write("sound/a.wav", sound(1600)).write("sound/b.wav", sound(800));
    let rows = [("a", "x", "ann", "20", "1.50"), ("b", "y", "bob", "007", "-3")];
    let lines = |line: &dyn Fn(&Row) -> String| rows.iter().map(line).collect::<String>();
    let table = |comma: char| {
        let row = |it: &Row| {
            format!("{},sound/{}.wav,{},{},{},{}\n", it.0, it.0, it.1, it.2, it.3, it.4)
                .replace(',', &comma.to_string())
        };
        "id,path,text,speaker,age,the snr\n".replace(',', &comma.to_string()) + &lines(&row)
    };
    scratch.write("m.csv", table(',')).write("m.tsv", table('\t'));
    scratch.write(
        "m.json",
        lines(&|(id, said, who, age, snr)| {
            format!(
                "{{\"audio_filepath\": \"sound/{id}.wav\", \"text\": \"{said}\", \"utt_id\": \"{id}\", \"speaker\": \"{who}\", \"age\": \
                 \"{age}\", \"the snr\": {snr}, \"meta\": {{\"said\": \"{said} {said}\"}}}}\n"
            )
        }),
    );
    scratch.write(
        "m.list",
        lines(&|(id, said, who, age, snr)| {
            format!(
                "{{\"key\": \"{id}\", \"wav\": \"sound/{id}.wav\", \"txt\": \"{said}\", \"speaker\": \"{who}\", \"age\": \"{age}\", \
                 \"the snr\": {snr}, \"lang\": \"en\", \"gender\": \"f\"}}\n"
            )
        }),
    );
    scratch
}

#[test]
fn other_columns_and_entries_become_tables_in_every_form() {
    let scratch = manifests();
    for manifest in ["m.csv", "m.tsv", "m.json", "m.list"] {
        let ran = scratch.sh(&format!("make-data-dir '--extra=age,the snr' {manifest} d")).succeeds();
        if manifest != "m.json" {
            ran.stderr_lacks("left out");
        }
        assert_eq!(text(&scratch, "d/utt2age"), "ann-a 20\nbob-b 007\n", "{manifest}");
        assert_eq!(text(&scratch, "d/utt2the_snr"), "ann-a 1.50\nbob-b -3\n", "{manifest}");
        scratch.sh("rm -r d").succeeds();
        // What becomes no table is told.
        let ran = scratch.sh(&format!("make-data-dir --extra=age {manifest} d")).succeeds();
        ran.stderr_has("the snr").stderr_has("only with --extra=the snr, and were left out");
        let first = if manifest == "m.json" { "meta" } else { "the snr" };
        scratch.sh(&format!("make-data-dir --strict --extra=age {manifest} e")).fails_with(255).stderr_has(first);
        let all = scratch.sh(&format!("rm -r d; make-data-dir --extra=all {manifest} d; ls d")).succeeds();
        assert!(String::from_utf8_lossy(all.stdout()).contains("utt2age\n"));
        scratch.sh("rm -r d").succeeds();
    }
    // A column that says something already may become a table, too.
    scratch
        .sh("make-data-dir --extra=text m.csv d && cat d/text d/utt2text")
        .succeeds()
        .stdout_is("ann-a x\nbob-b y\nann-a x\nbob-b y\n");
}

#[test]
fn a_column_or_an_entry_that_is_not_there_is_an_error() {
    let scratch = manifests();
    for manifest in ["m.csv", "m.tsv", "m.json", "m.list"] {
        for option in [
            "--text-field",
            "--utt-field",
            "--speaker-field",
            "--language-field",
            "--gender-field",
            "--extra",
            "--audio-field",
        ] {
            let ran = scratch.sh(&format!("make-data-dir {option}=nosuch {manifest} d")).fails_with(255);
            ran.stderr_has("nosuch");
            scratch.sh("ls d").fails_with(2);
        }
        scratch
            .sh(&format!("make-data-dir --extra=age,nosuch {manifest} d"))
            .fails_with(255)
            .stderr_has(&format!("{manifest}: expected a column or an entry nosuch for --extra, got age"));
    }
    scratch
        .sh("make-data-dir --text-field=nosuch m.json d")
        .fails_with(255)
        .stderr_has("m.json: expected a column or an entry nosuch for --text-field, got age, audio_filepath, ");
    // It may be missing in some lines.
    scratch
        .sh("sed -i '1s/\"age\"/\"years\"/' m.json && make-data-dir --extra=age m.json d && cat d/utt2age")
        .succeeds()
        .stdout_is("bob-b 007\n");
}

#[test]
fn fields_of_raw_lists_and_of_nemo_have_other_names() {
    let scratch = manifests();
    scratch
        .sh("make-data-dir --text-field=age --utt-field=txt --speaker-field=key m.list d && cat d/text d/utt2spk d/utt2lang d/spk2gender")
        .succeeds()
        .stdout_is("a-x 20\nb-y 007\na-x a\nb-y b\na-x en\nb-y en\na f\nb f\n");
    scratch
        .sh("make-data-dir --language-field=age --gender-field=lang m.list e && cat e/utt2lang; ls e/spk2gender")
        .fails_with(2)
        .stdout_is("ann-a 20\nbob-b 007\n");
    scratch.sh("sed 's/\"wav\"/\"file\"/' m.list > f.list && make-data-dir --format=wenet --audio-field=file f.list f && cmp f/wav.scp d/wav.scp").fails_with(1);
    assert_eq!(text(&scratch, "f/wav.scp"), "ann-a sound/a.wav\nbob-b sound/b.wav\n");
    // A dot leads into an object.
    scratch
        .sh("make-data-dir --text-field=meta.said m.json g && cat g/text")
        .succeeds()
        .stdout_is("ann-a x x\nbob-b y y\n");
}

#[test]
fn options_without_effect_are_refused() {
    let scratch = manifests();
    let cut = r#"{"id": "c", "start": 0, "duration": 0.05, "channel": 0, "supervisions": [], "recording": {"id": "a", "sources": [{"type": "file", "channels": [0], "source": "sound/a.wav"}], "sampling_rate": 16000, "num_samples": 1600, "duration": 0.1, "channel_ids": [0]}, "type": "MonoCut"}"#;
    scratch.write("cuts.jsonl", format!("{cut}\n"));
    scratch
        .sh("make-data-dir m.csv data && make-shar data shar && export-data-dir --format=parquet data p.parquet")
        .succeeds();
    for (sources, options) in [
        (
            "sound",
            "--audio-dir=. --audio-field=a --text-field=a --utt-field=a --speaker-field=a --language-field=a --gender-field=a --split=a --audio=copy --extra=all --shards=a --split-channels",
        ),
        ("m.csv m.tsv", "--split=train --audio=copy --audio=wav --shards=a.tar --split-channels"),
        ("m.json", "--split=train --audio=copy --shards=a.tar --split-channels"),
        ("m.list", "--split=train --audio=wav --shards=a.tar --split-channels"),
        ("cuts.jsonl", "--audio-field=wav --split=train --audio=copy --shards=a.tar"),
        ("shar", "--audio-dir=. --audio-field=wav --split=train --shards=a.tar"),
        ("p.parquet", "--shards=a.tar --split-channels --split=train"),
    ] {
        for source in sources.split(' ') {
            for option in options.split(' ') {
                let name = option.split('=').next().unwrap();
                let ran = scratch.sh(&format!("make-data-dir {option} {source} d")).fails_with(255);
                ran.stderr_has(name);
                scratch.sh("ls d").fails_with(2);
            }
        }
    }
    scratch
        .sh("make-data-dir --shards=a.tar m.csv d")
        .fails_with(255)
        .stderr_has("--shards has no effect on CSV, but on manifests of NeMo");
    scratch
        .sh("make-data-dir --shards=a.tar m.json d")
        .fails_with(255)
        .stderr_has("m.json: expected lines with shard_id for --shards, got none");
}

#[test]
fn rules_for_names_that_all_have_are_refused() {
    let scratch = manifests();
    for manifest in ["m.csv", "m.json", "m.list"] {
        for rule in ["--utt-from=path", "--utt-from='regex:(.)'", "--spk-from=dir", "--spk-from='regex:(.)'"] {
            let name = rule.split('=').next().unwrap();
            scratch
                .sh(&format!("make-data-dir {rule} {manifest} d"))
                .fails_with(255)
                .stderr_has(&format!("{name} has no effect: all utterances have"));
        }
    }
    scratch
        .sh("sed -i 's/ann//' m.csv && make-data-dir --spk-from=dir m.csv d && cat d/spk2utt")
        .succeeds()
        .stdout_is("bob bob-b\nsound sound-a\n");
}

#[test]
fn a_split_is_that_of_the_file() {
    let scratch = manifests();
    scratch
        .sh("make-data-dir m.csv data && export-data-dir --format=parquet --split=train data p && ls p")
        .succeeds()
        .stdout_is("train-00000-of-00001.parquet\n");
    let file = "p/train-00000-of-00001.parquet";
    scratch.sh(&format!("make-data-dir --split=train {file} d && wc -l < d/text")).succeeds().stdout_is("2\n");
    scratch
        .sh(&format!("make-data-dir --split=test {file} e"))
        .fails_with(255)
        .stderr_has(&format!("{file}: expected a file of the split test, got one of train"));
    scratch
        .sh(&format!("cp {file} plain.parquet; make-data-dir --split=test plain.parquet e"))
        .fails_with(255)
        .stderr_has("plain.parquet: expected a file of the split test, got one of none");
    scratch.write("files.list", format!("{file}\n"));
    scratch
        .sh("make-data-dir --split=test files.list e")
        .fails_with(255)
        .stderr_has("expected a split test, got train");
    scratch.sh("make-data-dir --split=train files.list f && cmp d/text f/text").succeeds();
    scratch.sh("ls e").fails_with(2);
}
