use super::shards;
use crate::support::{Scratch, tool};

#[test]
fn a_shard_is_needed() {
    tool("list-shards").assert().code(1).stdout("");
    Scratch::new().sh("list-shards absent.tar").fails_with(255).stderr_has("cannot open absent.tar");
}

#[test]
fn samples_are_listed_with_their_places() {
    let lines = "u1 a.tar 1 txt:512:5 wav:1536:32044\n\
                 u2 a.tar 2 txt:34304:11 wav:35328:64044\n\
                 d/u3 b.tar 0.5 txt:512:6 wav:1536:16044\n";
    let scratch = shards();
    scratch.sh("list-shards data.list").succeeds().stdout_is(lines);
    scratch.sh("list-shards a.tar b.tar").succeeds().stdout_is(lines);
    scratch.sh("echo file://$PWD/b.tar | list-shards - | cut -d' ' -f1").succeeds().stdout_is("d/u3\n");
    // The same of what is compressed and of pipes.
    let scratch = shards();
    scratch.sh("gzip a.tar && mv a.tar.gz a.tar && list-shards data.list").succeeds().stdout_is(lines);
    scratch.sh("cat a.tar | list-shards - | sed s/-/a.tar/ && list-shards b.tar").succeeds().stdout_is(lines);
    scratch.sh("list-shards 'gunzip -c a.tar |' | grep -c txt:34304:11").succeeds().stdout_is("1\n");
}

#[test]
fn an_object_in_json_is_written_for_each_sample() {
    let line = "{\"key\": \"d/u3\", \"fields\": {\"txt\": {\"offset\": 512, \"size\": 6}, \"wav\": {\"offset\": 1536, \
                \"size\": 16044}}, \"duration\": 0.5, \"shard\": \"b.tar\"}\n";
    shards().sh("list-shards --json b.tar").succeeds().stdout_is(line);
}

#[test]
fn a_summary_counts() {
    let scratch = shards();
    let text = "shards 2\nsamples 3\nseconds 3.500\nfield txt 3 members 22 bytes\nfield wav 3 members 112132 bytes\n";
    scratch.sh("list-shards --summary=true data.list").succeeds().stdout_is(text);
    let json = "{\"fields\":{\"txt\":{\"bytes\":6,\"members\":1},\"wav\":{\"bytes\":16044,\"members\":1}},\"samples\":1,\
                \"seconds\":0.5,\"shards\":1}\n";
    scratch.sh("list-shards --summary --json b.tar").succeeds().stdout_is(json);
    scratch.write("none", "");
    scratch.sh("list-shards none").succeeds().stdout_is("");
}

#[test]
fn keys_may_end_at_the_first_dot() {
    let scratch = Scratch::new();
    scratch.write("a.tar", crate::support::tar::tar(&[("u.1.TXT", b"x"), ("u.2.txt", b"y"), ("__meta__", b"z")]));
    let lines = "u a.tar - 1.txt:512:1 2.txt:1536:1\n";
    scratch.sh("list-shards --grouping=webdataset a.tar").succeeds().stdout_is(lines);
    let ran = scratch.sh("list-shards a.tar").fails_with(255);
    ran.stdout_is("u.1 a.tar - TXT:512:1\n").stderr_has("a.tar:2048: __meta__: expected a name with a suffix");
}

#[test]
fn what_is_before_the_damage_is_listed() {
    let scratch = shards();
    let ran = scratch.sh("head -c 50000 a.tar > cut.tar; list-shards cut.tar").fails_with(255);
    ran.stdout_is("u1 cut.tar 1 txt:512:5 wav:1536:32044\n")
        .stderr_has("cut.tar:35328: u2.wav: expected 64044 bytes, got 14672 before the end of the file");
    let ran = scratch.sh("head -c 17920 b.tar > e.tar; list-shards e.tar");
    ran.fails_with(255).stderr_has("e.tar:17920: expected a header or the end mark, got the end of the file");
}

/// Of plain shards in files headers are read, a few bytes of two in a hundred.
#[test]
fn contents_of_plain_shards_are_not_read() {
    let scratch = Scratch::new();
    let sound = super::sound(500_000);
    let samples: Vec<String> = (0..20).map(|number| format!("u{number}")).collect();
    let samples: Vec<_> = samples.iter().map(|key| (key.as_str(), "text", sound.as_slice())).collect();
    scratch.write("a.tar", crate::support::tar::shard(&samples));
    for command in ["list-shards a.tar", "check-shards --quick=true a.tar", "shards-to-scp a.tar -"] {
        // What ended processes have read counts as read by the shell that waited for them.
        let ran = scratch.sh(&format!("{command} > /dev/null && sed -n 's/rchar: //p' /proc/$$/io")).succeeds();
        let read: u64 = String::from_utf8_lossy(ran.stdout()).trim().parse().unwrap();
        assert!(read > 20_000 && read < 20_000_000 / 50, "{command} has read {read} bytes");
    }
}

#[test]
fn zeros_without_an_end_are_an_error() {
    let ran = Scratch::new().sh("list-shards /dev/zero").fails_with(255);
    ran.stderr_has(
        "/dev/zero:1024: expected the end of the shard after its end mark, got 67108864 bytes of zeros and more",
    );
}
