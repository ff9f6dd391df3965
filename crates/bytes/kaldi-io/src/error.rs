//! Errors of streams and names.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::num::NonZeroU64;
use std::process::ExitStatus;
use std::sync::Arc;

use crate::log::hide_secrets;
use bstr::BString;

use crate::advice::name_advice;
use crate::compressed::DamagedStream;
use crate::session::Session;

/// The result of the functions of this crate that open, read or write.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure of a stream or of a name.
#[derive(thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Error {
    /// The name is not a valid rxfilename or wxfilename. `advice` says what it looks like.
    #[error("{:?} is no valid {role} name: {advice}", BString::from(hide_secrets(.name).into_owned()))]
    Name { role: &'static str, name: BString, advice: Cow<'static, str> },
    /// A file or pipe could not be opened.
    #[error("cannot open {name}: {}{}", reason(.source), open_advice(.name, .source))]
    Open { name: String, source: io::Error },
    /// A folder could not be made.
    #[error("cannot make the folder {name}: {}", reason(.source))]
    Folder { name: String, source: io::Error },
    /// A stream could not be read.
    #[error("cannot read {name}:{offset}: {}", reason(.source))]
    Read { name: String, offset: u64, source: io::Error },
    /// A stream should be read a second time, but its bytes come only once.
    #[error("cannot read {name} a second time: it is a stream")]
    ReadOnce { name: String },
    /// A stream could not be written.
    #[error("cannot write {name}: {} (after {offset} bytes)", reason(.source))]
    Write { name: String, offset: u64, source: io::Error },
    /// A file would be replaced by one of another kind.
    #[error("cannot replace {name}: {reason}")]
    Replace { name: String, reason: String },
    /// A command could not be started.
    #[error("cannot run {command}: {}", reason(.source))]
    Run { command: String, source: io::Error },
    /// A command of a pipe ended with a status that is not success.
    #[error("Pipe {command} had nonzero return status: {}", describe(*.status))]
    Status { command: String, status: ExitStatus },
    /// The content of a stream is not what was expected. Its place is the `line`, from 1, if the stream is text, or else the `offset`.
    #[error("{name}:{}: {source}{}", .line.map_or(*.offset, NonZeroU64::get), .advice.as_ref().map_or(String::new(), |advice| format!(": {advice}")))]
    Content { name: Box<str>, offset: u64, line: Option<NonZeroU64>, source: ParseError, advice: Option<Box<str>> },
}

/// The same text as `Display`. It is not derived: what is derived is compiled anew in each crate that has such an error.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error {
    /// Whether a compressed stream is cut or damaged. What was read before is sound.
    pub fn is_damage(&self) -> bool {
        let is_damaged = |source: &io::Error| source.get_ref().is_some_and(|it| it.is::<DamagedStream>());
        matches!(self, Self::Read { source, .. } if is_damaged(source))
    }

    /// A fault in the content of a stream ([`Error::Content`]), with the advice of the session of this thread.
    pub fn content(name: impl Into<Box<str>>, offset: u64, source: ParseError) -> Self {
        let advice = Session::setting(|settings| settings.advice.clone())
            .and_then(|advice| advice.on_value(&source))
            .map(String::into_boxed_str);
        Self::Content { name: name.into(), offset, line: None, source, advice }
    }

    /// The same fault in the line of this number, if it is known.
    #[must_use]
    pub fn in_line(mut self, number: Option<u64>) -> Self {
        if let Self::Content { line, .. } = &mut self {
            *line = number.and_then(NonZeroU64::new);
        }
        self
    }
}

/// Advice about a name that cannot be opened.
fn open_advice(name: &str, source: &io::Error) -> String {
    let is_of_store = source.raw_os_error().is_none();
    name_advice(name, source.kind(), is_of_store).map_or(String::new(), |advice| format!(" ({advice})"))
}

/// The system's reason without Rust's `(os error N)`.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// `exit status 3` or `killed by signal 9`.
fn describe(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) => status.to_string(),
    }
}

/// A fault in the bytes of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Offset from the first byte of the value.
    pub offset: usize,
    /// What was expected and what was found; lower case, no full stop.
    pub message: Cow<'static, str>,
    /// Whether the bytes ended before the value did, so that more of them might help.
    pub at_end: bool,
    /// The start of the value with the fault, if it is known.
    pub value: Option<Unread>,
}

/// The start of a value that could not be read, for [`Advice`](crate::Advice).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// Its first bytes, and some of what follows it.
    pub bytes: Arc<[u8]>,
    /// Whether nothing follows these bytes.
    pub at_end: bool,
}

impl Unread {
    /// Bytes that are kept.
    const ROOM: usize = 1 << 12;
}

impl ParseError {
    /// A fault at `offset`.
    pub fn new(offset: usize, message: impl Into<Cow<'static, str>>) -> Self {
        Self { offset, message: message.into(), at_end: false, value: None }
    }

    /// The same fault with advice after it, if there is any.
    #[must_use]
    pub fn with_advice(self, advice: Option<String>) -> Self {
        match advice {
            Some(advice) => Self { message: format!("{}: {advice}", self.message).into(), ..self },
            None => self,
        }
    }

    /// The same fault, in the value that starts with `bytes`. `at_end` says that nothing follows them.
    #[must_use]
    pub fn in_value(self, bytes: &[u8], at_end: bool) -> Self {
        let kept = &bytes[..bytes.len().min(Unread::ROOM)];
        let at_end = at_end && kept.len() == bytes.len();
        Self { value: Some(Unread { bytes: kept.into(), at_end }), ..self }
    }

    /// The bytes ended at `offset`, where `expected` should follow.
    pub fn end(offset: usize, expected: impl fmt::Display) -> Self {
        Self {
            offset,
            message: format!("expected {expected}, got the end of the input").into(),
            at_end: true,
            value: None,
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ParseError {}
