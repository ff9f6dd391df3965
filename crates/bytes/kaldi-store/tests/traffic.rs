//! How many requests reading takes, and how many bytes it fetches.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{Answer, Asked, Server, fail, scratch, store, succeed, tool};

/// A server of the files of a folder, with or without parts, and the bytes that it has sent.
struct Files {
    server: Server,
    sent: Arc<AtomicU64>,
}

impl Files {
    fn serve(folder: &Path, has_ranges: bool) -> Self {
        let (sent, folder) = (Arc::new(AtomicU64::new(0)), folder.to_owned());
        let counted = Arc::clone(&sent);
        let server = Server::start(move |asked| {
            thread::sleep(Duration::from_millis(2));
            let Ok(bytes) = fs::read(folder.join(&asked.path[1..])) else { return Answer::new(404) };
            let headers = if has_ranges { asked.headers.clone() } else { Default::default() };
            let answer = Answer::object(&Asked { headers, ..asked.clone() }, &bytes, "\"1\"");
            counted.fetch_add(answer.body.len() as u64, Ordering::Relaxed);
            answer
        });
        Self { server, sent }
    }

    fn url(&self, name: &str) -> String {
        format!("{}/{name}", self.server.url)
    }

    /// Runs a tool that succeeds; returns its output, the number of requests, and the bytes that were sent.
    fn run(&self, name: &str, words: &[&str]) -> (Vec<u8>, usize, u64) {
        let (requests, sent) = (self.server.asked().len(), self.sent.load(Ordering::Relaxed));
        let output = succeed(tool(name).args(words));
        (output, self.server.asked().len() - requests, self.sent.load(Ordering::Relaxed) - sent)
    }
}

/// An archive of binary vectors of 80 kB, and a script file for it at `url`, in mixed order if `step` is not 1.
fn vectors(folder: &Path, count: usize, url: &str, step: usize) -> String {
    let (mut archive, mut lines) = (Vec::new(), Vec::new());
    for index in 0..count {
        archive.extend_from_slice(format!("utt{index:04} ").as_bytes());
        lines.push(format!("utt{index:04} {url}:{}\n", archive.len()));
        archive.extend_from_slice(b"\0BFV \x04\x20\x4e\0\0");
        (0..20_000).for_each(|at| archive.extend_from_slice(&((index * at) as f32).to_le_bytes()));
    }
    fs::write(folder.join("a.ark"), archive).unwrap();
    let script = folder.join("scp");
    fs::write(&script, (0..count).map(|index| lines[index * step % count].as_str()).collect::<String>()).unwrap();
    format!("scp:{}", script.display())
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples")
}

#[test]
fn each_value_of_a_shuffled_script_file_takes_one_request() {
    let (folder, _) = scratch("");
    let files = Files::serve(folder.path(), true);
    let script = vectors(folder.path(), 300, &files.url("a.ark"), 37);
    for (name, words) in
        [("copy-vector", vec![script.as_str(), "ark:/dev/null"]), ("table-stats", vec![script.as_str()])]
    {
        let (_, requests, _) = files.run(name, &words);
        assert!(requests <= 305, "{name}: {requests} requests");
    }
}

#[test]
fn neighbours_come_together_for_every_tool() {
    let (folder, _) = scratch("");
    let files = Files::serve(folder.path(), true);
    let script = vectors(folder.path(), 300, &files.url("a.ark"), 1);
    let archive = format!("ark:{}", files.url("a.ark"));
    for (name, words) in [
        ("copy-vector", vec![script.as_str(), "ark:/dev/null"]),
        ("table-check", vec![script.as_str()]),
        ("table-diff", vec![script.as_str(), archive.as_str()]),
        ("table-info", vec![script.as_str()]),
        ("table-head", vec!["--n=20", script.as_str()]),
    ] {
        let (_, requests, _) = files.run(name, &words);
        assert!(requests <= 60, "{name}: {requests} requests");
    }
}

#[test]
fn tables_in_different_orders_are_fetched_once() {
    let (folder, _) = scratch("");
    let files = Files::serve(folder.path(), true);
    let shuffled = vectors(folder.path(), 300, &files.url("a.ark"), 37);
    fs::rename(shuffled.replace("scp:", ""), folder.path().join("shuffled")).unwrap();
    let script = vectors(folder.path(), 300, &files.url("a.ark"), 1);
    let size = fs::metadata(folder.path().join("a.ark")).unwrap().len();
    let shuffled = format!("scp:{}", folder.path().join("shuffled").display());
    let (_, requests, sent) = files.run("table-diff", &["--by-key", &script, &shuffled]);
    assert!(requests <= 365 && sent as f64 <= 2.1 * size as f64, "{requests} requests, {sent} bytes of {size}");
}

#[test]
fn what_is_read_in_order_is_fetched_once() {
    let (folder, _) = scratch("");
    let files = Files::serve(folder.path(), true);
    vectors(folder.path(), 200, "", 1);
    // A shard of long contents, which only headers are wanted of.
    let members = folder.path().join("members");
    fs::create_dir(&members).unwrap();
    let wave = fs::read(samples().join("audio/anna.wav")).unwrap();
    for index in 0..200 {
        fs::write(members.join(format!("u{index:03}.wav")), &wave).unwrap();
        fs::write(members.join(format!("u{index:03}.txt")), "some words").unwrap();
    }
    let mut tar = std::process::Command::new("sh");
    succeed(tar.args(["-c", "tar --format=ustar -cf ../a.tar u*"]).current_dir(&members));
    let [archive, shard] = ["a.ark", "a.tar"].map(|name| files.url(name));
    for (name, object, words) in [
        ("copy-vector", "a.ark", vec![format!("ark:{archive}"), "ark:/dev/null".to_owned()]),
        ("table-check", "a.ark", vec![format!("ark:{archive}")]),
        ("list-shards", "a.tar", vec![shard.clone()]),
        ("check-shards", "a.tar", vec![shard.clone()]),
        ("wav-copy", "a.tar", vec![format!("shard:{shard}"), "ark:/dev/null".to_owned()]),
        ("wav-to-duration", "a.tar", vec![format!("shard:{shard}"), "ark,t:/dev/null".to_owned()]),
    ] {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (_, requests, sent) = files.run(name, &words);
        let size = fs::metadata(folder.path().join(object)).unwrap().len();
        assert!(sent as f64 <= 1.05 * size as f64, "{name}: {sent} bytes of {size}");
        assert!(requests <= 20, "{name}: {requests} requests");
    }
}

#[test]
fn an_object_of_a_server_without_parts_is_fetched_once() {
    let (folder, _) = scratch("");
    let files = Files::serve(folder.path(), false);
    for step in [1, 37] {
        let script = vectors(folder.path(), 100, &files.url("a.ark"), step);
        let size = fs::metadata(folder.path().join("a.ark")).unwrap().len();
        let plain = script.replace("scp:", "");
        let local = fs::read_to_string(&plain).unwrap().replace(&files.server.url, folder.path().to_str().unwrap());
        fs::write(folder.path().join("local"), local).unwrap();
        let expected = succeed(tool("copy-vector").args([&format!("scp:{}/local", folder.path().display()), "ark:-"]));
        for name in ["copy-vector", "table-stats"] {
            let words = if name == "copy-vector" { vec![script.as_str(), "ark:-"] } else { vec![script.as_str()] };
            let (output, requests, sent) = files.run(name, &words);
            assert!(name != "copy-vector" || output == expected);
            assert!(requests <= 3 && sent <= 3 * size, "{name}: {requests} requests, {sent} bytes of {size}");
        }
    }
}

#[test]
fn files_of_a_server_without_parts_take_a_request_each() {
    let (folder, _) = scratch("");
    let files = Files::serve(folder.path(), false);
    let wave = fs::read(samples().join("audio/anna.wav")).unwrap();
    let line = |index: usize| {
        fs::write(folder.path().join(format!("{index}.wav")), &wave).unwrap();
        format!("u{index:02} {}\n", files.url(&format!("{index}.wav")))
    };
    let lines: String = (0..30).map(line).collect();
    let script = folder.path().join("wav.scp");
    fs::write(&script, lines).unwrap();
    let (output, requests, _) = files.run("wav-to-duration", &[&format!("scp:{}", script.display()), "ark,t:-"]);
    assert_eq!(output.iter().filter(|byte| **byte == b'\n').count(), 30);
    assert!(requests <= 32, "{requests} requests");
}

#[test]
fn a_server_that_sends_a_byte_a_second_is_given_up() {
    let server = Server::start(|asked| Answer {
        piece: Some(1),
        pause: Duration::from_millis(20),
        ..Answer::object(asked, &[b'a'; 100_000], "\"1\"")
    });
    let start = Instant::now();
    let mut command = store(&["cat", &format!("{}/a", server.url)]);
    let line = fail(command.env("KALDI_STORE_TIMEOUT", "4").env("KALDI_STORE_RETRIES", "2"));
    assert!(line.contains("has sent only") && line.ends_with(", 3 times"), "{line}");
    // The server would take half an hour.
    assert!(start.elapsed() < Duration::from_secs(300));
}

#[test]
fn training_is_fed_from_a_list_on_the_web() {
    let (folder, _) = scratch("");
    let files = Files::serve(folder.path(), true);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let audio = samples().join("audio");
    let names = ["anna", "ben"];
    let wav: String = names.iter().map(|name| format!("{name} {}/{name}.wav\n", audio.display())).collect();
    fs::write(path("wav.scp"), wav).unwrap();
    fs::write(path("text"), "anna a b\nben b\n").unwrap();
    let conf =
        "dataset_conf:\n  filter_conf: {min_length: 0, max_output_input_ratio: 9}\n  fbank_conf: {num_mel_bins: 23}\n";
    fs::write(path("conf.yaml"), conf).unwrap();
    fs::write(path("units.txt"), "<blank> 0\n<unk> 1\na 2\nb 3\n").unwrap();
    succeed(tool("make-shard-list").args([&path("wav.scp"), &path("text"), &path("shards"), &path("shards.list")]));
    succeed(tool("make-raw-list").args([&path("wav.scp"), &path("text"), &path("raw.list")]));
    for (kind, list) in [("shard", "shards.list"), ("raw", "raw.list")] {
        let local = fs::read_to_string(path(list)).unwrap();
        for name in names {
            let _ = fs::copy(audio.join(format!("{name}.wav")), path(&format!("{name}.wav")));
        }
        let remote = local.replace(audio.to_str().unwrap(), folder.path().to_str().unwrap());
        fs::write(path("remote.list"), remote.replace(folder.path().to_str().unwrap(), &files.server.url)).unwrap();
        let feed = |list: &str| {
            let options = [
                format!("--data-type={kind}"),
                format!("--conf={}", path("conf.yaml")),
                format!("--symbols={}", path("units.txt")),
            ];
            succeed(tool("feed-batches").args(options).args([list, "-"]))
        };
        let batches = feed(&path(list));
        assert!(batches.len() > 1000);
        assert!(feed(&files.url("remote.list")) == batches, "{kind}");
    }
}
