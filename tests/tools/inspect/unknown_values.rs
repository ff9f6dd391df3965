//! Archives of values that are of none of the types: training examples, acceptors in text form.

use crate::support::Scratch;

/// Three acceptors in text form, as programs of OpenFst write them.
const ACCEPTORS: &str = "utt3 \n0\t1\t8\t0.5\n0\t2\t9\n1\n2\t0.25\n\nutt1 \n0\t1\t8\t1.5\n1\n\nutt2 \n\n";

const EXAMPLE: &[u8] = b"\0B<Nnet3DiscriminativeEg> <NumInputs> \x04\x01\0\0\0 \n\n</Nnet3DiscriminativeEg> ";

/// A folder with an archive in text form, and two of examples, which have three entries each.
fn archives() -> Scratch {
    let scratch = Scratch::new();
    let entry = |key: &str, value: &[u8]| [key.as_bytes(), b" ", value].concat();
    let three = |value: &[u8]| ["utt3", "utt1", "utt2"].map(|key| entry(key, value)).concat();
    scratch.write("text.ark", ACCEPTORS).write("egs.ark", three(EXAMPLE));
    scratch.write("egs-text.ark", three(b"<Nnet3DiscriminativeEg> <NumInputs> 1 x\n1 2\n</Nnet3DiscriminativeEg> "));
    scratch
}

const NAMES: [&str; 3] = ["text.ark", "egs.ark", "egs-text.ark"];

#[test]
fn values_of_no_known_type_are_counted_and_said_to_be_unknown() {
    let scratch = archives();
    for name in NAMES {
        let ran = scratch.sh(&format!("table-info {name}"));
        ran.succeeds().stdout_has("entries      3").stdout_has("type         unknown").stdout_has("duplicates   0");
        let ran = scratch.sh(&format!("table-keys {name}"));
        ran.succeeds().stdout_is("utt3\nutt1\nutt2\n").stderr_has("the values are of none of the types that are known");
        let sorted = format!("table-sort ark:{name} ark:sorted.ark; table-check sorted.ark");
        scratch.sh(&sorted).succeeds();
    }
    scratch.sh("table-keys --sizes egs.ark").stdout_has(&format!("utt3\t{}\n", EXAMPLE.len()));
    // Known values come without a warning.
    scratch.sh("echo a 1 2 > ints; table-keys ints").stdout_is("a\n").stderr_lacks("WARNING");
}

#[test]
fn tools_of_any_type_carry_them_unchanged() {
    let scratch = archives();
    for name in NAMES {
        let script = format!(
            "table-sort ark:{name} ark,scp:sorted.ark,sorted.scp
             table-keys sorted.ark 2>/dev/null > keys && [ \"$(tr '\\n' ' ' < keys)\" = 'utt1 utt2 utt3 ' ]
             table-shuffle ark:sorted.ark ark:shuffled.ark
             table-get --to=ark:one.ark shuffled.ark utt3 && table-get --to=ark:two.ark shuffled.ark utt1 utt2
             concat-ark one.ark two.ark joined.ark 2>/dev/null || concat-ark one.ark two.ark ark:joined.ark
             cmp {name} joined.ark
             ark-to-scp joined.ark joined.scp
             table-sort scp:joined.scp ark:sorted2.ark && cmp sorted.ark sorted2.ark
             table-sample --n=3 ark:{name} ark:sample.ark && cmp {name} sample.ark
             table-split ark:{name} ark:split.1.ark ark:split.2.ark
             cat split.1.ark split.2.ark | cmp - {name}
             [ $(cat {name} | table-sort --buffer-size=2 ark:- ark:- | wc -c) = $(wc -c < {name}) ]"
        );
        scratch.sh(&script).succeeds();
    }
}

#[test]
fn values_that_differ_are_told() {
    let scratch = archives();
    scratch.sh("table-diff egs.ark egs.ark && table-diff text.ark text.ark").succeeds().stdout_is("");
    scratch.sh("sed s/0.25/1/ text.ark > other.ark").succeeds();
    scratch.sh("table-diff text.ark other.ark").fails_with(1).stdout_is("utt3: the values differ\n");
    scratch.sh("table-diff --json text.ark other.ark").stdout_is("{\"difference\":\"values\",\"key\":\"utt3\"}\n");
}

#[test]
fn text_is_printed_and_of_binary_values_the_size() {
    let scratch = archives();
    scratch.sh("table-head --n=9 text.ark").succeeds().stdout_is(ACCEPTORS);
    scratch.sh("table-get text.ark utt1").stdout_is("utt1 \n0\t1\t8\t1.5\n1\n\n");
    let size = EXAMPLE.len();
    scratch.sh("table-get egs.ark utt1").stdout_is(format!("utt1 unknown: {size} bytes\n"));
}

#[test]
fn tools_that_need_numbers_refuse_them_in_one_line() {
    let scratch = archives();
    for name in NAMES {
        for command in ["table-stats", "table-export --format=npz", "table-head --json"] {
            let target = if command.starts_with("table-export") { "x.npz" } else { "" };
            let ran =
                scratch.sh(&format!("{command} {name} {target} 2> log; status=$?; grep -c ERROR log; exit $status"));
            ran.fails_with(255).stdout_is("1\n");
            assert!(String::from_utf8(scratch.read("log")).unwrap().contains("unknown"), "{command} {name}");
        }
    }
    let advice = "this is an example or another value of several lines; table-head shows it";
    for name in NAMES {
        scratch.sh(&format!("copy-matrix ark:{name} ark:/dev/null")).fails_with(255).stderr_has(advice);
    }
    scratch.sh("table-get --to=ark,t:x.ark egs.ark utt1").fails_with(255).stderr_has("this one is binary");
    scratch.sh("table-get text.ark 'utt1[0:1]'").fails_with(255).stderr_has("have no parts");
}

#[test]
fn an_archive_that_is_cut_is_an_error_with_its_place() {
    let scratch = archives();
    for name in NAMES {
        // In text, an example is cut if its last token is.
        let cut = if name == "egs-text.ark" { 3 } else { 1 };
        scratch.sh(&format!("head -c -{cut} {name} > cut.ark")).succeeds();
        scratch.sh("table-sort ark:cut.ark ark:x.ark").fails_with(255).stderr_has("utt2: cut.ark:");
        scratch.sh("table-info cut.ark").fails_with(1).stdout_has("fault").stdout_has("got the end of the input");
    }
}

#[test]
fn words_with_an_empty_first_line_stay_words() {
    let scratch = Scratch::new();
    scratch.write("text", "utt1 \nutt2 hello world\nutt3 yes\n\n");
    scratch.sh("table-info text").succeeds().stdout_has("token-vector").stdout_has("entries      3");
    scratch.sh("table-sort --reverse ark:text ark,t:-").succeeds().stdout_has("utt2 hello world\nutt1 \n");
}
