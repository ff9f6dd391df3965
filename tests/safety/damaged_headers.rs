use kaldi_value::{Format, Value};

use super::checked_archives::faults;
use super::scanned_archives::scanned_type;
use super::values::{ForEachType, archive, for_each_type, is_binary, read_all, rewrite};
use crate::support::Scratch;

/// Damages every byte of the first entry's begin in every way.
struct DamageHeader {
    scratch: Scratch,
}

/// Longest begin of an entry that holds no payload: key, marker, token, sizes.
const HEADER: usize = 26;

impl ForEachType for DamageHeader {
    fn call<T: Value + std::fmt::Debug>(&mut self, samples: [T; 4]) {
        let (bytes, ends) = archive(&samples, Format::Binary);
        let path = self.scratch.path("damaged.ark");
        if !is_binary(&bytes) {
            // Tokens are text in both forms: they have no header.
            return;
        }
        for place in 0..HEADER.min(ends[0]) {
            let mut damaged = bytes.clone();
            for damage in 1..=255_u8 {
                damaged[place] = bytes[place] ^ damage;
                rewrite(&path, &damaged);
                let (values, error) = kaldi_io::log::capture(|| read_all::<T>(&path, "")).0;
                let what = format!("{}, byte {place} ^ {damage:#x}", T::NAME);
                match error {
                    Some(error) => {
                        assert!(error.contains("damaged.ark:"), "{what}: the place is missing: {error}");
                        assert!(!error.contains('\n'), "{what}: more than a line: {error}");
                        // What readers refuse is a fault of the archive.
                        assert!(!faults(&path, Some(scanned_type::<T>()), false).is_empty(), "{what}");
                        assert!(!faults(&path, None, false).is_empty(), "{what}, of unknown type");
                    }
                    // White space in a key makes two words of it, which may be two entries.
                    None => assert!(values.len() <= samples.len() || place < 4, "{what}: {} entries", values.len()),
                }
            }
        }
    }
}

#[test]
fn a_damaged_header_is_a_fault_and_an_error_with_its_place_or_an_entry() {
    for_each_type(&mut DamageHeader { scratch: Scratch::new() });
}

#[test]
fn a_header_that_claims_everything_takes_no_memory() {
    let scratch = Scratch::new();
    let claims: [&[u8]; 8] = [
        b"a \0BFM \x04\xff\xff\xff\x7f\x04\xff\xff\xff\x7f",
        b"a \0BFM \x04\xff\xff\xff\x7f\x04\x01\0\0\0",
        b"a \0BDM \x04\x00\x00\x00\x40\x04\x08\0\0\0",
        b"a \0BCM \0\0\0\0\0\0\x80\x3f\xff\xff\xff\x7f\xff\xff\xff\x7f",
        b"a \0BCM2 \0\0\0\0\0\0\x80\x3f\xff\xff\xff\x7f\x02\0\0\0",
        b"a \0BFM \x04\xff\xff\xff\xff\x04\x01\0\0\0",
        b"a \0BFM \x04\x01\0\0\0\x04\0\0\0\x80",
        b"a \0BFM \x04\x03\0\0\0\x04\0\0\0\0",
    ];
    for claim in claims {
        scratch.write("claim.ark", [claim, &[1; 4000]].concat());
        for input in ["ark:claim.ark", "ark:cat claim.ark |", "scp:echo a claim.ark:2 |"] {
            let script = format!("ulimit -v 262144; copy-matrix '{input}' ark:out.ark");
            scratch.sh(&script).fails_with(255).stderr_has("claim.ark");
            assert_eq!(scratch.list(), ["claim.ark"], "{input}: {claim:?}");
        }
    }
}
