//! Values that are numbers, of any type that can be recognized from the value alone.

use kaldi_io::{Encoded, ParseError};
use kaldi_matrix::{GeneralMatrix, HtkFeatures, Matrix, MatrixOrVector, SparseMatrix, SphinxFeatures, Vector};
use kaldi_value::{Cursor, Format, Frame, Value};

type Result<T> = std::result::Result<T, ParseError>;

/// Bytes before the elements of a binary matrix, and of a vector.
const MATRIX_HEADER: usize = 15;
const VECTOR_HEADER: usize = 10;

/// Numbers in single or double precision, or integers.
#[derive(Clone, Debug, PartialEq)]
pub enum Elements {
    /// Single precision.
    Single(Vec<f32>),
    /// Double precision.
    Double(Vec<f64>),
    /// Integers.
    Integer(Vec<i32>),
}

/// A matrix, a vector, or an integer vector. It is a type of values for tables whose type does not have to be known,
/// because each value shows it. The elements of a matrix are row after row.
///
/// Compressed and sparse matrices are read as dense ones, unless there are too many zeros. In text, a single number is a vector with one element. In
/// binary form, single numbers look like vectors of integers, and are not read.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers {
    /// The numbers of rows and columns of a matrix; the dimension of a vector.
    pub dims: Vec<usize>,
    /// All elements.
    pub elements: Elements,
}

/// Where the elements of a binary matrix or vector are. It is neither compressed nor sparse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// As [`Numbers::dims`].
    pub dims: Vec<usize>,
    /// Whether they are in double precision.
    pub is_double: bool,
    /// Bytes before the elements. These are little-endian, without gaps, up to the end.
    pub header: usize,
}

impl Layout {
    /// Finds the elements in the bytes of a value. `None` if the value has to be read.
    pub fn find(bytes: &[u8]) -> Option<Self> {
        let size = |at: usize| {
            let bytes = bytes.get(at..at + 5)?.strip_prefix(&[4])?;
            usize::try_from(i32::from_le_bytes(bytes.try_into().ok()?)).ok()
        };
        let is_double = match bytes {
            [0, b'B', b'F', ..] => false,
            [0, b'B', b'D', ..] => true,
            _ => return None,
        };
        let (dims, header) = match bytes.get(3..5)? {
            b"M " => (vec![size(5)?, size(10)?], MATRIX_HEADER),
            b"V " => (vec![size(5)?], VECTOR_HEADER),
            _ => return None,
        };
        let width = if is_double { 8 } else { 4 };
        let length = dims.iter().try_fold(width, |product: usize, &dim| product.checked_mul(dim))?;
        (bytes.len() == header + length).then_some(Self { dims, is_double, header })
    }

    /// Whether there are numbers, and no number is infinite or not a number.
    pub fn has_finite_numbers(&self, bytes: &[u8]) -> bool {
        let numbers = &bytes[self.header..];
        let are_finite = match self.is_double {
            false => corpus_quality::are_finite(numbers.as_chunks().0),
            true => numbers.as_chunks().0.iter().all(|&bytes| f64::from_le_bytes(bytes).is_finite()),
        };
        !numbers.is_empty() && are_finite
    }
}

/// The kind of a value, from its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NumbersForm {
    /// A matrix in single precision, compressed or sparse.
    Matrix,
    /// A matrix in double precision.
    DoubleMatrix,
    Vector,
    DoubleVector,
    /// Integers; in text also other numbers.
    Line,
}

impl NumbersForm {
    fn of(window: &[u8]) -> Self {
        match window {
            [0, b'B', b'D', b'M', ..] => Self::DoubleMatrix,
            [0, b'B', b'D', b'V', ..] => Self::DoubleVector,
            [0, b'B', b'F', b'V', ..] => Self::Vector,
            [0, b'B', 4, ..] => Self::Line,
            [0, ..] => Self::Matrix,
            text if MatrixOrVector::is_vector(text) => Self::Vector,
            text => match text.trim_ascii_start() {
                [b'[' | b'r', ..] => Self::Matrix,
                _ => Self::Line,
            },
        }
    }
}

impl Value for Numbers {
    const NAME: &'static str = "matrix, vector or integer vector";
    const HAS_FILE_RANGES: bool = true;

    fn frame(window: &[u8], at_end: bool) -> Result<Frame> {
        match NumbersForm::of(window) {
            NumbersForm::Line => Vec::<i32>::frame(window, at_end),
            NumbersForm::Vector | NumbersForm::DoubleVector if window[0] == 0 => Vector::<f32>::frame(window, at_end),
            _ => GeneralMatrix::frame(window, at_end),
        }
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        Ok(match NumbersForm::of(cursor.rest()) {
            NumbersForm::Matrix => dense(cursor, GeneralMatrix::read)?,
            NumbersForm::DoubleMatrix => Matrix::<f64>::read(cursor)?.into(),
            NumbersForm::Vector => Vector::<f32>::read(cursor)?.into(),
            NumbersForm::DoubleVector => Vector::<f64>::read(cursor)?.into(),
            NumbersForm::Line => return read_line(cursor),
        })
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        self.clone().into_encoded(format).slices().for_each(|bytes| out.extend_from_slice(bytes));
    }

    fn into_encoded(self, format: Format) -> Encoded {
        match (self.elements, &self.dims[..]) {
            (Elements::Single(values), &[rows, columns]) => {
                Matrix::from_vec(rows, columns, values).into_encoded(format)
            }
            (Elements::Double(values), &[rows, columns]) => {
                Matrix::from_vec(rows, columns, values).into_encoded(format)
            }
            (Elements::Single(values), _) => Vector::from_vec(values).into_encoded(format),
            (Elements::Double(values), _) => Vector::from_vec(values).into_encoded(format),
            (Elements::Integer(values), _) => values.into_encoded(format),
        }
    }

    fn read_range(cursor: &mut Cursor<'_>, range: &[u8]) -> Result<Self> {
        Ok(match NumbersForm::of(cursor.rest()) {
            NumbersForm::Matrix => dense(cursor, |cursor| GeneralMatrix::read_range(cursor, range))?,
            NumbersForm::DoubleMatrix => Matrix::<f64>::read_range(cursor, range)?.into(),
            NumbersForm::Vector => Vector::<f32>::read_range(cursor, range)?.into(),
            NumbersForm::DoubleVector => Vector::<f64>::read_range(cursor, range)?.into(),
            NumbersForm::Line => Vec::<i32>::read_range(cursor, range)?.into(),
        })
    }
}

/// A matrix with all of its zeros, if these are not too many.
fn dense(cursor: &mut Cursor<'_>, read: impl Fn(&mut Cursor<'_>) -> Result<GeneralMatrix>) -> Result<Numbers> {
    let start = cursor.clone();
    let matrix = read(cursor)?.into_matrix();
    matrix.map(Numbers::from).map_err(|error| start.error(error.to_string()))
}

/// A sparse matrix, if the value that starts with these bytes is one that is not made dense.
pub(crate) fn large_sparse(bytes: &[u8]) -> Option<SparseMatrix<f32>> {
    let sparse = GeneralMatrix::is_sparse(bytes).then(|| SparseMatrix::read(&mut Cursor::new(bytes)))?.ok()?;
    (!sparse.has_few_elements()).then_some(sparse)
}

impl From<Matrix<f32>> for Numbers {
    fn from(matrix: Matrix<f32>) -> Self {
        Self { dims: vec![matrix.num_rows(), matrix.num_cols()], elements: Elements::Single(matrix.into_vec()) }
    }
}

impl From<Matrix<f64>> for Numbers {
    fn from(matrix: Matrix<f64>) -> Self {
        Self { dims: vec![matrix.num_rows(), matrix.num_cols()], elements: Elements::Double(matrix.into_vec()) }
    }
}

impl From<Vector<f32>> for Numbers {
    fn from(vector: Vector<f32>) -> Self {
        Self { dims: vec![vector.dim()], elements: Elements::Single(vector.into_vec()) }
    }
}

impl From<Vector<f64>> for Numbers {
    fn from(vector: Vector<f64>) -> Self {
        Self { dims: vec![vector.dim()], elements: Elements::Double(vector.into_vec()) }
    }
}

impl From<Vec<i32>> for Numbers {
    fn from(values: Vec<i32>) -> Self {
        Self { dims: vec![values.len()], elements: Elements::Integer(values) }
    }
}

/// A matrix if all lists have the same length, else one row of all numbers.
impl From<Vec<Vec<i32>>> for Numbers {
    fn from(lists: Vec<Vec<i32>>) -> Self {
        let num_columns = lists.first().map_or(0, Vec::len);
        let is_matrix = lists.iter().all(|list| list.len() == num_columns);
        let num_rows = lists.len();
        let values = lists.concat();
        let dims = if is_matrix { vec![num_rows, num_columns] } else { vec![values.len()] };
        Self { dims, elements: Elements::Integer(values) }
    }
}

impl From<i32> for Numbers {
    fn from(value: i32) -> Self {
        vec![value].into()
    }
}

impl From<f32> for Numbers {
    fn from(value: f32) -> Self {
        Vector::from_vec(vec![value]).into()
    }
}

impl From<f64> for Numbers {
    fn from(value: f64) -> Self {
        Vector::from_vec(vec![value]).into()
    }
}

/// 0 or 1.
impl From<bool> for Numbers {
    fn from(value: bool) -> Self {
        i32::from(value).into()
    }
}

impl From<HtkFeatures> for Numbers {
    fn from(features: HtkFeatures) -> Self {
        features.into_feats().into()
    }
}

impl From<SphinxFeatures> for Numbers {
    fn from(features: SphinxFeatures) -> Self {
        features.into_feats().into()
    }
}

/// Reads integers, or a single number with a fraction from a line of text.
fn read_line(cursor: &mut Cursor<'_>) -> Result<Numbers> {
    let mut number = cursor.clone();
    let error = match Vec::<i32>::read(cursor) {
        Ok(values) => return Ok(values.into()),
        Err(error) => error,
    };
    let mut large = number.clone();
    if let Ok(value) = f32::read(&mut number) {
        *cursor = number;
        return Ok(value.into());
    }
    // Beyond the range of single precision.
    let value = f64::read(&mut large).map_err(|_| error)?;
    *cursor = large;
    Ok(value.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Numbers {
        let mut cursor = Cursor::new(bytes);
        let numbers = Numbers::read(&mut cursor).unwrap();
        assert_eq!(Numbers::frame(bytes, true), Ok(Frame::Whole(cursor.offset())), "{}", bytes.escape_ascii());
        numbers
    }

    #[test]
    fn every_type_is_known_by_its_bytes() {
        for numbers in [
            Numbers::from(Matrix::from_vec(1, 2, vec![0.5_f32, 1.5])),
            Numbers::from(Matrix::from_vec(2, 1, vec![0.5_f64, 1.5])),
            Numbers::from(Vector::from_vec(vec![1.0_f32; 3])),
            Numbers::from(Vector::from_vec(vec![1.0_f64; 3])),
            Numbers::from(vec![1, 2]),
        ] {
            let bytes = numbers.to_bytes(Format::Binary);
            assert_eq!(read(&bytes), numbers);
            let layout = Layout::find(&bytes);
            let is_double = matches!(numbers.elements, Elements::Double(_));
            assert_eq!(layout.is_none(), matches!(numbers.elements, Elements::Integer(_)));
            assert!(layout.is_none_or(|layout| layout.dims == numbers.dims && layout.is_double == is_double));
            assert!(Layout::find(&bytes[..bytes.len() - 1]).is_none());
            // Text has no precision.
            let text = numbers.to_bytes(Format::Text);
            assert_eq!(read(&text).dims, numbers.dims, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn sparse_and_single_numbers_are_dense() {
        for (bytes, numbers) in [
            (&b"rows=1 dim=2 [ 1 0.5 ] \n"[..], Numbers::from(Matrix::from_vec(1, 2, vec![0.0_f32, 0.5]))),
            (b"0.5\n", Vector::from_vec(vec![0.5_f32]).into()),
            (b"1e+300\n", Vector::from_vec(vec![1e300_f64]).into()),
            (b"7\n", vec![7].into()),
            (b"\n", Vec::<i32>::new().into()),
        ] {
            assert_eq!(read(bytes), numbers, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn lists_of_one_length_are_a_matrix() {
        let dims = |lists: &[Vec<i32>]| Numbers::from(lists.to_vec()).dims;
        assert_eq!(dims(&[vec![1, 2], vec![3, 4], vec![5, 6]]), [3, 2]);
        assert_eq!(dims(&[vec![1, 2], vec![3]]), [3]);
        assert_eq!(dims(&[]), [0, 0]);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["a b\n", "1 2 x\n", "0.5 1.5\n", "[ a ]\n"] {
            assert!(Numbers::read(&mut Cursor::new(text.as_bytes())).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_range_is_cut_out() {
        let numbers = Numbers::read_range(&mut Cursor::new(b" [\n 1 2\n 3 4 ]\n"), b"1:1,0:0").unwrap();
        assert_eq!(numbers, Matrix::from_vec(1, 1, vec![3.0_f32]).into());
    }
}
