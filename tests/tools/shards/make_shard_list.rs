use super::sound;
use crate::support::Scratch;
use crate::support::signal::{float_wave, riff};
use crate::support::tar::{shard, tar};
use crate::support::wave::{archive, samples, wave, with};

/// Three recordings at the rate of the shards.
fn data() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("1.wav", sound(1000)).write("2.wav", sound(2000)).write("3.wav", wave(16000, &[&[1, 2], &[3, 4]]));
    scratch.write("wav.scp", "u1 1.wav\nu2 2.wav\nu3 3.wav\n").write("text", "u2 hello  world\nu1\nu3 \u{4f60}\n");
    scratch
}

fn sample(scratch: &Scratch, name: &str) -> Vec<u8> {
    let list =
        String::from_utf8(scratch.sh("list-shards a/shards_000000000.tar").succeeds().stdout().to_vec()).unwrap();
    let line = list.lines().find(|line| line.starts_with(&format!("{name} "))).unwrap();
    let (offset, size) = line.rsplit_once("wav:").unwrap().1.split_once(':').unwrap();
    let (offset, size): (usize, usize) = (offset.parse().unwrap(), size.parse().unwrap());
    scratch.read("a/shards_000000000.tar")[offset..offset + size].to_vec()
}

#[test]
fn samples_come_in_the_order_of_the_text() {
    let scratch = data();
    let ran = scratch.sh("make-shard-list --num_utts_per_shard=2 wav.scp text a/b data.list").succeeds();
    ran.stderr_has("Wrote 3 utterances to 2 shards, skipped 0").stderr_lacks("WARNING");
    assert_eq!(scratch.read("data.list"), b"a/b/shards_000000000.tar\na/b/shards_000000001.tar\n");
    let first = shard(&[("u2", "hello  world", &sound(2000)), ("u1", "", &sound(1000))]);
    assert!(scratch.read("a/b/shards_000000000.tar") == first);
    let stereo = wave(16000, &[&[1, 2], &[3, 4]]);
    assert!(scratch.read("a/b/shards_000000001.tar") == shard(&[("u3", "\u{4f60}", &stereo)]));
    scratch.sh("ls a/b | wc -l").succeeds().stdout_is("2\n");
}

#[test]
fn threads_and_compression_change_nothing_in_the_bytes() {
    let scratch = Scratch::new();
    let mut text = String::new();
    for number in 0..40 {
        scratch.write(&format!("{number}.wav"), riff(1, 8000, 1, 16, &sound(60_000 + number)[44..]));
        text += &format!("u{number} {number}.wav\n");
    }
    scratch.write("wav.scp", &text).write("text", text.replace(".wav", ""));
    let make = "make-shard-list --num-utts-per-shard=15";
    scratch
        .sh(&format!("{make} --num-threads=1 wav.scp text a a.list && {make} --num-threads=4 wav.scp text b b.list"))
        .succeeds();
    scratch
        .sh("diff -r a b && ls a")
        .succeeds()
        .stdout_is("shards_000000000.tar\nshards_000000001.tar\nshards_000000002.tar\n");
    scratch.sh(&format!("{make} --num-threads=3 --compress=gzip --prefix=x wav.scp text c c.list")).succeeds();
    scratch
        .sh(&format!("{make} --num-threads=1 --compress=gzip --prefix=x wav.scp text d d.list && diff -r c d"))
        .succeeds();
    scratch.sh("for n in 0 1 2; do gunzip -c c/x_00000000$n.tar.gz | cmp - a/shards_00000000$n.tar; done").succeeds();
    assert!(scratch.read("c.list").starts_with(b"c/x_000000000.tar.gz\n"));
}

/// The rule of Kaldi's files and of WeNet's script: fractions are dropped.
#[test]
fn other_sound_is_converted_cut_off_and_clipped() {
    let scratch = Scratch::new();
    let floats: Vec<f32> = [0.4, 0.6, -0.6, 40000.0, -40000.0].map(|sample| sample / 32768.0).into();
    scratch.write("f.wav", float_wave(16000, &floats)).write("s.wav", wave(8000, &[&[1000; 800]]));
    scratch.write("wav.scp", "f f.wav\ns s.wav\nc cat s.wav |\n").write("text", "f\ns\nc\n");
    let ran = scratch.sh("make-shard-list wav.scp text a data.list").succeeds();
    ran.stderr_has("clipped 2 samples of 1 utterances");
    assert_eq!(samples(&sample(&scratch, "f")), [0, 0, 0, 32767, -32768]);
    let fast = samples(&sample(&scratch, "s"));
    assert_eq!(fast.len(), 1600);
    assert!(fast[100..1500].iter().all(|sample| (990..1010).contains(sample)), "{:?}", &fast[100..120]);
    assert_eq!(sample(&scratch, "c"), sample(&scratch, "s"));
    scratch.sh("make-shard-list --resample=8000 wav.scp text a data.list").succeeds();
    assert_eq!(sample(&scratch, "c"), wave(8000, &[&[1000; 800]]));
}

#[test]
fn sound_of_24_bits_is_the_same_in_shards_and_in_files() {
    let scratch = Scratch::new();
    let values = [0, 255, -255, 256, 1000, -1000, 8_388_607, -8_388_608, 4_194_303];
    let bytes: Vec<u8> = values.iter().flat_map(|value: &i32| value.to_le_bytes()[..3].to_vec()).collect();
    scratch.write("f.wav", riff(1, 16000, 1, 24, &bytes)).write("wav.scp", "f f.wav\n").write("text", "f\n");
    scratch.sh("wav-copy f.wav o.wav && make-shard-list wav.scp text a data.list").succeeds();
    assert_eq!(sample(&scratch, "f"), scratch.read("o.wav"));
    assert_eq!(samples(&sample(&scratch, "f")), [0, 0, 0, 1, 3, -3, 32767, -32768, 16383]);
}

#[test]
fn segments_are_cut_out_of_the_first_channel() {
    let scratch = Scratch::new();
    let ramp: Vec<i16> = (0..16000).collect();
    scratch.write("r.wav", wave(16000, &[&ramp, &vec![-1; 16000]])).write("r.scp", "r r.wav\n");
    scratch.write("segments", "b r 0.5 0.50019\na r 0 0.00013\nend r 0.9999 1.4\n").write("text", "a x\nb y\nend z\n");
    scratch.sh("make-shard-list --segments=segments r.scp text a data.list").succeeds();
    let mono = |samples: &[i16]| wave(16000, &[samples]);
    let expected = shard(&[
        ("a", "x", &mono(&[0, 1])),
        ("b", "y", &mono(&[8000, 8001, 8002])),
        ("end", "z", &mono(&[15998, 15999])),
    ]);
    assert!(scratch.read("a/shards_000000000.tar") == expected);
}

#[test]
fn recordings_may_be_a_table() {
    let scratch = data();
    scratch.write("all.ark", archive(&[("u1", &sound(1000)), ("u2", &sound(2000)), ("u3", &scratch.read("3.wav"))]));
    scratch.sh("make-shard-list wav.scp text a a.list").succeeds();
    for table in ["scp:wav.scp", "ark:all.ark", "'ark:cat all.ark |'"] {
        scratch
            .sh(&format!("make-shard-list {table} text b b.list && diff -r a b"))
            .succeeds()
            .stderr_lacks("no entry was read");
    }
    // The places in an archive.
    scratch
        .sh("wav-copy ark:all.ark ark,scp:x.ark,x.scp && make-shard-list x.scp text c c.list && diff -r a c")
        .succeeds();
}

#[test]
fn files_may_be_copied_as_they_are() {
    let scratch = Scratch::new();
    let slow = riff(1, 8000, 1, 8, &[1, 2, 3]);
    scratch.write("a.WAV", &slow).write("b.opus", "OggS").write("text", "a\nb\nc\n");
    scratch.write("wav.scp", "a a.WAV\nb b.opus\nc cat a.WAV |\n");
    scratch.sh("make-shard-list --audio=copy wav.scp text a data.list").succeeds();
    let members: [(&str, &[u8]); 6] =
        [("a.txt", b""), ("a.wav", &slow), ("b.txt", b""), ("b.opus", b"OggS"), ("c.txt", b""), ("c.wav", &slow)];
    assert!(scratch.read("a/shards_000000000.tar") == tar(&members));
    scratch.write("segments", "a a 0 1\n");
    let ran = scratch.sh("make-shard-list --audio=copy --segments=segments wav.scp text b b.list").fails_with(255);
    ran.stderr_has("expected --audio=wav with --segments");
}

#[test]
fn what_cannot_be_a_sample_is_skipped_and_counted() {
    let scratch = data();
    scratch.write("cut.wav", &sound(1000)[..1000]).write("no.wav", "hello");
    scratch.write(
        "wav.scp",
        "u1 1.wav\ncut cut.wav\nno no.wav\nabsent absent.wav\nfails cat 1.wav; false |\nextra 1.wav\n",
    );
    scratch.write("text", "cut a\nno b\nabsent c\nfails d\nu1 e\nu1 f\nnowhere g\n");
    let ran = scratch.sh("make-shard-list wav.scp text a data.list").succeeds();
    let ran = ran
        .stderr_has("cut: expected 1000 samples, got 478; skipping it")
        .stderr_has("no: expected RIFF or RIFX, got hell");
    let ran = ran
        .stderr_has("absent: cannot open absent.wav")
        .stderr_has("fails: Pipe cat 1.wav; false | had nonzero return");
    let ran = ran.stderr_has("extra: there is no text of this key").stderr_has("u1: the text has this key already");
    ran.stderr_has("nowhere: there is no sound of the key nowhere")
        .stderr_has("Wrote 1 utterances to 1 shards, skipped 7");
    assert!(scratch.read("a/shards_000000000.tar") == shard(&[("u1", "e", &sound(1000))]));

    scratch.write("segments", "u1 u1 0 0.01\nlate u1 5 6\nlong u1 0 2\nback u1 0.05 0.01\nlost r9 0 1\n");
    scratch.write("text", "u1 a\nlate b\nlong c\nback d\nlost e\nnone f\n");
    let ran = scratch.sh("make-shard-list --segments=segments wav.scp text b data.list").succeeds();
    let ran =
        ran.stderr_has("late: expected a segment within 0.0625 seconds of the recording, got 5 to 6; skipping it");
    let ran =
        ran.stderr_has("lost: there is no sound of the key r9").stderr_has("none: there is no segment of this key");
    ran.stderr_has("Wrote 1 utterances to 1 shards, skipped 5");
    assert!(
        scratch.read("b/shards_000000000.tar") == shard(&[("u1", "a", &wave(16000, &[&samples(&sound(1000))[..160]]))])
    );
}

#[test]
fn strict_makes_each_of_them_an_error() {
    let scratch = data();
    for (recordings, text, message) in [
        ("u1 1.wav\n", "u1\nu2\n", "u2: there is no sound of the key u2"),
        ("u1 1.wav\nu2 2.wav\n", "u1\n", "u2: there is no text of this key"),
        ("u1 text\n", "u1\n", "u1: expected RIFF or RIFX"),
        ("u1 1.wav\n", "u1\nu1\n", "u1: the text has this key already"),
    ] {
        scratch.write("wav.scp", recordings).write("text", text);
        scratch.sh("make-shard-list --strict=true wav.scp text a data.list").fails_with(255).stderr_has(message);
        scratch.sh("find a data.list -type f 2> /dev/null | grep .").fails_with(1);
    }
}

#[test]
fn nothing_is_listed_before_all_is_there() {
    let scratch = data();
    scratch.write("data.list", "old\n").write("2.wav", "x");
    scratch.write("text", "u1\nu2\n");
    scratch.sh("make-shard-list --strict --num-utts-per-shard=1 wav.scp text a data.list").fails_with(255);
    assert_eq!(scratch.read("data.list"), b"old\n");
    scratch.write("text", "u2\n");
    scratch.sh("make-shard-list wav.scp text b data.list").fails_with(1).stderr_has("data.list stays as it was");
    assert_eq!(scratch.read("data.list"), b"old\n");
    scratch.sh("make-shard-list wav.scp text b new.list").fails_with(1);
    assert_eq!(scratch.read("new.list"), b"");
}

#[test]
fn a_seed_gives_an_order() {
    let scratch = Scratch::new();
    scratch.write("a.wav", sound(10));
    let lines = |what: &str| (0..30).map(|number| format!("u{number} {what}\n")).collect::<String>();
    scratch.write("wav.scp", lines("a.wav")).write("text", lines("x"));
    let keys = |seed: &str| {
        let ran = scratch.sh(&format!("make-shard-list {seed} wav.scp text a l && list-shards l | cut -d' ' -f1"));
        String::from_utf8(ran.succeeds().stdout().to_vec()).unwrap()
    };
    let [plain, one, again, two] = ["", "--seed=1", "--seed=1", "--seed=2"].map(keys);
    assert!(one == again && one != two && one != plain);
    let sorted = |keys: &str| {
        let mut keys: Vec<_> = keys.lines().map(str::to_owned).collect();
        keys.sort();
        keys
    };
    assert_eq!(sorted(&one), sorted(&plain));
}

#[test]
fn an_index_may_stand_beside_a_shard() {
    let scratch = data();
    scratch.sh("make-shard-list --index=dali --num-utts-per-shard=2 wav.scp text a data.list").succeeds();
    let index = "v1.2 2\ntxt 512 12 u2.txt wav 1536 4044 u2.wav\ntxt 6144 0 u1.txt wav 6656 2044 u1.wav\n";
    assert_eq!(String::from_utf8_lossy(&scratch.read("a/shards_000000000.idx")), index);
    scratch.sh("make-shard-list --index=x wav.scp text a data.list").fails_with(255);
}

#[test]
fn odd_numbers_are_refused() {
    let scratch = data();
    for (option, message) in [
        ("--num-utts-per-shard=0", "expected --num-utts-per-shard to be 1 or more, got 0"),
        ("--resample=0", "expected --resample to be 1 or more, got 0"),
        ("--audio=mp3", "audio"),
        ("--compress=zstd", "compress"),
    ] {
        scratch.sh(&format!("make-shard-list {option} wav.scp text a data.list")).fails_with(255).stderr_has(message);
    }
    let damaged = with(&sound(1000), 24, &[0, 0, 0, 0]);
    scratch.write("1.wav", damaged);
    scratch.sh("make-shard-list wav.scp text a data.list").succeeds().stderr_has("u1: ");
}
