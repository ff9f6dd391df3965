use bstr::ByteSlice;

use super::tables;
use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive};
use crate::support::tar::tar;
use crate::support::wave::wave;

#[test]
fn a_sound_table_has_no_line() {
    let scratch = tables();
    let names = "feats.ark feats.scp ark:feats.ark scp:feats.scp ali.ark text utt2spk wav.scp a.wav";
    for quick in ["", "--quick"] {
        let ran = scratch.sh(&format!("table-check {quick} {names}"));
        ran.succeeds().stdout_is("").stderr_has("found 0 faults");
    }
    scratch.sh("cat feats.ark | table-check -").succeeds().stdout_is("");
}

#[test]
fn what_cannot_be_opened_is_status_255() {
    tables().sh("table-check nowhere").fails_with(255).stdout_is("").stderr_has("cannot open nowhere");
}

/// What is found in a table, and with `--quick`.
#[track_caller]
fn finds(scratch: &Scratch, table: &str, faults: &str, quick_faults: &str) {
    let ran = scratch.sh(&format!("table-check {table}"));
    ran.fails_with(1).stdout_is(faults);
    let ran = scratch.sh(&format!("table-check --quick {table}"));
    ran.fails_with(i32::from(!quick_faults.is_empty())).stdout_is(quick_faults);
}

#[test]
fn keys_have_to_be_sorted_and_there_once() {
    let scratch = tables();
    scratch.write("t", "b 1\na 2\na 3\n");
    let faults = "t: a: keys are not sorted: it comes after b\nt: a: the key was there before\n";
    finds(&scratch, "t", faults, faults);
    scratch.sh("(tail -n 1 feats.scp; head -n 1 feats.scp) > s.scp").succeeds();
    let faults = "s.scp: a: keys are not sorted: it comes after c\n";
    finds(&scratch, "s.scp", faults, faults);
}

#[test]
fn matrices_have_to_have_the_same_columns() {
    let scratch = tables();
    scratch.write("t", "a [ 1 2\n 3 4 ]\nb [ 1\n 2 ]\nc [ ]\nd [ 1 2\n 3 4 ]\n");
    let faults = "t: b: expected 2 columns as in a, got 1\nt: c: the matrix has no rows\n";
    finds(&scratch, "t", faults, faults);
}

#[test]
fn numbers_have_to_be_finite() {
    let scratch = tables();
    scratch.write("t", "a [ 1 2\n inf nan ]\nb [ 0 0\n 0 0 ]\n").write("v", "a [ 1 nan ]\nb [ -inf 2 ]\n");
    finds(&scratch, "t", "t: a: 2 of 4 values are not finite; the first, at row 1, column 0, is infinite\n", "");
    let faults = "v: a: 1 of 2 values are not finite; the first, at place 1, is not a number\n\
                  v: b: 1 of 2 values are not finite; the first, at place 0, is infinite\n";
    finds(&scratch, "v", faults, "");
}

#[test]
fn an_archive_has_to_be_whole_and_of_one_type() {
    let scratch = tables();
    scratch.sh("head -c 70 feats.ark > cut.ark").succeeds();
    let ran = scratch.sh("table-check --quick cut.ark feats.ark").fails_with(1);
    let found = String::from_utf8(ran.stdout().to_vec()).unwrap();
    assert!(found.starts_with("cut.ark: c: cut.ark:") && found.lines().count() == 1, "{found}");
    scratch.sh("cat feats.ark ali.ark > both.ark; table-check both.ark").fails_with(1).stderr_has("found 1 faults");
    scratch.sh("table-check --type=vector feats.ark").fails_with(1);
}

#[test]
fn every_line_of_a_script_file_is_looked_at() {
    let scratch = tables();
    scratch.sh("(echo 0 nowhere; cat feats.scp; echo d; echo e feats.ark:3; echo f exit 3 \\|) > x.scp").succeeds();
    scratch.sh("table-check x.scp | sed 's/got .*/got .../'").fails_with(1).stdout_is(
        "x.scp: 0: cannot open nowhere: No such file or directory\n\
         x.scp: line 5: expected a key and a file name, got ...\n\
         x.scp: e: feats.ark:3: expected \"[\", got ...\n\
         x.scp: f: Pipe exit 3 | had nonzero return status: exit status 3\n",
    );
}

#[test]
fn lines_of_a_script_file_lead_to_the_values_of_their_keys() {
    let scratch = tables();
    let swap = "awk '{ keys[NR] = $1; places[NR] = $2 } END { print keys[1], places[2]; print keys[2], places[1]; print keys[3], \
                places[3] }' feats.scp > swapped.scp";
    scratch.sh(swap).succeeds();
    let faults = "swapped.scp: a: feats.ark:43 is the value of b in its archive\n\
                  swapped.scp: b: feats.ark:2 is the value of a in its archive\n";
    finds(&scratch, "swapped.scp", faults, faults);
    // Names that the archive does not have are new names, and two names for one value are meant.
    scratch.sh("sed 's/^/x-/' feats.scp > renamed.scp; cat feats.scp renamed.scp > both.scp").succeeds();
    scratch.sh("table-check renamed.scp both.scp").succeeds().stdout_is("");
}

#[test]
fn json_has_table_place_and_fault() {
    let scratch = tables();
    scratch.write("t", "b 1\na 2\n");
    let line = "{\"fault\":\"keys are not sorted: it comes after b\",\"place\":\"a\",\"table\":\"t\"}\n";
    scratch.sh("table-check --json t").fails_with(1).stdout_is(line);
}

/// A sound data directory.
fn directory() -> Scratch {
    let scratch = tables();
    scratch.write("utt2spk", "a x\nb x\nc y\n").write("spk2utt", "x a b\ny c\n");
    scratch.write("text", "a one\nb two words\nc three\n");
    scratch.write("segments", "a rec 0 0.1\nb rec 0.1 0.2\nc rec 0.2 0.3\n");
    scratch.sh("rm -f *.ark.tmp; table-check .").succeeds().stdout_is("");
    scratch
}

#[test]
fn a_data_directory_has_to_have_its_files() {
    let scratch = directory();
    scratch
        .sh("rm text feats.scp; table-check . | sort")
        .fails_with(1)
        .stdout_is("./feats.scp: there is no such file\n./text: there is no such file\n");
    scratch.sh("table-check --no-text --no-feats .").succeeds().stdout_is("");
    scratch
        .sh("rm wav.scp segments spk2utt; table-check --no-text --no-feats --no-wav .")
        .fails_with(1)
        .stdout_is("./spk2utt: there is no such file\n");
    scratch.sh("mkdir empty; table-check empty").fails_with(255).stderr_has("expected a data directory");
}

#[test]
fn all_faults_of_a_data_directory_are_told() {
    for (file, content, faults) in [
        ("utt2spk", "a x\nb y\nc y\n", "./spk2utt: x: utterance b has speaker y in utt2spk\n"),
        (
            "utt2spk",
            "a x\nb x\n",
            "./spk2utt: y: utterance c is not in utt2spk\n\
          ./segments: c: the key is not in utt2spk\n./text: c: the key is not in utt2spk\n\
          ./feats.scp: c: the key is not in utt2spk\n",
        ),
        (
            "spk2utt",
            "x a b\ny c a\n",
            "./spk2utt: y: utterance a has speaker x in utt2spk\n\
          ./spk2utt: y: utterance a was there before\n",
        ),
        ("spk2utt", "x a\ny c\n", "./spk2utt: b: the utterance is missing\n"),
        ("text", "a one\nc three\n", "./text: b: the key is missing, which utt2spk has\n"),
        ("text", "a one\nb\nc three\n", "./text: b: expected something after the key, got \"\"\n"),
        (
            "text",
            "a one\n\nb <s> x\nc three\n",
            "./text: line 2: the line is empty\n\
          ./text: b: the text has the word <s>, which language models reserve\n",
        ),
        (
            "segments",
            "a rec 0 0.3\nb other 0.3 0.4\nc rec 2 1\n",
            "./segments: c: expected a recording, its start, a later end, and a channel if there are several after the key, got \"rec 2 1\"\n\
           ./segments: b: recording other is not in wav.scp\n",
        ),
        (
            "wav.scp",
            "rec ~/a.wav\n",
            "./wav.scp: rec: ~ is not replaced in script files: write the whole name\n\
          ./wav.scp: rec: cannot open ~/a.wav: No such file or directory (the shell replaces ~ only at the start of a word; \
          write $HOME instead)\n",
        ),
        ("wav.scp", "rec a.wav\nrex cat a.wav |\n", "./wav.scp: rex: the recording has no segment\n"),
        (
            "utt2num_frames",
            "a 3\nb 7\nc x\n",
            "./utt2num_frames: c: expected a number of frames after the key, got \"x\"\n\
          ./feats.scp: b: it has 1 frames, and 7 in utt2num_frames\n",
        ),
        ("utt2dur", "a 0.5\nb -1\nc 1\n", "./utt2dur: b: expected a number above 0 after the key, got \"-1\"\n"),
        ("spk2gender", "x m\ny w\n", "./spk2gender: y: expected m or f after the key, got \"w\"\n"),
        (
            "segments",
            "a rec 0 0.1 0\nb rec 0.48 -1.5\nc rec 0.2 0.3 A\n",
            "./segments: b: expected a recording, its start, a later end, and a channel if there are several after the key, got \"rec 0.48 -1.5\"\n\
          ./segments: c: expected a recording, its start, a later end, and a channel if there are several after the key, got \"rec 0.2 0.3 A\"\n",
        ),
        ("spk2utt", "x b a\ny c\n", "./spk2utt: x: utterance a comes after b, but before it in utt2spk\n"),
        (
            "spk2warp",
            "x 0.5\ny 1.5\n",
            "./spk2warp: x: expected a number between 0.5 and 1.5 after the key, got \"0.5\"\n\
          ./spk2warp: y: expected a number between 0.5 and 1.5 after the key, got \"1.5\"\n",
        ),
        (
            "utt2warp",
            "a 1\nb 1.1\nc x\n",
            "./utt2warp: c: expected a number between 0.5 and 1.5 after the key, got \"x\"\n",
        ),
        (
            "text",
            "a one\r\nb two\nc three\r\n",
            "./text: line 1: 2 lines end with a carriage return before the line end; this is the first\n",
        ),
        ("text", "a one\nb two\nc three", "./text: line 3: the last line has no line end\n"),
        (
            "text",
            "a one\nb two\u{a0}x\nc three\n",
            "./text: b: the text has the character U+00A0; words have spaces between them\n",
        ),
        (
            "text",
            "a one\nb \u{fffe}x\nc three\n",
            "./text: b: the text has the character U+FFFE; words have spaces between them\n",
        ),
        (
            "utt2lang",
            "a en\nb\nc en x\n",
            "./utt2lang: b: expected one word after the key, got \"\"\n./utt2lang: c: expected one word after the key, got \"en x\"\n",
        ),
        (
            "reco2file_and_channel",
            "rec file C\n",
            "./reco2file_and_channel: rec: expected a file and channel A or B after the key, got \"file C\"\n",
        ),
        (
            "utt2uniq",
            "a a\n",
            "./utt2uniq: b: the key is missing, which utt2spk has\n\
          ./utt2uniq: c: the key is missing, which utt2spk has\n",
        ),
        (
            "cmvn.scp",
            "x nowhere\n",
            "./cmvn.scp: y: the key is missing, which spk2utt has\n\
          ./cmvn.scp: x: cannot open nowhere: No such file or directory\n",
        ),
    ] {
        let scratch = directory();
        scratch.write(file, content);
        scratch.sh("table-check .").fails_with(1).stdout_is(faults);
    }
}

#[test]
fn a_segment_may_end_with_its_recording() {
    let scratch = directory();
    scratch.write("segments", "a rec 0 0.1 0\nb rec 0.1 -1\nc rec 0.2 -1.0 0\n");
    scratch.sh("rm feats.scp && table-check --no-feats .").succeeds().stdout_is("");
}

/// A data directory of four seconds of sound, with features of 98 frames and alignments of 33 labels.
fn directory_with_alignments() -> Scratch {
    let scratch = Scratch::new();
    let keys = ["a", "b", "c", "d"];
    let list = |line: &dyn Fn(&str) -> String| keys.map(line).concat();
    scratch.write("x.wav", wave(8000, &[&[1; 8000]])).write("wav.scp", list(&|key| format!("{key} x.wav\n")));
    scratch.write("utt2spk", list(&|key| format!("{key} x\n"))).write("spk2utt", "x a b c d\n");
    scratch.write("text", list(&|key| format!("{key} word\n")));
    let frames = |rows: usize| Sample::Matrix(vec![vec![1.0]; rows]);
    scratch.write("feats.ark", binary_archive(&keys.map(|key| (key, frames(if key == "b" { 60 } else { 98 })))));
    let labels = |key| Sample::Ints(vec![1; if key == "b" { 20 } else { 33 }]);
    scratch.write("ali.1.ark", binary_archive(&keys.map(|key| (key, labels(key)))));
    scratch.sh("ark-to-scp feats.ark feats.scp && gzip ali.1.ark && mv ali.1.ark.gz ali.1.gz").succeeds();
    scratch
}

#[test]
fn the_lengths_of_sound_features_and_alignments_have_to_agree() {
    let scratch = directory_with_alignments();
    let frames = "./feats.scp: b: it has 60 frames, and its sound lasts 1.000 s, for about 100 frames\n";
    for quick in ["", "--quick"] {
        scratch.sh(&format!("table-check {quick} .")).fails_with(1).stdout_is(frames);
    }
    scratch.write("ali.2.ark", binary_archive(&[("c", Sample::Ints(vec![1; 20]))]));
    scratch.write("words.ctm", "d 1 0.2 0.3 word\nd 1 0.9 0.5 word\na 1 0.9 0.15 word\n");
    let labels = "./ali.2.ark: c: it has 20 labels, and its features have 98 frames, for about 33 labels\n";
    let word = "./words.ctm: d: a word ends 0.400 s after the sound\n";
    scratch.sh("table-check .").fails_with(1).stdout_is(format!("{frames}{labels}{word}"));
    // Parts of recordings. Of what a command gives, only the segments are known.
    scratch.write("wav.scp", "rec x.wav\nrex cat x.wav |\n");
    scratch.write("segments", "a rec 0 1\nb rec 0 1.2\nc rex 0 1\nd rec 0.02 1.04\n");
    let segment = "./segments: b: it ends 0.200 s after the sound\n";
    let word = "./words.ctm: d: a word ends 0.420 s after the sound\n";
    scratch.sh("table-check .").fails_with(1).stdout_is(format!("{segment}{frames}{labels}{word}"));
    scratch.write("words.ctm", "rec 1 0.9 0.5 word\nother 1 9 9 word\n");
    let word = "./words.ctm: rec: a word ends 0.400 s after the sound\n";
    scratch.sh("table-check .").fails_with(1).stdout_is(format!("{segment}{frames}{labels}{word}"));
    // An alignment has to be one.
    scratch.write("ali.2.ark", "c x y\n");
    scratch.sh("table-check . | grep -c ali.2.ark").fails_with(1).stdout_is("1\n");
}

#[test]
fn letters_of_scripts_that_other_texts_do_not_have_are_told() {
    let scratch = Scratch::new();
    let list = |line: &dyn Fn(usize) -> String| (0..150).map(line).collect::<String>();
    scratch.write("utt2spk", list(&|at| format!("u{at:03} x\n")));
    scratch.write("spk2utt", format!("x{}\n", list(&|at| format!(" u{at:03}"))));
    let text = |at| match at {
        7 => "u007 a w\u{43e}rd \u{200b}\n".to_owned(),
        8 => "u008 caf\u{e9} \u{201e}5\u{201c}\n".to_owned(),
        _ => format!("u{at:03} a word\n"),
    };
    scratch.write("text", list(&text));
    let fault = "./text: u007: the text has characters that other texts do not have: U+043E U+200B\n";
    scratch.sh("table-check --no-wav --no-feats .").fails_with(1).stdout_is(fault);
    scratch
        .sh("table-report --write-json=r.json . p.html && grep -c '\"U+043E U+200B\"' r.json")
        .succeeds()
        .stdout_is("1\n");
}

#[test]
fn shards_are_checked() {
    let scratch = Scratch::new();
    let good = wave(8000, &[&[1; 800]]);
    scratch.write("a.tar", tar(&[("b.wav", &good), ("b.txt", b"x"), ("a.wav", &good), ("c.wav", b"no sound")]));
    let found = scratch.sh("table-check shard:a.tar").fails_with(1);
    let found = String::from_utf8_lossy(found.stdout()).into_owned();
    assert!(
        found.starts_with("shard:a.tar: a: keys are not sorted: it comes after b\nshard:a.tar: c: a.tar:"),
        "{found}"
    );
}

#[test]
fn speakers_begin_the_names_of_utterances() {
    let scratch = directory();
    scratch.write("utt2spk", "a y\nb x\nc y\n").write("spk2utt", "x b\ny a c\n");
    let fault =
        "./utt2spk: b: speaker x comes after speaker y: names of utterances have to start with that of the speaker\n";
    scratch.sh("table-check .").fails_with(1).stdout_is(fault);
}

#[test]
fn a_file_that_cannot_be_opened_is_one_fault() {
    let scratch = Scratch::new();
    scratch.write("x.scp", "a gone.ark:2\nb gone.ark:9\nc gone.ark:20\nd other.ark:2\n");
    scratch.sh("table-check x.scp").fails_with(1).stdout_is(
        "x.scp: a: cannot open gone.ark:2: No such file or directory\n\
         x.scp: d: cannot open other.ark:2: No such file or directory\n\
         x.scp: 2 more lines lead into gone.ark, which cannot be opened\n",
    );
}

#[test]
fn faults_are_the_same_for_any_number_of_threads() {
    let scratch = tables();
    let matrix = |number: usize| match number % 70 {
        3 => format!("utt{number:04} [ 1 nan\n inf {number} ]\n"),
        5 => format!("utt{number:04} [ 1 2 3 ]\n"),
        7 => format!("utt{:04} [ 1 {number} ]\n", number - 2),
        _ => format!("utt{number:04} [ 1 2\n 3 {number} ]\n"),
    };
    scratch.write("t", (0..3000).map(matrix).collect::<String>());
    scratch.sh("copy-matrix ark:t ark,scp:whole.ark,t.scp; head -c -3 whole.ark > t.ark").succeeds();
    scratch.sh("head -c 60000 t.ark > whole.ark").succeeds();
    for table in ["t", "t.ark", "t.scp", "'cat t.ark |'"] {
        let check = |threads: usize| scratch.sh(&format!("table-check --num-threads={threads} {table}"));
        let one = check(1).fails_with(1);
        assert!(one.stdout().lines().count() > 100, "{table}");
        for threads in [2, 5] {
            check(threads).fails_with(1).stdout_is(one.stdout());
        }
    }
}

#[test]
fn bytes_after_the_value_of_a_file_are_a_fault() {
    let scratch = super::tables();
    scratch.sh("copy-matrix feats.ark:2 m.mat; copy-matrix --binary=false feats.ark:2 m.txt").succeeds();
    scratch.sh("printf 'v  [ 1 2 ]\\n' > v.txt; copy-vector ark:v.txt ark:v.ark; tail -c +3 v.ark > v.vec").succeeds();
    scratch.write("tree", "ContextDependency 1 0 ToPdf SE -1 [ 0 ]\n{ CE 0 CE 0 }\nEndContextDependency \n");
    for (name, rest, bytes) in [
        ("m.mat", "cat m.mat", 39),
        ("m.mat", "printf x", 1),
        ("m.mat", "printf '\\n'", 1),
        ("m.txt", "echo junk", 5),
        ("v.vec", "cat v.vec", 18),
        ("tree", "printf more", 5),
    ] {
        scratch.sh(&format!("cp {name} x; table-check x")).succeeds().stdout_is("");
        let ran = scratch.sh(&format!("(cat {name}; {rest}) > x; table-check x")).fails_with(1);
        ran.stdout_has(&format!("{bytes} bytes follow the value, from byte "));
        scratch.sh("table-check --quick x").fails_with(1).stdout_has("bytes follow the value");
        scratch.sh("gzip -k -f x; table-check x.gz").fails_with(1).stdout_has("bytes follow the value");
    }
    // White space may follow text.
    scratch.sh("(cat m.txt; echo; echo ' ') > x; table-check x").succeeds();
    // Lines of script files lead to such files, too; those that lead into archives have other values after them.
    scratch
        .sh("(cat m.mat; printf xyz) > x; echo 'a x' > x.scp; table-check x.scp")
        .fails_with(1)
        .stdout_has("a: 3 bytes follow");
    scratch.sh("table-check feats.scp feats.ark").succeeds();
}
