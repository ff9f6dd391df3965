//! Cuts of lhotse as sources of `make-data-dir`.

use super::sound;
use crate::support::Scratch;
use crate::support::wave::wave;

/// `a.wav` of two seconds, `b.wav` of one second and two channels, and features of `a` in an archive.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let [left, right] = [[1_i16; 8000], [-2; 8000]];
    scratch.write("a.wav", sound(32000)).write("b.wav", wave(8000, &[&left, &right]));
    scratch.write("a.scp", "a a.wav\n");
    scratch.sh("compute-fbank-feats --dither=0 --snip-edges=false scp:a.scp ark,scp:a.ark,feats.scp").succeeds();
    scratch
}

const A: &str = r#""recording": {"id": "a", "sources": [{"type": "file", "channels": [0], "source": "a.wav"}], "sampling_rate": 16000, "num_samples": 32000, "duration": 2.0, "channel_ids": [0]}"#;
const B: &str = r#""recording": {"id": "b", "sources": [{"type": "file", "channels": [0, 1], "source": "b.wav"}], "sampling_rate": 8000, "num_samples": 8000, "duration": 1.0, "channel_ids": [0, 1]}"#;

/// A supervision from the start of a cut on.
fn supervision(id: &str, rest: &str) -> String {
    format!("{{\"id\": \"{id}\", \"recording_id\": \"a\", \"start\": 0, \"duration\": 0.5, \"channel\": 0{rest}}}")
}

/// A cut of one channel.
fn cut(id: &str, supervisions: &str, rest: &str) -> String {
    format!(
        "{{\"id\": \"{id}\", \"start\": 0.25, \"duration\": 1.0, \"channel\": 0, \"supervisions\": [{supervisions}], {rest}, \
         \"type\": \"MonoCut\"}}\n"
    )
}

fn text(scratch: &Scratch, name: &str) -> String {
    String::from_utf8(scratch.read(name)).unwrap()
}

#[test]
fn supervisions_become_utterances() {
    let scratch = scratch();
    let first = supervision(
        "s-1",
        ", \"text\": \" one\\n\\u00fc \", \"speaker\": \"s 1\", \"language\": \"en\", \"gender\": \"Female\"",
    )
    .replace("\"start\": 0,", "\"start\": -0.1,");
    let second = supervision("s-2", ", \"text\": \"two\", \"speaker\": \"s\", \"gender\": \"x\"").replace("0.5", "1.2");
    let lines = [
        cut("c1", &[first, second].join(", "), A),
        cut("c2", "", A),
        cut("b", &supervision("t", ", \"text\": \"x\""), B),
    ];
    scratch.write("cuts.jsonl", lines.concat());
    let ran = scratch.sh("make-data-dir cuts.jsonl d").succeeds();
    ran.stderr_has("1 utterances have no text, and were left out; the first is cuts.jsonl:2")
        .stderr_has("1 utterances have a gender that is neither f nor m");
    assert_eq!(text(&scratch, "d/wav.scp"), "a a.wav\nb b.wav\n");
    assert_eq!(text(&scratch, "d/segments"), "s-2 a 0.25 1.45\ns_1-s-1 a 0.15 0.65\nt b 0.25 0.75 0\n");
    assert_eq!(text(&scratch, "d/text"), "s-2 two\ns_1-s-1 one \u{fc}\nt x\n");
    assert_eq!(text(&scratch, "d/utt2spk"), "s-2 s\ns_1-s-1 s_1\nt t\n");
    assert_eq!(text(&scratch, "d/utt2lang"), "s_1-s-1 en\n");
    assert_eq!(text(&scratch, "d/spk2gender"), "s_1 f\n");
    assert_eq!(text(&scratch, "d/utt2dur"), "s-2 1.2\ns_1-s-1 0.5\nt 0.5\n");
    // The same of a folder, and of a compressed file.
    scratch.sh("mkdir l && gzip -c cuts.jsonl > l/cuts.jsonl.gz && touch l/recordings.jsonl && make-data-dir l e && diff -r d e").succeeds();
    // A cut without supervisions is an utterance.
    scratch.write("one.jsonl", cut("c2", "", A));
    scratch
        .sh("make-data-dir one.jsonl f && cat f/segments && ls f")
        .succeeds()
        .stdout_is("c2 a 0.25 1.25\nsegments\nspk2utt\nutt2dur\nutt2spk\nwav.scp\n");
}

#[test]
fn threads_change_neither_tables_nor_messages() {
    let scratch = scratch();
    // Several blocks of lines; a few utterances have no text.
    let line = |number: usize| {
        let text = if number % 1000 == 7 { String::new() } else { format!(", \"text\": \"word {number}\"") };
        let (id, rest) = (
            format!("s-{:05}", (number * 7919) % 10_000),
            format!("{text}, \"speaker\": \"s\", \"custom\": {{\"n\": {number}}}"),
        );
        cut(&format!("c{number}"), &supervision(&id, &rest), A)
    };
    let lines: Vec<String> = (0..8000).map(line).collect();
    scratch.write("cuts.jsonl", lines.concat());
    scratch.sh("gzip -k cuts.jsonl").succeeds();
    let ran = scratch.sh("make-data-dir --num-threads=1 --extra=n cuts.jsonl one").succeeds();
    ran.stderr_has("8 utterances have no text, and were left out; the first is cuts.jsonl:8")
        .stderr_has("Wrote 7992 utterances of 1 recordings");
    for name in ["cuts.jsonl", "cuts.jsonl.gz"] {
        let ran = scratch.sh(&format!("make-data-dir --num-threads=4 --extra=n {name} many")).succeeds();
        ran.stderr_has("8 utterances have no text").stderr_has(&format!("the first is {name}:8"));
        scratch.sh("diff -r one many").succeeds();
    }
    scratch.sh("LC_ALL=C sort -c -k 1,1 one/text && wc -l < one/utt2n").succeeds().stdout_is("7992\n");
    // The first of several faults is told, with its line.
    let mut broken = lines.clone();
    broken[7100] = "{\"id\": \"x\"\n".to_owned();
    broken[4321] = cut("c4321", "", A).replace("MonoCut", "MixedCut");
    scratch.write("broken.jsonl", broken.concat());
    for threads in [1, 4] {
        scratch
            .sh(&format!("make-data-dir --num-threads={threads} broken.jsonl x"))
            .fails_with(255)
            .stderr_has("broken.jsonl:4322: expected a MonoCut, got the MixedCut c4321");
    }
    // A name that comes again, far away.
    scratch.write("twice.jsonl", [lines.concat(), lines[17].clone()].concat());
    scratch
        .sh("make-data-dir --num-threads=4 twice.jsonl x")
        .fails_with(255)
        .stderr_has("twice.jsonl:8001: expected each name once, got s-04623 again, which twice.jsonl:18 has");
}

#[test]
fn features_stay_in_archives_and_are_cut_by_ranges() {
    let scratch = scratch();
    let features = |kind: &str, path: &str, key: &str| {
        format!(
            "{A}, \"features\": {{\"type\": \"fbank\", \"num_frames\": 200, \"num_features\": 23, \"frame_shift\": 0.01, \"sampling_rate\": \
             16000, \"start\": 0, \"duration\": 2.0, \"storage_type\": \"{kind}\", \"storage_path\": \"{path}\", \"storage_key\": \
             \"{key}\", \"channels\": 0}}"
        )
    };
    let whole =
        |features: &str| cut("w", "", features).replace("0.25", "0").replace("\"duration\": 1.0", "\"duration\": 2.0");
    let place = text(&scratch, "feats.scp").trim_end().replace("a a.ark", "a.ark");
    let kaldi = features("kaldiio", &place, "");
    let by_key = features("kaldiio", "feats.scp", "a");
    scratch.write("cuts.jsonl", cut("c", "", &kaldi) + &whole(&by_key));
    scratch.sh("make-data-dir cuts.jsonl d").succeeds();
    assert_eq!(text(&scratch, "d/feats.scp"), format!("c {place}[25:124]\nw {place}\n"));
    scratch.sh("feat-to-len scp:d/feats.scp ark,t:-").succeeds().stdout_is("c 100 \nw 200 \n");
    // Arrays of NumPy become an archive.
    scratch.sh("mkdir n && table-export --format=npy scp:feats.scp n").succeeds();
    let numpy = features("numpy_files", "n", "a.npy");
    scratch.write("cuts.jsonl", cut("c", "", &numpy) + &whole(&numpy));
    scratch
        .sh("make-data-dir cuts.jsonl d2 && feat-to-len scp:d2/feats.scp ark,t:-")
        .succeeds()
        .stdout_is("c 100 \nw 200 \n");
    let expected = scratch.sh("copy-feats scp:d/feats.scp ark:-").succeeds();
    scratch.sh("copy-feats scp:d2/feats.scp ark:-").succeeds().stdout_is(expected.stdout());
    scratch
        .sh("truncate -s -1 n/a.npy && make-data-dir cuts.jsonl d3")
        .fails_with(255)
        .stderr_has("cuts.jsonl:1: features of c in n/a.npy: expected 18400 bytes of numbers, got 18399");
    scratch.sh("ls d3/feats.ark d3/wav.scp").fails_with(2);
    // What cannot be read is left out.
    scratch.write("cuts.jsonl", cut("c", "", &features("lilcom_chunky", "x.lca", "0,5")));
    scratch
        .sh("make-data-dir cuts.jsonl d4")
        .succeeds()
        .stderr_has("1 features are stored as lilcom_chunky, and were left out");
    scratch.sh("ls d4/feats.scp").fails_with(2);
    scratch
        .sh("make-data-dir --strict cuts.jsonl d5")
        .fails_with(255)
        .stderr_has("features are stored as lilcom_chunky");
    scratch.write("cuts.jsonl", cut("c", "", &features("kaldiio", "touch x |", "")));
    scratch
        .sh("make-data-dir cuts.jsonl d6")
        .fails_with(255)
        .stderr_has("cuts.jsonl:1: cut c: ")
        .stderr_has("--allow-commands");
    scratch
        .sh("make-data-dir --allow-commands cuts.jsonl d6 && cat d6/feats.scp; ls x")
        .fails_with(2)
        .stdout_is("c touch x |[25:124]\n");
    scratch.write("cuts.jsonl", cut("c", "", &features("kaldiio", "feats.scp", "z")));
    scratch
        .sh("make-data-dir cuts.jsonl d7")
        .fails_with(255)
        .stderr_has("expected features of z in feats.scp, got none");
}

#[test]
fn other_entries_become_tables() {
    let scratch = scratch();
    let custom = |text: &str| format!("{A}, \"custom\": {text}");
    let own = supervision(
        "u",
        ", \"custom\": {\"snr\": 3, \"text_norm\": \"Norm\"}, \"alignment\": {\"word\": [[\"a\", 0, 1]]}",
    );
    let entries =
        "{\"snr\": 2.5, \"mood\": \"very  good\", \"ok\": true, \"votes\": [1, 2.5], \"map\": {}, \"none\": null}";
    scratch.write("cuts.jsonl", cut("c", &own, &custom(entries)) + &cut("v", "", &custom("{\"mood\": \"x\"}")));
    let ran = scratch.sh("make-data-dir cuts.jsonl d").succeeds();
    ran.stderr_has(
        "2 entries custom.mood have a table only with --extra=mood, and were left out; the first is cuts.jsonl:1",
    )
    .stderr_has("1 entries custom.map are no text and no numbers")
    .stderr_has("1 alignments have no table");
    scratch.sh("ls d/utt2*").succeeds().stdout_is("d/utt2dur\nd/utt2spk\n");
    scratch.sh("make-data-dir --extra=all cuts.jsonl e").succeeds();
    for (name, expected) in [
        ("mood", "u very good\nv x\n"),
        ("snr", "u 3\n"),
        ("ok", "u true\n"),
        ("votes", "u 1 2.5\n"),
        ("text_norm", "u Norm\n"),
    ] {
        assert_eq!(text(&scratch, &format!("e/utt2{name}")), expected);
    }
    scratch
        .sh("make-data-dir --extra=snr,ok cuts.jsonl f && ls f/utt2*")
        .succeeds()
        .stdout_is("f/utt2dur\nf/utt2ok\nf/utt2snr\nf/utt2spk\n");
    // Options name the entries.
    scratch
        .sh("make-data-dir --text-field=custom.text_norm --utt-field=custom.mood --speaker-field=custom.ok cuts.jsonl g && cat g/text g/utt2spk")
        .succeeds()
        .stdout_is("true-very__good Norm\ntrue-very__good true\n");
    scratch.sh("make-data-dir --text-field=sentence cuts.jsonl h").fails_with(255).stderr_has("cuts.jsonl: expected one of the entries of cuts: text, speaker, language, gender, custom.NAME; got \"sentence\"");
    scratch
        .sh("make-data-dir --utt-field=custom.absent cuts.jsonl h")
        .fails_with(255)
        .stderr_has("cuts.jsonl:1: cut c: expected custom.absent as a name, got none");
}

#[test]
fn channels_are_split_if_that_is_wanted() {
    let scratch = scratch();
    let multi = cut("m", &supervision("u", ", \"speaker\": \"u\"").replace("\"channel\": 0", "\"channel\": [0, 1]"), B)
        .replace("\"duration\": 1.0, \"channel\": 0", "\"duration\": 0.7, \"channel\": [0, 1]")
        .replace("MonoCut", "MultiCut");
    scratch.write("cuts.jsonl", &multi);
    scratch
        .sh("make-data-dir cuts.jsonl d")
        .fails_with(255)
        .stderr_has("cuts.jsonl:1: expected a MonoCut, got the MultiCut m")
        .stderr_has("--split-channels");
    scratch
        .sh("make-data-dir --split-channels cuts.jsonl d && cat d/segments d/utt2spk")
        .succeeds()
        .stdout_is("u-0 b 0.25 0.75 0\nu-1 b 0.25 0.75 1\nu-0 u\nu-1 u\n");
    scratch.write("cuts.jsonl", multi.replace("[0, 1]}]", "[0, 3]}]"));
    scratch.sh("make-data-dir --split-channels cuts.jsonl e").succeeds();
    scratch.write("cuts.jsonl", multi.replace("\"channel\": [0, 1], \"speaker\"", "\"channel\": [0, 3], \"speaker\""));
    scratch
        .sh("make-data-dir --split-channels cuts.jsonl f")
        .fails_with(255)
        .stderr_has("cut m: expected one of the channels [0, 1], got 3");
}

#[test]
fn what_is_no_part_of_one_recording_is_refused() {
    let scratch = scratch();
    let good = cut("c", &supervision("u", ""), A);
    let with = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        good.replace(from, to)
    };
    let source = r#"{"type": "file", "channels": [0], "source": "a.wav"}"#;
    for (line, expected) in [
        (
            "{\"id\": \"m\", \"tracks\": [], \"type\": \"MixedCut\"}\n".to_owned(),
            "expected a MonoCut, got the MixedCut m, which is no part",
        ),
        (with("MonoCut", "PaddingCut"), "expected a MonoCut, got the PaddingCut c, which is no part"),
        (with("MonoCut", "NewCut"), "expected a MonoCut, got NewCut c"),
        (
            with("\"channel_ids\": [0]}", "\"channel_ids\": [0], \"transforms\": [{\"name\": \"Speed\"}]}"),
            "cut c: expected no changes of the sound as \"transforms\"",
        ),
        (with("\"type\": \"file\"", "\"type\": \"memory\""), "cut c: expected a source in a file, got one in memory"),
        (
            with("\"type\": \"file\"", "\"type\": \"shar\""),
            "cut c: expected a source in a file, got one of a Shar folder",
        ),
        (
            with("\"type\": \"file\"", "\"type\": \"other\""),
            "cut c: expected a source of type file, url or command, got \"other\"",
        ),
        (with("\"type\": \"file\"", "\"type\": \"command\""), "--allow-commands"),
        (with("\"a.wav\"", "\"touch x |\""), "--allow-commands"),
        (with("\"a.wav\"", "\"a.ark:5\""), "got a part of a file"),
        (with(source, &format!("{source}, {source}")), "cut c: expected one source of the recording a, got 2"),
        (with("\"duration\": 1.0", "\"duration\": 0"), "cut c: expected a duration above 0, got 0"),
        (with("\"duration\": 0.5", "\"duration\": -1"), "cut c: expected a duration of u above 0, got -1"),
        (with("\"start\": 0.25, ", ""), "cut c: expected a \"start\" and a \"duration\", got none"),
        (with("\"start\": 0,", ""), "got cut c: missing field `start`"),
        (with("\"start\": 0.25", "\"start\": \"x\""), "got cut c: invalid type: string \"x\""),
        (with("\"id\": \"c\"", "\"id\": 5"), "invalid type: integer `5`"),
        (
            with("\"duration\": 1.0, \"channel\": 0", "\"duration\": 1.0, \"channel\": \"x\""),
            "cut c: expected a number or a list of numbers as \"channel\" of the cut",
        ),
        (
            with("\"duration\": 1.0, \"channel\": 0", "\"duration\": 1.0, \"channel\": 1"),
            "cut c: expected one of the channels [0], got 1",
        ),
        (format!("{good}{}", good.replace("\"c\"", "\"d\"")), "got u again"),
        (format!("{good}{}", good.replace("a.wav", "b.wav").replace("\"u\"", "\"v\"")), "got a again"),
        (good[..good.len() - 5].to_owned(), "EOF while parsing"),
        (with("\"start\": 0.25", "\"start\": -0.25"), "-0.25"),
    ] {
        scratch.write("cuts.jsonl", line.as_bytes());
        scratch
            .sh("make-data-dir --format=lhotse cuts.jsonl d")
            .fails_with(255)
            .stderr_has("cuts.jsonl:")
            .stderr_has(expected);
        scratch.sh("ls d/wav.scp x").fails_with(2);
    }
    scratch.write("cuts.jsonl", &good);
    scratch
        .sh("gzip -c cuts.jsonl | head -c 100 > cut.jsonl.gz; make-data-dir --format=lhotse cut.jsonl.gz d")
        .fails_with(255)
        .stderr_has("cut.jsonl.gz");
    scratch.write("cuts.jsonl", with("\"type\": \"file\"", "\"type\": \"command\"").replace("a.wav", "cat a.wav"));
    scratch.sh("make-data-dir --allow-commands cuts.jsonl d && cat d/wav.scp").succeeds().stdout_is("a cat a.wav |\n");
    scratch.write("cuts.jsonl", with("\"type\": \"file\"", "\"type\": \"url\"").replace("a.wav", "https://host/a.wav"));
    scratch.sh("make-data-dir cuts.jsonl d && cat d/wav.scp").succeeds().stdout_is("a https://host/a.wav\n");
}

#[test]
fn a_file_of_cuts_is_known_by_looking() {
    let scratch = scratch();
    scratch.write("x.jsonl", cut("c", &supervision("u", ""), A));
    scratch.sh("gzip -c x.jsonl > y.jsonl.gz").succeeds();
    for name in ["x.jsonl", "y.jsonl.gz"] {
        scratch
            .sh(&format!("table-info {name}"))
            .succeeds()
            .stdout_has("  kind         cuts\n  cuts         1\n")
            .stdout_has(&format!("  read         make-data-dir {name} data\n"));
        scratch.sh(&format!("table-check {name}")).succeeds();
    }
    scratch.write("x.jsonl", cut("c", &supervision("u", ""), A) + "{\"id\": 5}\n");
    scratch.sh("table-check x.jsonl").fails_with(1);
}
