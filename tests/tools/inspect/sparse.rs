//! Sparse matrices of a few bytes and very many zeros.

use crate::support::Scratch;

/// Two rows of 2,147,483,647 columns with two elements, which would take 17 GB.
fn large(value: f32) -> Scratch {
    let row = |elements: &[(i32, f32)]| {
        let mut bytes =
            [b"SV \x04".as_slice(), &i32::MAX.to_le_bytes(), b"\x04", &(elements.len() as i32).to_le_bytes()].concat();
        for (index, value) in elements {
            bytes.extend([b"\x04".as_slice(), &index.to_le_bytes(), b"\x04", &value.to_le_bytes()].concat());
        }
        bytes
    };
    let scratch = Scratch::new();
    let matrix = [b"\0BSM \x04\x02\0\0\0".as_slice(), &row(&[(7, value)]), &row(&[(9, -1.5)])].concat();
    scratch.write("s.ark", [b"a ".as_slice(), &matrix].concat()).write("s.mat", matrix);
    scratch
}

/// The tools may take no more than this.
const LIMITED: &str = "ulimit -v 4000000; ";

#[test]
fn they_are_looked_at_without_their_zeros() {
    let scratch = large(0.5);
    let sh = |line: &str| scratch.sh(&format!("{LIMITED}{line}"));
    sh("table-info s.ark").succeeds().stdout_has("2147483647");
    sh("table-info s.mat").succeeds().stdout_has("2147483647");
    sh("table-keys --dims s.ark").succeeds().stdout_is("a\t2x2147483647\n");
    sh("table-head s.ark").succeeds().stdout_is("a rows=2 dim=2147483647 [ 7 0.5 ] dim=2147483647 [ 9 -1.5 ] \n");
    sh("table-get s.ark a").succeeds().stdout_has("dim=2147483647 [ 7 0.5 ]");
    sh("table-get s.ark 'a[0:0,6:8]'").succeeds().stdout_is("a  [\n  0 0.5 0 ]\n");
    sh("table-check s.ark s.mat").succeeds().stdout_is("");
    sh("table-diff s.ark s.ark").succeeds();
    let stats = sh("table-stats --json s.ark").succeeds();
    stats.stdout_has("\"count\":4294967294").stdout_has("\"min\":-1.5").stdout_has("\"max\":0.5");
    sh("table-stats --json --by=key s.ark").succeeds().stdout_has("\"count\":4294967294");
    sh("table-sort s.ark x.ark; cmp s.ark x.ark").succeeds();
}

#[test]
fn a_number_that_is_not_finite_is_found_among_the_zeros() {
    let scratch = large(f32::NAN);
    let fault = "a: 1 of 4294967294 values are not finite; the first, at row 0, column 7, is not a number";
    scratch.sh(&format!("{LIMITED}table-check s.ark")).fails_with(1).stdout_has(fault);
}

#[test]
fn what_needs_the_zeros_says_so() {
    let scratch = large(0.5);
    let needs = "at most 67108864 elements to be read with all of its zeros, got 2 by 2147483647";
    for line in [
        "table-head --json s.ark",
        "table-get --json s.ark a",
        "table-export s.ark x.npz",
        "feats-to-png s.ark x.png",
        "table-get s.ark 'a[0:1]'",
    ] {
        let ran = scratch.sh(&format!("{LIMITED}{line}"));
        assert!(
            String::from_utf8_lossy(ran.stderr()).contains(needs),
            "{line}: {}",
            String::from_utf8_lossy(ran.stderr())
        );
    }
    scratch.sh(&format!("{LIMITED}table-stats --by=column s.ark")).fails_with(1).stderr_has(needs);
    // Small ones are as before.
    scratch.write("t", "a rows=1 dim=2 [ 1 0.5 ] \n");
    scratch.sh("table-head --json t").succeeds().stdout_has("[[0,0.5]]");
}
