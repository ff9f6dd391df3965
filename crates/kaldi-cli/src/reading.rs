//! What a command line says, or what is wrong with it.

use std::ffi::OsString;

use bstr::BString;

/// What a command line asks for.
pub(crate) enum Request {
    Help,
    /// Help, as a mistake: `--help=false`. Whatever the value is, Kaldi answers with the usage text on standard error.
    Usage,
    Version,
    Run(Reading),
}

/// What a command line said.
#[derive(Debug)]
pub(crate) struct Reading {
    /// One value for each of the options of a dialect, canonical; `None` where it was not given.
    pub(crate) values: Vec<Option<BString>>,
    pub(crate) arguments: Vec<OsString>,
}

/// A command line that cannot be understood.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) message: String,
    /// Whether the list of options would help.
    pub(crate) is_unknown_option: bool,
}

impl Fault {
    pub(crate) fn new(message: String) -> Self {
        Self { message, is_unknown_option: false }
    }
}
