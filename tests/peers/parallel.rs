//! `table-jobs` through Kaldi's own scripts: `run.pl` on this machine, `slurm.pl` on a real Slurm, `queue.pl` on a real Grid
//! Engine, which `sge-local.sh` starts as root. `PEERS_KALDI` is the folder of a checkout of Kaldi.

use std::path::PathBuf;
use std::process::Command;

use crate::clusters::{Cluster, GONE, can_start, is_whole, run, slowly, table, turn};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/sge-local.sh");

/// The trials of `run.pl` by name.
pub const RUN_TRIALS: &[(&str, fn())] = &[
    ("run_pl_gives_the_bytes_of_the_whole_run", run_pl_gives_the_bytes_of_the_whole_run),
    ("what_run_pl_refuses_is_said_once", what_run_pl_refuses_is_said_once),
    ("killed_pieces_of_run_pl_run_again", killed_pieces_of_run_pl_run_again),
    ("run_pl_outlives_its_submitter", run_pl_outlives_its_submitter),
];

/// The trials of `slurm.pl`.
pub const SLURM_TRIALS: &[(&str, fn())] = &[
    ("slurm_pl_gives_the_bytes_of_the_whole_run", slurm_pl_gives_the_bytes_of_the_whole_run),
    ("an_interrupt_cancels_the_jobs_of_slurm_pl", an_interrupt_cancels_the_jobs_of_slurm_pl),
];

/// The trials of `queue.pl`.
pub const QUEUE_TRIALS: &[(&str, fn())] = &[
    ("queue_pl_gives_the_bytes_of_the_whole_run", queue_pl_gives_the_bytes_of_the_whole_run),
    ("what_queue_pl_refuses_is_said_once", what_queue_pl_refuses_is_said_once),
    ("a_host_of_grid_engine_may_die", a_host_of_grid_engine_may_die),
];

/// Where Kaldi's scripts are.
fn scripts() -> Result<PathBuf, String> {
    let root = std::env::var_os("PEERS_KALDI").ok_or("since PEERS_KALDI does not name a checkout of Kaldi")?;
    let folder = PathBuf::from(root).join("egs/wsj/s5/utils/parallel");
    let missing = ["run.pl", "slurm.pl", "queue.pl"].iter().find(|name| !folder.join(name).is_file());
    missing.map_or(Ok(folder.clone()), |name| Err(format!("since {} has no {name}", folder.display())))
}

/// Trials by name, without Python.
type Trials = &'static [(&'static str, fn())];

/// Why the trials of each script cannot run here.
pub fn find() -> [(Trials, Result<(), String>); 3] {
    let found = || scripts().map(|_| ());
    let grid = || can_start("Grid Engine", &["sge_qmaster", "sge_execd", "qsub"], "gridengine-master, -exec, -client");
    [
        (RUN_TRIALS, found()),
        (SLURM_TRIALS, found().and_then(|()| Cluster::find())),
        (QUEUE_TRIALS, found().and_then(|()| grid())),
    ]
}

/// A command line whose pieces take some seconds, through a script.
fn through(script: &str, pieces: usize, seconds: usize) -> String {
    let path = scripts().unwrap().join(script);
    slowly(pieces, seconds).replace("--engine=slurm", &format!("--engine='cmd:{}'", path.display()))
}

fn run_pl_gives_the_bytes_of_the_whole_run() {
    let scratch = table();
    let ran = run(&scratch, "", &through("run.pl", 5, 0).replace("--nj", "--max-running=2 --mem=1G --nj"));
    is_whole(&scratch, &ran);
}

fn what_run_pl_refuses_is_said_once() {
    let scratch = table();
    let (code, log) = run(&scratch, "", &through("run.pl", 5, 0).replace("--nj", "--engine-args=--none --nj"));
    assert_eq!((code, log.matches("run.pl refuses: run.pl: ").count()), (255, 1), "{log}");
}

fn killed_pieces_of_run_pl_run_again() {
    let scratch = table();
    let command = through("run.pl", 3, 0)
        .replace("sleep 0;", "[ -e once ] || [ $TABLE_JOB != 2 ] || { touch once; kill -9 $PPID; sleep 9; };");
    let ran = run(&scratch, "", &command);
    is_whole(&scratch, &ran);
    assert!(ran.1.contains("piece 2 runs again: it ended without a record"), "{}", ran.1);
}

/// Also pieces that have not started yet are adopted.
fn run_pl_outlives_its_submitter() {
    let scratch = table();
    let command = through("run.pl", 4, 2).replace("--nj", "--max-running=2 --nj");
    let line = format!("{command} & until [ -s o.jobs/tries/2.1 ]; do sleep 0.1; done; kill -9 $!; {command}");
    let ran = run(&scratch, "", &line);
    is_whole(&scratch, &ran);
    assert!(!scratch.path("o.jobs/lists/pieces2").exists(), "{}", ran.1);
}

fn slurm_pl_gives_the_bytes_of_the_whole_run() {
    let _turn = turn();
    let (cluster, scratch) = (Cluster::start(""), table());
    // The script sleeps between two looks at its jobs: nothing of it is left when the pieces are done.
    let left = "grep -lx perl /proc/[0-9]*/comm";
    let here = "while read file; do [ $PWD -ef ${file%comm}cwd ] && echo $file; done";
    let line = format!("{} || exit; {left} 2> none | {here} > left; true", through("slurm.pl", 4, 0));
    is_whole(&scratch, &cluster.run(&scratch, &line));
    assert_eq!(scratch.read("left"), b"");
}

fn an_interrupt_cancels_the_jobs_of_slurm_pl() {
    let _turn = turn();
    let (cluster, scratch) = (Cluster::start(""), table());
    let wait = "until [ -s o.jobs/tries/1.1 ]; do sleep 0.1; done";
    let command = through("slurm.pl", 4, 0).replace("sleep 0;", "[ -e mended ] || sleep 1000;");
    let line = format!("{command} & {wait}; kill -TERM $!; wait $!; code=$?; {GONE}; exit $code");
    let (code, log) = cluster.run(&scratch, &line);
    assert_eq!((code, scratch.read("left")), (130, Vec::new()), "{log}");
    is_whole(&scratch, &cluster.run(&scratch, &format!("touch mended; {command}")));
}

/// A Grid Engine of one host.
struct Grid {
    folder: PathBuf,
}

impl Grid {
    fn start() -> Self {
        let grid = Self { folder: PathBuf::from(format!("/tmp/sge-{}", std::process::id())) };
        assert!(grid.command("start"), "Grid Engine does not start");
        grid
    }

    fn command(&self, verb: &str) -> bool {
        let line = format!("bash '{SCRIPT}' {verb} {} < /dev/null > /dev/null 2>&1", self.folder.display());
        Command::new("sh").args(["-c", &line]).status().unwrap().success()
    }

    fn settings(&self) -> String {
        format!("eval \"$(bash '{SCRIPT}' env {})\"", self.folder.display())
    }
}

impl Drop for Grid {
    fn drop(&mut self) {
        self.command("stop");
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn queue_pl_gives_the_bytes_of_the_whole_run() {
    let _turn = turn();
    let (grid, scratch) = (Grid::start(), table());
    let command = through("queue.pl", 6, 0).replace("--nj", "--mem=100M --nj");
    is_whole(&scratch, &run(&scratch, &grid.settings(), &command));
}

fn what_queue_pl_refuses_is_said_once() {
    let _turn = turn();
    let (grid, scratch) = (Grid::start(), table());
    let command = through("queue.pl", 3, 0).replace("--nj", "--engine-args='-q nowhere.q' --nj");
    let (code, log) = run(&scratch, &grid.settings(), &command);
    assert_eq!((code, log.matches("queue.pl refuses: ").count()), (255, 1), "{log}");
    assert!(log.contains("unknown queue"), "{log}");
}

/// Grid Engine does not end jobs of a host that is gone: `queue.pl` waits for ever. The pieces are silent.
fn a_host_of_grid_engine_may_die() {
    let _turn = turn();
    let (grid, scratch) = (Grid::start(), table());
    let folder = grid.folder.display();
    let kill = format!(
        "until [ -s o.jobs/tries/2.1 ]; do sleep 0.1; done; bash '{SCRIPT}' kill-exec {folder}; sleep 3; \
         bash '{SCRIPT}' start-exec {folder}"
    );
    let command = through("queue.pl", 2, 6).replace("--nj", "--silence=25 --nj");
    let ran = run(&scratch, &grid.settings(), &format!("({kill}) & {command}"));
    is_whole(&scratch, &ran);
    assert!(ran.1.contains("runs again: "), "{}", ran.1);
}
