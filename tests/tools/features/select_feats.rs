use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, text_archive};

/// A row in which every column holds its number.
fn numbered(num_cols: usize) -> Sample {
    picked(0..num_cols)
}

fn picked(columns: impl IntoIterator<Item = usize>) -> Sample {
    Sample::Matrix(vec![columns.into_iter().map(|column| column as f32).collect()])
}

fn feats(num_cols: usize) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&[("a", numbered(num_cols))]));
    scratch
}

#[track_caller]
fn selects(selection: &str, columns: impl IntoIterator<Item = usize>) {
    let ran = feats(30).sh(&format!("select-feats '{selection}' ark:f.ark ark,t:-"));
    ran.succeeds().stdout_is(text_archive(&[("a", picked(columns))]));
}

#[track_caller]
fn refuses(selection: &str, message: &str) {
    let scratch = feats(13);
    let ran = scratch.sh(&format!("select-feats -- '{selection}' ark:f.ark ark:o"));
    ran.fails_with(255).stderr_has(message);
    assert_eq!(scratch.list(), ["f.ark"]);
}

#[test]
fn numbers_and_ranges_are_kept_in_the_order_given() {
    selects("0,24-22,3-12", [0, 24, 23, 22].into_iter().chain(3..=12));
    selects("1,1,0-2,1", [1, 1, 0, 1, 2, 1]);
    selects("4-4", [4]);
}

#[test]
fn spaces_signs_and_a_last_comma_do_not_matter() {
    selects(" 0, 2 ,4 - 5", [0, 2, 4, 5]);
    selects("+5,", [5]);
}

#[test]
pub fn a_range_may_run_backwards_however_many_digits_it_has() {
    selects("7-3", (3..=7).rev());
    selects("10-3", (3..=10).rev());
    selects("12-8", (8..=12).rev());
    selects("29-9", (9..=29).rev());
    refuses("13-2", "selected column 13 of features with 13 columns");
}

#[test]
pub fn a_selection_that_is_no_list_of_numbers_and_ranges_is_an_error() {
    for selection in ["x", "3abc", "2.7", "", ",", "0,,1", ",0", "0;1", "1:2", "99999999999999999999"] {
        refuses(selection, "expected numbers and ranges such as 0,24-22,3-12");
    }
    for selection in ["-1", "1-", "-", "0--1", "1-2-3", "0,-1"] {
        refuses(selection, "expected numbers and ranges such as 0,24-22,3-12");
    }
}

#[test]
fn columns_beyond_the_last_are_refused() {
    refuses("13", "a: selected column 13 of features with 13 columns");
    refuses("3-13", "a: selected column 13");
    refuses("0-4000000000", "a: selected column 4000000000");
}

#[test]
fn features_may_differ_in_their_other_columns() {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&[("a", numbered(13)), ("b", numbered(5)), ("c", numbered(3))]));
    let ran = scratch.sh("select-feats 2,0 ark:f.ark ark,t:-");
    ran.succeeds().stdout_is(text_archive(&["a", "b", "c"].map(|key| (key, picked([2, 0])))));
    let ran = scratch.sh("select-feats 4 ark:f.ark ark:o");
    ran.fails_with(255).stderr_has("c: selected column 4 of features with 3 columns");
    assert_eq!(scratch.list(), ["f.ark"]);
}

#[test]
fn an_empty_table_is_no_failure_and_leaves_no_output() {
    let scratch = Scratch::new();
    let ran = scratch.sh("select-feats 0 ark:/dev/null ark:o");
    ran.succeeds().stderr_has("Empty archive provided.");
    scratch.sh("select-feats 0 ark:/dev/null 'ark:| touch made'").succeeds();
    assert_eq!(scratch.list(), Vec::<String>::new());
    scratch.sh("select-feats 0 'ark:exit 3 |' ark:o").fails_with(255);
}
