use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, matrix, text_archive};

const KEYS: [&str; 12] = ["k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9", "k10", "k11"];

fn entries(keys: &[&'static str]) -> Vec<(&'static str, Sample)> {
    KEYS.iter().zip(1..).filter(|(key, _)| keys.contains(key)).map(|(key, seed)| (*key, matrix(seed, 2, 3))).collect()
}

fn feats() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&entries(&KEYS))).write("utts", "k7\n k2 and more\r\n\tk99\n");
    scratch
}

#[test]
fn the_first_ten_are_copied_by_default() {
    feats().sh("subset-feats ark:f.ark ark,t:-").succeeds().stdout_is(text_archive(&entries(&KEYS[..10])));
    let ran = feats().sh("cat f.ark | subset-feats --n=3 ark:- ark:-");
    ran.succeeds().stdout_is(binary_archive(&entries(&KEYS[..3])));
    feats().sh("subset-feats --n=100 ark:f.ark ark:-").succeeds().stdout_is(binary_archive(&entries(&KEYS)));
}

#[test]
fn what_comes_after_the_first_ones_does_not_matter() {
    let scratch = Scratch::new();
    scratch.write("f.txt", "a [ 1 ]\nb [ x ]\n");
    scratch.sh("subset-feats --n=1 ark:f.txt ark,t:-").succeeds().stdout_is("a  [\n  1 ]\n");
    scratch.sh("subset-feats --n=2 ark:f.txt ark,t:-").fails_with(255).stderr_has("b: f.txt:2: ");
}

#[test]
fn listed_utterances_are_included_or_excluded() {
    let listed = ["k2", "k7"];
    let others: Vec<_> = KEYS.into_iter().filter(|key| !listed.contains(key)).collect();
    let ran = feats().sh("subset-feats --include=utts ark:f.ark ark,t:-");
    ran.succeeds().stdout_is(text_archive(&entries(&listed))).stderr_has("Wrote 2 out of 12 utterances.");
    let ran = feats().sh("cat utts | subset-feats --exclude=- ark:f.ark ark,t:-");
    ran.succeeds().stdout_is(text_archive(&entries(&others))).stderr_has("Wrote 10 out of 12 utterances.");
}

#[test]
fn nothing_included_is_nothing_done() {
    let ran = feats().sh("subset-feats --include=/dev/null ark:f.ark ark:-");
    ran.fails_with(1).stdout_is("").stderr_has("Wrote 0 out of 12 utterances.");
    feats().sh("printf '%s\\n' k{0..11} | subset-feats --exclude=- ark:f.ark ark:-").fails_with(1).stdout_is("");
    // Without a list it is no failure.
    feats().sh("subset-feats ark:/dev/null ark:-").succeeds().stdout_is("");
}

#[test]
fn options_that_exclude_each_other_are_refused() {
    let scratch = feats();
    let t = |options: &str, message: &str| {
        scratch.sh(&format!("subset-feats {options} ark:f.ark ark:o")).fails_with(255).stderr_has(message);
    };
    t("--include=utts --exclude=utts", "--include and --exclude cannot both be given");
    t("--include=utts --n=2", "--n cannot be given with --include or --exclude");
    t("--exclude=utts --n=0", "--n cannot be given with --include or --exclude");
    t("--n=0", "expected --n to be 1 or more, got 0");
    t("--n=-1", "expected --n to be 1 or more, got -1");
    scratch.sh("subset-feats --n=10 --include=utts ark:f.ark ark:/dev/null").succeeds();
    assert_eq!(scratch.list(), ["f.ark", "utts"]);
}

#[test]
fn a_list_is_text_with_an_utterance_in_every_line() {
    let scratch = feats();
    let t = |list: &[u8], message: &str| {
        scratch.write("list", list);
        scratch.sh("subset-feats --include=list ark:f.ark ark:o").fails_with(255).stderr_has(message);
    };
    t(b"k1\n\nk2\n", "list:2: expected an utterance, got an empty line");
    t(b"k1\n \t\n", "list:2: expected an utterance, got an empty line");
    t(b"\0Bk1\n", "list: expected a text file, got a binary one");
    scratch.sh("subset-feats --include=nowhere ark:f.ark ark:o").fails_with(255).stderr_has("cannot open nowhere");
    scratch.sh("subset-feats --include='echo k1; exit 3 |' ark:f.ark ark:o").fails_with(255);
    assert_eq!(scratch.list(), ["f.ark", "list", "utts"]);
}
