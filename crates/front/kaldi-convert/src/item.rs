//! Entries of tables in the forms that files have for them.

use std::any::Any;
use std::fmt;

use array_files::DType;
use bstr::BString;
use kaldi_any::ValueType;

use crate::array::Array;
use crate::exact::Exact;
use crate::example_arrays::IoArrays;
use crate::json_read::numbers_or_words;

/// The value of an entry.
#[derive(Debug)]
pub enum Item {
    /// Numbers in at most two dimensions.
    Array(Array),
    /// A word.
    Word(BString),
    /// The words of a line.
    Words(Vec<BString>),
    /// What is none of these.
    Compound(Box<dyn Compound>),
}

/// A value that is no single array. As an object, the trait erases its type.
pub trait Compound: Any + fmt::Debug + Send {
    /// The names of the arrays that it becomes; nothing for examples, whose arrays have names of their own.
    fn part_names() -> &'static [&'static str]
    where
        Self: Sized,
    {
        &[]
    }

    /// Puts a value together from these arrays.
    ///
    /// # Errors
    /// If they do not fit each other.
    fn from_parts(parts: &[Array]) -> Result<Self, String>
    where
        Self: Sized,
    {
        Err(format!("expected other arrays, got {}", parts.len()))
    }

    /// Reads the value of a line of JSON.
    ///
    /// # Errors
    /// If it is something else.
    fn parse_json(text: &str) -> Result<Item, String>
    where
        Self: Sized,
    {
        numbers_or_words(text)
    }

    /// The type of tables that it is a value of.
    fn table_type(&self) -> ValueType;

    /// The arrays that hold it, in the order of their names.
    fn parts(&self) -> Vec<Array> {
        Vec::new()
    }

    /// The inputs and outputs of an example.
    fn examples(&self) -> Vec<IoArrays> {
        Vec::new()
    }

    /// Returns an error for a value that readers of text do not take.
    ///
    /// # Errors
    /// What is wrong with it.
    fn check_text(&self) -> Result<(), String> {
        Ok(())
    }

    /// Appends it as JSON.
    ///
    /// # Errors
    /// If JSON cannot have it.
    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), String>;

    /// Whether its JSON is entries of the object of a line, rather than a value.
    fn is_entries(&self) -> bool {
        false
    }

    /// Its rows in CSV and TSV, with the delimiter before each field; `None` if it has no rows.
    fn rows(&self, _delimiter: char) -> Option<Vec<String>> {
        None
    }
}

impl Item {
    /// The type of tables that the value fits: of two dimensions a matrix, of one a vector, of floating-point numbers or of integers;
    /// a number by its type.
    pub fn table_type(&self) -> ValueType {
        match self {
            Self::Array(array) => match (array.dims.len(), array.dtype) {
                (2, dtype) if dtype.is_float() || dtype == DType::Bool => ValueType::Matrix,
                (2, _) => ValueType::Int32Matrix,
                (1, dtype) if dtype.is_float() => ValueType::Vector,
                (1, _) => ValueType::Int32Vector,
                (_, DType::Float64) => ValueType::Double,
                (_, DType::Bool) => ValueType::Bool,
                (_, dtype) if dtype.is_float() => ValueType::Float,
                _ => ValueType::Int32,
            },
            Self::Word(_) => ValueType::Token,
            Self::Words(_) => ValueType::TokenVector,
            Self::Compound(value) => value.table_type(),
        }
    }

    /// Whether it is an array without numbers, which fits every type of vectors and matrices.
    pub fn is_empty_array(&self) -> bool {
        matches!(self, Self::Array(array) if array.is_empty())
    }

    /// The compound value of this type; `None` if it is another one.
    pub(crate) fn downcast<T: Compound>(self) -> Result<T, Option<String>> {
        let Self::Compound(value) = self else { return Err(None) };
        (value as Box<dyn Any>).downcast().map_or(Err(None), |value| Ok(*value))
    }
}

impl<T: Compound> From<T> for Item {
    fn from(value: T) -> Self {
        Self::Compound(Box::new(value))
    }
}

pub(crate) fn integers(array: &Array) -> Result<Vec<i32>, String> {
    Exact::of(array).to_i32()
}

pub(crate) fn singles(array: &Array) -> Result<Vec<f32>, String> {
    match Exact::of(array).into_real()? {
        Exact::Single(values) => Ok(values),
        Exact::Double(values) => Ok(values.into_iter().map(|value| value as f32).collect()),
        Exact::Integer(_) => Err("expected real numbers, got integers".into()),
    }
}
