//! Symbols and orders of training programs: the SentencePiece library, and CPython's shuffle.

use crate::Trials;
use crate::python::Python;
use crate::support::Scratch;
use crate::support::signal::{mixed, tone};
use crate::support::wave::wave;

pub const TRIALS: &Trials = &[
    ("sentencepiece_cuts_text_alike", sentencepiece_cuts_text_alike),
    ("cpython_shuffles_alike", cpython_shuffles_alike),
    ("batches_are_opened_and_have_the_features_of_others", batches_are_opened_and_have_the_features_of_others),
    ("a_model_learns_from_a_pipe", a_model_learns_from_a_pipe),
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

/// Without it, bins far from tones have nothing but what rounding leaves.
fn noise(seed: u32, length: usize) -> Vec<i16> {
    let mut state = seed + 1;
    let next = |_| {
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        (state >> 16) as i16 % 300
    };
    (0..length).map(next).collect()
}

/// Utterances of 8000 Hz: low tones are called L, high ones H.
fn utterances() -> Scratch {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("wav")).unwrap();
    let mut list = String::new();
    for number in 0..40_u32 {
        let (name, hz) = if number % 2 == 0 { ("L", 300.0) } else { ("H", 1500.0) };
        let seconds = 0.3 + 0.02 * f64::from(number % 7);
        let sound = mixed(&[
            tone(8000, hz + 5.0 * f64::from(number), 5000.0, seconds),
            tone(8000, 700.0 + 31.0 * f64::from(number), 2000.0, seconds),
            noise(number, (8000.0 * seconds) as usize + 1),
        ]);
        scratch.write(&format!("wav/u{number:02}.wav"), wave(8000, &[&sound]));
        list.push_str(&format!(
            "{{\"key\": \"u{number:02}\", \"wav\": \"wav/u{number:02}.wav\", \"txt\": \"{name}\"}}\n"
        ));
    }
    scratch.write("data.list", list).write("units.txt", "<unk> 0\nL 1\nH 2\n");
    let conf = "dataset_conf:\n  resample_conf: {resample_rate: 8000}\n  filter_conf: {min_length: 0}\n  \
                fbank_conf: {num_mel_bins: 23}\n  spec_aug_conf: {max_t: 10, max_f: 3}\n  shuffle_conf: {shuffle_size: 20}\n  sort_conf: {sort_size: 10}\n  \
                batch_conf: {batch_type: dynamic, max_frames_in_batch: 300}\n";
    scratch.write("train.yaml", conf).write("plain.yaml", conf.to_owned() + "  spec_aug: false\n");
    scratch
}

fn batches_are_opened_and_have_the_features_of_others(python: &Python) {
    let scratch = utterances();
    for format in ["npz", "safetensors"] {
        let options = format!("--conf=plain.yaml --symbols=units.txt --format={format}");
        scratch.sh(&format!("feed-batches {options} data.list {format}")).succeeds();
        assert_eq!(python.run(&scratch, "check_batches", &format!("{format} wav")), "40\n");
    }
}

/// The example of a training, on the way that it shows.
fn a_model_learns_from_a_pipe(python: &Python) {
    let scratch = utterances();
    let command = "8 3 feed-batches --conf=train.yaml --symbols=units.txt data.list";
    let printed = python.run(&scratch, "../../../examples/train_on_pipe", command);
    let right = |line: &str| line.split(' ').rev().nth(2).and_then(|number| number.parse::<f64>().ok());
    let epochs: Vec<f64> = printed.lines().filter_map(right).collect();
    assert_eq!(epochs.len(), 8, "{printed}");
    assert!(epochs[7] >= 95.0 && epochs[0] < epochs[7], "{printed}");
}
