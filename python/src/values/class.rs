//! Classes of `python/kaldi_tables` whose objects are values.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyType};

/// A class, which is imported once.
pub struct Class {
    module: &'static str,
    name: &'static str,
    class: PyOnceLock<Py<PyType>>,
}

pub static WAVE: Class = Class::new("kaldi_tables._values", "Wave");
pub static POSTERIOR: Class = Class::new("kaldi_tables._values", "Posterior");
pub static SPARSE_MATRIX: Class = Class::new("kaldi_tables._values", "SparseMatrix");
pub static LATTICE: Class = Class::new("kaldi_tables._values", "Lattice");
pub static IO: Class = Class::new("kaldi_tables._examples", "Io");
pub static EXAMPLE: Class = Class::new("kaldi_tables._examples", "Example");
pub static CHAIN_EXAMPLE: Class = Class::new("kaldi_tables._examples", "ChainExample");

impl Class {
    const fn new(module: &'static str, name: &'static str) -> Self {
        Self { module, name, class: PyOnceLock::new() }
    }

    /// The name, without that of the module.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The class.
    ///
    /// # Errors
    /// If the package is damaged.
    pub fn get<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyType>> {
        let import = || PyResult::Ok(py.import(self.module)?.getattr(self.name)?.cast_into::<PyType>()?.unbind());
        Ok(self.class.get_or_try_init(py, import)?.bind(py))
    }

    /// An object with these attributes. `__init__`, which looks at what users give, is not called.
    ///
    /// # Errors
    /// As [`Class::get`], and if there is no such attribute.
    pub fn make<'py, const N: usize>(
        &self,
        py: Python<'py>,
        attributes: [(&Bound<'py, PyString>, Bound<'py, PyAny>); N],
    ) -> PyResult<Bound<'py, PyAny>> {
        let class = self.get(py)?;
        let object = class.call_method1(intern!(py, "__new__"), (class,))?;
        attributes.into_iter().try_for_each(|(name, value)| object.setattr(name, value))?;
        Ok(object)
    }

    /// Whether the object is of this class.
    ///
    /// # Errors
    /// As [`Class::get`].
    pub fn has(&self, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        object.is_instance(self.get(object.py())?)
    }
}
