//! Measures the built tools on a large table and prints a Markdown table: times, their goals, and yardsticks of the same
//! run. Started by `scripts/bench.sh`, which builds the tools first.
//!
//! Jobs that Kaldi's programs do, too, are compared with these; copies with `cat` and `cp`, which run right before
//! them: twice, and the second time counts (`wc -w` in the locale `C.UTF-8`, where it is fastest). A virtual machine gives memory back that
//! is free for seconds, so whoever writes first after a pause, or after a command that had much memory, waits for its host. In a whole run
//! that made one row three times as slow. Every number is the best of several rounds, in which all commands run once each.
//!
//! With `--counts` the instructions of some rows are counted instead, on little data, and compared with `benches/counts.tsv`: see
//! [`counted`].
//!
//! With `--json=<file>` the times are written, and with `--against=<file>` compared with those that were: rows that are slower
//! by more than 3 % are named, and the exit code is 1 if there are any. With `--small` every row runs once on a little data, so
//! that a row that fails shows. Rows that fail are named with their messages, the others still run, and the exit code is 1.
//!
//! Environment: `KALDI_BIN` is a folder with Kaldi's programs to measure as well; `KALDI` a checkout, whose recipes are run; `PYTHON` an
//! interpreter (python3), of which the package `kaldi_native_fbank` is measured where it is installed; `PEERS_PYTHON` that of
//! `tests/peers`; `ROWS` a part of the names of the jobs to do (all); `ROUNDS` how often (3); `TMPDIR` where the data goes (3 GB, removed
//! afterwards).

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, reason = "a program for developers")]

mod arguments;
mod baseline;
mod coded;
mod corpus;
mod corpus_models;
mod counted;
mod counts;
mod examples;
mod growth;
mod job;
mod jobs;
mod lattices;
mod measure;
mod models;
mod pieces;
mod recipes;
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
use job::{Job, Rival, Yardstick};
use measure::{Bench, Cost, Run, Size};

/// What each round measures, for which row, and what it took.
struct Measured {
    row: String,
    run: Run,
    /// Whether it runs twice in each round, and the second time counts.
    is_repeated: bool,
    costs: Vec<Cost>,
}

impl Measured {
    fn of_job(job: &Job, run: Run) -> Self {
        Self { row: job.name.clone(), run, is_repeated: false, costs: Vec::new() }
    }

    fn of_yardstick(yardstick: Yardstick) -> Self {
        let run = yardstick.run();
        Self { row: format!("yardstick {run}"), run, is_repeated: true, costs: Vec::new() }
    }

    /// The lowest times of all rounds; `None` after a failure.
    fn best(&self) -> Option<Cost> {
        self.costs.iter().copied().reduce(Cost::min)
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
        Ok(Arguments { tools, counts: Some(action), .. }) => counted::run(tools, action),
        Ok(arguments) => measure_all(&arguments),
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::from(2)
        }
    }
}

fn measure_all(arguments: &Arguments) -> ExitCode {
    let kaldi = std::env::var_os("KALDI_BIN")
        .map(|folder| PathBuf::from(folder).canonicalize().expect("KALDI_BIN is a folder"));
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let bench = Bench::new(arguments.tools.clone(), folder.path().to_owned(), arguments.size);

    let jobs: Vec<Job> = jobs::jobs().into_iter().filter(|job| bench.is_wanted(&job.name)).collect();
    let rivals = Rivals::find(kaldi.clone(), bench.size);
    let ours = |job: &Job| Some(bench.tools.join(job.tool)).filter(|program| program.exists());

    let is_done = |job: &&Job| ours(job).is_some() || rivals.run(job).is_some();
    write_data(&bench, jobs.iter().filter(is_done));

    remote::print(&bench);
    pieces::print(&bench);
    growth::print(&bench);
    reports::print(&bench);
    recipes::print(&bench, kaldi.as_deref());
    coded::print(&bench);

    let ours = |job: &Job| ours(job).map(|program| job.run(program));
    let Plan { mut runs, cats, rows } = Plan::new(&jobs, ours, |job| rivals.run(job));
    measure_rounds(&bench, &mut runs);
    let best = |index: usize| runs[index].best();
    let start = |folder: &Path| {
        let starts = bench.size.pick(200, 1);
        bench.note("start of a tool", measure::start_time(&folder.join("copy-matrix"), starts))
    };
    report::Report {
        cats: cats.map(best),
        rows: rows
            .iter()
            .map(|row| report::Row {
                job: row.job,
                yardstick: row.yardstick.and_then(best),
                ours: row.ours.and_then(best),
                theirs: row.theirs.and_then(best),
            })
            .collect(),
        start: start(&bench.tools),
        kaldis_start: kaldi.as_deref().and_then(start),
        size: size(&bench.tools),
        rounds: bench.rounds,
    }
    .print();

    let row = |row: &PlannedRow| {
        let measured = |index: Option<usize>| index.map(|index| &runs[index]).filter(|it| !it.costs.is_empty());
        let (ours, theirs) = (measured(row.ours)?, measured(row.theirs).map(Measured::cpu));
        Some(Row { name: row.job.name.clone(), cpu: ours.cpu(), wall: ours.wall(), rival_cpu: theirs })
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let rows = rows.iter().filter_map(row).collect();
    let baseline = Baseline { processor: report::processor(), processors, rounds: bench.rounds, rows };
    let code = arguments.keep_and_compare(&baseline);
    match bench.failures().as_slice() {
        [] => code,
        failures => {
            eprintln!("bench: {} rows failed: {}", failures.len(), failures.join("; "));
            ExitCode::FAILURE
        }
    }
}

/// What each round runs, in this order, and which of it makes the rows of the report.
struct Plan<'a> {
    runs: Vec<Measured>,
    /// `cat` to nowhere and to a file.
    cats: [usize; 2],
    rows: Vec<PlannedRow<'a>>,
}

/// A job, and the places of its runs.
struct PlannedRow<'a> {
    job: &'a Job,
    yardstick: Option<usize>,
    ours: Option<usize>,
    theirs: Option<usize>,
}

impl<'a> Plan<'a> {
    fn new(jobs: &'a [Job], ours: impl Fn(&Job) -> Option<Run>, theirs: impl Fn(&Job) -> Option<Run>) -> Self {
        let mut runs: Vec<Measured> = Vec::new();
        let mut add = |measured: Measured| {
            runs.push(measured);
            runs.len() - 1
        };
        let cats = [Yardstick::CatToNull, Yardstick::CatToFile].map(|cat| add(Measured::of_yardstick(cat)));
        let mut rows = Vec::new();
        for job in jobs {
            let yardstick = job.yardstick.map(|yardstick| add(Measured::of_yardstick(yardstick)));
            let ours = ours(job).map(|run| add(Measured::of_job(job, run)));
            let theirs = theirs(job).map(|run| add(Measured::of_job(job, run)));
            rows.push(PlannedRow { job, yardstick, ours, theirs });
        }
        Self { runs, cats, rows }
    }
}

/// Runs everything in each round. What failed once is not run again, and has no costs.
fn measure_rounds(bench: &Bench, runs: &mut [Measured]) {
    for round in 0..bench.rounds as usize {
        for measured in runs.iter_mut().filter(|measured| measured.costs.len() == round) {
            let first = measured.is_repeated.then(|| bench.measure(&measured.row, &measured.run));
            if first.is_none_or(|first| first.is_some()) {
                measured.costs.extend(bench.measure(&measured.row, &measured.run));
            }
        }
    }
    runs.iter_mut().filter(|measured| measured.costs.len() < bench.rounds as usize).for_each(|it| it.costs.clear());
}

/// The programs of others that are here.
struct Rivals {
    kaldi: Option<PathBuf>,
    native_fbank: Option<PathBuf>,
    megatron: Option<PathBuf>,
    sox: Option<PathBuf>,
}

impl Rivals {
    fn find(kaldi: Option<PathBuf>, size: Size) -> Self {
        let has_sox = Command::new("sox").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
        Self {
            kaldi,
            native_fbank: native_fbank(),
            // It needs seconds to start.
            megatron: size.pick(peers_python(), None),
            sox: has_sox.then(|| "sox".into()),
        }
    }

    /// What a job is compared with, if that is here.
    fn run(&self, job: &Job) -> Option<Run> {
        match job.rival {
            Rival::Kaldi => {
                Some(self.kaldi.as_ref()?.join(job.tool)).filter(|it| it.exists()).map(|it| job.run_kaldi(it))
            }
            Rival::NativeFbank => self.native_fbank.clone().map(Job::run_native_fbank),
            Rival::Megatron => self.megatron.clone().map(Job::run_megatron),
            Rival::Sox(arguments) => self.sox.clone().map(|program| Run::new(program, arguments)),
            Rival::Nobody => None,
        }
    }
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

/// Writes what the jobs and the yardsticks read, and makes the rest of it with the tools themselves.
fn write_data<'a>(bench: &Bench, jobs: impl Iterator<Item = &'a Job>) {
    let needed: Vec<Corpus> = jobs.map(|job| job.corpus).chain([Corpus::Tables]).collect();
    let written: Vec<Corpus> = Corpus::ALL.into_iter().filter(|corpus| needed.contains(corpus)).collect();
    for corpus in &written {
        corpus.write(&bench.dir, bench.size).expect("the data can be written");
    }
    for (corpus, tool, arguments) in jobs::PREPARATIONS {
        let program = bench.tools.join(tool);
        if program.exists() && written.contains(corpus) {
            let run = Run::new(program, arguments);
            bench.measure(&format!("preparation {run}"), &run);
        }
    }
}

/// The size of the program.
fn size(tools: &Path) -> u64 {
    std::fs::metadata(tools.join("kaldi-tables")).expect("the program is built").len()
}
