//! Token datasets: where sequences are, and writing. `kaldi_tables/tokens.py` maps the files.

use indexed_dataset::{BuilderOptions, Dialect, Error, IndexedDataset, IndexedDatasetBuilder, Prefix, TokenType};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use crate::errors::{Class, Failure, out_of_range, wrong_value};
use crate::interrupt::without_interpreter;
use crate::names;
use crate::owned::Owned;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        match error {
            Error::Open { path, source } | Error::Read { path, source, .. } | Error::Write { path, source } => {
                Self::of_file(&path.to_string_lossy(), &source, message)
            }
            Error::Folder(error) => error.into(),
            Error::Fault(fault) => Self::new(Class::Data, message).in_file(fault.file.to_string_lossy()),
            Error::Foreign { path, .. } => Self::new(Class::Data, message).in_file(path.to_string_lossy()),
            Error::Token { .. } => out_of_range(message).into(),
            _ => wrong_value(message).into(),
        }
    }
}

/// A value of this name.
fn named<T: Copy>(names: &[(&'static str, T)], what: &str, name: &str) -> PyResult<T> {
    names.iter().find(|(known, _)| *known == name).map(|(_, value)| *value).ok_or_else(|| {
        let known: Vec<_> = names.iter().map(|(known, _)| *known).collect();
        wrong_value(format!("expected {what} to be one of {}, got {name:?}", known.join(", ")))
    })
}

fn dialect(name: Option<&str>) -> PyResult<Option<Dialect>> {
    name.map(|name| named(&Dialect::NAMES, "dialect", name)).transpose()
}

/// The index of a dataset: which tokens a sequence has. Nothing in it is trusted.
#[pyclass(name = "TokenIndex", module = "kaldi_tables._core", frozen)]
struct TokenIndex(IndexedDataset);

#[pymethods]
impl TokenIndex {
    #[new]
    fn new(py: Python<'_>, prefix: &Bound<'_, PyAny>, dialect_name: Option<&str>) -> PyResult<Self> {
        let prefix = prefix_of(prefix)?;
        let dialect = dialect(dialect_name)?;
        without_interpreter(py, || Ok(Self(IndexedDataset::open_as(&prefix, dialect)?)))
    }

    fn __len__(&self) -> usize {
        self.0.len() as usize
    }

    /// Names of the index and of the file of tokens.
    #[getter]
    fn files<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let [index, tokens] = [self.0.prefix().idx(), self.0.prefix().bin()];
        let shown = |path: &std::path::Path| names::to_str(py, path.as_os_str().as_encoded_bytes());
        Ok((shown(&index)?.into_any(), shown(&tokens)?.into_any()))
    }

    /// The type of the tokens, the program that writes such files, the number of documents (`None` if the index has none),
    /// and whether every sequence has a mode.
    #[getter]
    fn form(&self) -> (&'static str, &'static str, Option<u64>, bool) {
        let documents = self.0.dialect().has_documents().then(|| self.0.num_documents());
        (self.0.token_type().name(), self.0.dialect().name(), documents, self.0.has_modes())
    }

    /// Where the tokens of a sequence start and end, counted in tokens of the file.
    fn place(&self, number: u64) -> PyResult<(u64, u64)> {
        if number >= self.0.len() {
            let message = format!("{}: expected a sequence below {}, got {number}", self.0.prefix(), self.0.len());
            return Err(PyIndexError::new_err(message));
        }
        let place = self.0.place(number).map_err(Failure::from)?;
        let size = self.0.token_type().size();
        Ok((place.start / size, place.end / size))
    }
}

fn prefix_of(prefix: &Bound<'_, PyAny>) -> PyResult<Prefix> {
    use std::os::unix::ffi::OsStrExt;
    let name = names::from_str(prefix.cast()?)?;
    Ok(Prefix::new(std::ffi::OsStr::from_bytes(&name)))
}

/// Writes a dataset, whose files get their names when it is finished.
#[pyclass(name = "TokenBuilder", module = "kaldi_tables._core")]
struct TokenBuilder(Owned<IndexedDatasetBuilder>);

#[pymethods]
impl TokenBuilder {
    #[new]
    fn new(prefix: &Bound<'_, PyAny>, dtype: &str, dialect_name: &str, has_modes: bool) -> PyResult<Self> {
        let options = BuilderOptions {
            token_type: named(&TokenType::NAMES, "dtype", dtype)?,
            dialect: named(&Dialect::NAMES, "dialect", dialect_name)?,
            has_modes,
            may_widen: false,
        };
        let prefix = prefix_of(prefix)?;
        prefix.refuse_others().map_err(Failure::from)?;
        let builder = IndexedDatasetBuilder::create(&prefix, options).map_err(Failure::from)?;
        Ok(Self(Owned::new(builder, format!("builder of {prefix}"))))
    }

    /// Appends a sequence of the little-endian bytes of tokens of this type, and its mode.
    fn add(&mut self, py: Python<'_>, tokens: PyReadonlyArray1<'_, u8>, dtype: &str, mode: i8) -> PyResult<()> {
        let token_type = named(&TokenType::NAMES, "the type of tokens", dtype)?;
        let bytes = tokens.as_slice().map_err(|error| wrong_value(error.to_string()))?;
        let builder = self.0.get_mut()?;
        without_interpreter(py, || {
            builder.push_bytes(bytes, token_type)?;
            Ok(builder.push_mode(mode)?)
        })
    }

    fn end_document(&mut self) -> PyResult<()> {
        Ok(self.0.get_mut()?.end_document().map_err(Failure::from)?)
    }

    /// Sequences, documents and tokens so far.
    #[getter]
    fn counts(&mut self) -> PyResult<(u64, u64, u64)> {
        let counts = self.0.get_mut()?.counts();
        Ok((counts.sequences, counts.documents, counts.tokens))
    }

    /// Gives the files their names.
    fn finish(&mut self, py: Python<'_>) -> PyResult<()> {
        let builder = self.0.take()?;
        without_interpreter(py, || Ok(builder.finish().map(|_| ())?))
    }

    /// Ends without the files. Old ones stay as they were.
    fn discard(&mut self) {
        self.0.discard();
    }
}

/// Adds the classes to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<TokenIndex>()?;
    module.add_class::<TokenBuilder>()
}
