pub mod case;
mod compare;
mod inputs;
mod quirks;
mod run;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use regex::Regex;

use crate::support::{registry, shell};

/// How many cases there are.
const NUM_CASES: usize = 4647;

#[test]
fn case_names_are_unique_and_start_with_a_tool() {
    let mut seen = BTreeSet::new();
    let tools: BTreeSet<_> = case::cases().into_iter().map(|case| case.tool).collect();
    for case in case::cases() {
        assert!(case.name.split_once('/').is_some_and(|(tool, _)| tools.contains(tool)), "{}", case.name);
        assert!(seen.insert(case.name.clone()), "{} twice", case.name);
    }
    assert_eq!(seen.len(), NUM_CASES);
}

/// The suite's patterns are Python's, where `$` matches before a last newline, too; ours would not.
#[test]
fn patterns_of_standard_error_mean_the_same_here() {
    let dollar = Regex::new(r"(^|[^\\])\$").unwrap();
    for case in case::cases() {
        for pattern in &case.stderr {
            assert!(Regex::new(pattern).is_ok(), "{}: {pattern}", case.name);
            assert!(!dollar.is_match(pattern), "{}: {pattern}", case.name);
        }
    }
}

#[test]
fn no_file_of_the_suite_is_missing() {
    for case in case::cases() {
        let inputs = case.inputs.values().map(|file| Path::new("data").join(file));
        let outputs = case.expect.values().map(|expected| Path::new("expected").join(&expected.file));
        for file in inputs.chain(outputs) {
            assert!(case::folder().join(&file).is_file(), "{}: no {}", case.name, file.display());
        }
    }
}

/// `CONFORMANCE=<folder> cargo test --test suite -- --ignored golden::the_copy_is_the_suite`
#[test]
#[ignore = "needs the original: CONFORMANCE is its folder"]
fn the_copy_is_the_suite() {
    let original = PathBuf::from(std::env::var_os("CONFORMANCE").expect("CONFORMANCE is the folder of the original"));
    for part in ["cases", "data", "expected"] {
        let (ours, theirs) = (files(case::folder(), part), files(&original, part));
        assert_eq!(ours, theirs, "files under {part}");
        for file in ours {
            let read = |folder: &Path| fs::read(folder.join(&file)).unwrap();
            assert!(read(case::folder()) == read(&original), "{} differs", file.display());
        }
    }
    // The project may do better in more places than the suite knows.
    let quirks = |folder: &Path| {
        let text = fs::read_to_string(folder.join("quirks.json")).unwrap();
        text.lines().map(|line| line.trim_end_matches(',').to_owned()).collect::<Vec<_>>()
    };
    let ours = quirks(case::folder());
    for quirk in quirks(&original) {
        assert!(ours.contains(&quirk), "{quirk} is missing");
    }
}

#[test]
fn every_quirk_is_about_a_case() {
    let cases = case::cases();
    for quirk in case::quirks() {
        assert!(cases.iter().any(|case| quirk.cases.is_match(&case.name)), "{}", quirk.cases);
    }
}

#[test]
fn every_quirk_of_a_built_tool_has_a_test_of_what_we_do_instead() {
    let asserted: BTreeMap<_, _> = quirks::ASSERTED.iter().copied().collect();
    let (cases, built, quirks) = (case::cases(), registry::names(), case::quirks());
    for quirk in &quirks {
        let tools: BTreeSet<_> =
            cases.iter().filter(|case| quirk.cases.is_match(&case.name)).map(|c| &c.tool).collect();
        if tools.iter().any(|tool| built.contains(tool.as_str())) {
            let tests = asserted.get(quirk.cases.as_str()).copied().unwrap_or_default();
            assert!(!tests.is_empty(), "no test in quirks.rs shows that {} ({})", quirk.instead, quirk.cases);
        }
    }
    for pattern in asserted.keys() {
        assert!(quirks.iter().any(|quirk| quirk.cases.as_str() == *pattern), "quirks.json has no {pattern}");
    }
}

#[test]
fn a_case_waits_for_every_tool_it_names() {
    let case = made_up(r#""cmd": "copy-feats 'ark:apply-cmvn x |' ark:- > add-deltas.ark", "exit": 0, "expect": {}"#);
    let all = BTreeSet::from(["copy-feats", "apply-cmvn", "add-deltas"]);
    assert_eq!(case.missing_tool(&all, &BTreeSet::new()), Some("copy-feats"));
    assert_eq!(case.missing_tool(&all, &BTreeSet::from(["copy-feats"])), Some("apply-cmvn"));
    assert_eq!(case.missing_tool(&all, &BTreeSet::from(["copy-feats", "apply-cmvn"])), None);
}

#[test]
fn the_exit_status_is_judged() {
    let t = |cmd, exit, fault| judges(&format!(r#""cmd": "{cmd}", "exit": {exit}, "expect": {{}}"#), fault);
    t("true", "0", None);
    t("exit 7", "7", None);
    t("exit 7", "0", Some("exit 7 instead of 0"));
    t("false | true", "0", Some("exit 1 instead of 0"));
    t("kill -ABRT $$", "134", Some("exit -6 instead of 134"));
    t("exit 1", "\"nonzero\"", None);
    t("exit 255", "\"nonzero\"", None);
    t("true", "\"nonzero\"", Some("exit 0 where an error was expected"));
    t("exit 134", "\"nonzero\"", Some("died of a signal (exit 134)"));
    t("kill -ABRT $$", "\"nonzero\"", Some("died of a signal (exit -6)"));
}

#[test]
fn a_case_that_does_not_end_is_a_fault() {
    let verdict = run::run(
        &made_up(r#""cmd": "sleep 1000", "exit": 0, "expect": {}"#),
        &inputs::Inputs::new(),
        Duration::from_secs(1),
    );
    assert!(verdict.unwrap_err().starts_with("no end after 1s"));
}

#[test]
fn outputs_are_judged() {
    let text = r#"{"file": "io/copy-vector/io-text-round-trip/stdout"}"#;
    let t = |cmd, name, fault| {
        let inputs = r#"{"d/v.txt": "io/v.txt"}"#;
        let fields =
            r#""inputs": "#.to_owned() + inputs + r#", "exit": 0, "expect": {""# + name + r#"": "# + text + "}";
        judges(&format!(r#""cmd": "{cmd}", {fields}"#), fault);
    };
    t("cat d/v.txt", "stdout", None);
    t("cat d/v.txt > o", "o", None);
    t("true", "o", Some("o: not written"));
    t("tr 2 3 < d/v.txt", "stdout", Some("stdout: differs at byte 1 (sizes 406 and 406):\n  got    ...a33-031"));
    t("head -c 9 d/v.txt", "stdout", Some("stdout: differs at byte 9 (sizes 9 and 406)"));
}

#[test]
fn standard_error_is_judged() {
    let t = |cmd, fault| judges(&format!(r#""cmd": "{cmd}", "exit": 0, "stderr": ["a\\d", "end"]"#), fault);
    t("echo xa1 end >&2", None);
    t("echo a end >&2", Some("stderr lacks /a\\d/"));
    t("echo a1 end", Some("stderr lacks /a\\d/\nstderr lacks /end/"));
}

#[test]
fn files_left_behind_are_judged() {
    judges(r#""cmd": "true", "exit": 0, "absent": ["o"]"#, None);
    judges(r#""cmd": "touch o", "exit": 0, "absent": ["o"]"#, Some("o: should not exist"));
}

/// As root writes to what is read-only.
#[test]
fn a_change_of_an_input_is_a_fault_and_harms_no_other_case() {
    let inputs = inputs::Inputs::new();
    let case = |cmd: &str, fields: &str| {
        made_up(&format!(r#""cmd": "{cmd}", "inputs": {{"d/v.txt": "io/v.txt"}}, "exit": 0, "expect": {{{fields}}}"#))
    };
    let expected = r#""d/v.txt": {"file": "io/copy-vector/io-text-round-trip/stdout"}"#;
    let run = |case: &case::Case| run::run(case, &inputs, shell::TIME_LIMIT);
    for cmd in ["chmod +w d/v.txt; cat d/v.txt | tee -a d/v.txt", "chmod +w d/v.txt; touch d/v.txt"] {
        let verdict = run(&case(cmd, ""));
        assert!(verdict.as_ref().unwrap_err().starts_with("d/v.txt: an input that other cases read"), "{verdict:?}");
        run(&case("cat d/v.txt", expected)).unwrap();
    }
    // What the command line redirects to, replaces and removes is its own.
    for cmd in [
        "echo 1 > d/v.txt",
        "echo 1 >>d/v.txt",
        "sed -i 's/1/2/' d/v.txt",
        "rm d/v.txt",
        "copy-vector ark:d/v.txt ark:d/v.txt",
    ] {
        run(&case(cmd, "")).unwrap();
        run(&case("cat d/v.txt", expected)).unwrap();
    }
}

#[test]
fn numbers_may_be_off_as_far_as_the_tolerance_goes() {
    let t = |got: &str, wanted: &str, fault| compares("floats", got, wanted, fault);
    t("a [ 1.0 2 ]", "a [\n 1 2.000001 ]\n", None);
    t("nan inf -inf", "-nan inf -inf", None);
    t("1e-7", "0", None);
    t("1 2", "1", Some("2 words instead of 1"));
    t("a 1", "b 1", Some("word 0: a instead of b"));
    t("inf", "-inf", Some("word 0: inf instead of -inf"));
    t("nan", "1", Some("word 0: nan instead of 1"));
    t("1.1 2.5 3", "1 2 3", Some("2 of 3 numbers off; the worst: word 1: 2.5 instead of 2"));
}

#[test]
fn lines_may_come_in_any_order() {
    compares("lines", "b\na\na\n", "a\na\nb", None);
    compares("lines", "b\na\n", "a\na\nb", Some("the lines differ"));
}

#[track_caller]
fn compares(how: &str, got: &str, wanted: &str, fault: Option<&str>) {
    let expected = serde_json::from_str(&format!(r#"{{"file": "", "how": "{how}"}}"#)).unwrap();
    assert_eq!(compare::difference(got.as_bytes(), wanted.as_bytes(), &expected).as_deref(), fault);
}

/// A case made up of these fields passes, or fails with a message that starts like this.
#[track_caller]
fn judges(fields: &str, fault: Option<&str>) {
    let verdict = run::run(&made_up(fields), &inputs::Inputs::new(), shell::TIME_LIMIT);
    match (&verdict, fault) {
        (Ok(()), None) => {}
        (Err(message), Some(fault)) if message.starts_with(fault) => {}
        _ => panic!("expected {fault:?}, got {verdict:?}"),
    }
}

fn made_up(fields: &str) -> case::Case {
    serde_json::from_str(&format!(r#"{{"name": "copy-feats/made-up", "tool": "copy-feats", {fields}}}"#)).unwrap()
}

/// Every file under `folder/sub`, relative to `folder`.
fn files(folder: &Path, sub: &str) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::new();
    for entry in fs::read_dir(folder.join(sub)).unwrap().map(Result::unwrap) {
        let name = format!("{sub}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            files.append(&mut self::files(folder, &name));
        } else {
            files.insert(name.into());
        }
    }
    files
}
