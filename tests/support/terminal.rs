//! Command lines on a terminal: a pseudo-terminal whose other end the test reads.

use std::fs::File;
use std::io::Read;
use std::os::fd::{FromRawFd, OwnedFd};
use std::path::Path;
use std::process::Stdio;
use std::thread;

use super::{Scratch, shell};

/// What a command line on a terminal left behind.
#[derive(Debug)]
pub struct OnTerminal {
    /// Its exit status.
    pub code: i32,
    /// Everything that it wrote to the terminal, with a newline as the only end of a line.
    pub screen: String,
}

impl OnTerminal {
    /// The screen without what moves the cursor and clears lines: each state of a line that was overwritten is a line.
    pub fn states(&self) -> Vec<String> {
        let mut plain = String::new();
        let mut rest = self.screen.chars().peekable();
        while let Some(letter) = rest.next() {
            if letter != '\u{1b}' {
                plain.push(letter);
                continue;
            }
            if rest.next() == Some('[') {
                for letter in rest.by_ref() {
                    if letter.is_ascii_alphabetic() {
                        break;
                    }
                }
                plain.push('\n');
            }
        }
        plain.split(['\r', '\n']).map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }
}

/// Opens a pseudo-terminal of 25 lines and 100 columns: the end of the person, and that of the program.
#[allow(unsafe_code)]
fn open() -> (File, OwnedFd) {
    let (mut person, mut program) = (0, 0);
    let size = libc::winsize { ws_row: 25, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the pointers are valid; null is allowed for the name and the settings.
    let status = unsafe { libc::openpty(&mut person, &mut program, std::ptr::null_mut(), std::ptr::null(), &size) };
    assert_eq!(status, 0, "a pseudo-terminal can be opened");
    // SAFETY: both were opened just now, and nobody else has them.
    unsafe { (File::from_raw_fd(person), OwnedFd::from_raw_fd(program)) }
}

impl Scratch {
    /// Runs a bash command line in this folder whose standard output and standard error are a terminal. Standard input is empty.
    pub fn on_terminal(&self, script: &str) -> OnTerminal {
        on_terminal(script, &self.path(""))
    }
}

fn on_terminal(script: &str, dir: &Path) -> OnTerminal {
    let (mut person, program) = open();
    let both = program.try_clone().expect("a descriptor can be duplicated");
    let mut bash = shell::command(script, dir);
    let mut child = bash
        .env("LC_ALL", "C.UTF-8")
        .env("TERM", "xterm")
        .stdout(Stdio::from(program))
        .stderr(Stdio::from(both))
        .spawn()
        .expect("bash can be run");
    // The command has its own copies of the program's end.
    drop(bash);
    let reader = thread::spawn(move || {
        let (mut screen, mut bytes) = (Vec::new(), [0; 4096]);
        // When the last program has closed its end, reading is an error.
        while let Ok(count @ 1..) = person.read(&mut bytes) {
            screen.extend_from_slice(&bytes[..count]);
        }
        screen
    });
    let status = child.wait().expect("a child can be waited for");
    let screen = reader.join().expect("the reader ends");
    let screen = String::from_utf8_lossy(&screen).replace("\r\n", "\n");
    OnTerminal { code: status.code().expect("the command has ended by itself"), screen }
}
