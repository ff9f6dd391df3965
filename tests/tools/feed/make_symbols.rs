use crate::support::Scratch;

#[test]
fn symbols_are_those_that_tokenize_text_finds() {
    let scratch = Scratch::new();
    scratch
        .write("text", "u1 ab {noise} b\nu2 \u{4f60}a a\n")
        .write("more", "u3 c a\nu4\n")
        .write("noises", "{noise}\n[B]\n");
    for (options, symbols) in [
        ("", "<blank> <unk> <sos/eos> a b c e i n o s { } \u{2581} \u{4f60}"),
        ("--mode=word", "<blank> <unk> <sos/eos> a ab b c {noise} \u{4f60}a"),
        ("--mode=word --sos-eos=last --min-count=2", "<blank> <unk> a <sos/eos>"),
        ("--sos-eos=none --non-lang-syms=noises", "<blank> <unk> {NOISE} [B] A B C \u{2581} \u{4f60}"),
    ] {
        let table: String = symbols.split(' ').enumerate().map(|(at, symbol)| format!("{symbol} {at}\n")).collect();
        scratch.sh(&format!("make-symbols {options} text more units")).succeeds();
        assert_eq!(String::from_utf8(scratch.read("units")).unwrap(), table, "{options}");
        let tokenize =
            options.split(' ').filter(|it| !it.starts_with("--sos") && !it.starts_with("--min")).collect::<Vec<_>>();
        let ran = scratch.sh(&format!("tokenize-text {} --symbols=units text ark,t:-", tokenize.join(" "))).succeeds();
        if !options.contains("min-count") {
            ran.stderr_has("; 0 symbols were unknown");
        }
    }
}

#[test]
fn reserved_symbols_come_once_and_white_space_is_none() {
    let scratch = Scratch::new();
    scratch.write("text", "u1 <unk> <blank> x\u{b}y <sos/eos>\n");
    scratch.sh("make-symbols --mode=word text -").succeeds().stdout_is("<blank> 0\n<unk> 1\n<sos/eos> 2\nx 3\ny 4\n");
    scratch.sh("make-symbols text - | head -n 4").succeeds().stdout_is("<blank> 0\n<unk> 1\n<sos/eos> 2\n/ 3\n");
    scratch
        .sh("make-symbols text -")
        .succeeds()
        .stderr_has("1 symbols are white space, which a symbol table cannot have; left out");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let scratch = Scratch::new();
    scratch.write("text", b"u1 a\nu2 \xff\n").write("noises", "no\n").write("empty", "").write("odd", "[A B]\n");
    scratch.sh("make-symbols text -").succeeds().stderr_has("u2: expected text in UTF-8, got other bytes; left out");
    for (line, message) in [
        ("--mode=bpe text units", "expected --model=FILE with --mode=bpe"),
        ("--model=m text units", "expected --model with --mode=bpe only"),
        ("--non-lang-syms=noises text units", "noises:1: expected a symbol in [], <> or {}"),
        ("--non-lang-syms=odd text units", "expected symbols without white space"),
        ("--sos-eos=first text units", "expected third, last or none"),
        ("empty units", "expected texts, got none"),
        ("gone units", "gone"),
    ] {
        scratch.sh(&format!("make-symbols {line}")).fails_with(255).stderr_has(message);
        scratch.sh("ls units").fails_with(2);
    }
}
