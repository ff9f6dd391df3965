use std::fs;

use crate::support::sample::{binary_archive, matrix};
use crate::support::{Scratch, tool};

/// A folder with a table of 20 matrices, `f.ark` and `f.scp`.
pub(super) fn table() -> Scratch {
    let scratch = Scratch::new();
    let keys: Vec<String> = (0..20).map(|number| format!("utt{number:02}")).collect();
    let entries: Vec<_> = keys.iter().zip(1..).map(|(key, seed)| (key.as_str(), matrix(seed, 5, 3))).collect();
    scratch.write("all.ark", binary_archive(&entries));
    scratch.sh("copy-feats ark:all.ark ark,scp:f.ark,f.scp").succeeds();
    scratch
}

#[test]
fn a_command_is_needed() {
    tool("table-jobs").assert().code(1).stdout("");
    tool("table-jobs").args(["--nj=2"]).assert().code(1).stdout("");
    let ran = Scratch::new().sh("table-jobs -- copy-feats scp:a.scp ark:b").fails_with(255);
    ran.stderr_has("expected --nj, the number of pieces");
}

#[test]
fn archives_with_a_script_file_stay_in_pieces() {
    let scratch = table();
    let ran = scratch.sh("table-jobs --nj=3 -- copy-feats scp:f.scp ark,scp:o.ark,o.scp").succeeds();
    ran.stderr_has("3 of 3 pieces done (0 before), 20 entries, 0 run again");
    let script = String::from_utf8(scratch.read("o.scp")).unwrap();
    assert_eq!(script.lines().count(), 20);
    assert!(script.starts_with("utt00 o.1.ark:6\n"), "{script}");
    scratch.sh("copy-feats scp:o.scp ark:-").succeeds().stdout_is(scratch.read("f.ark"));
    let names: Vec<String> = scratch.list().into_iter().filter(|name| name.starts_with("o.")).collect();
    assert_eq!(names, ["o.1.ark", "o.2.ark", "o.3.ark", "o.jobs", "o.scp"]);
}

#[test]
fn joined_archives_have_the_bytes_of_the_whole_run() {
    let scratch = table();
    scratch.sh("copy-feats scp:f.scp ark,scp:w.ark,w.scp").succeeds();
    let before = scratch.read("w.scp");
    let whole = scratch.read("w.ark");
    scratch.sh("rm w.ark w.scp; table-jobs --nj=3 --join=true -- copy-feats scp:f.scp ark,scp:w.ark,w.scp").succeeds();
    assert_eq!(scratch.read("w.ark"), whole);
    assert_eq!(scratch.read("w.scp"), before);
    assert!(!scratch.path("w.1.ark").exists());
    // An archive is cut at its entries; standard output comes in order.
    let text = scratch.sh("copy-feats ark:f.ark ark,t:-").succeeds();
    let pieces = scratch.sh("table-jobs --nj=6 --dir=d -- copy-feats ark:f.ark ark,t:-").succeeds();
    pieces.stdout_is(text.stdout());
}

#[test]
fn pipelines_name_what_is_cut_and_written() {
    let scratch = table();
    let pipeline = "copy-feats scp:f.scp ark:- | add-deltas ark:- ark:p.ark";
    let ran = format!("table-jobs --nj=4 --split=scp:f.scp --out=ark:p.ark -- sh -c '{pipeline}'");
    scratch.sh(&ran).succeeds();
    scratch.sh("add-deltas scp:f.scp ark:-").succeeds().stdout_is(scratch.read("p.ark"));
    let ran =
        scratch.sh("table-jobs --nj=2 --dir=d --split=scp:g.scp --out=ark:p.ark -- sh -c 'cat f.scp'").fails_with(255);
    ran.stderr_has("cannot read g.scp");
    let ran = scratch.sh("table-jobs --nj=2 --split=f.scp --out=ark:x.ark -- sh -c 'cat f.scp'").fails_with(255);
    ran.stderr_has("ark:x.ark is not a name in the command");
}

#[test]
fn what_needs_the_whole_table_is_refused_with_the_reason() {
    let scratch = table();
    let refused = |command: &str, reason: &str| {
        let ran = scratch.sh(&format!("table-jobs --nj=2 -- {command}")).fails_with(255);
        ran.stderr_has(reason);
    };
    refused("table-sort ark:f.ark ark:s.ark", "table-sort cannot run in pieces: the order is one of the whole table");
    refused("copy-matrix a.mat b.mat", "a.mat is a file and not a table");
    refused("cat f.scp", "it is not known how cat runs in pieces");
    refused("copy-feats 'ark:cat f.ark |' ark:b.ark", "it is a stream");
    refused("copy-feats scp:f.scp 'ark:| cat > b.ark'", "is a command, which cannot run in pieces");
    scratch.sh("table-jobs --nj=2 -- copy-feats scp:nothing.scp ark:b.ark").fails_with(255);
    assert!(!scratch.path("b.ark").exists());
}

#[test]
fn the_same_command_goes_on() {
    let scratch = table();
    // The second piece fails once.
    scratch.write(
        "once.sh",
        "copy-feats scp:f.scp ark:o.ark && { [ $TABLE_JOB != 2 ] || [ -e second ] || { touch second; exit 255; }; }",
    );
    let command = "table-jobs --nj=3 --split=scp:f.scp --out=ark:o.ark -- sh -c \"$(cat once.sh)\"";
    let ran = scratch.sh(command).fails_with(255);
    ran.stderr_has("1 of 3 pieces have failed").stderr_has("piece 2: exit status 255: LOG (copy-feats");
    assert!(!scratch.path("o.ark").exists());
    let status = scratch.sh("table-jobs --status --dir=o.jobs").succeeds();
    let status = String::from_utf8(status.stdout().to_vec()).unwrap();
    let states: Vec<&str> = status.lines().map(|line| line.split('\t').nth(1).unwrap()).collect();
    assert_eq!(states, ["done", "failed", "done"]);
    scratch.sh(command).succeeds().stderr_has("3 of 3 pieces done (2 before)");
    assert_eq!(scratch.read("o.ark"), scratch.read("f.ark"));
    let ran = scratch.sh("table-jobs --nj=4 --dir=o.jobs -- copy-feats scp:f.scp ark:o.ark").fails_with(255);
    ran.stderr_has("has pieces of other work: the command was").stderr_has("--restart forgets them");
    scratch.sh("table-jobs --nj=4 --restart --dir=o.jobs -- copy-feats scp:f.scp ark:o.ark").succeeds();
}

#[test]
fn a_failure_of_the_program_is_not_tried_again_and_many_end_the_run() {
    let scratch = table();
    let all =
        "table-jobs --nj=20 --max-running=1 --split=scp:f.scp --out=ark:o.ark -- sh -c ': scp:f.scp ark:o.ark; exit 3'";
    let ran = scratch.sh(all).fails_with(255);
    ran.stderr_has("5 of 20 pieces have failed").stderr_has("piece 1: exit status 3");
    let tries = fs::read_dir(scratch.path("o.jobs/tries")).unwrap().count();
    assert!(tries < 10, "{tries} tries");
}

#[test]
fn a_killed_piece_runs_again() {
    let scratch = table();
    scratch.write(
        "once.sh",
        "[ $TABLE_JOB != 2 ] || [ -e second ] || { touch second; kill -9 $$; }; copy-feats scp:f.scp ark:o.ark",
    );
    let command = "table-jobs --nj=3 --split=scp:f.scp --out=ark:o.ark -- sh -c \"$(cat once.sh)\"";
    let ran = scratch.sh(command).succeeds();
    ran.stderr_has("piece 2 runs again: killed by signal 9").stderr_has("20 entries, 1 run again");
    assert_eq!(scratch.read("o.ark"), scratch.read("f.ark"));
    let never =
        "table-jobs --nj=2 --retries=1 --split=scp:f.scp --out=ark:n.ark -- sh -c ': scp:f.scp ark:n.ark; kill -9 $$'";
    scratch.sh(never).fails_with(255).stderr_has("2 of 2 pieces have failed");
    assert!(scratch.path("n.jobs/tries/1.2").exists() && !scratch.path("n.jobs/tries/1.3").exists());
}

#[test]
fn outputs_that_were_damaged_after_the_piece_was_done_are_made_again() {
    let scratch = table();
    scratch.sh("table-jobs --nj=3 --dry-run -- copy-feats scp:f.scp ark:o.ark").succeeds();
    for piece in 1..=3 {
        scratch.sh(&format!("table-jobs --piece={piece} --dir=o.jobs")).succeeds();
    }
    scratch.sh("truncate -s 100 o.2.ark; rm o.3.ark").succeeds();
    scratch.sh("table-jobs --finish --dir=o.jobs").fails_with(255).stderr_has("2 of 3 pieces have failed");
    scratch.sh("table-jobs --nj=3 -- copy-feats scp:f.scp ark:o.ark").succeeds().stderr_has("(1 before)");
    assert_eq!(scratch.read("o.ark"), scratch.read("f.ark"));
}

/// The submitter cuts it anew; a piece alone cannot.
#[test]
fn a_list_that_has_changed_is_an_error_for_a_piece() {
    let scratch = table();
    scratch.sh("table-jobs --nj=3 --dry-run -- copy-feats scp:f.scp ark:o.ark").succeeds();
    scratch.sh("sed -i 1d f.scp").succeeds();
    scratch.sh("table-jobs --piece=1 --dir=o.jobs").fails_with(255).stderr_has("f.scp has changed since");
}

#[test]
fn a_second_submitter_is_refused_and_a_dead_one_is_not() {
    let scratch = table();
    let command = "table-jobs --nj=2 --split=scp:f.scp --out=ark:o.ark -- sh -c 'until [ -e o.go ]; do sleep 0.05; done; copy-feats scp:f.scp ark:o.ark'";
    let both = format!(
        "{command} & first=$!; until [ -e o.jobs/lock ]; do sleep 0.05; done; {command} 2> second; echo $? >> second; touch o.go; wait $first; cat second"
    );
    let ran = scratch.sh(&both);
    let second = String::from_utf8_lossy(ran.stdout()).into_owned();
    assert!(second.contains("o.jobs is in use: process") && second.ends_with("255\n"), "{second}");
    assert_eq!(scratch.read("o.ark"), scratch.read("f.ark"));
    // Its pieces run on, and are adopted.
    let command = command.replace("o.ark", "p.ark").replace("o.go", "p.go");
    let killed = format!(
        "{command} & first=$!; until [ -s p.jobs/tries/2.1 ] && [ -s p.jobs/tries/1.1 ]; do sleep 0.05; done; kill -9 $first; (sleep 1; touch p.go) & {command}"
    );
    scratch.sh(&killed).succeeds();
    assert_eq!(scratch.read("p.ark"), scratch.read("f.ark"));
    assert!(!scratch.path("p.jobs/tries/1.2").exists());
}

#[test]
fn an_interrupt_ends_the_pieces() {
    let scratch = table();
    let command =
        "table-jobs --nj=2 --split=scp:f.scp --out=ark:o.ark -- sh -c 'sleep 1000; copy-feats scp:f.scp ark:o.ark'";
    let ran = scratch
        .sh(&format!("{command} & until [ -s o.jobs/tries/1.1 ]; do sleep 0.05; done; kill -TERM $!; wait $!"))
        .fails_with(130);
    ran.stderr_has("ended by signal 15");
    assert!(!scratch.path("o.ark").exists());
}

#[test]
fn sums_are_reduced_and_other_files_need_a_word() {
    let scratch = table();
    scratch.sh("compute-cmvn-stats scp:f.scp whole").succeeds();
    scratch.sh("table-jobs --nj=3 -- compute-cmvn-stats scp:f.scp stats").succeeds();
    let numbers = |file: &str| {
        let ran = scratch.sh(&format!("copy-matrix --binary=false {file} - | tr -d '[]'")).succeeds();
        let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
        text.split_whitespace().map(|word| word.parse().unwrap()).collect::<Vec<f64>>()
    };
    let (whole, joined) = (numbers("whole"), numbers("stats"));
    assert_eq!(whole.len(), joined.len());
    assert!(whole.iter().zip(joined).all(|(one, other)| (one - other).abs() <= 1e-5 * one.abs()));
    let file = "table-jobs --nj=2 --split=f.scp --out=n -- sh -c 'wc -l < f.scp > n'";
    scratch.sh(file).fails_with(255).stderr_has("an output is a file that is not a table: --reduce makes");
    scratch.sh(&file.replace("--nj", "--join=true --nj")).succeeds();
    assert_eq!(scratch.read("n"), b"10\n10\n");
}

#[test]
fn speakers_and_other_tables_are_cut_at_the_same_keys() {
    let scratch = table();
    let map: String = (0..20).map(|number| format!("utt{number:02} spk{}\n", number / 7)).collect();
    scratch.write("utt2spk", &map);
    let command = "table-jobs --nj=3 --by=speakers --utt2spk=utt2spk --split=f.scp --follow=utt2spk --out=o -- \
                   sh -c 'cut -f 1 f.scp | wc -l > o; wc -l < utt2spk >> o' --join=true";
    let command = command.replace(" --join=true", "").replace("--nj=3", "--nj=3 --join=true");
    scratch.sh(&command).succeeds();
    assert_eq!(scratch.read("o"), b"7\n7\n7\n7\n6\n6\n");
    scratch.sh("table-jobs --nj=2 --by=bytes -- copy-feats scp:f.scp ark:b.ark").succeeds();
    assert_eq!(scratch.read("b.ark"), scratch.read("f.ark"));
}

#[test]
fn a_command_such_as_run_pl_is_an_engine() {
    let scratch = table();
    // In the manner of run.pl: options, JOB=1:n, the log, the command.
    scratch.write(
        "run.txt",
        "#!/bin/bash\nset -e\nwhile [[ $1 == --* ]]; do echo \"$1 $2\" >> options; shift 2; done\n\
         range=${1#JOB=1:}; shift; log=$1; shift\n\
         for job in $(seq $range); do \"${@//JOB/$job}\" > ${log//JOB/$job} 2>&1 & done\nwait\n",
    );
    // A copy: what a thread of this process has just written may be open in what another one starts, and cannot be run then.
    scratch.sh("cp run.txt run.sh; chmod +x run.sh").succeeds();
    let command = "table-jobs --nj=3 --engine=cmd:./run.sh --mem=2G -- copy-feats scp:f.scp ark:o.ark";
    scratch.sh(command).succeeds();
    assert_eq!(scratch.read("o.ark"), scratch.read("f.ark"));
    assert_eq!(scratch.read("options"), b"--mem 2G\n");
    scratch.sh(&command.replace("./run.sh", "./nothing.sh").replace("o.ark", "n.ark")).fails_with(255);
}

#[test]
fn a_full_disk_leaves_no_output() {
    let scratch = table();
    let command = "table-jobs --nj=2 --split=scp:f.scp --out=ark:o.ark -- \
                   sh -c 'ulimit -f 0; copy-feats scp:f.scp ark:o.ark'";
    scratch.sh(command).fails_with(255);
    assert!(!scratch.path("o.ark").exists());
}

/// A command line whose pieces take some seconds.
fn slowly(pieces: usize, seconds: usize) -> String {
    format!(
        "table-jobs --nj={pieces} --max-running={pieces} --split=scp:f.scp --out=ark:o.ark -- \
         sh -c 'sleep {seconds}; copy-feats scp:f.scp ark:o.ark'"
    )
}

const ONE_RUNS: &str = "until [ -s o.jobs/tries/1.1 ]; do sleep 0.05; done";

#[test]
fn another_terminal_cancels() {
    let scratch = table();
    let line = format!("{} & {ONE_RUNS}; table-jobs --cancel --dir=o.jobs && wait $!", slowly(2, 1000));
    scratch.sh(&line).fails_with(130).stderr_has("cancelled; pieces that are done stay");
    scratch.sh("table-jobs --status --dir=o.jobs | cut -f 2").succeeds().stdout_is("failed\nfailed\n");
    // Without a submitter, pieces that it has left are cancelled.
    let line = format!(
        "{} & until [ -s o.jobs/tries/1.2 ]; do sleep 0.05; done; kill -9 $!; table-jobs --cancel --dir=o.jobs; \
         until [ -e o.jobs/failed/1.2 ]; do sleep 0.05; done; cat o.jobs/failed/1.2",
        slowly(2, 1000)
    );
    let ran = scratch.sh(&line);
    assert!(String::from_utf8_lossy(ran.stdout()).contains("killed by signal 15"), "{:?}", ran.stdout());
}

#[test]
fn pieces_that_run_are_not_forgotten() {
    let scratch = table();
    let restart = "table-jobs --restart --nj=2 --dir=o.jobs -- copy-feats scp:f.scp ark:o.ark";
    let until_go = slowly(2, 0).replace("sleep 0;", "until [ -e go ]; do sleep 0.05; done;");
    let line = format!("{until_go} & {ONE_RUNS}; {restart}; code=$?; touch go; wait; exit $code");
    scratch.sh(&line).fails_with(255).stderr_has("o.jobs is in use: process");
    assert_eq!(scratch.read("o.ark"), scratch.read("f.ark"));
    let scratch = table();
    let line = format!("{} & {ONE_RUNS}; kill -9 $!; {restart}", slowly(1, 1000));
    scratch.sh(&line).fails_with(255).stderr_has("piece 1 (process ").stderr_has(") still runs: --cancel ends it");
    scratch.sh("table-jobs --cancel --dir=o.jobs; until [ -e o.jobs/failed/1.1 ]; do sleep 0.05; done").succeeds();
    scratch.sh(restart).succeeds();
}

#[test]
fn one_of_many_takes_over_from_a_dead_submitter() {
    let scratch = table();
    let command = slowly(2, 1);
    scratch.sh(&command.replace("--nj", "--dry-run --nj")).succeeds();
    scratch
        .sh(r#"printf '{"host":"%s","process":4194305,"start":1}' "$(cat /proc/sys/kernel/hostname)" > o.jobs/lock"#)
        .succeeds();
    scratch.sh(&format!("for i in 1 2 3 4 5 6; do {command} 2> log.$i & done; wait")).succeeds();
    assert_eq!(scratch.read("o.ark"), scratch.read("f.ark"));
    assert!(!scratch.path("o.jobs/tries/1.2").exists() && !scratch.path("o.jobs/lock").exists());
}

#[test]
fn another_version_on_a_node_is_an_error() {
    let scratch = table();
    scratch.sh("table-jobs --nj=2 --dry-run -- copy-feats scp:f.scp ark:o.ark").succeeds();
    scratch.sh("sed -i 's/\"version\":\"[^\"]*\"/\"version\":\"0.0.9\"/' o.jobs/plan.json").succeeds();
    let ran = scratch.sh("table-jobs --piece=1 --dir=o.jobs").fails_with(255);
    ran.stderr_has("the pieces were planned by version 0.0.9, and ");
    let ran = scratch.sh("table-jobs --nj=2 -- copy-feats scp:f.scp ark:o.ark").fails_with(255);
    ran.stderr_has("the version of table-jobs was 0.0.9, and is ");
}

#[test]
fn names_may_have_blanks_and_quotes() {
    let scratch = table();
    scratch.sh("mkdir 'a b' && sed 's# f.ark# '$PWD/f.ark'#' f.scp > \"a b/it's.scp\"").succeeds();
    scratch.sh("table-jobs --nj=3 -- copy-feats \"scp:a b/it's.scp\" 'ark:a b/\"o\" x.ark'").succeeds();
    assert_eq!(scratch.read("a b/\"o\" x.ark"), scratch.read("f.ark"));
    let ran = scratch.sh("table-jobs --nj=3 '--dir=d %j JOB' -- copy-feats \"scp:a b/it's.scp\" ark:-").succeeds();
    ran.stdout_is(scratch.read("f.ark"));
}

/// Also pieces that have not started yet: the command starts them when others have ended.
#[test]
fn calls_of_a_command_are_adopted() {
    let scratch = table();
    scratch.write(
        "run.txt",
        "#!/bin/bash\nrange=${1#*=1:}; name=${1%=*}; shift; log=$1; shift\n\
         for job in $(seq $range); do \"${@//$name/$job}\" > ${log//$name/$job} 2>&1; done\n",
    );
    scratch.sh("cp run.txt run.sh; chmod +x run.sh").succeeds();
    let command = slowly(3, 1).replace("--max-running=3", "--engine=cmd:./run.sh");
    scratch.sh(&format!("{command} & {ONE_RUNS}; kill -9 $!; {command}")).succeeds();
    assert_eq!(scratch.read("o.ark"), scratch.read("f.ark"));
    assert!(!scratch.path("o.jobs/lists/pieces2").exists() && !scratch.path("o.jobs/tries/1.2").exists());
    scratch.sh("printf '#!/bin/bash\\necho no such queue >&2\\nexit 1\\n' > run.sh").succeeds();
    let ran = scratch.sh(&command.replace("--nj", "--restart --nj")).fails_with(255);
    ran.stderr_has("./run.sh refuses: no such queue");
}

/// The recipe of docs/clusters.md for an indexed job.
#[test]
fn pieces_of_an_indexed_job_are_counted_from_0() {
    let recipe = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/clusters.md")).unwrap();
    let line = recipe.lines().find_map(|line| line.trim().strip_prefix("args: [\"")?.strip_suffix("\"]")).unwrap();
    let scratch = table();
    scratch.sh("table-jobs --nj=3 --dry-run -- copy-feats scp:f.scp ark:o.ark").succeeds();
    let line = line.replace("/data/raw.jobs", "o.jobs");
    scratch.sh(&format!("for i in 0 1 2; do JOB_COMPLETION_INDEX=$i sh -c '{line}' || exit; done")).succeeds();
    scratch.sh("table-jobs --finish --dir=o.jobs").succeeds();
    assert_eq!(scratch.read("o.ark"), scratch.read("f.ark"));
}

#[test]
fn nothing_done_stays_nothing_done() {
    let scratch = Scratch::new();
    scratch.write("f", "a [ 1 ]\nb [ 2 ]\n");
    scratch.sh("copy-vector ark:f ark,scp:f.ark,f.scp && sed -i 's/:.*/:9999/' f.scp").succeeds();
    for _ in 0..2 {
        let ran = scratch.sh("table-jobs --nj=2 -- copy-vector scp,p:f.scp ark:o.ark").fails_with(1);
        ran.stderr_has("2 of 2 pieces done");
    }
}
