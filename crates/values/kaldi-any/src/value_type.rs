//! The types of values that a table may have.

use std::fmt;
use std::str::FromStr;

use kaldi_egs::{NnetChainExample, NnetExample};
use kaldi_lattice::{CompactLattice, Fst, Lattice};
use kaldi_matrix::{GeneralMatrix, HtkFeatures, SphinxFeatures, Vector};
use kaldi_value::{GaussPost, IntMatrix, Posterior, Token, Tokens, Value};
use kaldi_wave::Wave;

use crate::advice::TypeAdvice;
use crate::row::{Found, Row, Text, rewrite};
use crate::{content, examples, frame, frames, graphs, header, unknown};

/// Lists the types once: each has a row, and all but one a type of Rust.
macro_rules! value_types {
    ($($(#[$doc:meta])* $variant:ident $(($value:ty))? = $row:expr;)*) => {
        /// A type of values.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ValueType {
            $($(#[$doc])* $variant,)*
        }

        impl ValueType {
            /// Every type. If several fit a value, the more specific ones come first.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Every type with its name.
            pub const NAMES: &[(&str, Self)] = &[$(({ const ROW: Row = $row; ROW.name }, Self::$variant),)*];

            /// All that is known about the type.
            pub(crate) const fn row(self) -> &'static Row {
                match self {
                    $(Self::$variant => const { &$row },)*
                }
            }

            /// Calls the visitor with the type of Rust whose values are in such a table; `None` if there is none.
            pub fn visit<V: TypeVisitor>(self, visitor: V) -> Option<V::Output> {
                match self {
                    $(Self::$variant => visited!(visitor $($value)?),)*
                }
            }
        }
    };
}

macro_rules! visited {
    ($visitor:ident) => {
        None
    };
    ($visitor:ident $value:ty) => {
        Some($visitor.visit::<$value>())
    };
}

/// What is done with one type of values, which only its [`ValueType`] says: a generic function as an argument.
pub trait TypeVisitor {
    /// What comes of it.
    type Output;

    /// Is called with the type.
    fn visit<T: Value>(self) -> Self::Output;
}

const fn advice(sentence: &'static str, tool: &'static str, verb: &'static str) -> TypeAdvice {
    TypeAdvice { sentence, tool, verb }
}

value_types! {
    /// A matrix of floats, dense, compressed or sparse.
    Matrix(GeneralMatrix) = Row {
        has_frames_as_rows: true,
        header: header::of_matrix,
        content: Some(content::of_any_matrix),
        frames: Some(frames::of_matrix),
        rewrite: rewrite::<GeneralMatrix>,
        ..Row::without_content::<GeneralMatrix>("matrix", Text::Closed, advice("this is a matrix", "copy-matrix", "reads it"))
    };
    /// A vector of floats.
    Vector(Vector<f32>) = Row {
        header: header::of_vector,
        content: Some(content::of_vector),
        frames: Some(frames::of_vector),
        ..Row::without_content::<Vector<f32>>("vector", Text::Closed, advice("this is a vector", "copy-vector", "reads it"))
    };
    /// A waveform.
    Wave(Wave) = Row {
        has_text: false,
        has_common_columns: false,
        frame: frame::of_wave,
        parse: |window, is_whole| frame::of_wave(window, is_whole).map(drop),
        header: header::of_wave,
        frames: Some(frames::of_wave),
        ..Row::of::<Wave>("wave", Text::None, advice("this is a wave file", "wav-copy", "reads it"))
    };
    /// An integer.
    Int32(i32) = Row::of::<i32>("int32", Text::Line, advice("this is a number", "table-head", "prints it"));
    /// A number of single precision.
    Float(f32) = Row {
        header: header::of_real,
        ..Row::of::<f32>("float", Text::Line, advice("this is a number", "table-head", "prints it"))
    };
    /// A number of double precision.
    Double(f64) = Row {
        header: header::of_real,
        ..Row::of::<f64>("double", Text::Line, advice("this is a number", "table-head", "prints it"))
    };
    /// A truth value.
    Bool(bool) = Row::of::<bool>("bool", Text::Line, advice("this is a truth value", "table-head", "prints it"));
    /// Integers.
    Int32Vector(Vec<i32>) = Row {
        rarity: 0,
        header: header::of_count,
        frames: Some(frames::of_labels),
        ..Row::of::<Vec<i32>>("int32-vector", Text::Line, advice("this is an integer vector", "copy-int-vector", "reads it"))
    };
    /// A matrix of integers: lists of one length.
    Int32Matrix(IntMatrix) = Row {
        header: header::of_integer_matrix,
        frames: Some(frames::of_lists),
        ..Row::of::<IntMatrix>("int32-matrix", Text::Line, advice("this is an integer matrix", "copy-gselect", "reads it"))
    };
    /// Lists of integers.
    Int32VectorVector(Vec<Vec<i32>>) = Row {
        header: header::of_count,
        frames: Some(frames::of_lists),
        ..Row::of::<Vec<Vec<i32>>>(
            "int32-vector-vector",
            Text::Line,
            advice("these are vectors of integers", "copy-gselect", "reads them"),
        )
    };
    /// Pairs of integers.
    Int32Pairs(Vec<(i32, i32)>) = Row {
        rarity: 2,
        header: header::of_count,
        ..Row::of::<Vec<(i32, i32)>>(
            "int32-pairs",
            Text::Line,
            advice("these are pairs of numbers", "table-head", "prints them"),
        )
    };
    /// Pairs of floats.
    FloatPairs(Vec<(f32, f32)>) = Row {
        rarity: 2,
        header: header::of_count,
        ..Row::of::<Vec<(f32, f32)>>(
            "float-pairs",
            Text::Line,
            advice("these are pairs of numbers", "table-head", "prints them"),
        )
    };
    /// Indices and their weights for each frame.
    Posterior(Posterior) = Row {
        has_frames_as_rows: true,
        header: header::of_count,
        frames: Some(frames::of_posterior),
        ..Row::of::<Posterior>("posterior", Text::Line, advice("this is a posterior", "copy-post", "reads it"))
    };
    /// Indices and the weights of their Gaussians for each frame.
    GaussPost(GaussPost) = Row {
        has_frames_as_rows: true,
        header: header::of_count,
        frames: Some(frames::of_gauss_post),
        ..Row::of::<GaussPost>(
            "gauss-post",
            Text::Closed,
            advice("this is a posterior of Gaussians", "table-head", "prints it"),
        )
    };
    /// A word.
    Token(Token) = Row {
        rarity: 3,
        ..Row::of::<Token>("token", Text::Words, advice("these are words", "table-head", "prints them"))
    };
    /// Words.
    TokenVector(Tokens) = Row {
        rarity: 3,
        // Any line of words is a value.
        parse: |_, _| Ok(()),
        header: |_, _, _| Ok(None),
        ..Row::of::<Tokens>("token-vector", Text::Words, advice("these are words", "table-head", "prints them"))
    };
    /// Features in the format of HTK.
    Htk(HtkFeatures) = Row {
        found: Found::Never,
        has_frames_as_rows: true,
        header: |_, _, _| Ok(None),
        frames: Some(frames::of_htk),
        ..Row::of::<HtkFeatures>(
            "htk",
            Text::None,
            advice("these are features of HTK", "copy-feats", "reads them with --htk-in"),
        )
    };
    /// Features in the format of Sphinx.
    Sphinx(SphinxFeatures) = Row {
        found: Found::Never,
        has_frames_as_rows: true,
        header: |_, _, _| Ok(None),
        frames: Some(frames::of_sphinx),
        ..Row::of::<SphinxFeatures>(
            "sphinx",
            Text::None,
            advice("these are features of Sphinx", "copy-feats", "reads them with --sphinx-in"),
        )
    };
    /// A training example of nnet3.
    Nnet3Example(NnetExample) = examples::NNET3;
    /// A training example of a chain model.
    Nnet3ChainExample(NnetChainExample) = examples::NNET3_CHAIN;
    /// A plain lattice.
    Lattice(Lattice) = graphs::LATTICE;
    /// A compact lattice.
    CompactLattice(CompactLattice) = graphs::COMPACT_LATTICE;
    /// An FST with one cost, such as a training graph.
    Fst(Fst) = graphs::FST;
    /// A value that is of none of the other types, but whose end can be found: a discriminative training example, binary or
    /// text, or other lines of text with an empty line after them.
    Unknown = unknown::ROW;
}

impl ValueType {
    /// The types that can be found by looking at bytes: all but HTK and Sphinx features. These only start with a
    /// number, so nearly anything could be such features.
    pub fn recognizable() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|value_type| !matches!(value_type.row().found, Found::Never))
    }

    /// The name, a word such as `int32-vector`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Whether values are words, so that any text fits.
    pub fn is_words(self) -> bool {
        self.row().text == Text::Words
    }

    /// Whether the text form of a value is one line.
    pub fn has_lines(self) -> bool {
        matches!(self.row().text, Text::Line | Text::Words)
    }

    /// Whether a value can be shown as text; HTK and Sphinx features are shown as matrices.
    pub fn has_text(self) -> bool {
        self.row().has_text
    }

    /// Whether values are numbers or words: [`Content`](crate::Content).
    pub fn has_content(self) -> bool {
        self.row().content.is_some()
    }

    /// Whether values are training examples.
    pub fn is_example(self) -> bool {
        matches!(self, Self::Nnet3Example | Self::Nnet3ChainExample)
    }

    /// Whether the rows of a value are frames, in a table of utterances.
    pub fn has_frames_as_rows(self) -> bool {
        self.row().has_frames_as_rows
    }

    /// Whether all values of a table have the same number of columns, if there are columns: channels of waveforms may differ.
    pub fn has_common_columns(self) -> bool {
        self.row().has_common_columns
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

/// The error for an unknown name of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownType;

impl fmt::Display for UnknownType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = ValueType::ALL.iter().map(|value_type| value_type.name()).collect();
        write!(f, "expected one of {}", names.join(", "))
    }
}

impl std::error::Error for UnknownType {}
