use crate::support::Scratch;
use crate::support::wave::{archive, samples, wave};

/// A recording that is loud but for a stretch of one height, in its first half second.
fn recording(height: i16) -> Vec<i16> {
    let mut samples: Vec<_> = [20000, -20000].into_iter().cycle().take(8000).collect();
    samples[1000..2000].fill(height);
    samples
}

fn with(file: &[u8]) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("in.wav", file).write("wav.scp", "utt in.wav\n");
    scratch
}

#[test]
fn the_quietest_piece_is_put_behind() {
    let original = recording(100);
    let scratch = with(&wave(8000, &[&original]));
    let ran = scratch.sh("extend-wav-with-silence --extra-silence-length=0.5 in.wav -").succeeds();
    let extended = samples(ran.stdout());
    assert_eq!(extended.len(), 8000 + 4000);
    // 400 samples of silence are blended over into the end by half.
    assert_eq!(extended[..7800], original[..7800]);
    // Hamming windows that overlap by half sum up to 1.08, up to the last one.
    assert!(extended[8200..11600].iter().all(|sample| (106..=109).contains(sample)), "{:?}", &extended[8200..11600]);
}

#[test]
fn tables_and_channels_are_extended() {
    let (quiet, loud) = (recording(10), recording(-1000));
    let scratch = with(&wave(8000, &[&quiet, &loud]));
    let ran = scratch.sh("extend-wav-with-silence --extra-silence-length=0.25 in.wav o.wav");
    ran.succeeds().stderr_lacks("Successfully");
    let file = scratch.read("o.wav");
    assert_eq!(file.len(), 44 + 4 * (8000 + 2000));
    let last = file.len() - 4 * 500;
    let pair = [file[last], file[last + 1], file[last + 2], file[last + 3]];
    assert_eq!([i16::from_le_bytes([pair[0], pair[1]]), i16::from_le_bytes([pair[2], pair[3]])], [10, -1076]);
    let ran = scratch.sh("extend-wav-with-silence --extra-silence-length=0.25 scp:wav.scp ark:-");
    ran.succeeds().stdout_is(archive(&[("utt", &file)])).stderr_has("Successfully extended 1 files.");
    scratch.sh("extend-wav-with-silence scp:/dev/null ark:-").succeeds().stderr_has("Successfully extended 0 files.");
    scratch.sh("extend-wav-with-silence scp:wav.scp x.wav").fails_with(255).stderr_has("Cannot mix archives");
}

#[test]
fn nothing_but_zeros_is_warned_of() {
    let scratch = with(&wave(8000, &[&[0; 8000]]));
    let ran = scratch.sh("extend-wav-with-silence --extra-silence-length=0.1 scp:wav.scp ark:-");
    ran.succeeds().stdout_is(archive(&[("utt", &wave(8000, &[&[0; 8800]]))])).stderr_has("utt: Zero energy silence");
}

/// Kaldi aborts, or does not end.
#[test]
fn lengths_that_make_no_sense_are_errors() {
    let scratch = with(&wave(8000, &[&recording(5)]));
    for (options, message) in [
        ("--extra-silence-length=0", "expected --extra-silence-length to be one sample or more"),
        ("--extra-silence-length=-1", "expected --extra-silence-length to be one sample or more"),
        ("--extra-silence-length=1e9", "expected --extra-silence-length to be one sample or more, and below 2^31"),
        ("--silence-extract-length=0", "expected --silence-extract-length to be two samples or more, got 0"),
        ("--silence-extract-length=0.5", "expected --silence-extract-length to be less than --silence-search-length"),
        ("--silence-extract-shift=0", "expected --silence-extract-shift to be one sample or more, got 0"),
        ("--silence-search-length=2", "expected 16000 samples or more to look through for silence, got 8000"),
    ] {
        let run = |names: &str| scratch.sh(&format!("extend-wav-with-silence {options} {names}")).fails_with(255);
        run("in.wav o.wav").stderr_has(message);
        run("scp:wav.scp ark:o.ark").stderr_has(&format!("utt: {message}"));
        assert_eq!(scratch.list(), ["in.wav", "wav.scp"]);
    }
}

#[test]
fn a_broken_entry_ends_it_and_leaves_nothing() {
    let scratch = with(b"text");
    let ran = scratch.sh("extend-wav-with-silence scp:wav.scp ark:o.ark");
    ran.fails_with(255).stderr_has("wav.scp:1: utt: in.wav:0: expected RIFF or RIFX, got text");
    scratch.sh("extend-wav-with-silence in.wav o.wav").fails_with(255).stderr_has("in.wav:0: expected RIFF");
    assert_eq!(scratch.list(), ["in.wav", "wav.scp"]);
}
