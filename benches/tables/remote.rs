//! Objects on the web, from a server of this program on the loopback: beside `curl`, and where each answer comes late.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How late each answer below `/late` comes.
const LATE: Duration = Duration::from_millis(2);

/// What is measured: its name, and its goal.
const ROWS: [(&str, &str); 3] = [
    ("remote: the matrices from the loopback (to /dev/null)", "1.25 × `curl` to /dev/null"),
    ("remote: a shuffled script file of 2,000 lines, 2 ms late each (to /dev/null)", "1.3 s"),
    ("remote: from the start of a tool to its first byte", "30 ms"),
];

/// Measures the rows with `wanted` in their names, where `kaldi-store` and `curl` are there, and prints them.
pub fn print(tools: &Path, dir: &Path, wanted: &str, rounds: u32) {
    let is_wanted = |row: usize| ROWS[row].0.contains(wanted);
    let has_curl = Command::new("curl").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !has_curl || !tools.join("kaldi-store").exists() || !(0..ROWS.len()).any(is_wanted) {
        return;
    }
    let server = serve(dir).expect("a server can be started");
    let script = std::fs::read_to_string(dir.join("shuffled.scp")).expect("the data is there");
    let late = script.replace(" m.ark:", &format!(" {server}/late/m.ark:"));
    std::fs::write(dir.join("late.scp"), late).expect("the data can be written");
    let archive = format!("ark:{server}/m.ark");

    let mut best = [Duration::MAX; 4];
    for _ in 0..rounds {
        let copy = |from: &str, to: &str| {
            let mut command = Command::new(tools.join("copy-matrix"));
            command.args([from, to]).current_dir(dir).env("no_proxy", "*").stderr(Stdio::null()).stdin(Stdio::null());
            command
        };
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--noproxy", "*", "--output", "/dev/null", &format!("{server}/m.ark")]);
        let times = [
            time(&mut copy(&archive, "ark:/dev/null")),
            if is_wanted(1) { time(&mut copy("scp:late.scp", "ark:/dev/null")) } else { Duration::ZERO },
            time_to_first_byte(&mut copy(&archive, "ark:-")),
            time(&mut curl),
        ];
        best = std::array::from_fn(|index| best[index].min(times[index]));
    }
    println!("| job | wall | goal |\n| --- | --- | --- |");
    let seconds = |time: Duration| time.as_secs_f64();
    let shown = [
        format!("{:.2} × `curl` ({:.3} s)", seconds(best[0]) / seconds(best[3]), seconds(best[3])),
        format!("{:.2} s", seconds(best[1])),
        format!("{:.1} ms", 1e3 * seconds(best[2])),
    ];
    for (row, shown) in shown.iter().enumerate().filter(|(row, _)| is_wanted(*row)) {
        println!("| {} | {shown} | {} |", ROWS[row].0, ROWS[row].1);
    }
    println!();
}

fn time(command: &mut Command) -> Duration {
    let start = Instant::now();
    assert!(command.stdout(Stdio::null()).status().is_ok_and(|status| status.success()), "{command:?}");
    start.elapsed()
}

#[allow(clippy::zombie_processes, reason = "it is waited for")]
fn time_to_first_byte(command: &mut Command) -> Duration {
    let start = Instant::now();
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the tool can be started");
    let mut stdout = child.stdout.take().expect("its output is a pipe");
    stdout.read_exact(&mut [0]).expect("it has a first byte");
    let time = start.elapsed();
    drop(stdout);
    child.wait().expect("it ends");
    time
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
