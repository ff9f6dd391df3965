//! What is wrong with a value.

use std::error;
use std::fmt;

use bstr::BString;

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a type refuses a value.
pub type Cause = Box<dyn error::Error + Send + Sync>;

/// An error of a value of the command line.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The value of an option is refused by its type.
    Option {
        /// The name of the option.
        name: &'static str,
        /// The value.
        value: BString,
        /// The reason.
        cause: Cause,
    },
    /// An argument is refused by its type.
    Argument {
        /// The name of its field.
        field: &'static str,
        /// The argument.
        value: BString,
        /// The reason.
        cause: Cause,
    },
    /// An argument is missing.
    Missing {
        /// The name of its field.
        field: &'static str,
    },
}

/// Shows the reasons behind a reason, too.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cause = match self {
            Self::Option { name, value, cause } => {
                write!(f, "Invalid option --{name}={value}: {cause}")?;
                cause
            }
            Self::Argument { field, value, cause } => {
                write!(f, "invalid {} \"{value}\": {cause}", field.replace('_', " "))?;
                cause
            }
            Self::Missing { field } => return write!(f, "expected an argument: {}", field.replace('_', " ")),
        };
        let mut deeper = cause.source();
        while let Some(cause) = deeper {
            write!(f, ": {cause}")?;
            deeper = cause.source();
        }
        Ok(())
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Option { cause, .. } | Self::Argument { cause, .. } => Some(&**cause),
            Self::Missing { .. } => None,
        }
    }
}
