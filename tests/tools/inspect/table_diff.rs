use crate::support::Scratch;
use bstr::ByteSlice;

use super::tables;

#[test]
fn forms_of_the_same_table_are_equal() {
    let scratch = tables();
    scratch.sh("copy-feats ark:feats.ark ark,t:feats.txt; copy-int-vector ark:ali.ark ark,t:ali.txt").succeeds();
    for pair in [
        "feats.ark feats.scp",
        "scp:feats.scp ark:feats.txt",
        "feats.txt 'ark:cat feats.ark |'",
        "ali.ark ali.txt",
        "text text",
        "wav.scp wav.scp",
        "a.wav a.wav",
        "/dev/null /dev/null",
    ] {
        scratch.sh(&format!("table-diff {pair}")).succeeds().stdout_is("").stderr_has("found 0 differences");
    }
    scratch.sh("copy-matrix ark:feats.txt ark:- | table-diff feats.ark -").succeeds();
}

#[test]
fn keys_that_only_one_has_are_told() {
    let scratch = tables();
    scratch.write("x", "a 1\nb 2\nd 4\n").write("y", "b 2\nc 3\nd 4\n");
    let lines = "a: only in the first table\nc: only in the second table\n";
    scratch.sh("table-diff x y").fails_with(1).stdout_is(lines);
    scratch.sh("table-diff x /dev/null | wc -l").fails_with(1).stdout_is("3\n");
    scratch
        .sh("cat x x > twice; table-diff x twice")
        .fails_with(1)
        .stdout_is("a: only in the second table\nb: only in the second table\nd: only in the second table\n");
}

#[test]
fn the_order_counts_unless_by_key() {
    let scratch = tables();
    scratch.write("x", "a 1\nb 2\nc 3\n").write("y", "b 2\nc 3\na 1\n");
    scratch.sh("table-diff x y").fails_with(1).stdout_is("b: the order of keys differs from here on\n");
    scratch.sh("table-diff --by-key x y").succeeds().stdout_is("");
    scratch.sh("cat y | table-diff --by-key x -").succeeds().stdout_is("");
}

#[test]
fn differences_of_a_round_trip_through_text_are_told_from_others() {
    let scratch = Scratch::new();
    scratch.write("1.txt", "a [ 0.1 12345.678 ]\n").write("far.txt", "a [ 0.1 12345 ]\n");
    scratch
        .sh("copy-vector ark:1.txt ark:1.ark; copy-vector ark:1.txt ark,t:- | sed s/12345.68/12345.7/ > 2.txt")
        .succeeds();
    let advice = "--rtol=1e-5 allows them";
    scratch.sh("table-diff 1.ark 2.txt").fails_with(1).stderr_has(advice);
    scratch.sh("table-diff --rtol=1e-5 1.ark 2.txt").succeeds().stderr_lacks(advice);
    scratch.sh("table-diff 1.ark far.txt").fails_with(1).stderr_lacks(advice);
}

#[test]
fn the_largest_difference_is_told_with_its_place() {
    let scratch = tables();
    scratch.write("x", "a [ 1 2\n 3 4 ]\nb [ 5 6 ]\n").write("y", "a [ 1 2.5\n 3 5 ]\nb [ 5 6 ]\n");
    scratch
        .sh("table-diff x y")
        .fails_with(1)
        .stdout_is("a: 2 of 4 numbers differ; the largest difference is 1.000000 at row 1, column 1: 4, and 5\n");
    scratch.sh("table-diff --json x y").fails_with(1).stdout_is(
        "{\"count\":2,\"difference\":\"numbers\",\"first\":4.0,\"key\":\"a\",\"largest\":1.0,\"of\":4,\"place\":[1,1],\
         \"second\":5.0}\n",
    );
    scratch
        .sh("echo 'a 1 2 3' > v; echo 'a 1 2 4' > w; table-diff v w")
        .fails_with(1)
        .stdout_is("a: 1 of 3 numbers differs; the largest difference is 1.000000 at place 2: 3, and 4\n");
}

#[test]
fn numbers_may_differ_as_far_as_is_said() {
    let scratch = tables();
    scratch.write("x", "a [ 1 100 nan inf ]\n").write("y", "a [ 1.5 101 nan inf ]\n").write("z", "a [ 1 100 nan 2 ]\n");
    for (options, status) in [
        ("", 1),
        ("--atol=0.9", 1),
        ("--atol=1", 0),
        ("--rtol=0.3", 1),
        ("--rtol=0.34", 0),
        ("--rtol=0.01 --atol=0.5", 0),
    ] {
        let ran = scratch.sh(&format!("table-diff {options} x y"));
        ran.fails_with(status);
    }
    scratch
        .sh("table-diff --atol=100 x z")
        .fails_with(1)
        .stdout_is("a: 1 of 4 numbers differs; the largest difference is inf at place 3: inf, and 2\n");
    scratch.sh("table-diff --atol=-1 x y").fails_with(255).stderr_has("expected --atol to be 0 or more, got -1");
}

#[test]
fn types_sizes_and_words_are_told() {
    let scratch = tables();
    scratch.sh("table-diff feats.ark ali.ark").fails_with(1).stdout_is("the types differ: matrix, and int32-vector\n");
    scratch.write("x", "a [ 1 2\n 3 4 ]\n").write("y", "a [ 1 2 3\n 4 5 6 ]\n");
    scratch.sh("table-diff x y").fails_with(1).stdout_is("a: sizes differ: 2x2, and 2x3\n");
    scratch.write("v", "a one two\n").write("w", "a one three words\n");
    scratch.sh("table-diff v w").fails_with(1).stdout_is("a: words differ from word 1 on: \"two\", and \"three\"\n");
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let scratch = tables();
    scratch.sh("head -c 70 feats.ark > cut.ark; table-diff feats.ark cut.ark").fails_with(255).stderr_has("cut.ark:");
    scratch.sh("table-diff . feats.ark").fails_with(255).stderr_has("is a folder");
    for names in ["- -", "ark:- ark,t:-", "- ''"] {
        scratch
            .sh(&format!("cat feats.ark | table-diff {names}"))
            .fails_with(255)
            .stderr_has("both tables are standard input, which can be read only once");
    }
    scratch.sh("cat feats.ark | table-diff - feats.ark").succeeds().stdout_is("");
}

#[test]
fn differences_are_the_same_for_any_number_of_threads() {
    let scratch = tables();
    let matrix = |number: usize, value: usize| format!("utt{number:04} [ 1 2\n {value} 4 ]\n");
    let one: String = (0..3000).map(|number| matrix(number, number)).collect();
    // Some numbers differ; near the end some keys are only in one of them, and the order differs.
    let other = (0..3000).map(|number| matrix(if number == 2500 { 9999 } else { number }, number - number % 100 / 99));
    scratch.write("x", one).write("y", other.rev().skip(10).collect::<Vec<_>>().into_iter().rev().collect::<String>());
    scratch.sh("copy-matrix ark:x ark:x.ark; copy-matrix ark:y ark,scp:y.ark,y.scp").succeeds();
    for pair in ["x y", "x.ark y.scp", "x 'cat y.ark |'", "--by-key y.scp x.ark"] {
        let diff = |threads: usize| scratch.sh(&format!("table-diff --num-threads={threads} {pair}"));
        let one = diff(1).fails_with(1);
        assert_eq!(one.stdout().lines().count(), 29 + 12, "{pair}");
        for threads in [2, 5] {
            diff(threads).fails_with(1).stdout_is(one.stdout());
        }
    }
}

#[test]
fn a_value_that_cannot_be_read_is_named_and_the_others_are_compared() {
    let scratch = tables();
    scratch.sh("sed 's/b feats/b nowhere/' feats.scp > f.scp").succeeds();
    for pair in ["feats.scp f.scp", "f.scp feats.ark", "f.scp f.scp", "--by-key f.scp feats.scp"] {
        let ran = scratch.sh(&format!("table-diff {pair}")).fails_with(1).stderr_has("Compared 2 values");
        ran.stdout_has("f.scp:2: b: cannot open nowhere.ark");
    }
    // In another order, too; and the key is in both tables.
    let ran = scratch.sh("tac f.scp > r.scp; table-diff --by-key r.scp feats.scp").fails_with(1);
    ran.stdout_has("b: cannot open nowhere.ark").stderr_has("Compared 2 values, found 1 differences");
    scratch
        .sh("table-diff --json f.scp feats.scp")
        .fails_with(1)
        .stdout_has("\"difference\":\"unreadable\",\"key\":\"b\"");
}

#[test]
fn tables_in_another_order_take_little_memory() {
    let scratch = Scratch::new();
    let lines =
        |numbers: &mut dyn Iterator<Item = u32>| numbers.map(|n| format!("utt{n:06} {n}\n")).collect::<String>();
    scratch.write("x", lines(&mut (0..200_000))).write("y", lines(&mut (0..200_000).rev()));
    // It took more than 220 MB.
    scratch
        .sh("ulimit -v 600000; table-diff --num-threads=1 --by-key x y")
        .succeeds()
        .stderr_has("Compared 200000 values");
}

#[test]
fn single_values_have_no_key() {
    let scratch = Scratch::new();
    scratch.write("x.mat", " [\n 1 2\n 3 4 ]\n").write("y.mat", " [\n 1 2\n 3 5 ]\n").write("z.mat", " [\n 1 2 ]\n");
    scratch
        .sh("table-diff x.mat y.mat")
        .fails_with(1)
        .stdout_is("1 of 4 numbers differs; the largest difference is 1.000000 at row 1, column 1: 4, and 5\n");
    scratch.sh("table-diff x.mat z.mat").fails_with(1).stdout_is("sizes differ: 2x2, and 1x2\n");
}

#[test]
fn models_are_compared_by_their_words_and_numbers() {
    let scratch = Scratch::new();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/data/models");
    scratch.sh(&format!("cp '{data}'/mono.mdl '{data}'/tri.mdl '{data}'/ubm.gmm .; chmod u+w *")).succeeds();
    scratch.sh("gmm-copy --binary=false mono.mdl text.mdl").succeeds();
    for pair in ["mono.mdl mono.mdl", "mono.mdl text.mdl", "ubm.gmm ubm.gmm"] {
        scratch.sh(&format!("table-diff {pair}")).succeeds().stdout_is("").stderr_has("Compared 1 values, found 0");
    }
    // A weight, and what depends on it.
    scratch.sh("awk '/<WEIGHTS>/ && !done { $3 = $3 + 0.25; done = 1 } { print }' text.mdl > other.mdl").succeeds();
    let ran = scratch.sh("table-diff mono.mdl other.mdl").fails_with(1);
    ran.stdout_has("2 of 378 numbers differ; the largest difference is 0.250000 at place 281: 1, and 1.25");
    scratch.sh("table-diff --atol=0.3 mono.mdl other.mdl").succeeds();
    let ran = scratch.sh("table-diff --json mono.mdl other.mdl").fails_with(1);
    ran.stdout_has("{\"count\":2,\"difference\":\"numbers\",\"first\":");
    scratch.sh("table-diff mono.mdl tri.mdl").fails_with(1).stdout_has("words differ from word ");
    scratch.sh("table-diff mono.mdl ubm.gmm").fails_with(1).stdout_has("the types differ: ");
    // What text does not show counts without a tolerance.
    let mut near = scratch.read("ubm.gmm");
    let weights = near.windows(9).position(|bytes| bytes == b"<WEIGHTS>").unwrap();
    // The last bit of the first number, after the type and the size of the vector.
    near[weights + 9 + 1 + 3 + 5] ^= 1;
    scratch.write("near.gmm", near);
    scratch.sh("table-diff ubm.gmm near.gmm").fails_with(1).stdout_has("differ");
    scratch.sh("table-diff --rtol=1e-5 ubm.gmm near.gmm").succeeds();
    scratch.sh("echo 'a 1' > x; table-diff mono.mdl x").fails_with(255).stderr_has("mono.mdl is a model");
}

#[test]
fn data_directories_are_compared_file_by_file() {
    let scratch = tables();
    let made = "mkdir old new && cp feats.scp text old && cp feats.scp text new && copy-feats ark:feats.ark ark,scp:g.ark,new/feats.scp && \
                printf 'a s\\nb s\\n' > old/utt2spk && printf 'a s\\nb t\\n' > new/utt2spk && printf 's m\\n' > old/spk2gender";
    scratch.sh(made).succeeds();
    let ran = scratch.sh("table-diff old new").fails_with(1);
    ran.stdout_is(
        "utt2spk: b: words differ from word 0 on: \"s\", and \"t\"\nspk2gender: only in the first directory\n",
    );
    scratch
        .sh("table-diff --json old new")
        .fails_with(1)
        .stdout_has("\"file\":\"utt2spk\"")
        .stdout_has("{\"difference\":\"only-in-first\",\"file\":\"spk2gender\"}\n");
    scratch.sh("table-diff old old").succeeds().stdout_is("").stderr_has("found 0 differences");
    // Features that are elsewhere and the same are equal; others are not.
    scratch.sh("cp old/* new; copy-matrix --scale=2 ark:feats.ark ark,scp:h.ark,new/feats.scp").succeeds();
    let ran = scratch.sh("table-diff old new").fails_with(1);
    ran.stdout_has("feats.scp: ").stdout_has("numbers differ; the largest difference is");
    scratch.sh("mkdir none; table-diff old none").fails_with(255).stderr_has("none is a folder without wav.scp");
    scratch.sh("table-diff old feats.scp").fails_with(255).stderr_has("old is a folder: expected a table");
}
