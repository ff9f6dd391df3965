//! Training examples in Parquet: a row for each input and output.
//!
//! Rows of one key that follow each other are an example. Columns are `key`, `name`, `rows`, `columns` and the arrays of
//! [`IoArrays`], where `values` are those of a full matrix, and dots of names are `_`. A list is empty where there is none.

use bstr::BString;
use kaldi_any::ValueType;

use crate::array::Array;
use crate::example_arrays::{
    DERIV_WEIGHTS, DIM, FRAMES, FST_WEIGHT, INDEXES, IoArrays, LABEL_DIM, LENGTHS, MATRIX, PARTS, SEQUENCES, WEIGHT,
};
use crate::item::{Item, integers};
use crate::{Error, Result};

/// The column of the name.
pub(crate) const NAME: &str = "name";

/// The columns besides the key: their names, and the parts that they are.
pub(crate) fn columns(table_type: ValueType) -> Vec<(String, &'static str)> {
    let is_chain = table_type == ValueType::Nnet3ChainExample;
    let is_there = |part: &&&str| **part != DIM && **part != INDEXES && (is_chain || is_plain(part));
    let arrays = PARTS.iter().filter(is_there).map(|&part| match part {
        MATRIX => ("values".to_owned(), part),
        part => (part.replace('.', "_"), part),
    });
    [NAME, "rows", "columns", INDEXES].map(|name| (name.to_owned(), name)).into_iter().chain(arrays).collect()
}

/// Whether examples of plain models have the part.
fn is_plain(part: &str) -> bool {
    PARTS.iter().take_while(|it| **it != FRAMES).any(|it| *it == part)
}

/// The numbers of an input or output in a column; [`is_number`] says whether they are a list.
///
/// # Errors
/// If rows of a sparse matrix have different dimensions.
pub(crate) fn numbers(io: &IoArrays, part: &str) -> Result<Array, String> {
    let number = |value: usize| Array::from_i32(&[], &[value as i32]);
    let rows = || io.find(INDEXES).map_or(0, |indexes| indexes.size().0);
    Ok(match (part, io.find(DIM), io.find(part)) {
        ("rows", ..) => number(rows()),
        ("columns", Some(dim), _) if dim.dims().is_empty() => dim.clone(),
        ("columns", Some(_), _) => return Err("expected rows of one dimension for parquet, got several".into()),
        ("columns", None, _) => number(io.find(MATRIX).map_or(0, |matrix| matrix.size().1)),
        (_, _, Some(array)) => array.clone(),
        _ if is_number(part) => number(0),
        (MATRIX | WEIGHT | DERIV_WEIGHTS | FST_WEIGHT, ..) => Array::from_f32(&[0], &[]),
        _ => Array::from_i32(&[0], &[]),
    })
}

/// Whether a column has a number in each row, and not a list.
pub(crate) fn is_number(part: &str) -> bool {
    matches!(part, "rows" | "columns" | FRAMES | SEQUENCES | LABEL_DIM)
}

/// Examples whose rows come one by one.
pub(crate) struct Rows {
    pub(crate) table_type: ValueType,
    open: Option<(BString, Vec<IoArrays>)>,
}

impl Rows {
    pub(crate) fn new(table_type: ValueType) -> Self {
        Self { table_type, open: None }
    }

    /// Takes a row: the key, the name, and the numbers in the columns of [`columns`]; returns the example that ends before it.
    ///
    /// # Errors
    /// If rows do not fit each other.
    pub(crate) fn take(
        &mut self,
        key: BString,
        name: BString,
        arrays: Vec<(&'static str, Array)>,
    ) -> Result<Option<(BString, Item)>> {
        let fault = |message: String| Error::value(&key, format!("{name}: {message}"));
        let number = |part: &str| {
            let array = arrays.iter().find(|(name, _)| *name == part).map(|(_, array)| array);
            let value = integers(array.ok_or("expected a number, got none")?)?;
            let value = value.first().and_then(|&value| usize::try_from(value).ok());
            value.ok_or_else(|| format!("expected {part} to be 0 or more"))
        };
        let (num_rows, num_columns) = (number("rows").map_err(fault)?, number("columns").map_err(fault)?);
        let is_output = self.table_type == ValueType::Nnet3ChainExample && number(FRAMES).map_err(fault)? > 0;
        let mut parts = Vec::new();
        let mut is_sparse = false;
        for (part, array) in arrays {
            let count = array.num_values();
            let dims = match part {
                "rows" | "columns" | FRAMES | SEQUENCES | LABEL_DIM if !is_output => continue,
                "rows" | "columns" => continue,
                _ if count == 0 && part != MATRIX => continue,
                INDEXES => vec![count / 3, 3],
                MATRIX if is_output => continue,
                MATRIX => vec![num_rows, num_columns],
                _ => vec![count],
            };
            is_sparse |= part == LENGTHS;
            if part == MATRIX && count == 0 {
                parts.push((part, Array::from_f32(&[0, 0], &[])));
                continue;
            }
            if dims.iter().try_fold(1_usize, |product, &dim| product.checked_mul(dim)) != Some(count) {
                return Err(fault(format!("expected {dims:?} numbers in {}, got {count}", column_of(part))));
            }
            parts.push((part, Array { dims, ..array }));
        }
        if is_sparse {
            parts.retain(|(part, _)| *part != MATRIX);
            parts.push((DIM, Array::from_i32(&[], &[num_columns as i32])));
        }
        let io = IoArrays { name, parts };
        match &mut self.open {
            Some((open, all)) if *open == key => {
                all.push(io);
                Ok(None)
            }
            open => {
                let ended = open.replace((key, vec![io]));
                self.joined(ended)
            }
        }
    }

    /// The last example.
    ///
    /// # Errors
    /// As [`Rows::take`].
    pub(crate) fn finish(mut self) -> Result<Option<(BString, Item)>> {
        let ended = self.open.take();
        self.joined(ended)
    }

    fn joined(&self, ended: Option<(BString, Vec<IoArrays>)>) -> Result<Option<(BString, Item)>> {
        let Some((key, all)) = ended else { return Ok(None) };
        let item = IoArrays::join(self.table_type, all).map_err(|message| Error::value(&key, message))?;
        Ok(Some((key, item)))
    }
}

fn column_of(part: &str) -> &str {
    if part == MATRIX { "values" } else { part }
}
