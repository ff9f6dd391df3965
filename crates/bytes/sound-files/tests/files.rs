//! Files of every kind: what is told of them, what they decode to, what happens when they are cut or damaged.

use sound_files::SoundKind::{Adts, Aiff, Au, Caf, Matroska, Mp4, Mpeg, Ogg, Sphere};
use sound_files::{
    DecodedSound, DetectedSound, SoundFault, SoundKind, SoundParts, decode, decode_in_order, read_header,
};

use crate::read;

/// The samples that a file was made of.
fn original(name: &str, num_channels: usize) -> Vec<Vec<f32>> {
    let bytes = read(name);
    let words = bytes[44..].as_chunks::<2>().0.iter().map(|word| f32::from(i16::from_le_bytes(*word)));
    let samples: Vec<f32> = words.collect();
    (0..num_channels).map(|channel| samples.iter().skip(channel).step_by(num_channels).copied().collect()).collect()
}

/// A file, its kind, how it compares: the original, samples decoded, samples before the sound, decoded samples for each one of
/// the original, and the least ratio of sound and error in decibels (infinite: no error).
struct Case(&'static str, SoundKind, &'static str, usize, usize, usize, f64);

const EXACT: f64 = f64::INFINITY;

const CASES: [Case; 35] = [
    Case("lame.mp3", Mpeg, "mono", 2880, 1105, 1, 15.0),
    Case("untagged.mp3", Mpeg, "mono", 2880, 1105, 1, 15.0),
    Case("noted.mp3", Mpeg, "mono", 1601, 0, 1, 15.0),
    Case("tagged.mp3", Mpeg, "stereo", 2001, 0, 1, 15.0),
    Case("layer2.mp2", Mpeg, "mono", 2304, 481, 1, 15.0),
    Case("adts.aac", Adts, "stereo", 3072, 1024, 1, 10.0),
    Case("vorbis.ogg", Ogg, "mono", 1601, 0, 1, 15.0),
    Case("flac.ogg", Ogg, "stereo", 2001, 0, 1, EXACT),
    Case("speech.opus", Ogg, "mono", 4803, 0, 3, 8.0),
    Case("aac.m4a", Mp4, "mono", 1616, 0, 1, 15.0),
    Case("fragments.mp4", Mp4, "mono", 3072, 1024, 1, 15.0),
    Case("alac.m4a", Mp4, "stereo", 2001, 0, 1, EXACT),
    Case("flac.mp4", Mp4, "mono", 1601, 0, 1, EXACT),
    Case("mp3.mp4", Mp4, "mono", 1600, 0, 1, 15.0),
    Case("opus.mp4", Mp4, "mono", 4800, 0, 3, 8.0),
    Case("pcm.mov", Mp4, "mono", 1601, 0, 1, EXACT),
    Case("opus.webm", Matroska, "mono", 4803, 0, 3, 8.0),
    Case("vorbis.webm", Matroska, "mono", 1920, 0, 1, 15.0),
    Case("aac.mka", Matroska, "mono", 3072, 1024, 1, 15.0),
    Case("flac.mka", Matroska, "mono", 1601, 0, 1, EXACT),
    Case("alaw.mka", Matroska, "mono", 1601, 0, 1, 30.0),
    Case("mulaw.mka", Matroska, "mono", 1601, 0, 1, 30.0),
    // FFmpeg does not note what the encoder adds.
    Case("opus.caf", Caf, "mono", 5760, 312, 3, 8.0),
    Case("index.mp4", Mp4, "mono", 3072, 1024, 1, 10.0),
    Case("pages.opus", Ogg, "mono", 4803, 0, 3, 5.0),
    Case("alac.caf", Caf, "stereo", 2001, 0, 1, EXACT),
    Case("pcm.caf", Caf, "mono", 1601, 0, 1, EXACT),
    Case("pcm.aiff", Aiff, "stereo", 2001, 0, 1, EXACT),
    Case("float.aifc", Aiff, "mono", 1601, 0, 1, EXACT),
    Case("linear.au", Au, "mono", 1601, 0, 1, EXACT),
    Case("law.au", Au, "mono", 1601, 0, 1, 30.0),
    Case("linear.sph", Sphere, "mono", 1601, 0, 1, EXACT),
    Case("law.sph", Sphere, "mono", 1601, 0, 1, 30.0),
    Case("music.opus", Ogg, "", 2178, 0, 1, 0.0),
    Case("surround.opus", Ogg, "", 4800, 0, 1, 0.0),
];

/// How much stronger sound is than the error, in decibels.
fn ratio(original: &[f32], decoded: impl Iterator<Item = f32>) -> f64 {
    let (mut sound, mut error) = (0.0, 0.0);
    for (&expected, got) in original.iter().zip(decoded) {
        sound += f64::from(expected).powi(2);
        error += f64::from(expected - got).powi(2);
    }
    10.0 * (sound / error).log10()
}

#[test]
fn files_decode_to_what_they_were_made_of() {
    for Case(name, kind, from, num_samples, before, step, least) in &CASES {
        let bytes = read(name);
        assert_eq!(SoundKind::detect(&bytes, true), DetectedSound::Kind(*kind), "{name}");
        let DecodedSound { header, channels } = decode(*kind, &bytes).unwrap();
        assert_eq!(header.remarks, [], "{name}");
        assert!(channels.iter().all(|channel| channel.len() == *num_samples), "{name}: {}", channels[0].len());
        assert_eq!(header.num_samples, *num_samples as u64, "{name}");
        assert_eq!(header.num_channels as usize, channels.len(), "{name}");
        let rate = match (*from, *step) {
            ("mono", 1) => 16_000,
            ("stereo", _) => 44_100,
            _ => 48_000,
        };
        assert_eq!(header.sample_rate, rate, "{name}");
        if from.is_empty() {
            continue;
        }
        let original = original(&format!("{from}.wav"), channels.len());
        for (expected, got) in original.iter().zip(&channels) {
            let found = ratio(expected, got[*before..].iter().step_by(*step).copied());
            assert!(found >= *least, "{name}: {found} dB");
        }
    }
}

/// The channels were made of one sound, in the order of RIFF/WAVE: left, right, center, bass, left and right of the back.
#[test]
fn channels_of_opus_are_in_the_order_of_riff_wave() {
    let channels = decode(Ogg, &read("surround.opus")).unwrap().channels;
    let loudness = |channel: &Vec<f32>| channel.iter().map(|&sample| f64::from(sample).powi(2)).sum::<f64>().sqrt();
    let found: Vec<f64> = channels.iter().map(|channel| loudness(channel) / loudness(&channels[0])).collect();
    for (found, expected) in found.iter().zip([1.0, 0.3, 0.9, 0.1, 0.5, 0.7]) {
        assert!((found - expected).abs() < 0.02, "{found} {expected}");
    }
}

#[test]
fn other_files_are_not_told() {
    for head in [&read("stereo.wav")[..], b"fLaC\0\0\0\x22", b"", b"#!AMR\n", b"\xff\xfe\0\0\0\0\0\0", b"\0BFM \x04"] {
        assert_eq!(SoundKind::detect(head, true), DetectedSound::Other, "{}", head[..head.len().min(8)].escape_ascii());
    }
    for head in [&b"O"[..], b"NIST", b"FORM\0\0", b"\xff\xfb\x90\x64", b"\xff\xf1\x50"] {
        assert_eq!(SoundKind::detect(head, false), DetectedSound::NeedMoreBytes, "{}", head.escape_ascii());
        assert_eq!(SoundKind::detect(head, true), DetectedSound::Other, "{}", head.escape_ascii());
    }
}

/// The first bytes tell the same as all, or say that more are needed.
#[test]
fn headers_need_no_more_than_they_need() {
    for Case(name, kind, _, num_samples, ..) in &CASES {
        let bytes = read(name);
        let mut is_known = false;
        for length in 0..=bytes.len() {
            match read_header(*kind, &bytes[..length], bytes.len() as u64) {
                Ok(header) => {
                    assert_eq!(header.num_samples, *num_samples as u64, "{name}, {length} bytes");
                    is_known = true;
                }
                Err(fault) => assert!(fault.at_end && !is_known, "{name}, {length} bytes: {fault}"),
            }
        }
        assert!(is_known, "{name}");
    }
}

#[test]
fn files_without_a_walk_are_known_by_their_first_bytes() {
    for name in ["noted.mp3", "tagged.mp3", "pcm.caf", "pcm.aiff", "linear.au", "law.sph"] {
        let bytes = read(name);
        let DetectedSound::Kind(kind) = SoundKind::detect(&bytes, false) else { panic!("{name}") };
        // As if the rest were a long way off.
        let header = read_header(kind, &bytes[..1100.min(bytes.len() - 1)], bytes.len() as u64).unwrap();
        assert_eq!(header.num_samples, decode(kind, &bytes).unwrap().header.num_samples, "{name}");
    }
}

/// A cut file is an error, or has fewer samples, which are the first ones of the whole file.
#[test]
fn what_is_there_of_a_cut_file_counts() {
    for Case(name, kind, ..) in &CASES {
        let bytes = read(name);
        let whole = decode(*kind, &bytes).unwrap().channels;
        for cut in (0..bytes.len()).filter(|cut| *cut < 200 || cut % 5 == 0) {
            let DetectedSound::Kind(told) = SoundKind::detect(&bytes[..cut], true) else { continue };
            let Ok(part) = decode(told, &bytes[..cut]) else { continue };
            let count = part.channels[0].len();
            assert!((1..=whole[0].len()).contains(&count), "{name}, {cut} bytes");
            for (part, whole) in part.channels.iter().zip(&whole) {
                assert!(part[..] == whole[..count], "{name}, {cut} bytes");
            }
            // Frames without a container have no end that could be missed, if the cut is between two of them.
            let is_between = matches!(kind, Mpeg | Adts) && *name != "tagged.mp3" && *name != "noted.mp3";
            let is_told = !part.header.remarks.is_empty();
            assert!(is_told || is_between || count == whole[0].len(), "{name}, {cut} bytes");
            // The header says the same.
            let header = read_header(told, &bytes[..cut], cut as u64).unwrap();
            assert_eq!(header, part.header, "{name}, {cut} bytes");
        }
    }
}

/// No panic, no endless loop, whatever the bytes are.
#[test]
fn damage_is_an_error_or_sound() {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random as usize
    };
    for Case(name, kind, ..) in &CASES {
        let bytes = read(name);
        for round in 0..120 {
            let mut damaged = bytes.clone();
            for _ in 0..=round % 3 {
                let place = if next() % 2 == 0 { next() % bytes.len().min(300) } else { next() % bytes.len() };
                damaged[place] = [0xff, 0, damaged[place] ^ (1 << (next() % 8)), next() as u8][next() % 4];
            }
            if let Err(SoundFault { message, .. }) = decode(*kind, &damaged) {
                assert!(message.starts_with("expected ") || message.starts_with("empty "), "{name}: {message}");
            }
            if let Ok(header) = read_header(*kind, &damaged, damaged.len() as u64) {
                assert!(header.num_channels > 0 && header.sample_rate > 0);
            }
        }
    }
}

/// Every page of Ogg has a checksum; a frame of MP3 in the middle is missed.
#[test]
fn damage_is_at_its_place() {
    let mut bytes = read("vorbis.ogg");
    let page = bytes.windows(4).rposition(|word| word == b"OggS").unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    let fault = decode(Ogg, &bytes).unwrap_err();
    assert_eq!(fault.offset, page as u64);
    assert!(fault.message.starts_with("expected a page of Ogg with the checksum "), "{fault}");

    let mut bytes = read("untagged.mp3");
    let frames: Vec<_> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(b"\xff\xf3")).collect();
    bytes[frames[2]] = 0;
    let fault = decode(Mpeg, &bytes).unwrap_err();
    assert_eq!(fault.offset, frames[2] as u64);
    assert!(fault.message.starts_with("expected a frame like the first one, found "), "{fault}");
}

#[test]
fn what_is_not_decoded_is_refused_by_name() {
    let shorten = b"NIST_1A\n   1024\nsample_rate -i 16000\nchannel_count -i 1\nsample_n_bytes -i 2\n\
                    sample_coding -s26 pcm,embedded-shorten-v2.00\nend_head\n";
    let mut file = shorten.to_vec();
    file.resize(2000, b' ');
    assert!(decode(Sphere, &file).unwrap_err().message.ends_with("found embedded-shorten-v2.00"));

    let mut file = read("aac.m4a");
    let config = file.windows(4).position(|word| word == b"esds").unwrap();
    // AAC-LC becomes AAC Main, then SBR.
    let at = config + file[config..].windows(2).position(|word| word[0] == 5 && word[1] & 0x80 != 0).unwrap() + 5;
    assert_eq!(file[at] >> 3, 2, "an AudioSpecificConfig");
    for (kind, name) in [(1, "AAC Main"), (5, "HE-AAC"), (29, "HE-AAC version 2")] {
        file[at] = kind << 3 | file[at] & 7;
        let fault = decode(Mp4, &file).unwrap_err();
        assert!(fault.message.contains(&format!("found {name}")), "{fault}");
    }

    let mut file = read("adts.aac");
    let mut at = 0;
    while at < file.len() {
        file[at + 2] &= 0x3f;
        at += usize::from(file[at + 3] & 3) << 11 | usize::from(file[at + 4]) << 3 | usize::from(file[at + 5]) >> 5;
    }
    assert!(decode(Adts, &file).unwrap_err().message.contains("found AAC Main"));
}

/// Whole files, and long ones of many frames.
#[test]
fn parts_are_those_of_the_whole() {
    let mut files: Vec<(String, SoundKind, Vec<u8>)> =
        CASES.iter().map(|Case(name, kind, ..)| ((*name).to_owned(), *kind, read(name))).collect();
    files.push(("long MP3".to_owned(), Mpeg, read("untagged.mp3").repeat(30)));
    files.push(("long AAC".to_owned(), Adts, read("adts.aac").repeat(30)));
    files.push(("long Vorbis".to_owned(), Ogg, read("vorbis.ogg").repeat(30)));
    for (name, kind, bytes) in files {
        let whole = decode(kind, &bytes).unwrap();
        let parts = SoundParts::read(kind, &&bytes[..]).unwrap();
        assert_eq!(parts.header(), &whole.header, "{name}");
        let count = whole.header.num_samples;
        for (start, end) in
            [(0, count), (0, 1), (count / 3, count / 2), (count - 1, count), (count / 2, count / 2), (7, 1500)]
        {
            let found = parts.decode(&&bytes[..], start..end).unwrap();
            for (found, whole) in found.iter().zip(&whole.channels) {
                assert!(found[..] == whole[start as usize..end as usize], "{name}: {start} {end}");
            }
        }
        // Of a cut file, what is there.
        let cut = &bytes[..bytes.len() - bytes.len() / 5];
        if let Ok(parts) = SoundParts::read(kind, &cut) {
            let found = parts.decode(&cut, 0..parts.header().num_samples).unwrap();
            assert!(found[0].len() < whole.channels[0].len(), "{name}");
            assert!(found[0][..] == whole.channels[0][..found[0].len()], "{name}");
        }
    }
}

/// Whole, cut and damaged files: the same samples, remarks and faults.
#[test]
fn what_is_not_in_memory_reads_as_what_is() {
    let in_order = |kind: SoundKind, bytes: &[u8]| {
        let mut channels: Vec<Vec<f32>> = Vec::new();
        let header = decode_in_order(kind, &bytes, &mut |samples| {
            channels.resize_with(samples.len(), Vec::new);
            channels.iter_mut().zip(samples).for_each(|(channel, samples)| channel.extend_from_slice(samples));
            Ok(())
        })?;
        Ok(DecodedSound { header, channels })
    };
    for Case(name, kind, ..) in &CASES {
        let bytes = read(name);
        for cut in (0..bytes.len()).step_by(41).chain([bytes.len()]) {
            assert!(in_order(*kind, &bytes[..cut]) == decode(*kind, &bytes[..cut]), "{name}, {cut} bytes");
            let mut damaged = bytes.clone();
            damaged[cut.min(bytes.len() - 1)] ^= 0x55;
            assert!(in_order(*kind, &damaged) == decode(*kind, &damaged), "{name}, damaged at {cut}");
            if let Ok(Some(parts)) = SoundParts::read_exact(*kind, &&damaged[..]) {
                let whole = decode(*kind, &damaged).map(|sound| sound.header);
                assert!(whole.is_err() || whole.as_ref() == Ok(parts.header()), "{name}, damaged at {cut}");
            }
        }
    }
}

/// No header says that bands are replicated, so it would be AAC-LC at half of the sampling frequency.
#[test]
fn replicated_bands_are_refused_though_no_header_names_them() {
    for (name, kind) in [("replicated.aac", Adts), ("replicated.m4a", Mp4), ("replicated.mka", Matroska)] {
        let bytes = read(name);
        let refusals = [decode(kind, &bytes).unwrap_err(), read_header(kind, &bytes, bytes.len() as u64).unwrap_err()];
        for fault in refusals {
            assert_eq!(fault.message, "expected AAC-LC, found HE-AAC (with SBR), which is not decoded here", "{name}");
        }
    }
}

/// Streams that follow each other are joined.
#[test]
fn chained_streams_are_one_sound() {
    let one = read("vorbis.ogg");
    let mut other = one.clone();
    other.extend(read("flac.ogg"));
    let twice = decode(Ogg, &[one.clone(), one.clone()].concat()).unwrap();
    let once = decode(Ogg, &one).unwrap();
    assert_eq!(twice.header.num_samples, 2 * once.header.num_samples);
    assert_eq!(twice.channels[0], [once.channels[0].clone(), once.channels[0].clone()].concat());
    let fault = decode(Ogg, &other).unwrap_err();
    assert!(
        fault.message.starts_with("expected 1 channels at 16000 Hz in all streams, found 2 at 44100 Hz"),
        "{fault}"
    );
    assert!(fault.offset >= one.len() as u64);
}
