//! Pages about corpora: how much faster they are made than the sound lasts.

use std::fs;
use std::path::Path;

use crate::corpus::utterance;
use crate::measure::{Bench, Cost, Run, Size};
use crate::voice;

/// What is measured: its name, the arguments of table-report, and the goal: seconds on the clock, or how much faster than the sound.
const ROWS: [(&str, &[&str], Goal); 5] = [
    ("report: 200 utterances", &["r200", "out"], Goal::Seconds(2.0)),
    (
        "report: an hour, 3 s each, without near copies",
        &["--top=0", "--near-duplicates=false", "r1200", "out"],
        Goal::Times(5000.0),
    ),
    // A hundred hours in five minutes.
    ("report: an hour, 3 s each", &["--top=0", "r1200", "out"], Goal::Times(1200.0)),
    ("report: an hour against an hour", &["--top=0", "--against=r1200", "r1200", "out"], Goal::Times(600.0)),
    ("report: an hour in 20,000 segments", &["rsegments", "out"], Goal::Seconds(15.0)),
];

#[derive(Clone, Copy)]
enum Goal {
    Seconds(f64),
    Times(f64),
}

/// Seconds of a recording.
const SECONDS: f64 = 3.0;

/// Measures the wanted rows, and prints them.
pub fn print(bench: &Bench) {
    let tool = bench.tools.join("table-report");
    let rows: Vec<_> = ROWS.iter().filter(|row| bench.is_wanted(row.0) && tool.exists()).collect();
    if rows.is_empty() {
        return;
    }
    write(&bench.dir, bench.size).expect("the data can be written");
    println!("| page | sound | on the clock | processor | faster than the sound | memory | goal |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (name, arguments, goal) in rows {
        let seconds = if arguments.contains(&"r200") { 200.0 * SECONDS } else { 3600.0 };
        if let Some(cost) = bench.best(name, &Run::new(tool.clone(), arguments)) {
            println!("{}", line(name, cost, seconds, *goal));
        }
    }
    println!();
}

fn line(name: &str, cost: Cost, seconds: f64, goal: Goal) -> String {
    let (wall, times) = (cost.wall.as_secs_f64(), seconds / cost.wall.as_secs_f64());
    let (goal, is_met) = match goal {
        Goal::Seconds(goal) => (format!("{goal} s"), wall <= goal),
        Goal::Times(goal) => (format!("{goal} times"), times >= goal),
    };
    let (cpu, memory) = (cost.cpu.as_secs_f64(), cost.peak_kb as f64 / 1e3);
    let mark = if is_met { "met" } else { "missed" };
    format!(
        "| {name} | {seconds:.0} s | {wall:.2} s | {cpu:.2} s | {times:.0} times | {memory:.0} MB | {goal}: {mark} |"
    )
}

/// Data directories: `r200` and `r1200` with as many recordings, `rsegments` with parts of one.
fn write(dir: &Path, size: Size) -> std::io::Result<()> {
    let (few, many, segments) = size.pick((200, 1200, 20_000), (2, 12, 200));
    for folder in ["r200", "r1200", "rsegments", "rwav"] {
        fs::create_dir_all(dir.join(folder))?;
    }
    let mut hour = Vec::new();
    let (mut waves, mut text) = (String::new(), String::new());
    for index in 0..many {
        let samples = utterance(index as u64, SECONDS);
        fs::write(dir.join(format!("rwav/{index:04}.wav")), voice::wave_file(&samples))?;
        waves += &format!("u{index:04} rwav/{index:04}.wav\n");
        text += &format!("u{index:04} some words that somebody says\n");
        hour.extend(samples);
    }
    for (folder, count) in [("r200", few), ("r1200", many)] {
        let first = |list: &str| list.lines().take(count).map(|line| format!("{line}\n")).collect::<String>();
        fs::write(dir.join(folder).join("wav.scp"), first(&waves))?;
        fs::write(dir.join(folder).join("text"), first(&text))?;
    }
    fs::write(dir.join("rwav/hour.wav"), voice::wave_file(&hour))?;
    fs::write(dir.join("rsegments/wav.scp"), "hour rwav/hour.wav\n")?;
    let segment = |index: u32| {
        let start = f64::from(index) * 0.18;
        format!("hour-{index:05} hour {start:.2} {:.2}\n", start + 0.18)
    };
    fs::write(dir.join("rsegments/segments"), (0..segments).map(segment).collect::<String>())
}
