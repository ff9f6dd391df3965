//! What headers claim costs no memory.
#![allow(clippy::unwrap_used)]
#![cfg(all(feature = "codecs", target_os = "linux"))]

use sound_files::{DetectedSound, SoundKind, decode, read_header};

/// The most memory that a small file may take, in kB.
const MOST: u64 = 256_000;

/// The most memory that this process has had, in kB.
#[track_caller]
fn check_memory(what: &str) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let most: u64 = line.trim().trim_end_matches("kB").trim().parse().unwrap();
    assert!(most < MOST, "{what}: {most} kB");
}

fn files() -> Vec<(String, Vec<u8>)> {
    let folder = format!("{}/tests/files", env!("CARGO_MANIFEST_DIR"));
    let names = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| !name.ends_with(".wav") && !name.ends_with(".md")).collect();
    names.sort();
    names.into_iter().map(|name| (name.clone(), std::fs::read(format!("{folder}/{name}")).unwrap())).collect()
}

fn read(bytes: &[u8]) {
    if let DetectedSound::Kind(kind) = SoundKind::detect(bytes, true) {
        let _ = read_header(kind, bytes, bytes.len() as u64);
        let _ = decode(kind, bytes);
    }
}

/// Sizes, counts, lengths and sampling frequencies, wherever they are in the headers.
#[test]
fn numbers_of_headers_are_claims() {
    let files = files();
    assert!(files.len() >= 30);
    for (name, bytes) in files {
        // Headers are at the start, and those of MP4 at the end, too.
        let places = (0..bytes.len().saturating_sub(8)).filter(|&at| at < 600 || at + 1200 > bytes.len());
        for at in places.step_by(5) {
            for (claim, width) in [(0x7fff_ffff_ffff_ffff_u64.to_be_bytes(), 4), (u64::MAX.to_be_bytes(), 8)] {
                let mut damaged = bytes.clone();
                damaged[at..at + width].copy_from_slice(&claim[..width]);
                read(&damaged);
            }
            let mut damaged = bytes.clone();
            damaged[at..at + 4].copy_from_slice(&0x7fff_ffff_u32.to_le_bytes());
            read(&damaged);
        }
        check_memory(&name);
    }
}

/// Boxes of MP4 with the content of one of them replaced.
fn replaced(boxes: &[u8], path: &[&[u8; 4]], content: &[u8]) -> Vec<u8> {
    let (mut at, mut out) = (0, Vec::new());
    while at < boxes.len() {
        let size = u32::from_be_bytes(boxes[at..at + 4].try_into().unwrap()) as usize;
        let (name, old) = (&boxes[at + 4..at + 8], &boxes[at + 8..at + size]);
        let new = match path {
            [last] if name == *last => content.to_vec(),
            [first, rest @ ..] if name == *first => replaced(old, rest, content),
            _ => old.to_vec(),
        };
        out.extend((new.len() as u32 + 8).to_be_bytes());
        out.extend(name);
        out.extend(new);
        at += size;
    }
    out
}

fn words(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_be_bytes).collect()
}

/// Tables whose chunks are all at the same place.
#[test]
fn packets_at_the_same_place_are_refused() {
    let folder = format!("{}/tests/files", env!("CARGO_MANIFEST_DIR"));
    for (name, per_chunk, size) in [("opus.mp4", 50_000, 1), ("pcm.mov", 40_000, 2), ("alac.m4a", 50_000, 1)] {
        let mut bytes = std::fs::read(format!("{folder}/{name}")).unwrap();
        let stbl: [&[u8; 4]; 5] = [b"moov", b"trak", b"mdia", b"minf", b"stbl"];
        for (table, content) in [
            (b"stco", words([0, 200].into_iter().chain([40; 200]))),
            (b"stsc", words([0, 1, 1, per_chunk, 1])),
            (b"stsz", words([0, size, u32::MAX])),
        ] {
            bytes = replaced(&bytes, &[&stbl[..], &[table]].concat(), &content);
        }
        bytes.extend(words([80_008]));
        bytes.extend(b"free");
        bytes.resize(bytes.len() + 80_000, 1);
        let DetectedSound::Kind(kind) = SoundKind::detect(&bytes, true) else { panic!("{name}") };
        let fault = decode(kind, &bytes).unwrap_err();
        assert!(fault.message.starts_with("expected packets of at most "), "{name}: {fault}");
        check_memory(name);
    }
}
