//! Files of other programs, read array by array.

use bstr::{BStr, ByteSlice};
use kaldi_io::FileNames;

use crate::array::Array;
use crate::file_format::FileFormat;
use crate::record::TableType;
use crate::stream::Stream;
use crate::{Result, npy, npz, parquet_read, safetensors, text_read};

/// Reads the file that an rxfilename names, and hands each array with its key to `each`. A `.npy` has its own name for a
/// key. `table_type` says what lines of CSV are: matrices, unless it is given.
///
/// # Errors
/// Where the file cannot be read, is damaged, or holds something else; and those of `each`.
pub fn import(
    name: &BStr,
    format: FileFormat,
    table_type: Option<TableType>,
    mut each: impl FnMut(&[u8], Array) -> Result<()>,
) -> Result<()> {
    let lines = table_type.unwrap_or(TableType::Matrix);
    match format {
        FileFormat::Npy => {
            let mut stream = Stream::open(name)?;
            let place = stream.input.name().to_owned();
            let array = npy::read(&place, &mut stream)?;
            stream.finish()?;
            each(&FileNames::key_of(stem(name)), array)
        }
        FileFormat::Npz => npz::read(name, each),
        FileFormat::Safetensors => safetensors::read(name, each),
        FileFormat::Parquet => parquet_read::read(name, each),
        FileFormat::Csv => text_read::read_rows(name, b',', lines, each),
        FileFormat::Tsv => text_read::read_rows(name, b'\t', lines, each),
        FileFormat::Jsonl => text_read::read_objects(name, each),
    }
}

/// The name of a file without folder and ending.
fn stem(name: &BStr) -> &[u8] {
    let file = name.rsplit_once_str("/").map_or(name.as_bytes(), |(_, file)| file);
    file.rsplit_once_str(".").map_or(file, |(stem, _)| stem)
}
