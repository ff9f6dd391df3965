//! Upper and lower case of texts for SentencePiece models.

use super::corpus::{PLAIN, corpus};
use crate::support::Scratch;

/// A model in which the letters of all pieces are lower case. The file has a field 1 for each piece, whose field 1 is its text.
fn lower_model() -> Vec<u8> {
    let mut model = include_bytes!("bpe.model").to_vec();
    let mut at = 0;
    while model[at] == 0x0a {
        let (length, text_length) = (usize::from(model[at + 1]), usize::from(model[at + 3]));
        assert!(length < 128 && model[at + 2] == 0x0a);
        model[at + 4..at + 4 + text_length].make_ascii_lowercase();
        at += 2 + length;
    }
    assert!(at > 500);
    model
}

/// Texts in lower case, and the model of such text.
fn lower() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("lower.model", lower_model()).write("bpe.model", include_bytes!("bpe.model"));
    scratch.write("text", "u1 the readers of tables\nu2 of tables\n");
    scratch
}

const ADVICE: &str = "% of the characters are not in lower.model; --case=keep would leave 0.0 %";

#[test]
fn a_model_of_lower_case_needs_the_case_of_its_texts() {
    let scratch = lower();
    for options in ["", "--case=upper"] {
        let symbols = format!("make-symbols --mode=bpe {options} --model=lower.model text units.txt");
        scratch.sh(&symbols).fails_with(255).stdout_is("").stderr_has(ADVICE);
    }
    assert!(!scratch.path("units.txt").exists());
    for case in ["keep", "lower"] {
        let symbols = format!("make-symbols --mode=bpe --case={case} --model=lower.model text units.txt");
        scratch.sh(&symbols).succeeds().stderr_lacks("not in lower.model");
    }
    let units = String::from_utf8(scratch.read("units.txt")).unwrap();
    let pieces: Vec<&str> = units.lines().map(|line| line.split_once(' ').unwrap().0).collect();
    assert_eq!(pieces[3..], ["er", "s", "\u{2581}of", "\u{2581}read", "\u{2581}tables", "\u{2581}the"]);
    let tokenize = "tokenize-text --symbols=units.txt --mode=bpe --model=lower.model";
    for target in ["ark,t:-", "ark,t:out"] {
        scratch.sh(&format!("{tokenize} text {target}")).fails_with(255).stdout_is("").stderr_has(ADVICE);
    }
    assert!(!scratch.path("out").exists());
    let ran = scratch.sh(&format!("{tokenize} --case=keep text ark,t:-")).succeeds();
    ran.stdout_is("u1 8 6 3 4 5 7 \nu2 5 7 \n").stderr_has("0 symbols were unknown").stderr_lacks("WARNING");
}

#[test]
fn a_few_characters_that_the_model_does_not_have_are_a_warning() {
    let scratch = lower();
    scratch.write("odd", "u1 OF TABLES \u{416}\u{416}\n");
    let message = "15.4 % of the characters are not in bpe.model";
    scratch.sh("make-symbols --mode=bpe --model=bpe.model odd units.txt").succeeds().stderr_has(message);
    let tokenize = "tokenize-text --symbols=units.txt --mode=bpe --model=bpe.model";
    scratch.sh(&format!("{tokenize} odd ark,t:-")).succeeds().stderr_has(message).stderr_lacks("--case");
    // Many texts are written before all are known, but the output does not get its name.
    let many: String =
        (0..6000).map(|at| format!("u{at} {}\n", if at < 1000 { "of" } else { "\u{416}\u{416}" })).collect();
    scratch.write("many", many);
    scratch.sh(&format!("{tokenize} many ark:out")).fails_with(255).stderr_has("% of the characters are not in");
    assert!(!scratch.path("out").exists());
}

#[test]
fn case_is_for_all_units_but_ranks() {
    let scratch = lower();
    scratch.write("mixed", "u1 Ab [Laugh] c\n").write("syms", "[laugh]\n");
    for (options, expected) in [
        ("", "A C [LAUGH] b"),
        ("--case=upper", "A B C [LAUGH]"),
        ("--case=lower", "[laugh] a b c"),
        ("--case=keep", "A L [ ] a b c g h u"),
    ] {
        let list = if options.is_empty() { "--case=keep" } else { options };
        let ran = scratch
            .sh(&format!("make-symbols {list} --non-lang-syms=syms --sos-eos=none mixed - | sed 1,2d | cut -d' ' -f1"))
            .succeeds();
        let mut found: Vec<String> = String::from_utf8_lossy(ran.stdout()).lines().map(str::to_owned).collect();
        found.retain(|symbol| symbol != "\u{2581}");
        found.sort();
        let mut expected: Vec<&str> = expected.split(' ').collect();
        expected.sort_unstable();
        if !options.is_empty() && options != "--case=keep" {
            assert_eq!(found, expected, "{options}");
        } else {
            assert!(found.contains(&"[laugh]".to_owned()) && found.contains(&"A".to_owned()), "{found:?}");
        }
    }
    scratch
        .sh("tokenize-text --mode=tiktoken --model=x --case=keep text ark:-")
        .fails_with(255)
        .stderr_has("no --case");
    scratch.sh("make-symbols --case=title text -").fails_with(255).stderr_has("expected keep, upper or lower");
}

#[test]
fn a_feed_looks_at_its_first_texts() {
    let scratch = corpus();
    scratch.sh("sed -i 's/\"txt\": \"[^\"]*\"/\"txt\": \"of tables\"/' data.list").succeeds();
    scratch.write("lower.model", lower_model());
    scratch.write("units", "<blank> 0\n<unk> 1\n\u{2581}of 2\n\u{2581}tables 3\n");
    let conf = format!("tokenizer: bpe\ntokenizer_conf:\n  symbol_table_path: units\n  bpe_path: lower.model\n{PLAIN}");
    scratch.write("bpe.yaml", conf);
    for tool in ["feed-batches", "feed-feats"] {
        let feed = |more: &str| {
            let out = if tool == "feed-feats" { "ark:-" } else { "-" };
            scratch.sh(&format!("{tool} --conf=bpe.yaml {more} data.list {out}"))
        };
        feed("").fails_with(255).stdout_is("").stderr_has(ADVICE);
        feed("--case=keep").succeeds().stderr_lacks("lower.model").stderr_has("delivered 23");
    }
    scratch.sh("feed-batches --conf=bpe.yaml --case=lower --dry-run data.list -").succeeds().stdout_has("case: lower");
    scratch.sh("feed-batches --conf=bpe.yaml --dry-run data.list -").succeeds().stdout_has("case: upper");
    scratch
        .sh("feed-batches --conf=plain.yaml --labels=none --case=keep data.list -")
        .fails_with(255)
        .stderr_has("expected --case with labels and a tokenizer");
}
