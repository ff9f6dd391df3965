//! Objects on the web, from a server of this program on the loopback: beside `curl`, and where each answer comes late.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::measure::Bench;

/// How late each answer below `/late` comes.
const LATE: Duration = Duration::from_millis(2);

/// What is measured: its name, and its goal.
const ROWS: [(&str, &str); 3] = [
    ("remote: the matrices from the loopback (to /dev/null)", "1.25 × `curl` to /dev/null"),
    ("remote: a shuffled script file of 2,000 lines, 2 ms late each (to /dev/null)", "1.3 s"),
    ("remote: from the start of a tool to its first byte", "30 ms"),
];

/// Measures the wanted rows, if `kaldi-store` and `curl` are there, and prints them.
pub fn print(bench: &Bench) {
    let is_wanted = |row: usize| bench.is_wanted(ROWS[row].0);
    let has_curl = Command::new("curl").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !has_curl || !bench.tools.join("kaldi-store").exists() || !(0..ROWS.len()).any(is_wanted) {
        return;
    }
    let server = serve(&bench.dir).expect("a server can be started");
    let script = std::fs::read_to_string(bench.dir.join("shuffled.scp")).expect("the data is there");
    let late = script.replace(" m.ark:", &format!(" {server}/late/m.ark:"));
    std::fs::write(bench.dir.join("late.scp"), late).expect("the data can be written");
    let archive = format!("ark:{server}/m.ark");

    let copy = |from: &str, to: &str| {
        let mut command = Command::new(bench.tools.join("copy-matrix"));
        command.args([from, to]).current_dir(&bench.dir).env("no_proxy", "*").stdin(Stdio::null());
        command
    };
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--show-error", "--noproxy", "*", "--output", "/dev/null", &format!("{server}/m.ark")]);
    let best = |row: usize, measure: &mut dyn FnMut() -> Result<Duration, String>| {
        let times: Option<Vec<Duration>> = (0..bench.rounds).map(|_| bench.note(ROWS[row].0, measure())).collect();
        times?.into_iter().min().map(|time| time.as_secs_f64())
    };
    let mut measure = |row: usize| {
        Some(match row {
            0 => {
                let theirs = best(row, &mut || time(&mut curl))?;
                let ours = best(row, &mut || time(&mut copy(&archive, "ark:/dev/null")))?;
                format!("{:.2} × `curl` ({theirs:.3} s)", ours / theirs)
            }
            1 => format!("{:.2} s", best(row, &mut || time(&mut copy("scp:late.scp", "ark:/dev/null")))?),
            _ => format!("{:.1} ms", 1e3 * best(row, &mut || time_to_first_byte(&mut copy(&archive, "ark:-")))?),
        })
    };
    println!("| job | wall | goal |\n| --- | --- | --- |");
    for row in (0..ROWS.len()).filter(|row| is_wanted(*row)) {
        if let Some(shown) = measure(row) {
            println!("| {} | {shown} | {} |", ROWS[row].0, ROWS[row].1);
        }
    }
    println!();
}

/// The time on the clock of a command.
fn time(command: &mut Command) -> Result<Duration, String> {
    let start = Instant::now();
    let output = command.stdout(Stdio::null()).stderr(Stdio::piped()).output();
    let time = start.elapsed();
    match output {
        Ok(output) if output.status.success() => Ok(time),
        Ok(output) => Err(format!("{}\n{}", output.status, String::from_utf8_lossy(&output.stderr).trim_end())),
        Err(error) => Err(format!("cannot run: {error}")),
    }
}

/// The time on the clock from the start of a command to the first byte that it writes.
#[allow(clippy::zombie_processes, reason = "it is waited for")]
fn time_to_first_byte(command: &mut Command) -> Result<Duration, String> {
    let start = Instant::now();
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = child.map_err(|error| format!("cannot run: {error}"))?;
    let mut stdout = child.stdout.take().expect("its output is a pipe");
    let first = stdout.read_exact(&mut [0]);
    let time = start.elapsed();
    drop(stdout);
    child.wait().map_err(|error| error.to_string())?;
    first.map(|()| time).map_err(|error| format!("no first byte: {error}"))
}

/// Serves the files of a folder on the loopback until the program ends; returns the start of their addresses.
fn serve(dir: &Path) -> io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}", listener.local_addr()?);
    let dir = dir.to_owned();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let dir = dir.clone();
            // A client that goes away is no failure.
            thread::spawn(move || answer(&stream, &dir).is_ok());
        }
    });
    Ok(url)
}

/// Answers requests for files, or for parts of them, until the client goes away.
fn answer(mut stream: &TcpStream, dir: &Path) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut requests = BufReader::new(stream);
    loop {
        let (mut path, mut range) = (PathBuf::new(), None);
        let mut is_late = false;
        for index in 0.. {
            let mut line = String::new();
            if requests.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if index == 0 {
                let name = line.split(' ').nth(1).unwrap_or_default();
                is_late = name.starts_with("/late/");
                path = dir.join(name.trim_start_matches("/late").trim_start_matches('/'));
            }
            if let Some((start, end)) = line.strip_prefix("range: bytes=").and_then(|range| range.split_once('-')) {
                range = Some((start.parse().unwrap_or(0), end.parse().unwrap_or(u64::MAX)));
            }
        }
        if is_late {
            thread::sleep(LATE);
        }
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        let (start, last) = range.map_or((0, length - 1), |(start, last): (u64, u64)| (start, last.min(length - 1)));
        let status = if range.is_some() { "206 Partial Content" } else { "200 OK" };
        let count = last + 1 - start;
        let head = format!(
            "HTTP/1.1 {status}\r\nETag: \"1\"\r\nContent-Length: {count}\r\nContent-Range: bytes {start}-{last}/{length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes())?;
        file.seek(SeekFrom::Start(start))?;
        // The system copies these by itself.
        io::copy(&mut file.take(count), &mut stream)?;
    }
}
