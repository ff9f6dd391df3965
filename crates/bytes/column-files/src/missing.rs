//! What stands for files of columns in a build without the feature `columns`: there are none, and opening one is the error.

use std::convert::Infallible;

use bstr::BStr;
use bytes::Bytes;
use kaldi_io::{Lack, Output, printable_rxfilename};

use crate::{Cell, ColumnNumbers, ColumnValue, Error, Leaf, ParquetOptions, Result};

/// The error of whatever needs the feature.
const MESSAGE: &str = "what reads and writes Parquet and Arrow is not in this build, which lacks the feature columns";

/// A file of Parquet or Arrow, of which there is none.
#[derive(Clone, Debug)]
pub struct ColumnFile(Infallible);

#[allow(missing_docs, clippy::missing_errors_doc, reason = "they are those of the file that can be read")]
impl ColumnFile {
    /// Opens no file.
    ///
    /// # Errors
    /// Always: this needs the feature `columns`.
    pub fn open(name: &BStr) -> Result<Self> {
        Err(Error::content(printable_rxfilename(name), Lack::Feature("columns").explain(MESSAGE)))
    }

    pub fn name(&self) -> &str {
        match self.0 {}
    }

    pub fn is_arrow(&self) -> bool {
        match self.0 {}
    }

    pub fn leaves(&self) -> &[Leaf] {
        match self.0 {}
    }

    pub fn num_rows(&self) -> u64 {
        match self.0 {}
    }

    pub fn num_nulls(&self, _: usize) -> Option<u64> {
        match self.0 {}
    }

    pub fn find(&self, _: &str) -> Option<usize> {
        match self.0 {}
    }

    pub fn names(&self) -> String {
        match self.0 {}
    }

    pub fn note(&self, _: &str) -> Option<&str> {
        match self.0 {}
    }

    pub fn values(&self, _: usize) -> ColumnValues {
        match self.0 {}
    }

    pub fn check(&self) -> Result<()> {
        match self.0 {}
    }
}

/// The values of a leaf, of which there are none.
#[derive(Debug)]
pub struct ColumnValues(Infallible);

#[allow(missing_docs, clippy::missing_errors_doc, reason = "they are those of a file that can be read")]
impl ColumnValues {
    pub fn next_value(&mut self) -> Result<Option<ColumnValue>> {
        match self.0 {}
    }

    pub fn next_numbers(&mut self) -> Result<Option<ColumnNumbers>> {
        match self.0 {}
    }

    pub fn next_words(&mut self) -> Result<Option<Vec<Bytes>>> {
        match self.0 {}
    }

    pub fn skip(&mut self, _: u64) -> Result<()> {
        match self.0 {}
    }
}

/// A Parquet file that is written row by row, of which there is none.
#[derive(Debug)]
#[must_use = "a file is complete only after finish()"]
pub struct ParquetWriter(Infallible);

#[allow(missing_docs, clippy::missing_errors_doc, reason = "they are those of a file that can be written")]
impl ParquetWriter {
    /// Starts no file.
    ///
    /// # Errors
    /// Always: this needs the feature `columns`.
    pub fn create(output: Output, _: &str, _: ParquetOptions) -> Result<Self> {
        Err(Error::content(output.name(), Lack::Feature("columns").explain(MESSAGE)))
    }

    pub fn put(&mut self, _: Vec<Cell>) -> Result<()> {
        match self.0 {}
    }

    pub fn finish(self) -> Result<Output> {
        match self.0 {}
    }
}
