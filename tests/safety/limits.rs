use std::fmt::Write;
use std::io::{Seek, SeekFrom, Write as _};

use crate::support::Scratch;
use crate::support::sample::{binary_archive, matrix};

#[test]
fn a_script_file_of_100_000_entries_over_300_files_is_read_with_16_open_files() {
    let scratch = Scratch::new();
    let one = binary_archive(&[("k", matrix(1, 2, 3))]);
    let mut script = String::new();
    for file in 0..300 {
        scratch.write(&format!("{file}.ark"), &one);
    }
    for entry in 0..100_000_usize {
        // Neighbours come from different files.
        writeln!(script, "utt{entry:06} {}.ark:2", entry * 7919 % 300).unwrap();
    }
    scratch.write("all.scp", script);
    let copy = "ulimit -n 16; copy-matrix scp:all.scp ark:- | tail -c 49 | head -c 9";
    scratch.sh(copy).succeeds().stdout_is("utt099999").stderr_has("Copied 100000 matrices");
}

#[test]
fn a_script_file_of_300_commands_is_read_with_16_open_files() {
    let scratch = Scratch::new();
    let one = binary_archive(&[("k", matrix(1, 2, 3))]);
    scratch.write("one.mat", &one[2..]);
    let mut script = String::new();
    for entry in 0..300 {
        writeln!(script, "utt{entry:04} cat one.mat; true {entry} |").unwrap();
    }
    scratch.write("all.scp", script);
    for threads in [1, 2, 16] {
        let copy =
            format!("ulimit -n 16; copy-matrix --num-threads={threads} scp:all.scp ark:- | tail -c 47 | head -c 7");
        scratch.sh(&copy).succeeds().stdout_is("utt0299").stderr_has("Copied 300 matrices");
    }
    // Where the processes that may run are too few, or the open files, for any command ahead.
    let copy = "ulimit -n 9; copy-matrix --num-threads=4 scp:all.scp ark:- | wc -c";
    scratch.sh(copy).succeeds().stdout_is("14100\n");
}

#[test]
fn keys_of_10_kb_pass_through() {
    let scratch = Scratch::new();
    let (one, two) = ("k".repeat(10_000), "l".repeat(10_000));
    scratch.write("m.ark", binary_archive(&[(&one, matrix(1, 2, 3)), (&two, matrix(2, 1, 1))]));
    scratch.sh("copy-matrix ark:m.ark ark,scp:o.ark,o.scp && cmp m.ark o.ark").succeeds();
    scratch.sh("copy-matrix scp:o.scp ark,t:- | copy-matrix ark:- ark:- | cmp - <(copy-matrix ark,t:m.ark ark,t:- | copy-matrix ark:- ark:-)").succeeds();
}

#[test]
fn an_entry_of_3_gb_is_never_wrapped() {
    let scratch = Scratch::new();
    // 30000 × 25000 floats make 3.0 GB; the file has a hole for them.
    let mut header = b"a \0BFM \x04".to_vec();
    header.extend_from_slice(&30_000_i32.to_le_bytes());
    header.push(4);
    header.extend_from_slice(&25_000_i32.to_le_bytes());
    let mut file = std::fs::File::create(scratch.path("big.ark")).unwrap();
    file.write_all(&header).unwrap();
    file.set_len(header.len() as u64 + 3_000_000_000).unwrap();
    file.seek(SeekFrom::End(0)).unwrap();
    file.write_all(&binary_archive(&[("b", matrix(1, 1, 1))])).unwrap();
    drop(file);
    // Where its bytes are only passed on it needs no memory; where it is to be parsed it is refused, in one line.
    let limited = "ulimit -v 1000000; copy-matrix ark:big.ark";
    let copied = format!("{limited} ark:- | wc -c");
    scratch.sh(&copied).succeeds().stdout_is("3000000038\n");
    scratch.sh(&format!("{limited} ark,t:/dev/null")).fails_with(255).stderr_has("cannot read big.ark:");
    // One byte short: known at once, whatever the size.
    scratch
        .sh("truncate -s 3000000015 big.ark; ulimit -v 262144; copy-matrix ark:big.ark ark:/dev/null")
        .fails_with(255)
        .stderr_has("big.ark:");
}
