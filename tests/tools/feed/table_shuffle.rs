use std::collections::BTreeSet;

use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, matrix, text_archive};

/// An archive of 50 matrices, and a list of as many lines.
fn tables() -> Scratch {
    let scratch = Scratch::new();
    let keys: Vec<String> = (0..50).map(|number| format!("u{number:02}")).collect();
    let feats: Vec<(&str, Sample)> = keys.iter().map(|key| (key.as_str(), matrix(key.len() as u64, 3, 2))).collect();
    scratch.write("f.ark", binary_archive(&feats));
    scratch.write("f.scp", keys.iter().map(|key| format!("{key}  x.ark:7[0:3]\n")).collect::<String>());
    scratch
}

/// The lines of an output.
#[track_caller]
fn lines(scratch: &Scratch, script: &str) -> Vec<String> {
    let ran = scratch.sh(script).succeeds();
    String::from_utf8(ran.stdout().to_vec()).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn lines_stay_as_they_are_and_each_comes_once() {
    let scratch = tables();
    for options in ["", "--buffer-size=7", "--buffer-size=7 --initial=2", "--shuffle-compat=python --epoch=3"] {
        let shuffled = lines(&scratch, &format!("table-shuffle {options} f.scp -"));
        let given = lines(&scratch, "cat f.scp");
        assert_ne!(shuffled, given, "{options}");
        assert_eq!(shuffled.iter().collect::<BTreeSet<_>>(), given.iter().collect(), "{options}");
        assert_eq!(shuffled.len(), 50);
    }
}

#[test]
fn an_order_follows_from_seed_and_epoch_alone() {
    let scratch = tables();
    let order = |options: &str| lines(&scratch, &format!("table-shuffle {options} scp:f.scp scp:-"));
    assert_eq!(order(""), order("--num-threads=3"));
    assert_ne!(order(""), order("--epoch=1"));
    assert_ne!(order(""), order("--seed=1"));
    assert_ne!(order("--buffer-size=9"), order("--buffer-size=9 --epoch=1"));
}

#[test]
fn no_line_comes_before_it_was_read() {
    let shuffled = lines(&tables(), "table-shuffle --buffer-size=8 f.scp -");
    for (place, line) in shuffled.iter().enumerate() {
        assert!(line[1..3].parse::<usize>().unwrap() < place + 8, "{line} at {place}");
    }
}

#[test]
fn the_order_of_python_is_that_of_cpython() {
    let scratch = Scratch::new();
    scratch.write("list", (0..12).map(|number| format!("{number}\n")).collect::<String>());
    // random.Random(7).shuffle(list(range(12)))
    let expected = ["7", "11", "3", "10", "8", "4", "9", "1", "0", "6", "2", "5"];
    assert_eq!(lines(&scratch, "table-shuffle --shuffle-compat=python --epoch=7 list -"), expected);
}

#[test]
fn archives_keep_their_values_whatever_the_way() {
    let scratch = tables();
    let sorted = "copy-feats ark:- ark,t:- | tr '\\n' '~' | sed 's/]~/]\\n/g' | sort";
    let given = lines(&scratch, &format!("cat f.ark | {sorted}"));
    for script in [
        "table-shuffle ark:f.ark ark:-",
        "cat f.ark | table-shuffle ark:- ark:-",
        "cat f.ark | table-shuffle --buffer-size=5 ark:- ark:-",
        "table-shuffle ark:f.ark ark,scp:o.ark,o.scp; copy-feats scp:o.scp ark:-",
    ] {
        assert_eq!(lines(&scratch, &format!("{script} | {sorted}")), given, "{script}");
    }
    let keys = lines(&scratch, "copy-feats ark:o.ark ark,t:- | grep u | cut -d' ' -f1");
    assert_eq!(keys, lines(&scratch, "cut -d' ' -f1 o.scp"));
}

#[test]
fn text_stays_text() {
    let scratch = Scratch::new();
    let text = text_archive(&[("a", matrix(1, 1, 3)), ("b", matrix(2, 2, 4)), ("c", matrix(3, 1, 5))]);
    scratch.write("f.txt", &text);
    for archive in ["ark:f.txt", "ark:cat f.txt |"] {
        let script = format!("table-shuffle --epoch=1 '{archive}' ark,t:- | table-sort ark:- ark,t:-");
        scratch.sh(&script).succeeds().stdout_is(&text);
    }
    // A last line that does not end would run into the next one.
    scratch.write("f.txt", text.trim_end());
    scratch.sh("table-shuffle ark:f.txt ark:o").fails_with(255).stderr_has("c: f.txt:");
    let ran = tables().sh("table-shuffle ark:f.ark ark,t:o").fails_with(255);
    ran.stderr_has("expected text as the option t asks, got a binary value; copy-feats and its like write text");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let scratch = tables();
    for (arguments, message) in [
        ("--shuffle-compat=x f.scp o", "--shuffle-compat=x: expected none or python, got \"x\""),
        ("--shuffle-compat=python --buffer-size=3 f.scp o", "expected either --shuffle-compat=python or --buffer-size"),
        ("ark:none ark:o", "cannot open"),
    ] {
        scratch.sh(&format!("table-shuffle {arguments}")).fails_with(255).stderr_has(message);
    }
    scratch.sh("head -c 200 f.ark > cut.ark; table-shuffle ark:cut.ark ark:o").fails_with(255).stderr_has("cut.ark:");
    assert_eq!(scratch.list(), ["cut.ark", "f.ark", "f.scp"]);
    scratch.sh("table-shuffle /dev/null -").fails_with(1).stdout_is("");
}
