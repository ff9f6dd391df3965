//! What fails goes on when it is mended: each fault on each engine ends with the same command, which is done then. Nothing
//! of what failed runs on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::clusters::{Cluster, GONE, run, started, table, turn};
use crate::support::{Scratch, runs};

/// The trials of engines that are everywhere.
pub const TRIALS: &[(&str, fn())] = &[
    ("mended_pieces_go_on_on_this_machine", || go_on("local", None)),
    ("mended_pieces_go_on_through_a_command", || go_on("cmd:./run.sh", None)),
];

/// The trial of Slurm.
pub const SLURM_TRIALS: &[(&str, fn())] = &[("mended_pieces_go_on_on_slurm", || {
    let _turn = turn();
    let cluster = Cluster::start("");
    go_on("slurm", Some(&cluster));
})];

/// One row of the table.
struct Fault {
    name: &'static str,
    /// What a piece does before it writes its output, while there is no file `mended`.
    piece: &'static str,
    options: &'static str,
    /// The line that fails; COMMAND is the command, STARTED waits until all pieces have started.
    line: &'static str,
    code: i32,
    message: &'static str,
    /// What mends it.
    mend: &'static str,
    /// How many pieces there are after it was mended.
    pieces: usize,
    /// How many pieces are done before.
    done: Option<usize>,
}

impl Fault {
    /// The second of four pieces does that.
    const fn of(name: &'static str, piece: &'static str, message: &'static str) -> Self {
        Self {
            name,
            piece,
            options: "--retries=0 --lag=2",
            line: "COMMAND",
            code: 255,
            message,
            mend: "touch mended",
            pieces: 4,
            done: Some(3),
        }
    }

    /// All pieces wait, and something happens to what submits them.
    const fn around(name: &'static str, line: &'static str, code: i32, message: &'static str) -> Self {
        let piece = "echo $$ >> processes; exec sleep 1000";
        Self { name, piece, options: "", line, code, message, mend: "touch mended", pieces: 4, done: Some(0) }
    }
}

const FAULTS: &[Fault] = &[
    Fault::of("a program fails", "[ $TABLE_JOB != 2 ] || exit 7", "piece 2: exit status 7"),
    Fault::of(
        "it says that it did nothing",
        "[ $TABLE_JOB != 2 ] || { echo > o.2.ark; exit 1; }",
        "piece 2: exit status 1",
    ),
    Fault::of(
        "it writes nothing",
        "[ $TABLE_JOB != 2 ] || exit 0",
        "piece 2: the command ended with success, but there is no ",
    ),
    Fault::of("it is killed", "[ $TABLE_JOB != 2 ] || kill -9 $$", "piece 2: killed by signal 9"),
    Fault::of(
        "the piece is killed",
        "[ $TABLE_JOB != 2 ] || { echo $$ > processes; kill -9 $PPID; exec sleep 1000; }",
        "piece 2: ",
    ),
    Fault::of("the disk is full", "[ $TABLE_JOB != 2 ] || ulimit -f 0", "piece 2: "),
    Fault {
        options: "--max-failures=2 --max-running=1",
        done: Some(0),
        ..Fault::of("all fail", "exit 3", "exit status 3")
    },
    Fault {
        line: "cp f.ark good; printf XXXX | dd of=f.ark bs=1 seek=$(tail -n 1 f.scp | cut -d : -f 2) conv=notrunc status=none; COMMAND",
        mend: "cp good f.ark",
        ..Fault::of("an entry is bad", ":", "piece 4: ")
    },
    Fault {
        line: "cp f.scp good; COMMAND; sed -i 1d f.scp; COMMAND",
        mend: "cp good f.scp; touch mended",
        // The line that comes back is a piece of its own.
        pieces: 5,
        ..Fault::of(
            "the list has changed",
            "[ $TABLE_JOB != 2 ] || exit 7",
            "f.scp has changed since the pieces were planned",
        )
    },
    Fault {
        line: "COMMAND; : > o.3.ark",
        code: 0,
        done: Some(2),
        ..Fault::of("an output is cut", "[ $TABLE_JOB != 2 ] || exit 7", "piece 2: ")
    },
    Fault::around("a signal", "COMMAND & STARTED; kill -TERM $!; wait $!", 130, "ended by signal 15"),
    Fault::around(
        "another terminal cancels",
        "COMMAND & STARTED; table-jobs --cancel --dir=o.jobs; wait $!",
        130,
        "cancelled; pieces that are done stay",
    ),
    Fault::around(
        "the submitter is killed, and what it left is cancelled",
        "COMMAND & STARTED; kill -9 $!; table-jobs --cancel --dir=o.jobs",
        0,
        "table-jobs --cancel",
    ),
    Fault {
        mend: "(sleep 1; touch mended) &",
        done: None,
        piece: "until [ -e mended ]; do sleep 0.1; done",
        ..Fault::around("the submitter is killed", "COMMAND & STARTED; kill -9 $!", 0, "")
    },
];

/// In the manner of run.pl: options, JOB=1:n, the log, the command.
pub(crate) const RUN: &str = "#!/bin/bash
while [[ $1 == --* ]]; do shift 2; done
range=${1#JOB=1:}; shift; log=$1; shift
for job in $(seq $range); do \"${@//JOB/$job}\" > ${log//JOB/$job} 2>&1 & done
wait
";

/// Runs all faults on an engine, a few at a time.
fn go_on(engine: &str, cluster: Option<&Cluster>) {
    let settings = cluster.map_or(String::new(), Cluster::settings);
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while let Some(fault) = FAULTS.get(next.fetch_add(1, Ordering::Relaxed)) {
            // The message is printed, with the name of the fault.
            if catch_unwind(AssertUnwindSafe(|| goes_on(fault, engine, &settings))).is_err() {
                failed.fetch_add(1, Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(work);
        }
    });
    assert_eq!(failed.into_inner(), 0, "faults on {engine} have failed");
    if cluster.is_some() {
        let scratch = Scratch::new();
        run(&scratch, &settings, GONE);
        assert_eq!(scratch.read("left"), b"");
    }
}

fn goes_on(fault: &Fault, engine: &str, settings: &str) {
    let name = format!("{engine}, {}", fault.name);
    let scratch = table();
    scratch.write("run.txt", RUN);
    scratch.sh("cp run.txt run.sh; chmod +x run.sh; echo OLD > o.2.ark").succeeds();
    let running = if fault.options.contains("--max-running") { "" } else { "--max-running=4" };
    let command = format!(
        "table-jobs --nj=4 {running} {} --engine={engine} --split=scp:f.scp --out=ark:o.ark -- \
         sh -c '[ -e mended ] || {{ {}; }}; copy-feats scp:f.scp ark:o.ark'",
        fault.options, fault.piece
    );
    let line = fault.line.replace("COMMAND", &command).replace("STARTED", &started(4));
    let (code, log) = run(&scratch, settings, &line);
    assert_eq!(code, fault.code, "{name}: {log}");
    assert!(log.contains(fault.message), "{name}: {log}");
    assert!(!scratch.path("o.ark").exists(), "{name}: {log}");
    if scratch.path("processes").exists() {
        for process in String::from_utf8(scratch.read("processes")).unwrap().lines() {
            let start = Instant::now();
            while runs(process) {
                assert!(start.elapsed() < Duration::from_secs(60), "{name}: process {process} runs on: {log}");
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }
    let (code, log) = run(&scratch, settings, &format!("{}\n{command}", fault.mend));
    assert_eq!(code, 0, "{name}, mended: {log}");
    assert!(scratch.path("o.ark").exists(), "{name}, mended: {log}");
    assert_eq!(scratch.read("o.ark"), scratch.read("f.ark"), "{name}, mended: {log}");
    if let Some(done) = fault.done {
        let all = fault.pieces;
        assert!(log.contains(&format!("{all} of {all} pieces done ({done} before)")), "{name}, mended: {log}");
    }
    // At the end nothing is left to adopt.
    for file in ["lock", "engine.json", "calls.json", "cancel"] {
        assert!(!scratch.path(&format!("o.jobs/{file}")).exists(), "{name}: {file} is left");
    }
}
