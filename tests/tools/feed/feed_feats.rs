use super::corpus::{NUM_UTTERANCES, corpus, fed};

#[test]
fn tables_have_the_utterances_of_the_batches() {
    let scratch = corpus();
    let options = "--conf=random.yaml --symbols=units.txt --epoch=2";
    scratch.sh(&format!("feed-feats {options} data.list ark,scp:f.ark,f.scp ark,t:labels ark,t:batches")).succeeds();
    let batches = fed(&scratch, &format!("{options} data.list"));
    let text = String::from_utf8(scratch.read("batches")).unwrap();
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines.len(), batches.len());
    for (number, (line, batch)) in lines.iter().zip(&batches).enumerate() {
        assert_eq!(line[0], format!("batch-{number:07}"));
        // Shortest first, as they were sorted, and longest first with padding.
        let mut keys: Vec<&str> = line[1..].to_vec();
        keys.sort_unstable();
        let mut padded: Vec<&str> = batch.keys.iter().map(String::as_str).collect();
        padded.sort_unstable();
        assert_eq!(keys, padded);
    }
    let order: Vec<&str> = lines.iter().flat_map(|line| line[1..].iter().copied()).collect();
    let scp = String::from_utf8(scratch.read("f.scp")).unwrap();
    assert!(scp.lines().map(|line| line.split(' ').next().unwrap()).eq(order.iter().copied()));
    assert_eq!(order.len(), NUM_UTTERANCES);
    // The features of a batch are those of the tables, padded.
    let first = &batches[0];
    let script =
        format!("echo {} | tr ' ' '\\n' | while read k; do grep \"^$k \" f.scp; done > one.scp", first.keys.join(" "));
    scratch.sh(&script).succeeds();
    let lengths = scratch.sh("feat-to-len scp:one.scp ark,t:- | sed 's/.* \\(.*\\)$/\\1/; s/ //'").succeeds();
    let lengths: Vec<i32> = String::from_utf8(lengths.stdout().to_vec())
        .unwrap()
        .split_whitespace()
        .filter_map(|it| it.parse().ok())
        .collect();
    assert!(lengths == first.lengths("feats_lengths") || lengths.is_empty());
    let labels = String::from_utf8(scratch.read("labels")).unwrap();
    assert!(labels.lines().any(|line| line.trim_end() == "u00 2 4 5 4 3"), "{labels}");
}

#[test]
fn labels_need_a_symbol_table() {
    let scratch = corpus();
    let ran = scratch.sh("feed-feats --conf=plain.yaml data.list ark:f.ark ark:l.ark").fails_with(255);
    ran.stderr_has("plain.yaml: expected a symbol table for the labels, ").stderr_has("give --symbols");
    scratch.sh("feed-feats --conf=plain.yaml --dry-run data.list - > chain.yaml").succeeds();
    let ran = scratch.sh("feed-feats --chain=chain.yaml data.list ark:f.ark ark:l.ark").fails_with(255);
    ran.stderr_has("u00: expected labels: the chain needs the stage tokenize, and --symbols");
    assert!(!scratch.list().iter().any(|name| name.ends_with(".ark")));
}

#[test]
fn segments_are_cut_out_of_recordings() {
    let scratch = corpus();
    scratch.write(
        "segments.list",
        "{\"key\": \"a\", \"wav\": \"wav/u03.wav\", \"txt\": \"ON\", \"start\": 0.1, \"end\": 0.35}\n\
         {\"key\": \"b\", \"wav\": \"wav/u03.wav\", \"txt\": \"ON\", \"start\": 0.5, \"end\": 9}\n\
         {\"key\": \"c\", \"wav\": \"wav/u03.wav\", \"txt\": \"ON\", \"start\": 0.5, \"end\": 0.4}\n\
         {\"key\": \"d\", \"wav\": \"wav/u03.wav\", \"txt\": \"ON\", \"start\": 3, \"end\": 4}\n\
         {\"key\": \"e\", \"wav\": \"wav/u03.wav\", \"txt\": \"ON\", \"start\": 0.4, \"end\": -1.0}\n",
    );
    let ran = scratch.sh("feed-feats --conf=plain.yaml --max-bad=-1 segments.list ark:got.ark").succeeds();
    ran.stderr_has("c: wav/u03.wav:0: expected a segment from 0 s on that ends after its start, got 0.5 to 0.4 s")
        .stderr_has("d: wav/u03.wav:0: expected a segment within 0.7 s of sound, got one from 3 s on");
    scratch.write("segments", "a u03 0.1 0.35\nb u03 0.5 0.7\ne u03 0.4 -1\n");
    let script = "extract-segments scp:wav.scp segments ark:- | \
                  compute-fbank-feats --sample-frequency=8000 --dither=0 ark:- ark:- | cmp - got.ark";
    scratch.sh(script).succeeds();
}

#[test]
fn the_chain_is_printed() {
    let scratch = corpus();
    let ran = scratch.sh("feed-feats --conf=plain.yaml --dry-run data.list ark:f.ark").succeeds();
    let printed = String::from_utf8(ran.stdout().to_vec()).unwrap();
    assert!(printed.starts_with("- channel: {channel: 0}\n- filter: {"), "{printed}");
    assert!(!scratch.list().contains(&"f.ark".to_owned()));
}

#[test]
fn manifests_of_nemo_are_fed() {
    let scratch = corpus();
    scratch
        .sh("sed 's/\"key\"/\"utt_id\"/; s/\"wav\"/\"audio_filepath\"/; s/\"txt\"/\"text\"/' data.list > m.json")
        .succeeds();
    let feed = "feed-feats --conf=plain.yaml --symbols=units.txt";
    scratch.sh(&format!("{feed} data.list ark:raw.ark ark:raw.labels")).succeeds();
    scratch.sh(&format!("{feed} --data-type=nemo m.json ark:nemo.ark ark:nemo.labels")).succeeds();
    scratch.sh("cmp raw.ark nemo.ark && cmp raw.labels nemo.labels").succeeds();
    let ran = scratch.sh(&format!("{feed} --data-type=nemo data.list ark:x.ark")).fails_with(255);
    ran.stderr_has("data.list:1: expected a line of a manifest of NeMo, got");
}

#[test]
fn tarred_manifests_of_nemo_are_fed() {
    let scratch = corpus();
    scratch.sh("make-shard-list --format=nemo --resample=8000 --num-utts-per-shard=3 wav.scp text n n.list").succeeds();
    let feed = "feed-feats --conf=plain.yaml --symbols=units.txt";
    scratch.sh(&format!("{feed} data.list ark:raw.ark ark:raw.labels")).succeeds();
    let tarred = format!("{feed} --data-type=nemo");
    scratch.sh(&format!("{tarred} n/tarred_audio_manifest.json ark:nemo.ark ark:nemo.labels")).succeeds();
    scratch.sh("cmp raw.ark nemo.ark && cmp raw.labels nemo.labels").succeeds();
    // The tar file lies above the manifest of a shard.
    scratch.sh(&format!("{tarred} n/sharded_manifests/manifest_1.json ark:nemo.ark ark,t:nemo.labels")).succeeds();
    scratch.sh("copy-int-vector ark:raw.labels ark,t:- | sed -n '4,6p' | cmp - nemo.labels").succeeds();
    // Few files are open at a time, and a part of a member is a part of it.
    scratch.write("n/part.json", "{\"audio_filepath\": \"u00-sub1.wav\", \"duration\": 0.1, \"offset\": 0.05, \"text\": \"GO\", \"shard_id\": 0}\n\
        {\"audio_filepath\": \"gone.wav\", \"duration\": 0.1, \"text\": \"GO\", \"shard_id\": 0}\n\
        {\"audio_filepath\": \"u00.wav\", \"duration\": 0.1, \"text\": \"GO\", \"shard_id\": 99}\n");
    let ran = scratch.sh(&format!("ulimit -n 64; {tarred} --max-bad=2 n/part.json ark:p.ark")).succeeds();
    ran.stderr_has("line 2: expected the member gone.wav in n/audio_0.tar, got none")
        .stderr_has("cannot open n/audio_99.tar");
}

#[test]
fn shar_is_fed() {
    let scratch = corpus();
    scratch.sh("mkdir d && cp wav.scp text d && sed 's/ .*//; s/.*/& &/' text > d/utt2spk").succeeds();
    scratch
        .sh("make-shar --num-utts-per-shard=4 d s && gzip -k s/*.tar && mkdir z && mv s/*.tar.gz z && cp s/cuts* z")
        .succeeds();
    let feed = "feed-feats --conf=plain.yaml --symbols=units.txt";
    scratch.sh(&format!("{feed} data.list ark:raw.ark ark:raw.labels")).succeeds();
    for folder in ["s", "shar:s", "z"] {
        scratch.sh(&format!("{feed} --data-type=shar {folder} ark:shar.ark ark:shar.labels")).succeeds();
        scratch.sh("cmp raw.ark shar.ark && cmp raw.labels shar.labels").succeeds();
    }
    scratch.sh(&format!("{feed} --data-type=shar --text-field=speaker s/cuts.000000.jsonl.gz ark:x.ark")).succeeds();
    scratch
        .sh(&format!("{feed} --data-type=shar --text-field=json.text s ark:x.ark"))
        .fails_with(255)
        .stderr_has("expected one of the entries of cuts for the text");
    let ran = scratch.sh(&format!("{feed} --data-type=shar . ark:x.ark")).fails_with(255);
    ran.stderr_has("expected files cuts.*.jsonl.gz in a Shar folder, got none");
}

#[test]
fn features_are_normalized_by_given_statistics() {
    let scratch = corpus();
    let feed = "feed-feats --conf=plain.yaml --labels=none";
    scratch.sh(&format!("{feed} data.list ark:f.ark")).succeeds();
    scratch.sh("compute-cmvn-stats ark:f.ark s.mat && compute-cmvn-stats --format=json ark:f.ark s.json").succeeds();
    scratch.sh("apply-cmvn --norm-vars=true s.mat ark:f.ark ark:wanted.ark").succeeds();
    for stats in ["s.mat", "s.json"] {
        scratch.sh(&format!("{feed} --cmvn={stats} data.list ark:n.ark")).succeeds();
        scratch.sh("table-diff --atol=1e-3 wanted.ark n.ark").succeeds();
    }
    scratch
        .sh(&format!("{feed} --cmvn=s.json --dry-run data.list -"))
        .succeeds()
        .stdout_has("- cmvn: {file: s.json}\n- batch: ");
    scratch.write("wrong.json", "{\"mean_stat\": [1], \"var_stat\": [1], \"frame_num\": 0}");
    for (stats, message) in
        [("units.txt", "units.txt:0: expected "), ("wrong.json", "wrong.json: expected statistics of frames")]
    {
        scratch.sh(&format!("{feed} --cmvn={stats} data.list ark:x.ark")).fails_with(255).stderr_has(message);
    }
    scratch.write("one.json", "{\"mean_stat\": [1], \"var_stat\": [2], \"frame_num\": 1}");
    scratch
        .sh(&format!("{feed} --cmvn=one.json data.list ark:x.ark"))
        .fails_with(255)
        .stderr_has("expected features of 1 dimensions for cmvn, got 23");
}
