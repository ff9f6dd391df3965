use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use regex::Regex;

use super::page::{Page, code, without_trailing_space};
use super::{commands, sources};
use crate::support::{Scratch, registry, shell};

/// The tables of docs/tools.md are made of the lists of the tasks; what stands around them is not.
#[test]
fn docs_tools_lists_every_tool_under_its_task() {
    let mut tables = BTreeMap::<String, String>::new();
    for tool in registry::tools() {
        let heading = format!("## {}{}", tool.task[..1].to_uppercase(), &tool.task[1..]);
        let plus = if tool.in_kaldi { "" } else { " +" };
        let row = format!("| `{}`{plus} | {} |\n", tool.name, tool.summary);
        tables.entry(heading).or_insert_with(|| "| tool | |\n| --- | --- |\n".to_owned()).push_str(&row);
    }
    let path = root().join("docs/tools.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (mut made, mut heading, mut is_row) = (String::new(), "", false);
    for line in page.lines() {
        if line.starts_with("## ") {
            heading = line;
        }
        is_row = if is_row { line.starts_with('|') } else { line == "| tool | |" };
        match is_row {
            true => made.push_str(&tables.remove(heading).unwrap_or_default()),
            false => made.push_str(&format!("{line}\n")),
        }
    }
    assert!(tables.is_empty(), "docs/tools.md: expected a table behind each of {:?}", tables.keys());
    if std::env::var_os("KALDI_TABLES_WRITE").is_some_and(|value| value == "1") {
        std::fs::write(&path, &made).unwrap();
    } else if made != page {
        let missing: Vec<_> = made.lines().filter(|line| !page.contains(line)).collect();
        panic!("docs/tools.md is not what the lists of tools say, such as {missing:?}: KALDI_TABLES_WRITE=1 writes it");
    }
}

/// Each task lists the tools of its folder, sorted by name, and each file says what its row says.
#[test]
fn every_file_of_a_task_is_a_tool_in_its_list() {
    let tools = registry::tools();
    let mut files = BTreeMap::<String, Vec<String>>::new();
    for task in root().join("src/bin").read_dir().unwrap().map(|entry| entry.unwrap().path()) {
        let names = task.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        // What tools share is a module.
        let list = std::fs::read_to_string(task.join("lib.rs")).unwrap();
        let is_tool = |name: &String| name != "lib" && !list.contains(&format!("\nmod {name};\n"));
        let tools = names.filter_map(|name| Some(name.strip_suffix(".rs")?.to_owned())).filter(is_tool);
        let mut tools: Vec<_> = tools.collect();
        tools.sort();
        files.insert(task.file_name().unwrap().to_str().unwrap().to_owned(), tools);
    }
    let mut listed = BTreeMap::<String, Vec<String>>::new();
    tools.iter().for_each(|tool| listed.entry(tool.task.clone()).or_default().push(tool.name.clone()));
    assert_eq!(listed, files);
    for tool in tools {
        let source = sources::read(&format!("src/bin/{}/{}.rs", tool.task, tool.name));
        let header: String = source.lines().take_while(|line| line.starts_with("//!")).collect();
        assert_eq!(tool.in_kaldi, header.contains("Matches Kaldi's"), "{}: {header}", tool.name);
    }
}

#[test]
fn every_tool_names_itself_and_an_example_and_its_kin_exist() {
    let tools = registry::tools();
    let names: BTreeSet<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
    for tool in tools {
        assert!(tool.usages.iter().all(|usage| usage.split(' ').next() == Some(&tool.name)), "{:?}", tool.usages);
        assert!(!tool.usages.is_empty() && !tool.examples.is_empty(), "{}", tool.name);
        for other in &tool.see_also {
            assert!(names.contains(other.split(' ').next().unwrap()), "{}: there is no tool {other}", tool.name);
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
    for page in ["README.md", "docs/looking.md"] {
        let scratch = Scratch::new();
        std::os::unix::fs::symlink(root().join("samples"), scratch.path("samples")).unwrap();
        let mut blocks = Page::read(page).blocks();
        blocks.retain(|block| !block.text.starts_with(DEMONSTRATION));
        assert!(commands::run(&blocks, &scratch) > 5, "{page}");
    }
}

#[test]
fn readme_is_short() {
    let lines = sources::read("README.md").lines().count();
    assert!(lines <= 200, "README.md has {lines} lines; move details to docs");
}

#[test]
fn the_demonstration_writes_what_is_shown() {
    let blocks = Page::read("docs/looking.md").blocks();
    let shown =
        blocks.iter().find_map(|block| block.text.strip_prefix(DEMONSTRATION)).expect("docs/looking.md shows it");
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

#[test]
fn the_demonstration_builds_what_is_missing() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("bin")).unwrap();
    // Instead of a build: the program that was built for tests.
    let cargo = format!(
        "#!/bin/sh\necho \"$@\" >> {0}/log\nmkdir -p {0}/target/release && ln -s {1} {0}/target/release\n",
        scratch.path("").display(),
        shell::program().display()
    );
    scratch.write("bin/cargo", cargo);
    scratch.sh("chmod +x bin/cargo").succeeds();
    let demo = format!(
        "unset BIN; export PATH=$PWD/bin:/usr/bin:/bin CARGO_TARGET_DIR=$PWD/target; {}/scripts/demo.sh $PWD/demo",
        root().display()
    );
    for _ in 0..2 {
        scratch.sh(&demo).succeeds().stdout_has("anna-01 28").stderr_lacks("rror");
    }
    assert_eq!(scratch.read("log"), b"build --release --locked --bins\n", "it builds once");
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
