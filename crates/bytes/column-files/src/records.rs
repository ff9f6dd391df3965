//! What a row of Parquet has in a column: values with levels, and the lists that these say.
//!
//! A value that repeats something has the number of the list that it goes on with. How far it is defined says whether it is there, and
//! which lists around it are empty or not there:
//!
//! ```text
//! [[1, 2], [], null]      value 1, 2      repeats 0 2 1 1      defined 5 5 3 2
//! ```

use std::ops::Range;

use array_files::DType;
use bytes::Bytes;
use half::f16;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;

use crate::file::plain;
use crate::value::{ColumnNumbers, NOTHING, UNEQUAL};
use crate::{ColumnValue, Leaf};

/// Reads the value of a row.
pub(crate) fn read_value(reader: &mut ColumnReader, leaf: &Leaf) -> Result<ColumnValue, String> {
    match reader {
        ColumnReader::BoolColumnReader(column) => value(column, leaf, |&value| ColumnValue::Truth(value)),
        ColumnReader::Int32ColumnReader(column) if leaf.is_unsigned => {
            value(column, leaf, |&value| ColumnValue::Unsigned(value.cast_unsigned().into()))
        }
        ColumnReader::Int32ColumnReader(column) => value(column, leaf, |&value| ColumnValue::Integer(value.into())),
        ColumnReader::Int64ColumnReader(column) if leaf.is_unsigned => {
            value(column, leaf, |&value| ColumnValue::Unsigned(value.cast_unsigned()))
        }
        ColumnReader::Int64ColumnReader(column) => value(column, leaf, |&value| ColumnValue::Integer(value)),
        ColumnReader::FloatColumnReader(column) => value(column, leaf, |&value| ColumnValue::Single(value)),
        ColumnReader::DoubleColumnReader(column) => value(column, leaf, |&value| ColumnValue::Double(value)),
        ColumnReader::ByteArrayColumnReader(column) => {
            value(column, leaf, |value| ColumnValue::Bytes(Bytes::copy_from_slice(value.data())))
        }
        ColumnReader::FixedLenByteArrayColumnReader(column) => value(column, leaf, |value| match *value.data() {
            [low, high] if leaf.is_half => ColumnValue::Single(f16::from_le_bytes([low, high]).to_f32()),
            ref bytes => ColumnValue::Bytes(Bytes::copy_from_slice(bytes)),
        }),
        ColumnReader::Int96ColumnReader(_) => Err("a timestamp is not read".to_owned()),
    }
}

/// Reads the numbers of a row.
pub(crate) fn read_numbers(reader: &mut ColumnReader, leaf: &Leaf) -> Result<ColumnNumbers, String> {
    match reader {
        ColumnReader::BoolColumnReader(column) => numbers(column, leaf, |&it, bytes| bytes.push(u8::from(it))),
        ColumnReader::Int32ColumnReader(column) => numbers(column, leaf, |it, bytes| bytes.extend(it.to_le_bytes())),
        ColumnReader::Int64ColumnReader(column) => numbers(column, leaf, |it, bytes| bytes.extend(it.to_le_bytes())),
        ColumnReader::FloatColumnReader(column) => numbers(column, leaf, |it, bytes| bytes.extend(it.to_le_bytes())),
        ColumnReader::DoubleColumnReader(column) => numbers(column, leaf, |it, bytes| bytes.extend(it.to_le_bytes())),
        ColumnReader::FixedLenByteArrayColumnReader(column) => {
            numbers(column, leaf, |it, bytes| bytes.extend(it.data()))
        }
        _ => Err(format!("expected numbers, got a {leaf}")),
    }
}

/// The values of a row that are there, and the levels of all.
struct Record<T> {
    values: Vec<T>,
    levels: Vec<i16>,
    repeats: Vec<i16>,
}

impl<T> Record<T> {
    fn read<D: DataType<T = T>>(column: &mut ColumnReaderImpl<D>) -> Result<Self, String> {
        let mut record = Self { values: Vec::new(), levels: Vec::new(), repeats: Vec::new() };
        let Self { values, levels, repeats } = &mut record;
        match column.read_records(1, Some(levels), Some(repeats), values).map_err(|error| plain(&error))?.0 {
            1 => Ok(record),
            _ => Err("expected a value in every column, got the end of one".to_owned()),
        }
    }

    /// Where each value of a list starts and ends, which is inside of so many others.
    fn parts(&self, list: Range<usize>, depth: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut start = list.start;
        std::iter::from_fn(move || {
            let part = start..list.end;
            let goes_on = |repeat: i16| usize::try_from(repeat).is_ok_and(|repeat| repeat > depth + 1);
            let ends = |at: &usize| !self.repeats.get(*at).copied().is_some_and(goes_on);
            start = (part.start + 1..part.end).find(ends).unwrap_or(list.end);
            (!part.is_empty()).then_some(part.start..start)
        })
    }

    fn level(&self, at: usize) -> i16 {
        self.levels.get(at).copied().unwrap_or(0)
    }
}

fn value<D: DataType>(
    column: &mut ColumnReaderImpl<D>,
    leaf: &Leaf,
    convert: impl Fn(&D::T) -> ColumnValue,
) -> Result<ColumnValue, String> {
    /// The value of a part of a record.
    fn assemble<T>(
        record: &Record<T>,
        leaf: &Leaf,
        (part, depth): (Range<usize>, usize),
        next: &mut impl FnMut() -> ColumnValue,
    ) -> ColumnValue {
        let level = record.level(part.start);
        match leaf.list_levels.get(depth) {
            None if level < leaf.value_level => ColumnValue::Null,
            None => next(),
            Some(&list) if level < list => ColumnValue::Null,
            Some(&list) if level == list => ColumnValue::List(Vec::new()),
            Some(_) => {
                let parts = record.parts(part, depth);
                ColumnValue::List(parts.map(|part| assemble(record, leaf, (part, depth + 1), next)).collect())
            }
        }
    }
    let record = Record::read(column)?;
    if !leaf.is_list() {
        return Ok(record.values.first().map_or(ColumnValue::Null, convert));
    }
    let mut values = record.values.iter();
    let mut next = || values.next().map_or(ColumnValue::Null, &convert);
    Ok(assemble(&record, leaf, (0..record.levels.len(), 0), &mut next))
}

fn numbers<D: DataType>(
    column: &mut ColumnReaderImpl<D>,
    leaf: &Leaf,
    push: impl Fn(&D::T, &mut Vec<u8>),
) -> Result<ColumnNumbers, String> {
    /// The lengths of the lists of a part of a record.
    fn lengths<T>(record: &Record<T>, leaf: &Leaf, part: Range<usize>, depth: usize) -> Result<Vec<usize>, String> {
        let inner = &leaf.list_levels[depth..];
        match (inner, record.level(part.start)) {
            ([], _) => Ok(Vec::new()),
            ([list, ..], level) if level < *list => Err(NOTHING.to_owned()),
            ([list, ..], level) if level == *list => Ok(vec![0; inner.len()]),
            ([_], _) => match record.levels[part.clone()].iter().all(|&level| level == leaf.value_level) {
                true => Ok(vec![part.len()]),
                false => Err(NOTHING.to_owned()),
            },
            _ => {
                let (mut count, mut of_all) = (0, None);
                for part in record.parts(part, depth) {
                    let found = lengths(record, leaf, part, depth + 1)?;
                    if *of_all.get_or_insert_with(|| found.clone()) != found {
                        return Err(UNEQUAL.to_owned());
                    }
                    count += 1;
                }
                let mut lengths = of_all.unwrap_or_default();
                lengths.insert(0, count);
                Ok(lengths)
            }
        }
    }
    let dtype = leaf.numbers().unwrap_or(DType::Uint8);
    let record = Record::read(column)?;
    let dims = match leaf.is_list() {
        true => lengths(&record, leaf, 0..record.levels.len(), 0)?,
        false => Vec::new(),
    };
    let mut bytes = Vec::with_capacity(record.values.len() * dtype.width());
    record.values.iter().for_each(|value| push(value, &mut bytes));
    match dims.iter().product::<usize>() * dtype.width() == bytes.len() {
        true => Ok(ColumnNumbers { dtype, dims, bytes }),
        false => Err(NOTHING.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parquet::data_type::Int32Type;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    use crate::{ColumnFile, ColumnNumbers, ColumnValue};

    const LISTS: &str = "message m { optional group rows (LIST) { repeated group list {
        optional group element (LIST) { repeated group list { optional int32 element; } } } } }";

    /// The values of a file with one column.
    fn written(schema: &str, values: &[i32], levels: &[i16], repeats: &[i16]) -> (tempfile::TempDir, ColumnFile) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.parquet");
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let output = std::fs::File::create(&path).unwrap();
        let mut writer = SerializedFileWriter::new(output, schema, Arc::default()).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int32Type>().write_batch(values, of_levels(levels), of_levels(repeats)).unwrap();
        column.close().unwrap();
        group.close().unwrap();
        writer.close().unwrap();
        let file = ColumnFile::open(path.to_str().unwrap().into()).unwrap();
        (folder, file)
    }

    /// A column that is required and not repeated has no levels.
    fn of_levels(levels: &[i16]) -> Option<&[i16]> {
        (!levels.is_empty()).then_some(levels)
    }

    #[test]
    fn lists_in_lists_are_put_together() {
        // [[1, 2], [3, 4]], [[5]], [], [[], []], [[6], []], [[7], null], null, [[null]]
        let levels = [5, 5, 5, 5, 5, 1, 3, 3, 5, 3, 5, 2, 0, 4];
        let repeats = [0, 2, 1, 2, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0];
        let (_folder, file) = written(LISTS, &[1, 2, 3, 4, 5, 6, 7], &levels, &repeats);
        let mut values = file.values(0);
        let list =
            |numbers: &[i32]| ColumnValue::List(numbers.iter().map(|&it| ColumnValue::Integer(it.into())).collect());
        let first = values.next_value().unwrap().unwrap();
        assert_eq!(first, ColumnValue::List(vec![list(&[1, 2]), list(&[3, 4])]));
        values.skip(2).unwrap();
        assert_eq!(values.next_value().unwrap(), Some(ColumnValue::List(vec![list(&[]), list(&[])])));
        values.skip(1).unwrap();
        assert!(
            values.next_value().unwrap_err().to_string().contains("row 5: rows: expected a value everywhere in a list")
        );
        let numbers = |row: u64| {
            let mut values = file.values(0);
            values.skip(row).unwrap();
            values.next_numbers().map(|numbers| numbers.unwrap()).map_err(|error| error.to_string())
        };
        let dims = |row| numbers(row).map(|ColumnNumbers { dims, bytes, .. }| (dims, bytes.len() / 4));
        assert_eq!(dims(0), Ok((vec![2, 2], 4)));
        assert_eq!(dims(1), Ok((vec![1, 1], 1)));
        assert_eq!(dims(2), Ok((vec![0, 0], 0)));
        assert_eq!(dims(3), Ok((vec![2, 0], 0)));
        assert!(dims(4).unwrap_err().ends_with("row 4: rows: expected lists of one length, got others"));
        for row in [5, 6, 7] {
            let error = dims(row).unwrap_err();
            assert!(
                error.ends_with(&format!("row {row}: rows: expected a value everywhere, got nothing (null)")),
                "{error}"
            );
        }
    }

    #[test]
    fn dates_and_decimals_are_no_integers() {
        for (kind, name) in [("DATE", "date"), ("DECIMAL(9,2)", "decimal number"), ("TIME(MILLIS,true)", "time")] {
            let (_folder, file) = written(&format!("message m {{ required int32 v ({kind}); }}"), &[125], &[], &[]);
            let expected = format!("row 0: v: a column of the type {name} is not read");
            for error in [file.values(0).next_value().map(drop), file.values(0).next_numbers().map(drop)] {
                let error = error.unwrap_err().to_string();
                assert!(error.ends_with(&expected), "{error}");
            }
        }
    }
}
