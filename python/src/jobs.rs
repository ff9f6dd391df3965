//! The plans of `table-jobs`.

use std::io;
use std::path::PathBuf;

use kaldi_jobs::{Error, Folder, Plan};
use pyo3::prelude::*;

use crate::errors::{Class, Failure, Result};

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        match error {
            Error::Table(error) => error.into(),
            Error::Io(error) => error.into(),
            Error::Read { path, source } => Self::of_file(&path.display().to_string(), &source, message),
            _ => Self::new(Class::Data, message),
        }
    }
}

/// The part of a list: its name in the command, what stands before a file in that name, the file, and the first byte and the end.
type Share = (String, String, PathBuf, u64, u64);

fn plan(folder: PathBuf) -> Result<Plan> {
    let place = folder.display().to_string();
    let none = || {
        let message = format!("{place}: there is no plan of table-jobs (--dry-run makes one)");
        Failure::of_file(&place, &io::Error::from_raw_os_error(libc::ENOENT), message)
    };
    Folder::new(folder).plan()?.ok_or_else(none)
}

/// The command of a plan, its folder, and number and number of entries of each piece.
type PlanParts = (Vec<String>, PathBuf, Vec<(usize, u64)>);

/// The parts of the plan in a folder.
#[pyfunction]
fn jobs_plan(folder: PathBuf) -> PyResult<PlanParts> {
    let plan = plan(folder)?;
    let pieces = plan.numbers().filter_map(|number| Some((number, plan.entries_of(number)?))).collect();
    Ok((plan.command().to_vec(), plan.folder().to_owned(), pieces))
}

/// The shares of a piece, by its number, in the lists of a plan.
#[pyfunction]
fn jobs_shares(folder: PathBuf, number: usize) -> PyResult<Vec<Share>> {
    let plan = plan(folder)?;
    plan.check_lists().map_err(Failure::from)?;
    let shares = plan.shares_of(number).into_iter();
    Ok(shares.map(|it| (it.name.to_owned(), it.prefix.to_owned(), it.path, it.range.start, it.range.end)).collect())
}

/// Adds the functions to the module.
///
/// # Errors
/// If there is no memory for it.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(jobs_plan, module)?)?;
    module.add_function(wrap_pyfunction!(jobs_shares, module)?)
}
