use crate::support::Scratch;
use crate::support::signal::riff;
use crate::support::wave::{archive, wave, with};

/// 0.5 s and 0.25 s.
fn waves() -> Scratch {
    let scratch = Scratch::new();
    let (a, b) = (wave(8000, &[&[1; 4000]]), wave(44100, &[&[2; 11025], &[3; 11025]]));
    scratch.write("ab.ark", archive(&[("a", &a), ("b", &b)])).write("a.wav", a).write("b.wav", b);
    scratch.write("wav.scp", "a a.wav\nb b.wav\n");
    scratch
}

/// Kaldi does not find the next key in an archive whose samples it has not read.
#[test]
pub fn archives_work_without_reading_them_whole() {
    let scratch = waves();
    for source in ["scp:wav.scp", "ark:ab.ark", "ark:cat ab.ark |", "scp:echo 'a cat a.wav |'; echo b b.wav |"] {
        for option in ["", "--read-entire-file"] {
            let ran = scratch.sh(&format!("wav-to-duration {option} \"{source}\" ark,t:-"));
            ran.succeeds()
                .stdout_is("a 0.5 \nb 0.25 \n")
                .stderr_has("Printed duration for 2 audio files.")
                .stderr_has("Mean duration was 0.375, min and max durations were 0.25, 0.5");
        }
    }
}

#[test]
fn samples_are_not_read_where_the_header_will_do() {
    let scratch = waves();
    // 2 GB of which no block is there.
    let large = with(&wave(16000, &[&[0]]), 40, &0x7000_0000_u32.to_le_bytes());
    scratch.write("large.ark", archive(&[("l", &with(&large, 4, &0x7000_0024_u32.to_le_bytes()))]));
    scratch.sh("truncate -s $((46 + 0x70000000)) large.ark; cat ab.ark >> large.ark").succeeds();
    let ran = scratch.sh("ulimit -v $((131072 + PROGRAM_KB)); wav-to-duration ark:large.ark ark,t:-");
    ran.succeeds().stdout_is("l 58720.26 \na 0.5 \nb 0.25 \n");
}

#[test]
fn durations_are_numbers_of_32_bits() {
    let scratch = Scratch::new();
    scratch.write("a.wav", wave(44100, &[&[0; 12345]])).write("m.wav", riff(7, 8000, 1, 8, &[0; 1001]));
    let ran = scratch.sh("wav-to-duration 'scp:echo a a.wav; echo m m.wav |' ark,t:-");
    ran.succeeds().stdout_is("a 0.279932 \nm 0.125125 \n");
}

#[test]
fn a_length_that_was_not_known_is_an_error_unless_samples_are_read() {
    let scratch = waves();
    let streamed = with(&scratch.read("a.wav"), 40, &[0xff; 4]);
    scratch.write("a.wav", streamed);
    let ran = scratch.sh("wav-to-duration scp:wav.scp ark,t:o");
    ran.fails_with(255).stderr_has("a: has no duration in header").stderr_has("--read-entire-file");
    assert_eq!(scratch.list(), ["a.wav", "ab.ark", "b.wav", "wav.scp"]);
    let ran = scratch.sh("wav-to-duration --read-entire-file=true scp:wav.scp ark,t:-");
    ran.succeeds().stdout_is("a 0.5 \nb 0.25 \n");
}

/// Kaldi says nothing.
#[test]
fn a_header_that_claims_more_than_is_there_counts_with_a_warning() {
    let scratch = waves();
    let cut = scratch.read("a.wav")[..3044].to_vec();
    scratch.write("a.wav", cut);
    let warning = "wav.scp:1: a: a.wav:44: Truncated file? Expected 8000 bytes of samples, got 3000";
    scratch.sh("wav-to-duration scp:wav.scp ark,t:-").succeeds().stdout_is("a 0.5 \nb 0.25 \n").stderr_has(warning);
    let ran = scratch.sh("wav-to-duration --read-entire-file scp:wav.scp ark,t:-");
    ran.succeeds().stdout_is("a 0.1875 \nb 0.25 \n").stderr_has(warning);
}

#[test]
fn no_entries_are_exit_code_1() {
    let ran = Scratch::new().sh("wav-to-duration scp:/dev/null ark,t:-");
    ran.fails_with(1).stdout_is("").stderr_has("Printed duration for 0 audio files.").stderr_lacks("Mean duration");
}

#[test]
fn a_broken_entry_is_an_error_unless_permitted() {
    let scratch = waves();
    scratch.write("wav.scp", "a a.wav\nx nowhere.wav\nt wav.scp\nb b.wav\nr a.wav[0:1]\n");
    scratch.sh("wav-to-duration scp:wav.scp ark,t:o").fails_with(255).stderr_has("x: cannot open nowhere.wav");
    scratch.sh("sed -i 5d wav.scp").succeeds();
    let ran = scratch.sh("wav-to-duration scp,p:wav.scp ark,t:-");
    ran.succeeds()
        .stdout_is("a 0.5 \nb 0.25 \n")
        .stderr_has("wav.scp:3: t: wav.scp:0: expected RIFF or RIFX, got a a.");
    let ran = scratch.sh("wav-to-duration 'scp:echo r a.wav[0:1] |' ark,t:-");
    ran.fails_with(255).stderr_has("cannot be read in ranges");
}
