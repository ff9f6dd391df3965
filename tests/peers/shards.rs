//! Shards of Python's `tarfile` and of `webdataset`, and ours.

use crate::Trials;
use crate::python::Python;
use crate::support::Scratch;
use crate::support::signal::{riff, tone};
use crate::support::wave::wave;

pub const TRIALS: &Trials = &[
    ("tarfile_writes_the_bytes_of_our_shards", tarfile_writes_the_same),
    ("tarfile_and_webdataset_read_our_shards", others_read_ours),
    ("shards_of_webdataset_are_read", ours_reads_webdataset),
    ("tars_of_every_kind_are_read", ours_reads_every_tar),
    ("json_writes_the_bytes_of_our_raw_lists", json_writes_the_same),
];

/// A data directory: recordings of one and two channels at this rate, keys that are short, long, dotted, in folders and beyond
/// ASCII, of up to 100 bytes and more.
fn data(rate: u32) -> Scratch {
    let scratch = Scratch::new();
    let keys = [
        "u1",
        "d/u2",
        "\u{4f60}\u{597d}",
        "a.b",
        &"k".repeat(96),
        &"l".repeat(97),
        &format!("{}\u{e4}", "m".repeat(99)),
        "u8",
    ];
    let (mut recordings, mut text) = (String::new(), String::new());
    for (number, key) in keys.iter().enumerate() {
        let sound = tone(rate, 300.0 + 50.0 * number as f64, 9000.0, 0.1 + 0.03 * number as f64);
        let channels: &[&[i16]] = if number == 1 { &[&sound, &sound] } else { &[&sound] };
        scratch.write(&format!("{number}.wav"), wave(rate, channels));
        recordings += &format!("{key} {number}.wav\n");
        text += &if number == 3 {
            format!("{key}\n")
        } else {
            format!("{key} word  {number} \u{4e16}\u{3000}\u{754c}\u{a0}\n")
        };
    }
    scratch.write("wav.scp", recordings).write("text", text);
    scratch
        .write("segments", "s1 u1 0.0101 0.0502\ns2 u1 0.05 0.0999\ns3 d/u2 0 0.1\n")
        .write("s.text", "s1 a\ns3 b\ns2 c\n");
    scratch
}

fn tarfile_writes_the_same(python: &Python) {
    let narrow = data(8000);
    let make = "make-shard-list --resample=8000 --num-utts-per-shard=3";
    narrow.sh(&format!("{make} wav.scp text ours ours.list")).succeeds();
    python.run(&narrow, "make_shards", "3 wav.scp text - theirs");
    narrow.sh(&format!("{make} --segments=segments wav.scp s.text cut cut.list")).succeeds();
    python.run(&narrow, "make_shards", "3 wav.scp s.text segments theirs-cut");
    narrow.sh("diff -r ours theirs && diff -r cut theirs-cut && ls ours | wc -l").succeeds().stdout_is("3\n");

    let scratch = data(16000);
    scratch.sh("make-shard-list --num-utts-per-shard=3 wav.scp text ours ours.list").succeeds();
    python.run(&scratch, "make_shards", "3 wav.scp text - theirs");
    scratch.sh("diff -r ours theirs && ls ours | wc -l").succeeds().stdout_is("3\n");
    scratch.sh("make-shard-list --segments=segments wav.scp s.text cut cut.list").succeeds();
    python.run(&scratch, "make_shards", "1000 wav.scp s.text segments theirs-cut");
    scratch.sh("diff -r cut theirs-cut").succeeds();
    // Of 24 bits, what has a fraction at 16 bits.
    let wide: Vec<u8> = (-4000..4000_i32).flat_map(|at| (at * 2097 % 8_388_608).to_le_bytes()[..3].to_vec()).collect();
    scratch
        .write("wide.wav", riff(1, 16000, 1, 24, &wide))
        .write("wide.scp", "w wide.wav\n")
        .write("wide.text", "w x\n");
    scratch.sh("make-shard-list wide.scp wide.text wide wide.list").succeeds();
    python.run(&scratch, "make_shards", "1000 wide.scp wide.text - theirs-wide");
    scratch.sh("diff -r wide theirs-wide").succeeds();
    // A difference would be seen.
    scratch.sh("make-shard-list --num-utts-per-shard=3 --seed=1 wav.scp text other other.list").succeeds();
    scratch.sh("diff -r -q other theirs").fails_with(1);
}

fn others_read_ours(python: &Python) {
    let scratch = data(16000);
    for compress in ["none", "gzip"] {
        scratch
            .sh(&format!("rm -rf ours && make-shard-list --compress={compress} wav.scp text ours data.list"))
            .succeeds();
        let listed = scratch.sh("list-shards --json data.list").succeeds();
        scratch.write("listed", listed.stdout());
        // It compares names, sizes, contents and, for webdataset, samples.
        assert_eq!(python.run(&scratch, "read_shards", "data.list listed wav.scp"), "8 samples\n", "{compress}");
    }
}

fn ours_reads_webdataset(python: &Python) {
    let scratch = data(16000);
    python.run(&scratch, "write_webdataset", "wav.scp text wds");
    for options in ["wds.tar", "wds.tar.gz"] {
        scratch.sh(&format!("check-shards --grouping=wenet {options}")).succeeds().stdout_is("");
        scratch
            .sh(&format!("extract-shards {options} x && cut -d' ' -f1 text | diff - <(cut -d' ' -f1 x/text)"))
            .succeeds();
        scratch.sh("for n in 0 1 2 4 5 6 7; do key=$(cut -d' ' -f1 wav.scp | sed -n $((n+1))p); cmp $n.wav x/wav/$key.wav; done").succeeds();
    }
    scratch.sh("shards-to-scp wds.tar in-place.scp && wav-copy scp:in-place.scp ark:- | cmp - <(wav-copy scp:wav.scp ark:-)").succeeds();
}

fn ours_reads_every_tar(python: &Python) {
    let scratch = data(16000);
    python.run(&scratch, "make_tars", "wav.scp");
    scratch.sh("list-shards pax.tar | cut -d' ' -f1,3 > expected").succeeds();
    for kind in ["ustar", "gnu"] {
        scratch
            .sh(&format!(
                "list-shards {kind}.tar | cut -d' ' -f1,3 | diff - expected && extract-shards {kind}.tar x-{kind}"
            ))
            .succeeds();
    }
    scratch
        .sh("wc -l < expected && diff x-ustar/text x-gnu/text && diff -r x-ustar/wav x-gnu/wav")
        .succeeds()
        .stdout_is("8\n");
}

fn json_writes_the_same(python: &Python) {
    let scratch = data(16000);
    scratch
        .sh("make-raw-list wav.scp text ours && make-raw-list --segments=segments wav.scp s.text ours-cut")
        .succeeds();
    python.run(&scratch, "make_raw", "wav.scp text - theirs");
    python.run(&scratch, "make_raw", "wav.scp s.text segments theirs-cut");
    scratch.sh("cmp ours theirs && cmp ours-cut theirs-cut").succeeds();
}
