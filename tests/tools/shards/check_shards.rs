use super::{shards, sound};
use crate::support::Scratch;
use crate::support::tar::{member, shard, tar};
use crate::support::wave::with;

#[test]
fn good_shards_have_no_faults() {
    let scratch = shards();
    scratch
        .sh("check-shards data.list")
        .succeeds()
        .stdout_is("")
        .stderr_has("Checked 3 samples of 2 shards, found 0 faults");
    scratch.sh("check-shards --quick=true data.list").succeeds().stdout_is("");
    scratch.sh("gzip a.tar && check-shards a.tar.gz b.tar").succeeds().stdout_is("");
    scratch.write("empty.tar", tar(&[])).sh("check-shards empty.tar").succeeds().stdout_is("");
}

/// The fault of a shard whose only one it is, without the shard's name, by a full check, a quick one and one of a gzip stream.
#[track_caller]
fn has(bytes: &[u8], options: &str, fault: &str) {
    let scratch = Scratch::new();
    scratch.write("x.tar", bytes);
    let line = format!("x.tar:{fault}\n");
    scratch.sh(&format!("check-shards {options} x.tar")).fails_with(1).stdout_is(&line);
    scratch
        .sh(&format!("gzip x.tar && mv x.tar.gz x.tar && check-shards {options} x.tar"))
        .fails_with(1)
        .stdout_is(&line);
}

#[test]
fn every_fault_is_told_with_its_place() {
    let wav = sound(100);
    let good = shard(&[("a", "x", &wav), ("b", "y", &wav)]);
    has(&good[..3072], "", "3072: expected a header or the end mark, got the end of the file [truncated]");
    has(
        &good[..4096 - 512],
        "--fields=wav,txt",
        "3584: b.wav: expected 244 bytes, got 0 before the end of the file [truncated]",
    );
    has(&with(&good, 1024, b"A"), "", "1172: expected a tar header whose checksum is 3495, got 3527 [damaged]");
    has(
        &with(&good, 7000, b"A"),
        "",
        "7000: expected zeros after the end mark, got data, which no program reads [trailing-data]",
    );
    let folder = [member("d/", b'5', b""), good.clone()].concat();
    has(
        &folder,
        "",
        "0: d/: expected a regular file, got a folder, a link or the like: WeNet then drops the whole shard [not-a-file]",
    );
    let bare = [member("README", b'0', b""), good.clone()].concat();
    has(&bare, "", "0: README: expected a name with a suffix, such as .wav or .txt, got none [no-suffix]");
    let interleaved: [(&str, &[u8]); 4] = [("a.txt", b"x"), ("b.txt", b"x"), ("a.wav", &wav), ("b.wav", &wav)];
    let line = "2048: a.wav: belongs to a sample that others have followed already [interleaved]\n\
                x.tar:3072: b.wav: belongs to a sample that others have followed already [interleaved]";
    has(&tar(&interleaved), "--fields=txt", line);
    let twice = shard(&[("a", "x", &wav), ("b", "y", &wav), ("a", "x", &wav)]);
    let line = "4096: a.txt: has the key of a sample that came before [duplicate-key]\n\
                x.tar:5120: a.wav: expected each member of a sample once, got a second one [duplicate-field]";
    has(&twice, "", line);
    has(&tar(&[("a.txt", b"x")]), "", "0: a: expected a member sound (.wav, .flac ...), got none [missing-field]");
    has(&tar(&[("a.wav", &wav)]), "", "0: a: expected a member .txt, got none [missing-field]");
    has(
        &tar(&[("a.wav", &wav), ("a.spk", b"s")]),
        "--fields=wav,spk,lang",
        "0: a: expected a member .lang, got none [missing-field]",
    );
    let dotted = shard(&[("a.b", "x", &wav)]);
    let line = "0: a.b.txt: has a dot in its key: webdataset takes it for a member of sample a [dotted-key]";
    has(&dotted, "", line);
    has(&dotted, "--quick=true", line);
    has(&shard(&[("a", "", &wav)]), "--quick=true", "512: a.txt: expected text, got nothing [empty-text]");
    has(&shard(&[("a", " \n", &wav)]), "", "512: a.txt: expected text, got white space only [empty-text]");
    let latin = tar(&[("a.txt", b"\xe4"), ("a.wav", &wav)]);
    has(&latin, "", "512: a.txt: expected text in UTF-8, got something else at byte 0 [bad-text]");
    has(
        &shard(&[("a", "x", b"ID3")]),
        "",
        "1536: a.wav: expected 10 bytes of the MP3 file, found its end: this MP3 file ends after 3 bytes [bad-sound]",
    );
    has(&shard(&[("a", "x", b"")]), "", "1536: a.wav: expected sound, got nothing [bad-sound]");
    let cut = "1536: a.wav: expected samples up to byte 244 of the sound, got 243 bytes [bad-sound]";
    has(&shard(&[("a", "x", &wav[..243])]), "--quick=true", cut);
}

#[test]
fn groupings_may_be_checked_one_by_one() {
    let scratch = Scratch::new();
    scratch.write("x.tar", shard(&[("a.b", "x", &sound(100))]));
    scratch.sh("check-shards --grouping=wenet x.tar").succeeds().stdout_is("");
    // Under the other rule these are the fields b.txt and b.wav of a.
    let ran = scratch.sh("check-shards --grouping=webdataset x.tar").fails_with(1);
    ran.stdout_is("x.tar:0: a: expected a member .txt, got none [missing-field]\n");
}

#[test]
fn keys_of_all_shards_differ() {
    let scratch = shards();
    scratch.write("c.tar", shard(&[("u9", "x", &sound(100)), ("u2", "x", &sound(100))]));
    let line = "c.tar:2048: u2: has the key of a sample in a.tar [duplicate-key]\n";
    scratch.sh("check-shards data.list c.tar").fails_with(1).stdout_is(line);
}

#[test]
fn what_cannot_be_opened_is_a_fault_and_the_rest_is_checked() {
    let scratch = shards();
    scratch.write("data.list", "absent.tar\na.tar\nnone.tar\n").write("none.tar", "");
    let lines = "cannot open absent.tar: No such file or directory [unreadable]\n\
                 none.tar:0: expected a header or the end mark, got the end of the file [truncated]\n";
    scratch.sh("check-shards data.list").fails_with(1).stdout_is(lines).stderr_has("Checked 2 samples of 3 shards");
    scratch.sh("check-shards absent.list").fails_with(255).stderr_has("cannot open absent.list");
}

#[test]
fn faults_may_be_objects_in_json() {
    let scratch = Scratch::new();
    scratch.write("x.tar", shard(&[("a", "x", b"ID3")])).write("y.tar", &shard(&[("b", "x", b"")])[..100]);
    let lines = "{\"shard\": \"x.tar\", \"key\": \"a\", \"member\": \"a.wav\", \"offset\": 1536, \"fault\": \"bad-sound\", \
                 \"message\": \"expected 10 bytes of the MP3 file, found its end: this MP3 file ends after 3 bytes\"}\n\
                 {\"shard\": \"y.tar\", \"key\": null, \"member\": null, \"offset\": 0, \"fault\": \"truncated\", \
                 \"message\": \"expected a header or the end mark, got the end of the file\"}\n";
    scratch.sh("check-shards --json x.tar y.tar").fails_with(1).stdout_is(lines);
}
