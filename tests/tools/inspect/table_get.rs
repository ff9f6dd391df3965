use super::tables;
use crate::support::tool;

#[test]
fn a_table_and_keys_are_needed() {
    tool("table-get").assert().code(1).stdout("");
    tables().sh("table-get feats.scp").fails_with(255).stderr_has("expected keys after feats.scp, or --keys");
}

#[test]
fn answers_come_in_the_order_asked() {
    let scratch = tables();
    let expected = "c  [\n  0 0.5 \n  1 0.5 ]\na  [\n  0 0.5 \n  1 0.5 \n  2 0.5 ]\nc  [\n  0 0.5 \n  1 0.5 ]\n";
    for table in ["feats.ark", "feats.scp", "ark:feats.ark", "scp:feats.scp", "ark:cat feats.ark |"] {
        scratch.sh(&format!("table-get '{table}' c a c")).succeeds().stdout_is(expected);
    }
    scratch.sh("cat feats.ark | table-get - c a c").succeeds().stdout_is(expected);
}

#[test]
fn a_range_follows_the_key() {
    let scratch = tables();
    for table in ["feats.ark", "feats.scp"] {
        let ran = scratch.sh(&format!("table-get {table} 'a[1:2,0:0]' 'a[0:0]'"));
        ran.succeeds().stdout_is("a  [\n  1 \n  2 ]\na  [\n  0 0.5 ]\n");
        let ran = scratch.sh(&format!("table-get {table} 'a[5:6]'"));
        ran.fails_with(255).stderr_has("range [5:6] is not within a matrix of 3 by 2");
    }
    // What looks like a range may belong to the key.
    scratch.write("odd", "k[0:1] 5\nk 6\n");
    scratch.sh("table-get odd 'k[0:1]' k").succeeds().stdout_is("k[0:1] 5 \nk 6 \n");
}

#[test]
fn a_range_of_a_range_is_refused() {
    let scratch = tables();
    scratch
        .sh("sed 's/$/[0:1]/' feats.scp > part.scp; table-get part.scp a")
        .succeeds()
        .stdout_is("a  [\n  0 0.5 \n  1 0.5 ]\n");
    scratch
        .sh("table-get part.scp 'a[0:0]'")
        .fails_with(255)
        .stderr_has("a: expected one range, got [0:1] in the script file and [0:0]");
}

#[test]
fn a_missing_key_is_a_warning_and_status_1() {
    let scratch = tables();
    for table in ["feats.ark", "feats.scp", "ali.ark", "text"] {
        let ran = scratch.sh(&format!("table-get {table} b nobody | cut -c 1 | head -n 1"));
        ran.fails_with(1).stdout_is("b\n").stderr_has(&format!("{table} has no key nobody"));
        let ran = scratch.sh(&format!("table-get --to=ark:out.ark {table} b nobody; table-keys out.ark"));
        ran.succeeds().stdout_is("b\n");
    }
}

#[test]
fn keys_come_from_a_file_or_standard_input() {
    let scratch = tables();
    scratch.write("keys", "c some words\n\nb\n");
    scratch.sh("table-get --keys=keys utt2spk a").succeeds().stdout_is("a x\nc y\nb x\n");
    scratch.sh("table-get --keys=keys utt2spk").succeeds().stdout_is("c y\nb x\n");
    scratch.sh("echo b | table-get --keys=- utt2spk").succeeds().stdout_is("b x\n");
    scratch.sh("table-get --keys=/dev/null utt2spk").succeeds().stdout_is("");
    scratch.sh("table-get --keys=nowhere utt2spk").fails_with(255).stderr_has("cannot open nowhere");
}

#[test]
fn a_script_file_is_read_where_the_value_is() {
    let scratch = tables();
    // What is after it is cut.
    scratch.sh("head -c 50 feats.ark > cut.ark; mv cut.ark feats.ark").succeeds();
    scratch.sh("table-get feats.scp 'a[0:0]'").succeeds().stdout_is("a  [\n  0 0.5 ]\n");
    let ran = scratch.sh("table-get feats.scp b 'a[0:0]'").fails_with(1).stdout_is("a  [\n  0 0.5 ]\n");
    ran.stderr_has("feats.scp:2: b: feats.ark:").stderr_lacks("has no key");
    scratch.sh("table-get feats.ark 'a[0:0]'").succeeds();
}

#[test]
fn a_table_is_written_with_to() {
    let scratch = tables();
    scratch
        .sh("table-get --to=ark,scp:o.ark,o.scp feats.scp c 'a[0:0]'; cat o.scp")
        .succeeds()
        .stdout_is("c o.ark:2\na o.ark:35\n");
    scratch.sh("copy-feats scp:o.scp ark,t:-").succeeds().stdout_is("c  [\n  0 0.5 \n  1 0.5 ]\na  [\n  0 0.5 ]\n");
    scratch.sh("table-get --to=ark,t:- ali.ark b").succeeds().stdout_is("b 7 \n");
    scratch
        .sh("echo 'k 1 2' | table-get --to=ark:- ark:- k")
        .succeeds()
        .stdout_is(b"k \0B\x04\x02\0\0\0\x04\x01\0\0\0\x04\x02\0\0\0");
    scratch
        .sh("table-get --to=ark:w.ark wav.scp rec; wav-to-duration ark:w.ark ark,t:-")
        .succeeds()
        .stdout_is("rec 0.5 \n");
    scratch.sh("table-get --to=scp:x feats.scp a").fails_with(255).stderr_has("expected an archive to write");
}

#[test]
fn json_has_the_value() {
    let scratch = tables();
    let ran = scratch.sh("table-get --json ali.ark b");
    ran.succeeds().stdout_is("{\"table\":\"ali.ark\",\"key\":\"b\",\"type\":\"int32-vector\",\"value\":[7]}\n");
}

#[test]
fn one_value_has_no_keys() {
    let scratch = tables();
    scratch.sh("table-get feats.ark:2 a").fails_with(255).stderr_has("one value without a key: table-head prints it");
    scratch.sh("table-get . a").fails_with(255).stderr_has("is a folder");
}

#[test]
fn a_second_table_is_not_just_a_key_that_is_not_there() {
    let ran = tables().sh("table-get feats.ark ali.ark a").fails_with(1);
    ran.stderr_has("feats.ark has no key ali.ark; it is a file, and table-get reads one table only");
}
