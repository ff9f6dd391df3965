//! The promises of every table value, as one check.

use std::fmt::Debug;

use kaldi_value::{Cursor, Format, Frame, Value};

/// Checks that values are read as they were written, framed as they are read, and refused if they are cut or damaged.
///
/// In text form they may become something else: a compressed matrix is compressed once more.
pub(crate) fn keeps_the_contract<T: Value + PartialEq + Debug>(values: impl IntoIterator<Item = T>) {
    for value in values {
        for format in [Format::Binary, Format::Text] {
            let bytes = value.to_bytes(format);
            let context = bytes.escape_ascii().to_string();
            let mut cursor = Cursor::new(&bytes);
            let again = T::read(&mut cursor).expect(&context);
            assert!(cursor.rest().is_empty(), "{context}");
            assert!(format == Format::Text || again == value, "{context}");
            let followed = [bytes.as_slice(), b"key 1"].concat();
            for (window, at_end) in [(&bytes, false), (&bytes, true), (&followed, false), (&followed, true)] {
                assert_eq!(T::frame(window, at_end), Ok(Frame::Whole(bytes.len())), "{context}");
            }
            assert_eq!(T::is_canonical_binary(&bytes), format == Format::Binary, "{context}");
            cut_anywhere::<T>(&bytes, &context);
            damaged_anywhere::<T>(&bytes);
        }
    }
}

fn cut_anywhere<T: Value>(bytes: &[u8], context: &str) {
    for length in 0..bytes.len() {
        let cut = &bytes[..length];
        match T::frame(cut, false) {
            Ok(Frame::Beyond(exactly)) => assert_eq!(exactly, bytes.len() as u64, "{length}: {context}"),
            Ok(Frame::Partial(wanted)) => {
                assert!(wanted > length as u64 && wanted <= bytes.len() as u64, "{length}: {context}");
            }
            other => panic!("{other:?} at {length}: {context}"),
        }
        match T::read(&mut Cursor::new(cut)) {
            Ok(_) => assert!(bytes[length..].trim_ascii().is_empty(), "{length}: {context}"),
            Err(error) => assert!(error.at_end || bytes[0] != 0, "{length}: {context}"),
        }
        assert!(!T::is_canonical_binary(cut), "{length}: {context}");
    }
}

/// Replaces every byte by every other: values that are read are framed, and others are refused in one line.
fn damaged_anywhere<T: Value>(bytes: &[u8]) {
    for position in 0..bytes.len() {
        for byte in 0..=255 {
            let mut damaged = bytes.to_vec();
            damaged[position] = byte;
            let context = damaged.escape_ascii().to_string();
            let mut cursor = Cursor::new(&damaged);
            match T::read(&mut cursor) {
                Ok(value) => {
                    assert_eq!(T::frame(&damaged, true), Ok(Frame::Whole(cursor.offset())), "{context}");
                    let canonical = T::is_canonical_binary(&damaged);
                    assert!(!canonical || value.to_bytes(Format::Binary) == damaged, "{context}");
                }
                Err(error) => assert!(!error.message.contains('\n'), "{context}"),
            }
            let _ = T::frame(&damaged, false);
        }
    }
}
