use std::collections::BTreeSet;
use std::f64::consts::TAU;

use serde_json::Value;

use crate::support::sample::{Sample, binary_archive, text_archive};
use crate::support::tar::tar;
use crate::support::wave::wave;
use crate::support::{Scratch, tool};

/// Numbers from -1 to 1 that look random.
pub(super) struct Noise(pub(super) u64);

impl Noise {
    pub(super) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// An utterance of a corpus that is made for a test.
struct Made {
    key: String,
    rate: u32,
    samples: Vec<f64>,
    channels: usize,
    text: String,
    feats: Vec<Vec<f32>>,
    labels: Vec<i32>,
}

impl Made {
    /// Syllables of many harmonics with pauses, in a little noise.
    fn new(index: usize, noise: &mut Noise) -> Self {
        let seconds = 1.5 + 0.4 * (noise.next() + 1.0);
        let (length, start) = ((16000.0 * seconds) as usize, noise.next());
        // One period of 125 Hz.
        let part = |at: u32, part: u32| (TAU * f64::from(part * at) / 128.0).sin() / f64::from(part);
        let voice: Vec<f64> = (0..128).map(|at| (1..24).map(|number| part(at, number)).sum()).collect();
        let sample = |at: usize| {
            let time = at as f64 / 16000.0;
            let loudness = ((TAU * (2.5 * time + start)).sin() + 0.4).max(0.0);
            let is_pause = time < 0.2 || time > seconds - 0.2;
            (voice[at % 128] * 0.12 + 0.03 * noise.next()) * if is_pause { 0.0 } else { loudness }
                + 0.002 * noise.next()
        };
        let samples = (0..length).map(sample).collect();
        let frames = (100.0 * seconds) as usize;
        let feats = (0..frames).map(|_| vec![noise.next() as f32, 5.0 + noise.next() as f32]).collect();
        let text = "the quick brown fox jumps over it"[..(12.0 * seconds) as usize].to_owned();
        Self {
            key: format!("utt{index:03}"),
            rate: 16000,
            samples,
            channels: 1,
            text,
            feats,
            labels: vec![1; frames.div_ceil(3)],
        }
    }

    fn change(&mut self, mut change: impl FnMut(f64) -> f64) {
        self.samples.iter_mut().for_each(|sample| *sample = change(*sample));
    }

    fn wave(&self) -> Vec<u8> {
        let samples: Vec<i16> =
            self.samples.iter().map(|sample| (32768.0 * sample).clamp(-32768.0, 32767.0) as i16).collect();
        wave(self.rate, &vec![&samples[..]; self.channels])
    }
}

/// What is below 3400 Hz.
fn low_pass(samples: &[f64]) -> Vec<f64> {
    let window = |at: f64| 0.42 + 0.5 * (TAU * at / 200.0).cos() + 0.08 * (TAU * at / 100.0).cos();
    let cutoff = 2.0 * 3400.0 / 16000.0;
    let tap = |at: f64| if at == 0.0 { cutoff } else { (TAU / 2.0 * cutoff * at).sin() / (TAU / 2.0 * at) };
    let taps: Vec<f64> = (-100..=100).map(|at| tap(f64::from(at)) * window(f64::from(at))).collect();
    let padded = [&[0.0; 100], samples, &[0.0; 100]].concat();
    padded.windows(201).map(|part| part.iter().zip(&taps).map(|(sample, tap)| sample * tap).sum()).collect()
}

/// The faults in sound.
fn plant_in_sound(made: &mut [Made], noise: &mut Noise, plant: &mut dyn FnMut(&mut Made, &'static str)) {
    let mut fault = |at: usize, rule, change: &mut dyn FnMut(&mut Made)| {
        plant(&mut made[at], rule);
        change(&mut made[at]);
    };
    fault(1, "clipping", &mut |it| it.change(|sample| (8.0 * sample).clamp(-1.0, 1.0)));
    // Below full scale.
    fault(2, "clipping", &mut |it| it.change(|sample| (3.0 * sample).clamp(-0.3, 0.3)));
    fault(3, "offset", &mut |it| it.change(|sample| sample + 0.05));
    fault(4, "silence", &mut |it| it.change(|_| 0.0));
    fault(5, "level", &mut |it| it.change(|sample| 0.01 * sample));
    fault(6, "rate", &mut |it| (it.rate, it.samples) = (8000, it.samples.iter().copied().step_by(2).collect()));
    fault(7, "channels", &mut |it| it.channels = 2);
    fault(8, "snr", &mut |it| it.change(|sample| sample + 0.2 * noise.next()));
    // Five silent seconds.
    fault(9, "pauses", &mut |it| {
        let middle = it.samples.len() / 2;
        it.samples.splice(middle..middle, (0..80000).map(|_| 0.002 * noise.next()));
    });
    // Too long, with its text, and too short.
    fault(10, "duration", &mut |it| {
        it.samples = it.samples.repeat(10);
        it.text = [it.text.as_str(); 10].join(" ");
    });
    fault(23, "duration", &mut |it| {
        it.samples = it.samples[5000..9000].to_vec();
        it.text.truncate(3);
    });
    // No speech.
    fault(24, "snr", &mut |it| it.change(|_| 0.01 * noise.next()));
    // A narrow band.
    fault(25, "bandwidth", &mut |it| it.samples = low_pass(&it.samples));
    // The wrong speed.
    fault(26, "speaking-rate", &mut |it| it.samples = it.samples.iter().copied().step_by(2).collect());
    fault(22, "unreadable", &mut |_| {});
    let samples = made[20].samples.clone();
    made[21].samples = samples;
    plant(&mut made[20], "duplicate-audio");
    plant(&mut made[21], "duplicate-audio");
}

/// A data directory of `count` utterances with 27 faults and a file `hyp` of recognized texts, and which faults: the key and the rule
/// of each.
pub(super) fn faulty(scratch: &Scratch, seed: u64, count: usize) -> BTreeSet<(String, &'static str)> {
    let mut noise = Noise(seed);
    let mut made: Vec<Made> = (0..count).map(|index| Made::new(index, &mut noise)).collect();
    let mut planted = BTreeSet::new();
    plant_in_sound(&mut made, &mut noise, &mut |utterance, rule| {
        planted.insert((utterance.key.clone(), rule));
    });
    let mut plant = |at: usize, rule: &'static str, change: &dyn Fn(&mut Made)| {
        planted.insert((made[at].key.clone(), rule));
        change(&mut made[at]);
    };
    plant(11, "text-empty", &|it| it.text.clear());
    // Of a letter of another script, one utterance of a hundred must have it to be a finding.
    plant(12, "character", &|it| it.text.insert_str(4, if count > 100 { "\u{430}" } else { "\u{200b}" }));
    plant(13, "speaking-rate", &|it| it.text = [it.text.as_str(); 3].join(" "));
    plant(27, "error-rate", &|_| {});
    plant(14, "frozen", &|it| it.feats[20..40].fill(vec![1.0, 2.0]));
    plant(15, "not-finite", &|it| it.feats[20][1] = f32::NAN);
    plant(28, "not-finite", &|it| it.feats[30][0] = f32::INFINITY);
    plant(16, "frames", &|it| it.feats.truncate(100));
    plant(17, "features", &|it| it.feats.iter_mut().flatten().for_each(|value| *value *= 10.0));
    plant(18, "labels", &|it| it.labels.truncate(20));
    // The end of a word after the sound.
    plant(19, "segments", &|_| {});
    // A duplicate is a fault of two utterances.
    assert_eq!(planted.len(), 27 + 1);

    let list = |line: &dyn Fn(&Made) -> String| made.iter().map(line).collect::<String>();
    for it in &made {
        let bytes = it.wave();
        let length = if it.key == "utt022" { bytes.len() / 2 } else { bytes.len() };
        scratch.write(&format!("{}.wav", it.key), &bytes[..length]);
    }
    std::fs::create_dir_all(scratch.path("data")).unwrap();
    scratch.write("data/wav.scp", list(&|it| format!("{0} {0}.wav\n", it.key)));
    scratch.write("data/text", list(&|it| format!("{} {}\n", it.key, it.text)));
    let hypothesis = |it: &Made| if it.key == "utt027" { "some other words".to_owned() } else { it.text.clone() };
    scratch.write("hyp", list(&|it| format!("{} {}\n", it.key, hypothesis(it))));
    scratch.write("data/utt2spk", list(&|it| format!("{} {}\n", it.key, &it.key[..5])));
    scratch.write("data/ctm", "utt019 1 0.2 0.5 word\nutt019 1 1.9 5.0 word\n");
    let entries: Vec<_> = made.iter().map(|it| (it.key.as_str(), Sample::Matrix(it.feats.clone()))).collect();
    scratch.write("feats.ark", binary_archive(&entries));
    let entries: Vec<_> = made.iter().map(|it| (it.key.as_str(), Sample::Ints(it.labels.clone()))).collect();
    scratch.write("data/ali.1.ark", text_archive(&entries));
    scratch.sh("ark-to-scp feats.ark data/feats.scp && gzip data/ali.1.ark").succeeds();
    planted
}

pub(super) fn json(scratch: &Scratch, name: &str) -> Value {
    serde_json::from_slice(&scratch.read(name)).unwrap()
}

pub(super) fn strings<'a>(findings: &'a Value, name: &str) -> Vec<&'a str> {
    findings.as_array().unwrap().iter().map(|finding| finding[name].as_str().unwrap()).collect()
}

#[test]
fn arguments_are_needed() {
    tool("table-report").assert().code(1).stdout("");
    tool("table-report").arg("samples").assert().code(1).stdout("");
    let scratch = Scratch::new();
    scratch.write("a.ark", "a  [ 1 2 ]\n");
    scratch
        .sh("table-report --seconds=-1 a.ark p.html")
        .fails_with(255)
        .stderr_has("expected --seconds of 0 or more, got -1");
    scratch
        .sh("table-report --frame-shift=0 a.ark p.html")
        .fails_with(255)
        .stderr_has("a positive --frame-shift, got 0");
    assert_eq!(scratch.list(), ["a.ark"]);
}

#[test]
fn planted_faults_are_found_and_nothing_else() {
    for seed in 1..=3 {
        let scratch = Scratch::new();
        let planted = faulty(&scratch, seed, 120);
        scratch.sh("table-report --top=0 --hyp=hyp --json=r.json data p.html").succeeds();
        let data = json(&scratch, "r.json");
        let findings = &data["findings"];
        let found: BTreeSet<(String, &str)> =
            strings(findings, "key").into_iter().map(str::to_owned).zip(strings(findings, "rule")).collect();
        let missed: Vec<_> = planted.difference(&found).collect();
        assert!(missed.is_empty(), "missed {missed:?}, found {found:?}");
        let faulty: BTreeSet<&str> = planted.iter().map(|(key, _)| key.as_str()).collect();
        let clean: Vec<_> = found.iter().filter(|(key, _)| !faulty.contains(key.as_str())).collect();
        assert!(clean.is_empty(), "{clean:?}");
        assert_eq!(data["summary"]["speakers"], 12);
        assert_eq!(data["distributions"]["frames"]["count"], 120);
    }
}

#[test]
fn the_same_bytes_come_out_for_any_number_of_threads() {
    let scratch = Scratch::new();
    faulty(&scratch, 1, 60);
    let report = |threads: usize| {
        let name = format!("{threads}");
        scratch
            .sh(&format!("table-report --num-threads={threads} --top=3 --json={name}.json --utterances={name}.jsonl data {name}.html"))
            .succeeds();
        ["json", "jsonl", "html"].map(|ending| scratch.read(&format!("{name}.{ending}")))
    };
    let one = report(1);
    assert!(one == report(3));
    let lines = String::from_utf8(one[1].clone()).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines[6]["key"], &lines[6]["rate"]), (60, &"utt006".into(), &8000.0.into()));
    assert_eq!((&lines[4]["peak"], &lines[4]["snr"]), (&Value::Null, &Value::Null));
    assert!(lines[22]["unreadable"].as_str().unwrap().contains("samples as the header says, got"), "{}", lines[22]);
    assert!(lines[22].get("duration").is_none());
}

#[test]
fn the_page_needs_nothing_else() {
    let scratch = Scratch::new();
    faulty(&scratch, 1, 60);
    scratch.sh("table-report --top=5 --title='<Tom & \"Jerry\">' data p.html").succeeds();
    let page = String::from_utf8(scratch.read("p.html")).unwrap();
    assert!(page.contains("<title>&lt;Tom &amp; &quot;Jerry&quot;&gt; - data - table-report</title>"));
    for section in ["summary", "distributions", "speakers", "text", "features", "findings", "inputs"] {
        assert_eq!(
            page.matches(&format!("<section data-testid=\"{section}\" id=\"{section}\"")).count(),
            1,
            "{section}"
        );
        assert_eq!(page.matches(&format!("<li><a href=\"#{section}\">")).count(), 1, "{section}");
    }
    assert_eq!(page.matches("<article data-testid=\"utterance\"").count(), 5);
    assert_eq!(page.matches("<audio controls").count(), page.matches("src=\"data:image/png;base64,").count());
    assert!(page.contains("content=\"default-src 'none'; img-src data:; media-src data:; style-src 'sha256-"));
    assert!(page.contains("'; script-src 'sha256-") && !page.contains(" onclick="));
    assert!(
        !page.contains("http:") && !page.contains("https:") && !page.contains(" style="),
        "the policy would forbid it"
    );
    let start = page.find("id=\"data\">").unwrap() + 10;
    let data: Value = serde_json::from_str(&page[start..page.find("</script>").unwrap()]).unwrap();
    assert_eq!((&data["version"], data["utterances"].as_array().unwrap().len()), (&1.into(), 5));
    assert_eq!(page.matches("data-testid=\"finding\"").count(), data["findings"].as_array().unwrap().len());
    // Without sound there are no texts either.
    scratch.sh("table-report --top=5 --audio=false data q.html").succeeds();
    let page = String::from_utf8(scratch.read("q.html")).unwrap();
    assert!(!page.contains("<audio") && !page.contains("quick brown"), "{page}");
    assert!(page.contains("<img "));
}

#[test]
fn keys_and_texts_are_no_markup() {
    let scratch = Scratch::new();
    let key = "<script>alert(1)</script>\"onload='x'&amp;";
    std::fs::create_dir(scratch.path("d")).unwrap();
    scratch.write("a.wav", wave(8000, &[&[0; 4000]])).write("d/wav.scp", format!("{key} a.wav\n"));
    scratch.write("d/text", format!("{key} </script><img src=x onerror=y> \u{202e}\n"));
    scratch.write("d/utt2spk", format!("{key} </script><i>\n"));
    scratch.sh("table-report d p.html").succeeds();
    let page = String::from_utf8(scratch.read("p.html")).unwrap();
    assert!(page.contains(
        "data-key=\"&lt;script&gt;alert(1)&lt;/script&gt;&quot;onload=&#39;x&#39;&amp;amp;\" data-rule=\"silence\""
    ));
    // The data, and what sorts and filters.
    assert_eq!((page.matches("<script").count(), page.matches("</script").count()), (2, 2));
    assert!(!page.contains("<img src=x") && !page.contains("<i>"));
}

#[test]
fn segments_are_parts_of_recordings() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("d")).unwrap();
    let left: Vec<i16> = (0..32000).map(|at| if at < 16000 { (at % 50) as i16 * 300 } else { 0 }).collect();
    scratch.write("r.wav", wave(16000, &[&left, &vec![0; 32000]])).write("d/wav.scp", "rec r.wav\nother none.wav\n");
    scratch.write(
        "d/segments",
        "a rec 0 1 0\nb rec 1 2.3 0\nc rec 0.5 1.0\nd rec 3 4\ne rec 0 1 7\nf none 0 1\ng other 0 1\n",
    );
    scratch.sh("table-report --json=r.json --utterances=u.jsonl d p.html").succeeds();
    let lines = String::from_utf8(scratch.read("u.jsonl")).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |index: usize, name: &str| lines[index][name].clone();
    assert_eq!((of(0, "duration"), of(0, "channels"), of(0, "zeros")), (1.0.into(), 1.0.into(), 0.0.into()));
    assert_eq!((of(1, "duration"), of(1, "peak")), (1.0.into(), Value::Null));
    assert_eq!((of(2, "duration"), of(2, "channels")), (0.5.into(), 2.0.into()));
    let messages: Vec<String> = (3..7).map(|index| of(index, "unreadable").as_str().unwrap().to_owned()).collect();
    assert_eq!(messages[0], "it starts at 3 s, after the end of the recording at 2 s");
    assert_eq!(messages[1], "expected channel 7, got 2 channels");
    assert_eq!(messages[2], "its recording none is not in wav.scp");
    assert!(messages[3].contains("cannot open none.wav"), "{messages:?}");
    let data = json(&scratch, "r.json");
    let segments: Vec<_> =
        data["findings"].as_array().unwrap().iter().filter(|found| found["rule"] == "segments").collect();
    assert_eq!((segments.len(), &segments[0]["key"]), (1, &"b".into()));
    assert!((segments[0]["value"].as_f64().unwrap() - 0.3).abs() < 1e-6);
    assert_eq!((&data["summary"]["recordings"], &data["summary"]["utterances"]), (&2.into(), &7.into()));
}

#[test]
fn tables_come_alone_and_through_pipes() {
    let scratch = Scratch::new();
    scratch.write(
        "f.ark",
        binary_archive(&[("a", Sample::Matrix(vec![vec![1.0, 2.0]; 12])), ("b", Sample::Matrix(vec![vec![3.0, 4.0]]))]),
    );
    scratch.write("a.wav", wave(8000, &[&[100; 4000]])).write("wav.scp", "a cat a.wav |\n");
    scratch
        .sh("cat f.ark | table-report --json=r.json ark:- scp:wav.scp \"ark:printf 'a 1 1 1\\n' |\" p.html")
        .succeeds();
    let data = json(&scratch, "r.json");
    assert_eq!(
        data["tables"].as_array().unwrap().iter().map(|table| table["type"].as_str().unwrap()).collect::<Vec<_>>(),
        ["matrix", "wave", "int32-vector"]
    );
    assert_eq!(data["distributions"]["labels"]["max"], 3.0);
    assert_eq!(strings(&data["findings"], "rule"), ["silence", "frozen"]);
    assert_eq!(data["features"]["columns"][1]["mean"].as_f64(), Some(28.0 / 13.0));
    assert_eq!((&data["errors"], &data["summary"]["words"]), (&Value::Null, &Value::Null));
}

#[test]
fn recognized_texts_are_compared() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("d")).unwrap();
    scratch.write("d/text", "a one two three\nb one two\nc four\n").write("hyp", "a one two three\nb won too\n");
    scratch.sh("table-report --hyp=hyp --json=r.json d p.html").succeeds();
    let data = json(&scratch, "r.json");
    assert_eq!(
        (&data["errors"]["words"], &data["errors"]["errors"], &data["errors"]["error_rate"]),
        (&6.into(), &3.into(), &0.5.into())
    );
    assert_eq!(
        data["errors"]["confused"][0],
        serde_json::json!({ "reference": "four", "hypothesis": null, "count": 1 })
    );
    assert_eq!(strings(&data["findings"], "key"), ["b", "c"]);
}

#[test]
fn what_cannot_be_reported_leaves_no_page() {
    let scratch = Scratch::new();
    scratch
        .write("v.ark", "a  [ 1 2 ]\n")
        .write("cut.ark", &binary_archive(&[("a", Sample::Matrix(vec![vec![1.0; 3]; 4]))])[..30]);
    scratch.write("p.html", "old");
    let expected = "v.ark: expected waveforms, features, alignments or texts, got values of type vector";
    scratch.sh("table-report v.ark p.html").fails_with(255).stderr_has(expected);
    scratch.sh("table-report cut.ark p.html").fails_with(255).stderr_has("cut.ark");
    scratch.sh("table-report none p.html").fails_with(255).stderr_has("none");
    scratch.sh("table-report 'ark:printf \"a 1 1\\n\"; exit 3 |' p.html").fails_with(255).stderr_has("exit");
    assert_eq!(scratch.read("p.html"), b"old");
    assert_eq!(scratch.list(), ["cut.ark", "p.html", "v.ark"]);
    scratch.sh("mkdir wav && : > wav/one.wav && : > empty.scp").succeeds();
    let expected = "no utterances in wav/ (make-data-dir makes a data directory of a folder of sound)";
    scratch.sh("table-report wav/ p.html").fails_with(255).stderr_has(expected);
    scratch.sh("table-report scp:empty.scp p.html").fails_with(255).stderr_has("no utterances in scp:empty");
    assert_eq!(scratch.read("p.html"), b"old");
}

#[test]
fn a_page_replaces_an_older_one_when_everything_is_written() {
    let scratch = Scratch::new();
    scratch.write("a.wav", wave(8000, &[&[100; 4000]])).write("wav.scp", "a a.wav\n").write("p.html", "old");
    scratch.sh("table-report --write-json=/dev/full scp:wav.scp p.html").fails_with(255).stderr_has("/dev/full");
    assert_eq!(scratch.read("p.html"), b"old");
    scratch.sh("table-report scp:wav.scp p.html").succeeds();
    assert!(scratch.read("p.html").starts_with(b"<!DOCTYPE html>"));
    // The first value of a script file may be broken.
    scratch.sh("head -c 4000 a.wav > cut.wav; echo b cut.wav | cat - wav.scp > both.scp").succeeds();
    scratch.sh("table-report --write-json=r.json scp:both.scp p.html").succeeds();
    let data = json(&scratch, "r.json");
    let expected = [("b".to_owned(), "unreadable"), ("a".to_owned(), "silence")];
    let keys = strings(&data["findings"], "key").into_iter().map(str::to_owned);
    let found: Vec<_> = keys.zip(strings(&data["findings"], "rule")).collect();
    assert!(expected.iter().all(|finding| found.contains(finding)), "{found:?}");
}

#[test]
fn shards_and_texts_are_reported() {
    let scratch = Scratch::new();
    let sound: Vec<i16> = (0..8000).map(|at| (at % 100 * 300 - 14_850) as i16).collect();
    let (good, silent) = (wave(8000, &[&sound]), wave(8000, &[&[0; 4000]]));
    let members: [(&str, &[u8]); 4] =
        [("a.wav", &good), ("a.txt", b"two words\n"), ("b.txt", b" one "), ("b.wav", &silent)];
    scratch.write("x.tar", tar(&members)).write("list", "x.tar\n");
    scratch.sh("table-report --write-json=r.json --write-utterances=u.jsonl shard:list p.html").succeeds();
    let data = json(&scratch, "r.json");
    let summary = &data["summary"];
    assert_eq!((&summary["utterances"], &summary["words"], &summary["vocabulary"]), (&2.into(), &3.into(), &3.into()));
    assert_eq!((strings(&data["findings"], "key")[0], strings(&data["findings"], "rule")[0]), ("b", "silence"));
    let page = String::from_utf8(scratch.read("p.html")).unwrap();
    assert_eq!((page.matches("<audio controls").count(), page.matches("data:image/png").count()), (1, 1));
    // A shard without texts, and tables alone.
    scratch.write("y.tar", tar(&[("a.wav", &good)])).write("text", "a some words\n").write("a.wav", &good);
    scratch.sh("table-report --write-json=r.json shard:y.tar ark:text p.html").succeeds();
    let data = json(&scratch, "r.json");
    assert_eq!((&data["summary"]["words"], &data["summary"]["hours"]), (&2.into(), &(1.0 / 3600.0).into()));
}
