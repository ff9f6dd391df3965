//! Training examples from objects of `kaldi_tables._examples`.

use bstr::BString;
use kaldi_egs::{
    ChainOutput, ChainSupervision, CompactElement, CompactFst, Index, IoMatrix, NnetChainExample, NnetExample, NnetIo,
    SparseRows,
};
use kaldi_matrix::{CompressedMatrix, Matrix};
use kaldi_value::{Cursor, Value};
use numpy::PyUntypedArrayMethods;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use super::arrays::{self, describe};
use super::convert::{each, integers, text};
use crate::errors::{wrong_type, wrong_value};
use crate::values::class::{CHAIN_EXAMPLE, Class, EXAMPLE};

/// An example of nnet3.
///
/// # Errors
/// If parts of it are missing, or do not fit each other.
pub fn example(value: &Bound<'_, PyAny>) -> PyResult<NnetExample> {
    check_class(value, &EXAMPLE)?;
    Ok(NnetExample { io: some(value, "io", io)? })
}

/// An example of a chain model.
///
/// # Errors
/// As [`example`].
pub fn chain_example(value: &Bound<'_, PyAny>) -> PyResult<NnetChainExample> {
    check_class(value, &CHAIN_EXAMPLE)?;
    Ok(NnetChainExample { inputs: some(value, "inputs", io)?, outputs: some(value, "outputs", output)? })
}

fn check_class(value: &Bound<'_, PyAny>, class: &Class) -> PyResult<()> {
    match class.has(value)? {
        true => Ok(()),
        false => Err(wrong_type(format!("expected a kaldi_tables.{}, got {}", class.name(), describe(value)))),
    }
}

/// The items of an attribute, of which there is at least one. Errors say which one it is.
fn some<'py, T>(
    value: &Bound<'py, PyAny>,
    name: &str,
    item: impl Fn(&Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    let items = each(&value.getattr(name)?, item)?;
    match items.is_empty() {
        true => Err(wrong_value(format!("expected at least one of {name}, got none"))),
        false => Ok(items),
    }
}

/// The name of an input or output, which is a token.
fn name(value: &Bound<'_, PyAny>) -> PyResult<BString> {
    let name = text(&value.getattr("name")?)?;
    match name.is_empty() || name.iter().any(u8::is_ascii_whitespace) {
        true => Err(wrong_value(format!("expected a name without spaces, got {name:?}"))),
        false => Ok(name),
    }
}

fn indexes(value: &Bound<'_, PyAny>) -> PyResult<Vec<Index>> {
    let value = value.getattr("indexes")?;
    let array = arrays::find(&value)?;
    let array = array.filter(|array| matches!(*array.shape(), [_, 3]));
    let array = array.ok_or_else(|| {
        wrong_value(format!("expected indexes of the shape (rows, 3): n, t, x; got {}", describe(&value)))
    })?;
    let numbers = if array.len() == 0 { Vec::new() } else { arrays::integers(&array)? };
    Ok(numbers.as_chunks().0.iter().map(|&[n, t, x]| Index { n, t, x }).collect())
}

fn io(value: &Bound<'_, PyAny>) -> PyResult<NnetIo> {
    let (name, indexes) = (name(value)?, indexes(value)?);
    let wrong = |message: String| wrong_value(format!("{name}: {message}"));
    let rows = value.getattr("_rows")?;
    let matrix = if let Ok(bytes) = rows.cast::<PyBytes>() {
        let matrix = CompressedMatrix::read(&mut Cursor::new(bytes.as_bytes()));
        IoMatrix::Compressed(matrix.map_err(|error| wrong(error.message.into_owned()))?)
    } else if let Ok(rows) = rows.cast::<PyTuple>() {
        IoMatrix::Sparse(sparse(rows)?)
    } else {
        let reals = arrays::reals(&rows, 2, true)?;
        IoMatrix::Full(match (reals.rows, reals.columns) {
            (Some(rows), columns @ 1..) => Matrix::from_vec(rows, columns, reals.to_f32()),
            _ => Matrix::default(),
        })
    };
    let (expected, got) = (indexes.len(), matrix.num_rows());
    match expected == got {
        true => Ok(NnetIo { name, indexes, matrix }),
        false => Err(wrong(format!("expected {expected} rows, one for each index, got {got}"))),
    }
}

fn floats(value: &Bound<'_, PyAny>) -> PyResult<Vec<f32>> {
    Ok(arrays::reals(value, 1, true)?.to_f32())
}

fn sparse(rows: &Bound<'_, PyTuple>) -> PyResult<SparseRows> {
    let dim: i32 = rows.get_item(0)?.extract()?;
    let (lengths, index) = (integers(&rows.get_item(1)?)?, integers(&rows.get_item(2)?)?);
    let elements: Vec<(i32, f32)> = index.into_iter().zip(floats(&rows.get_item(3)?)?).collect();
    let mut matrix = SparseRows::default();
    let mut start = 0_usize;
    for length in lengths {
        let end = usize::try_from(length).ok().and_then(|length| start.checked_add(length));
        let row = end.and_then(|end| elements.get(start..end));
        let row = row.ok_or_else(|| wrong_value("expected lengths within the elements of sparse rows"))?;
        matrix.push_row(dim, row).map_err(|error| wrong_value(error.to_string()))?;
        start += row.len();
    }
    Ok(matrix)
}

fn output(value: &Bound<'_, PyAny>) -> PyResult<ChainOutput> {
    let number = |name: &str| value.getattr(name)?.extract::<i32>();
    let output = ChainOutput {
        name: name(value)?,
        indexes: indexes(value)?,
        supervision: ChainSupervision {
            weight: value.getattr("weight")?.extract()?,
            num_sequences: number("sequences")?,
            frames_per_sequence: number("frames")?,
            label_dim: number("label_dim")?,
            is_end_to_end: value.getattr("end_to_end")?.is_truthy()?,
            fsts: each(&value.getattr("fsts")?, fst)?,
            alignment_pdfs: integers(&value.getattr("alignment_pdfs")?)?,
        },
        deriv_weights: floats(&value.getattr("deriv_weights")?)?,
    };
    output.check().map_err(|message| wrong_value(format!("{}: {message}", output.name)))?;
    Ok(output)
}

fn fst(value: &Bound<'_, PyAny>) -> PyResult<CompactFst> {
    let of = |name: &str| integers(&value.getattr(name)?);
    let (label, weight, next) = (of("label")?, floats(&value.getattr("weight")?)?, of("next")?);
    if [weight.len(), next.len()] != [label.len(); 2] {
        let (labels, weights, nexts) = (label.len(), weight.len(), next.len());
        let message =
            format!("expected as many of label, weight and next in an Fst, got {labels}, {weights} and {nexts}");
        return Err(wrong_value(message));
    }
    let element = |((label, weight), next)| CompactElement { label, weight, next };
    let elements = label.into_iter().zip(weight).zip(next).map(element).collect();
    let offsets = of("offsets")?.into_iter().map(u32::try_from).collect::<Result<Vec<_>, _>>();
    let offsets = offsets.map_err(|_| wrong_value("expected offsets of an Fst that are not negative"))?;
    let start: i64 = value.getattr("start")?.extract()?;
    CompactFst::from_parts(usize::try_from(start).ok(), &offsets, elements)
        .map_err(|error| wrong_value(error.message.into_owned()))
}
