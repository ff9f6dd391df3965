use crate::support::Scratch;
use crate::support::signal::riff;
use crate::support::wave::{archive, samples, wave, with};

const SAMPLES: &[i16] = &[0, 1, -1, 256, -256, 32767, -32768];

fn mono() -> Vec<u8> {
    wave(16000, &[SAMPLES])
}

/// A folder with two waveforms, an archive and a script file of them.
fn waves() -> Scratch {
    let scratch = Scratch::new();
    let stereo = wave(8000, &[&[1, 2, 3], &[-1, -2, -3]]);
    scratch.write("a.wav", mono()).write("b.wav", &stereo).write("wav.scp", "a a.wav\nb b.wav\n");
    scratch.write("ab.ark", archive(&[("a", &mono()), ("b", &stereo)]));
    scratch
}

/// What a single file becomes.
#[track_caller]
fn becomes(file: &[u8], expected: &[u8]) {
    let scratch = Scratch::new();
    scratch.write("in.wav", file).sh("wav-copy in.wav -").succeeds().stdout_is(expected);
}

/// The message that a single file is refused with.
#[track_caller]
fn refuses(file: &[u8], message: &str) {
    let scratch = Scratch::new();
    scratch.write("in.wav", file).write("old.wav", "old");
    scratch.sh("wav-copy in.wav old.wav").fails_with(255).stderr_has(message).stderr_has("in.wav:");
    assert_eq!(scratch.read("old.wav"), b"old", "what was there stays");
    let ran = scratch.sh("wav-copy 'scp:echo utt7 in.wav |' ark,scp:new.ark,new.scp");
    ran.fails_with(255).stderr_has(message).stderr_has("utt7: in.wav:");
    assert_eq!(scratch.list(), ["in.wav", "old.wav"]);
}

#[test]
fn files_and_tables_are_copied_as_they_are() {
    let scratch = waves();
    let ark = scratch.read("ab.ark");
    for source in ["scp:wav.scp", "ark:ab.ark", "ark:cat ab.ark |", "scp:sed 's/ / cat /; s/$/ |/' wav.scp |"] {
        let ran = scratch.sh(&format!("wav-copy \"{source}\" ark:-"));
        ran.succeeds().stdout_is(&ark).stderr_has("Copied 2 wave files");
    }
    scratch.sh("wav-copy ark:ab.ark ark,scp:o.ark,o.scp; wav-copy scp:o.scp ark:-").succeeds().stdout_is(&ark);
    for arguments in ["a.wav -", "- - < a.wav", "'cat a.wav |' '| cat'", "ab.ark:2 -"] {
        scratch.sh(&format!("wav-copy {arguments}")).succeeds().stdout_is(mono());
    }
}

#[test]
fn no_entries_are_exit_code_1() {
    for source in ["ark:/dev/null", "scp:/dev/null"] {
        Scratch::new().sh(&format!("wav-copy {source} ark:-")).fails_with(1).stderr_has("Copied 0 wave files");
    }
}

#[test]
fn a_table_and_a_file_do_not_go_together() {
    let scratch = waves();
    scratch.sh("wav-copy scp:wav.scp o.wav").fails_with(255).stderr_has("Cannot mix archives with regular files");
    scratch.sh("wav-copy a.wav ark:o.ark").fails_with(255).stderr_has("Cannot mix archives with regular files");
    assert_eq!(scratch.list(), ["a.wav", "ab.ark", "b.wav", "wav.scp"]);
}

#[test]
fn there_is_no_text_form_and_there_are_no_ranges() {
    let scratch = waves();
    let ran = scratch.sh("wav-copy scp:wav.scp ark,t:o.ark");
    ran.fails_with(255).stderr_has("invalid wspecifier \"ark,t:o.ark\": a wave has no text form");
    let ran = scratch.sh("wav-copy 'scp:echo a a.wav[0:2] |' ark:o.ark");
    ran.fails_with(255).stderr_has("cannot be read in ranges");
    assert_eq!(scratch.list(), ["a.wav", "ab.ark", "b.wav", "wav.scp"]);
}

/// Kaldi knows 16-bit PCM only.
#[test]
pub fn other_encodings_become_16_bits() {
    let expected = wave(8000, &[&[-32768, 0, 256, 32512]]);
    becomes(&riff(1, 8000, 1, 8, &[0, 128, 129, 255]), &expected);
    becomes(&riff(1, 8000, 1, 24, b"\0\0\x80\xff\0\0\0\0\x01\0\0\x7f"), &expected);
    becomes(&riff(1, 8000, 1, 32, b"\0\0\0\x80\xff\xff\0\0\0\0\0\x01\0\0\0\x7f"), &expected);
    let floats = [-1.0, 0.5 / 32768.0, 1.0 / 128.0, 32512.0 / 32768.0];
    becomes(&riff(3, 8000, 1, 64, &floats.map(f64::to_le_bytes).concat()), &expected);
    becomes(&riff(3, 8000, 1, 32, &floats.map(|float| (float as f32).to_le_bytes()).concat()), &expected);
    becomes(&riff(7, 8000, 1, 8, &[0x00, 0xff, 0xfe, 0x80]), &wave(8000, &[&[-32124, 0, 8, 32124]]));
    becomes(&riff(6, 8000, 1, 8, &[0x2a, 0x55, 0xd5, 0xaa]), &wave(8000, &[&[-32256, -8, 8, 32256]]));
}

#[test]
fn samples_that_are_too_large_are_clipped_with_a_warning() {
    let floats = [1.0_f32, -1.5, 0.5, f32::NAN].map(f32::to_le_bytes).concat();
    let file = riff(3, 8000, 1, 32, &floats);
    let scratch = Scratch::new();
    scratch.write("in.wav", &file).write("wav.scp", "utt in.wav\n");
    let expected = wave(8000, &[&[32767, -32768, 16384, 0]]);
    let warning = "clipped 2 samples out of total 4. Reduce volume? 1 samples out of total 4 are no numbers";
    scratch.sh("wav-copy in.wav -").succeeds().stdout_is(&expected).stderr_has(warning);
    let ran = scratch.sh("wav-copy scp:wav.scp ark:-");
    ran.succeeds().stdout_is(archive(&[("utt", &expected)])).stderr_has(&format!("utt: {warning}"));
}

#[test]
fn numbers_may_be_big_endian() {
    let mut file = b"RIFX\0\0\0\x28WAVEfmt \0\0\0\x10\0\x01\0\x01\0\0\x1f\x40\0\0\x3e\x80\0\x02\0\x10data".to_vec();
    file.extend(b"\0\0\0\x04\x01\x02\xff\xfe");
    becomes(&file, &wave(8000, &[&[258, -2]]));
}

/// Kaldi reads unpadded ones only.
#[test]
pub fn chunks_of_odd_length_may_be_padded_or_not() {
    for chunk in [b"LIST\x03\0\0\0abc".as_slice(), b"LIST\x03\0\0\0abc\0", b"junk\0\0\0\0"] {
        let mut file = mono();
        file.splice(36..36, chunk.iter().copied());
        becomes(&with(&file, 4, &(file.len() as u32 - 8).to_le_bytes()), &mono());
    }
}

#[test]
fn what_follows_the_samples_is_left_out() {
    let tail = b"LIST\x04\0\0\0abcd";
    let file = with(&[&mono(), tail.as_slice()].concat(), 4, &(mono().len() as u32 + 4).to_le_bytes());
    let scratch = Scratch::new();
    scratch.write("in.ark", archive(&[("a", &file), ("b", &file), ("c", &mono())]));
    let ran = scratch.sh("wav-copy ark:in.ark ark:-");
    ran.succeeds()
        .stdout_is(archive(&[("a", &mono()), ("b", &mono()), ("c", &mono())]))
        .stderr_has("b: in.ark:78: Expected 62 bytes in RIFF chunk, got 50 up to the end of the samples");
}

#[test]
fn a_wrong_size_in_the_outermost_header_does_not_matter() {
    for size in [0_u32, 10, 49, 51, 1000, u32::MAX] {
        let file = with(&mono(), 4, &size.to_le_bytes());
        becomes(&file, &mono());
        if size > 0 && size < u32::MAX {
            let scratch = Scratch::new();
            scratch.write("in.ark", archive(&[("utt1", &file), ("x", &file)]));
            let expected = archive(&[("utt1", &mono()), ("x", &mono())]);
            scratch.sh("wav-copy ark:in.ark ark:-").succeeds().stdout_is(expected);
        }
    }
}

#[test]
fn a_file_from_a_pipe_goes_on_to_the_end() {
    for size in [0_u32, 0x7fff_f000, u32::MAX] {
        let file = with(&mono(), 40, &size.to_le_bytes());
        becomes(&file, &mono());
        becomes(&[&file, [7, 0, 9].as_slice()].concat(), &wave(16000, &[&[SAMPLES, &[7]].concat()]));
    }
}

#[test]
fn a_cut_file_gives_what_is_there_with_a_warning() {
    let scratch = Scratch::new();
    let file = with(&mono(), 40, &0x7fff_ffff_u32.to_le_bytes());
    scratch.write("in.wav", &file[..49]).write("wav.scp", "utt7 in.wav\n");
    let expected = wave(16000, &[&SAMPLES[..2]]);
    let warning = "in.wav:44: Truncated file? Expected 2147483647 bytes of samples, got 5";
    scratch.sh("wav-copy in.wav -").succeeds().stdout_is(&expected).stderr_has(warning);
    let ran = scratch.sh("wav-copy scp:wav.scp ark:-");
    ran.succeeds().stdout_is(archive(&[("utt7", &expected)])).stderr_has(&format!("wav.scp:1: utt7: {warning}"));
}

/// Kaldi opens the output, and so empties it, before it looks at the input.
#[test]
pub fn a_failure_empties_no_file_that_is_there() {
    for cut in [0, 4, 11, 12, 25, 44] {
        refuses(&mono()[..cut], "in.wav:");
    }
}

#[test]
fn what_is_no_waveform_is_refused() {
    refuses(b"", "got the end of the input");
    refuses(b"hello, this is text\n", "expected RIFF or RIFX, got hell");
    refuses(&mono()[..30], "got the end of the input");
    refuses(&with(&mono(), 8, b"WAVF"), "expected WAVE, got WAVF");
    refuses(&with(&mono(), 22, &[0, 0]), "no channels present");
    refuses(&with(&mono(), 24, &[0; 8]), "expected a sampling frequency of 1 to 16777216 Hz, got 0");
    refuses(&with(&mono(), 28, &[1]), "Unexpected byte rate 32001 vs. 16000 * 2 * 1");
    refuses(&with(&mono(), 32, &[4]), "Unexpected block_align: 4 vs. 1 * 2");
    refuses(&with(&mono(), 34, &[12]), "unsupported bits_per_sample = 12");
    refuses(&with(&mono(), 20, &[17]), "can read only PCM data, floats, A-law and mu-law, format id in file is: 17");
    refuses(&with(&mono(), 16, &[14]), "expect PCM format data to have fmt chunk of 16 bytes or more, got 14");
    refuses(&mono()[..44], "empty file (no data): expected samples of 2 bytes, got 0 bytes");
    refuses(&mono()[..45], "empty file (no data): expected samples of 2 bytes, got 1 bytes");
}

/// Kaldi's program opens the output first and leaves it empty.
#[test]
pub fn a_single_file_that_fails_leaves_no_output() {
    let scratch = Scratch::new();
    scratch.write("in.wav", "text").sh("wav-copy in.wav o.wav").fails_with(255);
    scratch.sh("wav-copy nowhere.wav p.wav").fails_with(255).stderr_has("cannot open nowhere.wav");
    scratch.sh("wav-copy 'exit 1 |' q.wav").fails_with(255);
    assert_eq!(scratch.list(), ["in.wav"]);
}

#[test]
fn a_command_that_fails_or_writes_nothing_is_named() {
    let scratch = waves();
    for (command, message) in [
        ("exit 3", "utt: Pipe exit 3 | had nonzero return status: exit status 3"),
        ("true", "utt: 'true |':0: the file is empty: expected 4 bytes at 0, got the end of the input"),
        ("head -c 20 a.wav; exit 2", "utt: Pipe head -c 20 a.wav; exit 2 | had nonzero return status"),
        ("no-such-program", "utt: Pipe no-such-program | had nonzero return status"),
    ] {
        scratch.write("pipe.scp", format!("a a.wav\nutt {command} |\nb b.wav\n"));
        scratch.sh("wav-copy scp:pipe.scp ark:o.ark").fails_with(255).stderr_has(message);
        let ran = scratch.sh("wav-copy scp,p:pipe.scp ark:-").succeeds();
        ran.stdout_is(scratch.read("ab.ark")).stderr_has(message).stderr_has("Copied 2 wave files");
    }
}

#[test]
fn what_a_damaged_entry_is_does_not_matter_to_others_in_permissive_mode() {
    let scratch = waves();
    scratch.write("bad.wav", "text").write("wav.scp", "x nowhere.wav\na a.wav\ny bad.wav\nb b.wav\n");
    let ran = scratch.sh("wav-copy scp,p:wav.scp ark:-");
    ran.succeeds()
        .stdout_is(scratch.read("ab.ark"))
        .stderr_has("wav.scp:1: x: cannot open nowhere.wav")
        .stderr_has("wav.scp:3: y: bad.wav:0: expected RIFF or RIFX, got text");
}

#[test]
fn what_is_written_is_the_header_and_whole_samples() {
    let scratch = waves();
    scratch.sh("wav-copy a.wav o.wav").succeeds();
    assert_eq!(samples(&scratch.read("o.wav")), SAMPLES);
}

/// A FLAC file that the conformance suite has under another name, and its samples. Kaldi needs a command to read it.
#[test]
fn flac_is_read_where_it_is_not_called_a_wave_file() {
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/data/signal");
    let read = |name: &str| std::fs::read(data.join(name)).unwrap();
    let (flac, wave) = (read("hd-flac-not-wav.wav"), read("hd-riff-size-off-by-one.wav"));
    let scratch = Scratch::new();
    scratch.write("a.flac", &flac).write("called.wav", &flac).write("b.wav", &wave);
    scratch.write("wav.scp", "a a.flac\nb b.wav\nc cat a.flac |\n");
    scratch.sh("wav-copy b.wav expected.wav; wav-copy a.flac a.wav; cmp a.wav expected.wav").succeeds();
    let expected = scratch.read("expected.wav");
    let ran = scratch.sh("wav-copy scp:wav.scp ark:-");
    ran.succeeds().stdout_is(archive(&[("a", &expected), ("b", &expected), ("c", &expected)]));
    let ran = scratch.sh("wav-to-duration scp:wav.scp ark,t:-");
    ran.succeeds().stdout_is("a 0.011875 \nb 0.011875 \nc 0.011875 \n");
    let message = "called.wav:0: expected RIFF or RIFX, got fLaC: this is a FLAC file, whose name should end in .flac";
    scratch.sh("wav-copy called.wav -").fails_with(255).stderr_has(message);
    scratch.sh("wav-to-duration 'scp:echo a called.wav |' ark,t:-").fails_with(255).stderr_has(message);
}
