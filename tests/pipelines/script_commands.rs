//! Script files whose lines are commands: several run side by side, and nothing shows it.

use crate::support::Scratch;
use crate::support::sample::{binary_archive, matrix};

/// Returns how many threads the tools use, and leaves the echo of the command line, which has that number, out.
fn copy(threads: usize) -> String {
    format!("copy-matrix --print-args=false --num-threads={threads}")
}

/// A folder with the files `0.mat` to `19.mat`, and `all.ark` with all of them.
fn with_matrices() -> Scratch {
    let scratch = Scratch::new();
    let mut all = Vec::new();
    for index in 0..20 {
        let sample = matrix(index, 30, 5);
        scratch.write(&format!("{index}.mat"), sample.binary());
        all.extend(binary_archive(&[(&format!("utt{index:02}"), sample)]));
    }
    scratch.write("all.ark", all);
    scratch
}

/// A script file with a line for each matrix; `command` tells how its file is read.
fn script(command: impl Fn(usize) -> String) -> String {
    (0..20).map(|index| format!("utt{index:02} {} |\n", command(index))).collect()
}

/// Runs `copy-matrix` on `all.scp` with one thread and with several: output, log and exit status are the same. Returns
/// the log.
#[track_caller]
fn same_for_any_threads(scratch: &Scratch, options: &str, status: i32) -> String {
    let run = |threads| {
        let script = format!("{} scp{options}:all.scp ark,t:- 2>&1", copy(threads));
        let output = scratch.sh(&script).fails_with(status).stdout().to_vec();
        String::from_utf8(output).expect("text")
    };
    let log = run(1);
    for threads in [2, 3, 16] {
        assert_eq!(run(threads), log, "{threads} threads");
    }
    log
}

#[test]
fn entries_come_in_the_order_of_the_lines() {
    let scratch = with_matrices();
    let slow = |index| if index == 0 { "sleep 0.3; cat 0.mat".to_owned() } else { format!("cat {index}.mat") };
    scratch.write("all.scp", script(slow));
    for threads in [1, 2, 8] {
        let copied = format!("{} scp:all.scp ark:- | cmp - all.ark", copy(threads));
        scratch.sh(&copied).succeeds().stderr_has("Copied 20 matrices");
    }
}

#[test]
fn two_threads_run_two_commands_at_a_time() {
    let scratch = with_matrices();
    // Each of the two waits for the other one.
    scratch.write("two.scp", "a echo > to_b; read x < to_a; cat 0.mat |\nb read x < to_b; echo > to_a; cat 1.mat |\n");
    let run = format!("mkfifo to_a to_b; {} scp:two.scp ark:- | wc -c", copy(2));
    scratch.sh(&run).succeeds().stdout_is("1234\n");
}

#[test]
fn one_thread_runs_one_command_at_a_time() {
    let scratch = with_matrices();
    scratch.write("all.scp", script(|index| format!("mkdir lock && sleep 0.01 && cat {index}.mat; rmdir lock")));
    scratch.sh(&format!("{} scp:all.scp ark:- | cmp - all.ark", copy(1))).succeeds();
}

#[test]
fn a_command_that_fails_in_the_middle_ends_the_table_there() {
    for failure in ["exit 3", "true", "head -c 100 7.mat", "head -c 100 7.mat; kill -9 $$", "echo x", "cat missing"] {
        let scratch = with_matrices();
        let command = |index| if index == 7 { failure.to_owned() } else { format!("cat {index}.mat 2> /dev/null") };
        scratch.write("all.scp", script(command));
        let log = same_for_any_threads(&scratch, "", 255);
        assert!(
            log.contains("utt06") && log.contains("all.scp:8: utt07: ") && !log.contains("utt08"),
            "{failure}: {log}"
        );
    }
}

#[test]
fn commands_that_fail_are_passed_over_in_permissive_mode() {
    let scratch = with_matrices();
    let command = |index| match index {
        0 => "sleep 0.2; exit 3".to_owned(),
        5 => "true".to_owned(),
        11 => "head -c 99 3.mat; kill -TERM $$".to_owned(),
        19 => "head -c 99 3.mat".to_owned(),
        _ => format!("cat {index}.mat"),
    };
    scratch.write("all.scp", script(command));
    let log = same_for_any_threads(&scratch, ",p", 0);
    let warnings = log.lines().filter(|line| line.starts_with("WARNING")).count();
    // One for each, and their count.
    assert!(warnings == 5 && log.contains("Copied 16 matrices") && log.contains("killed by signal 15"), "{log}");
}

#[test]
fn a_status_after_a_whole_value_is_a_warning_at_its_place() {
    let scratch = with_matrices();
    scratch.write("all.scp", script(|index| format!("cat {index}.mat; exit {}", index % 3)));
    let log = same_for_any_threads(&scratch, "", 0);
    let warnings: Vec<&str> = log.lines().filter(|line| line.contains("the value before it was whole")).collect();
    let failing = (0..20).filter(|index| index % 3 > 0);
    let expected: Vec<String> = failing.map(|index| format!(" Pipe cat {index}.mat; exit {} |", index % 3)).collect();
    assert_eq!(warnings.len(), expected.len(), "{log}");
    assert!(warnings.iter().zip(&expected).all(|(warning, command)| warning.contains(command)), "{log}");
}

#[test]
fn commands_files_and_ranges_may_be_mixed() {
    let scratch = with_matrices();
    let line = |index: usize| match index % 4 {
        0 => format!("utt{index:02} cat {index}.mat |\n"),
        1 => format!("utt{index:02} {index}.mat\n"),
        2 => format!("utt{index:02} cat {index}.mat |[0:4]\nutt{index:02}b cat {index}.mat |[5:29]\n"),
        _ => format!("utt{index:02} all.ark:{}\n", index * 621 + 6),
    };
    scratch.write("all.scp", (0..20).map(line).collect::<String>());
    let log = same_for_any_threads(&scratch, "", 0);
    assert!(log.contains("Copied 25 matrices"), "{log}");
}

#[test]
fn lines_that_name_the_same_command_run_it_once() {
    let scratch = with_matrices();
    let line = |index| format!("utt{index:02} echo >> ran; cat 0.mat |[{index}:{index}]\n");
    scratch.write("all.scp", (0..20).map(line).collect::<String>());
    scratch.sh(&format!("{} scp:all.scp ark:/dev/null; wc -l < ran", copy(4))).succeeds().stdout_is("1\n");
}

#[test]
fn a_value_longer_than_what_is_read_ahead_comes_whole() {
    let scratch = Scratch::new();
    // 1500 × 2000 floats make 12 MB.
    let header = "printf '\\0BFM \\4\\334\\5\\0\\0\\4\\320\\7\\0\\0'";
    let line = |key| format!("{key} {header}; head -c 12000000 /dev/zero; true {key} |\n");
    scratch.write("all.scp", ["a", "b", "c", "d"].map(line).concat());
    let run = format!("{} scp:all.scp ark:- | wc -c", copy(4));
    scratch.sh(&run).succeeds().stdout_is("48000068\n");
}

#[test]
fn commands_that_run_after_an_error_are_ended() {
    let scratch = with_matrices();
    let command = |index| match index {
        0..3 => format!("cat {index}.mat"),
        3 => "exit 3".to_owned(),
        _ => format!("exec sleep 100{index}"),
    };
    scratch.write("all.scp", script(command));
    let run = format!("{} scp:all.scp ark:-", copy(8));
    scratch.sh(&run).fails_with(255).stderr_has("exit status 3");
}

#[test]
fn a_process_that_outlives_its_command_is_not_waited_for() {
    let scratch = with_matrices();
    // It holds the pipe open for longer than a test may take; standard error is that of the test.
    scratch.write("all.scp", script(|index| format!("cat {index}.mat; sleep 400 2> /dev/null &")));
    for threads in [1, 4] {
        let run = format!("{} scp:all.scp ark:- | cmp - all.ark", copy(threads));
        scratch.sh(&run).succeeds();
    }
    // The status of the command itself counts.
    scratch.write("all.scp", script(|index| format!("cat {index}.mat; sleep 400 2> /dev/null & exit 3")));
    for threads in [1, 4] {
        let run = format!("{} scp:all.scp ark:- | cmp - all.ark", copy(threads));
        scratch.sh(&run).succeeds().stderr_has("exit status 3; the value before it was whole");
    }
}

/// `run` writes the file `out` before a command that it reads from ends: the command waits until `out` was seen.
#[track_caller]
fn is_written_early(run: &str) {
    let scratch = with_matrices();
    let script = format!(
        "{run} & for i in {{1..2500}}; do [ -s out ] && echo early && break; sleep 0.1; done; touch seen; wait"
    );
    scratch.sh(&script).succeeds().stdout_is("early\n");
}

#[test]
fn feat_to_dim_writes_before_the_command_ends() {
    is_written_early("feat-to-dim 'ark:cat all.ark; until [ -e seen ]; do sleep 0.05; done |' out");
}

#[test]
fn subset_feats_writes_before_the_command_ends() {
    is_written_early("subset-feats --n=3 'ark:cat all.ark; until [ -e seen ]; do sleep 0.05; done |' ark:out");
}

#[test]
fn feats_to_png_writes_before_the_command_ends() {
    is_written_early(
        "ln -s out out.png; feats-to-png --max-utts=1 'ark:cat all.ark; until [ -e seen ]; do sleep 0.05; done |' out.png",
    );
}

#[test]
fn table_head_writes_before_the_command_ends() {
    is_written_early("table-head --n=2 'ark:cat all.ark; until [ -e seen ]; do sleep 0.05; done |' > out");
}

#[test]
fn table_get_writes_before_the_command_ends() {
    is_written_early("table-get 'ark:cat all.ark; until [ -e seen ]; do sleep 0.05; done |' utt01 > out");
}
