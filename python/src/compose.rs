//! Python's iterables in the random orders of `table-shuffle`.

use kaldi_io::sync::Mutex;
use kaldi_reader::{BoxReader, Draws, Reader, ReaderExt, from_fn};
use pyo3::prelude::*;
use pyo3::types::PyIterator;

use crate::errors::{Class, Failure};

/// An iterator over the values of another one in random order.
#[pyclass(module = "kaldi_tables._core", frozen)]
struct ShuffledIterator {
    reader: Mutex<BoxReader<Py<PyAny>, PyErr>>,
}

#[pymethods]
impl ShuffledIterator {
    /// Shuffles `values` with `buffer` of them in memory (0: all), and starts when `initial` are (0: the whole buffer).
    #[new]
    fn new(values: &Bound<'_, PyAny>, buffer: usize, seed: u32, epoch: u32, initial: usize) -> PyResult<Self> {
        let iterator: Py<PyIterator> = values.try_iter()?.unbind();
        // It is not restarted.
        let values = from_fn(move |_| {
            Python::attach(|py| iterator.bind(py).clone().next().transpose().map(|value| value.map(Bound::unbind)))
        });
        let seed = Draws::named(&[seed.into(), epoch.into()], b"").bits();
        let reader = match (buffer, initial) {
            (0, _) => values.shuffle_window(usize::MAX, seed).boxed(),
            (buffer, 0) => values.shuffle_stream(buffer, seed).boxed(),
            (buffer, initial) => values.shuffle_stream(buffer, seed).initial(initial).boxed(),
        };
        Ok(Self { reader: Mutex::new(reader) })
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self) -> PyResult<Option<Py<PyAny>>> {
        // Waiting would hold the interpreter, and the other thread could not go on.
        let busy = || Failure::new(Class::Error, "another thread is in this iterator");
        self.reader.try_lock().ok_or_else(busy)?.next()
    }
}

/// Adds the class to the module.
///
/// # Errors
/// If there is no memory for it.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<ShuffledIterator>()
}
