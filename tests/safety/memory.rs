//! Little memory: limits of the address space, and inputs that never end.

use crate::support::Scratch;
use crate::support::sample::{matrix, text_archive};

/// A text archive of some megabytes, and what it is in binary form.
fn archive(scratch: &Scratch) {
    let keys: Vec<String> = (0..300).map(|number| format!("utt{number:03}")).collect();
    let entries: Vec<_> = keys.iter().zip(1..).map(|(key, seed)| (key.as_str(), matrix(seed, 200, 20))).collect();
    scratch.write("m.ark", text_archive(&entries));
    scratch.sh("copy-matrix --num-threads=1 ark:m.ark ark:right.ark").succeeds();
}

#[test]
fn where_memory_is_limited_the_output_is_right_or_one_line_says_what_is_missing() {
    let scratch = Scratch::new();
    archive(&scratch);
    for megabytes in [40, 45, 50, 55, 60, 70, 80, 100, 120, 150, 200] {
        for source in ["ark:m.ark", "ark,bg:m.ark", "'ark:cat m.ark |'"] {
            let must_work = megabytes >= 60;
            scratch
                .sh(&format!(
                    "(ulimit -v $(({megabytes}000 + PROGRAM_KB)); exec copy-matrix --num-threads=8 --print-args=false {source} ark:out.ark) \
                     2> log; status=$?
                     [ $status = 0 ] && cmp out.ark right.ark && rm out.ark && exit 0
                     cat log >&2
                     [ $status = 255 ] && [ ! -e out.ark ] && [ $(wc -l < log) = 1 ] && \
                     grep -q '^ERROR (copy-matrix' log && ! {must_work}"
                ))
                .succeeds();
        }
    }
}

#[test]
fn a_value_that_is_too_large_for_the_limit_is_told_in_one_line() {
    let scratch = Scratch::new();
    // 8 MB of zeros, which are 4 MB in text.
    let header = b"u \0BFM \x04\x40\x42\x0f\0\x04\x02\0\0\0";
    scratch.write("z.ark", [&header[..], &vec![0; 8_000_000]].concat());
    for megabytes in [30, 34, 38, 42, 46, 50, 60, 80] {
        let copy = format!(
            "(ulimit -v $(({megabytes}000 + PROGRAM_KB)); exec copy-matrix --num-threads=8 --print-args=false ark:z.ark ark,t:out.ark) \
             2> log; status=$?; cat log >&2
             [ $status = 0 ] && [ $(wc -l < out.ark) = 1000001 ] && exit 0
             [ $status = 255 ] && [ $(wc -l < log) = 1 ] && grep -q '^ERROR (copy-matrix' log && [ {megabytes} -lt 80 ]"
        );
        scratch.sh(&copy).succeeds();
    }
}

#[test]
fn what_never_ends_is_an_error() {
    let scratch = Scratch::new();
    archive(&scratch);
    scratch.write("one.scp", "utt000 m.ark:7\n").write("a.wav", "");
    let endless = "tr '\\\\0' a < /dev/zero |";
    for (command, message) in [
        ("copy-matrix --config=/dev/zero ark:m.ark ark:/dev/null".to_owned(), "/dev/zero: more than 1 MB"),
        (format!("copy-matrix \"ark:{endless}\" ark:/dev/null"), "expected a key, got a word of more than 1 MB"),
        (format!("copy-matrix \"ark:echo; {endless}\" ark:/dev/null"), "expected a key, got a word of more than 1 MB"),
        (format!("copy-matrix \"scp:{endless}\" ark:/dev/null"), "expected lines, got one of more than 16 MB"),
        (
            format!("copy-matrix \"scp:cat one.scp; {endless}\" ark:/dev/null"),
            "expected lines, got one of more than 16 MB",
        ),
        ("copy-matrix scp:/dev/zero ark:/dev/null".to_owned(), "expected text, got binary data"),
        (
            format!("apply-cmvn \"--utt2spk=ark:printf 'utt000 '; {endless}\" ark:m.ark ark:m.ark ark:/dev/null"),
            "expected a token, got a line of more than 1 MB",
        ),
        ("apply-cmvn --utt2spk=ark:/dev/zero ark:m.ark ark:m.ark ark:/dev/null".to_owned(), "/dev/zero"),
        ("apply-cmvn --utt2spk=scp:/dev/zero ark:m.ark ark:m.ark ark:/dev/null".to_owned(), "/dev/zero"),
        (
            format!("extract-segments \"scp:echo a a.wav |\" \"{endless}\" ark:/dev/null"),
            "expected lines, got one of more than 16 MB",
        ),
        ("extract-segments 'scp:echo a a.wav |' /dev/zero ark:/dev/null".to_owned(), "/dev/zero"),
    ] {
        let limited = format!(
            "ulimit -v $((200000 + PROGRAM_KB)); {command} 2>&1 | tail -n 1 | grep '^ERROR' >&2; exit ${{PIPESTATUS[0]}}"
        );
        scratch.sh(&limited).fails_with(255).stderr_has(message);
    }
}

/// `long.wav`: five hours at 16 kHz of which only the last second is no silence, in a file that is one hole up to there; `wav.scp`,
/// `segments` at both ends, in the middle and backwards, `text` and `utt2spk`.
fn long_recording(scratch: &Scratch) {
    const RATE: u64 = 16_000;
    const SAMPLES: u64 = 5 * 3600 * RATE;
    let header = crate::support::wave::wave(RATE as u32, &[&[]]);
    let mut header: Vec<u8> = header[..44].to_vec();
    header[4..8].copy_from_slice(&(36 + 2 * SAMPLES as u32).to_le_bytes());
    header[40..44].copy_from_slice(&(2 * SAMPLES as u32).to_le_bytes());
    scratch.write("long.wav", &header);
    let file = std::fs::File::options().write(true).open(scratch.path("long.wav")).unwrap();
    file.set_len(44 + 2 * SAMPLES).unwrap();
    let last: Vec<u8> = (0..RATE).flat_map(|at| (at as i16).to_le_bytes()).collect();
    std::os::unix::fs::FileExt::write_all_at(&file, &last, 44 + 2 * (SAMPLES - RATE)).unwrap();
    scratch.write("wav.scp", "long long.wav\n").write("utt2spk", "a s\nb s\nc s\nd s\n");
    scratch.write("segments", "a long 0 0.5\nb long 17999.5 18000\nc long 9000 9000.25\nd long 17998.75 17999.25\n");
    scratch.write("text", "a one\nb two\nc three\nd four\n");
}

/// The parts of such a recording, as files.
fn parts() -> Vec<(&'static str, Vec<u8>)> {
    let ramp = |range: std::ops::Range<i16>| range.collect::<Vec<i16>>();
    let wave = |samples: &[i16]| crate::support::wave::wave(16_000, &[samples]);
    vec![
        ("a", wave(&[0; 8000])),
        ("b", wave(&ramp(8000..16_000))),
        ("c", wave(&[0; 4000])),
        ("d", wave(&[vec![0; 4000], ramp(0..4000)].concat())),
    ]
}

#[test]
fn segments_of_a_recording_of_five_hours_need_little_memory() {
    let scratch = Scratch::new();
    long_recording(&scratch);
    let limited = |command: &str| {
        scratch.sh(&format!("ulimit -v $((64000 + PROGRAM_KB)); exec {command} --num-threads=2")).succeeds();
    };
    limited("extract-segments scp:wav.scp segments ark:cut.ark");
    limited("make-shard-list --segments=segments wav.scp text shards shards.list");
    limited("make-shar --audio=wav --compress=none . shar");
    limited("export-data-dir --format=parquet . out.parquet");
    let parts = parts();
    let expected: Vec<(&str, &[u8])> = parts.iter().map(|(key, bytes)| (*key, bytes.as_slice())).collect();
    scratch.sh("cat cut.ark").succeeds().stdout_is(crate::support::wave::archive(&expected));
    for (key, bytes) in &parts {
        scratch.sh(&format!("tar -xOf shards/shards_000000000.tar {key}.wav")).succeeds().stdout_is(bytes);
    }
}

/// A FLAC file of so many frames of 4096 samples at 16 kHz: each sample of a frame is its number modulo 1000. Every sixteenth frame is
/// stored as it is, and has eight kilobytes, the others have fourteen bytes.
fn numbered_flac(num_frames: u32) -> Vec<u8> {
    let checksum = |bytes: &[u8], bits: u32, polynomial: u32| {
        let (top, mask) = (1 << (bits - 1), u32::MAX >> (32 - bits));
        let step = |sum: u32, _| if sum & top == 0 { sum << 1 } else { (sum << 1) ^ polynomial };
        let table: Vec<u32> = (0..256).map(|byte: u32| (0..8).fold(byte << (bits - 8), step) & mask).collect();
        bytes.iter().fold(0, |sum: u32, &byte| ((sum << 8) ^ table[((sum >> (bits - 8)) as u8 ^ byte) as usize]) & mask)
    };
    let (longest, word) = (8300_u32, (16_000_u64 << 44) | (15 << 36) | (4096 * u64::from(num_frames)));
    let mut file = b"fLaC\x80\0\0\x22\x10\0\x10\0\0\0\x0e".to_vec();
    file.extend([&longest.to_be_bytes()[1..], &word.to_be_bytes(), &[0; 16]].concat());
    for number in 0..num_frames {
        // The number in the manner of UTF-8.
        let coded = match char::from_u32(number) {
            _ if number < 0x80 => vec![number as u8],
            _ if number < 0x800 => vec![0xc0 | (number >> 6) as u8, 0x80 | (number & 63) as u8],
            _ if number < 0x10000 => {
                vec![0xe0 | (number >> 12) as u8, 0x80 | (number >> 6 & 63) as u8, 0x80 | (number & 63) as u8]
            }
            _ => vec![
                0xf0 | (number >> 18) as u8,
                0x80 | (number >> 12 & 63) as u8,
                0x80 | (number >> 6 & 63) as u8,
                0x80 | (number & 63) as u8,
            ],
        };
        let mut frame = [&[0xff, 0xf8, 0xc0, 0x08][..], &coded].concat();
        frame.push(checksum(&frame, 8, 0x07) as u8);
        let sample = ((number % 1000) as i16).to_be_bytes();
        if number % 16 == 0 {
            frame.push(2);
            frame.extend(sample.repeat(4096));
        } else {
            frame.push(0);
            frame.extend(sample);
        }
        let sum = checksum(&frame, 16, 0x8005) as u16;
        frame.extend(sum.to_be_bytes());
        file.extend(frame);
    }
    file
}

/// In 64 MB, segments are cut out of the recording `long`, in an order that goes back and forth: `keys` and times in seconds.
fn cut_in_little_memory(scratch: &Scratch, segments: &[(f64, f64)]) -> Vec<Vec<i16>> {
    let lines = segments.iter().enumerate().map(|(at, (start, end))| format!("s{at} long {start} {end}\n"));
    scratch.write("segments", lines.collect::<String>());
    let keys = (0..segments.len()).map(|at| format!("s{at} word\n"));
    scratch.write("text", keys.collect::<String>());
    for command in [
        "extract-segments --num-threads=2 scp:wav.scp segments ark,scp:cut.ark,cut.scp",
        "make-shard-list --resample=16000 --num-threads=2 --segments=segments wav.scp text shards shards.list",
    ] {
        scratch.sh(&format!("ulimit -v $((64000 + PROGRAM_KB)); exec {command}")).succeeds();
    }
    let cut = |at: usize| {
        scratch.sh(&format!("wav-copy \"$(sed -n 's/^s{at} //p' cut.scp)\" {at}.wav")).succeeds();
        let cut = scratch.read(&format!("{at}.wav"));
        if cut[24..28] == 16_000_u32.to_le_bytes() {
            let member = format!("tar -xOf shards/shards_000000000.tar s{at}.wav");
            scratch.sh(&member).succeeds().stdout_is(&cut);
        }
        crate::support::wave::samples(&cut)
    };
    (0..segments.len()).map(cut).collect()
}

/// Five hours, and 36 MB of file.
#[test]
fn segments_of_flac_of_five_hours_need_little_memory() {
    const FRAMES: u32 = 70_313;
    let scratch = Scratch::new();
    let whole = numbered_flac(FRAMES);
    let segments = [
        (0.0, 0.25),
        (17_999.75, 18_000.0),
        (9000.25, 9001.0),
        (8999.0, 8999.5),
        (4096.0, 4096.25),
        (17_000.0, 17_000.125),
    ];
    // With its end, and without: then all of it is decoded once.
    for cut in [0, 3] {
        scratch.write("long.flac", &whole[..whole.len() - cut]).write("wav.scp", "long long.flac\n");
        if cut > 0 {
            let limited = "ulimit -v $((64000 + PROGRAM_KB)); exec extract-segments scp:wav.scp segments ark:/dev/null";
            let got = u64::from(FRAMES - 1) * 4096;
            let message = format!("long.flac:42: Truncated file? Expected {} samples, got {got}", got + 4096);
            scratch.sh(limited).succeeds().stderr_has(&message);
            continue;
        }
        for (samples, (start, _)) in cut_in_little_memory(&scratch, &segments).iter().zip(&segments) {
            let first = (start * 16_000.0).round() as usize;
            for (at, sample) in samples.iter().enumerate() {
                assert_eq!(*sample, ((first + at) / 4096 % 1000) as i16, "{start} s, sample {at}");
            }
        }
    }
    // What segments need is not damaged; then the error is that of the whole file.
    let mut damaged = whole;
    let place = damaged.len() / 2;
    damaged[place..place + 16_400].fill(0x55);
    scratch.write("long.flac", damaged).write("segments", "a long 1 2\nb long 17000 17001\n");
    let limited = "ulimit -v $((64000 + PROGRAM_KB)); exec extract-segments scp:wav.scp segments ark:out.ark";
    scratch.sh(limited).succeeds();
    scratch.write("segments", "a long 1 2\nb long 8980 9020\n");
    scratch.sh("rm out.ark").succeeds();
    let message = "wav.scp:1: long: long.flac:42: cannot decode FLAC after 14";
    scratch.sh(limited).fails_with(255).stderr_has(message);
    assert!(!scratch.path("out.ark").exists());
}

/// The same short MP3 again and again, for five hours: after some frames, the decoder comes to the same samples.
#[test]
fn segments_of_mp3_of_five_hours_need_little_memory() {
    const PERIOD: usize = 2880;
    let scratch = Scratch::new();
    let one = std::fs::read("crates/bytes/sound-files/tests/files/untagged.mp3").unwrap();
    scratch.write("short.mp3", one.repeat(40)).write("long.mp3", one.repeat(100_000));
    scratch.write("wav.scp", "long long.mp3\n");
    scratch.sh("wav-copy short.mp3 short.wav").succeeds();
    let short = crate::support::wave::samples(&scratch.read("short.wav"));
    let segments = [(0.0, 1.0), (17_999.0, 18_000.0), (9000.0, 9001.0), (0.5, 1.25)];
    for (samples, (start, end)) in cut_in_little_memory(&scratch, &segments).iter().zip(&segments) {
        let first = (start * 16_000.0) as usize;
        let first = if first < short.len() / 2 { first } else { 10 * PERIOD + first % PERIOD };
        assert!(samples[..] == short[first..first + ((end - start) * 16_000.0) as usize], "{start} s");
    }
}

/// AAC is decoded once, whatever segments are wanted: 26 minutes at 44.1 kHz, 550 MB as floats.
#[test]
fn segments_of_long_aac_need_little_memory() {
    let scratch = Scratch::new();
    let one = std::fs::read("crates/bytes/sound-files/tests/files/adts.aac").unwrap();
    scratch.write("short.aac", one.repeat(200)).write("long.aac", one.repeat(22_000));
    scratch.sh("wav-copy short.aac short.wav").succeeds();
    scratch.write("segments", "a long 10 10.5 1\nb long 0 0.25 0\nc long 1500 1501 0\n");
    let cut = |name: &str, segments: &str| {
        let words = ["scp:-", segments, "ark:-"].join(" ");
        let limited = format!("echo long {name} | (ulimit -v $((64000 + PROGRAM_KB)); exec extract-segments {words})");
        scratch.sh(&limited).succeeds().stdout().to_vec()
    };
    scratch.write("first", "a long 10 10.5 1\nb long 0 0.25 0\n");
    assert!(cut("long.aac", "first") == cut("short.wav", "first"));
    assert!(cut("long.aac", "segments").len() > 44_100 * 2);
}

#[test]
fn segments_of_the_long_output_of_a_command_need_little_memory() {
    let scratch = Scratch::new();
    long_recording(&scratch);
    // The last two hours of it, as they are and cut; the status counts.
    let samples = 2 * 16_000 * 7000_u32;
    for (claimed, end, status) in [(samples, "", 0), (samples, "; exit 3", 3), (samples + 1000, "", 0)] {
        let mut header = crate::support::wave::wave(16_000, &[&[]])[..44].to_vec();
        header[4..8].copy_from_slice(&(36 + claimed).to_le_bytes());
        header[40..44].copy_from_slice(&claimed.to_le_bytes());
        scratch.write("header", header);
        let command = format!("(cat header; tail -c {samples} long.wav{end}) |");
        scratch.write("wav.scp", format!("long {command}\n")).write("segments", "b long 6999.5 7000\na long 0 0.5\n");
        let limited = "ulimit -v $((64000 + PROGRAM_KB)); exec extract-segments scp:wav.scp segments ark:cut.ark";
        let run = scratch.sh(limited).succeeds();
        let run = match claimed > samples {
            true => run.stderr_has(&format!("Truncated file? Expected {claimed} bytes of samples, got {samples}")),
            false => run.stderr_lacks("Truncated"),
        };
        let warning = b"; the value before it was whole";
        assert_eq!(run.stderr().windows(warning.len()).any(|words| words == warning), status > 0);
        let parts = parts();
        scratch
            .sh("cat cut.ark")
            .succeeds()
            .stdout_is(crate::support::wave::archive(&[("b", &parts[1].1), ("a", &parts[0].1)]));
    }
}
