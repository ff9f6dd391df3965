//! The formats, by name and by the endings of file names.

use std::fmt;
use std::path::Path;

use kaldi_any::ValueType;

use crate::types::part_names;

/// A format of files of other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// One array of NumPy.
    Npy,
    /// Many arrays of NumPy in a zip file.
    Npz,
    /// Tensors of safetensors.
    Safetensors,
    /// A table of Parquet; where it is read, also one of Arrow, which the bytes tell.
    Parquet,
    /// Lines of numbers between commas.
    Csv,
    /// Lines of numbers between tabulators.
    Tsv,
    /// Lines with a JSON object each.
    Jsonl,
}

impl FileFormat {
    /// Every format with its name, which is the ending of the files.
    pub const NAMES: [(&str, Self); 7] = [
        ("npy", Self::Npy),
        ("npz", Self::Npz),
        ("safetensors", Self::Safetensors),
        ("parquet", Self::Parquet),
        ("csv", Self::Csv),
        ("tsv", Self::Tsv),
        ("jsonl", Self::Jsonl),
    ];

    /// Every format that is read, with its names, which are endings of files, too.
    pub const SOURCES: [(&str, Self); 9] = [
        ("npy", Self::Npy),
        ("npz", Self::Npz),
        ("safetensors", Self::Safetensors),
        ("parquet", Self::Parquet),
        ("arrow", Self::Parquet),
        ("feather", Self::Parquet),
        ("csv", Self::Csv),
        ("tsv", Self::Tsv),
        ("jsonl", Self::Jsonl),
    ];

    /// The formats that a single value without a key can have: one array, or several.
    pub fn of_single(value_type: ValueType) -> &'static [Self] {
        match part_names(value_type) {
            [] => &[Self::Npy, Self::Csv, Self::Tsv, Self::Jsonl],
            _ => &[Self::Npz, Self::Safetensors, Self::Jsonl],
        }
    }

    /// The name, and the ending of the files.
    pub fn extension(self) -> &'static str {
        Self::NAMES.iter().find(|(_, format)| *format == self).map_or("", |(name, _)| name)
    }

    /// The format that the ending of a name says.
    pub fn of_name(path: &Path) -> Option<Self> {
        Self::of_ending(path, &Self::NAMES)
    }

    /// The format that the ending of the name of a file says that is read.
    pub fn of_source(path: &Path) -> Option<Self> {
        Self::of_ending(path, &Self::SOURCES)
    }

    fn of_ending(path: &Path, names: &[(&str, Self)]) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        names.iter().find(|(name, _)| *name == extension).map(|(_, format)| *format)
    }
}

impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.extension())
    }
}
