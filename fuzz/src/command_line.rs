//! Command lines.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use bstr::ByteSlice;

use super::with_file;

/// A command line, a word a line; a zero byte ends it, and a config file follows.
pub fn command_line(bytes: &[u8]) {
    let (words, config) = bytes.split_once_str(b"\0").unwrap_or((bytes, b""));
    // Other config files are none of the fuzzer's business.
    let is_config = |word: &[u8]| word.to_ascii_lowercase().starts_with(b"--conf");
    let words = words.split(|&byte| byte == b'\n').filter(|word| !is_config(word));
    let words: Vec<OsString> = words.map(|word| OsString::from_vec(word.to_vec())).collect();
    with_file(config, |name| {
        let with_config = [vec![OsString::from(format!("--config={name}"))], words.clone()].concat();
        for words in [&words, &with_config] {
            let (parsed, _) = kaldi_log::capture(|| kaldi_cli::parse::<Options>(words));
            match parsed {
                Ok(Some(options)) => assert!(options.range.is_some() || !options.files.is_empty()),
                Ok(None) => {}
                Err(message) => assert!(!message.is_empty()),
            }
        }
    });
}

const WINDOWS: [(&str, &str); 2] = [("povey", "povey"), ("hamming", "hamming")];

/// Options of every kind.
#[derive(option_table::Options)]
#[allow(dead_code)]
struct Options {
    /// A switch
    #[option(default = true)]
    binary: bool,
    /// A number
    #[option(default = 0)]
    first: i32,
    /// A number
    #[option(name = "sample_rate", default = 16000.0)]
    sample_rate: f32,
    /// A choice
    #[option(default = "povey", one_of = &WINDOWS)]
    window_type: &'static str,
    /// A text
    #[option]
    range: Option<kaldi_cli::Arg>,
    #[argument(required)]
    files: Vec<kaldi_cli::Arg>,
}
