use std::path::Path;

use crate::support::Scratch;

/// Runs a script of `recipes/` in a folder with data of the conformance suite.
fn run(script: &str) {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let scratch = Scratch::new();
    let data = tests.join("golden/data");
    let names = "feats/feats.ark feats/feats.scp bin/iv.ark bin/iv.scp bin/spk2utt bin/ref.txt bin/hyp.txt bin/ali.gz \
                 signal/u1.wav signal/u2.wav signal/p2.wav signal/p3.wav signal/t2.wav signal/mfcc8k.conf \
                 signal/pitch.conf signal/in.wav signal/a.wav signal/tone.wav signal/rir.wav signal/na.wav";
    for name in names.split(' ') {
        let from = data.join(name);
        std::fs::copy(&from, scratch.path(from.file_name().unwrap().to_str().unwrap())).unwrap();
    }
    run_in(&scratch, script);
}

/// Runs a script of `recipes/` in a folder that is a data directory of the sample recordings.
fn run_on_recordings(script: &str) {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let scratch = Scratch::new();
    scratch.sh(&format!("ln -s '{}' samples; cp samples/audio/* .", samples.display())).succeeds();
    run_in(&scratch, script);
}

/// Runs a script of `recipes/` in a folder with the lattices of the conformance suite, and compares the file `results` with what
/// Kaldi's own programs gave for the same commands.
fn run_on_lattices(script: &str, results: &str) {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let scratch = Scratch::new();
    scratch.sh(&format!("cp '{}'/* . && chmod u+w *", tests.join("golden/data/lattices").display())).succeeds();
    run_in(&scratch, script);
    let expected = tests.join("pipelines/expected").join(results);
    scratch
        .sh(&format!("diff '{}' {results} > difference || {{ head -n 20 difference; false; }}", expected.display()))
        .succeeds();
}

fn run_in(scratch: &Scratch, script: &str) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pipelines/recipes").join(script);
    scratch.sh(&format!("bash -eu -o pipefail '{}'", script.display())).succeeds();
}

#[test]
fn cmvn_per_speaker_and_over_all_in_jobs_side_by_side() {
    run("cmvn.sh");
}

#[test]
fn splicing_lda_and_speaker_transforms_in_one_rspecifier() {
    run("transform.sh");
}

#[test]
fn mfcc_with_pitch_are_made_in_jobs_side_by_side() {
    run("mfcc.sh");
}

#[test]
fn two_streams_are_pasted_within_a_tolerance() {
    run("paste.sh");
}

#[test]
fn pitch_stands_beside_mfcc_where_there_is_a_recording() {
    run("pitch.sh");
}

#[test]
fn alignments_become_posteriors_and_weights() {
    run("posteriors.sh");
}

#[test]
fn features_are_prepared_for_x_vectors() {
    run("xvector.sh");
}

/// All that the script `sid/nnet3/xvector/get_egs.sh` of Kaldi runs.
#[test]
fn chunks_of_utterances_become_examples_for_x_vectors() {
    run_in(&Scratch::new(), "xvector_egs.sh");
}

/// All that the script `steps/nnet3/get_egs.sh` of Kaldi runs.
#[test]
fn features_and_alignments_become_examples_for_networks() {
    run_in(&Scratch::new(), "nnet3_egs.sh");
}

#[test]
fn speakers_are_verified() {
    run("speakers.sh");
}

#[test]
fn word_errors_are_counted_and_aligned() {
    run("wer.sh");
}

#[test]
fn lattices_have_the_errors_that_kaldi_finds_at_all_settings() {
    run_on_lattices("lattice_score.sh", "errors");
}

#[test]
fn words_of_lattices_and_of_alignments_have_the_times_that_kaldi_finds() {
    run_on_lattices("lattice_ctm.sh", "ctm");
}

#[test]
fn lattices_have_the_depths_phones_and_weights_that_kaldi_finds() {
    run_on_lattices("lattice_stats.sh", "stats");
}

#[test]
fn filter_banks_and_pitch_are_pasted_and_drawn() {
    run_on_recordings("fbank_pitch.sh");
}

#[test]
fn recordings_are_cut_and_augmented() {
    run("audio.sh");
}

#[test]
fn mfcc_are_computed_from_recordings_and_from_segments_in_jobs() {
    run_on_recordings("segments.sh");
}

/// All that the recipe `egs/sre08/v1` of Kaldi runs, on sound of our own.
#[test]
fn the_recipe_sre08_runs_from_sound_to_scores() {
    let scratch = super::speakers::recordings();
    // The length of the vocal tract of a speaker, see there.
    let gender = |speaker: usize| if (speaker * 7) % 15 < 8 { "f" } else { "m" };
    scratch
        .write("spk2gender", (0..15).map(|speaker| format!("s{speaker:02} {}\n", gender(speaker))).collect::<String>());
    run_in(&scratch, "sre08.sh");
}
