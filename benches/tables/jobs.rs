//! What is measured.

use std::path::PathBuf;

use crate::corpus::Corpus;
use crate::measure::Run;
use crate::models;

/// What a job's time is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yardstick {
    /// The CPU time of `wc -w` on the matrices in text form.
    Unit,
    /// The time on the clock of `cat m.ark > out`.
    CatToFile,
    /// The time on the clock of `cat m.ark > /dev/null`.
    CatToNull,
    /// The time on the clock of `cp m1.ark m2.ark folder`.
    Cp,
    /// The time on the clock of `cat t.ark > out` and `cp` of the dataset's tokens.
    CatAndCp,
    /// The time on the clock of `cp` of the ten datasets.
    CpOfTen,
    /// The time on the clock of `cat` of a shard to `/dev/null`.
    CatShard,
    /// The time on the clock of `cp` of the sound in that shard.
    CpSound,
}

impl Yardstick {
    /// How the report calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unit => "U",
            Self::CatToFile => "× `cat in > out`",
            Self::CatToNull => "× `cat in > /dev/null`",
            Self::Cp => "× `cp`",
            Self::CatAndCp => "× (`cat` + `cp`)",
            Self::CpOfTen => "× `cp` of the ten",
            Self::CatShard => "× `cat shard > /dev/null`",
            Self::CpSound => "× `cp` of the sound",
        }
    }
}

/// Who does a job besides us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rival {
    /// Kaldi's program of the same name, with the same arguments.
    Kaldi,
    /// The Python package `kaldi_native_fbank`.
    NativeFbank,
    /// `megatron_core`, where the environment of `tests/peers` has been made.
    Megatron,
    /// sox, with these arguments.
    Sox(&'static [&'static str]),
    /// Nobody.
    Nobody,
}

/// One line of the report.
#[derive(Debug)]
pub struct Job {
    pub name: String,
    pub tool: &'static str,
    pub arguments: &'static [&'static str],
    /// An option of ours for the number of threads; Kaldi's programs run as they do without options, on one.
    pub threads: Option<&'static str>,
    pub rival: Rival,
    pub corpus: Corpus,
    pub yardstick: Yardstick,
    /// Goals for CPU time and time on the clock, as multiples of the yardstick.
    pub goals: (Option<f64>, Option<f64>),
}

impl Job {
    /// The job, done by our program.
    pub fn run(&self, program: PathBuf) -> Run {
        let run = Run::new(program, self.arguments);
        self.threads.into_iter().fold(run, Run::with_option)
    }

    /// The job, done by Kaldi's program.
    pub fn run_kaldi(&self, program: PathBuf) -> Run {
        Run::new(program, self.arguments)
    }

    /// The filter banks of all recordings, computed by the Python package.
    pub fn run_native_fbank(python: PathBuf) -> Run {
        Run::new(python, &["-c", NATIVE_FBANK])
    }

    /// The sample indices of all sequences, built by Megatron.
    pub fn run_megatron(python: PathBuf) -> Run {
        Run::new(
            python,
            &["-B", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/scripts/build_samples.py"), "many", "out"],
        )
    }

    pub fn new(corpus: Corpus, name: &'static str, tool: &'static str, arguments: &'static [&'static str]) -> Self {
        let (name, goals) = (name.to_owned(), (None, None));
        Self { name, tool, arguments, threads: None, rival: Rival::Kaldi, corpus, yardstick: Yardstick::Unit, goals }
    }

    /// The job on one thread of ours.
    pub fn on_one_thread(self) -> Self {
        Self { name: self.name + " (one thread)", threads: Some("--num-threads=1"), ..self }
    }

    /// The job on two threads of ours.
    pub fn on_two_threads(self) -> Self {
        Self { name: self.name + " (two threads)", threads: Some("--num-threads=2"), ..self }
    }

    /// Goals as multiples of the unit.
    fn goals(self, cpu: f64, wall: impl Into<Option<f64>>) -> Self {
        Self { goals: (Some(cpu), wall.into()), ..self }
    }

    /// Goals as parts of the time that Kaldi takes, which was measured in seconds where the unit was 1.5 seconds.
    pub fn parts_of_kaldis(self, seconds: f64, cpu: f64, wall: f64) -> Self {
        self.goals(seconds * cpu / 1.5, seconds * wall / 1.5)
    }

    /// A goal for the time on the clock, as a multiple of another yardstick.
    fn compared_with(self, yardstick: Yardstick, wall: f64) -> Self {
        Self { yardstick, goals: (None, Some(wall)), ..self }
    }

    fn beside(self, rival: Rival) -> Self {
        Self { rival, ..self }
    }
}

/// What Python does: 80 filter banks of all recordings, from files to arrays.
const NATIVE_FBANK: &str = "
import array, wave
import kaldi_native_fbank
options = kaldi_native_fbank.FbankOptions()
options.frame_opts.dither = 0
options.mel_opts.num_bins = 80
for line in open('wav.scp'):
    file = wave.open(line.split()[1])
    samples = array.array('h', file.readframes(file.getnframes())).tolist()
    fbank = kaldi_native_fbank.OnlineFbank(options)
    fbank.accept_waveform(16000, samples)
    fbank.input_finished()
    for frame in range(fbank.num_frames_ready):
        fbank.get_frame(frame)
";

/// The commands that jobs are compared with, in the order of [`Yardstick`].
pub fn yardsticks() -> Vec<Run> {
    vec![
        Run::new("wc".into(), &["-w", "m.txt"]),
        Run::new("cat".into(), &["m.ark"]).with_stdout("out"),
        Run::new("cat".into(), &["m.ark"]),
        Run::new("cp".into(), &["m1.ark", "m2.ark", "copies"]),
        // Their data is there only where a job needs it.
        Run::new("sh".into(), &["-c", "[ ! -e big.bin ] || { cat t.ark > out; cp big.bin copies; }"]),
        Run::new("sh".into(), &["-c", "[ ! -e part-1.bin ] || cp part-*.bin copies"]),
        Run::new("sh".into(), &["-c", "[ ! -e made ] || cat made/*.tar"]),
        Run::new("sh".into(), &["-c", "[ ! -e noise ] || cp -r noise copies"]),
    ]
}

/// Tools and their arguments that make the inputs of jobs, of a part of the data.
pub const PREPARATIONS: &[(Corpus, &str, &[&str])] = &[
    (Corpus::Tables, "copy-matrix", &["ark:m.ark", "ark,t:m.txt"]),
    (Corpus::Tables, "copy-int-vector", &["ark:i.ark", "ark,t:i.txt"]),
    (Corpus::Tables, "copy-feats", &["--compress=true", "ark:m.ark", "ark:c.ark"]),
    (Corpus::Tokens, "int-vector-to-indexed", &["--dtype=uint16", "ark:t.ark", "big"]),
    (Corpus::Tokens, "indexed-split", &["--parts=10", "big", "part-%d"]),
    (Corpus::Ivectors, "ivector-extractor-init", &["--use-weights=false", "full.ubm", "ie"]),
    (Corpus::Ivectors, "fgmm-global-to-gmm", &["full.ubm", "diag.ubm"]),
    (Corpus::Ivectors, "gmm-gselect", &["--n=20", "diag.ubm", "ark:gauss.ark", "ark:gauss.lists"]),
    (Corpus::Speakers, "ivector-compute-plda", &["ark:spk2utt", "ark:speech.ark", "plda"]),
    (Corpus::Spliced, "acc-lda", &["lda.mdl", "ark:few.ark", "ark:few.post", "lda.acc"]),
    (Corpus::Sound, "make-shard-list", &["noise.scp", "noise.text", "made", "data.list"]),
];

/// All jobs.
pub fn jobs() -> Vec<Job> {
    let mut jobs = table_jobs();
    jobs.extend(feature_jobs());
    jobs.extend(audio_jobs());
    jobs.extend(recording_jobs());
    jobs.extend(models::jobs());
    jobs.extend(token_jobs());
    jobs.extend(feed_jobs());
    jobs.extend(shard_jobs());
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
            .compared_with(Yardstick::CatAndCp, 1.5),
        job("50 M tokens of a dataset to vectors", "indexed-to-int-vector", &["big", "ark:out"])
            .compared_with(Yardstick::CatAndCp, 1.5),
        job("merge of ten datasets", "indexed-merge", parts).compared_with(Yardstick::CpOfTen, 1.1),
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
    use Yardstick::{CatToFile, CatToNull, Cp};
    let job = |name, tool, arguments| Job::new(Corpus::Tables, name, tool, arguments);
    vec![
        job("matrices to text", "copy-matrix", &["ark:m.ark", "ark,t:out"]).goals(0.3, 0.35),
        job("text to matrices (to /dev/null)", "copy-matrix", &["ark:m.txt", "ark:/dev/null"]).goals(0.25, 0.28),
        job("compress (method 1, to /dev/null)", "copy-feats", &["--compress=true", "ark:m.ark", "ark:/dev/null"])
            .goals(0.09, 0.08),
        job("decompress (to /dev/null)", "copy-feats", &["--compress=false", "ark:c.ark", "ark:/dev/null"])
            .goals(0.03, 0.04),
        job("int vectors, binary (to /dev/null)", "copy-int-vector", &["ark:i.ark", "ark:/dev/null"])
            .goals(0.025, None),
        job("int vectors to text", "copy-int-vector", &["ark:i.ark", "ark,t:out"]).goals(0.07, 0.05),
        job("text to int vectors (to /dev/null)", "copy-int-vector", &["ark:i.txt", "ark:/dev/null"]).goals(0.06, 0.04),
        job(
            "one long text vector from a pipe (to /dev/null)",
            "copy-int-vector",
            &["ark:cat long.txt |", "ark:/dev/null"],
        )
        .goals(0.15, None),
        job("type and size of one long text vector", "table-info", &["long.txt"])
            .goals(1.5, None)
            .beside(Rival::Nobody),
        job("matrices, binary to binary file", "copy-matrix", &["ark:m.ark", "ark:out"]).compared_with(CatToFile, 1.15),
        job("matrices by a shuffled script file (to /dev/null)", "copy-matrix", &["scp:shuffled.scp", "ark:/dev/null"])
            .compared_with(CatToNull, 1.2),
        job("concat-ark of two files", "concat-ark", &["m1.ark", "m2.ark", "ark:out"])
            .compared_with(Cp, 1.02)
            .beside(Rival::Nobody),
        job("ark-to-scp of the matrices", "ark-to-scp", &["m.ark", "out.scp"])
            .compared_with(CatToFile, 0.05)
            .beside(Rival::Nobody),
        job("table-info of the matrices", "table-info", &["m.ark"]).compared_with(CatToNull, 0.2).beside(Rival::Nobody),
        job("table-info of a script file of the matrices", "table-info", &["shuffled.scp"])
            .compared_with(CatToNull, 0.2)
            .beside(Rival::Nobody),
        job("table-export of the matrices to npz", "table-export", &["m.ark", "out.npz"])
            .compared_with(Cp, 1.5)
            .beside(Rival::Nobody),
        job("table-sort of the matrices", "table-sort", &["ark:m.ark", "ark:out"])
            .compared_with(Cp, 2.0)
            .beside(Rival::Nobody),
        job("table-stats of the matrices", "table-stats", &["m.ark"])
            .compared_with(CatToFile, 1.5)
            .beside(Rival::Nobody),
        job("table-check of the matrices", "table-check", &["m.ark"])
            .compared_with(CatToNull, 1.2)
            .beside(Rival::Nobody),
        job("table-diff of the matrices and their script file", "table-diff", &["m.ark", "m.scp"])
            .compared_with(CatToNull, 2.4)
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
        .parts_of_kaldis(0.82, 0.5, 0.25),
        job("deltas (to /dev/null)", "add-deltas", &["ark:m.ark", "ark:/dev/null"]).goals(0.04, 0.04),
        job(
            "splicing of 5 frames on each side (to /dev/null)",
            "splice-feats",
            &["--left-context=5", "--right-context=5", "ark:m.ark", "ark:/dev/null"],
        )
        .parts_of_kaldis(0.12, 0.5, 0.25),
        Job::new(
            Corpus::Spliced,
            "transform from 440 to 40 columns (to /dev/null)",
            "transform-feats",
            &["lda.mat", "ark:wide.ark", "ark:/dev/null"],
        )
        .parts_of_kaldis(0.15, 0.5, 0.25),
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
            .compared_with(Yardstick::CatToFile, 1.5),
        job(Corpus::Tables, "spec augmentation (to /dev/null)", "spec-augment-feats", &["ark:m.ark", "ark:/dev/null"])
            .goals(0.06, 0.04),
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
        .compared_with(Yardstick::CatToNull, 2.0),
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

/// Features of recordings. Goals: half of Kaldi's CPU time without dither, a fifth with it, half for pitch; half of that on
/// the clock.
fn audio_jobs() -> Vec<Job> {
    let job = |name, tool, arguments| Job::new(Corpus::Audio, name, tool, arguments);
    vec![
        job("MFCC without dither", "compute-mfcc-feats", &["--dither=0", "scp:wav.scp", "ark:/dev/null"])
            .parts_of_kaldis(0.52, 0.5, 0.25),
        job("MFCC", "compute-mfcc-feats", &["scp:wav.scp", "ark:/dev/null"]).goals(0.1, 0.13),
        job("80 filter banks", "compute-fbank-feats", &["--num-mel-bins=80", "scp:wav.scp", "ark:/dev/null"])
            .goals(0.11, 0.12),
        job("PLP", "compute-plp-feats", &["scp:wav.scp", "ark:/dev/null"]).parts_of_kaldis(1.9, 0.2, 0.1),
        job("spectrogram", "compute-spectrogram-feats", &["scp:wav.scp", "ark:/dev/null"]).goals(0.14, 0.13),
        job("pitch", "compute-kaldi-pitch-feats", &["scp:wav.scp", "ark:/dev/null"]).goals(0.25, 0.35),
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
        job("making shards", "make-shard-list", &["noise.scp", "noise.text", "copies", "out"])
            .compared_with(CpSound, 1.3),
        job(
            "reading the samples of shards (to /dev/null)",
            "extract-shards",
            &["--write-wav=ark:/dev/null", "data.list"],
        )
        .compared_with(CatShard, 1.5),
        job("listing shards", "list-shards", &["data.list"]).compared_with(CatShard, 0.5),
        job("checking shards by headers", "check-shards", &["--quick=true", "data.list"]).compared_with(CatShard, 0.5),
        job("a script file of shards", "shards-to-scp", &["data.list", "out.scp"]).compared_with(CatShard, 0.5),
        job("copying and shuffling shards", "copy-shards", &["--seed=1", "data.list", "copies", "out"])
            .compared_with(CpSound, 1.3),
    ]
}
