use super::extraction::{computed, distance, first, two};
use crate::support::Scratch;

const TOOL: &str = "compute-mfcc-feats";

#[test]
fn cepstra_are_as_many_as_are_asked_for() {
    let scratch = two();
    let plain = first(&scratch, TOOL);
    assert_eq!((plain.len(), plain[0].len()), (48, 13));
    let few = first(&scratch, "compute-mfcc-feats --num-ceps=5");
    assert!(plain.iter().zip(&few).all(|(plain, few)| plain[..5] == few[..]));
    assert_eq!(first(&scratch, "compute-mfcc-feats --num-ceps=40 --num-mel-bins=40")[0].len(), 40);
    let ran = scratch.sh("compute-mfcc-feats --num-ceps=24 scp:wav.scp ark:-").fails_with(255);
    ran.stderr_has("num-ceps cannot be larger than num-mel-bins: got --num-ceps=24 and --num-mel-bins=23");
    scratch.sh("compute-mfcc-feats --num-ceps=0 scp:wav.scp ark:-").fails_with(255).stderr_has("expected --num-ceps");
}

#[test]
fn energy_or_the_first_cepstrum_comes_first_or_last() {
    let scratch = two();
    let (energy, c0) = (first(&scratch, TOOL), first(&scratch, "compute-mfcc-feats --use-energy=false"));
    for (options, scale) in [("--htk-compat", 1.0), ("--htk-compat --use-energy=false", 2.0_f32.sqrt())] {
        let htk = first(&scratch, &format!("compute-mfcc-feats {options}"));
        let plain = if scale == 1.0 { &energy } else { &c0 };
        for (plain, htk) in plain.iter().zip(&htk) {
            assert_eq!(plain[1..], htk[..12]);
            assert!((plain[0] * scale - htk[12]).abs() < 1e-4 * plain[0].abs());
        }
    }
}

#[test]
fn energy_has_a_floor() {
    let scratch = two();
    let floored = first(&scratch, "compute-mfcc-feats --energy-floor=1e10");
    assert!(floored.iter().all(|row| (row[0] - 1e10_f32.ln()).abs() < 1e-5));
    // The first cepstrum has none.
    let c0 = first(&scratch, "compute-mfcc-feats --use-energy=false");
    assert_eq!(first(&scratch, "compute-mfcc-feats --use-energy=false --energy-floor=1e10"), c0);
}

#[test]
fn the_lifter_scales_cepstra() {
    let scratch = two();
    let plain = first(&scratch, "compute-mfcc-feats --cepstral-lifter=0");
    for lifter in [22.0_f32, 10.5] {
        let lifted = first(&scratch, &format!("compute-mfcc-feats --cepstral-lifter={lifter}"));
        for (plain, lifted) in plain.iter().zip(&lifted) {
            for (nth, (plain, lifted)) in plain.iter().zip(lifted).enumerate() {
                let scale = 1.0 + 0.5 * lifter * (std::f32::consts::PI * nth as f32 / lifter).sin();
                assert!((plain * scale - lifted).abs() < 1e-3, "{lifter} {nth}");
            }
        }
    }
}

#[test]
fn filters_have_a_range() {
    let scratch = two();
    let c0 = |options: &str| first(&scratch, &format!("compute-mfcc-feats --use-energy=false {options}"));
    assert!(distance(&c0(""), &c0("--low-freq=1000")) > 0.1 && distance(&c0(""), &c0("--high-freq=4000")) > 0.1);
    assert_eq!(c0("--high-freq=-4000"), c0("--high-freq=4000"));
    assert_eq!(c0("--high-freq=8000"), c0(""));
}

#[test]
fn utterances_and_speakers_have_warp_factors() {
    let scratch = two();
    scratch.write("warps", "a 0.9\nb 1.1\n").write("spk2warp", "eve 0.9\nadam 1.1\n");
    scratch.write("utt2spk", "a eve\nb adam\n").write("one", "a 0.9\n").write("utt2spk-one", "a eve\n");
    let feats = |options: &str| computed(&scratch, &format!("{TOOL} --dither=0 {options}"));
    let by_utterance = feats("--vtln-map=ark:warps");
    assert_eq!(by_utterance[0], feats("--vtln-warp=0.9")[0]);
    assert_eq!(by_utterance[1], feats("--vtln-warp=1.1")[1]);
    assert!(distance(&by_utterance[1].1, &feats("")[1].1) > 0.1);
    assert_eq!(by_utterance, feats("--vtln-map=ark:spk2warp --utt2spk=ark:utt2spk"));
    // The map wins.
    assert_eq!(by_utterance, feats("--vtln-map=ark:warps --vtln-warp=1.3"));

    let run = |options: &str| scratch.sh(&format!("{TOOL} {options} scp:wav.scp ark:- | feat-to-len ark:- ark,t:-"));
    let ran = run("--vtln-map=ark:one");
    ran.succeeds().stdout_is("a 48 \n").stderr_has("No vtln-map entry for utterance-id (or speaker-id) b");
    run("--vtln-map=ark:spk2warp --utt2spk=ark:utt2spk-one").fails_with(255).stderr_has("no entry for utterance b");
    run("--utt2spk=ark:utt2spk").fails_with(255).stderr_has("The --utt2spk option is only needed if the --vtln-map");
}

#[test]
fn a_warp_that_cannot_be_spoils_its_utterance_only() {
    let scratch = two();
    scratch.write("warps", "a 0\nb 1.1\n");
    let run = |options: &str| scratch.sh(&format!("{TOOL} {options} scp:wav.scp ark:- | feat-to-len ark:- ark,t:-"));
    let ran = run("--vtln-map=ark:warps");
    ran.succeeds()
        .stdout_is("b 18 \n")
        .stderr_has("Failed to compute features for utterance a: expected a positive VTLN warp factor, got 0");
    let cutoffs = "Bad values in options: vtln-low 10 and vtln-high 7500, versus low-freq 20 and high-freq 8000";
    scratch.sh("compute-mfcc-feats --vtln-warp=1.1 --vtln-low=10 scp:wav.scp ark:-").fails_with(1).stderr_has(cutoffs);
    // Nothing is warped if there are no frames.
    let len = "compute-mfcc-feats --frame-length=1000 --vtln-warp=-1 scp:wav.scp ark:- | feat-to-len ark:- ark,t:-";
    scratch.sh(len).succeeds().stdout_is("a 0 \nb 0 \n");
    run("--vtln-low=10").succeeds().stdout_is("a 48 \nb 18 \n");
    run("--vtln-warp=1.1 --vtln-low=50 --vtln-high=7000").succeeds().stdout_is("a 48 \nb 18 \n");
}

#[test]
fn filters_and_their_energies_can_be_logged() {
    let scratch = two();
    let ran = scratch.sh("compute-mfcc-feats --debug-mel --num-mel-bins=4 --num-ceps=3 scp:wav.scp ark:/dev/null");
    let ran = ran.succeeds().stderr_has("bin 0, offset = 1, vec = [ ").stderr_has("bin 3, offset = ");
    let ran = ran.stderr_lacks("bin 4,");
    drop(ran);
    let count = scratch.sh("compute-mfcc-feats --debug-mel scp:wav.scp ark:/dev/null 2>&1 | grep -c 'MEL BANKS: '");
    count.succeeds().stdout_is("66\n");
}

#[test]
fn the_documented_example_works() {
    let scratch = two();
    scratch.write("mfcc.conf", "--use-energy=false\n");
    scratch.sh("compute-mfcc-feats --config=mfcc.conf scp:wav.scp ark,scp:mfcc.ark,mfcc.scp").succeeds();
    scratch.sh("feat-to-dim scp:mfcc.scp -").succeeds().stdout_is("13\n");
    Scratch::new().sh("compute-mfcc-feats --config=none scp:wav.scp ark:-").fails_with(255);
}
