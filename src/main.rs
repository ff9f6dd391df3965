//! The program of all tools. The name it is called by, or its first word, chooses the tool: `copy-feats ...` through a
//! link, or `kaldi-tables copy-feats ...`.

mod advice;
mod link;
mod listing;
mod program;
mod registry;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use kaldi_io::{Session, SessionSettings};

use registry::ListedTool;

fn main() -> ExitCode {
    let session = session();
    let mut words = std::env::args_os();
    let called = words.next().unwrap_or_default();
    let name = Path::new(&called).file_name().unwrap_or_default();
    if let Some(entry) = name.to_str().and_then(registry::find) {
        return entry.run(&session);
    }
    let words: Vec<OsString> = words.collect();
    match &words[..] {
        [first, rest @ ..] if let Some(entry) = named(first) => entry.run_as(rest.to_vec(), &session),
        [help, tool]
            if help == "help"
                && let Some(entry) = named(tool) =>
        {
            entry.run_as(vec!["--help".into()], &session)
        }
        // Options after the name of a tool that does not exist are not those of this program.
        [word, ..]
            if !word.as_encoded_bytes().starts_with(b"--") && !program::COMMANDS.iter().any(|name| word == name) =>
        {
            program::TOOL.run_as(called.clone(), vec![word.clone()], &session)
        }
        _ => program::TOOL.run(&session),
    }
}

/// What only the program knows: which values and tools there are, and which store has objects.
fn session() -> Session {
    Session::new(SessionSettings {
        advice: Some(Arc::new(advice::ToolAdvice)),
        #[cfg(feature = "stores")]
        store: Some(kaldi_store::store()),
        ..SessionSettings::default()
    })
}

/// The tool of this name; `store` is `kaldi-store`.
fn named(word: &OsStr) -> Option<&'static ListedTool> {
    let word = word.to_str()?;
    registry::find(word).or_else(|| registry::find(&format!("kaldi-{word}")))
}
