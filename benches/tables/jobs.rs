//! What is measured.

use std::path::PathBuf;

use crate::measure::Run;

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
}

impl Yardstick {
    /// How the report calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unit => "U",
            Self::CatToFile => "× `cat in > out`",
            Self::CatToNull => "× `cat in > /dev/null`",
            Self::Cp => "× `cp`",
        }
    }
}

/// One line of the report.
#[derive(Debug)]
pub struct Job {
    pub name: &'static str,
    pub tool: &'static str,
    pub arguments: &'static [&'static str],
    pub in_kaldi: bool,
    pub yardstick: Yardstick,
    /// Goals for CPU time and time on the clock, as multiples of the yardstick.
    pub goals: (Option<f64>, Option<f64>),
}

impl Job {
    /// The job, done by `program`.
    pub fn run(&self, program: PathBuf) -> Run {
        Run::new(program, self.arguments)
    }
}

/// The commands that jobs are compared with, in the order of [`Yardstick`].
pub fn yardsticks() -> Vec<Run> {
    vec![
        Run::new("wc".into(), &["-w", "m.txt"]),
        Run::new("cat".into(), &["m.ark"]).with_stdout("out"),
        Run::new("cat".into(), &["m.ark"]),
        Run::new("cp".into(), &["m1.ark", "m2.ark", "copies"]),
    ]
}

/// Tools and their arguments that make the inputs of jobs.
pub fn preparations() -> [(&'static str, &'static [&'static str]); 3] {
    [
        ("copy-matrix", &["ark:m.ark", "ark,t:m.txt"]),
        ("copy-int-vector", &["ark:i.ark", "ark,t:i.txt"]),
        ("copy-feats", &["--compress=true", "ark:m.ark", "ark:c.ark"]),
    ]
}

/// All jobs.
pub fn jobs() -> Vec<Job> {
    use Yardstick::{CatToFile, CatToNull, Cp, Unit};
    let job = |name, tool, arguments, yardstick, cpu, wall| {
        let in_kaldi = !matches!(tool, "concat-ark" | "ark-to-scp");
        Job { name, tool, arguments, in_kaldi, yardstick, goals: (cpu, wall) }
    };
    vec![
        job("matrices to text", "copy-matrix", &["ark:m.ark", "ark,t:out"], Unit, Some(0.6), Some(0.35)),
        job(
            "text to matrices (to /dev/null)",
            "copy-matrix",
            &["ark:m.txt", "ark:/dev/null"],
            Unit,
            Some(0.45),
            Some(0.28),
        ),
        job(
            "compress (method 1, to /dev/null)",
            "copy-feats",
            &["--compress=true", "ark:m.ark", "ark:/dev/null"],
            Unit,
            Some(0.15),
            Some(0.08),
        ),
        job(
            "decompress (to /dev/null)",
            "copy-feats",
            &["--compress=false", "ark:c.ark", "ark:/dev/null"],
            Unit,
            Some(0.06),
            Some(0.04),
        ),
        job(
            "sliding normalization with variances (to /dev/null)",
            "apply-cmvn-sliding",
            &["--norm-vars=true", "ark:m.ark", "ark:/dev/null"],
            Unit,
            Some(0.27),
            Some(0.14),
        ),
        job(
            "int vectors, binary (to /dev/null)",
            "copy-int-vector",
            &["ark:i.ark", "ark:/dev/null"],
            Unit,
            Some(0.025),
            None,
        ),
        job("int vectors to text", "copy-int-vector", &["ark:i.ark", "ark,t:out"], Unit, Some(0.07), Some(0.05)),
        job(
            "text to int vectors (to /dev/null)",
            "copy-int-vector",
            &["ark:i.txt", "ark:/dev/null"],
            Unit,
            Some(0.06),
            Some(0.04),
        ),
        job("matrices, binary to binary file", "copy-matrix", &["ark:m.ark", "ark:out"], CatToFile, None, Some(1.15)),
        job(
            "matrices by a shuffled script file (to /dev/null)",
            "copy-matrix",
            &["scp:shuffled.scp", "ark:/dev/null"],
            CatToNull,
            None,
            Some(1.2),
        ),
        job("concat-ark of two files", "concat-ark", &["m1.ark", "m2.ark", "ark:out"], Cp, None, Some(1.02)),
        job("ark-to-scp of the matrices", "ark-to-scp", &["m.ark", "out.scp"], CatToFile, None, Some(0.05)),
    ]
}
