//! A list that is mended: pieces whose lines are as before stay.

use std::fs;

use super::table_jobs::table;
use crate::support::Scratch;

const COMMAND: &str = "table-jobs --nj=4 -- copy-feats scp:bad.scp ark,scp:o.ark,o.scp";

/// A table of 20 matrices, and a list `bad.scp` of it, whose line 12 is wrong.
fn broken() -> Scratch {
    let scratch = table();
    scratch.sh("sed '12s/ .*/ nothing.ark:5/' f.scp > bad.scp").succeeds();
    scratch
}

/// The whole table is that of a run in one piece.
fn is_whole(scratch: &Scratch, list: &str) {
    let whole = scratch.sh(&format!("copy-feats scp:{list} ark:-")).succeeds();
    scratch.sh("copy-feats scp:o.scp ark:-").succeeds().stdout_is(whole.stdout());
}

#[test]
fn a_corrected_line_runs_its_piece_only() {
    let scratch = broken();
    let ran = scratch.sh(COMMAND).fails_with(255);
    ran.stderr_has("1 of 4 pieces have failed").stderr_has("bad.scp:12: utt11: ").stderr_lacks("list0");
    let log = String::from_utf8(scratch.read("o.jobs/log/3.log")).unwrap();
    assert!(log.contains("bad.scp:12: utt11: ") && log.contains("scp:bad.scp") && !log.contains("list0"), "{log}");
    let ran = scratch.sh(&format!("cp f.scp bad.scp; {COMMAND}")).succeeds();
    ran.stderr_has("scp:bad.scp has changed").stderr_has("4 of 4 pieces done (3 before), 20 entries");
    is_whole(&scratch, "f.scp");
    for piece in [1, 2, 4] {
        assert!(!scratch.path(&format!("o.jobs/tries/{piece}.2")).exists(), "{piece}");
    }
    // And after the end.
    scratch.sh("sed -i '2s/utt01/utt77/' bad.scp").succeeds();
    scratch.sh(COMMAND).succeeds().stderr_has("(3 before), 20 entries");
    is_whole(&scratch, "bad.scp");
    scratch.sh(COMMAND).succeeds().stderr_has("(4 before)").stderr_lacks("has changed");
}

#[test]
fn lines_are_taken_out_and_put_in_at_each_place() {
    for (change, before) in [
        ("sed -i 12d bad.scp", 3),
        ("sed -i '12d;1d' bad.scp", 2),
        ("sed -i '12d;$d' bad.scp", 2),
        ("sed -i '12s/.*/&/;12d;5d' bad.scp", 2),
        // Between two pieces, and at both ends: what is new is a piece of its own, since none that is done is touched.
        ("cp f.scp bad.scp; sed -i '5a new f.ark:6' bad.scp", 3),
        ("cp f.scp bad.scp; sed -i '1i aaa f.ark:6' bad.scp; echo zzz f.ark:6 >> bad.scp", 3),
        // Another last line end.
        ("printf %s \"$(sed 12d bad.scp)\" > bad.scp", 3),
        // All lines of a piece, and those of three.
        ("sed -i 11,15d bad.scp", 3),
        ("sed -i 1,15d bad.scp", 1),
        // Pieces in another order.
        ("sed -n 16,20p bad.scp > x; sed -n 1,5p bad.scp >> x; sed -n 6,10p bad.scp >> x; mv x bad.scp", 3),
        ("tac bad.scp | sed 9d > x; mv x bad.scp", 0),
    ] {
        let scratch = broken();
        scratch.sh(COMMAND).fails_with(255).stderr_has("1 of 4 pieces have failed");
        let ran = scratch.sh(&format!("{change}; {COMMAND}")).succeeds();
        ran.stderr_has(&format!("({before} before)"));
        is_whole(&scratch, "bad.scp");
        let lines = fs::read_to_string(scratch.path("bad.scp")).unwrap().lines().count();
        let keys = |file: &str| scratch.sh(&format!("cut -d' ' -f1 {file}")).succeeds().stdout().to_vec();
        assert_eq!(keys("o.scp"), keys("bad.scp"), "{change}");
        // No output is left that belongs to nothing.
        let archives = scratch.list().into_iter().filter(|name| name.starts_with("o.") && name.ends_with(".ark"));
        let named = scratch.sh("sed 's/.* //; s/:.*//' o.scp | sort -u | wc -l").succeeds();
        let named: usize = String::from_utf8_lossy(named.stdout()).trim().parse().unwrap();
        assert_eq!(archives.count(), named, "{change}: {lines} lines");
    }
}

#[test]
fn one_piece_a_line_loses_a_line() {
    let scratch = broken();
    let command = COMMAND.replace("--nj=4", "--nj=20 --max-failures=20");
    scratch.sh(&command).fails_with(255);
    scratch.sh(&format!("sed -i 12d bad.scp; {command}")).succeeds().stderr_has("19 of 19 pieces done (19 before)");
    is_whole(&scratch, "bad.scp");
    // A job that still has its number has nothing to do.
    scratch.sh("table-jobs --piece=12 --dir=o.jobs").succeeds().stderr_has("piece 12 has no entries any more");
    scratch
        .sh("table-jobs --piece=21 --dir=o.jobs")
        .fails_with(255)
        .stderr_has("expected a piece from 1 to 20, got 21");
    scratch.sh("table-jobs --status --dir=o.jobs | cut -f 2 | sort | uniq -c").succeeds().stdout_is("     19 done\n");
}

/// What is left out is not what is wrong.
#[test]
fn with_the_option_to_leave_entries_out_pieces_stay() {
    let scratch = broken();
    scratch.sh(COMMAND).fails_with(255);
    let permissive = COMMAND.replace("scp:bad", "scp,p:bad");
    let ran = scratch.sh(&permissive).succeeds();
    ran.stderr_has("4 of 4 pieces done (3 before)").stderr_has("bad.scp:12: utt11").stderr_lacks("list0");
    assert_eq!(scratch.sh("wc -l < o.scp").succeeds().stdout(), b"19\n");
    // Without it, what was left out is missing; what was not is there.
    scratch.sh(COMMAND).fails_with(255).stderr_has("1 of 4 pieces have failed").stderr_has("bad.scp:12");
    scratch.sh(&format!("cp f.scp bad.scp; {COMMAND}")).succeeds().stderr_has("(3 before)");
    is_whole(&scratch, "f.scp");
}

#[test]
fn other_numbers_of_pieces_cut_what_is_left() {
    let scratch = broken();
    scratch.sh(COMMAND).fails_with(255);
    let ran = scratch.sh(&COMMAND.replace("--nj=4", "--nj=8")).fails_with(255);
    ran.stderr_has("1 of 8 pieces have failed").stderr_has("bad.scp:12");
    // Going on needs no number.
    let same = COMMAND.replace(" --nj=4", "");
    scratch.sh(&format!("cp f.scp bad.scp; {same}")).succeeds().stderr_has("8 of 8 pieces done (7 before)");
    is_whole(&scratch, "f.scp");
    scratch.sh(&same).succeeds().stderr_has("(8 before)");
    // All are done: fewer pieces would be made of nothing.
    scratch.sh(&COMMAND.replace("--nj=4", "--nj=2")).succeeds().stderr_has("8 of 8 pieces done (8 before)");
}

#[test]
fn joined_outputs_are_given_back_to_pieces_that_stay() {
    let scratch = table();
    for (command, outputs) in [
        ("copy-feats scp:g.scp ark:o.ark", vec!["o.ark"]),
        ("copy-feats --write-num-frames=ark,t:len scp:g.scp ark,t:o.ark", vec!["o.ark", "len"]),
        ("--join=true -- copy-feats scp:g.scp ark,scp:o.ark,o.scp", vec!["o.ark", "o.scp"]),
        ("feat-to-len scp:g.scp ark,t:o.ark", vec!["o.ark"]),
    ] {
        let (options, whole) = command.split_once(" -- ").unwrap_or(("", command));
        let jobs = format!("table-jobs --nj=4 {options} --dir=d -- {whole}");
        scratch.sh(&format!("cp f.scp g.scp; rm -rf d o.* len; {jobs}")).succeeds();
        let ran = scratch.sh(&format!("sed -i 7d g.scp; {jobs}")).succeeds();
        ran.stderr_has("4 of 4 pieces done (3 before), 19 entries");
        let made: Vec<Vec<u8>> = outputs.iter().map(|name| scratch.read(name)).collect();
        assert!(!scratch.list().iter().any(|name| name.starts_with("o.3") || name == "len.3"), "{:?}", scratch.list());
        scratch.sh(&format!("rm {}; {whole}", outputs.join(" "))).succeeds();
        for (name, made) in outputs.iter().zip(made) {
            assert!(scratch.read(name) == made, "{command}: {name}");
        }
    }
    // Another way to join.
    let jobs = "table-jobs --nj=4 --dir=d -- copy-feats scp:f.scp ark,scp:p.ark,p.scp";
    scratch.sh(&jobs.replace("--nj", "--restart --join=true --nj")).succeeds();
    scratch.sh(&jobs.replace("--nj", "--join=false --nj")).succeeds().stderr_has("(4 before)");
    scratch.sh("cat p.1.ark p.2.ark p.3.ark p.4.ark").succeeds().stdout_is(scratch.read("f.ark"));
    scratch.sh("cat p.?.scp > all; copy-feats scp:all ark:-").succeeds().stdout_is(scratch.read("f.ark"));
}

#[test]
fn sums_are_added_again() {
    let scratch = table();
    let command = "table-jobs --nj=4 -- compute-cmvn-stats scp:g.scp stats";
    scratch.sh(&format!("cp f.scp g.scp; {command}; sed -i 7d g.scp; {command}; cp stats made")).succeeds();
    scratch.sh("compute-cmvn-stats scp:g.scp stats; table-diff --rtol=1e-4 stats made").succeeds();
}

/// With speakers, and with another list that is cut at the same keys.
#[test]
fn lists_beside_the_first_one_count() {
    let scratch = table();
    let map: String = (0..20).map(|number| format!("utt{number:02} spk{}\n", number / 4)).collect();
    scratch.write("map", &map).write("other", &map);
    let command = "table-jobs --nj=5 --by=speakers --utt2spk=map --follow=other --split=f.scp --out=o --join=true -- \
                   sh -c 'cut -d\" \" -f 1 f.scp > o; cut -d\" \" -f 2 other >> o'";
    scratch.sh(command).succeeds();
    // A line of the second list alone.
    scratch.sh(&format!("sed -i '6s/spk1/spk9/' other; {command}")).succeeds().stderr_has("(4 before)");
    assert_eq!(scratch.sh("grep -c spk9 o").succeeds().stdout(), b"1\n");
    // A speaker that is in a piece which stays takes it along: no speaker is in two pieces.
    let ran = scratch.sh(&format!("sed -i '5s/spk1/spk0/' map; {command}")).succeeds();
    ran.stderr_has("(3 before)");
    let pieces = scratch.sh("cat o.jobs/plan.json | tr ',' '\\n' | grep -o '\"lines\":[0-9]*' | head -2").succeeds();
    assert_eq!(pieces.stdout(), b"\"lines\":5\n\"lines\":5\n");
}

/// A table is not planned again while it is being worked at.
#[test]
fn pieces_that_run_are_not_cut_again() {
    let scratch = table();
    scratch.sh("cp f.scp g.scp").succeeds();
    let command = "table-jobs --nj=2 --max-running=2 --split=scp:g.scp --out=ark:o.ark -- \
                   sh -c 'until [ -e go ]; do sleep 0.05; done; copy-feats scp:g.scp ark:o.ark'";
    let line = format!(
        "{command} & until [ -s o.jobs/tries/2.1 ]; do sleep 0.05; done; sed -i 1d g.scp; {command}; code=$?; \
         kill -9 $!; {command}; touch go; until [ -e o.1.ark ] && [ -e o.2.ark ]; do sleep 0.05; done; exit $code"
    );
    let ran = scratch.sh(&line).fails_with(255);
    ran.stderr_has("o.jobs is in use: process").stderr_has("still runs: --cancel ends it");
}

#[test]
fn compressed_lists_are_cut_and_compressed_archives_refused() {
    let scratch = table();
    scratch.sh("gzip -k f.scp f.ark; copy-feats ark:f.ark ark,t:f.txt; gzip -k f.txt").succeeds();
    scratch.sh("for i in $(seq -w 0 19); do echo utt$i a b c; done > text; gzip -k text").succeeds();
    let jobs = "table-jobs --nj=3 --dir=d --restart --";
    scratch.sh(&format!("{jobs} copy-feats scp:f.scp.gz ark:o.ark")).succeeds();
    assert_eq!(scratch.read("o.ark"), scratch.read("f.ark"));
    scratch.write("units", "<unk> 0\na 1\nb 2\nc 3\n\u{2581} 4\n");
    scratch.sh(&format!("{jobs} tokenize-text --symbols=units text.gz ark:o.ark")).succeeds();
    scratch.sh("tokenize-text --symbols=units text ark:-").succeeds().stdout_is(scratch.read("o.ark"));
    for archive in ["f.ark.gz", "f.txt.gz"] {
        let ran = scratch.sh(&format!("{jobs} copy-feats ark:{archive} ark:n.ark")).fails_with(255);
        ran.stderr_has("cannot be dealt: it is compressed");
        assert!(!scratch.path("n.ark").exists() && !scratch.path("d/tries/1.1").exists());
    }
    // One that is mended.
    let jobs = jobs.replace(" --restart", "");
    scratch.sh("rm -r d").succeeds();
    scratch.sh(&format!("{jobs} copy-feats scp:f.scp.gz ark,scp:p.ark,p.scp")).succeeds();
    let ran =
        scratch.sh(&format!("sed 9d f.scp | gzip > f.scp.gz; {jobs} copy-feats scp:f.scp.gz ark,scp:p.ark,p.scp"));
    ran.succeeds().stderr_has("f.scp.gz has changed");
    assert_eq!(
        scratch.sh("cut -d' ' -f1 p.scp").succeeds().stdout(),
        scratch.sh("sed 9d f.scp | cut -d' ' -f1").succeeds().stdout()
    );
}

/// Another file under a name of the list.
#[test]
fn newer_files_that_a_list_names_are_said() {
    let scratch = Scratch::new();
    scratch.sh("for i in 0 1 2 3; do printf \"u$i  [\\n  $i 1 ]\\n\" | copy-feats ark:- ark:u$i.ark; done").succeeds();
    scratch
        .sh("for i in 0 1 2 3; do echo u$i u$i.ark:3; done > l; echo 'u4 cat u3.ark | tail -c +4 |' >> l; sleep 0.05")
        .succeeds();
    let command = "table-jobs --nj=5 -- copy-feats scp:l ark:o.ark";
    scratch.sh(command).succeeds();
    scratch.sh(command).succeeds().stderr_has("(5 before)").stderr_lacks("newer");
    // Of the same size, and older than that which it replaces.
    scratch
        .sh("printf 'u0  [\\n  7 1 ]\\n' | copy-feats ark:- ark:n.ark; touch -d 2020-01-01 n.ark; mv n.ark u0.ark")
        .succeeds();
    let ran = scratch.sh(command).succeeds();
    ran.stderr_has("(5 before)").stderr_has("u0.ark (l:1) is newer than piece 1, which was made of it: --newer");
    scratch.sh("touch u3.ark").succeeds();
    let ran = scratch.sh(command).succeeds();
    ran.stderr_has("u0.ark (l:1) is newer").stderr_has("there are 3 such files of 3 pieces");
    scratch.sh(&command.replace("--nj=5", "--newer")).succeeds().stderr_has("5 of 5 pieces done (2 before)");
    scratch.sh("copy-feats scp:l ark:-").succeeds().stdout_is(scratch.read("o.ark"));
    scratch.sh(command).succeeds().stderr_has("(5 before)").stderr_lacks("newer");
}

/// Also after the end.
#[test]
fn outputs_that_changed_at_the_same_size_are_made_again() {
    let scratch = table();
    let command = "table-jobs --nj=3 -- copy-feats scp:f.scp ark,scp:o.ark,o.scp";
    scratch.sh(&command.replace("--nj", "--dry-run --nj")).succeeds();
    scratch.sh("for i in 1 2 3; do table-jobs --piece=$i --dir=o.jobs; done").succeeds();
    let damage = "size=$(stat -c %s o.2.ark); head -c $size /dev/zero > o.2.ark";
    scratch
        .sh(&format!("{damage}; table-jobs --finish --dir=o.jobs"))
        .fails_with(255)
        .stderr_has("1 of 3 pieces have failed");
    scratch.sh(command).succeeds().stderr_has("(2 before)");
    // What is in the others is used again.
    for (damaged, before) in [("o.2.ark", 2), ("o.scp", 0)] {
        let ran = scratch.sh(&format!("{}; {command}", damage.replace("o.2.ark", damaged))).succeeds();
        ran.stderr_has(&format!("({before} before)"));
        scratch.sh("copy-feats scp:o.scp ark:-").succeeds().stdout_is(scratch.read("f.ark"));
    }
    // A joined one: nothing is left of the pieces.
    let command = "table-jobs --nj=3 -- copy-feats scp:f.scp ark:j.ark";
    scratch.sh(&format!("{command}; {}; {command}", damage.replace("o.2.ark", "j.ark"))).succeeds();
    assert_eq!(scratch.read("j.ark"), scratch.read("f.ark"));
}
