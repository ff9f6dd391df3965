use crate::support::Scratch;
use crate::support::voice::{Speaker, sounds, speak, wave_file};
use crate::support::wave::{archive, wave};

fn said(words: &str) -> Vec<i16> {
    speak(&Speaker { pitch: (128.0, 96.0), formant_scale: 1.0, seed: 3 }, &sounds(words))
}

fn half(samples: &[i16]) -> Vec<i16> {
    samples.iter().map(|sample| sample / 2).collect()
}

/// Four sentences; `c` is a part of `a` at half the size, `e` is `b`.
fn voices() -> Scratch {
    let scratch = Scratch::new();
    let [a, b, d] = ["nalu sizo lexu zana silo", "xolu nise zalo luxi sena", "nalu nise lexu luxi zana"].map(said);
    let c = half(&a[8000..]);
    for (key, samples) in [("a", &a), ("b", &b), ("c", &c), ("d", &d), ("e", &b)] {
        scratch.write(&format!("{key}.wav"), wave_file(samples));
    }
    scratch.write("wav.scp", ["a", "b", "c", "d", "e"].map(|key| format!("{key} {key}.wav\n")).concat());
    scratch
}

#[test]
fn pairs_have_a_share_and_a_shift() {
    let scratch = voices();
    for threads in [1, 3] {
        let ran = scratch.sh(&format!("find-copies --num-threads={threads} scp:wav.scp - > pairs; cat pairs"));
        ran.succeeds().stderr_has("Found 2 pairs of copies in 5 waveforms.");
        let pairs = String::from_utf8(scratch.read("pairs")).unwrap();
        let lines: Vec<Vec<&str>> = pairs.lines().map(|line| line.split(' ').collect()).collect();
        assert_eq!((lines.len(), &lines[1][..]), (2, &["b", "e", "1", "0"][..]), "{pairs}");
        // Half a second is not a multiple of 16 ms.
        assert_eq!((&lines[0][..2], lines[0][3].trim_start_matches('-')), (&["a", "c"][..], "0.496"), "{pairs}");
        let share: f64 = lines[0][2].parse().unwrap();
        assert!((0.9..=1.0).contains(&share) && lines[0][3].starts_with('-'), "{pairs}");
    }
}

#[test]
fn another_table_is_searched_for_what_the_first_one_has() {
    let scratch = voices();
    scratch.write("train.scp", "b b.wav\nc c.wav\nd d.wav\n").write("test.scp", "x e.wav\ny a.wav\nz a.wav\n");
    let ran = scratch.sh("find-copies --against=scp:test.scp scp:train.scp pairs; cut -d' ' -f 1,2,4 pairs");
    ran.succeeds().stdout_is("b x 0\nc y 0.496\n").stderr_has("Found 2 pairs of copies in 3 waveforms.");
}

#[test]
fn short_sound_and_silence_are_only_found_exactly() {
    let scratch = Scratch::new();
    let (tone, silence): (Vec<i16>, Vec<i16>) = ((0..4000).map(|at| (at % 40) * 200).collect(), vec![0; 20000]);
    let waves =
        [&tone, &half(&tone), &tone, &silence, &silence[..19999].to_vec()].map(|samples| wave(8000, &[samples]));
    let names = ["a", "b", "c", "d", "e"];
    let entries: Vec<(&str, &[u8])> = names.into_iter().zip(waves.iter().map(Vec::as_slice)).collect();
    scratch.write("a.ark", archive(&entries));
    scratch.sh("cat a.ark | find-copies ark:- -").succeeds().stdout_is("a c 1 0\n");
}

#[test]
fn what_cannot_be_read_leaves_no_list() {
    let scratch = voices();
    scratch.write("pairs", "old").write("none.scp", "a none.wav\n").write("empty.scp", "");
    scratch.sh("find-copies scp:none.scp pairs").fails_with(255).stderr_has("cannot open none.wav");
    scratch.sh("find-copies --against=scp:none.scp scp:wav.scp pairs").fails_with(255).stderr_has("none.wav");
    scratch.sh("find-copies --against=scp:not.scp scp:wav.scp pairs").fails_with(255).stderr_has("not.scp");
    scratch.sh("find-copies \"scp:cat wav.scp; exit 3 |\" pairs").fails_with(255).stderr_has("exit");
    scratch.sh("find-copies scp:empty.scp pairs").fails_with(1);
    assert_eq!(scratch.read("pairs"), b"old");
}
