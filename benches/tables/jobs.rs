//! What is measured.

use crate::corpus::Corpus;
use crate::examples;
use crate::job::{Job, Rival, Yardstick};
use crate::{lattices, models};

/// Tools and their arguments that make the inputs of jobs, of a part of the data.
pub const PREPARATIONS: &[(Corpus, &str, &[&str])] = &[
    (Corpus::Tables, "copy-matrix", &["ark:m.ark", "ark,t:m.txt"]),
    (Corpus::Tables, "copy-int-vector", &["ark:i.ark", "ark,t:i.txt"]),
    (Corpus::Tables, "copy-feats", &["--compress=true", "ark:m.ark", "ark:c.ark"]),
    (Corpus::Tables, "compute-cmvn-stats", &["ark:m.ark", "ark:cmvn.ark"]),
    (Corpus::Tokens, "int-vector-to-indexed", &["--dtype=uint16", "ark:t.ark", "big"]),
    (Corpus::Tokens, "indexed-split", &["--parts=10", "big", "part-%d"]),
    (Corpus::Ivectors, "ivector-extractor-init", &["--use-weights=false", "full.ubm", "ie"]),
    (Corpus::Ivectors, "fgmm-global-to-gmm", &["full.ubm", "diag.ubm"]),
    (Corpus::Ivectors, "gmm-gselect", &["--n=20", "diag.ubm", "ark:gauss.ark", "ark:gauss.lists"]),
    (Corpus::Speakers, "ivector-compute-plda", &["ark:spk2utt", "ark:speech.ark", "plda"]),
    (
        Corpus::Examples,
        "nnet3-get-egs",
        &["--num-pdfs=3000", "--left-context=4", "--right-context=4", "ark:egs.feats", "ark:egs.post", "ark:egs.ark"],
    ),
    (Corpus::Spliced, "acc-lda", &["lda.mdl", "ark:few.ark", "ark:few.post", "lda.acc"]),
    (Corpus::Lattices, "lattice-copy", &["ark:lats.ark", "ark,t:lats.txt"]),
    (Corpus::Sound, "make-shard-list", &["noise.scp", "noise.text", "made", "data.list"]),
    (Corpus::Sound, "export-data-dir", &["--format=parquet", "noise.data", "hub.parquet"]),
    (Corpus::Sound, "make-shar", &["--compress=none", "--num-utts-per-shard=250", "noise.data", "shar"]),
];

/// All jobs.
pub fn jobs() -> Vec<Job> {
    let mut jobs = table_jobs();
    jobs.extend(feature_jobs());
    jobs.extend(audio_jobs());
    jobs.extend(recording_jobs());
    jobs.extend(models::jobs());
    jobs.extend(examples::jobs());
    jobs.extend(lattices::jobs());
    jobs.extend(token_jobs());
    jobs.extend(feed_jobs());
    jobs.extend(shard_jobs());
    jobs.extend(stored_jobs());
    jobs
}

/// Datasets of 50 million tokens, and the indices of a training on 10 billion.
fn token_jobs() -> Vec<Job> {
    let job = |name, tool, arguments| Job::new(Corpus::Tokens, name, tool, arguments).beside(Rival::Nobody);
    let parts = &[
        "copies/out",
        "part-1",
        "part-1",
        "part-2",
        "part-3",
        "part-4",
        "part-5",
        "part-6",
        "part-7",
        "part-8",
        "part-9",
    ];
    vec![
        job("50 M tokens to a dataset", "int-vector-to-indexed", &["--dtype=uint16", "ark:t.ark", "copies/out"])
            .at_most(1.5, Yardstick::CatAndCp),
        job("50 M tokens of a dataset to vectors", "indexed-to-int-vector", &["big", "ark:out"])
            .at_most(1.5, Yardstick::CatAndCp),
        job("merge of ten datasets", "indexed-merge", parts).at_most(1.1, Yardstick::CpOfTen),
        Job::new(
            Corpus::Sequences,
            "sample indices of 20 M sequences, beside Megatron",
            "indexed-build-samples",
            &["--seq-length=2048", "--split=1", "many", "copies/out"],
        )
        .beside(Rival::Megatron),
    ]
}

/// Copying and converting tables.
fn table_jobs() -> Vec<Job> {
    use Yardstick::{CatToFile, CatToNull, Cp, Words};
    let job = |name, tool, arguments| Job::new(Corpus::Tables, name, tool, arguments);
    vec![
        job("matrices to text", "copy-matrix", &["ark:m.ark", "ark,t:out"]).faster(36.0),
        job("text to matrices (to /dev/null)", "copy-matrix", &["ark:m.txt", "ark:/dev/null"]).faster(30.0),
        job("compress (method 1, to /dev/null)", "copy-feats", &["--compress=true", "ark:m.ark", "ark:/dev/null"])
            .faster(8.0),
        job("decompress (to /dev/null)", "copy-feats", &["--compress=false", "ark:c.ark", "ark:/dev/null"]).faster(5.0),
        job("int vectors, binary (to /dev/null)", "copy-int-vector", &["ark:i.ark", "ark:/dev/null"]).faster(25.0),
        job("int vectors to text", "copy-int-vector", &["ark:i.ark", "ark,t:out"]).faster(8.0),
        job("text to int vectors (to /dev/null)", "copy-int-vector", &["ark:i.txt", "ark:/dev/null"]).faster(12.0),
        job(
            "one long text vector from a pipe (to /dev/null)",
            "copy-int-vector",
            &["ark:cat long.txt |", "ark:/dev/null"],
        )
        .faster(4.0),
        job("type and size of one long text vector", "table-info", &["long.txt"])
            .at_most(1.5, Words)
            .beside(Rival::Nobody),
        job("matrices, binary to binary file", "copy-matrix", &["ark:m.ark", "ark:out"]).at_most(1.1, CatToFile),
        job("matrices by a shuffled script file (to /dev/null)", "copy-matrix", &["scp:shuffled.scp", "ark:/dev/null"])
            .at_most(1.2, CatToNull),
        job("concat-ark of two files", "concat-ark", &["m1.ark", "m2.ark", "ark:out"])
            .at_most(1.1, Cp)
            .beside(Rival::Nobody),
        job("ark-to-scp of the matrices", "ark-to-scp", &["m.ark", "out.scp"])
            .at_most(0.05, CatToFile)
            .beside(Rival::Nobody),
        job("table-info of the matrices", "table-info", &["m.ark"]).at_most(0.2, CatToNull).beside(Rival::Nobody),
        job("table-info of a script file of the matrices", "table-info", &["shuffled.scp"])
            .at_most(0.2, CatToNull)
            .beside(Rival::Nobody),
        job("table-export of the matrices to npz", "table-export", &["m.ark", "out.npz"])
            .at_most(1.5, Cp)
            .beside(Rival::Nobody),
        job("table-export of the matrices to safetensors", "table-export", &["m.ark", "out.safetensors"])
            .at_most(1.3, Cp)
            .beside(Rival::Nobody),
        job("table-export of the matrices to Parquet", "table-export", &["m.ark", "out.parquet"])
            .at_most(1.8, Cp)
            .beside(Rival::Nobody),
        job("table-sort of the matrices", "table-sort", &["ark:m.ark", "ark:out"])
            .at_most(2.0, Cp)
            .beside(Rival::Nobody),
        job("table-stats of the matrices", "table-stats", &["m.ark"])
            .on_one_thread()
            .at_most(1.4, CatToNull)
            .beside(Rival::Nobody),
        job("table-check of the matrices", "table-check", &["m.ark"]).at_most(1.2, CatToNull).beside(Rival::Nobody),
        job("table-diff of the matrices and their script file", "table-diff", &["m.ark", "m.scp"])
            .at_most(2.4, CatToNull)
            .beside(Rival::Nobody),
    ]
}

/// Computing with features and with words.
fn feature_jobs() -> Vec<Job> {
    let job = |name, tool, arguments| Job::new(Corpus::Tables, name, tool, arguments);
    vec![
        job(
            "sliding normalization with variances (to /dev/null)",
            "apply-cmvn-sliding",
            &["--norm-vars=true", "--center=true", "ark:m.ark", "ark:/dev/null"],
        )
        .faster(11.0),
        job("deltas (to /dev/null)", "add-deltas", &["ark:m.ark", "ark:/dev/null"]).faster(4.0),
        job(
            "splicing of 5 frames on each side (to /dev/null)",
            "splice-feats",
            &["--left-context=5", "--right-context=5", "ark:m.ark", "ark:/dev/null"],
        )
        .faster(4.5),
        Job::new(
            Corpus::Spliced,
            "transform from 440 to 40 columns (to /dev/null)",
            "transform-feats",
            &["lda.mat", "ark:wide.ark", "ark:/dev/null"],
        )
        .faster(1.25),
        Job::new(
            Corpus::Words,
            "word errors of 20,000 sentences of 30 words",
            "compute-wer",
            &["--mode=present", "ark:ref.txt", "ark:hyp.txt"],
        ),
        Job::new(
            Corpus::Words,
            "alignment of these sentences (to /dev/null)",
            "align-text",
            &["ark:ref.txt", "ark:hyp.txt", "ark,t:/dev/null"],
        ),
    ]
}

/// Feeding training.
fn feed_jobs() -> Vec<Job> {
    let job = |corpus, name, tool, arguments| Job::new(corpus, name, tool, arguments).beside(Rival::Nobody);
    vec![
        job(Corpus::Tables, "table-shuffle of the matrices", "table-shuffle", &["ark:m.ark", "ark:out"])
            .at_most(1.2, Yardstick::CatToFile),
        job(Corpus::Tables, "spec augmentation (to /dev/null)", "spec-augment-feats", &["ark:m.ark", "ark:/dev/null"])
            .at_most(0.06, Yardstick::Words),
        job(
            Corpus::Words,
            "20,000 sentences of 30 words as characters (to /dev/null)",
            "tokenize-text",
            &["--symbols=/dev/null", "ref.txt", "ark:/dev/null"],
        ),
        job(
            Corpus::Tables,
            "the matrices as padded batches (to /dev/null)",
            "feed-batches",
            &["--chain=batch.yaml", "--data-type=table", "scp:m.scp", "-"],
        )
        .at_most(1.8, Yardstick::CatToNull),
        job(
            Corpus::Sound,
            "from 1000 utterances in shards to padded batches: 80 filter banks, dither, spec augmentation (to /dev/null)",
            "feed-batches",
            &["--conf=train.yaml", "--labels=none", "--data-type=shard", "data.list", "-"],
        ),
        job(
            Corpus::Sound,
            "the last of these batches, the first 50 passed over (to /dev/null)",
            "feed-batches",
            &["--conf=train.yaml", "--labels=none", "--skip-batches=50", "--data-type=shard", "data.list", "-"],
        ),
    ]
}

/// Features of recordings.
fn audio_jobs() -> Vec<Job> {
    let job = |name, tool, arguments| Job::new(Corpus::Audio, name, tool, arguments);
    vec![
        job("MFCC without dither", "compute-mfcc-feats", &["--dither=0", "scp:wav.scp", "ark:/dev/null"]).faster(9.0),
        job("MFCC", "compute-mfcc-feats", &["scp:wav.scp", "ark:/dev/null"]).faster(20.0),
        job("80 filter banks", "compute-fbank-feats", &["--num-mel-bins=80", "scp:wav.scp", "ark:/dev/null"])
            .faster(17.0),
        job("PLP", "compute-plp-feats", &["scp:wav.scp", "ark:/dev/null"]).faster(20.0),
        job("spectrogram", "compute-spectrogram-feats", &["scp:wav.scp", "ark:/dev/null"]).faster(14.0),
        job("pitch", "compute-kaldi-pitch-feats", &["scp:wav.scp", "ark:/dev/null"]).faster(7.0),
        job(
            "80 filter banks without dither on one thread, beside `kaldi_native_fbank`",
            "compute-fbank-feats",
            &["--num-mel-bins=80", "--dither=0", "--num-threads=1", "scp:wav.scp", "ark:/dev/null"],
        )
        .beside(Rival::NativeFbank),
    ]
}

/// Recordings in, recordings out.
fn recording_jobs() -> Vec<Job> {
    let job = |name, tool, arguments| Job::new(Corpus::Audio, name, tool, arguments).on_one_thread();
    vec![
        job(
            "resampling from 16 kHz to 8 kHz, compared with sox (to /dev/null)",
            "resample-wav",
            &["--resample-rate=8000", "scp:wav.scp", "ark:/dev/null"],
        )
        .beside(Rival::Sox(&["long.wav", "-r", "8000", "-t", "wav", "/dev/null"])),
        job(
            "resampling from 16 kHz to 22.05 kHz, compared with sox (to /dev/null)",
            "resample-wav",
            &["--resample-rate=22050", "scp:wav.scp", "ark:/dev/null"],
        )
        .beside(Rival::Sox(&["long.wav", "-r", "22050", "-t", "wav", "/dev/null"])),
        job(
            "speed perturbation to 0.9, compared with sox (to /dev/null)",
            "perturb-wav-speed",
            &["--speeds=0.9", "scp:wav.scp", "ark:/dev/null"],
        )
        .beside(Rival::Sox(&["long.wav", "-t", "wav", "/dev/null", "speed", "0.9"])),
        Job::new(
            Corpus::Audio,
            "reverberation with half a second of a room, and noise",
            "wav-reverberate",
            &[
                "--impulse-response=room.wav",
                "--additive-signals=wav/utt000.wav",
                "--snrs=10",
                "--start-times=1",
                "long.wav",
                "out",
            ],
        ),
    ]
}

/// Shards of 200 MB of 16-bit sound.
fn shard_jobs() -> Vec<Job> {
    use Yardstick::{CatShard, CpSound};
    let job = |name, tool, arguments| Job::new(Corpus::Sound, name, tool, arguments).beside(Rival::Nobody);
    vec![
        job("making shards", "make-shard-list", &["noise.scp", "noise.text", "copies", "out"]).at_most(1.2, CpSound),
        job(
            "reading the samples of shards (to /dev/null)",
            "extract-shards",
            &["--write-wav=ark:/dev/null", "data.list"],
        )
        .at_most(1.5, CatShard),
        job("listing shards", "list-shards", &["data.list"]).at_most(0.5, CatShard),
        job("checking shards by headers", "check-shards", &["--quick=true", "data.list"]).at_most(0.5, CatShard),
        job("a script file of shards", "shards-to-scp", &["data.list", "out.scp"]).at_most(0.5, CatShard),
        job("copying and shuffling shards", "copy-shards", &["--seed=1", "data.list", "copies", "out"])
            .at_most(1.3, CpSound),
    ]
}

/// Corpora as hubs and other programs store them.
fn stored_jobs() -> Vec<Job> {
    let job = |corpus, name, tool, arguments| Job::new(corpus, name, tool, arguments).beside(Rival::Nobody);
    vec![
        job(
            Corpus::Sound,
            "Parquet with sound inside to a data directory",
            "make-data-dir",
            &["hub.parquet", "copies/data"],
        )
        .at_most(2.0, Yardstick::CatHubAndCpSound),
        job(Corpus::Cuts, "a million cuts of lhotse to tables", "make-data-dir", &["cuts.jsonl", "copies/data"])
            .at_most(2.0, Yardstick::WordsOfCuts),
        job(Corpus::Sound, "making Shar", "make-shar", &["noise.data", "copies/shar"]).at_most(1.3, Yardstick::CpSound),
        job(Corpus::Sound, "indices of Shar", "index-shards", &["shar"]).at_most(1.0, Yardstick::CatShar),
    ]
}
