//! The promises of a [`Value`] as one check, and shorthands for tests of its forms. All of them panic if a promise is
//! broken.

use std::fmt::Debug;

use bstr::ByteSlice;

use crate::{Cursor, Format, Frame, Value};

/// Random numbers that depend on the seed only (splitmix64).
#[derive(Clone, Debug)]
pub struct SeededRandom(u64);

impl SeededRandom {
    /// Starts at a seed.
    pub fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    /// Any 64 bits.
    pub fn next_word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// A number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next_word() % bound as u64) as usize
    }

    /// An integer of any length.
    pub fn integer(&mut self) -> i32 {
        self.next_word() as i32 >> self.below(32)
    }

    /// A number that survives its text form.
    pub fn float(&mut self) -> f32 {
        self.below(4096) as f32 / 8.0 - 100.0
    }

    /// Up to `most` elements.
    pub fn many<T>(&mut self, most: usize, mut element: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(most + 1)).map(|_| element(self)).collect()
    }
}

/// The value at the start of `bytes`, after which nothing follows, and its length.
fn read<T: Value>(bytes: &[u8]) -> Result<(T, usize), kaldi_io::ParseError> {
    let mut cursor = Cursor::new(bytes);
    T::read(&mut cursor).map(|value| (value, cursor.offset()))
}

/// Checks that all of `bytes` are `value`, and that the frame is the same.
#[track_caller]
pub fn reads<T: Value + PartialEq + Debug>(bytes: &[u8], value: T) {
    reads_before::<T>(bytes, b"", value);
}

/// Checks that `bytes` are `value` if `rest` follows.
#[track_caller]
pub fn reads_before<T: Value + PartialEq + Debug>(bytes: &[u8], rest: &[u8], value: T) {
    let all = [bytes, rest].concat();
    assert_eq!(read::<T>(&all), Ok((value, bytes.len())), "{}", all.as_bstr());
    assert_eq!(T::frame(&all, true), Ok(Frame::Whole(bytes.len())), "{}", all.as_bstr());
}

/// Checks the error of reading: its offset and message.
#[track_caller]
pub fn refuses<T: Value + Debug>(bytes: &[u8], offset: usize, message: &str) {
    match read::<T>(bytes) {
        Ok((value, _)) => panic!("{value:?}: {}", bytes.as_bstr()),
        Err(error) => {
            assert_eq!((error.offset, error.message.as_ref()), (offset, message), "{}", bytes.as_bstr());
        }
    }
    agrees::<T>(bytes, "refused");
}

/// Checks the promises of `T` on values that `sample` draws and on damaged bytes of them; the binary form that is
/// written must be one that a copy may pass on ([`Value::is_canonical_binary`]).
pub fn keeps_the_contract<T: Value + PartialEq + Debug>(sample: impl FnMut(&mut SeededRandom) -> T) {
    check(sample, true);
}

/// Like [`keeps_the_contract`] for a type whose bytes a copy never passes on unparsed.
pub fn keeps_the_contract_of_parsed<T: Value + PartialEq + Debug>(sample: impl FnMut(&mut SeededRandom) -> T) {
    check(sample, false);
}

fn check<T: Value + PartialEq + Debug>(mut sample: impl FnMut(&mut SeededRandom) -> T, canonical: bool) {
    for seed in 0..200 {
        let mut random = SeededRandom(seed);
        let value = sample(&mut random);
        for format in [Format::Binary, Format::Text] {
            let bytes = value.to_bytes(format);
            let context = format!("{}, {format:?}, seed {seed}: {}", T::NAME, bytes.as_bstr());
            what_is_written_is_read(&value, &bytes, format, &context);
            if format == Format::Binary {
                assert_eq!(T::is_canonical_binary(&bytes), canonical, "{context}");
            }
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
            Frame::Whole(_) | Frame::Rest => panic!("whole at {cut}: {context}"),
        }
        agrees::<T>(window, context);
        if format == Format::Binary && bytes.starts_with(b"\0B") {
            assert!(T::frame(window, true).is_err_and(|error| error.at_end), "{cut}, {context}");
            assert!(read::<T>(window).is_err_and(|error| error.at_end), "{cut}, {context}");
        }
    }
    if format == Format::Binary {
        assert!(!T::is_canonical_binary(&followed), "{context}");
    }
}

/// Checks that framing, reading and the test for canonical bytes agree on any `bytes`.
fn agrees<T: Value>(bytes: &[u8], context: &str) {
    // Made only if something is wrong: to format it takes longer than to read.
    let context = || format!("{:?}; {context}", bytes.as_bstr());
    let framed = T::frame(bytes, true);
    assert!(matches!(framed, Ok(Frame::Whole(_)) | Err(_)), "{framed:?} at the end: {}", context());
    let Ok((value, length)) = read::<T>(bytes) else {
        assert!(!T::is_canonical_binary(bytes), "{}", context());
        return;
    };
    assert_eq!(framed, Ok(Frame::Whole(length)), "{}", context());
    assert_eq!(read::<T>(&bytes[..length]).map(|(_, length)| length), Ok(length), "{}", context());
    if T::is_canonical_binary(bytes) {
        assert_eq!(length, bytes.len(), "{}", context());
        assert_eq!(value.to_bytes(Format::Binary).as_bstr(), bytes.as_bstr(), "{}", context());
    }
    for cut in 0..length {
        match T::frame(&bytes[..cut], false) {
            Ok(Frame::Partial(at_least)) => assert!(at_least > cut as u64, "{cut}, {}", context()),
            Ok(Frame::Beyond(exactly)) => assert_eq!(exactly, length as u64, "{cut}, {}", context()),
            other => panic!("{other:?} at {cut}: {}", context()),
        }
    }
}

/// `bytes` with a few of them changed, lost, or added.
fn damaged(bytes: &[u8], random: &mut SeededRandom) -> Vec<u8> {
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
