//! Shards: tar files of samples.

use bstr::{BStr, BString};
use kaldi_corpus::shard::{
    Error, Grouping, Packed, ShardFormat, ShardNames, ShardOptions, ShardSamples, ShardSetWriter, StoredSample, Wanted,
    shard_samples,
};
use kaldi_io::quote_name;
use kaldi_io::sync::Mutex;
use kaldi_reader::Reader;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::errors::{Class, Failure, wrong_value};
use crate::interrupt::{aside, in_session, without_interpreter};
use crate::kept::Kept;
use crate::names;
use crate::owned::Owned;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        match error {
            Error::Io(error) => error.into(),
            Error::Fault(fault) => {
                let failure = Self::new(Class::Data, message).in_file(&fault.shard).at_offset(fault.offset);
                match &fault.key {
                    Some(key) => failure.at_key(key),
                    None => failure,
                }
            }
            Error::Line { list, line, .. } => Self::new(Class::Data, message).in_file(list).at_line(line),
            Error::Refused { shard, .. } => Self::new(Class::File, message).in_file(shard),
            _ => Self::new(Class::Error, message),
        }
    }
}

fn grouping(name: &str) -> PyResult<Grouping> {
    let known = Grouping::NAMES.iter().find(|(known, _)| *known == name);
    let message = || wrong_value(format!("expected grouping to be wenet or webdataset, got {name:?}"));
    known.map(|(_, grouping)| *grouping).ok_or_else(message)
}

/// Tells Python about a shard that is left out.
fn leave_out(tell: Kept) -> impl FnMut(Error) + Send {
    move |error| {
        // A log that cannot be written must not end the reading.
        Python::attach(|py| tell.bind(py).call1((error.to_string(),)).map(drop).map_err(|error| error.print(py)).ok());
    }
}

/// The samples of shards, in their order.
#[pyclass(name = "ShardSamples", module = "kaldi_tables._core", frozen)]
struct PySamples(Mutex<Option<ShardSamples<ShardNames>>>);

impl PySamples {
    fn read(&self) -> Result<Option<StoredSample>, Failure> {
        let mut held = self.0.lock();
        let Some(samples) = held.as_mut() else { return Ok(None) };
        let next = samples.next();
        if !matches!(next, Ok(Some(_))) {
            *held = None;
        }
        Ok(next?)
    }
}

#[pymethods]
impl PySamples {
    #[new]
    fn new(shards: Vec<Bound<'_, PyString>>, grouping_name: &str, permissive: Option<Py<PyAny>>) -> PyResult<Self> {
        let shards = shards.iter().map(names::from_str).collect::<PyResult<Vec<BString>>>()?;
        let samples = shard_samples(ShardNames::new(shards, Wanted::Contents), grouping(grouping_name)?);
        let samples = match permissive {
            None => samples,
            Some(tell) => samples.leave_out_damaged(leave_out(Kept::new(tell))),
        };
        Ok(Self(Mutex::new(Some(samples))))
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(sample) = without_interpreter(py, || self.read())? else { return Ok(None) };
        let fields = PyDict::new(py);
        fields.set_item("__key__", names::to_str(py, &sample.key)?)?;
        fields.set_item("__url__", names::to_str(py, sample.source.as_bytes())?)?;
        for field in &sample.fields {
            let content = field.content.load().map_err(Failure::from)?;
            fields.set_item(names::to_str(py, &field.name)?, PyBytes::new(py, &content))?;
        }
        Ok(Some(fields))
    }

    /// Ends the iteration.
    fn close(&self, py: Python<'_>) {
        aside(py, || {
            let samples = self.0.lock().take();
            drop(samples);
        });
    }
}

/// Writes samples to shards; the list appears at the end.
#[pyclass(name = "ShardWriter", module = "kaldi_tables._core")]
struct PyShardWriter {
    writer: Owned<ShardSetWriter>,
    options: ShardOptions,
    grouping: Grouping,
}

#[pymethods]
impl PyShardWriter {
    #[new]
    #[allow(clippy::too_many_arguments, reason = "the arguments of a Python function")]
    fn new(
        py: Python<'_>,
        folder: &Bound<'_, PyString>,
        list: &Bound<'_, PyString>,
        prefix: &Bound<'_, PyString>,
        max_samples: u64,
        max_bytes: Option<u64>,
        gzip: bool,
        dali: bool,
        grouping_name: &str,
        num_samples: Option<u64>,
    ) -> PyResult<Self> {
        let options = ShardOptions {
            format: ShardFormat::Wenet,
            folder: names::from_str(folder)?,
            prefix: names::from_str(prefix)?,
            max_samples,
            max_bytes: max_bytes.unwrap_or(u64::MAX),
            gzip,
            dali,
        };
        let list = names::from_str(list)?;
        let most = num_samples.unwrap_or(u64::MAX);
        let writer = py
            .detach(|| in_session(|| ShardSetWriter::create(options.clone(), list.as_ref(), most)))
            .map_err(Failure::from)?;
        let writer = Owned::new(writer, format!("writer of {list}"));
        Ok(Self { writer, options, grouping: grouping(grouping_name)? })
    }

    /// Writes a sample: the names and contents of its fields.
    fn put(
        &mut self,
        py: Python<'_>,
        key: &Bound<'_, PyString>,
        fields: Vec<(Bound<'_, PyString>, Bound<'_, PyBytes>)>,
    ) -> PyResult<()> {
        let key = names::from_str(key)?;
        let mut sample = Packed::new(key.clone());
        for (name, content) in &fields {
            let name = names::from_str(name)?;
            let path: BString = [key.as_slice(), b".", name.as_slice()].concat().into();
            self.check(path.as_ref(), &key, &name)?;
            sample.add(path.as_ref(), content.as_bytes().to_vec());
        }
        let gzip = self.options.gzip;
        let writer = self.writer.get_mut()?;
        without_interpreter(py, || {
            let sample = if gzip { sample.compress() } else { Ok(sample) };
            let put = sample.and_then(|sample| writer.put(&sample));
            put.map_err(|error| Failure::from(error).at_key(&key))
        })
    }

    /// Completes the shards and the list. Returns the names of the shards.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyString>>> {
        let writer = self.writer.take()?;
        let count = writer.num_shards();
        without_interpreter(py, || Ok(writer.finish()?))?;
        let name = |number| names::to_str(py, &ShardSetWriter::shard_name(&self.options, number));
        (0..count).map(name).collect()
    }
}

impl PyShardWriter {
    /// A sample that was written has to be read as the same one.
    fn check(&self, path: &BStr, key: &BString, name: &BString) -> PyResult<()> {
        let split = self.grouping.split(path);
        let same = split.as_ref().is_some_and(|(first, field)| *first == key && field.as_ref() == name);
        if same && !self.grouping.passes_over(path) && !name.is_empty() {
            return Ok(());
        }
        let rule = match self.grouping {
            Grouping::Wenet => "a field without a dot",
            Grouping::Webdataset => "a key without a dot after its last slash, and a field in lower case",
        };
        let message =
            format!("expected {rule}, got the member {}: another grouping may have room for it", quote_name(path));
        Err(wrong_value(message))
    }
}

/// Adds the classes to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PySamples>()?;
    module.add_class::<PyShardWriter>()
}
