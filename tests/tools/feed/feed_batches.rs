use std::collections::BTreeSet;

use super::corpus::{Batch, NUM_UTTERANCES, batches, corpus, fed, keys};

const PLAIN: &str = "--conf=plain.yaml --symbols=units.txt data.list";
const RANDOM: &str = "--conf=random.yaml --symbols=units.txt";

#[test]
fn a_batch_is_padded_and_sorted_by_length() {
    let scratch = corpus();
    let batches = fed(&scratch, PLAIN);
    assert_eq!(batches.iter().map(|batch| batch.keys.len()).collect::<Vec<_>>(), [4, 4, 4, 4, 4, 3]);
    let first = &batches[0];
    // 0.2, 0.55, 0.35 and 0.7 s.
    assert_eq!(first.keys, ["u03", "u01", "u02", "u00"]);
    assert_eq!(first.lengths("feats_lengths"), [68, 53, 33, 18]);
    assert_eq!(first.shape("feats"), [4, 68, 23]);
    let feats = first.feats();
    assert!(feats[..68 * 23].iter().all(|value| *value != 0.0));
    assert!(feats[(68 + 53) * 23..2 * 68 * 23].iter().all(|value| *value == 0.0));
    // GOON, ON, NO GO, GO ON.
    assert_eq!(first.lengths("target_lengths"), [4, 2, 5, 5]);
    assert_eq!(first.target(), [2, 4, 4, 3, -1, 4, 3, -1, -1, -1, 3, 4, 5, 2, 4, 2, 4, 5, 4, 3]);
    let wanted = ["F32", "I32", "I64", "I32"];
    let types = ["feats", "feats_lengths", "target", "target_lengths"].map(|name| first.header[name]["dtype"].clone());
    assert_eq!(types.map(|it| it.as_str().map(str::to_owned)), wanted.map(|it| Some(it.to_owned())));
}

#[test]
fn features_are_those_of_compute_fbank_feats() {
    let scratch = corpus();
    let script = "compute-fbank-feats --sample-frequency=8000 --dither=0 scp:wav.scp ark:want.ark && \
                  feed-feats --conf=plain.yaml data.list ark:got.ark && cmp want.ark got.ark";
    scratch.sh(script).succeeds();
}

#[test]
fn lists_shards_and_tables_deliver_the_same() {
    let scratch = corpus();
    let raw = fed(&scratch, PLAIN);
    let shards = fed(&scratch, "--conf=plain.yaml --symbols=units.txt --data-type=shard shards.list");
    let table = fed(&scratch, "--conf=plain.yaml --symbols=units.txt --data-type=table --text=text scp:wav.scp");
    assert!(raw == shards && raw == table);
    let options = "--conf=plain.yaml --labels=none --data-type=table scp:wav.scp -";
    scratch.sh(&format!("feed-batches {options} > /dev/null")).succeeds().stderr_lacks("no entry was read");
    // Compressed shards cannot be read at any place.
    scratch.sh("gzip a.tar && mv a.tar.gz c.tar && printf 'c.tar\\nb.tar\\n' > packed.list").succeeds();
    assert!(raw == fed(&scratch, "--conf=plain.yaml --symbols=units.txt --data-type=shard packed.list"));
    // One entry of the list in all of them: the same order after it, the same changes.
    let raw = fed(&scratch, &format!("{RANDOM} data.list"));
    let table = fed(&scratch, &format!("{RANDOM} --data-type=table --text=text scp:wav.scp"));
    assert!(raw == table);
}

#[test]
fn tables_of_features_need_no_sound() {
    let scratch = corpus();
    scratch.sh("feed-feats --conf=plain.yaml data.list ark,scp:f.ark,f.scp").succeeds();
    let options = "--conf=plain.yaml --symbols=units.txt";
    let feats = fed(&scratch, &format!("{options} --data-type=table --text=text scp:f.scp"));
    assert!(feats == fed(&scratch, PLAIN));
    // Commands and ranges.
    scratch.sh("sed 's/$/[0:9]/' f.scp > part.scp; sed 's/ \\(.*\\)$/ cat \\1 |/' wav.scp > pipes.scp").succeeds();
    let parts = fed(&scratch, &format!("{options} --data-type=table --text=text scp:part.scp"));
    assert!(parts.iter().all(|batch| batch.lengths("feats_lengths").iter().all(|length| *length == 10)));
    let pipes = fed(&scratch, &format!("{options} --data-type=table --text=text scp:pipes.scp"));
    assert!(pipes == fed(&scratch, PLAIN));
}

#[test]
fn threads_and_workers_make_no_difference() {
    let scratch = corpus();
    let all = fed(&scratch, &format!("{RANDOM} --num-threads=1 data.list"));
    assert!(all.len() > 5);
    assert!(all == fed(&scratch, &format!("{RANDOM} --num-threads=4 data.list")));
    for num_workers in [2, 3] {
        let of = |worker| fed(&scratch, &format!("{RANDOM} --worker={worker} --num-workers={num_workers} data.list"));
        let workers: Vec<_> = (0..num_workers).map(of).collect();
        for (number, batch) in all.iter().enumerate() {
            assert_eq!(*batch, workers[number % num_workers][number / num_workers]);
        }
        assert_eq!(workers.iter().map(Vec::len).sum::<usize>(), all.len());
    }
}

#[test]
fn ranks_share_the_data_and_epochs_and_seeds_change_it() {
    let scratch = corpus();
    let all = fed(&scratch, &format!("{RANDOM} data.list"));
    let sorted = |batches: &[Batch]| keys(batches).into_iter().map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!(sorted(&all).len(), NUM_UTTERANCES);
    let of = |rank| fed(&scratch, &format!("{RANDOM} --rank={rank} --world-size=3 data.list"));
    let ranks = [of(0), of(1), of(2)];
    let numbers: usize = ranks.iter().map(|rank| keys(rank).len()).sum();
    let union: BTreeSet<_> = ranks.iter().flat_map(|rank| sorted(rank)).collect();
    assert_eq!((numbers, union.len()), (NUM_UTTERANCES, NUM_UTTERANCES));
    for options in ["--epoch=1", "--seed=1"] {
        let other = fed(&scratch, &format!("{RANDOM} {options} data.list"));
        assert_ne!(keys(&other), keys(&all));
        assert_eq!(sorted(&other), sorted(&all));
    }
    let cv = fed(&scratch, &format!("{RANDOM} --part=cv --rank=1 --world-size=3 data.list"));
    assert_eq!(keys(&cv).len(), NUM_UTTERANCES);
    assert_eq!(keys(&cv), keys(&fed(&scratch, &format!("{RANDOM} --part=cv --epoch=4 data.list"))));
}

#[test]
fn a_training_goes_on_where_it_stopped() {
    let scratch = corpus();
    let all = fed(&scratch, &format!("{RANDOM} data.list"));
    let rest = fed(&scratch, &format!("{RANDOM} --skip-batches=4 data.list"));
    assert!(rest == all[4..]);
    // What is skipped is not read: only headers are.
    let skipped: Vec<&str> = keys(&all[..4]);
    let kept: Vec<&str> = keys(&all[4..]);
    for key in &skipped {
        let path = scratch.path(&format!("wav/{key}.wav"));
        let mut bytes = std::fs::read(&path).unwrap();
        let length = bytes.len();
        bytes[44..].fill(0xff);
        bytes.truncate(length);
        std::fs::write(path, bytes).unwrap();
    }
    assert!(!kept.is_empty());
    assert!(rest == fed(&scratch, &format!("{RANDOM} --skip-batches=4 data.list")));
    let workers = [0, 1]
        .map(|worker| fed(&scratch, &format!("{RANDOM} --skip-batches=4 --num-workers=2 --worker={worker} data.list")));
    for (number, batch) in rest.iter().enumerate() {
        assert_eq!(*batch, workers[number % 2][number / 2]);
    }
}

#[test]
fn several_passes_keep_the_share_of_each_rank() {
    let scratch = corpus();
    scratch.sh("sed -i 's/^dataset_conf:/&\\n  cycle: 3/' random.yaml").succeeds();
    let mut all = Vec::new();
    for rank in 0..2 {
        let batches = fed(&scratch, &format!("{RANDOM} --rank={rank} --world-size=2 data.list"));
        all.extend(keys(&batches).into_iter().map(str::to_owned));
    }
    all.sort_unstable();
    let expected: Vec<String> = (0..NUM_UTTERANCES).flat_map(|number| vec![format!("u{number:02}"); 3]).collect();
    assert_eq!(all, expected);
}

#[test]
fn files_of_a_folder_are_the_stream() {
    let scratch = corpus();
    for (format, first) in [("safetensors", &b"{\"__metadata__\""[..]), ("npz", b"PK")] {
        scratch.sh(&format!("feed-batches --format={format} {PLAIN} out && cat out/*.{format} > all")).succeeds();
        scratch.sh(&format!("feed-batches --format={format} {PLAIN} - | cmp - all")).succeeds();
        let file = scratch.read(&format!("out/batch-0000000.{format}"));
        assert!(file.starts_with(first) || file[8..].starts_with(first));
        let ran = scratch.sh(&format!("feed-batches --format={format} {PLAIN} out")).fails_with(255);
        ran.stderr_has("out: expected a folder without batches of another run, got batch-");
    }
    // Workers write side by side.
    for worker in [0, 1] {
        scratch.sh(&format!("feed-batches --num-workers=2 --worker={worker} {PLAIN} both")).succeeds();
    }
    scratch.sh("rm out/*.npz && diff -r out both").succeeds();
}

#[test]
fn what_runs_is_printed_and_taken_back() {
    let scratch = corpus();
    let options = format!("{RANDOM} --initial=3");
    scratch.sh(&format!("feed-batches {options} --dry-run data.list - > chain.yaml")).succeeds();
    let printed = String::from_utf8(scratch.read("chain.yaml")).unwrap();
    assert!(printed.contains("- shuffle: {shuffle_size: 10, initial: 3,"), "{printed}");
    assert!(
        printed.contains("- tokenize: {type: char, symbols: units.txt, unk: \"<unk>\", case: keep}\n"),
        "{printed}"
    );
    let ran = scratch.sh("feed-batches --chain=chain.yaml --dry-run data.list -").succeeds();
    ran.stdout_is(&printed);
    assert!(fed(&scratch, "--chain=chain.yaml data.list") == fed(&scratch, &format!("{options} data.list")));
}

#[test]
fn a_bad_sample_costs_itself() {
    let scratch = corpus();
    let all = fed(&scratch, PLAIN);
    // No JSON; 10 ms of sound; no file; a header that claims more than there is; no sound; a channel that there is not.
    let spoil = "sed -i '3s/.*/{\"key\": /' data.list; head -c 204 wav/u04.wav > s && mv s wav/u04.wav; \
                 printf '\\240\\0\\0\\0' | dd of=wav/u04.wav bs=1 seek=40 conv=notrunc 2> /dev/null; rm wav/u05.wav; \
                 head -c 2000 wav/u06.wav > s && mv s wav/u06.wav; echo nothing > wav/u07.wav";
    scratch.sh(spoil).succeeds();
    let ran = scratch.sh(&format!("feed-batches --max-bad=-1 {PLAIN} -")).succeeds();
    let left = batches(ran.stdout());
    let mut got = keys(&left);
    got.sort_unstable();
    let mut expected = keys(&all);
    expected.retain(|key| !["u02", "u04", "u05", "u06", "u07"].contains(key));
    expected.sort_unstable();
    assert_eq!(got, expected);
    ran.stderr_has("data.list: line 3: expected an object in JSON, got \"{\"key\":\"")
        .stderr_has("u05: cannot open wav/u05.wav")
        .stderr_has("u06: wav/u06.wav:")
        .stderr_has("u07: wav/u07.wav:0: expected RIFF or RIFX, got noth")
        .stderr_has("Read 23 samples; dropped: 1 shorter than one window, 4 bad; delivered 18 in 5 batches, ");
    let ran = scratch.sh(&format!("feed-batches {PLAIN} out1")).fails_with(255);
    ran.stderr_has("expected at most a tenth of the samples to be bad, got 4 of 23")
        .stderr_has("--max-bad allows more");
    let ran = scratch.sh(&format!("feed-batches --max-bad=4 {PLAIN} - | cmp - /dev/null"));
    ran.fails_with(1).stderr_lacks("ERROR");
    let ran = scratch.sh(&format!("feed-batches --max-bad=3 {PLAIN} out"));
    ran.fails_with(255).stderr_has("expected at most 3 bad samples, got one more: ");
    let ran = scratch.sh(&format!("feed-batches --on-error=fail {PLAIN} out2"));
    ran.fails_with(255).stderr_has("ERROR").stderr_has("data.list: line 3: expected an object in JSON");
}

#[test]
fn an_endless_transcript_costs_its_sample() {
    let scratch = corpus();
    let list = String::from_utf8(scratch.read("data.list")).unwrap();
    scratch.write("list", list.replacen("GO ON", &"GO ".repeat(400_000), 1));
    let ran = scratch.sh("feed-batches --conf=plain.yaml --symbols=units.txt list - > out").succeeds();
    ran.stderr_has("expected a text of at most 1 MB, got one of 1199999 bytes").stderr_has("1 bad; delivered 22");
}

#[test]
fn a_configuration_without_a_tokenizer_is_an_error_unless_there_are_no_labels() {
    let scratch = corpus();
    for more in ["", "--dry-run", "--part=cv"] {
        let ran = scratch.sh(&format!("feed-batches --conf=plain.yaml {more} data.list -")).fails_with(255);
        ran.stdout_is("").stderr_has(
            "plain.yaml: expected a symbol table for the labels, symbol_table_path of tokenizer_conf, got none: give \
             --symbols, or --labels=none for batches without labels",
        );
    }
    let unlabelled = fed(&scratch, "--conf=plain.yaml --labels=none data.list");
    assert_eq!(unlabelled.len(), 6);
    for batch in &unlabelled {
        let names: Vec<&str> = batch.header.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(names, ["__metadata__", "feats", "feats_lengths"]);
    }
    // A chain says all by itself.
    scratch.sh("feed-batches --conf=plain.yaml --labels=none --dry-run data.list - > chain.yaml").succeeds();
    assert!(unlabelled == fed(&scratch, "--chain=chain.yaml data.list"));
    scratch.sh(&format!("feed-batches {PLAIN} --dry-run - > chain.yaml")).succeeds();
    assert!(unlabelled == fed(&scratch, "--chain=chain.yaml --labels=none data.list"));
}

/// What WeNet's own tokenizer gives.
#[test]
fn non_linguistic_symbols_take_the_blanks_beside_them() {
    let scratch = corpus();
    scratch.sh("sed -i '1s/GO ON/go [noise] on [noise]/' data.list; printf '[NOISE]\\n' > syms").succeeds();
    scratch.sh("echo '[NOISE] 7' >> units.txt").succeeds();
    let labels = |options: &str| {
        let script = format!("feed-feats {options} data.list ark:/dev/null ark,t:- | grep u00");
        String::from_utf8(scratch.sh(&script).succeeds().stdout().to_vec()).unwrap()
    };
    let options = "--conf=plain.yaml --symbols=units.txt --non-lang-syms=syms";
    assert_eq!(labels(options), "u00 2 4 7 4 3 7 \n");
    scratch.sh("(cat plain.yaml; echo 'tokenizer: char'; echo 'tokenizer_conf: {symbol_table_path: units.txt, non_lang_syms_path: syms}') > t.yaml").succeeds();
    assert_eq!(labels("--conf=t.yaml"), "u00 2 4 7 4 3 7 \n");
    scratch.sh(&format!("feed-batches {PLAIN} --dry-run - > chain.yaml")).succeeds();
    assert_eq!(labels("--chain=chain.yaml --non-lang-syms=syms --case=upper"), "u00 2 4 7 4 3 7 \n");
}

#[test]
fn an_unknown_symbol_is_unk_or_costs_its_sample() {
    let scratch = corpus();
    scratch.sh("sed -i '2s/\"ON\"/\"OXN\"/' data.list").succeeds();
    assert_eq!(fed(&scratch, PLAIN)[0].target()[5..10], [4, 1, 3, -1, -1]);
    scratch.sh("sed -i '/<unk>/d' units.txt").succeeds();
    let ran = scratch.sh(&format!("feed-batches {PLAIN} -")).succeeds();
    assert_eq!(keys(&batches(ran.stdout())).len(), NUM_UTTERANCES - 1);
    ran.stderr_has("u01: the symbol table has neither \"X\" nor <unk>; left out");
}

#[test]
fn a_cut_shard_costs_what_is_cut() {
    let scratch = corpus();
    scratch.sh("head -c 30000 a.tar > s && mv s a.tar").succeeds();
    let ran = scratch.sh("feed-batches --conf=plain.yaml --labels=none --data-type=shard shards.list -").succeeds();
    let left = batches(ran.stdout());
    let keys = keys(&left);
    assert!(keys.contains(&"u00") && keys.contains(&"u12") && keys.contains(&"u22") && !keys.contains(&"u11"));
    ran.stderr_has("a.tar:25088: u03.wav: expected 11244 bytes, got 4912").stderr_has("dropped: 1 bad;");
}

#[test]
fn the_order_of_python_programs() {
    let scratch = corpus();
    scratch.sh("sed -i 's/  list_shuffle: false//' plain.yaml").succeeds();
    scratch.sh("sed -i 's/batch_size: 4/batch_size: 1/' plain.yaml").succeeds();
    let options = "--conf=plain.yaml --labels=none --shuffle-compat=python --epoch=5";
    let got = |more: &str| keys(&fed(&scratch, &format!("{options} {more} data.list"))).join("\n");
    let expected = |range: &str| {
        let script = format!("sed 's/ .*//' text | table-shuffle --shuffle-compat=python --epoch=5 - - | {range}");
        String::from_utf8(scratch.sh(&script).succeeds().stdout().to_vec()).unwrap().trim().to_owned()
    };
    assert_eq!(got(""), expected("cat"));
    let share = "--rank=1 --world-size=2 --worker=2 --num-workers=3";
    assert_eq!(got(share), expected(&format!("table-split {share} - -")));
    // Every rank validates on everything, in the order of the list.
    let workers = "table-split --worker=2 --num-workers=3 - -";
    let script = format!("sed 's/ .*//' text | {workers}");
    let all = String::from_utf8(scratch.sh(&script).succeeds().stdout().to_vec()).unwrap();
    assert_eq!(got(&format!("--part=cv {share}")), all.trim());
}

#[test]
fn what_makes_no_sense_is_refused() {
    let scratch = corpus();
    for (arguments, message) in [
        ("data.list", "expected one of --conf and --chain"),
        ("--conf=plain.yaml --chain=plain.yaml data.list", "expected one of --conf and --chain"),
        (
            "--conf=plain.yaml --labels=none --format=zip data.list",
            "--format=zip: expected safetensors or npz, got \"zip\"",
        ),
        (
            "--conf=plain.yaml --labels=none --data-type=tar data.list",
            "--data-type=tar: expected raw, nemo, shard, shar or table, got \"tar\"",
        ),
        (
            "--conf=plain.yaml --labels=none --rank=2 --world-size=2 data.list",
            "expected a number from 0 to 1 of 2 ranks, got 2",
        ),
        ("--conf=plain.yaml --labels=none --worker=1 data.list", "expected a number from 0 to 0 of 1 workers, got 1"),
        (
            "--conf=plain.yaml --labels=none --even=yes data.list",
            "--even=yes: expected none, trim or repeat, got \"yes\"",
        ),
        ("--conf=plain.yaml --labels=none --text=text data.list", "expected --text with --data-type=table only"),
        ("--conf=plain.yaml --labels=none --data-type=table ark:wav.scp", "expected a script file (scp:FILE)"),
        ("--conf=plain.yaml --labels=none --data-type=table wav.scp", "expected a table such as scp:wav.scp"),
        ("--conf=plain.yaml --labels=none missing.list", "cannot open missing.list"),
        ("--conf=data.list data.list", "data.list:"),
    ] {
        let ran = scratch.sh(&format!("feed-batches {arguments} -")).fails_with(255);
        ran.stdout_is("").stderr_has(message);
    }
    scratch.sh("sed -i 's/spec_aug/spec_augment/' plain.yaml").succeeds();
    let ran = scratch.sh(&format!("feed-batches {PLAIN} -")).fails_with(255);
    ran.stderr_has("plain.yaml:6: dataset_conf has no parameter \"spec_augment\"; did you mean spec_aug?");
}

#[test]
fn nothing_to_feed_is_told() {
    let scratch = corpus();
    scratch
        .sh("feed-batches --conf=plain.yaml --labels=none /dev/null -")
        .fails_with(1)
        .stderr_has("nothing was found");
    scratch.sh(": > empty; feed-batches --conf=plain.yaml --labels=none empty -").fails_with(1).stdout_is("");
}

#[test]
fn a_reader_that_stops_early_leaves_nothing_behind() {
    let scratch = corpus();
    scratch.sh(&format!("feed-batches {PLAIN} - | head -c 100 > part; test $(wc -c < part) = 100")).succeeds();
    // A folder that cannot be written to has no half of a batch.
    scratch.sh("mkdir out && : > out/x && chmod 500 out").succeeds();
    let full = scratch.sh(&format!("feed-batches {PLAIN} - > /dev/full")).fails_with(255);
    full.stderr_has("No space left on device");
}

#[test]
fn speakers_have_numbers() {
    let scratch = corpus();
    scratch.sh("sed -i 's/}$/, \"speaker\": \"anna\"}/; 2s/anna/ben/; 3s/anna/carl/' data.list").succeeds();
    scratch.write("speakers", "anna 5\nben 7\n");
    scratch.sh("sed -i 's/^dataset_conf:/&\\n  speaker_conf: {speaker_table_path: speakers}/' plain.yaml").succeeds();
    let first = &fed(&scratch, PLAIN)[0];
    assert_eq!(first.keys, ["u03", "u01", "u02", "u00"]);
    assert_eq!(first.lengths("speaker"), [5, 7, 0, 5]);
    scratch.sh("sed -i '1s/speaker/spaeker/' data.list").succeeds();
    let ran = scratch.sh(&format!("feed-batches {PLAIN} -")).succeeds();
    ran.stderr_has("u00: expected a field \"speaker\", got none; left out");
}

#[test]
fn other_features_are_computed() {
    let scratch = corpus();
    scratch.sh("sed -i 's/  fbank_conf.*/  feats_type: log_mel_spectrogram/' plain.yaml").succeeds();
    let batches = fed(&scratch, PLAIN);
    // 0.7 s are 5600 samples, a frame for each 160 of them.
    assert_eq!((batches[0].keys[0].as_str(), batches[0].shape("feats")), ("u03", vec![4, 35, 80]));
    let feats = batches[0].feats();
    let (least, most) =
        feats[..35 * 80].iter().fold((f32::MAX, f32::MIN), |(least, most), &it| (least.min(it), most.max(it)));
    assert!(most - least <= 2.0 && most > 0.5, "{least} {most}");
    scratch.sh("sed -i 's/  feats_type.*/&\\n  log_mel_spectrogram_conf: {pad_or_trim: true, max_duration: 2}/' plain.yaml").succeeds();
    assert!(fed(&scratch, PLAIN).iter().all(|batch| batch.shape("feats")[1..] == [100, 80]));
    scratch.sh("sed -i 's/  feats_type.*/  feats_type: mfcc\\n  mfcc_conf: {num_ceps: 13}/' plain.yaml").succeeds();
    scratch.sh("feed-feats --conf=plain.yaml data.list ark:got.ark").succeeds();
    let options = "--sample-frequency=8000 --dither=0 --use-energy=false --num-ceps=13";
    scratch.sh(&format!("compute-mfcc-feats {options} scp:wav.scp ark:- | cmp - got.ark")).succeeds();
}

#[test]
fn lists_come_from_commands_and_addresses() {
    let scratch = corpus();
    let options = "--conf=plain.yaml --symbols=units.txt";
    scratch.sh(&format!("feed-batches {options} data.list - > want")).succeeds();
    for name in ["'cat data.list |'", "file://$PWD/data.list", "'gzip -c data.list |'"] {
        scratch.sh(&format!("feed-batches {options} {name} - | cmp - want")).succeeds();
    }
    scratch.sh(&format!("cat data.list | feed-batches {options} - - | cmp - want")).succeeds();
    scratch.sh(&format!("feed-batches {options} --symbols='cat units.txt |' data.list - | cmp - want")).succeeds();
    scratch
        .sh(&format!("feed-batches {options} 'cat data.list; exit 3 |' -"))
        .fails_with(255)
        .stderr_has("exit status 3");
}
