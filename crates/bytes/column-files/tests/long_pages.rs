//! Pages of many megabytes come in pieces, and read as others do.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use column_files::{ColumnFile, ColumnValue};
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

const ROWS: usize = 300;

/// The value of a row: every seventh is nothing, others have up to 60 kB; every fifth repeats itself.
fn value(row: usize) -> Option<Vec<u8>> {
    let noise = |at: usize| {
        let number = (row << 20 | at).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((number ^ number >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32) as u8
    };
    let byte = |at: usize| if row.is_multiple_of(5) { (at % 26) as u8 + b'a' } else { noise(at) };
    (row % 7 != 3).then(|| (0..(row * 997) % 60_000).map(byte).collect())
}

/// Writes a file with one page.
fn write(name: &std::path::Path, compression: Compression, version: WriterVersion, has_dictionary: bool) {
    let schema = parse_message_type("message m { optional group audio { optional binary bytes; } }").unwrap();
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_writer_version(version)
        .set_dictionary_enabled(has_dictionary)
        .set_data_page_size_limit(1 << 30)
        .set_dictionary_page_size_limit(1 << 30);
    let file = std::fs::File::create(name).unwrap();
    let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties.build())).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let values: Vec<ByteArray> = (0..ROWS).filter_map(value).map(ByteArray::from).collect();
    let levels: Vec<i16> = (0..ROWS).map(|row| if value(row).is_some() { 2 } else { 1 }).collect();
    column.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
}

#[test]
fn long_pages_read_as_others_do() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("long.parquet");
    let all: Vec<_> =
        (0..ROWS).map(|row| value(row).map_or(ColumnValue::Null, |bytes| ColumnValue::Bytes(bytes.into()))).collect();
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY] {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for has_dictionary in [false, true] {
                write(&name, compression, version, has_dictionary);
                let size = name.metadata().unwrap().len();
                assert!(size > 4 << 20, "{size}");
                let file = ColumnFile::open(name.to_str().unwrap().into()).unwrap();
                for step in [1, 5, 90] {
                    let mut values = file.values(0);
                    for row in (0..ROWS).step_by(step) {
                        let found = values.next_value().unwrap().unwrap();
                        assert!(found == all[row], "{compression} {version:?} {has_dictionary} {step} {row}");
                        values.skip(step.min(ROWS - row).saturating_sub(1) as u64).unwrap();
                    }
                    assert_eq!(values.next_value().unwrap(), None);
                }
            }
        }
    }
}

#[test]
fn a_long_page_that_is_damaged_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("long.parquet");
    write(&name, Compression::SNAPPY, WriterVersion::PARQUET_1_0, false);
    let mut bytes = std::fs::read(&name).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 100_000].fill(0xff);
    std::fs::write(&name, bytes).unwrap();
    let mut values = ColumnFile::open(name.to_str().unwrap().into()).unwrap().values(0);
    let error = loop {
        match values.next_value() {
            Ok(value) => assert!(value.is_some()),
            Err(error) => break error.to_string(),
        }
    };
    assert!(error.contains("audio.bytes: a page compressed by Snappy: expected "), "{error}");
}
