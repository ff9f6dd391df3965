use super::{shards, sound};
use crate::support::signal::riff;
use crate::support::tar::{shard, tar};
use crate::support::wave::{archive, wave};
use crate::support::{Scratch, tool};

#[test]
fn shards_and_a_folder_are_needed() {
    tool("extract-shards").assert().code(1).stdout("");
    shards().sh("extract-shards data.list").fails_with(1).stderr_has("expected shards and a folder, or wspecifiers");
}

#[test]
fn a_folder_is_a_data_directory() {
    let scratch = shards();
    scratch.sh("extract-shards data.list x/y").succeeds().stderr_has("Extracted 3 samples, skipped 0");
    let recordings = "u1 x/y/wav/u1.wav\nu2 x/y/wav/u2.wav\nd/u3 x/y/wav/d/u3.wav\n";
    assert_eq!(String::from_utf8_lossy(&scratch.read("x/y/wav.scp")), recordings);
    assert_eq!(scratch.read("x/y/text"), "u1 hello\nu2 hello world\nd/u3 \u{4f60}\u{597d}\n".as_bytes());
    assert_eq!(scratch.read("x/y/wav/d/u3.wav"), sound(8000));
    // There and back again.
    scratch.sh("make-shard-list --num-utts-per-shard=2 x/y/wav.scp x/y/text z z.list").succeeds();
    scratch.sh("cmp z/shards_000000000.tar a.tar && cmp z/shards_000000001.tar b.tar").succeeds();
}

#[test]
fn with_wspecifiers_there_are_tables() {
    let scratch = shards();
    scratch.sh("gzip b.tar && mv b.tar.gz b.tar").succeeds();
    scratch
        .sh("extract-shards --write-wav=ark,scp:w.ark,w.scp --write-text=ark,t:text --write-utt2dur=ark,t:utt2dur data.list")
        .succeeds();
    assert!(scratch.read("w.ark") == archive(&[("u1", &sound(16000)), ("u2", &sound(32000)), ("d/u3", &sound(8000))]));
    assert_eq!(scratch.read("text"), "u1 hello \nu2 hello world \nd/u3 \u{4f60}\u{597d} \n".as_bytes());
    assert_eq!(scratch.read("utt2dur"), b"u1 1 \nu2 2 \nd/u3 0.5 \n");
    scratch.sh("cat a.tar | extract-shards --write-utt2dur=ark,t:- -").succeeds().stdout_is("u1 1 \nu2 2 \n");
}

#[test]
fn tables_hold_16_bits_and_folders_what_there_is() {
    let scratch = Scratch::new();
    let bytes = riff(1, 8000, 1, 8, &[0, 128, 255, 1]);
    scratch.write("a.tar", tar(&[("u.WAV", &bytes), ("u.txt", b" a \n b\n"), ("u.json", b"{}")]));
    scratch.sh("extract-shards a.tar x && extract-shards --write-wav=ark:- a.tar > w.ark").succeeds();
    assert_eq!(scratch.read("x/wav/u.WAV"), bytes);
    assert_eq!(scratch.read("x/text"), b"u a b\n");
    assert_eq!(scratch.read("w.ark"), archive(&[("u", &wave(8000, &[&[-32768, 0, 32512, -32512]]))]));
}

/// Names that would lead out of the folder, and one with a blank.
#[test]
fn nothing_is_written_elsewhere() {
    let scratch = Scratch::new();
    let (absolute, keys) =
        (scratch.path("evil").display().to_string(), ["../evil", "a/../../evil", "a//b", "./a", "a b"]);
    let mut samples: Vec<_> = keys.iter().map(|key| (*key, "x", b"y".as_slice())).collect();
    samples.extend([(absolute.as_str(), "x", b"y".as_slice()), ("good", "x", b"y")]);
    if absolute.len() > 95 {
        samples.remove(5);
    }
    scratch.write("a.tar", shard(&samples));
    let ran = scratch.sh("mkdir x && extract-shards a.tar x/y").succeeds();
    ran.stderr_has("a.tar: \"../evil\" is no key that can be extracted; skipping it")
        .stderr_has("Extracted 2 samples, skipped 5");
    assert_eq!(scratch.list(), ["a.tar", "x"]);
    scratch
        .sh("find x -type f | sort")
        .succeeds()
        .stdout_is("x/y/text\nx/y/wav.scp\nx/y/wav/a_b.wav\nx/y/wav/good.wav\n");
    assert_eq!(scratch.read("x/y/wav.scp"), b"a_b x/y/wav/a_b.wav\ngood x/y/wav/good.wav\n");
}

#[test]
fn damage_leaves_nothing() {
    let scratch = shards();
    scratch
        .sh("head -c 50000 a.tar > cut.tar; extract-shards cut.tar x")
        .fails_with(255)
        .stderr_has("cut.tar:35328: u2.wav");
    scratch
        .sh("extract-shards a.tar b.tar a.tar x")
        .fails_with(255)
        .stderr_has("a.tar: expected each key once, got u1 again");
    scratch.sh("extract-shards missing.list x/y").fails_with(255).stderr_has("cannot open missing.list");
    assert!(!scratch.path("x").exists());
    scratch.sh("extract-shards --write-wav=ark:w.ark cut.tar").fails_with(255);
    scratch.write("bad.tar", shard(&[("a", "x", b"ID3")]));
    scratch
        .sh("extract-shards --write-wav=ark:w.ark bad.tar")
        .fails_with(255)
        .stderr_has("bad.tar: a: expected 10 bytes of the MP3 file, found its end");
    assert!(!scratch.list().contains(&"w.ark".to_owned()));
}

#[test]
fn samples_that_lack_a_field_are_told() {
    let scratch = Scratch::new();
    scratch.write("a.tar", tar(&[("a.txt", b"x"), ("b.wav", &sound(10))]));
    let ran = scratch.sh("extract-shards a.tar x").succeeds();
    ran.stderr_has("a: the sample has no sound; skipping it").stderr_has("b: the sample has no text");
    let ran =
        scratch.sh("extract-shards --write-wav=ark:w.ark --write-text=ark,t:- a.tar").succeeds().stdout_is("a x \n");
    ran.stderr_has("a: the sample has no sound").stderr_has("b: the sample has no text");
}

#[test]
fn control_characters_in_a_text_stop_nothing() {
    let scratch = Scratch::new();
    let sound = sound(100);
    scratch
        .write("x.tar", shard(&[("u1", "a\u{1}b c", &sound), ("u2", "d\r\n\ne", &sound), ("u3", "f\u{7f}", &sound)]));
    scratch.sh("extract-shards x.tar out").succeeds();
    assert_eq!(scratch.read("out/text"), b"u1 a\x01b c\nu2 d e\nu3 f\x7f\n");
    let ran = scratch.sh("extract-shards --text=ark,t:- x.tar").succeeds();
    ran.stdout_is("u2 d e \n").stderr_has("u1: the text is left out: ").stderr_has("u3: the text is left out: ");
    let ran = scratch.sh("shards-to-scp --write-text=ark,t:- x.tar wav.scp").succeeds();
    ran.stdout_is("u2 d e \n").stderr_has("u1: the text is left out: ");
    assert_eq!(scratch.sh("wc -l < wav.scp").succeeds().stdout(), b"3\n");
}
