use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive};

fn measured() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("f.txt", "a [ 0.9 100\n 0.5 110\n -0.3 120\n 1.5 130 ]\n");
    scratch
}

/// The output as rows.
fn rows(scratch: &Scratch, options: &str) -> Vec<Vec<f32>> {
    let ran = scratch.sh(&format!("process-kaldi-pitch-feats {options} ark:f.txt ark,t:-")).succeeds();
    let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
    let numbers = |line: &str| line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    text.lines().skip(1).map(numbers).collect()
}

#[track_caller]
fn is_close(got: &[f32], expected: &[f32]) {
    assert_eq!(got.len(), expected.len());
    assert!(got.iter().zip(expected).all(|(got, expected)| (got - expected).abs() < 2e-5), "{got:?} {expected:?}");
}

const QUIET: &str = "--delta-pitch-noise-stddev=0";

/// As Kaldi computes it.
#[test]
fn features_are_voicing_normalized_pitch_and_its_derivative() {
    let rows = rows(&measured(), QUIET);
    assert_eq!(rows.len(), 4);
    is_close(&rows[0], &[-0.5838961, -0.2738476, 0.4599542]);
    is_close(&rows[3], &[-1.497623, 0.2508812, 0.4141511]);
}

#[test]
fn columns_are_chosen() {
    let all = rows(&measured(), &format!("{QUIET} --add-raw-log-pitch=true"));
    let names = ["add-pov-feature", "add-normalized-log-pitch", "add-delta-pitch", "add-raw-log-pitch"];
    for (column, chosen) in names.iter().enumerate() {
        let options = names.map(|name| format!("--{name}={}", name == *chosen)).join(" ");
        for (one, all) in rows(&measured(), &format!("{QUIET} {options}")).iter().zip(&all) {
            assert_eq!(one[..], all[column..=column]);
        }
    }
}

#[test]
fn columns_are_scaled() {
    let plain = rows(&measured(), QUIET);
    let options = "--pitch-scale=1 --pov-scale=4 --pov-offset=0.5 --delta-pitch-scale=5";
    for (plain, scaled) in plain.iter().zip(rows(&measured(), &format!("{QUIET} {options}"))) {
        is_close(&scaled, &[plain[0] * 2.0 + 0.5, plain[1] / 2.0, plain[2] / 2.0]);
    }
}

#[test]
fn pitch_is_normalized_over_a_context() {
    let options = "--normalization-left-context=0 --normalization-right-context=0";
    assert!(rows(&measured(), &format!("{QUIET} {options}")).iter().all(|row| row[1].abs() < 1e-6));
    let left = rows(&measured(), &format!("{QUIET} --normalization-right-context=0"));
    assert!(left[0][1].abs() < 1e-6 && left[3][1] > 0.1);
    let right = rows(&measured(), &format!("{QUIET} --normalization-left-context=0"));
    assert!(right[0][1] < -0.1 && right[3][1].abs() < 1e-6);
}

#[test]
fn derivatives_have_a_window() {
    // The first frame is repeated in front: (1 * (log 110 - log 100)) / 2.
    let narrow = rows(&measured(), &format!("{QUIET} --delta-window=1"));
    is_close(&narrow[0][2..], &[10.0 * (110.0_f32 / 100.0).ln() / 2.0]);
}

#[test]
fn a_delay_repeats_the_first_frame() {
    let plain = rows(&measured(), QUIET);
    let late = rows(&measured(), &format!("{QUIET} --delay=2"));
    assert_eq!((late.len(), &late[0], &late[1]), (6, &plain[0], &plain[0]));
    assert_eq!(late[2..], plain);
}

/// The numbers of the C library's `rand`, as Kaldi draws them.
#[test]
fn derivatives_get_noise_from_a_seed() {
    let plain = rows(&measured(), QUIET);
    let noisy = rows(&measured(), "");
    let noise =
        |rows: &[Vec<f32>]| rows.iter().zip(&plain).map(|(noisy, plain)| noisy[2] - plain[2]).collect::<Vec<_>>();
    assert!(noise(&noisy).iter().all(|noise| *noise != 0.0 && noise.abs() < 0.25), "{:?}", noise(&noisy));
    assert_eq!(noisy, rows(&measured(), "--srand=0"));
    assert_eq!(noisy, rows(&measured(), "--srand=1"), "0 and 1 are the same seed to the C library");
    assert_ne!(noisy, rows(&measured(), "--srand=2"));
    let larger = rows(&measured(), "--delta-pitch-noise-stddev=0.05");
    for (larger, noise) in noise(&larger).iter().zip(noise(&noisy)) {
        assert!((larger - 10.0 * noise).abs() < 1e-4);
    }
}

#[test]
fn noise_is_drawn_on_from_utterance_to_utterance_for_any_number_of_threads() {
    let scratch = Scratch::new();
    let utterance = |n: usize| (format!("utt{n:03}"), Sample::Matrix(vec![vec![0.5, 100.0 + n as f32]; 300 + n]));
    let utterances: Vec<_> = (0..400).map(utterance).collect();
    let entries: Vec<_> = utterances.iter().map(|(utt, sample)| (utt.as_str(), sample.clone())).collect();
    scratch.write("f.ark", binary_archive(&entries));
    let run = |options: &str| scratch.sh(&format!("process-kaldi-pitch-feats {options} ark:f.ark ark:-")).succeeds();
    let one = run("--num-threads=1");
    run("--num-threads=5").stdout_is(one.stdout());
    let last =
        |table: &str| scratch.sh(&format!("{table} | subset-feats --include=<(echo utt399) ark:- ark:-")).succeeds();
    let (all, alone) = (
        last("process-kaldi-pitch-feats ark:f.ark ark:-"),
        last("subset-feats --include=<(echo utt399) ark:f.ark ark:- | process-kaldi-pitch-feats ark:- ark:-"),
    );
    assert_ne!(all.stdout(), alone.stdout(), "the noise of the last utterance follows that of the others");
}

#[test]
fn utterances_without_frames_are_left_out_with_a_warning() {
    let scratch = measured();
    scratch.write("e.ark", binary_archive(&[("e", Sample::Matrix(vec![]))]));
    let ran = scratch.sh("cat e.ark f.txt | process-kaldi-pitch-feats ark:- ark:- | feat-to-len ark:- ark,t:-");
    ran.succeeds()
        .stdout_is("a 4 \n")
        .stderr_has("bad size 0 by 0: e")
        .stderr_has("Post-processed pitch for 1 utterances.");
    scratch.sh("process-kaldi-pitch-feats ark:e.ark ark:-").fails_with(1).stdout_is("");
    scratch.sh("process-kaldi-pitch-feats ark:/dev/null ark:-").fails_with(1).stdout_is("");
}

#[test]
fn values_out_of_range_are_an_error() {
    let scratch = Scratch::new();
    let t = |features: &str, message: &str| {
        scratch.write("f.txt", format!("a {features}\n"));
        scratch.sh("process-kaldi-pitch-feats ark:f.txt ark:o").fails_with(255).stderr_has(message);
        assert_eq!(scratch.list(), ["f.txt"]);
    };
    t("[ 0.5 100\n 0.5 0 ]", "a: expected the pitch to be positive, got 0.0 in frame 1");
    t("[ nan 100 ]", "a: expected the cross-correlation to be a number, got NaN in frame 0");
    t("[ 0.5 100 1 ]", "a: expected features with 2 columns, got 3");
}

#[test]
fn options_without_sense_are_errors_before_anything_is_read() {
    let none = "--add-pov-feature=false --add-normalized-log-pitch=false --add-delta-pitch=false";
    for (option, message) in [
        (
            "--normalization-left-context=-1",
            "Invalid option --normalization-left-context=-1: expected an integer from 0 to 2147483647",
        ),
        (
            "--normalization-right-context=-1",
            "Invalid option --normalization-right-context=-1: expected an integer from 0 to 2147483647",
        ),
        ("--delay=-1", "Invalid option --delay=-1: expected an integer from 0 to 2147483647"),
        ("--delta-window=0", "expected --delta-window to be from 1 to 999, got 0"),
        (none, "expected --add-pov-feature to be true unless another feature is written, got false"),
    ] {
        let ran = Scratch::new().sh(&format!("process-kaldi-pitch-feats {option} ark:nothing ark:-"));
        ran.fails_with(255).stderr_has(message);
    }
}
