//! Headers as Python's `tarfile` writes them by default (PAX), byte for byte. Shards are compared with those of other
//! programs, and it is promised that their bytes do not change.

use bstr::{BStr, ByteSlice};

use super::block::{BLOCK, padding};
use super::pax::Pax;

/// What the size field of a header can hold.
const MAX_OCTAL: u64 = (1 << 33) - 1;

/// The header of a regular file: mode 0644, time and owner zero. If the name has more than 100 characters or is not
/// ASCII, or the size is 8 GB or more, a PAX header before it has them.
pub fn member_header(path: &BStr, size: u64) -> Vec<u8> {
    let mut records = Vec::new();
    if path.len() > 100 || !path.is_ascii() {
        Pax::write(&mut records, "path", path);
    }
    if size > MAX_OCTAL {
        Pax::write(&mut records, "size", size.to_string().as_bytes());
    }
    let mut out = Vec::new();
    if !records.is_empty() {
        push_block(&mut out, b"././@PaxHeader", 0, records.len() as u64, b'x');
        out.extend_from_slice(&records);
        out.resize(out.len() + padding(records.len() as u64), 0);
    }
    let name: Vec<u8> = path.chars().map(|c| if c.is_ascii() { c as u8 } else { b'?' }).collect();
    push_block(&mut out, &name, 0o644, if size > MAX_OCTAL { 0 } else { size }, b'0');
    out
}

/// Appends one block.
fn push_block(out: &mut Vec<u8>, name: &[u8], mode: u32, size: u64, kind: u8) {
    let mut block = [0; BLOCK];
    let mut put = |at: usize, field: &[u8]| block[at..at + field.len()].copy_from_slice(field);
    put(0, &name[..name.len().min(100)]);
    put(100, format!("{mode:07o}\0{:07o}\0{:07o}\0{size:011o}\0{:011o}\0", 0, 0, 0).as_bytes());
    put(148, b"        ");
    put(156, &[kind]);
    put(257, b"ustar\x0000");
    let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum();
    block[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    out.extend_from_slice(&block);
}

#[cfg(test)]
mod tests {
    use super::super::header::Header;
    use super::*;

    #[track_caller]
    fn header_of(block: &[u8]) -> Header {
        Header::parse(block.try_into().unwrap()).unwrap()
    }

    #[test]
    fn a_short_name_takes_one_block() {
        let bytes = member_header("utt1.wav".into(), 32044);
        assert_eq!(header_of(&bytes), Header { path: b"utt1.wav".to_vec(), size: 32044, kind: b'0' });
        assert!(bytes.starts_with(b"utt1.wav\0"));
        assert_eq!(bytes[100..108], *b"0000644\0");
        assert_eq!(bytes[124..136], *b"00000076454\0");
        assert_eq!(bytes[136..148], *b"00000000000\0");
        assert_eq!(bytes[154..156], *b"\0 ");
        assert_eq!(bytes[156..157], *b"0");
        assert_eq!(bytes[257..265], *b"ustar\x0000");
        assert_eq!(bytes[265..], [0; 247]);
    }

    #[test]
    fn long_and_foreign_names_and_sizes_stand_in_a_pax_header() {
        let long = "x".repeat(101);
        for (path, records) in [(long.as_str(), 111), ("\u{e4}.wav", 15), (&"x".repeat(100), 0)] {
            let bytes = member_header(path.into(), 7);
            if records == 0 {
                assert_eq!(bytes.len(), 512);
                continue;
            }
            assert_eq!(bytes.len(), 1536);
            let pax = header_of(&bytes[..512]);
            assert_eq!((pax.path.as_slice(), pax.size, pax.kind), (&b"././@PaxHeader"[..], records, b'x'));
            assert_eq!(bytes[100..108], *b"0000000\0");
            assert_eq!(bytes[512..512 + records as usize], *format!("{records} path={path}\n").as_bytes());
            assert_eq!(header_of(&bytes[1024..]).size, 7);
        }
        assert!(member_header("\u{e4}.wav".into(), 7)[1024..].starts_with(b"?.wav\0"));
        assert_eq!(member_header("a".into(), MAX_OCTAL).len(), 512);
        let bytes = member_header("a".into(), MAX_OCTAL + 1);
        assert!(bytes[512..].starts_with(b"19 size=8589934592\n"));
        assert_eq!(header_of(&bytes[1024..]).size, 0);
    }
}
