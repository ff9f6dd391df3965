//! Data directories and manifests of lhotse: what we write, lhotse reads, and what it writes, we read.

use crate::Trials;
use crate::python::Python;
use crate::support::Scratch;
use crate::support::signal::tone;
use crate::support::wave::wave;

pub const TRIALS: &Trials = &[
    ("lhotse_reads_our_manifests", lhotse_reads_manifests),
    ("lhotse_reads_our_data_directories", lhotse_reads_data_directories),
    ("lhotse_reads_our_cuts", lhotse_reads_cuts),
    ("pyarrow_and_datasets_read_our_parquet", pyarrow_reads_parquet),
    ("manifests_of_lhotse_are_read", reads_manifests_of_lhotse),
    ("cuts_and_shar_of_lhotse_are_read", reads_shar_of_lhotse),
    ("lhotse_reads_our_shar", lhotse_reads_shar),
];

/// Sound of one and two channels.
fn sound() -> Scratch {
    let scratch = Scratch::new();
    let [short, long] = [0.4003, 1.7].map(|seconds| tone(16000, 440.0, 9000.0, seconds));
    scratch.write("a.wav", wave(16000, &[&short])).write("b.wav", wave(8000, &[&long, &long]));
    scratch.write("c.wav", wave(16000, &[&long]));
    scratch
}

fn lhotse_reads_manifests(python: &Python) {
    let scratch = sound();
    scratch.sh("mkdir data").succeeds();
    scratch.write("data/wav.scp", "ra a.wav\nrb b.wav\nrc cat c.wav |\n");
    scratch.write("data/segments", "s-1 ra 0.0125 0.4\ns-2 rb 0 0.25 1\nt-1 rb 0.1 0.35\nt-2 rc 0.5 -1\n");
    scratch.write("data/utt2spk", "s-1 s\ns-2 s\nt-1 t\nt-2 t\n");
    scratch.write("data/text", "s-1 some  \"words\"\ns-2 \u{fc} \u{4e16}\u{754c}\nt-1 a\nt-2 \\b\n");
    scratch.sh("export-data-dir --format=lhotse data l").succeeds();
    assert_eq!(
        python.run(&scratch, "lhotse_reads", "manifests l 0"),
        "ra file a.wav 6404 16000\nrb file b.wav 27200 8000\nrc command cat c.wav 27200 16000\n\
         s-1 ra 0.0125 0.4 0 s some  \"words\"\ns-2 rb 0.0 0.25 1 s \u{fc} \u{4e16}\u{754c}\n\
         t-1 rb 0.1 0.35 [0, 1] t a\nt-2 rc 0.5 1.7 0 t \\b\n"
    );
}

/// A data directory with all tables that cuts and Parquet have.
fn tables() -> Scratch {
    let scratch = sound();
    scratch.sh("mkdir data").succeeds();
    scratch.write("data/wav.scp", "ra a.wav\nrc c.wav\n").write("data/segments", "s-1 ra 0 0.4\nt-1 rc 0.1 1.6\n");
    scratch.write("data/utt2spk", "s-1 s\nt-1 t\n").write("data/text", "s-1 some \"words\"\nt-1 \u{4e16}\n");
    scratch
        .write("data/utt2lang", "s-1 en\n")
        .write("data/spk2gender", "s f\nt m\n")
        .write("data/utt2snr", "s-1 1.5\nt-1 2\n");
    scratch.write("data/utt2tokens", "s-1 1 2\nt-1\n").write("data/utt2mood", "t-1 fine\n");
    scratch
}

fn lhotse_reads_cuts(python: &Python) {
    let scratch = tables();
    scratch
        .sh("extract-segments scp:data/wav.scp data/segments ark:- | compute-fbank-feats --snip-edges=false ark:- ark,scp:f.ark,data/feats.scp && export-data-dir --format=lhotse data l")
        .succeeds();
    assert_eq!(
        python.run(&scratch, "lhotse_reads", "cuts l 0"),
        "s-1 ra 0 0.4 (40, 23) (1, 6400) s f en some \"words\" {'snr': 1.5, 'tokens': [1, 2]}\n\
         t-1 rc 0.1 1.5 (150, 23) (1, 24000) t m None \u{4e16} {'mood': 'fine', 'snr': 2, 'tokens': []}\n"
    );
}

fn pyarrow_reads_parquet(python: &Python) {
    let scratch = tables();
    scratch.sh("export-data-dir --format=parquet data x.parquet").succeeds();
    let whole = scratch.sh(
        "rm data/segments; sed -i 's/ra/s-1/; s/rc/t-1/' data/wav.scp; export-data-dir --format=parquet data y.parquet",
    );
    whole.succeeds();
    // The first file has what the segments say, the second the files as they are.
    assert_eq!(
        python.run(&scratch, "read_exported", "x.parquet y.parquet a.wav c.wav"),
        "id:string audio:struct<bytes: binary, path: string> text:string speaker:string language:string gender:string \
         duration:double mood:string snr:double tokens:list<element: int64>\n\
         s-1 s-1.wav 6400 some \"words\" s en f 0.4 None 1.5 [1, 2]\n\
         t-1 t-1.wav 24000 \u{4e16} t None m 1.5 fine 2.0 []\n\
         features are those of the columns\ndatasets loads sound\n"
    );
}

fn lhotse_reads_data_directories(python: &Python) {
    let scratch = sound();
    // A folder of sound and texts, without segments.
    scratch.sh("mkdir in in/s && cp a.wav in/s/s-a.wav && cp c.wav in/s/s-c.wav").succeeds();
    scratch.write("in/s/s-a.txt", "first  words\n").write("in/s/s-c.txt", "\u{e4}nd more\n");
    scratch.sh("make-data-dir --spk-from=dir in data").succeeds();
    // It floors durations to milliseconds.
    assert_eq!(
        python.run(&scratch, "lhotse_reads", "kaldi data 16000"),
        "s-a file in/s/s-a.wav 6400 16000\ns-c file in/s/s-c.wav 27200 16000\n\
         s-a s-a 0.0 0.4 0 s first words\ns-c s-c 0.0 1.7 0 s \u{e4}nd more\n"
    );
    // One with segments, from a manifest of NeMo.
    scratch.write(
        "m.json",
        "{\"audio_filepath\": \"c.wav\", \"offset\": 0.1, \"duration\": 0.6, \"text\": \"x y\", \"speaker\": \"p\"}\n\
         {\"audio_filepath\": \"c.wav\", \"offset\": 0.7, \"duration\": 1.0, \"text\": \"z\", \"speaker\": \"q\"}\n",
    );
    scratch.sh("make-data-dir m.json segments").succeeds();
    assert_eq!(
        python.run(&scratch, "lhotse_reads", "kaldi segments 16000"),
        "c file c.wav 27200 16000\np-c-0000100-0000700 c 0.1 0.7 0 p x y\nq-c-0000700-0001700 c 0.7 1.7 0 q z\n"
    );
}

/// Cuts, and Shar of them with sound of each kind, by lhotse; the same utterances come out.
fn reads_shar_of_lhotse(python: &Python) {
    let scratch = sound();
    let texts = "spk0-sup-a number 0 \u{fc}\nspk0-sup-c number 2 \u{fc}\nspk1-sup-b number 1 \u{fc}\n";
    for kind in ["wav", "flac"] {
        scratch.sh("rm -rf l && mkdir l").succeeds();
        python.run(&scratch, "shar_writes", &format!("l {kind}"));
        scratch.sh("make-data-dir --extra=all l/cuts.jsonl.gz cuts").succeeds();
        scratch.sh("make-data-dir --extra=all l/shar shar").succeeds();
        for folder in ["cuts", "shar"] {
            let file = |name: &str| String::from_utf8(scratch.read(&format!("{folder}/{name}"))).unwrap();
            assert_eq!(file("text"), texts);
            assert_eq!(file("utt2spk"), "spk0-sup-a spk0\nspk0-sup-c spk0\nspk1-sup-b spk1\n");
            assert_eq!(file("utt2lang"), "spk0-sup-a English_US\nspk0-sup-c English_US\nspk1-sup-b English_US\n");
            assert_eq!(file("spk2gender"), "spk0 m\nspk1 f\n");
            assert_eq!(file("utt2snr"), "spk0-sup-a 0.5\nspk0-sup-c 2.5\nspk1-sup-b 1.5\n");
            assert_eq!(file("utt2votes"), "spk0-sup-a 1 0\nspk0-sup-c 1 2\nspk1-sup-b 1 1\n");
            scratch.sh(&format!("extract-segments scp:{folder}/wav.scp {folder}/segments ark:{folder}.ark")).succeeds();
        }
        // The cut of lhotse is the part of the recording.
        scratch.sh("cmp cuts.ark shar.ark").succeeds();
        scratch
            .sh("wav-to-duration shar:l/shar ark,t:- | cut -d' ' -f1,2")
            .succeeds()
            .stdout_is("cut.0 0.3\ncut.1 0.3\ncut.2 0.3\n");
        scratch
            .sh("table-head shar,field=custom.emotion:l/shar")
            .succeeds()
            .stdout_is("cut.0 calm \ncut.1 calm \ncut.2 calm \n");
        scratch.sh("rm -r cuts shar").succeeds();
    }
}

fn lhotse_reads_shar(python: &Python) {
    let scratch = sound();
    scratch.sh("mkdir data").succeeds();
    scratch.write("data/wav.scp", "ra a.wav\nrb b.wav\nrc cat c.wav |\n");
    scratch.write("data/segments", "s-1 ra 0.1 0.35\ns-2 rb 0 0.25 1\nt-1 rb 0.1 0.35\nt-2 rc 0.5 1.5\n");
    scratch.write("data/utt2spk", "s-1 s\ns-2 s\nt-1 t\nt-2 t\n").write("data/spk2gender", "s f\n");
    scratch.write("data/text", "s-1 some  \"words\"\ns-2 \u{fc} \u{4e16}\u{754c}\nt-1 a\nt-2 \\b\n");
    scratch.write("data/utt2lang", "t-2 de\n").write("data/utt2snr", "t-2 1.5\n");
    scratch
        .sh("grep t-2 data/segments | extract-segments scp:data/wav.scp - ark:- | compute-fbank-feats --snip-edges=false ark:- ark,scp:feats.ark,data/feats.scp")
        .succeeds();
    for audio in ["wav", "flac"] {
        scratch.sh(&format!("rm -rf shar; make-shar --audio={audio} --num-utts-per-shard=3 data shar")).succeeds();
        let printed = python.run(&scratch, "shar_reads", "shar");
        let lines: Vec<&str> = printed.lines().collect();
        assert_eq!(lines[0], "s-1 ra MonoCut 0 0.25 0 16000", "{printed}");
        assert!(lines[1].starts_with("  (1, 4000) "), "{printed}");
        assert_eq!(lines[2], "  s-1 0.0 0.25 some  \"words\" s None f {}", "{printed}");
        assert!(printed.contains("s-2 rb MonoCut 0 0.25 1 8000\n  (1, 2000) "), "{printed}");
        assert!(printed.contains("t-1 rb MultiCut 0 0.25 [0, 1] 8000\n  (2, 2000) "), "{printed}");
        assert!(printed.contains("  t-2 0.0 1.0 \\b t de None {'snr': 1.5}\n  float32 (100, 23) 0.01 "), "{printed}");
    }
}

fn reads_manifests_of_lhotse(python: &Python) {
    let scratch = sound();
    for end in ["jsonl", "jsonl.gz"] {
        scratch.sh("mkdir l").succeeds();
        python.run(&scratch, "lhotse_writes", &format!("l {end}"));
        scratch.sh("mkdir p && mv l/perturbed_* p && cp l/corpus_supervisions* p").succeeds();
        scratch.sh("make-data-dir l data").succeeds();
        scratch
            .sh("grep ' b ' data/segments")
            .succeeds()
            .stdout_is("spk0-b-0 b 0 1.1333 0\nspk1-b-1 b 0.0125 1.1458 1\n");
        scratch.sh("cat data/wav.scp").succeeds().stdout_is("a a.wav\nb b.wav\nc c.wav\n");
        // The data directory that lhotse makes of the recordings of one channel.
        for file in ["text", "utt2spk", "segments", "wav.scp"] {
            scratch.sh(&format!("grep -v 'b[- .]' data/{file} | cut -d' ' -f-3 | sort > ours")).succeeds();
            scratch
                .sh(&format!("cut -d' ' -f-3 l/kaldi/{file} | sed 's/ 0\\.0$/ 0/; s/ 0\\.0 / 0 /' | sort > theirs"))
                .succeeds();
            scratch.sh("diff ours theirs").succeeds();
        }
        // Sound that is made of other sound is not the file.
        scratch
            .sh("make-data-dir p other")
            .fails_with(255)
            .stderr_has("transforms")
            .stderr_has("perturbed_recordings.jsonl:1");
        scratch.sh("rm -r l p data").succeeds();
    }
}
