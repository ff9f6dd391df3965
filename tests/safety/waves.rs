//! Waveforms, cut and damaged. Unlike other values they have no mark of their end: what is there of the samples counts.

use kaldi_wave::Wave;

use super::values::{read_all, rewrite};
use crate::support::Scratch;
use crate::support::wave::{archive, swelling, wave, with};

/// Three waveforms of 5 samples, and where each entry ends.
fn three() -> (Vec<u8>, Vec<usize>) {
    let files =
        [wave(8000, &[&[1, 2, 3, 4, 5]]), wave(8000, &[&[6, 7, 8, 9, 10]]), wave(8000, &[&[-1, -2, -3, -4, -5]])];
    let entries: Vec<_> = files.iter().map(|file| ("utt", file.as_slice())).collect();
    let ends = (1..=3).map(|count| archive(&entries[..count]).len()).collect();
    (archive(&entries), ends)
}

#[test]
fn an_archive_cut_anywhere_gives_the_samples_that_are_there() {
    let scratch = Scratch::new();
    let path = scratch.path("cut.ark");
    let (bytes, ends) = three();
    for cut in 0..=bytes.len() {
        rewrite(&path, &bytes[..cut]);
        let ((waves, error), log) = kaldi_io::log::capture(|| read_all::<Wave>(&path, ""));
        let log = String::from_utf8(log).unwrap();
        let whole = ends.iter().filter(|&&end| end <= cut).count();
        // Bytes of the samples of the entry that is cut.
        let header = if whole == 0 { 48 } else { ends[whole - 1] + 48 };
        let there = cut.saturating_sub(header);
        assert_eq!(waves.len(), whole + usize::from(there >= 2), "{cut}: {error:?}");
        assert!(waves.iter().take(whole).all(|wave| wave.num_samples() == 5), "{cut}");
        if cut == 0 || ends.contains(&cut) {
            assert_eq!((error, log.as_str()), (None, ""), "{cut}");
        } else if there >= 2 {
            assert_eq!((error, waves[whole].num_samples()), (None, there / 2), "{cut}");
            let warning =
                format!("utt: {}:{header}: Truncated file? Expected 10 bytes of samples, got {there}", path.display());
            assert!(log.contains(&warning), "{cut}: {log}");
        } else {
            let error = error.unwrap_or_else(|| panic!("no error at {cut}"));
            assert!(error.contains(": ") && error.contains("cut.ark:") && !error.contains('\n'), "{cut}: {error}");
        }
    }
}

#[test]
fn every_damaged_byte_of_a_header_is_an_error_with_its_place_or_a_waveform() {
    let scratch = Scratch::new();
    let path = scratch.path("damaged.ark");
    let (bytes, ends) = three();
    // After the key and the space of the second entry.
    for place in ends[0] + 4..ends[0] + 48 {
        for damage in 1..=255_u8 {
            let damaged = with(&bytes, place, &[bytes[place] ^ damage]);
            rewrite(&path, &damaged);
            let (waves, error) = kaldi_io::log::capture(|| read_all::<Wave>(&path, "")).0;
            let what = format!("byte {} ^ {damage:#x}", place - ends[0] - 4);
            assert_eq!(waves.first().map(Wave::num_samples), Some(5), "{what}: {error:?}");
            match error {
                Some(error) => assert!(error.contains("damaged.ark:") && !error.contains('\n'), "{what}: {error}"),
                None => assert!((2..=4).contains(&waves.len()), "{what}: {} entries", waves.len()),
            }
        }
    }
}

#[test]
fn a_header_that_claims_everything_takes_no_memory() {
    let scratch = Scratch::new();
    let plain = wave(8000, &[&swelling(2000, 999.0)]);
    let claims = [
        ("samples", with(&with(&plain, 4, b"\xfe\xff\xff\xff"), 40, b"\xfe\xff\xff\xff")),
        ("streamed", with(&plain, 40, b"\xff\xff\xff\xff")),
        ("chunk behind", with(&plain, 4, b"\xf0\xff\xff\xff")),
        ("format", with(&plain, 16, b"\xf0\xff\xff\x7f")),
        ("chunk before", [&plain[..12], b"junk\xf0\xff\xff\xff", &plain[12..]].concat()),
        (
            "channels",
            with(&with(&with(&plain, 22, b"\xff\x7f"), 28, &(8000_u32 * 65534).to_le_bytes()), 32, b"\xfe\xff"),
        ),
        ("flac", [b"fLaC\x00\x00\x00\x22".as_slice(), &[0xff; 34], b"\x84\xff\xff\xff", &[0; 4000]].concat()),
    ];
    for (claim, file) in claims {
        scratch.write("claim.ark", [b"utt7 ".as_slice(), &file].concat());
        for input in ["ark:claim.ark", "ark:cat claim.ark |", "scp:echo utt7 claim.ark:5 |"] {
            for tool in ["wav-copy", "wav-to-duration", "wav-to-duration --read-entire-file"] {
                let script = format!(
                    "ulimit -v $((131072 + PROGRAM_KB)); {tool} '{input}' ark:out; code=$?; rm -f out; (exit $code)"
                );
                let ran = scratch.sh(&script);
                match claim {
                    // The length is known, or can be found out.
                    "samples" | "chunk behind" => ran.succeeds().stderr_has("utt7: "),
                    "streamed" if !tool.ends_with("duration") => ran.succeeds(),
                    // Nobody looks after the header.
                    "channels" if tool.ends_with("duration") => ran.succeeds(),
                    _ => ran.fails_with(255).stderr_has("utt7: "),
                };
            }
        }
    }
}
