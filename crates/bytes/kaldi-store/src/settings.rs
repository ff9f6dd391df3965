//! Settings that come from the environment.

use std::env;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

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
    /// If a variable has no number.
    pub fn from_environment() -> io::Result<Self> {
        let silence: f64 = number("KALDI_STORE_TIMEOUT", 30.0)?;
        if !(silence > 0.0 && silence <= 86_400.0) {
            let message =
                format!("expected KALDI_STORE_TIMEOUT to be more than 0 seconds and at most a day, got {silence}");
            return Err(io::Error::other(message));
        }
        Ok(Self { retries: number("KALDI_STORE_RETRIES", 5)?, silence: Duration::from_secs_f64(silence) })
    }
}

/// The default for the largest size of the cache.
const CACHE_SIZE: u64 = 10 << 30;

/// The folder of the cache (`KALDI_STORE_CACHE`), and how many bytes it may have (`KALDI_STORE_CACHE_SIZE`).
///
/// # Errors
/// If the size is not valid.
pub fn cache() -> io::Result<Option<(PathBuf, u64)>> {
    let Some(folder) = env::var_os("KALDI_STORE_CACHE").filter(|folder| !folder.is_empty()) else { return Ok(None) };
    let bound = match variable("KALDI_STORE_CACHE_SIZE") {
        Some(text) => size(text.trim()).ok_or_else(|| {
            let wanted = "a number of bytes such as 500M or 10G";
            io::Error::other(format!("expected KALDI_STORE_CACHE_SIZE to be {wanted}, got {text:?}"))
        })?,
        None => CACHE_SIZE,
    };
    Ok(Some((folder.into(), bound)))
}

/// `10G` as a number of bytes.
fn size(text: &str) -> Option<u64> {
    let units = [('K', 10), ('M', 20), ('G', 30), ('T', 40)];
    let unit = units.into_iter().find(|(letter, _)| text.to_ascii_uppercase().ends_with(*letter));
    let digits = if unit.is_some() { &text[..text.len() - 1] } else { text };
    digits.parse::<u64>().ok()?.checked_mul(1 << unit.map_or(0, |(_, bits)| bits))
}

fn number<T: std::str::FromStr>(name: &str, default: T) -> io::Result<T> {
    let Some(text) = variable(name) else { return Ok(default) };
    text.trim().parse().map_err(|_| io::Error::other(format!("expected {name} to be a number, got {text:?}")))
}

/// A variable of the environment that is set and not empty.
pub fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// The first of several variables that is set.
pub fn first_variable(names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| variable(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, expected) in [("500", Some(500)), ("3K", Some(3072)), ("2m", Some(2 << 20)), ("10G", Some(10 << 30))]
        {
            assert_eq!(size(text), expected, "{text}");
        }
        for text in ["", "G", "-1", "1.5G", "1 G", "1GB", "99999999T", "1\u{20ac}"] {
            assert_eq!(size(text), None, "{text}");
        }
    }
}
