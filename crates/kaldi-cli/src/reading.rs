//! The contents of a command line, or what is wrong with it.

use std::ffi::OsString;

use bstr::BString;

/// What a command line asks for.
pub(crate) enum Request {
    Help,
    /// Help, as a mistake: `--help=maybe`. Whatever the value is, Kaldi answers with the usage text on standard error.
    Usage,
    Version,
    Run(Reading),
}

/// The contents of a command line.
#[derive(Debug)]
pub(crate) struct Reading {
    /// One value for each of the options of a dialect, canonical; `None` if it was not given.
    pub(crate) values: Vec<Option<BString>>,
    pub(crate) arguments: Vec<OsString>,
}

/// A wrong command line.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) message: String,
    /// Whether the list of options would help the user.
    pub(crate) is_unknown_option: bool,
}

impl Fault {
    pub(crate) fn new(message: String) -> Self {
        Self { message, is_unknown_option: false }
    }
}
