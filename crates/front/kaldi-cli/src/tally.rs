//! What was done and what could not be, and the exit code that follows.

use kaldi_table::Counts;

/// What a tool has done: counts of entries, and the exit code. Every tool returns it.
///
/// The code follows Kaldi, where each program decides it in its last line:
///
/// | in Kaldi's program | here |
/// | --- | --- |
/// | `return (num_done != 0 ? 0 : 1)` | [`Tally::new`], or counting up from `Tally::default()` |
/// | `return 0` | [`Tally::always_ok`] |
/// | `return (num_done > 0 && num_err < num_done) ? 0 : 1` | [`Tally::ok_if`] |
/// | `return (num_done == 0 ? -1 : 0)` | [`Tally::error_if_none`] |
///
/// An error that ends a tool is no tally but an `Err` (exit code 255).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Tally {
    /// Entries done.
    pub done: u64,
    /// Entries that were skipped with a warning.
    pub failed: u64,
    rule: Rule,
}

/// How the exit code follows from the counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Rule {
    /// 0 if anything was done, else 1.
    #[default]
    Done,
    /// 0 if anything was done, else 255.
    DoneOrError,
    /// Decided by the tool.
    Fixed(u8),
    /// 1: the arguments made no sense.
    Refused,
}

impl Tally {
    /// Counts `done` and `failed` entries; the exit code is 0 if anything was done, else 1.
    pub fn new(done: u64, failed: u64) -> Self {
        Self { done, failed, rule: Rule::Done }
    }

    /// Makes the exit code 0 if `success` is true, else 1, whatever was done.
    pub fn ok_if(self, success: bool) -> Self {
        self.exit_with(u8::from(!success))
    }

    /// Makes the exit code this one, whatever was done.
    pub fn exit_with(self, code: u8) -> Self {
        Self { rule: Rule::Fixed(code), ..self }
    }

    /// Makes the exit code 0 whatever was done.
    pub fn always_ok(self) -> Self {
        self.ok_if(true)
    }

    /// Makes the exit code 255 if nothing was done.
    pub fn error_if_none(self) -> Self {
        Self { rule: Rule::DoneOrError, ..self }
    }

    /// What a tool returns if its arguments make no sense and the error has been printed.
    pub(crate) fn refused() -> Self {
        Self { rule: Rule::Refused, ..Self::default() }
    }

    /// Whether nothing was done or found to be wrong, and a warning should say so.
    pub(crate) fn has_done_nothing(&self) -> bool {
        self.done == 0 && self.failed == 0 && self.exit_code() != 0
    }

    /// Whether nothing was done because nothing could be: the exit code says so, all entries failed, or there were none.
    pub(crate) fn has_no_result(&self, tables_are_empty: bool) -> bool {
        self.done == 0 && (self.exit_code() != 0 || self.failed > 0 || tables_are_empty)
    }

    /// Makes the exit code 1 if it is 0.
    pub(crate) fn at_least_a_failure(self) -> Self {
        if self.exit_code() == 0 { self.ok_if(false) } else { self }
    }

    /// Whether the arguments made no sense.
    pub(crate) fn is_refused(&self) -> bool {
        self.rule == Rule::Refused
    }

    /// Returns the exit code.
    pub fn exit_code(&self) -> u8 {
        match self.rule {
            Rule::Fixed(code) => code,
            Rule::Refused => 1,
            _ if self.done != 0 => 0,
            Rule::Done => 1,
            Rule::DoneOrError => 255,
        }
    }
}

/// Counts the entries of a table that was written.
impl From<Counts> for Tally {
    fn from(counts: Counts) -> Self {
        Self::new(counts.done, counts.skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_done_is_exit_code_1() {
        assert_eq!(Tally::default().exit_code(), 1);
        assert_eq!(Tally::new(0, 3).exit_code(), 1);
        assert_eq!(Tally::new(1, 3).exit_code(), 0);
    }

    #[test]
    fn a_tool_may_decide_otherwise() {
        assert_eq!(Tally::new(0, 0).always_ok().exit_code(), 0);
        assert_eq!(Tally::new(5, 0).ok_if(false).exit_code(), 1);
        assert_eq!(Tally::new(0, 2).error_if_none().exit_code(), 255);
        assert_eq!(Tally::new(1, 2).error_if_none().exit_code(), 0);
    }
}
