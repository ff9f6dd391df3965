//! The examples of the library do what their first lines say.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::{Scratch, shell, tool};

/// The folder of the built examples. A run of this target alone has not built them; then cargo does it here.
fn folder() -> PathBuf {
    let profile = shell::program().parent().unwrap();
    let folder = profile.join("examples");
    if !names().iter().all(|name| folder.join(name).exists()) {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(env!("CARGO_MANIFEST_DIR")).args([
            "build",
            "--package",
            "kaldi-tables",
            "--examples",
            "--offline",
            "--locked",
        ]);
        let name = profile.file_name().unwrap().to_str().unwrap();
        cargo.args(["--profile", if name == "debug" { "dev" } else { name }]);
        let status = cargo.arg("--target-dir").arg(profile.parent().unwrap()).status().unwrap();
        assert!(status.success(), "the examples cannot be built");
    }
    folder
}

/// The names of all examples, sorted.
fn names() -> Vec<String> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/front/kaldi-tables/examples").read_dir().unwrap();
    let sources =
        sources.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|it| it == "rs"));
    let name = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let mut names: Vec<_> = sources.map(name).collect();
    names.sort();
    names
}

/// Runs an example at the top of the repository.
fn run(example: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(folder().join(example));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).output().unwrap()
}

/// Runs an example that succeeds, and returns its standard output.
#[track_caller]
fn output(example: &str, arguments: &[&str]) -> Vec<u8> {
    let output = run(example, arguments);
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && log.is_empty(), "{example}: {}\n{log}", output.status);
    output.stdout
}

/// The standard output of a tool at the top of the repository.
#[track_caller]
fn tool_output(name: &str, arguments: &[&str]) -> Vec<u8> {
    let assert = tool(name).current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).assert().success();
    assert.get_output().stdout.clone()
}

#[test]
fn every_example_is_run_here() {
    assert_eq!(names(), ["copy-table", "double-table", "look-up", "own-reader", "wave-to-mfcc", "waves-to-features"]);
}

#[test]
fn copy_table_is_copy_matrix() {
    let wanted = tool_output("copy-matrix", &["scp:samples/feats.scp", "ark,t:-"]);
    assert!(wanted.len() > 1000);
    assert!(output("copy-table", &["scp:samples/feats.scp", "ark,t:-"]) == wanted);
}

#[test]
fn double_table_is_copy_matrix_with_a_scale() {
    let scratch = Scratch::new();
    let [archive, script] = ["doubled.ark", "doubled.scp"].map(|name| scratch.path(name).display().to_string());
    output("double-table", &["scp:samples/feats.scp", &format!("ark,scp:{archive},{script}")]);
    let wanted = tool_output("copy-matrix", &["--scale=2", "scp:samples/feats.scp", "ark:-"]);
    assert!(scratch.read("doubled.ark") == wanted);
    assert!(tool_output("copy-matrix", &[&format!("scp:{script}"), "ark:-"]) == wanted);
}

#[test]
fn look_up_writes_one_matrix() {
    let wanted = tool_output("copy-matrix", &["--binary=false", "samples/feats.ark:1487", "-"]);
    assert!(output("look-up", &["scp:samples/feats.scp", "anna-02"]) == wanted);
    let missing = run("look-up", &["scp:samples/feats.scp", "anna-03"]);
    assert_eq!(missing.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&missing.stderr), "Error: \"the table has no key anna-03\"\n");
}

#[test]
fn wave_to_mfcc_is_compute_mfcc_feats() {
    let computed = tool_output("compute-mfcc-feats", &["--dither=0", "scp:samples/audio/wav.scp", "ark,t:-"]);
    let computed = String::from_utf8(computed).unwrap();
    let (anna, _) = computed.split_once("ben ").unwrap();
    let feats = output("wave-to-mfcc", &["samples/audio/anna.wav", "-"]);
    assert_eq!(format!("anna {}", String::from_utf8(feats).unwrap()), anna);
}

#[test]
fn waves_to_features_is_compute_mfcc_feats_of_a_table() {
    let wanted = tool_output("compute-mfcc-feats", &["--dither=0", "scp:samples/audio/wav.scp", "ark,t:-"]);
    assert!(output("waves-to-features", &["scp:samples/audio/wav.scp", "ark,t:-"]) == wanted);
}

#[test]
fn own_reader_writes_squares() {
    assert_eq!(output("own-reader", &[]), b"1 4 9 \n");
}
