//! What counts as done, and when an earlier run goes on.

use std::fs;
use std::os::unix::fs::symlink;

use super::table_jobs::table;
use crate::support::Scratch;

#[test]
fn exit_status_1_of_another_program_is_a_failure() {
    let scratch = table();
    let command = "table-jobs --nj=3 --split=scp:f.scp --out=ark:o.ark -- \
                   sh -c 'copy-feats scp:f.scp ark:o.ark; [ $TABLE_JOB != 2 ] || [ -e mended ] || exit 1'";
    let ran = scratch.sh(command).fails_with(255);
    ran.stderr_has("1 of 3 pieces have failed").stderr_has("piece 2: exit status 1");
    assert!(!scratch.path("o.ark").exists());
    scratch.sh(&format!("touch mended; {command}")).succeeds().stderr_has("(2 before)");
    assert_eq!(scratch.read("o.ark"), scratch.read("f.ark"));
}

#[test]
fn what_is_there_before_a_piece_starts_is_not_its_output() {
    let scratch = table();
    let command = "table-jobs --nj=3 --join=true --split=f.scp --out=x -- \
                   sh -c '[ $TABLE_JOB = 2 ] && [ ! -e mended ] || cat f.scp >> x'";
    // A link says where an output is kept; what is appended does not follow old lines.
    scratch.sh("mkdir disk; echo OLD | tee x.1 x.2 > disk/x.3").succeeds();
    symlink("disk/x.3", scratch.path("x.3")).unwrap();
    let ran = scratch.sh(command).fails_with(255);
    ran.stderr_has("1 of 3 pieces have failed").stderr_has("piece 2: the command ended with success, but there is no ");
    assert_eq!(scratch.sh("readlink x.3; grep -c OLD x.1 x.3").fails_with(1).stdout(), b"disk/x.3\nx.1:0\nx.3:0\n");
    scratch.sh(&format!("touch mended; {command}")).succeeds();
    assert_eq!(scratch.read("x"), scratch.read("f.scp"));
}

/// Each piece would remove what it, or another one, reads.
#[test]
fn pieces_do_not_write_what_their_list_reads() {
    let scratch = table();
    scratch.sh("table-jobs --nj=3 -- copy-feats scp:f.scp ark,scp:o.ark,o.scp").succeeds();
    let before = scratch.read("o.2.ark");
    for command in ["scp:o.scp ark,scp:o.ark,p.scp", "ark:o.2.ark ark:o.ark"] {
        let ran = scratch.sh(&format!("table-jobs --nj=2 --dir=d -- copy-feats {command}")).fails_with(255);
        ran.stderr_has(" which piece ").stderr_has("give the output another name");
    }
    assert_eq!(scratch.read("o.2.ark"), before);
}

#[test]
fn every_file_that_the_command_names_is_known() {
    let scratch = table();
    scratch
        .sh("compute-cmvn-stats scp:f.scp ark:c.ark; for i in $(seq -w 0 19); do echo utt$i utt$i; done > map")
        .succeeds();
    scratch.write("conf", "--norm-vars=true # a comment\n--utt2spk=ark:map\n");
    scratch.write("list", "utt01\n");
    let tool = "table-jobs --nj=2 --dir=d -- apply-cmvn --config=conf ark:c.ark scp:f.scp ark:o.ark";
    let pipe = "table-jobs --nj=2 --dir=d -- apply-cmvn 'ark:cat c.ark |' scp:f.scp ark:o.ark";
    let shell = "table-jobs --nj=2 --dir=d --split=scp:f.scp --out=ark:o.ark -- \
                 sh -c 'subset-feats --include=list scp:f.scp ark:o.ark; :'";
    for (command, name, change) in [
        (tool, "conf", "sed -i s/true/false/ conf"),
        (tool, "map", "sed -i 1d map"),
        (tool, "c.ark", "cp f.ark c.ark"),
        (pipe, "c.ark", "cp f.ark c.ark"),
        (shell, "list", "echo utt02 > list"),
    ] {
        scratch.sh(&command.replace("--nj", "--dry-run --nj")).succeeds();
        scratch.sh(&format!("cp {name} kept; touch {name}; {change}")).succeeds();
        let ran = scratch.sh(command).fails_with(255);
        ran.stderr_has(&format!("{name} has changed since the pieces were planned")).stderr_has("--restart");
        if command != shell {
            let ran = scratch.sh("table-jobs --piece=1 --dir=d").fails_with(255);
            ran.stderr_has(&format!("{name} has changed since the pieces were planned: --restart plans anew"));
        }
        scratch.sh(&format!("rm {name}; {command}")).fails_with(255).stderr_has(name);
        // The bytes count, and not the time. If the file is gone, the tool refuses the command line.
        scratch.sh(&format!("cp kept {name}; {command}")).succeeds();
        // After the end, too.
        let ran = scratch.sh(&format!("{change}; {command}")).fails_with(255);
        ran.stderr_has(&format!("{name} has changed since the pieces were planned"));
        scratch.sh(&format!("cp kept {name}; rm -r d o.ark")).succeeds();
    }
}

#[test]
fn what_a_command_writes_is_not_what_it_reads() {
    let scratch = table();
    scratch.write("errors", "old\n");
    scratch.sh("cp f.ark o.ark; touch lengths").succeeds();
    let command = "table-jobs --nj=2 --split=scp:f.scp --out=ark:o.ark -- \
                   sh -c 'echo new >> errors; copy-feats scp:f.scp ark:o.ark 2>errors; [ -e mended ]'";
    scratch.sh(command).fails_with(255);
    scratch.sh(&format!("touch mended; {command}")).succeeds();
    let both =
        "table-jobs --nj=2 --dir=d --out=ark:p.ark -- copy-feats --write-num-frames=ark,t:lengths scp:f.scp ark:p.ark";
    scratch.sh(both).succeeds();
    scratch.sh(both).succeeds().stderr_has("(2 before)");
}

#[test]
fn programs_are_those_of_today() {
    let scratch = table();
    scratch.write("tool.txt", "#!/bin/sh\ncopy-feats \"$@\"\n");
    scratch
        .sh("mkdir one two; for folder in one two; do cp tool.txt $folder/tool-x; chmod +x $folder/tool-x; done")
        .succeeds();
    let command = "table-jobs --nj=2 --split=scp:f.scp --out=ark:o.ark -- tool-x scp:f.scp ark:o.ark";
    scratch.sh(command).fails_with(255).stderr_has("cannot run tool-x");
    let ran = scratch.sh(&format!("PATH=$PWD/one:$PATH {command}")).succeeds();
    ran.stderr_has("the program tool-x was not found, and is ").stderr_has("one/tool-x now");
    assert_eq!(scratch.read("o.ark"), scratch.read("f.ark"));
    scratch.sh(&format!("PATH=$PWD/one:$PATH {command}")).succeeds().stderr_lacks("the program");
    let ran = scratch.sh(&format!("PATH=$PWD/two:$PATH {command}")).succeeds();
    ran.stderr_has("the program tool-x was ").stderr_has("two/tool-x now");
}

#[test]
fn an_empty_table_gives_what_the_tool_gives() {
    let scratch = Scratch::new();
    scratch.sh("touch e.scp e.ark e.txt").succeeds();
    for command in [
        "copy-feats scp:e.scp ark:OUT",
        "copy-feats ark:e.ark ark:OUT",
        "feat-to-len scp:e.scp ark,t:OUT",
        "compute-cmvn-stats scp:e.scp OUT",
        "compute-cmvn-stats --spk2utt=ark:e.txt scp:e.scp ark:OUT",
        "filter-utts --utt2num-frames=e.txt e.txt OUT",
        "copy-feats-to-htk --output-dir=OUT.d --output-ext=x scp:e.scp",
    ] {
        let pieces = format!("table-jobs --nj=3 --dir=d -- {}", command.replace("OUT", "pieces"));
        let code = scratch.sh(&format!("{}; echo $?", command.replace("OUT", "whole")));
        let code: i32 = String::from_utf8_lossy(code.stdout()).trim().parse().unwrap();
        for _ in 0..2 {
            let ran = scratch.sh(&pieces).fails_with(code);
            ran.stderr_has("1 of 1 pieces done");
        }
        let outputs = ["whole", "pieces"].map(|name| fs::read(scratch.path(name)).ok());
        assert_eq!(outputs[0], outputs[1], "{command}");
        scratch.sh("rm -rf d whole* pieces*").succeeds();
    }
    let pipeline = "table-jobs --nj=3 --split=scp:e.scp --out=ark:o -- sh -c 'copy-feats scp:e.scp ark:o || :'";
    scratch.sh(pipeline).succeeds();
    assert_eq!(scratch.read("o"), b"");
}

/// The whole run looks keys up in the table that it reads.
#[test]
fn a_key_twice_is_refused_where_a_table_is_read_twice() {
    let scratch = Scratch::new();
    scratch.write("f", "a [ 1 2 ]\nb [ 3 4 ]\na [ 5 6 ]\nc [ 7 8 ]\n");
    let ran = scratch.sh("paste-vectors ark:f ark:f ark,t:o").fails_with(255);
    ran.stderr_has("duplicate key a");
    let ran = scratch.sh("table-jobs --nj=3 -- paste-vectors ark:f ark:f ark,t:o").fails_with(255);
    ran.stderr_has("ark:f has the key a a second time (entry 3)");
    scratch.sh("table-jobs --nj=3 -- copy-vector ark:f ark,t:o").succeeds();
}

#[test]
fn a_lock_without_content_is_named() {
    let scratch = table();
    let command = "table-jobs --nj=2 -- copy-feats scp:f.scp ark:o.ark";
    for junk in ["", "junk"] {
        scratch.sh(&command.replace("--nj", "--restart --dry-run --nj")).succeeds();
        scratch.write("o.jobs/lock", junk);
        let ran = scratch.sh(command).fails_with(255);
        ran.stderr_has("o.jobs/lock does not say which process submits these pieces: remove it if none does");
        scratch.sh(&format!("rm o.jobs/lock; {command}")).succeeds();
    }
}

#[test]
fn names_of_state_folders_are_not_run() {
    let scratch = table();
    for name in ["a $(touch X)", "it's", "a;touch X"] {
        let engine = format!("table-jobs --nj=2 --engine=cmd:./run.sh '--dir={}' --", name.replace('\'', r"'\''"));
        let ran = scratch.sh(&format!("{engine} copy-feats scp:f.scp ark:o.ark")).fails_with(255);
        ran.stderr_has("the state folder has characters that a command cannot take (--dir names another one): ");
        let shell = engine.replace("--engine=cmd:./run.sh", "--split=scp:f.scp --out=ark:-");
        let ran = scratch.sh(&format!("{shell} sh -c 'copy-feats scp:f.scp ark:-'")).fails_with(255);
        ran.stderr_has("the state folder has characters that a command cannot take");
        // A tool gets the name as it is.
        let local = engine.replace("--engine=cmd:./run.sh", "--restart");
        scratch.sh(&format!("{local} copy-feats scp:f.scp ark:-")).succeeds().stdout_is(scratch.read("f.ark"));
    }
    assert!(!scratch.path("X").exists());
}
