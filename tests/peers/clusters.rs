//! `table-jobs` on a real Slurm: four virtual nodes on this machine, which `slurm-local.sh` starts as root. Every row of the
//! table of faults in docs/clusters.md has a test here, in `faults` or in those of the tool.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::support::Scratch;
use crate::support::sample::{binary_archive, matrix};

pub(crate) const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/slurm-local.sh");

/// How long a command line may take: a dead node is noticed after some 25 seconds.
const TIME_LIMIT: Duration = Duration::from_secs(900);

/// Trials use the cluster one after the other.
static TURN: Mutex<()> = Mutex::new(());

/// Waits until no other trial uses a cluster.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Why something cannot be started here; `Ok` if it can: root, and these programs.
pub(crate) fn can_start(what: &str, programs: &[&str], packages: &str) -> Result<(), String> {
    let has = |program: &str| {
        let line = format!("PATH=$PATH:/usr/sbin:/usr/lib/gridengine command -v {program}");
        Command::new("sh").args(["-c", &line]).output().is_ok_and(|output| output.status.success())
    };
    if let Some(missing) = programs.iter().find(|program| !has(program)) {
        return Err(format!("since there is no {missing} (packages {packages})"));
    }
    let id = Command::new("id").arg("-u").output().map(|output| output.stdout).unwrap_or_default();
    if id.trim_ascii() == b"0" { Ok(()) } else { Err(format!("since only root can start a {what}")) }
}

/// A cluster that runs.
#[derive(Debug)]
pub struct Cluster {
    pub(crate) folder: PathBuf,
}

impl Cluster {
    /// Whether a cluster can be started here.
    ///
    /// # Errors
    /// Why not.
    pub fn find() -> Result<(), String> {
        can_start("Slurm", &["slurmctld", "slurmd", "sbatch", "munged"], "slurmctld, slurmd, slurm-client, munge")
    }

    /// Starts one, with settings for the script.
    pub(crate) fn start(settings: &str) -> Cluster {
        // The path of a socket is short. What still ends of the last cluster has another folder.
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let folder = PathBuf::from(format!("/tmp/slurm-{}.{number}", std::process::id()));
        let cluster = Cluster { folder };
        cluster.command(settings, "start");
        cluster
    }

    /// Runs a verb of the script.
    pub(crate) fn command(&self, settings: &str, verb: &str) {
        let (verb, rest) = verb.split_once(' ').unwrap_or((verb, ""));
        let line =
            format!("{settings} bash '{SCRIPT}' {verb} {} {rest} < /dev/null > /dev/null 2>&1", self.folder.display());
        let status = Command::new("sh").args(["-c", &line]).status().unwrap();
        assert!(status.success(), "{line}: {status}");
    }

    /// What sets the cluster as that of a shell.
    pub(crate) fn settings(&self) -> String {
        format!("export SLURM_CONF={}/slurm.conf", self.folder.display())
    }

    /// Runs a command line in the scratch folder, with the cluster in its environment. Returns its exit code and its log.
    pub(crate) fn run(&self, scratch: &Scratch, line: &str) -> (i32, String) {
        run(scratch, &self.settings(), line)
    }
}

/// Runs a command line in the scratch folder after `settings`. Returns its exit code and its log.
pub(crate) fn run(scratch: &Scratch, settings: &str, line: &str) -> (i32, String) {
    let _ = scratch.sh_within(TIME_LIMIT, &format!("rm -f code\n{settings}\n({line}) > log 2>&1\necho $? > code"));
    let text = |name: &str| String::from_utf8_lossy(&scratch.read(name)).into_owned();
    (text("code").trim().parse().unwrap(), text("log"))
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let line = format!("bash '{SCRIPT}' stop {} > /dev/null 2>&1", self.folder.display());
        let _ = Command::new("sh").args(["-c", &line]).status();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Waits until no job is left, as it soon is; the last list is in the file `left`.
pub(crate) const GONE: &str = "for i in $(seq 1500); do squeue -h > left; [ -s left ] || break; sleep 0.2; done";

/// The trials by name.
pub const TRIALS: &[(&str, fn())] = &[
    ("slurm_gives_the_bytes_of_the_whole_run", slurm_gives_the_bytes_of_the_whole_run),
    ("pieces_outlive_their_submitter", pieces_outlive_their_submitter),
    ("killed_jobs_and_lost_nodes_run_again", killed_jobs_and_lost_nodes_run_again),
    ("an_interrupt_cancels_the_array", an_interrupt_cancels_the_array),
    ("there_may_be_more_pieces_than_an_array_takes", there_may_be_more_pieces_than_an_array_takes),
    ("the_controller_may_be_away", the_controller_may_be_away),
];

/// A folder with a table of 24 matrices, `f.ark` and `f.scp`.
pub(crate) fn table() -> Scratch {
    let scratch = Scratch::new();
    let keys: Vec<String> = (0..24).map(|number| format!("utt{number:02}")).collect();
    let entries: Vec<_> = keys.iter().zip(1..).map(|(key, seed)| (key.as_str(), matrix(seed, 5, 3))).collect();
    scratch.write("all.ark", binary_archive(&entries));
    scratch.sh("copy-feats ark:all.ark ark,scp:f.ark,f.scp").succeeds();
    scratch
}

/// A command line whose pieces take some seconds.
pub(crate) fn slowly(pieces: usize, seconds: usize) -> String {
    format!(
        "table-jobs --nj={pieces} --engine=slurm --split=scp:f.scp --out=ark:o.ark -- \
         sh -c 'sleep {seconds}; copy-feats scp:f.scp ark:o.ark'"
    )
}

/// A command line whose pieces wait for the file `go`.
pub(crate) fn until_go(pieces: usize) -> String {
    slowly(pieces, 0).replace("sleep 0;", "until [ -e go ]; do sleep 0.2; done;")
}

/// Waits until so many pieces have started, in whatever order.
pub(crate) fn started(pieces: usize) -> String {
    format!("for piece in $(seq {pieces}); do until [ -s o.jobs/tries/$piece.1 ]; do sleep 0.1; done; done")
}

#[track_caller]
pub(crate) fn is_whole(scratch: &Scratch, (code, log): &(i32, String)) {
    assert_eq!(*code, 0, "{log}");
    assert_eq!(scratch.read("o.ark"), scratch.read("f.ark"), "{log}");
}

fn slurm_gives_the_bytes_of_the_whole_run() {
    let _turn = turn();
    let (cluster, scratch) = (Cluster::start(""), table());
    let ran = cluster.run(&scratch, "table-jobs --nj=8 --engine=slurm --mem=100M -- copy-feats scp:f.scp ark:o.ark");
    is_whole(&scratch, &ran);
    let ran = cluster.run(&scratch, "table-jobs --nj=8 --engine=slurm --mem=100M -- copy-feats scp:f.scp ark:o.ark");
    assert!(ran.1.contains("(8 before)"), "{}", ran.1);
    let ran = cluster.run(
        &scratch,
        "table-jobs --nj=2 --engine=slurm --engine-args=--no-such-option --dir=d -- copy-feats scp:f.scp ark:n.ark",
    );
    assert!(ran.0 == 255 && ran.1.contains("sbatch refuses: "), "{}", ran.1);
}

fn pieces_outlive_their_submitter() {
    let _turn = turn();
    let (cluster, scratch) = (Cluster::start(""), table());
    let command = slowly(4, 4);
    let killed = format!("{command} & {}; kill -9 $!; {command}", started(4));
    is_whole(&scratch, &cluster.run(&scratch, &killed));
    assert!(!scratch.path("o.jobs/tries/1.2").exists());
}

fn killed_jobs_and_lost_nodes_run_again() {
    let _turn = turn();
    let (cluster, scratch) = (Cluster::start(""), table());
    // A job that waits for its node gets no signal.
    let kill = format!("{}; scancel --signal=KILL $(squeue -h -r -o %i | tail -n 1); touch go", started(3));
    let ran = cluster.run(&scratch, &format!("({kill}) & {}", until_go(3)));
    is_whole(&scratch, &ran);
    assert!(ran.1.contains("runs again"), "{}", ran.1);

    let scratch = table();
    let folder = cluster.folder.display();
    let kill = format!("{}; bash '{SCRIPT}' kill-node {folder} n2; touch go", started(8));
    let ran = cluster.run(&scratch, &format!("({kill}) & {}", until_go(8)));
    is_whole(&scratch, &ran);
    assert!(ran.1.contains("NODE_FAIL"), "{}", ran.1);
}

fn an_interrupt_cancels_the_array() {
    let _turn = turn();
    let (cluster, scratch) = (Cluster::start(""), table());
    let wait = "until [ -s o.jobs/tries/1.1 ]; do sleep 0.1; done";
    let line = format!("{} & {wait}; kill -TERM $!; wait $!; code=$?; {GONE}; exit $code", slowly(4, 1000));
    let (code, log) = cluster.run(&scratch, &line);
    assert_eq!(code, 130, "{log}");
    assert_eq!(scratch.read("left"), b"");
}

fn there_may_be_more_pieces_than_an_array_takes() {
    let _turn = turn();
    let (cluster, scratch) = (Cluster::start("SLURM_LOCAL_ARRAY=6"), table());
    is_whole(&scratch, &cluster.run(&scratch, &slowly(12, 0)));
}

fn the_controller_may_be_away() {
    let _turn = turn();
    let (cluster, scratch) = (Cluster::start(""), table());
    let folder = cluster.folder.display();
    let away = format!(
        "until [ -s o.jobs/tries/2.1 ]; do sleep 0.1; done; bash '{SCRIPT}' kill-controller {folder}; sleep 6; \
         bash '{SCRIPT}' start-controller {folder}"
    );
    is_whole(&scratch, &cluster.run(&scratch, &format!("({away}) & {}", slowly(4, 3))));
}
