use serde_json::{Value, json};

use crate::support::Scratch;
use crate::support::voice::{Speaker, sounds, speak, wave_file};

fn said(words: &str) -> Vec<i16> {
    speak(&Speaker { pitch: (128.0, 96.0), formant_scale: 1.0, seed: 3 }, &sounds(words))
}

fn half(samples: &[i16]) -> Vec<i16> {
    samples.iter().map(|sample| sample / 2).collect()
}

/// A data directory `train` with copies: `a1` is a part of `a0`, `b2` is `b0`, and `b1` nearly so. `test` has `c0` of it as `x`, and
/// nearly `d0` as `y`; `dev` has nothing of it but a speaker and a text.
fn sets() -> Scratch {
    let scratch = Scratch::new();
    let [a, b, c, d, e, f] = [
        "nalu sizo lexu zana silo",
        "xolu nise zalo luxi sena",
        "nalu nise lexu luxi zana",
        "sizo luxi sena nalu xolu",
        "zana zalo lexu nise sizo",
        "silo sena xolu zana zalo",
    ]
    .map(said);
    let set = |name: &str, utterances: &[(&str, &[i16])], speaker: &str, text: &str| {
        std::fs::create_dir_all(scratch.path(name)).unwrap();
        let list = |line: &dyn Fn(&str) -> String| utterances.iter().map(|(key, _)| line(key)).collect::<String>();
        for (key, samples) in utterances {
            scratch.write(&format!("{name}/{key}.wav"), wave_file(samples));
        }
        scratch.write(&format!("{name}/wav.scp"), list(&|key| format!("{key} {name}/{key}.wav\n")));
        scratch.write(&format!("{name}/utt2spk"), list(&|key| format!("{key} {speaker}{}\n", &key[..1])));
        scratch.write(&format!("{name}/text"), list(&|key| format!("{key} {text} {key}\n")));
    };
    let (a1, b1, d1) = (half(&a[8000..]), half(&b), half(&d));
    let train: [(&str, &[i16]); 7] =
        [("a0", &a), ("a1", &a1), ("b0", &b), ("b1", &b1), ("b2", &b), ("c0", &c), ("d0", &d)];
    set("train", &train, "s", "some words");
    set("test", &[("x", &c), ("y", &d1), ("z", &e)], "t", "some words");
    set("dev", &[("c0", &f), ("v", &e)], "s", "some words");
    scratch
}

fn read(scratch: &Scratch, name: &str) -> Value {
    serde_json::from_slice(&scratch.read(name)).unwrap()
}

/// The findings of a rule: key, other, set, shift.
fn found<'a>(data: &'a Value, rule: &str) -> Vec<(&'a str, &'a str, Option<&'a str>, Option<f64>)> {
    let of = |found: &'a Value| {
        let text = |name: &str| found[name].as_str();
        (text("key").unwrap(), text("other").unwrap(), text("set"), found["shift"].as_f64())
    };
    let mut found: Vec<_> =
        data["findings"].as_array().unwrap().iter().filter(|found| found["rule"] == rule).map(of).collect();
    found.sort_by_key(|(key, ..)| *key);
    found
}

#[test]
fn copies_are_found_and_exact_ones_are_named_once() {
    let scratch = sets();
    scratch.sh("table-report --write-json=r.json --write-utterances=u.jsonl train p.html").succeeds();
    let data = read(&scratch, "r.json");
    let expected = [
        ("a0", "a1", None, Some(-0.496)),
        ("a1", "a0", None, Some(0.496)),
        ("b0", "b1", None, Some(0.0)),
        ("b1", "b0", None, Some(0.0)),
    ];
    assert_eq!(found(&data, "near-duplicate"), expected);
    assert_eq!(found(&data, "duplicate-audio"), [("b0", "b2", None, None), ("b2", "b0", None, None)]);
    let near = data["findings"].as_array().unwrap().iter().find(|found| found["rule"] == "near-duplicate").unwrap();
    assert!((0.83..=1.0).contains(&near["value"].as_f64().unwrap()) && near["score"] == 100.0, "{near}");
    let families = json!([{ "keys": ["a0", "a1"], "rule": "near-duplicate" }, { "keys": ["b0", "b1", "b2"], "rule": "near-duplicate" }]);
    assert_eq!((&data["copies"], &data["against"]), (&families, &json!([])));
    let page = String::from_utf8(scratch.read("p.html")).unwrap();
    assert!(page.contains("<section data-testid=\"copies\"") && !page.contains("data-testid=\"against\""));
    assert_eq!(page.matches("data-testid=\"family\"").count(), 2);
    let words = page.replace("</a>", "");
    assert!(words.contains("near copy of ") && words.contains("a0, 9") && words.contains("same sound as "), "{page}");
    let lines = String::from_utf8(scratch.read("u.jsonl")).unwrap();
    assert!(lines.contains("\"rule\":\"near-duplicate\"") && lines.contains("\"shift\":-0.496"), "{lines}");
}

#[test]
fn near_copies_may_be_left_out() {
    let scratch = sets();
    scratch.sh("table-report --near-duplicates=false --write-json=r.json train p.html").succeeds();
    let data = read(&scratch, "r.json");
    assert_eq!((found(&data, "near-duplicate").len(), found(&data, "duplicate-audio").len()), (0, 2));
    assert_eq!(data["copies"], json!([{ "keys": ["b0", "b2"], "rule": "duplicate-audio" }]));
}

#[test]
fn other_sets_show_what_they_share() {
    let scratch = sets();
    let options = "--against=test --against=scp:test/wav.scp --against=dev";
    for threads in [1, 3] {
        scratch
            .sh(&format!(
                "table-report --num-threads={threads} {options} --write-json={threads}.json train {threads}.html"
            ))
            .succeeds();
    }
    assert!(
        ["json", "html"]
            .iter()
            .all(|ending| { scratch.read(&format!("1.{ending}")) == scratch.read(&format!("3.{ending}")) })
    );
    let data = read(&scratch, "1.json");
    let [directory, script] = ["test", "scp:test/wav.scp"].map(Some);
    let expected = [
        ("c0", "x", directory, Some(0.0)),
        ("c0", "x", script, Some(0.0)),
        ("d0", "y", directory, Some(0.0)),
        ("d0", "y", script, Some(0.0)),
    ];
    assert_eq!(found(&data, "leak"), expected);
    let shares: Vec<f64> = data["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|found| found["rule"] == "leak")
        .map(|found| found["value"].as_f64().unwrap())
        .collect();
    assert!(shares.iter().all(|share| (0.83..=1.0).contains(share)) && shares.contains(&1.0), "{shares:?}");
    let set = |name: &str, utterances: usize, pairs: usize, speakers: &[&str], texts: usize| json!({ "name": name, "utterances": utterances, "pairs": pairs, "speakers": speakers.len(), "speaker_names": speakers, "texts": texts });
    let expected =
        json!([set("test", 3, 2, &[], 0), set("scp:test/wav.scp", 3, 2, &[], 0), set("dev", 2, 0, &["sc"], 1)]);
    assert_eq!(data["against"], expected);
    // Their utterances are not measured.
    assert_eq!((&data["summary"]["utterances"], data["tables"].as_array().unwrap().len()), (&7.into(), 3));
    let page = String::from_utf8(scratch.read("1.html")).unwrap();
    assert!(page.contains("<section data-testid=\"against\"") && page.contains("in test, 9"), "{page}");
}

#[test]
fn another_set_has_to_be_there_and_its_broken_values_are_named() {
    let scratch = sets();
    scratch.sh("table-report --against=none train p.html").fails_with(255).stderr_has("none");
    assert!(!scratch.path("p.html").exists());
    scratch.sh("head -c 9999 test/x.wav > cut.wav && sed -i 's:test/x.wav:cut.wav:' test/wav.scp").succeeds();
    let ran = scratch.sh("table-report --against=test --write-json=r.json train p.html").succeeds();
    ran.stderr_has("test: 1 utterances cannot be read and are not compared, such as x: cut.wav: expected ");
    assert_eq!(found(&read(&scratch, "r.json"), "leak"), [("d0", "y", Some("test"), Some(0.0))]);
}

#[test]
fn segments_are_compared() {
    let scratch = sets();
    let recording = ["train/a0.wav", "train/c0.wav"].map(|name| scratch.read(name)[44..].to_vec()).concat();
    let samples: Vec<i16> = recording.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect();
    std::fs::create_dir(scratch.path("cut")).unwrap();
    scratch.write("r.wav", wave_file(&half(&samples))).write("cut/wav.scp", "rec cat r.wav |\n");
    scratch.write("cut/segments", "p rec 0.1 1.9\nq rec 0 1.0\n");
    scratch.sh("table-report --against=cut --write-json=r.json train p.html").succeeds();
    let leaks = read(&scratch, "r.json");
    let leaks = found(&leaks, "leak");
    assert_eq!(leaks.iter().map(|(key, other, ..)| (*key, *other)).collect::<Vec<_>>(), [("a0", "p")]);
    assert_eq!(leaks[0].3, Some(-0.096));
}

#[test]
fn texts_that_changed_places_are_found_with_a_recognizer() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("d")).unwrap();
    scratch
        .write("d/text", "a one two three four\nb five six seven eight\nc nine ten\n")
        .write("hyp", "a five six seven ate five\nb one two three four\nc nine ten\n")
        .write("right", "a five six seven eight\nb one two three four\nc nine ten\n");
    let swapped = |hyp: &str| {
        scratch.sh(&format!("table-report --hyp={hyp} --write-json=r.json d p.html")).succeeds();
        found(&read(&scratch, "r.json"), "swapped-text")
            .iter()
            .map(|(key, other, ..)| format!("{key} {other}"))
            .collect::<Vec<_>>()
    };
    // More than a fifth is wrong.
    assert_eq!(swapped("hyp"), Vec::<String>::new());
    assert_eq!(swapped("right"), ["a b", "b a"]);
    let page = String::from_utf8(scratch.read("p.html")).unwrap();
    assert!(page.contains("data-rule=\"swapped-text\""));
    assert_eq!(read(&scratch, "r.json")["findings"][0]["value"], 1.0);
}

#[test]
fn many_utterances_of_one_sound_are_one_finding() {
    let scratch = Scratch::new();
    let sound: Vec<i16> = (0..24_000_i32).map(|at| ((at * at / 7 + at * 31) % 4001 - 2000) as i16).collect();
    let mut list = String::new();
    for at in 0..7 {
        scratch.write(&format!("a{at}.wav"), wave_file(&sound));
        list += &format!("a{at} a{at}.wav\n");
    }
    scratch.write("wav.scp", list);
    scratch.sh("table-report --write-json=r.json scp:wav.scp p.html").succeeds();
    let data: Value = serde_json::from_slice(&scratch.read("r.json")).unwrap();
    let duplicates: Vec<&Value> =
        data["findings"].as_array().unwrap().iter().filter(|it| it["rule"] == "duplicate-audio").collect();
    assert_eq!(duplicates.len(), 1, "{duplicates:?}");
    assert_eq!((&duplicates[0]["key"], &duplicates[0]["others"]), (&json!("a0"), &json!(5)));
    assert_eq!(data["copies"][0]["keys"].as_array().map(Vec::len), Some(7));
}
