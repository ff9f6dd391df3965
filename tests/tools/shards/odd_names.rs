//! Keys and names that would make lines, columns or commands of a terminal.

use crate::support::Scratch;
use crate::support::tar::{shard, tar};

use super::{shards, sound};

const ESCAPE: &str = "a\u{1b}[31mb";
const LINES: &str = "c\nERROR (x) d";
const LATIN: &str = "e\u{9b}31mf";
const BLANK: &str = "g h";

/// A shard, a raw list and an archive with such keys.
fn odd() -> Scratch {
    let scratch = Scratch::new();
    let keys = ["u1", ESCAPE, LINES, LATIN, BLANK];
    let samples: Vec<(&str, &str, Vec<u8>)> = keys.iter().map(|key| (*key, "GO ON", sound(8000))).collect();
    let samples: Vec<_> = samples.iter().map(|(key, text, sound)| (*key, *text, sound.as_slice())).collect();
    scratch.write("odd.tar", shard(&samples)).write("u.wav", sound(8000));
    let line = |key: &&str| {
        format!("{{\"key\": {key:?}, \"wav\": \"u.wav\", \"txt\": \"GO ON\"}}\n")
            .replace("\\u{1b}", "\\u001b")
            .replace("\\u{9b}", "\\u009b")
    };
    scratch.write("data.list", keys.iter().map(line).collect::<String>());
    scratch.write("broken.list", keys.iter().map(line).collect::<String>().replace("u.wav", "none.wav"));
    scratch.write("odd.ark", format!("{LATIN} 1 2\nz 3\n")).write("other.ark", format!("{LATIN} 1 3\n"));
    scratch.write("odd.scp", format!("{ESCAPE} none.ark:5\n{LATIN} none\u{1b}[1m.ark:7\n"));
    scratch.write("dir.list", "a\u{1b}[1m.tar\n");
    scratch.write("plain.yaml", "dataset_conf:\n  filter_conf: {min_length: 0}\n  batch_conf: {batch_size: 2}\n");
    scratch
}

/// Whether bytes have control characters other than line ends.
fn has_control(bytes: &[u8]) -> bool {
    String::from_utf8_lossy(bytes).chars().any(|it| it.is_control() && it != '\n')
}

#[test]
fn no_tool_lets_a_key_or_a_name_make_lines_or_reach_the_terminal() {
    let scratch = odd();
    let feed = "feed-batches --conf=plain.yaml --labels=none";
    for command in [
        "list-shards odd.tar",
        "list-shards --json odd.tar",
        "list-shards --summary odd.tar",
        "list-shards dir.list",
        "check-shards odd.tar",
        "check-shards --json odd.tar",
        "shards-to-scp odd.tar -",
        "copy-shards odd.tar out out.list",
        "copy-shards --max-bytes=1000 odd.tar out2 out2.list",
        "extract-shards --text=ark:/dev/null odd.tar",
        "extract-shards odd.tar folder",
        &format!("{feed} data.list batches"),
        &format!("{feed} --verbose=2 --max-bad=-1 broken.list batches2"),
        &format!("{feed} --data-type=shard odd.tar batches3"),
        &format!("{feed} --data-type=table --max-bad=-1 scp:odd.scp batches4"),
        "feed-feats --conf=plain.yaml data.list ark:/dev/null",
        "table-keys odd.ark",
        "table-keys --json --offsets odd.ark",
        "table-keys odd.scp",
        "table-head odd.ark",
        "table-head --json odd.ark",
        "table-info odd.ark",
        "table-info --json odd.scp",
        "table-check odd.ark",
        "table-check --json odd.ark",
        "table-check odd.scp",
        "table-diff odd.ark other.ark",
        "table-diff --json odd.ark other.ark",
        "table-stats --json odd.ark",
        "copy-int-vector scp:odd.scp ark:/dev/null",
        "copy-int-vector ark:odd.ark ark,t:/dev/null",
        "wav-to-duration shard:odd.tar ark,t:/dev/null",
        "filter-utts --min-length=5 ark:odd.ark ark:/dev/null",
    ] {
        let ran = scratch.sh(command);
        let log = ran.stderr().to_vec();
        assert!(!has_control(&log), "{command}: {}", String::from_utf8_lossy(&log).escape_debug());
        let is_forged = |text: &[u8]| text.split(|&byte| byte == b'\n').any(|line| line.starts_with(b"ERROR (x)"));
        assert!(!is_forged(&log), "{command}: {}", String::from_utf8_lossy(&log));
        let out = ran.stdout().to_vec();
        assert!(!has_control(&out) && !is_forged(&out), "{command}: {}", String::from_utf8_lossy(&out).escape_debug());
    }
}

#[test]
fn odd_keys_are_quoted_in_lists_and_named_by_the_check() {
    let scratch = odd();
    let listed = String::from_utf8(scratch.sh("list-shards odd.tar").succeeds().stdout().to_vec()).unwrap();
    let keys: Vec<&str> = listed.lines().map(|line| line.split(" odd.tar ").next().unwrap()).collect();
    // Keys have no white space: `_` is there instead.
    let quoted = [r"$'a\x1b[31mb'", "c_ERROR_(x)_d", r"$'e\xc2\x9b31mf'", "g_h"];
    assert_eq!(keys, [&["u1"][..], &quoted].concat());
    let ran = scratch.sh("check-shards odd.tar").fails_with(1);
    let found = String::from_utf8(ran.stdout().to_vec()).unwrap();
    let faults: Vec<&str> = found.lines().filter(|line| line.ends_with("[bad-key]")).collect();
    assert_eq!(faults.len(), 4, "{found}");
    assert!(faults[3].contains("'g h.txt': expected a key without white space and control characters"), "{found}");
    let keys = scratch.sh("table-keys odd.ark").succeeds();
    keys.stdout_is("$'e\\xc2\\x9b31mf'\nz\n");
}

#[test]
fn names_that_script_files_cannot_have_are_refused() {
    let scratch = shards();
    scratch.sh("cp a.tar a.tar:512; cp a.tar \"$(printf 'c\\nd.tar')\"; cp a.tar 'e f.tar'").succeeds();
    let names = [("a.tar:512", "a.tar:512"), (r"$'c\nd.tar'", r"$'c\nd.tar'"), ("- < a.tar", "standard input")];
    for (name, shown) in names {
        let ran = scratch.sh(&format!("shards-to-scp {name} wav.scp")).fails_with(255);
        ran.stderr_has(&format!(
            "{shown}: expected the name of a file, to which offsets can be added in a script file"
        ));
        assert!(!scratch.list().contains(&"wav.scp".to_owned()));
    }
    scratch
        .sh("shards-to-scp 'e f.tar' wav.scp && wav-to-duration scp:wav.scp ark,t:-")
        .succeeds()
        .stdout_is("u1 1 \nu2 2 \n");
}

#[test]
fn a_dali_index_has_no_names_with_blanks() {
    let scratch = Scratch::new();
    scratch.write("x.tar", tar(&[("u1.txt", b"a"), ("u1.a b", b"c"), ("u1.wav", &sound(100))]));
    for command in ["shards-to-scp --index=dali x.tar wav.scp", "copy-shards --index=dali x.tar out out.list"] {
        let ran = scratch.sh(command).fails_with(255);
        ran.stderr_has("'u1.a b': expected a name without white space for a DALI index");
        assert!(!scratch.list().iter().any(|name| name.ends_with(".idx") || name.ends_with(".scp")));
    }
}

/// One rule for all doors.
#[test]
fn blanks_in_names_of_samples_become_underscores() {
    let scratch = Scratch::new();
    let sound = sound(16000);
    scratch.write("a.tar", shard(&[("a b", "x", &sound), ("c\u{a0}d", "y", &sound)]));
    let durations = "a_b 1 \nc_d 1 \n";
    scratch.sh("wav-to-duration shard:a.tar ark,t:-").succeeds().stdout_is(durations);
    scratch.sh("extract-shards --write-utt2dur=ark,t:- a.tar").succeeds().stdout_is(durations);
    scratch.sh("extract-shards a.tar d && wav-to-duration scp:d/wav.scp ark,t:-").succeeds().stdout_is(durations);
    scratch.sh("shards-to-scp a.tar wav.scp && wav-to-duration scp:wav.scp ark,t:-").succeeds().stdout_is(durations);
    scratch.sh("list-shards a.tar | cut -d' ' -f1").succeeds().stdout_is("a_b\nc_d\n");
    scratch
        .sh("echo a_b > keys; copy-shards --keys=keys a.tar out out.list && tar tf out/*.tar")
        .succeeds()
        .stdout_is("a b.txt\na b.wav\n");
    scratch.sh("table-keys shard:a.tar | cut -f1").succeeds().stdout_has("a_b").stdout_has("c_d");
    // Names that meet.
    for names in [["a b", "a_b"], ["a_b", "a b"], ["a b", "a\tb"]] {
        scratch.write("b.tar", shard(&names.map(|name| (name, "x", sound.as_slice()))));
        for command in [
            "wav-to-duration shard:b.tar ark,t:-",
            "extract-shards b.tar e",
            "shards-to-scp b.tar wav.scp",
            "list-shards b.tar",
            "copy-shards b.tar new new.list",
        ] {
            scratch.sh(command).fails_with(255).stderr_has("which both become a_b");
        }
        scratch.sh("check-shards b.tar").fails_with(1).stdout_has("which both become a_b");
    }
}

/// A name with a pipe sign is that of a command.
#[test]
fn keys_with_pipe_signs_become_names_that_can_be_read() {
    let scratch = Scratch::new();
    let sound = sound(16000);
    scratch.write("a.tar", shard(&[("a|b", "x", &sound), ("|c|", "y", &sound)]));
    scratch.write("s.csv", "id,path,text\na|b,x.wav,x\n").write("x.wav", &sound);
    scratch
        .sh("extract-shards a.tar d && wav-to-duration scp:d/wav.scp ark,t:-")
        .succeeds()
        .stdout_is("a|b 1 \n|c| 1 \n");
    scratch.sh("ls d/wav").succeeds().stdout_is("%7Cc%7C.wav\na%7Cb.wav\n");
    scratch
        .sh("make-data-dir s.csv csv && export-data-dir --format=parquet csv p.parquet && make-data-dir p.parquet e && wav-to-duration scp:e/wav.scp ark,t:-")
        .succeeds()
        .stdout_is("a|b 1 \n");
    scratch.write("f.ark", "a|b [ 1 2 ]\n");
    scratch
        .sh("copy-vector ark:f.ark ark:v.ark && table-export --format=npy ark:v.ark npy && ls npy && table-import npy/a%7Cb.npy ark,t:-")
        .succeeds()
        .stdout_has("a%7Cb.npy\n")
        .stdout_has(" 1 2 ]");
    scratch.write("m.ark", "a|b [\n 1 2\n 3 4 ]\n");
    for tool in ["copy-feats-to-htk", "copy-feats-to-sphinx"] {
        scratch
            .sh(&format!("{tool} --output-dir=out --output-ext=x ark:m.ark && ls out && rm -r out"))
            .succeeds()
            .stdout_is("a%7Cb.x\n");
    }
    scratch.sh("feats-to-png ark:m.ark png && ls png").succeeds().stdout_is("a%7Cb.png\n");
    // The folder has one, too.
    for command in ["make-data-dir p.parquet 'x|y'", "extract-shards a.tar 'x|y'"] {
        let ran = scratch.sh(command).fails_with(255);
        ran.stderr_has("expected the name of a folder whose files can stand in a script file, got \"x|y\"");
    }
}
