//! Options of tools that have no others.

use crate::{InputName, OutputName};

/// Those of a tool that copies or converts a file.
#[derive(clap::Args)]
#[allow(missing_docs, reason = "the names say it")]
pub struct CopyOptions {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    pub binary: bool,
    pub source: InputName,
    pub target: OutputName,
}

/// Those of a tool that sums files.
#[derive(clap::Args)]
#[allow(missing_docs, reason = "the names say it")]
pub struct SumOptions {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    pub binary: bool,
    pub target: OutputName,
    #[arg(required = true)]
    pub sources: Vec<InputName>,
}
