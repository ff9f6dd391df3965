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
            let (parsed, _) = kaldi_io::log::capture(|| kaldi_cli::parse::<Options>(words));
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
#[derive(clap::Args)]
#[allow(dead_code)]
struct Options {
    /// A switch
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// A number
    #[arg(long, default_value_t = 0)]
    first: i32,
    /// A number
    #[arg(long = "sample_rate", default_value_t = 16000.0)]
    sample_rate: f32,
    /// A choice
    #[arg(long, default_value = "povey", value_parser = kaldi_cli::one_of(&WINDOWS))]
    window_type: &'static str,
    /// A text
    #[arg(long)]
    range: Option<kaldi_cli::Arg>,
    #[arg(required = true)]
    files: Vec<kaldi_cli::Arg>,
}
