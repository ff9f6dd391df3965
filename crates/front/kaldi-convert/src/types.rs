//! The types of tables: a row for each says how its values become entries of files of other programs, and come from them.

use std::sync::LazyLock;

use array_files::DType;
use bstr::{BStr, BString};
use kaldi_any::ValueType;
use kaldi_egs::{NnetChainExample, NnetExample};
use kaldi_inspect::{Elements, Layout, Named, Numbers};
use kaldi_io::Encoded;
use kaldi_io::log::warning;
use kaldi_lattice::{CompactLattice, Fst, Lattice};
use kaldi_matrix::{HtkFeatures, SphinxFeatures};
use kaldi_table::{Entry, Erased, Record, SequentialReader, WorkError};
use kaldi_value::{Format, GaussPost, IntMatrix, Posterior, Token, Tokens, Value};
use kaldi_wave::Wave;

use crate::array::Array;
use crate::exact::Exact;
use crate::item::{Compound, Item};
use crate::json_read::{expected, numbers_or_words, parse_numbers, plain};
use crate::text_read::{Body, Lines, double, float, integer, integers_of, one_field, truth, vector_of, words_of};
use crate::{Error, Result};

/// What is done with values of a type. The functions hide the type of Rust (type erasure): what calls them is compiled once.
#[derive(Debug)]
pub(crate) struct Row {
    open: fn(&BStr) -> kaldi_inspect::Result<SequentialReader<Erased>>,
    read: fn(&Entry<'_, Erased>) -> Result<Item, WorkError>,
    /// Makes the bytes of a value of a table; `None` if such tables are those of other programs themselves.
    encode: Option<Encode>,
    /// The dimensions of an array that is a value; `None` if no single array is one.
    pub(crate) num_dims: Option<usize>,
    /// The names of the arrays that a value becomes, if it takes several.
    pub(crate) part_names: fn() -> &'static [&'static str],
    /// Puts a value together from these arrays.
    pub(crate) join: fn(&[Array]) -> Result<Item, String>,
    /// Reads the value of a line of JSON.
    pub(crate) parse_json: fn(&str) -> Result<Item, String>,
    /// What lines of CSV and TSV are.
    pub(crate) lines: Lines,
}

type Encode = fn(&Destination<'_>, Item) -> Result<Encoded, Refusal>;

/// Where a value goes.
struct Destination<'a> {
    key: &'a BStr,
    table_type: ValueType,
    format: Format,
}

/// Why an item is no value of a type: what is wrong with it, or `None` for a value of another form.
type Refusal = Option<String>;

/// A value that files of other programs have.
pub(crate) trait Exchange: Value {
    /// See [`Row::num_dims`].
    const NUM_DIMS: Option<usize> = None;
    /// See [`Row::lines`].
    const LINES: Lines = Lines::None;

    /// Gives the value away.
    fn into_item(self) -> Item;

    /// Takes a value; an array has [`Exchange::NUM_DIMS`].
    fn from_item(_: Item) -> Result<Self, Refusal> {
        Err(None)
    }

    /// Reads the value of a line of JSON.
    fn parse_json(text: &str) -> Result<Item, String> {
        if Self::NUM_DIMS.is_some() { parse_numbers(text) } else { numbers_or_words(text) }
    }
}

impl Row {
    /// A type of tables that can be made.
    const fn of<T: Exchange>() -> Self {
        Self { encode: Some(encode::<T>), ..Self::read_only::<T>() }
    }

    const fn read_only<T: Exchange>() -> Self {
        Self {
            open: |name| Ok(Named::open::<T>(name)?.erased()),
            read: |entry| Ok(entry.read_as::<T>()?.into_item()),
            encode: None,
            num_dims: T::NUM_DIMS,
            part_names: || &[],
            join: |parts| Err(format!("expected one array, got {}", parts.len())),
            parse_json: T::parse_json,
            lines: T::LINES,
        }
    }

    /// A type whose values are no single array, and have no lines.
    const fn compound<T: Compound + Value>() -> Self {
        Self {
            open: |name| Ok(Named::open::<T>(name)?.erased()),
            read: |entry| Ok(entry.read_as::<T>()?.into()),
            encode: Some(|destination, item| {
                let value: T = item.downcast()?;
                if destination.format == Format::Text {
                    value.check_text()?;
                }
                encoded(destination, value)
            }),
            num_dims: None,
            part_names: T::part_names,
            join: |parts| Ok(T::from_parts(parts)?.into()),
            parse_json: T::parse_json,
            lines: Lines::None,
        }
    }

    /// Matrices or vectors. A table that is read may have both, and integer vectors, as each value shows.
    const fn of_numbers(num_dims: usize, lines: Lines, encode: Encode) -> Self {
        Self { read: read_numbers, num_dims: Some(num_dims), lines, encode: Some(encode), ..Self::of::<Numbers>() }
    }
}

/// The row of a type; `None` if values are known only as bytes.
pub(crate) fn row(value_type: ValueType) -> Option<&'static Row> {
    Some(match value_type {
        ValueType::Matrix => const { &Row::of_numbers(2, Lines::Rows(Body::numbers), encode_matrix) },
        ValueType::Vector => const { &Row::of_numbers(1, Lines::Line(|line, _| vector_of(line)), encode_vector) },
        ValueType::Int32Vector => const { &Row::of_numbers(1, <Vec<i32>>::LINES, encode::<Vec<i32>>) },
        ValueType::Wave => const { &Row::compound::<Wave>() },
        ValueType::Int32 => const { &Row::of::<i32>() },
        ValueType::Float => const { &Row::of::<f32>() },
        ValueType::Double => const { &Row::of::<f64>() },
        ValueType::Bool => const { &Row::of::<bool>() },
        ValueType::Int32Matrix => const { &Row::of::<IntMatrix>() },
        ValueType::Int32VectorVector => {
            const { &Row { lines: Lines::Rows(|| Body::Lists(Vec::new())), ..Row::compound::<Vec<Vec<i32>>>() } }
        }
        ValueType::Int32Pairs => const { &Row::of::<Vec<(i32, i32)>>() },
        ValueType::FloatPairs => const { &Row::of::<Vec<(f32, f32)>>() },
        ValueType::Posterior => {
            const { &Row { lines: Lines::Rows(|| Body::Frames(Vec::new())), ..Row::compound::<Posterior>() } }
        }
        ValueType::GaussPost => const { &Row::compound::<GaussPost>() },
        ValueType::Token => const { &Row::of::<Token>() },
        ValueType::TokenVector => const { &Row::of::<Tokens>() },
        ValueType::Htk => const { &Row::read_only::<HtkFeatures>() },
        ValueType::Sphinx => const { &Row::read_only::<SphinxFeatures>() },
        ValueType::Nnet3Example => const { &Row::compound::<NnetExample>() },
        ValueType::Nnet3ChainExample => const { &Row::compound::<NnetChainExample>() },
        ValueType::Lattice => const { &Row::compound::<Lattice>() },
        ValueType::CompactLattice => const { &Row::compound::<CompactLattice>() },
        ValueType::Fst => const { &Row::compound::<Fst>() },
        ValueType::Unknown => return None,
    })
}

/// The table types that `table-import` can create, by name. `ark-to-scp --type` has the same names.
pub fn table_types() -> &'static [(&'static str, ValueType)] {
    static MADE: LazyLock<Vec<(&str, ValueType)>> = LazyLock::new(|| {
        let is_made = |value_type| row(value_type).is_some_and(|row| row.encode.is_some());
        ValueType::NAMES.iter().filter(|(_, value_type)| is_made(*value_type)).copied().collect()
    });
    &MADE
}

/// The names of the arrays that a value becomes, if it takes several.
pub(crate) fn part_names(table_type: ValueType) -> &'static [&'static str] {
    row(table_type).map_or(&[], |row| (row.part_names)())
}

/// The types whose values are several arrays. A type whose names are among those of another one comes after it.
pub(crate) fn types_of_parts() -> Vec<ValueType> {
    let mut types: Vec<ValueType> =
        ValueType::ALL.iter().copied().filter(|value_type| !part_names(*value_type).is_empty()).collect();
    types.sort_by_key(|value_type| std::cmp::Reverse(part_names(*value_type).len()));
    types
}

/// A type of values that can be exported: how a table of them is opened, and how one is read.
#[derive(Clone, Copy, Debug)]
pub struct ExportedType(&'static Row);

impl ExportedType {
    /// That of a type of values; `None` if they are not exported. Vectors and matrices of all numbers are read as [`Numbers`].
    pub fn of(value_type: ValueType) -> Option<Self> {
        row(value_type).map(Self)
    }

    /// Opens a table of such values, or a single value; see [`Named::open`].
    ///
    /// # Errors
    /// As [`Named::open`].
    pub fn open(self, name: &BStr) -> kaldi_inspect::Result<SequentialReader<Erased>> {
        (self.0.open)(name)
    }

    /// Reads the value of an entry.
    pub(crate) fn read(self, entry: &Entry<'_, Erased>) -> Result<Item, WorkError> {
        (self.0.read)(entry)
    }
}

/// Makes the entry of a table of this type from a value. Numbers are converted where that is exact; a single number of a
/// table of type `float` is rounded.
///
/// # Errors
/// If the value is of another form, or the type cannot represent a number.
pub fn to_record(key: &BStr, item: Item, table_type: ValueType, format: Format) -> Result<Record<Numbers>> {
    let found = item.table_type();
    let row = row(table_type);
    let encoded = match (row.and_then(|row| row.encode), &item) {
        (_, Item::Array(array)) if let Err(message) = check_array(array, table_type) => Err(Some(message)),
        (Some(encode), _) => encode(&Destination { key, table_type, format }, item),
        (None, _) => Err(None),
    };
    let encoded = encoded.map_err(|refusal| {
        let mismatch =
            || format!("expected a value for a table of type {table_type}, got {found}; `type` says what it is");
        Error::value(key, refusal.unwrap_or_else(mismatch))
    })?;
    Ok(Record::from_bytes(key, encoded))
}

fn encode<T: Exchange>(destination: &Destination<'_>, item: Item) -> Result<Encoded, Refusal> {
    encoded(destination, T::from_item(item)?)
}

/// The bytes of a value. What is lost is a warning.
fn encoded<T: Value>(destination: &Destination<'_>, value: T) -> Result<Encoded, Refusal> {
    let Destination { key, table_type, format } = *destination;
    if format == Format::Text && !T::HAS_TEXT {
        return Err(Some(format!("a {table_type} has no text form (remove the option t of the table)")));
    }
    if let Some(loss) = value.loss() {
        warning!("{key}: {loss}");
    }
    Ok(value.into_encoded(format))
}

/// Returns an error for an array that is no value of the type.
fn check_array(array: &Array, table_type: ValueType) -> Result<(), String> {
    let found = array.dims.len();
    let Some(wanted) = row(table_type).and_then(|row| row.num_dims) else {
        let form = match part_names(table_type) {
            [] if table_type.is_example() => "arrays named <key>.<name> and <key>.<name>.indexes".to_owned(),
            [] => "words".to_owned(),
            names => format!("arrays named <key>.{}", names.join(" and <key>.")),
        };
        return Err(format!("expected {form} for a {table_type}, got an array of {found} dimension(s)"));
    };
    // Empty values have no rows and columns to compare; a number equals a vector with one element.
    let is_one = found + wanted == 1 && array.num_values() == 1;
    if found != wanted && !is_one && (!array.is_empty() || wanted == 0) {
        return Err(format!(
            "expected an array of {wanted} dimension(s) for a {table_type}, got {found}; `type` says what it is"
        ));
    }
    match array.dims.iter().find(|&&dim| i32::try_from(dim).is_err()) {
        Some(dim) => Err(format!("expected sizes of at most {}, got {dim}", i32::MAX)),
        None => Ok(()),
    }
}

/// The sizes and the numbers of an array.
fn numbers(item: Item) -> Result<(Vec<usize>, Exact), Refusal> {
    match item {
        Item::Array(array) => Ok((array.dims.clone(), Exact::of(&array))),
        _ => Err(None),
    }
}

/// Reads a matrix, a vector or integers. Bytes stay where they are if possible.
fn read_numbers(entry: &Entry<'_, Erased>) -> Result<Item, WorkError> {
    let lies_there = entry.bytes().and_then(Layout::find).zip(entry.shared_bytes());
    if let Some((Layout { dims, is_double, header }, mut data)) = lies_there {
        data.skip(header);
        let dtype = if is_double { DType::Float64 } else { DType::Float32 };
        return Ok(Array { dtype, dims, data }.into());
    }
    Ok(entry.read_as::<Numbers>()?.into_item())
}

impl Exchange for Numbers {
    const NUM_DIMS: Option<usize> = Some(2);

    fn into_item(self) -> Item {
        Array::from(self).into()
    }

    fn from_item(item: Item) -> Result<Self, Refusal> {
        let (dims, numbers) = numbers(item)?;
        let elements = match numbers.into_real()? {
            Exact::Double(values) => Elements::Double(values),
            Exact::Single(values) => Elements::Single(values),
            Exact::Integer(_) => return Err(Some("expected real numbers, got integers".into())),
        };
        Ok(Self { dims, elements })
    }
}

fn encode_matrix(destination: &Destination<'_>, item: Item) -> Result<Encoded, Refusal> {
    let is_empty = item.is_empty_array();
    let mut matrix = Numbers::from_item(item)?;
    if is_empty {
        matrix.dims = vec![0, 0];
    }
    Ok(matrix.into_encoded(destination.format))
}

fn encode_vector(destination: &Destination<'_>, item: Item) -> Result<Encoded, Refusal> {
    let mut vector = Numbers::from_item(item)?;
    vector.dims = vec![vector.dims.iter().product()];
    Ok(vector.into_encoded(destination.format))
}

impl Exchange for i32 {
    const NUM_DIMS: Option<usize> = Some(0);
    const LINES: Lines = Lines::Line(|line, value_type| Ok(integer(one_field(line, value_type)?)?.into_item()));

    fn into_item(self) -> Item {
        Array::from_i32(&[], &[self]).into()
    }

    fn from_item(item: Item) -> Result<Self, Refusal> {
        Ok(numbers(item)?.1.to_i32()?[0])
    }
}

impl Exchange for f32 {
    const NUM_DIMS: Option<usize> = Some(0);
    const LINES: Lines = Lines::Line(|line, value_type| Ok(float(one_field(line, value_type)?)?.into_item()));

    fn into_item(self) -> Item {
        Array::from_f32(&[], &[self]).into()
    }

    fn from_item(item: Item) -> Result<Self, Refusal> {
        Ok(f64::from_item(item)? as f32)
    }
}

impl Exchange for f64 {
    const NUM_DIMS: Option<usize> = Some(0);
    const LINES: Lines = Lines::Line(|line, value_type| Ok(double(one_field(line, value_type)?)?.into_item()));

    fn into_item(self) -> Item {
        Array::from_f64(&[], &[self]).into()
    }

    fn from_item(item: Item) -> Result<Self, Refusal> {
        Ok(numbers(item)?.1.to_f64()[0])
    }

    fn parse_json(text: &str) -> Result<Item, String> {
        Ok(double(plain(text).as_bytes())?.into_item())
    }
}

impl Exchange for bool {
    const NUM_DIMS: Option<usize> = Some(0);
    const LINES: Lines = Lines::Line(|line, value_type| Ok(truth(one_field(line, value_type)?)?.into_item()));

    fn into_item(self) -> Item {
        Array::new(DType::Bool, &[], vec![u8::from(self)]).into()
    }

    fn from_item(item: Item) -> Result<Self, Refusal> {
        match i32::from_item(item)? {
            value @ (0 | 1) => Ok(value == 1),
            other => Err(Some(format!("expected a truth value, 0 or 1, got {other}"))),
        }
    }
}

impl Exchange for Vec<i32> {
    const NUM_DIMS: Option<usize> = Some(1);
    const LINES: Lines = Lines::Line(|line, _| Ok(integers_of(line)?.into_item()));

    fn into_item(self) -> Item {
        Array::from_i32(&[self.len()], &self).into()
    }

    fn from_item(item: Item) -> Result<Self, Refusal> {
        Ok(numbers(item)?.1.to_i32()?)
    }
}

impl Exchange for Vec<(i32, i32)> {
    const NUM_DIMS: Option<usize> = Some(2);
    const LINES: Lines = Lines::Rows(|| Body::Integers(Vec::new()));

    fn into_item(self) -> Item {
        let values: Vec<i32> = self.iter().flat_map(|&(first, second)| [first, second]).collect();
        Array::from_i32(&[self.len(), 2], &values).into()
    }

    fn from_item(item: Item) -> Result<Self, Refusal> {
        let (dims, numbers) = numbers(item)?;
        Ok(pairs(numbers.to_i32()?, &dims)?)
    }

    fn parse_json(text: &str) -> Result<Item, String> {
        Ok(serde_json::from_str::<Self>(text).map_err(expected("a list of pairs of integers"))?.into_item())
    }
}

impl Exchange for Vec<(f32, f32)> {
    const NUM_DIMS: Option<usize> = Some(2);
    const LINES: Lines = Lines::Rows(Body::numbers);

    fn into_item(self) -> Item {
        let values: Vec<f32> = self.iter().flat_map(|&(first, second)| [first, second]).collect();
        Array::from_f32(&[self.len(), 2], &values).into()
    }

    fn from_item(item: Item) -> Result<Self, Refusal> {
        let (dims, numbers) = numbers(item)?;
        match numbers.into_real()? {
            Exact::Single(values) => Ok(pairs(values, &dims)?),
            _ => Err(Some("expected numbers of single precision, got double: convert them before".into())),
        }
    }
}

impl Exchange for IntMatrix {
    const NUM_DIMS: Option<usize> = Some(2);
    const LINES: Lines = Lines::Rows(|| Body::Lists(Vec::new()));

    fn into_item(self) -> Item {
        Array::from_i32(&[self.num_rows(), self.num_cols()], self.as_slice()).into()
    }

    fn from_item(item: Item) -> Result<Self, Refusal> {
        let lists = match item {
            Item::Array(array) => match array.dims[..] {
                [rows, columns] => return Ok(Self::from_vec(rows, columns, Exact::of(&array).to_i32()?)),
                _ => vec![Exact::of(&array).to_i32()?],
            },
            lists => lists.downcast::<Vec<Vec<i32>>>()?,
        };
        Self::from_rows(&lists).map_err(|error| Some(error.to_string()))
    }

    fn parse_json(text: &str) -> Result<Item, String> {
        let rows: Vec<Vec<i32>> = serde_json::from_str(text).map_err(expected("rows of integers in a list"))?;
        Ok(Self::from_rows(&rows).map_err(|error| error.to_string())?.into_item())
    }
}

impl Exchange for Token {
    const LINES: Lines = Lines::Line(|line, _| match words_of(line).collect::<Vec<_>>()[..] {
        [word] => Ok(Item::Word(word.into())),
        ref other => Err(format!("expected one word, got {}", other.len())),
    });

    fn into_item(self) -> Item {
        Item::Word(self.into_inner())
    }

    fn from_item(item: Item) -> Result<Self, Refusal> {
        match item {
            Item::Word(word) => Self::new(word).map_err(|error| Some(error.message.into())),
            _ => Err(None),
        }
    }
}

impl Exchange for Tokens {
    const LINES: Lines = Lines::Line(|line, _| Ok(Item::Words(words_of(line).map(BString::from).collect())));

    fn into_item(self) -> Item {
        Item::Words(self.iter().map(ToOwned::to_owned).collect())
    }

    fn from_item(item: Item) -> Result<Self, Refusal> {
        let words = match item {
            Item::Word(word) => vec![word],
            Item::Words(words) => words,
            _ => return Err(None),
        };
        Self::new(&words).map_err(|error| Some(error.message.into()))
    }

    fn parse_json(text: &str) -> Result<Item, String> {
        if text.starts_with('"') {
            return numbers_or_words(text);
        }
        let words: Vec<String> = serde_json::from_str(text).map_err(expected("a list of words"))?;
        Ok(Item::Words(words.into_iter().map(BString::from).collect()))
    }
}

impl Exchange for HtkFeatures {
    fn into_item(self) -> Item {
        Numbers::from(self.into_feats()).into_item()
    }
}

impl Exchange for SphinxFeatures {
    fn into_item(self) -> Item {
        Numbers::from(self.into_feats()).into_item()
    }
}

fn pairs<T: Copy>(values: Vec<T>, dims: &[usize]) -> Result<Vec<(T, T)>, String> {
    if !values.is_empty() && dims.last() != Some(&2) {
        return Err(format!("expected rows of two numbers for pairs, got {dims:?}"));
    }
    Ok(values.as_chunks().0.iter().map(|&[first, second]| (first, second)).collect())
}
