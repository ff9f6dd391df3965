use crate::support::Scratch;
use crate::support::wave::{samples, swelling, wave};

const INPUT: &str = "in.wav";

/// An input of 0.1 s, a room whose reflections come 10 and 30 samples late at half the height, the second upside down (so
/// that sums add nothing, see `convolve`), and a noise.
fn room() -> Scratch {
    let mut response = [0_i16; 64];
    (response[10], response[30]) = (16384, -16384);
    let scratch = Scratch::new();
    scratch.write(INPUT, wave(8000, &[&swelling(800, 8000.0)])).write("rir.wav", wave(8000, &[&response]));
    scratch.write("noise.wav", wave(8000, &[&[1000, -1000, 1000, -1000]]));
    scratch
}

/// The samples that come out.
#[track_caller]
fn comes_out(scratch: &Scratch, options: &str) -> Vec<i16> {
    samples(scratch.sh(&format!("wav-reverberate {options} in.wav -")).succeeds().stdout())
}

/// Samples that may be off by what is cut off, and by the little that a block's sums add.
#[track_caller]
fn is_near(got: &[i16], expected: impl IntoIterator<Item = f64>) {
    let expected: Vec<f64> = expected.into_iter().collect();
    assert_eq!(got.len(), expected.len());
    let off = |(got, expected): (&i16, &f64)| (f64::from(*got) - expected).abs() > 2.0;
    assert_eq!(got.iter().zip(&expected).position(off), None, "the first that is off");
}

fn input() -> impl Iterator<Item = f64> + Clone {
    swelling(800, 8000.0).into_iter().map(f64::from)
}

#[test]
fn without_a_room_and_noises_nothing_happens() {
    let scratch = room();
    assert_eq!(comes_out(&scratch, ""), swelling(800, 8000.0));
    assert_eq!(comes_out(&scratch, "--impulse-response= --additive-signals="), swelling(800, 8000.0));
    // As in Kaldi, a room that is not there has no samples.
    assert_eq!(comes_out(&scratch, "--shift-output=false"), swelling(800, 8000.0)[..799]);
}

/// The input as it is heard after a reflection at `height`, and 20 samples later upside down.
fn heard(height: f64) -> impl Iterator<Item = f64> + Clone {
    let later = std::iter::repeat_n(0.0, 20).chain(input());
    input().chain(std::iter::repeat(0.0)).zip(later).map(move |(first, second)| (first - second) * height)
}

fn energy(samples: impl Iterator<Item = f64>) -> f64 {
    samples.map(|sample| sample * sample).sum()
}

#[test]
fn a_room_is_heard() {
    let scratch = room();
    let rir = "--impulse-response=rir.wav";
    is_near(&comes_out(&scratch, &format!("{rir} --normalize-output=false")), heard(0.5).take(800));
    is_near(&comes_out(&scratch, &format!("{rir} --volume=0.5")), heard(0.25).take(800));
    let louder = (energy(input()) / 800.0 / (energy(heard(0.5)) / 863.0)).sqrt();
    is_near(&comes_out(&scratch, rir), heard(0.5 * louder).take(800));
    // As long as the room makes it, which is filled with the start.
    let late = std::iter::repeat_n(0.0, 10).chain(heard(0.5)).take(800);
    let unshifted = comes_out(&scratch, &format!("{rir} --normalize-output=false --shift-output=false"));
    is_near(&unshifted, late.clone().chain(late.take(63)));
}

#[test]
fn the_duration_is_that_of_the_begin_or_of_repetitions() {
    let scratch = room();
    is_near(&comes_out(&scratch, "--duration=0.05"), input().take(400));
    is_near(&comes_out(&scratch, "--duration=0.25"), input().cycle().take(2000));
    for duration in ["1e-9", "1e9"] {
        let ran = scratch.sh(&format!("wav-reverberate --duration={duration} in.wav o.wav"));
        ran.fails_with(255).stderr_has("expected an output of one sample or more and less than 4 GB");
    }
}

#[test]
fn noises_are_added_at_their_times_and_ratios() {
    let scratch = room();
    let power = energy(input()) / 800.0;
    let noise = |at: usize, snr: f64| {
        let height = (power * 10_f64.powf(-snr / 10.0)).sqrt();
        move |(place, sample): (usize, f64)| match place.wrapping_sub(at) {
            0 | 2 => sample + height,
            1 | 3 => sample - height,
            _ => sample,
        }
    };
    let options =
        "--normalize-output=false --additive-signals=noise.wav,noise.wav --snrs=10,-3 --start-times=0.01,0.05";
    is_near(&comes_out(&scratch, options), input().enumerate().map(noise(80, 10.0)).enumerate().map(noise(400, -3.0)));
    // What is after the end is not heard; what starts near it is heard up to it.
    let options = "--normalize-output=false --additive-signals=noise.wav,noise.wav --snrs=0,0 --start-times=0.0998,7";
    is_near(&comes_out(&scratch, options), input().enumerate().map(noise(798, 0.0)));
}

#[test]
fn names_of_noises_may_be_pipes() {
    let scratch = room();
    let options = "--snrs=0 --start-times=0 --impulse-response='cat rir.wav |'";
    let from_pipe = comes_out(&scratch, &format!("{options} --additive-signals='cat noise.wav |'"));
    assert_eq!(from_pipe, comes_out(&scratch, &format!("{options} --additive-signals=noise.wav")));
    let ran = scratch.sh(&format!("cat in.wav | wav-reverberate {options} --additive-signals=noise.wav - '| cat'"));
    assert_eq!(samples(ran.succeeds().stdout()), from_pipe);
}

#[test]
fn channels_are_chosen() {
    let scratch = room();
    let (first, second) = (swelling(800, 100.0), swelling(800, 8000.0));
    scratch.write(INPUT, wave(8000, &[&first, &second]));
    assert_eq!(comes_out(&scratch, ""), first);
    assert_eq!(comes_out(&scratch, "--input-wave-channel=1"), second);
    for (options, message) in [
        ("--input-wave-channel=2", "expected a channel of the input below 2, the number of its channels, got 2"),
        ("--rir-channel=1 --impulse-response=rir.wav", "expected a channel of the impulse response below 1"),
        (
            "--noise-channel=1 --additive-signals=noise.wav --snrs=0 --start-times=0",
            "expected a channel of additive signals below 1",
        ),
        ("--input-wave-channel=-1", "--input-wave-channel"),
    ] {
        scratch.sh(&format!("wav-reverberate {options} in.wav o.wav")).fails_with(255).stderr_has(message);
    }
    assert_eq!(scratch.list(), ["in.wav", "noise.wav", "rir.wav"]);
}

#[test]
fn the_output_may_have_the_channels_of_the_room() {
    let scratch = room();
    let (mut near, mut far) = ([0_i16; 40], [0_i16; 40]);
    (near[0], near[20], far[5], far[25]) = (16384, -16384, 8192, -8192);
    scratch.write("rir.wav", wave(8000, &[&near, &far]));
    let options = "--multi-channel-output --normalize-output=false --impulse-response=rir.wav";
    let ran = scratch.sh(&format!("wav-reverberate {options} in.wav -")).succeeds();
    let both = samples(ran.stdout());
    is_near(&both.iter().copied().step_by(2).collect::<Vec<_>>(), heard(0.5).take(800));
    is_near(&both.iter().copied().skip(1).step_by(2).collect::<Vec<_>>(), heard(0.25).take(800));
    let ran = scratch.sh(&format!("wav-reverberate --rir-channel=1 {options} in.wav -"));
    ran.succeeds().stderr_has("--rir-channel and --noise-channel are ignored as --multi-channel-output is true.");
    for (options, message) in [
        ("--multi-channel-output", "expected an impulse response, whose channels the output is to have"),
        (
            "--multi-channel-output --impulse-response=rir.wav --additive-signals=noise.wav --snrs=0 --start-times=0",
            "expected additive signals of 2 channels, as the impulse response has, got 1",
        ),
    ] {
        scratch.sh(&format!("wav-reverberate {options} in.wav o.wav")).fails_with(255).stderr_has(message);
    }
}

/// Kaldi takes its samples for ones at the rate of the input.
#[test]
pub fn an_impulse_response_at_another_rate_is_an_error() {
    let scratch = room();
    scratch.write("rir.wav", wave(16000, &[&[32767, 5]])).write("noise.wav", wave(11025, &[&[1, 2]]));
    let ran = scratch.sh("wav-reverberate --impulse-response=rir.wav in.wav o.wav");
    ran.fails_with(255)
        .stderr_has("expected an impulse response at 8000 Hz, the sampling frequency of the input, got 16000 Hz");
    let ran = scratch.sh("wav-reverberate --additive-signals=noise.wav --snrs=0 --start-times=0 in.wav o.wav");
    ran.fails_with(255).stderr_has("expected additive signals at 8000 Hz");
    assert_eq!(scratch.list(), ["in.wav", "noise.wav", "rir.wav"]);
}

/// Kaldi divides by zero and makes it as loud as can be.
#[test]
fn a_silent_input_stays_silent() {
    let scratch = room();
    scratch.write(INPUT, wave(8000, &[&[0; 100]]));
    assert_eq!(comes_out(&scratch, "--impulse-response=rir.wav"), [0; 100]);
    let noise = "--additive-signals=noise.wav --snrs=0 --start-times=0";
    assert_eq!(comes_out(&scratch, &format!("--impulse-response=rir.wav {noise}")), [0; 100]);
}

#[test]
fn lists_that_make_no_sense_are_errors() {
    let scratch = room();
    for (options, message) in [
        ("--additive-signals=noise.wav", "--additive-signals option requires --snrs and --start-times to be set."),
        ("--additive-signals=noise.wav --snrs=1", "requires --snrs and --start-times"),
        (
            "--additive-signals=noise.wav --snrs=1,2 --start-times=0",
            "expected 1 --snrs and --start-times, one for each",
        ),
        ("--additive-signals=noise.wav --snrs=loud --start-times=0", "--snrs: expected a number, got \"loud\""),
        ("--additive-signals=noise.wav --snrs=1 --start-times=nan", "--start-times: expected a number, got \"nan\""),
        (
            "--additive-signals=noise.wav --snrs=1 --start-times=-1",
            "expected additive signals to start at 0 s or later",
        ),
        ("--additive-signals=nowhere.wav --snrs=1 --start-times=0", "cannot open nowhere.wav"),
        ("--impulse-response=nowhere.wav", "cannot open nowhere.wav"),
        ("--impulse-response='exit 5 |'", "Pipe exit 5 | had nonzero return status"),
    ] {
        scratch.sh(&format!("wav-reverberate {options} in.wav o.wav")).fails_with(255).stderr_has(message);
        assert_eq!(scratch.list(), ["in.wav", "noise.wav", "rir.wav"], "{options}");
    }
}

#[test]
fn tables_are_no_files() {
    let ran = room().sh("wav-reverberate scp:wav.scp o.wav");
    ran.fails_with(255).stderr_has("this is the name of a table (ark: or scp:), not of a file");
}

#[test]
fn what_is_too_loud_is_clipped_with_a_warning() {
    let scratch = room();
    let ran = scratch.sh("wav-reverberate --volume=100 in.wav -");
    let out = samples(ran.succeeds().stderr_has("samples out of total 800. Reduce volume?").stdout());
    assert!(out.contains(&32767) && out.contains(&-32768));
}

#[test]
fn the_log_tells_of_waveforms_where_it_is_asked_to() {
    let ran = room().sh("wav-reverberate --verbose=1 --impulse-response=rir.wav in.wav -");
    ran.succeeds()
        .stderr_has("sampling frequency of input: 8000 #samples: 800 #channel: 1")
        .stderr_has("sampling frequency of rir: 8000 #samples: 64 #channel: 1");
}
