//! The formats, by name and by the endings of file names.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A format of files of other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// One array of NumPy.
    Npy,
    /// Many arrays of NumPy in a zip file.
    Npz,
    /// Tensors of safetensors.
    Safetensors,
    /// A table of Parquet.
    Parquet,
    /// Lines of numbers between commas.
    Csv,
    /// Lines of numbers between tabulators.
    Tsv,
    /// Lines with a JSON object each.
    Jsonl,
}

impl FileFormat {
    const ALL: [Self; 7] = [Self::Npy, Self::Npz, Self::Safetensors, Self::Parquet, Self::Csv, Self::Tsv, Self::Jsonl];

    /// The name, and the ending of the files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Npy => "npy",
            Self::Npz => "npz",
            Self::Safetensors => "safetensors",
            Self::Parquet => "parquet",
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Jsonl => "jsonl",
        }
    }

    /// The format that the ending of a name tells.
    pub fn of_name(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Self::ALL.into_iter().find(|format| format.extension() == extension)
    }
}

impl FromStr for FileFormat {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Self::ALL.into_iter().find(|format| format.extension() == name).ok_or(UnknownFormat)
    }
}

impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.extension())
    }
}

/// The name of no format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownFormat;

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected npy, npz, safetensors, parquet, csv, tsv or jsonl")
    }
}

impl std::error::Error for UnknownFormat {}
