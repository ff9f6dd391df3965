use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, matrix, matrix_f64, text_archive};

fn feats() -> [(&'static str, Sample); 4] {
    [("a", matrix(1, 30, 13)), ("b", matrix(2, 1, 13)), ("c", Sample::Matrix(vec![])), ("d", matrix(3, 9, 13))]
}

#[test]
fn an_archive_is_compressed_and_indexed() {
    let scratch = Scratch::new();
    scratch.write("in.ark", binary_archive(&[("a", matrix(1, 30, 13)), ("b", matrix(2, 3, 13))]));
    let ran = scratch.sh("cat in.ark | copy-feats --compress=true ark:- ark,scp:foo.ark,foo.scp");
    ran.succeeds().stderr_has("Copied 2 feature matrices.");
    // Behind "a \0BCM " and 16 bytes: 13 columns of 30 bytes and four levels.
    let second = 2 + 5 + 16 + 13 * (30 + 8) + 2;
    assert_eq!(scratch.read("foo.scp"), format!("a foo.ark:2\nb foo.ark:{second}\n").as_bytes());
    let foo = scratch.read("foo.ark");
    assert!(foo.starts_with(b"a \0BCM ") && foo[second..].starts_with(b"\0BCM2 "));
    assert_eq!(foo.len(), second + 6 + 16 + 2 * 3 * 13);
}

#[test]
fn features_are_copied_between_all_forms() {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&feats())).write("f.txt", text_archive(&feats()));
    scratch.sh("copy-feats ark:f.ark ark:-").succeeds().stdout_is(binary_archive(&feats()));
    scratch.sh("copy-feats ark:f.ark ark,t:-").succeeds().stdout_is(text_archive(&feats()));
    scratch.sh("copy-feats ark:f.txt ark,t:-").succeeds().stdout_is(text_archive(&feats()));
    scratch.write("d.ark", binary_archive(&[("a", matrix_f64(1, 3, 2))]));
    scratch.sh("copy-feats ark:d.ark ark:-").succeeds().stdout_is(binary_archive(&[("a", matrix(1, 3, 2))]));
}

#[test]
fn a_file_is_copied_in_the_form_asked_for() {
    let scratch = Scratch::new();
    let feats = Sample::Matrix(vec![vec![1.0, -2.5], vec![1e-9, 0.0]]);
    scratch.write("f.mat", feats.binary()).write("f.txt", feats.text());
    scratch.sh("copy-feats f.txt -").succeeds().stdout_is(feats.binary());
    let ran = scratch.sh("copy-feats --binary=false f.mat 'a b'");
    ran.succeeds().stderr_has("Copied features from f.mat to 'a b'");
    assert_eq!(scratch.read("a b"), feats.text().as_bytes());
}

#[test]
fn tables_and_files_are_not_mixed() {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&feats()));
    scratch.sh("copy-feats ark:f.ark o").fails_with(255).stderr_has("Cannot mix archives with regular files");
    scratch.sh("copy-feats f.ark ark:o").fails_with(255).stderr_has("Cannot mix archives with regular files");
    assert_eq!(scratch.list(), ["f.ark"]);
}

#[test]
fn an_empty_table_is_nothing_done() {
    for option in ["", "--compress", "--htk-in", "--sphinx-in"] {
        let ran = Scratch::new().sh(&format!("copy-feats {option} ark:/dev/null ark,t:-"));
        ran.fails_with(1).stdout_is("").stderr_has("Copied 0 feature matrices.");
    }
}

#[test]
fn a_broken_entry_leaves_no_output_behind() {
    let scratch = Scratch::new();
    scratch.write("f.txt", "a [ 1 2 ]\nb [ 1 2\n 3 ]\n");
    for option in ["", "--compress"] {
        let ran = scratch.sh(&format!("copy-feats --write-num-frames=ark,t:n {option} ark:f.txt ark:o"));
        ran.fails_with(255).stderr_has("b: f.txt:3: expected 2 columns, got 1 in row 2");
        assert_eq!(scratch.list(), ["f.txt"]);
    }
}

#[test]
fn a_vector_is_told_from_features() {
    let scratch = Scratch::new();
    scratch.write("v.ark", binary_archive(&[("v", Sample::Vector(vec![1.0]))]));
    scratch.sh("copy-feats ark:v.ark ark:-").fails_with(255).stderr_has("this is a vector; copy-vector reads it");
}

#[test]
fn frames_are_counted_whatever_is_copied() {
    let scratch = Scratch::new();
    scratch
        .write("f.ark", binary_archive(&feats()))
        .write("f.txt", text_archive(&feats()))
        .sh("copy-feats --compress ark:f.ark ark,scp:c.ark,c.scp")
        .succeeds();
    for (options, source, counts) in [
        ("", "ark:f.ark", "a 30 \nb 1 \nc 0 \nd 9 \n"),
        ("", "ark:f.txt", "a 30 \nb 1 \nc 0 \nd 9 \n"),
        ("", "ark:c.ark", "a 30 \nb 1 \nc 0 \nd 9 \n"),
        ("--compress", "ark:f.ark", "a 30 \nb 1 \nc 0 \nd 9 \n"),
        ("", "scp:head -n 1 c.scp | sed 's/$/[2:9]/' |", "a 8 \n"),
    ] {
        scratch.sh(&format!("copy-feats {options} --write-num-frames=ark,t:n \"{source}\" ark:o")).succeeds();
        assert_eq!(scratch.read("n"), counts.as_bytes(), "{options} {source}");
    }
    let ran = scratch.sh("copy-feats --write-num-frames=ark,t:- ark:f.ark ark,t:- | sed -n '/^d/p'");
    ran.succeeds().stdout_is("d  [\nd 9 \n");
}

#[test]
fn the_method_says_how_many_bytes_an_element_takes() {
    let scratch = Scratch::new();
    let rows = vec![vec![0.25_f32, 1.0], vec![0.0, 0.5]];
    scratch.write("f.ark", binary_archive(&[("a", Sample::Matrix(rows))]));
    for (method, token, text) in [
        (1, "CM2 ", "a  [\n  0.2500038 1 \n  0 0.4999924 ]\n"),
        (2, "CM ", "a  [\n  0.2500038 1 \n  0 0.4999924 ]\n"),
        (3, "CM2 ", "a  [\n  0.2500038 1 \n  0 0.4999924 ]\n"),
        (4, "CM2 ", "a  [\n  0 1 \n  0 0 ]\n"),
        (5, "CM3 ", "a  [\n  0.2509804 1 \n  0 0.4980392 ]\n"),
        (6, "CM3 ", "a  [\n  0 1 \n  0 0 ]\n"),
        (7, "CM3 ", "a  [\n  0.2509804 1 \n  0 0.4980392 ]\n"),
    ] {
        let compress = format!("copy-feats --compress=true --compression-method={method} ark:f.ark");
        let ran = scratch.sh(&format!("{compress} ark:-")).succeeds();
        assert!(ran.stdout().starts_with(format!("a \0B{token}").as_bytes()), "method {method}");
        // What comes back is the same, whether from the file or, in text, at once.
        scratch.sh(&format!("{compress} ark:- | copy-feats ark:- ark,t:-")).succeeds().stdout_is(text);
        scratch.sh(&format!("{compress} ark,t:-")).succeeds().stdout_is(text);
    }
}

#[test]
fn compressed_features_are_compressed_anew() {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&feats())).sh("copy-feats --compress ark:f.ark ark:c.ark").succeeds();
    let by_two = scratch.sh("copy-feats ark:c.ark ark:- | copy-feats --compress --compression-method=3 ark:- ark:-");
    let by_one = scratch.sh("copy-feats --compress --compression-method=3 ark:c.ark ark:-");
    by_one.succeeds().stdout_is(by_two.succeeds().stdout());
}

#[test]
fn only_seven_methods_are_known() {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&feats()));
    for method in ["0", "8", "-1"] {
        let ran = scratch.sh(&format!("copy-feats --compress --compression-method={method} ark:f.ark ark:o"));
        ran.fails_with(255).stderr_has(&format!("expected --compression-method to be from 1 to 7, got {method}"));
    }
    // Who does not compress need not know.
    scratch.sh("copy-feats --compression-method=8 ark:f.ark ark:-").succeeds().stdout_is(binary_archive(&feats()));
    assert_eq!(scratch.list(), ["f.ark"]);
}

/// Kaldi says nothing.
#[test]
fn what_is_not_a_number_is_compressed_with_a_warning() {
    let scratch = Scratch::new();
    scratch.write("f.txt", "a [ 1 2 ]\nb [ 1 2\n nan 3 ]\n");
    let ran = scratch.sh("copy-feats --compress ark:f.txt ark,t:-").succeeds();
    let ran = ran.stdout_is("a  [\n  1 2 ]\nb  [\n  1 1.999985 \n  1 3 ]\n");
    ran.stderr_has("b: values that are not numbers are compressed to some number").stderr_lacks("a: ");
}

#[test]
fn a_range_that_cannot_be_known_is_not_compressed() {
    let scratch = Scratch::new();
    for (value, shown) in [("nan", "NaN"), ("inf", "inf")] {
        scratch.write("f.txt", format!("a [ 1 2 ]\nb [ {value} 2\n 3 4 ]\n"));
        let ran = scratch.sh("copy-feats --compress ark:f.txt ark:o").fails_with(255);
        ran.stderr_has(&format!("b: expected a value that can be compressed in row 0, column 0, got {shown}"));
        assert_eq!(scratch.list(), ["f.txt"]);
    }
}

#[test]
fn options_for_tables_are_refused_for_files() {
    let scratch = Scratch::new();
    scratch.write("f.mat", matrix(1, 2, 2).binary());
    for option in ["--compress", "--write-num-frames=ark,t:n", "--sphinx-in"] {
        scratch.sh(&format!("copy-feats {option} f.mat o")).fails_with(255).stderr_has("for tables");
    }
    assert_eq!(scratch.list(), ["f.mat"]);
}

/// Two HTK frames of two elements.
const HTK: &[u8] = b"\0\0\0\x02\0\x01\x86\xa0\0\x08\0\x09\x3f\x80\0\0\x40\0\0\0\x40\x40\0\0\x40\x80\0\0";

#[test]
fn htk_features_are_read_from_tables_and_files() {
    let scratch = Scratch::new();
    scratch.write("f.htk", HTK).write("f.ark", [b"a ", HTK, b"b ", HTK].concat()).write("f.scp", "a f.htk\nb f.htk\n");
    let text = |key| format!("{key} [\n  1 2 \n  3 4 ]\n");
    for source in ["ark:f.ark", "scp:f.scp"] {
        let ran = scratch.sh(&format!("copy-feats --htk-in=true --write-num-frames=ark,t:n {source} ark,t:-"));
        ran.succeeds().stdout_is(text("a ") + &text("b "));
        assert_eq!(scratch.read("n"), b"a 2 \nb 2 \n");
    }
    scratch.sh("copy-feats --htk-in --binary=false f.htk -").succeeds().stdout_is(text(""));
    let ran = scratch.sh("copy-feats --htk-in --compress --compression-method=6 ark:f.ark ark,t:-");
    ran.succeeds().stdout_is(text("a ") + &text("b "));
    scratch.write("cut.htk", &HTK[..20]);
    scratch.sh("copy-feats --htk-in cut.htk -").fails_with(255).stderr_has("cut.htk");
}

#[test]
fn sphinx_features_have_thirteen_columns() {
    let scratch = Scratch::new();
    let numbers = (0..26).flat_map(|number| (number as f32).to_be_bytes());
    scratch.write("f.mfc", [vec![0, 0, 0, 26], numbers.collect()].concat()).write("f.scp", "a f.mfc\n");
    let row = |begin: usize| (begin..begin + 13).map(|number| number as f32).collect();
    let feats = [("a", Sample::Matrix(vec![row(0), row(13)]))];
    let ran = scratch.sh("copy-feats --sphinx-in --write-num-frames=ark,t:n scp:f.scp ark,t:-");
    ran.succeeds().stdout_is(text_archive(&feats));
    assert_eq!(scratch.read("n"), b"a 2 \n");
    let ran = scratch.sh("copy-feats --sphinx-in --compress --compression-method=6 scp:f.scp ark,t:-");
    ran.succeeds().stdout_is(text_archive(&feats));
}

#[test]
pub fn numbers_as_others_write_them_are_read() {
    let scratch = Scratch::new();
    for (number, value) in [("+1", 1.0), (".5", 0.5), ("-inf", f32::NEG_INFINITY), ("-nan", -f32::NAN)] {
        scratch.write("f.txt", format!("a [\n 2 {number} ]\n"));
        let expected = text_archive(&[("a", Sample::Matrix(vec![vec![2.0, value]]))]);
        scratch.sh("copy-feats ark:f.txt ark,t:-").succeeds().stdout_is(expected);
    }
}

#[test]
pub fn an_empty_matrix_is_not_compressed() {
    let scratch = Scratch::new();
    let empty = b"\0BFM \x04\0\0\0\0\x04\0\0\0\0";
    scratch.write("f.txt", "a  [ ]\nb  [\n  1 2 ]\n");
    scratch.sh("copy-feats --compress ark:f.txt ark:c.ark && copy-feats ark:c.ark ark,t:- | cmp - f.txt").succeeds();
    assert!(scratch.read("c.ark").starts_with(&[b"a ", &empty[..], b"b \0BCM2 "].concat()));
    // So is one that was compressed by Kaldi, whose last four bytes would be before the next key.
    scratch.write("k.ark", [b"a \0BCM ".as_slice(), &[0; 20]].concat());
    for compress in ["", "--compress"] {
        scratch.sh(&format!("copy-feats {compress} ark:k.ark ark:o.ark")).succeeds();
        assert_eq!(scratch.read("o.ark"), [b"a ", &empty[..]].concat(), "{compress}");
    }
}
