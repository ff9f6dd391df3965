//! What `table-view` answers.

use serde_json::Value;

use crate::support::sample::{Sample, binary_archive};
use crate::support::viewer::{Viewer, data, wait_until};
use crate::support::{signal, tar};

#[test]
fn what_cannot_be_shown_is_refused() {
    let scratch = data();
    scratch.write("empty", "").write("words", "a two words\n").write("numbers", "a 1\n");
    scratch.write("x.csv", "a,1,2\n").write("keys", "a\nb\n");
    for (line, expected) in [
        ("table-view ark:-", "comes only once"),
        ("table-view 'ark:cat feats.ark |'", "comes only once"),
        ("table-view ark:empty", "there are no utterances in ark:empty"),
        (
            "table-view words",
            "expected waveforms, features, alignments, posteriors, lattices or training examples, got values of type",
        ),
        ("table-view numbers", "or training examples, got values of type int32"),
        ("table-view nowhere", "nowhere"),
        ("table-view ark:x.csv", "this is a CSV file; table-import"),
        ("table-view ark:keys", "keys: the type of a in line 1 cannot be found"),
        ("table-view --frame-shift=0 data", "positive --frame-shift"),
        ("table-view --measures=data/text data", "expected lines of JSON"),
        ("table-view --measures=nowhere data", "cannot open nowhere"),
        ("table-view --symbols=nowhere data", "cannot open nowhere"),
        ("table-view --symbols=words data", "words:1: expected a symbol and a number, got 3 fields"),
    ] {
        scratch.sh(line).fails_with(255).stdout_is("").stderr_has(expected);
    }
}

#[test]
fn lists_are_searched_and_sorted() {
    let scratch = data();
    let viewer = Viewer::start(&scratch, &["data"]);
    let info = viewer.json("api/info");
    assert_eq!(info["rows"], 3);
    let names = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&info["columns"]), ["key", "speaker", "text", "findings", "duration"]);
    assert_eq!(info["tables"].as_array().unwrap().len(), 7);
    let rows = viewer.json("api/rows?from=1&count=1");
    assert_eq!(rows["total"], 3);
    assert_eq!(rows["rows"][0]["key"], "utt2");
    assert_eq!(rows["rows"][0]["text"], "good bye");
    assert_eq!((&rows["rows"][0]["speaker"], &rows["rows"][0]["duration"]), (&"anna".into(), &1.0.into()));
    assert_eq!(viewer.json("api/rows?from=9&count=9999999")["rows"], Value::Array(vec![]));
    for (query, from, first) in [
        ("around=utt2&count=1", 1, "utt2"),
        ("around=utt3&count=2", 1, "utt2"),
        ("around=utt1&count=1&sort=-key", 2, "utt1"),
        ("around=utt3&count=1&filter=anna", 0, "utt1"),
        ("around=nobody&count=1", 0, "utt1"),
    ] {
        let rows = viewer.json(&format!("api/rows?{query}"));
        assert_eq!((&rows["from"], &rows["rows"][0]["key"]), (&from.into(), &first.into()), "{query}");
    }
    for (query, expected) in [
        ("", &["utt1", "utt2", "utt3"][..]),
        ("filter=ANNA", &["utt1", "utt2"]),
        ("filter=anna+-hello", &["utt2"]),
        ("filter=%22big+world%22", &["utt1"]),
        ("filter=-%22big+world%22", &["utt2", "utt3"]),
        ("filter=utt3", &["utt3"]),
        ("filter=%3Cscript%3E", &["utt3"]),
        ("filter=duration%3E%3D1", &["utt1", "utt2"]),
        ("filter=duration%3C1", &[]),
        ("filter=rule%3Aclipping", &[]),
        ("filter=clipped%3E0", &[]),
        ("filter=%22rule%3Aclippin%22", &[]),
        ("filter=%22duration%3E1%22", &[]),
        ("sort=-key", &["utt3", "utt2", "utt1"]),
        ("sort=-speaker", &["utt3", "utt1", "utt2"]),
        ("sort=-text", &["utt2", "utt1", "utt3"]),
        // What is not known is last in both orders.
        ("sort=duration", &["utt1", "utt2", "utt3"]),
        ("sort=-duration", &["utt1", "utt2", "utt3"]),
    ] {
        assert_eq!(viewer.keys(query), expected, "{query}");
    }
    assert_eq!(viewer.get("api/rows?sort=nothing").status, 400);
    assert_eq!(viewer.get("api/rows?from=x").status, 400);
    for (query, column, like) in [
        ("filter=durations%3E1", Value::from("durations"), "duration"),
        ("filter=hello+-Clippd%3E1", "Clippd".into(), "clipped"),
        ("filter=rule%3Aclippin", Value::Null, "clipping"),
        ("filter=duration%3E", "duration".into(), ""),
        ("filter=duration%3Cten", "duration".into(), ""),
        ("filter=speaker%3Danna", "speaker".into(), ""),
        ("sort=-durations", "durations".into(), "duration"),
    ] {
        for path in ["api/rows", "api/keys"] {
            let reply = viewer.get(&format!("{path}?{query}"));
            let error: Value = serde_json::from_slice(&reply.body).unwrap();
            assert_eq!((reply.status, &error["column"]), (400, &column), "{query}: {error}");
            assert_eq!(error["like"].get(0).and_then(Value::as_str).unwrap_or(""), like, "{query}: {error}");
            assert!(error["error"].as_str().is_some_and(|error| error.len() > 5), "{query}: {error}");
        }
    }
    assert!(!scratch.list().contains(&"log".to_owned()), "lists run no command");
    let log = viewer.log();
    assert_eq!(viewer.end(libc::SIGTERM), Some(0));
    assert_eq!(std::fs::read_to_string(log).unwrap(), "");
}

#[test]
fn words_of_lattices_have_times_and_confidences() {
    let scratch = data();
    // 50 frames in a second of sound.
    let ids = |count: usize| vec!["1"; count].join("_");
    let lattice = format!("0 1 1 1,2,{}\n0 1 2 2,2,{}\n1 2 7 0,0,{}\n2\n", ids(20), ids(20), ids(30));
    scratch.write("lat.1", format!("utt1 \n{lattice}\n"));
    let viewer = Viewer::start(&scratch, &["--symbols=phones", "data", "ark:lat.1"]);
    let tracks = viewer.json("api/utterance?key=utt1")["tracks"].clone();
    let track = tracks.as_array().unwrap().iter().find(|track| track["name"] == "lat.1").unwrap().clone();
    assert_eq!((&track["kind"], &track["frames"]), (&"segments".into(), &2.into()));
    let labels = viewer.json(&format!("api/labels?key=utt1&track={}", track["track"]));
    assert_eq!(labels.to_string(), r#"[[0.0,0.4,"b 0.73"],[0.4,1.0,"7 1.00"]]"#);
}

#[test]
fn an_utterance_has_its_tracks() {
    let scratch = data();
    let words = ["--symbols=phones", "data", "ark:other.ark", "ark:post"];
    let viewer = Viewer::start(&scratch, &words);
    let utterance = viewer.json("api/utterance?key=utt1");
    assert_eq!(
        (&utterance["duration"], &utterance["rate"], &utterance["channels"]),
        (&1.0.into(), &8000.0.into(), &1.into())
    );
    assert_eq!((&utterance["text"], &utterance["speaker"]), (&"Hello big world".into(), &"anna".into()));
    let tracks = utterance["tracks"].as_array().unwrap();
    let shown: Vec<_> = tracks
        .iter()
        .map(|track| {
            let text = |name: &str| track[name].to_string();
            [text("track"), text("kind"), text("frames"), text("rows"), text("frame_shift")].join(" ")
        })
        .collect();
    let expected = [
        "0 \"wave\" 100 129 0.01",
        "1 \"matrix\" 100 3 0.01",
        "2 \"labels\" 100 1 0.01",
        "3 \"segments\" 1 null null",
        "4 \"matrix\" 98 3 0.01",
        "5 \"posterior\" 2 3 0.5",
    ];
    assert_eq!(shown, expected);
    assert_eq!(
        viewer.json("api/labels?key=utt1&track=2").to_string(),
        r#"[[0.0,0.3,"a"],[0.3,0.6,"b"],[0.6,0.9,"c"],[0.9,1.0,3]]"#
    );
    assert_eq!(viewer.json("api/labels?key=utt2&track=3").to_string(), r#"[[0.25,0.75,"bye"]]"#);
    assert_eq!(viewer.json("api/labels?key=utt1&track=5").to_string(), r#"[[0.0,0.5,"c"],[0.5,1.0,"b"]]"#);

    let (shape, tile) = viewer.numbers("api/tile?key=utt1&track=1&from=10&count=2&pool=45");
    assert_eq!((shape.as_str(), tile), ("2,3", vec![54.0, 54.25, 54.5, 99.0, 99.25, 99.5]));
    let (shape, tile) = viewer.numbers("api/tile?key=utt1&track=1&other=4&from=97&count=9&pool=1");
    assert_eq!(shape, "3,3");
    assert!(tile[..3] == [2.0; 3] && tile[3..].iter().all(|value| value.is_nan()), "{tile:?}");
    let (shape, tile) = viewer.numbers("api/tile?key=utt1&track=5");
    assert_eq!((shape.as_str(), tile), ("2,3", vec![0.0, 0.25, 0.75, 0.0, 1.0, 0.0]));
    let (shape, tile) = viewer.numbers("api/tile?key=utt2&track=0&count=4&pool=25&window=32&shift=10");
    assert_eq!((shape.as_str(), tile.len()), ("4,129", 4 * 129));
    assert!(tile.iter().all(|level| (-160.0..0.0).contains(level)));
    let (shape, peaks) = viewer.numbers("api/peaks?key=utt3&from=0&to=0.1&width=2");
    assert_eq!((shape.as_str(), peaks), ("2,4", vec![5.0 / 32768.0; 8]));

    for (path, status) in [
        ("api/utterance", 400),
        ("api/utterance?key=none", 404),
        ("api/tile?key=utt1&track=9", 404),
        ("api/tile?key=utt3&track=1", 404),
        ("api/tile?key=utt1&track=1&pool=0", 400),
        ("api/tile?key=utt1&track=1&other=2", 400),
        ("api/tile?key=utt1&track=1&from=-1", 400),
        ("api/tile?key=utt1&track=0&window=0", 400),
        ("api/peaks?key=utt1&from=1&to=0&width=5", 400),
        ("api/peaks?key=utt1&width=99999999", 400),
        ("api/labels?key=utt1&track=1", 400),
        ("api/nothing", 404),
        ("nothing.js", 404),
    ] {
        let reply = viewer.get(path);
        assert_eq!(reply.status, status, "{path}");
        let error: Value = serde_json::from_slice(&reply.body).unwrap();
        assert!(error["error"].as_str().is_some_and(|error| !error.is_empty()), "{path}");
    }
    assert_eq!(viewer.end(libc::SIGINT), Some(0));
}

#[test]
fn sound_is_a_file_with_ranges() {
    let scratch = data();
    let viewer = Viewer::start(&scratch, &["data"]);
    let one = scratch.read("one.wav");
    let expected = signal::wave(8000, &(0..8000).map(|at| (at % 2000) as i16).collect::<Vec<_>>());
    assert_eq!(one[44 + 16_000..44 + 16_010], expected[44..54]);
    let whole = viewer.get("api/audio?key=utt2");
    assert_eq!((whole.status, &whole.body), (200, &expected));
    assert!(whole.head.contains("accept-ranges: bytes") && whole.head.contains("content-type: audio/wav"));
    assert!(whole.head.contains(&format!("content-length: {}", expected.len())));
    for (range, from, to) in
        [("0-0", 0, 1), ("40-99", 40, 100), ("16000-", 16_000, 16_044), ("-7", 16_037, 16_044), ("5-999999", 5, 16_044)]
    {
        let part = viewer.ask("GET", "api/audio?key=utt2", &format!("Range: bytes={range}\r\n"));
        assert_eq!((part.status, part.body.as_slice()), (206, &expected[from..to]), "{range}");
        let place = format!("content-range: bytes {from}-{}/{}", to - 1, expected.len());
        assert!(part.head.contains(&place), "{}", part.head);
    }
    for range in ["16044-", "99999-100000", "-0"] {
        let outside = viewer.ask("GET", "api/audio?key=utt2", &format!("Range: bytes={range}\r\n"));
        assert_eq!(outside.status, 416, "{range}");
        assert!(outside.head.contains("content-range: bytes */16044"), "{}", outside.head);
    }
    let head = viewer.ask("HEAD", "api/audio?key=utt2", "Range: bytes=0-9\r\n");
    assert_eq!((head.status, head.body.len()), (206, 0));
    assert!(head.head.contains("content-length: 10"), "{}", head.head);
    // The command ran once, for all that was asked.
    for path in ["api/utterance?key=utt3", "api/audio?key=utt3", "api/tile?key=utt3&track=0", "api/peaks?key=utt3"] {
        assert_eq!(viewer.ask("HEAD", path, "").status, 200, "{path}");
        assert_eq!(viewer.get(path).status, 200, "{path}");
    }
    assert_eq!(scratch.read("log"), b"ran\n");
    assert_eq!(viewer.get("api/audio?key=utt3").body, scratch.read("two.wav"));
    assert_eq!(viewer.end(libc::SIGHUP), Some(0));
}

#[test]
fn shards_and_archives_of_sound_are_heard() {
    let scratch = data();
    let (one, two) = (scratch.read("one.wav"), scratch.read("two.wav"));
    scratch.write("s.tar", tar::shard(&[("a", "first text", &one), ("b", "second", &two)]));
    scratch
        .sh("mkdir d; gzip -k s.tar; printf 's.tar\\n' > list; (printf 'x '; cat one.wav; printf 'y '; cat two.wav) > w.ark")
        .succeeds();
    scratch.write("d/wav.scp", "a one.wav\nb two.wav\n").write("d/utt2spk", "a a\nb b\n");
    scratch.write("d/text", "a first text\nb second\n");
    scratch.sh("make-shar --num-utts-per-shard=1 d h && cp -r h z && gzip z/*.tar").succeeds();
    for (name, keys) in [
        ("shard:list", ["a", "b"]),
        ("shard:s.tar.gz", ["a", "b"]),
        ("shar:h", ["a", "b"]),
        ("shar,field=text:z", ["a", "b"]),
        ("ark:w.ark", ["x", "y"]),
    ] {
        let viewer = Viewer::start(&scratch, &[name]);
        assert_eq!(viewer.keys(""), keys, "{name}");
        for (key, sound) in keys.iter().zip([&one, &two]) {
            assert_eq!(&viewer.get(&format!("api/audio?key={key}")).body, sound, "{name}");
        }
        if name.starts_with("shar") {
            assert_eq!(viewer.json("api/utterance?key=a")["text"], "first text");
            assert_eq!(viewer.keys("filter=second"), ["b"]);
        }
    }
}

#[test]
fn what_cannot_be_read_is_said() {
    let scratch = data();
    let one = scratch.read("one.wav");
    scratch.write("cut.wav", &one[..one.len() / 2]);
    scratch.write("wav.scp", "a nowhere.wav\nb cut.wav\nc exit 3 |\nd data/text\n");
    let viewer = Viewer::start(&scratch, &["scp:wav.scp"]);
    for key in ["a", "b", "c", "d"] {
        for path in ["audio", "peaks", "tile"] {
            let reply = viewer.get(&format!("api/{path}?key={key}&track=0"));
            assert_eq!(reply.status, 422, "{path} {key}: {reply:?}");
        }
        let utterance = viewer.json(&format!("api/utterance?key={key}"));
        assert!(utterance["tracks"][0]["error"].as_str().is_some_and(|error| !error.is_empty()), "{utterance}");
    }
}

#[test]
fn measures_come_from_a_report_or_are_made() {
    let scratch = data();
    scratch.write("feats.ark", binary_archive(&[("utt1", Sample::Matrix(vec![vec![f32::NAN, 1.0]; 100]))]));
    scratch.sh("ark-to-scp feats.ark data/feats.scp").succeeds();
    scratch.sh("table-report --write-utterances=u.jsonl data p.html").succeeds();
    let read = Viewer::start(&scratch, &["--measures=u.jsonl", "data"]);
    assert_eq!(read.json("api/measure")["state"], "done");
    let made = Viewer::start(&scratch, &["data"]);
    let before = made.json("api/measure");
    assert_eq!((&before["state"], &before["done"], &before["of"]), (&"idle".into(), &0.into(), &3.into()));
    let asked = made.json("api/rows?filter=rule:not-finite");
    assert_eq!((&asked["total"], &asked["unmeasured"]), (&0.into(), &true.into()));
    assert_eq!(made.json("api/rows")["rows"][0]["findings"], Value::Null);
    assert_eq!(made.json("api/info")["rules"][0]["count"], Value::Null);
    assert_eq!(made.json("api/utterance?key=utt1")["measures"].to_string(), "{}");
    made.json("api/measure?start=1");
    wait_until("it is measured", || made.json("api/measure")["state"] == "done");
    let after = made.json("api/measure");
    assert_eq!(after["done"], after["of"]);
    for viewer in [&read, &made] {
        let utterance = viewer.json("api/utterance?key=utt1");
        assert_eq!(utterance["measures"]["not_finite"], 100, "{utterance}");
        let rules: Vec<_> =
            utterance["findings"].as_array().unwrap().iter().map(|it| it["rule"].as_str().unwrap()).collect();
        assert!(rules.contains(&"not-finite") && rules.contains(&"frozen"), "{rules:?}");
        assert_eq!(viewer.keys("filter=rule:not-finite"), ["utt1"]);
        assert_eq!(viewer.keys("filter=rule:"), viewer.keys("filter=findings%3E0"));
        assert_eq!(viewer.keys("filter=channels%3D2"), ["utt3"]);
        assert_eq!(viewer.keys("sort=-duration"), ["utt1", "utt2", "utt3"]);
        let row = viewer.json("api/rows?count=1")["rows"][0].clone();
        assert_eq!(row["rate"], 8000);
        // In the list, as facets, and as a number to sort and search by.
        let names: Vec<_> = row["findings"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
        assert!(names.contains(&"not-finite") && names.contains(&"frozen"), "{names:?}");
        let info = viewer.json("api/info");
        let listed = info["rules"].as_array().unwrap();
        let count = |name: &str| listed.iter().find(|rule| rule["name"] == name).unwrap()["count"].clone();
        assert_eq!((count("not-finite"), count("clipping"), listed.len() > 20), (1.into(), 0.into(), true));
        assert!(listed.iter().all(|rule| rule["meaning"].as_str().is_some_and(|meaning| meaning.len() > 5)));
        assert_eq!(viewer.keys(&format!("filter=findings%3E%3D{}", names.len())), ["utt1"]);
        assert_eq!(viewer.json("api/rows?sort=-findings&count=1")["rows"][0]["key"], "utt1");
        assert_eq!(viewer.json("api/rows?filter=rule:not-finite")["unmeasured"], false);
        let level = info["columns"].as_array().unwrap().iter().find(|column| column["name"] == "level").unwrap();
        assert_eq!((&level["unit"], &level["decimals"]), (&"dB".into(), &1.into()));
    }
}

/// A page knows such a key as it is shown.
#[test]
fn keys_that_are_no_text_are_opened() {
    let scratch = data();
    scratch.write("odd.ark", [&b"k\xe9y"[..], b" [\n 1 2\n 3 4 ]\nother [\n 5 6 ]\n"].concat());
    let viewer = Viewer::start(&scratch, &["odd.ark"]);
    let rows = viewer.json("api/rows?from=0&count=5");
    assert_eq!(rows["rows"][0]["key"], "k\u{fffd}y");
    for key in ["k%EF%BF%BDy", "k%E9y"] {
        let opened = viewer.json(&format!("api/utterance?key={key}"));
        assert_eq!((&opened["key"], opened["tracks"].as_array().unwrap().len()), (&"k\u{fffd}y".into(), 1));
    }
    assert_eq!(viewer.get("api/utterance?key=k%EF%BF%BDz").status, 404);
}

#[test]
fn durations_come_from_headers_and_no_command_runs() {
    let scratch = data();
    let one = scratch.read("one.wav");
    scratch.write("cut.wav", &one[..one.len() / 2]).write("no.wav", "nothing");
    scratch.sh("(printf 'x '; cat one.wav; printf 'y '; cat two.wav) > w.ark").succeeds();
    scratch.write("s.tar", tar::shard(&[("s1", "text", &one), ("s2", "text", &scratch.read("two.wav"))]));
    let offset = 2 + one.len() + 2;
    scratch.write(
        "data/wav.scp",
        format!("a one.wav\nb cat two.wav; echo ran >> log |\nc w.ark:{offset}\nd cut.wav\ne no.wav\nf gone.wav\ng two.wav\n"),
    );
    std::fs::remove_file(scratch.path("data/segments")).unwrap();
    let viewer = Viewer::start(&scratch, &["data"]);
    let wait = |viewer: &Viewer| {
        wait_until("headers are read", || {
            let background = viewer.json("api/info")["background"].clone();
            background["done"] == background["of"]
        });
    };
    wait(&viewer);
    assert_eq!(viewer.json("api/info")["background"]["of"], 7);
    // What is not known is last, and meets no condition.
    let sorted = viewer.keys("sort=-duration");
    assert_eq!(sorted[..3], ["a", "c", "g"]);
    assert_eq!(viewer.keys("filter=duration%3E0&sort=duration"), ["c", "g", "a"]);
    let rows = viewer.json("api/rows")["rows"].clone();
    let of = |key: &str| rows.as_array().unwrap().iter().find(|row| row["key"] == key).unwrap()["duration"].clone();
    assert_eq!(
        (of("a"), of("c"), of("b"), of("d"), of("e")),
        (2.0.into(), 0.1.into(), Value::Null, Value::Null, Value::Null)
    );
    assert!(!scratch.list().contains(&"log".to_owned()));
    assert_eq!(viewer.json("api/source?key=b")["command"], true);
    assert_eq!(viewer.json("api/source?key=a")["command"], false);
    assert!(!scratch.list().contains(&"log".to_owned()));
    for name in ["ark:w.ark", "shard:s.tar"] {
        let viewer = Viewer::start(&scratch, &[name]);
        wait(&viewer);
        let rows = viewer.json("api/rows")["rows"].clone();
        assert_eq!((&rows[0]["duration"], &rows[1]["duration"]), (&2.0.into(), &0.1.into()), "{name}");
    }
    // A list says it, and a segment may end with its recording.
    scratch.write("data/segments", "a1 a 0.5 -1\na2 a 0 1\n").write("data/utt2dur", "a2 0.75\n");
    let viewer = Viewer::start(&scratch, &["data"]);
    wait(&viewer);
    assert_eq!(viewer.json("api/rows?filter=a1")["rows"][0]["duration"], 1.5);
    assert_eq!(viewer.json("api/rows?filter=a2")["rows"][0]["duration"], 1.0);
}

#[test]
fn lattices_of_a_decoder_are_found() {
    let scratch = data();
    std::fs::create_dir(scratch.path("decode")).unwrap();
    let lattice = |key: &str| format!("{key} \n0 1 1 1,2,1_1\n1 2 7 0,0,1_1_1\n2\n\n");
    scratch.write("decode/lat.1", lattice("utt1") + &lattice("other")).write("decode/lat.2", lattice("utt2"));
    scratch.sh("gzip decode/lat.1 decode/lat.2").succeeds();
    let alone = Viewer::start(&scratch, &["decode"]);
    assert_eq!(alone.keys(""), ["utt1", "other", "utt2"]);
    let viewer = Viewer::start(&scratch, &["data", "decode"]);
    assert_eq!(viewer.keys("").len(), 4);
    for key in ["utt1", "utt2"] {
        let tracks = viewer.json(&format!("api/utterance?key={key}"))["tracks"].clone();
        let track = tracks.as_array().unwrap().iter().find(|track| track["name"] == "decode/lat.*.gz").unwrap().clone();
        let labels = viewer.json(&format!("api/labels?key={key}&track={}", track["track"]));
        assert_eq!(labels.as_array().unwrap().len(), 2, "{labels}");
    }
}

#[test]
fn inputs_of_training_examples_are_shown() {
    let scratch = data();
    let io = "<NnetIo> input <I1V> 2 <I1> 0 0 0 <I1> 0 1 0  [\n  1 0.5 \n  -2.5 3 ]\n</NnetIo> ";
    scratch.write("egs", format!("a <Nnet3Eg> <NumIo> 1 {io}</Nnet3Eg> "));
    let viewer = Viewer::start(&scratch, &["ark:egs"]);
    let (shape, tile) = viewer.numbers("api/tile?key=a&track=1");
    assert_eq!((shape.as_str(), tile), ("2,2", vec![1.0, 0.5, -2.5, 3.0]));
}
