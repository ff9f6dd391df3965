//! Token datasets in stores and on the web.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use crate::support::s3::{S3, SECRET, settings};
use crate::support::{Answer, Asked, Server, fail, noise, scratch, succeed, tool};

const TOKENS: &str = "a 1 2 3 \nb 4 5 6 7 \nc 8 9 \n";

/// A folder with the tokens, and the dataset `data` of them.
fn with_dataset() -> tempfile::TempDir {
    let (folder, tokens) = scratch("tokens");
    fs::write(tokens, TOKENS).unwrap();
    succeed(tool("int-vector-to-indexed").current_dir(&folder).args(["--dtype=uint16", "ark:tokens", "data"]));
    folder
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

#[test]
fn every_tool_of_token_datasets_reads_and_writes_objects() {
    let (s3, folder) = (S3::start(), with_dataset());
    let run = |name: &str, words: &[&str]| text(succeed(s3.tool(name, words).current_dir(&folder)));
    let is_same = |key: &str, file: &str| {
        for end in ["idx", "bin"] {
            let local = fs::read(folder.path().join(format!("{file}.{end}"))).unwrap();
            assert!(fs::read(s3.object(&format!("{key}.{end}"))).unwrap() == local, "{key}.{end}");
        }
    };
    run("int-vector-to-indexed", &["--dtype=uint16", "ark:tokens", "s3://bucket/data"]);
    is_same("data", "data");
    // The type is found while tokens are written.
    fs::write(folder.path().join("wide"), "a 1 2\nb 70000\n").unwrap();
    for target in ["wide", "s3://bucket/wide"] {
        run("int-vector-to-indexed", &["--dtype=auto", "ark:wide", target]);
    }
    is_same("wide", "wide");
    for name in ["s3://bucket/data", "s3://bucket/data.idx", "S3://bucket/data.bin"] {
        let vectors = |name: &str| run("indexed-to-int-vector", &[name, "ark,t:-"]);
        assert_eq!(vectors(name), vectors("data"), "{name}");
        assert_eq!(run("indexed-get", &[name, "1:1:2", "0"]), "5 6\n1 2 3\n");
    }
    let shown = |name: &str| run("indexed-info", &[name]).lines().skip(1).collect::<Vec<_>>().join(" ");
    assert_eq!(shown("s3://bucket/data"), shown("data"));
    assert!(run("indexed-check", &["--vocab-size=10", "s3://bucket/data"]).contains(": sound, 3 sequences"));
    run("indexed-check", &["--repair=s3://bucket/mended", "s3://bucket/data"]);
    is_same("mended", "data");
    // From and to either side.
    run("indexed-split", &["--parts=2", "s3://bucket/data", "s3://bucket/part-%d"]);
    run("indexed-split", &["--parts=2", "data", "part-%d"]);
    is_same("part-2", "part-2");
    run("indexed-merge", &["s3://bucket/merged", "s3://bucket/part-1", "part-2"]);
    is_same("merged", "data");
    run("indexed-merge", &["--dtype=int32", "s3://bucket/merged32", "part-1", "s3://bucket/part-2"]);
    run("indexed-merge", &["--dtype=int32", "merged32", "part-1", "part-2"]);
    is_same("merged32", "merged32");
    run("indexed-split", &["--cut-bin=2", "s3://bucket/data", "s3://bucket/cut/cut"]);
    assert!(s3.object("cut/cut-00001-of-00002.bin").is_file());
    let line = fail(&mut s3.tool("indexed-info", &["s3://bucket/cut/cut"]));
    assert!(line.contains("the .bin is in numbered parts"), "{line}");
    run("indexed-split", &["--join-bin", "s3://bucket/cut/cut", "s3://bucket/joined"]);
    is_same("joined", "data");
    let made =
        run("indexed-build-samples", &["--seq-length=3", "--split=1", "s3://bucket/data", "s3://bucket/indices"]);
    assert_eq!(made, "");
    run("indexed-build-samples", &["--seq-length=3", "--split=1", "data", "indices"]);
    for name in ["document_index.npy", "sample_index.npy", "shuffle_index.npy"] {
        let local = fs::read(folder.path().join("indices").join(name)).unwrap();
        assert!(fs::read(s3.object(&format!("indices/{name}"))).unwrap() == local, "{name}");
    }
    let samples =
        |data: &str, indices: &str| run("indexed-samples-to-int-vector", &["--seq-length=3", data, indices, "ark,t:-"]);
    assert_eq!(samples("s3://bucket/data", "s3://bucket/indices"), samples("data", "indices"));
    run("indexed-blend", &["--weights=0.5,0.5", "--size=10", "s3://bucket/blend"]);
    assert!(s3.object("blend/dataset_index.npy").is_file());
    assert_eq!(s3.parts(), [""; 0]);
}

#[test]
fn a_dataset_is_not_written_over_its_inputs_or_over_other_objects() {
    let (s3, folder) = (S3::start(), with_dataset());
    let run = |name: &str, words: &[&str]| succeed(s3.tool(name, words).current_dir(&folder));
    let refused = |name: &str, words: &[&str]| fail(s3.tool(name, words).current_dir(&folder));
    run("int-vector-to-indexed", &["--dtype=uint16", "ark:tokens", "s3://bucket/data"]);
    let line = refused("indexed-merge", &["s3://bucket/data", "data"]);
    assert!(line.contains("it is there already"), "{line}");
    for name in ["s3://bucket/data", "S3://bucket/data.bin"] {
        let line = refused("indexed-merge", &["--force", "s3://bucket/data", name]);
        assert!(line.contains("is to be read and written"), "{line}");
        let line = refused("indexed-split", &["--documents=/dev/null", "s3://bucket/data", name]);
        assert!(line.contains("is to be read and written"), "{line}");
    }
    assert_eq!(s3.objects().len(), 2);
    fs::write(s3.object("other.bin"), "something else").unwrap();
    let line = refused("int-vector-to-indexed", &["ark:tokens", "s3://bucket/other"]);
    assert!(line.contains("they are no token dataset"), "{line}");
    let line = refused("int-vector-to-indexed", &["ark:tokens", "http://127.0.0.1:1/data"]);
    assert!(line.contains("on the web") && line.contains("can only be read"), "{line}");
    assert_eq!(fs::read(s3.object("other.bin")).unwrap(), b"something else");
    // Nothing to write: what is there stays, and the exit status says so.
    let none = s3.tool("int-vector-to-indexed", &["ark:/dev/null", "s3://bucket/data"]).output().unwrap();
    assert_eq!(none.status.code(), Some(1));
    assert!(fs::read(s3.object("data.bin")).unwrap() == fs::read(folder.path().join("data.bin")).unwrap());
}

/// A dataset of uint16 in memory: sequences of 1000 tokens.
fn dataset(num_sequences: usize) -> (Vec<u8>, Vec<u8>) {
    let bin = noise(2000 * num_sequences).to_vec();
    let mut idx = b"MMIDIDX\0\0\x01\0\0\0\0\0\0\0\x08".to_vec();
    idx.extend((num_sequences as u64).to_le_bytes());
    idx.extend((num_sequences as u64 + 1).to_le_bytes());
    idx.extend(1000_i32.to_le_bytes().repeat(num_sequences));
    idx.extend((0..num_sequences as u64).flat_map(|number| (2000 * number).to_le_bytes()));
    idx.extend((0..=num_sequences as u64).flat_map(u64::to_le_bytes));
    (idx, bin)
}

/// The tokens of some bytes as text.
fn tokens(bytes: &[u8]) -> String {
    let numbers = bytes.as_chunks().0.iter().map(|token| u16::from_le_bytes(*token).to_string());
    numbers.collect::<Vec<_>>().join(" ") + "\n"
}

/// The bytes of an object that were sent.
fn sent(server: &Server, end: &str, length: usize) -> usize {
    let asked = server.asked();
    let ranges = asked.iter().filter(|asked| asked.path.split('?').next().unwrap().ends_with(end));
    ranges.map(|asked| asked.range(length).map_or(length, |(start, end)| end - start)).sum()
}

#[test]
fn only_the_wanted_ranges_of_tokens_are_requested() {
    let (idx, mut bin) = dataset(20_000);
    // It looks like gzip, which tokens may do.
    bin[..4].copy_from_slice(b"\x1f\x8b\x08\0");
    let (index, all) = (idx.clone(), bin.clone());
    let server = Server::start(move |asked| match asked.path.as_str() {
        "/d.idx?sig=1/2" => Answer::object(asked, &index, "\"i\""),
        "/d.bin?sig=1/2" => Answer::object(asked, &all, "\"b\""),
        _ => Answer::new(404),
    });
    let name = format!("{}/d?sig=1/2", server.url);
    let got = text(succeed(tool("indexed-get").args([&name, "0:0:3", "17000", "19999:998"])));
    let expected = [tokens(&bin[..6]), tokens(&bin[34_000_000..34_002_000]), tokens(&bin[39_999_996..])].concat();
    assert_eq!(got, expected);
    // The length is asked for with one byte.
    assert_eq!(sent(&server, ".bin", bin.len()), 1 + 6 + 2000 + 4);
    assert_eq!(sent(&server, ".idx", idx.len()), idx.len());
    // In order, no more than the range.
    let before = sent(&server, ".bin", bin.len());
    let range = ["--range=1000:11000", &name, "ark,t:-"];
    let got = text(succeed(tool("indexed-to-int-vector").args(range)));
    let numbers = got.lines().flat_map(|line| line.split(' ').skip(1).filter(|word| !word.is_empty()));
    assert_eq!(numbers.collect::<Vec<_>>().join(" ") + "\n", tokens(&bin[2_000_000..22_000_000]));
    // A sequence that starts in one piece and ends in the next one comes twice.
    let more = sent(&server, ".bin", bin.len()) - before - 20_000_000;
    assert!(more < 2000, "{more}");
    let shown = text(succeed(tool("indexed-info").arg(&name)));
    assert!(shown.contains("sequences 20000\n") && !shown.contains("sig=1"), "{shown}");
}

#[test]
fn a_server_without_ranges_sends_a_short_file_once_and_no_long_one() {
    let (idx, bin) = dataset(200);
    let whole = |bytes: &[u8]| Answer { body: bytes.to_vec(), ..Answer::new(200) };
    let (index, all) = (idx, bin.clone());
    let server = Server::start(move |asked| match asked.path.as_str() {
        "/d.idx" | "/long.idx" => whole(&index),
        "/d.bin" => whole(&all),
        "/long.bin" => Answer { length: Some((65 << 20).to_string()), cut: Some(10), ..whole(&all) },
        _ => Answer::new(404),
    });
    let got = text(succeed(tool("indexed-get").args([&format!("{}/d", server.url), "7:1:3", "199:999"])));
    assert_eq!(got, [tokens(&bin[14_002..14_008]), tokens(&bin[399_998..])].concat());
    let line = fail(tool("indexed-get").args([&format!("{}/long", server.url), "7"]));
    assert!(line.contains("/long.bin: its server sends it only as a whole"), "{line}");
}

#[test]
fn what_is_missing_cut_or_changed_is_an_error_with_its_place() {
    let (idx, bin) = dataset(2000);
    let index = idx.clone();
    let server = Server::start(move |asked| {
        let (name, end) = asked.path[1..].split_once('.').unwrap();
        // That for the length.
        let is_first = asked.header("range") == "bytes=0-0";
        match (name, end) {
            ("no-index", "idx") | ("no-tokens", "bin") => Answer::new(404),
            ("short-index", "idx") => Answer::object(asked, &index[..index.len() - 8], "\"i\""),
            ("short", "bin") => Answer::object(asked, &bin[..bin.len() - 2], "\"b\""),
            ("cut", "bin") if !is_first => Answer { cut: Some(1000), ..Answer::object(asked, &bin, "\"b\"") },
            ("changed", "bin") if !is_first => Answer::object(asked, &bin, "\"other\""),
            (_, "idx") => Answer::object(asked, &index, "\"i\""),
            _ => Answer::object(asked, &bin, "\"b\""),
        }
    });
    for (name, expected) in [
        ("no-index", "cannot open URL/no-index.idx: there is no such object"),
        ("no-tokens", "cannot open URL/no-tokens.bin: there is no such object"),
        ("short-index", "URL/short-index.idx: length: expected 40042 bytes of 2000 sequences"),
        ("short", "URL/short.idx: pointers[1999]: expected 2000 bytes of tokens among the 3999998 of the .bin"),
        ("cut", "cannot read URL/cut.bin:3998000: "),
        ("changed", "cannot read URL/changed.bin:3998000: the object has changed while it was read"),
    ] {
        let words = [&format!("{}/{name}", server.url), "1999"];
        let line = fail(tool("indexed-get").args(words).env("KALDI_STORE_RETRIES", "0"));
        let expected = expected.replace("URL", &server.url);
        assert!(line.contains(&expected), "{name}: {line}");
        let line =
            fail(tool("indexed-to-int-vector").args([words[0], "ark:/dev/null"]).env("KALDI_STORE_RETRIES", "0"));
        assert!(line.contains(&format!("{}/{name}.", server.url)), "{name}: {line}");
    }
}

type Objects = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// A store that refuses some requests: method and name.
fn store_that_refuses(objects: &Objects, refused: &'static [(&'static str, &'static str)]) -> Server {
    let objects = Arc::clone(objects);
    Server::start(move |asked: &Asked| {
        let name = asked.path.split('?').next().unwrap().trim_start_matches("/bucket/").to_owned();
        let mut objects = objects.lock().unwrap();
        if refused.contains(&(asked.method.as_str(), name.as_str())) {
            return Answer::new(403);
        }
        match asked.method.as_str() {
            "PUT" => {
                objects.insert(name, asked.body.clone());
                Answer::new(200).with("ETag", "\"new\"")
            }
            "DELETE" => {
                objects.remove(&name);
                Answer::new(204)
            }
            _ => match objects.get(&name) {
                Some(bytes) => Answer::object(asked, bytes, &format!("\"{:x}\"", bytes.len())),
                None => Answer::new(404),
            },
        }
    })
}

fn to_store(server: &Server, folder: &Path, words: &[&str]) -> Command {
    let mut command = tool(words[0]);
    settings(command.args(&words[1..]).current_dir(folder), &server.url, SECRET);
    command
}

#[test]
fn a_write_that_fails_leaves_no_index_of_other_tokens() {
    let folder = with_dataset();
    let write = ["int-vector-to-indexed", "ark:tokens", "s3://bucket/data"];
    let old = || -> Objects {
        let file = |end: &str| fs::read(folder.path().join("data").with_extension(end)).unwrap();
        let ends = ["idx", "bin"];
        Arc::new(Mutex::new(ends.map(|end| (format!("data.{end}"), file(end))).into()))
    };
    // (what is refused, what is there before, what is there after)
    let none = Objects::default;
    for (refused, before, expected) in [
        (&[("PUT", "data.bin")] as &'static [_], none(), none()),
        (&[("PUT", "data.idx")], none(), none()),
        (&[("PUT", "data.bin")], old(), old()),
        (&[("PUT", "data.idx")], old(), none()),
        (&[("DELETE", "data.idx")], old(), old()),
    ] {
        let server = store_that_refuses(&before, refused);
        let line = fail(&mut to_store(&server, folder.path(), &write));
        assert!(line.contains(&format!("cannot write s3://bucket/{}: access is refused", refused[0].1)), "{line}");
        assert_eq!(*before.lock().unwrap(), *expected.lock().unwrap(), "{refused:?}");
    }
    // What cannot be removed is not trusted by readers: its length is another one.
    let before = old();
    let server = store_that_refuses(&before, &[("PUT", "data.idx"), ("DELETE", "data.bin")]);
    fail(&mut to_store(&server, folder.path(), &write));
    assert_eq!(before.lock().unwrap().keys().collect::<Vec<_>>(), ["data.bin"]);
    // All is well.
    let before = old();
    let server = store_that_refuses(&before, &[]);
    succeed(&mut to_store(&server, folder.path(), &write));
    assert_eq!(before.lock().unwrap()["data.bin"].len(), 36);
    assert!(
        text(succeed(&mut to_store(&server, folder.path(), &["indexed-check", "s3://bucket/data"]))).contains("sound")
    );
}

#[test]
fn an_input_that_fails_leaves_nothing() {
    let (s3, folder) = (S3::start(), with_dataset());
    // More than a part of the object, and then no integers.
    let vector = [b"a \0B\x04\x40\x42\x0f\0".as_slice(), &b"\x04\x01\0\0\0".repeat(1_000_000)].concat();
    fs::write(folder.path().join("broken"), [vector.repeat(6).as_slice(), b"b 1 x\n"].concat()).unwrap();
    for _ in 0..2 {
        let line = fail(s3.tool("int-vector-to-indexed", &["ark:broken", "s3://bucket/new"]).current_dir(&folder));
        assert!(line.contains("got \"x\""), "{line}");
        assert!(s3.objects().is_empty() && s3.parts().is_empty(), "{:?} {:?}", s3.objects(), s3.parts());
    }
    // A long one is sent in parts.
    fs::write(folder.path().join("long"), vector.repeat(10)).unwrap();
    succeed(s3.tool("int-vector-to-indexed", &["ark:long", "s3://bucket/long"]).current_dir(&folder));
    assert_eq!(fs::metadata(s3.object("long.bin")).unwrap().len(), 40_000_000);
    let shown = text(succeed(s3.tool("indexed-check", &["--vocab-size=2", "s3://bucket/long"]).current_dir(&folder)));
    assert!(shown.contains("sound, 10 sequences, 10 documents, 10000000 tokens"), "{shown}");
}
