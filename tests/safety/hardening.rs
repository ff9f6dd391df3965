//! The program decodes foreign sound and serves pages, so it is linked with everything that makes attacks harder.

use crate::support::shell;
use std::process::Command;

#[test]
fn the_program_is_hardened() {
    let read = Command::new("readelf").args(["-hldW"]).arg(shell::program()).env("LC_ALL", "C").output();
    let file = String::from_utf8(read.expect("readelf comes with the linker").stdout).unwrap();
    let words = |start: &str| -> Vec<&str> {
        let line = file.lines().map(str::trim_start).find(|line| line.starts_with(start));
        line.unwrap_or_default().split_whitespace().collect()
    };
    let entry = |tag: &str, word: &str| file.lines().any(|line| line.contains(tag) && line.ends_with(word));

    // The program of the tests has a fixed address, so that it starts faster: build.rs.
    let is_released = !cfg!(debug_assertions);
    assert_eq!(words("Type:").contains(&"DYN"), is_released, "the system can load it at any address:\n{file}");
    assert!(words("GNU_RELRO").contains(&"R"), "what the loader fills in cannot be written afterwards:\n{file}");
    assert!(
        entry("(FLAGS)", "BIND_NOW") || entry("(FLAGS_1)", "NOW PIE"),
        "functions are looked up before that:\n{file}"
    );
    assert!(words("GNU_STACK").contains(&"RW"), "the stack cannot be executed:\n{file}");
    assert!(!file.contains("RWE"), "nothing can be written and executed:\n{file}");
}
