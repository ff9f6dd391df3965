//! Measures the built tools on a large table and prints a Markdown table: times, their goals, and yardsticks of the same
//! run. Started by `scripts/bench.sh`, which builds the tools first.
//!
//! The unit of CPU time is `U`: that of `wc -w` on the text of the matrices, which reads the same bytes and finds the
//! same words (in the locale `C.UTF-8`, where it is fastest). Binary jobs are compared with `cat` and `cp` by the clock.
//! Every number is the best of several rounds, in which all commands run once each.
//!
//! With `--json=<file>` the times are written, and with `--against=<file>` compared with those that were: rows that are slower
//! by more than 3 % are named, and the exit code is 1 if there are any.
//!
//! Environment: `KALDI_BIN` is a folder with Kaldi's programs to measure as well; `PYTHON` an interpreter (python3), of which
//! the package `kaldi_native_fbank` is measured where it is installed; `PEERS_PYTHON` that of `tests/peers`; `ROWS` a part of the names of the jobs to do (all);
//! `ROUNDS` how often (3); `TMPDIR` where the data goes (3 GB, removed afterwards).

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, reason = "a program for developers")]

mod arguments;
mod baseline;
mod corpus;
mod growth;
mod jobs;
mod measure;
mod models;
mod pieces;
mod remote;
mod report;
mod reports;
#[path = "../../samples/voice.rs"]
mod voice;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use arguments::Arguments;
use baseline::{Baseline, Row, Times};
use corpus::Corpus;
use jobs::{Job, Rival};
use measure::{Cost, Run};

/// What each round measures, and what it took.
struct Measured {
    run: Run,
    costs: Vec<Cost>,
}

impl Measured {
    /// The lowest times of all rounds.
    fn best(&self) -> Cost {
        self.costs.iter().copied().reduce(Cost::min).expect("there is a round")
    }

    fn cpu(&self) -> Times {
        Times::of(self.costs.iter().map(|cost| cost.cpu))
    }

    fn wall(&self) -> Times {
        Times::of(self.costs.iter().map(|cost| cost.wall))
    }
}

fn main() -> ExitCode {
    match Arguments::from_command_line() {
        Ok(arguments) => measure_all(&arguments),
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::from(2)
        }
    }
}

fn measure_all(arguments: &Arguments) -> ExitCode {
    let tools = arguments.tools.clone();
    let kaldi = std::env::var_os("KALDI_BIN")
        .map(|folder| PathBuf::from(folder).canonicalize().expect("KALDI_BIN is a folder"));
    let rounds = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(3);
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let dir = folder.path();

    let python = native_fbank();
    let wanted = std::env::var("ROWS").unwrap_or_default().to_lowercase();
    let jobs: Vec<Job> = jobs::jobs().into_iter().filter(|job| job.name.to_lowercase().contains(&wanted)).collect();
    let program = |folder: Option<&PathBuf>, job: &Job| Some(folder?.join(job.tool)).filter(|program| program.exists());
    let rival = |job: &Job| match job.rival {
        Rival::Kaldi => program(kaldi.as_ref(), job).map(|program| job.run_kaldi(program)),
        Rival::NativeFbank => python.clone().map(Job::run_native_fbank),
        Rival::Megatron => peers_python().map(Job::run_megatron),
        Rival::Nobody => None,
    };

    let mut written = Vec::new();
    for corpus in Corpus::ALL {
        let is_needed =
            |job: &Job| job.corpus == corpus && (program(Some(&tools), job).is_some() || rival(job).is_some());
        if corpus == Corpus::Tables || jobs.iter().any(is_needed) {
            corpus.write(dir).expect("the data can be written");
            written.push(corpus);
        }
    }
    prepare(&tools, dir, &written);

    remote::print(&tools, dir, &wanted, rounds);
    pieces::print(&tools, dir, &wanted, rounds);
    growth::print(&tools, dir, &wanted);
    reports::print(&tools, dir, &wanted, rounds);

    let yardsticks = jobs::yardsticks();
    let mut runs: Vec<Measured> = Vec::new();
    let mut add = |run: Run| {
        runs.push(Measured { run, costs: Vec::new() });
        runs.len() - 1
    };
    let yardsticks: Vec<_> = yardsticks.into_iter().map(&mut add).collect();
    let rows: Vec<_> = jobs
        .iter()
        .map(|job| {
            let ours = program(Some(&tools), job).map(|program| add(job.run(program)));
            let theirs = rival(job).map(&mut add);
            (job, ours, theirs)
        })
        .collect();

    for _ in 0..rounds {
        for measured in &mut runs {
            let cost = measured.run.measure(dir);
            measured.costs.push(cost);
        }
    }
    let best = |index: usize| runs[index].best();
    report::Report {
        yardsticks: yardsticks.iter().map(|&index| best(index)).collect(),
        rows: rows.iter().map(|(job, ours, theirs)| (*job, ours.map(best), theirs.map(best))).collect(),
        start: measure::start_time(&tools.join("copy-matrix")),
        kaldis_start: kaldi.as_ref().map(|kaldi| measure::start_time(&kaldi.join("copy-matrix"))),
        size: size(&tools),
        rounds,
    }
    .print();

    let row = |(job, ours, theirs): &(&Job, Option<usize>, Option<usize>)| {
        let (ours, theirs) = (&runs[(*ours)?], theirs.map(|theirs| runs[theirs].cpu()));
        Some(Row { name: job.name.clone(), cpu: ours.cpu(), wall: ours.wall(), rival_cpu: theirs })
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let rows = rows.iter().filter_map(row).collect();
    arguments.keep_and_compare(&Baseline { processor: report::processor(), processors, rounds, rows })
}

/// A Python interpreter that has the package `kaldi_native_fbank`.
fn native_fbank() -> Option<PathBuf> {
    let python = PathBuf::from(std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into()));
    let mut import = Command::new(&python);
    import.args(["-c", "import kaldi_native_fbank"]).stdout(Stdio::null()).stderr(Stdio::null());
    import.status().is_ok_and(|status| status.success()).then_some(python)
}

/// The Python of the environment of `tests/peers`, where it has been made.
fn peers_python() -> Option<PathBuf> {
    let made = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/target/peers/bin/python"));
    std::env::var_os("PEERS_PYTHON").map(PathBuf::from).or(Some(made)).filter(|python| python.exists())
}

/// Makes what the jobs read of the corpus, with the tools themselves.
fn prepare(tools: &Path, dir: &Path, written: &[Corpus]) {
    for (corpus, tool, arguments) in jobs::preparations() {
        let program = tools.join(tool);
        if program.exists() && written.contains(&corpus) {
            Run::new(program, arguments).measure(dir);
        }
    }
}

/// The size of the program.
fn size(tools: &Path) -> u64 {
    std::fs::metadata(tools.join("kaldi-tables")).expect("the program is built").len()
}
