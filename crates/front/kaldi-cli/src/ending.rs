//! How a tool ends: one `ERROR` line and an exit code, or the signal of a filter whose reader has gone.

use std::fmt::Write;
use std::io;
use std::panic::{Location, PanicHookInfo};
use std::process::ExitCode;

use kaldi_io::log::{Log, Severity};

use crate::tally::Tally;

/// The exit code of an error.
pub(crate) const ERROR: u8 = 255;

/// Turns the result of a tool into its exit code, and an error into its line, to which `advice` is added; `main` is where
/// the tool called `run`.
pub(crate) fn end(result: anyhow::Result<Tally>, advice: &str, main: &Location<'_>) -> ExitCode {
    match result {
        Ok(tally) => ExitCode::from(tally.exit_code()),
        Err(error) => {
            if is_broken_pipe(&error) && stdout_reader_is_gone() {
                end_as_filter();
            }
            report(&(describe(&error) + advice), main);
            ExitCode::from(ERROR)
        }
    }
}

/// Writes the `ERROR` line.
pub(crate) fn report(message: &str, place: &Location<'_>) {
    kaldi_io::log::emit(Severity::Error, "main", place.file(), place.line(), format_args!("{message}"));
}

/// Writes a `WARNING` line.
pub(crate) fn warn(message: &str, place: &Location<'_>) {
    kaldi_io::log::emit(Severity::Warning, "main", place.file(), place.line(), format_args!("{message}"));
}

/// Gives exit code 255 to failures that return no error: a panic, which is a bug, with an `ERROR` line; too little memory
/// or stack without one, since the runtime has written its own line.
pub(crate) fn install_handlers(log: Log) {
    std::panic::set_hook(Box::new(move |info| {
        report_panic(info, &log);
        #[allow(clippy::exit, reason = "a panic would abort with a signal")]
        std::process::exit(ERROR.into());
    }));
    let on_abort: extern "C" fn(libc::c_int) = end_after_abort;
    #[allow(unsafe_code)]
    // SAFETY: the handler makes one call, which is allowed in a handler.
    unsafe {
        libc::signal(libc::SIGABRT, on_abort as libc::sighandler_t)
    };
}

extern "C" fn end_after_abort(_: libc::c_int) {
    #[allow(unsafe_code)]
    // SAFETY: ends the process at once.
    unsafe {
        libc::_exit(ERROR.into())
    }
}

fn report_panic(info: &PanicHookInfo<'_>, log: &Log) {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let message = text.unwrap_or("no message");
    let (file, line) = info.location().map_or(("unknown", 0), |place| (place.file(), place.line()));
    // The lines of a worker would be written later, but the program ends now.
    log.emit(Severity::Error, "panic", file, line, format_args!("internal error, please report it: {message}"));
}

/// Joins an error and its causes, outermost first. A cause that is already in the message above it is left out.
fn describe(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        let cause = cause.split(" (os error").next().unwrap_or(&cause);
        if text.is_empty() {
            text.push_str(cause);
        } else if !text.contains(cause) {
            let _ = write!(text, ": {cause}");
        }
    }
    text
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe))
}

/// Returns whether standard output is a pipe whose reader has gone.
fn stdout_reader_is_gone() -> bool {
    let mut stdout = libc::pollfd { fd: libc::STDOUT_FILENO, events: 0, revents: 0 };
    #[allow(unsafe_code)]
    // SAFETY: one valid entry, which outlives the call.
    let num_ready = unsafe { libc::poll(&mut stdout, 1, 0) };
    num_ready == 1 && stdout.revents & (libc::POLLERR | libc::POLLHUP) != 0
}

/// Ends the process by `SIGPIPE`, as every filter ends if its reader stops reading: silently, with status 141 in a shell.
///
/// Until then the signal is ignored (Rust's runtime does that). The failing write is an error like any other, so temporary
/// files are removed first, and an output command that ends too early is reported.
fn end_as_filter() {
    #[allow(unsafe_code)]
    // SAFETY: the default action is a valid handler.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL)
    };
    #[allow(unsafe_code)]
    // SAFETY: ends the process.
    unsafe {
        libc::raise(libc::SIGPIPE)
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn the_chain_is_told_outermost_first_and_nothing_twice() {
        let cause = io::Error::from_raw_os_error(2);
        let error = kaldi_io::Error::Open { name: "raw.ark".to_owned(), source: cause };
        let error = Err::<(), _>(error).context("utt7").context("feats.scp:3").expect_err("is an error");
        assert_eq!(describe(&error), "feats.scp:3: utt7: cannot open raw.ark: No such file or directory");
    }
}
