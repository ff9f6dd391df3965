//! Names of archives without `ark:`.

use crate::support::Scratch;
use crate::support::sample::{binary_archive, ints, matrix, text_archive};

fn tables() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("i.ark", binary_archive(&[("b", ints(1, 2)), ("a", ints(2, 9))]));
    scratch.write("m.txt", text_archive(&[("b", matrix(1, 3, 2)), ("a", matrix(2, 2, 2))]));
    scratch.sh("ark-to-scp i.ark i.scp; copy-matrix ark:m.txt ark:m.ark").succeeds();
    scratch
}

const TOOLS: [&str; 4] = ["table-sort", "table-shuffle", "table-split", "table-sample --n=10"];

#[test]
fn tools_that_copy_tables_take_them_for_inputs_and_outputs() {
    let scratch = tables();
    for tool in TOOLS {
        for names in [
            "i.ark x.ark",
            "ark:i.ark x.ark",
            "i.ark x.ark.of.any.name",
            "i.ark ark:x.ark",
            "i.scp x.ark",
            "scp:i.scp x.ark",
        ] {
            scratch.sh(&format!("rm -f x.*; {tool} {names}; table-diff --by-key i.ark x.*")).succeeds();
        }
        scratch.sh(&format!("rm -f x.*; {tool} i.ark ark,scp:x.ark,y.scp; table-diff --by-key i.ark y.scp")).succeeds();
        // Entries of several lines, and lists, whose lines are copied.
        scratch.sh(&format!("{tool} m.txt x.ark; table-diff --rtol=1e-5 --by-key m.ark x.ark")).succeeds();
        scratch.sh(&format!("{tool} i.scp x.scp; sort x.scp > y; sort i.scp | cmp - y")).succeeds();
        scratch.sh(&format!("printf 'b\\na\\n' > keys; {tool} keys x; sort x")).succeeds().stdout_is("a\nb\n");
        // The message is about the right name.
        scratch.sh(&format!("{tool} i.ark x.scp")).fails_with(255).stderr_has("x.scp").stderr_has("ark");
    }
}

#[test]
fn tools_that_read_and_write_them_do_so_too() {
    let scratch = tables();
    scratch.sh("table-get --to=x.ark i.ark a; table-head x.ark | cut -c1").succeeds().stdout_is("a\n");
    scratch.sh("table-split --parts=2 i.ark p.%d.ark; cat p.1.ark p.2.ark | cmp - i.ark").succeeds();
    scratch.sh("table-split --parts=2 m.txt q.%d.ark; cat q.1.ark q.2.ark | cmp - m.txt").succeeds();
    scratch.sh("table-export i.ark x.npz; table-import x.npz y.ark; table-diff --by-key i.ark y.ark").succeeds();
    for tool in ["table-stats", "table-check", "table-info", "table-keys", "table-head"] {
        scratch.sh(&format!("{tool} i.ark; {tool} m.txt; {tool} m.ark; {tool} i.scp")).stderr_lacks("ERROR");
    }
}
