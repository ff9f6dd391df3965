//! Settings that come from the environment.

use std::env;
use std::time::Duration;

use anyhow::{Context, bail};

/// How patient to be.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Tries after the first one, without any progress between them (`KALDI_STORE_RETRIES`).
    pub retries: u32,
    /// How long a server may be silent (`KALDI_STORE_TIMEOUT`, in seconds).
    pub silence: Duration,
}

impl Settings {
    /// Reads them.
    ///
    /// # Errors
    /// Where a variable has no number.
    pub fn from_environment() -> anyhow::Result<Self> {
        let silence: f64 = number("KALDI_STORE_TIMEOUT", 30.0)?;
        if !(silence > 0.0 && silence <= 86_400.0) {
            bail!("expected KALDI_STORE_TIMEOUT to be more than 0 seconds and at most a day, got {silence}");
        }
        Ok(Self { retries: number("KALDI_STORE_RETRIES", 5)?, silence: Duration::from_secs_f64(silence) })
    }
}

fn number<T: std::str::FromStr>(name: &str, default: T) -> anyhow::Result<T> {
    match variable(name) {
        Some(text) => text.trim().parse().ok().with_context(|| format!("expected {name} to be a number, got {text:?}")),
        None => Ok(default),
    }
}

/// A variable of the environment that is there and not empty.
pub fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// The first of several variables that is there.
pub fn first_variable(names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| variable(name))
}
