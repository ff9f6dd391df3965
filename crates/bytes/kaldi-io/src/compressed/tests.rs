use std::io::Write;

use flate2::write::GzEncoder;

use crate::{Error, Input};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

fn text() -> Vec<u8> {
    (0..100_000_u32).flat_map(|number| number.to_string().into_bytes()).collect()
}

/// Reads everything twice, with reads of a length each.
fn read(input: &mut Input, limit: usize) -> Result<Vec<u8>, Error> {
    let mut first = Vec::new();
    while input.read_some(&mut first, limit)? > 0 {}
    assert!(input.at_end() && input.offset() == first.len() as u64);
    input.finish()?;
    input.restart()?;
    let again = input.read_to_end()?;
    assert!(again == first);
    Ok(first)
}

#[test]
fn compression_makes_no_difference() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let name = path.to_str().unwrap();
    let text = text();
    let (first, second) = text.split_at(300_001);
    let skippable = b"\x50\x2a\x4d\x18\x03\0\0\0abc".as_slice();
    for bytes in [
        text.clone(),
        gzip(&text),
        [gzip(first), gzip(b""), gzip(second)].concat(),
        zstd(&text),
        [&zstd(first), skippable, &zstd(second)].concat(),
    ] {
        std::fs::write(&path, &bytes).unwrap();
        for limit in [4, 5, 1000, 1 << 18] {
            let mut input = Input::open(name.into()).unwrap();
            assert_eq!(input.as_file().is_some(), bytes == text);
            assert!(read(&mut input, limit).unwrap() == text);
            let slow = format!("head -c 1 {name}; sleep 0.01; tail -c +2 {name} |");
            assert!(read(&mut Input::open(slow.as_str().into()).unwrap(), limit).unwrap() == text);
        }
    }
    for short in [&b""[..], b"\x1f", b"\x1f\x8b", b"\x28\xb5\x2f", b"\x1f\x8b\x09 and so on"] {
        std::fs::write(&path, short).unwrap();
        for name in [name, &format!("cat {name} |")] {
            for limit in [1, 2, 100] {
                assert_eq!(read(&mut Input::open(name.into()).unwrap(), limit).unwrap(), short);
            }
        }
    }
}

#[test]
fn nothing_is_something_compressed_too() {
    for bytes in [gzip(b""), zstd(b"")] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(read(&mut Input::open(path.to_str().unwrap().into()).unwrap(), 10).unwrap(), b"");
    }
}

#[test]
fn cut_and_damaged_streams_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let name = path.to_str().unwrap();
    let text = text();
    let fails = |bytes: &[u8], expected: &str| {
        std::fs::write(&path, bytes).unwrap();
        for name in [name, &format!("cat {name} |")] {
            let mut input = Input::open(name.into()).unwrap();
            let error = input.read_to_end().unwrap_err().to_string();
            assert!(error.contains(expected) && !error.contains('\n'), "{error}");
        }
    };
    for (name, compressed) in [("gzip", gzip(&text)), ("zstd", zstd(&text))] {
        for cut in [5, 9, 100, compressed.len() / 2, compressed.len() - 1] {
            fails(&compressed[..cut], &format!("expected the rest of the {name} stream, got the end of the file"));
        }
        for at in [compressed.len() / 3, compressed.len() / 2, compressed.len() - 6, compressed.len() - 1] {
            let mut damaged = compressed.clone();
            damaged[at] ^= 0x55;
            fails(&damaged, &format!("expected a whole {name} stream: "));
        }
    }
}

#[test]
fn an_offset_leads_nowhere_in_compressed_data() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gz");
    std::fs::write(&path, gzip(b"some text")).unwrap();
    let name = format!("{}:5", path.display());
    let error = Input::open(name.as_str().into()).unwrap_err().to_string();
    assert!(error.contains("a.gz:5: this is gzip-compressed data, into which an offset cannot lead"), "{error}");
    let name = format!("{}:0", path.display());
    assert_eq!(Input::open(name.as_str().into()).unwrap().read_to_end().unwrap(), b"some text");
}

#[test]
fn commands_are_streams_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gz");
    std::fs::write(&path, gzip(b"some text")).unwrap();
    let mut input = Input::open(format!("cat {}; exit 3 |", path.display()).as_str().into()).unwrap();
    assert_eq!(input.read_to_end().unwrap(), b"some text");
    assert!(matches!(input.finish(), Err(Error::Status { .. })));
}

#[test]
fn a_frame_of_another_length_than_its_header_says_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    // A frame of one block that is not compressed: its header claims a number of bytes, the block has three.
    let frame = |claimed: u8| [b"\x28\xb5\x2f\xfd\x20", &[claimed][..], b"\x19\0\0abc"].concat();
    let read_frame = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        Input::open(path.to_str().unwrap().into()).and_then(|mut input| input.read_to_end())
    };
    assert_eq!(read_frame(&frame(3)).unwrap(), b"abc");
    assert_eq!(read_frame(&[frame(3), frame(3)].concat()).unwrap(), b"abcabc");
    for bytes in [frame(5), [frame(5), frame(3)].concat()] {
        let error = read_frame(&bytes).unwrap_err().to_string();
        assert!(
            error.contains("5 bytes by the header of the frame, got 3") || error.contains("the rest of the zstd"),
            "{error}"
        );
    }
}

#[test]
fn what_was_compressed_before_damage_comes_out() {
    let text = text();
    for compressed in [gzip(&text), zstd(&text)] {
        let half = compressed.len() / 2;
        let input = |bytes: &[u8]| Input::from_bytes("x", bytes.to_vec());
        let mut cut = input(&compressed[..half]);
        let mut found = Vec::new();
        let error = loop {
            match cut.read_some(&mut found, 1 << 18) {
                Ok(count) => assert!(count > 0),
                Err(error) => break error,
            }
        };
        assert!(error.is_damage() && text.starts_with(&found));
        assert!(found.len() > text.len() / 5, "{} of {}", found.len(), text.len());
    }
    assert!(!Input::open("/nowhere".into()).unwrap_err().is_damage());
}
