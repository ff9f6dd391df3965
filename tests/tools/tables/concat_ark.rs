use std::fs;
use std::os::unix::fs::{FileExt, symlink};

use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, int_lists, ints, matrix, posterior, text_archive, vector};

fn first() -> [(&'static str, Sample); 2] {
    [("a", matrix(1, 30, 4)), ("bc", matrix(2, 20, 4))]
}

fn second() -> [(&'static str, Sample); 2] {
    [("b", matrix(3, 700, 40)), ("d", matrix(4, 0, 0))]
}

/// A folder with 1.ark in binary and 2.ark in text.
fn two_archives() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("1.ark", binary_archive(&first())).write("2.ark", text_archive(&second()));
    scratch
}

#[test]
fn the_output_is_an_archive() {
    let ran = two_archives().sh("concat-ark 1.ark 2.ark");
    ran.fails_with(255).stderr_has("invalid wspecifier \"2.ark\": it is a file or pipe, not a table");
    let ran = two_archives().sh("concat-ark 1.ark scp:x.scp");
    ran.fails_with(255).stderr_has("expected an archive to write (ark: or ark,scp:), not a script file");
}

#[test]
fn joined_archives_are_read_by_their_script_file() {
    let scratch = two_archives();
    let ran = scratch.sh("concat-ark 1.ark 2.ark ark,scp:out.ark,out.scp");
    ran.succeeds().stdout_is("").stderr_has("Joined 4 entries of 2 archives");
    assert_eq!(scratch.read("out.ark"), [scratch.read("1.ark"), scratch.read("2.ark")].concat());
    scratch.sh("ark-to-scp out.ark - | cmp - out.scp").succeeds();
    scratch.sh("cmp <(copy-matrix scp:out.scp ark:-) <(copy-matrix ark:out.ark ark:-)").succeeds();
}

#[test]
fn values_of_every_type_are_joined_as_they_are() {
    let scratch = Scratch::new();
    for [one, two] in [
        [matrix(1, 3, 2), matrix(2, 1, 4)],
        [vector(1, 3), vector(2, 0)],
        [ints(1, 5), ints(2, 3)],
        [int_lists(1, 4), int_lists(2, 7)],
        [posterior(1, 4), posterior(2, 9)],
    ] {
        let (one, two) = ([("a", one)], [("b", two)]);
        for text in [text_archive(&one).into_bytes(), binary_archive(&one)] {
            scratch.write("1.ark", text).write("2.ark", binary_archive(&two)).write("3.ark", text_archive(&two));
            scratch.sh("concat-ark 1.ark 2.ark 3.ark ark:- | cmp - <(cat 1.ark 2.ark 3.ark)").succeeds();
            scratch.sh("concat-ark 'cat 1.ark |' 2.ark - ark:- < 3.ark | cmp - <(cat 1.ark 2.ark 3.ark)").succeeds();
        }
    }
}

#[test]
fn pipes_and_offsets_are_archives_too() {
    let scratch = two_archives();
    scratch.write("junk", [b"junk".to_vec(), scratch.read("1.ark")].concat());
    let join = "gzip 2.ark; cat 1.ark | concat-ark junk:4 'gunzip -c 2.ark |' - \
                'ark,scp:out.ark,| sort -t : -k 2n > out.scp'; gunzip 2.ark.gz";
    scratch.sh(join).succeeds();
    scratch.sh("cat 1.ark 2.ark 1.ark | cmp - out.ark; ark-to-scp out.ark - | cmp - out.scp").succeeds();
    scratch.sh("concat-ark 1.ark 2.ark 'ark:| gzip -c > x.gz'; gunzip -c x.gz | cmp - <(cat 1.ark 2.ark)").succeeds();
    // Standard input may be a file that was read in part.
    let ran = scratch.sh("(head -c 4 > /dev/null; concat-ark - ark:-) < junk");
    ran.succeeds().stdout_is(scratch.read("1.ark"));
}

#[test]
fn a_cut_archive_is_refused_and_nothing_is_left() {
    let scratch = two_archives();
    let (old, script) = ("old 1\n", "old x.ark:4\n");
    scratch.write("out.ark", old).write("out.scp", script);
    for archive in ["1.ark", "2.ark"] {
        let bytes = scratch.read(archive);
        let middle = bytes.len() / 2;
        for cut in [2, 7, 20, middle, bytes.len() - 2, bytes.len() - 1] {
            scratch.write("cut.ark", &bytes[..cut]);
            for input in ["cut.ark", "'cat cut.ark |'"] {
                let ran = scratch.sh(&format!("concat-ark 1.ark {input} 2.ark ark,scp:out.ark,out.scp"));
                ran.fails_with(255).stderr_has("cut.ark").stderr_has("got the end of the input");
            }
            assert_eq!((scratch.read("out.ark"), scratch.read("out.scp")), (old.into(), script.into()));
        }
    }
    let ran = scratch.sh("head -c 500 1.ark > cut.ark; concat-ark cut.ark ark:x.ark");
    ran.fails_with(255).stderr_has("bc: cut.ark:500: expected");
    // What one archive lacks at its end, the next does not have at its start.
    scratch.sh("tail -c +501 1.ark > rest.ark; concat-ark cut.ark rest.ark ark:x.ark").fails_with(255);
    assert_eq!(scratch.list(), ["1.ark", "2.ark", "cut.ark", "out.ark", "out.scp", "rest.ark"]);
}

#[test]
fn text_without_its_line_end_is_taken_for_cut() {
    let scratch = Scratch::new();
    scratch.write("1", "a 1 2\nb 1 2").write("2", "c 3\n");
    let ran = scratch.sh("concat-ark 1 2 ark:-");
    ran.fails_with(255).stderr_has("b: 1:2: expected the end of the line, got the end of the input");
}

#[test]
fn a_command_that_fails_is_an_error() {
    let scratch = two_archives();
    for command in ["cat 1.ark; exit 3 |", "head -c 100 1.ark; exit 3 |", "exit 3 |"] {
        let ran = scratch.sh(&format!("concat-ark 2.ark '{command}' ark:x.ark"));
        ran.fails_with(255).stderr_has("nonzero return status: exit status 3");
    }
    assert_eq!(scratch.list(), ["1.ark", "2.ark"]);
}

#[test]
fn a_key_may_be_there_twice_unless_refused() {
    let scratch = two_archives();
    scratch.sh("concat-ark 1.ark 2.ark 1.ark ark:- | cmp - <(cat 1.ark 2.ark 1.ark)").succeeds();
    scratch.sh("concat-ark --allow-duplicates=false 1.ark 2.ark ark:x.ark").succeeds();
    for sort in ["", "--sort-keys"] {
        let ran = scratch.sh(&format!("concat-ark --allow-duplicates=false {sort} 1.ark 1.ark ark:y.ark"));
        ran.fails_with(255).stderr_has("a: 1.ark:0: the key was there before, at 1.ark:0");
    }
    scratch
        .sh("cat 1.ark 1.ark > twice; concat-ark --allow-duplicates=false twice ark:y.ark")
        .fails_with(255)
        .stderr_has("a: twice:835: the key was there before, at twice:0");
    assert_eq!(scratch.list(), ["1.ark", "2.ark", "twice", "x.ark"]);
}

#[test]
fn sorted_archives_are_merged_by_key() {
    let scratch = two_archives();
    scratch.sh("concat-ark --sort-keys 2.ark 'cat 1.ark |' ark,scp:out.ark,out.scp").succeeds();
    scratch.sh("cut -d ' ' -f 1 out.scp | tr '\\n' ' '").succeeds().stdout_is("a b bc d ");
    scratch.sh("ark-to-scp out.ark - | cmp - out.scp").succeeds();
    let all = "sort -k 1,1 <(ark-to-scp 1.ark -) <(ark-to-scp 2.ark -)";
    scratch.sh(&format!("cmp <({all} | copy-matrix scp:- ark:-) <(copy-matrix scp:out.scp ark:-)")).succeeds();
    // Of equal keys, that of the archive named first comes first.
    scratch.write("3", "a 3\nb 3\n").write("4", "a 4\n").write("5", "B 5\na 5\na 6\n");
    let ran = scratch.sh("concat-ark --sort-keys 3 4 5 ark,t:-");
    ran.succeeds().stdout_is("B 5\na 3\na 4\na 5\na 6\nb 3\n");
}

#[test]
fn archives_to_merge_must_be_sorted() {
    let scratch = Scratch::new();
    scratch.write("1", "a 1\nb 2\n").write("2", "b 3\nB 4\n");
    let ran = scratch.sh("concat-ark --sort-keys=true 1 2 ark:x");
    ran.fails_with(255).stderr_has("2: expected sorted keys, got B at 4 after b at 0");
    assert_eq!(scratch.list(), ["1", "2"]);
    scratch.sh("concat-ark 1 2 ark:-").succeeds().stdout_is("a 1\nb 2\nb 3\nB 4\n");
}

#[test]
fn many_small_entries_are_merged_in_full() {
    let scratch = Scratch::new();
    let text = |step: usize| (step..20_000).step_by(3).map(|key| format!("{key:05} {key} \n")).collect::<String>();
    for step in 0..3 {
        scratch.write(&step.to_string(), text(step));
    }
    scratch.sh("concat-ark --sort-keys 0 1 2 ark:- | cmp - <(sort 0 1 2)").succeeds();
    scratch.sh("for f in 0 1 2; do copy-int-vector ark:$f ark:$f.ark; done").succeeds();
    scratch
        .sh("concat-ark --sort-keys 0.ark 1 2.ark ark:- | copy-int-vector ark:- ark,t:- | cmp - <(sort 0 1 2)")
        .succeeds();
}

#[test]
fn an_archive_is_not_written_over_while_it_is_read() {
    let scratch = two_archives();
    let bytes = scratch.read("1.ark");
    symlink("1.ark", scratch.path("soft")).unwrap();
    fs::hard_link(scratch.path("1.ark"), scratch.path("hard")).unwrap();
    for arguments in [
        "1.ark 2.ark ark:1.ark",
        "1.ark ark,f:soft",
        "hard 2.ark ark:./1.ark",
        "2.ark 1.ark:0 ark,f:hard",
        "1.ark ark,scp:x.ark,soft",
        "- 2.ark ark:hard < 1.ark",
        "1.ark 2.ark ark:- >> hard",
        "1.ark 2.ark ark:/dev/stdout >> hard",
    ] {
        let ran = scratch.sh(&format!("concat-ark {arguments}"));
        // A script file is none to replace an archive by, in any case.
        let expected = if arguments.contains("scp") { "cannot replace soft" } else { ": write to another file" };
        ran.fails_with(255).stderr_has(expected);
        assert_eq!(scratch.read("1.ark"), bytes, "{arguments}");
    }
    assert_eq!(scratch.list(), ["1.ark", "2.ark", "hard", "soft"]);
}

#[test]
fn an_old_archive_may_be_replaced_by_what_is_made_of_it() {
    // Whole before it gets its name.
    let scratch = two_archives();
    scratch.sh("cat 1.ark 2.ark > both; concat-ark 'cat 1.ark |' 2.ark ark:1.ark; cmp both 1.ark").succeeds();
}

#[test]
fn archives_may_be_rspecifiers() {
    let scratch = two_archives();
    scratch.sh("concat-ark ark:1.ark 'ark,s,cs:cat 2.ark |' ark:- | cmp - <(cat 1.ark 2.ark)").succeeds();
    let ran = scratch.sh("concat-ark ark:1.ark ark:2.ark ark:1.ark");
    ran.fails_with(255).stderr_has("1.ark is to be read and written: write to another file");
    scratch.sh("concat-ark scp:1.scp ark:x").fails_with(255).stderr_has("this is the name of a table");
}

#[test]
fn the_tool_that_writes_text_is_named_by_the_type_of_the_values() {
    let scratch = Scratch::new();
    scratch.write("ali.txt", "a 1 1 2\nb 3\n").write("post.txt", "a [ 1 0.5 ] [ 2 1 ]\n");
    scratch.sh("copy-int-vector ark:ali.txt ark:- | gzip > ali.1.gz; copy-post ark:post.txt ark:post").succeeds();
    for (name, tool) in
        [("ali.1.gz", "this is an integer vector; copy-int-vector"), ("post", "this is a posterior; copy-post")]
    {
        scratch.sh(&format!("concat-ark {name} ark,t:x")).fails_with(255).stderr_has(tool);
    }
}

#[test]
fn text_is_asked_for_but_not_made() {
    let scratch = two_archives();
    scratch.sh("concat-ark 2.ark ark,t:- | cmp - 2.ark").succeeds();
    let ran = scratch.sh("concat-ark 2.ark 1.ark ark,t:x.ark");
    ran.fails_with(255).stderr_has(
        "a: 1.ark:0: expected text as the option t asks, got a binary value: this is a matrix; copy-matrix",
    );
    assert_eq!(scratch.list(), ["1.ark", "2.ark"]);
    scratch.write("words", "a one two\nb \n");
    scratch.sh("concat-ark words words ark,t:-").succeeds().stdout_is("a one two\nb \na one two\nb \n");
}

#[test]
fn entries_are_written_at_once_where_that_is_asked_for() {
    let scratch = two_archives();
    scratch.sh("concat-ark 1.ark 2.ark ark,scp,f:out.ark,out.scp; cat 1.ark 2.ark | cmp - out.ark").succeeds();
    scratch.sh("ark-to-scp out.ark - | cmp - out.scp").succeeds();
    // In place: what came before the fault is there.
    scratch.sh("head -c 600 1.ark > cut; concat-ark cut ark,f:x.ark").fails_with(255);
    assert_eq!(scratch.read("x.ark"), scratch.read("1.ark")[..497]);
}

#[test]
fn a_failing_output_pipe_is_an_error_unless_permitted() {
    let scratch = two_archives();
    let ran = scratch.sh("concat-ark 1.ark 'ark:| cat > /dev/null; exit 3'");
    ran.fails_with(255).stderr_has("nonzero return status: exit status 3");
    scratch.sh("concat-ark 1.ark 'ark,p:| cat > /dev/null; exit 3'").succeeds().stderr_has("WARNING");
    scratch.sh("concat-ark 1.ark 2.ark ark:/dev/full").fails_with(255).stderr_has("No space left on device");
    scratch.sh("concat-ark 1.ark 2.ark ark:- > /dev/full").fails_with(255).stderr_has("No space left on device");
    let ran = scratch.sh("concat-ark 1.ark 'ark,scp:| cat > x,x.scp'");
    ran.fails_with(255).stderr_has("there are no offsets in a pipe");
}

#[test]
fn a_file_of_standard_output_is_appended_to() {
    let scratch = two_archives();
    scratch.sh("(echo junk; concat-ark 1.ark 2.ark ark,scp:-,out.scp; echo junk) > out").succeeds();
    scratch.sh("concat-ark 1.ark 2.ark ark:- >> out").succeeds();
    let joined = [scratch.read("1.ark"), scratch.read("2.ark")].concat();
    assert_eq!(scratch.read("out"), [b"junk\n", joined.as_slice(), b"junk\n", &joined].concat());
    scratch
        .sh("sed 's/ -:/ out:/' out.scp | copy-matrix scp:- ark:- | cmp - <(cat 1.ark 2.ark | copy-matrix ark:- ark:-)")
        .succeeds();
}

#[test]
fn a_closed_output_ends_as_filters_end() {
    let ran =
        two_archives().sh("set +o pipefail; concat-ark 1.ark 2.ark 1.ark 2.ark ark:- | true; echo ${PIPESTATUS[0]}");
    ran.succeeds().stderr_lacks("ERROR");
}

#[test]
fn an_entry_without_an_end_can_only_be_the_last() {
    let scratch = Scratch::new();
    let wave =
        b"RIFF\x28\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\x04\0\0\0\x01\0\x02\0";
    let mut streamed = wave.to_vec();
    streamed[4..8].copy_from_slice(&[0xff; 4]);
    scratch.write("1", [b"a ", wave.as_slice()].concat()).write("2", [b"b ", streamed.as_slice()].concat());
    scratch.sh("concat-ark 1 2 ark:- | cmp - <(cat 1 2)").succeeds().stdout_is("");
    scratch.sh("concat-ark 2 ark:- | cmp - 2").succeeds();
    let ran = scratch.sh("concat-ark 2 1 ark:x");
    ran.fails_with(255).stderr_has("b: 2:0: the length of this wave file was not known").stderr_has("but a: 1:0 does");
    assert_eq!(scratch.list(), ["1", "2"]);
}

#[test]
fn the_type_may_be_named() {
    let scratch = Scratch::new();
    let htk = b"\0\0\0\x01\0\x01\x86\xa0\0\x08\0\x09\x3f\x80\0\0\x40\0\0\0";
    scratch.write("htk.ark", [b"a ", htk.as_slice(), b"b ", htk].concat());
    scratch.sh("concat-ark htk.ark htk.ark ark:x").fails_with(255).stderr_has("cannot find the type");
    scratch
        .sh("concat-ark --type=htk htk.ark htk.ark ark,scp:x,x.scp; tail -n 1 x.scp")
        .succeeds()
        .stdout_is("b x:68\n");
    scratch.sh("concat-ark --type=vector htk.ark ark:x").fails_with(255);
}

#[test]
fn archives_of_different_types_are_refused() {
    let scratch = two_archives();
    scratch.write("v.ark", binary_archive(&[("v", vector(1, 3))]));
    for sort in ["", "--sort-keys"] {
        let ran = scratch.sh(&format!("concat-ark {sort} 1.ark v.ark ark:x.ark"));
        ran.fails_with(255).stderr_has("v.ark: expected values of the type matrix as in 1.ark, got vector");
    }
    assert_eq!(scratch.list(), ["1.ark", "2.ark", "v.ark"]);
}

#[test]
fn empty_archives_add_nothing() {
    let scratch = two_archives();
    scratch.write("empty", "");
    scratch.sh("concat-ark empty 1.ark /dev/null empty ark:- | cmp - 1.ark").succeeds();
    scratch.sh("concat-ark empty empty ark:x.ark").fails_with(1).stderr_has("Joined 0 entries of 2 archives");
    assert_eq!(scratch.read("x.ark"), b"");
}

#[test]
fn many_archives_need_few_open_files() {
    let scratch = Scratch::new();
    for index in 0..50 {
        scratch.write(&format!("{index:02}.ark"), text_archive(&first()));
    }
    scratch.sh("ulimit -n 16; concat-ark *.ark ark:- | cmp - <(cat *.ark)").succeeds();
    scratch.sh("ulimit -n 16; concat-ark --sort-keys *.ark ark:x").fails_with(255).stderr_has("Too many open files");
}

#[test]
fn a_cut_matrix_of_3_gb_is_refused_at_once() {
    let scratch = two_archives();
    let header = [b"a \0BFM \x04".as_slice(), &30_000_i32.to_le_bytes(), b"\x04", &25_000_i32.to_le_bytes()].concat();
    let file = fs::File::create(scratch.path("big.ark")).unwrap();
    file.write_all_at(&header, 0).unwrap();
    file.set_len(header.len() as u64 + 2_999_999_999).unwrap();
    let ran = scratch.sh("ulimit -v 256000; concat-ark 1.ark big.ark ark:x.ark");
    ran.fails_with(255)
        .stderr_has("a: big.ark:3000000016: expected 1 more bytes of the value, got the end of the input");
    assert_eq!(scratch.list(), ["1.ark", "2.ark", "big.ark"]);
}

#[test]
fn keys_of_10_kb_are_joined() {
    let scratch = Scratch::new();
    let (one, two) = ("k".repeat(10_000), "l".repeat(10_000));
    scratch
        .write("1", binary_archive(&[(&one, matrix(1, 600, 4))]))
        .write("2", text_archive(&[(&two, matrix(1, 1, 1))]));
    for sort in ["", "--sort-keys"] {
        scratch.sh(&format!("concat-ark {sort} 1 'cat 2 |' ark,scp:x,x.scp && cat 1 2 | cmp - x")).succeeds();
        scratch.sh("ark-to-scp x - | cmp - x.scp").succeeds();
    }
}

#[test]
fn complete_entries_before_damage_are_saved_also_of_compressed_archives() {
    let scratch = Scratch::new();
    let keys: Vec<String> = (0..50).map(|number| format!("k{number:02}")).collect();
    let entries: Vec<(&str, Sample)> =
        keys.iter().zip(0..).map(|(key, seed)| (key.as_str(), matrix(seed, 40, 13))).collect();
    scratch.write("x.ark", binary_archive(&entries));
    scratch.sh("gzip -k x.ark; for n in 20000 60000; do head -c $n x.ark.gz > $n.ark.gz; done; head -c 40000 x.ark > cut.ark").succeeds();
    for name in ["20000.ark.gz", "60000.ark.gz", "cut.ark"] {
        scratch.sh(&format!("concat-ark {name} ark:y.ark")).fails_with(255);
        scratch
            .sh(&format!("concat-ark --salvage {name} ark:y.ark"))
            .fails_with(1)
            .stderr_has("what follows in this archive is left out")
            .stderr_has("of 1 archives, 1 of them damaged");
        let saved = scratch.read("y.ark");
        assert!(saved.len() > 15_000 && scratch.read("x.ark").starts_with(&saved), "{name}: {}", saved.len());
        // Permissive mode saves the same ones, in a sequence and by key.
        scratch
            .sh(&format!("copy-matrix ark,p:{name} ark:z.ark; cmp y.ark z.ark"))
            .succeeds()
            .stderr_has("as permissive mode (p) asks");
        scratch.sh(&format!("copy-matrix ark:{name} ark:z.ark")).fails_with(255);
        scratch
            .sh(&format!("concat-ark --salvage {name} x.ark ark:z.ark; cat y.ark x.ark | cmp - z.ark"))
            .stderr_lacks("ERROR");
    }
    scratch
        .sh("ark-to-scp --salvage 20000.ark.gz y.scp")
        .fails_with(255)
        .stderr_has("concat-ark --salvage writes its complete entries");
    scratch.sh("concat-ark --salvage x.ark ark:y.ark; cmp x.ark y.ark").succeeds();
    // Lines of a script file, too.
    scratch.sh("ark-to-scp x.ark x.scp; for i in 1 2 3 4 5 6 7 8 9; do sed s/k/k$i/ x.scp; done | gzip | head -c 700 > l.scp.gz").succeeds();
    scratch.sh("copy-matrix scp:l.scp.gz ark:/dev/null").fails_with(255);
    scratch
        .sh("copy-matrix scp,p:l.scp.gz ark:/dev/null")
        .succeeds()
        .stderr_has("the lines from there on are left out");
}
