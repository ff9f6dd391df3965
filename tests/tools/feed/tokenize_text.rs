use crate::support::Scratch;

/// A folder with a symbol table of characters and two texts.
fn texts() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("units.txt", "<blank> 0\n<unk> 1\na 2\nb 3\n▁ 4\n好 5\n[NOISE] 6\nA 7\nB 8\n<sos/eos> 9\n");
    scratch.write("text", "u1 ab  好\nu2\tba\nu3\n");
    scratch
}

#[test]
fn symbols_are_needed() {
    texts().sh("tokenize-text text ark:-").fails_with(255).stderr_has("expected --symbols=FILE");
}

#[test]
fn characters_of_a_file_keep_inner_blanks() {
    let ran = texts().sh("tokenize-text --symbols=units.txt text ark,t:-");
    let ran = ran.succeeds().stdout_is("u1 2 3 4 4 5 \nu2 3 2 \nu3 \n");
    ran.stderr_has("Wrote 3 utterances of 7 symbols; 0 symbols were unknown and written as <unk>");
}

#[test]
fn words_of_a_table_have_one_blank_between_them() {
    texts()
        .sh("tokenize-text --symbols=units.txt ark:text ark,t:-")
        .succeeds()
        .stdout_is("u1 2 3 4 5 \nu2 3 2 \nu3 \n");
    let ran = texts().sh("echo 'u A B  b' | tokenize-text --symbols=units.txt --mode=word - ark,t:-");
    ran.succeeds().stdout_is("u 7 8 3 \n");
}

#[test]
fn unknown_symbols_have_a_number_or_are_left_out() {
    let scratch = texts();
    let ran = scratch.sh("echo u axb | tokenize-text --symbols=units.txt - ark,t:-");
    ran.succeeds().stdout_is("u 2 1 3 \n").stderr_has("1 symbols were unknown");
    let ran = scratch.sh("echo u axb | tokenize-text --symbols=units.txt --unk='<blank>' - ark,t:-");
    ran.succeeds().stdout_is("u 2 0 3 \n");
    let ran = scratch.sh("echo u axb | tokenize-text --symbols=units.txt --unk='<none>' - ark,t:-");
    ran.succeeds().stdout_is("u 2 3 \n").stderr_has("1 symbols were unknown and left out");
}

#[test]
fn listed_symbols_in_brackets_are_one_and_text_is_in_upper_case() {
    let scratch = texts();
    scratch.write("syms", "[NOISE]\n");
    let ran = scratch.sh("echo 'u a[noise] [b' | tokenize-text --symbols=units.txt --non-lang-syms=syms - ark,t:-");
    ran.succeeds().stdout_is("u 7 6 1 8 \n");
    let ran =
        scratch.sh("echo 'u a [noise] b [no] a' | tokenize-text --symbols=units.txt --non-lang-syms=syms - ark,t:-");
    ran.succeeds().stdout_is("u 7 6 8 1 1 1 1 7 \n");
    scratch.write("syms", "NOISE\n");
    let ran = scratch.sh("tokenize-text --symbols=units.txt --non-lang-syms=syms text ark,t:-");
    ran.fails_with(255).stderr_has("syms:1: expected a symbol in [], <> or {}, got \"NOISE\"");
}

/// The pieces that the SentencePiece library itself gives, as numbers of the lines of a list.
#[test]
fn pieces_are_those_of_the_sentencepiece_library() {
    let cases = [
        ("bpe", "the readers OF tables", "▁THE ▁READ ER S ▁OF ▁TABLES"),
        ("bpe", "features  and", "▁ FE AT U RE S ▁A N D"),
        ("bpe", "zebra", "▁ Z E B R A"),
        ("unigram", "THE READERS OF TABLES", "▁THE ▁READ ER S ▁ O F ▁TABLES"),
        ("unigram", "FEATURES  AND", "▁FEATURES ▁A N D"),
        ("bpe", "好READ好", "好 ▁READ 好"),
    ];
    let scratch = Scratch::new();
    scratch.write("bpe.model", include_bytes!("bpe.model")).write("unigram.model", include_bytes!("unigram.model"));
    for (kind, text, pieces) in cases {
        let mut symbols: Vec<&str> = pieces.split(' ').collect();
        symbols.sort_unstable();
        symbols.dedup();
        let lines: String = symbols.iter().zip(10..).map(|(symbol, id)| format!("{symbol} {id}\n")).collect();
        let expected = pieces.split(' ').map(|piece| (symbols.binary_search(&piece).unwrap() + 10).to_string());
        scratch.write("units.txt", lines).write("text", format!("u {text}\n"));
        let script = format!("tokenize-text --symbols=units.txt --mode=bpe --model={kind}.model text ark,t:-");
        let line = format!("u {} \n", expected.collect::<Vec<_>>().join(" "));
        scratch.sh(&script).succeeds().stdout_is(line);
        let script = format!("{script} | tokenize-text --symbols=units.txt --mode=bpe --decode ark:- -");
        let back = pieces.replace(' ', "").replace('▁', " ").trim().to_owned();
        scratch.sh(&script).succeeds().stdout_is(format!("u {back}\n"));
    }
}

#[test]
fn numbers_become_text_again() {
    let scratch = texts();
    scratch.write("i.txt", "u1 2 3 4 5 \nu2 \n");
    scratch.sh("tokenize-text --symbols=units.txt --decode ark:i.txt -").succeeds().stdout_is("u1 ab 好\nu2 \n");
    let ran = scratch.sh("tokenize-text --symbols=units.txt --decode --mode=word ark:i.txt ark,t:-");
    ran.succeeds().stdout_is("u1 a b ▁ 好 \nu2 \n");
    scratch.write("i.txt", "u1 2 99\nu2 3\n");
    let ran = scratch.sh("tokenize-text --symbols=units.txt --decode ark:i.txt -");
    ran.succeeds().stdout_is("u2 b\n").stderr_has("u1: the symbol table has no number 99; left out");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let scratch = texts();
    scratch.write("bad.txt", "a 1\nb\n").write("latin.txt", b"\xe4 1\n");
    for (options, message) in [
        ("--symbols=bad.txt", "bad.txt:2: expected a symbol and a number, got 1 fields"),
        ("--symbols=latin.txt", "latin.txt: expected text in UTF-8"),
        ("--symbols=none", "cannot open"),
        ("--symbols=units.txt --mode=x", "--mode=x: expected char, bpe, word or tiktoken, got \"x\""),
        ("--symbols=units.txt --mode=bpe", "expected --model=FILE with --mode=bpe"),
        ("--symbols=units.txt --model=m", "expected --model with --mode=bpe only"),
        ("--symbols=units.txt --mode=bpe --model=text", "text: expected a SentencePiece model, got "),
    ] {
        let ran = scratch.sh(&format!("tokenize-text {options} text ark:o"));
        ran.fails_with(255).stderr_has(message);
    }
    assert_eq!(scratch.list(), ["bad.txt", "latin.txt", "text", "units.txt"]);
}

#[test]
fn text_that_is_no_utf8_costs_its_utterance() {
    let scratch = texts();
    scratch.write("text", b"u1 a\nu2 \xe4\nu3 b\n");
    let ran = scratch.sh("tokenize-text --symbols=units.txt text ark,t:-");
    ran.succeeds().stdout_is("u1 2 \nu3 3 \n").stderr_has("u2: expected text in UTF-8");
}
