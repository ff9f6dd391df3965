//! The types of tokens, and the codes by which indices name them.

use std::fmt;

/// The type of the tokens of a dataset, little-endian in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum TokenType {
    U8,
    I8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

use TokenType::{F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

impl TokenType {
    /// Every type with its name.
    pub const NAMES: [(&str, Self); 10] = [
        ("uint8", U8),
        ("int8", I8),
        ("int16", I16),
        ("uint16", U16),
        ("int32", I32),
        ("uint32", U32),
        ("int64", I64),
        ("uint64", U64),
        ("float32", F32),
        ("float64", F64),
    ];

    /// Bytes of a token.
    pub fn size(self) -> u64 {
        match self {
            U8 | I8 => 1,
            I16 | U16 => 2,
            I32 | U32 | F32 => 4,
            I64 | U64 | F64 => 8,
        }
    }

    /// NumPy's name, such as `uint16`.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    /// The smallest and the largest token; `None` for floating-point types.
    pub fn range(self) -> Option<(i128, i128)> {
        Some(match self {
            U8 => (0, u8::MAX.into()),
            I8 => (i8::MIN.into(), i8::MAX.into()),
            I16 => (i16::MIN.into(), i16::MAX.into()),
            U16 => (0, u16::MAX.into()),
            I32 => (i32::MIN.into(), i32::MAX.into()),
            U32 => (0, u32::MAX.into()),
            I64 => (i64::MIN.into(), i64::MAX.into()),
            U64 => (0, u64::MAX.into()),
            F32 | F64 => return None,
        })
    }

    /// The type that Megatron chooses for a vocabulary of this size.
    pub fn for_vocabulary(size: u64) -> Self {
        if size < 65500 { U16 } else { I32 }
    }
}

impl fmt::Display for TokenType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The program that writes such files: they agree only on the codes 1 to 5, and fairseq has no documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Megatron since June 2023, and programs that follow it.
    Megatron,
    /// gpt-neox: 6 is float32, and 7 is float64, as in Megatron before June 2023.
    GptNeox,
    /// DeepSpeed's data pipeline: 6, 7 and 8 are uint16, uint32 and uint64.
    DeepSpeed,
    /// fairseq: an index without documents.
    Fairseq,
}

impl Dialect {
    /// Every dialect with its name.
    pub const NAMES: [(&str, Self); 4] = [
        ("megatron", Self::Megatron),
        ("gpt-neox", Self::GptNeox),
        ("deepspeed", Self::DeepSpeed),
        ("fairseq", Self::Fairseq),
    ];

    /// Names that dialects had before, each with the name of today.
    pub const OLD_NAMES: [(&str, &str); 1] = [("neox", "gpt-neox")];

    /// The name: `megatron`, `gpt-neox`, `deepspeed` or `fairseq`.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    /// Whether the index has an array of documents.
    pub fn has_documents(self) -> bool {
        self != Self::Fairseq
    }

    /// The type with this code.
    pub fn type_of(self, code: u8) -> Option<TokenType> {
        let own = match self {
            Self::Megatron => [F64, F32, U16].as_slice(),
            Self::GptNeox => &[F32, F64, U16],
            Self::DeepSpeed => &[U16, U32, U64],
            Self::Fairseq => &[F64, F64, U16, U32, U64],
        };
        let code = usize::from(code).checked_sub(1)?;
        [U8, I8, I16, I32, I64].iter().chain(own).nth(code).copied()
    }

    /// The code of a type, if it has one.
    pub fn code_of(self, token_type: TokenType) -> Option<u8> {
        (1..=10).find(|code| self.type_of(*code) == Some(token_type))
    }

    /// The possible dialects of an index with or without documents, the most probable first.
    pub(crate) fn candidates(has_documents: bool) -> impl Iterator<Item = Self> {
        Self::NAMES
            .into_iter()
            .map(|(_, dialect)| dialect)
            .filter(move |dialect| dialect.has_documents() == has_documents)
    }

    /// The dialect and the type for a code, given the number of bytes of a token; the most probable if that is not
    /// known. `asked` allows only one dialect.
    pub(crate) fn resolve(
        asked: Option<Self>,
        has_documents: bool,
        code: u8,
        size: Option<u64>,
    ) -> Option<(Self, TokenType)> {
        Self::candidates(has_documents)
            .filter(|dialect| asked.is_none_or(|asked| asked == *dialect))
            .filter_map(|dialect| Some((dialect, dialect.type_of(code)?)))
            .find(|(_, token_type)| size.is_none_or(|size| size == token_type.size()))
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_types_lead_back_to_each_other() {
        for (name, dialect) in Dialect::NAMES {
            for code in 1..=8 {
                let token_type = dialect.type_of(code).unwrap();
                let first = if (dialect, code) == (Dialect::Fairseq, 7) { 6 } else { code };
                assert_eq!(dialect.code_of(token_type), Some(first), "{dialect} {token_type}");
                assert!(TokenType::NAMES.contains(&(token_type.name(), token_type)));
            }
            assert_eq!(dialect.type_of(0), None);
            assert_eq!(dialect.type_of(11), None);
            assert_eq!(dialect.name(), name);
        }
        assert_eq!(Dialect::Megatron.code_of(U32), None);
    }

    #[test]
    fn the_size_of_a_token_tells_dialects_apart() {
        let resolve = |code, size| Dialect::resolve(None, true, code, Some(size));
        assert_eq!(resolve(6, 8), Some((Dialect::Megatron, F64)));
        assert_eq!(resolve(6, 4), Some((Dialect::GptNeox, F32)));
        assert_eq!(resolve(6, 2), Some((Dialect::DeepSpeed, U16)));
        assert_eq!(resolve(7, 8), Some((Dialect::GptNeox, F64)));
        assert_eq!(resolve(7, 4), Some((Dialect::Megatron, F32)));
        assert_eq!(resolve(8, 8), Some((Dialect::DeepSpeed, U64)));
        assert_eq!(resolve(8, 2), Some((Dialect::Megatron, U16)));
        assert_eq!(resolve(8, 4), None);
        let deepspeed = Dialect::resolve(Some(Dialect::DeepSpeed), true, 7, Some(4));
        assert_eq!(deepspeed, Some((Dialect::DeepSpeed, U32)));
        assert_eq!(Dialect::resolve(None, false, 9, Some(4)), Some((Dialect::Fairseq, U32)));
    }

    #[test]
    fn megatrons_limit_of_16_bits_is_below_65500() {
        assert_eq!(TokenType::for_vocabulary(65499), U16);
        assert_eq!(TokenType::for_vocabulary(65500), I32);
    }
}
