//! Corpora in the forms of other programs: data sets of the library `datasets`, tars of NeMo, samples of webdataset, indices of
//! lhotse 2.

use crate::Trials;
use crate::python::Python;
use crate::support::Scratch;
use crate::support::signal::tone;
use crate::support::wave::wave;

pub const TRIALS: &Trials = &[
    ("parquet_and_arrow_of_datasets_are_read", reads_data_sets),
    ("tars_of_nemo_are_read_and_written_by_its_rules", tars_of_nemo),
    ("samples_of_webdataset_with_json_are_read", reads_json_samples),
    ("lhotse_2_reads_shar_by_our_indices", lhotse_reads_indices),
];

fn sound() -> Scratch {
    let scratch = Scratch::new();
    let [short, long] = [0.4, 1.7].map(|seconds| tone(16000, 440.0, 9000.0, seconds));
    scratch
        .write("a.wav", wave(16000, &[&short]))
        .write("b.wav", wave(8000, &[&long]))
        .write("c.wav", wave(16000, &[&long]));
    scratch
}

fn reads_data_sets(python: &Python) {
    let scratch = sound();
    python.run(&scratch, "datasets_write", "a.wav b.wav c.wav");
    for options in ["", "--audio=wav"] {
        scratch.sh("rm -rf train hub-train").succeeds();
        let told = scratch
            .sh(&format!("make-data-dir {options} --split=train --extra=votes hub train && mv train hub-train"))
            .succeeds();
        told.stderr_has(
            "5 utterances have no text, and were left out; the first is hub/data/train-00000-of-00002.parquet: row 4",
        );
        let told = scratch.sh(&format!("make-data-dir {options} --split=train --extra=votes saved train")).succeeds();
        told.stderr_has(
            "5 utterances have no text, and were left out; the first is saved/train/data-00000-of-00003.arrow: row 4",
        );
        scratch.sh("diff -r hub-train train && wc -l < train/text").succeeds().stdout_is("24\n");
    }
    scratch.sh("make-data-dir --split=test --extra=votes hub test && cat test/text test/utt2lang test/spk2gender test/utt2votes").succeeds().stdout_is(
        "spk_0-utt32 number 32 \u{fc}\nspk_1-utt31 number 31 \u{fc}\nspk_1-utt33 number 33 \u{fc}\n\
         spk_0-utt32 de\nspk_1-utt33 en\nspk_0 f\nspk_1 m\nspk_0-utt32 0 1\nspk_1-utt31 0\n",
    );
    scratch.sh("cmp test/wav/spk_1-utt31.wav b.wav && cmp test/wav/spk_0-utt32.wav c.wav").succeeds();
    scratch
        .sh("make-data-dir --extra=votes alone alone.data && mv alone.data test2 && diff test/text test2/text")
        .succeeds();
    scratch.sh("make-data-dir hub d").fails_with(255).stderr_has("hub: expected --split with one of test, train");
    scratch.sh("make-data-dir saved d").fails_with(255).stderr_has("saved: expected --split with one of train, test");
    scratch.sh("table-check saved hub/data/*.parquet").succeeds().stdout_is("");
}

fn tars_of_nemo(python: &Python) {
    let scratch = sound();
    scratch.write("wav.scp", "s/u.1 a.wav\ns/u.2 b.wav\nt3 c.wav\n").write("utt2spk", "s/u.1 s\ns/u.2 s\nt3 t\n");
    scratch.write("text", "s/u.1 hello \"w\u{f6}rld\"\ns/u.2 two\nt3 \u{4e09}\n");
    scratch
        .sh("make-shard-list --format=nemo --num-utts-per-shard=2 --utt2spk=ark:utt2spk wav.scp text nemo nemo.list")
        .succeeds();
    let read = "read 'nemo/sharded_manifests/manifest__OP_0..1_CL_.json' 'nemo/audio_<0..1>.tar'";
    assert_eq!(
        python.run(&scratch, "nemo_tars", read),
        "0 0 s_u_1.wav 16000 0.4 hello \"w\u{f6}rld\" s\n0 0 s_u_2.wav 16000 3.4 two s\n1 1 t3.wav 16000 1.7 \u{4e09} t\n"
    );
    python.run(&scratch, "nemo_tars", "write theirs a.wav c.wav");
    scratch
        .sh("check-shards --manifest=theirs/tarred_audio_manifest.json theirs/audio_0.tar theirs/audio_1.tar")
        .succeeds()
        .stdout_is("");
    scratch.sh("make-data-dir theirs/tarred_audio_manifest.json d && cat d/wav.scp d/segments && head -n 2 d/text d/utt2lang").succeeds().stdout_is(
        "a theirs/audio_0.tar:512\nc theirs/audio_1.tar:512\n\
         a-0000000-0000150 a 0 0.15\na-0000100-0000250 a 0.1 0.25\na-0000250-0000400 a 0.25 0.4\n\
         c-0000000-0000150 c 0 0.15\nc-0000100-0000250 c 0.1 0.25\nc-0000250-0000400 c 0.25 0.4\n\
         ==> d/text <==\na-0000000-0000150 text \u{fc} 0 0.0\na-0000100-0000250 text \u{fc} 0 0.1\n\n\
         ==> d/utt2lang <==\na-0000000-0000150 de\na-0000100-0000250 de\n",
    );
    let all = "'theirs/sharded_manifests/manifest_(0..1).json' d2";
    scratch.sh(&format!("make-data-dir --shards='theirs/audio_[0..1].tar' {all} && diff -r d d2")).succeeds();
}

fn reads_json_samples(python: &Python) {
    let scratch = sound();
    python.run(&scratch, "write_json_samples", "x.tar a.wav b.wav c.wav");
    let fields = "--text-field=json.text --speaker-field=json.speaker --language-field=json.language";
    scratch.sh(&format!("extract-shards {fields} x.tar d && cat d/text d/utt2spk d/utt2lang")).succeeds().stdout_is(
        "s0-u0 caf\u{e9} \u{1f600} 0\ns1-u1 caf\u{e9} \u{1f600} 1\ns0-u2 caf\u{e9} \u{1f600} 2\n\
         s0-u0 s0\ns0-u2 s0\ns1-u1 s1\ns2-u9 s2\ns0-u0 fr\ns0-u2 fr\ns1-u1 fr\ns2-u9 fr\n",
    );
    scratch.sh("cmp d/wav/s1-u1.wav b.wav").succeeds();
    let head = |field: &str| scratch.sh(&format!("table-head shard,field={field}:x.tar")).succeeds();
    head("json.n").stdout_is("s0-u0 0 \ns1-u1 2 \ns0-u2 4 \ns2-u9 4 \n");
    head("json.meta.text").stdout_is("s0-u0 in side \ns1-u1 in side \ns0-u2 in side \ns2-u9 in side \n");
}

fn lhotse_reads_indices(python: &Python) {
    let scratch = sound();
    scratch.sh("mkdir data").succeeds();
    scratch.write("data/wav.scp", "s-1 a.wav\ns-2 b.wav\nt-3 c.wav\n").write("data/utt2spk", "s-1 s\ns-2 s\nt-3 t\n");
    scratch.write("data/text", "s-1 one\ns-2 zw\u{f6}lf\nt-3 three\n");
    scratch
        .sh("make-shar --compress=none --num-utts-per-shard=2 data shar && index-shards --format=lhotse shar")
        .succeeds();
    assert_eq!(
        python.run(&scratch, "indexed_shar", "shar"),
        "cuts.000000.jsonl.idx cuts.000001.jsonl.idx recording.000000.tar.idx recording.000001.tar.idx\n\
         t-3 (1, 27200) three\ns-2 (1, 27200) zw\u{f6}lf\ns-1 (1, 6400) one\n"
    );
}
