//! What compute-mfcc-feats, compute-fbank-feats, compute-plp-feats and compute-spectrogram-feats have in common.

use crate::support::Scratch;
use crate::support::signal::{float_wave, mixed, tone, wave, wave_of};

const TOOLS: [&str; 4] =
    ["compute-mfcc-feats", "compute-fbank-feats", "compute-plp-feats", "compute-spectrogram-feats"];

/// A matrix of a text archive.
pub type Rows = Vec<Vec<f32>>;

/// Two tones and some noise of 16 kHz.
pub fn speech(seconds: f64, seed: u64) -> Vec<i16> {
    let mut state = seed;
    let noise = (0..(seconds * 16_000.0) as usize).map(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as i16 - 128
    });
    mixed(&[tone(16_000, 150.0, 3000.0, seconds), tone(16_000, 2100.0, 900.0, seconds), noise.collect()])
}

/// A folder with a table of two utterances, `a` of 0.5 s and `b` of 0.2 s.
pub fn two() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("a.wav", wave(16_000, &speech(0.5, 1))).write("b.wav", wave(16_000, &speech(0.2, 2)));
    scratch.write("wav.scp", "a a.wav\nb b.wav\n");
    scratch
}

/// The matrices of a text archive, with their keys.
pub fn matrices(text: &[u8]) -> Vec<(String, Rows)> {
    let text = String::from_utf8(text.to_vec()).unwrap();
    let mut found = Vec::new();
    for entry in text.split(']').filter(|entry| !entry.trim().is_empty()) {
        let (key, numbers) = entry.trim().split_once(" ").unwrap();
        let rows = numbers
            .trim()
            .trim_start_matches('[')
            .lines()
            .map(|row| row.split_whitespace().map(|number| number.parse().unwrap()).collect::<Vec<f32>>());
        found.push((key.to_owned(), rows.filter(|row| !row.is_empty()).collect()));
    }
    found
}

/// What a tool computes of `wav.scp`.
pub fn computed(scratch: &Scratch, command: &str) -> Vec<(String, Rows)> {
    matrices(scratch.sh(&format!("{command} scp:wav.scp ark,t:-")).succeeds().stdout())
}

/// The features of the first utterance, without dither.
pub fn first(scratch: &Scratch, command: &str) -> Rows {
    computed(scratch, &format!("{command} --dither=0")).remove(0).1
}

/// The greatest difference between two matrices of one size.
#[track_caller]
pub fn distance(left: &Rows, right: &Rows) -> f32 {
    assert_eq!((left.len(), left[0].len()), (right.len(), right[0].len()));
    let pairs = left.iter().flatten().zip(right.iter().flatten());
    pairs.map(|(left, right)| (left - right).abs()).fold(0.0, f32::max)
}

fn for_each_tool(test: impl Fn(&str)) {
    TOOLS.into_iter().for_each(test);
}

#[test]
fn frames_are_as_many_as_fit() {
    let scratch = two();
    for_each_tool(|name| {
        let len = |options: &str| {
            let ran = scratch.sh(&format!("{name} {options} scp:wav.scp ark:- | feat-to-len ark:- ark,t:-")).succeeds();
            String::from_utf8(ran.stdout().to_vec()).unwrap()
        };
        assert_eq!(len(""), "a 48 \nb 18 \n");
        assert_eq!(len("--frame-shift=20 --frame-length=50"), "a 23 \nb 8 \n");
        assert_eq!(len("--snip-edges=false"), "a 50 \nb 20 \n");
        assert_eq!(len("--snip-edges=false --max-feature-vectors=3 --frame-shift=12.5"), "a 40 \nb 16 \n");
    });
}

#[test]
fn waves_and_archives_of_them_give_the_same() {
    let scratch = two();
    let archive = [b"a ".as_slice(), &scratch.read("a.wav"), b"b ", &scratch.read("b.wav")].concat();
    scratch.write("wav.ark", archive).write("pipe.scp", "a cat a.wav |\nb cat b.wav |\n");
    for_each_tool(|name| {
        let plain =
            scratch.sh(&format!("{name} scp:wav.scp ark:-")).succeeds().stderr_has("Done 2 out of 2 utterances.");
        scratch.sh(&format!("{name} ark:wav.ark ark:-")).succeeds().stdout_is(plain.stdout());
        scratch.sh(&format!("{name} scp:pipe.scp ark:-")).succeeds().stdout_is(plain.stdout());
    });
}

#[test]
fn options_may_come_from_a_file() {
    let scratch = two();
    scratch.write("conf", "--frame_shift=20 # as in some recipe\n--dither=0\n");
    for_each_tool(|name| {
        let plain = scratch.sh(&format!("{name} --frame-shift=20 --dither=0 scp:wav.scp ark:-")).succeeds();
        scratch.sh(&format!("{name} --config=conf scp:wav.scp ark:-")).succeeds().stdout_is(plain.stdout());
    });
}

#[test]
fn a_channel_can_be_chosen() {
    let scratch = Scratch::new();
    let (left, right) = (speech(0.1, 3), speech(0.1, 4));
    let both: Vec<i16> = left.iter().zip(&right).flat_map(|(left, right)| [*left, *right]).collect();
    scratch.write("left.wav", wave(16_000, &left)).write("right.wav", wave(16_000, &right));
    scratch.write("both.wav", wave_of(16_000, 2, &both));
    for_each_tool(|name| {
        let run = |options: &str, file: &str| scratch.sh(&format!("echo utt {file} | {name} {options} scp:- ark:-"));
        for (channel, file) in [("0", "left.wav"), ("1", "right.wav")] {
            let alone = run("", file).succeeds();
            let chosen = run(&format!("--channel={channel}"), "both.wav").succeeds().stderr_lacks("WARNING");
            chosen.stdout_is(alone.stdout());
        }
        let default = run("", "both.wav").succeeds();
        default
            .stdout_is(run("", "left.wav").succeeds().stdout())
            .stderr_has("utt: Channel not specified but you have data with 2 channels; defaulting to zero");
        run("--channel=2", "both.wav")
            .fails_with(1)
            .stdout_is("")
            .stderr_has("File with id utt has 2 channels but you specified channel 2, producing no output.");
        run("--channel=-2", "both.wav")
            .fails_with(255)
            .stderr_has("Invalid option --channel=-2: expected an integer from -1 to 2147483647");
    });
}

#[test]
fn short_utterances_can_be_left_out() {
    let scratch = two();
    for_each_tool(|name| {
        let ran = scratch.sh(&format!("{name} --min-duration=0.3 scp:wav.scp ark:- | feat-to-len ark:- ark,t:-"));
        ran.succeeds()
            .stdout_is("a 48 \n")
            .stderr_has("File: b is too short (0.2 sec): producing no output.")
            .stderr_has("Done 1 out of 2 utterances.");
        scratch.sh(&format!("{name} --min-duration=9 scp:wav.scp ark:-")).fails_with(1).stdout_is("");
    });
}

#[test]
fn durations_are_written_of_what_is_done() {
    let scratch = two();
    scratch.write("c.wav", wave(16_000, &speech(0.123, 5)));
    for_each_tool(|name| {
        let table = "'scp:echo c c.wav; cat wav.scp |'";
        let ran =
            scratch.sh(&format!("{name} --min-duration=0.15 --write-utt2dur=ark,t:dur {table} ark:/dev/null; cat dur"));
        ran.succeeds().stdout_is("a 0.5 \nb 0.2 \n");
    });
}

#[test]
fn a_wave_shorter_than_a_frame_has_empty_features() {
    let scratch = Scratch::new();
    for (name, samples) in [("none", 1), ("almost", 399), ("one", 400)] {
        scratch.write(&format!("{name}.wav"), wave(16_000, &speech(1.0, 6)[..samples]));
    }
    scratch.write("wav.scp", "none none.wav\nalmost almost.wav\none one.wav\n");
    for_each_tool(|name| {
        let sizes = |options: &str| {
            let all = computed(&scratch, &format!("{name} {options}"));
            all.into_iter().map(|(_, rows)| rows.len()).collect::<Vec<_>>()
        };
        assert_eq!(sizes("--subtract-mean"), [0, 0, 1]);
        assert_eq!(sizes("--snip-edges=false"), [0, 2, 3]);
        assert_eq!(sizes("--snip-edges=false --frame-length=200"), [0, 2, 3]);
        assert_eq!(sizes("--snip-edges=false --frame-shift=0.125"), [1, 200, 200]);
    });
}

#[test]
fn the_mean_can_be_subtracted() {
    let scratch = two();
    for_each_tool(|name| {
        let (plain, centred) = (first(&scratch, name), first(&scratch, &format!("{name} --subtract-mean")));
        for col in 0..plain[0].len() {
            let mean = plain.iter().map(|row| row[col]).sum::<f32>() / plain.len() as f32;
            let off = plain.iter().zip(&centred).map(|(plain, centred)| (plain[col] - mean - centred[col]).abs());
            assert!(off.fold(0.0, f32::max) < 1e-2, "{name} {col}");
        }
    });
}

#[test]
fn another_rate_is_refused_unless_it_may_be_converted() {
    let scratch = two();
    let both = speech(0.5, 1);
    scratch.write("slow.wav", wave(8000, &both.iter().copied().step_by(2).collect::<Vec<_>>()));
    scratch.write("wav.scp", "a a.wav\nslow slow.wav\n");
    for_each_tool(|name| {
        let run =
            |options: &str| scratch.sh(&format!("{name} {options} scp:wav.scp ark:- | feat-to-len ark:- ark,t:-"));
        run("").succeeds().stdout_is("a 48 \n").stderr_has("Done 1 out of 2 utterances.").stderr_has(
            "Failed to compute features for utterance slow: Waveform and config sample Frequency mismatch: 8000 .vs 16000 \
             (--allow-upsample=true would upsample the waveform)",
        );
        run("--sample-frequency=8000").succeeds().stdout_is("slow 48 \n").stderr_has("--allow-downsample=true would");
        run("--allow-upsample").succeeds().stdout_is("a 48 \nslow 48 \n");
        run("--allow-downsample").succeeds().stdout_is("a 48 \n");
        run("--allow-downsample --sample-frequency=8000").succeeds().stdout_is("a 48 \nslow 48 \n");
        let ran = scratch.sh(&format!("{name} --sample-frequency=44100 scp:wav.scp ark:-"));
        ran.fails_with(1).stdout_is("").stderr_has("Done 0 out of 2 utterances.");
    });
}

#[test]
fn a_wave_at_another_rate_has_much_the_same_features() {
    let scratch = Scratch::new();
    for rate in [16_000, 32_000] {
        let signal =
            mixed(&[tone(rate, 200.0, 3000.0, 0.3), tone(rate, 1000.0, 2000.0, 0.3), tone(rate, 3000.0, 1000.0, 0.3)]);
        scratch.write(&format!("{rate}.wav"), wave(rate, &signal));
    }
    let feats = |rate: u32| {
        scratch.write("wav.scp", format!("u {rate}.wav\n"));
        let command = "compute-fbank-feats --allow-downsample --high-freq=4000 --low-freq=100 --num-mel-bins=5";
        first(&scratch, command)
    };
    assert!(distance(&feats(16_000), &feats(32_000)) < 0.2);
}

#[test]
pub fn dither_is_the_same_in_every_run_and_for_any_number_of_threads() {
    let scratch = Scratch::new();
    // More than the first megabyte, for which no thread is started.
    let scp: String = (0..24).map(|nth| format!("utt{nth} {nth}.wav\n")).collect();
    for nth in 0..24 {
        scratch.write(&format!("{nth}.wav"), wave(16_000, &speech(2.0, nth)));
    }
    scratch.write("wav.scp", &scp);
    scratch.write("part.scp", scp.lines().skip(17).take(5).collect::<Vec<_>>().join("\n"));
    for_each_tool(|name| {
        let run = |options: &str, table: &str| {
            scratch
                .sh(&format!("{name} --frame-shift=100 --verbose=2 --print-args=false {options} scp:{table} ark:out 2> log; cat log out"))
                .succeeds()
        };
        let one = run("--num-threads=1", "wav.scp");
        // With many threads each reads its files itself.
        for options in ["--num-threads=3", "--num-threads=16"] {
            run(options, "wav.scp").stdout_is(one.stdout());
        }
        // A part of the table is the part of the features.
        let part = run("", "part.scp");
        let features = |bytes: &[u8]| bytes[bytes.windows(7).position(|key| key == b"utt17 \0").unwrap()..].to_vec();
        let part = features(part.stdout());
        assert_eq!(part[..], features(one.stdout())[..part.len()]);
    });
}

#[test]
fn dither_depends_on_the_seed_and_on_the_utterance() {
    let scratch = two();
    scratch.write("wav.scp", "a a.wav\nsame a.wav\n");
    for_each_tool(|name| {
        let feats = |options: &str| computed(&scratch, &format!("{name} {options}"));
        let [plain, seeded, without] = ["", "--seed=1", "--dither=0"].map(feats);
        assert!(distance(&plain[0].1, &plain[1].1) > 0.0 && distance(&plain[0].1, &seeded[0].1) > 0.0);
        assert_eq!(without[0].1, without[1].1);
        assert_eq!(feats("--seed=0"), plain);
    });
}

/// Silence with dither is noise of that deviation.
#[test]
fn dither_has_its_deviation() {
    let scratch = Scratch::new();
    scratch.write("s.wav", wave(16_000, &[0; 160_000])).write("wav.scp", "s s.wav\n");
    for dither in [0.5, 1.0, 20.0_f32] {
        let feats = computed(&scratch, &format!("compute-mfcc-feats --dither={dither}")).remove(0).1;
        let power = feats.iter().map(|row| row[0].exp() / 400.0).sum::<f32>() / feats.len() as f32;
        assert!((power / dither.powi(2) - 1.0).abs() < 0.03, "{dither}: {power}");
    }
}

#[test]
fn features_can_be_written_for_htk() {
    let scratch = two();
    scratch.write("out.scp", "a a.htk\nb b.htk\n");
    for (name, options, kind, period, dim) in [
        ("compute-mfcc-feats", "", 0o106, 100_000, 13),
        ("compute-mfcc-feats", "--use-energy=false", 0o20006, 100_000, 13),
        ("compute-fbank-feats", "", 0o20007, 100_000, 23),
        ("compute-fbank-feats", "--use-energy=true", 0o107, 100_000, 24),
        ("compute-plp-feats", "", 0o20013, 100_000, 13),
        ("compute-spectrogram-feats", "--frame-shift=5", 0o20007, 50_000, 257),
    ] {
        let command = format!("{name} --output-format=htk {options}");
        scratch.sh(&format!("{command} scp:wav.scp scp:out.scp")).succeeds();
        let header = &scratch.read("b.htk")[..12];
        let frames: u32 = if options.contains("shift") { 36 } else { 18 };
        let expected =
            [&frames.to_be_bytes()[..], &u32::to_be_bytes(period), &u16::to_be_bytes(4 * dim), &u16::to_be_bytes(kind)];
        assert_eq!(header, expected.concat(), "{command}");
        let plain = scratch.sh(&format!("{name} {options} scp:wav.scp ark:-")).succeeds();
        scratch.sh("copy-feats --htk-in scp:out.scp ark:-").succeeds().stdout_is(plain.stdout());
        let text = scratch.sh(&format!("{command} scp:wav.scp ark,t:-")).fails_with(255);
        text.stdout_is("").stderr_has("HTK features have no text form");
    }
    scratch
        .sh("compute-mfcc-feats --output-format=sphinx scp:wav.scp ark:-")
        .fails_with(255)
        .stderr_has("Invalid option --output-format=sphinx: expected kaldi or htk, got \"sphinx\"");
}

#[test]
fn lines_of_progress_thin_out() {
    let scratch = two();
    scratch.write("wav.scp", (0..2105).map(|nth| format!("u{nth} b.wav\n")).collect::<String>());
    let ran = scratch.sh("compute-mfcc-feats --verbose=2 scp:wav.scp ark:/dev/null").succeeds();
    ran.stderr_has("features for key u24").stderr_has("Done 2105 out of 2105 utterances.");
    let counts = "grep -o 'Processed [0-9]* utterances' log | awk '{ print $2 }' | paste -s -d' '";
    let ran = scratch.sh(&format!("compute-mfcc-feats scp:wav.scp ark:/dev/null 2> log; {counts}"));
    let expected = "10 20 30 40 50 60 70 80 90 100 200 300 400 500 600 700 800 900 1000 2000\n";
    ran.succeeds().stdout_is(expected);
}

/// Samples of floats can be anything; an utterance with such is left out, the others are not.
#[test]
fn samples_that_are_no_numbers_spoil_their_utterance_only() {
    let scratch = two();
    let mut samples = vec![0.25; 1000];
    samples[500] = f32::NAN;
    scratch.write("nan.wav", float_wave(16_000, &samples));
    samples[500] = 1e30;
    scratch.write("huge.wav", float_wave(16_000, &samples));
    scratch.write("wav.scp", "nan nan.wav\nhuge huge.wav\nb b.wav\n");
    for name in ["compute-mfcc-feats", "compute-fbank-feats", "compute-plp-feats"] {
        let ran = scratch.sh(&format!("{name} scp:wav.scp ark:- | feat-to-len ark:- ark,t:-"));
        ran.succeeds()
            .stdout_is("b 18 \n")
            .stderr_has("utterance nan: expected samples to be finite numbers, got NaN in sample 500")
            .stderr_has("utterance huge: the samples are so large that energies are beyond the range of floats")
            .stderr_has("Done 1 out of 3 utterances.");
    }
}

#[test]
fn empty_input_is_nothing_done() {
    for_each_tool(|name| {
        let ran = Scratch::new().sh(&format!("{name} ark:/dev/null ark:-"));
        ran.fails_with(1).stdout_is("").stderr_has("Done 0 out of 0 utterances.");
    });
}

#[test]
fn a_wave_that_cannot_be_read_ends_it_and_leaves_nothing() {
    let scratch = two();
    scratch.write("text.wav", "this is no wave\n").write("wav.scp", "b b.wav\nbad text.wav\n");
    for_each_tool(|name| {
        let ran = scratch.sh(&format!("{name} --num-threads=16 scp:wav.scp ark,scp:o.ark,o.scp"));
        ran.fails_with(255).stderr_has("bad: text.wav:");
        assert!(!scratch.list().contains(&"o.ark".to_owned()));
        let ran = scratch.sh(&format!("{name} scp,p:wav.scp ark:- | feat-to-len ark:- ark,t:-"));
        let ran = ran.succeeds().stdout_is("b 18 \n").stderr_has("Done 1 out of 2 utterances.");
        ran.stderr_has("1 entry was left out, since it cannot be read");
    });
}

#[test]
pub fn options_without_sense_are_an_error_before_anything_is_read() {
    for_each_tool(|name| {
        for (options, message) in [
            ("--sample-frequency=0", "expected --sample-frequency to be positive, got 0"),
            ("--frame-shift=0", "expected --frame-shift to be from 1 to 2147483647 samples, got 0 ms"),
            ("--frame-length=0", "expected --frame-length to be from 2 to 4194304 samples, got 0 ms"),
            ("--frame-length=1e9", "expected --frame-length to be from 2 to 4194304 samples, got 1000000000 ms"),
            ("--preemphasis-coefficient=1.5", "expected --preemphasis-coefficient to be from 0 to 1, got 1.5"),
            ("--dither=nan", "expected --dither to be a finite number, got NaN"),
            ("--window-type=gauss", "Invalid option --window-type=gauss: expected hamming, hanning"),
            (
                "--round-to-power-of-two=false --frame-length=20.07",
                "expected --frame-length to be an even number of samples",
            ),
            ("--seed=-1", "--seed"),
            ("--channel=-5", "Invalid option --channel=-5: expected an integer from -1 to 2147483647"),
        ] {
            Scratch::new().sh(&format!("{name} {options} ark:/dev/null ark:-")).fails_with(255).stderr_has(message);
        }
    });
    for name in &TOOLS[..3] {
        for (options, message) in [
            ("--num-mel-bins=1", "Must have at least 3 mel bins"),
            ("--num-mel-bins=300", "is too narrow for the frequency resolution"),
            (
                "--low-freq=4000 --high-freq=3000",
                "Bad values in options: low-freq 4000 and high-freq 3000 vs. nyquist 8000",
            ),
            ("--high-freq=8001", "Bad values in options: low-freq 20 and high-freq 8001 vs. nyquist 8000"),
        ] {
            let options = format!("--num-ceps=1 {options}");
            let options = if name.contains("fbank") { options.replace("--num-ceps=1", "") } else { options };
            Scratch::new().sh(&format!("{name} {options} ark:/dev/null ark:-")).fails_with(255).stderr_has(message);
        }
    }
}

/// Windows, preemphasis and offsets change what is computed; that it is right is shown with Kaldi's output.
#[test]
fn every_option_of_frames_has_its_effect() {
    let scratch = two();
    for_each_tool(|name| {
        let plain = first(&scratch, name);
        for options in [
            "--window-type=hamming",
            "--window-type=hanning",
            "--window-type=rectangular",
            "--window-type=sine",
            "--window-type=blackman",
            "--window-type=blackman --blackman-coeff=0.3",
            "--preemphasis-coefficient=0",
            "--remove-dc-offset=false",
            "--raw-energy=false",
            "--energy-floor=1e12 --use-energy=true",
        ] {
            let options = match name {
                "compute-spectrogram-feats" => options.replace(" --use-energy=true", ""),
                "compute-fbank-feats" if options.contains("energy") => continue,
                _ => options.to_owned(),
            };
            assert!(distance(&plain, &first(&scratch, &format!("{name} {options}"))) > 1e-3, "{name} {options}");
        }
    });
}

#[test]
fn frames_that_are_no_power_of_two_have_finer_or_coarser_spectra() {
    let scratch = two();
    let dim = |options: &str| first(&scratch, &format!("compute-spectrogram-feats {options}"))[0].len();
    assert_eq!(dim(""), 257);
    assert_eq!(dim("--round-to-power-of-two=false"), 201);
    assert_eq!(dim("--round-to-power-of-two=false --frame-length=21.5"), 173);
    assert_eq!(dim("--frame-length=32.01"), 257);
    assert_eq!(dim("--frame-length=32.1"), 513);
    assert_eq!(dim("--frame-length=0.125"), 2);
}
