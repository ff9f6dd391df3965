//! The recorded cases of real Kaldi once more, with their inputs on the web and in an S3 store instead of in files.
//!
//! A case is run where its command line is one tool without pipes, so that each name of an input in it is one that the tool
//! opens. No input is there as a file. `cargo test -p kaldi-store --test remote-golden s3/copy-feats/` runs those of one tool.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test program: a panic is how it fails")]

#[path = "../../../../tests/golden/case.rs"]
#[allow(dead_code, reason = "each test program uses a part of it")]
mod case;
#[path = "../../../../tests/golden/compare.rs"]
mod compare;
#[path = "../../../../tests/golden/inputs.rs"]
mod inputs;
#[path = "../../../../tests/support/registry.rs"]
mod registry;
#[path = "../../../../tests/golden/run.rs"]
mod run;
#[path = "../../../../tests/support/shell.rs"]
mod shell;
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use libtest_mimic::{Arguments, Failed, Trial};
use regex::Regex;

use case::Case;
use support::s3::{S3, SECRET, variables};
use support::{Answer, Server};

/// Of this many cases one is run with the S3 store. Between the store and the web only the way of the requests is another.
const OF_STORE: usize = 3;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let quirks = case::quirks();
    let is_quirk = |case: &Case| quirks.iter().any(|quirk| quirk.cases.is_match(&case.name));
    let mut cases = case::cases();
    let built = registry::names();
    cases.retain(|case| built.contains(case.tool.as_str()) && is_one_tool(case) && !is_quirk(case));

    // The bytes of each address on the web.
    let objects: Arc<Mutex<BTreeMap<String, Vec<u8>>>> = Arc::default();
    let served = Arc::clone(&objects);
    let web = Server::start(move |asked| match served.lock().unwrap().get(&asked.path) {
        Some(bytes) => Answer::object(asked, bytes, "\"1\""),
        None => Answer::new(404),
    });
    let s3 = Arc::new(S3::start());

    let inputs = Arc::new(inputs::Inputs::new());
    let mut trials = Vec::new();
    for (number, case) in cases.into_iter().enumerate() {
        let begin = format!("/{number}/");
        for kind in ["http", "s3"] {
            if kind == "s3" && number % OF_STORE > 0 {
                continue;
            }
            let prefix = if kind == "s3" { format!("s3://bucket{begin}") } else { format!("{}{begin}", web.url) };
            let Some((remote, files)) = moved(&case, &prefix) else { continue };
            let (objects, s3, begin) = (Arc::clone(&objects), Arc::clone(&s3), begin.clone());
            let inputs = Arc::clone(&inputs);
            let trial = Trial::test(format!("{kind}/{}", case.name), move || {
                for (name, bytes) in files {
                    if kind == "s3" {
                        let path = s3.object(&format!("{}{name}", &begin[1..]));
                        fs::create_dir_all(path.parent().unwrap()).unwrap();
                        fs::write(path, bytes).unwrap();
                    } else {
                        objects.lock().unwrap().insert(format!("{begin}{name}"), bytes);
                    }
                }
                let settings = variables(&s3.endpoint, SECRET).map(|(name, value)| format!("{name}={value}")).join(" ");
                let cmd = format!("export no_proxy='*' KALDI_STORE_TIMEOUT=60 {settings}\n{}", remote.cmd);
                run::run(&Case { cmd, ..remote }, &inputs, shell::TIME_LIMIT).map_err(Failed::from)
            });
            trials.push(trial);
        }
    }
    if !arguments.list {
        println!("{} cases with remote inputs", trials.len());
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Whether the command line is one tool, and nothing else reads its inputs.
fn is_one_tool(case: &Case) -> bool {
    let redirected = Regex::new(r"2>&1|>\s*[^\s;|&]+").unwrap();
    let bare = redirected.replace_all(&case.cmd, "");
    !case.inputs.is_empty() && !bare.contains(['|', ';', '&', '<', '>', '`', '$', '\n', '*', '?', '\\'])
}

/// The case with its inputs elsewhere, and what is there; `None` if that makes another case of it.
fn moved(case: &Case, prefix: &str) -> Option<(Case, BTreeMap<String, Vec<u8>>)> {
    let written = |name: &String| case.expect.contains_key(name) || case.absent.contains(name);
    if case.inputs.keys().any(written) {
        return None;
    }
    let mut names: Vec<&str> = case.inputs.keys().map(String::as_str).collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let names: Vec<String> = names.into_iter().map(regex::escape).collect();
    let name = format!("(?P<before>^|[\\s\"':=,])(?P<name>{})(?P<behind>$|[\\s\"':\\[,])", names.join("|"));
    let name = Regex::new(&name).unwrap();
    // Neighbours share the letter between them.
    let rename = |text: &str| {
        let once = name.replace_all(text, format!("${{before}}{prefix}${{name}}${{behind}}"));
        name.replace_all(&once, format!("${{before}}{prefix}${{name}}${{behind}}")).into_owned()
    };
    let mut files = BTreeMap::new();
    for (input, source) in &case.inputs {
        let bytes = fs::read(case::folder().join("data").join(source)).unwrap();
        let is_script = input.ends_with(".scp");
        let bytes = match String::from_utf8(bytes) {
            Ok(text) if is_script && text.contains('|') => return None,
            Ok(text) if is_script => rename_lines(&text, &rename).into_bytes(),
            Ok(text) if input.ends_with(".conf") => rename(&text).into_bytes(),
            Ok(text) => text.into_bytes(),
            Err(error) => error.into_bytes(),
        };
        files.insert(input.clone(), bytes);
    }
    // A word of a message may be a name or only look like one. The new name has no letters but dots that mean something in
    // a pattern.
    let stderr = case.stderr.iter().map(|pattern| format!("{pattern}|{}", rename(pattern))).collect();
    let remote = Case { cmd: rename(&case.cmd), inputs: BTreeMap::new(), stderr, ..case.clone() };
    Some((remote, files))
}

/// Renames what is after the keys of a script file.
fn rename_lines(text: &str, rename: &impl Fn(&str) -> String) -> String {
    let line = |line: &str| match line.split_once([' ', '\t']) {
        Some((key, rest)) => format!("{key} {}", rename(rest)),
        None => line.to_owned(),
    };
    text.split_inclusive('\n').map(line).collect()
}
