//! Shards as tables to read: `shard:`.

use super::shards;
use crate::support::Scratch;
use crate::support::tar::{shard, tar};

/// Shards in a scratch folder, and the same as a script file and a text.
fn with_tables() -> Scratch {
    let scratch = shards();
    scratch.sh("shards-to-scp --write-text=text data.list wav.scp").succeeds();
    scratch
}

#[test]
fn sound_is_that_of_a_script_file() {
    let scratch = with_tables();
    scratch.sh("mkdir g && gzip -c a.tar > g/a.tar && printf 'g/a.tar\\ncat b.tar |\\n' > packed.list").succeeds();
    scratch.sh("printf \"file://$PWD/a.tar\\n\\nb.tar\\n\" > uri.list && gzip -c data.list > data.list.gz").succeeds();
    for tool in ["compute-fbank-feats", "compute-mfcc-feats --dither=0", "wav-copy", "wav-to-duration"] {
        let expected = scratch.sh(&format!("{tool} scp:wav.scp ark:-")).succeeds();
        for source in [
            "shard:data.list",
            "shard:packed.list",
            "shard:uri.list",
            "shard:data.list.gz",
            "bg,shard:data.list",
            "o,s,cs,p,t,shard:data.list",
            "'shard:cat data.list |'",
            "shard:- < data.list",
        ] {
            let (source, stdin) = source.split_once(" <").unwrap_or((source, " /dev/null"));
            scratch.sh(&format!("{tool} {source} ark:- <{stdin}")).succeeds().stdout_is(expected.stdout());
        }
    }
    let one = scratch.sh("grep ^d wav.scp | wav-copy scp:- ark:-").succeeds();
    scratch.sh("wav-copy shard:b.tar ark:-").succeeds().stdout_is(one.stdout());
    scratch.sh("cat b.tar | wav-copy shard:- ark:-").succeeds().stdout_is(one.stdout());
    let stats = "compute-fbank-feats --dither=0 SOURCE ark:- | compute-cmvn-stats ark:- -";
    let expected = scratch.sh(&stats.replace("SOURCE", "scp:wav.scp")).succeeds();
    scratch.sh(&stats.replace("SOURCE", "shard:data.list")).succeeds().stdout_is(expected.stdout());
}

#[test]
fn threads_change_nothing() {
    let scratch = Scratch::new();
    let wave = crate::support::wave::wave(16000, &[&crate::support::wave::swelling(60000, 9000.0)]);
    let keys: Vec<String> = (0..60).map(|number| format!("u{number:02}")).collect();
    let samples: Vec<_> = keys.iter().map(|key| (key.as_str(), "x", wave.as_slice())).collect();
    scratch.write("a.tar", shard(&samples[..25])).write("b.tar", shard(&samples[25..]));
    scratch.sh("gzip b.tar; printf 'a.tar\\nb.tar.gz\\n' > data.list").succeeds();
    let one = scratch.sh("compute-fbank-feats --num-threads=1 shard:data.list ark:-").succeeds();
    scratch.sh("compute-fbank-feats --num-threads=4 shard:data.list ark:-").succeeds().stdout_is(one.stdout());
    scratch.sh("compute-fbank-feats --num-threads=4 bg,shard:data.list ark:-").succeeds().stdout_is(one.stdout());
}

#[test]
fn text_is_one_line_whatever_is_in_it() {
    let scratch = Scratch::new();
    let members: [(&str, &[u8]); 5] = [
        ("a.txt", b"two  words\n"),
        ("a.wav", b"no sound"),
        ("b.txt", b""),
        ("c.json", b"{}"),
        ("c.txt", " \u{4f60}\n\u{597d}\t! ".as_bytes()),
    ];
    scratch.write("x.tar", tar(&members));
    scratch.write("ref", "a two words \nb \nc \u{4f60} \u{597d} ! \n");
    scratch
        .sh("compute-wer --mode=all shard:x.tar ark:ref | head -n 1")
        .succeeds()
        .stdout_is("%WER 0.00 [ 0 / 5, 0 ins, 0 del, 0 sub ]\n");
    scratch.write("units", "two 1\nwords 2\n\u{4f60} 3\n\u{597d} 4\n! 5\n");
    scratch
        .sh("tokenize-text --mode=word --symbols=units shard:x.tar ark,t:-")
        .succeeds()
        .stdout_is("a 1 2 \nb \nc 3 4 5 \n");
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let scratch = with_tables();
    scratch.write("x.tar", tar(&[("u.txt", b"x"), ("v.wav", b"RIFFx"), ("v.txt", b"y"), ("a b.wav", b"x")]));
    let missing = "u: x.tar:0: expected a member of sound (.wav, .flac), got none";
    scratch.sh("wav-copy shard:x.tar ark:-").fails_with(255).stderr_has(missing);
    scratch.write("y.tar", tar(&[("v.wav", b"RIFFx"), ("w.json", b"y")]));
    scratch.sh("wav-copy shard:y.tar ark:-").fails_with(255).stderr_has("v: y.tar:51");
    scratch
        .sh("tail -n +1 text | tokenize-text --symbols=/dev/null shard:y.tar ark:-")
        .fails_with(255)
        .stderr_has("v: y.tar:0: expected a member .txt, got none");
    scratch.write("k.tar", tar(&[("a\u{1}b.wav", b"x")]));
    scratch.sh("wav-copy shard:k.tar ark:-").fails_with(255).stderr_has("b\" cannot be a key");
    // A cut shard, and the samples before its end.
    scratch.sh("head -c 40000 a.tar > cut.tar; printf 'b.tar\\ncut.tar\\nabsent.tar\\nx.tar\\n' > bad.list").succeeds();
    let cut = "cut.tar:35328: u2.wav: expected 64044 bytes, got 4672 before the end of the file";
    scratch.sh("wav-to-duration shard:bad.list ark,t:-").fails_with(255).stderr_has(cut);
    let text = scratch.sh("wav-to-duration p,shard:bad.list ark,t:-").succeeds().stdout_is("d/u3 0.5 \nu1 1 \n");
    text.stderr_has(&format!("{cut}; the rest of this shard is left out, as permissive mode (p) asks"))
        .stderr_has("cannot open absent.tar: No such file or directory; the rest of this shard is left out")
        .stderr_has(&format!("{missing}; left out, as permissive mode (p) asks"));
    scratch.sh("wav-copy shard:absent.list ark:-").fails_with(255).stderr_has("cannot open absent.list");
    scratch.sh("(cat b.tar; exit 3) > /dev/null; wav-copy 'shard:cat b.tar; exit 3 |' ark:-").fails_with(255);
    scratch.sh("wav-copy 'p,shard:cat b.tar; exit 3 |' ark:/dev/null").succeeds();
}

#[test]
fn what_shards_cannot_be_is_refused() {
    let scratch = with_tables();
    for (command, expected) in [
        ("copy-feats shard:data.list ark:-", "shards have sound and text, and no value of type matrix"),
        (
            "wav-copy scp:wav.scp shard:out",
            "shards are tables to read only; make-shard-list and copy-shards write them",
        ),
        (
            "compute-wer ark:text shard:data.list",
            "shards are only read in order, and here keys are looked up; shards-to-scp writes a script file (scp:)",
        ),
        (
            "table-shuffle shard:data.list ark:-",
            "this needs an archive or a list, not shards; copy-shards copies shards",
        ),
        ("table-info --type=matrix shard:data.list", "shards have sound and text, and no value of type matrix"),
        ("wav-copy shard,ark:data.list ark:-", "there is more than one of ark, scp, shard and shar"),
    ] {
        scratch.sh(command).fails_with(255).stderr_has(expected);
    }
}
