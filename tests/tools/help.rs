//! What every tool says about its command line, on tools of each kind.

use crate::support::sample::{binary_archive, matrix};
use crate::support::{Scratch, registry};

/// In Kaldi, on standard error.
#[test]
pub fn help_is_answered_on_standard_output() {
    let scratch = Scratch::new();
    for tool in ["copy-matrix", "copy-vector", "copy-int-vector", "copy-feats", "copy-post", "copy-gselect"] {
        for line in ["--help", "-h", "--nosuch --help", "a b c d --HELP"] {
            scratch.sh(&format!("{tool} {line} > {tool}.out 2> {tool}.err")).succeeds();
            let help = String::from_utf8(scratch.read(&format!("{tool}.out"))).unwrap();
            for text in [&format!("Usage: {tool} "), "\nStandard options:\n  --config ", "--print-args", "--verbose"] {
                assert!(help.contains(text), "{tool} {line}: {help}");
            }
            assert_eq!(scratch.read(&format!("{tool}.err")), b"", "{tool} {line}");
        }
    }
    scratch.sh("copy-matrix --help=maybe").succeeds().stdout_is("").stderr_has("Usage: copy-matrix ");
    scratch.sh("echo 'a [ 1 ]' | copy-vector --help=false ark:- ark,t:-").succeeds().stdout_is("a  [ 1 ]\n");
    scratch.sh("copy-matrix --help > /dev/full").fails_with(255).stderr_has("cannot write standard output");
}

#[test]
fn help_is_100_columns_wide_where_there_is_no_terminal() {
    let scratch = Scratch::new();
    for tool in ["compute-mfcc-feats", "copy-feats", "feats-to-png", "compute-kaldi-pitch-feats"] {
        let help = String::from_utf8(scratch.sh(&format!("{tool} --help")).succeeds().stdout().to_vec()).unwrap();
        let options = help.split_once("Options:\n").unwrap().1;
        let widths = || options.lines().map(|line| line.chars().count());
        assert!(widths().all(|width| width <= 100), "{help}");
        assert!(widths().any(|width| width > 80), "{help}");
        assert!(options.lines().any(|line| line.starts_with(&" ".repeat(32))), "{help}");
    }
}

#[test]
fn an_error_of_usage_comes_first_and_one_line_of_usage_after_it() {
    let scratch = Scratch::new();
    for (line, code, error) in [
        ("copy-matrix", 1, "expected 2 arguments, got 0"),
        ("copy-matrix ark:a", 1, "expected 2 arguments, got 1"),
        ("copy-matrix --nosuch=1 a b", 255, "Invalid option --nosuch=1"),
        ("matrix-sum ark:a ark:b c", 1, "several tables are summed into a table"),
    ] {
        let (tool, arguments) = line.split_once(' ').unwrap_or((line, ""));
        scratch.sh(&format!("{tool} --print-args=false {arguments} 2> errors")).fails_with(code).stdout_is("");
        let errors = String::from_utf8(scratch.read("errors")).unwrap();
        let lines: Vec<&str> = errors.lines().collect();
        let [first, second] = lines[..] else { panic!("{line}: {errors}") };
        assert!(first.starts_with("ERROR (") && first.contains(error), "{line}: {errors}");
        assert!(second.starts_with(&format!("Usage: {tool} [options] <")), "{line}: {errors}");
        assert!(second.ends_with(&format!("(for more: {tool} --help)")), "{line}: {errors}");
    }
}

#[test]
fn advice_on_options_stands_between_the_error_and_the_usage() {
    let scratch = Scratch::new();
    scratch.write("m.ark", binary_archive(&[("a", matrix(1, 3, 4))]));
    for (line, advice) in [
        ("-o out ark:m.ark ark:-", "-o is an argument here; options have the form --name=value"),
        ("-j4 ark:m.ark ark:-", "such as --num-threads=4"),
        ("ark:m.ark ark:- --compress 1", "it is written --compress=1"),
        ("--compress true ark:m.ark ark:-", "it is written --compress=true"),
    ] {
        scratch.sh(&format!("copy-feats {line} 2> errors")).fails_with(1).stdout_is("");
        let errors = String::from_utf8(scratch.read("errors")).unwrap();
        let [.., error, warning, usage] = errors.lines().collect::<Vec<_>>()[..] else { panic!("{errors}") };
        assert!(error.contains("expected 2 arguments, got "), "{line}: {errors}");
        assert!(warning.starts_with("WARNING (copy-feats[") && warning.contains(advice), "{line}: {errors}");
        assert!(usage.starts_with("Usage: copy-feats "), "{line}: {errors}");
    }
    let ran = scratch.sh("copy-feats --compression-method 3 ark:m.ark ark:-").fails_with(255);
    ran.stderr_has("expected --compression-method=<int>, as in --compression-method=3");
    // As many arguments as there should be: it is a name that cannot be opened, or one that is odd.
    scratch.sh("copy-feats -o out").fails_with(255).stderr_has("options have the form --name=value");
    let ran = scratch.sh("copy-feats m.ark:2 -- --compress=true").succeeds();
    ran.stderr_has("WARNING").stderr_has("options have the form --name=value");
}

#[test]
fn names_of_options_are_found_by_their_parts() {
    let scratch = Scratch::new();
    for (line, meant) in [
        ("compute-fbank-feats --num-bins=40", "--num-mel-bins"),
        ("compute-mfcc-feats --sample-rate=8000", "--sample-frequency"),
        ("add-deltas --order=2", "--delta-order"),
        ("splice-feats --left=3", "--left-context"),
        ("copy-feats --threads=4", "--num-threads"),
    ] {
        let expected = format!("did you mean {meant}?\n");
        scratch.sh(&format!("{line} ark:a ark:b")).fails_with(255).stderr_has(&expected);
    }
}

#[test]
fn options_of_words_refuse_other_words_in_one_sentence() {
    let scratch = Scratch::new();
    let mut tried = 0;
    for tool in registry::tools() {
        for option in tool.options.iter().filter(|option| !option.choices.is_empty()) {
            let (last, first) = option.choices.split_last().unwrap();
            let words = if first.is_empty() { last.clone() } else { format!("{} or {last}", first.join(", ")) };
            let ran = scratch.sh(&format!("{} --{}=no-such-word", tool.name, option.name)).fails_with(255);
            ran.stderr_has(&format!(
                "Invalid option --{}=no-such-word: expected {words}, got \"no-such-word\"",
                option.name
            ));
            tried += 1;
        }
    }
    assert!(tried > 25, "{tried}");
}

/// Examples are broken with backslashes, except for quoted words.
#[test]
fn lines_of_help_are_broken_in_all_tools() {
    let scratch = Scratch::new();
    for tool in registry::tools() {
        for width in [60, 80, 100] {
            let ran = scratch.sh(&format!("COLUMNS={width} {} --help", tool.name)).succeeds();
            let help = String::from_utf8(ran.stdout().to_vec()).unwrap();
            for line in help.lines().filter(|line| line.chars().count() > width) {
                let words = line.trim().trim_end_matches(" \\");
                assert!(!words.contains(' ') || words.contains('\''), "{}, {width} columns: {line}", tool.name);
            }
            let joined = help.replace(" \\\n         ", " ");
            for example in tool.examples.iter().filter(|example| !example.ends_with('\\')) {
                assert!(joined.contains(example), "{}, {width} columns: {example}", tool.name);
            }
        }
    }
}

#[test]
fn what_a_first_run_needs_comes_first() {
    let scratch = Scratch::new();
    for tool in ["feed-batches", "feed-feats"] {
        let help = String::from_utf8(scratch.sh(&format!("{tool} --help")).succeeds().stdout().to_vec()).unwrap();
        let (_, options) = help.split_once("\nOptions for a first run:\n").unwrap();
        let (first, others) = options.split_once("\n\nOptions:\n").unwrap();
        let names = |text: &str| {
            let names = text.lines().filter_map(|line| line.strip_prefix("  --")?.split(' ').next());
            names.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(names(first), ["conf", "data-type", "symbols", "text"]);
        assert!(names(others).starts_with(&["allow-commands".to_owned(), "bpe-model".to_owned()]), "{others}");
    }
}
