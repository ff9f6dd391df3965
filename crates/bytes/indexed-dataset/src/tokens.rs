//! Tokens as bytes and as numbers.

use std::io::Write;

use crate::{Misfit, TokenType};

/// Tokens in the bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequenceTokens {
    token_type: TokenType,
    bytes: Vec<u8>,
}

impl SequenceTokens {
    pub(crate) fn new(token_type: TokenType, bytes: Vec<u8>) -> Self {
        Self { token_type, bytes }
    }

    /// The number of tokens.
    pub fn len(&self) -> u64 {
        self.bytes.len() as u64 / self.token_type.size()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Their type.
    pub fn token_type(&self) -> TokenType {
        self.token_type
    }

    /// Little-endian numbers, one after the other.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The tokens as numbers; empty for floating-point types.
    pub fn integers(&self) -> Vec<i128> {
        let mut numbers = Vec::new();
        for_each_integer(&self.bytes, self.token_type, |number| numbers.push(number));
        numbers
    }
}

/// Calls `$each` with an iterator over the numbers in `$bytes`, for any type.
macro_rules! dispatch {
    ($bytes:expr, $token_type:expr, $each:ident) => {
        match $token_type {
            TokenType::U8 => $each!(u8, $bytes),
            TokenType::I8 => $each!(i8, $bytes),
            TokenType::I16 => $each!(i16, $bytes),
            TokenType::U16 => $each!(u16, $bytes),
            TokenType::I32 => $each!(i32, $bytes),
            TokenType::U32 => $each!(u32, $bytes),
            TokenType::I64 => $each!(i64, $bytes),
            TokenType::U64 => $each!(u64, $bytes),
            TokenType::F32 => $each!(f32, $bytes),
            TokenType::F64 => $each!(f64, $bytes),
        }
    };
}

macro_rules! numbers {
    ($number:ty, $bytes:expr) => {
        $bytes.as_chunks().0.iter().map(|chunk| <$number>::from_le_bytes(*chunk))
    };
}

/// Appends the tokens as text, separated by spaces.
pub fn write_text(bytes: &[u8], token_type: TokenType, text: &mut Vec<u8>) {
    macro_rules! write_each {
        ($number:ty, $bytes:expr) => {
            for (at, number) in numbers!($number, $bytes).enumerate() {
                let space = if at == 0 { "" } else { " " };
                // Writing into memory does not fail.
                let _ = write!(text, "{space}{number}");
            }
        };
    }
    dispatch!(bytes, token_type, write_each);
}

/// Calls `each` with every token; never for floating-point types.
fn for_each_integer(bytes: &[u8], token_type: TokenType, mut each: impl FnMut(i128)) {
    macro_rules! integers {
        (f32, $bytes:expr) => {
            ()
        };
        (f64, $bytes:expr) => {
            ()
        };
        ($number:ident, $bytes:expr) => {
            numbers!($number, $bytes).for_each(|number| each(i128::from(number)))
        };
    }
    dispatch!(bytes, token_type, integers);
}

/// Appends the tokens as 32-bit numbers.
///
/// # Errors
/// The first token that is too large, or the first one of a floating-point type.
pub fn decode_i32(bytes: &[u8], token_type: TokenType, tokens: &mut Vec<i32>) -> Result<(), Misfit> {
    macro_rules! small {
        ($number:ty, $bytes:expr) => {
            tokens.extend(numbers!($number, $bytes).map(i32::from))
        };
    }
    match token_type {
        TokenType::U8 => small!(u8, bytes),
        TokenType::I8 => small!(i8, bytes),
        TokenType::I16 => small!(i16, bytes),
        TokenType::U16 => small!(u16, bytes),
        TokenType::I32 => small!(i32, bytes),
        _ => {
            check_range(bytes, token_type, i32::MIN.into(), i32::MAX.into())?;
            for_each_integer(bytes, token_type, |number| tokens.push(number as i32));
        }
    }
    Ok(())
}

/// Appends 32-bit tokens as bytes of another type.
///
/// # Errors
/// The first token that does not fit; then nothing is appended.
///
/// # Panics
/// If the type is one of floating-point numbers.
pub fn encode_i32(tokens: &[i32], token_type: TokenType, bytes: &mut Vec<u8>) -> Result<(), Misfit> {
    let (low, high) = token_type.range().expect("tokens are encoded as integers");
    let low = i32::try_from(low).unwrap_or(i32::MIN);
    let high = i32::try_from(high).unwrap_or(i32::MAX);
    // There is no early end, so that several tokens are compared at a time.
    if tokens.iter().fold(false, |outside, token| outside | (*token < low) | (*token > high)) {
        let position = tokens.iter().position(|token| !(low..=high).contains(token)).unwrap_or(0);
        return Err(Misfit { position: position as u64, value: tokens[position].into() });
    }
    macro_rules! put {
        ($number:ty, $tokens:expr) => {{
            let start = bytes.len();
            bytes.resize(start + $tokens.len() * size_of::<$number>(), 0);
            let (places, _) = bytes[start..].as_chunks_mut();
            for (place, token) in places.iter_mut().zip($tokens) {
                *place = (*token as $number).to_le_bytes();
            }
        }};
    }
    dispatch!(tokens, token_type, put);
    Ok(())
}

/// Appends tokens of one type as those of another.
///
/// # Errors
/// The first token that does not fit, or a floating-point number that would change; then nothing is appended.
pub(crate) fn convert(bytes: &[u8], from: TokenType, to: TokenType, out: &mut Vec<u8>) -> Result<(), Misfit> {
    if from == to {
        out.extend_from_slice(bytes);
        return Ok(());
    }
    let Some((low, high)) = to.range() else { return Err(Misfit { position: 0, value: 0 }) };
    check_range(bytes, from, low, high)?;
    let size = to.size() as usize;
    for_each_integer(bytes, from, |number| out.extend_from_slice(&number.to_le_bytes()[..size]));
    Ok(())
}

/// Finds the first token that is outside of `low..=high`.
///
/// # Errors
/// That token.
pub(crate) fn check_range(bytes: &[u8], token_type: TokenType, low: i128, high: i128) -> Result<(), Misfit> {
    macro_rules! compare {
        (f32, $bytes:expr) => {
            Some(0)
        };
        (f64, $bytes:expr) => {
            Some(0)
        };
        ($number:ident, $bytes:expr) => {{
            // The bounds are cut to the type itself: comparisons of few bits are fast.
            let least = <$number>::try_from(low.max(<$number>::MIN.into()));
            let most = <$number>::try_from(high.min(<$number>::MAX.into()));
            match (least, most) {
                (Ok(least), Ok(most)) => {
                    let outside = |number: $number| (number < least) | (number > most);
                    let any = numbers!($number, $bytes).fold(false, |any, number| any | outside(number));
                    if any { numbers!($number, $bytes).position(outside) } else { None }
                }
                // No number of this type is in the range.
                _ => (!$bytes.is_empty()).then_some(0),
            }
        }};
    }
    let Some(position) = dispatch!(bytes, token_type, compare) else { return Ok(()) };
    let mut value = 0;
    let mut at = 0;
    for_each_integer(bytes, token_type, |number| {
        if at == position {
            value = number;
        }
        at += 1;
    });
    Err(Misfit { position: position as u64, value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use TokenType::{F32, I8, I16, I32, I64, U8, U16, U32, U64};

    const INTEGERS: [TokenType; 8] = [U8, I8, I16, U16, I32, U32, I64, U64];

    #[test]
    fn tokens_come_back_through_every_type_that_holds_them() {
        let values =
            [i32::MIN, -32769, -32768, -129, -128, -1, 0, 1, 127, 128, 255, 256, 32767, 32768, 65535, 65536, i32::MAX];
        for token_type in INTEGERS {
            let (low, high) = token_type.range().unwrap();
            for value in values {
                let mut bytes = Vec::new();
                let fits = (low..=high).contains(&i128::from(value));
                let misfit = Misfit { position: 1, value: value.into() };
                let encoded = encode_i32(&[7, value], token_type, &mut bytes);
                assert_eq!(encoded, if fits { Ok(()) } else { Err(misfit) }, "{value} {token_type}");
                let mut converted = Vec::new();
                let [seven, last] = [7_i32, value].map(i32::to_le_bytes);
                assert_eq!(convert(&[seven, last].concat(), I32, token_type, &mut converted), encoded);
                assert_eq!(bytes, converted);
                if fits {
                    let mut back = Vec::new();
                    decode_i32(&bytes, token_type, &mut back).unwrap();
                    assert_eq!(back, [7, value]);
                    let mut text = Vec::new();
                    write_text(&bytes, token_type, &mut text);
                    assert_eq!(String::from_utf8(text).unwrap(), format!("7 {value}"));
                }
            }
        }
    }

    #[test]
    fn what_is_beyond_32_bits_is_told() {
        let mut tokens = Vec::new();
        let bytes = [5_u64, 1 << 31].map(u64::to_le_bytes).concat();
        assert_eq!(decode_i32(&bytes, U64, &mut tokens), Err(Misfit { position: 1, value: 1 << 31 }));
        assert_eq!(decode_i32(&bytes[..8], I64, &mut tokens), Ok(()));
        assert_eq!(
            decode_i32(&u32::MAX.to_le_bytes(), U32, &mut tokens),
            Err(Misfit { position: 0, value: u32::MAX.into() })
        );
        assert_eq!(tokens, [5]);
    }

    #[test]
    fn floating_point_numbers_are_text_only() {
        let bytes = 1.5_f32.to_le_bytes();
        let mut text = Vec::new();
        write_text(&bytes, F32, &mut text);
        assert_eq!(text, b"1.5");
        assert!(decode_i32(&bytes, F32, &mut Vec::new()).is_err());
        assert!(convert(&bytes, F32, I32, &mut Vec::new()).is_err());
        assert!(convert(&bytes, F32, F32, &mut Vec::new()).is_ok());
    }
}
