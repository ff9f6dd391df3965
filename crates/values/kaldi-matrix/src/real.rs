//! The two precisions.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Sub};
use std::sync::Arc;

use byteorder::{ByteOrder, LittleEndian};
use kaldi_io::Encoded;
use kaldi_value::Basic;
use kaldi_value::number::RowError;

use crate::dense::{self, DenseFns};
use crate::factor::{Factor, Product};
use crate::row_products;

/// A floating-point type of the elements of matrices and vectors: `f32` or `f64`.
pub trait Real:
    Basic
    + Debug
    + Default
    + PartialEq
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + AddAssign
    + MulAssign
    + Storage
    + 'static
{
    /// Converts to the nearest value of this precision; an infinity if it is too large.
    fn from_f64(value: f64) -> Self;

    /// Converts without loss.
    fn to_f64(self) -> f64;

    /// Raises e to this power.
    fn exp(self) -> Self;

    /// Takes the natural logarithm: negative infinity at zero, NaN below.
    fn ln(self) -> Self;
}

/// What the formats and the products need to know about a precision. It is not visible outside the crate, so that
/// nobody adds a third one.
pub trait Storage: Sized {
    /// The token of a binary matrix.
    const MATRIX_TOKEN: &'static str;

    /// The token of a binary vector.
    const VECTOR_TOKEN: &'static str;

    /// Appends the results of `convert` for the little-endian numbers in `bytes`.
    fn decode_le<T: Real>(bytes: &[u8], out: &mut Vec<T>, convert: impl Fn(Self) -> T);

    /// Appends the little-endian bytes of each number.
    fn encode_le(out: &mut Vec<u8>, values: &[Self]);

    /// Appends the numbers of a row of text to `values`; returns the length consumed.
    fn parse_row(text: &[u8], values: &mut Vec<Self>) -> Result<usize, RowError>;

    /// Appends each number and a space after it.
    fn write_row(out: &mut Vec<u8>, row: &[Self]);

    /// Computes a matrix product into `out`.
    fn gemm(product: &Product<'_, Self>, out: &mut [Self]);

    /// The functions that read and write matrices and vectors of this precision.
    fn dense() -> &'static DenseFns<Self>;
}

/// The bytes of numbers in files, if memory has the same order.
pub(crate) fn as_le_bytes<T: Real>(values: &[T]) -> Option<&[u8]> {
    if cfg!(target_endian = "big") {
        return None;
    }
    #[allow(unsafe_code)]
    // SAFETY: the two types that implement `Real` have no padding, and any memory may be read as bytes.
    Some(unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) })
}

/// Elements whose bytes are written as they are.
struct NativeBytes<T, E>(E, PhantomData<T>);

impl<T: Real, E: AsRef<[T]>> AsRef<[u8]> for NativeBytes<T, E> {
    fn as_ref(&self) -> &[u8] {
        as_le_bytes(self.0.as_ref()).unwrap_or_default()
    }
}

/// Appends elements, such as a vector of them, to the `head` of their value, without a copy if possible.
pub fn encode_elements<T: Real, E: AsRef<[T]> + Send + Sync + 'static>(mut head: Vec<u8>, elements: E) -> Encoded {
    if as_le_bytes(elements.as_ref()).is_none() {
        T::encode_le(&mut head, elements.as_ref());
        return head.into();
    }
    Encoded::of_block(head, Arc::new(NativeBytes(elements, PhantomData::<T>)))
}

/// GEMM with the arguments of BLAS: sizes (rows, inner, columns), alpha, two factors with their strides, beta, the result with its
/// strides.
type Gemm<T> =
    unsafe fn(usize, usize, usize, T, *const T, isize, isize, *const T, isize, isize, T, *mut T, isize, isize);

/// Computes a product by GEMM.
fn multiply<T: Real>(gemm: Gemm<T>, product: &Product<'_, T>, out: &mut [T]) {
    product.check(out.len());
    let Product { left, right, beta } = product;
    let strides = |factor: &Factor<'_, T>| (factor.strides.0 as isize, factor.strides.1 as isize);
    let ((a_row, a_col), (b_row, b_col)) = (strides(left), strides(right));
    let (rows, inner, cols) = (left.rows, left.cols, right.cols);
    let (one, a, b, c) = (T::from_f64(1.0), left.data.as_ptr(), right.data.as_ptr(), out.as_mut_ptr());
    // SAFETY: `check` has made sure that all elements at these sizes and strides are in the slices.
    #[allow(unsafe_code)]
    unsafe {
        gemm(rows, inner, cols, one, a, a_row, a_col, b, b_row, b_col, *beta, c, cols as isize, 1);
    }
}

impl Real for f32 {
    #[inline]
    fn from_f64(value: f64) -> Self {
        value as Self
    }

    #[inline]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }

    fn exp(self) -> Self {
        self.exp()
    }

    fn ln(self) -> Self {
        self.ln()
    }
}

impl Storage for f32 {
    const MATRIX_TOKEN: &'static str = "FM";
    const VECTOR_TOKEN: &'static str = "FV";

    fn decode_le<T: Real>(bytes: &[u8], out: &mut Vec<T>, convert: impl Fn(Self) -> T) {
        out.extend(bytes.as_chunks::<4>().0.iter().map(|word| convert(LittleEndian::read_f32(word))));
    }

    fn encode_le(out: &mut Vec<u8>, values: &[Self]) {
        match as_le_bytes(values) {
            Some(bytes) => out.extend_from_slice(bytes),
            None => out.extend(values.iter().flat_map(|value| value.to_le_bytes())),
        }
    }

    fn parse_row(text: &[u8], values: &mut Vec<Self>) -> Result<usize, RowError> {
        kaldi_value::number::parse_f32_row(text, values)
    }

    fn write_row(out: &mut Vec<u8>, row: &[Self]) {
        kaldi_value::number::write_f32_row(out, row);
    }

    fn gemm(product: &Product<'_, Self>, out: &mut [Self]) {
        if !row_products::multiply(product, out) {
            multiply(matrixmultiply::sgemm, product, out);
        }
    }

    fn dense() -> &'static DenseFns<Self> {
        &dense::SINGLE
    }
}

impl Real for f64 {
    #[inline]
    fn from_f64(value: f64) -> Self {
        value
    }

    #[inline]
    fn to_f64(self) -> f64 {
        self
    }

    fn exp(self) -> Self {
        self.exp()
    }

    fn ln(self) -> Self {
        self.ln()
    }
}

impl Storage for f64 {
    const MATRIX_TOKEN: &'static str = "DM";
    const VECTOR_TOKEN: &'static str = "DV";

    fn decode_le<T: Real>(bytes: &[u8], out: &mut Vec<T>, convert: impl Fn(Self) -> T) {
        out.extend(bytes.as_chunks::<8>().0.iter().map(|word| convert(LittleEndian::read_f64(word))));
    }

    fn encode_le(out: &mut Vec<u8>, values: &[Self]) {
        match as_le_bytes(values) {
            Some(bytes) => out.extend_from_slice(bytes),
            None => out.extend(values.iter().flat_map(|value| value.to_le_bytes())),
        }
    }

    fn parse_row(text: &[u8], values: &mut Vec<Self>) -> Result<usize, RowError> {
        kaldi_value::number::parse_f64_row(text, values)
    }

    fn write_row(out: &mut Vec<u8>, row: &[Self]) {
        kaldi_value::number::write_f64_row(out, row);
    }

    fn gemm(product: &Product<'_, Self>, out: &mut [Self]) {
        multiply(matrixmultiply::dgemm, product, out);
    }

    fn dense() -> &'static DenseFns<Self> {
        &dense::DOUBLE
    }
}
