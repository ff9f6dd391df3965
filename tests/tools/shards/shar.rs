//! Shar folders of lhotse: `make-shar`, `index-shards`, `shar:`, and as sources of `make-data-dir`.

use super::sound;
use crate::support::wave::{samples, wave};
use crate::support::{Scratch, tool};

/// A data directory of four utterances, the last with two channels, with features of the first two.
fn data() -> Scratch {
    let scratch = Scratch::new();
    scratch.sh("mkdir data").succeeds();
    for number in 1..4 {
        scratch.write(&format!("{number}.wav"), sound(8000 * number));
    }
    let [left, right] = [[1_i16; 1600], [-2; 1600]];
    scratch.write("4.wav", wave(8000, &[&left, &right]));
    scratch.write("data/wav.scp", "s-1 1.wav\ns-2 2.wav\nt-3 cat 3.wav |\nt-4 4.wav\n");
    scratch.write("data/utt2spk", "s-1 s\ns-2 s\nt-3 t\nt-4 t\n");
    scratch.write("data/text", "s-1 hello \"w\u{f6}rld\"\ns-2 two\nt-3 \u{4e09}\nt-4 four\n");
    scratch.write("data/utt2lang", "s-1 en\ns-2 de\n").write("data/spk2gender", "s f\nt m\n");
    scratch.write("data/utt2snr", "s-1 1.5\ns-2 2\n").write("data/utt2votes", "s-1 1 2\ns-2 3\nt-3 4\nt-4 5\n");
    scratch
        .sh("head -n 2 data/wav.scp | compute-fbank-feats --dither=0 scp:- ark,scp:feats.ark,data/feats.scp")
        .succeeds();
    scratch
}

fn text(scratch: &Scratch, name: &str) -> String {
    String::from_utf8(scratch.read(name)).unwrap()
}

#[test]
fn arguments_are_checked() {
    tool("index-shards").assert().code(1).stdout("");
    let scratch = data();
    scratch
        .sh("make-shar --num-utts-per-shard=0 data s")
        .fails_with(255)
        .stderr_has("--num-utts-per-shard to be 1 or more");
    scratch.sh("make-shar --audio=mp3 data s").fails_with(255).stderr_has("wav");
    scratch.sh("make-shar absent s").fails_with(255).stderr_has("absent/");
    scratch.write("data/frame_shift", "x\n");
    scratch.sh("make-shar data s").fails_with(255).stderr_has("data/frame_shift: expected a number of seconds above 0");
    scratch.sh("ls s").fails_with(2);
}

#[test]
fn cuts_have_what_the_data_directory_says() {
    let scratch = data();
    scratch
        .sh("make-shar --num-utts-per-shard=3 data s")
        .succeeds()
        .stderr_has("Wrote 4 cuts to 2 files of cuts, skipped 0.");
    scratch.sh("ls s").succeeds().stdout_is(
        "cuts.000000.jsonl.gz\ncuts.000001.jsonl.gz\nfeatures.000000.tar\nfeatures.000001.tar\nrecording.000000.tar\n\
         recording.000001.tar\n",
    );
    let recording = "{\"id\": \"s-1\", \"sources\": [{\"type\": \"shar\", \"channels\": [0], \"source\": \"\"}], \
        \"sampling_rate\": 16000, \"num_samples\": 8000, \"duration\": 0.5, \"channel_ids\": [0]}";
    let cut = format!(
        "{{\"id\": \"s-1\", \"start\": 0, \"duration\": 0.5, \"channel\": 0, \"supervisions\": [{{\"id\": \"s-1\", \
         \"recording_id\": \"s-1\", \"start\": 0.0, \"duration\": 0.5, \"channel\": 0, \"text\": \"hello \\\"w\u{f6}rld\\\"\", \
         \"language\": \"en\", \"speaker\": \"s\", \"gender\": \"f\"}}], \"features\": {{\"type\": \"fbank\", \"num_frames\": 48, \
         \"num_features\": 23, \"frame_shift\": 0.01, \"sampling_rate\": 16000, \"start\": 0, \"duration\": 0.5, \"storage_type\": \
         \"shar\", \"storage_path\": \"\", \"storage_key\": \"\", \"recording_id\": \"s-1\", \"channels\": 0}}, \"recording\": \
         {recording}, \"custom\": {{\"snr\": 1.5, \"votes\": [1, 2]}}, \"type\": \"MonoCut\"}}\n"
    );
    scratch.sh("zcat s/cuts.000000.jsonl.gz | head -n 1").succeeds().stdout_is(cut);
    scratch
        .sh("tar -tf s/recording.000000.tar")
        .succeeds()
        .stdout_is("s-1.wav\ns-1.json\ns-2.wav\ns-2.json\nt-3.wav\nt-3.json\n");
    scratch.sh("tar -xOf s/recording.000000.tar s-1.json").succeeds().stdout_is(format!("{recording}\n"));
    scratch.sh("tar -xOf s/recording.000000.tar t-3.wav").succeeds().stdout_is(sound(24000));
    scratch
        .sh("tar -tf s/features.000000.tar | tr '\\n' ' '")
        .succeeds()
        .stdout_is("s-1.npy s-1.json s-2.npy s-2.json t-3.nodata t-3.nometa ");
    scratch.sh("zcat s/cuts.000001.jsonl.gz").succeeds().stdout_has("\"channel\": [0, 1]").stdout_has("\"MultiCut\"");
    // The numbers of the features are those of the archive.
    scratch.sh("tar -xf s/features.000000.tar s-2.npy && table-import s-2.npy ark:- | copy-feats ark:- ark,t:- | tail -n +2 > got").succeeds();
    scratch.sh("tail -n 1 data/feats.scp | copy-feats scp:- ark,t:- | tail -n +2 | cmp - got").succeeds();
}

#[test]
fn features_in_compressed_tars_are_copied() {
    let scratch = data();
    // An utterance is a part of the features, and the order of the cuts is not that of names.
    scratch
        .sh("sed -i '1{h;d};2{G}' data/utt2spk && make-shar data s && make-data-dir --split-channels s plain")
        .succeeds();
    scratch.sh("gzip s/*.tar && make-data-dir --split-channels s packed").succeeds();
    scratch
        .sh("for d in plain packed; do copy-feats scp:$d/feats.scp ark:$d.ark; done; cmp plain.ark packed.ark")
        .succeeds();
    scratch.sh("copy-feats scp:plain/feats.scp ark,t:- | grep -c s-").succeeds().stdout_is("2\n");
    scratch.sh("diff plain/text packed/text && diff plain/segments packed/segments").succeeds();
    // A tar file that is cut.
    scratch
        .sh("zcat s/features.000000.tar.gz | head -c 3000 > t && gzip t && mv t.gz s/features.000000.tar.gz")
        .succeeds();
    scratch.sh("make-data-dir --split-channels s cut").fails_with(255).stderr_has("s/features.000000.tar.gz");
}

#[test]
fn bytes_do_not_depend_on_threads_and_a_second_run_replaces_the_first() {
    let scratch = data();
    for options in ["", "--audio=flac", "--compress=none --index=lhotse"] {
        scratch
            .sh(&format!("rm -rf a b; make-shar --num-threads=1 --num-utts-per-shard=1 {options} data a"))
            .succeeds();
        scratch.sh(&format!("make-shar --num-threads=4 --num-utts-per-shard=1 {options} data b")).succeeds();
        scratch.sh("diff -r a b").succeeds();
        scratch.sh(&format!("make-shar --num-utts-per-shard=1 {options} data a && diff -r a b")).succeeds();
    }
    // Fewer files than before, since sound is missing.
    scratch.sh("rm 1.wav; make-shar --compress=none --index=lhotse --num-utts-per-shard=1 data a").succeeds();
    scratch.sh("ls a | grep -c 000003").fails_with(1);
    // What would stay would be a field.
    let other = "lhotse takes every file of a Shar folder for a field";
    scratch.sh("make-shar data a").fails_with(255).stderr_has("got cuts.000000.jsonl").stderr_has(other);
    scratch.sh("mkdir c; touch c/notes; make-shar data c").fails_with(255).stderr_has("got notes").stderr_has(other);
}

#[test]
fn sound_is_wav_flac_or_as_it_is() {
    let scratch = data();
    scratch.sh("make-shar data w && make-shar --audio=flac data f && make-shar --audio=copy data c").succeeds();
    let expected = scratch.sh("wav-copy scp:data/wav.scp ark:-").succeeds();
    for folder in ["w", "f", "c"] {
        scratch.sh(&format!("wav-copy shar:{folder} ark:-")).succeeds().stdout_is(expected.stdout());
    }
    scratch.sh("tar -tf f/recording.000000.tar | grep -c flac").succeeds().stdout_is("4\n");
    // FLAC keeps its bytes where it is wanted, and where files are copied.
    scratch.sh("wav-copy --format=flac 1.wav x.flac; sed -i 's/1.wav/x.flac/' data/wav.scp").succeeds();
    for folder in ["f", "c"] {
        let audio = if folder == "f" { "flac" } else { "copy" };
        scratch.sh(&format!("make-shar --audio={audio} data {folder}")).succeeds();
        scratch.sh(&format!("tar -xOf {folder}/recording.000000.tar s-1.flac | cmp - x.flac")).succeeds();
    }
    // Samples of 24 bits are rounded, and that is told.
    let fine: Vec<u8> = (0..400_i32).flat_map(|at| (at * 300 + 100).to_le_bytes()[..3].to_vec()).collect();
    scratch.write("fine.wav", crate::support::signal::riff(1, 16000, 1, 24, &fine));
    scratch.sh("sed -i 's/x.flac/fine.wav/' data/wav.scp").succeeds();
    scratch
        .sh("make-shar --audio=flac data f")
        .succeeds()
        .stderr_has("the sound of 1 utterances is not as it was; the first is s-1: its samples have more than 16 bits, and are rounded");
}

#[test]
fn segments_are_cut_at_the_nearest_samples() {
    let scratch = data();
    scratch.write("data/segments", "s-1 1 0.10004 0.3\ns-2 4 0 0.1 1\nt-3 1 0.4 -1\nt-4 1 0.3 0.2\n");
    scratch.sh("sed -i 's/^.-//' data/wav.scp && rm data/feats.scp").succeeds();
    scratch.sh("make-shar data s").fails_with(255).stderr_has("data/segments");
    scratch.write("data/segments", "s-1 1 0.10004 0.3\ns-2 4 0 0.1 1\nt-3 1 0.4 -1\nt-4 1 3 4\n");
    scratch
        .sh("make-shar data s")
        .succeeds()
        .stderr_has("t-4: expected a segment within 0.5 seconds of the recording, got 3 to 4; skipping it.")
        .stderr_has("Wrote 3 cuts to 1 files of cuts, skipped 1.");
    let whole = samples(&sound(8000));
    let part =
        |name: &str| samples(scratch.sh(&format!("tar -xOf s/recording.000000.tar {name}.wav")).succeeds().stdout());
    assert_eq!(part("s-1"), whole[1601..1601 + 3199]);
    assert_eq!(part("s-2"), [-2; 800]);
    assert_eq!(part("t-3"), whole[6400..]);
    scratch
        .sh("zcat s/cuts.*.gz | grep '\"s-2\"'")
        .succeeds()
        .stdout_has("\"channel\": 1,")
        .stdout_has("\"channel_ids\": [1]");
    scratch.sh("make-shar --strict data t").fails_with(255).stderr_has("t-4: expected a segment within 0.5 seconds");
    scratch.sh("make-shar --audio=copy data t").fails_with(255).stderr_has("segments are cut");
}

#[test]
fn a_folder_and_a_file_of_cuts_are_tables() {
    let scratch = data();
    scratch.sh("make-shar --num-utts-per-shard=3 --audio=flac data s").succeeds();
    let all = scratch.sh("wav-copy scp:data/wav.scp ark:-").succeeds();
    for source in ["shar:s", "shar:s/", "bg,shar:s", "p,o,s,cs,shar:s"] {
        scratch.sh(&format!("wav-copy {source} ark:-")).succeeds().stdout_is(all.stdout());
    }
    let last = scratch.sh("tail -n 1 data/wav.scp | wav-copy scp:- ark:-").succeeds();
    scratch.sh("wav-copy shar:s/cuts.000001.jsonl.gz ark:-").succeeds().stdout_is(last.stdout());
    scratch.sh("cd s && wav-copy shar:cuts.000001.jsonl.gz ark:-").succeeds().stdout_is(last.stdout());
    let one = scratch.sh("compute-fbank-feats --channel=0 --allow-upsample --num-threads=1 shar:s ark:-").succeeds();
    scratch
        .sh("compute-fbank-feats --channel=0 --allow-upsample --num-threads=4 shar:s ark:-")
        .succeeds()
        .stdout_is(one.stdout());
    for (field, expected) in [
        ("", "s-1 hello \"w\u{f6}rld\" \ns-2 two \nt-3 \u{4e09} \nt-4 four \n"),
        (",field=text", "s-1 hello \"w\u{f6}rld\" \ns-2 two \nt-3 \u{4e09} \nt-4 four \n"),
        (",field=speaker", "s-1 s \ns-2 s \nt-3 t \nt-4 t \n"),
        (",field=gender", "s-1 f \ns-2 f \nt-3 m \nt-4 m \n"),
    ] {
        scratch.sh(&format!("table-head --type=token-vector shar{field}:s")).succeeds().stdout_is(expected);
    }
    scratch.sh("table-head shar,field=speaker:s").succeeds().stdout_is("s-1 s \ns-2 s \nt-3 t \nt-4 t \n");
    scratch.sh("compute-wer --text --mode=all shar:s ark:data/text").succeeds().stdout_has("%WER 0.00 [ 0 / 5,");
    scratch
        .sh("compute-wer --text --mode=all shar,p,field=language:s ark:data/utt2lang")
        .succeeds()
        .stderr_has("t-3: s/cuts.000000.jsonl.gz:3: expected language of the cut, got none")
        .stdout_has("%WER 0.00 [ 0 / 2,");
}

#[test]
fn what_a_shar_folder_does_not_have_is_told() {
    let scratch = data();
    scratch.sh("make-shar --compress=none data s").succeeds();
    for (command, expected) in [
        ("wav-copy shar:absent ark:-", "absent: expected a Shar folder, or a file cuts.*.jsonl.gz in one"),
        ("wav-copy shar:data ark:-", "data: expected files cuts.*.jsonl.gz in a Shar folder, got none"),
        ("copy-feats shar:s ark:-", "Shar has sound and text, and no value of type matrix"),
        ("wav-copy shar,field=target:s ark:-", "expected tar files of the field target, or a field text, speaker"),
        ("wav-copy ark:/dev/null shar:s", "shards are tables to read only"),
        ("extract-segments shar:s segments ark:-", "shards are only read in order"),
        ("table-head shar,field=language:s", "t-3: s/cuts.000000.jsonl:3: expected language of the cut, got none"),
        (
            "table-head shar,field=custom.votes:s",
            "s-1: s/cuts.000000.jsonl:1: expected text as custom.votes, got a list",
        ),
    ] {
        scratch.write("segments", "a s-1 0 0.1\n");
        scratch.sh(command).fails_with(255).stderr_has(expected);
    }
}

#[test]
fn tar_files_that_do_not_fit_the_cuts_are_errors() {
    let scratch = data();
    scratch.sh("make-shar --compress=none data s && mkdir m && cd m && tar -xf ../s/recording.000000.tar").succeeds();
    let pack = |members: &str| format!("cd m && tar -cf ../s/recording.000000.tar {members}");
    for (members, expected) in [
        (
            "s-1.wav s-1.json s-2.wav s-2.json t-3.wav t-3.json",
            "expected two members of the cut t-4, got the end of the tar file",
        ),
        ("s-1.wav s-1.json t-3.wav t-3.json", "t-3.wav: expected a member of the cut s-2, got one of t-3"),
        ("s-1.wav s-2.json", "s-2.json: expected a member of the cut s-1, got one of s-2"),
        ("s-1.json s-1.wav", "expected the member .json of the cut s-1, got .wav"),
        (
            "s-1.wav s-1.json s-2.wav s-2.json t-3.wav t-3.json t-4.wav t-4.json t-4.wav",
            "t-4.wav: expected the end after the last cut of s/cuts.000000.jsonl, got a member",
        ),
    ] {
        scratch.sh(&pack(members)).succeeds();
        for command in ["wav-copy shar:s ark:/dev/null", "make-data-dir --split-channels s d"] {
            scratch.sh(command).fails_with(255).stderr_has("s/recording.000000.tar:").stderr_has(expected);
        }
        scratch
            .sh("wav-copy p,shar:s ark:/dev/null")
            .stderr_has("the rest of these cuts is left out, as permissive mode (p) asks");
    }
    scratch.sh("head -c 20000 s/recording.000000.tar > x && mv x s/recording.000000.tar").succeeds();
    for command in ["wav-copy shar:s ark:/dev/null", "make-data-dir --split-channels s d"] {
        scratch
            .sh(command)
            .fails_with(255)
            .stderr_has("s/recording.000000.tar:")
            .stderr_has("before the end of the file");
    }
    scratch.sh("rm s/recording.000000.tar").succeeds();
    scratch.sh("wav-copy shar:s ark:/dev/null").fails_with(255).stderr_has("expected tar files of the field recording");
    scratch
        .sh("make-data-dir s d")
        .fails_with(255)
        .stderr_has("s: expected tar files of the field recording, got none");
    scratch.sh("ls d").fails_with(2);
    scratch.write("s/cuts.000000.jsonl", "{\"id\": \"a\"}\n[]\n");
    scratch
        .sh("table-head shar,field=text:s")
        .fails_with(255)
        .stderr_has("s/cuts.000000.jsonl:1: expected text of the cut, got none");
    scratch.write("s/cuts.000000.jsonl", "[]\n");
    scratch
        .sh("table-head shar,field=text:s")
        .fails_with(255)
        .stderr_has("s/cuts.000000.jsonl:1: expected a cut with an \"id\"");
}

#[test]
fn a_data_directory_comes_back() {
    let scratch = data();
    for audio in ["wav", "flac"] {
        scratch.sh(&format!("rm -rf s d; make-shar --audio={audio} --num-utts-per-shard=3 data s")).succeeds();
        let many = "expected a MonoCut, got the MultiCut t-4, which has several channels: --split-channels makes an utterance of each";
        scratch.sh("make-data-dir s d").fails_with(255).stderr_has(&format!("s/cuts.000001.jsonl.gz:1: {many}"));
        scratch.sh("make-data-dir --split-channels --extra=all s d").succeeds();
        for file in ["text", "utt2spk", "utt2lang", "spk2gender"] {
            let ours = text(&scratch, &format!("d/{file}"));
            let ours: String =
                ours.lines().filter(|line| !line.starts_with("t-4")).map(|line| format!("{line}\n")).collect();
            assert_eq!(
                ours,
                String::from_utf8(scratch.sh(&format!("grep -v ^t-4 data/{file}")).succeeds().stdout().to_vec())
                    .unwrap(),
                "{file}"
            );
        }
        assert_eq!(text(&scratch, "d/utt2snr"), "s-1 1.5\ns-2 2\n");
        assert_eq!(text(&scratch, "d/utt2votes"), "s-1 1 2\ns-2 3\nt-3 4\nt-4-0 5\nt-4-1 5\n");
        assert_eq!(
            text(&scratch, "d/segments"),
            "s-1 s-1 0 0.5\ns-2 s-2 0 1\nt-3 t-3 0 1.5\nt-4-0 t-4 0 0.2 0\nt-4-1 t-4 0 0.2 1\n"
        );
        assert_eq!(text(&scratch, "d/utt2dur"), "s-1 0.5\ns-2 1\nt-3 1.5\nt-4-0 0.2\nt-4-1 0.2\n");
        let expected = scratch.sh("wav-copy scp:data/wav.scp ark:-").succeeds();
        scratch.sh("wav-copy scp:d/wav.scp ark:-").succeeds().stdout_is(expected.stdout());
        let expected = scratch.sh("copy-feats scp:data/feats.scp ark:-").succeeds();
        scratch.sh("copy-feats scp:d/feats.scp ark:-").succeeds().stdout_is(expected.stdout());
        // WAV stays where it is.
        let copies = if audio == "wav" { 0 } else { 4 };
        scratch.sh("(ls d/wav 2>/dev/null || true) | wc -l").succeeds().stdout_is(format!("{copies}\n"));
        if audio == "wav" {
            assert!(text(&scratch, "d/wav.scp").starts_with("s-1 s/recording.000000.tar:512\n"));
            scratch
                .sh("rm -r d; make-data-dir --split-channels --audio=copy s d && ls d/wav | wc -l")
                .succeeds()
                .stdout_is("4\n");
        }
        scratch.sh("rm -r d; make-data-dir --split-channels --audio=wav s d").succeeds();
        let expected = scratch.sh("wav-copy scp:data/wav.scp ark:-").succeeds();
        scratch.sh("wav-copy scp:d/wav.scp ark:-").succeeds().stdout_is(expected.stdout());
    }
    // One of its files; what has no table is told.
    scratch
        .sh("rm -r d; make-data-dir s/cuts.000000.jsonl.gz d")
        .succeeds()
        .stderr_has("2 entries custom.snr have a table only with --extra=snr, and were left out; the first is s/cuts.000000.jsonl.gz:1");
    scratch.sh("cut -d' ' -f1 d/utt2spk | tr '\\n' ' '").succeeds().stdout_is("s-1 s-2 t-3 ");
    scratch.sh("make-data-dir --strict s/cuts.000000.jsonl.gz e").fails_with(255).stderr_has("custom.snr");
}

#[test]
fn features_of_other_kinds_and_cuts_without_sound_are_left_out_and_counted() {
    let scratch = data();
    scratch.sh("make-shar --compress=none data s && mkdir f r").succeeds();
    scratch
        .sh("cd f && tar -xf ../s/features.000000.tar && mv s-1.npy s-1.llc && tar -cf ../s/features.000000.tar s-1.llc s-1.json s-2.npy s-2.json t-3.nodata t-3.nometa t-4.nodata t-4.nometa")
        .succeeds();
    scratch
        .sh("cd r && tar -xf ../s/recording.000000.tar && touch s-2.nodata s-2.nometa && tar -cf ../s/recording.000000.tar s-1.wav s-1.json s-2.nodata s-2.nometa t-3.wav t-3.json t-4.wav t-4.json")
        .succeeds();
    let ran = scratch.sh("make-data-dir --split-channels s d").succeeds();
    ran.stderr_has("1 features are stored as .llc, and were left out; the first is s/cuts.000000.jsonl:1")
        .stderr_has("1 cuts have no sound, and were left out; the first is s/cuts.000000.jsonl:2");
    scratch.sh("test ! -e d/feats.scp && cut -d' ' -f1 d/wav.scp | tr '\\n' ' '").succeeds().stdout_is("s-1 t-3 t-4 ");
}

#[test]
fn indices_have_the_places_of_lines_and_pairs() {
    let scratch = data();
    scratch.sh("make-shar --compress=none --index=lhotse data a && cp -r a b && rm b/*.idx").succeeds();
    scratch.sh("index-shards --format=lhotse b").succeeds().stderr_has("Wrote 3 indices.");
    scratch.sh("diff -r a b").succeeds();
    let numbers = |name: &str| -> Vec<u64> {
        scratch.read(name).chunks(8).map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap())).collect()
    };
    let lines = scratch.read("a/cuts.000000.jsonl");
    let starts = lines.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at as u64 + 1);
    assert_eq!(numbers("a/cuts.000000.jsonl.idx"), [0].into_iter().chain(starts).collect::<Vec<_>>());
    let tar = numbers("a/recording.000000.tar.idx");
    assert_eq!((tar.len(), tar[0], tar[1]), (5, 0, 512 + 16384 + 512 + 512));
    assert_eq!(tar[4], scratch.read("a/recording.000000.tar").len() as u64);
    // The place of a long name is that of the header before.
    let long = "l".repeat(120);
    scratch
        .sh(&format!("printf x > {long}.wav; printf x > {long}.json; printf 1 > a.wav; printf 2 > a.json"))
        .succeeds();
    scratch.sh(&format!("tar --format=pax -cf l.tar a.wav a.json {long}.wav {long}.json a.wav a.json")).succeeds();
    scratch.sh("index-shards l.tar").succeeds();
    let places = numbers("l.tar.idx");
    assert_eq!((places.len(), places[0], places[1]), (4, 0, 4096));
    let tar = scratch.read("l.tar");
    assert_eq!((&tar[places[1] as usize + 156], places[3]), (&b'x', tar.len() as u64));
    // A list, and the index of DALI.
    scratch.write("list", "a/recording.000000.tar\nl.tar\n");
    scratch
        .sh("index-shards --format=dali list && head -n 1 l.idx a/recording.000000.idx")
        .succeeds()
        .stdout_has("v1.2 4\n");
}

#[test]
fn no_index_is_written_of_what_can_have_none() {
    let scratch = data();
    scratch.sh("make-shar data s").succeeds();
    scratch
        .sh("index-shards s")
        .succeeds()
        .stderr_has("Passed over 1 compressed files, which can have no index.")
        .stderr_has("Wrote 2 indices.");
    scratch
        .sh("gzip -k s/recording.000000.tar; tar -cf odd.tar 1.wav 2.wav 3.wav; head -c 9000 odd.tar > cut.tar")
        .succeeds();
    for (command, expected) in [
        ("index-shards s/cuts.000000.jsonl.gz", "expected a file that is not compressed"),
        ("index-shards s/recording.000000.tar.gz", "expected a file that is not compressed"),
        ("index-shards --format=dali s/recording.000000.tar.gz", "expected a file that is not compressed"),
        (
            "index-shards odd.tar",
            "odd.tar: expected pairs of members, data and what lhotse says about it, got 3 members",
        ),
        ("index-shards cut.tar", "before the end of the file"),
        ("index-shards absent.tar", "absent.tar"),
        ("cat odd.tar | index-shards -", "expected a file, beside which an index can be"),
    ] {
        scratch.sh(command).fails_with(255).stderr_has(expected);
    }
    scratch.sh("ls *.idx s/*.gz.idx").fails_with(2);
}

#[test]
fn a_folder_is_known_by_looking() {
    let scratch = data();
    scratch.sh("make-shar --num-utts-per-shard=3 data s").succeeds();
    scratch
        .sh("table-info s")
        .succeeds()
        .stdout_has("  kind         shar\n  cuts         4\n  fields       features.npy recording.wav\n")
        .stdout_has("  read         make-data-dir s data\n");
    scratch.sh("table-info s/cuts.000001.jsonl.gz").succeeds().stdout_has("  cuts         1\n");
    scratch.sh("table-check s").succeeds();
    scratch
        .sh("list-shards s | cut -d' ' -f1-4 | sed -n '1p;5p'")
        .succeeds()
        .stdout_is("s-1 s/features.000000.tar - npy:512:4544\ns-2 s/recording.000000.tar 1 wav:18432:32044\n");
    scratch.sh("check-shards s").succeeds().stdout_is("").stderr_has("Checked 4 samples of 2 shards, found 0 faults.");
    // Sound that is none, and a tar file that has not the members of the cuts.
    scratch.sh("mkdir m && cd m && tar -xf ../s/recording.000000.tar && echo x > s-2.wav").succeeds();
    scratch.sh("cd m && tar -cf ../s/recording.000000.tar s-1.wav s-1.json s-2.wav s-2.json").succeeds();
    scratch
        .sh("check-shards s")
        .fails_with(1)
        .stdout_has("[bad-sound]\n")
        .stdout_has("expected two members of the cut t-3, got the end of the tar file [missing-member]\n");
    scratch.sh("table-check s").fails_with(1);
    scratch
        .sh("list-shards s s/recording.000000.tar && check-shards s s/recording.000000.tar")
        .fails_with(255)
        .stderr_has("got both");
}
