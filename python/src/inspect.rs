//! What is in a table, and what is wrong with it: `info`, `check`.

use std::collections::VecDeque;

use bstr::{BStr, BString, ByteSlice};
use kaldi_inspect::{
    Checks, DirectorySummary, Fault, Foreign, ForeignKind, ForeignPart, Info, Missing, ModelSummary, Named, NamedKind,
    Summary, check_directory,
};
use pyo3::prelude::*;

use crate::errors::{Result, wrong_type};
use crate::interrupt::without_interpreter;
use crate::names;

/// Seconds from one frame to the next.
const FRAME_SHIFT: f64 = 0.01;

/// The name of a table.
fn source_name(source: &Bound<'_, PyAny>) -> PyResult<BString> {
    let name = names::of_source(source)?.ok_or_else(|| wrong_type("expected the name of a table"))?;
    names::check_rspecifier(name.name.as_ref())?;
    Ok(name.name)
}

/// What is in a table, as the JSON of `table-info`.
#[pyfunction]
fn inspect_info(py: Python<'_>, source: &Bound<'_, PyAny>) -> PyResult<String> {
    let name = source_name(source)?;
    without_interpreter(py, || json_of(name.as_ref()))
}

fn json_of(name: &BStr) -> Result<String> {
    if let Some(kind) = ForeignKind::find(name)? {
        return Ok(Foreign::read(name, kind, usize::MAX, false).to_json(name));
    }
    let named = Named::find(name)?;
    let info = match named.kind {
        NamedKind::Directory => {
            let path = named.rxfilename.to_path_lossy();
            Info::of_directory(name, DirectorySummary::read(&path, FRAME_SHIFT)?)
        }
        NamedKind::Model(model_type) => {
            Info::of_model(name, ModelSummary::read(named.rxfilename.as_ref(), model_type)?, named.is_binary)
        }
        _ => Info::of_table(name, Summary::read(named, None)?, FRAME_SHIFT),
    };
    Ok(info.to_json())
}

/// The faults of a table, as `table-check` finds them.
#[pyfunction]
fn inspect_check(py: Python<'_>, source: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let name = source_name(source)?;
    without_interpreter(py, || faults_of(name))
}

fn faults_of(name: BString) -> Result<Vec<String>> {
    let checks = Checks::default();
    let mut faults = Vec::new();
    let mut tables = VecDeque::from([name]);
    while let Some(table) = tables.pop_front() {
        let name: &BStr = table.as_ref();
        let mut report = |fault: Fault| faults.push(kaldi_io::printable(fault.to_string().as_bytes()));
        let fault = |message: String| Fault { table: name.to_string(), place: String::new(), message };
        match ForeignKind::find(name)? {
            Some(ForeignKind::Folder) => {
                let files = Foreign::read(name, ForeignKind::Folder, usize::MAX, false).parts;
                let files = files.into_iter().filter(ForeignPart::is_to_be_checked);
                files.rev().for_each(|file| tables.push_front(format!("{table}/{}", file.name).into()));
                continue;
            }
            Some(kind) => {
                if let Some(message) = Foreign::read(name, kind, 0, true).fault {
                    report(fault(message));
                }
                continue;
            }
            None => {}
        }
        let named = Named::find(name)?;
        match named.kind {
            NamedKind::Directory => {
                let missing = Missing { wav: false, feats: false, text: false };
                check_directory(&named.rxfilename.to_path_lossy(), checks, missing, &mut report)?;
            }
            NamedKind::Model(model_type) => {
                if let Err(error) = ModelSummary::read(named.rxfilename.as_ref(), model_type) {
                    report(fault(error.to_string()));
                }
            }
            _ => {
                kaldi_inspect::check(&name.to_string(), named, checks, &mut report)?;
            }
        }
    }
    Ok(faults)
}

/// Adds the functions.
///
/// # Errors
/// If the module refuses.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(inspect_info, module)?)?;
    module.add_function(wrap_pyfunction!(inspect_check, module)?)
}
