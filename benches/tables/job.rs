//! A line of the report: a command, and what it is compared with.

use std::path::PathBuf;

use crate::corpus::Corpus;
use crate::measure::Run;

/// A command that moves the same bytes as a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yardstick {
    /// `wc -w` of the matrices in text form.
    Words,
    /// `cat m.ark > out`.
    CatToFile,
    /// `cat m.ark > /dev/null`.
    CatToNull,
    /// `cp m1.ark m2.ark folder`.
    Cp,
    /// `cat t.ark > out` and `cp` of the dataset's tokens.
    CatAndCp,
    /// `cp` of the ten datasets.
    CpOfTen,
    /// `cat` of a shard to `/dev/null`.
    CatShard,
    /// `cp` of the sound in that shard.
    CpSound,
    /// `cat` of the Parquet file with that sound, and `cp` of the sound.
    CatHubAndCpSound,
    /// `cat` of a Shar folder to `/dev/null`.
    CatShar,
    /// `wc -w` of cuts.
    WordsOfCuts,
}

impl Yardstick {
    /// How the report calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Words => "`wc -w` of the text",
            Self::CatToFile => "`cat in > out`",
            Self::CatToNull => "`cat in > /dev/null`",
            Self::Cp => "`cp`",
            Self::CatAndCp => "`cat` and `cp`",
            Self::CpOfTen => "`cp` of the ten",
            Self::CatShard => "`cat shard > /dev/null`",
            Self::CpSound => "`cp` of the sound",
            Self::CatHubAndCpSound => "`cat` of it and `cp -r` of the result",
            Self::CatShar => "`cat shar/* > /dev/null`",
            Self::WordsOfCuts => "`wc -w` of the cuts",
        }
    }

    /// The command. Its data is there if a job needs it.
    pub fn run(self) -> Run {
        let sh = |script| Run::new("sh".into(), &["-c", script]);
        match self {
            Self::Words => Run::new("wc".into(), &["-w", "m.txt"]),
            Self::CatToFile => Run::new("cat".into(), &["m.ark"]).with_stdout("out"),
            Self::CatToNull => Run::new("cat".into(), &["m.ark"]),
            Self::Cp => Run::new("cp".into(), &["m1.ark", "m2.ark", "copies"]),
            Self::CatAndCp => sh("cat t.ark > out; cp big.bin copies"),
            Self::CpOfTen => sh("cp part-*.bin copies"),
            Self::CatShard => sh("cat made/*.tar"),
            Self::CpSound => Run::new("cp".into(), &["-r", "noise", "copies"]),
            Self::CatHubAndCpSound => sh("cat hub.parquet; cp -r noise copies"),
            Self::CatShar => sh("cat shar/*.tar shar/*.jsonl"),
            Self::WordsOfCuts => Run::new("wc".into(), &["-w", "cuts.jsonl"]),
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

impl Rival {
    /// How the report calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kaldi => "Kaldi",
            Self::NativeFbank => "`kaldi_native_fbank`",
            Self::Megatron => "Megatron",
            Self::Sox(_) => "sox",
            Self::Nobody => "",
        }
    }
}

/// What the processor time of a job should be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// The rival takes so many times as long.
    Faster(f64),
    /// At most this multiple of the yardstick's.
    AtMost(f64),
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
    pub yardstick: Option<Yardstick>,
    pub goal: Option<Goal>,
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
        let name = name.to_owned();
        Self { name, tool, arguments, threads: None, rival: Rival::Kaldi, corpus, yardstick: None, goal: None }
    }

    /// The job on one thread of ours.
    pub fn on_one_thread(self) -> Self {
        Self { name: self.name + " (one thread)", threads: Some("--num-threads=1"), ..self }
    }

    /// The job on two threads of ours.
    pub fn on_two_threads(self) -> Self {
        Self { name: self.name + " (two threads)", threads: Some("--num-threads=2"), ..self }
    }

    /// The goal is that the rival takes `times` as much processor time.
    pub fn faster(self, times: f64) -> Self {
        Self { goal: Some(Goal::Faster(times)), ..self }
    }

    /// The goal is at most this multiple of a yardstick's processor time.
    pub fn at_most(self, multiple: f64, yardstick: Yardstick) -> Self {
        Self { yardstick: Some(yardstick), goal: Some(Goal::AtMost(multiple)), ..self }
    }

    pub fn beside(self, rival: Rival) -> Self {
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
