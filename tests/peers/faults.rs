//! Faults of a real Slurm: memory, time, preemption, late files, silence, a full controller. What fails on any engine is in
//! `mended`.

use crate::clusters::{Cluster, SCRIPT, is_whole, slowly, started, table, turn, until_go};
use crate::mended::RUN;

/// The trials by name.
pub const TRIALS: &[(&str, fn())] = &[
    ("too_little_memory_is_doubled", too_little_memory_is_doubled),
    ("the_time_limit_comes_with_advice", the_time_limit_comes_with_advice),
    ("preempted_pieces_run_again", preempted_pieces_run_again),
    ("late_records_are_waited_for", late_records_are_waited_for),
    ("a_silent_piece_runs_elsewhere", a_silent_piece_runs_elsewhere),
    ("a_controller_takes_so_many_jobs_at_a_time", a_controller_takes_so_many_jobs_at_a_time),
    ("the_controller_may_be_away_at_the_submission", the_controller_may_be_away_at_the_submission),
    ("a_full_state_folder_is_named", a_full_state_folder_is_named),
    ("a_detached_array_is_adopted", a_detached_array_is_adopted),
];

fn too_little_memory_is_doubled() {
    let _turn = turn();
    let (cluster, scratch) = (Cluster::start(""), table());
    // The first time it waits until Slurm has seen how much memory that takes; later there is `less`, and it takes little.
    let allocate = r#"[ $TABLE_JOB = 1 ] || [ -e less ] || { wait=0; mkdir once 2> /dev/null && wait=600; python3 -c "x = bytearray(70 << 20); import time; time.sleep($wait)"; };"#;
    let command = slowly(2, 0)
        .replace("--nj", "--mem=60M --nj")
        .replace("sleep 0;", allocate)
        .replace("-- sh -c '", "-- sh -ec '");
    let ran = cluster.run(&scratch, &command);
    is_whole(&scratch, &ran);
    assert!(ran.1.contains("piece 2 runs again: out of memory (--mem)"), "{}", ran.1);
    // Without another try it fails; then the same command goes on, which takes less by now.
    let once = command.replace("--nj", "--retries=0 --nj");
    let (code, log) = cluster.run(&scratch, &format!("rm -r once o.ark o.jobs; {once}"));
    assert!(code == 255 && log.contains("piece 2: out of memory (--mem)"), "{log}");
    is_whole(&scratch, &cluster.run(&scratch, &format!("touch less; {once}")));
}

fn the_time_limit_comes_with_advice() {
    let _turn = turn();
    let (cluster, scratch) = (Cluster::start(""), table());
    let command = until_go(1).replace("--nj", "--time=1 --retries=0 --nj");
    let (code, log) = cluster.run(&scratch, &command);
    assert_eq!(code, 255, "{log}");
    assert!(log.contains("TIMEOUT: it takes longer than --time; take more pieces, or more time"), "{log}");
    is_whole(&scratch, &cluster.run(&scratch, &format!("touch go; {command}")));
}

/// Jobs of a partition of high priority end those of another one, which are then cancelled or submitted again by Slurm.
fn preempted_pieces_run_again() {
    let _turn = turn();
    let extra = "SLURM_LOCAL_EXTRA='PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=high Nodes=ALL PriorityTier=10 PreemptMode=OFF
'";
    let cluster = Cluster::start(extra);
    for requeue in ["", "--engine-args=--requeue"] {
        let scratch = table();
        let preempt = format!(
            "{}; sbatch -p high --exclusive -N 4 -o high.log --wrap 'sleep 2'; \
             until [ -s o.jobs/tries/1.2 ]; do sleep 0.1; done; touch go",
            started(8)
        );
        let command = until_go(8).replace("--nj", &format!("{requeue} --nj"));
        is_whole(&scratch, &cluster.run(&scratch, &format!("({preempt}) & {command}")));
        assert!(scratch.path("o.jobs/tries/1.2").exists());
    }
}

/// Nodes see the folder through overlays, and what they write is carried over some seconds later.
fn late_records_are_waited_for() {
    let _turn = turn();
    let scratch = table();
    let cluster = Cluster::start(&format!("SLURM_LOCAL_LATE='{}'", scratch.path(".").display()));
    let up = format!("{}/late", cluster.folder.display());
    // A file appears whole, as on a network file system.
    let carry = format!(
        "while [ ! -e end ]; do sleep 5; for up in {up}/*/up; do (cd $up && find . -type f ! -name '.*') | while read f; do \
         [ -e $f ] || {{ cp -p $up/$f carried && mkdir -p $(dirname $f) && mv carried $f; }}; done; done; done"
    );
    let command = slowly(4, 1);
    let ran = cluster.run(&scratch, &format!("({carry}) & {command}; code=$?; touch end; wait; exit $code"));
    is_whole(&scratch, &ran);
    assert!(ran.1.contains("0 run again"), "{}", ran.1);
}

/// A piece that is stopped does not say that it lives.
fn a_silent_piece_runs_elsewhere() {
    let _turn = turn();
    let (cluster, scratch) = (Cluster::start(""), table());
    let stop = r#"until [ -s o.jobs/tries/2.1 ]; do sleep 0.1; done; kill -STOP $(grep -o '"process":[0-9]*' o.jobs/tries/2.1 | cut -d : -f 2)"#;
    let command = slowly(2, 10).replace("--nj", "--silence=25 --nj");
    let ran = cluster.run(&scratch, &format!("({stop}) & {command}"));
    is_whole(&scratch, &ran);
    assert!(ran.1.contains("piece 2 runs again: silent for "), "{}", ran.1);
}

fn a_controller_takes_so_many_jobs_at_a_time() {
    let _turn = turn();
    let (cluster, scratch) = (Cluster::start("SLURM_LOCAL_ARRAY=5 SLURM_LOCAL_JOBS=9 SLURM_LOCAL_AGE=2"), table());
    let ran = cluster.run(&scratch, &slowly(20, 1));
    is_whole(&scratch, &ran);
    assert!(ran.1.contains("0 run again"), "{}", ran.1);
}

fn the_controller_may_be_away_at_the_submission() {
    let _turn = turn();
    let (cluster, scratch) = (Cluster::start(""), table());
    let folder = cluster.folder.display();
    let away = format!("bash '{SCRIPT}' kill-controller {folder}");
    let back = format!("sleep 5; bash '{SCRIPT}' start-controller {folder}");
    is_whole(&scratch, &cluster.run(&scratch, &format!("{away}; ({back}) & {}", slowly(4, 0))));
}

/// The disk of the state folder is full while a piece runs; later there is space.
fn a_full_state_folder_is_named() {
    let _turn = turn();
    let cluster = Cluster::start("");
    for engine in ["local", "cmd:./run.sh", "slurm"] {
        let scratch = table();
        scratch.write("run.txt", RUN.replace(" & done", "; done"));
        let fill =
            "[ $TABLE_JOB = 1 ] || [ -e full ] || { touch full; dd if=/dev/zero of=small/fill bs=512 2> /dev/null; };";
        let command = slowly(3, 0)
            .replace("slurm", &format!("{engine} --max-running=1 --lag=2 --dir=small/d"))
            .replace("sleep 0;", fill);
        let line = format!(
            "cp run.txt run.sh; chmod +x run.sh; mkdir small && mount -t tmpfs -o size=400k tmpfs small && \
             {{ {command}; rm small/fill; {command}; }}"
        );
        // The last step of a job may hold a file there for a moment longer.
        let (code, log) = cluster.run(&scratch, &format!("({line}); code=$?; umount --lazy small && exit $code"));
        assert!(log.contains("ERROR (table-jobs") && log.contains("No space left on device"), "{engine}: {log}");
        is_whole(&scratch, &(code, log));
    }
}

fn a_detached_array_is_adopted() {
    let _turn = turn();
    let (cluster, scratch) = (Cluster::start(""), table());
    let command = slowly(4, 2);
    let line = format!("{} && ! [ -e o.ark ] && {command}", command.replace("--nj", "--detach --nj"));
    let ran = cluster.run(&scratch, &line);
    is_whole(&scratch, &ran);
    assert!(!scratch.path("o.jobs/tries/1.2").exists(), "{}", ran.1);
}
