//! How the programs are linked, so that tools start fast.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" && target("ARCH") == "x86_64" {
        // A shared libgcc is one more library to load, and looks at the processor, which is slow in a virtual machine.
        if has_static_libgcc() {
            println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
        }
        // Tests start the program 40,000 times; without 350,000 relocations it starts in a third of the time.
        if std::env::var("PROFILE").as_deref() == Ok("debug") {
            println!("cargo::rustc-link-arg-bins=-no-pie");
        }
    }
}

/// Whether the C compiler, which links, has the part of libgcc that Rust needs as a static library.
fn has_static_libgcc() -> bool {
    let found = Command::new("cc").arg("-print-file-name=libgcc_eh.a").output();
    // Of a file that is not there, the compiler prints the name as it came.
    found.is_ok_and(|found| found.stdout.starts_with(b"/"))
}
