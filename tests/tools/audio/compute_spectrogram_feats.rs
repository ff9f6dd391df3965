use super::extraction::{first, two};
use crate::support::Scratch;
use crate::support::signal::{tone, wave};

const TOOL: &str = "compute-spectrogram-feats";

#[test]
fn a_tone_is_a_line() {
    let scratch = Scratch::new();
    scratch.write("t.wav", wave(16_000, &tone(16_000, 1000.0, 5000.0, 0.2))).write("wav.scp", "t t.wav\n");
    for row in first(&scratch, "compute-spectrogram-feats --window-type=hanning") {
        let peak = (1..row.len()).max_by(|&left, &right| row[left].total_cmp(&row[right]));
        // 31.25 Hz a line.
        assert_eq!(peak, Some(32));
    }
}

#[test]
fn the_energy_comes_first_and_has_a_floor() {
    let scratch = two();
    let (plain, floored) = (first(&scratch, TOOL), first(&scratch, "compute-spectrogram-feats --energy-floor=1e12"));
    for (plain, floored) in plain.iter().zip(&floored) {
        assert_eq!(plain[1..], floored[1..]);
        assert!((floored[0] - 1e12_f32.ln()).abs() < 1e-4 && plain[0] < floored[0]);
    }
    let windowed = first(&scratch, "compute-spectrogram-feats --raw-energy=false");
    assert!(plain.iter().zip(&windowed).all(|(plain, windowed)| plain[0] > windowed[0] && plain[1..] == windowed[1..]));
}

#[test]
fn complex_spectra_have_the_power_that_is_written_otherwise() {
    let scratch = two();
    let (power, raw) = (first(&scratch, TOOL), first(&scratch, "compute-spectrogram-feats --return-raw-fft"));
    assert_eq!(raw[0].len(), 512);
    for (power, raw) in power.iter().zip(&raw) {
        for at in 1..256 {
            let log = (raw[2 * at].powi(2) + raw[2 * at + 1].powi(2)).ln();
            assert!((log - power[at]).abs() < 1e-3, "{at}");
        }
        assert!((raw[1].powi(2).ln() - power[256]).abs() < 1e-3);
    }
}

#[test]
fn there_are_no_options_of_filters() {
    for option in ["--num-mel-bins=10", "--vtln-warp=1.1", "--use-energy=true"] {
        Scratch::new().sh(&format!("{TOOL} {option} ark:/dev/null ark:-")).fails_with(255);
    }
}

#[test]
fn the_documented_example_works() {
    let scratch = two();
    scratch.sh("compute-spectrogram-feats --frame-shift=5 scp:wav.scp ark,scp:spec.ark,spec.scp").succeeds();
    scratch.sh("feat-to-len scp:spec.scp ark,t:-").succeeds().stdout_is("a 96 \nb 36 \n");
}
