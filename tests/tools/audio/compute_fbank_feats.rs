use super::extraction::{computed, distance, first, two};

const TOOL: &str = "compute-fbank-feats";

#[test]
fn filters_are_as_many_as_are_asked_for() {
    let scratch = two();
    assert_eq!(first(&scratch, TOOL)[0].len(), 23);
    assert_eq!(first(&scratch, "compute-fbank-feats --num-mel-bins=80")[0].len(), 80);
}

#[test]
fn energy_is_one_more_value_first_or_last() {
    let scratch = two();
    let plain = first(&scratch, TOOL);
    let before = first(&scratch, "compute-fbank-feats --use-energy");
    let behind = first(&scratch, "compute-fbank-feats --use-energy --htk-compat");
    for ((plain, before), behind) in plain.iter().zip(&before).zip(&behind) {
        assert_eq!((&plain[..], &plain[..]), (&before[1..], &behind[..23]));
        assert_eq!(before[0], behind[23]);
    }
    let floored = first(&scratch, "compute-fbank-feats --use-energy --energy-floor=1e10");
    assert!(floored.iter().all(|row| (row[0] - 1e10_f32.ln()).abs() < 1e-5));
}

#[test]
fn values_are_logarithms_or_linear_of_power_or_magnitude() {
    let scratch = two();
    let (log, linear) = (first(&scratch, TOOL), first(&scratch, "compute-fbank-feats --use-log-fbank=false"));
    let logs = linear.iter().map(|row| row.iter().map(|value| value.ln()).collect()).collect();
    assert!(distance(&log, &logs) < 1e-4);
    let magnitude = first(&scratch, "compute-fbank-feats --use-power=false --use-log-fbank=false");
    // Cauchy and Schwarz; the weights of a filter are less than 40 in sum.
    let bounded = |(linear, magnitude): (&f32, &f32)| *magnitude > 0.0 && *magnitude <= (40.0 * linear).sqrt();
    assert!(linear.iter().flatten().zip(magnitude.iter().flatten()).all(bounded));
    assert!(distance(&magnitude, &linear) > 1.0);
}

#[test]
pub fn speakers_have_warp_factors() {
    let scratch = two();
    scratch.write("spk2warp", "eve 0.9\nadam 1.1\n").write("utt2spk", "a eve\nb adam\n");
    let feats = |options: &str| computed(&scratch, &format!("{TOOL} --dither=0 {options}"));
    let by_speaker = feats("--vtln-map=ark:spk2warp --utt2spk=ark:utt2spk");
    assert_eq!(by_speaker[0], feats("--vtln-warp=0.9")[0]);
    assert_eq!(by_speaker[1], feats("--vtln-warp=1.1")[1]);
}

#[test]
fn speakers_alone_have_no_effect() {
    let scratch = two();
    scratch.write("utt2spk", "a eve\nb adam\n");
    let plain = scratch.sh("compute-fbank-feats scp:wav.scp ark:-").succeeds();
    let ran = scratch.sh("compute-fbank-feats --utt2spk=ark:utt2spk scp:wav.scp ark:-").succeeds();
    ran.stdout_is(plain.stdout()).stderr_has("--utt2spk has no effect without --vtln-map");
}

#[test]
fn the_documented_example_works() {
    let scratch = two();
    scratch.sh("compute-fbank-feats --num-mel-bins=80 scp:wav.scp ark,scp:fbank.ark,fbank.scp").succeeds();
    scratch.sh("feat-to-dim scp:fbank.scp -").succeeds().stdout_is("80\n");
}

/// script(1) gives the tool a terminal.
#[test]
fn on_a_terminal_progress_is_logged_every_ten_seconds() {
    let scratch = two();
    scratch.write("wav.scp", (0..25).map(|nth| format!("u{nth} b.wav\n")).collect::<String>());
    if std::path::Path::new("/usr/bin/script").exists() {
        let ran = scratch.sh("script -qec 'compute-mfcc-feats scp:wav.scp ark:/dev/null' /dev/null").succeeds();
        let log = String::from_utf8_lossy(ran.stdout()).into_owned();
        assert!(log.contains("Done 25 out of 25 utterances.") && !log.contains("Processed"), "{log}");
    }
}

#[test]
fn a_sound_file_in_the_place_of_a_table_gets_a_table_that_works() {
    let scratch = two();
    for name in ["b.wav", "ark:b.wav", "scp:b.wav"] {
        let ran = scratch.sh(&format!("compute-fbank-feats {name} ark:-")).fails_with(255);
        ran.stderr_has("this is a WAV file").stderr_has("as a table 'scp:echo b b.wav |'");
    }
    scratch.sh("compute-fbank-feats 'scp:echo b b.wav |' ark:- | feat-to-len ark:- ark,t:- | grep '^b '").succeeds();
}
