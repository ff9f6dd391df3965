//! The README of the crate `kaldi-tables`: its program, built outside of the workspace of the crates as they are packaged.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};

use super::page::Page;
use super::sources;
use crate::support::Scratch;

/// The crates of this project that the program may be made of, whatever features of the library it asks for.
fn crates() -> Vec<String> {
    sources::crates().into_keys().filter(|name| name != "kaldi-cli").collect()
}

/// Runs cargo without the network, with a folder for what it builds.
fn cargo(folder: &Path, target: &Path, arguments: &[&str]) -> Output {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(folder).args(arguments).args(["--offline", "--quiet", "--target-dir"]).arg(target);
    cargo.output().unwrap_or_else(|error| panic!("{} cannot be run: {error}", env!("CARGO")))
}

/// Packages the crates, and unpacks what would be uploaded into the folder `crates`.
fn package(scratch: &Scratch, target: &Path) {
    let mut arguments = vec!["package", "--no-verify", "--allow-dirty", "--exclude-lockfile"];
    let crates = crates();
    crates.iter().for_each(|name| arguments.extend(["--package", name]));
    let packaged = cargo(Path::new(env!("CARGO_MANIFEST_DIR")), target, &arguments);
    assert!(packaged.status.success(), "{}", String::from_utf8_lossy(&packaged.stderr));
    let unpack = "mkdir crates && for file in target/package/*.crate; do tar -xzf $file -C crates || exit 1; done";
    scratch.sh(unpack).succeeds();
}

/// The manifest that the page shows, with the packages instead of those of a registry.
fn manifest(dependencies: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let head = "[package]\nname = \"program\"\nedition = \"2024\"\n\n[workspace]\n";
    let patch = |name: &String| format!("{name} = {{ path = \"crates/{name}-{version}\" }}\n");
    format!("{head}\n{dependencies}\n[patch.crates-io]\n{}", crates().iter().map(patch).collect::<String>())
}

/// Whether cargo has not got a dependency of other people on this machine.
fn is_missing_here(message: &str) -> bool {
    let is_ours = |name: &String| message.contains(&format!("named `{name}`"));
    let ours = message.contains("named `kaldi-") || sources::crates().keys().any(is_ours);
    message.contains("you may wish to retry without `--offline`") && !ours
}

#[test]
fn a_missing_crate_of_this_project_is_no_reason_to_skip() {
    let message = |name| {
        format!("error: no matching package named `{name}` found\n... you may wish to retry without `--offline`.")
    };
    assert!(is_missing_here(&message("parquet")));
    assert!(!is_missing_here(&message("kaldi-new")) && !is_missing_here(&message("whole-file")));
    assert!(!is_missing_here("error[E0308]: mismatched types"));
}

/// `cargo test --test suite -- --ignored docs::library`
#[test]
#[ignore = "builds all packages again, which takes minutes"]
fn the_program_runs_outside_of_the_workspace() {
    let blocks = Page::read("crates/front/kaldi-tables/README.md").blocks();
    let block = |info: &str| &blocks.iter().find(|block| block.info == info).unwrap().text;
    let program = block("rust,no_run");
    assert!(program.lines().count() <= 25, "the program has {} lines", program.lines().count());

    let scratch = Scratch::new();
    let target = scratch.path("target");
    package(&scratch, &target);
    scratch.write("Cargo.toml", manifest(block("toml"))).write("Cargo.lock", sources::read("Cargo.lock"));
    std::fs::create_dir(scratch.path("src")).unwrap();
    scratch.write("src/main.rs", program);

    let built = cargo(&scratch.path(""), &target, &["build"]);
    let message = String::from_utf8_lossy(&built.stderr);
    if is_missing_here(&message) {
        // Standard error itself: the test harness keeps what the macros print.
        let line =
            format!("the_program_runs_outside_of_the_workspace is skipped, cargo lacks a dependency: {message}\n");
        std::io::stderr().write_all(line.as_bytes()).unwrap();
        return;
    }
    assert!(built.status.success(), "{message}");
    runs_as_the_page_says(&scratch);
}

/// Runs the program on an archive that is cut, and a script file whose last line leads nowhere.
fn runs_as_the_page_says(scratch: &Scratch) {
    scratch.write("all.ark", "a  [ 1 2\n 3 4 ]\nb  [ 5 6 ]\nc  [ 7 8 ]\n");
    scratch.sh("copy-matrix ark:all.ark ark,scp:whole.ark,feats.scp").succeeds();
    let whole = scratch.read("whole.ark");
    scratch.write("feats.ark", &whole[..whole.len() - 3]);
    scratch.sh("sed -i 's/^c .*/c gone.ark:5/' feats.scp").succeeds();
    scratch.sh("target/debug/program 2> log").succeeds().stdout_is("a 2 1\nb 10 5\n");
    let doubled = "a  [\n  2 4 \n  6 8 ]\nb  [\n  10 12 ]\n";
    scratch.sh("copy-matrix ark:doubled.ark ark,t:-").succeeds().stdout_is(doubled);
    scratch.sh("copy-matrix scp:doubled.scp ark,t:-").succeeds().stdout_is(doubled);
    let log = String::from_utf8(scratch.read("log")).unwrap();
    // The archive is read twice, the script file once. Each reader has its own log.
    let starts = |name: &str| log.lines().filter(|line| line.starts_with(&format!("{name}: WARNING"))).count();
    assert_eq!((starts("archive"), starts("script"), log.lines().count()), (2, 1, 3), "{log}");
}
