//! Sound that is missing, or that headers count wrongly: nothing is left out without a word.

use sound_files::SoundKind::{Aiff, Au, Caf, Matroska, Mp4, Mpeg, Ogg, Sphere};
use sound_files::{DecodedSound, DetectedSound, SoundKind, decode, read_header};

use crate::read;

/// Where these bytes are, again and again.
fn places(bytes: &[u8], word: &[u8]) -> Vec<usize> {
    (0..bytes.len()).filter(|&at| bytes[at..].starts_with(word)).collect()
}

fn with(bytes: &[u8], at: usize, new: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + new.len()].copy_from_slice(new);
    bytes
}

/// The number of samples and the first remark.
#[track_caller]
fn found(kind: SoundKind, bytes: &[u8]) -> (usize, String) {
    let DecodedSound { header, channels } = decode(kind, bytes).unwrap();
    assert_eq!(read_header(kind, bytes, bytes.len() as u64).unwrap(), header);
    assert_eq!(header.num_samples, channels[0].len() as u64);
    (channels[0].len(), header.remarks.first().map(ToString::to_string).unwrap_or_default())
}

#[test]
fn samples_that_the_header_does_not_count_count() {
    let aiff = read("float.aifc");
    let count = places(&aiff, b"COMM")[0] + 10;
    let (num_samples, remark) = found(Aiff, &with(&aiff, count, &100_u32.to_be_bytes()));
    assert_eq!(num_samples, 1601);
    assert!(remark.ends_with("expected 100 samples as the header says, found 1601, which all count"), "{remark}");

    let (num_samples, remark) = found(Au, &with(&read("linear.au"), 8, &200_u32.to_be_bytes()));
    assert_eq!(num_samples, 1601);
    assert!(remark.contains("expected 100 samples as the header says"), "{remark}");

    let sphere = read("linear.sph");
    let count = places(&sphere, b"-i 1601")[0] + 3;
    let (num_samples, remark) = found(Sphere, &with(&sphere, count, b"0100"));
    assert_eq!(num_samples, 1601);
    assert!(remark.contains("expected 100 samples as the header says"), "{remark}");
}

/// What programs write to a pipe, before they know the length.
#[test]
fn a_length_that_was_not_known_is_that_of_the_file() {
    let aiff = read("pcm.aiff");
    let (count, size) = (places(&aiff, b"COMM")[0] + 10, places(&aiff, b"SSND")[0] + 4);
    // Two channels of 16 bits.
    let sox = 0x7f00_0000_u32 / 4;
    for (samples, bytes) in [(0, 0), (sox, 8 + 4 * sox)] {
        let file = with(&with(&aiff, count, &samples.to_be_bytes()), size, &bytes.to_be_bytes());
        assert_eq!(found(Aiff, &file), (2001, String::new()));
    }
    assert_eq!(found(Au, &with(&read("linear.au"), 8, &[0xff; 4])), (1601, String::new()));
    let caf = read("pcm.caf");
    let size = places(&caf, b"data")[0] + 4;
    assert_eq!(found(Caf, &with(&caf, size, &[0xff; 8])), (1601, String::new()));
}

/// A block of Matroska that becomes something else leaves a gap in the times.
#[test]
fn a_block_that_is_lost_is_missed() {
    for name in ["opus.webm", "vorbis.webm", "aac.mka", "flac.mka", "alaw.mka"] {
        let bytes = read(name);
        let whole = decode(Matroska, &bytes).unwrap().channels[0].len();
        let mut num_lost = 0;
        let mut blocks = places(&bytes, b"\xa3");
        // The last block of Vorbis has more samples than count, so that the duration may be as before.
        blocks.retain(|at| name != "vorbis.webm" || at + 200 < bytes.len());
        for at in blocks {
            for other in [0xec, 0xaf, 0xa5] {
                let Ok(part) = decode(Matroska, &with(&bytes, at, &[other])) else { continue };
                let is_lost = part.channels[0].len() < whole;
                assert!(!is_lost || !part.header.remarks.is_empty(), "{name}, {at}");
                num_lost += usize::from(is_lost);
            }
        }
        // All of it is in one block.
        assert!(num_lost > 0 || name == "alaw.mka", "{name}");
    }
}

/// Without sizes, the duration in the header still shows the end.
#[test]
fn the_duration_of_a_matroska_file_is_compared() {
    let bytes = read("aac.mka");
    let blocks = places(&bytes, b"\xa3");
    let unknown = with(&bytes, places(&bytes, b"\x18\x53\x80\x67")[0] + 4, b"\x01\xff\xff\xff\xff\xff\xff\xff");
    let cluster = places(&bytes, b"\x1f\x43\xb6\x75")[0];
    assert!(cluster < blocks[0] || !blocks.is_empty());
    let mut num_told = 0;
    for &block in blocks.iter().filter(|&&block| block > cluster) {
        let Ok(part) = decode(Matroska, &unknown[..block]) else { continue };
        assert!(!part.header.remarks.is_empty(), "{block}");
        num_told += 1;
    }
    assert!(num_told > 0);
}

#[test]
fn fragments_that_are_lost_are_missed() {
    for name in ["fragments.mp4", "index.mp4"] {
        let bytes = read(name);
        let whole = decode(Mp4, &bytes).unwrap().channels[0].len();
        let fragments = places(&bytes, b"moof");
        assert!(fragments.len() > 1, "{name}");
        for &at in &fragments {
            // Cut before it.
            if let Ok(part) = decode(Mp4, &bytes[..at - 4]) {
                assert!(part.channels[0].len() < whole && !part.header.remarks.is_empty(), "{name}, {at}");
            }
            // No fragment, or a fragment of another stream.
            let stream = at + places(&bytes[at..], b"tfhd")[0] + 8;
            for damaged in [with(&bytes, at, b"free"), with(&bytes, stream, &[0, 0, 0, 9])] {
                if let Ok(part) = decode(Mp4, &damaged) {
                    let is_told = !part.header.remarks.is_empty();
                    assert!(is_told || part.channels[0].len() == whole || name == "index.mp4", "{name}, {at}");
                }
            }
        }
    }
    // Nothing shows the end.
    let bytes = read("fragments.mp4");
    let (num_samples, remark) = found(Mp4, &bytes[..places(&bytes, b"mfra")[0] - 4]);
    assert_eq!(num_samples, 3072);
    assert!(remark.ends_with("nothing shows whether the file is whole"), "{remark}");
}

#[test]
fn fewer_packets_than_their_durations_are_a_remark() {
    let bytes = read("alac.m4a");
    let sizes = places(&bytes, b"stsz")[0] + 12;
    let count = u32::from_be_bytes(bytes[sizes..sizes + 4].try_into().unwrap());
    if count > 1 {
        let (_, remark) = found(Mp4, &with(&bytes, sizes, &(count - 1).to_be_bytes()));
        assert!(!remark.is_empty());
    }
    let bytes = read("aac.m4a");
    let sizes = places(&bytes, b"stsz")[0] + 12;
    let count = u32::from_be_bytes(bytes[sizes..sizes + 4].try_into().unwrap());
    let (_, remark) = found(Mp4, &with(&bytes, sizes, &(count - 1).to_be_bytes()));
    assert!(remark.contains(&format!("expected {count} packets in the MP4 file as stts says")), "{remark}");
}

/// The remainder of a page by the polynomial of Ogg.
fn checksum(page: &[u8]) -> u32 {
    let step = |sum: u32, _| if sum >> 31 == 0 { sum << 1 } else { sum << 1 ^ 0x04c1_1db7 };
    page.iter().fold(0, |sum, &byte| (0..8).fold(sum ^ u32::from(byte) << 24, step))
}

/// Changes the granule of a page.
fn with_granule(bytes: &[u8], pages: &[usize], index: usize, granule: u64) -> Vec<u8> {
    let (start, end) = (pages[index], pages.get(index + 1).copied().unwrap_or(bytes.len()));
    let file = with(&with(bytes, start + 6, &granule.to_le_bytes()), start + 22, &[0; 4]);
    let sum = checksum(&file[start..end]).to_le_bytes();
    with(&file, start + 22, &sum)
}

/// As FFmpeg does it: that page is left out, and no more.
#[test]
fn a_last_page_that_goes_back_is_left_out_alone() {
    let bytes = read("pages.opus");
    let pages = places(&bytes, b"OggS");
    let granule = |index: usize| u64::from_le_bytes(bytes[pages[index] + 6..][..8].try_into().unwrap());
    let last = pages.len() - 1;
    let before = granule(last - 1) as usize - 312;
    assert_eq!(with_granule(&bytes, &pages, last, granule(last)), bytes, "the checksum");
    for early in [0, 400, granule(last - 1) - 1] {
        let (num_samples, remark) = found(Ogg, &with_granule(&bytes, &pages, last, early));
        assert_eq!(num_samples, before, "{early}");
        assert!(remark.contains("expected a page of Ogg from sample "), "{remark}");
    }
    // Too small by a constant factor, in order: only the last page may be cut.
    let mut slow = bytes.clone();
    for index in 2..=last {
        slow = with_granule(&slow, &pages, index, granule(index) / 3);
    }
    let (num_samples, remark) = found(Ogg, &slow);
    assert!(num_samples >= before - 960 && !remark.is_empty(), "{num_samples} {remark}");
}

#[test]
fn a_file_of_no_samples_is_an_error_of_its_header_too() {
    let bytes = read("vorbis.ogg");
    let sound = *places(&bytes, b"OggS").last().unwrap();
    for end in [sound, sound + 10] {
        let fault = read_header(Ogg, &bytes[..end], end as u64).unwrap_err();
        assert!(fault.message.ends_with(&format!("this Ogg file ends after {end} bytes")), "{fault}");
    }
    let au = &read("linear.au")[..24];
    let fault = read_header(Au, au, 24).unwrap_err();
    assert!(fault.message.ends_with("this AU file ends after 24 bytes"), "{fault}");
}

#[test]
fn the_note_of_lame_is_compared_with_the_size() {
    let bytes = read("noted.mp3");
    let whole = decode(Mpeg, &bytes).unwrap();
    let half = bytes.len() * 3 / 4;
    // The head of a longer file is enough, that of a file that was cut is not.
    assert_eq!(read_header(Mpeg, &bytes[..half], bytes.len() as u64).unwrap(), whole.header);
    assert!(read_header(Mpeg, &bytes[..half - 10], half as u64).unwrap_err().at_end);
    let (num_samples, remark) = found(Mpeg, &bytes[..half]);
    assert!(num_samples < 1601 && remark.contains("Truncated file? Expected 1601 samples"), "{remark}");
}

#[test]
fn what_is_known_by_its_start_is_named() {
    for (name, kind) in [
        ("noted.mp3", Mpeg),
        ("layer2.mp2", Mpeg),
        ("adts.aac", SoundKind::Adts),
        ("speech.opus", Ogg),
        ("aac.m4a", Mp4),
        ("opus.webm", Matroska),
        ("pcm.caf", Caf),
        ("pcm.aiff", Aiff),
        ("linear.au", Au),
        ("linear.sph", Sphere),
    ] {
        let bytes = read(name);
        for cut in 1..bytes.len().min(600) {
            let is_told = match SoundKind::detect(&bytes[..cut], true) {
                DetectedSound::Kind(told) => {
                    if let Err(fault) = decode(told, &bytes[..cut]) {
                        assert!(fault.message.ends_with("bytes") || fault.message.ends_with("byte"), "{name}: {fault}");
                        assert!(fault.message.contains(&format!("ends after {cut} byte")), "{name}, {cut}: {fault}");
                    }
                    told == kind
                }
                _ => SoundKind::of_start(&bytes[..cut]) == Some(kind),
            };
            let least = match kind {
                Mp4 => 5,
                Mpeg | SoundKind::Adts => 2,
                _ => 1,
            };
            assert!(is_told || cut < least, "{name}, {cut} bytes");
        }
    }
    for other in [&b"RIFF"[..], b"words", b"\0B", b"\xff\xfe\x41\0", b"", b"OggX", b"\0\0"] {
        assert_eq!(SoundKind::of_start(other), None, "{}", other.escape_ascii());
    }
}
