//! Symbols and orders of training programs: the SentencePiece library, and CPython's shuffle.

use crate::Trials;
use crate::python::Python;
use crate::support::Scratch;

pub const TRIALS: &Trials = &[
    ("sentencepiece_cuts_text_alike", sentencepiece_cuts_text_alike),
    ("cpython_shuffles_alike", cpython_shuffles_alike),
];

/// The peer trains models on sentences and cuts others with them; our tool does the same with these models.
fn sentencepiece_cuts_text_alike(python: &Python) {
    let scratch = Scratch::new();
    for kind in ["bpe", "unigram"] {
        python.run(&scratch, "sentencepieces", kind);
        let options = format!("--symbols={kind}.units --mode=bpe --model={kind}.model");
        scratch.sh(&format!("tokenize-text {options} text ark,t:- | sed 's/ $//' | diff - {kind}.ids")).succeeds();
        // A difference would be seen.
        scratch.sh(&format!("tail -n +2 text | tokenize-text {options} - ark,t:- | cmp -s - {kind}.ids")).fails_with(1);
    }
}

fn cpython_shuffles_alike(python: &Python) {
    let scratch = Scratch::new();
    scratch.sh("seq 0 9999 > list").succeeds();
    for epoch in [0, 1, 77, 4_000_000_000_u32] {
        python.run(&scratch, "shuffle_list", &format!("{epoch} list shuffled"));
        let script = format!("table-shuffle --shuffle-compat=python --epoch={epoch} list - | cmp - shuffled");
        scratch.sh(&script).succeeds();
        scratch.sh("cmp -s list shuffled").fails_with(1);
    }
}
