use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use regex::Regex;

use super::page::{Page, code, without_trailing_space};
use super::{commands, sources};
use crate::support::{Scratch, shell, tool};

/// The tools by the folder they are in, as the manifest lists them.
fn tools() -> BTreeMap<String, BTreeSet<String>> {
    let mut tools = BTreeMap::<_, BTreeSet<_>>::new();
    let path = Regex::new(r#"path = "src/bin/(\w+)/([\w-]+).rs""#).unwrap();
    for found in path.captures_iter(&sources::read("Cargo.toml")) {
        tools.entry(found[1].to_owned()).or_default().insert(found[2].to_owned());
    }
    tools
}

#[test]
fn the_tables_of_tools_list_every_tool_under_its_task() {
    let page = Page::read("README.md");
    for (task, tools) in tools() {
        let heading = format!("### {}{}", task[..1].to_uppercase(), &task[1..]);
        let table = page.table_behind(&heading);
        let listed: Vec<_> = table.iter().map(|row| code(&row[0]).to_owned()).collect();
        let tools: Vec<_> = tools.into_iter().collect();
        assert_eq!(listed, tools, "README.md: the tools of src/bin/{task}, in their order");
    }
}

#[test]
fn a_plus_stands_for_tools_that_kaldi_lacks() {
    let page = Page::read("README.md");
    for (task, _) in tools() {
        for row in page.table_behind(&format!("### {}{}", task[..1].to_uppercase(), &task[1..])) {
            let source = sources::read(&format!("src/bin/{task}/{}.rs", code(&row[0])));
            let header: String = source.lines().take_while(|line| line.starts_with("//!")).collect();
            assert_eq!(row[0].ends_with('+'), !header.contains("Matches Kaldi's"), "{}: {header}", row[0]);
        }
    }
}

#[test]
fn the_help_of_every_tool_names_it_and_an_example() {
    for name in tools().into_values().flatten() {
        let output = tool(&name).arg("--help").output().unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        assert!(help.contains(&format!("Usage: {name} ")), "{name}: {help}");
        assert!(help.contains("e.g.: "), "{name}: {help}");
    }
}

#[test]
fn tools_that_are_named_as_kin_exist() {
    let tools: BTreeSet<String> = tools().into_values().flatten().collect();
    for name in &tools {
        let output = tool(name).arg("--help").output().unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        let kin = help.split_once("See also:").and_then(|(_, rest)| rest.split("\n\n").next()).unwrap_or_default();
        for other in kin.split(',').filter_map(|other| other.split_whitespace().next()) {
            assert!(tools.contains(other), "{name}: there is no tool {other}");
        }
    }
}

#[test]
fn every_difference_has_its_test() {
    let sources = sources::of(&["crates", "tests"]);
    let rows = Page::read("docs/differences.md").table("differences");
    let tests: Vec<_> = rows.iter().flat_map(|row| row[2].split(", ").map(code)).collect();
    assert!(tests.len() > 10);
    for test in &tests {
        assert!(sources.contains(&format!("fn {test}(")), "there is no test {test}");
    }
    // Of each entry of the conformance suite's list of differences, one test at least.
    let entry = Regex::new(r#""[^"]+",\s*&\[([^\]]*)\]"#).unwrap();
    let name = Regex::new(r"::(\w+)").unwrap();
    let quirks = sources::read("tests/golden/quirks.rs");
    let entries: Vec<_> = entry.captures_iter(&quirks).collect();
    assert!(entries.len() > 5);
    for entry in entries {
        let asserted = name.captures_iter(&entry[1]).any(|found| tests.contains(&&found[1]));
        assert!(asserted, "docs/differences.md tells nothing of what these tests assert: {}", &entry[1]);
    }
}

const DEMONSTRATION: &str = "$ cargo build --release && scripts/demo.sh target/demo\n";

#[test]
fn a_look_into_the_samples_shows_what_is_shown() {
    let scratch = Scratch::new();
    std::os::unix::fs::symlink(root().join("samples"), scratch.path("samples")).unwrap();
    let mut blocks = Page::read("README.md").blocks();
    blocks.retain(|block| !block.text.starts_with(DEMONSTRATION));
    assert!(commands::run(&blocks, &scratch) > 5);
}

#[test]
fn the_demonstration_writes_what_is_shown() {
    let blocks = Page::read("README.md").blocks();
    let begin = DEMONSTRATION;
    let shown = blocks.iter().find_map(|block| block.text.strip_prefix(begin)).expect("README.md shows it");
    let script = root().join("scripts/demo.sh");
    let scratch = Scratch::new();
    let output = Command::new(script).arg(scratch.path("demo")).env("BIN", shell::tools_dir()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(without_trailing_space(&String::from_utf8(output.stdout).unwrap()), shown);
    let (width, pixels) = decode(&scratch.read("demo/pictures/anna.png"));
    let (shown_width, shown_pixels) = decode(&std::fs::read(root().join("docs/anna.png")).unwrap());
    assert_eq!((width, pixels.len()), (shown_width, shown_pixels.len()));
    // The last bit of a number may be another one on another processor.
    let differing = pixels.iter().zip(&shown_pixels).filter(|(got, shown)| got.abs_diff(**shown) > 8).count();
    assert!(differing < pixels.len() / 1000, "{differing} of {} colours differ from docs/anna.png", pixels.len());
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The width and the colours of a PNG file.
fn decode(file: &[u8]) -> (u32, Vec<u8>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    (info.width, pixels)
}

#[test]
fn the_samples_are_what_their_script_makes() {
    let scratch = Scratch::new();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    scratch.sh(&format!("cp -r {} samples && cp -r samples before && samples/make.sh", samples.display())).succeeds();
    scratch.sh("diff -r before samples").succeeds().stdout_is("");
}

#[path = "../../samples/recordings.rs"]
#[allow(dead_code, reason = "it is a program by itself")]
mod recordings;

#[test]
fn the_recordings_are_what_their_program_makes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/audio");
    for (name, file) in recordings::recordings() {
        assert!(std::fs::read(folder.join(format!("{name}.wav"))).unwrap() == file, "{name}");
    }
}
