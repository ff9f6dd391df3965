//! Values of script lines that are objects, or parts of them.

use std::fs;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{Answer, Asked, Server, scratch, succeed, tool};

/// An archive of binary vectors, and the lines of a script file for it.
fn vectors(count: usize, columns: usize, url: &str) -> (Vec<u8>, Vec<String>) {
    let mut archive = Vec::new();
    let mut lines = Vec::new();
    for index in 0..count {
        archive.extend_from_slice(format!("utt{index:04} ").as_bytes());
        lines.push(format!("utt{index:04} {url}:{}\n", archive.len()));
        archive.extend_from_slice(b"\0BFV \x04");
        archive.extend_from_slice(&(columns as u32).to_le_bytes());
        (0..columns).for_each(|at| archive.extend_from_slice(&((index * at) as f32).to_le_bytes()));
    }
    (archive, lines)
}

#[test]
fn values_of_script_lines_come_side_by_side_and_neighbours_together() {
    let (archive, _) = vectors(300, 1000, "");
    let archive: &'static [u8] = archive.leak();
    // How many requests are being answered now, and how many were at most.
    let counts: &'static Mutex<(usize, usize)> = Box::leak(Box::default());
    let server = Server::start(|asked| {
        {
            let mut counts = counts.lock().unwrap();
            counts.0 += 1;
            counts.1 = counts.1.max(counts.0);
        }
        thread::sleep(Duration::from_millis(5));
        counts.lock().unwrap().0 -= 1;
        Answer::object(asked, archive, "\"1\"")
    });
    let (_folder, script) = scratch("scp");
    let url = format!("{}/a.ark", server.url);
    let (_, lines) = vectors(300, 1000, &url);
    // Far from each other: every 37th line; 37 and 300 have no common divisor.
    let mixed: Vec<String> = (0..300).map(|index| lines[index * 37 % 300].clone()).collect();
    for (lines, most) in [(&lines, 60), (&mixed, 330)] {
        let before = server.asked().len();
        fs::write(&script, lines.concat()).unwrap();
        let copied = succeed(tool("copy-vector").args([&format!("scp:{}", script.display()), "ark:-"]));
        let expected: Vec<u8> = lines
            .iter()
            .flat_map(|line| {
                let at: usize = line.trim_end().rsplit(':').next().unwrap().parse().unwrap();
                archive[at - 8..at + 10 + 4000].to_vec()
            })
            .collect();
        assert!(copied == expected);
        let asked = server.asked().len() - before;
        assert!(asked <= most, "{asked} requests");
    }
    assert!(counts.lock().unwrap().1 > 1, "one request after the other");
}

/// How many requests there were, how many are being answered, how many were at most, and how many are waited for.
#[derive(Default)]
struct Counts {
    asked: usize,
    now: usize,
    most: usize,
    wanted: usize,
}

/// A server of one object that counts the requests that it answers at the same time. An answer waits until as many as
/// are wanted have been there, but not for ever, and not at the start, when the client looks how long values are.
fn counting(bytes: &'static [u8]) -> (Server, Arc<(Mutex<Counts>, Condvar)>) {
    let counts: Arc<(Mutex<Counts>, Condvar)> = Arc::default();
    let counted = Arc::clone(&counts);
    let server = Server::start(move |asked| {
        let (counts, changed) = &*counted;
        let mut now = counts.lock().unwrap();
        now.asked += 1;
        now.now += 1;
        now.most = now.most.max(now.now);
        changed.notify_all();
        let may_wait = now.asked > 30;
        let are_missing = |counts: &mut Counts| may_wait && counts.most < counts.wanted;
        let (mut now, _) = changed.wait_timeout_while(now, Duration::from_secs(10), are_missing).unwrap();
        // Others may still come.
        drop(now);
        thread::sleep(Duration::from_millis(5));
        now = counts.lock().unwrap();
        now.now -= 1;
        Answer::object(asked, bytes, "\"1\"")
    });
    (server, counts)
}

#[test]
fn four_values_for_each_thread_are_on_their_way() {
    let (archive, _) = vectors(200, 30_000, "");
    let (server, counts) = counting(archive.leak());
    let (_folder, script) = scratch("scp");
    let (_, lines) = vectors(200, 30_000, &format!("{}/a", server.url));
    let mixed: Vec<&str> = (0..100).map(|index| lines[index * 37 % 200].as_str()).collect();
    fs::write(&script, mixed.concat()).unwrap();
    for (threads, most) in [("1", 4), ("3", 12)] {
        *counts.0.lock().unwrap() = Counts { wanted: most / 2 + 1, ..Counts::default() };
        let before = server.asked().len();
        let words = [&format!("--num-threads={threads}"), &format!("scp:{}", script.display()), "ark:/dev/null"];
        succeed(tool("copy-vector").args(words));
        let asked = server.asked().len() - before;
        assert!(asked < 125, "{asked} requests for 100 values");
        let seen = counts.0.lock().unwrap().most;
        // The value whose turn it is may be asked for besides.
        assert!(seen > most / 2 && seen <= most + 1, "{seen} with {threads} threads");
    }
}

#[test]
fn a_request_ends_when_the_value_is_whole() {
    let (archive, lines) = vectors(40, 1000, "URL");
    let archive: &'static [u8] = archive.leak();
    // An answer of all that is asked for takes two minutes; a value, a few seconds.
    let server = Server::start(|asked| Answer {
        piece: Some(4100),
        pause: Duration::from_secs(3),
        ..Answer::object(asked, archive, "\"1\"")
    });
    let (_folder, script) = scratch("scp");
    fs::write(&script, lines[3].replace("URL", &format!("{}/a", server.url))).unwrap();
    let start = Instant::now();
    let copied = succeed(tool("copy-vector").args([&format!("scp:{}", script.display()), "ark:-"]));
    assert!(copied == archive.chunks(archive.len() / 40).nth(3).unwrap());
    let took = start.elapsed();
    assert!(took < Duration::from_secs(60), "{took:?}");
}

#[test]
fn values_that_grow_take_one_more_request_at_most() {
    // The first ones are short; the others are longer than what is asked for of a value that nothing is known of.
    let lengths: Vec<usize> = (0..60).map(|index| if index < 30 { 100 } else { 60_000 + 1000 * index }).collect();
    let (mut archive, mut lines) = (Vec::new(), Vec::new());
    for (index, &columns) in lengths.iter().enumerate() {
        archive.extend_from_slice(format!("utt{index:04} ").as_bytes());
        lines.push(format!("utt{index:04} URL:{}\n", archive.len()));
        archive.extend_from_slice(&[b"\0BFV \x04".as_slice(), &(columns as u32).to_le_bytes()].concat());
        archive.extend(std::iter::repeat_n(index as u8, 4 * columns));
    }
    let archive: &'static [u8] = archive.leak();
    let server = Server::of_object(archive);
    let (_folder, script) = scratch("scp");
    fs::write(&script, lines.concat().replace("URL", &format!("{}/a", server.url))).unwrap();
    let copied = succeed(tool("copy-vector").args([&format!("scp:{}", script.display()), "ark:-"]));
    assert!(copied == archive);
    let asked = server.asked().len();
    assert!(asked <= 60, "{asked} requests for 60 values");
}

#[test]
fn of_values_whose_headers_are_read_little_is_fetched() {
    // Matrices of 800 kB.
    let matrix = [b"\0BFM \x04\xd0\x07\0\0\x04\x64\0\0\0".as_slice(), &[0; 800_000]].concat();
    let value = matrix.len() + 4;
    let archive: &'static [u8] =
        (0..100).flat_map(|_| [b"key ".as_slice(), &matrix].concat()).collect::<Vec<_>>().leak();
    let server = Server::of_object(archive);
    let (_folder, script) = scratch("scp");
    let lines = (0..100).map(|index| format!("key{index:02} {}/a:{}\n", server.url, (index * 37 % 100) * value + 4));
    fs::write(&script, lines.collect::<String>()).unwrap();
    let told = succeed(tool("feat-to-len").args(["--num-threads=1", &format!("scp:{}", script.display()), "ark,t:-"]));
    assert_eq!(told.iter().filter(|byte| **byte == b'\n').count(), 100);
    let asked = server.asked();
    let bytes: usize =
        asked.iter().filter_map(|asked| asked.range(archive.len())).map(|(start, end)| end - start).sum();
    assert!(asked.len() <= 110 && bytes < archive.len() / 3, "{} requests for {bytes} bytes", asked.len());
}

#[test]
fn objects_that_are_values_come_side_by_side() {
    let object =
        |index: usize| [b"\0BFV \x04\x10\x27\0\0".as_slice(), &(index as f32).to_le_bytes().repeat(10_000)].concat();
    let server = Server::start(move |asked| {
        thread::sleep(Duration::from_millis(5));
        let index = asked.path[1..].parse().unwrap();
        Answer::object(asked, &object(index), "\"1\"")
    });
    let (_folder, script) = scratch("scp");
    let lines = (0..150).map(|index| format!("utt{index:03} {}/{index}\n", server.url));
    fs::write(&script, lines.collect::<String>()).unwrap();
    let copied = succeed(tool("copy-vector").args([&format!("scp:{}", script.display()), "ark:-"]));
    let expected: Vec<u8> =
        (0..150).flat_map(|index| [format!("utt{index:03} ").as_bytes(), &object(index)].concat()).collect();
    assert!(copied == expected);
    assert!(server.asked().len() < 170, "{} requests for 150 objects", server.asked().len());
}

#[test]
fn values_that_are_looked_up_come_ahead_where_that_is_in_order() {
    let (archive, _) = vectors(300, 1000, "");
    let archive: &'static [u8] = archive.leak();
    let server = Server::of_object(archive);
    let (folder, script) = scratch("scp");
    let (_, lines) = vectors(300, 1000, &format!("{}/a", server.url));
    fs::write(&script, lines.concat()).unwrap();
    let (in_order, mixed) = (folder.path().join("in-order"), folder.path().join("mixed"));
    let zeros = |index: usize| format!("utt{index:04}  [ {}]\n", "0 ".repeat(1000));
    fs::write(&in_order, (0..300).map(zeros).collect::<String>()).unwrap();
    fs::write(&mixed, (0..300).map(|index| zeros(index * 37 % 300)).collect::<String>()).unwrap();
    for (keys, most) in [(in_order, 60), (mixed, 330)] {
        let before = server.asked().len();
        let sources = [format!("ark:{}", keys.display()), format!("scp:{}", script.display())];
        let sum = |sources: &[String]| succeed(tool("vector-sum").args(sources).arg("ark:-"));
        let summed = sum(&sources);
        let local = folder.path().join("local.ark");
        fs::write(&local, archive).unwrap();
        assert!(summed == sum(&[sources[0].clone(), format!("ark:{}", local.display())]));
        let asked = server.asked().len() - before;
        assert!(asked <= most, "{asked} requests");
    }
}

#[test]
fn values_of_a_server_that_sends_only_all_are_read() {
    let (archive, _) = vectors(5, 1000, "");
    let archive: &'static [u8] = archive.leak();
    let server = Server::start(|asked| {
        Answer::object(&Asked { headers: Default::default(), ..asked.clone() }, archive, "\"1\"")
    });
    let (_folder, script) = scratch("scp");
    let (_, mut lines) = vectors(5, 1000, &format!("{}/a", server.url));
    fs::write(&script, lines.concat()).unwrap();
    assert!(succeed(tool("copy-vector").args([&format!("scp:{}", script.display()), "ark:-"])) == archive);
    lines.reverse();
    fs::write(&script, lines.concat()).unwrap();
    let copied = succeed(tool("copy-vector").args([&format!("scp:{}", script.display()), "ark:-"]));
    let expected: Vec<&[u8]> = archive.chunks(archive.len() / 5).rev().collect();
    assert!(copied == expected.concat());
}
