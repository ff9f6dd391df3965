//! Tarred data sets of NeMo.

use super::sound;
use crate::support::Scratch;
use crate::support::tar::tar;
use crate::support::wave::samples;

/// Three recordings of 1, 2 and 3 seconds.
fn data() -> Scratch {
    let scratch = Scratch::new();
    for number in 1..4 {
        scratch.write(&format!("{number}.wav"), sound(16000 * number));
    }
    scratch.write("wav.scp", "s/u.1 1.wav\ns/u.2 2.wav\nt3 3.wav\n");
    scratch.write("text", "s/u.1 hello \"w\u{f6}rld\"\ns/u.2 two\nt3\n").write("utt2spk", "s/u.1 s\ns/u.2 s\n");
    scratch
}

const MANIFEST: &str = concat!(
    "{\"audio_filepath\": \"s_u_1.wav\", \"duration\": 1.0, \"text\": \"hello \\\"w\u{f6}rld\\\"\", \"speaker\": \"s\", ",
    "\"utt_id\": \"s/u.1\", \"shard_id\": 0}\n",
    "{\"audio_filepath\": \"s_u_2.wav\", \"duration\": 2.0, \"text\": \"two\", \"speaker\": \"s\", \"utt_id\": \"s/u.2\", ",
    "\"shard_id\": 0}\n",
    "{\"audio_filepath\": \"t3.wav\", \"duration\": 3.0, \"text\": \"\", \"utt_id\": \"t3\", \"shard_id\": 1}\n",
);

const MAKE: &str =
    "make-shard-list --format=nemo --num-utts-per-shard=2 --utt2spk=ark:utt2spk wav.scp text nemo nemo.list";

#[test]
fn tars_have_sound_and_manifests_the_rest() {
    let scratch = data();
    let ran = scratch.sh(MAKE).succeeds();
    ran.stderr_has("Wrote 3 utterances to 2 shards").stderr_has("--utt2spk has no speaker of 1 utterances, such as t3");
    assert_eq!(scratch.read("nemo.list"), b"nemo/audio_0.tar\nnemo/audio_1.tar\n");
    assert!(scratch.read("nemo/audio_0.tar") == tar(&[("s_u_1.wav", &sound(16000)), ("s_u_2.wav", &sound(32000))]));
    assert!(scratch.read("nemo/audio_1.tar") == tar(&[("t3.wav", &sound(48000))]));
    assert_eq!(String::from_utf8(scratch.read("nemo/tarred_audio_manifest.json")).unwrap(), MANIFEST);
    let shards = ["0", "1"].map(|shard| scratch.read(&format!("nemo/sharded_manifests/manifest_{shard}.json")));
    assert!(shards.concat() == MANIFEST.as_bytes() && shards[1].starts_with(b"{\"audio_filepath\": \"t3.wav\""));
    scratch.sh("check-shards --manifest=nemo/tarred_audio_manifest.json nemo.list").succeeds().stdout_is("");
    let both = "--manifest='nemo/sharded_manifests/manifest__OP_0..1_CL_.json' 'nemo/audio_{0..1}.tar'";
    scratch.sh(&format!("check-shards {both}")).succeeds().stderr_has("Checked 3 samples of 2 shards, found 0 faults");
    // The order and the bytes do not depend on threads.
    scratch
        .sh(&format!("mv nemo old && {} && diff -r nemo old", MAKE.replace("--format", "--num-threads=1 --format")))
        .succeeds();
}

#[test]
fn segments_are_cut_and_other_sound_may_be_copied() {
    let scratch = data();
    scratch.write("segments", "a t3 0.5 1.75\n").write("one", "a x\n");
    scratch.sh("make-shard-list --format=nemo --segments=segments wav.scp one n n.list").succeeds();
    scratch
        .sh("grep -o '\"duration\": [0-9.]*' n/tarred_audio_manifest.json")
        .succeeds()
        .stdout_is("\"duration\": 1.25\n");
    scratch.sh("tar -xOf n/audio_0.tar a.wav > a.wav").succeeds();
    assert_eq!(samples(&scratch.read("a.wav")).len(), 20000);
    scratch
        .sh("make-shard-list --format=nemo --audio=copy wav.scp text c c.list && tar -tf c/audio_0.tar | tr '\\n' ' '")
        .succeeds()
        .stdout_is("s_u_1.wav s_u_2.wav t3.wav ");
}

#[test]
fn two_keys_that_become_one_are_refused() {
    let scratch = data();
    scratch.write("wav.scp", "a.b 1.wav\na/b 2.wav\n").write("text", "a.b x\na/b y\n");
    let ran = scratch.sh("make-shard-list --format=nemo wav.scp text nemo nemo.list").fails_with(255);
    ran.stderr_has("expected keys that differ as names of members, got a.b and a/b, which are both a_b");
    assert!(!scratch.list().iter().any(|name| name.starts_with("nemo")));
}

#[test]
fn options_that_do_not_fit_are_refused() {
    let scratch = data();
    for (options, message) in [
        ("--utt2spk=ark:utt2spk", "expected --utt2spk with --format=nemo only"),
        ("--format=nemo --compress=gzip", "expected no --compress with --format=nemo"),
        ("--format=nemo --prefix=shards", "expected a --prefix with audio in it"),
    ] {
        scratch
            .sh(&format!("make-shard-list {options} wav.scp text nemo nemo.list"))
            .fails_with(255)
            .stderr_has(message);
    }
    scratch.sh(MAKE).succeeds();
    let ran = scratch.sh("make-shard-list --format=nemo wav.scp text nemo nemo.list").fails_with(255);
    ran.stderr_has("expected no shards of another run than those that are replaced, got audio_1.tar");
    scratch
        .sh("rm nemo/audio_1.tar && make-shard-list --format=nemo wav.scp text nemo nemo.list")
        .fails_with(255)
        .stderr_has("got manifest_1.json");
    scratch
        .sh("rm nemo/sharded_manifests/manifest_1.json && make-shard-list --format=nemo wav.scp text nemo nemo.list")
        .succeeds();
}

/// NeMo's reader passes over all of this.
#[test]
fn every_difference_from_the_manifest_is_a_fault() {
    let scratch = data();
    scratch.sh(MAKE).succeeds();
    let has = |manifest: &str, faults: &str| {
        scratch.write("m.json", manifest);
        scratch.sh("check-shards --manifest=m.json nemo.list").fails_with(1).stdout_is(faults);
    };
    let lines: Vec<&str> = MANIFEST.lines().collect();
    has(
        &lines[1..].join("\n"),
        "nemo/audio_0.tar:0: s_u_1.wav: expected a line of the manifest for this member, got none: NeMo passes over it \
         [unlisted-member]\n",
    );
    let more = "\n{\"audio_filepath\": \"x.wav\", \"duration\": 1, \"shard_id\": 1}\n{\"audio_filepath\": \"y.wav\", \
                \"duration\": 1, \"shard_id\": 9}";
    has(
        &(lines.join("\n") + more),
        "m.json:4: x.wav: expected it in shard 1, found it nowhere [missing-member]\n\
         m.json:5: y.wav: expected it in shard 9, found it nowhere [missing-member]\n",
    );
    has(
        &MANIFEST.replace("\"shard_id\": 1", "\"shard_id\": 0"),
        "m.json:3: t3.wav: expected it in shard 0, found it in nemo/audio_1.tar [wrong-shard]\n",
    );
    has(
        &MANIFEST.replace("\"duration\": 2.0", "\"offset\": 1.0, \"duration\": 1.25"),
        "m.json:2: s_u_2.wav: expected sound up to 2.25 s, got 2 s in nemo/audio_0.tar [bad-duration]\n",
    );
    // So much is tolerated.
    scratch.write("m.json", MANIFEST.replace("\"duration\": 2.0", "\"duration\": 2.19"));
    scratch.sh("check-shards --manifest=m.json nemo.list").succeeds();
    for (line, message) in [
        ("x", "expected an object in JSON, got \"x\""),
        ("{\"duration\": 1, \"shard_id\": 0}", "expected a field \"audio_filepath\" with text, got none"),
        ("{\"audio_filepath\": \"a.wav\"}", "expected a field \"shard_id\", the number of a tar file, got none"),
        (
            "{\"audio_filepath\": \"a.wav\", \"shard_id\": -1}",
            "expected the number of a tar file as the field \"shard_id\"",
        ),
        (
            "{\"audio_filepath\": \"a.wav\", \"shard_id\": 0, \"duration\": -1}",
            "expected \"offset\" and \"duration\" from 0 s on",
        ),
    ] {
        scratch.write("m.json", format!("{line}\n{MANIFEST}"));
        let ran = scratch.sh("check-shards --manifest=m.json nemo.list").fails_with(1);
        ran.stdout_has(&format!("m.json:1: {message}")).stdout_has("[bad-manifest]");
    }
}

#[test]
fn lines_of_one_member_are_told_by_their_names() {
    let scratch = data();
    scratch.write("audio_0.tar", tar(&[("x.wav", &sound(16000)), ("y-sub1.wav", &sound(16000))]));
    let line = |name: &str, offset: f64| {
        format!("{{\"audio_filepath\": \"{name}\", \"offset\": {offset}, \"duration\": 0.25, \"shard_id\": 0}}\n")
    };
    let manifest =
        [line("x.wav", 0.0), line("x-sub1.wav", 0.25), line("x-sub2.wav", 0.5), line("y-sub1.wav", 0.0)].concat();
    scratch.write("m.json", manifest);
    scratch.sh("check-shards --manifest=m.json audio_0.tar").succeeds().stdout_is("");
    scratch.write("m.json", line("x-sub1.wav", 0.9));
    let ran = scratch.sh("check-shards --manifest=m.json audio_0.tar").fails_with(1);
    ran.stdout_is(
        "audio_0.tar:32768: y-sub1.wav: expected a line of the manifest for this member, got none: NeMo passes over it \
         [unlisted-member]\n",
    );
    scratch
        .sh("mv audio_0.tar shards.tar && check-shards --manifest=m.json shards.tar")
        .fails_with(255)
        .stderr_has("shards.tar: expected a name with a number, such as audio_0.tar");
}

#[test]
fn a_tarred_manifest_becomes_a_data_directory_with_sound_in_place() {
    let scratch = data();
    scratch.sh(MAKE).succeeds();
    // Of the whole manifest, and of those of the shards; tars above the folder of these.
    let all = "nemo/sharded_manifests/manifest_{0..1}.json";
    for (options, manifest) in
        [("", "nemo/tarred_audio_manifest.json"), ("", all), ("--shards='nemo/audio__OP_0..1_CL_.tar'", all)]
    {
        let ran = scratch.sh(&format!("rm -rf d && make-data-dir {options} '{manifest}' d")).succeeds();
        ran.stderr_has("1 utterances have no text, and were left out");
        let expected = "s/u.1 nemo/audio_0.tar:512\ns/u.2 nemo/audio_0.tar:33280\n";
        assert_eq!(String::from_utf8(scratch.read("d/wav.scp")).unwrap(), expected, "{manifest}");
        assert_eq!(scratch.read("d/utt2spk"), b"s/u.1 s\ns/u.2 s\n");
        assert_eq!(String::from_utf8(scratch.read("d/text")).unwrap(), "s/u.1 hello \"w\u{f6}rld\"\ns/u.2 two\n");
    }
    scratch.sh("wav-to-duration scp:d/wav.scp ark,t:-").succeeds().stdout_is("s/u.1 1 \ns/u.2 2 \n");
    // And back.
    scratch.sh("make-shard-list --format=nemo --utt2spk=ark:d/utt2spk d/wav.scp d/text again a.list && cmp again/audio_0.tar nemo/audio_0.tar").succeeds();
}

fn line(name: &str, rest: &str) -> String {
    format!("{{\"audio_filepath\": \"{name}\", \"shard_id\": 0, {rest}}}\n")
}

#[test]
fn offsets_become_segments_of_the_member() {
    let scratch = Scratch::new();
    scratch.write("audio_0.tar", tar(&[("x.wav", &sound(16000)), ("y-sub1.wav", &sound(16000))]));
    let manifest = [
        line("x.wav", r#""offset": 0, "duration": 0.25, "text": "a", "lang": "en""#),
        line("x-sub1.wav", r#""offset": 0.25, "duration": 0.5, "text": "b", "lang": "de""#),
        line("y-sub1.wav", r#""offset": 0.5, "duration": 0.25, "text": "c""#),
    ];
    scratch.write("m.json", manifest.concat());
    scratch.sh("make-data-dir m.json d").succeeds();
    assert_eq!(scratch.read("d/wav.scp"), b"x audio_0.tar:512\ny-sub1 audio_0.tar:33280\n");
    let expected =
        "x-0000000-0000250 x 0 0.25\nx-0000250-0000750 x 0.25 0.75\ny-sub1-0000500-0000750 y-sub1 0.5 0.75\n";
    assert_eq!(String::from_utf8(scratch.read("d/segments")).unwrap(), expected);
    assert_eq!(scratch.read("d/utt2lang"), b"x-0000000-0000250 en\nx-0000250-0000750 de\n");
    scratch
        .sh("extract-segments scp:d/wav.scp d/segments ark:- | wav-to-duration ark:- ark,t:- | wc -l")
        .succeeds()
        .stdout_is("3\n");
}

#[test]
fn other_sound_is_copied_and_compressed_tars_are_read() {
    let scratch = Scratch::new();
    scratch.write("b.wav", sound(1600)).sh("wav-copy --format=flac b.wav b.flac").succeeds();
    let flac = scratch.read("b.flac");
    scratch.write("audio_0.tar", tar(&[("a.wav", &sound(1600)), ("b.flac", &flac), ("c.wav", &sound(3200))]));
    let manifest = ["a.wav", "b.flac", "c.wav"].map(|name| line(name, r#""duration": 0.1, "text": "x""#));
    scratch.write("m.json", manifest.concat());
    scratch.sh("make-data-dir m.json d").succeeds();
    let names = String::from_utf8(scratch.read("d/wav.scp")).unwrap();
    assert!(names.starts_with("a audio_0.tar:512\nb d/wav/b.flac\nc audio_0.tar:"), "{names}");
    assert!(scratch.read("d/wav/b.flac") == flac);
    // All of it, if that is asked for, or the tar is compressed.
    let copied = "a d/wav/a.wav\nb d/wav/b.flac\nc d/wav/c.wav\n";
    scratch.sh("rm -r d && make-data-dir --audio=copy m.json d").succeeds();
    assert_eq!(String::from_utf8(scratch.read("d/wav.scp")).unwrap(), copied);
    assert!(scratch.read("d/wav/c.wav") == sound(3200));
    scratch.sh("gzip audio_0.tar && rm -r d && make-data-dir --shards=audio_0.tar.gz m.json d").succeeds();
    assert_eq!(String::from_utf8(scratch.read("d/wav.scp")).unwrap(), copied);
    assert!(scratch.read("d/wav/c.wav") == sound(3200));
}

#[test]
fn members_that_are_not_there_are_left_out_and_tars_are_needed() {
    let scratch = data();
    scratch.sh(MAKE).succeeds();
    scratch.write(
        "nemo/m.json",
        [line("s_u_1.wav", r#""text": "x""#), line("touch y |", r#""text": "x""#), line("z.wav", r#""text": "x""#)]
            .concat(),
    );
    let ran = scratch.sh("make-data-dir nemo/m.json d").succeeds();
    ran.stderr_has("2 lines name a member that their tar file does not have, and were left out; the first is nemo/m.json:2, touch y | in nemo/audio_0.tar");
    assert_eq!(scratch.read("d/utt2spk"), b"s_u_1 s_u_1\n");
    scratch.sh("make-data-dir --strict nemo/m.json e").fails_with(255).stderr_has("touch y | in nemo/audio_0.tar");
    for (command, message) in [
        (
            "rm nemo/audio_1.tar; make-data-dir nemo/tarred_audio_manifest.json e",
            "nemo/tarred_audio_manifest.json:3: expected the tar file of shard 1, nemo/audio_1.tar, which is not there: --shards names it",
        ),
        (
            "make-data-dir --shards='nemo/audio_{0..0}.tar' nemo/tarred_audio_manifest.json e",
            "nemo/tarred_audio_manifest.json:3: expected a tar file of shard 1 among nemo/audio_{0..0}.tar, got none",
        ),
        (
            "make-data-dir --shards='nemo/a.tar' nemo/tarred_audio_manifest.json e",
            "nemo/a.tar: expected a name with a number",
        ),
        (
            "head -c 40000 nemo/audio_0.tar > nemo/x && mv nemo/x nemo/audio_0.tar && make-data-dir nemo/m.json e",
            "nemo/audio_0.tar:33280: s_u_2.wav: expected 64044 bytes, got 6720 before the end of the file",
        ),
        (
            "echo '{\"audio_filepath\": \"a\", \"shard_id\": \"x\"}' > nemo/m.json; make-data-dir nemo/m.json e",
            "nemo/m.json:1: expected the number of a tar file as the field \"shard_id\"",
        ),
    ] {
        scratch.sh(command).fails_with(255).stderr_has(message);
        scratch.sh("test ! -e e/wav.scp").succeeds();
    }
}
