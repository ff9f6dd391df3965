//! Tables by key: the core of `kaldi_tables.Lookup`.

mod index;
mod segments;

use std::collections::HashMap;
use std::sync::OnceLock;

use bstr::{BStr, BString, ByteSlice};
use kaldi_any::{Detector, ValueType};
use kaldi_io::Lines;
use kaldi_io::sync::{Mutex, RwLock};
use kaldi_table::{RawEntry, ValueLoader};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use self::index::Index;
use self::segments::SegmentCutter;
use crate::errors::{Class, Failure, Result};
use crate::interrupt::{self, guarded, without_interpreter};
use crate::names;
use crate::reader::{Maps, shape};
use crate::values::{AnyValue, Precision, PythonValue, Wanted, read_value};

/// What an open lookup has.
struct Open {
    index: Index,
    segments: Option<SegmentCutter>,
    speakers: Option<Speakers>,
    wanted: Wanted,
    dtype: Option<Precision>,
    /// The type of the values, once it is known.
    value_type: OnceLock<Option<ValueType>>,
    /// How many files stay open between the calls.
    cache_files: usize,
    /// Loaders that nobody uses now, with their open files.
    loaders: Mutex<Vec<ValueLoader<Detector>>>,
}

/// The keys that are asked for, and the keys of the table that they stand for.
struct Speakers {
    file: String,
    /// Those whose key the table has, in the order of the file.
    names: Vec<BString>,
    map: HashMap<BString, BString>,
}

/// The values of a table by key.
#[pyclass(module = "kaldi_tables._core", frozen)]
pub struct LookupTable {
    /// `None` when it is closed.
    open: RwLock<Option<Open>>,
    maps: Option<Mutex<Maps>>,
}

#[pymethods]
impl LookupTable {
    /// Reads the keys of a table: a script file, or the headers of an archive.
    #[new]
    #[allow(clippy::too_many_arguments, reason = "they are the arguments of Python")]
    #[pyo3(signature = (source, value_type=None, *, dtype=None, mmap=false, segments=None, utt2spk=None, cache_files=8))]
    fn new(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        value_type: Option<&str>,
        dtype: Option<&Bound<'_, PyAny>>,
        mmap: bool,
        segments: Option<&Bound<'_, PyAny>>,
        utt2spk: Option<&Bound<'_, PyAny>>,
        cache_files: usize,
    ) -> PyResult<Self> {
        let (mut wanted, dtype) = (Wanted::parse(value_type)?, Precision::parse(dtype)?);
        if segments.is_some() {
            wanted = Wanted::Type(Some(ValueType::Wave));
        }
        let [source, segments, speakers] = [Some(source), segments, utt2spk].map(|name| name.map(name_of).transpose());
        let (source, segments, speakers) = (source?.unwrap_or_default(), segments?, speakers?);
        let open = without_interpreter(py, move || {
            names::check_rspecifier(source.as_bstr())?;
            let mut open = Open {
                index: Index::read(source.as_bstr(), wanted)?,
                segments: segments.map(|name| SegmentCutter::open(name.as_bstr())).transpose()?,
                speakers: speakers.map(|name| read_map(name.as_bstr())).transpose()?,
                wanted,
                dtype,
                value_type: OnceLock::new(),
                cache_files,
                loaders: Mutex::default(),
            };
            open.find_speakers();
            Ok(open)
        })?;
        Ok(Self { open: RwLock::new(Some(open)), maps: mmap.then(Mutex::default) })
    }

    fn __len__(&self) -> PyResult<usize> {
        self.with(|open| Ok(open.len()))
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(key) = key.cast() else { return Ok(false) };
        let Ok(key) = names::from_str(key) else { return Ok(false) };
        self.with(|open| Ok(open.has(&key)))
    }

    /// The key number `index`; `None` after the last.
    fn key_at<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.with(|open| {
            if index >= open.len() {
                return Ok(None);
            }
            Ok(Some(names::to_str(py, open.key(index))?.into_any()))
        })
    }

    /// The value of a key.
    fn get<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| {
            let key = key_of(key)?;
            let value = self.without(py, |open| open.load(&key))?;
            self.convert(py, value)
        })
    }

    /// The value number `index`, of as many as there are keys.
    fn value_at<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| {
            let value = self.without(py, |open| open.load_at(index))?;
            self.convert(py, value)
        })
    }

    /// The key and the value number `index`.
    fn item_at<'py>(&self, py: Python<'py>, index: usize) -> PyResult<(Option<Bound<'py, PyAny>>, Bound<'py, PyAny>)> {
        Ok((self.key_at(py, index)?, self.value_at(py, index)?))
    }

    /// The shape of the value of a key.
    fn shape<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
        let key = key_of(key)?;
        let shape = self.without(py, |open| open.shape(&key))?;
        PyTuple::new(py, shape)
    }

    /// The values of keys, read by `threads` threads.
    fn get_many<'py>(
        &self,
        py: Python<'py>,
        keys: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let keys = keys.try_iter()?.map(|key| key_of(&key?)).collect::<PyResult<Vec<BString>>>()?;
        let values = self.without(py, |open| on_threads(&keys, threads, |key| open.load(key)))?;
        if self.maps.is_some() {
            return values.into_iter().map(|value| self.convert(py, value)).collect();
        }
        // The arrays are made here and filled by threads.
        let mut made = Vec::with_capacity(values.len());
        let mut work = Vec::new();
        for value in values {
            match value {
                AnyValue::Dense(dense) => {
                    let (array, bytes) = dense.make_array(py)?;
                    made.push(array.into_any());
                    work.push(Mutex::new((dense, bytes)));
                }
                value => made.push(value.into_python(py)?),
            }
        }
        without_interpreter(py, move || {
            on_threads(&work, threads, |work| {
                let (dense, bytes) = &mut *work.lock();
                dense.fill(bytes)
            })
        })?;
        Ok(made)
    }

    /// The name of the type of the values; `None` if they are bytes or there are none.
    #[getter]
    fn value_type(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        self.without(py, |open| Ok(open.value_type()?.map(ValueType::name)))
    }

    /// Frees the index and closes the files.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let open = &self.open;
        without_interpreter(py, move || {
            *interrupt::lock_alone(open)? = None;
            Ok(())
        })
    }
}

impl LookupTable {
    fn with<T>(&self, work: impl FnOnce(&Open) -> PyResult<T>) -> PyResult<T> {
        let open = self.open.read();
        work(open.as_ref().ok_or_else(|| Failure::closed("lookup"))?)
    }

    fn without<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&Open) -> Result<T> + Send) -> PyResult<T> {
        let open = &self.open;
        without_interpreter(py, move || {
            let open = open.read();
            work(open.as_ref().ok_or_else(|| Failure::closed("lookup"))?)
        })
    }

    fn convert<'py>(&self, py: Python<'py>, value: AnyValue) -> PyResult<Bound<'py, PyAny>> {
        match (&self.maps, value) {
            (Some(maps), AnyValue::Dense(dense)) => Maps::view(maps, py, dense),
            (_, value) => value.into_python(py),
        }
    }
}

impl Open {
    fn len(&self) -> usize {
        self.names().map_or(self.index.len(), <[_]>::len)
    }

    fn key(&self, index: usize) -> &[u8] {
        self.names().map_or_else(|| self.index.key(index), |names| &names[index])
    }

    /// The keys, if they are not those of the table.
    fn names(&self) -> Option<&[BString]> {
        let segments = || self.segments.as_ref().map(|segments| segments.0.keys());
        self.speakers.as_ref().map(|speakers| speakers.names.as_slice()).or_else(segments)
    }

    /// Leaves those out whose key the table does not have.
    fn find_speakers(&mut self) {
        let Some(speakers) = &mut self.speakers else { return };
        let mut names = std::mem::take(&mut speakers.names);
        names.retain(|name| self.has(name));
        if let Some(speakers) = &mut self.speakers {
            speakers.names = names;
        }
    }

    /// The key in the table for a key that was asked for.
    fn mapped<'a>(&'a self, key: &'a [u8]) -> Result<&'a [u8]> {
        match &self.speakers {
            None => Ok(key),
            Some(Speakers { file, map, .. }) => {
                map.get(BStr::new(key)).map(|key| key.as_slice()).ok_or_else(|| Failure::missing_key(key, file))
            }
        }
    }

    fn has(&self, key: &[u8]) -> bool {
        let Ok(key) = self.mapped(key) else { return false };
        match &self.segments {
            Some(segments) => segments.0.get(key).is_some(),
            None => self.index.find(key).is_some(),
        }
    }

    /// The type of the values, found by looking at the first ones.
    fn value_type(&self) -> Result<Option<ValueType>> {
        if let Wanted::Bytes | Wanted::Type(Some(_)) = self.wanted {
            return Ok(self.wanted.value_type());
        }
        if let Some(found) = self.value_type.get() {
            return Ok(*found);
        }
        let found = self.find_type();
        Ok(*self.value_type.get_or_init(|| found))
    }

    /// Looks at the first values that can be read.
    fn find_type(&self) -> Option<ValueType> {
        let mut evidence = kaldi_any::Evidence::default();
        let mut loader = ValueLoader::strict(Detector::new(None));
        let (mut candidates, mut has_seen) = (Vec::new(), false);
        for index in 0..self.index.len().min(64) {
            let (line, number) = self.index.line(index);
            let Ok(raw) = loader.load_line(Some(&self.index.name), number, &line) else { continue };
            evidence.add(raw.head(), raw.is_text());
            candidates = loader.framing().candidates().to_vec();
            has_seen = true;
            if candidates.len() == 1 {
                break;
            }
        }
        has_seen.then(|| evidence.choose(&candidates))
    }

    fn load_raw<T>(&self, key: &[u8], read: impl FnOnce(&RawEntry) -> Result<T>) -> Result<T> {
        let Some(index) = self.index.find(key) else { return Err(Failure::missing_key(key, &self.index.name)) };
        self.load_raw_at(index, read)
    }

    fn load_raw_at<T>(&self, index: usize, read: impl FnOnce(&RawEntry) -> Result<T>) -> Result<T> {
        let (line, number) = self.index.line(index);
        let script = self.index.is_script.then_some(&self.index.name);
        let found = self.value_type()?;
        // A loader that learns the type of values is of no use for another value.
        let free = || self.loaders.try_lock()?.pop();
        let is_known = found.is_some();
        let new = || ValueLoader::strict(Detector::new(found)).keep_open(self.cache_files);
        let mut loader = if is_known { free() } else { None }.unwrap_or_else(new);
        let raw = loader.load_line(script, number, &line);
        if is_known && let Some(mut loaders) = self.loaders.try_lock() {
            let num_open: usize = loaders.iter().map(ValueLoader::num_open).sum();
            if num_open + loader.num_open() <= self.cache_files {
                loaders.push(loader);
            }
        }
        read(&raw.map_err(|error| Failure::from(error).at_key(&line.key))?)
    }

    fn load(&self, key: &[u8]) -> Result<AnyValue> {
        let asked = key;
        let key = self.mapped(key)?;
        if let Some(segments) = &self.segments {
            let Some(cut) = segments.0.get(key) else { return Err(Failure::missing_key(asked, "the segments file")) };
            let wave = self.load_raw(&cut.recording, |raw| segments.cut(key, cut, raw))?;
            return Ok(wave.with_precision(self.dtype));
        }
        let found = self.value_type()?;
        self.load_raw(key, |raw| read_value(raw, found, self.dtype))
    }

    fn load_at(&self, index: usize) -> Result<AnyValue> {
        match self.names() {
            // What stands for another key is found by that.
            Some(_) => self.load(self.key(index)),
            None => self.load_raw_at(index, |raw| read_value(raw, self.value_type()?, self.dtype)),
        }
    }

    fn shape(&self, key: &[u8]) -> Result<Vec<u64>> {
        let asked = key;
        let key = self.mapped(key)?;
        if let Some(segments) = &self.segments {
            let Some(cut) = segments.0.get(key) else { return Err(Failure::missing_key(asked, "the segments file")) };
            return self.load_raw(&cut.recording, |raw| Ok(vec![segments.length(key, cut, raw)?]));
        }
        let found = self.value_type()?;
        self.load_raw(key, |raw| shape(raw, found))
    }
}

/// Does work for each item on up to this many threads. The results are in the order of the items; the first failure counts.
fn on_threads<I: Sync, T: Send>(items: &[I], threads: usize, work: impl Fn(&I) -> Result<T> + Sync) -> Result<Vec<T>> {
    let threads = threads.min(items.len());
    if threads <= 1 {
        return items.iter().map(work).collect();
    }
    let share = items.len().div_ceil(threads);
    let parts = interrupt::on_threads(items.len().div_ceil(share), |number| {
        let part = &items[number * share..items.len().min((number + 1) * share)];
        part.iter().map(&work).collect::<Result<Vec<T>>>()
    })?;
    Ok(parts.into_iter().flatten().collect())
}

fn key_of(key: &Bound<'_, PyAny>) -> PyResult<BString> {
    match key.cast() {
        Ok(key) => names::from_str(key),
        // Nothing but a `str` is a key.
        Err(_) => {
            Err(Failure::new(Class::MissingKey, format!("expected a key of type str, got {}", key.repr()?)).into())
        }
    }
}

fn name_of(name: &Bound<'_, PyAny>) -> PyResult<BString> {
    match names::of_source(name)? {
        Some(source) => Ok(source.name),
        None => {
            let kind = name.get_type().name()?;
            Err(crate::errors::wrong_type(format!("expected a name or a path, got {kind}")))
        }
    }
}

/// Reads lines of a key and what it stands for, such as those of `utt2spk`.
fn read_map(name: &BStr) -> Result<Speakers> {
    let shown = kaldi_io::printable_rxfilename(name).into_owned();
    let name = name.strip_prefix(b"ark:").or_else(|| name.strip_prefix(b"ark,t:")).unwrap_or(name);
    let (mut names, mut map) = (Vec::new(), HashMap::new());
    let mut lines = Lines::open(name.as_bstr())?;
    while let Some((number, line)) = lines.next_keyed()? {
        let mut words = line.words();
        let (Some(to), None) = (words.next(), words.next()) else {
            let found = kaldi_io::excerpt(line.to_string().as_bytes());
            let message = format!("{shown}:{number}: expected two words, got {found}");
            return Err(Failure::new(Class::Data, message).in_file(shown).at_line(number));
        };
        if map.insert(BString::from(line.key), to.into()).is_none() {
            names.push(line.key.into());
        }
    }
    Ok(Speakers { file: shown, names, map })
}

/// Adds the class to the module.
///
/// # Errors
/// If there is no memory for it.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<LookupTable>()
}
