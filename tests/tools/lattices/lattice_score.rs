use crate::support::Scratch;
use crate::tools::lattices::{ambiguous, golden, text_of};

#[test]
fn words_of_each_setting_are_written() {
    let scratch = ambiguous();
    scratch.write("words", "five 5\nsix 6\nseven 7\neight 8\n");
    // Without acoustic costs, the word 5 would be the better one.
    let line = "lattice-score --inv-acwt=1,100 --penalty=0 --write-text=out.%LMWT";
    scratch.sh(&format!("{line} ark:lats && cat out.1 out.100")).succeeds().stdout_is("a 6 7 \nb 8 \na 5 7 \nb 8 \n");
    scratch
        .sh(&format!("{line} --word-symbol-table=words ark:lats && cat out.1"))
        .stdout_is("a six seven \nb eight \n");
    scratch.write("drop", "seven\neight\n");
    let ran = scratch.sh(&format!("{line} --word-symbol-table=words --drop-words=drop ark:lats && cat out.1"));
    ran.succeeds().stdout_is("a six \nb \n");
    scratch.write("few", "five 5\n");
    let ran = scratch.sh(&format!("{line} --word-symbol-table=few ark:lats"));
    ran.fails_with(255).stderr_has("a: ").stderr_has("6");
}

#[test]
fn error_rates_are_printed_with_the_best_setting() {
    let scratch = ambiguous();
    scratch.write("text", "a 5 7\nb 9\nc 1 2\n");
    let line = "lattice-score --inv-acwt=1,100 --penalty=0:1:1 --text=ark:text";
    let ran = scratch.sh(&format!("{line} --write-wer=wer_%LMWT_%WIP ark:lats && cat wer_1_1")).succeeds();
    ran.stdout_is(
        "%WER 66.67 [ 2 / 3, 0 ins, 0 del, 2 sub ] [PARTIAL] 1 0\n\
         %WER 33.33 [ 1 / 3, 0 ins, 0 del, 1 sub ] [PARTIAL] 100 0\n\
         %WER 66.67 [ 2 / 3, 0 ins, 0 del, 2 sub ] [PARTIAL] 1 1\n\
         %WER 33.33 [ 1 / 3, 0 ins, 0 del, 1 sub ] [PARTIAL] 100 1\n\
         best: %WER 33.33 [ 1 / 3, 0 ins, 0 del, 1 sub ] [PARTIAL] 100 0\n\
         %WER 66.67 [ 2 / 3, 0 ins, 0 del, 2 sub ] [PARTIAL]\n\
         %SER 100.00 [ 2 / 2 ]\n\
         Scored 2 sentences, 1 not present in hyp.\n",
    );
    scratch.write("drop", "9\n");
    let ran =
        scratch.sh("lattice-score --inv-acwt=100 --penalty=0 --drop-words=drop --text=ark:text ark:lats | tail -n 1");
    ran.succeeds().stdout_is("best: %WER 50.00 [ 1 / 2, 1 ins, 0 del, 0 sub ] [PARTIAL] 100 0\n");
}

/// What Kaldi's programs found in the same lattices is recorded for a few settings.
#[test]
fn the_words_are_those_that_are_recorded() {
    let scratch = golden();
    let expected = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/expected/lattices");
    for (mbr, tool) in [(false, "lattice-best-path"), (true, "lattice-mbr-decode")] {
        let text = "--word-symbol-table=words.txt --write-text=out.%LMWT.%WIP";
        scratch.sh(&format!("lattice-score --decode-mbr={mbr} {text} 'ark:gunzip -c real.gz |'")).succeeds();
        for (scale, penalty) in [(7, "0.0"), (12, "0.5"), (17, "1.0")] {
            let recorded = format!("{expected}/{tool}/recipe-score-{scale}/stdout");
            scratch.sh(&format!("sed 's/ $//' out.{scale}.{penalty} | cmp '{recorded}' -")).succeeds();
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let scratch = golden();
    let run = |threads: u32, mbr: bool| {
        let options = "--text=ark:text --word-symbol-table=words.txt --write-text=out.%LMWT.%WIP";
        let line = format!("lattice-score --num-threads={threads} --decode-mbr={mbr} {options} ark:real.ark");
        text_of(&scratch, &format!("{line} 2> log; cat out.*; sed 1d log"))
    };
    for mbr in [false, true] {
        assert_eq!(run(1, mbr), run(4, mbr));
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let scratch = ambiguous();
    scratch.write("text", "a 5\na 6\n").write("cycle", "u \n0 1 5\n1 0 6\n1\n\n");
    for (line, message) in [
        ("ark:lats", "expected --text to compare words with, or --write-text to write them to"),
        ("--write-text=a --write-wer=b ark:lats", "expected --text for the error rates of --write-wer"),
        ("--write-text=out.%LMWT ark:lats", "--write-text: expected %LMWT and %WIP in the name"),
        ("--inv-acwt=0:3 --write-text=%LMWT.%WIP ark:lats", "expected --inv-acwt to be other than 0, got 0"),
        ("--inv-acwt=a --write-text=%LMWT.%WIP ark:lats", "expected a number, got \"a\""),
        (
            "--inv-acwt=1:9000 --penalty=1:9 --write-text=%LMWT.%WIP ark:lats",
            "expected at most 10000 settings, got 81000",
        ),
        ("--text=ark:text ark:lats", "a: expected each key once"),
        ("--write-text=%LMWT.%WIP ark:cycle", "u: the lattice has a cycle"),
    ] {
        scratch.sh(&format!("lattice-score {line}")).fails_with(255).stderr_has(message);
    }
    assert!(!scratch.list().iter().any(|name| name.contains("0.5")), "{:?}", scratch.list());
}

#[test]
fn a_lattice_without_a_path_is_counted() {
    let scratch = Scratch::new();
    scratch.write("lats", "u \n0 1 5\n1 Infinity,Infinity,\n\nv \n0 1 6\n1\n\n");
    let ran = scratch.sh("lattice-score --inv-acwt=7 --penalty=0 --write-text=out ark:lats && cat out").succeeds();
    ran.stdout_is("v 6 \n").stderr_has("Best-path failed for key u at 1 of 1 settings");
}
