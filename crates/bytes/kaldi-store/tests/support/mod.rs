//! A server that does what a test wants, and the tools.

#![allow(dead_code, reason = "each test program uses a part of it")]

pub mod s3;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// What a client has asked for.
#[derive(Clone, Debug)]
pub struct Asked {
    pub method: String,
    /// With the query.
    pub path: String,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
    /// How many requests have had the same path before.
    pub before: usize,
}

impl Asked {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// The bytes that are asked for, as far as there are this many.
    pub fn range(&self, length: usize) -> Option<(usize, usize)> {
        let (start, end) = self.header("range").strip_prefix("bytes=")?.split_once('-')?;
        let end = end.parse().map_or(length, |last: usize| (last + 1).min(length));
        Some((start.parse().ok()?, end))
    }
}

/// What is answered.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// The connection is closed after this many bytes of the body.
    pub cut: Option<usize>,
    /// Said instead of the length of the body.
    pub length: Option<String>,
    /// Between pieces of the body if there are any, and before the headers otherwise.
    pub pause: Duration,
    /// So many bytes are sent at once.
    pub piece: Option<usize>,
    /// Bytes are sent until nobody listens.
    pub is_endless: bool,
}

impl Answer {
    pub fn new(status: u16) -> Self {
        Self { status, ..Self::default() }
    }

    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// What a good server answers: the part that is asked for, unless the object is another one than the client's.
    pub fn object(asked: &Asked, bytes: &[u8], tag: &str) -> Self {
        let tagged = |status| Self::new(status).with("ETag", tag);
        let is_same = asked.header("if-range").is_empty() || asked.header("if-range") == tag;
        match asked.range(bytes.len()).filter(|_| is_same) {
            Some((start, _)) if start >= bytes.len() => {
                tagged(416).with("Content-Range", &format!("bytes */{}", bytes.len()))
            }
            Some((start, end)) => {
                let range = format!("bytes {start}-{}/{}", end - 1, bytes.len());
                Self { body: bytes[start..end].to_vec(), ..tagged(206).with("Content-Range", &range) }
            }
            None => Self { body: bytes.to_vec(), ..tagged(200) },
        }
    }
}

type Handler = dyn Fn(&Asked) -> Answer + Send + Sync;

/// A server on the loopback, which ends with the test.
pub struct Server {
    pub url: String,
    address: std::net::SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    has_ended: Arc<AtomicBool>,
}

impl Server {
    pub fn start(handler: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        Self::start_as(handler, None)
    }

    /// A server that speaks TLS; the certificate is for `localhost`.
    pub fn start_secure(
        handler: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
        settings: Arc<rustls::ServerConfig>,
    ) -> Self {
        Self::start_as(handler, Some(settings))
    }

    fn start_as(
        handler: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
        tls: Option<Arc<rustls::ServerConfig>>,
    ) -> Self {
        let url = |port| match tls {
            Some(_) => format!("https://localhost:{port}"),
            None => format!("http://127.0.0.1:{port}"),
        };
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let handler: Arc<Handler> = Arc::new(handler);
        let asked = Arc::new(Mutex::new(Vec::new()));
        let has_ended = Arc::new(AtomicBool::new(false));
        let (all, ended, url) = (Arc::clone(&asked), Arc::clone(&has_ended), url(address.port()));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if ended.load(Ordering::Relaxed) {
                    break;
                }
                // Or the body waits until the client has acknowledged the head.
                stream.set_nodelay(true).unwrap();
                let (handler, all, tls) = (Arc::clone(&handler), Arc::clone(&all), tls.clone());
                thread::spawn(move || match tls.map(rustls::ServerConnection::new) {
                    Some(connection) => serve(rustls::StreamOwned::new(connection.unwrap(), stream), &*handler, &all),
                    None => serve(stream, &*handler, &all),
                });
            }
        });
        Self { url, address, asked, has_ended }
    }

    /// A server of one object, under any path.
    pub fn of_object(bytes: &'static [u8]) -> Self {
        Self::start(|asked| Answer::object(asked, bytes, "\"1\""))
    }

    /// All requests so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.has_ended.store(true, Ordering::Relaxed);
        drop(TcpStream::connect(self.address));
    }
}

fn serve<S: Read + Write>(stream: S, handler: &Handler, all: &Mutex<Vec<Asked>>) {
    let mut reader = BufReader::new(stream);
    while let Some(mut asked) = read_request(&mut reader) {
        {
            let mut all = all.lock().unwrap();
            asked.before = all.iter().filter(|other| other.path == asked.path).count();
            all.push(asked.clone());
        }
        let answer = handler(&asked);
        if send(reader.get_mut(), &asked, &answer).is_err() || answer.cut.is_some() {
            return;
        }
    }
}

fn read_request(reader: &mut impl BufRead) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Asked { method, path, headers, body, before: 0 })
}

fn send(stream: &mut impl Write, asked: &Asked, answer: &Answer) -> std::io::Result<()> {
    let length = answer.length.clone().unwrap_or_else(|| answer.body.len().to_string());
    let mut head = format!("HTTP/1.1 {} X\r\n", answer.status);
    if !length.is_empty() {
        head += &format!("Content-Length: {length}\r\n");
    }
    for (name, value) in &answer.headers {
        head += &format!("{name}: {value}\r\n");
    }
    if answer.piece.is_none() {
        thread::sleep(answer.pause);
    }
    stream.write_all(head.as_bytes())?;
    if answer.is_endless && answer.status == 0 {
        return without_end(stream, format!("X-Header: {}\r\n", "x".repeat(60)).as_bytes());
    }
    stream.write_all(b"\r\n")?;
    if asked.method == "HEAD" {
        return Ok(());
    }
    let body = &answer.body[..answer.cut.unwrap_or(answer.body.len())];
    for piece in body.chunks(answer.piece.unwrap_or(usize::MAX).max(1)) {
        stream.write_all(piece)?;
        stream.flush()?;
        if answer.piece.is_some() {
            thread::sleep(answer.pause);
        }
    }
    if answer.is_endless { without_end(stream, &[b'x'; 1 << 16]) } else { Ok(()) }
}

fn without_end(stream: &mut impl Write, piece: &[u8]) -> std::io::Result<()> {
    loop {
        stream.write_all(piece)?;
    }
}

/// Makes a command independent of where the test was started: of variables of the user, and of signals that are ignored,
/// as `nohup` ignores some.
fn detach(command: &mut Command) {
    let obeyed = ["KALDI_", "AWS_", "AZURE_", "OSS_", "ALIBABA_", "GOOGLE_", "GCS_", "http", "HTTP", "OMP_NUM_THREADS"];
    for (name, _) in std::env::vars_os() {
        if obeyed.iter().any(|start| name.as_encoded_bytes().starts_with(start.as_bytes())) {
            command.env_remove(name);
        }
    }
    // SAFETY: `signal` may be called between fork and exec.
    #[allow(unsafe_code)]
    unsafe {
        command.pre_exec(|| {
            for number in [libc::SIGHUP, libc::SIGINT, libc::SIGTERM] {
                libc::signal(number, libc::SIG_DFL);
            }
            Ok(())
        });
    }
}

/// A tool of the workspace, which was built before.
pub fn tool(name: &str) -> Command {
    // The test is `target/debug/deps/objects-0123456789abcdef`.
    let test = std::env::current_exe().unwrap();
    let program = test.ancestors().nth(2).unwrap().join("kaldi-tables");
    assert!(program.is_file(), "{} is not built: cargo build", program.display());
    let mut command = Command::new(program);
    command.arg0(name);
    detach(&mut command);
    command.arg("--print-args=false").env("no_proxy", "*").env("KALDI_STORE_TIMEOUT", "20");
    command
}

/// `kaldi-store` as a command.
pub fn store(words: &[&str]) -> Command {
    let mut command = tool("kaldi-store");
    command.args(words);
    command
}

/// Standard output of a command that succeeds.
pub fn succeed(command: &mut Command) -> Vec<u8> {
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert!(status.success(), "{command:?}: {status}\n{}", String::from_utf8_lossy(&stderr));
    stdout
}

/// The last line on standard error of a command that fails with an error.
pub fn fail(command: &mut Command) -> String {
    let Output { status, stderr, .. } = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&stderr).into_owned();
    assert_eq!(status.code(), Some(255), "{command:?}: {status}\n{stderr}");
    stderr.trim_end().lines().last().unwrap_or_default().to_owned()
}

/// A folder, and the path of a file in it.
pub fn scratch(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    (folder, path)
}

/// Bytes that do not repeat soon.
pub fn noise(length: usize) -> &'static [u8] {
    let mut state = 1_u64;
    let mut bytes = Vec::with_capacity(length + 4);
    while bytes.len() < length {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // The low half repeats sooner.
        bytes.extend_from_slice(&((state >> 32) as u32).to_le_bytes());
    }
    bytes.truncate(length);
    bytes.leak()
}

/// Whether a process has a thread of this name.
pub fn has_thread(pid: u32, name: &str) -> bool {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten();
    tasks.flatten().any(|task| fs::read_to_string(task.path().join("comm")).is_ok_and(|comm| comm.trim() == name))
}

/// Waits until it is there.
pub fn wait_for(what: &str, mut is_there: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_there() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what} has not come");
        thread::sleep(Duration::from_millis(10));
    }
}
