use std::fs;
use std::os::unix::fs::{FileExt, symlink};

use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, int_lists, ints, matrix, posterior, text_archive, vector};

fn two_matrices() -> [(&'static str, Sample); 2] {
    [("a", matrix(1, 30, 4)), ("bc", matrix(2, 20, 4))]
}

#[test]
fn archives_are_read_by_the_script_file_made_of_them() {
    let scratch = Scratch::new();
    scratch.write("raw_mfcc.1.ark", binary_archive(&two_matrices()));
    scratch.write("raw_mfcc.2.ark", text_archive(&[("d", matrix(3, 5, 4))]));
    let ran = scratch.sh("ark-to-scp raw_mfcc.1.ark raw_mfcc.2.ark feats.scp");
    ran.succeeds().stdout_is("").stderr_has("Listed 3 entries of 2 archives (matrix)");
    assert_eq!(scratch.read("feats.scp"), b"a raw_mfcc.1.ark:2\nbc raw_mfcc.1.ark:500\nd raw_mfcc.2.ark:2\n");
    scratch.sh("cmp <(copy-matrix scp:feats.scp ark:-) <(cat *.ark | copy-matrix ark:- ark:-)").succeeds();
}

#[test]
fn a_script_file_in_the_place_of_an_archive_gets_advice() {
    let scratch = Scratch::new();
    scratch.write("m.ark", binary_archive(&two_matrices()));
    scratch.sh("ark-to-scp m.ark m.scp").succeeds();
    let advice = "m.scp is a script file (keys and places in archives) and no archive: tools read it as scp:m.scp";
    scratch.sh("ark-to-scp m.scp again.scp").fails_with(255).stderr_has(advice);
    scratch.sh("[ ! -e again.scp ]").succeeds();
    scratch.sh("ark-to-scp --type=token m.scp -").succeeds().stdout_is("a m.scp:2\nbc m.scp:13\n");
    // Tokens that are no places are an archive.
    scratch.write("wav.ark", "u1 a/b.wav\nu2 c.wav\n");
    scratch.sh("ark-to-scp wav.ark -").succeeds().stdout_is("u1 wav.ark:3\nu2 wav.ark:14\n");
}

#[test]
fn the_script_file_has_the_names_as_they_were_given() {
    let scratch = Scratch::new();
    scratch.write("a b.ark", text_archive(&[("k", vector(1, 2))]));
    for name in ["a b.ark", "./a b.ark", ".//././a b.ark"] {
        scratch.sh(&format!("ark-to-scp '{name}' -")).succeeds().stdout_is(format!("k {name}:2\n"));
    }
    scratch.sh("ark-to-scp 'a b.ark' x.scp && copy-vector scp:x.scp ark,t:- | cmp - 'a b.ark'").succeeds();
    scratch.sh("ark-to-scp 'a b.ark' '| gzip -c > x.gz'; gunzip -c x.gz").succeeds().stdout_is("k a b.ark:2\n");
}

#[test]
fn an_archive_may_begin_after_something_else() {
    let scratch = Scratch::new();
    scratch.write("x", [b"junk".to_vec(), binary_archive(&two_matrices())].concat());
    scratch.sh("ark-to-scp x:4 -").succeeds().stdout_is("a x:6\nbc x:504\n");
    scratch
        .sh("ark-to-scp x:4000 -")
        .fails_with(255)
        .stderr_has("x:4000: expected an archive, got the end of the input");
}

#[test]
fn every_type_is_found_and_can_be_named() {
    let scratch = Scratch::new();
    for (samples, name) in [
        ([matrix(1, 3, 2), matrix(2, 1, 4)], "matrix"),
        ([vector(1, 3), vector(2, 0)], "vector"),
        ([ints(1, 5), ints(2, 3)], "int32-vector"),
        ([int_lists(1, 4), int_lists(2, 7)], "int32-vector-vector"),
        ([posterior(1, 4), posterior(2, 9)], "posterior"),
    ] {
        let entries = [("a", samples[0].clone()), ("b", samples[1].clone())];
        for bytes in [binary_archive(&entries), text_archive(&entries).into_bytes()] {
            scratch.write("x.ark", &bytes);
            let found = scratch.sh("ark-to-scp x.ark -").succeeds();
            let found = found.stderr_has("Listed 2 entries of 1 archive (").stderr_has(name);
            scratch.sh(&format!("ark-to-scp --type={name} x.ark -")).succeeds().stdout_is(found.stdout());
        }
        scratch.sh("ark-to-scp --type=wave x.ark -").fails_with(255).stderr_has("expected RIFF or RIFX");
    }
}

#[test]
fn the_name_of_no_type_is_answered_with_those_that_are() {
    let ran = Scratch::new().sh("ark-to-scp --type=feats x y");
    ran.fails_with(255).stderr_has("--type=feats: expected matrix, vector, wave, int32,");
}

#[test]
fn htk_features_have_to_be_named() {
    let scratch = Scratch::new();
    let htk = b"\0\0\0\x01\0\x01\x86\xa0\0\x08\0\x09\x3f\x80\0\0\x40\0\0\0";
    scratch.write("htk.ark", [b"a ", htk.as_slice(), b"b ", htk].concat());
    scratch.sh("ark-to-scp htk.ark -").fails_with(255).stdout_is("").stderr_has("a: htk.ark:2: cannot find the type");
    scratch.sh("ark-to-scp --type=htk htk.ark -").succeeds().stdout_is("a htk.ark:2\nb htk.ark:24\n");
}

#[test]
fn what_may_be_of_two_types_has_to_be_named() {
    let scratch = Scratch::new();
    scratch.write("x.ark", "1 2 0\n0 0 0\n");
    for salvage in ["", "--salvage"] {
        let ran = scratch.sh(&format!("ark-to-scp {salvage} x.ark x.scp"));
        ran.fails_with(255).stderr_has("x.ark: the type of 1 in line 1 cannot be found: this may be int32-vector or");
    }
    assert_eq!(scratch.list(), ["x.ark"]);
    scratch.sh("ark-to-scp --type=gauss-post x.ark -").succeeds().stdout_is("1 x.ark:2\n0 x.ark:10\n");
}

#[test]
fn damage_leaves_no_script_file() {
    let scratch = Scratch::new();
    let bytes = binary_archive(&two_matrices());
    scratch.write("old.scp", "old").write("cut.ark", &bytes[..bytes.len() - 1]);
    let ran = scratch.sh("ark-to-scp cut.ark old.scp");
    ran.fails_with(255).stderr_has("bc: cut.ark:834: expected 1 more bytes, got the end of the input");
    assert_eq!(scratch.read("old.scp"), b"old");
    assert_eq!(scratch.list(), ["cut.ark", "old.scp"]);
}

#[test]
fn whole_entries_before_damage_can_be_saved() {
    let scratch = Scratch::new();
    let bytes = binary_archive(&two_matrices());
    scratch
        .write("cut.ark", &bytes[..bytes.len() - 1])
        .write("whole.ark", &bytes)
        .write("hopeless.ark", b"a \0BFM \x04\x03\0");
    let ran = scratch.sh("ark-to-scp --salvage cut.ark hopeless.ark whole.ark x.scp");
    let ran = ran.fails_with(1).stderr_has("WARNING (ark-to-scp").stderr_has("bc: cut.ark:834: expected 1 more bytes");
    ran.stderr_has("a: hopeless.ark:10: expected")
        .stderr_has("Listed 3 entries of 3 archives (matrix); 2 archives are damaged");
    assert_eq!(scratch.read("x.scp"), b"a cut.ark:2\na whole.ark:2\nbc whole.ark:500\n");
    scratch.sh("ark-to-scp --salvage whole.ark -").succeeds();
    scratch.sh("ark-to-scp --salvage nothing.ark x.scp").fails_with(255).stderr_has("cannot open nothing.ark");
}

#[test]
fn streams_are_refused() {
    let scratch = Scratch::new();
    scratch.sh("ark-to-scp - x.scp < /dev/null").fails_with(255).stderr_has("standard input is a stream");
    scratch.sh("ark-to-scp 'cat x |' x.scp").fails_with(255).stderr_has("'cat x |' is a stream");
    scratch.sh("mkfifo f; ark-to-scp f x.scp").fails_with(255).stderr_has("f is no regular file");
    scratch.sh("ark-to-scp . x.scp").fails_with(255).stderr_has(". is no regular file");
    scratch.sh("ark-to-scp ark:x.ark x.scp").fails_with(255).stderr_has("this is the name of a table");
    assert_eq!(scratch.list(), ["f"]);
}

#[test]
fn archives_are_not_replaced_by_their_script_file() {
    let scratch = Scratch::new();
    let bytes = binary_archive(&two_matrices());
    scratch.write("a.ark", &bytes).write("b.ark", &bytes).write("t.ark", text_archive(&two_matrices()));
    symlink("a.ark", scratch.path("soft")).unwrap();
    fs::hard_link(scratch.path("t.ark"), scratch.path("hard")).unwrap();
    for arguments in ["a.ark a.ark", "a.ark soft", "soft ./a.ark", "t.ark hard", "a.ark t.ark hard"] {
        let ran = scratch.sh(&format!("ark-to-scp {arguments}"));
        ran.fails_with(255).stderr_has("is one of the archives");
    }
    scratch.sh("ark-to-scp a.ark - >> a.ark").fails_with(255).stderr_has("the same file as the input a.ark");
    // The script file was forgotten.
    scratch.sh("ark-to-scp a.ark b.ark").fails_with(255).stderr_has("cannot replace b.ark: it is a binary archive");
    assert_eq!((scratch.read("a.ark"), scratch.read("b.ark")), (bytes.clone(), bytes));
}

#[test]
fn archives_of_different_types_are_refused() {
    let scratch = Scratch::new();
    scratch.write("m.ark", binary_archive(&two_matrices())).write("v.ark", binary_archive(&[("c", vector(1, 3))]));
    let ran = scratch.sh("ark-to-scp m.ark v.ark x.scp");
    ran.fails_with(255).stderr_has("v.ark: expected values of the type matrix as in m.ark, got vector");
    assert_eq!(scratch.list(), ["m.ark", "v.ark"]);
}

#[test]
fn an_empty_archive_is_nothing_done() {
    let scratch = Scratch::new();
    scratch.write("empty.ark", "");
    scratch.sh("ark-to-scp empty.ark x.scp").fails_with(1).stderr_has("Listed 0 entries of 1 archive");
    assert_eq!(scratch.read("x.scp"), b"");
}

#[test]
fn only_headers_are_read() {
    let scratch = Scratch::new();
    let entries: Vec<_> = (0..60).map(|index| (format!("utt{index:02}"), matrix(index, 600, 40))).collect();
    let entries: Vec<_> = entries.iter().map(|(key, sample)| (key.as_str(), sample.clone())).collect();
    let bytes = binary_archive(&entries);
    scratch.write("m.ark", &bytes).write("empty.ark", "");
    // A shell's counters include those of its children.
    let read = |name: &str| -> u64 {
        let ran = scratch.sh(&format!("ark-to-scp {name} x.scp || true; grep rchar /proc/$$/io"));
        let text = String::from_utf8(ran.succeeds().stdout().to_vec()).unwrap();
        text.trim().trim_start_matches("rchar: ").parse().unwrap()
    };
    let counted = read("m.ark") - read("empty.ark");
    assert!(counted < bytes.len() as u64 / 50, "{counted} of {}", bytes.len());
}

#[test]
fn a_matrix_of_3_gb_needs_no_memory() {
    let scratch = Scratch::new();
    let header = [b"a \0BFM \x04".as_slice(), &30_000_i32.to_le_bytes(), b"\x04", &25_000_i32.to_le_bytes()].concat();
    let file = fs::File::create(scratch.path("big.ark")).unwrap();
    file.write_all_at(&header, 0).unwrap();
    file.write_all_at(&binary_archive(&two_matrices()), header.len() as u64 + 3_000_000_000).unwrap();
    let ran = scratch.sh("ulimit -v 256000; ark-to-scp big.ark -");
    ran.succeeds().stdout_is("a big.ark:2\na big.ark:3000000019\nbc big.ark:3000000517\n");
}

#[test]
fn many_archives_need_few_open_files() {
    let scratch = Scratch::new();
    for index in 0..50 {
        scratch.write(&format!("{index:02}.ark"), binary_archive(&two_matrices()));
    }
    scratch.sh("ulimit -n 16; ark-to-scp *.ark - | wc -l").succeeds().stdout_is("100\n");
}

#[test]
fn keys_of_10_kb_are_listed() {
    let scratch = Scratch::new();
    let key = "k".repeat(10_000);
    scratch.write("x.ark", binary_archive(&[(&key, matrix(1, 600, 4)), (&key, matrix(1, 1, 1))]));
    scratch.sh("ark-to-scp x.ark - | wc -L").succeeds().stdout_is("10012\n");
}

#[test]
fn a_full_disk_is_an_error() {
    let scratch = Scratch::new();
    scratch.write("x.ark", binary_archive(&two_matrices()));
    scratch
        .sh("ark-to-scp x.ark /dev/full")
        .fails_with(255)
        .stderr_has("cannot write /dev/full: No space left on device");
}
