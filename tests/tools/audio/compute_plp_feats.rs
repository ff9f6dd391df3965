use super::extraction::{computed, distance, first, two};
use crate::support::signal::wave;

const TOOL: &str = "compute-plp-feats";

#[test]
fn cepstra_are_as_many_as_the_order_allows() {
    let scratch = two();
    assert_eq!(first(&scratch, TOOL)[0].len(), 13);
    assert_eq!(first(&scratch, "compute-plp-feats --lpc-order=20 --num-ceps=21")[0].len(), 21);
    let ran = scratch.sh("compute-plp-feats --num-ceps=14 scp:wav.scp ark:-").fails_with(255);
    ran.stderr_has("expected --num-ceps to be from 1 to --lpc-order and one more, got 14 and --lpc-order=12");
    let ran = scratch.sh("compute-plp-feats --lpc-order=-1 scp:wav.scp ark:-").fails_with(255);
    ran.stderr_has("Invalid option --lpc-order=-1: expected an integer from 0 to 1000");
    scratch.sh("compute-plp-feats --cepstral-lifter=22.5 scp:wav.scp ark:-").fails_with(255);
}

#[test]
fn fewer_cepstra_are_the_first_ones() {
    let scratch = two();
    let (plain, few) = (first(&scratch, TOOL), first(&scratch, "compute-plp-feats --num-ceps=5"));
    assert!(plain.iter().zip(&few).all(|(plain, few)| plain[..5] == few[..]));
}

#[test]
fn energy_or_the_residual_comes_first_or_last() {
    let scratch = two();
    for options in ["", "--use-energy=false"] {
        let plain = first(&scratch, &format!("{TOOL} {options}"));
        let htk = first(&scratch, &format!("{TOOL} {options} --htk-compat"));
        for (plain, htk) in plain.iter().zip(&htk) {
            assert_eq!((&plain[1..], plain[0]), (&htk[..12], htk[12]));
        }
    }
    assert!(distance(&first(&scratch, TOOL), &first(&scratch, "compute-plp-feats --use-energy=false")) > 1.0);
}

#[test]
fn cepstra_are_scaled() {
    let scratch = two();
    let plain = first(&scratch, "compute-plp-feats --cepstral-lifter=0");
    let half = first(&scratch, "compute-plp-feats --cepstral-lifter=0 --cepstral-scale=0.5");
    for (plain, half) in plain.iter().zip(&half) {
        // But for the energy.
        assert_eq!(plain[0], half[0]);
        assert!(plain[1..].iter().zip(&half[1..]).all(|(plain, half)| (plain * 0.5 - half).abs() < 1e-6));
    }
    let lifted = first(&scratch, "compute-plp-feats --cepstral-lifter=10");
    for (plain, lifted) in plain.iter().zip(&lifted) {
        assert!((plain[5] * 6.0 - lifted[5]).abs() < 1e-4);
    }
}

#[test]
fn compression_has_a_factor() {
    let scratch = two();
    assert!(distance(&first(&scratch, TOOL), &first(&scratch, "compute-plp-feats --compress-factor=0.5")) > 0.1);
    let ran = scratch.sh("compute-plp-feats --compress-factor=20 scp:wav.scp ark:-").fails_with(1);
    ran.stderr_has("energies are beyond the range of floats").stderr_has("Done 0 out of 2 utterances.");
    scratch.sh("compute-plp-feats --compress-factor=inf scp:wav.scp ark:-").fails_with(255);
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
pub fn frames_of_silence_are_warned_about() {
    let scratch = two();
    scratch.write("s.wav", wave(16_000, &[0; 800])).write("wav.scp", "s s.wav\nb b.wav\n");
    let ran = scratch.sh("compute-plp-feats --dither=0 scp:wav.scp ark,t:-").succeeds();
    let ran = ran.stderr_has("WARNING").stderr_has("s: 3 frames have no energy and features that are not numbers");
    let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
    assert!(text.starts_with("s  [\n  -15.94238 nan") || text.starts_with("s  [\n  -15.94238 -nan"), "{text}");
    scratch.sh("compute-plp-feats scp:wav.scp ark,t:-").succeeds().stderr_lacks("WARNING");
}

#[test]
fn the_documented_example_works() {
    let scratch = two();
    scratch.write("plp.conf", "--sample-frequency=16000\n");
    scratch.sh("compute-plp-feats --config=plp.conf scp:wav.scp ark,scp:plp.ark,plp.scp").succeeds();
    scratch.sh("feat-to-dim scp:plp.scp -").succeeds().stdout_is("13\n");
}
