//! What tools show on a terminal while they work: growing counts, of how many, and the phase.

use crate::support::Scratch;
use crate::support::wave::wave;

/// Entries: enough that each tool takes longer than the time between two states of the display.
const MANY: usize = 8_000;

/// A data directory of many utterances, all with the same short sound.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let samples: Vec<i16> = (0..160).map(|at| (at * 37 % 2000) as i16).collect();
    scratch.write("a.wav", wave(16000, &[&samples]));
    data_dir(&scratch, "d", MANY);
    scratch
}

/// Writes a data directory of so many utterances.
fn data_dir(scratch: &Scratch, name: &str, number: usize) {
    let lines = |value: &str| (0..number).map(|at| format!("u{at:05} {value}\n")).collect::<String>();
    scratch.sh(&format!("mkdir {name}")).succeeds();
    let write = |file: &str, text: String| {
        scratch.write(&format!("{name}/{file}"), text);
    };
    write("wav.scp", lines("a.wav"));
    write("text", lines("hello you"));
    write("utt2spk", lines("s"));
    write("spk2utt", format!("s {}\n", (0..number).map(|at| format!("u{at:05} ")).collect::<String>()));
}

/// The counts that a command line shows, in their order, of so many, in a phase.
fn counts(scratch: &Scratch, command: &str, phase: &str, of: Option<usize>) -> Vec<u64> {
    let ran = scratch.on_terminal(&command.replace("TOOL", "--progress=true"));
    assert_eq!(ran.code, 0, "{command}: {}", ran.screen);
    let total = of.map(|of| format!(" of {of} "));
    let count = |line: String| {
        let (_, shown) = line.split_once(phase)?;
        let digits: String = shown.chars().take_while(char::is_ascii_digit).collect();
        let rest = &shown[digits.len()..];
        let is_right = total.as_ref().is_none_or(|total| rest.starts_with(total.as_str()) && rest.contains(" %, "));
        digits.parse().ok().filter(|_| is_right)
    };
    ran.states().into_iter().filter_map(count).collect()
}

#[track_caller]
fn grows(scratch: &Scratch, command: &str, phase: &str, of: Option<usize>) {
    let mut counts = counts(scratch, command, phase, of);
    assert!(counts.is_sorted(), "{command}: {counts:?}");
    counts.dedup();
    assert!(counts.len() >= 2 && counts.last() > Some(&0), "{command}: {counts:?}");
}

#[test]
fn tools_of_shards_and_corpora_count_utterances() {
    let scratch = scratch();
    let all = Some(MANY);
    grows(
        &scratch,
        "make-shard-list TOOL --num-threads=1 --resample=16000 d/wav.scp d/text shards x.list",
        "packing: ",
        all,
    );
    grows(&scratch, "extract-shards TOOL --num-threads=1 x.list out", "extracting: ", None);
    grows(&scratch, "make-shar TOOL --num-threads=1 d shar", "packing: ", all);
    grows(&scratch, "export-data-dir TOOL --num-threads=1 --format=parquet d x.parquet", "writing: ", all);
    grows(&scratch, "make-data-dir TOOL --num-threads=1 x.parquet made", "copying sound: ", all);
    grows(&scratch, "kaldi-store cp TOOL --recursive made/wav copied; true", "copying: ", None);
}

#[test]
fn tools_that_look_at_tables_count_entries() {
    let scratch = scratch();
    let all = Some(MANY);
    grows(&scratch, "table-stats TOOL --num-threads=1 d/wav.scp", " ", all);
    // It is fast.
    data_dir(&scratch, "e", 5 * MANY);
    let check = "table-check TOOL --num-threads=1 --no-feats e > faults; true";
    grows(&scratch, check, "checking e/wav.scp: ", Some(5 * MANY));
    grows(&scratch, "table-report TOOL --num-threads=1 d page.html", "measuring: ", all);
    // A tool that says nothing of its progress has the lines of its script file.
    let lines: String = (0..10 * MANY).map(|at| format!("u{at:05} a.wav\n")).collect();
    scratch.write("more.scp", lines);
    grows(&scratch, "wav-to-duration TOOL --num-threads=1 scp:more.scp ark:/dev/null", " ", Some(10 * MANY));
}

#[test]
fn the_display_makes_room_for_results_on_the_same_terminal() {
    let scratch = scratch();
    let ran = scratch.on_terminal("table-stats --progress=true --num-threads=1 d/wav.scp");
    let states = ran.states();
    let is_bar = |line: &String| line.contains(" of 8000 entries");
    let last_bar = states.iter().rposition(is_bar).expect("there is a display");
    let first_result = states.iter().position(|line| line.contains("duration")).expect("there are results");
    assert!(last_bar < first_result, "{states:?}");
    // A job that takes no time shows nothing, and neither does one that is not on a terminal.
    assert!(!scratch.on_terminal("table-head -n 1 d/text").screen.contains("entries"));
    scratch.sh("table-stats d/wav.scp").succeeds().stderr_lacks("entries,");
}
