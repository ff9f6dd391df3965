use crate::support::Scratch;
use crate::support::signal::tone;
use crate::support::wave::{archive, samples, wave};

#[test]
fn tempo_and_pitch_change_alike() {
    let scratch = Scratch::new();
    scratch.write("in.wav", wave(16000, &[&tone(16000, 440.0, 10000.0, 1.0)]));
    for speed in [0.9, 1.1, 1.25_f64] {
        scratch.sh(&format!("perturb-wav-speed --speeds={speed} in.wav out.wav")).succeeds();
        let got = samples(&scratch.read("out.wav"));
        assert_eq!(got.len(), (16000.0 / speed).ceil() as usize);
        let expected = tone(16000, 440.0 * speed, 10000.0, 1.0);
        let far = (100..got.len() - 100)
            .filter(|&at| at < expected.len() - 100 && (i32::from(got[at]) - i32::from(expected[at])).abs() > 40);
        assert_eq!(far.count(), 0, "speed {speed}");
    }
}

#[test]
fn a_speed_follows_from_seed_epoch_and_key() {
    let scratch = Scratch::new();
    let sound = wave(16000, &[&tone(16000, 440.0, 10000.0, 0.1)]);
    let keys: Vec<String> = (0..30).map(|number| format!("u{number}")).collect();
    let entries: Vec<(&str, &[u8])> = keys.iter().map(|key| (key.as_str(), sound.as_slice())).collect();
    scratch.write("w.ark", archive(&entries));
    let lengths = |options: &str| {
        let script = format!("perturb-wav-speed {options} ark:w.ark ark:- | wav-to-duration ark:- ark,t:-");
        String::from_utf8(scratch.sh(&script).succeeds().stdout().to_vec()).unwrap()
    };
    let first = lengths("");
    assert_eq!(lengths("--num-threads=3"), first);
    assert_ne!(lengths("--epoch=1"), first);
    assert_ne!(lengths("--seed=1"), first);
    // 1778, 1600 and 1455 samples.
    for duration in ["0.111125", "0.1", "0.0909375"] {
        let count = first.lines().filter(|line| line.ends_with(&format!(" {duration} "))).count();
        assert!(count > 2, "{count} of {duration} s: {first}");
    }
    scratch.sh("perturb-wav-speed ark:w.ark ark:/dev/null").succeeds().stderr_has("Wrote 30 waveforms: ");
}

#[test]
fn keys_may_have_a_prefix() {
    let scratch = Scratch::new();
    scratch.write("w.ark", archive(&[("a", &wave(8000, &[&[1, 2, 3]]))]));
    let ran = scratch.sh("perturb-wav-speed --speeds=1 --prefix=sp1- ark:w.ark ark:-");
    ran.succeeds().stdout_is(archive(&[("sp1-a", &wave(8000, &[&[1, 2, 3]]))]));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let scratch = Scratch::new();
    for (speeds, message) in [
        ("x", "expected --speeds to be numbers separated by commas, got \"x\""),
        ("1,,2", "got \"1,,2\""),
        ("0", "expected --speeds from 0.1 to 10, got 0"),
        ("1,nan", "got NaN"),
    ] {
        let ran = scratch.sh(&format!("perturb-wav-speed --speeds={speeds} ark:/dev/null ark:o"));
        ran.fails_with(255).stderr_has(message);
    }
    scratch.sh("perturb-wav-speed ark:/dev/null ark:-").fails_with(1).stdout_is("");
}
