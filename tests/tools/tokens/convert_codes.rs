use crate::support::Scratch;

/// Codes of two codebooks, of three frames and of none, in both forms.
fn with_codes() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("codes", "utt 1 11 ; 2 12 ; 3 13 ; \n").write("t", "utt 70 71\n");
    scratch.sh("copy-gselect ark:codes ark:codes.ark").succeeds();
    scratch
}

#[test]
fn codes_have_the_pattern_that_is_asked_for() {
    let scratch = with_codes();
    for (options, value) in [
        ("", "1 11 2 12 3 13 "),
        ("--to-pattern=matrix", "1 11 ; 2 12 ; 3 13 ; "),
        ("--to-pattern=codebook-major", "1 2 3 11 12 13 "),
        ("--to-pattern=delay --pad-id=99", "1 99 ; 2 11 ; 3 12 ; 99 13 ; "),
        ("--to-pattern=delay --pad-id=-1 --codebook-offsets=100", "1 -1 ; 2 111 ; 3 112 ; -1 113 ; "),
        ("--codebook-offsets=100", "1 111 2 112 3 113 "),
        ("--codebook-offsets=0,50", "1 61 2 62 3 63 "),
        ("--from-offsets=0,11", "1 0 2 1 3 2 "),
        ("--from-offsets=10 --first=2 --codebook-offsets=7", "1 8 2 9 3 10 "),
        ("--first=1", "1 2 3 "),
        ("--first=1 --codebook-offsets=9 --to-pattern=matrix", "1 ; 2 ; 3 ; "),
        ("--join-with=ark:t --begin=7 --middle=8 --end=9", "7 70 71 8 1 11 2 12 3 13 9 "),
        ("--join-with=ark:t --begin=1,2 --middle= --end='3 4' --join-last", "1 2 1 11 2 12 3 13 70 71 3 4 "),
        ("--join-with=ark:t --to-pattern=codebook-major --middle=8", "70 71 8 1 2 3 11 12 13 "),
    ] {
        for table in ["codes", "codes.ark"] {
            let ran = scratch.sh(&format!("convert-codes {options} ark:{table} ark,t:-"));
            ran.succeeds().stdout_is(format!("utt {value}\n"));
        }
    }
}

#[test]
fn every_pattern_leads_back() {
    let scratch = Scratch::new();
    let numbers = |count: usize| (0..count).map(|at| (at * 7919 % 1024).to_string()).collect::<Vec<_>>();
    for codebooks in [1, 2, 3, 8] {
        let mut text = String::from("none \n");
        for frames in [1, 2, 5, 40] {
            let rows: Vec<String> = numbers(frames * codebooks).chunks(codebooks).map(|row| row.join(" ")).collect();
            text += &format!("u{frames} {} ; \n", rows.join(" ; "));
        }
        scratch.write("codes", &text);
        for pattern in ["matrix", "frame-major", "codebook-major", "delay"] {
            let pad = if pattern == "delay" { "--pad-id=9999" } else { "" };
            for form in ["ark", "ark,t"] {
                scratch
                    .sh(&format!(
                        "convert-codes {pad} --codebook-offsets=1024 --to-pattern={pattern} ark:codes {form}:x &&
                         convert-codes {pad} --from-pattern={pattern} --codebooks={codebooks} --from-offsets=1024 \
                             --to-pattern=matrix ark:x ark,t:- | cmp - codes"
                    ))
                    .succeeds();
            }
        }
    }
}

#[test]
fn repeated_frames_collapse_and_are_counted() {
    let scratch = Scratch::new();
    scratch.write("units", "utt 5 5 7 5 \nnone \n").write("codes", "utt 1 2 ; 1 2 ; 1 3 ; \n");
    let line = "convert-codes --from-pattern=frame-major --codebooks=1 --collapse";
    scratch
        .sh(&format!("{line} --write-counts=ark,t:counts ark:units ark,t:-"))
        .succeeds()
        .stdout_is("utt 5 7 5 \nnone \n");
    assert_eq!(scratch.read("counts"), b"utt 2 1 1 \nnone \n");
    scratch.sh(&format!("{line} ark:units ark,t:-")).succeeds().stdout_is("utt 5 7 5 \nnone \n");
    scratch.sh("convert-codes --collapse ark:codes ark,t:-").succeeds().stdout_is("utt 1 2 1 3 \n");
    // The first codebooks are kept before.
    scratch.sh("convert-codes --first=1 --collapse ark:codes ark,t:-").succeeds().stdout_is("utt 1 \n");
}

#[test]
fn a_key_without_text_is_left_out_and_counted() {
    let scratch = with_codes();
    scratch.write("codes", "a 1 ; \nutt 2 ; \nz 3 ; \n");
    let ran =
        scratch.sh("convert-codes --collapse --write-counts=ark,t:n --join-with=ark:t ark:codes ark,t:-").succeeds();
    ran.stdout_is("utt 70 71 2 \n").stderr_has("a: no text; left out").stderr_has("of 1 utterances; 2 had no text");
    assert_eq!(scratch.read("n"), b"utt 1 \n");
    scratch.sh("convert-codes --join-with=ark:/dev/null ark:codes ark,t:-").fails_with(1).stdout_is("");
}

#[test]
fn a_fault_is_named_with_its_place() {
    let scratch = with_codes();
    for (options, text, message) in [
        ("", "a 1 2 ; \nu 1 2 ; 3 ; \n", "u: codes:2: expected 2 numbers in row 1 as in row 0, got 1"),
        ("--codebooks=3", "u 1 2 ; \n", "u: expected 3 codebooks, got 2"),
        ("--first=3", "u 1 2 ; \n", "u: expected 3 codebooks, got 2"),
        ("--from-pattern=frame-major --codebooks=2", "u 1 2 3 \n", "u: expected codes of 2 codebooks, got 3 codes"),
        ("--codebook-offsets=1,2,3", "u 1 2 ; \n", "u: expected offsets of 2 codebooks, got 3"),
        ("--codebook-offsets=9", "u 1 2 ; 1 -2 ; \n", "u: frame 1, codebook 1: expected a code from 0 to"),
        ("--codebook-offsets=2147483647", "u 0 1 ; \n", "u: frame 0, codebook 1: expected a code from 0 to 0"),
        ("--from-offsets=9", "u 1 8 ; \n", "u: frame 0, codebook 1: expected a code of 9 or more"),
        ("--from-pattern=delay --pad-id=9", "u 1 2 ; 9 3 ; \n", "u: row 0, codebook 1: expected the padding 9, got 2"),
        (
            "--from-pattern=delay --pad-id=9",
            "u 1 9 ; \n",
            "u: expected 2 rows or more for a delay of 2 codebooks, got 1",
        ),
        ("--to-pattern=delay --pad-id=2", "u 1 2 ; \n", "u: frame 0, codebook 1: expected a code, got the padding 2"),
        ("", "u 1 2 ; 99999999999 3 ; \n", "99999999999"),
    ] {
        scratch.write("codes", text);
        scratch.sh(&format!("convert-codes {options} ark:codes ark:out")).fails_with(255).stderr_has(message);
        scratch.sh("ls out").fails_with(2);
    }
}

#[test]
fn options_that_make_no_sense_together_are_refused() {
    let scratch = with_codes();
    for (options, message) in [
        ("--to-pattern=delay", "expected --pad-id with the pattern delay"),
        ("--pad-id=1", "expected --pad-id with the pattern delay only"),
        ("--from-pattern=frame-major", "expected --codebooks"),
        ("--from-pattern=codebook-major --codebooks=0", "expected --codebooks of 1 or more, got 0"),
        ("--first=0", "expected --first of 1 or more, got 0"),
        ("--write-counts=ark:x", "expected --write-counts with --collapse only"),
        ("--join-with=ark:t --to-pattern=matrix", "a matrix has no place for text"),
        ("--begin=1", "with --join-with only"),
        ("--join-last", "with --join-with only"),
        ("--join-with=ark:t --begin=x", "expected integers with commas, got \"x\""),
        ("--codebook-offsets=-1", "expected a number of 0 or more, or several with commas"),
        ("--from-pattern=flat", "expected matrix, frame-major, codebook-major or delay"),
    ] {
        scratch
            .sh(&format!("convert-codes {options} ark:codes ark,t:-"))
            .fails_with(255)
            .stdout_is("")
            .stderr_has(message);
    }
}

#[test]
fn a_matrix_is_a_document_of_one_sequence() {
    let scratch = with_codes();
    for (options, tokens) in [
        ("--flatten=frame-major", "1 11 2 12 3 13"),
        ("--flatten=codebook-major", "1 2 3 11 12 13"),
        ("--flatten=codebook-major --codebook-offsets=100 --append-eod=0", "1 2 3 111 112 113 0"),
    ] {
        scratch.sh(&format!("int-vector-to-indexed --force {options} ark:codes.ark set")).succeeds();
        scratch.sh("indexed-get set 0").succeeds().stdout_is(format!("{tokens}\n"));
        scratch.sh("indexed-info set").succeeds().stdout_has("documents");
    }
    for (options, message) in [
        ("--codebook-offsets=1", "expected --codebook-offsets with --flatten only"),
        ("--flatten=frame-major --nested", "expected one of --nested and --flatten"),
        ("--flatten=frame-major --codebook-offsets=1,2,3", "utt: expected offsets of 2 codebooks, got 3"),
    ] {
        scratch.sh(&format!("int-vector-to-indexed {options} ark:codes other")).fails_with(255).stderr_has(message);
    }
}

/// Command lines with earlier names of options, which stay: a warning on standard error, and the same results.
#[test]
fn earlier_names_of_options_stay() {
    let scratch = Scratch::new();
    scratch.write("m", "utt 1 11 ; 2 12 ; 3 13 ;\n").write("t", "utt 70 71\n").write("flat", "utt 1 11 2 12 3 13\n");
    scratch.write("delay", "utt 1 99 ; 2 11 ; 3 12 ; 99 13 ;\n").write("v", "utt 5 5 7 5\n");
    for (options, from, expected) in [
        ("--to=matrix", "m", "1 11 ; 2 12 ; 3 13 ;"),
        ("--to=frame-major", "m", "1 11 2 12 3 13"),
        ("--to=codebook-major", "m", "1 2 3 11 12 13"),
        ("--to=delay --pad-id=99", "m", "1 99 ; 2 11 ; 3 12 ; 99 13 ;"),
        ("--from=delay --pad-id=99", "delay", "1 11 2 12 3 13"),
        ("--from=frame-major --codebooks=2 --to=matrix", "flat", "1 11 ; 2 12 ; 3 13 ;"),
        ("--offsets=100", "m", "1 111 2 112 3 113"),
        ("--offsets=0,50", "m", "1 61 2 62 3 63"),
        ("--from=frame-major --codebooks=1 --collapse --counts=ark,t:counts", "v", "5 7 5"),
        ("--join=ark:t --begin=7 --middle=8 --end=9", "m", "7 70 71 8 1 11 2 12 3 13 9"),
        ("--join=ark:t --join-last", "m", "1 11 2 12 3 13 70 71"),
    ] {
        let ran = scratch.sh(&format!("convert-codes {options} ark:{from} ark,t:-")).succeeds();
        ran.stdout_is(format!("utt {expected} \n")).stderr_has("is an old name of ");
    }
    scratch.sh("cat counts").stdout_is("utt 2 1 1 \n");
    let dataset = "int-vector-to-indexed --codebooks=frame-major --offsets=100 ark:m ds";
    scratch.sh(&format!("{dataset} && indexed-to-int-vector ds ark,t:-")).succeeds();
    let printed = "indexed-to-int-vector --print-args=false ds ark,t:-";
    scratch.sh(printed).succeeds().stdout_is("0 1 111 2 112 3 113 \n");
}
