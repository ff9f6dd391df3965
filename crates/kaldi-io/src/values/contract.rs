//! What every table value promises, as one check, and shorthands for the tests of the values' forms.

use std::fmt::Debug;

use bstr::ByteSlice;

use crate::{Cursor, Format, Frame, Value};

/// Random numbers that depend on the seed only (splitmix64).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// A number below `bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// An integer of any length.
    pub(super) fn integer(&mut self) -> i32 {
        self.next() as i32 >> self.below(32)
    }

    /// A number that text keeps.
    pub(super) fn float(&mut self) -> f32 {
        self.below(4096) as f32 / 8.0 - 100.0
    }

    /// Up to `most` elements.
    pub(super) fn many<T>(&mut self, most: usize, mut element: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(most + 1)).map(|_| element(self)).collect()
    }
}

pub(super) fn written<T: Value>(value: &T, format: Format) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.write(&mut bytes, format);
    bytes
}

/// The value at the start of `bytes`, to which nothing will be added, and its length.
fn read<T: Value>(bytes: &[u8]) -> Result<(T, usize), crate::ParseError> {
    let mut cursor = Cursor::new(bytes);
    T::read(&mut cursor).map(|value| (value, cursor.offset()))
}

/// The value at the start of `bytes`, which must be all of them, and framed as it is read.
#[track_caller]
pub(super) fn reads<T: Value + PartialEq + Debug>(bytes: &[u8], value: T) {
    reads_before::<T>(bytes, b"", value);
}

/// The value that `bytes` are where `rest` follows.
#[track_caller]
pub(super) fn reads_before<T: Value + PartialEq + Debug>(bytes: &[u8], rest: &[u8], value: T) {
    let all = [bytes, rest].concat();
    assert_eq!(read::<T>(&all).unwrap(), (value, bytes.len()), "{}", all.as_bstr());
    assert_eq!(T::frame(&all, true), Ok(Frame::Whole(bytes.len())), "{}", all.as_bstr());
}

/// The fault that reading finds: its offset and message.
#[track_caller]
pub(super) fn refuses<T: Value + Debug>(bytes: &[u8], offset: usize, message: &str) {
    let error = read::<T>(bytes).unwrap_err();
    assert_eq!((error.offset, error.message.as_ref()), (offset, message), "{}", bytes.as_bstr());
    agrees::<T>(bytes, "refused");
}

/// Checks the promises of `T` on values that `sample` draws and on what becomes of their bytes by damage.
pub(super) fn keeps_the_contract<T: Value + PartialEq + Debug>(mut sample: impl FnMut(&mut Random) -> T) {
    for seed in 0..200 {
        let mut random = Random(seed);
        let value = sample(&mut random);
        for format in [Format::Binary, Format::Text] {
            let bytes = written(&value, format);
            let context = format!("{}, {format:?}, seed {seed}: {}", T::NAME, bytes.as_bstr());
            what_is_written_is_read(&value, &bytes, format, &context);
            for _ in 0..50 {
                agrees::<T>(&damaged(&bytes, &mut random), &context);
            }
        }
    }
}

fn what_is_written_is_read<T: Value + PartialEq + Debug>(value: &T, bytes: &[u8], format: Format, context: &str) {
    let (again, length) = read::<T>(bytes).expect(context);
    assert_eq!(&again, value, "{context}");
    assert!(bytes[length..].iter().all(u8::is_ascii_whitespace), "{context}");
    let followed = [bytes, b"key 1 2\n"].concat();
    assert_eq!(read::<T>(&followed).expect(context), (again, length), "{context}");
    for (window, at_end) in [(bytes, true), (bytes, false), (&followed, true), (&followed, false)] {
        assert_eq!(T::frame(window, at_end), Ok(Frame::Whole(length)), "{context}");
    }

    for cut in 0..length {
        let window = &bytes[..cut];
        match T::frame(window, false).expect(context) {
            Frame::Partial(at_least) => {
                assert!((cut as u64 + 1..=length as u64).contains(&at_least), "{cut}, {context}")
            }
            Frame::Beyond(exactly) => assert_eq!(exactly, length as u64, "{cut}, {context}"),
            Frame::Whole(_) => panic!("whole at {cut}: {context}"),
        }
        agrees::<T>(window, context);
        if format == Format::Binary && bytes.starts_with(b"\0B") {
            assert!(T::frame(window, true).unwrap_err().at_end, "{cut}, {context}");
            assert!(read::<T>(window).unwrap_err().at_end, "{cut}, {context}");
        }
    }
    if format == Format::Binary {
        let canonical = T::is_canonical_binary(bytes);
        assert!(canonical || T::NAME == "gauss-post", "{context}");
        assert!(!T::is_canonical_binary(&followed), "{context}");
    }
    assert!(T::read_range(&mut Cursor::new(bytes), b"0:1").is_err(), "{context}");
}

/// Checks that framing, reading and the test for canonical bytes agree on `bytes`, whatever they are.
fn agrees<T: Value>(bytes: &[u8], context: &str) {
    let context = format!("{:?}; {context}", bytes.as_bstr());
    let framed = T::frame(bytes, true);
    assert!(matches!(framed, Ok(Frame::Whole(_)) | Err(_)), "{framed:?} at the end: {context}");
    let Ok((value, length)) = read::<T>(bytes) else {
        assert!(!T::is_canonical_binary(bytes), "{context}");
        return;
    };
    assert_eq!(framed, Ok(Frame::Whole(length)), "{context}");
    assert_eq!(read::<T>(&bytes[..length]).map(|(_, length)| length), Ok(length), "{context}");
    if T::is_canonical_binary(bytes) {
        assert_eq!(length, bytes.len(), "{context}");
        assert_eq!(written(&value, Format::Binary).as_bstr(), bytes.as_bstr(), "{context}");
    }
    for cut in 0..length {
        match T::frame(&bytes[..cut], false) {
            Ok(Frame::Partial(at_least)) => assert!(at_least > cut as u64, "{cut}, {context}"),
            Ok(Frame::Beyond(exactly)) => assert_eq!(exactly, length as u64, "{cut}, {context}"),
            other => panic!("{other:?} at {cut}: {context}"),
        }
    }
}

/// `bytes` with a few of them changed, lost, or added.
fn damaged(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    const LIKELY: &[u8] = b"\0\x01\x02\x04\x08\xfc\xff B[];TF\n\r\t-+.,e019x";
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len() + 1);
        let byte = LIKELY[random.below(LIKELY.len())];
        match random.below(4) {
            0 => bytes.insert(at, byte),
            1 if at < bytes.len() => drop(bytes.remove(at)),
            _ if at < bytes.len() => bytes[at] = byte,
            _ => {}
        }
    }
    bytes
}
