//! Parts of long values, as script lines with ranges name them: they are read, and not the values.

use std::fmt::Write;
use std::io::Write as _;
use std::os::unix::fs::FileExt;

use crate::support::Scratch;

/// Writes a value of `size` bytes, almost all of them zeros that take no room, with some bytes at the given offsets.
fn sparse(scratch: &Scratch, name: &str, header: &[u8], size: u64, marks: &[(u64, &[u8])]) {
    let mut file = std::fs::File::create(scratch.path(name)).unwrap();
    file.write_all(header).unwrap();
    file.set_len(header.len() as u64 + size).unwrap();
    for (offset, bytes) in marks {
        file.write_all_at(bytes, header.len() as u64 + offset).unwrap();
    }
}

fn basic(token: &[u8], sizes: &[i32]) -> Vec<u8> {
    let mut header = [b"\0B", token].concat();
    for size in sizes {
        header.push(4);
        header.extend(size.to_le_bytes());
    }
    header
}

/// `min` 0 and `range` so that each step is worth `step`.
fn compressed(token: &[u8], range: f32, rows: i32, cols: i32) -> Vec<u8> {
    [b"\0B", token, &[0; 4], &range.to_le_bytes(), &rows.to_le_bytes(), &cols.to_le_bytes()].concat()
}

const ROWS: i32 = 5_000_000;

/// Matrices of 5,000,000 rows and 20 columns in every form, of up to 800 MB. Row 4,000,000 has a 1 in column 3 and row
/// 4,000,001 a 2 in column 4.
fn long_matrices(scratch: &Scratch) {
    let place = |width: u64, row: u64, col: u64| width * (row * 20 + col);
    let (one, two) = ((4_000_000, 3), (4_000_001, 4));
    let (first, second) = (1_f32.to_le_bytes(), 2_f32.to_le_bytes());
    let marks = [(place(4, one.0, one.1), &first[..]), (place(4, two.0, two.1), &second[..])];
    sparse(scratch, "float", &basic(b"FM ", &[ROWS, 20]), 400_000_000, &marks);
    let (first, second) = (1_f64.to_le_bytes(), 2_f64.to_le_bytes());
    let marks = [(place(8, one.0, one.1), &first[..]), (place(8, two.0, two.1), &second[..])];
    sparse(scratch, "double", &basic(b"DM ", &[ROWS, 20]), 800_000_000, &marks);
    let marks = [(place(1, one.0, one.1), &[1_u8][..]), (place(1, two.0, two.1), &[2])];
    sparse(scratch, "CM3", &compressed(b"CM3 ", 255.0, ROWS, 20), 100_000_000, &marks);
    let marks = [(place(2, one.0, one.1), &[1_u8][..]), (place(2, two.0, two.1), &[2])];
    sparse(scratch, "CM2", &compressed(b"CM2 ", 65535.0, ROWS, 20), 200_000_000, &marks);
    // Levels 0, 64, 192 and 255 in every column: each byte is its own value.
    let levels = [0_u16, 64, 192, 255].map(u16::to_le_bytes).concat().repeat(20);
    let column = |(row, col): (u64, u64)| 160 + col * ROWS as u64 + row;
    let marks = [(0, &levels[..]), (column(one), &[1]), (column(two), &[2])];
    sparse(scratch, "CM", &compressed(b"CM ", 65535.0, ROWS, 20), 160 + 100_000_000, &marks);
}

const FORMS: [&str; 5] = ["float", "CM", "double", "CM2", "CM3"];

#[test]
fn the_bytes_of_a_part_alone_are_read_whatever_the_form_and_the_order() {
    let scratch = Scratch::new();
    long_matrices(&scratch);
    let (mut script, mut expected) = (String::new(), String::new());
    for (number, row) in [4_000_001, 17, 4_000_000, 4_999_990].into_iter().enumerate() {
        for form in FORMS {
            writeln!(script, "{form}-{number} {form}[{row}:{},3:4]", row + 1).unwrap();
            let [first, second] = match row {
                4_000_000 => ["1 0", "0 2"],
                4_000_001 => ["0 2", "0 0"],
                _ => ["0 0", "0 0"],
            };
            writeln!(expected, "{form}-{number}  [\n  {first} \n  {second} ]").unwrap();
        }
    }
    scratch.write("parts.scp", script);
    for threads in [1, 3] {
        let copy =
            format!("ulimit -v $((200000 + PROGRAM_KB)); copy-matrix --num-threads={threads} scp:parts.scp ark,t:-");
        scratch.sh(&copy).succeeds().stdout_is(&expected);
    }
    // Copies that pass bytes on, sizes, parts found by key, and single files do as well.
    let limited = "ulimit -v $((60000 + PROGRAM_KB))";
    scratch.sh(&format!("{limited}; copy-feats scp:parts.scp ark,t:-")).succeeds().stdout_is(&expected);
    scratch
        .sh(&format!("{limited}; feat-to-len scp:parts.scp ark,t:- | cut -d ' ' -f 2 | uniq -c"))
        .succeeds()
        .stdout_is("     20 2\n");
    scratch
        .sh(&format!("{limited}; copy-matrix 'CM2[4000000:4000001,4:4]' - | copy-matrix --binary=false - -"))
        .succeeds()
        .stdout_is(" [\n  0 \n  2 ]\n");
    scratch.sh(&format!("{limited}; compare-feats scp:parts.scp scp:parts.scp")).succeeds();
}

#[test]
fn a_part_that_is_not_there_is_an_error_that_needs_no_memory() {
    let scratch = Scratch::new();
    long_matrices(&scratch);
    scratch.sh("truncate -s -1 CM2; truncate -s 100 CM; truncate -s 15 float").succeeds();
    for (line, status, message) in [
        ("a double[4999999:5000002,1:1]", 0, "double:0: Row range 4999999:5000002 goes beyond the number of rows"),
        ("a double[4999999:5000003]", 255, "double:0: range [4999999:5000003] is not within a matrix of 5000000"),
        ("a double[0:1,20:20]", 255, "range [0:1,20:20] is not within a matrix of 5000000 by 20"),
        ("a double[1:0]", 255, "range [1:0] is not within"),
        ("a double[x]", 255, "expected a range such as"),
        ("a CM2[0:1]", 255, "CM2:"),
        ("a CM[0:1]", 255, "CM:"),
        ("a float[0:1]", 255, "float:"),
    ] {
        scratch.write("one.scp", format!("{line}\n"));
        let copy = "ulimit -v $((60000 + PROGRAM_KB)); copy-matrix scp:one.scp ark,t:-";
        scratch.sh(copy).fails_with(status).stderr_has(message);
        // A damaged value is skipped in permissive mode, a wrong range is not.
        let permitted = if line.contains(" double") { status } else { 1 };
        scratch
            .sh("ulimit -v $((60000 + PROGRAM_KB)); copy-matrix scp,p:one.scp ark,t:-")
            .fails_with(permitted)
            .stderr_has(message);
    }
}

#[test]
fn parts_of_a_long_vector_are_read_alone() {
    let scratch = Scratch::new();
    let (one, two) = (1_f32.to_le_bytes(), 2_f64.to_le_bytes());
    sparse(&scratch, "float", &basic(b"FV ", &[200_000_000]), 800_000_000, &[(4 * 123_456_789, &one)]);
    sparse(&scratch, "double", &basic(b"DV ", &[100_000_000]), 800_000_000, &[(8 * 99_999_999, &two)]);
    scratch.write(
        "parts.scp",
        "a float[123456788:123456790]\nb double[99999998:100000001]\nc double[100000000:100000001]\n",
    );
    scratch
        .sh("ulimit -v $((60000 + PROGRAM_KB)); copy-vector scp:parts.scp ark,t:-")
        .succeeds()
        .stdout_is("a  [ 0 1 0 ]\nb  [ 0 2 ]\nc  [ ]\n")
        .stderr_has("Range 99999998:100000001 goes beyond the vector dimension 100000000");
}

#[test]
fn parts_of_many_files_are_read_with_16_open_files() {
    let scratch = Scratch::new();
    let (mut script, mut expected, mut lengths) = (String::new(), String::new(), String::new());
    for file in 0..300_i32 {
        let mark = (file as f32).to_le_bytes();
        sparse(&scratch, &format!("m{file}"), &basic(b"FM ", &[4000, 40]), 640_000, &[(160, &mark)]);
        writeln!(script, "u{file} m{file}[1:2,0:0]").unwrap();
        writeln!(expected, "u{file}  [\n  {file} \n  0 ]").unwrap();
        writeln!(lengths, "u{file} 4000 ").unwrap();
    }
    scratch.write("parts.scp", &script).write("all.scp", script.replace("[1:2,0:0]", ""));
    for threads in [1, 4] {
        let copy = format!("ulimit -n 16; copy-matrix --num-threads={threads} scp:parts.scp ark,t:-");
        scratch.sh(&copy).succeeds().stdout_is(&expected);
        let lengths_of = format!("ulimit -n 16; feat-to-len --num-threads={threads} scp:all.scp ark,t:-");
        scratch.sh(&lengths_of).succeeds().stdout_is(&lengths);
    }
}
