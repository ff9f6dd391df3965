//! Values that were taken from Python and wait to be written.

use std::sync::Arc;

use kaldi_io::Encoded;
use kaldi_io::log::warning;
use kaldi_matrix::{CompressedMatrix, CompressionMethod, Matrix, SparseMatrix, Vector};
use kaldi_value::{Format, Value, write_basic, write_token};

use super::arrays::Reals;
use crate::errors::{Class, Failure, Result};
use crate::values::PythonValue;

/// Values below this length are copied; longer ones are written from the memory of Python.
const SMALL: usize = 1 << 16;

/// A value, of whatever type.
pub enum Taken {
    /// A matrix or a vector.
    Reals(Reals),
    Sparse(SparseMatrix<f32>),
    Bytes(Vec<u8>),
    /// Any other value.
    Value(Box<dyn ToFile>),
}

/// A value that is written. The trait erases its type.
pub trait ToFile: Send {
    fn encode(&self, format: Format) -> Encoded;

    /// What is lost, for a warning.
    fn loss(&self) -> Option<String>;

    /// About how many bytes it takes in memory.
    fn size(&self) -> usize;
}

impl<T: PythonValue> ToFile for T {
    fn encode(&self, format: Format) -> Encoded {
        encode(self, format)
    }

    fn loss(&self) -> Option<String> {
        Value::loss(self)
    }

    fn size(&self) -> usize {
        PythonValue::size(self)
    }
}

impl Taken {
    /// The bytes of the value in a file. It needs no interpreter.
    ///
    /// # Errors
    /// If the value cannot be compressed.
    pub fn encode(self, key: &[u8], format: Format, method: Option<CompressionMethod>) -> Result<Encoded> {
        Ok(match self {
            Self::Reals(reals) if reals.rows.is_some() && method.is_some() => {
                compressed(key, &reals, format, method.unwrap_or_default())?
            }
            Self::Reals(reals) => encode_reals(reals, format),
            Self::Sparse(sparse) => match method {
                Some(method) => {
                    let matrix = sparse.to_matrix().map_err(|error| {
                        Failure::new(Class::Data, format!("{}: {error}", kaldi_io::quote_name(key))).at_key(key)
                    })?;
                    encode(&compress(key, matrix.as_slice(), matrix.num_cols(), method)?, format)
                }
                None => encode(&kaldi_matrix::GeneralMatrix::from(sparse), format),
            },
            Self::Value(value) => {
                if let Some(loss) = value.loss() {
                    warning!("{}: {loss}", kaldi_io::quote_name(key));
                }
                value.encode(format)
            }
            Self::Bytes(bytes) => bytes.into(),
        })
    }

    /// Copies what is in the memory of Python.
    pub fn own(&mut self) {
        if let Self::Reals(reals) = self {
            reals.elements.own();
        }
    }

    /// About how many bytes it takes in memory.
    pub fn size(&self) -> usize {
        match self {
            Self::Reals(reals) => reals.elements.as_ref().len(),
            Self::Value(value) => value.size(),
            _ => 1 << 10,
        }
    }
}

fn encode<T: Value>(value: &T, format: Format) -> Encoded {
    value.to_bytes(format).into()
}

/// A matrix or vector without compression.
fn encode_reals(reals: Reals, format: Format) -> Encoded {
    let Reals { elements, is_double, rows, columns } = reals;
    match (format, rows, is_double) {
        (Format::Text, Some(rows), false) => encode(&Matrix::from_vec(rows, columns, elements.to_f32()), format),
        (Format::Text, Some(rows), true) => encode(&Matrix::from_vec(rows, columns, elements.to_f64()), format),
        (Format::Text, None, false) => encode(&Vector::from_vec(elements.to_f32()), format),
        (Format::Text, None, true) => encode(&Vector::from_vec(elements.to_f64()), format),
        (Format::Binary, ..) => {
            let mut head = Vec::with_capacity(32);
            format.write_marker(&mut head);
            let token: &[u8] = match (rows.is_some(), is_double) {
                (true, false) => b"FM",
                (true, true) => b"DM",
                (false, false) => b"FV",
                (false, true) => b"DV",
            };
            write_token(&mut head, token);
            // Without elements there are neither rows nor columns. The sizes were checked.
            let is_empty = elements.as_ref().is_empty();
            let sizes = rows.into_iter().chain([columns]).map(|size| if is_empty { 0 } else { size as i32 });
            sizes.for_each(|size| write_basic(&mut head, format, size));
            if elements.as_ref().len() < SMALL {
                head.extend_from_slice(elements.as_ref());
                return head.into();
            }
            Encoded::of_block(head, Arc::new(elements))
        }
    }
}

fn compressed(key: &[u8], reals: &Reals, format: Format, method: CompressionMethod) -> Result<Encoded> {
    Ok(encode(&compress(key, &reals.floats(), reals.columns, method)?, format))
}

fn compress(key: &[u8], elements: &[f32], columns: usize, method: CompressionMethod) -> Result<CompressedMatrix> {
    let compressed = CompressedMatrix::compress_rows(elements, columns, method)
        .map_err(|error| Failure::new(Class::Data, format!("{}: {error}", kaldi_io::quote_name(key))).at_key(key))?;
    // The loop has no early end, which would slow it down.
    if elements.iter().fold(false, |found, value| found | value.is_nan()) {
        warning!("{}: values that are not numbers are compressed to some number", kaldi_io::quote_name(key));
    }
    Ok(compressed)
}
