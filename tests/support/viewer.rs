//! A running `table-view`, and raw HTTP requests to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::sample::{Sample, binary_archive, text_archive};
use crate::support::{Scratch, shell, signal};

/// How long anything may take.
const LIMIT: Duration = Duration::from_secs(120);

/// A running viewer. It is killed if the test fails.
pub struct Viewer {
    child: Child,
    /// `127.0.0.1:PORT`
    pub host: String,
    /// The token.
    pub token: String,
    log: PathBuf,
}

/// An answer.
#[derive(Debug)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The head, in small letters.
    pub head: String,
    /// The body.
    pub body: Vec<u8>,
}

impl Viewer {
    /// Starts it, and waits for its address.
    pub fn start(scratch: &Scratch, words: &[&str]) -> Self {
        let mut command = Command::new(shell::tools_dir().join("table-view"));
        command.arg("--print-args=false").args(words).current_dir(scratch.path("")).stdin(Stdio::null());
        command.stderr(std::fs::File::create(scratch.path("stderr")).unwrap());
        shell::detach(&mut command);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("http://").unwrap_or_else(|| panic!("{line}"));
        let (host, token) = address.split_once('/').unwrap();
        let token = token.strip_suffix('/').unwrap();
        assert!(host.starts_with("127.0.0.1:") && token.len() == 32, "{line}");
        Self { child, host: host.to_owned(), token: token.to_owned(), log: scratch.path("stderr") }
    }

    /// The file of its standard error.
    pub fn log(&self) -> PathBuf {
        self.log.clone()
    }

    /// A connection.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        stream
    }

    /// Sends a request as it is, and reads until the server closes.
    pub fn raw(&self, request: &str) -> Reply {
        let mut stream = self.connect();
        stream.write_all(request.replace("TOKEN", &self.token).as_bytes()).unwrap();
        let mut bytes = Vec::new();
        // A server that refuses may reset the connection.
        let _ = stream.read_to_end(&mut bytes);
        let end = bytes.windows(4).position(|it| it == b"\r\n\r\n").unwrap_or(bytes.len());
        let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let body = bytes.get(end + 4..).unwrap_or_default().to_vec();
        let body = if head.contains("transfer-encoding: chunked") { joined(&body) } else { body };
        Reply { status, head, body }
    }

    /// The answer to a request of a path after the token.
    pub fn ask(&self, method: &str, path: &str, headers: &str) -> Reply {
        let host = &self.host;
        self.raw(&format!("{method} /TOKEN/{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n"))
    }

    /// The answer to `GET`.
    pub fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, "")
    }

    /// An answer that is JSON.
    pub fn json(&self, path: &str) -> Value {
        let reply = self.get(path);
        assert_eq!(reply.status, 200, "{path}: {reply:?}");
        assert!(reply.head.contains("content-type: application/json"), "{}", reply.head);
        serde_json::from_slice(&reply.body).unwrap()
    }

    /// Numbers and their shape.
    pub fn numbers(&self, path: &str) -> (String, Vec<f32>) {
        let reply = self.get(path);
        assert_eq!(reply.status, 200, "{path}: {reply:?}");
        let shape = reply.head.split("x-shape: ").nth(1).unwrap().lines().next().unwrap().to_owned();
        (shape, reply.body.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }

    /// The keys of a selection.
    pub fn keys(&self, query: &str) -> Vec<String> {
        let reply = self.get(&format!("api/keys?{query}"));
        assert_eq!(reply.status, 200, "{query}");
        String::from_utf8(reply.body).unwrap().lines().map(str::to_owned).collect()
    }

    /// The number of its process.
    pub fn pid(&self) -> libc::pid_t {
        self.child.id().try_into().unwrap()
    }

    /// Sends a signal, and waits for the end. Returns the exit code.
    pub fn end(mut self, signal: i32) -> Option<i32> {
        // SAFETY: sends a signal to a child that was not waited for.
        #[allow(unsafe_code)]
        unsafe {
            libc::kill(self.pid(), signal)
        };
        let status = self.child.wait().unwrap();
        assert_eq!(status.signal(), None);
        status.code()
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The pieces of a chunked body.
fn joined(mut body: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    loop {
        let end = body.windows(2).position(|it| it == b"\r\n").unwrap();
        let length = usize::from_str_radix(std::str::from_utf8(&body[..end]).unwrap(), 16).unwrap();
        if length == 0 {
            return all;
        }
        all.extend_from_slice(&body[end + 2..end + 2 + length]);
        body = &body[end + 4 + length..];
    }
}

/// Waits until something is true.
pub fn wait_until(what: &str, mut is_true: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_true() {
        assert!(start.elapsed() < LIMIT, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A data directory of two recordings with three utterances, and tables.
pub fn data() -> Scratch {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("data")).unwrap();
    let long: Vec<i16> = (0..16_000).map(|at| (at % 2000) as i16).collect();
    scratch.write("one.wav", signal::wave(8000, &long)).write("two.wav", signal::wave_of(8000, 2, &[5; 1600]));
    scratch.write("data/wav.scp", "rec1 one.wav\nrec2 cat two.wav; echo ran >> log |\n");
    scratch.write("data/segments", "utt1 rec1 0.0 1.0\nutt2 rec1 1.0 2.0\nutt3 rec2 0 -1\n");
    scratch.write("data/utt2spk", "utt1 anna\nutt2 anna\nutt3 ben\n");
    scratch.write("data/text", "utt1 Hello big world\nutt2 good bye\nutt3 <script>alert('1')</script> & more\n");
    scratch.write("data/ctm", "rec1 1 0.25 0.5 hello\nrec1 1 1.25 0.5 bye\nutt3 1 0 0.1 x\n");
    let feats = |frames: usize, more: f32| {
        let value = |frame: usize, column: usize| frame as f32 + 0.25 * column as f32 + more;
        Sample::Matrix((0..frames).map(|frame| (0..3).map(|column| value(frame, column)).collect()).collect())
    };
    scratch.write("feats.ark", binary_archive(&[("utt1", feats(100, 0.0)), ("utt2", feats(100, 0.0))]));
    scratch.write("other.ark", binary_archive(&[("utt1", feats(98, -2.0))]));
    let labels = (0..100).map(|frame| frame / 30).collect();
    scratch.write("data/ali.1.ark", text_archive(&[("utt1", Sample::Ints(labels))]));
    scratch.sh("ark-to-scp feats.ark data/feats.scp && gzip data/ali.1.ark").succeeds();
    scratch.sh("echo 'utt1 [ 2 0.75 1 0.25 ] [ 1 1 ]' > post").succeeds();
    scratch.write("phones", "a 0\nb 1\nc 2\n");
    scratch
}
