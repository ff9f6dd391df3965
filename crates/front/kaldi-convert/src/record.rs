//! Values as entries of tables.

use bstr::BStr;
use kaldi_any::ValueType;
use kaldi_inspect::Numbers;
use kaldi_io::Encoded;
use kaldi_io::log::warning;
use kaldi_lattice::{CompactLattice, Fst, GraphForm, Lattice};
use kaldi_matrix::{Matrix, Real, Vector};
use kaldi_table::Record;
use kaldi_value::{Format, Value};
use kaldi_value::{GaussPost, IntMatrix, Posterior, Token, Tokens};

use crate::array::Array;
use crate::exact::Exact;
use crate::item::Item;
use crate::table_type::{num_dims, part_names};
use crate::{Error, Result};

/// Makes the entry of a table of this type from a value. Numbers are converted where that is exact; a single number of a
/// table of type `float` is rounded.
///
/// # Errors
/// If the value is of another form, or the type cannot represent a number.
pub fn to_record(key: &BStr, item: Item, table_type: ValueType, format: Format) -> Result<Record<Numbers>> {
    let fault = |message: String| Error::value(key, message);
    let found = item.table_type();
    let mismatch =
        || fault(format!("expected a value for a table of type {table_type}, got {found}; `type` says what it is"));
    let encoded = match (item, table_type) {
        (Item::Array(array), _) => array_value(&array, table_type, format).map_err(fault)?,
        (Item::Word(word), ValueType::Token) => {
            Token::new(word).map_err(|error| fault(error.message.into()))?.into_encoded(format)
        }
        (Item::Word(word), ValueType::TokenVector) => tokens(&[word]).map_err(fault)?.into_encoded(format),
        (Item::Words(words), ValueType::TokenVector) => tokens(&words).map_err(fault)?.into_encoded(format),
        (Item::Lists(lists), ValueType::Int32Matrix) => {
            IntMatrix::from_rows(&lists).map_err(|error| fault(error.to_string()))?.into_encoded(format)
        }
        (Item::Lists(lists), ValueType::Int32VectorVector) => lists.into_encoded(format),
        (Item::Posterior(frames), ValueType::Posterior)
            if format == Format::Text && !frames.iter().flatten().all(|(_, weight)| weight.is_finite()) =>
        {
            return Err(fault(NOT_FINITE.into()));
        }
        (Item::GaussPost(frames), ValueType::GaussPost)
            if format == Format::Text
                && !frames.iter().flatten().flat_map(|(_, weights)| weights).all(|weight| weight.is_finite()) =>
        {
            return Err(fault(NOT_FINITE.into()));
        }
        (Item::Posterior(frames), ValueType::Posterior) => Posterior(frames).into_encoded(format),
        (Item::GaussPost(frames), ValueType::GaussPost) => GaussPost(frames).into_encoded(format),
        (Item::Wave(_), ValueType::Wave) if format == Format::Text => {
            return Err(fault("a wave has no text form (remove the option t of the table)".into()));
        }
        (Item::Wave(wave), ValueType::Wave) => {
            if let Some(loss) = wave.loss() {
                warning!("{key}: {loss}");
            }
            wave.into_encoded(format)
        }
        (Item::Example(example), ValueType::Nnet3Example) => example.into_encoded(format),
        (Item::ChainExample(example), ValueType::Nnet3ChainExample) => example.into_encoded(format),
        (Item::Graph(graph, GraphForm::Plain), ValueType::Lattice) => Lattice(graph).into_encoded(format),
        (Item::Graph(graph, GraphForm::Compact), ValueType::CompactLattice) => {
            CompactLattice(graph).into_encoded(format)
        }
        (Item::Graph(graph, GraphForm::Standard), ValueType::Fst) => Fst(graph).into_encoded(format),
        _ => return Err(mismatch()),
    };
    Ok(Record::from_bytes(key, encoded))
}

/// Readers of posteriors in text take no words for numbers.
const NOT_FINITE: &str = "expected finite weights, as the text form of posteriors has no others (remove the option t of \
                          the table)";

fn tokens(words: &[bstr::BString]) -> Result<Tokens, String> {
    Tokens::new(words).map_err(|error| error.message.into())
}

fn array_value(array: &Array, table_type: ValueType, format: Format) -> Result<Encoded, String> {
    let found = array.dims.len();
    let Some(wanted) = num_dims(table_type) else { return Err(no_array(table_type, array)) };
    // Empty values have no rows and columns to compare; a number equals a vector with one element.
    let is_one = found + wanted == 1 && array.num_values() == 1;
    if found != wanted && !is_one && (!array.is_empty() || wanted == 0) {
        let message = format!(
            "expected an array of {wanted} dimension(s) for a {table_type}, got {found}; `type` says what it is"
        );
        return Err(message);
    }
    if let Some(dim) = array.dims.iter().find(|&&dim| i32::try_from(dim).is_err()) {
        return Err(format!("expected sizes of at most {}, got {dim}", i32::MAX));
    }
    let numbers = Exact::of(array);
    Ok(match table_type {
        ValueType::Int32Vector => numbers.to_i32()?.into_encoded(format),
        ValueType::Int32Matrix => match array.dims[..] {
            [rows, columns] => IntMatrix::from_vec(rows, columns, numbers.to_i32()?).into_encoded(format),
            _ => IntMatrix::from_rows(&[numbers.to_i32()?]).map_err(|error| error.to_string())?.into_encoded(format),
        },
        ValueType::Int32 => numbers.to_i32()?[0].into_encoded(format),
        ValueType::Bool => match numbers.to_i32()?[0] {
            value @ (0 | 1) => (value == 1).into_encoded(format),
            other => return Err(format!("expected a truth value, 0 or 1, got {other}")),
        },
        ValueType::Float => (numbers.to_f64()[0] as f32).into_encoded(format),
        ValueType::Double => numbers.to_f64()[0].into_encoded(format),
        ValueType::Int32Pairs => pairs(numbers.to_i32()?, &array.dims)?.into_encoded(format),
        ValueType::FloatPairs => match numbers.into_real()? {
            Exact::Single(values) => pairs(values, &array.dims)?.into_encoded(format),
            _ => return Err("expected numbers of single precision, got double: convert them before".into()),
        },
        ValueType::Matrix | ValueType::Vector => match numbers.into_real()? {
            Exact::Double(values) => dense(array, wanted == 2, values, format),
            Exact::Single(values) => dense(array, wanted == 2, values, format),
            Exact::Integer(_) => return Err("expected real numbers, got integers".into()),
        },
        _ => return Err(no_array(table_type, array)),
    })
}

/// Says what a value of the type is made of, since it is no single array.
fn no_array(table_type: ValueType, array: &Array) -> String {
    let form = match part_names(table_type) {
        [] if table_type.is_example() => "arrays named <key>.<name> and <key>.<name>.indexes".to_owned(),
        [] => "words".to_owned(),
        names => format!("arrays named <key>.{}", names.join(" and <key>.")),
    };
    format!("expected {form} for a {table_type}, got an array of {} dimension(s)", array.dims.len())
}

fn pairs<T: Copy>(values: Vec<T>, dims: &[usize]) -> Result<Vec<(T, T)>, String> {
    if !values.is_empty() && dims.last() != Some(&2) {
        return Err(format!("expected rows of two numbers for pairs, got {dims:?}"));
    }
    Ok(values.as_chunks().0.iter().map(|&[first, second]| (first, second)).collect())
}

fn dense<T: Real>(array: &Array, is_matrix: bool, values: Vec<T>, format: Format) -> Encoded
where
    Matrix<T>: Value,
    Vector<T>: Value,
{
    match array.dims[..] {
        _ if is_matrix && values.is_empty() => Matrix::<T>::default().into_encoded(format),
        [rows, columns] if is_matrix => Matrix::from_vec(rows, columns, values).into_encoded(format),
        _ => Vector::from_vec(values).into_encoded(format),
    }
}
