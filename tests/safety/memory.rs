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
