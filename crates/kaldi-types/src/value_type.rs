//! The types of values that a table may have.

use std::fmt;
use std::str::FromStr;

/// Lists the types once, so that each of them is in [`ValueType::ALL`] and has a name.
macro_rules! value_types {
    ($($(#[$doc:meta])* $variant:ident $name:literal,)*) => {
        /// A type of values.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ValueType {
            $($(#[$doc])* $variant,)*
        }

        impl ValueType {
            /// Every type. If several fit a value, the more specific ones come first.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Every type with its name.
            pub const NAMES: &[(&str, Self)] = &[$(($name, Self::$variant),)*];

            /// The name, a word such as `int32-vector`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

value_types! {
    /// A matrix of floats, dense, compressed or sparse.
    Matrix "matrix",
    /// A vector of floats.
    Vector "vector",
    /// A waveform.
    Wave "wave",
    /// An integer.
    Int32 "int32",
    /// A number of single precision.
    Float "float",
    /// A number of double precision.
    Double "double",
    /// A truth value.
    Bool "bool",
    /// Integers.
    Int32Vector "int32-vector",
    /// A matrix of integers: lists of one length.
    Int32Matrix "int32-matrix",
    /// Lists of integers.
    Int32VectorVector "int32-vector-vector",
    /// Pairs of integers.
    Int32Pairs "int32-pairs",
    /// Pairs of floats.
    FloatPairs "float-pairs",
    /// Indices and their weights for each frame.
    Posterior "posterior",
    /// Indices and the weights of their Gaussians for each frame.
    GaussPost "gauss-post",
    /// A word.
    Token "token",
    /// Words.
    TokenVector "token-vector",
    /// Features in the format of HTK.
    Htk "htk",
    /// Features in the format of Sphinx.
    Sphinx "sphinx",
}

impl ValueType {
    /// The types that can be found by looking at bytes: all but HTK and Sphinx features. These only start with a
    /// number, so nearly anything could be such features.
    pub fn recognizable() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|value_type| value_type.is_recognizable())
    }

    fn is_recognizable(self) -> bool {
        match self {
            Self::Matrix
            | Self::Vector
            | Self::Wave
            | Self::Int32
            | Self::Float
            | Self::Double
            | Self::Bool
            | Self::Int32Vector
            | Self::Int32Matrix
            | Self::Int32VectorVector
            | Self::Int32Pairs
            | Self::FloatPairs
            | Self::Posterior
            | Self::GaussPost
            | Self::Token
            | Self::TokenVector => true,
            Self::Htk | Self::Sphinx => false,
        }
    }

    /// Whether values are words, so that any text fits.
    pub fn is_words(self) -> bool {
        match self {
            Self::Token | Self::TokenVector => true,
            Self::Matrix
            | Self::Vector
            | Self::Wave
            | Self::Int32
            | Self::Float
            | Self::Double
            | Self::Bool
            | Self::Int32Vector
            | Self::Int32Matrix
            | Self::Int32VectorVector
            | Self::Int32Pairs
            | Self::FloatPairs
            | Self::Posterior
            | Self::GaussPost
            | Self::Htk
            | Self::Sphinx => false,
        }
    }

    /// How rare values of the type are among those that fit the same bytes: an integer alone is most often a vector of
    /// integers, and pairs are rarer than posteriors.
    pub(crate) fn rarity(self) -> u8 {
        match self {
            Self::Int32Vector => 0,
            Self::Matrix
            | Self::Vector
            | Self::Wave
            | Self::Int32
            | Self::Float
            | Self::Double
            | Self::Bool
            | Self::Int32Matrix
            | Self::Int32VectorVector
            | Self::Posterior
            | Self::GaussPost
            | Self::Htk
            | Self::Sphinx => 1,
            Self::Int32Pairs | Self::FloatPairs => 2,
            Self::Token | Self::TokenVector => 3,
        }
    }

    /// Whether a value has a text form; HTK and Sphinx features are shown as matrices.
    pub fn has_text(self) -> bool {
        match self {
            Self::Wave => false,
            Self::Matrix
            | Self::Vector
            | Self::Int32
            | Self::Float
            | Self::Double
            | Self::Bool
            | Self::Int32Vector
            | Self::Int32Matrix
            | Self::Int32VectorVector
            | Self::Int32Pairs
            | Self::FloatPairs
            | Self::Posterior
            | Self::GaussPost
            | Self::Token
            | Self::TokenVector
            | Self::Htk
            | Self::Sphinx => true,
        }
    }

    /// Whether the rows of a value are frames, in a table of utterances.
    pub fn has_frames_as_rows(self) -> bool {
        match self {
            Self::Matrix | Self::Posterior | Self::GaussPost | Self::Htk | Self::Sphinx => true,
            Self::Vector
            | Self::Wave
            | Self::Int32
            | Self::Float
            | Self::Double
            | Self::Bool
            | Self::Int32Vector
            | Self::Int32Matrix
            | Self::Int32VectorVector
            | Self::Int32Pairs
            | Self::FloatPairs
            | Self::Token
            | Self::TokenVector => false,
        }
    }

    /// Whether all values of a table have the same number of columns, if there are columns: channels of waveforms may differ.
    pub fn has_common_columns(self) -> bool {
        match self {
            Self::Wave => false,
            Self::Matrix
            | Self::Vector
            | Self::Int32
            | Self::Float
            | Self::Double
            | Self::Bool
            | Self::Int32Vector
            | Self::Int32Matrix
            | Self::Int32VectorVector
            | Self::Int32Pairs
            | Self::FloatPairs
            | Self::Posterior
            | Self::GaussPost
            | Self::Token
            | Self::TokenVector
            | Self::Htk
            | Self::Sphinx => true,
        }
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Reads the name of a type.
impl FromStr for ValueType {
    type Err = UnknownType;

    fn from_str(name: &str) -> Result<Self, UnknownType> {
        Self::ALL.iter().copied().find(|value_type| value_type.name() == name).ok_or(UnknownType)
    }
}

/// The error for a name of no type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownType;

impl fmt::Display for UnknownType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = ValueType::ALL.iter().map(|value_type| value_type.name()).collect();
        write!(f, "expected one of {}", names.join(", "))
    }
}

impl std::error::Error for UnknownType {}
