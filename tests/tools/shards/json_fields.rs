//! Text, speakers, languages and genders inside of members in JSON.

use super::sound;
use crate::support::Scratch;
use crate::support::tar::tar;

/// Samples as Python's `json.dumps` describes them: letters of a string are escaped, a text is a number or `null`.
const OBJECTS: [(&str, &str); 4] = [
    ("a1", r#"{"text": "caf\u00e9 \ud83d\ude00", "speaker": "a", "language": "fr", "gender": "female"}"#),
    ("b1", r#"{"text": 17, "speaker": "b", "language": null, "gender": "M"}"#),
    ("b2", r#"{"text": null, "speaker": "b", "language": "e n", "gender": "male", "meta": {"text": "in", "n": 1.50}}"#),
    ("x", r#"{"text": " two\n lines ", "speaker": null, "language": "en", "gender": "other", "meta.text": "w"}"#),
];

/// A shard of these samples.
fn packed(objects: &[(&str, &str)]) -> Vec<u8> {
    let sound = sound(1600);
    let names: Vec<_> = objects.iter().map(|(key, _)| [format!("{key}.wav"), format!("{key}.json")]).collect();
    let pairs = names.iter().zip(objects);
    let members = pairs.flat_map(|([wav, json], (_, object))| [(wav.as_str(), &sound[..]), (json, object.as_bytes())]);
    tar(&members.collect::<Vec<_>>())
}

fn shards() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("a.tar", packed(&OBJECTS)).write("data.list", "a.tar\n");
    scratch
}

const FACTS: &str =
    "--text-field=json.text --speaker-field=json.speaker --language-field=json.language --gender-field=json.gender";

#[test]
fn a_data_directory_says_who_speaks() {
    let scratch = shards();
    let ran = scratch.sh(&format!("extract-shards {FACTS} data.list data")).succeeds();
    ran.stderr_has("b2: the sample has no text")
        .stderr_has("1 samples have nothing as json.speaker")
        .stderr_has("1 samples have nothing as json.language")
        .stderr_lacks("does not start with that of its speaker");
    let file = |name: &str| String::from_utf8(scratch.read(&format!("data/{name}"))).unwrap();
    assert_eq!(file("text"), "a1 caf\u{e9} \u{1f600}\nb1 17\nx two lines\n");
    assert_eq!(file("utt2spk"), "a1 a\nb1 b\nb2 b\n");
    assert_eq!(file("spk2utt"), "a a1\nb b1 b2\n");
    assert_eq!(file("utt2lang"), "a1 fr\nb2 e_n\nx en\n");
    assert_eq!(file("spk2gender"), "a f\nb m\n");
    // Only what is asked for.
    scratch
        .sh("extract-shards --text-field=json.text a.tar other && ls other")
        .succeeds()
        .stdout_is("text\nwav\nwav.scp\n");
}

#[test]
fn keys_without_their_speaker_stay_and_are_told_once() {
    let scratch = Scratch::new();
    let object = |speaker: &str, gender: &str| format!("{{\"spk\": \"{speaker}\", \"sex\": \"{gender}\"}}");
    let [first, second, third] = [object("s 1", "f"), object("s 1", "m"), object("t", "diverse")];
    scratch.write("a.tar", packed(&[("u1", &first), ("u2", &second), ("u3", &third)]));
    let ran = scratch.sh("extract-shards --speaker-field=json.spk --gender-field=json.sex a.tar x").succeeds();
    let log = String::from_utf8_lossy(ran.stderr()).into_owned();
    assert_eq!(log.matches("does not start with that of its speaker").count(), 1, "{log}");
    ran.stderr_has("u1: the name does not start")
        .stderr_has("1 samples have another gender")
        .stderr_has("1 speakers have two genders");
    assert_eq!(scratch.read("x/utt2spk"), b"u1 s_1\nu2 s_1\nu3 t\n");
    scratch.sh("test ! -e x/spk2gender").succeeds();
}

#[test]
fn speakers_need_a_folder() {
    let scratch = shards();
    scratch
        .sh("extract-shards --write-text=ark,t:- --speaker-field=json.speaker a.tar")
        .fails_with(255)
        .stderr_has("expected --speaker-field, --language-field and --gender-field with a folder");
    scratch
        .sh("extract-shards --gender-field=json.gender a.tar x")
        .fails_with(255)
        .stderr_has("expected --speaker-field beside --gender-field");
}

#[test]
fn a_whole_name_with_dots_comes_first() {
    let scratch = shards();
    // The entry "meta.text" of x is not inside of "meta".
    scratch.write("b.tar", packed(&OBJECTS[3..]));
    scratch.sh("extract-shards --write-text=ark,t:- --text-field=json.meta.text b.tar").succeeds().stdout_is("x w \n");
    scratch.write("c.tar", packed(&OBJECTS[2..3]));
    scratch
        .sh("extract-shards --write-text=ark,t:- --text-field=json.meta.text c.tar")
        .succeeds()
        .stdout_is("b2 in \n");
    scratch.sh("extract-shards --write-text=ark,t:- --text-field=json.meta.n c.tar").succeeds().stdout_is("b2 1.50 \n");
    // A member comes before an entry. Members with two dots belong together by webdataset's rule.
    let members: [(&str, &[u8]); 2] = [("u.json", br#"{"text": "inside"}"#), ("u.json.text", b"member")];
    scratch.write("d.tar", tar(&members));
    let text = "--write-text=ark,t:- --text-field=json.text --grouping=webdataset";
    scratch.sh(&format!("extract-shards {text} d.tar")).succeeds().stdout_is("u member \n");
}

#[test]
fn script_files_and_texts_come_of_headers_and_json() {
    let scratch = shards();
    let ran = scratch.sh("shards-to-scp --write-text=ark,t:- --text-field=json.text data.list wav.scp").succeeds();
    ran.stdout_is("a1 caf\u{e9} \u{1f600} \nb1 17 \nx two lines \n").stderr_has("b2: the sample has no text");
    scratch.sh("wav-to-duration --read-entire-file scp:wav.scp ark,t:-").succeeds().stdout_has("b2 0.1");
}

/// What no text is, with shard, key and field.
#[test]
fn what_is_no_text_ends_the_tools() {
    let scratch = Scratch::new();
    for (object, message) in [
        (r#"{"text": ["a"]}"#, "expected text as json.text, got a list"),
        (r#"{"text": {"a": 1}}"#, "expected text as json.text, got an object"),
        (r#"{"words": 1}"#, "expected an entry \"text\" for json.text, got \"words\""),
        (r#"{"text": "a"#, "expected JSON with json.text: "),
        ("[]", "expected an object with \"text\" for json.text, got \"[]\""),
    ] {
        scratch.write("a.tar", packed(&[("a1", r#"{"text": "x"}"#), ("b1", object)]));
        let place = format!("a.tar:9728: b1.json: {message}");
        scratch.sh("extract-shards --text-field=json.text a.tar x").fails_with(255).stderr_has(&place);
        scratch.sh("test ! -e x/text").succeeds();
        let ran =
            scratch.sh("shards-to-scp --write-text=ark,t:text --text-field=json.text a.tar wav.scp").fails_with(255);
        ran.stderr_has(&place);
        assert!(!scratch.list().contains(&"text".to_owned()));
    }
}

#[test]
fn a_check_finds_every_entry_that_is_no_text() {
    let scratch = Scratch::new();
    let objects = [
        ("a", r#"{"text": "x"}"#),
        ("b", r#"{"text": null}"#),
        ("c", r#"{"text": []}"#),
        ("d", "{"),
        ("e", r#"{"text": " "}"#),
        ("f", r#"{"txt": "x"}"#),
    ];
    scratch.write("a.tar", packed(&objects));
    let ran = scratch.sh("check-shards --fields=wav,json.text a.tar | grep -o '\\[.*\\]$'").fails_with(1);
    ran.stdout_is("[missing-field]\n[bad-text]\n[bad-text]\n[empty-text]\n[missing-field]\n");
    scratch.sh("check-shards --fields=json.text --json=true a.tar | head -1").fails_with(1).stdout_is(
        "{\"shard\": \"a.tar\", \"key\": \"b\", \"member\": \"b.json\", \"offset\": 9728, \"fault\": \"missing-field\", \
         \"message\": \"expected text as json.text, got null\"}\n",
    );
    // Without contents only members are missing.
    scratch.sh("check-shards --quick=true --fields=wav,json.text a.tar").succeeds().stdout_is("");
    scratch
        .sh("check-shards --quick=true --fields=json.text,xml.text a.tar")
        .fails_with(1)
        .stdout_has("a: expected a member .xml.text");
}

/// `shard,field=`: texts for tools of words, other members, numbers.
#[test]
fn an_rspecifier_names_a_field() {
    let scratch = Scratch::new();
    let sound = sound(1600);
    let members: [(&str, &[u8]); 6] = [
        ("a.wav", &sound),
        ("a.json", br#"{"text": "caf\u00e9 \n au lait", "ids": "3 4", "dur": 1.5, "n": 17}"#),
        ("a.lab", b"hello\n there"),
        ("b.wav", &sound),
        ("b.json", br#"{"text": 8, "ids": "5", "dur": -2, "n": 18}"#),
        ("b.lab", b"world"),
    ];
    scratch.write("a.tar", tar(&members)).write("data.list", "a.tar\n").write("units.txt", "<unk> 1\nh 2\ne 3\n");
    let t = |command: &str, expected: &str| {
        scratch.sh(&command.replace("FIELD", "shard,field")).succeeds().stdout_is(expected);
    };
    t("tokenize-text --symbols=units.txt FIELD=lab:data.list ark,t:- | head -1", "a 2 3 1 1 1 1 1 2 3 1 3 \n");
    t("copy-vector FIELD=json.dur:a.tar ark,t:- 2>&1 | grep -c WARNING || true", "0\n");
    t("copy-int-vector FIELD=json.ids:data.list ark,t:-", "a 3 4 \nb 5 \n");
    t("table-head FIELD=json.text:data.list", "a caf\u{e9} au lait \nb 8 \n");
    t("table-head FIELD=json.n:data.list", "a 17 \nb 18 \n");
    t("cat a.tar | table-head p,FIELD=lab:-", "a hello there \nb world \n");
    t("wav-to-duration FIELD=wav:data.list ark,t:-", "a 0.1 \nb 0.1 \n");
    let report = scratch.sh("table-report shard,field=json.text:data.list r.html").succeeds();
    report.stderr_has("Measured 2 utterances");
    assert!(String::from_utf8_lossy(&scratch.read("r.html")).contains("au lait"));
    scratch.sh("copy-feats ark,field=x:a.tar ark:-").fails_with(255).stderr_has("field=");
}

#[test]
fn null_is_an_error_that_permissive_readers_pass_over() {
    let scratch = shards();
    let words = "tokenize-text --mode=word --symbols=units.txt";
    scratch.write("units.txt", "<unk> 1\n17 2\n");
    let ran = scratch.sh(&format!("{words} shard,field=json.text:data.list ark,t:-")).fails_with(255);
    ran.stderr_has("b2: a.tar:14848: expected a value as json.text, got null");
    let ran = scratch.sh(&format!("{words} p,shard,field=json.text:data.list ark,t:-")).succeeds();
    ran.stdout_is("a1 1 1 \nb1 2 \nx 1 1 \n").stderr_has("WARNING").stderr_has("b2: a.tar:14848");
    for (field, message) in [
        (
            "json.words",
            "a1: a.tar:4608: expected an entry \"words\" for json.words, got \"gender\", \"language\", \"speaker\", \"text\"",
        ),
        ("json.meta", "a1: a.tar:4608: expected an entry \"meta\""),
        ("lab", "a1: a.tar:0: expected a member .lab, got none"),
        ("wav.text", "a1: a.tar:512: expected JSON with wav.text: "),
    ] {
        let ran = scratch.sh(&format!("{words} shard,field={field}:a.tar ark,t:-")).fails_with(255);
        ran.stderr_has(message).stdout_is("");
    }
    let ran = scratch.sh(&format!("{words} p,shard,field=json.meta:data.list ark,t:-"));
    ran.fails_with(1).stderr_has("b2: a.tar:14848: expected text as json.meta, got an object");
}
