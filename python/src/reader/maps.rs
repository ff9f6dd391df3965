//! Files in memory, for arrays that are views of them.

use std::os::fd::AsRawFd;

use kaldi_io::sync::Mutex;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::values::Dense;

/// Files that are mapped.
const MAPS: usize = 8;

/// The maps of the last few files, by device and inode.
#[derive(Debug, Default)]
pub struct Maps {
    maps: Vec<((u64, u64), Py<PyAny>)>,
}

impl Maps {
    /// The array as a read-only view of its file; an array of its own if it is in no file.
    ///
    /// # Errors
    /// If the file cannot be mapped or read.
    pub fn view<'py>(maps: &Mutex<Self>, py: Python<'py>, mut dense: Dense) -> PyResult<Bound<'py, PyAny>> {
        use std::os::unix::fs::MetadataExt;
        let Some((file, start)) = dense.place() else { return dense.read_array(py) };
        let metadata = file.metadata()?;
        let identity = (metadata.dev(), metadata.ino());
        let known = maps
            .try_lock()
            .and_then(|maps| maps.maps.iter().find(|(known, _)| *known == identity).map(|(_, map)| map.clone_ref(py)));
        let map = match known {
            Some(map) => map.into_bound(py),
            None => {
                let module = py.import("mmap")?;
                let options = PyDict::new(py);
                options.set_item("access", module.getattr("ACCESS_READ")?)?;
                let map = module.getattr("mmap")?.call((file.as_raw_fd(), 0), Some(&options))?;
                if let Some(mut maps) = maps.try_lock() {
                    maps.maps.truncate(MAPS - 1);
                    maps.maps.insert(0, (identity, map.clone().unbind()));
                }
                map
            }
        };
        dense.to_view(&map, start)
    }
}
