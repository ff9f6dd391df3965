use super::{shards, sound};
use crate::support::Scratch;
use crate::support::tar::{shard, tar};

/// 30 samples in three shards; sample n has n tenths of a second.
fn thirty() -> Scratch {
    let scratch = Scratch::new();
    for number in 0..3 {
        let keys: Vec<String> = (0..10).map(|at| format!("u{:02}", number * 10 + at)).collect();
        let sounds: Vec<_> = (0..10).map(|at| sound(1600 * (number * 10 + at))).collect();
        let samples: Vec<_> =
            keys.iter().zip(&sounds).map(|(key, sound)| (key.as_str(), "x", sound.as_slice())).collect();
        scratch.write(&format!("{number}.tar"), shard(&samples));
    }
    scratch.write("data.list", "0.tar\n1.tar\n2.tar\n");
    scratch
}

/// The keys of a new list, numbers only, a blank between them and a bar between shards.
fn keys(scratch: &Scratch, command: &str) -> String {
    let script = "while read shard; do list-shards $shard | cut -d' ' -f1 | tr -d u | xargs echo; done < x.list";
    let ran = scratch.sh(&format!("{command} && {script}")).succeeds();
    String::from_utf8_lossy(ran.stdout()).trim().replace('\n', "|")
}

#[test]
fn shards_are_merged_and_split() {
    let scratch = shards();
    scratch.sh("copy-shards data.list x x.list").succeeds().stderr_has("Copied 3 samples of 3 to 1 shards");
    assert_eq!(scratch.read("x.list"), b"x/shards_000000000.tar\n");
    let all =
        [("u1", "hello", sound(16000)), ("u2", "hello world", sound(32000)), ("d/u3", "\u{4f60}\u{597d}", sound(8000))];
    let all = all.each_ref().map(|(key, text, sound)| (*key, *text, sound.as_slice()));
    assert!(scratch.read("x/shards_000000000.tar") == shard(&all));
    scratch.sh("copy-shards --num-utts-per-shard=2 --prefix=y x.list y y.list").succeeds();
    scratch.sh("cmp y/y_000000000.tar a.tar && cmp y/y_000000001.tar b.tar").succeeds();
}

#[test]
fn a_number_of_bytes_bounds_the_whole_file() {
    let scratch = thirty();
    let got = keys(&scratch, "copy-shards --max-bytes=102400 data.list x x.list");
    assert!(got.starts_with("00 01 02 03 04 05 06|07 08 09|10 11|"), "{got}");
    scratch.sh("find x -name '*.tar' -size +102400c; find x -name '*.tar' | wc -l").succeeds().stdout_is("19\n");
    let both = keys(&scratch, "rm -r x; copy-shards --max-bytes=102400 --num-utts-per-shard=4 data.list x x.list");
    assert!(both.starts_with("00 01 02 03|04 05 06 07|08 09 10|11 12|"), "{both}");
    let ran = scratch.sh("copy-shards --max-bytes=81920 data.list z z.list").fails_with(255);
    ran.stderr_has("sample u25 needs a shard of 92160 bytes, and at most 81920 are allowed");
    assert!(!scratch.list().contains(&"z.list".to_owned()));
}

#[test]
fn samples_are_selected_by_key_and_by_duration() {
    let scratch = thirty();
    scratch.write("keys", "u07 and more\nu29\nu03\n").write("one", "u07\n");
    assert_eq!(keys(&scratch, "copy-shards --keys=keys data.list x x.list"), "03 07 29");
    assert_eq!(keys(&scratch, "copy-shards --keys=keys --exclude=one data.list x x.list"), "03 29");
    assert_eq!(keys(&scratch, "copy-shards --min-duration=0.45 --max-duration=0.7 data.list x x.list"), "05 06 07");
    scratch.write("keys", "u07\nu77\n");
    let ran = scratch.sh("copy-shards --keys=keys data.list x x.list").succeeds();
    ran.stderr_has("u77: no shard has this key").stderr_has("Copied 1 samples of 30");
    scratch.write("keys", "");
    scratch.sh("copy-shards --keys=keys data.list x empty.list").fails_with(1);
    assert_eq!(scratch.read("empty.list"), b"");
}

#[test]
fn a_seed_gives_an_order_of_all_samples() {
    let scratch = thirty();
    let one = keys(&scratch, "copy-shards --seed=1 --num-utts-per-shard=10 data.list x x.list");
    assert_eq!(one, keys(&scratch, "copy-shards --seed=1 --num-utts-per-shard=10 data.list x x.list"));
    assert_ne!(one, keys(&scratch, "copy-shards --seed=2 --num-utts-per-shard=10 data.list x x.list"));
    let mut sorted: Vec<&str> = one.split([' ', '|']).collect();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..30).map(|number| format!("{number:02}")).collect::<Vec<_>>());
    // No shard keeps its samples to itself.
    for shard in one.split('|') {
        assert!(["0", "1", "2"].iter().all(|tens| shard.split(' ').any(|key| key.starts_with(tens))), "{one}");
    }
    // Sound belongs to its key.
    scratch
        .sh("rm -r x && copy-shards --seed=1 data.list x x.list && check-shards --quick=true --fields=wav,txt x.list")
        .succeeds();
    let ran = scratch.sh("list-shards x.list | sort | cut -d' ' -f1,3 | tail -n 2");
    ran.succeeds().stdout_is("u28 2.8\nu29 2.9\n");
}

#[test]
fn compression_makes_no_difference() {
    let scratch = thirty();
    let copy = "copy-shards --seed=5 --num-utts-per-shard=12";
    scratch.sh(&format!("{copy} data.list x x.list")).succeeds();
    scratch.sh("gzip -k 1.tar && mv 1.tar.gz 1z && cat 0.tar 2.tar > /dev/null").succeeds();
    scratch
        .sh(&format!("cat 0.tar | {copy} - 1z 2.tar y y.list && diff -r x y && ls -A y | wc -l"))
        .succeeds()
        .stdout_is("3\n");
    for threads in [1, 4] {
        scratch.sh(&format!("{copy} --num-threads={threads} --compress=gzip data.list z{threads} z.list")).succeeds();
        let unzip =
            "for n in 0 1 2; do gunzip -c z4/shards_00000000$n.tar.gz | cmp - x/shards_00000000$n.tar || exit 9; done";
        if threads == 4 {
            scratch.sh(&format!("diff -r z1 z4 && {unzip}")).succeeds();
        }
    }
}

#[test]
fn other_members_are_copied_as_well() {
    let scratch = Scratch::new();
    let members: [(&str, &[u8]); 3] = [("a.json", b"{}"), ("a.wav", b"no sound"), ("b.c.txt", b"x")];
    scratch.write("a.tar", tar(&members));
    scratch.sh("copy-shards a.tar x x.list && cmp a.tar x/shards_000000000.tar").succeeds();
    // Durations that are not known are in no range.
    scratch.sh("copy-shards --min-duration=0 a.tar x x.list").fails_with(1).stderr_has("Copied 0 samples of 2");
}

#[test]
fn keys_that_are_there_twice_are_an_error() {
    let scratch = shards();
    let message = "b.tar: expected each key once, got d/u3, which is in b.tar, too";
    scratch.sh("copy-shards data.list b.tar x x.list").fails_with(255).stderr_has(message);
    assert!(!scratch.list().iter().any(|name| name == "x" || name == "x.list"));
}

#[test]
fn a_shard_is_not_written_where_one_is_read() {
    let scratch = shards();
    scratch.sh("mkdir x && mv a.tar x/shards_000000000.tar && ls x").succeeds();
    let before = scratch.read("x/shards_000000000.tar");
    let ran = scratch.sh("copy-shards x/shards_000000000.tar ./x x.list").fails_with(255);
    ran.stderr_has("x/shards_000000000.tar: expected new shards elsewhere, or with another --prefix");
    assert!(scratch.read("x/shards_000000000.tar") == before);
    scratch.sh("copy-shards --prefix=new x/shards_000000000.tar ./x x.list && cmp x/*").succeeds();
}

#[test]
fn damage_is_an_error() {
    let scratch = shards();
    scratch
        .sh("head -c 50000 a.tar > cut.tar; copy-shards b.tar cut.tar x x.list")
        .fails_with(255)
        .stderr_has("cut.tar:35328");
    assert!(!scratch.list().contains(&"x".to_owned()));
    scratch.sh("copy-shards --num-utts-per-shard=0 a.tar x x.list").fails_with(255);
}

#[test]
fn whole_samples_before_damage_are_copied_on_request() {
    let scratch = shards();
    // a.tar ends within the sound of u2.
    scratch.sh("head -c 40000 a.tar > s && mv s a.tar").succeeds();
    scratch.sh("copy-shards data.list out out.list").fails_with(255).stderr_has("a.tar:");
    assert!(!scratch.list().contains(&"out.list".to_owned()));
    let ran = scratch.sh("copy-shards --salvage data.list out out.list").fails_with(1);
    ran.stderr_has("; what follows in this shard is left out").stderr_has("Copied 2 samples of 2 to 1 shards.");
    let listed = scratch.sh("check-shards out.list && list-shards out.list").succeeds();
    let text = String::from_utf8(listed.stdout().to_vec()).unwrap();
    assert!(text.starts_with("u1 out/") && text.contains("\nd/u3 out/") && text.lines().count() == 2, "{text}");
    // The list of another run does not stay beside new shards, though the exit code is 1.
    scratch.write("out.list", "old/shards_000000000.tar\n");
    scratch.sh("copy-shards --salvage data.list out out.list").fails_with(1).stderr_lacks("stays as it was");
    assert_eq!(scratch.sh("cat out.list").succeeds().stdout(), b"out/shards_000000000.tar\n");
    scratch.sh("copy-shards --salvage b.tar out2 out2.list").succeeds();
    scratch.sh("copy-shards --salvage none.tar out3 out3.list").fails_with(255);
}

#[test]
fn shards_of_another_run_are_replaced_or_refused() {
    let scratch = thirty();
    let copy =
        |options: &str| scratch.sh(&format!("copy-shards --num-utts-per-shard={options} data.list out out.list"));
    copy("10").succeeds();
    copy("10").succeeds();
    copy("5").succeeds();
    assert_eq!(scratch.sh("ls out | wc -l").succeeds().stdout(), b"6\n");
    let before = scratch.read("out.list");
    let ran = copy("10").fails_with(255);
    ran.stderr_has(
        "out: expected no shards of another run than those that are replaced, got shards_000000003.tar: remove them",
    );
    copy("5 --compress=gzip").fails_with(255).stderr_has("got shards_000000000.tar");
    assert!(before == scratch.read("out.list"));
    scratch.sh("rm out/*").succeeds();
    // Fewer samples than there may be: what the run was to replace does not stay.
    copy("5 --max-bytes=110000").succeeds();
    let many = scratch.sh("ls out | wc -l").succeeds().stdout().to_vec();
    copy("30 --max-bytes=100000000 --index=dali").succeeds();
    assert_eq!(scratch.sh("ls out").succeeds().stdout(), b"shards_000000000.idx\nshards_000000000.tar\n", "{many:?}");
    copy("30").succeeds();
    assert_eq!(scratch.sh("ls out").succeeds().stdout(), b"shards_000000000.tar\n");
}
