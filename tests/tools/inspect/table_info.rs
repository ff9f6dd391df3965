use kaldi_any::ModelType;
use serde_json::Value;

use super::tables;
use crate::support::Scratch;
use crate::support::tar::tar;
use crate::support::wave::wave;
use crate::tools::models;
use crate::tools::models::samples::{Sample, samples};

/// What is told of one table in JSON.
#[track_caller]
fn info(scratch: &Scratch, arguments: &str) -> Value {
    let ran = scratch.sh(&format!("table-info --json {arguments}")).succeeds();
    serde_json::from_slice(ran.stdout()).unwrap_or_else(|error| panic!("{error}: {arguments}"))
}

#[test]
fn an_archive_is_told_from_its_headers() {
    let scratch = tables();
    scratch.sh("table-info --json feats.ark").succeeds().stdout_is(
        "{\"table\":\"feats.ark\",\"kind\":\"archive\",\"type\":\"matrix\",\"precision\":\"single\",\"format\":\"binary\",\
         \"compressed\":false,\"entries\":3,\"bytes\":99,\"rows\":{\"min\":1,\"max\":3},\"columns\":{\"min\":2,\"max\":2},\
         \"frames\":6,\"hours\":0.0000167,\"sorted\":true,\"duplicates\":0}\n",
    );
    let text = "feats.ark\n  kind         archive\n  type         matrix\n  precision    single\n  format       binary\n  \
                compressed   no\n  entries      3\n  bytes        99\n  rows         1 to 3\n  columns      2\n  \
                frames       6\n  hours        0.0000167\n  sorted       yes\n  duplicates   0\n";
    scratch.sh("table-info feats.ark").succeeds().stdout_is(text);
}

#[test]
fn plain_names_and_rspecifiers_mean_the_same() {
    let scratch = tables();
    for (name, specifier) in [("feats.ark", "ark:feats.ark"), ("feats.scp", "scp:feats.scp"), ("text", "ark:text")] {
        let without_name = |mut info: Value| {
            info["table"] = Value::Null;
            info
        };
        assert_eq!(without_name(info(&scratch, name)), without_name(info(&scratch, specifier)), "{name}");
    }
    let piped = scratch.sh("cat feats.ark | table-info --json - | cut -d, -f2-").succeeds();
    let read = scratch.sh("table-info --json feats.ark | cut -d, -f2-").succeeds();
    assert_eq!(piped.stdout(), read.stdout());
}

#[test]
fn a_script_file_is_told_with_what_it_points_into() {
    let scratch = tables();
    scratch.sh("(cat feats.scp; echo d gone.ark:5; echo e gone.ark:9) > more.scp").succeeds();
    let info = info(&scratch, "more.scp");
    assert_eq!((&info["kind"], &info["type"]), (&"script".into(), &"matrix".into()));
    assert_eq!((&info["entries"], &info["frames"]), (&5.into(), &6.into()));
    assert_eq!(info["archives"], serde_json::json!(["feats.ark", "gone.ark"]));
    assert_eq!(info["missing"], serde_json::json!(["gone.ark"]));
}

#[test]
fn commands_of_a_script_file_are_not_run() {
    let scratch = tables();
    scratch.write("c.scp", "a touch ran; cat a.wav |\nb a.wav\n");
    let info = info(&scratch, "c.scp");
    assert_eq!((&info["commands"], &info["entries"], &info["type"]), (&1.into(), &2.into(), &"wave".into()));
    assert!(!scratch.list().contains(&"ran".to_owned()));
}

#[test]
fn other_types_have_their_sizes() {
    let scratch = tables();
    let ali = info(&scratch, "ali.ark");
    assert_eq!((&ali["type"], &ali["rows"]), (&"int32-vector".into(), &serde_json::json!({ "min": 1, "max": 3 })));
    assert_eq!((&ali["frames"], &ali["compressed"]), (&Value::Null, &Value::Null));
    let waves = info(&scratch, "wav.scp");
    assert_eq!((&waves["type"], &waves["hours"]), (&"wave".into(), &0.0001389.into()));
    assert_eq!(waves["sample_rate"], serde_json::json!({ "min": 8000.0, "max": 8000.0 }));
    assert_eq!(info(&scratch, "a.wav")["kind"], "value");
    assert_eq!(info(&scratch, "text")["type"], "token-vector");
    assert_eq!(info(&scratch, "utt2spk")["type"], "token");
    scratch.sh("echo 'm [ 1 2' > m; echo ' 3 4 ]' >> m; copy-feats --compress ark:m ark:m.ark").succeeds();
    let compressed = info(&scratch, "m.ark");
    assert_eq!((&compressed["compressed"], &compressed["columns"]["max"]), (&true.into(), &2.into()));
    scratch.sh("(copy-matrix ark:m ark:-; sed s/m/n/ m) > mixed.ark").succeeds();
    assert_eq!(info(&scratch, "mixed.ark")["format"], "mixed");
}

#[test]
fn numbers_of_one_type_may_be_of_another() {
    let scratch = tables();
    scratch.write("n.ark", b"a \0B\x04\x07\0\0\0b \0B\x04\x01\0\0\0");
    let info = info(&scratch, "n.ark");
    assert_eq!((&info["type"], &info["or"]), (&"int32".into(), &"float or double".into()));
    scratch.sh("table-info --type=float n.ark").succeeds().stderr_lacks("WARNING");
    scratch.sh("table-info --type=floats n.ark").fails_with(255).stderr_has("expected matrix, vector, ");
}

#[test]
fn order_and_keys_that_come_again_are_told() {
    let scratch = tables();
    scratch.sh("cat feats.ark feats.ark > twice.ark").succeeds();
    let info = info(&scratch, "twice.ark");
    assert_eq!((&info["sorted"], &info["duplicates"]), (&false.into(), &3.into()));
}

#[test]
fn a_data_directory_is_told_as_a_whole() {
    let scratch = tables();
    scratch.write("segments", "a rec 0 0.25\nb rec 0.25 0.5\n");
    scratch.sh("table-info --json .").succeeds().stdout_is(
        "{\"table\":\".\",\"kind\":\"directory\",\"utterances\":3,\"speakers\":2,\"recordings\":1,\
         \"columns\":{\"min\":2,\"max\":2},\"frames\":6,\"hours\":0.0001389,\"hours_from\":\"segments\",\"words\":3,\
         \"vocabulary\":3,\"files\":{\"feats.scp\":3,\"segments\":2,\"text\":2,\"utt2spk\":3,\"wav.scp\":1}}\n",
    );
    for (remove, hours, from) in [
        ("segments", 0.0000167.into(), "feats.scp".into()),
        ("feats.scp", 0.0001389.into(), "wav.scp".into()),
        ("wav.scp", Value::Null, Value::Null),
    ] {
        scratch.sh(&format!("rm {remove}")).succeeds();
        let info = info(&scratch, ".");
        assert_eq!((&info["hours"], &info["hours_from"]), (&hours, &from), "without {remove}");
    }
    let twice = info(&scratch, "--frame-shift=0.02 feats.ark");
    assert_eq!(twice["hours"], 0.0000333);
    scratch.sh("mkdir empty; table-info empty").fails_with(255).stderr_has("expected a data directory");
}

#[test]
fn a_fault_is_reported_after_what_was_read() {
    let scratch = tables();
    scratch.sh("head -c 70 feats.ark > cut.ark").succeeds();
    let ran = scratch.sh("table-info --json cut.ark feats.ark").fails_with(1);
    let lines = String::from_utf8(ran.stdout().to_vec()).unwrap();
    assert!(lines.contains("\"entries\":2,") && lines.contains("\"fault\":\"c: cut.ark:"), "{lines}");
    scratch.sh("table-info nowhere").fails_with(255).stderr_has("cannot open nowhere");
}

#[test]
fn an_empty_table_has_no_type() {
    let scratch = tables();
    scratch.write("empty", "");
    assert_eq!(
        info(&scratch, "empty").to_string(),
        "{\"bytes\":0,\"duplicates\":0,\"entries\":0,\"kind\":\"archive\",\"sorted\":true,\"table\":\"empty\"}"
    );
}

#[test]
fn of_a_large_archive_next_to_nothing_is_read() {
    let scratch = Scratch::new();
    // 40 entries of 240 kB.
    let line = "1 ".repeat(60);
    scratch.write("m", format!("k [\n{}]\n", format!("{line}\n").repeat(1000)));
    scratch.sh("for i in $(seq 10 49); do sed s/k/k$i/ m | copy-matrix ark:- ark:-; done > big.ark").succeeds();
    let command = "table-info --json big.ark > /dev/null; grep rchar /proc/$$/io";
    let reads = |command: &str| {
        let ran = scratch.sh(command).succeeds();
        let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
        text.trim().trim_start_matches("rchar: ").parse::<u64>().unwrap()
    };
    let start = reads("table-info --json /dev/null > /dev/null; grep rchar /proc/$$/io");
    let read = reads(command) - start;
    assert!(read > 0 && read < 40 * 240_000 / 50, "{read} bytes");
}

#[test]
fn a_script_file_that_is_read_as_an_archive_is_told() {
    let scratch = tables();
    for tool in ["table-info", "table-head", "table-keys", "table-check"] {
        scratch.sh(&format!("{tool} ark:feats.scp")).succeeds().stderr_has(
            "feats.scp looks like a script file, whose lines are values of an archive here: scp:feats.scp reads it",
        );
        let others = format!("{tool} ark:text feats.scp scp:feats.scp ark:feats.ark 2>&1 | grep -c 'looks like'");
        scratch.sh(&others).fails_with(1).stdout_is("0\n");
    }
}

#[test]
fn the_sizes_of_a_model_are_told() {
    let scratch = models::scratch();
    let model = "{\"table\":\"mdl\",\"kind\":\"model\",\"type\":\"transition-model\",\"format\":\"text\",\"dimension\":1,\
                 \"gaussians\":4,\"pdfs\":4,\"phones\":2,\"transition_ids\":8,\"transition_states\":4}\n";
    scratch.sh("table-info --json mdl").succeeds().stdout_is(model);
    let transitions = "tm\n  kind         model\n  type         transition-model\n  format       binary\n  \
                       phones       2\n  pdfs         4\n  transition_ids 8\n  transition_states 4\n";
    scratch.sh("copy-transition-model mdl tm; table-info tm").succeeds().stdout_is(transitions);
    // What follows need not be known.
    scratch.sh("echo '<Nnet3>' >> tm; table-info tm").succeeds().stdout_is(transitions);
    let tree = "tree\n  kind         model\n  type         tree\n  format       text\n  pdfs         4\n  \
                context_width 1\n  central_position 0\n";
    scratch.sh("table-info tree").succeeds().stdout_is(tree);
    scratch.sh("head -c 300 mdl > cut; table-info cut").fails_with(255).stderr_has("cut:");
}

#[test]
fn the_sizes_of_an_ivector_extractor_are_told() {
    let scratch = models::extractor::folder();
    let expected = "{\"table\":\"ie\",\"kind\":\"model\",\"type\":\"ivector-extractor\",\"format\":\"text\",\"dimension\":2,\
                    \"gaussians\":2,\"ivector_dimension\":2}\n";
    scratch.sh("table-info --json ie").succeeds().stdout_is(expected);
    scratch.sh("table-head --n=1 ie").succeeds().stdout_has("<IvectorExtractor> <w>");
}

#[test]
fn every_kind_of_models_and_statistics_is_known_by_all_tools() {
    let scratch = Scratch::new();
    for Sample { model_type, text, sizes } in samples() {
        let (name, kind) = (model_type.name(), if model_type.is_stats() { "statistics" } else { "model" });
        scratch.write("x", &text);
        let info = format!("{{\"table\":\"x\",\"kind\":\"{kind}\",\"type\":\"{name}\",\"format\":\"text\",{sizes}}}\n");
        scratch.sh("table-info --json x").succeeds().stdout_is(info);
        let shown = scratch.sh("table-head --n=100 x").succeeds().stdout().to_vec();
        assert_eq!(words(&shown), words(text.as_bytes()), "{name}");
        scratch.sh("table-check x").succeeds().stderr_has("Checked 1 entries of 1 tables, found 0 faults");
        scratch.sh("table-keys x").fails_with(255).stderr_has(&format!("({name}): expected a table"));
        scratch.sh("table-export x y.npz 2> errors || grep -q 'no arrays are exported' errors").succeeds();
        if let Some(of_first_word) = ModelType::of(text.as_bytes()) {
            scratch.sh("copy-matrix x -").fails_with(255).stderr_has(of_first_word.sentence());
        }
        let cut = text.trim_ascii_end().len() - 3;
        scratch.write("x", &text[..cut]);
        scratch.sh("table-check x").fails_with(1).stdout_has("x:");
    }
}

/// The words of a text that are no numbers: constants are computed anew.
fn words(text: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(text)
        .split_ascii_whitespace()
        .filter(|word| word.parse::<f64>().is_err())
        .map(str::to_owned)
        .collect()
}

#[test]
fn other_tools_know_models_too() {
    let scratch = models::scratch();
    scratch
        .sh("copy-transition-model mdl tm; table-head --n=2 tm")
        .succeeds()
        .stdout_is("<TransitionModel> \n<Topology> \n");
    scratch.sh("table-check mdl tree").succeeds().stderr_has("Checked 2 entries of 2 tables, found 0 faults");
    scratch.sh("sed s/DiagGMM/x/ mdl > bad; table-check bad").fails_with(1);
    scratch.sh("table-keys mdl").fails_with(255).stderr_has("mdl is a model (transition-model): expected a table");
    scratch.sh("copy-matrix mdl -").fails_with(255).stderr_has("this is a model; am-info reads it");
}

#[test]
fn sound_has_durations_and_channels_also_in_shards() {
    let scratch = Scratch::new();
    let (mono, stereo) = (wave(8000, &[&[1; 4000]]), wave(16000, &[&[1; 4000], &[2; 4000]]));
    scratch.write("a.wav", &mono).write("b.wav", &stereo).write("wav.scp", "a a.wav\nb b.wav\n");
    scratch.write("x.tar", tar(&[("a.wav", &mono), ("a.txt", b"some words"), ("b.wav", &stereo), ("b.txt", b"")]));
    for (table, kind) in [("wav.scp", "script"), ("shard:x.tar", "shards")] {
        let ran = scratch.sh(&format!("table-info --json {table}")).succeeds();
        let info: Value = serde_json::from_slice(ran.stdout()).unwrap();
        assert_eq!((&info["kind"], &info["type"], &info["entries"]), (&kind.into(), &"wave".into(), &2.into()));
        assert_eq!(info["duration"], serde_json::json!({ "min": 0.25, "max": 0.5 }));
        assert_eq!(info["channels"], serde_json::json!({ "min": 1, "max": 2 }));
        assert_eq!(info["bytes"], mono.len() + stereo.len());
    }
    let ran = scratch.sh("table-info --type=token-vector shard:x.tar | grep -E 'type|entries'").succeeds();
    ran.stdout_is("  type         token-vector\n  entries      2\n");
    scratch.sh("table-keys shard:x.tar").succeeds().stdout_is("a\nb\n");
    scratch.sh("table-head shard:x.tar | wc -l").succeeds().stdout_is("2\n");
    scratch.write("y.tar", tar(&[("a.txt", b"x")]));
    scratch.sh("table-info shard:y.tar").fails_with(1).stdout_has("expected a member of sound (.wav, .flac), got none");
}

#[test]
fn a_segment_to_the_end_of_its_recording_lasts_as_long_as_that() {
    let scratch = tables();
    scratch.write("segments", "a rec 0 0.25\nb rec 0.25 -1\n");
    let told = info(&scratch, ".");
    assert_eq!((&told["hours"], &told["hours_from"]), (&0.0001389.into(), &"segments".into()));
    // The list of durations comes before headers.
    scratch.write("reco2dur", "rec 36.25\n");
    assert_eq!(info(&scratch, ".")["hours"], 0.0100694);
    // What is not known is taken from elsewhere, or left open.
    scratch.write("reco2dur", "other 36.25\n");
    assert_eq!(info(&scratch, ".")["hours_from"], "feats.scp");
    scratch.sh("rm feats.scp reco2dur && sed -i 's/ .*/ exit 1 |/' wav.scp").succeeds();
    assert_eq!(info(&scratch, ".")["hours"], Value::Null);
}
