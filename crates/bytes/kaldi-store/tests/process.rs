//! The stores within a process: their thread, and the children of the process.

use std::fs;
use std::io::{Read, Write};
use std::process::Stdio;

use crate::support::{Server, has_thread, scratch, tool, wait_for};

#[test]
fn nothing_starts_before_the_first_remote_name() {
    let server = Server::of_object(b"b  [ 2 ]\n");
    let (_folder, script) = scratch("scp");
    let remote = format!("b {}/b:3\n", server.url);
    let mut command = tool("copy-vector");
    command.args(["--num-threads=1", "ark:-", "ark,t,f:-"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"a  [ 1 ]\n").unwrap();
    child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    assert!(!has_thread(child.id(), "stores"));
    drop(stdin);
    assert!(child.wait().unwrap().success());
    // The first line has the name of an object, and a command waits for its value.
    fs::write(&script, format!("{remote}c sleep 100; echo '[ 3 ]' |\n")).unwrap();
    let mut child = tool("copy-vector").args([&format!("scp:{}", script.display()), "ark:-"]).spawn().unwrap();
    wait_for("the thread", || has_thread(child.id(), "stores"));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn children_inherit_nothing() {
    let server = Server::of_object(b"a  [ 1 ]\n");
    let (_folder, script) = scratch("scp");
    // The connection is open when the command of the second line starts.
    let lines = format!("a {}/a:3\nb ls -l /proc/self/fd >&2; echo '[ 2 ]' |\n", server.url);
    fs::write(&script, lines).unwrap();
    let output = tool("copy-vector").args([&format!("scp:{}", script.display()), "ark,t:-"]).output().unwrap();
    let open = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.stdout, b"a  [ 1 ]\nb  [ 2 ]\n", "{open}");
    assert!(open.contains("pipe:"), "{open}");
    assert!(!open.contains("socket:") && !open.contains("eventpoll"), "{open}");
}
