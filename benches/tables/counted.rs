//! The instructions of some rows, counted by callgrind: nearly the same in every run of a program, whatever else the machine does. Only rows
//! whose tools have threads that wait for each other, such as that of shards, vary by some per cent.
//!
//! Each row runs on one thread, on the data of `--small`, with AVX2 and without. The processor that callgrind shows has no AVX-512. Counts
//! depend on the compiler, and a little on the C library and valgrind: with others than those of the file, more instructions are no fault,
//! and all counts are to be written anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use crate::corpus::Corpus;
use crate::counts::{Counts, Findings, is_much_more};
use crate::job::Job;
use crate::jobs;
use crate::measure::{Bench, Size, remove_outputs};

/// What is done with the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// They are compared with those that are written: exit code 1 if a row has many more.
    Compare,
    /// They are written.
    Write,
}

/// Where counts are written.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/counts.tsv");

/// The rows of the benchmark that are counted, by their names.
const ROWS: [&str; 37] = [
    "matrices to text",
    "text to matrices (to /dev/null)",
    "compress (method 1, to /dev/null)",
    "decompress (to /dev/null)",
    "int vectors to text",
    "text to int vectors (to /dev/null)",
    "table-stats of the matrices (one thread)",
    "table-export of the matrices to Parquet",
    "sliding normalization with variances (to /dev/null)",
    "deltas (to /dev/null)",
    "splicing of 5 frames on each side (to /dev/null)",
    "transform from 440 to 40 columns (to /dev/null)",
    "word errors of 20,000 sentences of 30 words",
    "MFCC without dither",
    "MFCC",
    "80 filter banks",
    "PLP",
    "spectrogram",
    "pitch",
    "resampling from 16 kHz to 22.05 kHz, compared with sox (to /dev/null) (one thread)",
    "the best 20 of 512 Gaussians (one thread)",
    "statistics of 512 Gaussians (one thread)",
    "posteriors of 20 selected Gaussians with full covariances (one thread)",
    "i-vectors of 400 dimensions (one thread)",
    "statistics for i-vectors of 400 dimensions (one thread)",
    "PLDA scores of 400,000 trials (one thread)",
    "alignments to pdfs (to /dev/null)",
    "statistics for LDA of 440 columns (one thread)",
    "training examples of 1000 utterances, compressed (one thread)",
    "copying training examples (one thread)",
    "lattices to text (one thread)",
    "text to lattices (one thread)",
    "best paths of lattices (one thread)",
    "least Bayes risk (one thread)",
    "making shards",
    "the matrices as padded batches (to /dev/null)",
    "from 1000 utterances in shards to padded batches: 80 filter banks, dither, spec augmentation (to /dev/null)",
];

/// Rows of counts alone: kernels that no row of the benchmark has.
fn own_rows() -> Vec<Job> {
    vec![
        Job::new(Corpus::Tables, "start of a tool", "copy-matrix", &["--help"]),
        Job::new(Corpus::Tables, "statistics for normalization", "compute-cmvn-stats", &["ark:m.ark", "ark:/dev/null"]),
        Job::new(
            Corpus::Tables,
            "normalization with variances",
            "apply-cmvn",
            &["--norm-vars=true", "ark:cmvn.ark", "ark:m.ark", "ark:/dev/null"],
        ),
        Job::new(
            Corpus::Tables,
            "deltas from windows of 3",
            "add-deltas",
            &["--delta-window=3", "ark:m.ark", "ark:/dev/null"],
        ),
        Job::new(
            Corpus::Ivectors,
            "statistics of Gaussians with full covariances",
            "fgmm-global-acc-stats",
            &["full.ubm", "ark:gauss.ark", "out"],
        ),
        Job::new(
            Corpus::Examples,
            "statistics of pdfs from alignments",
            "gmm-acc-stats-ali",
            &["egs.mdl", "ark:egs.feats", "ark:egs.ali", "out"],
        ),
    ]
}

/// Counts the wanted rows (all, or those with `ROWS` in their names), and compares or writes.
pub fn run(tools: PathBuf, action: Action) -> ExitCode {
    match count_all(tools, action) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::from(2)
        }
    }
}

fn count_all(tools: PathBuf, action: Action) -> Result<ExitCode, String> {
    expect_machine()?;
    let written = match fs::read_to_string(FILE) {
        Ok(text) => Counts::from_text(&text).map_err(|error| format!("{FILE}:{error}"))?,
        Err(_) if action == Action::Write => Counts::default(),
        Err(error) => return Err(format!("{FILE}: cannot read: {error}")),
    };
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let bench = Bench::new(tools, folder.path().to_owned(), Size::Small);
    let rows: Vec<Job> = rows()?.into_iter().filter(|job| bench.is_wanted(&job.name)).collect();
    crate::write_data(&bench, rows.iter());

    let mut counts = Counts { versions: versions()?, ..Counts::default() };
    for job in &rows {
        let before = written.rows.get(&job.name);
        let count = |column: usize| -> Result<u64, String> {
            let no_avx2 = ["0", "1"][column];
            let mut least = count(&bench, job, no_avx2)?;
            // Threads that wait for each other can only make a count larger.
            for _ in 0..2 {
                if before.is_some_and(|before| is_much_more(least, before[column])) {
                    least = least.min(count(&bench, job, no_avx2)?);
                }
            }
            Ok(least)
        };
        if let Some(both) = bench.note(&job.name, count(0).and_then(|with| Ok([with, count(1)?]))) {
            println!("{}: {} instructions, without AVX2 {}", job.name, both[0], both[1]);
            counts.rows.insert(job.name.clone(), both);
        }
    }
    let failures = bench.failures();
    if !failures.is_empty() {
        return Err(format!("{} rows failed: {}", failures.len(), failures.join("; ")));
    }

    if action == Action::Write {
        let mut all = if bench.wanted.is_empty() { Counts::default() } else { written };
        if !all.rows.is_empty() && all.versions != counts.versions {
            return Err(format!(
                "{FILE}: expected all rows, since it is of {}, and this is {}",
                all.versions, counts.versions
            ));
        }
        all.versions = counts.versions;
        all.rows.extend(counts.rows);
        fs::write(FILE, all.to_text()).map_err(|error| format!("{FILE}: cannot write: {error}"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let Findings { more, unmatched, better } = counts.compare(&written, bench.wanted.is_empty());
    for line in &better {
        println!("FEWER: {line}");
    }
    if !better.is_empty() {
        println!("Write the lower counts down, so that they stay: scripts/bench.sh --counts --write");
    }
    for line in more.iter().chain(&unmatched) {
        eprintln!("MORE: {line}");
    }
    let is_alike = counts.versions == written.versions;
    if !more.is_empty() && !is_alike {
        eprintln!("WARNING: MORE IS NO FAULT: {FILE} is of {}, and this is {}", written.versions, counts.versions);
    }
    let is_fine = unmatched.is_empty() && (more.is_empty() || !is_alike);
    Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// All rows that are counted.
fn rows() -> Result<Vec<Job>, String> {
    let mut all = jobs::jobs();
    let mut found = own_rows();
    for name in ROWS {
        let at = all.iter().position(|job| job.name == name);
        found.push(all.swap_remove(at.ok_or_else(|| format!("there is no row {name:?}"))?));
    }
    Ok(found)
}

/// What callgrind counts in a job on one thread, with `KALDI_NO_AVX2` of the value.
fn count(bench: &Bench, job: &Job, no_avx2: &str) -> Result<u64, String> {
    remove_outputs(&bench.dir);
    let log = bench.dir.join("callgrind.log");
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-file=callgrind.log"]);
    command.arg(bench.tools.join(job.tool)).arg("--num-threads=1").args(job.arguments).current_dir(&bench.dir);
    // Nothing of the environment of the caller is counted.
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("LC_ALL", "C.UTF-8");
    command.env("KALDI_NO_AVX512", "1").env("KALDI_NO_AVX2", no_avx2);
    let output = command.stdin(Stdio::null()).stdout(Stdio::null()).output();
    let output = output.map_err(|error| format!("cannot run valgrind: {error}"))?;
    if !output.status.success() {
        return Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim_end()));
    }
    collected(&log)
}

/// The line `==123== Collected : 456` of a log.
fn collected(log: &Path) -> Result<u64, String> {
    let text = fs::read_to_string(log).map_err(|error| format!("{}: cannot read: {error}", log.display()))?;
    let number = text.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    number.ok_or_else(|| format!("expected a count from callgrind, got {text:?}"))
}

/// # Errors
/// If this machine cannot count what is written.
fn expect_machine() -> Result<(), String> {
    #[cfg(target_arch = "x86_64")]
    let has_avx2 = std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    let has_avx2 = false;
    if !has_avx2 {
        return Err("counts are those of processors of x86-64 with AVX2, and this is none".to_owned());
    }
    Ok(())
}

/// What counts depend on besides the program: the first line of each version.
fn versions() -> Result<String, String> {
    let version = |program: &str| -> Result<String, String> {
        let output = Command::new(program).arg("--version").output();
        let output = output.map_err(|error| format!("cannot run {program}: {error}"))?;
        Ok(String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned())
    };
    Ok([version("rustc")?, version("ldd")?, version("valgrind")?].join(", "))
}
